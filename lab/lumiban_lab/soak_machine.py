"""A machine in virtual time: its loop, its ttys and sockets, and what it tells of processes.

The ttys are pseudo-terminals of this system and the sockets its own, so that they hang up, fill and
are read by two programs as the kernel has it. What was written has arrived before anybody goes on
(`Device.send`, `Device.drain`): so a sitting with one seed is the same sitting each time.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import select
import selectors
import socket
import termios
import tty
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lumiban.boards import port_line, ports
from lumiban.boards.ports import RASPBERRY_PI, SOCKET, OpenPort, PortError, node_of
from lumiban.errors import CheckFailed
from serial.tools import list_ports

BUFFER = 4095
"""Bytes that a tty keeps for its reader."""
SPINS = 100_000
POLL_MS = 50
CH340 = 0x1A86
GPS = 0x067B
OURS, THEIRS, STRANGER = "our table", "another table", "nobody"
STANDING = 5_000
"""Turns of a loop without a µs between them that are a fault."""

owner: ContextVar[str] = ContextVar("owner", default=OURS)
"""The table for which something is done."""


def waiting(fd: int) -> int:
    """Number of bytes that a descriptor has to read."""
    number = array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, number)
    return number[0]


def _arrived(fd: int, count: int) -> None:
    """The system has brought bytes to a descriptor: it does so by a thread of its own."""
    there = select.poll()
    there.register(fd, select.POLLIN)
    for _ in range(SPINS):
        if waiting(fd) >= count:
            return
        there.poll(POLL_MS)
        os.sched_yield()
    raise AssertionError(f"{count} bytes were written, {waiting(fd)} arrived")


@dataclass(eq=False)
class Device:
    """A device on a serial port, from its own end; `owner` is the table whose board it is.

    Without a `serial` it is told by its `place`, the USB socket; `link` is its name in the folder
    of links. A `tcp` one is a socket, a `bare` one a simulator's pseudo-terminal.
    """

    owner: str
    vid: int = RASPBERRY_PI
    serial: str | None = None
    place: str = ""
    link: str = ""
    is_tcp: bool = False
    is_bare: bool = False
    may_be_of: frozenset[str] = frozenset()
    """Tables from whose board, which has gone, nothing tells it: they may ask it."""
    path: str = ""
    """Its port while it is plugged in."""
    written: bytes = b""
    """What was written to a device that is nobody's."""
    opens: int = 0
    far: int = -1
    near: int = -1
    number: int = 0
    """Number of its socket, from the first time on."""
    unread: int = 0
    """Bytes that were written to it and are still in the system."""
    _server: socket.socket | None = None
    _line: socket.socket | None = None

    @property
    def is_plugged(self) -> bool:
        """True while it is there."""
        return bool(self.path)

    def room(self) -> int:
        """Number of bytes that its port keeps for a reader now."""
        if self.is_tcp:
            return BUFFER if self._line is not None else 0
        return BUFFER - waiting(self.near)

    def send(self, data: bytes, reader: OpenPort | None) -> None:
        """It sends to the reader of its port."""
        if self.is_tcp:
            if self._line is not None and reader is not None:
                before = waiting(reader.fileno())
                self._line.sendall(data)
                _arrived(reader.fileno(), before + len(data))
            return
        before = waiting(self.near)
        os.write(self.far, data)
        _arrived(self.near, before + len(data))

    def drain(self) -> bytes:
        """Bytes that were written to its port."""
        count, self.unread = self.unread, 0
        data = b""
        while len(data) < count:
            fd = self.far if self._line is None else self._line.fileno()
            _arrived(fd, min(count - len(data), BUFFER))
            data += os.read(fd, count - len(data))
        return data

    def wrote(self, count: int) -> None:
        """A host has written bytes: they are with the device, or as many as it keeps."""
        self.unread += count
        if not self.is_tcp:
            _arrived(self.far, min(self.unread, BUFFER))

    def opened(self) -> None:
        """A host has opened its port."""
        self.opens += 1
        if self._server is not None:
            self.hang_up()
            self._server.setblocking(True)
            self._line = self._server.accept()[0]

    def closed(self, *, discards: bool) -> None:
        """The host has closed it."""
        if not self.is_tcp and discards:
            self.unread = min(self.unread, BUFFER)
        if self.is_tcp:
            self.unread = 0
            self.hang_up()

    def hang_up(self) -> None:
        """A socket's line ends; it can be opened again."""
        if self._line is not None:
            self._line.close()
            self._line = None


