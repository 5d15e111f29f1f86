"""Frame files read by graycard's stream and by fio, the same files in interleaved pairs."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path
from threading import Event

from graycard.engines.native_frames import NativeFrames
from graycard.host import this_host
from graycard.model import Cache, Estimate
from graycard.play.cadence import Cadence
from graycard.play.files import FrameFiles, Place
from graycard.play.following import Track, play_back
from graycard.play.streams import Kind
from graycard.stats.between import runs_estimate

# Before every run, so that a device with a token bucket starts each of them alike.
REST_S = 0.3
NAME = "frame."


def lay_out(folder: Path, kind: Kind, frames: int) -> None:
    """Files named as fio names them by `filename_format`, with data that do not compress."""
    for frame in range(frames):
        with open(folder / f"{NAME}{frame}", "wb") as file:
            file.write(random.Random(frame).randbytes(kind.stride_bytes))
            os.fsync(file.fileno())


def graycard_rate(folder: Path, kind: Kind, frames: int) -> float:
    """Bytes a second of a stream that may read all frames at once: its queue is as long as the clip."""
    io = NativeFrames()
    host = this_host()
    place = Place(host, io, Cache.BYPASS, 0, Event())
    # Names made beforehand, as fio makes them: pathlib takes 60 µs for each after a wait, 2 % of a frame at 1 GB/s.
    names = [str(folder / f"{NAME}{frame}") for frame in range(frames)]
    device = FrameFiles(place, kind, 0, names.__getitem__, frames, host.open_file)
    start_ns = io.now_ns()
    clock = Cadence(kind.rate, start_ns + 600 * 10**9, frames, start_ns)
    track = Track()
    play_back(clock, range(frames), device, track)
    moves = [move for move in track.moves if move]
    return len(moves) * kind.stride_bytes * 1e9 / (moves[-1].end_ns - moves[0].begin_ns)


def fio_rate(folder: Path, kind: Kind, frames: int) -> float:
    """The same by fio: one file after the other, opened, read with one call, closed."""
    size = kind.stride_bytes
    command = (
        "fio", "--name=frames", "--ioengine=psync", "--direct=1", "--rw=read", f"--bs={size}", f"--filesize={size}",
        f"--nrfiles={frames}", "--openfiles=1", "--file_service_type=sequential", f"--size={size * frames}",
        f"--directory={folder}", f"--filename_format={NAME}$filenum", "--output-format=json", "--allow_file_create=0",
    )  # fmt: skip
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    read = json.loads(done.stdout)["jobs"][0]["read"]
    assert read["io_bytes"] == size * frames
    return float(read["io_bytes"] * 1000 / read["runtime"])


def ratio_to_fio(folder: Path, kind: Kind, frames: int, pairs: int) -> tuple[Estimate, Estimate]:
    """graycard ÷ fio over pairs in the order AB BA AB …, and graycard's rate."""
    lay_out(folder, kind, frames)
    both = (graycard_rate, fio_rate)
    ratios, rates = [], []
    for pair in range(pairs):
        found = {}
        for measure in both if pair % 2 == 0 else both[::-1]:
            time.sleep(REST_S)
            found[measure] = measure(folder, kind, frames)
        rates.append(found[graycard_rate])
        ratios.append(found[graycard_rate] / found[fio_rate])
    return runs_estimate(ratios, "ratio"), runs_estimate(rates, "bytes/s")
