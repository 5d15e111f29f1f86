"""graycard's own documents come back as they were."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_results import a_result, a_run, a_summary
from strategies import results

from graycard.codec import Document, FactsDocument, decode, encode, pretty
from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS, graycard_stream
from graycard.importers.graycard import GraycardImporter
from graycard.importers.sound import fault
from graycard.model import Bucket, Histogram, Result, Samples, Verdict


@given(found=st.lists(results, min_size=1, max_size=2).map(tuple), shape=st.sampled_from([encode, pretty]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_was_exported_comes_back_or_is_called_damaged(found: tuple[Result, ...], shape: object) -> None:
    data = shape(Document(results=found))
    assert [importer.name for importer in IMPORTERS if importer.recognises(data[:HEAD_BYTES])] == ["graycard"]
    if any(map(fault, found)):
        with pytest.raises(ImportProblem, match="damaged"):
            GraycardImporter().read(data)
    else:
        assert GraycardImporter().read(data) == decode(encode(Document(results=found)), Document).results


def test_a_measured_result_comes_back() -> None:
    result = a_result("r1", run_count=3, summary=a_summary(Verdict.PASS))
    assert GraycardImporter().read(encode(Document(results=(result,)))) == (result,)


RUN = a_run(0)


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (replace(RUN.samples, ticks=RUN.samples.ticks[::-1]), "run 2: its slots of time are not in order"),
        (
            replace(RUN.samples, ticks=(*RUN.samples.ticks[:3], *RUN.samples.ticks[5:])),
            "slots of time are not in order",
        ),
        (replace(RUN.samples, moved_bytes=-1), "a count is negative"),
        (replace(RUN.samples, elapsed_ns=0), "bytes moved in no time"),
        (
            replace(RUN.samples, latency=Histogram(0.01, (Bucket(9, 1), Bucket(5, 1)), 14, 5, 9)),
            "latencies are not in order",
        ),
    ],
)
def test_an_impossible_run_is_refused(damaged: Samples, says: str) -> None:
    result = a_result("r1", runs=(RUN, replace(RUN, repeat_index=1, samples=damaged)))
    with pytest.raises(ImportProblem, match=says):
        GraycardImporter().read(encode(Document(results=(result,))))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"schema": "graycard/2", "results": []}', "schema graycard/2, this graycard reads graycard/1"),
        (b'{"schema": "graycard/1", "results": [{"id": 5}]}', r"damaged .*results\[0\]"),
        (b'{"schema": "graycard/1", "results": [', "damaged"),
        (b'{"schema": "graycard/1", "results": ["\xff"]}', "damaged"),
        (encode(FactsDocument()), "no results"),
    ],
)
def test_what_does_not_fit_is_told(data: bytes, says: str) -> None:
    assert GraycardImporter().recognises(data)
    with pytest.raises(ImportProblem, match=says):
        GraycardImporter().read(data)


@given(
    found=st.lists(results, min_size=1, max_size=3).map(tuple),
    shape=st.sampled_from([encode, pretty]),
    chunk_bytes=st.integers(64, 5000),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_document_gives_the_same_results_one_by_one(
    found: tuple[Result, ...], shape: object, chunk_bytes: int
) -> None:
    data = shape(Document(results=found))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graycard_stream, "_CHUNK_BYTES", chunk_bytes)
        if any(map(fault, found)):
            with pytest.raises(ImportProblem, match="damaged"):
                tuple(graycard_stream.each_result(io.BytesIO(data)))
        else:
            assert tuple(graycard_stream.each_result(io.BytesIO(data))) == GraycardImporter().read(data)


THREE = pretty(Document(results=tuple(a_result(f"r{number}", run_count=2) for number in range(3))))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_part_of_a_document_is_damaged_also_one_by_one(share: float) -> None:
    with pytest.raises(ImportProblem, match=r"Result \d of the document is damaged"):
        tuple(graycard_stream.each_result(io.BytesIO(THREE[: int(len(THREE) * share)])))


def test_a_name_that_looks_like_a_result_begins_none() -> None:
    hostile = '{"id":"x","measurement_id":"y"'
    result = replace(a_result("r1"), target=replace(a_result("r1").target, path=hostile), id=hostile)
    data = encode(Document(results=(result, a_result("r2"))))
    assert tuple(graycard_stream.each_result(io.BytesIO(data))) == (result, a_result("r2"))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"schema": "graycard/2", "results": []}', "schema graycard/2, this graycard reads graycard/1"),
        (encode(FactsDocument()), "no results"),
    ],
)
def test_what_does_not_fit_is_told_also_one_by_one(data: bytes, says: str) -> None:
    with pytest.raises(ImportProblem, match=says):
        tuple(graycard_stream.each_result(io.BytesIO(data)))
