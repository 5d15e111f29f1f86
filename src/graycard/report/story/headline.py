"""The headline: what a reader takes home, in one sentence of words with its figures and their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log

from graycard.model import Comparison, Likeness, Operation, Pattern, Report, Result, Summary
from graycard.report.groups import Group, groups
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable, short_name
from graycard.report.story.words import figure, frame_words, is_plain, manner, task_words
from graycard.units import percent, significant

NOTHING = "Nothing was measured."
# So many measurements are told one by one below a headline that counts them.
TOLD_COUNT = 4
_SPECIAL_COUNT = 3
_SURE = (Likeness.SLOWER, Likeness.FASTER)
_TALLY = {
    Likeness.SLOWER: "slower",
    Likeness.FASTER: "faster",
    Likeness.SLOWER_SIZE_UNCERTAIN: "slower by an uncertain size",
    Likeness.FASTER_SIZE_UNCERTAIN: "faster by an uncertain size",
    Likeness.SAME: "the same",
    Likeness.CANNOT_TELL: "not to be told yet",
    Likeness.NOT_COMPARABLE: "not comparable",
}


def headline(report: Report) -> str:
    """Comparisons first, else what was measured, else the newest of the history."""
    if report.comparisons:
        return _compared(report.comparisons, report.results)
    found = groups(report.results)
    if len(found) == 1:
        return _sentence(measured(found[0].results))
    if found:
        return _many(found)
    return printable(report.histories[0].says) if report.histories else NOTHING


def lead(report: Report) -> Iterator[Note]:
    """What stands under the headline: the other comparisons or measurements, failures, and the report's own notes."""
    if report.comparisons:
        yield from (Note(words) for words in _tallies(report.comparisons))
    elif len(found := groups(report.results)) > 1:
        yield from (Note(f"{group.arm}: {measured(group.results)}.") for group in found[:TOLD_COUNT])
    failed_count = sum(map(has_failed, report.results))
    if failed_count:
        told = f"{failed_count} of {len(report.results)} figures failed a check and cannot be trusted; see the marks."
        yield Note(told, Tone.FAILED, "FAILED")
    yield from (Note(printable(words), Tone.CAVEAT, "note") for words in report.notes)


def measured(results: Sequence[Result]) -> str:
    """What reading and writing reach, of sequential tasks first: "reads 2100 MB/s ± 3 %; writes 301 MB/s ± 5 %".

    Then copies, network tests and paced frames; a mix of reads and writes where there is nothing else.
    """
    known = [each for each in results if each.summary]
    plain = [words for operation in Operation if (words := _operation(known, operation))]
    special = [
        _special(each, each.summary) for each in known if each.summary and (each.task.transfer or each.task.pace)
    ]
    more = f"; {len(special) - _SPECIAL_COUNT} more" if len(special) > _SPECIAL_COUNT else ""
    parts = [*plain, *special[:_SPECIAL_COUNT]] or [_mix(each, each.summary) for each in known[:1] if each.summary]
    return "; ".join(parts) + more if parts else "no run was finished"


def _operation(known: Sequence[Result], operation: Operation) -> str:
    found = [each for each in known if each.task.operation is operation and is_plain(each.task)]
    found.sort(key=lambda each: (has_failed(each), each.task.pattern is not Pattern.SEQUENTIAL))
    if not found or found[0].summary is None:
        return ""
    return f"{'reads' if operation is Operation.READ else 'writes'} {_told(found[0], found[0].summary)}"


def _special(result: Result, summary: Summary) -> str:
    """A copy or a network test with its rate; frames with how many of them came in time."""
    name = short_name(result.task.label)
    frames = frame_words(result)
    return f"{name}: {frames}" if frames else f"{name} at {_told(result, summary)}"


def _mix(result: Result, summary: Summary) -> str:
    return f"reads and writes together {_told(result, summary)}"


def _told(result: Result, summary: Summary) -> str:
    failed = ", which failed a check" if has_failed(result) else ""
    return f"{figure(summary.rate)}{manner(summary)}{failed}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _many(found: Sequence[Group]) -> str:
    results = [result for group in found for result in group.results]
    days = sorted(f"{result.created_at:%Y-%m-%d}" for result in results)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    return f"{len(results)} results of {len(found)} measurements, {when}."


def _compared(comparisons: Sequence[Comparison], results: Sequence[Result]) -> str:
    """The surest large difference; without one, what can be said of all. Figures that failed a check say nothing."""
    names = _names(comparisons)
    comparisons = [each for each in comparisons if not each.failed_ids]
    if not comparisons:
        return f"{names} cannot be compared: in each task a figure failed a check."
    tasks = {result.id: task_words(result.task) for result in results}
    sure = [each for each in comparisons if each.verdict in _SURE and _bound(each) > 0]
    if sure:
        largest = max(sure, key=lambda each: abs(log(_bound(each))))
        return f"{_difference(largest)} for {_load(largest, tasks)}."
    verdicts = Counter(each.verdict for each in comparisons)
    if set(verdicts) <= {Likeness.SAME}:
        count = "the one task" if len(comparisons) == 1 else f"all {len(comparisons)} tasks"
        return f"{names} do the same within {percent(comparisons[0].threshold_ratio)} in {count}."
    if verdicts[Likeness.SLOWER_SIZE_UNCERTAIN] or verdicts[Likeness.FASTER_SIZE_UNCERTAIN]:
        return f"{names} differ in speed, but how much is uncertain."
    if verdicts[Likeness.CANNOT_TELL]:
        return f"Whether {names} differ in speed cannot be told yet."
    return f"{names} cannot be compared." if not verdicts[Likeness.SAME] else f"{names} do the same where comparable."


def _difference(comparison: Comparison) -> str:
    """The bound that holds: "exFAT is at least 12 % slower than ext4", "A is at least 3.1 times as fast as B"."""
    base, other, bound = short_name(comparison.base), short_name(comparison.other), _bound(comparison)
    if bound >= 2:
        return f"{other} is at least {significant(bound, 2)} times as fast as {base}"
    return f"{other} is at least {percent(abs(bound - 1))} {'faster' if bound > 1 else 'slower'} than {base}"


def _bound(comparison: Comparison) -> float:
    """The end of the interval that is nearest to no difference; 0 where there is no interval."""
    ratio = comparison.ratio
    if ratio is None or ratio.low is None or ratio.high is None:
        return 0.0
    return ratio.high if comparison.verdict is Likeness.SLOWER else ratio.low


def _load(comparison: Comparison, tasks: Mapping[str, str]) -> str:
    label = short_name(comparison.task_label)
    words = next((tasks[each] for each in comparison.base_ids if each in tasks), "")
    return f"{words} ({label})" if words else label


def _names(comparisons: Sequence[Comparison]) -> str:
    names = list(dict.fromkeys(short_name(name) for each in comparisons for name in (each.base, each.other)))
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _tallies(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """One sentence for each pair of set-ups: "exFAT against ext4: slower in 3 tasks, the same in 1"."""
    pairs: dict[tuple[str, str], Counter[Likeness | None]] = {}
    for each in comparisons:
        pairs.setdefault((each.base, each.other), Counter())[None if each.failed_ids else each.verdict] += 1
    for (base, other), verdicts in pairs.items():
        told = [f"{words} in {verdicts[verdict]}" for verdict, words in _TALLY.items() if verdicts[verdict]]
        told += [f"a check failed in {verdicts[None]}"] if verdicts[None] else []
        total = sum(verdicts.values())
        tasks = "1 task" if total == 1 else f"{total} tasks"
        yield f"{short_name(other)} against {short_name(base)}, {tasks}: {', '.join(told)}."
