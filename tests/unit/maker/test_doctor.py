"""The doctor: what it says of Pis of each generation, and that each ailment comes with its cure."""

from __future__ import annotations

import grp
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards.gpio.config_txt import STEADY
from lumiban.boards.gpio.pins import PinError, check_clock, look
from lumiban.i18n import LANGUAGES, text
from lumiban.maker import tried
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding, Machine, examine, this_machine

MODELS = {
    3: "Raspberry Pi 3 Model B Plus Rev 1.3",
    4: "Raspberry Pi 4 Model B Rev 1.4",
    5: "Raspberry Pi 5 Model B Rev 1.0",
    13: "Raspberry Pi Zero 2 W Rev 1.0",
    14: "Raspberry Pi Compute Module 4 Rev 1.0",
    1: "Raspberry Pi Model B Rev 2",
    2: "Raspberry Pi 2 Model B Rev 1.1",
    10: "Raspberry Pi Zero W Rev 1.1",
    400: "Raspberry Pi 400 Rev 1.0",
    500: "Raspberry Pi 500 Rev 1.0",
    15: "Raspberry Pi Compute Module 5 Rev 1.0",
}
GENERATIONS = {3: 3, 4: 4, 5: 5, 13: 3, 14: 4, 1: 1, 2: 2, 10: 1, 400: 4, 500: 5, 15: 5}


def _write(root: Path, path: str, words: str = "") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(words)
    return file


def _pi(root: Path, which: int = 4) -> Machine:
    """A Pi on which all is well, with a board plugged in."""
    _write(root, "proc/device-tree/model", MODELS[which] + "\0")
    _write(root, "etc/group", "root:x:0:\ndialout:x:20:\ngpio:x:997:\nspi:x:999:\ni2c:x:994:\n")
    for device in ("gpiochip0", "spidev0.0", "i2c-1"):
        _write(root, f"dev/{device}")
    lines = "\r\n".join(STEADY.get(look(root).generation, ()))
    _write(root, "boot/firmware/config.txt", f"# as it came\r\n[all]\r\n{lines}\r\n")
    board = _write(root, "dev/ttyACM0")
    link = root / "dev/serial/by-id/usb-MicroPython_Board_in_FS_mode_e66-if00"
    link.parent.mkdir(parents=True)
    link.symlink_to(board)
    return Machine(
        root=root,
        groups=frozenset(("dialout", "gpio", "spi", "i2c")),
        user="pi",
        state=Path("/home/pi"),
        throttled=lambda: 0,
    )


def _found(machine: Machine) -> dict[str, Finding]:
    return {finding.id: finding for finding in examine(machine)}


@pytest.mark.parametrize("which", MODELS)
def test_a_sound_pi_of_each_generation_has_nothing_to_mend(tmp_path: Path, which: int) -> None:
    machine = _pi(tmp_path, which)
    assert machine.header.generation == GENERATIONS[which]
    worse = {f.id for f in examine(machine) if f.level != GOOD}
    assert worse == ({"doctor.clock.untried"} if GENERATIONS[which] == 5 else set())


def test_a_desktop_is_told_nothing_of_pins(tmp_path: Path) -> None:
    _write(tmp_path, "etc/group", "dialout:x:20:\n")
    machine = Machine(root=tmp_path, groups=frozenset(("dialout",)))
    ids = set(_found(machine))
    assert "doctor.no-pi" in ids
    assert not any(
        id.startswith(("doctor.chip", "doctor.clock", "doctor.spi", "doctor.i2c", "doctor.supply"))
        for id in ids
    )


