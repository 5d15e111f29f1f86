"""`graycard link`: what the network alone carries to another computer, both ways, and how long a byte takes."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable
from dataclasses import dataclass

import rich_click as click

from graycard.cli.app import App
from graycard.cli.link_page import LinkDocument, document_of, link_page
from graycard.cli.live import display
from graycard.cli.options import DURATION, MOST_SEED, global_options, shows_data
from graycard.cli.screen import counted, note, say, show
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.errors import AccuracyProblem, Interrupted, PlanProblem, Problem
from graycard.link import FarEnd, LinkOptions, LinkReport, LinkTest, by_hand, by_ssh
from graycard.link.iperf3 import DEFAULT_PORT, against_iperf3
from graycard.measurement import Event, OnEvent
from graycard.model import Action, Result
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.units import format_duration

TOKEN_BYTES = 16
MOST_TIME_NS = 600_000_000_000
MOST_STREAMS = 64


@dataclass(frozen=True, slots=True)
class Way:
    """How the other end is reached: by ssh, an agent's port and token, or an iperf3 server's port."""

    host: str
    ssh: tuple[str, ...]
    agent_port: int | None
    token: bytes
    iperf3_port: int | None


@click.command("link")
@click.argument("host")
@click.option("--send", "only", flag_value="send", help="Only to the other computer.")
@click.option("--receive", "only", flag_value="receive", help="Only from the other computer.")
@click.option("--streams", default="1,4", metavar="N,…", help="Numbers of TCP streams to test with.")
@click.option("--time", "time_ns", type=DURATION, default="5s", metavar="TIME", help="Length of a run.")
@click.option("--runs", type=click.IntRange(1, 100), default=3, help="Runs of each test.")
@click.option("--ssh", default="ssh", metavar="COMMAND", help="How to start ssh, as “ssh -p 2222”.")
@click.option("--agent", "agent_port", type=click.IntRange(1, 65535), help="Port of an agent started there by hand.")
@click.option("--token", default="", metavar="HEX", help="The token that the agent printed.")
@click.option("--iperf3", is_flag=True, help="Test against an iperf3 server that runs there, with the program iperf3.")
@click.option("--iperf3-port", type=click.IntRange(1, 65535), default=DEFAULT_PORT, help="Port of that server.")
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop.")
@shows_data
@global_options()
@click.pass_obj
def link_command(
    app: App,
    host: str,
    only: str | None,
    streams: str,
    time_ns: int,
    runs: int,
    ssh: str,
    agent_port: int | None,
    token: str,
    iperf3: bool,
    iperf3_port: int,
    plan_only: bool,
    form: str | None,
) -> None:
    """Test the network to HOST (“user@nas”): raw TCP both ways, round trips idle and under load. No file is touched.

    The far end is started over your own ssh and ends with the test; HOST needs ssh and Python 3, and no root. Where
    there is no ssh, start `graycard agent` there by hand and give --agent and --token, or test against iperf3.
    """
    options = _options(only, streams, time_ns, runs)
    way = Way(host, _words(ssh), agent_port, _token(agent_port, token), iperf3_port if iperf3 else None)
    says = _announcement(way, options)
    if plan_only:
        page = tuple(Note(printable(sentence)) for sentence in says)
        show(page, LinkDocument(says=says), form)
        return
    say(app, says)
    _show(app, *_tested(app, way, options, form), form)


def _options(only: str | None, streams: str, time_ns: int, runs: int) -> LinkOptions:
    words = streams.split(",")
    if not all(word.strip().isdecimal() and 1 <= int(word) <= MOST_STREAMS for word in words):
        raise click.UsageError(f"--streams “{streams}” is not understood; give numbers from 1 to 64, as 1,4")
    if not 10**8 <= time_ns <= MOST_TIME_NS:
        raise PlanProblem("--time is the length of one run: give 0.1 s to 10 min")
    actions = (Action.SEND, Action.RECEIVE) if only is None else (Action(only),)
    counts = tuple(dict.fromkeys(int(word) for word in words))
    return LinkOptions(actions, counts, time_ns, runs, secrets.randbelow(MOST_SEED))


def _words(ssh: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(ssh))
    except ValueError as error:
        raise click.UsageError(f"--ssh “{ssh}” is not understood: {error}") from None
    if not words:
        raise click.UsageError("--ssh names no program; leave it out for ssh")
    return words


def _token(agent_port: int | None, token: str) -> bytes:
    if agent_port is None:
        return b""
    try:
        found = bytes.fromhex(token)
    except ValueError:
        found = b""
    if len(found) != TOKEN_BYTES:
        raise click.UsageError("--token is the 32 hexadecimal digits that the agent printed")
    return found


def _announcement(way: Way, options: LinkOptions) -> tuple[str, ...]:
    by = "its iperf3 server" if way.iperf3_port else "an agent there" if way.agent_port else "an agent started by ssh"
    tests = counted(len(options.arms), "test")
    runs = counted(options.run_count, "run")
    says = (
        f"Tests TCP with {way.host} by {by}: {tests} of {runs} of {format_duration(options.time_ns)}, in random order, "
        f"about {format_duration(options.whole_ns)} in all. It fills the network meanwhile and touches no file."
    )
    return (says,)


def _tested(app: App, way: Way, options: LinkOptions, form: str | None) -> tuple[tuple[Result, ...], LinkReport | None]:
    """Test; when that ends early, show what was finished before the problem passes on."""
    kept: dict[str, Result] = {}
    try:
        with display(quiet=app.quiet) as on_event:
            return carry_out(lambda stop: _test(app, way, options, kept, on_event, stop))
    except HangingError:
        raise Interrupted("stopped; the other end did not answer any more") from None
    except Problem:
        if kept:
            _show(app, tuple(kept.values()), None, form)
        raise


def _test(
    app: App, way: Way, options: LinkOptions, kept: dict[str, Result], on_event: OnEvent, stop: Stop
) -> tuple[tuple[Result, ...], LinkReport | None]:
    def hear(event: Event) -> None:
        stop.look()
        on_event(event)

    clock = StoppableClock(app.clock, stop)
    # The store is for the thread that opens it.
    with app.open_store() as store:

        def keep(result: Result) -> None:
            store.save(result)
            kept[result.id] = result

        if way.iperf3_port:
            return against_iperf3(way.host, way.iperf3_port, options, clock, keep, hear), None
        with _far_end(way, hear, app, stop) as far:
            report = LinkTest(far, options, clock, keep, hear).carry_out()
        return report.results, report


def _far_end(way: Way, hear: Callable[[Event], None], app: App, stop: Stop) -> FarEnd:
    hear(Event("prepare", f"starting the far end on {way.host}", app.clock.monotonic_ns()))
    if way.agent_port is not None:
        return by_hand(way.host, way.agent_port, way.token, stop.look_first)
    return by_ssh(way.host, way.ssh, look=stop.look_first)


def _show(app: App, results: tuple[Result, ...], report: LinkReport | None, form: str | None) -> None:
    show(link_page(results, report), document_of(results, report), form)
    if results:
        id_ = results[0].measurement_id[:8]
        note(app, (Note(f"Stored as {id_}; see it again with: graycard results show {id_}", Tone.QUIET),))
    failed = sum(map(has_failed, results))
    if report is not None and failed:
        raise AccuracyProblem(
            f"{failed} of {counted(len(results), 'figure')} failed a check; do not rely on those marked with “!”"
        )
