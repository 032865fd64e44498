"""The line to the running service: a socket in its folder, a line of JSON each way.

Who may look at the service and who may change it the service decides by who is at the other end
(`service.supervisor`); here is only where it is, and how it is asked.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lumiban.errors import LumibanError
from lumiban.invocation import start_word
from lumiban.system import size_limits

SOCKET = "control.sock"
PACKAGED = Path("/run/lumiban")
"""Path of the packaged service's socket."""
MAX_LINE_BYTES = 1 << 20
"""Bytes of a request or an answer."""
ANSWER_S = 20.0


class NoService(LumibanError):
    """No service runs here, or not for us."""


class Refused(LumibanError):
    """The service's answer, as a sentence of the catalogue."""

    def __init__(self, id: str, params: Mapping[str, str | int]) -> None:
        super().__init__(f"{id} {dict(params)}")
        self.id = id
        self.params = params


def own_folder(state: Path) -> Path:
    """Folder of the socket of a service that keeps its state there; systemd may give it a place."""
    given = os.environ.get("RUNTIME_DIRECTORY", "")
    return Path(given) if given else state


def folders(state: Path) -> list[Path]:
    """Folders in which a service may be found, the nearest first."""
    return list(dict.fromkeys([own_folder(state), state, PACKAGED]))


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """The same file by a path that fits a socket's address, which has room for 107 bytes."""
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def ask(state: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Response of the running service; NoService, or Refused with its reason."""
    line = _connected(state)
    with line:
        line.settimeout(ANSWER_S)
        try:
            line.sendall(json.dumps(request).encode() + b"\n")
            answer = b""
            while part := line.recv(1 << 16):
                answer += part
        except OSError as error:
            raise NoService(f"the service does not answer: {error}") from None
    return _read(answer)


async def ask_apart(state: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """The same for who must not wait."""
    return await asyncio.to_thread(ask, state, request)


def is_answered(path: Path) -> bool:
    """True if a service listens at this socket."""
    try:
        _line_to(path).close()
    except OSError:
        return False
    return True


def _line_to(path: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(ANSWER_S)
    try:
        with short_path(path) as short:
            line.connect(short)
    except OSError:
        line.close()
        raise
    return line


def _connected(state: Path) -> socket.socket:
    refused = ""
    for folder in folders(state):
        path = folder / SOCKET
        try:
            return _line_to(path)
        except PermissionError as error:
            refused = f" ({path}: {error.strerror})"
        except OSError:
            continue
    raise NoService(
        f"no lumiban service runs on this machine{refused}; start it: {start_word()} serve"
    )


def _read(answer: bytes) -> dict[str, Any]:
    try:
        reply = size_limits.from_json(answer)
    except size_limits.Unreadable:
        raise NoService("the service ended before it answered") from None
    if not isinstance(reply, dict):
        raise NoService("the service does not speak this lumiban's language")
    wrong = reply.get("error")
    if isinstance(wrong, dict):
        raise Refused(str(wrong.get("id")), wrong.get("params") or {})
    return reply
