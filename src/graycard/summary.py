"""Runs become published numbers: rate, operations and latencies with their intervals, and how steady it all was.

The order matters: the shape of each run first (cliff, undulation, stalls), then one value a run, then a first run that
differs, then the interval over the rest. docs/method.md has each formula and its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from graycard.model import Check, Estimate, IoTask, Percentile, Run, Stalls, Steadiness, Steady, Summary, Undulation
from graycard.stats import sentences
from graycard.stats.between import SCATTERED_RATIO, runs_estimate, spread_ratio
from graycard.stats.first_run import first_run_differs
from graycard.stats.latency import latencies
from graycard.stats.shape import Shape, shape
from graycard.stats.stalls import stalls

# From this share of the time on, stalls are what a user notices first.
STALLING_RATIO = 0.01
# A single run shorter than this says nothing about steadiness.
TELLING_NS = 5_000_000_000

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class View:
    """One value a run, and what the runs look like, before anything is said about them.

    `rates` and `ops` are of the last phases where `takes_last_part`, else of whole runs.
    """

    runs: tuple[Run, ...]
    shapes: tuple[Shape | None, ...]
    takes_last_part: bool
    rates: tuple[float, ...]
    ops: tuple[float, ...]
    first_differs: bool

    def kept(self, items: Sequence[Item]) -> Sequence[Item]:
        """One item a run, without that of a first run that differs."""
        return items[1:] if self.first_differs else items


def summarise(task: IoTask, runs: tuple[Run, ...], checks: tuple[Check, ...], *, looked: bool = False) -> Summary:
    """The summary of all runs of one task, in the order in which they were made; `checks` are passed on.

    `looked` says that runs were added until the interval was narrow enough (`Repeat.precision_ratio`): the interval
    is then that of the looks, 97 %, and stated as 95 %. Runs without a duration are left out. Without any run left,
    rate and operations are 0 of 0 runs and say so.
    """
    view = _view(task, runs)
    found = stalls(stretch for each in view.shapes if each for stretch in each.stalled)
    return Summary(
        rate=_estimate(view, view.rates, "bytes/s", looked=looked),
        ops=_estimate(view, view.ops, "ops/s", looked=looked),
        latency_ns=_latencies(view),
        stalls=found,
        steadiness=_steadiness(view, found),
        checks=checks,
        caveats=tuple(_caveats(view, found)),
    )


def run_rates(task: IoTask, runs: tuple[Run, ...]) -> tuple[float, ...]:
    """One rate a run, in bytes/s, as the headline is made of them: what `stats.stopping.look` looks at.

    A first run that differs is among them: the look and the summary both tell it apart.
    """
    return _view(task, runs).rates


def _view(task: IoTask, runs: tuple[Run, ...]) -> View:
    timed = [(index, run) for index, run in enumerate(runs) if run.samples.elapsed_ns > 0]
    shapes = tuple(shape(run.samples, index, task.depth_count) for index, run in timed)
    runs = tuple(run for _, run in timed)
    # One run in five that changes its level is an incident; where half of them do, it is the device.
    long_count = sum(bool(each and each.phases) for each in shapes)
    cliff_count = sum(bool(each and each.has_cliff) for each in shapes)
    last_part = cliff_count > 0 and 2 * cliff_count >= long_count
    values = [_values(run, each if last_part else None) for run, each in zip(runs, shapes, strict=True)]
    rates = tuple(rate for rate, _ in values)
    return View(runs, shapes, last_part, rates, tuple(ops for _, ops in values), first_run_differs(rates))


def _values(run: Run, found: Shape | None) -> tuple[float, float]:
    """Rate and operations per second of a run: of its last phase where it has several and `found` is given."""
    if found is not None and found.has_cliff:
        return found.phases[-1].rate.value, found.last_ops_per_s
    return run.samples.rate_bytes_per_s or 0.0, run.samples.ops_per_s or 0.0


def _estimate(view: View, values: Sequence[float], unit: str, *, looked: bool) -> Estimate:
    kept = view.kept(values)
    if not kept:
        return Estimate(0.0, None, None, unit, 0, None, "nothing was measured")
    found = runs_estimate(kept, unit, looked=looked)
    of = "; of the last part of each run with a cliff" if view.takes_last_part else ""
    first = "; the first run told apart" if view.first_differs else ""
    return replace(found, method=found.method + of + first)


def _latencies(view: View) -> tuple[Percentile, ...]:
    return latencies([run.samples.latency for run in view.kept(view.runs) if run.samples.latency is not None])


def _steadiness(view: View, found: Stalls | None) -> Steadiness:
    verdict, says = _verdict(view, found)
    first = runs_estimate(view.rates[:1], "bytes/s") if view.first_differs else None
    phases = tuple(phase for each in view.shapes if each for phase in each.phases)
    return Steadiness(verdict, says, spread_ratio(view.rates), phases, _undulation(view), first)


def _verdict(view: View, found: Stalls | None) -> tuple[Steady, str]:
    """The first that applies, in the order in which they hide each other."""
    undulation = _undulation(view)
    if view.takes_last_part:
        return Steady.CLIFF, _cliff(view)
    if undulation:
        return Steady.UNDULATING, sentences.swings(undulation)
    if found and found.share_ratio >= STALLING_RATIO:
        return Steady.STALLING, sentences.stalling(found)
    if view.first_differs:
        return Steady.FIRST_RUN_DIFFERS, _first_run(view)
    return _evenness(view)


def _evenness(view: View) -> tuple[Steady, str]:
    spread = spread_ratio(view.rates)
    if spread is not None:
        if spread > SCATTERED_RATIO:
            return Steady.SCATTERED, sentences.scattered(view.rates, spread)
        return Steady.STEADY, sentences.even_runs(len(view.runs), spread)
    if not view.runs or len(view.runs) > 1:
        return Steady.UNKNOWN, sentences.NOTHING
    only = view.shapes[0]
    if only is None or only.examined_ns < TELLING_NS:
        return Steady.UNKNOWN, sentences.too_short(view.runs[0].samples.elapsed_ns)
    return Steady.STEADY, sentences.even_run(only.examined_ns, only.phases)


def _caveats(view: View, found: Stalls | None) -> Iterator[str]:
    if not view.runs:
        yield sentences.NOTHING
        return
    if any(each and each.has_cliff for each in view.shapes):
        yield _cliff(view)
    if undulation := _undulation(view):
        yield sentences.swings(undulation)
    if found and found.count:
        yield sentences.stalling(found)
    if view.first_differs:
        yield _first_run(view)
    if len(view.runs) == 1:
        yield sentences.SINGLE_RUN
    elif zero_count := view.rates.count(0.0):
        yield sentences.no_data(zero_count, len(view.runs))
    else:
        yield sentences.rare_runs(view.kept(view.rates))


def _undulation(view: View) -> Undulation | None:
    """The undulation of the run in the middle of those that have one, where at least half of the runs do."""
    swings = sorted((s.undulation for s in view.shapes if s and s.undulation), key=lambda u: u.explained_ratio)
    seen_count = sum(each is not None for each in view.shapes)
    return swings[len(swings) // 2] if swings and 2 * len(swings) >= seen_count else None


def _cliff(view: View) -> str:
    """The sentence about the first run with a cliff; there is one."""
    long = [each for each in view.shapes if each and each.phases]
    cliffs = [each.phases for each in long if each.has_cliff]
    return sentences.cliff(cliffs[0], len(cliffs), len(long), steady_part=view.takes_last_part)


def _first_run(view: View) -> str:
    return sentences.first_run(view.rates[0], runs_estimate(view.rates[1:], "bytes/s").value)
