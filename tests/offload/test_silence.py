"""A destination that does not answer, and no error says so: told, given up after a while; the others finish."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graycard.errors import Interrupted
from graycard.host import this_host
from graycard.measurement import Event
from graycard.mhl import HashFormat
from graycard.offload import Kind, Outcome, planned
from graycard.offload.crew import Crew, answered
from graycard.offload.faults import Faults
from graycard.offload.files import Access
from graycard.offload.items import FileFound
from graycard.offload.landing import Finishers, Landing, Part
from graycard.offload.messages import INBOX_COUNT, Inbox, Piece, send
from graycard.offload.meter import Meter
from graycard.offload.reading import Reader
from graycard.offload.silence import USUAL_PATIENCE_NS, Silence
from graycard.offload.slabs import SLAB_BYTES, Slabs, Stride
from graycard.offload.spool import spool
from graycard.offload.vouching import Vouching, vouch_all
from tests.bed.faults_fuse import wait_until
from tests.offload.carried import MIB, carried, job_of, small_card, tree, write

# As if a call were under way for longer than anybody waits, or just for a while.
FOR_EVER_NS = 10**13
A_WHILE_NS = 5 * 10**9


@pytest.mark.parametrize(("unflushed", "over_s"), [(0, 60), (100_000_000, 70), (12_000_000_000, 1260)])
def test_a_flush_of_much_gets_more_time(unflushed: int, over_s: int) -> None:
    assert not Silence("/mnt/b", over_s * 10**9, unflushed).is_over(USUAL_PATIENCE_NS)
    assert Silence("/mnt/b", over_s * 10**9 + 1, unflushed).is_over(USUAL_PATIENCE_NS)


def test_only_a_call_that_is_under_way_is_silent() -> None:
    meter = Meter("write")
    assert meter.silent_ns == 0
    with meter.busy():
        wait_until(lambda: meter.silent_ns > 0, "time passing")
        before_ns = meter.silent_ns
        wait_until(lambda: meter.silent_ns > before_ns, "time passing")
        meter._heard_ns -= 10**9
        assert meter.silent_ns > 10**9
        meter.answered()
        assert meter.silent_ns < 10**9
    with meter.waiting():
        assert meter.silent_ns == 0


def test_a_closed_inbox_holds_up_nobody_and_gives_the_memory_back() -> None:
    slabs, one, other = Slabs(INBOX_COUNT + 1), Inbox(), Inbox()
    sent = threading.Event()

    def fill() -> None:
        for _ in range(INBOX_COUNT + 1):
            send(Piece(slabs.take(), 1), [one, other])
        sent.set()

    threading.Thread(target=fill, daemon=True).start()
    wait_until(lambda: len(one._messages) == INBOX_COUNT, "a full inbox")
    assert not sent.is_set()
    one.close()
    for _ in range(INBOX_COUNT + 1):
        message = other.get()
        assert isinstance(message, Piece)
        message.slab.let_go()
    assert sent.wait(20)
    for _ in range(INBOX_COUNT + 1):
        slabs.take()  # all are there again
    assert one.get() is None


def test_what_does_not_come_back_is_not_waited_for() -> None:
    never, crew = threading.Event(), Crew(threading.Event())
    assert answered(lambda: None, 20)

    def hang() -> None:
        never.wait(60)

    assert not answered(hang, 0.01)
    thread = crew.start("hangs", hang)
    crew.watch(lambda: crew.leave(thread))
    assert thread.is_alive()
    never.set()


class Hanging:
    """Calls on one file of one destination that do not come back until `answers` is set; `for_ns` have gone by then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, for_ns: int = FOR_EVER_NS) -> None:
        self.answers, self.met = threading.Event(), threading.Event()
        self._start, self._end, self._for_ns = str(folder), name, for_ns
        written, finished = Part.write, Landing.finish

        def write_(part: Part, data: memoryview | bytes) -> bool:
            self._hang(part, "write")
            return written(part, data)

        def finish(landing: Landing, part: Part) -> None:
            self._hang(part, "flush")
            finished(landing, part)

        monkeypatch.setattr(Part, "write", write_)
        monkeypatch.setattr(Landing, "finish", finish)
        self.call = "write"

    def _hang(self, part: Part, call: str) -> None:
        if call == self.call and part.final.startswith(self._start) and part.final.endswith(self._end):
            self.met.set()
            while not self.answers.wait(0.02):  # what else is under way may answer in between
                part.goes_on.__self__.meter._heard_ns = time.monotonic_ns() - self._for_ns


