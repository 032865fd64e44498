"""Examines a machine that shall host a board: what is missing or in the way, and how to mend it.

All that is looked at hangs below one folder (`/`, or a fake one in a test), beside what the
`Machine` is told; nothing is changed, and no port is opened. A `Finding` says how bad something is
and which command cures it; the tests of a board give findings too. `this_machine` is the one that
we run on.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban.boards.ports import holder
from lumiban.invocation import start_word

if TYPE_CHECKING:
    from lumiban.boards.gpio.pins import Machine as HeaderMachine

MIN_PYTHON = (3, 11)
MIN_FREE_MB = 300
"""Free disk for journals, records, recordings and compiled kernels."""
MAX_TRIED_GENERATION = 4
"""Up to the Pi 4 others have driven lights by SPI at a steady clock for years."""
VCGENCMD_S = 3.0
"""Time in seconds that the Pi's firmware may take to report its supply."""
_SEEN, _NOW = 1 << 16, 1
"""Bits of `get_throttled`: the supply was too low since power-on, or is now."""


@dataclass(frozen=True)
class Machine:
    """Facts to examine; each can be given by a test.

    `libraries` are those that can move a header's pins and lights, `groups` those that the user is
    in, `throttled` asks the Pi's firmware (None where it cannot be asked).
    """

    root: Path = Path("/")
    system: str = "linux"
    python: tuple[int, int] = MIN_PYTHON
    groups: frozenset[str] = frozenset()
    is_root: bool = False
    user: str = "$USER"
    free_mb: int = 1 << 20
    state: Path = Path()
    libraries: tuple[str, ...] = ()
    throttled: Callable[[], int | None] = lambda: None

    def text(self, path: str) -> str:
        """A file's text without its last zero or line end; "" when there is none."""
        try:
            return (self.root / path).read_text("utf-8", "replace").rstrip("\0\n")
        except OSError:
            return ""

    @property
    def header(self) -> HeaderMachine:
        """The machine as the driver of a board on its header sees it."""
        from lumiban.boards.gpio.pins import look  # a table imports this file for its findings

        return look(self.root)

    @property
    def pi(self) -> str:
        """The model of a Raspberry Pi as it tells it; "" on other machines."""
        return self.header.model


def examine(machine: Machine) -> list[Finding]:
    """All findings, good ones too, in the order in which a person would mend them."""
    parts: Sequence[Callable[[Machine], Iterator[Finding]]] = (
        _machine, _python, _disk, _supply, _ports, _boot_loaders, _port_groups, _modem_manager,
        _chip, _clock, _buses, _pin_groups, _libraries,
    )  # fmt: skip
    return [finding for part in parts for finding in part(machine)]


def _machine(machine: Machine) -> Iterator[Finding]:
    if machine.pi:
        yield Finding("doctor.pi", GOOD, {"model": machine.pi})
    else:
        yield Finding("doctor.no-pi", GOOD)


def _python(machine: Machine) -> Iterator[Finding]:
    version = ".".join(map(str, machine.python))
    good = machine.python >= MIN_PYTHON
    command = "" if good else "sudo apt install python3 python3-venv"
    id = "doctor.python" if good else "doctor.python.old"
    yield Finding(id, GOOD if good else BAD, {"version": version}, command)


def _disk(machine: Machine) -> Iterator[Finding]:
    params = {"free": machine.free_mb, "folder": machine.state, "least": MIN_FREE_MB}
    if machine.free_mb >= MIN_FREE_MB:
        yield Finding("doctor.disk", GOOD, params)
    else:
        yield Finding("doctor.disk.full", BAD, params, f"du -h -d 1 {machine.state} | sort -h")


