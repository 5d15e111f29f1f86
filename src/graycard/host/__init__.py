"""The operating system, as far as graycard needs it: one file or folder a platform, each with a tuple of PROBES."""

from __future__ import annotations

import sys

from graycard.protocols import Host, VolumeMaker

if sys.platform == "linux":
    from graycard.host.linux.images import LinuxVolumes
    from graycard.host.linux.machine import LinuxHost

    def this_host() -> Host:
        """The host that this process runs on."""
        return LinuxHost()

    def volume_maker() -> VolumeMaker:
        """What makes volumes in image files here."""
        return LinuxVolumes()

elif sys.platform == "darwin":
    from graycard.host.macos import MacHost
    from graycard.host.macos_images import MacVolumes

    def this_host() -> Host:
        """The host that this process runs on."""
        return MacHost()

    def volume_maker() -> VolumeMaker:
        """What makes volumes in image files here."""
        return MacVolumes()

elif sys.platform == "win32":
    from graycard.host.windows import WindowsHost
    from graycard.host.windows_images import WindowsVolumes

    def this_host() -> Host:
        """The host that this process runs on."""
        return WindowsHost()

    def volume_maker() -> VolumeMaker:
        """What makes volumes in image files here."""
        return WindowsVolumes()

else:
    from graycard.errors import TargetProblem

    _UNKNOWN = f"graycard does not know the system “{sys.platform}”; use Linux, macOS or Windows"

    def this_host() -> Host:
        """Refuse: TargetProblem."""
        raise TargetProblem(_UNKNOWN)

    def volume_maker() -> VolumeMaker:
        """Refuse: TargetProblem."""
        raise TargetProblem(_UNKNOWN)
