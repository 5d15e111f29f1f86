"""`make cross`: compile the core for every platform that graycard names, without warnings. Nothing is linked or run.

The thin Python module is compiled where this machine's Python.h fits: its pyconfig.h describes a POSIX system of 64 bits.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

CORE = Path(__file__).parent.parent / "src" / "graycard" / "native"
TARGETS = (
    "x86_64-linux-gnu",
    "aarch64-linux-gnu",
    "x86_64-linux-musl",
    "aarch64-macos",
    "x86_64-macos",
    "x86_64-windows-gnu",
)
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
MODULE = "module.c"


def compiles(target: str, source: Path, output: Path) -> bool:
    command = (sys.executable, "-m", "ziglang", "cc", "-target", target, *FLAGS, "-c", str(source), "-o", str(output))
    # Python's own headers are not ours to judge: as system headers they give no warnings.
    python = ("-isystem", sysconfig.get_path("include")) if source.name == MODULE else ()
    return subprocess.run((*command, *python), check=False).returncode == 0


def sources(target: str) -> list[Path]:
    return [path for path in sorted(CORE.glob("*.c")) if path.name != MODULE or "windows" not in target]


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            results = [compiles(target, source, Path(folder) / "object.o") for source in sources(target)]
            sys.stdout.write(f"{target}: {sum(results)} of {len(results)} files compiled\n")
            failed += len(results) - sum(results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
