"""Less common options of fio: what they make of its figures."""

from __future__ import annotations

import json

from importers.samples import OWN

from graycard.importers import read_all
from graycard.model import Result


def document(options: dict[str, str], moved: int, ops: int, **more: object) -> str:
    half = {"io_bytes": moved, "io_kbytes": moved >> 10, "bw": 1000, "bw_bytes": moved, "iops": float(ops)}
    half |= {"runtime": 1000, "total_ios": ops}
    job = {"jobname": "j", "groupid": 0, "error": 0, "job options": options, "read": half, **more}
    return json.dumps({"fio version": "fio-3.33", "jobs": [job]})


def read(text: str) -> tuple[Result, ...]:
    return read_all(text.encode())


def test_a_mix_of_block_sizes_has_their_mean() -> None:
    (result,) = read(document({"rw": "randread", "bs": "4k", "bssplit": "4k/50:64k/50"}, 34816 * 100, 100))
    assert result.task.block_bytes == 34816
    assert result.task.label == "RND34K QD1 read"


def test_kb_base_counts_for_what_stands_behind_it_alone() -> None:
    (before,) = read(document({"rw": "randread", "bs": "4k", "kb_base": "1000"}, 4096 * 100, 100))
    (after,) = read(document({"rw": "randread", "kb_base": "1000", "bs": "4k"}, 4000 * 100, 100))
    assert (before.task.block_bytes, after.task.block_bytes) == (4096, 4000)


def test_a_slope_that_is_no_number_does_not_spoil_the_document() -> None:
    text = document({"rw": "read"}, 4096 * 100, 100, steadystate={"slope": 0.5, "data": [0.25, 1.5]})
    (result,) = read(text.replace("0.5", "-nan").replace("0.25", "inf"))
    assert result.summary
    assert result.summary.rate.value == 409600


def test_one_figure_of_both_in_the_text_is_a_mix_of_an_unknown_share() -> None:
    text = """j: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.33

j: (groupid=0, jobs=1): err= 0: pid=13377: Mon Nov 30 20:04:53 2026
  mixed: IOPS=6801, BW=26.6MiB/s (27.9MB/s)(26.6MiB/1002msec)
     issued rwts: total=6815,0,0,0 short=0,0,0,0 dropped=0,0,0,0
"""
    (result,) = read(text)
    assert result.task.read_ratio is not None
    assert "read_ratio" in result.task.unstated
    assert result.runs[0].samples.moved_bytes == 6815 * 4096


def test_the_sum_of_all_clients_is_not_added_in_terse_lines() -> None:
    lines = (OWN / "fio" / "3.33-terse-status-interval.txt").read_bytes()
    last = next(line for line in reversed(lines.splitlines()) if b";fio-" in line)
    name = last.split(b";")[2]
    summed = last + b"\n\n<host> " + last.replace(b";" + name + b";", b";All clients;", 1) + b"\n"
    assert [result.origin.imported_from for result in read_all(summed)] == [f"job {name.decode()}"]
