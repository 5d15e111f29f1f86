"""Runs `graycard why` in the bed of network namespaces, with injected causes in random order: the confusion matrix.

    python -m tools.diagnosis [--repeats N] [--cause NAME]… [--bed SCRIPT] [--rows FILE] [--write]

Needs root. Each run is a line of JSON in --rows; with --go-on a later call makes those that are missing. --write
puts the matrix of all rows into docs/diagnosis.md. The script of the bed builds it, and takes it down at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tools.diagnosis_causes import CAUSES, SMALL_TIER, STORIES, WIRE, Cause
from tools.diagnosis_page import is_layer_right, matrix, write_page

ROOT = Path(__file__).parent.parent
BED = ROOT.parent / "shared" / "netbed" / "netbed.sh"
# A socket's path may have 107 bytes, so the bed lies near the root.
FOLDER = Path("/tmp/gcbed")
INTO = Path("/dev/shm/graycard-diagnosis")
GROUP = Path("/sys/fs/cgroup/cpu/dtbed/cli/cgroup.procs")
PATIENCE_S = 300
DISTURBED = ("foreign load", "steal")
MOST_REFUSED = 2
AGAIN_COUNT = 2
FILE_COUNT, FILE_BYTES = 600, 50_000


class Bed:
    """The script, its folder, and what a run needs in it."""

    def __init__(self, script: Path, folder: Path) -> None:
        self.script, self.folder = script, folder
        self._mount: subprocess.Popen[bytes] | None = None

    def do(self, *command: str, variables: Iterable[tuple[str, str]] = ()) -> None:
        """One command of the script; its background processes keep no pipe of ours."""
        environment = {**os.environ, "NETBED": str(self.folder), **dict(variables)}
        subprocess.run(("bash", str(self.script), *command), env=environment, check=False, timeout=PATIENCE_S,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

    def up(self) -> None:
        """Build it, with a login for smbclient, a place for data and small files."""
        self.do("up")
        self.do(*WIRE)
        (self.folder / "cfg" / "login").write_text("username = root\npassword = pw\n")
        INTO.mkdir(parents=True, exist_ok=True)
        small = self.folder / "small"
        small.mkdir(exist_ok=True)
        for number in range(FILE_COUNT):
            (small / f"{number:04d}.bin").write_bytes(os.urandom(FILE_BYTES))

    def down(self) -> None:
        """Take everything away."""
        self.do("down")
        shutil.rmtree(INTO, ignore_errors=True)

    def on_near(self, *command: str) -> tuple[str, ...]:
        """The command as it runs on the near computer, in its group of processor time."""
        script = f'echo $$ > {GROUP}; exec nsenter --net=/run/netns/dtcli "$@"'
        return ("bash", "-c", script, "near", *command)

    def mount(self) -> None:
        """The share by rclone."""
        target = self.folder / "mnt" / "share"
        target.mkdir(parents=True, exist_ok=True)
        config = str(self.folder / "cfg" / "rclone.conf")
        self._mount = subprocess.Popen(
            self.on_near("rclone", "--config", config, "mount", "nassmb:share", str(target), "--vfs-cache-mode", "off"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 20
        while not os.path.ismount(target) and time.monotonic() < until:
            time.sleep(0.1)

    def unmount(self) -> None:
        """End it."""
        if self._mount is None:
            return
        subprocess.run(("fusermount3", "-u", str(self.folder / "mnt" / "share")), check=False, capture_output=True)
        with suppress(subprocess.TimeoutExpired):
            self._mount.wait(10)
        self._mount = None


def run(bed: Bed, cause: Cause, time_text: str) -> dict[str, Any]:
    """One diagnosis with that cause."""
    for command in cause.begin:
        bed.do(*command, variables=cause.variables)
    try:
        if cause.mounts:
            bed.mount()
        return diagnosed(bed, cause, cause.time or time_text)
    finally:
        bed.unmount()
        for command in cause.end:
            bed.do(*command)


def judged(bed: Bed, cause: Cause, time_text: str) -> dict[str, Any]:
    """The same; again, a few times, where `graycard why` itself refuses a verdict because others had the machine."""
    refused = 0
    while True:
        row = run(bed, cause, time_text)
        if row["rule"] not in DISTURBED or refused == MOST_REFUSED:
            return {**row, "refused": refused}
        refused += 1


def in_rounds(causes: Sequence[Cause], repeats: int, seed: int, done: Counter[str]) -> list[Cause]:
    """Each round has every cause once, in an order of its own: what ends early has them all about as often.

    `done` counts the runs there are of each.
    """
    chance = random.Random(seed)
    rounds = [[cause for cause in causes if number >= done[cause.name]] for number in range(repeats)]
    return [cause for each in rounds for cause in chance.sample(each, len(each))]


def diagnosed(bed: Bed, cause: Cause, time_text: str) -> dict[str, Any]:
    """What `graycard why` says, and how long it took."""
    filled = [each.replace("{bed}", str(bed.folder)) for each in (cause.share, *cause.options)]
    ssh = str(bed.folder / "cfg" / "ssh_config")
    command = bed.on_near(
        sys.executable, "-c", "from graycard.cli.entry import run; run()", "--store", str(bed.folder / "store.db"), "why",
        *filled, "--server", f"nas:{bed.folder}/srv/share", "--ssh-config", ssh, "--into", str(INTO),
        "--time", time_text, "--json",
    )  # fmt: skip
    environment = {**os.environ, "GRAYCARD_SMB_LOGIN": str(bed.folder / "cfg" / "login")}
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE_S, check=False)
    row: dict[str, Any] = {"cause": cause.name, "exit_code": done.returncode, "took_s": time.monotonic() - begun}
    if done.returncode:
        return {**row, "layer": "failed", "rule": "", "says": done.stderr.decode(errors="replace")[-300:]}
    (bed.folder / f"{cause.name.replace('/', ' per ')}.json").write_bytes(done.stdout)
    told = json.loads(done.stdout)
    found = told["diagnosis"]
    first = next(iter(found["findings"]), None)
    swing = found["swing"]
    return {
        **row, "layer": found["layer"], "rule": first["rule"] if first else "", "says": found["says"],
        "certainty": first["certainty"] if first else "", "period_ns": swing["period_ns"] if swing else None,
        "cost": told["cost"], "rules": [each["rule"] for each in found["findings"]],
    }  # fmt: skip


def chosen(names: Sequence[str], *, small: bool) -> list[Cause]:
    """The causes that were asked for; all without."""
    wanted = names or (SMALL_TIER if small else [cause.name for cause in CAUSES])
    found = [cause for cause in (*CAUSES, *STORIES) if cause.name in wanted]
    if len(found) != len(set(wanted)):
        raise SystemExit(f"unknown cause; there are: {'; '.join(cause.name for cause in CAUSES)}")
    return found


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--cause", action="append", default=[])
    parser.add_argument("--small", action="store_true", help="six causes")
    parser.add_argument("--bed", type=Path, default=BED)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--standing", action="store_true", help="the bed is up, and stays so")
    parser.add_argument("--rows", type=Path, default=ROOT / "build" / "diagnosis.jsonl")
    parser.add_argument("--go-on", action="store_true", help="keep the rows there are; only what is missing is run")
    parser.add_argument("--time", default="90s", help="that of graycard why")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    parser.add_argument(
        "--must",
        type=float,
        help="share of causes with the right layer in most of their runs, below which the exit code is 1; missed ones run twice more",
    )
    return parser.parse_args()


def kept_rows(path: Path) -> list[dict[str, Any]]:
    """The runs so far."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kept(bed: Bed, cause: Cause, given: argparse.Namespace) -> dict[str, Any]:
    """One more run, written down and told."""
    row = judged(bed, cause, given.time)
    with given.rows.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(f"{cause.name}: {row['layer']}, {row['rule'] or 'no rule'} ({row['took_s']:.0f} s)", flush=True)
    return row


