"""The pages of a set-up and of the volumes."""

from __future__ import annotations

from graycard.facts import fact
from graycard.protocols import Volume
from graycard.readable import fact_title
from graycard.report.markdown import page_markdown
from graycard.report.page import Column, Row, Table, without_empty_columns
from graycard.report.renderers import page_text
from graycard.report.setup import setup_page
from graycard.report.volumes import volumes_page

FACTS = (
    fact("file_system", "exfat", "/proc/self/mountinfo"),
    fact("allocation_unit_bytes", 131072, "statvfs"),
    fact("bus", "usb", "sysfs"),
    fact("link_bits_per_s", 480_000_000, "sysfs speed"),
    fact("server", None, "mountinfo"),
    fact("free_bytes", 20_000_000_000, "statvfs"),
    fact("device_written_bytes", 17, "/proc/diskstats"),
)
VOLUMES = (
    Volume("/", "/dev/vda1", "ext4", 500_000_000_000, 20_000_000_000, False, False, None),
    Volume("/media/card", "/dev/sdb1", "exfat", None, None, True, False, "it is read-only; use --read-only FILE"),
)


def test_warnings_come_first_then_the_factors_with_sources() -> None:
    assert page_text(setup_page("/media/card", FACTS), 100).splitlines() == [
        "/media/card",
        "WARNING  The USB link runs at 480 Mbit/s: ceiling about 40 MB/s. Cable, hub or port (or the drive",
        "         itself) is USB 2 or older; try another.",
        "",
        "Format",
        "  file system      exfat [/proc/self/mountinfo]",
        "  allocation unit  128 KiB [statvfs]",
        "",
        "Connection",
        "  bus              usb [sysfs]",
        "  link             480 Mbit/s [sysfs speed]",
        "  not known        server",
        "",
        "How full",
        "  free             20.0 GB [statvfs]",
    ]


def test_a_set_up_as_markdown() -> None:
    text = page_markdown(setup_page("/media/card", FACTS))
    assert "**Format**\n\n| Fact | Value | Source |\n| --- | --- | --- |\n| file system | exfat |" in text
    assert "- WARNING The USB link" in text


def test_titles_of_facts_leave_the_unit_to_the_value() -> None:
    assert fact_title("allocation_unit_bytes") == "allocation unit"
    assert fact_title("link_ceiling_bytes_per_s") == "link ceiling"
    assert fact_title("file_system") == "file system"


def test_volumes_and_why_one_cannot_be_measured() -> None:
    assert page_text(volumes_page(VOLUMES), 100).splitlines() == [
        "Volume       File system     Free    Size  Measurable  Source",
        "/            ext4         20.0 GB  500 GB  yes         /dev/vda1",
        "/media/card  exfat              —       —  no          /dev/sdb1",
        "",
        "no       /media/card: it is read-only; use --read-only FILE",
    ]


def test_no_volumes() -> None:
    assert page_text(volumes_page(()), 80) == "No volumes were found.\n"


def test_a_column_in_which_no_row_says_anything_goes_with_what_is_joined_to_it() -> None:
    columns = (Column("Task"), Column("Rate"), Column("", joined=True), Column("Loses"), Column("", joined=True))
    table = Table(columns, (Row(("a", "", "single run", "", "")), Row(("b", "1", "", "", ""))))
    left = without_empty_columns(table)
    assert [column.title for column in left.columns] == ["Task", "Rate", ""]
    assert [row.cells for row in left.rows] == [("a", "", "single run"), ("b", "1", "")]
    for whole in (left, Table(columns, ()), Table(columns, (Row(("",) * 5),))):
        assert without_empty_columns(whole) == whole
