"""Serial ports: which there are, which may be a board, and how one is opened or refused."""

from __future__ import annotations

import errno
import os
import socket
import termios
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from lumiban.errors import BoardError
from lumiban.i18n import terminal_language, text

BY_ID = Path("/dev/serial/by-id")
"""Links to serial ports that are named by device and number; LUMIBAN_BY_ID names another folder."""
RASPBERRY_PI = 0x2E8A
"""USB vendor of the Pico."""
BAUD = 115_200
"""Means nothing on USB and on a pty; a UART wants some rate."""
SOCKET = "socket://"
"""Prefix of a port that is a TCP socket, as pyserial has it: `socket://127.0.0.1:7000`."""
CONNECT_S = 2.0
"""A socket that has not opened within so long is not there."""
PSEUDO_TERMINALS = Path("/dev/pts")
AUTO = "auto"
"""The port's name that means: the only board there is."""


@dataclass(frozen=True, slots=True)
class Device:
    """Facts that the system knows of the device at a port; "" where it knows nothing."""

    model: str = ""
    """USB vendor and product, in hexadecimal digits."""
    serial: str = ""
    """The USB serial number; a Pico's is the board's uid."""
    socket: str = ""
    """Socket that it is plugged into: the way through hubs, as "1-1.2:1.0"."""
    node: tuple[int, int] = (0, 0)
    """Identity of this node among those that have had the path; of a pseudo-terminal, too, whose
    number is given to the next program that asks."""


@dataclass(frozen=True, slots=True)
class Port:
    """One serial port: its path, its lasting path ("" where it has none), what it says it is."""

    path: str
    by_id: str
    description: str
    is_likely: bool
    """True if it may be a lumiban board (a Pico's USB)."""
    device: Device = Device()

    @property
    def lasting(self) -> str:
        """The path that stays the same when the board is unplugged and plugged in again."""
        return self.by_id or self.path


class OpenPort(Protocol):
    """A port that is open; its descriptor never waits."""

    def fileno(self) -> int:
        """The descriptor."""

    def reset_input_buffer(self) -> None:
        """Throw away what has come and was not read yet."""

    def reset_output_buffer(self) -> None:
        """Throw away what was written and not sent yet."""

    def close(self) -> None:
        """Give it back."""


class TcpPort:
    """A port that is a TCP socket; pyserial's own sleeps for 0.3 s as it closes one.

    OSError when nobody answers there, ValueError for an address that is none.
    """

    def __init__(self, port: str) -> None:
        there = urlsplit(port)
        if not there.hostname or there.port is None:
            raise ValueError(f"{port} is no address: socket://HOST:PORT")
        self._line = socket.create_connection((there.hostname, there.port), CONNECT_S)
        self._line.setblocking(False)

    def fileno(self) -> int:
        """The descriptor."""
        return self._line.fileno()

    def reset_input_buffer(self) -> None:
        """Throw away what has come and was not read yet."""
        with suppress(BlockingIOError):
            while self._line.recv(4096):
                pass

    def reset_output_buffer(self) -> None:
        """Nothing: what was given to the system is on its way."""

    def close(self) -> None:
        """Give it back."""
        self._line.close()


