"""The table of a report: one row a run, RFC 4180, figures that come back whole, and no formulas."""

from __future__ import annotations

import csv
import dataclasses
import io
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.facts import TERMS, fact
from graycard.model import Bucket, Histogram, Pace, Report, Result, Run, Samples, TargetKind, Tick, Trial
from graycard.model import Target as Place
from graycard.report.csv_columns import COLUMNS
from graycard.report.csv_columns import FACTS as FACT_COLUMNS
from graycard.report.csv_table import BYTE_ORDER_MARK, CsvRenderer, guarded
from tests.report.examples import BAD, CREATED_AT, FACTS, GOOD

LATENCY = Histogram(0.0, (Bucket(1_000, 1980), Bucket(5_000, 19), Bucket(9_000, 1)), 2_084_000, 1_000, 9_500)
SAMPLES = Samples("native", 2 * 10**9, 2000, 2000 << 20, (Tick(0, 2000, 2000 << 20),), 10**7, LATENCY, flush_ns=7)
RUNS = tuple(Run(0, index, CREATED_AT + timedelta(seconds=index), SAMPLES, (), ()) for index in range(3))
WITH_RUNS = dataclasses.replace(GOOD, runs=RUNS, trial=Trial("e1", "file systems", "exfat", randomised=True))


def rows_of(*results: Result) -> list[dict[str, str]]:
    text = CsvRenderer().render(Report("title", results)).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_one_row_a_run_with_its_result_beside_it() -> None:
    rows = rows_of(WITH_RUNS, BAD)
    assert [row["run_index"] for row in rows] == ["0", "1", "2", ""]
    assert {row["result_id"] for row in rows[:3]} == {WITH_RUNS.id}
    first = rows[0]
    assert (first["experiment"], first["configuration"], first["randomised"]) == ("file systems", "exfat", "true")
    assert (first["task"], first["operation"], first["pattern"]) == ("SEQ1M QD8 read", "read", "sequential")
    assert (first["block_bytes"], first["depth_count"]) == ("1048576", "8")
    assert datetime.fromisoformat(first["run_started_at"]) == CREATED_AT
    assert first["run_started_at"].endswith("Z")


def test_figures_are_those_of_the_run_and_of_the_result() -> None:
    first = rows_of(WITH_RUNS)[0]
    assert float(first["run_rate_bytes_per_s"]) == 1000 << 20
    assert float(first["run_ops_per_s"]) == 1000
    assert float(first["run_latency_p50_ns"]) == 1_000
    assert float(first["run_latency_p99_ns"]) == 1_000
    assert first["run_latency_p99_9_ns"] == "", "2 of 2000 operations cannot carry it"
    assert first["run_latency_max_ns"] == "9500"
    assert first["run_flush_ns"] == "7"
    assert float(first["result_rate_bytes_per_s"]) == 512e6
    assert (float(first["result_rate_low_bytes_per_s"]), float(first["result_rate_high_bytes_per_s"])) == (497e6, 528e6)
    assert float(first["result_latency_p99_ns"]) == 3_400_000
    assert (first["result_verdict"], first["result_run_count"]) == ("pass", "3")


def test_a_result_is_as_good_as_its_worst_check() -> None:
    row = rows_of(BAD)[0]
    assert row["result_verdict"] == "fail"
    assert row["result_steadiness"] == "first run differs"


def test_unknown_is_empty_and_never_0() -> None:
    row = rows_of(dataclasses.replace(BAD, summary=None, facts=()))[0]
    empty = [name for name in row if name.startswith(("run_", "result_rate", "result_latency")) or name in FACT_COLUMNS]
    assert {row[name] for name in empty} == {""}
    assert row["result_run_count"] == "0"
    assert row["pace_frames_per_s"] == ""
    paced = dataclasses.replace(GOOD, task=dataclasses.replace(GOOD.task, pace=Pace(24.0, 1 << 20)))
    assert rows_of(paced)[0]["pace_frames_per_s"] == "24.0"


def test_the_columns_of_facts_are_in_the_vocabulary_and_read_from_the_facts() -> None:
    assert set(FACT_COLUMNS) <= set(TERMS)
    facts = (*FACTS, fact("rotational", False, "sysfs"), fact("used_ratio", 0.25, "statvfs"))
    row = rows_of(dataclasses.replace(GOOD, facts=facts))[0]
    assert (row["file_system"], row["rotational"], row["used_ratio"]) == ("ext4", "false", "0.25")


def test_units_stand_in_the_names() -> None:
    units = ("_bytes", "_ns", "_per_s", "_ratio", "_count", "_celsius")
    words = {"seed", "run_index", "load_average", "pace_frame_bytes"}
    row = rows_of(WITH_RUNS)[0]
    for name, cell in row.items():
        if cell.replace(".", "", 1).isdigit() and name not in words:
            assert name.endswith(units), name


def test_lines_and_encoding_are_those_of_the_standard() -> None:
    data = CsvRenderer().render(Report("", (WITH_RUNS,)))
    assert data.startswith(BYTE_ORDER_MARK.encode())
    assert data.count(BYTE_ORDER_MARK.encode()) == 1
    assert data.endswith(b"\r\n")
    assert data.count(b"\n") == data.count(b"\r\n") == 4
    assert data.decode("utf-8-sig").split(",")[0] == "result_id"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =cmd|' /C calc'!A0", '=HYPERLINK("http://x")'])
def test_foreign_text_is_no_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"
    moved = dataclasses.replace(GOOD, target=Place(text, TargetKind.FOLDER))
    assert rows_of(moved)[0]["path"] == f"'{text}"


@pytest.mark.parametrize("text", ["/mnt/ssd", "C:\\x", "größe", "a=b", "1-2"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert guarded(text) == text


@given(st.text(st.characters(), max_size=60))
def test_any_text_stays_in_its_cell(text: str) -> None:
    found = rows_of(dataclasses.replace(GOOD, target=Place(text, TargetKind.FOLDER), measurement_id=text))
    assert len(found) == 1
    assert list(found[0]) == list(COLUMNS)
    assert found[0]["path"] == guarded(text)
    assert found[0]["path"].isprintable()
    assert found[0]["task"] == "SEQ1M QD8 read"
