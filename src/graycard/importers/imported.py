"""What all results of other tools have in common: ids, times, figures without an interval, and what cannot be true.

An importer makes each of its results by `imported(…)`:

    whole = measurement_id(data, "hdparm")              # one measurement of the file; several: add their number
    yield imported(
        result_id(whole, 1), Origin("hdparm", "9.65", None, "Timing buffered disk reads"), task,
        Figures(rate_bytes_per_s=512e6), target=Target("/dev/sda", TargetKind.FILE), created_at=UNKNOWN_TIME,
    )

- What the source does not state is in `task.unstated`; `created_at` is UNKNOWN_TIME where there is no time.
- A rate that is None or 0 was not measured: the result has `trouble` and no summary.
- NaN, infinite and negative figures raise ImportProblem; what no storage reaches is kept and failed by a check.
- IOPS × block that is not the rate fails a check. An importer that knows which figure is right gives that one as the
  rate, the other as `stated_bytes_per_s`, and says why in a caveat.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graycard.errors import ImportProblem
from graycard.model import (
    SCHEMA,
    Check,
    Estimate,
    Fact,
    IoTask,
    Origin,
    Percentile,
    Result,
    Run,
    Steadiness,
    Steady,
    Summary,
    Target,
    TargetKind,
    Verdict,
)
from graycard.units import format_rate, significant

# For files that do not say when they were made. Whoever reads the file may put its date of change in its place.
UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
# Tools write the computer's own time without its zone. It is taken as UTC: at most 14 hours off, and always the same.
LOCAL_TIME = "The tool wrote the computer's local time without its zone: it is taken as UTC."
NOT_MEASURED = "This test was not measured: the tool gives 0 or nothing for it."
NO_TARGET = Target("(not recorded)", TargetKind.FOLDER)
SINGLE_RUN = "single run"

# The most that is believed, by unit. 1 TB/s is ten times what the fastest memory of a workstation copies (2026);
# 1e9 operations a second are one a nanosecond; a day is longer than any one request may wait.
LIMITS: dict[str, float] = {"bytes/s": 1e12, "ops/s": 1e9, "ns": 86_400e9}
# Tools print three or more digits; what is further apart than that is no rounding.
AGREEMENT_RATIO = 0.005
# Half of the last digit where MiB/s are printed with two decimals, as the coarsest of these tools do.
_RATE_ROUNDING_BYTES_PER_S = 0.005 * 2**20
_TIME = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]{1,4}(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?"
    r" ?(Z|UTC|[+-]\d{2}:?\d{2})?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a tool gives for one test, in bytes, operations and nanoseconds; None is not given.

    `latency_ns` is by percentile (50.0 the median, 100.0 the maximum); `mean_latency_ns` goes apart. `run_count` is how
    many runs the figure is made of, 0 where the tool names an aggregate and not of how many; what is shown, as "best of
    5 runs", comes from it and `Origin.aggregate`. `stated_bytes_per_s` is the rate as printed, where another one is
    published; `rounding_bytes_per_s` half of its last printed digit, where that is more than of two decimals in MiB/s.
    `computer_count` computers reached the figures together.
    """

    rate_bytes_per_s: float | None
    ops_per_s: float | None = None
    latency_ns: Mapping[float, float] = field(default_factory=dict)
    mean_latency_ns: float | None = None
    run_count: int = 1
    stated_bytes_per_s: float | None = None
    rounding_bytes_per_s: float = 0.0
    computer_count: int = 1


