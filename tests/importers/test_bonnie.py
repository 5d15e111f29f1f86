"""bonnie++'s CSV: field orders of three generations, what is not measured, what stops it."""

from __future__ import annotations

import io
import itertools
from typing import BinaryIO

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers import read_all, rows
from graycard.importers.bonnie import TOO_FAST, BonnieImporter
from graycard.model import Durability, Operation, Pattern, Result

FOLDER = OWN / "bonnie"
OLD, LINE = (FOLDER / "1.03-and-1.96.csv").read_text(encoding="utf-8").splitlines()
NEW = (FOLDER / "2.00a.csv").read_text(encoding="utf-8").strip()


def results_of(text: str) -> tuple[Result, ...]:
    return BonnieImporter().read(text.encode())


def rate(result: Result) -> float:
    assert result.summary
    return result.summary.rate.value


def test_the_three_field_orders() -> None:
    old = results_of(OLD)
    assert [round(rate(each) / 1024, 3) for each in old[:5]] == [48508, 61234, 29876, 45012, 81234]
    assert old[1].task.span_bytes == 2 << 30
    assert [round(rate(each) / 1024, 3) for each in results_of(LINE)[:3]] == [72500, 40123, 145000]
    assert [round(rate(each) / 1024, 3) for each in results_of(NEW)[:3]] == [402520, 394443, 917452]
    assert results_of(NEW)[0].origin.tool_version == "2.00a"
    assert old[0].origin.tool_version is None


def test_what_each_test_did() -> None:
    write, rewrite, read, seeks = results_of(NEW)
    assert (write.task.operation, write.task.durability, write.task.variant) == (
        Operation.WRITE,
        Durability.AT_END,
        None,
    )
    assert rewrite.task.variant == "rewrite"
    assert (read.task.operation, read.task.pattern) == (Operation.READ, Pattern.SEQUENTIAL)
    assert (seeks.task.pattern, seeks.task.worker_count) == (Pattern.RANDOM, 5)
    assert {"cache", "block_bytes"} <= set(write.task.unstated)
    assert write.task.compressible_ratio == 1.0
    assert seeks.summary
    assert seeks.summary.ops
    assert seeks.summary.ops.value == 8083
    assert rate(seeks) == 8083 * 8192
    assert write.summary
    assert write.summary.latency_ns[0].latency.value == 12042e3


def test_plus_signs_are_a_trouble_and_an_empty_field_is_nothing() -> None:
    results = results_of(NEW.replace(",402520,41,", ",+++++,+++,"))
    assert (results[0].summary, results[0].trouble) == (None, TOO_FAST)
    assert [each.origin.imported_from for each in results] == ["block output", "rewrite", "block input", "seeks"]


def test_a_name_with_commas_moves_no_field() -> None:
    assert [rate(each) for each in results_of(NEW.replace("laptop", "my, little, laptop"))] == [
        rate(each) for each in results_of(NEW)
    ]


def test_a_line_that_is_cut_short_is_told_with_its_number() -> None:
    with pytest.raises(ImportProblem, match=r"Line 2 .* 10 of 50 fields.*cut short"):
        results_of(f"{NEW}\n{','.join(NEW.split(',')[:10])}")


@pytest.mark.parametrize("figure", ["nan", "-5", "9" * 30, "inf"])
def test_what_is_no_figure_is_refused(figure: str) -> None:
    with pytest.raises(ImportProblem, match=r"figure|quantity"):
        results_of(NEW.replace("402520", figure))


def test_an_absurd_figure_is_kept_and_failed() -> None:
    summary = results_of(NEW.replace("402520", "9999999999999"))[0].summary
    assert summary
    assert [check.name for check in summary.checks if check.verdict == "fail"] == ["plausible"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Writing intelligently...Can't write() - disk full?\n", "bonnie\\+\\+ stopped .*disk full"),
        ("File size should be double RAM for good results, RAM is 15G.\n", "stopped .*RAM is 15G"),
        ("Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-\n", "import the CSV"),
    ],
)
def test_output_without_csv_says_what_to_do(text: str, says: str) -> None:
    assert BonnieImporter().recognises(text.encode())
    with pytest.raises(ImportProblem, match=says):
        results_of(text)


def test_other_csv_is_not_taken_for_it() -> None:
    for text in (",".join(["1"] * 27), "a,1G," + ",".join(["x"] * 25), "name,1G," + "," * 24, "1.5,2.0,a,b\n"):
        assert not BonnieImporter().recognises(text.encode()), text


class Lines(io.RawIOBase):
    """A file of one line again and again, made as it is read."""

    def __init__(self, line: bytes, size: int) -> None:
        self._line, self._size, self._at, self.largest = line, size, 0, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:
        count = min(len(buffer), self._size - self._at)
        self.largest = max(self.largest, count)
        start = self._at % len(self._line)
        repeats = count // len(self._line) + 2
        buffer[:count] = (self._line * repeats)[start : start + count]
        self._at += count
        return count


def test_a_large_file_is_read_line_by_line_and_refused_when_it_holds_too_many_results() -> None:
    raw = Lines(NEW.encode() + b"\n", 2 << 30)
    file: BinaryIO = io.BufferedReader(raw, 1 << 16)
    with pytest.raises(ImportProblem, match=f"more than {rows.MOST_RESULTS} results"):
        BonnieImporter().read_stream(file, "all.csv")
    assert raw.largest <= 8 << 20


def test_results_of_a_streamed_file_are_those_of_a_small_one() -> None:
    text = "\n".join(itertools.chain([NEW], ["passed over"] * 400_000))
    streamed = BonnieImporter().read_stream(io.BytesIO(text.encode()), "")
    assert [rate(each) for each in streamed] == [rate(each) for each in results_of(NEW)]


def test_a_run_without_the_large_file_is_told() -> None:
    data = (OWN / "bonnie" / "no-large-file-2.00a.csv").read_bytes()
    with pytest.raises(ImportProblem, match=r"without its large file \(-s 0\).* run it with -s"):
        read_all(data)
    table = b"Version 2.00a       ------Sequential Create------ --------Random Create--------\n"
    with pytest.raises(ImportProblem, match="without its large file"):
        read_all(table)
