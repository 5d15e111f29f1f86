"""How long a store of 100,000 results takes to answer. `make bench` writes it into docs/performance.md with the rest.

`python -m tools.bench_store` measures and writes its section alone; about 2 minutes and 5 GB.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from graycard.cli.app import SystemClock
from graycard.codec import encode
from graycard.engines.native import NativeEngine
from graycard.errors import AccuracyProblem
from graycard.facts import fact
from graycard.host import this_host
from graycard.measurement import measure
from graycard.model import Fact, Result, Verdict
from graycard.plan import TaskOptions, make_plan
from graycard.store import Filter, Store, runs
from graycard.store.database import transaction
from graycard.store.derived import catch_up
from graycard.store.rows import columns, with_columns
from tools.accuracy import table
from tools.page import write_section

ROOT = Path(__file__).parent.parent
HEADING = "## A store of 100,000 results"
RESULTS_COUNT = 100_000
REPEATS_COUNT = 7
GOAL_S = 1.0
START = datetime(2020, 1, 1, tzinfo=UTC)
# One drive is measured every night; the others now and then.
FAVOURITE_SHARE = 5
DRIVES_COUNT = 40
ADD_RESULT = with_columns("INSERT INTO results ({columns}) VALUES ({values})")
ADD_DOCUMENT = "INSERT INTO documents (result_number, body) VALUES (last_insert_rowid(), ?)"
ADD_RUN = """
    INSERT INTO runs (
        result_number, position, task_index, repeat_index, started_at, body, ticks, latency, flush_latency, monitor)
    VALUES (
        :number, :position, :task_index, :repeat_index, :started_at, :body, :ticks, :latency, :flush_latency, :monitor)
"""


class Kept:
    """A keeper that keeps the last state of each result in hand."""

    def __init__(self) -> None:
        self.results: dict[str, Result] = {}

    def save(self, result: Result) -> None:
        """Keep it."""
        self.results[result.id] = result


def templates(folder: str) -> tuple[Result, ...]:
    """The results of a real measurement of eight tasks, three short runs each: real facts, checks and runs.

    Checks that failed are left out, so that histories judge every result.
    """
    host, keeper = this_host(), Kept()
    target = host.resolve(folder)
    options = TaskOptions(seed=1, size_bytes=64 << 20, time_ns=300_000_000, runs_count=3)
    plan = make_plan(target, "standard", options, host.facts(target))
    measure(plan, engines=(NativeEngine(host),), host=host, keeper=keeper, clock=SystemClock(), on_event=lambda _: None)
    return tuple(map(trusted, keeper.results.values()))


def trusted(result: Result) -> Result:
    summary = result.summary
    if summary is None:
        return result
    checks = tuple(check for check in summary.checks if check.verdict is not Verdict.FAIL)
    return replace(result, summary=replace(summary, checks=checks))


def varied(result: Result, random: Random) -> Result:
    """The result with another rate: a hundredth or two away, and now and then a fifth lower."""
    if result.summary is None:
        return result
    factor = random.lognormvariate(0, 0.02) * (0.8 if random.random() < 0.02 else 1)
    rate = result.summary.rate
    low, high = (None if end is None else end * factor for end in (rate.low, rate.high))
    return replace(
        result, summary=replace(result.summary, rate=replace(rate, value=rate.value * factor, low=low, high=high))
    )


def made_facts(known: tuple[Fact, ...], number: int) -> tuple[Fact, ...]:
    """Facts of one of many drives, under a system that was updated half-way."""
    drive = 0 if number % FAVOURITE_SHARE == 0 else 1 + number % DRIVES_COUNT
    changed = {
        "device_id": f"drive-{drive:04}",
        "file_system_id": f"volume-{drive:04}",
        "device_model": f"Portable SSD T{drive}",
        "os_name": "Test OS 1" if number < RESULTS_COUNT // 16 else "Test OS 2",
    }
    return (*known, *(fact(name, value, "made") for name, value in changed.items()))


def measurements(made: tuple[Result, ...]) -> Iterator[tuple[Result, ...]]:
    """Whole measurements, as many as make RESULTS_COUNT results; the rate goes up and down by some per cent."""
    random = Random(1)
    for number in range(RESULTS_COUNT // len(made)):
        moment, id_ = START + timedelta(hours=4 * number), f"{number * 2_654_435_761 % 2**32:08x}{number:08x}"
        facts = made_facts(made[0].facts, number)
        yield tuple(
            replace(varied(each, random), id=f"{id_}{place:02}", measurement_id=id_, created_at=moment, facts=facts)
            for place, each in enumerate(made)
        )


def fill(path: str, made: tuple[Result, ...]) -> tuple[float, float]:
    """Bulk insertion in one transaction, each task's runs packed once; seconds that migrations from 1 and 2 take."""
    packed = {each.task: [runs.values(run) for run in each.runs] for each in made}
    with Store(path) as store:
        connection = store._connection
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for measurement in measurements(made):
            for result in measurement:
                number = connection.execute(ADD_RESULT, columns(result)).lastrowid
                connection.execute(ADD_DOCUMENT, (encode(replace(result, runs=())).decode(),))
                rows = packed[result.task]
                connection.executemany(
                    ADD_RUN, ({**row, "number": number, "position": at} for at, row in enumerate(rows))
                )
        connection.execute("COMMIT")
        first_s, second_s = (caught_up(connection, version) for version in (1, 2))
        for label, row in zip(("before", "after"), (store.rows(1)[0], store.rows(80)[79]), strict=True):
            store.annotate(row.measurement_id, label=label, note="the benchmark's", tags=("bench",))
    return first_s, second_s


