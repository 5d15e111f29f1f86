"""Labels, notes and tags, finding by them and by words, and the records of experiments."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_results import START, a_result
from strategies import texts

from graycard.errors import StoreProblem
from graycard.facts import fact
from graycard.model import Annotations, Origin, Target, TargetKind, Trial
from graycard.store import Annotated, Filter, ResultRow, Store
from graycard.store.derived import folded
from tests.bed.tiers import examples


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "results.db")


@pytest.fixture
def store(path: str) -> Iterator[Store]:
    """Two measurements of two results each, and one imported result whose measurement's id begins as its own."""
    with Store(path) as opened:
        for number, name in enumerate(("a1", "a2", "b1", "b2")):
            opened.save(a_result(name, minute=number, measurement_id=f"m-{name[0]}", run_count=1))
        opened.save(a_result("f00-1", minute=9, measurement_id="f00", origin=Origin("fio", "3.33", "libaio")))
        yield opened


def ids(rows: tuple[ResultRow, ...]) -> list[str]:
    return [row.id for row in rows]


# Annotations


def test_annotations_add_up_and_go_again(store: Store) -> None:
    assert store.annotations(["m-a"]) == {}
    assert store.annotate("m-a", label=" exfat-2026 ", note="first", tags=("usb", "b")) == Annotated("m-a")
    store.annotate("exfat-2026", note="second\nof two lines", tags=("usb", "a"))
    store.annotate("m-a", note="first")
    written = Annotations("exfat-2026", ("first", "second\nof two lines"), ("a", "b", "usb"))
    assert store.annotations(["m-a", "a1", "nothing"]) == {"m-a": written}
    assert store.remove_annotations("m-a", tags=("usb", "nothing")) == 1
    assert store.remove_annotations("m-a", notes=True) == 2
    assert store.annotations(["m-a"]) == {"m-a": Annotations("exfat-2026", (), ("a", "b"))}
    assert store.remove_annotations("m-a", label=True, tags=("a", "b")) == 3
    assert store.annotations(["m-a"]) == {}


def test_a_label_names_one_measurement_and_moves(store: Store) -> None:
    store.annotate("m-a", label="exfat")
    assert ids(store.labelled("exfat")) == ids(store.named("exfat")) == ["a2", "a1"]
    assert store.annotate("b1", label="exfat") == Annotated("b1", moved_from="m-a")
    assert ids(store.labelled("exfat")) == ["b1"]
    assert store.annotate("b1", label="other") == Annotated("b1")
    assert store.labelled("exfat") == ()
    assert store.annotations(["m-a", "b1"]) == {"b1": Annotations("other")}


def test_a_label_goes_before_an_id_that_begins_so(store: Store) -> None:
    store.annotate("b1", label="a1")
    assert ids(store.named("a1")) == ["b1"]


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x00", "x" * 81, "\u202eleft"])
def test_what_cannot_be_a_name_is_refused(name: str, store: Store) -> None:
    with pytest.raises(StoreProblem, match="cannot be a label: write 1 to 80 printable characters"):
        store.annotate("m-a", label=name, note="must not stay")
    with pytest.raises(StoreProblem, match="cannot be a tag"):
        store.annotate("m-a", note="must not stay", tags=("good", name))
    assert store.annotations(["m-a"]) == {}


def test_an_empty_note_is_refused(store: Store) -> None:
    with pytest.raises(StoreProblem, match="the note is empty"):
        store.annotate("m-a", note=" \n")


def test_annotations_go_with_the_last_result_that_they_are_about(store: Store, path: str) -> None:
    store.annotate("m-a", label="x", note="n", tags=("t",))
    store.annotate("a1", label="y", note="n", tags=("t",))
    store.remove(["a1"])
    assert store.annotations(["m-a", "a1"]) == {"m-a": Annotations("x", ("n",), ("t",))}
    store.remove(["a2"])
    with sqlite3.connect(path) as raw:
        for table in ("labels", "notes", "tags"):
            assert raw.execute(f"SELECT * FROM {table}").fetchall() == []
    raw.close()


def test_bytes_that_are_no_text_are_escaped(store: Store) -> None:
    store.annotate("m-a", label="caf\udce9", note="\udcff", tags=("\udcfe",))
    assert store.annotations(["m-a"]) == {"m-a": Annotations(r"caf\xe9", (r"\xff",), (r"\xfe",))}
    assert ids(store.labelled("caf\udce9")) == ids(store.rows(wanted=Filter(tag="\udcfe"))) == ["a2", "a1"]


# Finding


def test_a_name_is_a_measurement_or_a_result(store: Store) -> None:
    assert ids(store.named("m-b")) == ["b2", "b1"]
    assert ids(store.named("b1")) == ["b1"]
    assert ids(store.named("f0")) == ids(store.named("f00")) == ["f00-1"], "the measurement, for nothing else is meant"
    assert ids(store.named("f00-")) == ["f00-1"]
    with pytest.raises(StoreProblem, match=r"beginning of several ids \(m-a, m-b\)"):
        store.named("m")
    store.save(a_result("f01", measurement_id="other"))
    with pytest.raises(StoreProblem, match=r"beginning of several ids \(f00, f00-1, f01\)"):
        store.named("f0")
    for absent in ("x", "", "%", "m-a2", "\udcff"):
        with pytest.raises(StoreProblem, match="begins with"):
            store.named(absent)


