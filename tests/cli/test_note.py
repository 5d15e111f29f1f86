"""`graycard note`: figures typed in, with what was said of the settings and nothing else."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graycard.codec import AgreementsDocument, Document, decode
from graycard.facts import value
from graycard.model import Aggregate, Cache, Operation, Result
from graycard.store import Store
from tests.cli.conftest import Outcome, Run
from tests.compare.made import TASK, measured

READINGS = Path(__file__).parent.parent / "fixtures" / "readings"
AJA = ("aja", "--read", "2050MB/s", "--write", "1900MB/s", "--file-size", "16GB", "--path", "/Volumes/T7")


class Keyboard(io.StringIO):
    """A person who types these lines."""

    def isatty(self) -> bool:
        return True


def noted(run: Run, *arguments: str) -> tuple[Result, ...]:
    return results_of(run("note", *arguments, "--json"))


def results_of(outcome: Outcome) -> tuple[Result, ...]:
    assert outcome.code == 0, outcome.err
    return decode(outcome.out.encode(), Document).results


def rate(result: Result) -> float:
    assert result.summary
    return result.summary.rate.value


def test_all_that_is_said_has_its_field(run: Run, tmp_path: Path) -> None:
    said = ("--codec", "16-bit RGB", "--resolution", "3840x2160", "--one-time", "--tool-version", "16.2", "--direct")
    reading, writing = noted(
        run, *AJA, *said, "--read-fps", "61.5", "--date", "2026-03-01T10:15:00Z", "--device", "disk4"
    )
    assert (rate(reading), rate(writing)) == (2050e6, 1900e6)
    assert reading.origin.tool == "AJA System Test"
    assert (reading.origin.tool_version, reading.origin.imported_from) == ("16.2", "figures typed in")
    assert (reading.task.operation, writing.task.operation) == (Operation.READ, Operation.WRITE)
    assert (reading.task.span_bytes, reading.task.byte_limit, reading.task.cache) == (
        16 * 10**9,
        16 * 10**9,
        Cache.BYPASS,
    )
    assert reading.target.path == "/Volumes/T7"
    assert {each.name: each.value for each in reading.facts} == {
        "engine_settings": "codec 16-bit RGB",
        "test_resolution": "3840x2160",
        "test_mode": "one time",
        "device_name": "disk4",
    }
    assert reading.summary
    assert writing.summary
    assert reading.summary.ops
    assert (reading.summary.ops.value, writing.summary.ops) == (61.5, None)
    assert reading.created_at == datetime(2026, 3, 1, 10, 15, tzinfo=UTC)
    assert reading.measurement_id == writing.measurement_id
    assert set(reading.task.unstated) == {
        *("block_bytes", "depth_count", "worker_count", "time_ns", "durability", "compressible_ratio")
    }
    with Store(str(tmp_path / "results.db")) as store:
        assert {row.id for row in store.rows()} == {reading.id, writing.id}


def test_what_is_not_said_is_unstated(run: Run) -> None:
    (result,) = noted(run, "blackmagic", "--write", "2300")
    stated = {"operation", "pattern"}
    assert {"block_bytes", "span_bytes", "depth_count", "cache", "durability", "byte_limit"} <= {*result.task.unstated}
    assert not stated & {*result.task.unstated}
    assert result.facts == ()
    assert (result.origin.tool, result.origin.aggregate) == ("Blackmagic Disk Speed Test", Aggregate.LAST)
    assert result.summary
    assert (result.summary.rate.method, result.summary.rate.low) == ("last of its runs", None)
    assert result.target.path == "(not recorded)"


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("2500", 2500e6),
        ("2500MB/s", 2500e6),
        ("2 500,5 MB/s", 2500.5e6),
        ("2811,9", 2811.9e6),
        ("1,234.5 MB/sec", 1234.5e6),
        ("2.5GB/s", 2.5e9),
        ("2384MiB/s", 2384 * 2**20),
        ("940Mbit/s", 117.5e6),
    ],
)
def test_rates_are_read_with_their_unit(run: Run, text: str, bytes_per_s: float) -> None:
    assert rate(noted(run, "aja", "--read", text)[0]) == pytest.approx(bytes_per_s)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("aja", "--read", "2,166"), "“2,166” may be a thousand times more or less"),
        (("aja", "--read", "25Mb/s"), "a small b may mean bits"),
        (("aja", "--read", "fast"), "“fast” is no rate"),
        (("aja", "--read=-5"), "“-5” is no rate"),
        (("aja", "--read", "nan"), "“nan” is no rate"),
        (("aja", "--read", "9" * 400), "is no rate"),
        (("Some Tool", "--read", "2500"), "“2500” has no unit; write for example 2500MB/s"),
        (("aja",), "there is no figure to note; give --read, --write or --table"),
        (("aja", "--read", "-"), "there is no figure to note"),
        (("aja", "--read", "1", "--read", "2"), "--read is there 2 times and there is one row"),
        (("atto", "--at", "1MB", "--at", "2MB", "--read", "2"), "--read is there 1 times for 2 of --at"),
        (("atto", "--at", "0", "--read", "2"), "“0” is no block size"),
        (("aja", "--write", "5", "--read-fps", "24"), "frames a second stand beside one rate"),
        (("aja", "--read", "5", "--table", "x"), "a --table has its own figures"),
        (("aja", "--read", "5", "--date", "yesterday"), "“yesterday” is no time"),
    ],
)
def test_what_cannot_be_meant_is_refused(run: Run, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    outcome = run("note", *arguments)
    assert outcome.code == 2
    assert says in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "results.db").exists()


def test_what_is_not_known_of_a_unit_and_of_a_codec_is_said(run: Run) -> None:
    unit = "does not say whether its units count by 1000 or 1024"
    told = " ".join(run("note", *AJA, "--codec", "ProRes 4444").out.split())
    assert unit in told
    assert "the other would be 4.9 % more" in told
    assert "encodes each frame with ProRes 4444 and then reads too low" in told
    assert "with a codec that was not noted" in " ".join(run("note", *AJA).out.split())
    sure = " ".join(run("note", "aja", "--read", "2384MiB/s", "--codec", "16-bit RGB").out.split())
    assert unit not in sure
    assert "encodes" not in sure


def test_zero_and_absurd_figures_are_not_believed(run: Run) -> None:
    (zero,) = noted(run, "aja", "--read", "0.00")
    assert (zero.summary, bool(zero.trouble)) == (None, True)
    assert "failed" in run("note", "aja", "--read", "9999999TB/s").out.lower()


def test_atto_has_a_row_for_each_block(run: Run) -> None:
    rows = (
        "--at",
        "64KB",
        "--read",
        "1.4GB/s",
        "--write",
        "-",
        "--at",
        "1MB",
        "--read",
        "2.9GB/s",
        "--write",
        "2.7GB/s",
    )
    found = noted(run, "atto", *rows)
    assert [(each.task.block_bytes, each.task.operation.value, rate(each)) for each in found] == [
        (65536, "read", 1.4e9),
        (1 << 20, "read", 2.9e9),
        (1 << 20, "write", 2.7e9),
    ]
    assert [each.task.label for each in found] == ["SEQ64K read", "SEQ1M read", "SEQ1M write"]


TABLE = "Block Size\tWrite\tRead\n512 B\t10.1 MB/s\t12.2 MB/s\n\n64 KB\t412,5\t380\n1 MB\t-\t500\n"


def test_a_table_names_its_columns(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.txt"
    file.write_text(TABLE, encoding="utf-16")
    expected = [(512, 12.2e6), (512, 10.1e6), (65536, 380e6), (65536, 412.5e6), (1 << 20, 500e6)]
    assert [(each.task.block_bytes, rate(each)) for each in noted(run, "atto", "--table", str(file))] == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    assert len(noted(run, "atto", "--table", "-")) == 5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("64 KB 412 380\n", "first line has to name the columns"),
        ("block read\n64 KB 412 380\n", "line 2 of the table has 3 figures for 2 columns"),
        ("block read\n64 KB 4,125\n", "line 2 of the table: “4,125” may be a thousand times"),
        ("block read\n", "the table has no row"),
        ("", "the table has no row"),
        ("block read\n" + "1 KB 5\n" * 300, "more than 200 rows"),
    ],
)
def test_a_bad_table_is_told_with_its_line(run: Run, tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "rows.txt"
    file.write_text(text)
    outcome = run("note", "atto", "--table", str(file))
    assert (outcome.code, says in outcome.err) == (2, True), outcome.err
    missing = run("note", "atto", "--table", str(tmp_path / "none"))
    assert (missing.code, "cannot be read (No such file or directory)" in missing.err) == (30, True)


def test_a_person_is_asked_for_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "fast\n2050\n\n16.2\n16GB\nProRes 4444\n3840x2160\nx\nc\n"
    monkeypatch.setattr(sys, "stdin", Keyboard(typed))
    outcome = run("note", "aja", "--json")
    (result,) = results_of(outcome)
    assert (rate(result), result.task.span_bytes, result.origin.tool_version) == (2050e6, 16 * 10**9, "16.2")
    assert [value(result.facts, name) for name in ("engine_settings", "test_resolution", "test_mode")] == [
        "codec ProRes 4444",
        "3840x2160",
        "continuous",
    ]
    assert "“fast” is no rate" in outcome.err
    monkeypatch.setattr(sys, "stdin", Keyboard("64KB\n380\n412\n\n\n\n"))
    assert [each.task.label for each in noted(run, "atto")] == ["SEQ64K read", "SEQ64K write"]
    monkeypatch.setattr(sys, "stdin", Keyboard("\n\n"))
    assert run("note", "aja").code == 2
    monkeypatch.setattr(sys, "stdin", Keyboard(""))
    assert run("note", "aja").code == 130


def test_one_note_of_one_time_is_stored_once_and_a_label_names_it(run: Run) -> None:
    said = (*AJA, "--date", "2026-03-01 10:15", "--label", "t7")
    first, again = run("note", *said), run("note", *said)
    assert first.err == "Stored 2 results as “t7”; graycard agree t7 … sets them beside other figures.\n"
    assert again.err.startswith("They are stored already, as “t7”;")
    assert first.out == again.out
    assert "label  t7" in first.out
    assert run("results", "show", "t7").code == 0


def test_facts_are_attached(run: Run) -> None:
    document = str(READINGS / "system_profiler.json")
    (result,) = noted(run, "aja", "--read", "480", "--path", "/Volumes/CARD/test", "--facts", document)
    assert (value(result.facts, "bus"), value(result.facts, "link_bits_per_s")) == ("usb", 480_000_000)
    assert result.facts[0].source.startswith("attached from system_profiler.json: ")
    outcome = run("note", "aja", "--read", "480", "--facts", document)
    assert (outcome.code, "name one of disk4" in outcome.err) == (30, True)


def reasons(run: Run, one: str, other: str) -> list[list[str]]:
    outcome = run("agree", one, other, "--json")
    assert outcome.code == 0, outcome.err
    found = decode(outcome.out.encode(), AgreementsDocument).agreements
    return [[reason.name for reason in each.pairs[0].reasons] for each in found if each.pairs]


def test_aja_reads_18_per_cent_too_low_because_of_its_codec(run: Run, tmp_path: Path) -> None:
    """Two tools on one drive disagree by 18 %: the codec is the first reason, unless AJA was set to plain frames."""
    whole = replace(TASK, span_bytes=16 * 10**9, byte_limit=16 * 10**9, time_ns=None)
    own = measured("aa11", (2500, 2490, 2510, 2505, 2495), whole, measurement_id="own1")
    with Store(str(tmp_path / "results.db")) as store:
        store.save(own)
    low = ("aja", "--read", "2050", "--write", "2050", "--one-time", "--file-size", "16GB", "--path", "/mnt/ssd")
    run("note", "blackmagic", "--read", "2500", "--write", "2500", "--path", "/mnt/ssd", "--label", "blackmagic")
    run("note", *low, "--codec", "ProRes 4444", "--label", "encoded")
    run("note", *low, "--codec", "16-bit RGB", "--label", "plain")
    run("note", *low, "--label", "unsaid")
    for label in ("encoded", "unsaid"):
        told = reasons(run, label, "blackmagic")
        assert len(told) == 2, "reading and writing"
        assert [each[0] for each in told] == ["codec", "codec"]
        assert reasons(run, label, "own1")[0][0] == "codec"
    for other in ("blackmagic", "own1"):
        assert all("codec" not in each for each in reasons(run, "plain", other))
