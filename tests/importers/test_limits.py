"""Files made to do harm, or larger than memory, are refused in a sentence, and cost little memory."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from importers.samples import all_samples

from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS, MEMORY_LIMIT_BYTES, read_all, read_parts
from graycard.importers.json_text import json_lines, parse_json
from graycard.importers.xml_text import parse_xml
from graycard.protocols import Importer, StreamImporter

TWO_GB = 2_000_000_000
# Peak of the whole process in kB, Python and all. ru_maxrss would begin with the peak of the tests themselves.
READ = """
import re, sys
from graycard.cli.main import main
from graycard.cli.app import system_app
code = main(["import", "--dry-run", "--store", sys.argv[2], sys.argv[1]], system_app())
print(code, re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE Results [
 <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<Results><System><Tool><Version>&c;</Version></Tool></System></Results>
"""
OUTSIDE = b'<!DOCTYPE Results [<!ENTITY x SYSTEM "file:///etc/hostname">]><Results>&x;</Results>'


def imported(path: Path) -> tuple[int, int, str]:
    """Exit code of an import in a process of its own, its peak memory in bytes, and what it said."""
    command = [sys.executable, "-c", READ, str(path), str(path.parent / "own.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    code, peak_kb = done.stdout.splitlines()[-1].split()
    return int(code), int(peak_kb) * 1024, done.stderr + done.stdout


def head_of(importer: Importer) -> bytes:
    heads = (path.read_bytes()[:HEAD_BYTES] for path in all_samples())
    return next(head for head in heads if importer.recognises(head))


@pytest.mark.skipif(sys.platform != "linux", reason="reads its peak memory from /proc")
@pytest.mark.parametrize("importer", IMPORTERS[1:], ids=lambda importer: importer.name)
def test_two_gigabytes_cost_less_than_300_megabytes(importer: Importer, tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.write(head_of(importer))
        file.truncate(TWO_GB)
    code, peak_bytes, said = imported(path)
    assert code == 30
    assert re.search("larger than (48|32) MiB", said) or "too long to be" in said
    assert peak_bytes < 300e6


@pytest.mark.skipif(sys.platform != "linux", reason="reads its peak memory from /proc")
def test_a_log_above_the_limit_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "large_bw.1.log"
    padding = b" " * 100
    with path.open("wb") as file:
        for ms in range(MEMORY_LIMIT_BYTES // 100):
            file.write(b"%d, 204800, 0, 1048576%b\n" % (ms, padding))
    code, peak_bytes, said = imported(path)
    assert (code, "Found 1 result" in said) == (0, True)
    assert peak_bytes < 300e6


def test_a_pipe_above_the_limit_is_refused() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    log = b"1, 2, 0, 4096\n" * (MEMORY_LIMIT_BYTES // 14 + 1)
    with pytest.raises(ImportProblem, match="through the pipe is larger than 48 MiB; save it as a file"):
        read_parts(Pipe(log))


def test_the_file_is_not_read_beyond_its_head_where_no_tool_is_known() -> None:
    file = io.BytesIO(bytes(HEAD_BYTES * 4))
    assert read_parts(file) == ()
    assert file.tell() == HEAD_BYTES


@pytest.mark.parametrize("bomb", [BOMB, OUTSIDE], ids=["entities in entities", "an outside entity"])
def test_xml_that_declares_entities_is_refused(bomb: bytes) -> None:
    with pytest.raises(ImportProblem, match="declares entities, which diskspd does not"):
        parse_xml(bomb, "diskspd")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<a>" * 200, "nested too deeply"),
        (b"<a><b></a>", "damaged or cut short at line 1"),
        (b"<a>\n<b>\n", "damaged or cut short at line 3"),
        (b"", "damaged or cut short at line 1"),
        (b'<?xml version="1.0" encoding="utf-7"?><a/>', "an encoding that XML does not have"),
    ],
)
def test_xml_that_is_none_is_told_of(data: bytes, says: str) -> None:
    with pytest.raises(ImportProblem, match=says):
        parse_xml(data, "diskspd")


def test_xml_with_a_plain_document_type_is_read() -> None:
    plist = (
        b'<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/x.dtd"><plist><key>a</key></plist>'
    )
    root = parse_xml(plist, "diskutil")
    assert (root.tag, root[0].text) == ("plist", "a")


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"fio version" : "fio-3.33", "jobs":['])
def test_deep_json_is_refused(opening: bytes) -> None:
    deep = opening * 200_000
    with pytest.raises(ImportProblem, match="nested too deeply to be fio's"):
        parse_json(deep, "fio")
    with pytest.raises(ImportProblem, match="nested too deeply to be fio's"):
        list(json_lines(b'{"a":' + deep, "fio"))
    with pytest.raises(ImportProblem):
        read_all(deep)


def test_json_numbers_that_are_none_become_unknown() -> None:
    found = parse_json(b"[NaN, Infinity, -Infinity, 1e999, 1e25, " + b"9" * 6000 + b", 1e20, 5]", "fio")
    assert found == [None, None, None, None, None, None, 1e20, 5]


def test_damaged_json_is_told_of_with_its_line() -> None:
    with pytest.raises(ImportProblem, match=r"fio's JSON is damaged or cut short at line 2 \(Expecting value"):
        parse_json(b'{"a":\n', "fio")
    with pytest.raises(ImportProblem, match=r"cut short at line 3 "):
        list(json_lines(b'{"a": 1}\nprogress\n{"a": \n', "elbencho"))


def test_json_lines_pass_over_other_lines() -> None:
    lines = b'note\n{"a": 1}\n\n  {"b": 2}\r\n'
    assert list(json_lines(lines, "elbencho")) == [(2, {"a": 1}), (4, {"b": 2})]


def test_a_key_that_occurs_twice_can_be_joined() -> None:
    assert parse_json(b'{"a": 1, "a": 2}', "fio", pairs=lambda pairs: pairs) == [("a", 1), ("a", 2)]
    assert json.loads('{"a": 1, "a": 2}') == {"a": 2}


def test_stream_importers_are_known_by_their_method() -> None:
    assert any(isinstance(importer, StreamImporter) for importer in IMPORTERS)
    assert not isinstance(IMPORTERS[0], StreamImporter)
