"""Outputs as they stand in pages and notes: without their beginning, made comments, of old versions, cut together."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers import read_all
from graycard.model import Result

IOR = (OWN / "ior" / "4.0-three-repetitions.txt").read_text(encoding="utf-8")
IOPING = """\
--- /dev/sda (device 465.8 GiB) ioping statistics ---
{} requests completed in 3004.6 ms, {} iops, {} MiB/s
min/avg/max/mdev = 6.4/16.0/26.8/4.7 ms
"""
ELBENCHO = """\
   {}       Elapsed {}     :        82ms        82ms
               IOPS             :        9690        9690
               Throughput MiB/s :        1211        1211
               Total MiB        :         100         100
               IO latency us    : [ min=91 avg=120 max=1583 ]
"""
WINSAT = """\
> Running: Storage Assessment '-drive c -seq -read'
> Run Time 00:01:13.62
> Running: Storage Assessment '-drive c -hybrid -ran -read -ransize 4096'
NV Cache not present.
> Run Time 00:00:00.02
> Disk  Sequential 64.0 Read                   111.23 MB/s          6.7
> Disk  Random 16.0 Read                       2.43 MB/s          4.4
"""
IPERF = """\
s1:  [SUM]   0.00-10.00  sec   173 GBytes   148 Gbits/sec    0    sender
s1:  [SUM]   0.00-10.00  sec   173 GBytes   147 Gbits/sec         receiver
"""
SCRIPT = """\
   Legacy Seq Read (Q=  1,T= 1) :   529 MB/s [ 504 IOPS]
   512KiB Seq Read (Q=  1,T= 1) :   480 MB/s [ 915 IOPS]
  Random Read 4KiB (Q=  8,T= 8) :   390 MB/s [ 95214 IOPS]
  Random Read 4KiB (Q= 32,T= 1) :   380 MB/s [ 92773 IOPS]
"""


def told(result: Result) -> str:
    assert result.summary
    return " ".join(result.summary.caveats)


def test_iors_table_below_its_options_alone_and_as_comments() -> None:
    whole = read_all(IOR.encode())
    for text in (IOR[IOR.index("Options:") :], "".join(f"# {line}\n" for line in IOR.splitlines())):
        found = read_all(text.encode())
        assert [each.task.label for each in found] == [each.task.label for each in whole]
        assert [each.summary and each.summary.rate.value for each in found] == [
            each.summary and each.summary.rate.value for each in whole
        ]


@pytest.mark.parametrize(
    ("requests", "ops", "rate", "block"),
    [("186", "62", "0.2", 4096), ("9", "364", "1.4", 4096), ("90", "30", "60", 1 << 21)],
)
def test_the_block_of_an_old_ioping_is_the_power_of_two_that_fits(
    requests: str, ops: str, rate: str, block: int
) -> None:
    (result,) = read_all(IOPING.format(requests, ops, rate).encode())
    assert result.task.block_bytes == block


@pytest.mark.parametrize("name", ["READ", "WRITE"])
def test_a_phase_of_elbencho_without_the_head_of_its_table(name: str) -> None:
    (result,) = read_all(ELBENCHO.format(name, "time").encode())
    assert result.summary
    assert result.summary.rate.value == pytest.approx(1211 * 2**20, rel=1e-3)
    assert result.summary.mean_latency
    assert result.summary.mean_latency.value == 120e3
    assert result.task.operation.value == name.lower()


def test_winsats_tests_of_another_kind_are_no_time_of_this_one() -> None:
    sequential, random = read_all(WINSAT.encode())
    assert "lasted" not in told(sequential) + told(random), (
        "73 s is not brief, and 0.02 s were of a cache that is not there"
    )


def test_a_script_that_prints_like_crystaldiskmark_names_tests_of_its_own() -> None:
    assert [each.task.label for each in read_all(SCRIPT.encode())] == ["RND4K QD64 T8 read", "RND4K QD32 read"]


def test_the_summary_of_iperf3_alone_once_and_twice() -> None:
    (one,) = read_all(IPERF.encode())
    assert one.summary
    assert one.summary.rate.value == 147e9 / 8
    found = read_all((IPERF + IPERF.replace("147", "120").replace("148", "121")).encode())
    assert [each.summary and each.summary.rate.value for each in found] == [147e9 / 8, 120e9 / 8]
    older = "[SUM]  0.0-10.0 sec  10.8 GBytes  9.26 Gbits/sec\n"
    with pytest.raises(ImportProblem):
        read_all(older.encode())
