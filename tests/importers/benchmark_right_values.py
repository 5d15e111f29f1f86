"""Right values of the stored samples of diskspd, iozone, bonnie++, IOR and elbencho, transcribed from their index.

KiB/s, MiB/s and bytes over time are turned into MB/s here. elbencho cuts its figures to whole MiB/s and ms: what it
prints allows a range, and its rate is the middle of it.
"""

from __future__ import annotations

KIB, MIB = 1024 / 1e6, 1048576 / 1e6

# file: what is in it, as (part of the label, test of the tool, MB/s, tolerance in MB/s)
RIGHT_RATES: dict[str, list[tuple[str, str, float, float]]] = {
    "bonnie/01-csv-1.96.csv": [
        ("write", "block output", 74.601, 0.0005),
        ("write", "rewrite", 47358 * KIB, 0.0005),
        ("read", "block input", 160.585, 0.0005),
    ],
    "bonnie/02-csv-2.00a.csv": [
        ("write", "block output", 157.577, 0.0005),
        ("write", "rewrite", 201158 * KIB, 0.0005),
    ],
    "bonnie/04-csv-2.00a-full.csv": [
        ("write", "per character output", 212 * KIB, 0.0005),
        ("write", "block output", 147.276, 0.0005),
        ("write", "rewrite", 226602 * KIB, 0.0005),
        ("read", "per character input", 443 * KIB, 0.0005),
    ],
    # diskspd prints MiB/s with two decimals: half of the last is 0.0052 MB/s.
    "diskspd/01-text-readwrite.txt": [
        ("RND4K QD1 read", "read IO", 3.418, 0.0053),
        ("RND4K QD1 write", "write IO", 1.447, 0.0053),
        ("RND4K QD1 mix of 70% reads", "total IO", 4.865, 0.0053),
    ],
    "diskspd/02-text-2.2.0-single-group.txt": [("RND4K QD64 T4 write", "write IO", 2.076, 0.0053)],
    "diskspd/03-text-2.2.0-multi-numa.txt": [("RND4K QD16 T4 write", "write IO", 4.981, 0.0053)],
    "diskspd/04-text-writeonly-percentiles.txt": [("RND8K QD512 T32 write", "write IO", 626.346, 0.0053)],
    "diskspd/05-text-write8k.txt": [("RND8K QD2530 T115 write", "write IO", 2704.330, 0.0053)],
    "diskspd/06-xml-2.0.21a.xml": [("SEQ64K QD8 T4 read", "read IO", 198.595, 0.0005)],
    "diskspd/07-xml-many-threads.xml": [
        ("RND4K QD1 read", "read IO", 1.268, 0.0005),
        ("RND4K QD1 write", "write IO", 0.538, 0.0005),
        ("RND4K QD1 mix of 70% reads", "total IO", 1.268 + 0.538, 0.001),
    ],
    "elbencho/01-text-1.x-sweep.txt": [("write", "WRITE phase", 10488 * MIB, MIB)],
    "elbencho/02-csv-2.3-write-read.csv": [
        ("SEQ1M QD2 T2 write", "WRITE phase", 176 * MIB, MIB),
        ("SEQ1M QD2 T2 read", "READ phase", 344 * MIB, MIB),
    ],
    "elbencho/03-text-2.3-write-read.txt": [
        ("write", "WRITE phase", 176 * MIB, MIB),
        ("read", "READ phase", 344 * MIB, MIB),
    ],
    "elbencho/09-csv-2.3-label-quotes.csv": [("SEQ1M QD1 write", "WRITE phase", 2404 * MIB, MIB)],
    "elbencho/12-csv-2.3-interrupted.csv": [("SEQ1M QD1 write", "WRITE phase", 179 * MIB, MIB)],
    "elbencho/14-json-3.0-33.json": [
        ("SEQ1M QD2 T2 write", "WRITE phase", 242.852411, 1e-6),
        ("SEQ1M QD2 T2 read", "READ phase", 418.301, 0.0005),
    ],
    "elbencho/15-json-3.0-33-latency.json": [
        ("SEQ1M QD2 T2 write", "WRITE phase", 544.944814, 1e-6),
        ("SEQ1M QD2 T2 read", "READ phase", 331.916472, 1e-6),
    ],
    # The exact rates of these two are in the JSON of the same run.
    "elbencho/16-text-3.0-33.txt": [
        ("write", "WRITE phase", 242.852, 0.6),
        ("read", "READ phase", 418.301, 0.6),
    ],
    "elbencho/17-csv-3.0-33.csv": [
        ("SEQ1M QD2 T2 write", "WRITE phase", 242.852, 0.6),
        ("SEQ1M QD2 T2 read", "READ phase", 418.301, 0.6),
    ],
    "ior/01-ior-4.1.0+dev-read.txt": [("SEQ2M QD640 T640 read", "read", 475798 * MIB, 0.001)],
    "ior/02-ior-4.1.0+dev-write.txt": [("SEQ2M QD640 T640 write", "write", 361270 * MIB, 0.001)],
    "ior/03-ior-3.4.0+dev-read.txt": [("SEQ16M QD62400 T62400 read", "read", 12413821 * MIB, 0.001)],
    "ior/04-ior-3.4.0+dev-write.txt": [("SEQ16M QD62400 T62400 write", "write", 21190275 * MIB, 0.001)],
    "ior/05-ior-3.3.0+dev-read.txt": [("SEQ256K QD544 T544 read", "read", 139833.90, 0.011)],
    "ior/06-ior-3.1.0-read.txt": [("SEQ16M QD64 T64 read", "read", 7955.86, 0.011)],
    "ior/07-ior-3.2.1-read.txt": [("SEQ1M QD96 T96 read", "read", 77663.32, 0.011)],
    "ior/08-ior-3.2.0-read.txt": [("SEQ2M QD260 T260 read", "read", 215992.61, 0.011)],
    "ior/09-ior-3.3alpha1-read.txt": [("SEQ256K QD160 T160 read", "read", 112162.63, 0.011)],
    "iozone/01-auto-ext4-full-table.txt": [
        ("SEQ4K QD1 write", "write", 200191 * KIB, 0.0005),
        ("SEQ4K QD1 write (rewrite)", "rewrite", 267128 * KIB, 0.0005),
    ],
    "iozone/02-xfs-auto.txt": [("SEQ4K QD1 write", "write", 188920 * KIB, 0.0005)],
    "iozone/03-auto-3.434-1g-2g.txt": [
        ("SEQ512K QD1 write", "write", 5293.4, 0.05),
        ("SEQ512K QD1 read", "read", 7817.5, 0.05),
    ],
    "iozone/04-3.430-table-i012-64k-32m.txt": [
        ("SEQ64K QD1 write", "write", 895.117, 0.0005),
        ("SEQ64K QD1 write (rewrite)", "rewrite", 3110125 * KIB, 0.0005),
        ("SEQ64K QD1 read", "read", 2669505 * KIB, 0.0005),
        ("SEQ64K QD1 read (reread)", "reread", 2554209 * KIB, 0.0005),
        ("RND64K QD1 read", "random read", 3087835 * KIB, 0.0005),
        ("RND64K QD1 write", "random write", 2182512 * KIB, 0.0005),
    ],
    "iozone/06-3.430-throughput-t2.txt": [
        ("SEQ128K QD2 T2 write", "write", 285277.62 * KIB, 0.0005),
        ("SEQ128K QD2 T2 read", "read", 1036761.74 * KIB, 0.0005),
    ],
    "iozone/07-3.430-direct-I-e-2recsizes.txt": [
        ("SEQ4K QD1 write", "write", 42227 * KIB, 0.0005),
        ("SEQ4K QD1 read", "read", 52546 * KIB, 0.0005),
        ("SEQ1M QD1 write", "write", 99.560, 0.0005),
        ("SEQ1M QD1 read", "read", 291.280, 0.0005),
    ],
    "iozone/08-3.430-ops-O.txt": [
        ("SEQ4K QD1 write", "write", 129065 * 4 * KIB, 0.0005),
        ("SEQ4K QD1 read", "read", 574508 * 4 * KIB, 0.0005),
    ],
    "mixed/01-pibenchmarks-log-ansi-comma.txt": [
        ("RND4K QD1 read", "random read", 7353 * KIB, 0.0005),
        ("SEQ4K QD1 write", "write", 2251 * KIB, 0.0005),
    ],
}
# How many results there are: 163 rows of 13 figures each, and so on.
COUNTS = {
    "bonnie/01-csv-1.96.csv": 4,
    "bonnie/02-csv-2.00a.csv": 4,
    "bonnie/04-csv-2.00a-full.csv": 6,
    "elbencho/01-text-1.x-sweep.txt": 11,
    "iozone/01-auto-ext4-full-table.txt": 163 * 13,
    "iozone/02-xfs-auto.txt": 163 * 13,
    "iozone/03-auto-3.434-1g-2g.txt": 8 * 13,
    "iozone/06-3.430-throughput-t2.txt": 4,
    "iozone/07-3.430-direct-I-e-2recsizes.txt": 12,
    "iozone/08-3.430-ops-O.txt": 6,
    "iozone/11-3.430-excel-b.xls": 80,
    "mixed/01-pibenchmarks-log-ansi-comma.txt": 6,
}
# Files that hold no result, and what is said of them.
NO_RESULTS = {
    "elbencho/10-csv-2.3-enospc-header-only.csv": "no phase that read or wrote",
    "elbencho/11-text-2.3-enospc.txt": "elbencho failed .*mnt/file1; SysErr: No space left on device",
    "iozone/09-3.430-error-file-too-large.txt": "ends before the first figure",
}