def test_tags_and_labels_filter_the_list(store: Store) -> None:
    store.annotate("m-a", tags=("usb",))
    store.annotate("b2", tags=("usb",), label="one")
    assert ids(store.rows(wanted=Filter(tag="usb"))) == ["b2", "a2", "a1"]
    assert ids(store.rows(2, Filter(tag="usb"))) == ["b2", "a2"]
    assert ids(store.rows(wanted=Filter(tag="usb", label="one"))) == ["b2"]
    assert store.rows(wanted=Filter(tag="us")) == ()


def test_a_search_finds_all_words_wherever_they_stand(store: Store) -> None:
    trial = Trial("e1", "file systems", "ExFAT image", randomised=True)
    facts = (fact("device_model", "Samsung T7", "test"), fact("file_system", "exfat", "test"))
    place = Target("/Volumes/Große_Karte", TargetKind.FOLDER)
    store.save(a_result("c1", measurement_id="m-c", minute=20, trial=trial, facts=facts, target=place))
    store.annotate("m-a", label="apfs-2026", note="Kurzes Kabel")
    store.annotate("a1", tags=("Studio-B",))
    for words, found in {
        ("samsung", "EXFAT"): ["c1"],
        ("GROSSE",): ["c1"],
        ("exfat image",): ["c1"],
        ("image", "rnd4k"): ["c1"],
        ("kabel", "apfs"): ["a2", "a1"],
        ("kabel", "studio"): ["a1"],
        ("FIO",): ["f00-1"],
        ("mnt/card", "READ", "graycard"): ["b2", "b1", "a2", "a1"],
        ("a1",): ["a1"],
        ("kabel", "exfat"): [],
        ("%",): [],
        ("_",): ["c1"],
        ("mkabel",): [],
    }.items():
        assert ids(store.search(words)) == found, words
    assert ids(store.search(["mnt/card"], limit=2)) == ["f00-1", "b2"]


def test_a_search_follows_what_is_written_and_taken_away(store: Store) -> None:
    store.annotate("m-a", label="moving", note="gone soon")
    store.annotate("b1", label="moving")
    assert ids(store.search(["moving"])) == ["b1"]
    store.remove_annotations("m-a", notes=True)
    assert store.search(["gone"]) == ()
    store.annotate("m-a", tags=("later",))
    store.save(a_result("a3", minute=5, measurement_id="m-a"))
    assert ids(store.search(["later"])) == ["a3", "a2", "a1"], "a result that joins an annotated measurement"
    store.save(replace(a_result("a1", measurement_id="m-a"), target=Target("/elsewhere", TargetKind.FOLDER)))
    assert ids(store.search(["elsewhere"])) == ["a1"], "the text follows the document"
    store.remove(["a1"])
    assert store.search(["elsewhere"]) == ()


@given(parts=st.lists(texts.filter(str.split), min_size=1, max_size=4), data=st.data())
@settings(
    max_examples=examples(30, 100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_part_of_a_path_in_any_case_is_found(parts: list[str], data: st.DataObject, store: Store) -> None:
    path = "/mnt/" + "/".join(parts)
    store.save(a_result("x", measurement_id="m-x", target=Target(path, TargetKind.FOLDER)))
    try:
        word = data.draw(st.sampled_from(folded(path).split()))
        start = data.draw(st.integers(0, len(word) - 1))
        assert "x" in ids(store.search([word[start:]]))
        assert "x" in ids(store.search([path]))
    finally:
        store.remove(["x"])


# Experiments


def test_the_record_of_an_experiment_is_kept_as_it_is(store: Store) -> None:
    body = b'{"any": "\xff bytes"}'
    store.save_experiment("e12", "file systems", START, b"first")
    store.save_experiment("e12", "file systems", START, body)
    store.save_experiment("e13", "updates", START + timedelta(days=1), b"")
    assert [(row.id, row.name, row.created_at, row.body) for row in store.experiments()] == [
        ("e13", "updates", START + timedelta(days=1), b""),
        ("e12", "file systems", START, body),
    ]
    assert store.experiment("e12") == store.experiment("file systems") == body
    assert store.experiment("e13") == store.experiment("updates") == b""
    for unclear, says in {
        "e1": "several experiments are named “e1” .e12, e13.",
        "x": "no stored",
        "": "no stored",
    }.items():
        with pytest.raises(StoreProblem, match=says):
            store.experiment(unclear)
    assert (store.remove_experiment("e13"), store.remove_experiment("e1")) == (True, False)
    assert [row.id for row in store.experiments()] == ["e12"]


def test_results_are_found_by_experiment_and_configuration(store: Store) -> None:
    for number, configuration in enumerate(("exfat", "ext4")):
        trial = Trial("e1", "file systems", configuration, randomised=True)
        store.save(a_result(f"t{number}", minute=30 + number, trial=trial))
    found = store.rows(wanted=Filter(experiment_id="e1"))
    assert [(row.id, row.configuration) for row in found] == [("t1", "ext4"), ("t0", "exfat")]
    assert ids(store.rows(wanted=Filter(experiment_id="e1", configuration="exfat"))) == ["t0"]
