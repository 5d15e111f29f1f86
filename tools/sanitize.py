"""`make sanitize`: the core under the address, undefined-behaviour and thread sanitizers, over real and failing loads."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORE = ROOT / "src" / "graycard" / "native"
SOURCES = [*sorted(p for p in CORE.glob("*.c") if p.name != "module.c"), ROOT / "tests" / "native" / "driver.c"]
FLAGS = (
    "-std=c11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
    "-pthread",
    "-DGRAYCARD_TEST_OPS",
)
BUILDS = (
    ("clang", "address,undefined"),
    ("clang", "thread"),
    ("gcc", "address,undefined"),
    ("gcc", "thread"),
)
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=1:exitcode=99",
    "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=99",
}
SPAN = 4 << 20
SEQUENTIAL_1M = ("block_bytes=1048576", "depth_count=3", "op_limit=12")
SHORT = "time_ns=100000000"
WRITE = ("operation=1", "may_write=1")
BUSY = ("null_device=1", "busy=1000,50000", SHORT)
# Loads on a laid-out file, each with both engines; `peek=1` watches from another thread meanwhile.
LOADS = (
    ("depth_count=4", "op_limit=500", "peek=1"),
    ("depth_count=7", "worker_count=3", "pattern=1", SHORT, "peek=1"),
    SEQUENTIAL_1M,
    (*WRITE, *SEQUENTIAL_1M, "peek=1"),
    (*WRITE, "pattern=1", "depth_count=16", "worker_count=2", "zero_bytes=1000", SHORT, "peek=1"),
    (*WRITE, "durability=0", "block_bytes=1000", "op_limit=50"),
    ("depth_count=4", "block_bytes=16384", SHORT, "period_ns=10000000", "frame_ops=4", "peek=1"),
    ("depth_count=4", "worker_count=2", *WRITE, SHORT, "period_ns=5000000", "frame_ops=2"),
    ("depth_count=4", "time_ns=60000000000", "stop_ms=50"),
    (*WRITE, "depth_count=8", "worker_count=4", "time_ns=60000000000", "stop_ms=50"),
    ("depth_count=4", f"span_bytes={2 * SPAN}", "op_limit=4096"),
    ("null_device=1", "depth_count=8", "worker_count=2", SHORT),
    ("null_device=1", "account=0", "depth_count=8", "op_limit=5000"),
    (*BUSY, "depth_count=4", "peek=1"),
)
# Loads that only one engine takes, or none.
ALONE = (
    (*WRITE, "durability=2", "depth_count=2", SHORT, "peek=1"),
    ("operation=1", "op_limit=1"),
    ("block_bytes=0", "op_limit=1"),
)


def build(folder: Path, compiler: str, sanitizer: str) -> Path:
    program = folder / f"{compiler}-{sanitizer.replace(',', '-')}"
    command = (compiler, *FLAGS, f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", f"-I{CORE}")
    subprocess.run((*command, *map(str, SOURCES), "-o", str(program)), check=True)
    return program


def loads() -> list[tuple[str, ...]]:
    """Every load with io_uring forced and with the pool, direct and through the page cache."""
    engines = [(f"engine={engine}", f"direct={direct}") for engine in (1, 2) for direct in (0, 1)]
    return [(*load, *engine) for load in LOADS for engine in engines] + list(ALONE)


def passes(program: Path, path: Path, load: tuple[str, ...]) -> bool:
    """Whether the sanitizer had nothing to say. That a load itself fails (a short read, a refusal) is wanted here."""
    path.write_bytes(os.urandom(SPAN))
    return ends_well(str(program), "run", f"path={path}", f"span_bytes={SPAN}", *load)


def ends_well(*command: str) -> bool:
    """Whether the sanitizer had nothing to say."""
    done = subprocess.run(
        command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        sys.stderr.write(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}\n")
    return not done.returncode


def main() -> int:
    failed = 0
    (ROOT / "build").mkdir(exist_ok=True)  # on a disk: direct I/O says little on tmpfs
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        for compiler, sanitizer in BUILDS:
            program = build(Path(folder), compiler, sanitizer)
            results = [passes(program, Path(folder) / "data", load) for load in loads()]
            results.append(ends_well(str(program), "moves", str(Path(folder) / "frames"), "4", "25", "65536"))
            sys.stdout.write(f"{compiler} {sanitizer}: {sum(results)} of {len(results)} loads clean\n")
            failed += len(results) - sum(results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
