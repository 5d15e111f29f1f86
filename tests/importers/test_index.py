"""Every stored file of another tool gives its right values, or the documented error: the index says which."""

from __future__ import annotations

import re

import pytest
from importers.samples import SHARED, Indexed, index, stored

from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS, UNKNOWN, read_all
from graycard.model import Result

INDEX = index()
# Files of facts, for `import --facts`; no result is in them.
FACTS = {"diskutil", "findmnt", "lsblk", "mount", "nfs", "smartctl", "smbstatus", "system_profiler", "windows"}
# Files that hold no result, and what is said of them.
NO_RESULT: dict[str, str] = {
    "freetext/01-aja-blackmagic-numbers-in-prose.txt": re.escape(UNKNOWN),
    "elbencho/10-csv-2.3-enospc-header-only.csv": "no phase that read or wrote",
    "elbencho/11-text-2.3-enospc.txt": "elbencho failed .*No space left on device",
    "iozone/09-3.430-error-file-too-large.txt": "ends before the first figure",
    "fio/09-error-only-1.txt": "fio failed: .*err=84",
    "fio/10-verify-errors-bom.txt": "fio failed: .*bad header",
    "fio/59-3.33-json-odirect-einval-ramfs.txt": "failed with error 22 and moved nothing",
    "fio/90-3.33-normal-enospc-layout.txt": "fio failed: .*ENOSPC",
    "hdparm/03-t-offset.txt": "hdparm failed at line 3: lseek",
    "hdparm/04-t-on-regular-file.txt": "hdparm failed at line 3: read.*device too small",
    "ioping/08-error.txt": "ioping failed: .*No such file or directory",
    "iperf3/12-error-dns-3.12.json": "iperf3 failed: unable to connect to server",
    "sysbench/05-no-files-error.txt": "sysbench failed: Cannot open file",
}
# The importers of files that do not hold the output of one tool.
SEVERAL: dict[str, set[str]] = {
    "freetext/01-aja-blackmagic-numbers-in-prose.txt": set(),
    "freetext/02-yabs-style-table.txt": {"yabs"},
    "freetext/03-iozone-markdown-table.md": {"table"},
    "mixed/01-pibenchmarks-log-ansi-comma.txt": {"dd", "hdparm", "iozone", "pibenchmarks"},
}
# "Read 133355.99 MiB/s = 139833.90 MB/s": what the index says in the unit that graycard shows.
_RATE = re.compile(r"(?:(?<![\d.])(\d+\.?\d*) MiB/s = )?(?<![\d.])(\d+\.?\d*) MB/s")
# Rates of the index that are no result of their own, with the reason.
NOT_PUBLISHED: dict[str, set[str]] = {
    # Bytes over a time that elbencho cut to whole ms: 177.3 and 345.9 MiB/s, where it prints 176 and 344.
    "elbencho/02-csv-2.3-write-read.csv": {"185.9", "362.7"},
    # Reads and writes together, which are there apart.
    "fio/72-3.33-json-unified-both.json": {"97.011"},
    # Of 397 operations, cut to whole ones; by the rate, which has two decimals, 417.2.
    "freetext/02-yabs-style-table.txt": {"416.3"},
    # What the sender handed to its socket, beside what was received.
    "iperf3/02-tcp-reverse-3.12.json": {"435.602"},
    "iperf3/03-tcp-bidir-3.12.json": {"254.765", "232.497"},
    "iperf3/05-udp-3.12.json": {"12.501"},
    "iperf3/06-udp-reverse-3.12.json": {"6.257"},
    "iperf3/08-tcp-title-extra-3.12.json": {"192.877"},
}
# The index prints three or four digits.
TOLERANCE_RATIO = 0.002


def content(sample: Indexed) -> bytes:
    return (SHARED / sample.file).read_bytes()


def results_of(sample: Indexed) -> tuple[Result, ...]:
    return read_all(content(sample), sample.file.rpartition("/")[2])


@stored
def test_the_index_is_whole() -> None:
    files = {str(path.relative_to(SHARED)) for path in SHARED.glob("*/*") if path.is_file()}
    assert files == {sample.file for sample in INDEX}


@stored
@pytest.mark.parametrize("sample", INDEX, ids=lambda sample: sample.file)
def test_a_file_is_recognised_as_its_tools_and_no_other(sample: Indexed) -> None:
    head = content(sample)[:HEAD_BYTES]
    known = {importer.name for importer in IMPORTERS if importer.recognises(head)}
    assert known == SEVERAL.get(sample.file, set() if sample.tool in FACTS else {sample.tool})


@stored
@pytest.mark.parametrize("sample", INDEX, ids=lambda sample: sample.file)
def test_a_file_gives_its_right_rates_or_the_documented_error(sample: Indexed) -> None:
    if sample.tool in FACTS or sample.file in NO_RESULT:
        with pytest.raises(ImportProblem, match=NO_RESULT.get(sample.file, re.escape(UNKNOWN))):
            results_of(sample)
        return
    results = results_of(sample)
    rates = [result.summary.rate.value / 1e6 for result in results if result.summary]
    for binary, text in _RATE.findall(sample.right_values):
        if not float(text) or text in NOT_PUBLISHED.get(sample.file, set()):
            continue
        # Half a step of what the tool printed, where the index says what that was.
        printed = half_step(binary) * 2**20 / 1e6 if binary else 0.0
        tolerated = max(printed, 2 * half_step(text), TOLERANCE_RATIO * float(text))
        assert any(abs(rate - float(text)) <= tolerated for rate in rates), f"{text} MB/s is not among {rates}"


def half_step(text: str) -> float:
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


@stored
@pytest.mark.parametrize("sample", INDEX, ids=lambda sample: sample.file)
def test_results_have_ids_of_their_own_and_the_same_each_time(sample: Indexed) -> None:
    if sample.tool in FACTS or sample.file in NO_RESULT:
        return
    ids = [result.id for result in results_of(sample)]
    assert len(set(ids)) == len(ids)
    assert ids == [result.id for result in results_of(sample)]
