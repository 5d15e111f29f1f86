"""Readers of other tools' result files.

Ask each whether it `recognises` the first HEAD_BYTES of a file, and let the first that does `read` it.
"""

from __future__ import annotations

from graycard.importers.fio import FioImporter
from graycard.importers.graycard import GraycardImporter
from graycard.protocols import Importer

# Enough to get past the progress lines that may stand before fio's JSON.
HEAD_BYTES = 1 << 16

IMPORTERS: tuple[Importer, ...] = (GraycardImporter(), FioImporter())
