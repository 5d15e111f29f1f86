"""What was found in files of other tools, as a page: a table for each of a few files, one row for each of many."""

from __future__ import annotations

from collections.abc import Sequence

from graycard.cli.diagnoses import counted_both
from graycard.cli.import_documents import ImportedFile
from graycard.cli.import_files import shown_name
from graycard.cli.screen import counted
from graycard.model import Result
from graycard.report.page import Column, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.report.results import results_page

# More files than these are shown with one line each.
FEW_FILES_COUNT = 20
# Of more results than these together only the files are shown.
MOST_SHOWN_COUNT = 1000
_TOO_MANY = Note("Too many to be shown here: graycard results list shows what is stored.", Tone.QUIET)
_FILE_WIDTH = 60
_COLUMNS = (
    Column("File"),
    Column("Tool"),
    Column("Results", right=True),
    Column("New", right=True),
)


def import_page(files: Sequence[tuple[ImportedFile, Sequence[Result]]]) -> Page:
    """The files with what was found in each; files of a folder that no tool wrote are left out.

    Results that are not given, for they are too many, have their count only.
    """
    told = [(file, results) for file, results in files if not file.is_foreign or file.problems]
    if len(files) > FEW_FILES_COUNT:
        problems = (_problem(file, problem) for file, _ in told for problem in file.problems)
        return (Table(_COLUMNS, tuple(_row(file) for file, _ in told if file.result_ids)), *problems)
    return tuple(block for file, results in told for block in _file(file, results))


def _file(file: ImportedFile, results: Sequence[Result]) -> Page:
    problems = (Note(printable(problem), Tone.FAILED, "not read") for problem in file.problems)
    table = results_page(results) if results or not file.result_ids else (_TOO_MANY,)
    return (Heading(shown_name(file.file), _found(file)), *problems, *table)


def _found(file: ImportedFile) -> str:
    if not file.result_ids:
        return counted_both(0, len(file.diagnosis_ids)) if file.diagnosis_ids else "no result"
    known = f", {file.known_count} stored before" if file.known_count else ""
    return f"{', '.join(file.tools)}: {counted(len(file.result_ids), 'result')}{known}"


def _row(file: ImportedFile) -> Row:
    count = len(file.result_ids)
    cells = (
        shorten(shown_name(file.file), _FILE_WIDTH),
        ", ".join(file.tools),
        str(count),
        str(count - file.known_count),
    )
    return Row(cells)


def _problem(file: ImportedFile, problem: str) -> Note:
    return Note(f"{shown_name(file.file)}: {printable(problem)}", Tone.FAILED, "not read")