def test_the_supply_is_asked_of_firmware_then_of_the_kernel(tmp_path: Path) -> None:
    machine = _pi(tmp_path)
    low = _found(replace(machine, throttled=lambda: 0x50005))
    assert low["doctor.supply.low"].level == BAD
    was = _found(replace(machine, throttled=lambda: 0x50000))
    assert was["doctor.supply.was-low"].level == NOTE
    silent = replace(machine, throttled=lambda: None)
    assert "doctor.supply.unknown" in _found(silent)
    _write(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    _write(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert "doctor.supply.low" in _found(silent)
    _write(tmp_path, "sys/devices/platform/soc/soc:firmware/get_throttled", "0\n")
    _write(tmp_path, "sys/class/hwmon/hwmon1/name", "other\n")
    assert "doctor.supply" in _found(silent)


@pytest.mark.parametrize(
    ("says", "bits"),
    [
        ("throttled=0x50005\n", 0x50005),
        ("throttled=0x0\n", 0),
        ("", None),
        ("VCHI initialization failed", None),
        (FileNotFoundError(), None),
        (subprocess.TimeoutExpired("vcgencmd", 1), None),
    ],
)
def test_what_the_firmware_says_of_its_supply_is_read(
    monkeypatch: pytest.MonkeyPatch, says: str | Exception, bits: int | None
) -> None:
    def runs(words: list[str], **how: object) -> object:
        assert words == ["vcgencmd", "get_throttled"]
        if isinstance(says, Exception):
            raise says
        return subprocess.CompletedProcess(words, 0, says, "")

    monkeypatch.setattr(subprocess, "run", runs)
    assert this_machine().throttled() == bits


def test_the_groups_of_a_user_are_named_but_those_without_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.getgroups", lambda: [0, 2**31 - 7, grp.getgrnam("tty").gr_gid])
    assert this_machine().groups == {grp.getgrgid(0).gr_name, "tty"}
    for user in (0, 1000):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        assert this_machine().is_root == (user == 0)


@pytest.mark.parametrize("which", [which for which in MODELS if GENERATIONS[which] < 5])
def test_an_unsteady_clock_is_named_with_the_lines_whose_absence_the_driver_refuses(
    tmp_path: Path, which: int
) -> None:
    machine = _pi(tmp_path, which)
    _write(tmp_path, "boot/firmware/config.txt", "#core_freq=250\n#core_freq_min=500\n")
    found = _found(machine)["doctor.clock.unsteady"]
    with pytest.raises(PinError) as refused:
        check_clock(machine.header)
    for line in STEADY[machine.header.generation]:
        assert line in found.command
        assert line in str(refused.value)
    assert "/boot/firmware/config.txt" in found.command


def test_modem_manager_and_whoever_holds_the_port_are_named(tmp_path: Path) -> None:
    machine = _pi(tmp_path)
    _write(tmp_path, "proc/17/comm", "ModemManager\n")
    _write(tmp_path, "proc/23/comm", "minicom\n")
    held = tmp_path / "proc/23/fd/5"
    held.parent.mkdir(parents=True)
    held.symlink_to(tmp_path / "dev/ttyACM0")
    found = _found(machine)
    assert found["doctor.modem-manager"].level == BAD
    assert found["doctor.port.held"].said["by"] == "minicom (23)"
    assert found["doctor.port.held"].command == "kill 23"


def test_all_that_was_looked_at_is_listed_in_the_order_of_mending(tmp_path: Path) -> None:
    machine = replace(_pi(tmp_path), libraries=("kernel", "spi"))
    name = next((tmp_path / "dev/serial/by-id").iterdir()).name
    assert examine(machine) == [
        Finding(f"doctor.{id}", GOOD, said)
        for id, said in (
            ("pi", {"model": MODELS[4]}),
            ("python", {"version": "3.11"}),
            ("disk", {"free": 1 << 20, "folder": Path("/home/pi"), "least": 300}),
            ("supply", {}),
            ("port", {"port": "/dev/ttyACM0", "name": name}),
            ("group", {}),
            ("chip", {"path": "/dev/gpiochip0"}),
            ("clock", {}),
            ("spi", {}),
            ("libraries", {"found": "kernel, spi"}),
        )
    ]


@pytest.mark.parametrize(
    ("gone", "changed", "found"),
    [
        ("", {"python": (3, 10)}, ("python.old", BAD, "apt install python3")),
        ("", {"python": (3, 12)}, None),
        ("", {"free_mb": 299}, ("disk.full", BAD, "du -h -d 1 /home/pi ")),
        ("", {"free_mb": 300}, None),
        ("dev/serial/by-id/*", {}, ("port.no-name", NOTE, "udevadm trigger")),
        ("dev/ttyACM0", {}, ("port.none", NOTE, "board flash --dry-run")),
        ("dev/gpiochip0", {}, ("chip.none", NOTE, "apt full-upgrade")),
        ("dev/spidev0.0", {}, ("spi.off", NOTE, "do_spi 0 && sudo reboot")),
        ("dev/i2c-1", {}, ("i2c.off", NOTE, "do_i2c 0 && sudo reboot")),
        ("", {"groups": frozenset()}, ("group.port", BAD, "usermod -aG dialout pi")),
        ("", {"groups": frozenset(), "is_root": True}, None),
        ("", {"groups": frozenset(), "system": "darwin"}, ("group.pins", NOTE, "gpio,spi,i2c pi")),
        ("", {"groups": frozenset({"dialout", "spi"})}, ("group.pins", NOTE, "-aG gpio,i2c pi")),
    ],
)
def test_each_ailment_is_found_with_its_cure(
    tmp_path: Path, gone: str, changed: dict[str, Any], found: tuple[str, str, str] | None
) -> None:
    machine = replace(_pi(tmp_path), **changed)
    for path in tmp_path.glob(gone) if gone else ():
        path.unlink()
    worse = [one for one in examine(machine) if one.level != GOOD]
    if found is None:
        assert worse == []
        return
    assert (worse[0].id, worse[0].level) == (f"doctor.{found[0]}", found[1])
    assert found[2] in worse[0].command
    assert [one.id for one in worse[1:]] == ["doctor.group.pins"] * (found[0] == "group.port")


def test_a_pico_in_its_boot_loader_is_told_the_images_that_were_tried(tmp_path: Path) -> None:
    machine = _pi(tmp_path)
    info = "media/pi/{}/INFO_UF2.TXT"
    _write(tmp_path, info.format("RPI-RP2"), "Board-ID: RPI-RP2\n")
    _write(tmp_path, info.format("RP2350"), "Board-ID: RP2350\n")
    found = _found(machine)
    assert found["doctor.boot-loader"].said["tried"] == tried.all_of_them()
    assert "board flash" in found["doctor.boot-loader"].command
    assert found["flash.drive.other"].said["board"] == "RP2350"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_ailment_has_a_sentence_and_a_cure(tmp_path: Path, language: str) -> None:
    machine = _pi(tmp_path)
    (tmp_path / "dev/spidev0.0").unlink()
    ill = replace(
        machine, python=(3, 9), groups=frozenset(), free_mb=1, throttled=lambda: 1,
    )  # fmt: skip
    for finding in examine(ill):
        assert text(finding.id, language, **finding.said)
        assert finding.level == GOOD or finding.command, finding.id


@pytest.mark.parametrize(
    ("command", "used"),
    [
        (
            "python -m lumiban.boards.gpio.process --profile chess8 --pins pins-by=rpi-gpio",
            "rpi-gpio, spi",
        ),
        ("/usr/bin/python3 /usr/bin/lumiban board gpio --profile reeds8", "kernel, spi"),
        ("lumiban board gpio --profile reeds8 --lights-by neopixel", "kernel, neopixel"),
        ("vim docs/gpio.md", None),
    ],
)
def test_what_moves_a_running_board_is_told(tmp_path: Path, command: str, used: str | None) -> None:
    _write(tmp_path, "proc/17/cmdline", command.replace(" ", "\0") + "\0")
    found = {one.id: one.said["used"] for one in examine(_pi(tmp_path)) if "used" in one.said}
    assert found == ({"doctor.libraries.used": used} if used else {})
