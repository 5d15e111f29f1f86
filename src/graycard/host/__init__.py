"""The operating system, as far as graycard needs it: one file or folder a platform, each with a tuple of PROBES."""

from __future__ import annotations

import sys

from graycard.protocols import Host

if sys.platform == "linux":
    from graycard.host.linux.machine import LinuxHost

    def this_host() -> Host:
        """The host that this process runs on."""
        return LinuxHost()

elif sys.platform == "darwin":
    from graycard.host.macos import MacHost

    def this_host() -> Host:
        """The host that this process runs on."""
        return MacHost()

elif sys.platform == "win32":
    from graycard.host.windows import WindowsHost

    def this_host() -> Host:
        """The host that this process runs on."""
        return WindowsHost()

else:
    from graycard.errors import TargetProblem

    def this_host() -> Host:
        """Refuse: TargetProblem."""
        raise TargetProblem(f"graycard does not know the system “{sys.platform}”; use Linux, macOS or Windows")
