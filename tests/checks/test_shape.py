"""Every check gives one answer, whatever is missing, as a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.checks import CHECKS, CheckEvidence, run_checks
from graycard.facts import TERMS, fact
from graycard.model import Cache, Durability, Fact, Histogram, IoTask, Operation, Pattern, Point, Run, Series, Verdict
from tests.checks.clean import LEVELS, RUNS_COUNT, clean

NAMES = [check.__name__ for check in CHECKS]
UNITS = {"bytes", "ns", "count", "ratio", "bytes/s", "celsius", None}


def all_names(evidence: CheckEvidence) -> set[str]:
    groups = (
        evidence.facts,
        evidence.file_before,
        evidence.instrument,
        evidence.runs[0].before,
        evidence.runs[0].after,
    )
    return {each.name for group in groups for each in group}


def without(facts: tuple[Fact, ...], names: set[str]) -> tuple[Fact, ...]:
    return tuple(each for each in facts if each.name not in names)


def strip(evidence: CheckEvidence, names: set[str]) -> CheckEvidence:
    return replace(
        evidence,
        facts=without(evidence.facts, names),
        file_before=without(evidence.file_before, names),
        file_after=without(evidence.file_after, names),
        instrument=without(evidence.instrument, names),
        runs=tuple(
            replace(run, before=without(run.before, names), after=without(run.after, names)) for run in evidence.runs
        ),
    )


def assert_sound(evidence: CheckEvidence) -> None:
    checks = run_checks(evidence)
    assert [check.name for check in checks] == NAMES
    for check in checks:
        assert check.says.endswith("."), check
        assert "\n" not in check.says
        assert check.says[0].isupper() or check.says[0].isdigit(), check
        assert "None" not in check.says, check
        assert "nan" not in check.says, check
        assert check.unit in UNITS


@pytest.mark.parametrize("operation", list(Operation))
def test_clean_evidence_passes_everything(operation: Operation) -> None:
    checks = run_checks(clean(operation))
    assert {check.name: check.says for check in checks if check.verdict is not Verdict.PASS} == {}
    assert_sound(clean(operation))


@pytest.mark.parametrize("operation", list(Operation))
def test_each_missing_fact_is_never_a_fail(operation: Operation) -> None:
    evidence = clean(operation)
    for name in all_names(evidence):
        stripped = strip(evidence, {name})
        assert_sound(stripped)
        assert not [check for check in run_checks(stripped) if check.verdict is Verdict.FAIL], name


@pytest.mark.parametrize("operation", list(Operation))
def test_without_any_fact_nothing_fails_and_little_is_known(operation: Operation) -> None:
    evidence = clean(operation)
    stripped = strip(evidence, all_names(evidence))
    assert_sound(stripped)
    verdicts = {check.name: check.verdict for check in run_checks(stripped)}
    assert Verdict.FAIL not in verdicts.values()
    known = {"bytes_conserved", "littles_law", "not_interrupted", "span_vs_cache", "covered", "latency_time"}
    known |= {"only_measurement"}
    known |= {"on_medium"} if operation is Operation.READ else set()
    assert {name for name, verdict in verdicts.items() if verdict is Verdict.PASS} == known
    assert {verdict for name, verdict in verdicts.items() if name not in known} == {Verdict.UNKNOWN}


def test_without_runs_nothing_passes_that_needs_them() -> None:
    evidence = replace(clean(), runs=())
    assert_sound(evidence)
    verdicts = {check.name: check.verdict for check in run_checks(evidence)}
    assert verdicts["bytes_conserved"] is verdicts["from_device"] is verdicts["covered"] is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "field", ["latency", "submit_ns", "drain_ns", "flush_ns", "close_ns", "cpu_ns", "gap_ns", "reap_gap_ns"]
)
@pytest.mark.parametrize("operation", list(Operation))
def test_a_figure_that_the_engine_lacks_is_never_a_fail(operation: Operation, field: str) -> None:
    evidence = clean(operation)
    runs = tuple(replace(run, samples=replace(run.samples, **{field: None})) for run in evidence.runs)
    assert_sound(replace(evidence, runs=runs))
    checks = run_checks(replace(evidence, runs=runs))
    assert not [check for check in checks if check.verdict is Verdict.FAIL]


def test_a_single_run_is_not_numbered() -> None:
    evidence = clean()
    run = replace(evidence.runs[0], samples=replace(evidence.runs[0].samples, error_count=1))
    check = run_checks(replace(evidence, runs=(run,)))[0]
    assert check.verdict is Verdict.FAIL
    assert not check.says.startswith("Run")


# Values of every kind under every name: nothing that a machine says may make a check raise.
COUNTS = st.one_of(st.none(), st.integers(0, 2**62))
VALUES = st.one_of(
    COUNTS, st.floats(0, 1e18), st.booleans(), st.sampled_from(["none", "ext4", "fuse", "nfs", "network"])
)
FACTS = st.lists(st.builds(fact, st.sampled_from(sorted(TERMS)), VALUES, st.just("test")), max_size=60).map(tuple)
HISTOGRAMS = st.builds(
    Histogram,
    st.just(0.004),
    st.just(()),
    st.integers(0, 2**62),
    COUNTS,
    COUNTS,
    st.integers(0, 2**40),
)
SERIES = st.builds(
    Series,
    st.sampled_from([*LEVELS, "fuse_waiting_count", "device_inflight_count", "cpu_wait_ns"]),
    st.just("count"),
    st.just("test"),
    st.lists(st.builds(Point, st.integers(0, 2**40), st.floats(0, 1e18)), max_size=12).map(tuple),
)
TASKS = st.builds(
    IoTask,
    st.sampled_from(Operation),
    st.sampled_from(Pattern),
    block_bytes=st.integers(1, 2**30),
    span_bytes=st.integers(1, 2**50),
    depth_count=st.integers(1, 1024),
    worker_count=st.integers(1, 64),
    time_ns=COUNTS,
    byte_limit=COUNTS,
    cache=st.sampled_from(Cache),
    durability=st.sampled_from(Durability),
    compressible_ratio=st.floats(0, 1),
)
FIELDS = ("submit_ns", "drain_ns", "flush_ns", "close_ns", "cpu_ns", "gap_ns")


@st.composite
def runs(draw: st.DrawFn) -> Run:
    clean_run = clean().runs[0]
    fields = {name: draw(COUNTS) for name in FIELDS}
    counts = {name: draw(st.integers(0, 2**62)) for name in ("elapsed_ns", "ops_count", "moved_bytes")}
    histograms = {name: draw(st.none() | HISTOGRAMS) for name in ("latency", "flush_latency")}
    samples = replace(clean_run.samples, **fields, **counts, **histograms)
    monitor = tuple(draw(st.lists(SERIES, max_size=4)))
    return replace(clean_run, samples=samples, before=draw(FACTS), after=draw(FACTS), monitor=monitor)


@given(
    st.builds(
        CheckEvidence,
        task=TASKS,
        facts=FACTS,
        runs=st.lists(runs(), max_size=RUNS_COUNT).map(tuple),
        file_before=FACTS,
        file_after=FACTS,
        instrument=FACTS,
        engine=st.sampled_from(["native", "fio"]),
        others_count=st.integers(0, 3),
    )
)
@settings(max_examples=300, deadline=None)
def test_no_evidence_makes_a_check_raise(evidence: CheckEvidence) -> None:
    checks = run_checks(evidence)
    assert [check.name for check in checks] == NAMES
    assert all(check.says.endswith(".") and "\n" not in check.says for check in checks)
