"""Ways to copy the same bytes: one small file each, one line here.

A method says in `refuses` what it cannot do here, and `run`s as its users run it, with its usual options. Programs are
watched from outside, four times a second.
"""

from graycard.protocols import CopyMethod
from graycard.transfer.cp import Cp
from graycard.transfer.mac import Ditto, Finder
from graycard.transfer.nfs_cp import NfsCp
from graycard.transfer.own import OWN, OwnCopy, kernel_copies
from graycard.transfer.rclone import Rclone
from graycard.transfer.rsync import Rsync
from graycard.transfer.smbclient import SmbClient
from graycard.transfer.ssh import Scp, Sftp
from graycard.transfer.windows import Explorer, Robocopy

COPY_METHODS: tuple[CopyMethod, ...] = (
    *OWN,
    *kernel_copies(),
    Cp(),
    Rsync(),
    Scp(),
    Sftp(),
    SmbClient(),
    Rclone(),
    NfsCp(),
    Ditto(),
    Finder(),
    Robocopy(),
    Explorer(),
)

__all__ = ["COPY_METHODS", "OWN", "OwnCopy"]
