"""graycard's own documents come back as they were."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import results

from graycard.codec import Document, FactsDocument, decode, encode, pretty
from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS
from graycard.importers.graycard import GraycardImporter
from graycard.model import Result


@given(found=st.lists(results, min_size=1, max_size=2).map(tuple), shape=st.sampled_from([encode, pretty]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_was_exported_comes_back(found: tuple[Result, ...], shape: object) -> None:
    data = shape(Document(results=found))
    assert [importer.name for importer in IMPORTERS if importer.recognises(data[:HEAD_BYTES])] == ["graycard"]
    assert GraycardImporter().read(data) == decode(encode(Document(results=found)), Document).results


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
