"""The compiled core; everything else stands in pyproject.toml."""

import sys

from setuptools import Extension, setup

CORE = "src/graycard/native"
# The stable ABI: one wheel serves every Python from 3.11 on.
setup(
    ext_modules=[
        Extension(
            "graycard.native._core",
            sources=[f"{CORE}/module.c", f"{CORE}/core.c"],
            depends=[f"{CORE}/core.h"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            # Without a compiler all but the native engine still installs, and `measure` says what is missing.
            optional=True,
            extra_compile_args=[] if sys.platform == "win32" else ["-O2", "-std=c11", "-pthread"],
            extra_link_args=[] if sys.platform == "win32" else ["-pthread"],
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
