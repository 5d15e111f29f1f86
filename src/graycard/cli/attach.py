"""`graycard results attach`: what other programs say of a set-up, beside results that are stored already."""

from __future__ import annotations

from collections.abc import Sequence

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import chosen_ids, existing_store
from graycard.cli.given_facts import device_option, facts_option, read_given
from graycard.cli.options import global_options, shows_data
from graycard.cli.screen import counted, say, show
from graycard.codec import Document
from graycard.model import Fact, Result
from graycard.report.page import Page
from graycard.report.setup import setup_page
from graycard.store import Store


@click.command("attach")
@click.argument("ids", nargs=-1, required=True)
@facts_option
@device_option
@click.option("--remove", is_flag=True, help="Take away all that was attached to IDS.")
@shows_data
@global_options()
@click.pass_obj
def attach_command(
    app: App, ids: tuple[str, ...], facts: tuple[str, ...], device: str | None, remove: bool, form: str | None
) -> None:
    """Attach what other programs say of the set-up to stored results.

    What a result knows itself stays, and its runs are not touched. What was attached before gives way to what is new.
    Where FILE tells of several devices or mounts, the result's place says which is meant, or --device.
    """
    if remove == bool(facts):
        raise click.UsageError("give --facts FILE, or --remove without it")
    from graycard.readings import without

    given = read_given(facts, device)
    with existing_store(app) as store:
        stored = [store.load(id_) for id_ in chosen_ids(store, ids)]
        changed = tuple(without(each) if remove else given.on(each) for each in stored)
        count = _save(store, stored, changed)
        outlines = tuple(store.outline(each.id) for each in changed)
    show(() if remove else _page(stored, changed), Document(results=outlines), form)
    if remove:
        say(app, (f"Took what was attached away from {counted(count, 'result')}.",))
    elif count:
        say(app, (f"Attached what {given.shown} says to {counted(count, 'result')}.",))
    else:
        say(app, (f"{given.shown} says nothing that the results do not know; nothing was changed.",))


def _save(store: Store, stored: Sequence[Result], changed: Sequence[Result]) -> int:
    """Keep what has changed; how many those are."""
    different = [new for old, new in zip(stored, changed, strict=True) if new.facts != old.facts]
    for each in different:
        store.save(each)
    return len(different)


def _page(stored: Sequence[Result], changed: Sequence[Result]) -> Page:
    """What is new, once for all results that got the same."""
    found: dict[tuple[Fact, ...], list[Result]] = {}
    for old, new in zip(stored, changed, strict=True):
        facts = tuple(each for each in new.facts if each not in old.facts)
        if facts:
            found.setdefault(facts, []).append(new)
    return tuple(block for facts, results in found.items() for block in setup_page(results[0].target.path, facts))
