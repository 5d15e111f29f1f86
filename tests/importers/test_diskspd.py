"""diskspd: what its settings mean, mixes, time series, several outputs, damaged and harmful XML."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.diskspd import DiskspdImporter
from graycard.model import Cache, Durability, Operation, Pattern, Result, Verdict

FOLDER = OWN / "diskspd"
TEXT = (FOLDER / "2.2-mix.txt").read_text(encoding="utf-8")
XML = (FOLDER / "2.1-two-timespans.xml").read_text(encoding="utf-8")


def results_of(text: str) -> tuple[Result, ...]:
    return DiskspdImporter().read(text.encode())


def test_a_mix_gives_a_result_for_reads_and_one_for_writes_and_one_for_both() -> None:
    read, write, both = results_of(TEXT)
    assert [each.task.read_ratio for each in (read, write, both)] == [None, None, 0.75]
    assert both.summary
    assert both.summary.rate.value == pytest.approx(62.5 * (1 << 20))
    assert (read.task.operation, write.task.operation) == (Operation.READ, Operation.WRITE)
    assert read.summary
    assert write.summary
    assert read.summary.rate.value == pytest.approx(46.875 * (1 << 20))
    assert write.summary.rate.value == pytest.approx(15.625 * (1 << 20))
    assert read.summary.caveats == ("Reads and writes ran at once (75 % reads): this is the read half alone.",)
    assert read.summary.mean_latency
    assert read.summary.mean_latency.value == 14e6
    assert {each.percentile: each.latency.value for each in read.summary.latency_ns} == {
        50.0: 13.5e6,
        99.0: 30e6,
        99.99: 50e6,
        100.0: 55e6,
    }


def test_the_settings_of_the_text() -> None:
    task = results_of(TEXT)[1].task
    assert (task.block_bytes, task.pattern, task.depth_count, task.worker_count) == (65536, Pattern.RANDOM, 16, 2)
    assert (task.cache, task.durability, task.compressible_ratio) == (Cache.BYPASS, Durability.EACH_WRITE, 0.0)
    assert (task.span_bytes, task.time_ns, task.unstated) == (2 << 30, 20 * 10**9, ())


@pytest.mark.parametrize(
    ("line", "instead", "cache", "durability"),
    [
        ("software cache disabled", "using software cache", Cache.WARM, Durability.EACH_WRITE),
        (
            "hardware write cache disabled, writethrough on",
            "using hardware write cache, writethrough off",
            Cache.BYPASS,
            Durability.NONE,
        ),
    ],
)
def test_caching_and_write_through(line: str, instead: str, cache: Cache, durability: Durability) -> None:
    task = results_of(TEXT.replace(line, instead))[1].task
    assert (task.cache, task.durability) == (cache, durability)


def test_a_server_cache_that_was_left_on_is_told() -> None:
    summary = results_of(
        TEXT.replace("\tsoftware cache disabled", "\tlocal software cache disabled, remote cache enabled")
    )[0].summary
    assert summary
    assert any("file server" in caveat for caveat in summary.caveats)


def test_without_settings_the_command_line_tells() -> None:
    start, end = TEXT.index("Input parameters"), TEXT.index("System information")
    task = results_of(TEXT[:start] + TEXT[end:])[1].task
    assert task == results_of(TEXT)[1].task


def test_a_table_alone_states_little() -> None:
    read, *_ = results_of(TEXT[TEXT.index("Total IO") :])
    assert {"pattern", "cache", "durability", "depth_count", "compressible_ratio"} <= set(read.task.unstated)
    assert read.task.block_bytes == 65536, "all blocks are of one size"


def test_several_outputs_in_one_file() -> None:
    results = results_of(TEXT + TEXT + XML + TEXT + XML)
    assert len(results) == 13
    assert len({each.id for each in results}) == len(results)
    both = results_of(TEXT + "\n" + TEXT)
    assert len({each.measurement_id for each in both}) == 2
    assert [each.task for each in both] == [each.task for each in results_of(TEXT)] * 2


def test_bytes_that_are_not_operations_times_block_fail() -> None:
    summary = results_of(TEXT.replace("total:         983040000", "total:         993040000"))[0].summary
    assert summary
    assert {check.name: check.verdict for check in summary.checks}["bytes_conserved"] is Verdict.FAIL


def test_a_rate_that_is_not_iops_times_block_is_told() -> None:
    summary = results_of(TEXT.replace("|      46.88 |", "|      56.88 |"))[0].summary
    assert summary
    assert {check.name: check.verdict for check in summary.checks}["figures_agree"] is Verdict.CAVEAT


def test_xml_gives_rates_and_a_series_over_time() -> None:
    write, read = results_of(XML)
    assert write.summary
    assert read.summary
    assert write.summary.rate.value == pytest.approx(620 * (1 << 20) / 3.1)
    assert read.summary.rate.value == pytest.approx(122880000 / 3)
    (run,) = write.runs
    assert [tick.ops_count for tick in run.samples.ticks] == [200, 210, 190, 20]
    assert sum(tick.moved_bytes for tick in run.samples.ticks) == run.samples.moved_bytes == 620 << 20
    assert (write.task.compressible_ratio, write.task.durability, write.task.cache) == (
        1.0,
        Durability.NONE,
        Cache.BYPASS,
    )
    assert (read.task.pattern, read.task.block_bytes, read.task.cache) == (Pattern.RANDOM, 4096, Cache.WARM)


def test_a_series_that_does_not_add_up_is_left_out() -> None:
    (run,) = results_of(XML.replace('Write="210"', 'Write="900"'))[0].runs
    assert run.samples.ticks == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            '<!DOCTYPE Results [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><Results><System>&b;</System></Results>',
            "declares entities",
        ),
        (
            '<!DOCTYPE Results SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd">]><Results>&x;</Results>',
            "declares entities",
        ),
        ("<Results><System>" + "<a>" * 200, "nested too deeply"),
        (XML[:2000], "damaged or cut short at line"),
        ("<Results><System></System></Results>", "no timespan"),
        (TEXT[: TEXT.index("Total IO")], "before the table"),
        ("Error generating I/O requests\nResults for timespan 1:", "diskspd failed"),
    ],
)
def test_what_holds_no_result_or_could_do_harm_is_refused(data: str, says: str) -> None:
    assert DiskspdImporter().recognises(data.encode())
    with pytest.raises(ImportProblem, match=says):
        results_of(data)


def test_other_xml_is_not_taken_for_it() -> None:
    for text in ("<WinSAT><Results></Results></WinSAT>", "<Results><Row/></Results>", "<plist></plist>"):
        assert not DiskspdImporter().recognises(text.encode())


def test_more_than_memory_is_meant_for_is_refused() -> None:
    text = b"Results for timespan 1:\n" + b"\n" * (33 << 20)
    with pytest.raises(ImportProblem, match="larger than 32 MiB"):
        DiskspdImporter().read(text)


def test_what_stands_behind_the_xml_costs_it_nothing() -> None:
    xml = (FOLDER / "2.1-two-timespans.xml").read_text(encoding="utf-8")
    alone = [each.summary and each.summary.rate.value for each in results_of(xml)]
    behind = [each.summary and each.summary.rate.value for each in results_of(f"{xml}\nsome words\n")]
    assert behind == alone
