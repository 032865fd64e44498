"""MicroPython's prompt over a serial port, by mpremote as a library."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any, TypeVar

from lumiban.boards.ports import said
from lumiban.errors import BoardError

T = TypeVar("T")
_SUMS = """\
import hashlib
from binascii import hexlify
for p in {paths!r}:
    try:
        h = hashlib.sha256()
        with open(p, 'rb') as f:
            while True:
                b = f.read(512)
                if not b:
                    break
                h.update(b)
        print(p, hexlify(h.digest()).decode())
    except OSError:
        pass
"""
_FOLDERS = """\
import os
for p in {paths!r}:
    try:
        os.mkdir(p)
    except OSError:
        pass
"""
_REMOVE = """\
import os
try:
    os.remove({path!r})
except OSError:
    pass
"""
_VERSION = "import sys\nprint('.'.join(map(str, sys.implementation[1][:3])), sys.platform)"


class Prompt:
    """The prompt at a port; BoardError without mpremote, or where no MicroPython answers."""

    def __init__(self, port: str) -> None:
        try:
            from mpremote.transport import TransportError
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            raise BoardError(said("flash.no-mpremote")) from None
        self._errors = (TransportError, OSError)
        self._line: Any = self._quietly(lambda: SerialTransport(port))
        self._quietly(lambda: self._line.enter_raw_repl(soft_reset=False))

    def version(self) -> str:
        """Its version and platform."""
        return self._run(_VERSION).strip()

    def sums(self, paths: list[str]) -> dict[str, str]:
        """The sha256 in hex of those files that are there."""
        lines = self._run(_SUMS.format(paths=paths)).split("\n")
        return dict(line.split() for line in lines if len(line.split()) == 2)

    def make_folders(self, paths: list[str]) -> None:
        """Make these folders where they are missing."""
        self._run(_FOLDERS.format(paths=paths))

    def write(self, path: str, data: bytes) -> None:
        """Replace a file."""
        self._quietly(lambda: self._line.fs_writefile(path, data, 512))

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        self._run(_REMOVE.format(path=path))

    def reset(self) -> None:
        """Start the chip anew and let go of the port."""
        with contextlib.suppress(BoardError):  # the port goes away in the midst of it
            self._quietly(lambda: self._line.exec_raw_no_follow("import machine\nmachine.reset()"))
        self.close()

    def close(self) -> None:
        """Let go of the port."""
        with contextlib.suppress(OSError):
            self._line.close()

    def _run(self, code: str) -> str:
        out: bytes = self._quietly(lambda: self._line.exec(code))
        return out.decode("utf-8", "replace").replace("\r", "")

    def _quietly(self, call: Callable[[], T]) -> T:
        """Do something of mpremote's, which prints what it thinks when it fails."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return call()
        except self._errors as error:
            raise BoardError(said("flash.no-repl", reason=" ".join(str(error).split()))) from None