@dataclass
class Listed:
    """What the system tells of a device, as pyserial lists it."""

    device: str
    serial_number: str | None
    location: str
    vid: int
    pid: int = 0x0005
    description: str = "a device"


class Machine:
    """Devices, links and processes of one machine, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dev, self.by_id, self.proc = (folder / name for name in ("dev", "by-id", "proc"))
        for one in (self.dev, self.by_id, self.proc):
            one.mkdir(parents=True)
        self.plugged: list[Device] = []
        self.lines: list[tuple[str, Device, OpenPort]] = []
        """Ports that are open: whose they are, and their descriptors' holders."""
        self.breaches: list[str] = []
        """What was opened or written to though it is not the table's own."""
        self._nodes: set[tuple[int, int]] = set()
        self._spare: list[int] = []

    # Devices.

    def plug(self, device: Device, name: str = "") -> str:
        """A device is plugged in, as ttyACM0 or the like; its port."""
        if device.is_tcp:
            device._server = socket.create_server(("127.0.0.1", device.number))
            device.number = device._server.getsockname()[1]
            device.path = f"{SOCKET}127.0.0.1:{device.number}"
        else:
            self._open_tty(device)
            tty_name = os.ttyname(device.near)
            if device.is_bare:
                device.path = tty_name
            else:
                device.path = str(self.dev / name)
                Path(device.path).symlink_to(tty_name)
            if device.link:
                (self.by_id / device.link).symlink_to(tty_name)
        self.plugged.append(device)
        return device.path

    def _open_tty(self, device: Device) -> None:
        """A pseudo-terminal that is no other by its node, however soon after another's end."""
        while True:
            device.far, device.near = os.openpty()
            node = node_of(os.fstat(device.near))
            if node not in self._nodes:
                break
            self._spare += [device.far, device.near]
        self._nodes.add(node)
        tty.setraw(device.near)
        os.set_blocking(device.near, False)
        os.set_blocking(device.far, False)
        device.unread = 0

    def pull(self, device: Device) -> None:
        """It is unplugged: its port hangs up and is gone."""
        if not device.is_plugged:
            return
        self.plugged.remove(device)
        gone = Device(device.owner)
        self.lines = [(who, gone if of is device else of, line) for who, of, line in self.lines]
        if device.is_tcp:
            device.hang_up()
            assert device._server is not None
            device._server.close()
        else:
            os.close(device.far)
            os.close(device.near)
            if not device.is_bare:
                Path(device.path).unlink()
            if device.link:
                (self.by_id / device.link).unlink()
        device.path, device.unread = "", 0

    def reader_of(self, device: Device) -> OpenPort | None:
        """The port by which a host has this device open."""
        return next((line for _, of, line in self.lines if of is device), None)

    def reads_of_strangers(self) -> None:
        """Look whether anybody has written to what is nobody's."""
        for device in self.plugged:
            if device.owner == STRANGER and (count := waiting(device.far)):
                device.written += os.read(device.far, count)
                self.breaches.append(f"{device.written!r} was written to what is nobody's")

    def leave(self, who: str) -> None:
        """A host is gone, and the system closes what it had open."""
        for one, _, line in list(self.lines):
            if one == who:
                line.close()

    def close(self) -> None:
        """All is put away."""
        for _, _, line in list(self.lines):
            line.close()
        for device in list(self.plugged):
            self.pull(device)
        for fd in self._spare:
            os.close(fd)
        self._spare.clear()

    # Processes.

    def process(self, pid: int, name: str) -> None:
        """A process of this number, as the system tells of it."""
        folder = self.proc / str(pid)
        for part in ("fd", "fdinfo"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "comm").write_text(f"{name}\n", "utf-8")

    def holds(self, pid: int, device: Device, *, at_far_end: bool = False) -> None:
        """A process has this device open: as its reader, or as what is behind a bare one."""
        folder = self.proc / str(pid)
        for old in (*(folder / "fd").iterdir(), *(folder / "fdinfo").iterdir()):
            old.unlink()
        target = "/dev/ptmx" if at_far_end else os.path.realpath(device.path)
        (folder / "fd" / "7").symlink_to(target)
        number = Path(os.path.realpath(device.path)).name
        (folder / "fdinfo" / "7").write_text(f"pos:\t0\ntty-index:\t{number}\n", "utf-8")

    def gone(self, pid: int) -> None:
        """It is no more."""
        folder = self.proc / str(pid)
        for part in ("fd", "fdinfo"):
            for one in (folder / part).iterdir():
                one.unlink()

    # What the product asks the system.

    @contextmanager
    def answers(self) -> Iterator[None]:
        """Meanwhile the product's line asks this machine in place of the real one."""
        mine: list[tuple[Any, str, Any]] = [
            (list_ports, "comports", self._listed),
            (ports, "by_id_folder", lambda: self.by_id),
            (port_line, "by_id_folder", lambda: self.by_id),
            (port_line, "open_port", self._open),
            (port_line, "holder", partial(ports.holder, processes=self.proc)),
            (port_line, "other_end", partial(ports.other_end, processes=self.proc)),
        ]
        real = [(where, name, getattr(where, name)) for where, name, _ in mine]
        for where, name, value in mine:
            setattr(where, name, value)
        try:
            yield
        finally:
            for where, name, value in real:
                setattr(where, name, value)

    def _listed(self) -> list[Listed]:
        return [
            Listed(one.path, one.serial, one.place, one.vid)
            for one in self.plugged
            if not (one.is_tcp or one.is_bare)
        ]

    def _open(self, path: str) -> OpenPort:
        device, who = self._at(path), owner.get()
        if device is not None and device.owner != who:
            if who not in device.may_be_of:
                self.breaches.append(f"{who} opened a port of {device.owner}")
            raise PortError("it is not theirs", "broken")
        line = ports.open_port(path)
        assert device is not None, f"{path} was opened, and nothing is there"
        device.opened()
        watched = _Watched(line, partial(self._forget, device))
        self.lines.append((who, device, watched))
        return watched

    def _at(self, path: str) -> Device | None:
        place = path if path.startswith(SOCKET) else os.path.realpath(path)
        for device in self.plugged:
            if place == (device.path if device.is_tcp else os.path.realpath(device.path)):
                return device
        return None

    def _forget(self, device: Device, line: OpenPort, *, discards: bool) -> None:
        self.lines = [one for one in self.lines if one[2] is not line]
        if device.is_plugged:
            device.closed(discards=discards)


