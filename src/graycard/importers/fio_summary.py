"""What is published of one half of a fio job: fio's own figures, whether they agree, and how the job ended."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.importers.fio_jobs import FioHalf, FioJob
from graycard.importers.imported import single
from graycard.model import Check, Percentile, Steadiness, Steady, Summary, Verdict
from graycard.units import format_rate

# fio cuts `bw` to whole KiB/s; everything else it computes from the same bytes and ms that it prints.
_ROUNDING_BYTES_PER_S = 1024
_TOLERANCE_RATIO = 0.001


def summary(job: FioJob, half: FioHalf, remarks: tuple[str, ...]) -> Summary:
    """Bytes over runtime where fio's figures agree (finer than its `bw`), else what fio states, marked as failed."""
    agreement = _agreement(half)
    counted = half.counted_bytes_per_s if agreement.verdict is Verdict.PASS else None
    return Summary(
        rate=single(half.stated_bytes_per_s if counted is None else counted, "bytes/s"),
        ops=single(half.stated_ops_per_s, "ops/s"),
        latency_ns=tuple(_percentiles(half)),
        stalls=None,
        steadiness=Steadiness(Steady.UNKNOWN, "fio's JSON does not tell how steady the rate was.", None),
        checks=(agreement, _errors(job), _ending(job)),
        caveats=remarks,
    )


def _percentiles(half: FioHalf) -> Iterator[Percentile]:
    latency = half.latency
    if latency is None:
        return
    method = "single run, fio's lat" if latency is half.total else "single run, fio's clat: without the submit call"
    for percentile, value_ns in (*latency.percentiles, (100.0, latency.max_ns)):
        yield Percentile(percentile, single(float(value_ns), "ns", method))


def _agreement(half: FioHalf) -> Check:
    stated, counted = half.stated_bytes_per_s, half.counted_bytes_per_s
    verdict, says = Verdict.PASS, "fio's rate is its bytes over its runtime."
    if counted is None:
        verdict, says = Verdict.UNKNOWN, "The run was shorter than fio's clock of 1 ms shows; do not use its rate."
    elif abs(stated - counted) > _ROUNDING_BYTES_PER_S + counted * _TOLERANCE_RATIO:
        verdict = Verdict.FAIL
        says = (
            f"The file contradicts itself: it states {format_rate(stated)}, but its bytes over its runtime are "
            f"{format_rate(counted)}; do not use this figure."
        )
    return Check("figures_agree", counted, stated, "bytes/s", _TOLERANCE_RATIO, verdict, says)


def _errors(job: FioJob) -> Check:
    if not job.error_count:
        return Check("no_errors", 0.0, 0.0, "count", 0.0, Verdict.PASS, "fio tells of no error.")
    told = f" (“{job.notes[0]}”)" if job.notes else ""
    says = f"fio's job failed with error {job.error}{told}: the figure is not one of finished work; measure again."
    return Check("no_errors", 0.0, float(job.error_count), "count", 0.0, Verdict.FAIL, says)


def _ending(job: FioJob) -> Check:
    verdict, says = Verdict.PASS, "The measurement ran to its end."
    if job.interrupted:
        verdict, says = Verdict.CAVEAT, "fio was interrupted before its time: the figure is of the part until then."
    elif job.cut_short:
        verdict, says = (
            Verdict.CAVEAT,
            "The file ends too early: the figure is the last whole one, from before the end.",
        )
    return Check("ran_to_its_end", None, None, None, None, verdict, says)