def _supply(machine: Machine) -> Iterator[Finding]:
    if not machine.pi:
        return
    bits = machine.throttled()
    if bits is None:
        raw = machine.text("sys/devices/platform/soc/soc:firmware/get_throttled")
        bits = int(raw, 16) if re.fullmatch(r"(0x)?[0-9a-fA-F]+", raw) else None
    if bits is None:
        for name in sorted((machine.root / "sys/class/hwmon").glob("hwmon*/name")):
            if machine.text(str(name.relative_to(machine.root))) == "rpi_volt":
                alarm = machine.text(
                    str((name.parent / "in0_lcrit_alarm").relative_to(machine.root))
                )
                bits = _NOW if alarm == "1" else 0
    if bits is None:
        yield Finding("doctor.supply.unknown", NOTE, command="vcgencmd get_throttled")
    elif bits & _NOW:
        yield Finding("doctor.supply.low", BAD, command="vcgencmd get_throttled")
    elif bits & _SEEN:
        yield Finding("doctor.supply.was-low", NOTE, command="vcgencmd get_throttled")
    else:
        yield Finding("doctor.supply", GOOD)


def _boards(machine: Machine) -> list[Path]:
    return sorted((machine.root / "dev").glob("ttyACM*"))


def _ports(machine: Machine) -> Iterator[Finding]:
    if machine.system != "linux":
        return
    boards = _boards(machine)
    by_id = machine.root / "dev/serial/by-id"
    names = sorted(link.name for link in by_id.iterdir()) if by_id.is_dir() else []
    if not boards:
        yield Finding("doctor.port.none", NOTE, command=f"{start_word()} board flash --dry-run")
        return
    for board in boards:
        link = next((n for n in names if (by_id / n).resolve() == board.resolve()), "")
        path = f"/{board.relative_to(machine.root)}"
        if link:
            yield Finding("doctor.port", GOOD, {"port": path, "name": link})
        else:
            yield Finding("doctor.port.no-name", NOTE, {"port": path}, "sudo udevadm trigger")
        by = holder(str(board), machine.root / "proc")
        if by:
            number = re.search(r"\((\d+)\)$", by)
            command = f"kill {number[1]}" if number else ""
            yield Finding("doctor.port.held", NOTE, {"port": path, "by": by}, command)


def _boot_loaders(machine: Machine) -> Iterator[Finding]:
    """Chips that wait for an image, and which images were tried."""
    from lumiban.maker import flash, tried

    for drive in flash.drives(machine.root):
        params = {"path": drive.path, "board": drive.board, "tried": tried.all_of_them()}
        if drive.is_of_our_chip:
            command = f"{start_word()} board flash --profile hex5 --uf2 RPI_PICO.uf2"
            yield Finding("doctor.boot-loader", NOTE, params, command)
        else:
            yield Finding("flash.drive.other", NOTE, params)


def _missing(machine: Machine, names: Sequence[str]) -> list[str]:
    """The groups that exist on the machine and that the user is not in."""
    there = {line.split(":")[0] for line in machine.text("etc/group").splitlines()}
    return [n for n in names if n in there and n not in machine.groups]


def _port_groups(machine: Machine) -> Iterator[Finding]:
    if machine.system != "linux" or machine.is_root:
        return
    missing = _missing(machine, ["dialout", "uucp"])
    if missing:
        yield _joins(machine, "doctor.group.port", BAD, missing)
    else:
        yield Finding("doctor.group", GOOD)


def _pin_groups(machine: Machine) -> Iterator[Finding]:
    missing = [] if machine.is_root or not machine.pi else _missing(machine, ["gpio", "spi", "i2c"])
    if missing:
        yield _joins(machine, "doctor.group.pins", NOTE, missing)


def _joins(machine: Machine, id: str, level: str, groups: Sequence[str]) -> Finding:
    command = f"sudo usermod -aG {','.join(groups)} {machine.user}"
    return Finding(id, level, {"groups": ", ".join(groups)}, command)


def _modem_manager(machine: Machine) -> Iterator[Finding]:
    for comm in (machine.root / "proc").glob("[0-9]*/comm"):
        if machine.text(str(comm.relative_to(machine.root))) == "ModemManager":
            command = "sudo systemctl disable --now ModemManager"
            yield Finding("doctor.modem-manager", BAD, {}, command)
            return


