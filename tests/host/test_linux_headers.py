"""Our numbers and structures against the kernel's own headers, by the compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

from graycard.host.linux import direct, extents, inode_flags, page_cache, quota

HEADERS = ("stddef.h", "sys/ioctl.h", "linux/fs.h", "linux/fiemap.h", "linux/btrfs.h", "linux/magic.h", "linux/stat.h")
ASSERTS = {
    "FS_IOC_FIEMAP": extents._FS_IOC_FIEMAP,
    "FIEMAP_FLAG_SYNC": extents._SYNC,
    "FIEMAP_EXTENT_LAST": extents._LAST,
    "FIEMAP_EXTENT_ENCODED": extents._ENCODED,
    "FIEMAP_EXTENT_UNWRITTEN": extents._UNWRITTEN,
    "sizeof(struct fiemap)": extents._HEAD.size,
    "sizeof(struct fiemap_extent)": extents._EXTENT.size,
    "offsetof(struct fiemap, fm_mapped_extents)": 20,
    "offsetof(struct fiemap_extent, fe_flags)": 40,
    "FS_IOC_GETFLAGS": inode_flags._GET,
    "FS_IOC_SETFLAGS": inode_flags._SET,
    "FS_NOCOW_FL": inode_flags.NOCOW,
    "FS_COMPR_FL": inode_flags.COMPRESSED,
    "FS_ENCRYPT_FL": inode_flags.ENCRYPTED,
    "BTRFS_IOC_GET_SUBVOL_INFO": quota._GET_SUBVOL_INFO,
    "offsetof(struct btrfs_ioctl_get_subvol_info_args, treeid)": 0,
    "BTRFS_QGROUP_LIMIT_MAX_RFER": quota._MAX_REFERENCED,
    "BTRFS_QGROUP_LIMIT_MAX_EXCL": quota._MAX_EXCLUSIVE,
    "OVERLAYFS_SUPER_MAGIC": page_cache._OVERLAYFS,
    "STATX_DIOALIGN": direct._STATX_DIOALIGN,
    "offsetof(struct statx, stx_mask)": direct._MASK_AT,
    "offsetof(struct statx, stx_dio_mem_align)": direct._ALIGN_AT,
    "offsetof(struct statx, stx_dio_offset_align)": direct._ALIGN_AT + 4,
}
QUOTA = {
    "(unsigned)QCMD(Q_GETQUOTA, USRQUOTA)": quota._GET_USER_QUOTA,
    "offsetof(struct dqblk, dqb_curspace)": 16,
    "offsetof(struct dqblk, dqb_valid)": quota._DQBLK.size - 4,
}


def test_the_kernel_agrees(tmp_path: Path) -> None:
    compile_asserts(HEADERS, ASSERTS, tmp_path)


def test_the_c_library_agrees_on_quotas(tmp_path: Path) -> None:
    compile_asserts(("stddef.h", "sys/quota.h"), QUOTA, tmp_path)


def test_a_wrong_number_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "asserts.c"
    source.write_text(text(("linux/fs.h",), {"FS_NOCOW_FL": 1}))
    assert subprocess.run(["cc", "-fsyntax-only", str(source)], capture_output=True, check=False).returncode


def compile_asserts(headers: tuple[str, ...], asserts: dict[str, int], folder: Path) -> None:
    source = folder / "asserts.c"
    source.write_text(text(headers, asserts))
    done = subprocess.run(["cc", "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def text(headers: tuple[str, ...], asserts: dict[str, int]) -> str:
    includes = "".join(f"#include <{header}>\n" for header in headers)
    return includes + "".join(f'_Static_assert({name} == {number}u, "{name}");\n' for name, number in asserts.items())
