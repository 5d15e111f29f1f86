"""What is published of one half of a fio job: fio's own figures, whether they agree, and how the job ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graycard.importers.fio_job import FioHalf, FioJob
from graycard.importers.fio_trouble import failed, of_job
from graycard.importers.imported import LOCAL_TIME, Figures, plausible, single
from graycard.model import Check, Estimate, Percentile, Steadiness, Steady, Summary, Verdict
from graycard.units import format_rate

# fio computes what it prints from the bytes and ms that it prints; its few digits are allowed for apart.
_TOLERANCE_RATIO = 0.001
_CLAT = "single run, fio's clat: without the submit call"


def summary(job: FioJob, half: FioHalf, remarks: tuple[str, ...]) -> Summary:
    """Bytes over runtime where fio's figures agree (finer than its `bw`), else what fio states, marked as failed."""
    agreement = _agreement(half)
    counted = half.counted_bytes_per_s if agreement.verdict is Verdict.PASS else None
    return Summary(
        rate=single(half.stated_bytes_per_s if counted is None else counted, "bytes/s"),
        ops=single(half.stated_ops_per_s, "ops/s"),
        latency_ns=tuple(_percentiles(half)),
        stalls=None,
        steadiness=Steadiness(
            Steady.UNKNOWN, "fio does not tell here how steady the rate was: its bw log would.", None
        ),
        checks=(agreement, _plausible(half), _errors(job), _ending(job)),
        caveats=(*remarks, LOCAL_TIME) if job.local_time else remarks,
        mean_latency=_mean(half),
    )


def _mean(half: FioHalf) -> Estimate | None:
    found = half.total or half.completion
    if found is None:
        return None
    return single(found.mean_ns, "ns", "single run, fio's lat" if half.total else _CLAT)


def _percentiles(half: FioHalf) -> Iterator[Percentile]:
    latency = half.latency
    if latency is None:
        return
    method = "single run, fio's lat" if latency is half.total else _CLAT
    for percentile, value_ns in (*latency.percentiles, (100.0, latency.max_ns)):
        yield Percentile(percentile, single(float(value_ns), "ns", method))


def _agreement(half: FioHalf) -> Check:
    stated, counted = half.stated_bytes_per_s, half.counted_bytes_per_s
    verdict, says = Verdict.PASS, "fio's rate is its bytes over its runtime."
    if counted is None:
        verdict, says = Verdict.UNKNOWN, "The run was shorter than fio's clock of 1 ms shows; do not use its rate."
    elif abs(stated - counted) > half.rounding_bytes_per_s + counted * _TOLERANCE_RATIO:
        verdict = Verdict.FAIL
        says = (
            f"The file contradicts itself: it states {format_rate(stated)}, but its bytes over its runtime are "
            f"{format_rate(counted)}; do not use this figure."
        )
    return Check("figures_agree", counted, stated, "bytes/s", _TOLERANCE_RATIO, verdict, says)


def _plausible(half: FioHalf) -> Check:
    latency = half.latency
    return plausible(
        Figures(
            rate_bytes_per_s=half.stated_bytes_per_s,
            ops_per_s=half.stated_ops_per_s,
            latency_ns={100.0: float(latency.max_ns)} if latency else {},
        )
    )


def _errors(job: FioJob) -> Check:
    if not job.error_count:
        return Check("no_errors", 0.0, 0.0, "count", 0.0, Verdict.PASS, "fio tells of no error.")
    told = f" (“{job.notes[0]}”)" if job.notes else ""
    says = f"{failed(job)}{told}: the figure is not one of finished work; measure again."
    return Check("no_errors", 0.0, float(job.error_count), "count", 0.0, Verdict.FAIL, says)


def _ending(job: FioJob) -> Check:
    verdict, says = Verdict.PASS, "The measurement ran to its end."
    if job.interrupted or job.cut_short:
        verdict, says = Verdict.CAVEAT, of_job(replace(job, error=0, error_count=0)) or says
    return Check("ran_to_its_end", None, None, None, None, verdict, says)
