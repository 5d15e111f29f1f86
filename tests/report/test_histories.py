"""The pages of histories, with figures and texts that are known."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from graycard.model import Difference, Entry, Era, Estimate, History, Standing
from graycard.report.histories import course, histories_page, set_ups_page
from graycard.report.markdown import page_markdown
from graycard.report.renderers import page_text
from tests.report.examples import CREATED_AT

EXPECTED = Estimate(500e6, 480e6, 521e6, "bytes/s", 20, 0.99, "test")
CHANGE = Difference("system", "kernel_version", None, "6.1", "6.5", "kernel version: 6.1 against 6.5")


def entry(day: int, rate: float, standing: Standing, expected: Estimate | None = EXPECTED) -> Entry:
    moment = CREATED_AT + timedelta(days=day)
    return Entry(f"r{day}", f"m{day}", moment, rate * 1e6, rate * 0.98e6, rate * 1.02e6, expected, standing)


HISTORY = History(
    "SEQ1M QD8 read",
    "Fast SSD · exfat",
    (
        Era((entry(0, 500, Standing.USUAL), entry(1, 450, Standing.UNUSUAL), entry(2, 900, Standing.NOT_COUNTED))),
        Era((replace(entry(3, 300, Standing.FIRST, None), rate_low_bytes_per_s=None),), (CHANGE,)),
    ),
    "This is the first result since the set-up changed.",
)
LEVEL = History("RND4K QD1 read", HISTORY.device, (Era((entry(2, 50, Standing.REGRESSION),)),), "It is slower.")
OTHER = History("SEQ1M QD8 read", "Old disk", (Era((entry(4, 100, Standing.USUAL),)),), "It is as usual.")


HOSTILE = "Drive\x1b[2J|`<b>\n\u202egpj"
ANY_TEXT = st.text(st.characters(), max_size=100)


def named(text: str) -> History:
    change = replace(CHANGE, says=text)
    eras = (replace(HISTORY.eras[0], changes=(change,)), replace(HISTORY.eras[1], changes=(change,)))
    return History(text, text, eras, text)


def test_a_history_shows_each_result_beside_its_expectation_and_what_changed() -> None:
    assert page_text(histories_page((HISTORY, LEVEL))).splitlines() == [
        "Fast SSD · exfat",
        "SEQ1M QD8 read",
        "▇▅█│▁",
        "",
        "Measured (UTC)          Rate                      Expected  Standing",
        "2026-11-30 13:40    500 MB/s (490 to 510)  480 to 521 MB/s  usual",
        "2026-12-01 13:40    450 MB/s (441 to 459)  480 to 521 MB/s  unusual",
        "2026-12-02 13:40  ! 900 MB/s (882 to 918)  480 to 521 MB/s  not counted",
        "",
        "changed  kernel version: 6.1 against 6.5",
        "",
        "Measured (UTC)        Rate                Expected  Standing",
        "2026-12-03 13:40  300 MB/s (no interval)         —  first",
        "",
        "This is the first result since the set-up changed.",
        "",
        "RND4K QD1 read",
        "▅",
        "",
        "Measured (UTC)         Rate                        Expected  Standing",
        "2026-12-02 13:40  50.0 MB/s (49.0 to 51.0)  480 to 521 MB/s  regression",
        "",
        "It is slower.",
        "! A check failed: this figure is not what it claims to be, and is not counted.",
    ]


def test_set_ups_take_a_line_each_what_stands_out_first() -> None:
    assert page_text(set_ups_page((HISTORY, LEVEL, OTHER))).splitlines() == [
        "Set-up            Newest (UTC)      Tasks  Newest results",
        "Fast SSD · exfat  2026-12-03 13:40      2  1 regression, 1 first",
        "Old disk          2026-12-04 13:40      1  1 usual",
    ]


def test_nothing_stored_says_what_to_do() -> None:
    says = "No results of a drive or share are stored yet; graycard measure PATH makes the first.\n"
    assert page_text(histories_page(())) == page_text(set_ups_page(())) == says


def test_scatter_of_some_per_cent_is_no_mountain() -> None:
    eras = (Era(tuple(entry(day, rate, Standing.USUAL) for day, rate in enumerate((500, 505, 495, 510, 498)))),)
    assert len(set(course(eras))) <= 2


def test_a_fall_by_half_is_one() -> None:
    eras = (Era(tuple(entry(day, rate, Standing.USUAL) for day, rate in enumerate((500, 500, 500, 250)))),)
    assert course(eras) == "▆▆▆▁"


def test_a_failed_result_alone_has_a_course() -> None:
    assert course((Era((entry(0, 500, Standing.NOT_COUNTED),)),)) == "▅"


def test_a_device_of_a_hostile_name_stays_on_its_line() -> None:
    text = page_text(histories_page((named(HOSTILE),)))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 17
    assert "\\|\\`\\<b\\>" in page_markdown(set_ups_page((named(HOSTILE),)))


@given(ANY_TEXT)
def test_any_text_renders_everywhere(text: str) -> None:
    for page in (histories_page((named(text),)), set_ups_page((named(text),))):
        page_text(page).encode()
        page_markdown(page).encode()
    assert len(page_text(set_ups_page((named(text),))).splitlines()) == 2
