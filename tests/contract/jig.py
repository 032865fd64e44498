"""Who drives a jig: lines of docs/jig.md to it and back, over a port or in memory."""

from __future__ import annotations

from typing import Protocol

AGAIN_US = 20_000
PATIENCE_US = 2_000_000


class JigLine(Protocol):
    """The way to a jig. Times are µs."""

    @property
    def now_us(self) -> int:
        """The present."""

    def write(self, data: bytes) -> None:
        """Bytes for the jig."""

    def read(self, until_us: int) -> bytes:
        """What it has said, b"" at `until_us`."""


class JigError(AssertionError):
    """The jig does not answer, or refuses."""


class Jig:
    """A jig that has told what it reaches: `cells`, `kinds`, `buttons`, and whether it can `cut`.

    JigError when nothing that speaks so is on the line.
    """

    def __init__(self, line: JigLine) -> None:
        self._line = line
        self._heard = b""
        line.write(b"\n")  # ends whatever somebody began to write
        self._listen(line.now_us + AGAIN_US)
        words = self.ask("jig?").split()
        if words[:3] != ["jig", "1", "cells"] or len(words) < 8:
            raise JigError(f"no jig of version 1 answers, but {' '.join(words)!r}")
        first, _, last = words[3].partition("-")
        self.cells = list(range(int(first), int(last or first) + 1))
        self.kinds = [int(kind) for kind in words[5].split(",")]
        self.buttons = int(words[7])
        self.can_cut = "power" in words[8:]

    def ask(self, line: str) -> str:
        """Its answer to a line; JigError when it does not answer or says no."""
        self._heard = b""
        self._line.write(line.encode() + b"\n")
        end = self._line.now_us + PATIENCE_US
        while b"\n" not in self._heard:
            if self._line.now_us >= end:
                raise JigError(f"the jig does not answer {line!r}")
            self._listen(self._line.now_us + AGAIN_US)
        answer, _, self._heard = self._heard.partition(b"\n")
        told = answer.decode("ascii", "replace").strip()
        if told.startswith("no"):
            raise JigError(f"{line}: {told}")
        return told

    def do(self, *acts: str) -> None:
        """Have it begin with these acts, each with its time in µs after this moment."""
        for act in acts:
            self.ask(act)
        self.ask("go")

    def _listen(self, until_us: int) -> None:
        self._heard += self._line.read(until_us)
