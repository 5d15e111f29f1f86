"""Looking into drawn charts with a real parser."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from graycard.report.charts import Chart, charts_of, svg
from tests.report import shows

SVG = "{http://www.w3.org/2000/svg}"
REPORTS = {"one drive": shows.one_drive, "two formats": shows.two_formats, "over time": shows.over_time}


@functools.cache
def charts(name: str) -> tuple[Chart, ...]:
    return charts_of(REPORTS[name]())


@functools.cache
def drawn(name: str, chart: str, *, dark: bool = False, narrow: bool = False) -> bytes:
    return svg(next(each for each in charts(name) if each.name == chart), dark=dark, narrow=narrow)


def root_of(drawing: bytes) -> ET.Element:
    return ET.fromstring(drawing)


def texts(drawing: bytes) -> list[str]:
    return ["".join(each.itertext()) for each in root_of(drawing).iter(f"{SVG}text")]


def structure(drawing: bytes) -> list[str]:
    return [each.tag for each in root_of(drawing).iter()]


def colours(drawing: bytes) -> set[str]:
    """Every fill and stroke but none and transparent."""
    return set(_colours(root_of(drawing))) - {"none", "transparent"}


def _colours(root: ET.Element) -> Iterator[str]:
    for element in root.iter():
        yield from (element.attrib[name] for name in ("fill", "stroke") if name in element.attrib)
        yield from re.findall(r"(?:fill|stroke)\s*:\s*([^;]+)", element.attrib.get("style", ""))
