"""These files as one text: the near end sends it through ssh, and the far end needs nothing but Python."""

from __future__ import annotations

import json
from importlib import resources

# In the order in which each may import those before it.
_MODULES = (
    "wire", "counting", "traffic", "gate", "ground", "processes", "sockets", "interfaces", "adapters", "sampling",
    "sessions", "session", "program",
)  # fmt: skip
# Read the bundle from standard input, make its modules, go on with what follows on standard input.
BOOT = (
    "import sys,json,types;i=sys.stdin.buffer;"
    "b=json.loads(i.read(int(i.readline())));"
    "exec(b['loader'],{'modules':b['modules']});"
    "sys.modules['graycard.agent.program'].on_pipes(b['root'])"
)
_LOADER = """
import sys, types
for name, source in modules:
    module = types.ModuleType(name)
    if source is None:
        module.__path__ = []
    sys.modules[name] = module
    if source is not None:
        exec(compile(source, name, "exec"), module.__dict__)
"""


def bundle(root: str = "") -> bytes:
    """What is written to the far end's standard input before the first request: its length, a line end, itself.

    `root` is the folder over there below which disk tests are allowed; "": none.
    """
    folder = resources.files("graycard.agent")
    sources = [(f"graycard.agent.{name}", (folder / f"{name}.py").read_text(encoding="utf-8")) for name in _MODULES]
    modules = [("graycard", None), ("graycard.agent", None), *sources]
    text = json.dumps({"loader": _LOADER, "modules": modules, "root": root}).encode()
    return b"%d\n%s" % (len(text), text)
