"""Which of several devices is meant, what is attached to a result, and that it can be taken away again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.errors import ImportProblem
from graycard.facts import fact, value
from graycard.model import Fact, Result, Target, TargetKind
from graycard.protocols import Reading
from graycard.readings import Document, attached, choose, read_document, without
from graycard.readings.attaching import marked
from tests.importers.samples import OWN
from tests.made_results import a_result

LSBLK = read_document((OWN / "readings" / "lsblk.json").read_bytes(), "lsblk.json")
SMB = read_document((OWN / "readings" / "smbstatus.json").read_bytes(), "smb.json")


def at(path: str, *facts: Fact) -> Result:
    return replace(a_result("ab12"), target=Target(path, TargetKind.FOLDER), facts=facts)


@pytest.mark.parametrize(
    ("result", "device", "name"),
    [
        (at("/media/anna/MEDIA/folder"), None, "sda1"),
        (at("/media/anna/MEDIA"), None, "sda1"),
        (at("/home/anna"), None, "root"),
        (at("/dev/sda"), None, "sda"),
        (at("(not recorded)", fact("device_name", "nvme0n1p1", "test")), None, "nvme0n1p1"),
        (at("D:\\video", fact("mount_point", "/media/anna/MEDIA", "test")), None, "sda1"),
        (at("/home/anna"), "sda", "sda"),
        (at("/home/anna"), "/dev/SDA1", "sda1"),
        (at("(not recorded)"), "media", "sda1"),
        (at("(not recorded)"), "/media/anna/MEDIA/folder", "sda1"),
        # All parts of one drive have its model: the drive itself is meant.
        (at("(not recorded)"), "Portable SSD", "sda"),
    ],
)
def test_it_is_chosen_by_place_or_name(result: Result, device: str | None, name: str) -> None:
    assert choose(LSBLK, result, device).names[0] == name


@pytest.mark.parametrize(
    "path", ["(not recorded)", "D:\\video", "/mnt/nas/video", "/Volumes/T7", "relative", "/media/anna/MEDIA2"]
)
def test_it_is_never_guessed(path: str) -> None:
    with pytest.raises(
        ImportProblem, match=r"^lsblk.json tells of 5 things, .* sda1 \(/media/anna/MEDIA\), .*--device$"
    ):
        choose(LSBLK, at(path), None)


def test_a_name_that_is_not_there_is_told_with_the_choices() -> None:
    with pytest.raises(ImportProblem, match="no “sdx”: name one of sda, sda1"):
        choose(LSBLK, at("/home"), "sdx")


def test_many_choices_are_counted() -> None:
    many = Document("a", "b", tuple(Reading((f"d{number}",), (fact("bus", str(number), "t"),)) for number in range(30)))
    with pytest.raises(ImportProblem, match="d7 and 22 more by --device"):
        choose(many, None, None)


def test_a_session_is_chosen_by_client_or_share() -> None:
    assert value(choose(SMB, None, "192.0.2.12").facts, "protocol_version") == "2.1"
    assert value(choose(SMB, None, "media").facts, "protocol_version") == "3.1.1"
    with pytest.raises(ImportProblem, match=r"192\.0\.2\.11, 192\.0\.2\.12"):
        choose(SMB, at("/home"), None)


def test_what_says_the_same_needs_no_choice() -> None:
    one = Reading(("a",), (fact("bus", "usb", "x"),))
    assert choose(Document("a", "b", (one, replace(one, names=("b",)))), None, None) is one


def test_what_is_attached_completes_what_the_result_knows() -> None:
    known, unknown = fact("bus", "usb", "sysfs"), fact("device_model", None, "sysfs")
    result = at("/a", known, unknown)
    first = [fact("bus", "nvme", "one"), fact("device_model", "A", "one"), fact("device_model", "B", "two")]
    found = attached(result, [marked(each, "a.json") for each in first])
    assert (value(found.facts, "bus"), value(found.facts, "device_model")) == ("usb", "A")
    assert found.facts[-1].source == "attached from a.json: one"
    assert (found.runs, found.summary) == (result.runs, result.summary)
    again = attached(found, [marked(fact("device_model", "C", "three"), "b.json")])
    assert [each.value for each in again.facts if each.name == "device_model"] == [None, "C"]
    assert attached(again, [marked(fact("device_model", "C", "three"), "b.json")]) is again
    assert without(again) == result
