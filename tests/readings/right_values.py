"""Right values of documents of facts: of our own samples, and of those beside the repository as the index has them."""

from __future__ import annotations

from graycard.model import FactValue

Values = dict[str, FactValue]

# By file and by the first name of the reading.
OWN: dict[str, dict[str, Values]] = {
    "smartctl-nvme.json": {
        "/dev/nvme0": {
            "device_model": "Example NVMe 1TB",
            "device_firmware": "1.02",
            "device_size_bytes": 1000204886016,
            "bus": "nvme",
            "rotational": False,
            "health": "passed",
            "wear_ratio": 0.12,
            "temperature_celsius": 71,
            "temperature_limit_celsius": 82,
            "throttled": True,
            "power_on_ns": 360_000 * 10**9,
            "life_written_bytes": 1_024_000_000,
        }
    },
    "smartctl-sata.json": {
        "/dev/sdb": {
            "bus": None,
            "device_id": None,
            "rotational": False,
            "health": "failed",
            "wear_ratio": 0.1,
            "drive_link_bits_per_s": 1_500_000_000,
            "physical_block_bytes": 4096,
        }
    },
    "lsblk.json": {
        "sda": {"bus": "usb", "device_model": "Example Portable SSD", "partition_scheme": "gpt", "mount_point": None},
        "sda1": {
            "bus": "usb",
            "device_name": "sda1",
            "device_model": "Example Portable SSD",
            "device_firmware": "10.1",
            "device_size_bytes": 1000204886016,
            "device_id": None,
            "file_system": "exFAT",
            "volume_name": "MEDIA",
            "mount_point": "/media/anna/MEDIA",
            "size_bytes": 1000169865216,
            "free_bytes": 250042466304,
            "used_ratio": 0.75,
            "removable": True,
        },
        "root": {
            "bus": "nvme",
            "file_system": "ext4",
            "logical_block_bytes": 4096,
            "device_model": "Example NVMe",
            "io_scheduler": "none",
        },
    },
    "findmnt.json": {
        "/": {"file_system": "ext4", "mount_source": "/dev/vda", "size_bytes": 270553174016, "used_ratio": 0.16},
        "/mnt/ssd": {
            "file_system": "btrfs",
            "mount_source": "/dev/sda1",
            "mount_options": "rw,relatime,compress=zstd:3,subvol=/@media",
        },
    },
    "proc-mounts.txt": {"/proc": {"file_system": "proc", "mount_options": "rw,relatime"}},
    "mount-linux.txt": {
        "/mnt/nas": {
            "file_system": "nfs4",
            "bus": "network",
            "server": "nas",
            "protocol_version": "4.2",
            "driver": "nfs 4.2",
        },
        "/mnt/photos": {"server": "nas", "driver": "smb 3.1.1"},
        "/media/anna/A on B (1)": {"file_system": "exFAT", "mount_options": "rw,nosuid", "bus": None},
    },
    "mount-macos.txt": {
        "/": {"file_system": "apfs", "bus": None},
        "/Volumes/Card (EOS)": {"file_system": "exfat", "mount_source": "/dev/disk4s1"},
        "/Volumes/media": {"mount_source": "//nas.local/media", "bus": "network", "server": "nas.local"},
    },
    "mountstats.txt": {
        "/mnt/nas": {
            "server": "nas",
            "share_read_bytes": 1030,
            "share_written_bytes": 2040,
            "server_read_bytes": 900,
            "server_written_bytes": 1900,
            "read_round_trip_ns": 2_500_000,
            "write_round_trip_ns": None,
        }
    },
    "diskutil-info.plist": {
        "disk3s1": {
            "bus": "thunderbolt",
            "file_system": "apfs",
            "device_size_bytes": None,
            "size_bytes": 10**12,
            "free_bytes": 4 * 10**11,
            "used_ratio": 0.6,
            "rotational": False,
            "writable": True,
            "internal": False,
        }
    },
    "diskutil-info-binary.plist": {
        "disk3s1": {
            "bus": "thunderbolt",
            "file_system": "apfs",
            "device_size_bytes": None,
            "size_bytes": 10**12,
            "free_bytes": 4 * 10**11,
            "used_ratio": 0.6,
            "rotational": False,
            "writable": True,
            "internal": False,
        }
    },
    "fsutil-all.txt": {
        "D:": {
            "file_system": "ntfs",
            "volume_name": "MEDIA",
            "writable": True,
            "allocation_unit_bytes": 131072,
            "logical_block_bytes": 512,
            "physical_block_bytes": 16384,
            "rotational": False,
            "size_bytes": 7630944 * 131072,
            "free_bytes": 1907736 * 131072,
            "used_ratio": 0.75,
        }
    },
    "fsutil-ntfsinfo-windows-7.txt": {
        "the volume": {
            "file_system": "ntfs",
            "allocation_unit_bytes": 4096,
            "logical_block_bytes": 512,
            "physical_block_bytes": None,
            "size_bytes": 0x28E6DFF * 4096,
            "free_bytes": 0x12B98A7 * 4096,
        }
    },
    "physical-disk-numbers.json": {
        "PhysicalDrive0": {
            "device_name": "PhysicalDrive0",
            "device_model": "Example NVMe 1TB",
            "device_firmware": "1.02",
            "bus": "nvme",
            "rotational": False,
            "health": "passed",
            "device_size_bytes": 1000204886016,
            "logical_block_bytes": 512,
            "physical_block_bytes": 4096,
        },
        "PhysicalDrive1": {"bus": "usb", "rotational": True, "health": "warning", "device_id": None},
    },
    "physical-disk-words.json": {
        "PhysicalDrive0": {
            "bus": "sata",
            "rotational": False,
            "health": "passed",
            "device_size_bytes": 500107862016,
            "physical_block_bytes": 512,
        }
    },
    "physical-disk-table.txt": {
        "PhysicalDrive0": {
            "device_model": "Example NVMe 1TB",
            "rotational": False,
            "health": "passed",
            "bus": None,
            "device_size_bytes": round(931.51 * 2**30),
        },
        "PhysicalDrive1": {"device_model": "Example Desktop HDD", "rotational": True, "device_id": None},
    },
    "system_profiler.json": {
        "disk4s1": {
            "bus": "usb",
            # Its own link counts, not that of the faster hub above it.
            "link_bits_per_s": 480_000_000,
            "device_model": "Portable SSD",
            "mount_point": "/Volumes/CARD",
            "free_bytes": 5 * 10**11,
        },
        "disk0": {
            "bus": "nvme",
            "link_bits_per_s": 32_000_000_000,
            "device_firmware": "1161",
            "device_model": "APPLE SSD AP1024",
            "health": "passed",
        },
        "disk3s5": {"bus": "nvme", "internal": True, "rotational": False, "size_bytes": 994662584320},
    },
    "system_profiler.xml": {"Card reader": {"bus": "usb", "link_bits_per_s": 5_000_000_000}},
    "smbstatus.json": {
        "192.0.2.11": {
            "protocol_version": "3.1.1",
            "share_encryption": "AES-128-GCM",
            "share_signing": "off",
            "open_file_count": 0,
        },
        "192.0.2.12": {"protocol_version": "2.1", "share_encryption": "off", "share_signing": "off"},
    },
    "smbstatus.txt": {"192.0.2.11": {"driver": "smb 3.1.1", "share_signing": "off", "share_encryption": "off"}},
}
# Our own samples that are refused, and what is said of them.
OWN_REFUSED = {"smartctl-unknown.json": "could not ask the drive .*Unable to detect device type"}