@pytest.mark.parametrize(("name", "call"), [("C/large.mxf", "write"), ("A/two.xml", "flush")])
def test_a_silent_destination_is_given_up_and_the_others_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: str
) -> None:
    card, one, two = small_card(tmp_path), tmp_path / "one", tmp_path / "two"
    for number in range(8):
        write(card / "D" / f"{number}.mxf", MIB + 1)
    one.mkdir()
    two.mkdir()
    hanging = Hanging(monkeypatch, two, name)
    hanging.call = call
    outcome = carried(job_of(card, one, two))
    (fault,) = outcome.faults
    assert (fault.kind, fault.place, fault.path) == (Kind.FAILED, str(two / "CARD"), None)
    assert fault.says.startswith(f"{two / 'CARD'} has not answered for ")
    assert "go on with --resume" in fault.says
    assert outcome.complete == {str(one / "CARD"): True, str(two / "CARD"): False}
    assert tree(one / "CARD") == tree(card)
    assert outcome.manifests == [str(each) for each in (one / "CARD" / "ascmhl").glob("*.mhl")]
    assert len(outcome.manifests) == 1
    hanging.answers.set()
    wait_until(lambda: not list(two.rglob("*.part")), "the removal of what was not whole")
    for path, (data, _) in tree(two / "CARD").items():
        assert data is None or data == tree(card)[path][0], "what has its own name is whole"


