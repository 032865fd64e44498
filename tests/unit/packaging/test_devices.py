"""Devices of a board, from the driver that makes them to the path that the code opens: unit, udev
rules, modules and groups of the package are held against each other, and against the code."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import pytest
from places import ROOT
from scripts import module_of

DEBIAN = ROOT / "packaging" / "debian"
UNIT = (DEBIAN / "lumiban.service").read_text("utf-8")
RULES = (DEBIAN / "70-lumiban.rules").read_text("utf-8")
POSTINST = (DEBIAN / "postinst").read_text("utf-8")
SYSUSERS = (DEBIAN / "lumiban.sysusers").read_text("utf-8")


@dataclass(frozen=True)
class Device:
    """What a kind of device is called, by those who have to do with it."""

    path: str
    """As the code opens it, up to its number."""
    allowed: str
    """Its driver's name in /proc/devices, or its path: what DeviceAllow names."""
    module: str = ""
    """Which module brings the driver; "" where it is part of every kernel."""
    group: str = ""
    """Whose it is on Raspberry Pi OS, or on all Debian systems; "" where it is everybody's."""
    subsystem: str = ""
    """What udev calls it, where the package has a rule for systems without that group."""


DEVICES = (
    Device("/dev/ttyACM", "char-ttyACM", "cdc_acm", "dialout"),
    Device("/dev/ttyUSB", "char-ttyUSB", "usbserial", "dialout"),
    Device("/dev/gpiochip", "char-gpiochip", "", "gpio", "gpio"),
    Device("/dev/spidev", "char-spi", "spidev", "spi", "spidev"),
    Device("/dev/i2c-", "char-i2c", "i2c_dev", "i2c", "i2c-dev"),
    Device("/dev/pts/", "char-pts"),
    Device("/dev/ptmx", "/dev/ptmx"),
)
NAMES_ONLY = ("/dev/serial/by-id", "/dev/pts", "/dev/tty")
"""Folders and beginnings of names, which lead to devices of the table."""


def values(key: str) -> set[str]:
    """All words of a key of the unit."""
    return {
        word for line in re.findall(rf"^{key}=(.*)$", UNIT, re.MULTILINE) for word in line.split()
    }


def test_the_unit_allows_exactly_the_devices_of_the_table() -> None:
    assert values("DevicePolicy") == {"closed"}
    assert values("DeviceAllow") - {"rw"} == {device.allowed for device in DEVICES}


@pytest.mark.parametrize("key", ["Wants", "After"])
def test_drivers_that_are_modules_are_loaded_before_the_unit_names_their_devices(key: str) -> None:
    """systemd.resource-control(5): a name that /proc/devices does not have yet allows nothing."""
    loaded = {name for name in values(key) if name.startswith("modprobe@")}
    assert loaded == {f"modprobe@{device.module}.service" for device in DEVICES if device.module}
    assert "ProtectKernelModules=yes" in UNIT, "the service itself loads none"


def test_the_service_s_user_is_in_the_group_of_each_device_or_the_rules_give_it_to_it() -> None:
    always = set(re.findall(r"^m lumiban (\S+)$", SYSUSERS, re.MULTILINE))
    found = re.search(r"^ *for group in (.*); do$", POSTINST, re.MULTILINE)
    assert found is not None
    assert always | set(found[1].split()) == {device.group for device in DEVICES if device.group}
    of_rules = dict(re.findall(r'SUBSYSTEM=="([^"]+)"[^\n]*GROUP="([^"]+)", MODE="0660"', RULES))
    where_there_is = {device.subsystem for device in DEVICES if device.subsystem}
    assert of_rules == dict.fromkeys(where_there_is, "lumiban")
    assert where_there_is == {d.subsystem for d in DEVICES if d.group and d.group not in always}
    assert re.search(r"^u lumiban ", SYSUSERS, re.MULTILINE), "the user brings a group of its name"


def test_rules_count_for_devices_that_are_there_when_the_package_is_installed() -> None:
    found = re.search(r"^ *for subsystem in (.*); do$", POSTINST, re.MULTILINE)
    assert found is not None
    assert set(found[1].split()) == set(re.findall(r'SUBSYSTEM=="([^"]+)"', RULES))


@pytest.mark.slow
def test_the_code_opens_no_device_that_is_missing_from_the_table() -> None:
    """Every text in the host's code that begins like a device's path."""
    found = set()
    for path in (ROOT / "host" / "lumiban").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"^/dev/[A-Za-z0-9/-]*", node.value))
    found -= {"/dev/"}  # a name follows that the system itself told
    known = tuple(device.path for device in DEVICES)
    assert found
    assert {path for path in found if not path.startswith(known)} <= set(NAMES_ONLY)


def test_a_simulated_board_s_line_is_one_of_the_devices() -> None:
    import os

    master, slave = os.openpty()
    try:
        assert os.ttyname(slave).startswith("/dev/pts/")
    finally:
        os.close(master)
        os.close(slave)


trial = module_of(ROOT / "packaging" / "trial.py", "lumiban_trial")


@pytest.mark.parametrize(
    ("told", "says"),
    [("1", "enforced"), ("6", "inconclusive"), ("19", "inconclusive"), ("", "inconclusive")],
)
def test_a_trial_on_a_kernel_that_enforces_no_device_policy_is_inconclusive(
    told: str, says: str
) -> None:
    assert trial.judged(told).startswith(says)
