"""iozone: columns with gaps, units, throughput, spreadsheets, damaged tables."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.iozone import IozoneImporter
from graycard.model import Cache, Durability, Result, Verdict

FOLDER = OWN / "iozone"


def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


DIRECT = text_of("3.489-direct-write-random.txt")
TABLE = text_of("3.489-table-and-reports.txt")
THROUGHPUT = text_of("3.489-throughput.txt")


def results_of(text: str) -> tuple[Result, ...]:
    return IozoneImporter().read(text.encode())


def kib_per_s(results: tuple[Result, ...]) -> list[tuple[str | None, int]]:
    return [(each.origin.imported_from, round(each.summary.rate.value / 1024)) for each in results if each.summary]


def test_blanks_in_the_middle_move_no_figure() -> None:
    assert kib_per_s(results_of(DIRECT))[:4] == [
        ("write", 133756),
        ("rewrite", 141990),
        ("random read", 148116),
        ("random write", 104590),
    ]


def without_command(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "Command line" not in line)


def test_without_the_command_line_the_places_tell() -> None:
    assert kib_per_s(results_of(without_command(DIRECT))) == kib_per_s(results_of(DIRECT))
    text_lines = without_command(DIRECT).splitlines()
    header = next(number for number, line in enumerate(text_lines) if "reclen" in line)
    table_alone = "\n".join(text_lines[header:])
    assert kib_per_s(results_of(table_alone)) == kib_per_s(results_of(DIRECT))


def test_collapsed_blanks_need_the_command_line() -> None:
    collapsed = "\n".join(" ".join(line.split()) for line in DIRECT.splitlines())
    assert kib_per_s(results_of(collapsed)) == kib_per_s(results_of(DIRECT))
    with pytest.raises(ImportProblem, match=r"line \d+|Line \d+.*which of its 13 columns"):
        results_of(without_command(collapsed))


def test_figures_that_touch_are_told_apart() -> None:
    full = TABLE.replace(" -i 0 -i 1 ", " ")
    row = next(line for line in full.splitlines() if line.startswith("            1024     512"))
    figures = (
        " 10000000"
        + "".join(f"{100000000 + number:>9}" for number in range(1, 7))
        + f"{9000000000:>10}{9000000001:>10}"
    )
    wide = row[:24] + figures + "".join(f"{200000000 + number:>9}" for number in range(4))
    assert [rate for _, rate in kib_per_s(results_of(full.replace(row, wide)))][:13] == [
        10000000,
        *range(100000001, 100000007),
        9000000000,
        9000000001,
        *range(200000000, 200000004),
    ]


def test_the_settings() -> None:
    task = results_of(DIRECT)[0].task
    assert (task.cache, task.durability, task.block_bytes, task.span_bytes) == (
        Cache.BYPASS,
        Durability.AT_END,
        65536,
        4 << 20,
    )
    assert (task.compressible_ratio, task.unstated) == (1.0, ())
    warm = results_of(TABLE)[2]
    assert (warm.task.cache, warm.task.durability) == (Cache.WARM, Durability.NONE)
    assert warm.summary
    assert any("page cache" in caveat for caveat in warm.summary.caveats)
    unmounted = results_of(TABLE.replace("Command line used: iozone", "Command line used: iozone -U /mnt"))
    assert unmounted[2].task.cache is Cache.COLD
    assert "compressible_ratio" in results_of(TABLE.replace("used: iozone", "used: iozone -+w 50"))[0].task.unstated


def test_units_of_operations_and_microseconds() -> None:
    (write, *_) = results_of(text_of("3.489-ops.txt"))
    assert write.summary
    assert write.summary.ops
    assert write.summary.ops.value == 10679
    assert write.summary.rate.value == 10679 * 65536
    text = text_of("3.489-ops.txt").replace("OPS Mode. Output", "Microseconds/op Mode. Output").replace(" -O ", " -N ")
    slow = results_of(text)[0].summary
    assert slow
    assert slow.mean_latency
    assert slow.mean_latency.value == 10679e3
    assert slow.rate.value == pytest.approx(65536 * 1e6 / 10679)


def test_throughput_is_what_the_parent_sees_and_tells_of_the_children() -> None:
    write = results_of(THROUGHPUT)[0]
    parent = float(THROUGHPUT.partition("Parent sees throughput for  2 initial writers")[2].split()[1])
    assert write.summary
    assert write.summary.rate.value == pytest.approx(parent * 1024)
    assert (write.task.worker_count, write.task.span_bytes) == (2, 2 * (4 << 20))
    assert {check.name: check.verdict for check in write.summary.checks}["children_agree"] is Verdict.CAVEAT


def test_a_child_that_moved_nothing_is_told() -> None:
    start = THROUGHPUT.index("Min throughput")
    end = THROUGHPUT.index("\n", start)
    text = THROUGHPUT[:start] + "Min throughput per process \t\t\t=       0.00 kB/sec " + THROUGHPUT[end:]
    summary = results_of(text)[0].summary
    assert summary
    assert "moved nothing" in next(check.says for check in summary.checks if check.name == "children_agree")


def test_reports_repeat_the_table_and_count_once() -> None:
    table = {(each.task.label, each.task.span_bytes): each.summary and each.summary.rate for each in results_of(TABLE)}
    assert len(results_of(TABLE)) == len(table) == 16
    for other in (
        results_of(text_of("3.489-reports-alone.txt")),
        IozoneImporter().read((FOLDER / "3.489-excel.xls").read_bytes()),
    ):
        assert {(e.task.label, e.task.span_bytes): e.summary and e.summary.rate for e in other} == table


def test_several_calls_in_one_file() -> None:
    results = results_of(DIRECT + "some other line\n" + THROUGHPUT)
    assert len(results) == len(results_of(DIRECT)) + len(results_of(THROUGHPUT))
    assert len({each.measurement_id for each in results}) == 2
    assert results[0].task.cache is Cache.BYPASS
    assert results[-1].task.cache is Cache.WARM


def test_the_last_figure_of_a_file_that_is_cut_off_is_left_out() -> None:
    row = DIRECT.index("177231")
    assert kib_per_s(results_of(DIRECT[: row + 6 + 5]))[-1] == ("write", 177231)
    assert len(results_of(DIRECT[: row + 4])) == 4


def test_output_without_a_figure_says_why() -> None:
    with pytest.raises(ImportProblem, match="ends before the first figure"):
        results_of(DIRECT[: DIRECT.index("133756") - 4])


def test_a_damaged_workbook_gives_what_is_whole() -> None:
    data = (FOLDER / "3.489-excel.xls").read_bytes()
    assert len(IozoneImporter().read(data[: len(data) - 40])) == 14
    with pytest.raises(ImportProblem):
        IozoneImporter().read(data[:600])


def test_what_iozone_says_of_a_failure_is_told() -> None:
    banner = "\tIozone: Performance Test of File I/O\n"
    table = "              kB  reclen    write  rewrite    read    reread\n            4096      64\n"
    with pytest.raises(ImportProblem, match="iozone failed: Can not open temp file: /mnt/z"):
        results_of(f"{banner}{table}Can not open temp file: /mnt/z\nopen: No such file or directory\n")


def test_in_a_mixed_workload_every_second_process_writes() -> None:
    mixed = [each for each in results_of(text_of("3.489-mixed.txt")) if each.task.read_ratio is not None]
    assert [each.task.label for each in mixed] == ["RND64K QD3 T3 mix of 67% reads", "SEQ64K QD4 T4 mix of 75% reads"]
    assert [kib for _, kib in kib_per_s(tuple(mixed))] == [449904, 517869]
    assert all("read_ratio" in each.task.unstated for each in mixed)
    assert [each.task.durability for each in mixed] == [Durability.AT_END, Durability.NONE]
    assert mixed[0].summary
    assert any(each.startswith("2 of 3 processes read") for each in mixed[0].summary.caveats)


def test_a_mix_that_is_all_of_one_kind_is_no_mix() -> None:
    text = text_of("3.489-mixed.txt")
    for percent, label in (("10", "SEQ64K QD4 T4 write"), ("100", "SEQ64K QD4 T4 read")):
        changed = text.replace("mix test is 75", f"mix test is {percent}").replace("-+p 75", f"-+p {percent}")
        assert results_of(changed)[-1].task.label == label
