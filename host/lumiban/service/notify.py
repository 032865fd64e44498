"""State notifications to systemd (sd_notify(3)): ready, alive, status."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


class Notifier:
    """Sender to the socket named by NOTIFY_SOCKET; silent where there is none.

    The variable is taken away, so that no program that is started later speaks for us.
    """

    def __init__(self) -> None:
        self._address = os.environ.pop("NOTIFY_SOCKET", "")

    def tell(self, words: str) -> None:
        """Send one state, such as READY=1."""
        if not self._address:
            return
        # An address that begins with @ is one of no file.
        name = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.sendto(words.encode(), name)
