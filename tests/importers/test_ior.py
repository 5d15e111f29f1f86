"""IOR: repetitions as runs, settings, several tests, what a cluster may reach."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.ior import IorImporter
from graycard.model import Aggregate, Cache, Durability, Result, Verdict

TEXT = (OWN / "ior" / "4.0-three-repetitions.txt").read_text(encoding="utf-8")


def results_of(text: str) -> tuple[Result, ...]:
    return IorImporter().read(text.encode())


def test_repetitions_are_runs_of_one_result_with_their_mean() -> None:
    write, read = results_of(TEXT)
    assert write.summary
    assert write.summary.rate.value == pytest.approx(104.11 * (1 << 20))
    assert (write.summary.rate.n_count, write.origin.aggregate) == (3, Aggregate.MEAN)
    assert [run.samples.elapsed_ns for run in write.runs] == [10 * 10**9, 8 * 10**9, 12_500_000_000]
    assert {run.samples.moved_bytes for run in write.runs} == {1 << 30}
    assert len(read.runs) == 3


def test_the_settings() -> None:
    write, read = results_of(TEXT)
    assert (write.task.block_bytes, write.task.depth_count, write.task.span_bytes) == (1 << 20, 4, 1 << 30)
    assert (write.task.cache, write.task.durability) == (Cache.BYPASS, Durability.AT_END)
    assert (read.task.durability, write.task.unstated) == (Durability.NONE, ("compressible_ratio",))
    assert read.summary
    assert any("cache could not help" in caveat for caveat in read.summary.caveats)
    buffered = results_of(TEXT.replace(" --posix.odirect", "").replace(" -e ", " "))[0].task
    assert buffered.durability is Durability.NONE
    assert "cache" in buffered.unstated


def test_an_fsync_that_the_back_end_does_not_have_is_none() -> None:
    warning = "ior WARNING: fsync() only available in POSIX.  Using value of 0.\n"
    assert results_of(warning + TEXT)[0].task.durability is Durability.NONE


def test_without_a_summary_the_rows_tell() -> None:
    write = results_of(TEXT[: TEXT.index("Max Write")])[0]
    assert write.summary
    assert write.summary.rate.value == pytest.approx((102.40 + 128 + 81.92) / 3 * (1 << 20))


def test_a_rate_that_is_not_bytes_over_time_fails() -> None:
    summary = results_of(TEXT.replace("104.11", "204.11"))[0].summary
    assert summary
    assert {check.name: check.verdict for check in summary.checks}["figures_agree"] is Verdict.FAIL


def test_bytes_that_were_moved_count_and_not_those_that_were_planned() -> None:
    warning = "WARNING: Using actual aggregate bytes moved = 536870912.\nwrite     102.40"
    write = results_of(TEXT.replace("write     102.40", warning))[0]
    assert [run.samples.moved_bytes for run in write.runs] == [1 << 29, 1 << 30, 1 << 30]


def test_many_computers_may_reach_what_one_cannot() -> None:
    fast = TEXT.replace("104.11      18.85 ", "2400000.0   18.85 ")
    one = results_of(fast.replace("nodes               : 2", "nodes               : 1"))[0].summary
    many = results_of(fast.replace("nodes               : 2", "nodes               : 100"))[0].summary
    assert one
    assert many
    assert {check.name: check.verdict for check in one.checks}["plausible"] is Verdict.FAIL
    assert {check.name: check.verdict for check in many.checks}["plausible"] is Verdict.PASS


def test_several_calls_in_one_file() -> None:
    results = results_of(TEXT + TEXT.replace("ior.dat", "other.dat"))
    assert [each.target.path for each in results] == ["/mnt/nas/ior.dat"] * 2 + ["/mnt/nas/other.dat"] * 2
    assert len({each.measurement_id for each in results}) == 2


@pytest.mark.parametrize("figure", ["nan", "inf", "9" * 40])
def test_what_is_no_figure_is_refused(figure: str) -> None:
    with pytest.raises(ImportProblem, match=r"for a figure"):
        results_of(TEXT.replace("102.40 ", f"{figure} "))


def test_text_without_a_row_says_so() -> None:
    with pytest.raises(ImportProblem, match="no row of results"):
        results_of(TEXT[: TEXT.index("access    bw")])
