"""The page of comparisons: verdicts first, then the figures, what differs and the caveats, each once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.compare import compare
from graycard.compare.caveats import NOT_PAIRED
from graycard.facts import fact
from graycard.model import Arm, Comparison, IoTask, Likeness
from graycard.report.comparisons import comparisons_page
from graycard.report.markdown import page_markdown
from graycard.report.printable import cell_width
from graycard.report.renderers import page_text
from tests.compare.made import TASK, failed, measured, trialled

FAST = (100.0, 103.0, 97.0, 101.5, 98.5, 100.0)
SLOW = tuple(rate * 0.8 for rate in (103.0, 100.0, 97.0, 101.5, 100.0, 98.5))
EXT4 = (fact("file_system", "ext4", "x"), fact("bus", "usb", "x"))
EXFAT = (fact("file_system", "exfat", "x"), fact("bus", "usb", "x"))
DEEP: IoTask = replace(TASK, depth_count=64)


def experiment() -> tuple[Comparison, ...]:
    base = Arm("ext4", (trialled("a", FAST, is_base=True, facts=EXT4),))
    slow = Arm("exfat", (trialled("b", SLOW, is_base=False, facts=EXFAT),))
    same = Arm("twin", (measured("c", FAST[::-1], facts=EXT4), measured("d", FAST, DEEP, facts=EXT4)))
    return compare(base, (slow, same))


def test_the_page_in_text() -> None:
    assert page_text(comparisons_page(experiment(), "File systems"), 100).splitlines() == [
        "File systems",
        "exfat beside ext4",
        "SLOWER   SEQ1M QD8 read: exfat is at least 18 % slower than ext4 (20 % slower, 95 % interval 18 to",
        "         22 %).",
        "",
        "Task                  ext4      exfat  Ratio                      Runs  Would find  Verdict",
        "SEQ1M QD8 read  100.0 MB/s  80.0 MB/s  0.800 (0.783 to 0.817)  6 pairs       2.8 %  slower",
        "",
        "What differs, the largest suspect first",
        "  format  file system: ext4 against exfat",
        "",
        "twin beside ext4",
        "?        SEQ1M QD8 read: cannot tell yet: twin could be 3.2 % slower to 3.3 % faster than ext4; 6",
        "         more runs of each would show a difference of 3 %.",
        "—        SEQ1M QD64 read: not comparable: only twin measured it; ext4 measured SEQ1M QD8 read.",
        "",
        "Task                   ext4        twin  Ratio                   Runs  Would find  Verdict",
        "SEQ1M QD8 read   100.0 MB/s  100.0 MB/s   1.00 (0.968 to 1.03)  6 + 6       4.4 %  cannot tell",
        "SEQ1M QD64 read           —  100.0 MB/s      —                      —           —  not comparable",
        "",
        "Nothing that is known differs between the two set-ups.",
        "caveat   Not paired: they were measured at different times, so a drift of the machine counts as a",
        "         difference.",
        "Ratio: other over base, with its 95 % interval, which holds for all 2 comparisons together.",
        "Material: 3 % or more. Would find: the smallest change that so many runs find in 4 of 5 cases.",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = page_text(comparisons_page(experiment()), width).splitlines()
    assert max(map(cell_width, lines)) <= width


def test_a_caveat_is_said_once_with_the_tasks_it_holds_for() -> None:
    base = Arm("A", (measured("a", FAST), measured("b", FAST, DEEP)))
    other = Arm("B", (measured("c", SLOW), failed(measured("d", SLOW, DEEP))))
    lines = page_text(comparisons_page(compare(base, (other,)))).splitlines()
    assert [line for line in lines if "Not paired" in line] == [f"caveat   {NOT_PAIRED}"]
    assert "caveat   SEQ1M QD64 read: B failed the check test; its results say why." in lines
    assert "! A check failed: this figure is not what it claims to be, so build nothing on its comparison." in lines
    assert any(line.startswith("! SEQ1M QD64 read") and "! 80.0 MB/s" in line for line in lines)
    assert any(line.startswith("SEQ1M QD8 read") for line in lines)


def test_markdown_is_a_table() -> None:
    text = page_markdown(comparisons_page(experiment()))
    assert "| Task | ext4 | exfat | Ratio | Runs | Would find | Verdict |" in text
    assert "| format | file system: ext4 against exfat |  |" in text
    assert "- — SEQ1M QD64 read: not comparable: only twin measured it; ext4 measured SEQ1M QD8 read." in text


def test_hostile_names_neither_break_the_table_nor_move_the_cursor() -> None:
    name = "/mnt/\x1b[2J|`<b>*a*\n\u202egpj" * 9
    found = compare(Arm(name, (measured("a", FAST),)), (Arm("B\n\x07", (measured("b", SLOW),)),))
    page = comparisons_page(found, name)
    for text in (page_text(page), page_markdown(page)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    rows = [line for line in page_markdown(page).splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {8}


def test_figures_that_mean_nothing_are_not_printed() -> None:
    wild = compare(Arm("A", (measured("a", (1, 900, 5)),)), (Arm("B", (measured("b", (1, 700, 9)),)),))
    text = page_text(comparisons_page(wild))
    assert "(<0.01 to >100)" in text
    assert "  > 100 %  " in text


def test_nothing_to_compare_is_an_empty_page() -> None:
    assert comparisons_page(()) == ()


def test_every_verdict_has_its_mark() -> None:
    (found,) = compare(Arm("A", (measured("a", FAST),)), (Arm("B", (measured("b", SLOW),)),))
    for verdict in Likeness:
        assert page_text(comparisons_page((replace(found, verdict=verdict),)))