def caught_up(connection: sqlite3.Connection, version: int) -> float:
    started = time.perf_counter()
    with transaction(connection, "IMMEDIATE"):
        catch_up(connection, version)
    return time.perf_counter() - started


@dataclass(frozen=True)
class Spent:
    """What one answer took: on the clock, and of the processors."""

    wall_s: float
    cpu_s: float


@contextlib.contextmanager
def timed(spent: list[Spent]) -> Iterator[None]:
    """Add what the block and its child processes take."""
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    yield
    spent.append(Spent(time.perf_counter() - wall, sum(os.times()[:4]) - cpu))


def spent_cells(spent: list[Spent]) -> tuple[str, ...]:
    walls = [each.wall_s for each in spent]
    median, worst = statistics.median(walls), max(walls)
    cpu = statistics.median(each.cpu_s for each in spent)
    verdict = "met" if worst <= GOAL_S else "met by the median" if median <= GOAL_S else "missed"
    return f"{median * 1000:,.0f} ms", f"{worst * 1000:,.0f} ms", f"{cpu * 1000:,.0f} ms", verdict


def question_cells(path: str, name: str, question: Callable[[Store], tuple[Any, ...]]) -> tuple[str, ...]:
    """Open the store and ask, some times; then once more to see the plan of each statement."""
    spent: list[Spent] = []
    for _ in range(REPEATS_COUNT):
        with timed(spent), Store(path) as store:
            count = len(question(store))
    places = ", ".join(f"`{place}`" for place in places_of(path, question))
    return name, f"{count:,}", places, *spent_cells(spent)


def places_of(path: str, question: Callable[[Store], tuple[Any, ...]]) -> tuple[str, ...]:
    """The indexes, and the tables that are looked through, in the plans of the question's statements."""
    asked: list[str] = []
    with Store(path) as store:
        store._connection.set_trace_callback(asked.append)
        question(store)
        store._connection.set_trace_callback(None)
        selects = dict.fromkeys(each for each in asked if each.lstrip().startswith("SELECT"))
        plans = [row[3] for each in selects for row in store._connection.execute(f"EXPLAIN QUERY PLAN {each}")]
    found = (re.search(r"INDEX (\w{2,})|SCAN (\w+)$", plan) for plan in plans)
    return tuple(dict.fromkeys(match[1] or match[2] for match in found if match))


