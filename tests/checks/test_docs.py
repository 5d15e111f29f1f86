"""docs/checks.md tells of every check, in order, with the tolerances that the code uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.checks import (
    CHECKS,
    alone,
    caches,
    clock,
    condition,
    depth,
    direct,
    instrument,
    medium,
    provenance,
    queue,
)

TEXT = (Path(__file__).parents[2] / "docs" / "checks.md").read_text()
SECTIONS = dict(section.split("\n", 1) for section in TEXT.split("\n## ")[1:])


def share(ratio: float) -> str:
    return f"{ratio * 100:g} %"


def mebi(size_bytes: int) -> str:
    return f"{size_bytes >> 20} MiB"


def seconds(duration_ns: int) -> str:
    return f"{duration_ns / 1e9:g} s"


FIGURES = {
    "littles_law": [
        share(1 - depth.DEPTH_TOLERANCE_RATIO),
        share(1 + depth.DEPTH_EXCESS_RATIO),
        f"{depth.SHORTEST_NS / 1e6:g} ms",
    ],
    "depth_was_real": [
        share(queue.SUBMIT_SHARE_RATIO),
        share(queue.SUBMIT_SHARE_SEEN_RATIO),
        share(queue.DEVICE_DEPTH_RATIO),
        f"{queue.SOFTWARE_NS / 1e3:g} µs",
    ],
    "from_device": [share(provenance.LEAST_RATIO), share(provenance.MOST_RATIO), mebi(provenance.SLACK_BYTES)],
    "direct_was_real": [share(direct.CACHED_RATIO), f"{direct.PROBE_BYTES >> 10} KiB"],
    "alone_on_device": [
        share(alone.FOREIGN_CAVEAT_RATIO),
        share(alone.FOREIGN_FAIL_RATIO),
        mebi(alone.BOOKKEEPING_BYTES),
        share(alone.NETWORK_HEADER_RATIO),
        share(alone.IDLE_RATIO),
        share(alone.OTHERS_CPU_RATIO),
        share(alone.STEAL_RATIO),
    ],
    "instrument_not_limit": [
        "Three times",
        f"{instrument.CEILING_FAIL_RATIO:g} times",
        share(instrument.CPU_RATIO),
        share(instrument.WAIT_CAVEAT_RATIO),
        share(instrument.WAIT_FAIL_RATIO),
    ],
    "clock_sound": [
        f"{clock.DRIFT_RATIO * 1e6:g} parts in a million",
        f"{clock.READING_NS / 1e6:g} ms",
        share(clock.COARSE_RATIO),
    ],
    "not_interrupted": [seconds(clock.GAP_NS), share(clock.GAP_RATIO)],
    "physically_possible": [share(condition.LINK_RATIO)],
    "on_medium": [
        share(provenance.LEAST_RATIO),
        share(medium.LEFT_RATIO),
        mebi(medium.LEFT_BYTES),
        f"{medium.FLUSH_NS / 1e3:g} µs",
        mebi(medium.DISCARD_BYTES),
    ],
    "span_vs_cache": [
        mebi(caches.DRIVE_CACHE_BYTES),
        f"{caches.LEAST_DRIVE_SPAN_BYTES >> 30} GiB",
        f"twice {caches.LEAST_SERVER_SPAN_BYTES >> 31} GiB",
    ],
    "temperature": [f"{condition.HOT_SSD_CELSIUS:g} °C", f"{condition.HOT_DISK_CELSIUS:g} °C"],
    "nearly_full": [share(condition.FULL_RATIO)],
    "covered": [share(condition.EARLY_RATIO), share(condition.COVERED_RATIO)],
    "latency_time": [seconds(clock.SHORTEST_NS), f"{clock.STEPS_COUNT} steps"],
}


def test_every_check_has_its_section_in_order() -> None:
    assert list(SECTIONS) == [check.__name__ for check in CHECKS]


@pytest.mark.parametrize("name", FIGURES)
def test_the_tolerances_are_those_of_the_code(name: str) -> None:
    words = " ".join(SECTIONS[name].split())
    assert [figure for figure in FIGURES[name] if figure not in words] == []


def test_every_section_tells_what_a_bad_verdict_means() -> None:
    for name, section in SECTIONS.items():
        assert "- **fail**" in section or "- **caveat**" in section, name