STORED: dict[str, dict[str, Values]] = {
    "windows/01-get-physicaldisk-runner.txt": {
        "PhysicalDrive0": {"device_model": "Virtual HD", "device_size_bytes": 256 * 2**30, "rotational": None},
        "PhysicalDrive1": {"device_model": "Virtual HD", "device_size_bytes": 150 * 2**30, "health": "passed"},
    },
    "windows/02-get-physicaldisk-backup.txt": {
        "PhysicalDrive0": {"device_model": "SYSTEM", "device_size_bytes": round(93.13 * 2**30)},
        "PhysicalDrive1": {"device_model": "Backups", "device_size_bytes": round(37.25 * 2**30)},
    },
    "windows/03-fsutil-ntfsinfo-bytes.txt": {
        "the volume": {"logical_block_bytes": 512, "physical_block_bytes": 4096, "allocation_unit_bytes": 4096}
    },
    "smartctl/01-nvme-ct250p2.json": {
        "/dev/nvme0": {
            "device_model": "CT250P2SSD8",
            "temperature_celsius": 26,
            "wear_ratio": 0.0,
            "life_written_bytes": 1002900 * 512000,
            "power_on_ns": 10147 * 3600 * 10**9,
        }
    },
    "smartctl/02-nvme-samsung.json": {
        "/dev/nvme0": {
            "device_model": "SAMSUNG MZQLB1T9HAJR-00007",
            "temperature_celsius": 40,
            "wear_ratio": 0.0,
            "life_written_bytes": 44965392 * 512000,
            "power_on_ns": 20701 * 3600 * 10**9,
        }
    },
    "smartctl/03-ata.json": {
        "/dev/sdb": {"device_model": "WDC WD140EDFZ-11A0VA0", "temperature_celsius": 32, "health": "passed"}
    },
    "smartctl/04-nvme-failed.json": {
        "/dev/nvme0": {"device_model": "Samsung SSD 970 EVO 500GB", "temperature_celsius": 35, "health": "passed"}
    },
    "smartctl/05-scsi.json": {
        "/dev/sdg": {"device_model": "SEAGATE ST4000NM0043", "temperature_celsius": 34, "health": "passed"}
    },
    "smartctl/06-usb-sat.json": {"/dev/sdc": {"device_model": None, "temperature_celsius": 29, "health": None}},
    "lsblk/01-lsblk-J-O-2.38.json": {"loop0": {"bus": "loop"}, "vda": {"bus": "virtio"}},
    "lsblk/02-lsblk-J-b-2.38.json": {
        "loop0": {"device_size_bytes": 8589934592, "mount_point": "/srv/test"},
        "zram0": {"rotational": False, "bus": "memory", "mount_point": None},
        # Mounted twice, so neither is the mount point.
        "vda": {"device_size_bytes": 274877906944, "mount_point": None, "io_scheduler": "mq-deadline"},
    },
    "lsblk/03-lsblk-J-2.2x-strings.json": {
        "sda": {"device_size_bytes": int(14.3 * 2**30), "removable": True, "mount_point": "/media/user/Temp"},
        "nvme0n1p2": {"device_size_bytes": 477 * 2**30, "removable": False, "mount_point": "/"},
        "nvme0n1p3": {"mount_point": None},
    },
    "lsblk/04-lsblk-J-compact.json": {"nvme0n1": {"device_size_bytes": int(1.7 * 2**40)}},
    "findmnt/01-findmnt-J.json": {"/": {"file_system": "ext4"}},
    "findmnt/02-findmnt-J-b.json": {
        "/": {"file_system": "ext4", "size_bytes": 270553174016},
        "/run/netns": {"mount_source": "/dev/vda"},
    },
    "diskutil/01-diskutil-list.plist": {
        "disk0": {"partition_scheme": "gpt", "device_size_bytes": 42948853248},
        "disk0s1": {"device_name": "disk0s1", "volume_name": "EFI"},
        "disk0s2": {"mount_point": "/", "size_bytes": 42089095168},
    },
    "diskutil/02-diskutil-info-disk0.plist": {
        "disk0": {
            "bus": "sata",
            "internal": True,
            "device_model": "VBOX HARDDISK",
            "device_size_bytes": 42948853248,
            "mount_point": None,
            "rotational": True,
        }
    },
    "diskutil/03-diskutil-info-nonroman.plist": {
        "disk0": {
            "bus": "sata",
            "device_model": "ΉΜήυΟομἝἲϾᾍᾈᾁὮᾌ ꍜꍧꍼꍟꍏꍄꌲꍏꌽꍛꍷꍼꍴ",
            "device_size_bytes": 42948853248,
        }
    },
    "diskutil/04-diskutil-info-keys-missing.plist": {
        "disk0": {"bus": None, "device_model": None, "device_size_bytes": 42948853248, "mount_point": None}
    },
    "diskutil/05-diskutil-info-disk0s2.plist": {
        "disk0s2": {
            "bus": "usb",
            "internal": False,
            "device_model": "VBOX HARDDISK",
            "size_bytes": 42089095168,
            "file_system": "hfs",
            "mount_point": "/",
            "rotational": True,
            "writable": True,
        }
    },
    "system_profiler/01-SPUSBDataType.json": {
        "disk2": {
            "bus": "usb",
            "link_bits_per_s": 5_000_000_000,
            "device_size_bytes": 1000204140544,
            "device_model": "Extreme SSD",
        }
    },
    "smbstatus/01-smbstatus-j-4.17.json": {
        "127.0.0.1": {
            "protocol_version": "3.1.1",
            "share_encryption": "off",
            "share_signing": "off",
            "open_file_count": 1,
        }
    },
    "smbstatus/02-smbstatus-text-4.17.txt": {"127.0.0.1": {"protocol_version": "3.1.1"}},
    "nfs/01-mountstats-nfs4.txt": {
        "/mnt/nfs/test": {
            "share_read_bytes": 1207640230,
            "server_read_bytes": 1210214218,
            "read_round_trip_ns": 79386 / 1298 * 1e6,
            "protocol_version": "4.0",
            "server": "192.0.2.1",
        }
    },
    "mount/01-macos-10.14-afp-apfs.txt": {
        "/": {"file_system": "apfs", "mount_options": "local, journaled", "bus": None},
        "/Volumes/share": {"file_system": "afpfs", "bus": "network"},
    },
    "mount/02-linux-spaces-in-mountpoint.txt": {
        "/media/ingo/Ubuntu 22.04.3 LTS amd64": {"file_system": "iso9660", "mount_source": "/dev/sda1"}
    },
    "mount/03-linux-parens.txt": {
        "/Users/muescha/Library/Application Support/Mountain Duck/Volumes.noindex/MN - mydomain.com.localized": {
            "file_system": "nfs",
            "mount_source": "MN - mydomain.com (ftp.mydomain.com):/",
        }
    },
    "mount/04-aix.txt": {
        "/var/adm/ras/livedump": {"file_system": "jfs2", "mount_source": "/dev/livedump"},
        "/remote": {"mount_source": "remote:/local", "server": "remote", "protocol_version": "3"},
    },
    "mount/05-proc-mounts-escapes.txt": {
        "/t/mnt dir ünï\\x": {"file_system": "tmpfs", "mount_options": "rw,relatime,size=8192k"},
        "/t/ovl/m": {"file_system": "overlay"},
    },
}
STORED_REFUSED = {
    "smartctl/07-open-failed.json": "could not ask the drive .*Open failed, Error=5",
    "smartctl/08-virtio-unsupported.json": "could not ask the drive .*Unable to detect device type",
    "lsblk/05-lsblk-allcols-text.txt": "give it -J",
    "smbstatus/03-locks-cluster-video-files.txt": "lists no session",
    "smbstatus/04-shares-with-spaces-mixed-dates.txt": "lists no session",
}
