"""The compiled core; everything else stands in pyproject.toml."""

import sys
from glob import glob

from setuptools import Extension, setup

CORE = "src/graycard/native"
POSIX = ["-O2", "-std=c11", "-pthread", "-fvisibility=hidden", "-Wall", "-Wextra"]
MICROSOFT = ["/O2", "/std:c11", "/experimental:c11atomics"]
# The stable ABI: one wheel serves every Python from 3.11 on.
setup(
    ext_modules=[
        Extension(
            "graycard.native._core",
            sources=sorted(glob(f"{CORE}/*.c")),
            depends=sorted(glob(f"{CORE}/*.h")),
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            # Without a compiler all but the native engine still installs, and `measure` says what is missing.
            optional=True,
            extra_compile_args=MICROSOFT if sys.platform == "win32" else POSIX,
            extra_link_args=[] if sys.platform == "win32" else ["-pthread"],
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
