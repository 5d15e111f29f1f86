"""The `[[configuration]]` tables of a plan file. Its keys show what kind each is: file_system, volume_of or neither."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace

from graycard.experiment.table import Table
from graycard.experiment.templates import FOLDER
from graycard.model.experiment import Configuration
from graycard.model.image import FILE_SYSTEMS, Image, file_system_named
from graycard.units import parse_size

IMAGE_KEYS = ("size", "allocation_unit", "format_options")


def place_from(base: str) -> Callable[[str], str]:
    """A parser of paths that count from the folder `base`; it takes none that a template has left open."""

    def parse(text: str) -> str:
        if text == FOLDER:
            raise ValueError(f"is still the example's “{text}”; write the path of a folder on the drive to be measured")
        return os.path.normpath(os.path.join(base, os.path.expanduser(text)))

    return parse


class ConfigurationReader:
    """Reads one table after the other; `folder` and `image_size_bytes` hold where a table says nothing."""

    def __init__(self, base: str, folder: str | None, image_size_bytes: int | None) -> None:
        self._base = base
        self._folder = folder
        self._image_size_bytes = image_size_bytes
        self.read: list[Configuration] = []

    def take(self, table: Table) -> None:
        """Read one more."""
        name = table.text("name")
        if name is None:
            raise table.problem("name", "is missing; give every configuration a name")
        table.place = f"{table.place} (“{name}”)"
        folder = table.parsed("folder", place_from(self._base))
        step, shared, file_system = (
            table.text("step"),
            table.text("volume_of"),
            table.parsed("file_system", _file_system),
        )
        mount_options = table.texts("mount_options", _option)
        size, unit = table.parsed("size", parse_size), table.parsed("allocation_unit", parse_size)
        format_options = table.texts("format_options", _option)
        table.end()
        shaping = dict(zip(IMAGE_KEYS, (size, unit, format_options), strict=True))
        if shared is not None:
            given = {"folder": folder, "file_system": file_system, "step": step, **shaping}
            _refuse(table, given, f"cannot differ on the volume of “{shared}”; leave it out, or leave out volume_of")
            self.read.append(self._sharing(table, name, shared, mount_options or ()))
        elif file_system is None:
            given = {"mount_options": mount_options, **shaping}
            _refuse(table, given, "is for a volume that graycard makes; add file_system, or leave it out")
            self.read.append(Configuration(name, self._in(table, folder), step=step))
        else:
            _refuse(table, {"step": step}, "is for a person, but graycard makes a file_system; leave one of them out")
            image = Image(file_system, self._size(table, size), unit, format_options or (), mount_options or ())
            self.read.append(Configuration(name, self._in(table, folder), image, name))

    def _sharing(self, table: Table, name: str, shared: str, mount_options: tuple[str, ...]) -> Configuration:
        """The volume of an earlier configuration with other mount options."""
        other = next((each for each in self.read if each.name == shared), None)
        if other is None or other.image is None:
            says = f"names “{shared}”, but graycard makes no volume of that name above; name an earlier configuration"
            raise table.problem("volume_of", says)
        return replace(other, name=name, image=replace(other.image, mount_options=mount_options))

    def _in(self, table: Table, folder: str | None) -> str:
        found = folder or self._folder
        if found is None:
            raise table.problem("folder", "is missing; name a folder on the drive to be measured")
        return found

    def _size(self, table: Table, size_bytes: int | None) -> int:
        found = size_bytes or self._image_size_bytes
        if not found:
            raise table.problem("size", 'is missing; say how large the volume is to be, as size = "4GiB"')
        return found


def _refuse(table: Table, given: Mapping[str, object], says: str) -> None:
    for key, value in given.items():
        if value is not None:
            raise table.problem(key, says)


def _option(text: str) -> str:
    if not text or not text.isprintable():
        raise ValueError(f"{text!r} is no option; write one line of text")
    return text


def _file_system(text: str) -> str:
    found = file_system_named(text)
    if found is None:
        raise ValueError(f"“{text}” is no file system that graycard makes; choose from {', '.join(FILE_SYSTEMS)}")
    return found
