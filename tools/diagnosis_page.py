"""The matrix of what was injected by what was named, as a section of docs/diagnosis.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tools.diagnosis_causes import CAUSES, Cause

PAGE = Path(__file__).parent.parent / "docs" / "diagnosis.md"
BEGIN, END = "<!-- confusion matrix -->\n", "<!-- /confusion matrix -->\n"
LAYER_GOAL, RULE_GOAL, PERIOD_GOAL = 0.95, 0.85, 0.05
_S = 1_000_000_000
Row = dict[str, Any]


def is_layer_right(row: Row, cause: Cause) -> bool:
    """Whether the layer that was named first is the injected one."""
    return bool(row["layer"] == cause.layer)


def is_rule_right(row: Row, cause: Cause) -> bool:
    """The same of the rule; a run that failed is never right."""
    return is_layer_right(row, cause) and row["rule"] in cause.rules


def matrix(rows: Sequence[Row]) -> str:
    """Tables of what was named for each cause and on healthy paths, how often it was right, and the goals."""
    known = {cause.name: cause for cause in CAUSES}
    of_cause = [(row, known[row["cause"]]) for row in rows if row["cause"] in known]
    healthy = [(row, cause) for row, cause in of_cause if cause.is_healthy]
    ill = [(row, cause) for row, cause in of_cause if not cause.is_healthy]
    return "\n".join((*_causes(ill), "", *_healthy(healthy), "", *_remarks(of_cause)))


def _causes(ill: list[tuple[Row, Cause]]) -> Iterator[str]:
    layers, rules = (sum(is_right(*pair) for pair in ill) for is_right in (is_layer_right, is_rule_right))
    names = {cause.name for _row, cause in ill}
    yield (
        f"{len(names)} causes, {len(ill)} runs in random order: the right layer first in {_share(layers, len(ill), LAYER_GOAL)}, "
        f"the right rule first in {_share(rules, len(ill), RULE_GOAL)}."
    )  # fmt: skip
    yield ""
    yield from _table(ill)


def _share(right: int, count: int, goal: float) -> str:
    if not count:
        return "none (not run)"
    verdict = "met" if right >= goal * count else "**missed**"
    return f"{right} of {count} ({right / count:.1%}; goal {goal:.0%}: {verdict})"


def _healthy(healthy: list[tuple[Row, Cause]]) -> Iterator[str]:
    invented = sum(not is_layer_right(*pair) for pair in healthy)
    verdict = "not run" if not healthy else "goal 0: met" if not invented else "goal 0: **missed**"
    yield f"{len(healthy)} healthy paths: a cause was invented in {invented} ({verdict})."
    yield ""
    yield from _table(healthy)


def _table(pairs: list[tuple[Row, Cause]]) -> Iterator[str]:
    yield "| injected | runs | layer right | rule right | named first | confirmed | period |"
    yield "|---|---|---|---|---|---|---|"
    for cause in CAUSES:
        mine = [row for row, of in pairs if of is cause]
        if not mine:
            continue
        named = Counter(f"{row['layer']}: {row['rule'] or 'no rule'}" for row in mine)
        words = ", ".join(f"{name} {count}" for name, count in named.most_common())
        layers, rules = (sum(is_right(row, cause) for row in mine) for is_right in (is_layer_right, is_rule_right))
        sure = sum(row.get("certainty") == "confirmed" for row in mine)
        yield f"| {cause.name} | {len(mine)} | {layers} | {rules} | {words} | {sure} | {_period(mine, cause)} |"


def _period(mine: list[Row], cause: Cause) -> str:
    """Periods that were found, where one was injected."""
    if cause.period_s is None:
        return ""
    found = [row["period_ns"] / _S for row in mine if row.get("period_ns")]
    if not found:
        return f"none of {cause.period_s:g} s found"
    near = sum(abs(period / cause.period_s - 1) <= PERIOD_GOAL for period in found)
    return f"{min(found):.2f} to {max(found):.2f} s of {cause.period_s:g} s: {near} of {len(mine)} within 5 %"


def _remarks(pairs: list[tuple[Row, Cause]]) -> Iterator[str]:
    rows = [row for row, _cause in pairs]
    refused = sum(int(row.get("refused", 0)) for row in rows)
    yield (
        f"{refused} further runs were refused a verdict by `graycard why` itself, because other programs had the processors of "
        "this machine of two, and were made again (twice at most)."
    )  # fmt: skip
    for name, end in (("near_ratio", "this end"), ("far_ratio", "the server")):
        costs = [cost for row in rows if (cost := (row.get("cost") or {}).get(name)) is not None]
        if costs:
            yield f"Looking cost {median(costs):.1%} of a core at {end} in the middle, {max(costs):.1%} at most."
    yield ""


def write_page(table: str) -> None:
    """Put the table between its marks; at the end of the page where there are none."""
    page = PAGE.read_text(encoding="utf-8")
    before, found, rest = page.partition(BEGIN)
    after = rest.partition(END)[2] if found else ""
    PAGE.write_text(f"{before.rstrip()}\n\n{BEGIN}{table}{END}{after}", encoding="utf-8")
