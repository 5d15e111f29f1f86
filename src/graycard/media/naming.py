"""From what a user writes to a format: "prores-422-hq/uhd/25", "ProRes 422 HQ UHD 25p", "8MB/25"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TypeVar

from graycard.errors import PlanProblem
from graycard.media.custom import depth_and_chroma, is_frame_bytes, of_depth, of_frame_bytes
from graycard.media.derived import derived
from graycard.media.format import Format
from graycard.media.rates import parse_rate, rate_text
from graycard.media.sizes import AMBIGUOUS, frame_size_text, parse_frame_size
from graycard.media.table import by_key, by_slug

_EXAMPLES = "prores-422-hq/uhd/25, 3840x2160/25/10bit-422 or 8MB/25"
# A fraction keeps its stroke while the others part the words.
_FRACTION = re.compile(r"\b([0-9]{1,6})/(1001|[123])(?=$|[\s/,@]|p\b|fps\b)")
_SHOWN_COUNT = 5
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class _Spoken:
    """The parts of a name: the words of the variant, the size and the rate, None where it is not said."""

    words: tuple[str, ...]
    pixels: tuple[int, int] | None
    rate: Fraction | None


def format_named(text: str) -> Format:
    """The format that a user names; case, blanks and the order of size and rate are free.

    A rate or size that the table lacks is derived where the bytes of a frame follow from it. PlanProblem, one sentence
    with the nearest names, where the name is unknown, incomplete or means several formats.
    """
    found = by_key().get(text.strip().lower())
    if found:
        return found
    spoken = _spoken(text)
    return _custom(spoken) or _of_the_table(spoken, text)


def _spoken(text: str) -> _Spoken:
    """The words of a text, with its size and rate taken out. PlanProblem for a size that is said of two."""
    marked = _FRACTION.sub(r"\1÷\2", re.sub(r"([0-9])\s*[x×]\s*([0-9])", r"\1x\2", text.lower()))
    tokens = [token.replace("÷", "/") for token in re.split(r"[\s/,@]+", marked) if token]
    for token in tokens:
        if token in AMBIGUOUS:
            one, other = AMBIGUOUS[token]
            raise PlanProblem(f"“{token}” is said of {one} (3840x2160) and of {other} (4096x2160); write one of them")
    pixels = _taken(tokens, parse_frame_size)
    rate = _taken(tokens, _rate_or_none)
    return _Spoken(tuple(tokens), pixels, rate)


def _taken(tokens: list[str], read: Callable[[str], Part | None]) -> Part | None:
    """What the last token means that `read` understands, with that token taken out."""
    for place in reversed(range(len(tokens))):
        found = read(tokens[place])
        if found is not None:
            del tokens[place]
            return found
    return None


def _rate_or_none(token: str) -> Fraction | None:
    try:
        return parse_rate(token)
    except ValueError:
        return None


def _custom(spoken: _Spoken) -> Format | None:
    """A format of the user's own, or None where the words name one of the table."""
    words = [word for word in spoken.words if word != "custom"]
    if len(words) == 1 and is_frame_bytes(words[0]):
        return of_frame_bytes(words[0], _needed(spoken.rate, words[0]))
    depth = depth_and_chroma(words)
    if depth is None:
        return None
    if spoken.pixels is None:
        raise PlanProblem(f"“{' '.join(words)}” needs a frame size; write for example 3840x2160/25/{'-'.join(words)}")
    return of_depth(*spoken.pixels, _needed(spoken.rate, " ".join(words)), *depth)


def _needed(rate: Fraction | None, name: str) -> Fraction:
    if rate is None:
        raise PlanProblem(f"“{name}” needs a frame rate; write for example {name}/25")
    return rate


def _of_the_table(spoken: _Spoken, text: str) -> Format:
    slug = _slug(spoken, text)
    if spoken.pixels is None or spoken.rate is None:
        raise _incomplete(slug, spoken, text)
    size = frame_size_text(*spoken.pixels)
    found = by_key().get(f"{slug}/{size}/{rate_text(spoken.rate)}") or derived(slug, spoken.pixels, spoken.rate)
    if found is None:
        near = _near_keys(slug, spoken)
        raise PlanProblem(f"the table has no {slug} of {size} at {rate_text(spoken.rate)} fps; it has {_listed(near)}")
    return found


def _slug(spoken: _Spoken, text: str) -> str:
    """The first part of the key that the words mean. PlanProblem where it is none or one of several."""
    wanted = _squeezed("".join(spoken.words))
    exact = [slug for slug in by_slug() if _squeezed(slug) == wanted]
    if exact:
        return exact[0]
    parts = [part for word in spoken.words for part in word.split("-") if part]
    holding = [slug for slug in by_slug() if parts and slug.startswith(parts[0]) and set(parts) <= set(slug.split("-"))]
    if len(holding) == 1:
        return holding[0]
    if holding:
        raise PlanProblem(f"“{text.strip()}” means {len(holding)} formats; write one of {_listed(holding)}")
    near = get_close_matches("-".join(parts), list(by_slug()), n=3, cutoff=0.4)
    instead = f"did you mean {' or '.join(near)}?" if near else f"write for example {_EXAMPLES}"
    raise PlanProblem(f"“{text.strip()}” is no format of the table; {instead} (graycard formats lists them)")


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text)


def _incomplete(slug: str, spoken: _Spoken, text: str) -> PlanProblem:
    lacks = " and ".join(
        name for name, part in (("a frame size", spoken.pixels), ("a frame rate", spoken.rate)) if part is None
    )
    near = _near_keys(slug, spoken)
    return PlanProblem(f"“{text.strip()}” lacks {lacks}; write for example {_listed(near)}")


def _near_keys(slug: str, spoken: _Spoken) -> list[str]:
    """Keys of the variant, those of the size and the rate that were said first, then the nearest rates."""
    rate = spoken.rate or Fraction(25)
    pixels = spoken.pixels or (3840, 2160)

    def distance(each: Format) -> tuple[int, int, float]:
        area = (each.width or 0) * (each.height or 0)
        return ((each.width, each.height) != pixels, abs(area - pixels[0] * pixels[1]), abs(float(each.rate - rate)))

    return [each.key for each in sorted(by_slug()[slug], key=distance)]


def _listed(names: Iterable[str]) -> str:
    every = tuple(names)
    more = f" and {len(every) - _SHOWN_COUNT} more" if len(every) > _SHOWN_COUNT else ""
    return ", ".join(every[:_SHOWN_COUNT]) + more
