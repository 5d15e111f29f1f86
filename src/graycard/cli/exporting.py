"""Stored results and diagnoses as one document or page, read one by one as it is written: it may exceed the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from graycard.cli.chosen import all_ids, nothing_stored, ordered_ids
from graycard.cli.diagnoses import diagnosis_ids
from graycard.cli.why_page import stored_why_page
from graycard.codec import Document, encode, streamed
from graycard.report.page import Page
from graycard.report.results import results_page
from graycard.store import Store


@dataclass(frozen=True, slots=True)
class Meant:
    """What is to be written, in its order: the ids of results with those of their measurements, and of diagnoses."""

    results: dict[str, str]
    diagnosis_ids: tuple[str, ...]

    def subjects(self) -> Iterator[str]:
        """The ids of all that may have something written beside."""
        yield from dict.fromkeys(self.results.values())
        yield from self.results
        yield from self.diagnosis_ids


def meant_by(store: Store, names: Sequence[str], *, everything: bool) -> Meant:
    """What the names mean, or all there is; the last measurement or diagnosis without names. StoreProblem."""
    if everything:
        results, cases = all_ids(store), tuple(row.id for row in reversed(store.diagnosis_rows()))
        if not results and not cases:
            raise nothing_stored(store.path)
    else:
        cases, others = diagnosis_ids(store, names)
        results = ordered_ids(store, others) if others or not cases else {}
    return Meant(results, cases)


def document_pieces(store: Store, meant: Meant) -> Iterator[bytes]:
    """The document. Whatever is removed meanwhile is left out."""
    document = Document(annotations=store.annotations(meant.subjects()))
    cases = (case for id_ in meant.diagnosis_ids if (case := store.diagnosis(id_)))
    results = (store.text(id_) for id_ in meant.results if store.knows(id_))
    return streamed(document, {"diagnoses": map(encode, cases), "results": results})


def page_pieces(store: Store, meant: Meant, render: Callable[[Page], str]) -> Iterator[bytes]:
    """The page, each measurement and each diagnosis rendered alone. Whatever is removed meanwhile is left out."""
    for number, page in enumerate(_pages(store, meant)):
        yield ("\n" if number else "").encode() + render(page).encode()


def _pages(store: Store, meant: Meant) -> Iterator[Page]:
    for _, ids in groupby(meant.results, key=meant.results.__getitem__):
        found = tuple(store.figures(id_) for id_ in ids if store.knows(id_))
        if found:
            yield results_page(found)
    for id_ in meant.diagnosis_ids:
        if case := store.diagnosis(id_):
            yield stored_why_page(case)
