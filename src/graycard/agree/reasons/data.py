"""Reasons of the data: what compresses, what repeats, what has to be made or encoded first."""

from __future__ import annotations

from graycard.agree.beside import GUESSED, HALF_STATED, STATED, Beside, Cause, favours
from graycard.agree.measured import Measured
from graycard.agree.swallowing import gain_nothing, volume_compresses
from graycard.agree.tools import ENCODES, READS_ITS_SOURCE, REPEATS_ONE_BLOCK, encodes
from graycard.facts import value
from graycard.units import percent

# Zeros cost next to nothing where they are compressed; on btrfs with zstd 3.4 times was measured.
_COMPRESSED_GAIN = 50.0
_REPEATED_GAIN = 10.0
# Linux' generator gives some hundred MB/s, a fast drive some thousand.
_GENERATOR_LOSS = 20.0
# A codec makes a frame up to some ten times smaller than the rate that is shown for it.
_CODEC_LOSS = 10.0


def compressible(pair: Beside) -> Cause | None:
    """One moves data that compress, the other not, or does not say."""
    for one, rest, is_other in pair.each_way():
        if not one.states("compressible_ratio") or not one.task.compressible_ratio:
            continue
        known = rest.states("compressible_ratio")
        if known and rest.task.compressible_ratio >= one.task.compressible_ratio:
            continue
        if gain_nothing(one, (one, rest)):
            continue
        compresses = volume_compresses(one) or volume_compresses(rest)
        # Few drives compress: where one figure came through a cache, that is likelier.
        unsure = 0.8 if one.through_cache is rest.through_cache else GUESSED
        certainty = (STATED if compresses else unsure if compresses is None else GUESSED) * (
            1.0 if known else HALF_STATED
        )
        partner = _moves(rest) if known else "does not say what it moves"
        where = {True: "this volume compresses them", False: "this volume is not known to compress them", None: ""}
        says = (
            f"Compressible data: {one.name} {_moves(one)}, {rest.name} {partner}; "
            f"{where[compresses] or 'drives and file systems that compress gain from them'}."
        )
        return Cause("compressible data", says, *favours(_COMPRESSED_GAIN, is_other=is_other), certainty)
    return None


def _moves(figure: Measured) -> str:
    zeros = figure.task.compressible_ratio
    return f"moves {percent(zeros)} zeros" if zeros else "moves data that do not compress"


def repeated(pair: Beside) -> Cause | None:
    """One writes one block of random bytes again and again, the other is not known to."""
    for one, rest, is_other in pair.each_way():
        if one.origin.tool in REPEATS_ONE_BLOCK and rest.origin.tool not in REPEATS_ONE_BLOCK:
            says = (
                f"Repeated data: {one.name} repeats one MiB for the whole file; some drives and shares store it once."
            )
            return Cause("repeated data", says, *favours(_REPEATED_GAIN, is_other=is_other), GUESSED / 2)
    return None


def generator(pair: Beside) -> Cause | None:
    """Random bytes that are made while the time runs."""
    for one, _, is_other in pair.each_way():
        random = one.states("compressible_ratio") and not one.task.compressible_ratio
        if one.origin.tool in READS_ITS_SOURCE and one.writes and random and not one.task.transfer:
            says = (
                f"Source of the data: {one.name} makes random bytes while its time runs; that may be the slower part."
            )
            return Cause("source of the data", says, *favours(_GENERATOR_LOSS, is_other=not is_other), HALF_STATED)
    return None


def codec(pair: Beside) -> Cause | None:
    """A tool that encodes each frame shows less than the drive does, unless it is set to plain frames."""
    for one, rest, is_other in pair.each_way():
        settings = str(value(one.facts, "engine_settings") or "")
        if not encodes(one.origin.tool, settings) or rest.origin.tool in ENCODES:
            continue
        chosen = "encodes each frame with the codec it is set to" if settings else "may encode each frame with a codec"
        says = (
            f"Codec: {one.name} {chosen}, so it moves less than the drive can and reads too low; set it to 16-bit RGB."
        )
        certainty = 0.8 if settings else HALF_STATED
        return Cause("codec", says, *favours(_CODEC_LOSS, is_other=not is_other), certainty)
    return None
