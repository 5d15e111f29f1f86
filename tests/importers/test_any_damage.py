"""Whatever is done to a file, reading it gives results that make sense or an ImportProblem: no traceback, no hang."""

from __future__ import annotations

import io
import math
import random
import re
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importers.samples import all_samples, own_samples

from graycard.codec import decode, encode
from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS, Part, read_parts
from graycard.model import Estimate, Result
from graycard.protocols import Importer, StreamImporter
from tests.bed.tiers import examples

# `make long` reads many more damaged files than the suite has time for.
# Larger samples are cut, for thousands of damaged ones are read.
MOST_BYTES = 30_000
EXAMPLES_COUNT = examples(10, 300)
# A guard against what does not end, not a measure of speed: reading takes milliseconds.
DEADLINE = timedelta(seconds=30)
LONG_BYTES = 1 << 17
FIGURE = re.compile(rb"[0-9][0-9.,]*")
ABSURD = (
    b"nan",
    b"inf",
    b"-inf",
    b"-1",
    b"0",
    b"0.000",
    b"1e308",
    b"1e999",
    b"9" * 30,
    b"9" * 5000,
    b"1.2.3",
    b",",
    b"",
)


@cache
def content(path: Path) -> bytes:
    return path.read_bytes()[:MOST_BYTES]


@cache
def samples_of(name: str) -> tuple[Path, ...]:
    importer = next(each for each in IMPORTERS if each.name == name)
    return tuple(path for path in all_samples() if importer.recognises(content(path)))


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 20)):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def without_a_part(data: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def with_a_part_twice(data: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:]


def with_absurd_figures(data: bytes, chance: random.Random) -> bytes:
    share = chance.random() ** 3
    return FIGURE.sub(lambda match: chance.choice(ABSURD) if chance.random() < share else match[0], data)


def lines_mixed(data: bytes, chance: random.Random) -> bytes:
    found = data.splitlines(keepends=True)
    for _ in range(chance.randrange(1, 6)):
        if found:
            found.insert(chance.randrange(len(found)), found.pop(chance.randrange(len(found))))
    return b"".join(found)


def with_noise(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.randbytes(chance.randrange(1, 200)) + data[place:]


def with_another(data: bytes, chance: random.Random) -> bytes:
    other = content(chance.choice(all_samples()))
    return data + chance.choice((b"", b"\n", b"\r\n\r\n")) + other


def encoded_anew(data: bytes, chance: random.Random) -> bytes:
    encoding = chance.choice(("utf-16", "utf-16-le", "cp932", "latin-1"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    cut,
    flipped,
    without_a_part,
    with_a_part_twice,
    with_absurd_figures,
    lines_mixed,
    with_noise,
    with_another,
    encoded_anew,
)


def make_sense(results: tuple[Result, ...]) -> None:
    """What every result keeps to, whatever it was read from."""
    assert len({result.id for result in results}) == len(results)
    for result in results:
        assert decode(encode(result), Result).id == result.id
        assert result.created_at.utcoffset() == timedelta(0)
        assert result.summary or result.trouble
        assert result.task.block_bytes > 0
        assert result.task.depth_count > 0
        if result.summary:
            given_ = (result.summary.rate, result.summary.ops, result.summary.mean_latency)
            for figure in (*given_, *(each.latency for each in result.summary.latency_ns)):
                assert figure is None or is_one(figure), (result.task.label, figure)
            assert result.summary.rate.value > 0, "what was not measured has no summary"


def is_one(figure: Estimate) -> bool:
    return math.isfinite(figure.value) and figure.value >= 0


def read(importer: Importer, data: bytes) -> tuple[Result, ...]:
    """The results that the importer finds, asked whether it recognises the data or not."""
    importer.recognises(data[:HEAD_BYTES])
    try:
        if isinstance(importer, StreamImporter):
            make_sense(importer.read_stream(io.BytesIO(data), "run_lat.1.log"))
        return importer.read(data)
    except ImportProblem as caught:
        problem = str(caught)
    assert problem
    assert "\n" not in problem
    return ()


@pytest.mark.parametrize("importer", IMPORTERS[1:], ids=lambda importer: importer.name)
def test_each_importer_has_a_sample_of_our_own(importer: Importer) -> None:
    known = [path for path in own_samples() if importer.recognises(path.read_bytes()[:HEAD_BYTES])]
    assert known, f"put a small file of {importer.name} into tests/fixtures/{importer.name}"
    assert any(read(importer, path.read_bytes()) for path in known)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("importer", IMPORTERS, ids=lambda importer: importer.name)
@given(seed=st.integers(0, 1 << 32), damages=st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=3))
@settings(max_examples=EXAMPLES_COUNT, deadline=DEADLINE, suppress_health_check=list(HealthCheck))
def test_damaged_files(importer: Importer, seed: int, damages: list[Callable[[bytes, random.Random], bytes]]) -> None:
    chance = random.Random(seed)
    data = content(chance.choice(samples_of(importer.name) or all_samples()))
    for damage in damages:
        data = damage(data, chance)
    make_sense(read(importer, data))


@given(data=st.binary(max_size=400))
@settings(max_examples=10 * EXAMPLES_COUNT, deadline=DEADLINE)
def test_any_bytes(data: bytes) -> None:
    for importer in IMPORTERS:
        make_sense(read(importer, data))


LONG_FILES = {
    "one line of blanks": b" " * LONG_BYTES,
    "one line of digits": b"1" * LONG_BYTES,
    "digits and blanks": b"1 " * (LONG_BYTES // 2),
    "quote marks": b"> " * (LONG_BYTES // 2),
    "brackets": b"[" * LONG_BYTES,
    "braces": b'{"a":' * (LONG_BYTES // 5),
    "tags": b"<a>" * (LONG_BYTES // 3),
    "empty lines": b"\n" * LONG_BYTES,
    "commas": b"," * LONG_BYTES,
    "semicolons": b";" * LONG_BYTES,
    "NULs": bytes(LONG_BYTES),
    "colours": b"\x1b[" * (LONG_BYTES // 2),
    "carriage returns": b"1\r" * (LONG_BYTES // 2),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", LONG_FILES)
@pytest.mark.parametrize("importer", IMPORTERS, ids=lambda importer: importer.name)
def test_long_files_end(importer: Importer, kind: str) -> None:
    make_sense(read(importer, LONG_FILES[kind]))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("importer", IMPORTERS, ids=lambda importer: importer.name)
def test_a_sample_many_times_over_ends(importer: Importer) -> None:
    for path in samples_of(importer.name)[:2]:
        data = content(path)[: LONG_BYTES // 20]
        make_sense(read(importer, data * 20))
        long_line = max(data.splitlines() or [b"x"], key=len)
        make_sense(read(importer, data + long_line * (LONG_BYTES // max(1, len(long_line)))))


def test_results_of_several_tools_in_one_file_have_ids_of_their_own() -> None:
    whole = b"\n".join(content(samples_of(importer.name)[0]) for importer in IMPORTERS[1:])
    parts: tuple[Part, ...] = read_parts(io.BytesIO(whole))
    make_sense(tuple(result for part in parts for result in part.results))
