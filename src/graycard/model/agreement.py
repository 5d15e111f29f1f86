"""What is said of figures of several tools that measured the same thing: how far apart they are, and why."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model.result import Estimate


@dataclass(frozen=True, slots=True)
class ToolFigure:
    """One tool's figure. `means` says what it is a figure of: aggregate, load, cache, flush, data, file.

    `printed_bytes_per_s` is what the tool's text says where its unit was corrected, else None. `failed` is set where a
    check failed: the figure is not what it claims to be.
    """

    name: str
    result_ids: tuple[str, ...]
    rate: Estimate
    means: str
    printed_bytes_per_s: float | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why two figures differ. `expected_ratio` is the ratio (other over base) that it alone would make.

    `expected_ratio` is None where the figures do not tell its size. `explains_ratio` is the share of the logarithm of
    the ratio that it explains; without an expected ratio the most that it can; 0 where it works the other way.
    """

    name: str
    says: str
    expected_ratio: float | None
    explains_ratio: float | None


@dataclass(frozen=True, slots=True)
class FigurePair:
    """Two figures: other over base, in the same unit, and the reasons, the likeliest first.

    `printed_ratio` is the ratio as the tools printed it, where a unit was corrected, else None.
    """

    base: str
    other: str
    ratio: Estimate
    reasons: tuple[Reason, ...]
    printed_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Figures of one thing, each pair of them, which is nearest the truth for which question, and what would decide.

    `decide` is a command line of graycard.
    """

    task: str
    figures: tuple[ToolFigure, ...]
    pairs: tuple[FigurePair, ...]
    nearest: str
    decide: str


@dataclass(frozen=True, slots=True)
class ToolAgreement:
    """Two tools over several devices or loads (Bland and Altman): other over base.

    `bias` is the mean ratio, `low` and `high` are the limits between which 95 % of such ratios lie, each with its own
    interval. `loads` names what each point is of.
    """

    base: str
    other: str
    bias: Estimate
    low: Estimate
    high: Estimate
    loads: tuple[str, ...]
    says: str
