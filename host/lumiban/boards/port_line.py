"""The line to one board over its port: opened, lost, and found again by one set of rules.

A line remembers its board: the USB serial number and socket of the device (`ports.Device`), and the
uid that the board told (`met`). A port whose device is another's is never opened. What did not
answer is left alone for a while, longer each time; a device that is plugged in again is tried
at once.

`SerialBoard` hangs the descriptor on its loop (`take`, `put`, `look`). A program that drives a
board step by step reads with a time (`read`, `write`: a `ByteLine`); then a port that goes away is
waited for.
"""

from __future__ import annotations

import errno
import os
import re
import select
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.ports import (
    PSEUDO_TERMINALS,
    SOCKET,
    Device,
    OpenPort,
    Port,
    PortError,
    by_id_folder,
    device_at,
    holder,
    lasting_path,
    localized,
    node_of,
    open_port,
    other_end,
    ports,
    tell_quiet_from_hung_up,
)
from lumiban.boards.transport import ByteLine
from lumiban.boards.types import RECONNECT_OBSTACLES, Lost
from lumiban.errors import BoardError, LinkLost, NotABoard, WrongBoard, WrongMajor

READ = 4096
RETRY_S = 0.25
"""Between two looks for a board that went away, and before its port is tried again …"""
MAX_REST_S = 4.0
"""… which doubles, up to this, each time that nobody answers there."""
STRANGE_REST_S = 2.0
"""Before a port is tried again at which something else than our board answered."""
GONE_US = 20_000_000
"""Time after which a program that drives a board step by step gives up a port that is away, µs."""
STUCK_S = 3.0
"""A line that takes nothing for so long is broken."""
SILENT_LOOKS = 90
"""A process behind a line is silent where it was asked about so often, and has said nothing."""
ASKED_S = 1.0
"""One that was asked after longer ago than this has spoken meanwhile."""
LIKELY = ("lumiban", "micropython", "raspberry", "pico")
"""One of these stands in the by-id name of a board that was never seen before."""
NUMBER = re.compile("[0-9a-f]{16}")
"""A board's number in a name; where the board's own name tells its number, a name with another
number is another's."""
SURE, SAME_SOCKET, SAME_NAME, NEW = range(4)
"""Evidence that a port is the board's: its number, the socket of a device without one, the name
that it had; or none yet."""

_Node = tuple[int, int]
"""A device as it is plugged in now; no other has its node."""


@dataclass
class _Tries:
    """Result of trying a device: the number of failures, and the time until which it is left
    alone."""

    count: int = 0
    until_s: float = 0.0
    is_other: bool = False
    """True if another board than ours answered there last."""


