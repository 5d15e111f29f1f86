"""`graycard offload`: a camera card, real or synthetic, to one to three places at once, hashed and verified."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator

import rich_click as click

from graycard.cli.app import App
from graycard.cli.offload_documents import OffloadPlanDocument, document_of
from graycard.cli.offload_options import OffloadAsked, offload_options
from graycard.cli.offload_page import offload_page
from graycard.cli.offload_run import carry_out_offload
from graycard.cli.options import Place, global_options, shows_data
from graycard.cli.screen import counted, note, show
from graycard.errors import AccuracyProblem, PlanProblem, Problem, RunProblem, TargetProblem
from graycard.model import TargetKind
from graycard.offload import (
    CARDS,
    MOST_DESTINATIONS_COUNT,
    Census,
    Job,
    Kind,
    Outcome,
    census_of,
    folder_of,
    planned,
    refuse,
    refuse_cards,
)
from graycard.offload import Place as CardPlace
from graycard.protocols import Host
from graycard.report.page import Note, Page, Tone
from graycard.report.printable import printable
from graycard.units import format_size

LEAST_PATIENCE_NS = 1_000_000_000


@click.command("offload")
@click.argument("places", nargs=-1, required=True, metavar="[SOURCE] DEST…", type=Place())
@offload_options
@shows_data
@global_options()
@click.pass_obj
def offload_command(app: App, places: tuple[str, ...], asked: OffloadAsked, form: str | None) -> None:
    """Copy the card SOURCE into a new folder below each DEST (one to three), and prove that the copies are right.

    The card is read once, hashed while it is copied, and every copy is read back around the cache. A file has its own
    name only when it is whole; nothing is ever overwritten. Each leg's rate is shown, and which one limits. With --card
    there is no SOURCE: a synthetic card is made and copied, and all of it is removed at the end.
    """
    job = _job(app.host(), places, asked)
    refuse(job)
    says, warned = tuple(_sentences(job)), tuple(_warnings(job))
    announcement = _announcement(says, warned)
    if asked.plan:
        show(announcement, _plan_document(job, says, warned), form)
        return
    note(app, announcement, gap=True)
    outcome = Outcome(secrets.token_hex(8))
    title = f"Offload of {job.source.target.path if job.card is None else f'a synthetic card ({job.card})'}"
    try:
        carry_out_offload(app, app.host(), job, outcome)
    except Problem:
        if outcome.legs:
            show(offload_page(outcome, title), document_of(outcome), form)
        raise
    show(offload_page(outcome, title), document_of(outcome), form)
    if outcome.results:
        id_ = outcome.id[:8]
        note(app, (Note(f"Stored as {id_}; see it again with: graycard results show {id_}", Tone.QUIET),))
    complain(outcome)


def complain(outcome: Outcome) -> None:
    """AccuracyProblem where bytes are not those that they should be, RunProblem where something was not copied."""
    count = sum(fault.kind is not Kind.NEW for fault in outcome.faults)
    if outcome.mismatch:
        raise AccuracyProblem(f"{counted(count, 'fault')} found: do not erase the card, and copy what is named again")
    if count:
        says = f"{counted(count, 'fault')} met: do not erase the card; see to the cause, then go on with --resume"
        raise RunProblem(says, errno=None, offset_bytes=None, phase="measure")


# ---- what is asked for ----


def _job(host: Host, places: tuple[str, ...], asked: OffloadAsked) -> Job:
    """The job; nothing is touched, but the card is looked through."""
    sources, given = ((), places) if asked.card else (places[:1], places[1:])
    _check_words(asked, given)
    destinations = tuple(_place(host, path) for path in given)
    if asked.card:
        refuse_cards([place.target for place in destinations], says_where=asked.card_on is not None)
        source = _place(host, asked.card_on) if asked.card_on else destinations[0]
        return _made(asked, source, destinations, CARDS[asked.card].name, planned(asked.card, asked.size))
    source = _place(host, sources[0])
    if source.target.kind is TargetKind.FILE:
        raise TargetProblem(f"{source.target.shown} is a file; name the folder of the card")
    name = asked.name or os.path.basename(source.target.path)
    if not name:
        raise PlanProblem(f"{source.target.shown} has no name of its own for the copies; give one with --name")
    return _made(asked, source, destinations, name, census_of(source.target.path, lambda _: None))


def _made(
    asked: OffloadAsked, source: CardPlace, destinations: tuple[CardPlace, ...], name: str, census: Census
) -> Job:
    return Job(
        source=source,
        destinations=destinations,
        name=name,
        census=census,
        verify=asked.kind,
        card=asked.card,
        size_bytes=asked.size,
        verifies_source=asked.verify_source,
        resumes=asked.resume,
        writes_manifest=not asked.no_manifest,
        card_bytes=asked.card_size,
        patience_ns=asked.patience,
    )


def _check_words(asked: OffloadAsked, given: tuple[str, ...]) -> None:
    if not given:
        raise click.UsageError("Missing argument 'DEST': name the folder to copy into")
    if len(given) > MOST_DESTINATIONS_COUNT:
        raise click.UsageError(f"at most {MOST_DESTINATIONS_COUNT} destinations at once, not {len(given)}")
    if asked.card_on and not asked.card:
        raise click.UsageError("--card-on says where a synthetic card is made, so give --card, too")
    if asked.card and (asked.resume or asked.name):
        raise click.UsageError("copies of a synthetic card are removed: --resume and --name are for real ones")
    if asked.name is not None and (asked.name in {"", ".", ".."} or os.path.basename(asked.name) != asked.name):
        raise click.UsageError("--name is the name of one folder, without a path")
    if asked.patience < LEAST_PATIENCE_NS:
        raise click.UsageError("--patience is at least 1s: a drive may be busy for that long")
    if asked.verify_source and asked.kind is None:
        raise click.UsageError("--verify-source compares hashes, so leave --verify none out")


def _place(host: Host, path: str) -> CardPlace:
    target = host.resolve(path)
    return CardPlace(target, host.volume(target), host.facts(target))


# ---- what is said beforehand ----


def _sentences(job: Job) -> Iterator[str]:
    census, to = job.census, ", ".join(folder_of(job, place) for place in job.destinations)
    amount = f"{counted(census.files_count, 'file')}, {format_size(census.total_bytes)}"
    if job.card is not None:
        places = ", ".join(place.target.path for place in job.destinations)
        yield (
            f"Makes a synthetic card ({CARDS[job.card].says}; {amount}) in {job.source.target.path}, and copies it to "
            f"{places}, in folders of its own that are removed at the end."
        )
    else:
        yield f"Copies {job.source.target.path} ({amount}) to {to}."
    written = census.total_bytes * (len(job.destinations) + (job.card is not None))
    yield f"Writes {format_size(written)} in all; reads the card once."
    if job.verify is not None:
        source = " and the card" if job.verifies_source else ""
        manifest = "; writes an ASC MHL manifest into each" if job.writes_manifest and job.card is None else ""
        yield f"Hashes by {job.verify}, reads every copy{source} back around the cache, and compares{manifest}."


def _warnings(job: Job) -> Iterator[str]:
    census = job.census
    if census.links_count:
        named = ", ".join(census.link_paths)
        yield f"{counted(census.links_count, 'link')} on the card will not be followed or copied: {named}."
    if not census.files_count:
        yield f"There is no file in {job.source.target.path}; is it the folder of the card?"
    if job.verify is None:
        yield "Without hashes a wrong copy is not found, and no manifest is written."
    for place in job.destinations:
        if place.volume.source == job.source.volume.source:
            yield f"The card and {place.target.path} are on one drive, which reads and writes at once."


def _announcement(says: tuple[str, ...], warned: tuple[str, ...]) -> Page:
    return (
        *(Note(printable(each)) for each in says),
        *(Note(printable(each), Tone.CAVEAT, "WARNING") for each in warned),
    )


def _plan_document(job: Job, says: tuple[str, ...], warned: tuple[str, ...]) -> OffloadPlanDocument:
    folders = tuple(folder_of(job, place) for place in job.destinations) if job.card is None else ()
    census = job.census
    return OffloadPlanDocument(
        source=job.source.target.path,
        folders=folders,
        files_count=census.files_count,
        total_bytes=census.total_bytes,
        verify=job.verify,
        says=says,
        warnings=warned,
    )