def measurement_id(data: bytes, *parts: object) -> str:
    """The same file gives the same id, so that importing it twice stores it once.

    `parts` tell the measurements of one file apart: the tool's name, and a number where the file holds several.
    """
    digest = hashlib.sha256(data)
    for part in parts:
        digest.update(f"\0{part}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def result_id(measurement: str, number: int) -> str:
    """The id of the measurement's result of this number, counted from 1; told from its fellows by its beginning."""
    return hashlib.sha256(f"{measurement}\0{number}".encode()).hexdigest()[:16]


def single(value: float, unit: str, method: str = SINGLE_RUN, n_count: int = 1) -> Estimate:
    """A figure that another tool gave, without an interval."""
    return Estimate(value, None, None, unit, n_count, None, method)


def sane(value: float, unit: str) -> bool:
    """Whether a figure can be one at all: finite, not negative, and not over the limit of its unit."""
    return math.isfinite(value) and 0 <= value <= LIMITS.get(unit, math.inf)


def imported(
    id_: str,
    origin: Origin,
    task: IoTask,
    figures: Figures,
    *,
    measurement: str,
    created_at: datetime = UNKNOWN_TIME,
    target: Target = NO_TARGET,
    facts: tuple[Fact, ...] = (),
    runs: tuple[Run, ...] = (),
    checks: tuple[Check, ...] = (),
    caveats: tuple[str, ...] = (),
    trouble: str | None = None,
) -> Result:
    """One result of another tool. Without a rate its summary is None, and `trouble` (or NOT_MEASURED) says why.

    ImportProblem for a figure that is NaN, infinite or negative. `checks` and `caveats` are added to those made here.
    """
    found = summary(origin, task, figures, checks, caveats)
    return Result(
        id=id_,
        measurement_id=measurement,
        schema=SCHEMA,
        created_at=created_at,
        origin=origin,
        target=target,
        task=task,
        facts=facts,
        runs=runs,
        summary=found,
        trouble=trouble or (None if found else NOT_MEASURED),
    )


def summary(
    origin: Origin, task: IoTask, figures: Figures, checks: tuple[Check, ...] = (), caveats: tuple[str, ...] = ()
) -> Summary | None:
    """What is published of one test; None where the tool gives no rate, or 0. ImportProblem as `imported`."""
    _refuse_what_is_no_figure(origin.tool, task, figures)
    rate = figures.rate_bytes_per_s
    if not rate:
        return None
    agrees = agreement(task, figures)
    count, ops, mean = figures.run_count, figures.ops_per_s, figures.mean_latency_ns
    method = SINGLE_RUN if count == 1 or not origin.aggregate else origin.aggregate.of(count)
    return Summary(
        rate=single(rate, "bytes/s", method, count),
        ops=single(ops, "ops/s", method, count) if ops else None,
        latency_ns=tuple(
            Percentile(percentile, single(value, "ns", method, count))
            for percentile, value in sorted(figures.latency_ns.items())
        ),
        stalls=None,
        steadiness=Steadiness(Steady.UNKNOWN, f"{origin.tool} does not tell how steady the rate was.", None),
        checks=(*((agrees,) if agrees else ()), plausible(figures), *checks),
        caveats=caveats,
        mean_latency=single(mean, "ns", method, count) if mean else None,
    )


def agreement(task: IoTask, figures: Figures) -> Check | None:
    """Whether the printed rate is IOPS × block; None where the tool does not give both, and no rate was put right."""
    stated = figures.stated_bytes_per_s or figures.rate_bytes_per_s
    ops = figures.ops_per_s
    if not stated or not ops or "block_bytes" in task.unstated:
        if figures.stated_bytes_per_s is None:
            return None
        says = "The tool does not give both a rate and its operations, so they cannot be held against each other."
        return Check("figures_agree", None, stated, "bytes/s", AGREEMENT_RATIO, Verdict.UNKNOWN, says)
    counted = ops * task.block_bytes
    rounded = max(figures.rounding_bytes_per_s, _RATE_ROUNDING_BYTES_PER_S)
    tolerated = max(AGREEMENT_RATIO * counted, _rounding(ops) * task.block_bytes, rounded)
    # The last part: 0.1 + 0.2 is not 0.3.
    if abs(stated - counted) <= tolerated * (1 + 1e-9):
        says = "The rate is operations × block."
        return Check("figures_agree", counted, stated, "bytes/s", AGREEMENT_RATIO, Verdict.PASS, says)
    told = f"it states {format_rate(stated)}, but its {significant(ops)} operations a second × block are "
    if figures.stated_bytes_per_s is None:
        says = f"The tool contradicts itself: {told}{format_rate(counted)}; do not use this figure."
        return Check("figures_agree", counted, stated, "bytes/s", AGREEMENT_RATIO, Verdict.FAIL, says)
    published = format_rate(figures.rate_bytes_per_s or 0.0)
    says = f"The tool contradicts itself: {told}{format_rate(counted)}; {published} is published here."
    return Check("figures_agree", counted, stated, "bytes/s", AGREEMENT_RATIO, Verdict.CAVEAT, says)


def plausible(figures: Figures) -> Check:
    """Whether every figure is one that storage can reach: see LIMITS."""
    named = [("a rate", figures.rate_bytes_per_s, "bytes/s"), ("operations", figures.ops_per_s, "ops/s")]
    named += [("a latency", each, "ns") for each in (*figures.latency_ns.values(), figures.mean_latency_ns)]
    for name, value, unit in named:
        if value is not None and not sane(value if unit == "ns" else value / figures.computer_count, unit):
            says = f"No storage reaches {name} of {value:.4g} {unit}: the file is damaged or made up; do not use it."
            return Check("plausible", LIMITS[unit], value, unit, None, Verdict.FAIL, says)
    return Check("plausible", None, None, None, None, Verdict.PASS, "The figures are such as storage reaches.")


def stated_time(text: str) -> tuple[datetime, bool] | None:
    """The first time in the text, year first ("2021/06/23 0:05:57", "2019-10-15T04:09:09Z"), and whether it is local.

    A local time is taken as UTC; say so by the caveat LOCAL_TIME. None where there is none, or no such day.
    """
    match = _TIME.search(text)
    if not match:
        return None
    year, month, day, hour, minute, second, zone = match.groups(default="0")
    offset = "Z" if zone in ("0", "UTC") else zone
    try:
        found = datetime.fromisoformat(
            f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute:0>2}:{second:0>2}{offset}"
        ).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found, zone == "0"


def _refuse_what_is_no_figure(tool: str, task: IoTask, figures: Figures) -> None:
    given = (
        figures.rate_bytes_per_s,
        figures.ops_per_s,
        figures.stated_bytes_per_s,
        figures.mean_latency_ns,
        *figures.latency_ns.values(),
    )
    for value in given:
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise ImportProblem(
                f"{tool}'s figure {value} for {task.label} is no quantity: the file is damaged; get it anew"
            )


def _rounding(value: float) -> float:
    """Half a step of the last printed digit: 0.05 for 793.5, 0.5 for 317."""
    decimals = len(f"{value:f}".rstrip("0").partition(".")[2])
    return float(0.5 * 10.0**-decimals)
