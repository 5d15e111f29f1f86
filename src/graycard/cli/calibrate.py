"""`graycard calibrate`: what the instrument itself reaches on this machine, with no device at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import rich_click as click

from graycard.cli.app import App
from graycard.cli.options import global_options, shows_data
from graycard.cli.screen import say, show
from graycard.errors import PlanProblem
from graycard.facts import TERMS, number
from graycard.model import SCHEMA, Durability, Fact, IoTask, Operation, Pattern, Target, TargetKind
from graycard.readable import fact_title
from graycard.report.figures import ABSENT, quantity
from graycard.report.page import Block, Column, Field, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import significant

# The loads of the presets: pattern, block, depth, workers.
SHAPES = (
    (Pattern.SEQUENTIAL, 1 << 20, 8, 1),
    (Pattern.SEQUENTIAL, 1 << 20, 1, 1),
    (Pattern.SEQUENTIAL, 128 << 10, 32, 1),
    (Pattern.RANDOM, 4 << 10, 512, 16),
    (Pattern.RANDOM, 4 << 10, 64, 1),
    (Pattern.RANDOM, 4 << 10, 1, 1),
)
SPAN_BYTES = 1 << 30
RUN_NS = 200_000_000
_COLUMNS = (
    Column("Task"),
    Column("Ceiling IOPS", right=True),
    Column("Ceiling rate", right=True),
    Column("Data generator", right=True),
)
_IN_TABLE = {"ceiling_ops_per_s", "generator_bytes_per_s"}
_MEANING = "A measured figure above a third of its ceiling is marked as limited by the instrument, not by the device."


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What the engine reaches for a task with null operations, and the other facts of the instrument."""

    task: IoTask
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class CalibrationDocument:
    """What `calibrate --json` prints."""

    engine: str
    settings: str
    ceilings: tuple[Ceiling, ...]
    schema: str = SCHEMA


@click.command("calibrate")
@shows_data
@global_options()
@click.pass_obj
def calibrate_command(app: App, form: str | None) -> None:
    """Measure the instrument itself: null operations at each depth and block, the data generator and the clock.

    Nothing is read or written. A disk cannot be measured faster than this machine can issue requests.
    """
    engine = app.engine("native", app.host())
    ceilings = []
    for task in _tasks():
        reason = engine.refuses(task, Target("", TargetKind.FILE))
        if reason:
            raise PlanProblem(f"the engine {engine.name} cannot do {task.label}: {reason}")
        say(app, (f"{task.label} …",))
        ceilings.append(Ceiling(task, engine.ceiling(task)))
    document = CalibrationDocument(engine.name, engine.settings(), tuple(ceilings))
    show(_page(document), document, form)


def _tasks() -> Iterator[IoTask]:
    for pattern, block, depth, workers in SHAPES:
        for operation in Operation:
            writes = operation is Operation.WRITE
            yield IoTask(
                operation,
                pattern,
                block,
                SPAN_BYTES,
                depth_count=depth,
                worker_count=workers,
                time_ns=RUN_NS,
                byte_limit=SPAN_BYTES if writes else None,
                durability=Durability.AT_END if writes else Durability.NONE,
            )


def _page(document: CalibrationDocument) -> Page:
    heading = Heading("The instrument's own ceiling", printable(f"{document.engine}, {document.settings}"))
    table = Table(_COLUMNS, tuple(_row(ceiling) for ceiling in document.ceilings))
    return (heading, table, Note(_MEANING, Tone.QUIET), *_others(document))


def _row(ceiling: Ceiling) -> Row:
    ops_per_s = number(ceiling.facts, "ceiling_ops_per_s")
    # Null reads move no bytes, so their rates reach terabytes a second.
    rate = _gigabytes(ops_per_s * ceiling.task.block_bytes if ops_per_s is not None else None)
    writes = ceiling.task.operation is Operation.WRITE
    generator = _gigabytes(number(ceiling.facts, "generator_bytes_per_s")) if writes else ""
    return Row((ceiling.task.label, ABSENT if ops_per_s is None else f"{ops_per_s:.0f}", rate, generator))


def _gigabytes(bytes_per_s: float | None) -> str:
    return ABSENT if bytes_per_s is None else f"{significant(bytes_per_s / 1e9)} GB/s"


def _others(document: CalibrationDocument) -> Iterator[Block]:
    """The clock: what does not depend on the task, the last reading of each fact."""
    facts = {fact.name: fact for ceiling in document.ceilings for fact in ceiling.facts if fact.value is not None}
    for name, fact in facts.items():
        if name not in _IN_TABLE and TERMS[name].factor == "instrument":
            yield Field(fact_title(name), printable(quantity(fact.value, fact.unit)), printable(fact.source))
