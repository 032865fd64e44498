"""A Pico in BOOTSEL mode without a desktop: found, mounted, or the commands are said."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.errors import BoardError
from lumiban.maker import flash

INFO = "UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\nBoard-ID: RPI-RP2\n"


def by_label(root: Path) -> None:
    (root / "dev/disk/by-label").mkdir(parents=True)
    (root / "dev/sdb1").touch()
    (root / flash.LABEL).symlink_to(root / "dev/sdb1")


def by_usb(root: Path, *, has_partition: bool = True) -> None:
    """As the kernel shows it: a link to the device, and the disk below one of its interfaces."""
    device = root / "sys/devices/usb1/1-1"
    disk = device / "1-1:1.0/host2/target2:0:0/2:0:0:0/block/sdb"
    (disk / "sdb1" if has_partition else disk).mkdir(parents=True)
    (device / "idVendor").write_text("2e8a\n")
    (device / "idProduct").write_text("0003\n")
    links = root / "sys/bus/usb/devices"
    links.mkdir(parents=True)
    (links / "1-1").symlink_to(device)
    (links / "1-1:1.0").symlink_to(device / "1-1:1.0")


def test_a_drive_that_nothing_has_mounted_is_found_by_its_label_or_its_usb_numbers(
    tmp_path: Path,
) -> None:
    assert flash.unmounted(tmp_path) is None
    by_usb(tmp_path)
    assert flash.unmounted(tmp_path) == tmp_path / "dev/sdb1"
    by_label(tmp_path)
    assert flash.unmounted(tmp_path) == tmp_path / "dev/sdb1"


def test_a_disk_without_partitions_and_another_device_are_told_apart(tmp_path: Path) -> None:
    by_usb(tmp_path, has_partition=False)
    assert flash.unmounted(tmp_path) == tmp_path / "dev/sdb"
    (tmp_path / "sys/devices/usb1/1-1/idProduct").write_text("0005\n")  # one that runs a program
    assert flash.unmounted(tmp_path) is None


def udisks(folder: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    tool = folder / "bin" / "udisksctl"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{says}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")


@pytest.mark.parametrize("end", ["", "."])
def test_udisks_mounts_it_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    drive = tmp_path / "media" / "RPI-RP2"
    drive.mkdir(parents=True)
    (drive / "INFO_UF2.TXT").write_text(INFO)
    udisks(tmp_path, monkeypatch, f'echo "Mounted $4 at {drive}{end}"')
    assert flash.checked_drive(flash.mount(Path("/dev/sdb1"))).path == drive


@pytest.mark.parametrize("says", ["echo 'Not authorized' >&2; exit 1", ""])
def test_without_udisks_or_its_leave_the_two_commands_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    if says:
        udisks(tmp_path, monkeypatch, says)
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BoardError) as refused:
        flash.mount(Path("/dev/sdb1"))
    assert "sudo mount -o uid=$(id -u) /dev/sdb1 /mnt/pico" in str(refused.value)
    assert "board flash --drive /mnt/pico" in str(refused.value)
