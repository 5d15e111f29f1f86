"""Small trees of /sys and /proc, as kernels of real machines show them, for tests without the hardware."""

from __future__ import annotations

import os
from pathlib import Path

from graycard.host.linux.block import Device
from graycard.host.linux.roots import Roots

USB = "devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.4/1-2.4:1.0/host6/target6:0:0/6:0:0:0/block/sdc"
SATA = "devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda"
NVME = "devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/nvme0n1"


class Tree:
    """A machine's folders below one root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.roots = Roots(*(str(root / name) for name in ("proc", "sys", "dev", "run")))
        for name in ("proc/self", "sys/dev/block", "dev", "run"):
            (root / name).mkdir(parents=True)

    def files(self, texts: dict[str, str], below: str = "sys") -> None:
        for name, text in texts.items():
            path = self.root / below / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def link(self, name: str, target: str) -> None:
        """A symlink in sys to another place in sys."""
        path = self.root / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.root / "sys" / target).mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.root / "sys" / target)

    def device(self, folder: str, number: str) -> Device:
        """A block device that the kernel knows by its number."""
        self.files({f"{folder}/dev": f"{number}\n", f"{folder}/size": "2000409264\n"})
        self.link(f"dev/block/{number}", folder)
        return Device(os.path.basename(folder), str(self.root / "sys" / folder))

    def partition(self, disk: str, name: str, number: str) -> Device:
        self.files({f"{disk}/{name}/partition": "1\n"})
        return self.device(f"{disk}/{name}", number)

    def mounts(self, *lines: str) -> None:
        (self.root / "proc/self/mountinfo").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def usb_disk(tree: Tree, *, hub: str = "480", drive: str = "480") -> Device:
    """A disk in a UAS enclosure behind a hub on a root hub of 480 Mbit/s."""
    port = "devices/pci0000:00/0000:00:14.0/usb1"
    for folder, speed in ((port, "480"), (f"{port}/1-2", hub), (f"{port}/1-2/1-2.4", drive)):
        tree.files({f"{folder}/speed": f"{speed}\n", f"{folder}/bMaxPacketSize0": "64\n"})
    tree.link(f"{port}/1-2/1-2.4/1-2.4:1.0/driver", "bus/usb/drivers/uas")
    scsi = os.path.dirname(os.path.dirname(USB))
    tree.link(f"{scsi}/driver", "bus/scsi/drivers/sd")
    tree.files({f"{scsi}/vendor": "Samsung \n", f"{scsi}/model": "Portable SSD T7 \n", f"{scsi}/rev": "0   \n"})
    tree.files({f"{scsi}/queue_depth": "29\n", f"{USB}/queue/nr_requests": "60\n"})
    device = tree.device(USB, "8:32")
    tree.link(f"{USB}/device", scsi)
    return device


def sata_disk(tree: Tree, speed: str = "3.0 Gbps") -> Device:
    """A hard disk on an AHCI port."""
    port = "devices/pci0000:00/0000:00:17.0"
    scsi = os.path.dirname(os.path.dirname(SATA))
    tree.files(
        {f"{port}/current_link_speed": "2.5 GT/s PCIe\n", f"{port}/ata3/link3/ata_link/link3/sata_spd": f"{speed}\n"}
    )
    tree.link(f"{port}/driver", "bus/pci/drivers/ahci")
    tree.link(f"{scsi}/driver", "bus/scsi/drivers/sd")
    tree.files(
        {
            f"{scsi}/vendor": "ATA     \n",
            f"{scsi}/model": "WDC WD140EDFZ-11\n",
            f"{scsi}/rev": "0A81\n",
            f"{scsi}/wwid": "naa.5000cca264c12345\n",
            f"{scsi}/queue_depth": "32\n",
            f"{SATA}/queue/rotational": "1\n",
            f"{SATA}/queue/logical_block_size": "512\n",
            f"{SATA}/queue/physical_block_size": "4096\n",
            f"{SATA}/queue/write_cache": "write back\n",
        }
    )
    device = tree.device(SATA, "8:0")
    tree.link(f"{SATA}/device", scsi)
    return device


def nvme_disk(tree: Tree, *, milli_celsius: str = "38850") -> Device:
    """An NVMe drive of PCI Express 3.0 with four lanes, the sensor of its driver, and a slow bridge further out."""
    pci = "devices/pci0000:00/0000:00:1d.0/0000:03:00.0"
    controller = f"{pci}/nvme/nvme0"
    tree.files(
        {
            "devices/pci0000:00/0000:00:1d.0/current_link_speed": "2.5 GT/s PCIe\n",
            "devices/pci0000:00/0000:00:1d.0/current_link_width": "1\n",
            f"{pci}/current_link_speed": "8.0 GT/s PCIe\n",
            f"{pci}/current_link_width": "4\n",
            f"{controller}/transport": "pcie\n",
            f"{controller}/model": "Samsung SSD 970 EVO 500GB               \n",
            f"{controller}/serial": "S466NX0K701234A     \n",
            f"{controller}/firmware_rev": "2B2QEXE7\n",
            f"{controller}/hwmon1/temp1_input": f"{milli_celsius}\n",
            f"{controller}/hwmon1/temp1_max": "84850\n",
            f"{NVME}/queue/nr_requests": "1023\n",
            f"{NVME}/queue/rotational": "0\n",
        }
    )
    tree.link(f"{pci}/driver", "bus/pci/drivers/nvme")
    device = tree.device(NVME, "259:0")
    tree.link(f"{NVME}/device", controller)
    return device