class PortLine(ByteLine):
    """A line to the board at a port, which it opens; PortError says why it cannot.

    `by_id` is where links to the ports of boards are, in place of the system's folder; `clock`
    tells seconds. `read` waits for a port that is away, and is LinkLost after `gone_us`.
    """

    def __init__(
        self,
        port: str,
        *,
        by_id: Path | None = None,
        gone_us: int = GONE_US,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._by_id = by_id or by_id_folder()
        self._is_simulated = by_id is not None
        self.port = lasting_path(port, self._by_id)
        """The name under which the board was found last."""
        self.path = self.port
        """Path that is open, or was opened last."""
        self.uid = ""
        self.hindrance: tuple[str, str] | None = None
        """Reason why a lost board cannot come back, with its detail as in `Lost`, where it is
        known."""
        self._clock = clock
        self._patience_us = gone_us
        self._gone_us = self._look_us = 0
        self._serial: OpenPort | None = None
        self._tries: dict[_Node, _Tries] = {}
        self._others: frozenset[_Node] = frozenset()
        self._others_sockets: frozenset[str] = frozenset()
        self._looks = 0
        self._asked_s = -ASKED_S
        self._open(self.port)
        self._remember()

    # The port.

    @property
    def fd(self) -> int:
        """The open port's descriptor, −1 while none is."""
        return -1 if self._serial is None else self._serial.fileno()

    def take(self) -> bytes:
        """Bytes received; b"" when there are none. OSError when the port hung up or broke."""
        fd = self.fd
        with suppress(BlockingIOError):  # nothing, or another program that reads it was first
            data = os.read(fd, READ)
            if not data and self._is_hung_up(fd):
                raise OSError(errno.EIO, "hang-up")
            return data
        return b""

    def _is_hung_up(self, fd: int) -> bool:
        """True if a descriptor that gives b"" is at its end: another program that opens the port
        may have set it so that it does where nothing came."""
        if self.path.startswith(SOCKET):
            return True
        try:
            tell_quiet_from_hung_up(fd)
        except (OSError, termios.error):
            return True
        return False

    def put(self, data: bytes) -> int:
        """Number of these bytes that the port takes now; OSError when it broke."""
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0

    def shut(self, *, discards: bool = False) -> None:
        """Close the descriptor at once: a device that is still held comes back by another name.

        `discards` what was written and not yet sent, for which closing would wait.
        """
        line, self._serial = self._serial, None
        if line is None:
            return
        self._gone_us = self.now_us
        with suppress(OSError, termios.error):  # the device may be gone already
            if discards:
                line.reset_output_buffer()
        with suppress(OSError):
            line.close()

    def close(self) -> None:
        """Let go of the port."""
        self.shut()

    def lend(self) -> str:
        """Let go of the port for a program that opens it itself; the path of the board's device
        now. LinkLost when it is away."""
        self.shut()
        for path, rank, _ in self._candidates():
            if rank < NEW:
                return path
        raise LinkLost(localized("maker.port.gone", port=self.port))

    def _open(self, path: str) -> None:
        self._serial = open_port(path)
        self.path = path

    # The board.

    def met(self, uid: str) -> None:
        """The board answers here; its number."""
        self.uid = uid.lower()
        self.port = self.path
        self._tries.clear()
        self._remember()

    def lost(self, reason: str = "", *, discards: bool = True) -> None:
        """The board is not at this port, or not any more: close it and leave it alone for a while.

        `reason` is what the link says.
        """
        device = device_at(self.path) or Device()
        self.shut(discards=discards)
        if not self._tries:
            self._see_others()  # what was plugged in beside the board, until now, is not the board
        tries = self._tries.setdefault(device.node, _Tries())
        tries.count += 1
        rest_s = min(RETRY_S * 2 ** (tries.count - 1), MAX_REST_S)
        self.hindrance = None
        tries.is_other = reason in RECONNECT_OBSTACLES
        if tries.is_other:
            rest_s = STRANGE_REST_S
            self._others_sockets = frozenset()  # boards have changed places
        elif reason in ("silent", "not-a-board") and (by := holder(self.path)):
            self.hindrance = ("busy", by)  # it reads what is meant for us
        tries.until_s = self._clock() + rest_s

    def look(self, *, is_sure: bool = False) -> bool:
        """Open a port where the board may be by now, best first; whether one is open then.

        `is_sure`: only what is known to be the board's.
        """
        hindrance = None
        for path, rank, node in self._candidates():
            if is_sure and rank == NEW:
                continue
            try:
                self._open(path)
            except PortError as error:
                if error.reason in RECONNECT_OBSTACLES:
                    hindrance = (error.reason, error.detail)
                continue
            if path.startswith(SOCKET) or node_of(os.fstat(self.fd)) == node:
                return True
            self.shut()  # it was exchanged as we looked
        self.hindrance = hindrance or self._stranger() or self.hindrance
        return False

    def move_to(self, port: str) -> None:
        """The board is at another port from now on: a simulated one that was started again."""
        self.port = port
        self._device = device_at(port) or Device()

    def _remember(self) -> None:
        """Remembers the board's device, and how it is told from others."""
        self.hindrance = None
        self._device = device_at(self.path) or Device()
        self._is_named = bool(self.uid) and self.uid in Path(self.port).name.lower()
        self._see_others()

    def _see_others(self) -> None:
        """Remembers the devices that are there while the board is here: none of them is the
        board."""
        here = os.path.realpath(self.path)
        others = [port for port in self._all() if os.path.realpath(port.path) != here]
        self._others = frozenset(port.device.node for port in others)
        self._others_sockets = frozenset(p.device.socket for p in others if p.device.socket)

    def _all(self) -> list[Port]:
        """The ports of this machine, and those that only a link in the folder leads to."""
        there = [] if self._is_simulated else list(ports(self._by_id))
        known = {os.path.realpath(port.path) for port in there}
        for link in links_in(self._by_id):
            if os.path.realpath(link) not in known and not is_stale(link):
                name = Path(link).name.lower()
                is_likely = any(word in name for word in LIKELY)
                there.append(Port(link, link, "", is_likely, device_at(link) or Device()))
        return there

    def _candidates(self) -> list[tuple[str, int, tuple[int, int]]]:
        """The paths to try now, best first, each with how it is known to be the board's, and its
        node."""
        now_s, candidates = self._clock(), []
        there = self._all()
        if all(self.port not in (port.path, port.lasting) for port in there):
            there += self._at_old_name()
        ranked = []
        for port in there:
            rank = self._rank(port, is_old=self.port in (port.path, port.lasting))
            tries = self._tries.get(port.device.node, _Tries())
            ranked.append((port, rank, tries))
        # While the board's own device is plugged in, silent or held, nothing new can be the board.
        is_here = any(
            not tries.is_other
            and (rank in (SURE, SAME_SOCKET) or port.device.node == self._device.node)
            for port, rank, tries in ranked
        )
        for port, rank, tries in ranked:
            if rank is None or now_s < tries.until_s or (rank == NEW and is_here):
                continue
            # What was tried in vain comes after the others.
            candidates.append((tries.count, rank, port.lasting, port.device.node))
        return [(path, rank, node) for _, rank, path, node in sorted(candidates)]

    def _at_old_name(self) -> list[Port]:
        """Ports under the board's name now, where the system does not list it."""
        device = Device() if self.port.startswith(SOCKET) else device_at(self.port)
        if device is None or is_stale(self.port):
            return []
        return [Port(self.port, "", "", False, device)]

    def _rank(self, port: Port, *, is_old: bool) -> int | None:
        """Strength of the evidence that a port is the board's; None when it is another's, or there
        is none."""
        ours, theirs = self._device, port.device
        name = Path(port.lasting).name.lower()
        if self.uid and (self.uid in theirs.serial or self.uid in name):
            return SURE
        if self._is_named and NUMBER.search(name):
            return None
        if ours.serial and theirs.model:
            return SURE if theirs.serial == ours.serial else None
        if ours.model and (is_old or theirs.model) and theirs.model != ours.model:
            return None
        if theirs.socket and theirs.socket == ours.socket:
            return SAME_SOCKET
        if theirs.socket in self._others_sockets:
            return None
        if is_old:
            is_bare = Path(port.lasting).parent == PSEUDO_TERMINALS
            return None if is_bare and theirs.node != ours.node else SAME_NAME
        is_likely = port.is_likely or (bool(ours.model) and theirs.model == ours.model)
        return NEW if is_likely and theirs.node not in self._others else None

    def _stranger(self) -> tuple[str, str] | None:
        """Another board under our board's name, which its serial number tells."""
        device = device_at(self.port)
        if device is None or not self._device.serial or device.serial in ("", self._device.serial):
            return None
        return ("other-board", device.serial) if device.model == self._device.model else None

    # Silence.

    def had_chance(self) -> bool:
        """True if a silent device had every chance to speak; asked about twice a second then.

        A board has. A process at the other end of a pseudo-terminal, a simulator, may wait for a
        core or for the disk, or be stopped: it has until it was asked about `SILENT_LOOKS` times.
        """
        now_s = self._clock()
        if now_s - self._asked_s > ASKED_S:
            self._looks = 0 if other_end(self.path) else SILENT_LOOKS
        self._asked_s = now_s
        self._looks += 1
        return self._looks > SILENT_LOOKS

    # Step by step.

    @property
    def now_us(self) -> int:
        """The clock's time; the machine's monotonic one."""
        return int(self._clock() * 1e6)

    def write(self, data: bytes) -> None:
        """Send all of it to the board if it is there, waiting where the line takes no more."""
        try:
            while data and self._serial is not None:
                _, ready, _ = select.select([], [self.fd], [], STUCK_S)
                if not ready:
                    raise OSError(errno.EIO, "the line takes nothing")
                data = data[self.put(data) :]
        except OSError as error:
            self._go(error)

    def read(self, until_us: int) -> bytes:
        """Bytes as they come, b"" at `until_us`."""
        if self._serial is not None:
            try:
                wait_s = max(0, until_us - self.now_us) / 1e6
                ready, _, _ = select.select([self.fd], [], [], wait_s)
                return self.take() if ready else b""
            except OSError as error:
                self._go(error)
        while self._serial is None:
            now = self.now_us
            if now - self._gone_us > self._patience_us:
                raise self._gone()
            if now >= self._look_us:
                self._look_us = now + round(RETRY_S * 1e6)
                if self.look(is_sure=True):
                    break
            if now >= until_us:
                break
            # A maker's command waits here for a cable; no event loop runs in it.
            time.sleep(max(0, min(self._look_us, until_us) - now) / 1e6)
        return b""

    def _go(self, error: OSError) -> None:
        self.shut(discards=True)
        if not self._patience_us:
            raise LinkLost(f"the line broke: {error.strerror}") from None
        self._look_us = self._gone_us + round(RETRY_S * 1e6)

    def _gone(self) -> LinkLost:
        if self.hindrance is not None:
            reason, detail = self.hindrance
            return LinkLost(localized(f"board.lost.{reason}", detail=detail))
        return LinkLost(localized("maker.port.gone", port=self.port))


def links_in(folder: Path) -> list[str]:
    """The links in a by-id folder; [] when there is none, as while nothing is plugged in."""
    try:
        return sorted(str(link) for link in folder.iterdir())
    except OSError:
        return []


def is_stale(path: str) -> bool:
    """True if a link leads nowhere, or to a pseudo-terminal that is younger than the link: not the
    one meant."""
    if path.startswith(SOCKET):
        return False
    try:
        target = Path(path).resolve()
        about = target.stat()
        return (
            target.parent == PSEUDO_TERMINALS
            and Path(path).is_symlink()
            and about.st_ctime_ns > Path(path).lstat().st_mtime_ns
        )
    except OSError:
        return True


def error_of(lost: Lost, port: str) -> BoardError:
    """The error for a board that was lost before it was ever connected; it names another program
    that has the port open, which takes what is meant for us."""
    kinds: dict[str, type[BoardError]] = {
        "not-a-board": NotABoard,
        "wrong-major": WrongMajor,
        "wrong-board": WrongBoard,
    }
    kind = kinds.get(lost.reason, LinkLost if lost.reason in ("silent", "closed") else BoardError)
    is_silent = lost.reason in ("silent", "not-a-board")
    by = holder(port) if is_silent and not port.startswith(SOCKET) else ""
    if by:
        return kind(localized("board.open.read-by", port=port, by=by))
    where = "lost" if lost.reason == "other-board" else "open"
    return kind(localized(f"board.{where}.{lost.reason}", port=port, detail=lost.detail))
