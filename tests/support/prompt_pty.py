"""MicroPython's raw prompt at the far end of a pty, in CPython: for tests of what speaks to it."""

from __future__ import annotations

import contextlib
import io
import os
import threading
import traceback
import tty
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class PromptPty:
    """Runs what it is sent in the manner of the raw prompt; `root` holds the chip's files."""

    def __init__(self, root: Path, version: tuple[int, ...] = (1, 27, 0)) -> None:
        self.root = root
        self.resets = 0
        self._line, self._port = os.openpty()
        tty.setraw(self._port)
        self.path = os.ttyname(self._port)
        system = SimpleNamespace(implementation=("micropython", version), platform="rp2")
        machine = SimpleNamespace(reset=self._reset)
        files = SimpleNamespace(mkdir=self._mkdir, remove=lambda p: self._at(p).unlink())
        own = {"sys": system, "machine": machine, "os": files}

        def imports(name: str, *rest: Any) -> Any:
            return own[name] if name in own else __import__(name, *rest)

        builtins = {**vars(__import__("builtins")), "__import__": imports, "open": self._open}
        self._space: dict[str, Any] = {"__builtins__": builtins}
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up."""
        for end in (self._port, self._line):
            with contextlib.suppress(OSError):
                os.close(end)

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def _open(self, path: str, mode: str = "r") -> Any:
        return self._at(path).open(mode)

    def _mkdir(self, path: str) -> None:
        self._at(path).mkdir()

    def _reset(self) -> None:
        self.resets += 1

    def _serve(self) -> None:
        held = bytearray()
        with contextlib.suppress(OSError):
            while data := os.read(self._line, 4096):
                for byte in data:
                    self._byte(byte, held)

    def _byte(self, byte: int, held: bytearray) -> None:
        if byte == 1 and not held.endswith(b"\x05A"):
            held.clear()
            os.write(self._line, b"raw REPL; CTRL-B to exit\r\n>")
        elif byte == 1:  # a wish to paste, which this prompt does not know
            held.clear()
            os.write(self._line, b"R\x00")
        elif byte == 4:
            os.write(self._line, b"OK" + self._run(held.decode()))
            held.clear()
        elif byte == 3:
            held.clear()
        else:
            held.append(byte)

    def _run(self, code: str) -> bytes:
        out, errors = io.StringIO(), ""
        self._space["__builtins__"]["print"] = lambda *told: out.write(
            " ".join(map(str, told)) + "\r\n"
        )
        try:
            exec(code, self._space)
        except Exception:  # noqa: BLE001  # whatever it is, the prompt tells it
            errors = traceback.format_exc()
        return out.getvalue().encode() + b"\x04" + errors.encode() + b"\x04>"
