"""`graycard copy`: the same bytes by every method that works here, in turns, both ways."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import rich_click as click

from graycard.cli.app import App
from graycard.cli.copy_page import CopyDocument, copy_page
from graycard.cli.live import display
from graycard.cli.options import MOST_SEED, SIZE, Place, global_options, shows_data
from graycard.cli.screen import counted, note, say, show
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.copying import (
    KINDS,
    CopyArm,
    CopyOptions,
    CopyReport,
    Course,
    Data,
    Excluded,
    arms_for,
    census,
    parse_place,
)
from graycard.copying.data import file_sizes
from graycard.copying.servers import room
from graycard.errors import AccuracyProblem, Interrupted, PlanProblem, Problem, TargetProblem
from graycard.facts import fact, number
from graycard.link import by_ssh
from graycard.measurement import Event, OnEvent
from graycard.model import Fact, Result
from graycard.model.copying import Place as Where
from graycard.model.copying import Scheme
from graycard.plan import reserve_bytes
from graycard.protocols import Host
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.transfer import COPY_METHODS
from graycard.units import format_size

DEFAULT_BYTES = 512 << 20
# At the far end lie what is read back, and one copy; with a copy-on-write volume's slack that is less than three.
FAR_COPIES = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """All that was asked for, looked at and found possible. `data` is None where it is made."""

    data: Data | None
    total_bytes: int
    destination: Where
    arms: tuple[CopyArm, ...]
    excluded: tuple[Excluded, ...]
    options: CopyOptions
    facts: tuple[Fact, ...]


@click.command("copy")
@click.argument("source", type=Place())
@click.argument("destination", metavar="DEST", type=Place())
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method; more than once for several."
)
@click.option("--via", multiple=True, metavar="PLACE", help="Another address of the same folder, as user@nas:/folder.")
@click.option("--to", "only", flag_value="up", help="Only copy to DEST.")
@click.option("--from", "only", flag_value="down", help="Only copy back from DEST.")
@click.option("--size", type=SIZE, metavar="SIZE", help="How much data to make (512MiB).")
@click.option("--runs", type=click.IntRange(1, 100), default=3, help="Copies by each method and direction.")
@click.option("--verify", is_flag=True, help="Compare every copy with its source by hash.")
@click.option("--into", metavar="PATH", type=Place(), help="Where it is copied back to, and where data are made.")
@click.option("--server", metavar="USER@HOST", help="Ask the server over ssh how much memory it has.")
@click.option("--ssh-config", metavar="FILE", help="Configuration for ssh in place of your own.")
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop.")
@shows_data
@global_options()
@click.pass_obj
def copy_command(
    app: App,
    source: str,
    destination: str,
    methods: tuple[str, ...],
    via: tuple[str, ...],
    only: str | None,
    size: int | None,
    runs: int,
    verify: bool,
    into: str | None,
    server: str | None,
    ssh_config: str | None,
    plan_only: bool,
    form: str | None,
) -> None:
    """Copy SOURCE to DEST and back by every method that works here, in random turns, and tell which is how fast.

    SOURCE is a file or a folder, or data to be made: “large” (one file), “small” (files of 50 kB) or “project”. DEST is
    a folder on a mounted drive or share, user@nas:/folder, or smb://user@nas/share/folder. Everything is written into
    folders of its own, which are removed. Flushes are part of the time.
    """
    host = app.host()
    kind = source if source in KINDS and not os.path.exists(source) else None
    if size is not None and kind is None:
        raise click.UsageError("--size is for data that are made: large, small or project")
    data = None if kind else census(os.path.abspath(source))
    options = CopyOptions(
        _into(into, source, kind), kind, size or DEFAULT_BYTES, runs, verify, secrets.randbelow(MOST_SEED)
    )
    there, *others = (parse_place(each, ssh_config) for each in (destination, *via))
    facts = _facts(host, there, server, ssh_config)
    asked = _asked(data, (there, *others), only, methods, options, facts)
    says = _announcement(asked)
    if plan_only:
        page = tuple(Note(printable(sentence)) for sentence in says)
        show(page, CopyDocument(says=says, excluded=asked.excluded), form)
        return
    say(app, says)
    _show(app, _carried_out(app, host, asked, form), form)


def _into(into: str | None, source: str, kind: str | None) -> str:
    """The folder on this computer for what is made or comes back: beside the source, or here."""
    if into is not None:
        return os.path.abspath(into)
    return os.getcwd() if kind else os.path.dirname(os.path.abspath(source))


def _asked(
    data: Data | None,
    places: tuple[Where, ...],
    only: str | None,
    methods: Sequence[str],
    options: CopyOptions,
    facts: tuple[Fact, ...],
) -> Asked:
    if data is None:
        sizes = file_sizes(str(options.kind), options.size_bytes)
        shape = Data(os.path.join(options.into, "data"), len(sizes) > 1, len(sizes), sum(sizes), max(sizes))
    else:
        shape = data
    directions = ("up", "down") if only is None else (only,)
    arms, excluded = arms_for(COPY_METHODS, places, shape, directions, methods)
    _check_space(places[0], facts, shape.total_bytes)
    return Asked(data, shape.total_bytes, places[0], arms, excluded, options, facts)


def _facts(host: Host, destination: Where, server: str | None, ssh_config: str | None) -> tuple[Fact, ...]:
    if destination.scheme is Scheme.PATH:
        target = host.resolve(destination.path)
        volume = host.volume(target)
        if volume.why_not:
            raise TargetProblem(f"{target.shown} cannot be copied to: {volume.why_not}")
        facts = host.facts(target)
    else:
        facts = (fact("server", destination.host, "command line"), *_room(destination))
    if server is None:
        return facts
    ssh = ("ssh", "-F", ssh_config) if ssh_config else ("ssh",)
    with by_ssh(server, ssh) as far:
        memory = far.facts.get("memory_bytes")
    return (*facts, fact("server_memory_bytes", memory, f"the agent on {server}"))


def _room(destination: Where) -> tuple[Fact, ...]:
    """How large and how full it is there, where ssh tells it; smbclient does not."""
    if destination.scheme is not Scheme.SSH:
        return ()
    size, free = room(destination)
    return (fact("size_bytes", size, "df at the server"), fact("free_bytes", free, "df at the server"))


def _check_space(destination: Where, facts: tuple[Fact, ...], total_bytes: int) -> None:
    free = number(facts, "free_bytes")
    needed = FAR_COPIES * total_bytes + reserve_bytes(number(facts, "size_bytes"))
    if free is not None and needed > free:
        raise PlanProblem(
            f"not enough space in {destination.shown}: needed {format_size(needed)} with the reserve, free "
            f"{format_size(free)}; copy less, or make room"
        )


def _announcement(asked: Asked) -> tuple[str, ...]:
    names = ", ".join(dict.fromkeys(arm.name for arm in asked.arms))
    copies = len(asked.arms) * asked.options.run_count
    # What is copied back has to be brought there first.
    writes = sum(arm.is_upload for arm in asked.arms) * asked.options.run_count
    written = asked.total_bytes * (writes + any(not arm.is_upload for arm in asked.arms))
    made = f"Makes {format_size(asked.total_bytes)} of data in {asked.options.into}. " if asked.data is None else ""
    size, place = format_size(asked.total_bytes), asked.destination.shown
    says = (
        f"{made}Copies {size} by {names}: {copies} copies in random order, {format_size(written)} written in {place}, "
        "in a folder of its own that is removed."
    )
    return (says,)


def _carried_out(app: App, host: Host, asked: Asked, form: str | None) -> CopyReport:
    """Copy; when that ends early, show what was finished before the problem passes on."""
    kept: dict[str, Result] = {}
    courses: list[Course] = []
    try:
        with display(quiet=app.quiet) as on_event:
            return carry_out(lambda stop: _course(app, host, asked, kept, on_event, stop, courses))
    except HangingError:
        for course in courses:
            course.abandon()
        raise Interrupted(
            f"stopped, but {asked.destination.shown} does not answer; {left_at(asked.destination)}"
        ) from None
    except Problem:
        if kept:
            _show(app, CopyReport(tuple(kept.values()), asked.excluded, ()), form, complain=False)
        raise


def left_at(place: Where) -> str:
    """How what may be left at a place that does not answer is removed later, as the end of a sentence."""
    if place.scheme is Scheme.PATH:
        return f"what lies there is removed when it does; should it stay, run: graycard clean {shlex.quote(place.path)}"
    return "what lies there is removed if it still does; else remove .graycard-…, or mount it and use graycard clean"


def _course(
    app: App, host: Host, asked: Asked, kept: dict[str, Result], on_event: OnEvent, stop: Stop, courses: list[Course]
) -> CopyReport:
    def hear(event: Event) -> None:
        stop.look()
        on_event(event)

    # The store is for the thread that opens it.
    with app.open_store() as store:
        keep = _keeping(store.save, kept)
        course = Course(host, StoppableClock(app.clock, stop), keep, hear, asked.facts)
        courses.append(course)
        return course.carry_out(asked.data, asked.destination, asked.arms, asked.excluded, asked.options)


def _keeping(save: Callable[[Result], None], kept: dict[str, Result]) -> Callable[[Result], None]:
    def keep(result: Result) -> None:
        save(result)
        kept[result.id] = result

    return keep


def _show(app: App, report: CopyReport, form: str | None, *, complain: bool = True) -> None:
    document = CopyDocument(results=report.results, excluded=report.excluded, failures=report.failures)
    show(copy_page(report), document, form)
    id_ = report.results[0].measurement_id[:8]
    note(app, (Note(f"Stored as {id_}; see it again with: graycard results show {id_}", Tone.QUIET),))
    failed = sum(map(has_failed, report.results))
    if complain and failed:
        raise AccuracyProblem(
            f"{failed} of {counted(len(report.results), 'figure')} failed a check; do not rely on those marked with “!”"
        )
