"""A line to a port that goes away and comes back, as a board's does when it starts anew."""

from __future__ import annotations

import contextlib
import time

from lumiban.boards.driver import PortLine
from lumiban.boards.ports import PortError, lasting_path, said
from lumiban.errors import LinkLost

AGAIN_US = 200_000
GONE_US = 20_000_000
"""A port that has been away for so long does not come back."""


class LastingLine:
    """A Line over a serial port by its lasting name, in real time.

    While the port is away nothing is read and what is written is lost; LinkLost after 20 s.
    PortError when it cannot be opened at first.
    """

    def __init__(self, port: str) -> None:
        self.port = lasting_path(port)
        self._line: PortLine | None = PortLine(self.port)
        self._gone_us = 0
        self._tried_us = 0

    @property
    def now_us(self) -> int:
        """The machine's monotonic time."""
        return time.monotonic_ns() // 1000

    def write(self, data: bytes) -> None:
        """Send to the board, if it is there."""
        if self._line is not None:
            try:
                self._line.write(data)
            except LinkLost:
                self._lose()

    def read(self, until_us: int) -> bytes:
        """Bytes as they come, b"" at `until_us`."""
        if self._line is not None:
            try:
                return self._line.read(until_us)
            except LinkLost:
                self._lose()
        while self._line is None:
            now = self.now_us
            if now - self._gone_us > GONE_US:
                raise LinkLost(said("maker.port.gone", port=self.port))
            if now - self._tried_us >= AGAIN_US:
                self._tried_us = now
                with contextlib.suppress(PortError):
                    self._line = PortLine(self.port)
                    break
            if now >= until_us:
                break
            # A maker's command waits here for a cable; no event loop runs in it.
            time.sleep(min(AGAIN_US, until_us - now) / 1e6)
        return b""

    def close(self) -> None:
        """Let go of the port."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _lose(self) -> None:
        self.close()
        self._gone_us = self._tried_us = self.now_us
