"""dd: languages, commands, progress, failures and lines that contradict themselves."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.dd import DdImporter
from graycard.importers.dd_lines import copied, records
from graycard.model import Action, Cache, Durability, Operation, Result, Verdict

LINE = "209715200 bytes (210 MB, 200 MiB) copied, 1.5711 s, 133 MB/s"


def read(text: str) -> tuple[Result, ...]:
    return DdImporter().read(text.encode())


def own(name: str) -> tuple[Result, ...]:
    data = (OWN / "dd" / name).read_bytes()
    assert DdImporter().recognises(data)
    return DdImporter().read(data)


def verdict(result: Result, name: str) -> Verdict:
    assert result.summary
    return next(check.verdict for check in result.summary.checks if check.name == name)


def rate(result: Result) -> float:
    assert result.summary
    return result.summary.rate.value


@pytest.mark.parametrize(
    "line",
    [
        "скопійовано 209715200 байтів (210 MB, 200 MiB), 1,5711 s, 133 MB/s",
        "209715200 字节 (210 MB, 200 MiB) 已复制，1.5711 s，133 MB/s",
        "209715200字节(210 MB)已复制，1.5711 秒，133 MB/秒",
        "209715200 Bytes (210 MB) kopiert, 1,5711 s, 133 MB/s",
        "209715200 bytes (210 MB) copiados, 1,5711 s, 133 MB/s",
        "скопировано 209715200 байт (210 MB, 200 MiB), 1,5711 s, 133 MB/s",
        "209715200 bytes (200.0MB) copied, 1.571100 seconds, 127.3MB/s",
        "209715200 bytes transferred in 1.571100 secs (133483032 bytes/sec)",
        LINE,
    ],
)
def test_a_line_in_any_language_has_its_three_figures(line: str) -> None:
    found = copied(line)
    assert found
    assert (found.moved_bytes, found.elapsed_ns) == (209715200, 1571100000)
    assert found.agrees
    assert DdImporter().recognises(f"> {line}\r\n".encode())


@pytest.mark.parametrize("line", ["200+0 Datensätze ein", "输出了 200+1 块记录", "200+0 записів прочитано"])
def test_records_in_any_language(line: str) -> None:
    found = records(line)
    assert found
    assert found.whole_count == 200


@pytest.mark.parametrize(
    "text", ["1+1 = 2, 3 s, 4 MB/s", "copied 12 files, 3 s, 5 MB/s", "10 kB, 3 s, 100 MB/s", "x, 1"]
)
def test_other_texts_are_not_dds(text: str) -> None:
    assert not DdImporter().recognises(text.encode())


def test_all_languages_of_one_file_are_read() -> None:
    found = own("9.1-languages.txt")
    assert [round(rate(result) / 1e6) for result in found] == [327, 548, 577, 608, 654, 770, 876, 786]
    assert {result.task.block_bytes for result in found} == {1 << 20}
    assert {result.runs[0].samples.moved_bytes for result in found} == {41943040}


def test_without_a_command_nobody_knows_whether_it_read_or_wrote() -> None:
    (result,) = read(LINE)
    assert result.task.transfer
    assert result.task.transfer.action is Action.COPY
    assert {"cache", "durability", "compressible_ratio", "block_bytes"} <= set(result.task.unstated)
    assert "block_bytes" not in own("9.1-languages.txt")[0].task.unstated


def test_commands_tell_what_it_did() -> None:
    zeros, random, reading, copy = own("9.1-with-commands.txt")
    assert (zeros.task.operation, zeros.task.cache, zeros.task.durability, zeros.task.compressible_ratio) == (
        Operation.WRITE,
        Cache.BYPASS,
        Durability.AT_END,
        1.0,
    )
    assert (random.task.cache, random.task.durability, random.task.compressible_ratio, random.task.block_bytes) == (
        Cache.WARM,
        Durability.EACH_WRITE,
        0.0,
        65536,
    )
    assert (reading.task.operation, reading.task.cache, reading.task.transfer) == (Operation.READ, Cache.BYPASS, None)
    assert copy.task.transfer
    assert [result.target.path for result in (zeros, random, reading, copy)] == ["ddf", "ddf", "ddf", "ddg"]


def test_of_progress_the_last_line_counts() -> None:
    (result,) = own("9.1-progress.txt")
    assert rate(result) == pytest.approx(314572800 / 1.92402)
    (result,) = own("bsd-siginfo-invented.txt")
    assert result.runs[0].samples.moved_bytes == 1 << 30


def test_runs_of_growing_size_after_commands_stay_apart() -> None:
    command, outcome = "$ dd if=/dev/zero of=a bs=1M count={}\n", "{} bytes ({} MB) copied, {} s, 1.0 MB/s\n"
    small, large = outcome.format(1048576, "1.0", 1), outcome.format(9437184, "9.4", 9)
    records_ = "{0}+0 records in\n{0}+0 records out\n"
    runs = records_.format(1) + small, records_.format(9) + large
    assert len(read(command.format(1) + runs[0] + command.format(9) + runs[1])) == 2
    assert len(read("".join(runs))) == 1, "one run that was asked for its progress"


def test_busybox_has_units_of_1024_or_no_speed() -> None:
    (result,) = own("busybox-speed-invented.txt")
    assert rate(result) == pytest.approx((1 << 30) / 10.123456)
    assert verdict(result, "printed_rate") is Verdict.PASS
    (silent,) = own("busybox-1.35-no-speed.txt")
    assert silent.summary is None
    assert silent.trouble
    assert "no time and no speed" in silent.trouble


def test_a_failure_is_no_speed() -> None:
    (result,) = own("9.1-enospc.txt")
    assert result.summary is None
    assert result.trouble == "dd failed after 6291456 bytes: error writing 'mnt/f': No space left on device."
    with pytest.raises(ImportProblem, match="failed before it copied anything: failed to open 'x': No such file"):
        read("dd: failed to open 'x': No such file or directory\n")


def test_what_cannot_be_is_flagged() -> None:
    (result,) = read("1+0 records in\n1+0 records out\n209715200 bytes (210 MB, 200 MiB) copied, 1.5711 s, 400 MB/s")
    assert verdict(result, "printed_rate") is Verdict.FAIL
    (fast,) = read("1073741824 bytes transferred in 0.105351 secs (10192042069 bytes/sec)")
    assert verdict(fast, "not_from_memory") is Verdict.CAVEAT
    (tiny,) = read("1000 bytes (1.0 kB) copied, 0.000736812 s, 1.4 MB/s")
    assert verdict(tiny, "long_enough") is Verdict.CAVEAT
    assert verdict(read(LINE)[0], "not_from_memory") is Verdict.PASS