def _chip(machine: Machine) -> Iterator[Finding]:
    if not machine.pi:
        return
    chips = sorted((machine.root / "dev").glob("gpiochip*"))
    if chips:
        yield Finding("doctor.chip", GOOD, {"path": f"/dev/{chips[0].name}"})
    else:
        yield Finding("doctor.chip.none", NOTE, {}, "sudo apt full-upgrade && sudo reboot")


def _clock(machine: Machine) -> Iterator[Finding]:
    on = machine.header
    if on.unsteady:
        text = "\\n".join(on.unsteady)
        command = f"printf '\\n[all]\\n{text}\\n' | sudo tee -a /{on.config_file} && sudo reboot"
        yield Finding("doctor.clock.unsteady", NOTE, {}, command)
    elif on.generation > MAX_TRIED_GENERATION:
        yield Finding("doctor.clock.untried", NOTE)
    elif machine.pi:
        yield Finding("doctor.clock", GOOD)


def _libraries(machine: Machine) -> Iterator[Finding]:
    """Libraries that could move a header's pins and lights, where there are any, and what moves
    them now, as the command lines of running drivers say."""
    from lumiban.boards.gpio.pins import MOVERS

    if machine.pi and machine.libraries:
        yield Finding("doctor.libraries", GOOD, {"found": ", ".join(machine.libraries)})
    for path in sorted((machine.root / "proc").glob("[0-9]*/cmdline")):
        words = set(re.split(r"[\0 =]", machine.text(str(path.relative_to(machine.root)))))
        if "lumiban.boards.gpio.process" in words or {"board", "gpio", "--profile"} <= words:
            used = (
                next((way for way in ways if way in words), ways[0]) for ways in MOVERS.values()
            )
            yield Finding("doctor.libraries.used", GOOD, {"used": ", ".join(used)})


def _buses(machine: Machine) -> Iterator[Finding]:
    if not machine.pi:
        return
    if (machine.root / "dev/spidev0.0").exists():
        yield Finding("doctor.spi", GOOD)
    else:
        command = "sudo raspi-config nonint do_spi 0 && sudo reboot"
        yield Finding("doctor.spi.off", NOTE, {}, command)
    if not (machine.root / "dev/i2c-1").exists():
        command = "sudo raspi-config nonint do_i2c 0 && sudo reboot"
        yield Finding("doctor.i2c.off", NOTE, {}, command)


GOOD, NOTE, BAD = "good", "note", "bad"
"""All is well; worth knowing; to be mended before play."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `id` and `said` are its sentence in the catalogue.

    `command` is what to type to mend it, "" when nothing is to be typed.
    """

    id: str
    level: str
    said: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""


def worst(findings: Iterable[Finding]) -> str:
    """The worst level among them.

    >>> worst([Finding("a", GOOD), Finding("b", NOTE)]), worst([])
    ('note', 'good')
    """
    levels = {finding.level for finding in findings}
    return BAD if BAD in levels else NOTE if NOTE in levels else GOOD


def this_machine() -> Machine:
    """The machine that we run on."""
    from lumiban.boards.gpio.libraries import all_found
    from lumiban.system.paths import state_folder

    state = state_folder()
    there = next((path for path in (state, *state.parents) if path.exists()), state)
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return Machine(
        system=sys.platform,
        python=sys.version_info[:2],
        groups=_groups(),
        is_root=is_root,
        user=os.environ.get("USER", "$USER"),
        free_mb=shutil.disk_usage(there).free // 1_000_000,
        state=state,
        libraries=all_found(),
        throttled=_throttled,
    )


def _groups() -> frozenset[str]:
    try:
        import grp
    except ImportError:
        return frozenset()
    names = set()
    for number in os.getgroups():
        with suppress(KeyError):
            names.add(grp.getgrgid(number).gr_name)
    return frozenset(names)


def _throttled() -> int | None:
    """The bits of `vcgencmd get_throttled`; None where there is no such program or it fails."""
    try:
        output = subprocess.run(
            ["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=VCGENCMD_S
        ).stdout
        return int(output.strip().partition("=")[2], 16)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