class PortError(BoardError):
    """A port that cannot be opened; `reason` is a slug: absent, forbidden, withheld, busy,
    not-serial, broken. `detail` is the group that may open it, who holds it, or the system's
    word."""

    def __init__(self, text: str, reason: str, detail: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        self.detail = detail


def by_id_folder() -> Path:
    """Folder of the links to ports by their devices' own names."""
    folder = os.environ.get("LUMIBAN_BY_ID")
    return Path(folder) if folder else BY_ID


def ports(folder: Path | None = None) -> tuple[Port, ...]:
    """All serial ports of this machine, likely boards first; `folder` has their links."""
    from serial.tools.list_ports import comports

    listed = [
        Port(
            path=port.device,
            by_id=_by_id(port.device, folder),
            description=port.description if port.description not in (None, "n/a") else "",
            is_likely=port.vid == RASPBERRY_PI,
            device=Device(
                model="" if port.vid is None else f"{port.vid:04x}:{port.pid:04x}",
                serial=(port.serial_number or "").lower(),
                socket=port.location or "",
                node=_node(port.device) or (0, 0),
            ),
        )
        for port in comports()
    ]
    return tuple(sorted(listed, key=lambda port: (not port.is_likely, port.path)))


def device_at(path: str) -> Device | None:
    """The device at a path, or behind a link; None when there is none."""
    node = _node(path)
    if node is None:
        return None
    place = os.path.realpath(path)
    listed = (port.device for port in ports() if os.path.realpath(port.path) == place)
    return next(listed, Device(node=node))


def _node(path: str) -> tuple[int, int] | None:
    try:
        return node_of(Path(path).stat())
    except OSError:
        return None


def node_of(about: os.stat_result) -> tuple[int, int]:
    """Numbers that tell a device from the one that had its path before."""
    return about.st_ino, about.st_ctime_ns


def lasting_path(port: str, folder: Path | None = None) -> str:
    """The by-id path of a port where it has one (in this folder), else the port as given."""
    return port if port.startswith(SOCKET) else _by_id(port, folder) or port


def choose(port: str) -> str:
    """The port to open: as given, or for `auto` the only likely board; BoardError."""
    if port != AUTO:
        return port
    likely = [p.lasting for p in ports() if p.is_likely]
    if len(likely) != 1:
        id = "board.port.several" if likely else "board.port.none-likely"
        raise BoardError(localized(id, ports=", ".join(likely) or listed()))
    return likely[0]


def open_port(port: str) -> OpenPort:
    """Open a port for us alone, with what it had kept for an earlier reader thrown away.

    PortError says why it cannot be opened and what to do.
    """
    from serial import Serial, SerialException

    line: OpenPort
    try:
        line = (
            TcpPort(port)
            if port.startswith(SOCKET)
            else Serial(port, BAUD, timeout=0, exclusive=True)
        )
    except (SerialException, OSError, ValueError) as error:
        raise _refused(port, error) from None
    try:
        line.reset_input_buffer()
        os.set_blocking(line.fileno(), False)
        if not port.startswith(SOCKET):
            tell_quiet_from_hung_up(line.fileno())
    except (SerialException, OSError, termios.error) as error:
        line.close()
        raise _refused(port, error) from None
    return line


def tell_quiet_from_hung_up(fd: int) -> None:
    """Let read() give b"" at a hang-up only: pyserial's VMIN of 0 has it give b"" also where
    nothing came, as where another program has read first what the port had announced."""
    attributes = termios.tcgetattr(fd)
    attributes[6][termios.VMIN], attributes[6][termios.VTIME] = 1, 0
    termios.tcsetattr(fd, termios.TCSANOW, attributes)


def localized(id: str, **params: object) -> str:
    """A sentence of the catalogue in the terminal's language."""
    return text(id, terminal_language(), **params)


def listed() -> str:
    """The paths of all ports, for a sentence."""
    return ", ".join(port.path for port in ports()) or localized("board.port.no-other")


def _refused(port: str, error: Exception) -> PortError:
    # Where pyserial could not configure the port, only the error behind its own has the number.
    number = getattr(error, "errno", None)
    behind = error.__context__
    if number is None and behind is not None and behind.args:
        number = behind.args[0]
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        if Path(port).is_symlink():
            leads = os.path.realpath(port)
            return PortError(localized("board.port.dangling", port=port, leads=leads), "absent")
        return PortError(localized("board.port.absent", port=port, ports=listed()), "absent")
    if number == errno.EPERM:  # its file's rights would be EACCES
        return PortError(localized("board.port.withheld", port=port), "withheld")
    if number == errno.EACCES:
        group = _group(port)
        return PortError(
            localized("board.port.forbidden", port=port, group=group), "forbidden", group
        )
    if number in (errno.EBUSY, errno.EAGAIN):
        by = holder(port)
        id = "board.port.busy-by" if by else "board.port.busy"
        return PortError(localized(id, port=port, by=by), "busy", by)
    if number in (errno.ENOTTY, errno.EINVAL, errno.EISDIR):
        return PortError(localized("board.port.not-serial", port=port), "not-serial")
    return PortError(
        localized("board.port.broken", port=port, detail=str(error)), "broken", str(error)
    )


def holder(port: str, processes: Path = Path("/proc")) -> str:
    """The program that has a port open, as "name (number)", of those we may look at; else ""."""
    target = os.path.realpath(port)
    for process in processes.glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            held = any(str(fd.readlink()) == target for fd in (process / "fd").iterdir())
            name = (process / "comm").read_text("utf-8").strip() if held else ""
        except (OSError, UnicodeError):
            continue  # gone meanwhile, or another user's
        if held:
            return f"{name} ({process.name})"
    return ""


def other_end(port: str, processes: Path = Path("/proc")) -> int:
    """The process at the other end of a pseudo-terminal, as a simulator is; 0 for other ports, and
    where that is this process or another user's."""
    place = Path(os.path.realpath(port))
    if place.parent != PSEUDO_TERMINALS:
        return 0
    holder = 0
    for process in processes.glob("[0-9]*"):
        try:
            fds = [fd.name for fd in (process / "fd").iterdir() if fd.readlink().name == "ptmx"]
            infos = [(process / "fdinfo" / fd).read_text("utf-8") for fd in fds]
        except (OSError, UnicodeError):
            continue  # gone meanwhile, or another user's
        if any(f"tty-index:\t{place.name}\n" in info for info in infos):
            if process.name == str(os.getpid()):
                return 0
            holder = holder or int(process.name)
    return holder


def _group(port: str) -> str:
    """The group that may open a port, by name where it has one."""
    import grp

    try:
        number = Path(port).stat().st_gid
        return grp.getgrgid(number).gr_name
    except (OSError, KeyError):
        return "dialout"


def _by_id(port: str, folder: Path | None = None) -> str:
    """The link in /dev/serial/by-id that leads to this port, or ""."""
    try:
        links = sorted((folder or by_id_folder()).iterdir())
    except OSError:
        return ""
    target = Path(port).resolve()
    return next((str(link) for link in links if link.resolve() == target), "")
