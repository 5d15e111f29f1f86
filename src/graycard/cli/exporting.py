"""Stored results and diagnoses as one JSON document, read one by one as it is written: it may be longer than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycard.cli.chosen import all_ids, nothing_stored, ordered_ids
from graycard.cli.diagnoses import diagnosis_ids
from graycard.codec import Document, encode, streamed
from graycard.store import Store


@dataclass(frozen=True, slots=True)
class Meant:
    """The ids of what is to be written, in its order; `subjects` are those that may have something written beside."""

    result_ids: tuple[str, ...]
    diagnosis_ids: tuple[str, ...]
    subjects: tuple[str, ...]


def meant_by(store: Store, names: Sequence[str], *, everything: bool) -> Meant:
    """What the names mean, or all there is; the last measurement or diagnosis without names. StoreProblem."""
    if everything:
        results, cases = all_ids(store), tuple(row.id for row in reversed(store.diagnosis_rows()))
        if not results and not cases:
            raise nothing_stored(store.path)
    else:
        cases, others = diagnosis_ids(store, names)
        results = ordered_ids(store, others) if others or not cases else {}
    return Meant(tuple(results), cases, (*dict.fromkeys((*results.values(), *results)), *cases))


def pieces_of(store: Store, meant: Meant) -> Iterator[bytes]:
    """The document. Whatever is removed meanwhile is left out."""
    document = Document(annotations=store.annotations(meant.subjects))
    cases = (case for id_ in meant.diagnosis_ids if (case := store.diagnosis(id_)))
    results = (store.text(id_) for id_ in meant.result_ids if store.knows(id_))
    return streamed(document, {"diagnoses": map(encode, cases), "results": results})
