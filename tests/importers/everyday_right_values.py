"""Right values of the stored samples of dd, ioping, hdparm, sysbench, the frametests, rsync, rclone and iperf3.

file: (label of the task, MB/s or None for what was not measured), …, transcribed from the index of the samples.
"""

from __future__ import annotations

RIGHT_VALUES: dict[str, list[tuple[str, float | None]]] = {
    "dd/01-gnu-9.1-C.txt": [("dd copy", 133.483)],
    "dd/02-gnu-9.1-de_DE.UTF-8.txt": [("dd copy", 144.009)],
    "dd/03-gnu-9.1-fr_FR.UTF-8.txt": [("dd copy", 318.560)],
    "dd/05-gnu-9.1-ja_JP.UTF-8.txt": [("dd copy", 213.997)],
    "dd/06-gnu-9.1-pt_BR.UTF-8.txt": [("dd copy", 212.612)],
    "dd/10-gnu-9.1-ko_KR.UTF-8.txt": [("dd copy", 281.708)],
    "dd/11-gnu-status-progress.txt": [("dd copy", 229.806)],
    "dd/12-gnu-tiny.txt": [("dd copy", 1.357)],
    "dd/13-gnu-zero.txt": [("dd copy", None)],
    "dd/14-gnu-enospc.txt": [("dd copy", None)],
    # The index cuts 4.2926.
    "dd/17-gnu-usr1.txt": [("dd copy", 4.293)],
    "dd/18-busybox.txt": [("dd copy", None)],
    "dd/19-macos-network-volume-write.txt": [("dd copy", 654.512)],
    "dd/20-macos-read-from-cache.txt": [("dd copy", 10192.042)],
    "dd/21-macos-single-line-in-notes.txt": [("dd copy", 983.685)],
    "dd/22-gnu-8.25-three-runs.log": [
        ("dd copy", 629.863),
        ("dd copy", 763.848),
        ("dd copy", 687.846),
        # Two more runs that the index does not list: bytes over seconds.
        ("dd copy", 691.096),
        ("dd copy", 739.782),
    ],
    "hdparm/02-t-direct-loop.txt": [("SEQ2M QD1 read", 454.012)],
    "hdparm/05-nvme-ioctl-warning.txt": [("SEQ2M QD1 read (cached)", 8962.724), ("SEQ2M QD1 read", 1092.564)],
    "hdparm/06-old-buffer-cache-wording.txt": [("SEQ2M QD1 read (cached)", 480.080), ("SEQ2M QD1 read", 4.782)],
    "ioping/04-rate-seq-RL.txt": [("256K QD1 read", 102.551)],
    "ioping/05-write-1m.txt": [("1M QD1 write", 122.683)],
    "ioping/06-batch-B.txt": [("4K QD1 read", 4.703163)],
    "ioping/07-json-J.json": [("4K QD1 read", 5.269197)],
    "ioping/09-readme-0.x-layout.txt": [("4K QD1 read", 1.468)],
    "sysbench/01-seqrd.txt": [("SEQ16K QD1 read", 1001.474)],
    "sysbench/02-rndrw.txt": [("RND16K QD1 read", 45.487), ("RND16K QD1 write", 30.325)],
    "sysbench/06-0.4.12-randrw-threads.log": [
        ("RND4K QD1 mix of 60% reads", mib * 1.048576) for mib in (17.81, 21.107, 22.535, 21.232, 24.315)
    ],
    "tframetest/01-write_2k_n60_t4.txt": [("SEQ12512K write", 700.669)],
    "tframetest/02-read_2k_n60_t4_times_histogram.txt": [("SEQ12512K read", 611.554)],
    "tframetest/04-writeread_4k_n24_t2_times.csv": [
        ("SEQ49856K QD2 T2 write", 522.997),
        ("SEQ49856K QD2 T2 read", 651.784),
    ],
    "vframetest/01-test-results-first60.json": [("SEQ6140K QD1 write", 631.736)],
    "rsync/01-progress2-stats.txt": [("rsync copy", 412.07)],
    "rsync/02-human-h.txt": [("rsync copy", 462.85 * 1.048576)],
    "rsync/03-progress-per-file-hh.txt": [("rsync copy", None)],
    "rsync/04-locale-de.txt": [("rsync copy", None)],
    "rsync/08-enospc.txt": [("rsync copy", None)],
    "rsync/09-macos-2.6.9-ivvv.txt": [("rsync copy", None)],
    "rclone/03-json-log-nothing-to-do.jsonl": [("rclone copy", None)],
    "rclone/05-json-log-enospc.jsonl": [("rclone copy", None)],
    "rclone/06-progress-P.txt": [("rclone copy", 129.988)],
    "rclone/08-stats-bits-bwlimit.txt": [("rclone copy", 21.017)],
    "rclone/09-rc-core-stats.json": [("rclone copy", 79.796)],
    # Worked out: 131072000 bytes from 15.083692969 to 16.251640986.
    "rclone/10-rc-core-transferred.json": [("rclone copy", 131.072 / 1.167948017)],
    "iperf3/02-tcp-reverse-3.12.json": [("TCP receive", 439.003)],
    "iperf3/03-tcp-bidir-3.12.json": [("TCP send", 251.915), ("TCP receive", 231.036)],
    "iperf3/04-tcp-p4-3.12.json": [("TCP 4 streams send", 557.399)],
    "iperf3/05-udp-3.12.json": [("UDP send", 12.464)],
    "iperf3/06-udp-reverse-3.12.json": [("UDP receive", 6.226)],
    "iperf3/08-tcp-title-extra-3.12.json": [("TCP send", 72.473)],
    "iperf3/09-interrupted-3.12.json": [("TCP send", 646.475)],
    "iperf3/13-text-3.12.txt": [("TCP send", 9580 / 8)],
    "iperf3/15-tcp-3.0.11.json": [("TCP send", 116.784)],
    # The mean of its ten intervals, as they are printed.
    "iperf3/16-text-no-summary.txt": [("TCP send", 796.7 / 8)],
}

# What is said of files that hold no result.
ERRORS: dict[str, str] = {
    "hdparm/03-t-offset.txt": "hdparm failed at line 3: lseek\\(\\) failed: Invalid argument",
    "hdparm/04-t-on-regular-file.txt": "hdparm failed at line 3: read\\(\\) hit EOF - device too small",
    "ioping/08-error.txt": 'ioping failed: stat "/nonexistent" failed: No such file or directory',
    "sysbench/05-no-files-error.txt": "sysbench failed: Cannot open file 'test_file.0' errno = 2",
    "iperf3/12-error-dns-3.12.json": "iperf3 failed: unable to connect to server: Invalid argument",
}
