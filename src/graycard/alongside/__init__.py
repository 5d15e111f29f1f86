"""Another tool, run its own default way on the same volume, in turns with graycard's nearest task.

    for each round: tool, graycard, then graycard, tool (mirrored) → the tool's text → its importer → results of both

The tool works in a folder inside graycard's own scratch folder; all of it is removed, whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from graycard.alongside.process import run
from graycard.alongside.tools import TOOLS, Job, Tool
from graycard.errors import ImportProblem, PlanProblem, RunProblem
from graycard.importers import read_all
from graycard.measurement import Event, Keeper, OnEvent, measure
from graycard.model import Fact, Plan, Repeat, Result
from graycard.plan import TaskOptions, check_space, make_plan
from graycard.protocols import Clock, Engine, Host
from graycard.scratch import Scratch

__all__ = ["ROUNDS_COUNT", "TOOLS", "Bench", "Tool", "plan_for", "run_in_turns", "tool_named"]

# Three rounds give the least number of runs that an interval is made of.
ROUNDS_COUNT = 3
_RUN_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Bench:
    """What the turns need. `keep` stores results of the tool, `keeper` those of graycard; `look` may raise to stop."""

    host: Host
    engine: Engine
    clock: Clock
    keeper: Keeper
    keep: Callable[[tuple[Result, ...]], object]
    on_event: OnEvent
    look: Callable[[], None]


def tool_named(name: str) -> Tool:
    """The tool of that name. PlanProblem where graycard does not run it, or it is not installed here."""
    tool = next((each for each in TOOLS if each.name == name), None)
    if tool is None:
        raise PlanProblem(f"graycard cannot run “{name}”; choose one of {', '.join(each.name for each in TOOLS)}")
    if tool.program is None:
        raise PlanProblem(f"{name} is not installed here; install it, or choose another tool")
    return tool


def plan_for(tool: Tool, host: Host, path: str, size_bytes: int, seed: int) -> tuple[Plan, tuple[Fact, ...]]:
    """Graycard's tasks nearest to what the tool does, and the facts. PlanProblem or TargetProblem as for a measurement.

    The space is checked for graycard's files and the tool's, which do not exist at one time.
    """
    target = host.resolve(path)
    facts = host.facts(target)
    options = TaskOptions(
        seed=seed,
        operations=tool.operations,
        pattern=tool.pattern,
        block_bytes=tool.block_bytes,
        depth_count=1,
        size_bytes=size_bytes,
        time_ns=_RUN_NS,
    )
    plan = replace(make_plan(target, None, options, facts), repeat=Repeat(ROUNDS_COUNT, ROUNDS_COUNT, None))
    check_space(plan, facts)
    return plan, facts


def run_in_turns(tool: Tool, plan: Plan, facts: tuple[Fact, ...], size_bytes: int, bench: Bench) -> tuple[Result, ...]:
    """Results of the tool's runs, then graycard's. RunProblem or ImportProblem where the tool fails; what was
    finished before is kept.
    """
    theirs: list[Result] = []
    ours: tuple[Result, ...] = ()
    for round_index in range(ROUNDS_COUNT):
        turns = ("tool", "graycard") if round_index % 2 == 0 else ("graycard", "tool")
        for turn in turns:
            bench.look()
            if turn == "tool":
                says = f"{tool.name}, round {round_index + 1} of {ROUNDS_COUNT}"
                bench.on_event(Event("measure", says, bench.clock.monotonic_ns(), repeat_index=round_index))
                theirs.extend(_run_tool(tool, plan, facts, size_bytes, bench))
            else:
                ours = _measure(plan, round_index + 1, ours, bench)
    return (*theirs, *ours)


def _measure(plan: Plan, count: int, earlier: tuple[Result, ...], bench: Bench) -> tuple[Result, ...]:
    part = replace(plan, repeat=Repeat(count, count, None))
    done = measure(
        part,
        engines=(bench.engine,),
        host=bench.host,
        keeper=bench.keeper,
        clock=bench.clock,
        on_event=bench.on_event,
        earlier=earlier,
    )
    return done.results


def _run_tool(tool: Tool, plan: Plan, facts: tuple[Fact, ...], size_bytes: int, bench: Bench) -> tuple[Result, ...]:
    with _folder(plan.target.path) as folder:
        text = b"".join(_said(tool, job, folder, plan, bench) for job in tool.jobs(size_bytes))
    try:
        found = read_all(text, tool.name)
    except ImportProblem as problem:
        raise ImportProblem(f"{tool.name}'s output could not be read: {problem}") from problem
    now = bench.clock.utc_now()
    # It is the same place and set-up, which the tool's text does not tell.
    results = tuple(
        replace(result, target=plan.target, facts=(*facts, *result.facts), created_at=now) for result in found
    )
    bench.keep(results)
    return results


def _said(tool: Tool, job: Job, folder: str, plan: Plan, bench: Bench) -> bytes:
    done = run(tool.program or tool.name, job.arguments, folder, bench.look)
    if done.code != 0:
        raise RunProblem(
            f"{tool.name} failed (exit code {done.code}): {done.last_words}; "
            f"try it by hand in a folder on {plan.target.shown}",
            errno=None,
            offset_bytes=None,
            phase="measure",
        )
    return done.text(tool.name, job) if job.is_shown else b""


@contextmanager
def _folder(place: str) -> Iterator[str]:
    """A folder for files whose names the tool chooses, inside a scratch folder; both are gone afterwards."""
    with Scratch(place) as scratch:
        yield scratch.make_tree("tool")