@dataclass(eq=False)
class _Watched:
    """An open port that tells when it is closed."""

    line: OpenPort
    forget: Callable[..., None]
    _discards: bool = False
    _number: int = field(init=False)

    def __post_init__(self) -> None:
        self._number = self.line.fileno()

    def fileno(self) -> int:
        return self._number

    def reset_input_buffer(self) -> None:
        self.line.reset_input_buffer()

    def reset_output_buffer(self) -> None:
        self._discards = True
        self.line.reset_output_buffer()

    def close(self) -> None:
        self._number = -1
        self.line.close()
        self.forget(self, discards=self._discards)


class VirtualSelector(selectors.DefaultSelector):
    """Waits for nothing: time goes on by `world`, until something is there to read.

    `world` is given the µs that may pass and lets the world go on, up to where a device sends;
    `heard` hears what is ready before the loop does.
    """

    def __init__(self, world: Callable[[int], int], heard: Callable[[], None]) -> None:
        super().__init__()
        self._world = world
        self._heard = heard
        self._turns = 0

    def select(self, timeout: float | None = None) -> Any:
        """What is ready within `timeout` virtual seconds."""
        found = super().select(0)
        left_us = 0 if timeout is None else max(0, -int(-timeout * 1e6 // 1))
        self._turns += 1
        while not found and left_us > 0:
            self._turns = 0
            left_us -= self._world(left_us)
            found = super().select(0)
        if self._turns > STANDING:
            raise CheckFailed("time stands still: the loop goes round and round in one moment")
        if found:
            self._heard()
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop by whose clock nothing comes late; `clock` tells µs."""

    def __init__(self, selector: VirtualSelector, clock: Callable[[], int]) -> None:
        self._clock_us = clock
        super().__init__(selector)

    def time(self) -> float:
        """Seconds; a trifle more than the µs, so that who counts in µs gets them."""
        return self._clock_us() / 1e6 + 1e-7

    def leave(self) -> None:
        """It ends, whatever was still to come."""
        tasks = asyncio.all_tasks(self)
        for task in tasks:
            task.cancel()
        self.call_soon(self.stop)
        with suppress(Exception):  # what a host that is gone still tries concerns nobody
            self.run_forever()
        self.close()