def compared(store: Store) -> tuple[Result, ...]:
    """All of two measurements that are named by their labels."""
    return tuple(store.figures(row.id) for label in ("before", "after") for row in store.labelled(label))


def question_rows(path: str) -> list[tuple[str, ...]]:
    with Store(path) as store:
        newest = store.rows(1)[0]
    favourite = Filter(device_id="drive-0000")
    one_task = replace(favourite, task_key=newest.task_key)
    return [
        question_cells(path, "list: the newest 100", lambda store: store.rows(100)),
        question_cells(path, "one task on the drive that has a fifth", lambda store: store.rows(wanted=one_task)),
        question_cells(
            path,
            "history: the newest 600 of each task on that drive",
            lambda store: store.recent(600, ["drive-0000"]),
        ),
        question_cells(path, "histories: the newest 40 of each task on each drive", lambda store: store.recent(40)),
        question_cells(path, "compare: two labels, 16 results with the figures of their runs", compared),
        question_cells(path, "a result by the beginning of its id", lambda store: store.named(newest.id[:12])),
        question_cells(path, "search: “portable t17 write”", lambda store: store.search(("portable", "t17", "write"))),
        question_cells(path, "search: a word that nothing has", lambda store: store.search(("thunderbolt9",))),
    ]


def command_cells(path: str, *arguments: str) -> tuple[str, ...]:
    """A whole command in a process of its own, from its start to its end."""
    program = str(Path(sys.executable).parent / "graycard")
    return f"`graycard {' '.join(arguments)}`", *process_cells(program, "--store", path, *arguments)


def process_cells(*command: str) -> tuple[str, ...]:
    spent: list[Spent] = []
    for _ in range(REPEATS_COUNT):
        with timed(spent):
            done = subprocess.run(command, check=False, capture_output=True)
        # A figure of the measurement that all of this is made from may have failed a check.
        if done.returncode not in {0, AccuracyProblem.exit_code}:
            sys.exit(done.stderr.decode())
    return spent_cells(spent)


COMMANDS = (
    ("results", "list"),
    ("results", "list", "--tag", "bench"),
    ("results", "search", "portable", "t17", "write"),
    ("results", "show", "before"),
    ("compare", "before", "after"),
    ("history",),
    ("history", "drive-0000"),
    ("history", "portable"),
)


def store_section(folder: str) -> str:
    """Make the store in the folder, ask, and tell as a section of the page."""
    path = f"{folder}/results.db"
    made = templates(folder)
    first_s, second_s = fill(path, made)
    size = sum(file.stat().st_size for file in Path(folder).glob("results.db*"))
    took = ("median", "longest", "processor time", "goal")
    questions = table(("question", "rows", "looked up by", *took), question_rows(path))
    bare = ("bare Python, for scale", *process_cells(sys.executable, "-c", "pass")[:3], "")
    commands = table(("command", *took), (bare, *(command_cells(path, *each) for each in COMMANDS)))
    document = len(encode(replace(made[0], runs=()))) / 1000
    load = os.getloadavg()[0]
    return f"""{HEADING}

{RESULTS_COUNT:,} results with {len(made[0].runs)} runs each, made from one real measurement (documents of {document:.0f} kB; {size / 1e9:.1f} GB in
all), of which one drive has a fifth. {REPEATS_COUNT} times each: opening the store and one question, and whole commands from start to
end, on 2 processors with a load of {load:.1f}. Goal: an answer within {GOAL_S:.0f} s. `texts` holds the folded words of each result, and is
looked through from end to end. Opening a store of version 2 fills the new columns, which took {second_s:.0f} s, once; one of version
1 makes all columns anew, which took {first_s:.0f} s. Both are told beforehand.

{questions}

{commands}"""


def main() -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-bench-", dir=ROOT / "build") as folder:
        section = store_section(folder)
    write_section("performance.md", section)


if __name__ == "__main__":
    main()
