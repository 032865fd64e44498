"""Boards in real time: on a serial port, at a socket or an RFC 2217 server, on a Pi's header.

A board may have a name: `boards.toml` in lumiban's folder has `kitchen = "rfc2217://pi.local:4000"`,
a line each, and `--lumiban-board kitchen` means that. A board is one run's at a time on a
computer; a server that lends its port to one client keeps other computers out.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lumiban.boards.client import BoardClient
from lumiban.boards.port_line import GONE_US, RETRY_S, PortLine
from lumiban.boards.ports import BAUD, SOCKET, choose, localized
from lumiban.boards.profile import Profile
from lumiban.boards.transport import ByteLine
from lumiban.boards.types import Hello
from lumiban.errors import BoardError, LinkLost, UsageError
from lumiban.maker.doctor import GOOD, Finding
from lumiban.maker.health import Figures
from lumiban.maker.selftest import SelfTest
from lumiban.system import size_limits
from lumiban.system.paths import made, state_folder
from lumiban_fw import wire
from serial import Serial, SerialException, serial_for_url

from pytest_lumiban import bench
from pytest_lumiban.bench import Backend, Bench, Over

BOARDS = "boards.toml"


LOOK_S = 0.002
"""Longest wait of one look at a line of pyserial's."""


class UrlLine(ByteLine):
    """A line by any URL of pyserial: rfc2217://, spy://, hwgrep://. LinkLost when it is gone."""

    def __init__(self, url: str) -> None:
        self.port = url
        self._line = self._opened()

    @property
    def now_us(self) -> int:
        """The machine's monotonic time."""
        return time.monotonic_ns() // 1000

    def write(self, data: bytes) -> None:
        """Send to the board."""
        try:
            self._line.write(data)
        except (SerialException, OSError) as error:
            self._again(error)

    def read(self, until_us: int) -> bytes:
        """Bytes as they come, b"" at `until_us`."""
        try:
            while True:
                data = bytes(self._line.read(max(1, self._line.in_waiting)))
                if data or self.now_us >= until_us:
                    return data
        except (SerialException, OSError) as error:
            self._again(error)
            return b""

    def close(self) -> None:
        """Let go of it."""
        self._line.close()

    def _opened(self) -> Serial:
        try:
            # A new time-out would be negotiated again with an RFC 2217 server, for 100 ms each.
            line: Serial = serial_for_url(self.port, BAUD, timeout=LOOK_S)
            return line
        except (SerialException, OSError, ValueError) as error:
            raise BoardError(
                localized("board.port.broken", port=self.port, detail=str(error))
            ) from None

    def _again(self, error: Exception) -> None:
        """Reopen the port; LinkLost when it has been away for long."""
        self._line.close()
        end_us = self.now_us + GONE_US
        while self.now_us < end_us:
            try:
                self._line = self._opened()
                return
            except BoardError:
                time.sleep(RETRY_S)
        raise LinkLost(localized("maker.port.gone", port=self.port)) from error


@dataclass
class RealBoard:
    """The board that a run is about; met once."""

    name: str
    """Name of the board, as `--lumiban-board` has it."""
    line: PortLine | UrlLine
    profile: Profile
    hello: Hello
    figures: Figures = field(default_factory=lambda: Figures(""))
    findings: list[Finding] = field(default_factory=list)
    """What is not as it should be about its rate, answers and supply."""
    standing: list[str] = field(default_factory=list)
    """Cells on which something stood before the first test."""
    held: ExitStack = field(default_factory=ExitStack)

    def measure(self) -> None:
        """Its rate, answers and supply, before the first test."""
        driver = BoardClient(self.profile, self.line)
        driver.open()
        test = SelfTest(driver)
        test.measure()
        self.figures = test.figures
        self.findings = [one for one in test.findings if one.level != GOOD]
        name = self.profile.grid.name
        seen = enumerate(driver.kinds)
        self.standing = [name(cell) for cell, kind in seen if kind not in (0, wire.MASKED)]

    def can(self, *, is_attended: bool) -> frozenset[str]:
        """Return what a test may need of the board; `is_attended`: a person moves its pieces."""
        has = self.hello.capabilities
        able = {
            bench.HANDS: is_attended,
            bench.KINDS: not has & wire.PRESENCE_ONLY,
            bench.INJECT: has & wire.CAN_INJECT,
        }
        return frozenset(need for need, is_met in able.items() if is_met)

    def close(self) -> None:
        """Let go of its port, and of its name."""
        self.line.close()
        self.held.close()


def is_real(board: str) -> bool:
    """True if `--lumiban-board` says a port, an address, a header or a name of `boards.toml`.

    >>> is_real("serial:/dev/ttyACM0"), is_real("tcp:pi.local:7000"), is_real("sim")
    (True, True, False)
    """
    return bool(_url(board))


def _url(board: str) -> str:
    """The port or URL of a board by what `--lumiban-board` says; "" when nothing says."""
    way, _, rest = board.partition(":")
    if way == "serial":
        return rest or "auto"
    if way == "tcp":
        return SOCKET + rest
    if board == "gpio" or "://" in board:
        return board
    return named().get(board, "")


def named(folder: Path | None = None) -> dict[str, str]:
    """Boards by their names, from `boards.toml`; UsageError for what is none."""
    path = (folder or state_folder()) / BOARDS
    try:
        boards = size_limits.from_toml(size_limits.text(path))
    except FileNotFoundError:
        return {}
    except (OSError, size_limits.Unreadable) as error:
        # Two lines of one name are such an error.
        raise UsageError(f'{path}: {error}: write name = "URL", each name once') from None
    for name, url in boards.items():
        if not isinstance(url, str) or not url:
            raise UsageError(f'{path}: {name} is no port or URL: write {name} = "rfc2217://…"')
    return boards


@contextmanager
def lock(board: str, folder: Path | None = None) -> Iterator[None]:
    """Hold a board for this run; BoardError names the process that has it."""
    locks = made((folder or made(state_folder())) / "boards")
    name = hashlib.sha256(board.encode()).hexdigest()[:16]
    with (locks / f"{name}.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            by = file.read().strip() or "?"
            raise BoardError(
                f"the board {board} is being tested by process {by}: wait for it to end, or end it"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def meet(board: str, profile: str = "") -> RealBoard:
    """Meet the board that `--lumiban-board` names; BoardError says why there is none.

    `profile` is for firmware that does not tell what it is.
    """
    with ExitStack() as stack:
        url = _url(board)
        if url == "gpio":
            from lumiban.runtime import pi_driver

            state = made(state_folder())
            driver = asyncio.run(pi_driver.start(state, profile or "breadboard8", ""))
            stack.callback(driver.end)
            url = driver.port
        elif not url.startswith("/"):
            url = choose(url)
        stack.enter_context(lock(url))
        is_plain = "://" not in url or url.startswith(SOCKET)
        line = PortLine(url) if is_plain else UrlLine(url)
        stack.callback(line.close)
        client = BoardClient(None, line, port=url)
        hello = client.greet()
        real_board = RealBoard(board, line, client.fit(profile), hello)
        real_board.held = stack.pop_all()
        return real_board


def backend(real_board: RealBoard, *, is_attended: bool) -> Backend:
    """The way to a board that was met."""
    can = real_board.can(is_attended=is_attended)

    @contextmanager
    def begin(profile: str, seed: int) -> Iterator[Bench]:
        yield Over(real_board.line, real_board.name, real_board.profile, can, is_real=True)

    return Backend(real_board.name, can, begin, is_real=True)
