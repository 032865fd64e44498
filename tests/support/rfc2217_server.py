"""A server that lends a port, as a computer with a board on it does: by RFC 2217 (pyserial's), or
at a plain socket."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

from serial import Serial
from serial.rfc2217 import PortManager


class Pty(Serial):
    """A pseudo-terminal, which has no modem lines."""

    cts = dsr = ri = cd = False

    def _update_dtr_state(self) -> None:
        """Nothing to switch."""

    _update_rts_state = _update_break_state = _update_dtr_state


class Rfc2217Server:
    """Lends the port at a path to one client after the other, until `close`."""

    def __init__(self, path: str, *, is_plain: bool = False) -> None:
        self._port = Pty(path, timeout=0.05)
        self._is_plain = is_plain
        self._listener = socket.create_server(("127.0.0.1", 0))
        address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = f"tcp:{address}" if is_plain else f"rfc2217://{address}"
        self._client: socket.socket | None = None
        self._is_closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    def _serve(self) -> None:
        while not self._is_closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._client = client
            manager = PortManager(self._port, _Writer(client))
            reader = threading.Thread(target=self._read, args=(client, manager), daemon=True)
            reader.start()
            try:
                while data := client.recv(1024):
                    self._port.write(data if self._is_plain else b"".join(manager.filter(data)))
            except OSError:
                pass
            client.close()
            reader.join(5)

    def _read(self, client: socket.socket, manager: Any) -> None:
        try:
            while not self._is_closed:
                if data := self._port.read(self._port.in_waiting or 1):
                    client.sendall(data if self._is_plain else b"".join(manager.escape(data)))
        except (OSError, TypeError):
            return

    def close(self) -> None:
        """Go away, as a computer that is switched off."""
        self._is_closed = True
        self._listener.close()
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.shutdown(socket.SHUT_RDWR)
        self._port.close()


class _Writer:
    def __init__(self, client: socket.socket) -> None:
        self._client = client

    def write(self, data: bytes) -> None:
        """Send to the client."""
        self._client.sendall(data)