def test_a_silent_destination_is_told_and_a_stop_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it when a stop is asked for, and the others leave nothing that is not whole."""
    card, one, two = small_card(tmp_path), tmp_path / "one", tmp_path / "two"
    for number in range(8):
        write(card / "D" / f"{number}.mxf", MIB + 1)
    one.mkdir()
    two.mkdir()
    hanging = Hanging(monkeypatch, two, "C/large.mxf", A_WHILE_NS)

    def listen(event: Event) -> None:
        if "two/CARD has not answered for 5 s" in event.says:
            raise KeyboardInterrupt

    outcome = Outcome("0123456789abcdef")
    with pytest.raises(Interrupted) as stopped:
        carried(job_of(card, one, two), listen, outcome)
    assert hanging.met.is_set()
    assert re.search(rf"{re.escape(str(two))}/CARD do(es)? not answer, so a “.part” may be left", str(stopped.value))
    assert list(one.rglob("*.part")) == []
    assert list(two.rglob("*.part"))
    hanging.answers.set()
    wait_until(lambda: not list(two.rglob("*.part")), "the removal of what was not whole")


def test_what_a_silent_place_keeps_of_a_synthetic_card_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    hanging = Hanging(monkeypatch, two, "A001C001_141024_R2EC.mxf", A_WHILE_NS)

    def tried(work: Callable[[], None], _patience_s: float) -> bool:
        work()
        return False

    def listen(event: Event) -> None:
        if "has not answered for 5 s" in event.says:
            raise KeyboardInterrupt

    monkeypatch.setattr("graycard.offload.places.answered", tried)
    size_bytes = 12_000_000
    job = replace(job_of(one, one, two), card="arri", size_bytes=size_bytes, census=planned("arri", size_bytes))
    outcome = Outcome("0123456789abcdef")
    with pytest.raises(Interrupted) as stopped:
        carried(job, listen, outcome)
    hanging.answers.set()
    left = f"hat was made in {two} is left; when that answers, graycard clean {two} removes it"
    assert str(stopped.value) == f"stopped; w{left}"
    assert outcome.notes == [f"W{left}."]


def test_a_long_call_makes_the_next_ones_short() -> None:
    stride = Stride()
    little = stride.step_bytes
    stride.took(little, 40_000_000)
    assert stride.step_bytes == little, "a slab would take more than 0.25 s"
    stride.took(little, 30_000_000)
    assert stride.step_bytes == SLAB_BYTES
    stride.took(SLAB_BYTES, 260_000_000)
    assert stride.step_bytes == little
    stride.took(little, 1_000_000)
    assert stride.step_bytes == little, "what was slow once may be again"


def test_a_silent_copy_is_given_up_while_it_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card, one, two = small_card(tmp_path), tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    answers, small = threading.Event(), Reader._small

    def hanging(reader: Reader, found: FileFound) -> None:
        if reader.root == str(two / "CARD"):
            with reader.meter.busy():
                reader.meter._heard_ns -= FOR_EVER_NS
                answers.wait(60)
        small(reader, found)

    monkeypatch.setattr(Reader, "_small", hanging)
    outcome = carried(job_of(card, one, two))
    answers.set()
    assert [(each.kind, each.place) for each in outcome.faults] == [(Kind.FAILED, str(two / "CARD"))]
    assert outcome.complete == {str(one / "CARD"): True, str(two / "CARD"): False}
    assert len(outcome.manifests) == 1
    verified = [leg.place for leg in outcome.legs if leg.name == "verify"]
    assert sorted(verified) == [str(one / "CARD"), str(two / "CARD")]
    assert all(each.target.path != str(two / "CARD") for each in outcome.results if each.task.variant == "verify")


def test_of_names_that_may_be_one_the_first_is_finished_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several are flushed at once; the first waits until all the others could have been finished before it."""
    finished: list[str] = []
    lock, others = threading.Lock(), threading.Event()

    def finish(_landing: Landing, part: Part) -> None:
        if part.final.endswith("CLIP.MOV"):
            assert others.wait(20)
        part.file.close()
        with lock:
            finished.append(os.path.basename(part.final))
        if part.final.endswith("z.mov"):
            others.set()

    monkeypatch.setattr(Landing, "finish", finish)
    landing = Landing(str(tmp_path), Access(this_host(), bypasses=False), "01234567")
    finishers = Finishers(landing, lambda: True, lambda found, error: None)
    names = ["CLIP.MOV", "clip.mov", "Ä.mov", "A\u0308.MOV", "z.mov"]
    for name in names:
        finishers.take(landing.begin(FileFound(name, 0, 0), is_large=False))
    finishers.end()
    assert sorted(finished) == sorted(names)
    assert finished.index("CLIP.MOV") < finished.index("clip.mov")
    assert finished.index("Ä.mov") < finished.index("A\u0308.MOV")
    assert finishers._under_way == {}


@pytest.mark.parametrize(("away_s", "is_given_up"), [(-1.0, False), (FOR_EVER_NS, True)], ids=["stopped", "running"])
def test_who_was_stopped_himself_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, away_s: float, is_given_up: bool
) -> None:
    """After Ctrl-Z a call seems to have taken as long as the stop did."""
    looked, faults, vouching = threading.Event(), Faults(), Vouching("/mnt/b")
    monkeypatch.setattr("graycard.offload.crew.AWAY_S", away_s)
    monkeypatch.setattr(Vouching, "run", lambda *_: looked.wait(20))
    vouching.meter._is_calling = True
    vouching.meter._heard_ns -= FOR_EVER_NS

    def look(_silences: Sequence[Silence]) -> None:
        looked.set()

    with spool() as records:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        vouch_all(HashFormat.XXH3, records, [vouching], now, faults, look, USUAL_PATIENCE_NS)
    assert (vouching.is_given_up, faults.count) == (is_given_up, int(is_given_up))