def right_share(causes: Collection[Cause], rows: Sequence[dict[str, Any]]) -> float:
    """The share of causes whose layer was named first in most of their runs."""
    right = 0
    for cause in causes:
        found = [is_layer_right(row, cause) for row in rows if row["cause"] == cause.name]
        right += 2 * sum(found) > len(found)
    return right / len(causes) if causes else 0.0


def main() -> None:
    given = arguments()
    if not given.bed.exists():
        print(f"There is no bed at {given.bed}: not run.", file=sys.stderr)
        return
    given.rows.parent.mkdir(parents=True, exist_ok=True)
    if not given.go_on:
        given.rows.write_text("")
    done = Counter(row["cause"] for row in kept_rows(given.rows))
    causes = in_rounds(chosen(given.cause, small=given.small), given.repeats, given.seed, done)
    bed = Bed(given.bed, given.folder)
    try:
        if not given.standing:
            bed.up()
        new = [kept(bed, cause, given) for cause in causes]
        if given.must is not None:
            # One run of a machine that others use proves little either way.
            missed = [cause for cause, row in zip(causes, new, strict=True) if not is_layer_right(row, cause)]
            new += [kept(bed, cause, given) for cause in missed for _ in range(AGAIN_COUNT)]
    finally:
        if not given.standing:
            bed.down()
    rows = kept_rows(given.rows)
    print(matrix(rows), end="")
    if given.write:
        write_page(matrix(rows))
    if given.must is not None and right_share(dict.fromkeys(causes), new) < given.must:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
