"""What several tools measured, as a page: each thing with its figures, pairs, reasons, and what would decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.model import Agreement, Estimate, FigurePair, Reason, ToolAgreement, ToolFigure
from graycard.readable import ABSENT
from graycard.report.comparisons import ratio_words
from graycard.report.figures import rate, rate_interval
from graycard.report.page import Block, Column, Field, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.units import format_rate, percent, significant

FAILED_MARK = "! "
_NAME_WIDTH = 32
_FIGURES = (
    Column("Figure"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("As printed", right=True, second=True, label="printed"),
    Column("Means", second=True, label="means"),
)
_TOOLS = (
    Column("Tools"),
    Column("Bias", right=True),
    Column("", joined=True),
    Column("Lower limit", right=True),
    Column("", joined=True),
    Column("Upper limit", right=True),
    Column("", joined=True),
    Column("Points", right=True),
)
_LEGEND = "! A check failed: this figure is not what it claims to be."
_NOTHING = "Nothing was measured in these results: there are no figures to hold against each other."
_NO_PAIR = "Each of these was measured by one tool alone, or by none with this load: nothing stands beside it."
_NO_REASON = "No reason is known: what is stated of the two does not differ."
_SHOWN_COUNT = 8


def agreements_page(agreements: Sequence[Agreement], tools: Sequence[ToolAgreement] = ()) -> Page:
    """Things with pairs first; what stands alone is told in one line."""
    if not agreements:
        return (Note(_NOTHING, Tone.QUIET),)
    page: list[Block] = []
    for each in agreements:
        if each.pairs:
            page.extend(_agreement(each))
    page.extend(_overall(tools))
    alone = [each for each in agreements if not each.pairs]
    if alone:
        page.extend(_alone(alone))
    if any(figure.failed for each in agreements if each.pairs for figure in each.figures):
        page.append(Note(_LEGEND, Tone.FAILED))
    return tuple(page)


def _agreement(each: Agreement) -> Iterator[Block]:
    yield Heading(printable(each.task))
    yield Table(_FIGURES, tuple(_figure(figure) for figure in each.figures))
    for pair in each.pairs:
        yield from _pair(pair)
    yield Note(printable(each.nearest), Tone.STRONG, "nearest")
    yield Field("to decide", printable(each.decide))


def _figure(figure: ToolFigure) -> Row:
    printed = figure.printed_bytes_per_s
    cells = (
        (FAILED_MARK if figure.failed else "") + printable(figure.name),
        rate(figure.rate),
        rate_interval(figure.rate),
        ABSENT if printed is None else f"“{significant(printed / 1e6, 4)} MB/s”",
        printable(figure.means),
    )
    return Row(cells, Tone.FAILED if figure.failed else Tone.PLAIN)


def _pair(pair: FigurePair) -> Iterator[Block]:
    base, other = (printable(name) for name in (pair.base, pair.other))
    value, interval = ratio_words(pair.ratio)
    printed = "" if pair.printed_ratio is None else f"; as printed {significant(pair.printed_ratio)}"
    yield Heading(f"{other} over {base}: {value} {interval}{printed}")
    if not pair.reasons:
        yield Note(_NO_REASON, Tone.CAVEAT)
    can, cannot = (
        [reason for reason in pair.reasons if (reason.explains_ratio == 0) is nothing] for nothing in (False, True)
    )
    for number, reason in enumerate(can, 1):
        yield Note(f"{printable(reason.says)}{_size(reason)}", Tone.STRONG if number == 1 else Tone.PLAIN, f"{number}.")
    if cannot:
        names = ", ".join(dict.fromkeys(printable(reason.name) for reason in cannot))
        yield Note(f"differs, too, but explains nothing here: {names}", Tone.QUIET)


def _size(reason: Reason) -> str:
    """How much of the difference the reason makes, after its sentence."""
    if reason.explains_ratio is None:
        return ""
    share = percent(reason.explains_ratio)
    if reason.expected_ratio is None:
        return f" [at most {share} of it]" if 0 < reason.explains_ratio < 1 else ""
    return f" [expected ratio {significant(reason.expected_ratio, 4)}: {share} of it]"


def _overall(tools: Sequence[ToolAgreement]) -> Iterator[Block]:
    if not tools:
        return
    yield Heading("Tools over all that both measured", "ratio, other over first, each with its 95 % interval")
    yield Table(_TOOLS, tuple(_tools(each) for each in tools))
    for each in tools:
        yield Note(printable(each.says))


def _tools(each: ToolAgreement) -> Row:
    names = f"{shorten(printable(each.other), _NAME_WIDTH)} over {shorten(printable(each.base), _NAME_WIDTH)}"
    cells = [part for estimate in (each.bias, each.low, each.high) for part in _limit(estimate)]
    return Row((names, *cells, str(each.bias.n_count)))


def _limit(estimate: Estimate) -> tuple[str, str]:
    return ratio_words(estimate)


def _alone(alone: Sequence[Agreement]) -> Iterator[Block]:
    yield Heading("Nothing stands beside these")
    for each in alone[:_SHOWN_COUNT]:
        figure = each.figures[0]
        yield Field(printable(each.task), f"{printable(figure.name)}: {format_rate(figure.rate.value)}")
    if len(alone) > _SHOWN_COUNT:
        yield Note(f"… and {len(alone) - _SHOWN_COUNT} more", Tone.QUIET)
    yield Note(_NO_PAIR, Tone.QUIET)
