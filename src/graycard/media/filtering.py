"""Lists of formats by words: "prores uhd 25", "dnxhr hq", "10bit rgb"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from graycard.media.format import Format
from graycard.media.rates import parse_rate
from graycard.media.sizes import AMBIGUOUS, parse_frame_size
from graycard.media.table import formats


def matching(words: Iterable[str]) -> tuple[Format, ...]:
    """The formats of the table that every word fits, in the table's order; all of them without a word.

    A word fits as a frame size ("uhd", "1080", "4k" for both kinds), as a rate ("25", "23.976"), or as a word of the
    key or family; where it is none of these, as a part of the key, family or variant.
    """
    wanted = [word for text in words for word in re.split(r"[\s/,]+", text.lower().strip()) if word]
    found = formats()
    for word in wanted:
        found = _narrowed(found, word)
    return found


def _narrowed(found: tuple[Format, ...], word: str) -> tuple[Format, ...]:
    sizes, rate = _sizes(word), _rate(word)
    whole = tuple(
        each
        for each in found
        if (each.width, each.height) in sizes
        or (rate is not None and each.rate == rate)
        or word in each.key.split("/", 1)[0].split("-")
        or word in each.family.lower().split()
    )
    # "25" is no part of "cinemadng-2.5k": only where a word is no size or rate may it be a part of a name.
    if whole or sizes or rate is not None:
        return whole
    return tuple(each for each in found if word in f"{each.key} {each.family} {each.variant}".lower())


def _sizes(word: str) -> set[tuple[int, int]]:
    names = AMBIGUOUS.get(word, (word,))
    return {pixels for name in names if (pixels := parse_frame_size(name))}


def _rate(word: str) -> Fraction | None:
    try:
        return parse_rate(word)
    except ValueError:
        return None
