"""The steps of an offload, in their order: make the card if asked, copy, read back, write the manifests."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence

from graycard.mhl import HashFormat
from graycard.model import Check, Operation, Verdict
from graycard.offload.census import Census
from graycard.offload.copying import Copying
from graycard.offload.faults import Fault, Kind
from graycard.offload.files import Access
from graycard.offload.job import Leg
from graycard.offload.landing import Landing
from graycard.offload.making import make_card
from graycard.offload.manifests import is_listed
from graycard.offload.meter import Meter
from graycard.offload.results import Measured, leg_of
from graycard.offload.session import Session, shown, with_counters
from graycard.offload.silence import Silence
from graycard.offload.spool import Spool
from graycard.offload.verifying import Reading, verify_all
from graycard.offload.vouching import Vouching, vouch_all
from graycard.offload.witness import from_device
from graycard.offload.writing import Writer


def make(session: Session, card: str) -> None:
    """Fill the root with a synthetic card. RunProblem."""
    meter, job = Meter("make"), session.job

    def made(written_bytes: int) -> None:
        meter.credit(written_bytes - meter.moved_bytes)
        session.tell("making the card", meter)

    make_card(session.host, session.root, card, job.size_bytes, made)


def copy(session: Session, spool: Spool) -> None:
    """Copy to all destinations at once, and keep a result of the source and of each destination."""
    job = session.job
    session.landings = tuple(
        Landing(folder, Access.of(session.host, place.volume), secrets.token_hex(4))
        for folder, place in zip(session.folders, job.destinations, strict=True)
    )
    copying = Copying(
        session.root,
        Access.of(session.host, job.source.volume),
        session.landings,
        job.verify,
        spool,
        is_listed,
        session.faults,
        job.resumes,
        Meter("read"),
        Meter("hash") if job.verify else None,
        tuple(Meter("write") for _ in session.folders),
        job.patience_ns,
    )
    started_at, before = session.clock.utc_now(), session.counters()
    try:
        writers = copying.run(lambda meter, silences: session.tell("copying", meter, silences))
    except KeyboardInterrupt:
        session.silent.update(copying.hanging)
        session.outcome.legs += _legs_so_far(copying)
        raise
    for writer in writers:
        if writer.is_given_up:
            session.give_up(writer.landing.root)
    after = session.counters()
    source = Measured(copying.read, job.source, session.root, Operation.READ, "source", copying.access, started_at)
    session.keep("read", with_counters(source, before, after))
    if copying.hashed is not None:
        session.outcome.legs.append(leg_of("hash", "", copying.hashed))
    for writer, place in zip(writers, job.destinations, strict=True):
        landing = writer.landing
        leg = Measured(writer.meter, place, landing.root, Operation.WRITE, "write", landing.access, started_at)
        session.keep("write", with_counters(leg, before, after))
        _say_of(session, writer)
    if job.census.links_count:
        session.note(f"Links on the card were left out: {_links(job.census)}.")


def _links(census: Census) -> str:
    more = census.links_count - len(census.link_paths)
    return ", ".join(census.link_paths) + (f" and {more} more" if more else "")


def _legs_so_far(copying: Copying) -> Iterator[Leg]:
    """What was read and written until it was stopped; no results, for the legs were cut at any place."""
    yield leg_of("read", copying.root, copying.read)
    for landing, meter in zip(copying.landings, copying.written, strict=True):
        meter.files_count = landing.files_count
        yield leg_of("write", landing.root, meter)


def _say_of(session: Session, writer: Writer) -> None:
    folder = writer.landing.root
    if writer.has_failed:
        session.failed.add(folder)
        session.note(f"{shown(folder)} was given up; {writer.landing.files_count} files in it are whole.")
    if writer.skipped_count:
        session.note(f"{shown(folder)} had {writer.skipped_count} files already; they were not written again.")
    if not writer.landing.keeps_times:
        session.note(f"The file system of {shown(folder)} did not keep the times of all files and folders.")


def verify(session: Session, spool: Spool, kind: HashFormat) -> None:
    """Read back around the cache what was copied, all places at once, and compare."""
    originals: dict[str, str | None] = {
        folder: session.root for folder in session.folders if folder not in session.failed
    }
    if session.job.verifies_source:
        originals[session.root] = None
    if not originals:
        return
    places = session.places
    readings = [
        Reading(root, Access.of(session.host, places[root].volume), Meter("verify"), original)
        for root, original in originals.items()
    ]

    def look(_meter: Meter, silences: Sequence[Silence]) -> None:
        slowest = min((reading.meter for reading in readings), key=lambda meter: meter.moved_bytes)
        session.tell("verifying", slowest, silences)

    started_at, before = session.clock.utc_now(), session.counters()
    try:
        verify_all(kind, spool, readings, session.faults, look, session.job.patience_ns)
    except KeyboardInterrupt:
        session.silent.update(reading.root for reading in readings if reading.silence.is_hanging)
        raise
    for reading in readings:
        if reading.is_given_up:
            session.give_up(reading.root)
            session.outcome.legs.append(leg_of("verify", reading.root, reading.meter))
    readings = [reading for reading in readings if not reading.is_given_up]
    after = session.counters()
    moved_bytes = sum(reading.meter.moved_bytes for reading in readings)
    read = [places[reading.root] for reading in readings]
    witness = from_device(read, moved_bytes, before[session.root], after[session.root])
    for reading in readings:
        leg = Measured(
            reading.meter,
            places[reading.root],
            reading.root,
            Operation.READ,
            "verify",
            reading.access,
            started_at,
            checks=(_equal(session, reading.root, kind), witness),
        )
        session.keep("verify", with_counters(leg, before, after))


def _equal(session: Session, root: str, kind: HashFormat) -> Check:
    count = session.faults.of(root)
    verdict = Verdict.FAIL if count else Verdict.PASS
    says = f"Files that are not what was read from the source: {count}." if count else f"All {kind} hashes are equal."
    return Check("hashes_equal", 0, count, "count", 0.0, verdict, says)


def write_manifests(session: Session, spool: Spool, kind: HashFormat) -> None:
    """A manifest for each copy that is whole; where there is none, why is noted."""
    vouchings = [Vouching(folder) for folder in session.folders if session.is_whole(folder)]
    for folder in session.folders:
        if not session.is_whole(folder):
            session.note(f"No manifest was written in {shown(folder)}: not all of the card is whole there.")
    meter, now = Meter("manifest"), session.clock.utc_now()

    def look(silences: Sequence[Silence]) -> None:
        session.tell("writing the manifests", meter, silences)

    try:
        vouch_all(kind, spool, vouchings, now, session.faults, look, session.job.patience_ns)
    except KeyboardInterrupt:
        session.silent.update(each.folder for each in vouchings if each.silence.is_hanging)
        raise
    finally:
        session.outcome.manifests += [each.written.path for each in vouchings if each.written is not None]
    for each in vouchings:
        if each.is_given_up:
            session.give_up(each.folder)
        else:
            _say_of_manifest(session, each)


def _say_of_manifest(session: Session, each: Vouching) -> None:
    folder = each.folder
    if each.problem is not None:
        session.faults.add(Fault(Kind.NOT_WRITTEN, folder, None, f"No manifest was written: {each.problem}"))
    if each.written is None:
        return
    for path in each.written.failed_paths:
        says = f"{shown(path)} is not what the manifest that came with the card says"
        session.faults.add(Fault(Kind.DIFFERS, folder, path, says))
    for path in each.written.missing_paths:
        says = f"{shown(path)} is in the manifest that came with the card, and is not on the card"
        session.faults.add(Fault(Kind.MISSING, folder, path, says))
