"""The line to a board over a port: what a quiet port, a hang-up and a stranger are to it."""

from __future__ import annotations

import contextlib
import os
import socket
import tty
from collections.abc import Iterator

import pytest
from lumiban.boards.client import PortLine
from lumiban.boards.ports import open_port
from lumiban.errors import LinkLost


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")


@contextlib.contextmanager
def pty_pair() -> Iterator[tuple[int, str]]:
    """A pseudo-terminal as a board has it: the far end's descriptor, and the port's path."""
    far, near = os.openpty()
    tty.setraw(near)
    try:
        yield far, os.ttyname(near)
    finally:
        for fd in (far, near):
            with contextlib.suppress(OSError):  # hung up in the test
                os.close(fd)


def test_a_quiet_port_has_nothing_to_read_and_is_not_at_its_end() -> None:
    """Whoever is woken for bytes that another reader of the port took first finds none."""
    with pty_pair() as (far, path):
        port = open_port(path)
        with pytest.raises(BlockingIOError):
            os.read(port.fileno(), 64)
        os.write(far, b"a")
        assert os.read(port.fileno(), 64) == b"a"
        port.close()


def test_bytes_that_another_reader_took_first_are_no_hang_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pty_pair() as (_, path):
        line = PortLine(path, gone_us=0)
        monkeypatch.setattr("select.select", lambda read, write, *_: (read, write, []))
        assert line.read(line.now_us + 1_000) == b""
        line.close()


def test_a_hang_up_ends_the_line_at_once_and_is_not_read_again_and_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = PortLine(f"socket://127.0.0.1:{server.getsockname()[1]}", gone_us=0)
        server.accept()[0].close()
        with pytest.raises(LinkLost):
            line.read(line.now_us + 5_000_000)
        line.close()
