"""Each step is put where its connection says; the period of a swing is found within 5 %."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from graycard.model import Action
from graycard.model.diagnosis import Ceilings, Evidence, Timeline, Waiting
from graycard.why import judge, look_at
from graycard.why.figures import running_rate
from graycard.why.slices import slices_of
from graycard.why.vocabulary import END_TRACKS, MOVED, STEP_NS, TRACKS
from tests.why.causes import CAUSES, batches, stalls
from tests.why.scenes import MB, STEP_S, STEPS, ceilings, evidence, flowing, moving, timeline, track, waiting


def mostly(case: Evidence) -> Waiting:
    """What most of the time was spent on."""
    kinds = slices_of(case, case.timelines[0]).kinds
    return max(kinds, key=kinds.count)


def changed(**levels: float | None) -> Evidence:
    """A full network with some tracks changed."""
    return evidence(ceilings(), timeline("cp", **{**flowing(98), **levels}))


def down(line: dict[str, object]) -> Evidence:
    """The same where the server sends."""
    tracks = {name.replace("near_tcp", "far_tcp"): value for name, value in line.items()}
    return evidence(ceilings(), timeline("cp", **tracks), action=Action.RECEIVE)


MEASURED = {
    "full": (changed(), Waiting.NETWORK),
    "slow disk": (evidence(ceilings(), timeline("cp", **waiting(33))), Waiting.SERVER),
    "slow disk, read": (down(waiting(30)), Waiting.SERVER),
    "no processor time at the server": (CAUSES["CPU limit"][0](), Waiting.SERVER),
    "its processor not looked at": (CAUSES["CPU limit unseen"][0](), Waiting.SERVER),
    "closed window": (
        changed(near_tcp_acked_bytes=moving(30), near_tcp_window_limited_ratio=0.8, moved=moving(30)),
        Waiting.SERVER,
    ),
    "closed window, nothing sent": (
        changed(near_tcp_acked_bytes=0.0, near_tcp_unacked_count=0.0, moved=0.0),
        Waiting.SERVER,
    ),
    "stalled": (changed(near_tcp_acked_bytes=0.0, near_tcp_unacked_count=400.0, moved=0.0), Waiting.NETWORK_STALLED),
    "source": (CAUSES["source"][0](), Waiting.CLIENT),
    "client core": (CAUSES["client core"][0](), Waiting.CLIENT),
    "loss": (CAUSES["loss with delay"][0](), Waiting.NETWORK),
}


@pytest.mark.parametrize("name", MEASURED)
def test_a_step_is_put_where_it_belongs(name: str) -> None:
    case, kind = MEASURED[name]
    assert mostly(case) is kind


def test_a_full_queue_without_raw_tcp_to_compare_is_unknown() -> None:
    case = evidence(ceilings(network=None), timeline("cp", **{**flowing(57), "far_service_ratio": None}))
    assert mostly(case) is Waiting.UNKNOWN


def test_without_a_connection_only_a_full_network_is_known() -> None:
    full = {"moved": moving(104), "near_interface_sent_bytes": moving(108)}
    assert mostly(evidence(ceilings(), timeline("cp", **full))) is Waiting.NETWORK
    assert mostly(evidence(ceilings(), timeline("cp", moved=moving(50)))) is Waiting.UNKNOWN


def test_a_full_link_is_known_without_raw_tcp_and_a_slower_one_is_not() -> None:
    """As of a copy that another program does, with no agent."""
    wired = {"link_bits_per_s": 10**9, "link_medium": "wired"}
    for mb_per_s, kind in ((108, Waiting.NETWORK), (57, Waiting.UNKNOWN)):
        line = timeline("cp", **{**flowing(mb_per_s), "moved": None, "far_service_ratio": None})
        case = evidence(Ceilings(), line, near=wired)
        assert mostly(case) is kind
        assert running_rate(look_at(case)) == pytest.approx(mb_per_s * MB)
        assert (": network" in judge(case).says) is (kind is Waiting.NETWORK)


def test_silence_is_the_servers_only_where_this_end_is_known_to_rest() -> None:
    silent = {"near_tcp_queue_bytes": 0.0, "near_tcp_unacked_count": 0.0, "near_tcp_busy_ratio": 0.02, "moved": 0.0}
    assert mostly(evidence(ceilings(), timeline("cp", **silent))) is Waiting.UNKNOWN
    assert mostly(evidence(ceilings(), timeline("cp", **silent, near_service_ratio=0.05))) is Waiting.SERVER
    assert mostly(evidence(ceilings(), timeline("cp", **silent, near_service_ratio=0.95))) is Waiting.CLIENT


def test_the_edges_of_a_stall_belong_to_the_network() -> None:
    seen = look_at(stalls())
    assert seen.slices is not None
    assert set(seen.slices.kinds) == {Waiting.NETWORK, Waiting.NETWORK_STALLED}


@pytest.mark.parametrize(
    ("case", "dips", "period_ns"), [(batches, Waiting.SERVER, 6.75e9), (stalls, Waiting.NETWORK_STALLED, 3e9)]
)
def test_a_swing_tells_what_was_idle(case: object, dips: Waiting, period_ns: float) -> None:
    assert callable(case)
    swing = look_at(case()).swing
    assert swing is not None
    assert swing.dips is dips
    assert swing.period_ns == pytest.approx(period_ns, rel=0.05)
    assert swing.says.startswith(f"In the dips: {dips.value}: send queue")


@pytest.mark.parametrize("period_s", [1.37, 2.6, 3.0, 4.15, 6.65])
@pytest.mark.parametrize("low_share", [0.2, 0.45])
def test_the_period_is_found_within_5_percent(period_s: float, low_share: float) -> None:
    """Swings that do not fit the steps, over 40 s, with noise of a tenth."""
    chance = random.Random(5)
    fine = [0.0 if (at * 0.01) % period_s < low_share * period_s else 104.0 for at in range(160 * 25)]
    moved = [sum(fine[at * 25 : at * 25 + 25]) / 25 * math.exp(chance.gauss(0, 0.1)) for at in range(160)]
    tracks = tuple(track(name, None) for name in ("near.tcp_rtt_ns",))
    line = Timeline("cp", STEP_NS, (replace(track(MOVED, None), values=tuple(map(moving, moved))), *tracks))
    swing = look_at(evidence(ceilings(), line)).swing
    assert swing is not None
    assert swing.period_ns == pytest.approx(period_s * 1e9, rel=0.05)


def stalling(chance: random.Random) -> tuple[list[float], list[float]]:
    """17 s at 104 MB/s with a stall of 0.6 s each 3 s, in steps: what the tool has read, what is acknowledged.

    The tool reads 32 MB at once when less than that waits, as a program that reads ahead does.
    """
    fine_s, block, begun_s = 0.01, 32 * MB, chance.random() * 3
    acked, read = [0.0], [0.0]
    for number in range(int(STEP_S / fine_s) * 68):
        pace = 0.0 if (number * fine_s + begun_s) % 3 < 0.6 else 104 * MB * math.exp(chance.gauss(0, 0.1))
        acked.append(acked[-1] + pace * fine_s)
        read.append(read[-1] + (block if read[-1] - acked[-1] < block else 0.0))

    def in_steps(values: list[float]) -> list[float]:
        return [after - before for before, after in pairwise(values[:: int(STEP_S / fine_s)])]

    return in_steps(read), in_steps(acked)


def test_a_tool_that_reads_ahead_in_large_blocks_hides_no_period() -> None:
    """What the server acknowledged has it in each of 40 copies; by the tool's own progress alone it is found in few."""
    by_both, by_tool = 0, 0
    for seed in range(40):
        read, acked = stalling(random.Random(seed))
        tracks = [replace(track(MOVED, None), values=tuple(read))]
        for found in ("tool", "both"):
            if found == "both":
                tracks.append(replace(track("near.tcp_acked_bytes", None), values=tuple(acked)))
            swing = look_at(evidence(ceilings(), Timeline("cp", STEP_NS, tuple(tracks)))).swing
            is_right = swing is not None and swing.period_ns == pytest.approx(3e9, rel=0.05)
            by_tool += found == "tool" and is_right
            by_both += found == "both" and is_right
    print(f"{by_tool} of 40 by the tool alone, {by_both} with what was acknowledged")
    assert by_both == 40
    assert by_tool < 20


def test_a_steady_copy_has_no_swing() -> None:
    chance = random.Random(6)
    for _ in range(20):
        values = tuple(moving(98 * math.exp(chance.gauss(0, 0.1))) for _ in range(STEPS))
        assert look_at(changed(moved=values)).swing is None


def test_the_vocabulary_has_units() -> None:
    endings = {"bytes": "_bytes", "ns": "_ns", "ratio": "_ratio", "count": "_count", "bytes/s": "_bytes_per_s"}
    assert all(name.endswith(endings[term.unit]) for name, term in TRACKS.items())
    assert {term.kind for term in TRACKS.values()} == {"amount", "level", "share"}
    assert len(TRACKS) == 2 * len(END_TRACKS) + 2
    assert MB == 1e6
