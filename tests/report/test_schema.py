"""The published JSON Schema is current, accepts real documents and refuses others."""

from __future__ import annotations

import dataclasses
import json
from datetime import timedelta
from typing import Any

import jsonschema
import pytest

from graycard.codec import Document, decode
from graycard.model import Bucket, Histogram, Report, Run, Samples, Tick
from graycard.report.renderers import JsonRenderer
from tests.report.examples import BAD, CREATED_AT, FACTS, GOOD
from tools.make_schema import PLACE, text

SAMPLES = Samples(
    "native", 10**9, 2, 2048, (Tick(0, 2, 2048), Tick(10**7, 0, 0)), 10**7, Histogram(0.004, (Bucket(5, 2),), 10, 5, 5)
)
RUN = Run(0, 0, CREATED_AT + timedelta(seconds=3), SAMPLES, FACTS, FACTS)
REPORT = Report("", (dataclasses.replace(GOOD, runs=(RUN,)), BAD))


def printed() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(JsonRenderer().render(REPORT))
    return document


def validate(document: object) -> None:
    schema = json.loads(PLACE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)


def test_the_published_schema_is_current() -> None:
    assert PLACE.read_text(encoding="utf-8") == text(), "run `make schema`"


def test_a_real_document_is_valid_and_comes_back_whole() -> None:
    validate(printed())
    assert decode(JsonRenderer().render(REPORT), Document).results == REPORT.results


def test_enums_are_words_in_lower_case() -> None:
    first = printed()["results"][1]
    assert first["task"]["operation"] == "write"
    assert [check["verdict"] for check in first["summary"]["checks"]] == ["fail", "caveat", "unknown"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.pop("schema"),
        lambda document: document.update(schema="graycard/2"),
        lambda document: document["results"][0].pop("task"),
        lambda document: document["results"][0]["task"].update(operation="erase"),
        lambda document: document["results"][0]["runs"][0]["samples"].update(elapsed_ns="fast"),
    ],
)
def test_the_schema_refuses_what_is_no_document(spoil: Any) -> None:
    document = printed()
    spoil(document)
    with pytest.raises(jsonschema.ValidationError):
        validate(document)
