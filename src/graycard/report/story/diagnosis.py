"""The story of a diagnosis: which layer holds a copy back, what it costs, what to do first, and all that shows it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from graycard.model.diagnosis import Case, Certainty, Finding, Layer, Outcome, Severity, Slices, Step, Waiting
from graycard.readable import ABSENT
from graycard.report.charts.course import COURSE, kinds_of
from graycard.report.charts.waterfall import WATERFALL, known
from graycard.report.figures import change, plus_minus, rate, rate_interval
from graycard.report.page import Column, Field, Note, Row, Table, Tone
from graycard.report.printable import printable, short_name, shorten
from graycard.report.story.diagnosis_method import colophon_of, method_of
from graycard.report.story.factors import factor_fields
from graycard.report.story.parts import KeyFigure, Part, Picture, Section, Story
from graycard.report.why import ENDED_EARLY, finding_notes, layer_words, swing_fields
from graycard.units import format_duration, format_size, percent

TITLE_WIDTH = 120
_STEPS = (
    Column("Layer"),
    Column("Alone", right=True),
    Column("", joined=True),
    Column("Loses", right=True),
    Column("Runs", right=True),
)
_SLICES = (Column("Time spent on"), Column("Time", right=True), Column("Share", right=True))
_CERTAINTY = {
    Certainty.CONFIRMED: "Confirmed: a change that was tried shows it, too.",
    Certainty.LIKELY: "Likely: the figures show it; no change has proved it.",
    Certainty.CANNOT_KNOW: "It cannot be known from here: a figure that decides is missing.",
}
_WATERFALL_CAPTION = (
    "Each layer alone, with the same bytes and in the direction of the copy; the thin line is the interval, the pale "
    "part what is lost against the lowest layer before it. The axis is of square roots: slow layers stay visible."
)
_COURSE_CAPTION = (
    "Above, the speed of the copy without the flush at its end; below, on the same axis, what each quarter of a second "
    "was spent on, as the copy's own connection and both ends show it."
)


def story_of_case(case: Case, title: str = "") -> Story:
    """The whole story; `title` stands in place of the one that is made of the copy."""
    diagnosis = case.diagnosis
    way = "to" if diagnosis.action.value == "send" else "from"
    made = f"{short_name(diagnosis.tool)} {way} {short_name(case.place)}"
    return Story(
        title=shorten(printable(title), TITLE_WIDTH) or made,
        headline=printable(diagnosis.says),
        lead=tuple(_lead(case)),
        figures=tuple(_figures(case)),
        sections=tuple(_sections(case)),
        method=method_of(case),
        colophon=tuple(colophon_of(case)),
    )


def _lead(case: Case) -> Iterator[Note]:
    """What it costs, what to do first, how sure that is; what is wrong with the diagnosis as a whole."""
    if not case.is_whole:
        yield Note(ENDED_EARLY, Tone.CAVEAT, "caveat")
    finding = next(iter(case.diagnosis.findings), None)
    if finding is None:
        return
    yield Note(printable(finding.cost), mark="costs")
    yield Note(printable(finding.advice), mark="do first")
    if finding.severity is Severity.LIMIT:
        yield Note(_CERTAINTY[finding.certainty], mark="how sure")


def _figures(case: Case) -> Iterator[KeyFigure]:
    diagnosis = case.diagnosis
    finding = next((each for each in diagnosis.findings if each.severity is Severity.LIMIT), None)
    is_named = diagnosis.layer not in (Layer.NONE, Layer.NOT_JUDGED)
    sure = finding.certainty.value if finding else ""
    yield KeyFigure("What holds it back" if is_named else "Verdict", layer_words(diagnosis.layer), sure, "")
    if found := case.rate:
        yield KeyFigure(f"{short_name(diagnosis.tool)} reaches", rate(found), plus_minus(found), _copied(case))
    if finding and finding.cost_ratio is not None and math.isfinite(finding.cost_ratio):
        yield KeyFigure("Lost by it", percent(finding.cost_ratio), "", "of what the next ceiling allows")
    slices = diagnosis.slices
    if slices and slices.kinds and slices.step_ns > 0:
        kind = max(Waiting, key=slices.ratio)
        of = f"of {format_duration(len(slices.kinds) * slices.step_ns)}"
        yield KeyFigure("Most of its time", percent(slices.ratio(kind)), kind.value, of)


def _copied(case: Case) -> str:
    count, size = case.evidence.file_count, case.evidence.total_bytes
    files = "" if count is None else f" in {count} file{'' if count == 1 else 's'}"
    return f"{format_size(size)}{files}" if size else ""


def _sections(case: Case) -> Iterator[Section]:
    diagnosis = case.diagnosis
    if any(known(step.rate) for step in diagnosis.steps):
        layers: tuple[Part, ...] = (Picture(WATERFALL, _WATERFALL_CAPTION), _layers(diagnosis.steps))
        yield Section("layers", "What each layer leaves", "", layers)
    course: tuple[Part, ...] = (*_slices(diagnosis.slices), *swing_fields(diagnosis.swing))
    if course:
        yield Section("course", "The copy over time", "", (Picture(COURSE, _COURSE_CAPTION), *course))
    for number, finding in enumerate(diagnosis.findings, 1):
        yield _finding(number, finding)
    if case.evidence.outcomes:
        yield Section("tried", "What was tried", "", tuple(map(_outcome, case.evidence.outcomes)))
    unknown = [Note(printable(words), Tone.CAVEAT) for words in case.says]
    unknown += [Note(printable(words)) for words in diagnosis.unknowns]
    if unknown:
        yield Section("unknown", "What is not known", "", tuple(unknown))
    yield from _facts(case)


def _slices(slices: Slices | None) -> Iterator[Table]:
    if slices is None or not slices.kinds or slices.step_ns <= 0:
        return
    rows = (
        Row((kind.value, format_duration(slices.spent_ns(kind)), percent(slices.ratio(kind))))
        for kind in kinds_of(slices)
    )
    yield Table(_SLICES, tuple(rows))


def _layers(steps: tuple[Step, ...]) -> Table:
    return Table(_STEPS, tuple(map(_layer, steps)))


def _layer(step: Step) -> Row:
    if step.rate is None or not known(step.rate):
        return Row((printable(step.label), ABSENT, "", "", "not measured"), Tone.QUIET)
    lost = percent(step.lost_ratio) if step.lost_ratio else ""
    return Row((printable(step.label), rate(step.rate), rate_interval(step.rate), lost, str(step.rate.n_count)))


def _finding(number: int, finding: Finding) -> Section:
    layer = "" if finding.layer is Layer.NOT_JUDGED else f"{finding.layer.value}, "
    notes = tuple(finding_notes(finding, is_told=False))
    return Section(f"finding-{number}", f"{number}. {printable(finding.rule)}", layer + finding.certainty.value, notes)


def _outcome(outcome: Outcome) -> Note:
    found = outcome.ratio
    pairs = f"{found.n_count} pair{'' if found.n_count == 1 else 's'}"
    spread = "" if found.low is None or found.high is None else f", {change(found.low)} to {change(found.high)}"
    return Note(f"{printable(outcome.says)} That is {change(found.value)} ({pairs}{spread}).")


def _facts(case: Case) -> Iterator[Section]:
    """Both ends and the way between, as far as they are known."""
    ends = {"here": ("This computer", case.evidence.near), "there": ("The server", case.evidence.far),
             "way": ("The way between", case.evidence.path)}  # fmt: skip
    for key, (name, facts) in ends.items():
        fields: tuple[Field, ...] = tuple(factor_fields(facts))
        if fields:
            yield Section(key, name, "", fields)
