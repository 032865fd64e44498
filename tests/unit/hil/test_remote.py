"""Boards elsewhere: by name, by RFC 2217, one run at a time, and gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lumiban.errors import BoardError, LinkLost, UsageError
from lumiban_fw import wire
from pytest_lumiban import remote
from rfc2217_server import Rfc2217Server


def test_a_board_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    assert remote.named(tmp_path) == {}
    (tmp_path / remote.BOARDS).write_text('kitchen = "rfc2217://pi.local:4000"\n')
    assert remote.named(tmp_path) == {"kitchen": "rfc2217://pi.local:4000"}
    assert not remote.is_real("cellar")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ('a = "tcp:x:1"\na = "tcp:y:1"\n', "each name once"),
        ("a = 3\n", "a is no port or URL"),
        ("a = \n", "boards.toml"),
    ],
)
def test_names_that_do_not_tell_one_board_are_refused(
    tmp_path: Path, words: str, says: str
) -> None:
    (tmp_path / remote.BOARDS).write_text(words)
    with pytest.raises(UsageError, match=says):
        remote.named(tmp_path)


def test_a_board_is_one_runs_at_a_time(tmp_path: Path) -> None:
    with (
        remote.lock("tcp:x:1", tmp_path),
        remote.lock("tcp:y:1", tmp_path),
        pytest.raises(BoardError, match=f"tested by process {os.getpid()}"),
        remote.lock("tcp:x:1", tmp_path),
    ):
        pass
    with remote.lock("tcp:x:1", tmp_path):
        pass


def test_an_address_where_nobody_answers_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    for board in ("rfc2217://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(BoardError, match=board):
            remote.meet(board)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rfc2217Server]:
    words = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--seed", "1"]
    process = subprocess.Popen([*words, "--state", str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    made = Rfc2217Server(json.loads(process.stdout.readline())["port"])
    try:
        yield made
    finally:
        made.close()
        process.terminate()
        process.wait()
        process.stdout.close()


def _use(board: remote.RealBoard) -> None:
    """Write and read for a while."""
    for _ in range(1_000):
        board.line.read(board.line.now_us + 20_000)
        board.line.write(b"\0")


@pytest.mark.process
def test_a_board_at_an_rfc_2217_server_is_met_and_gone_when_the_server_is(
    server: Rfc2217Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    (tmp_path / remote.BOARDS).write_text(f'kitchen = "{server.url}"\n')
    found = remote.meet("kitchen")
    try:
        assert found.profile.name == "hex3"
        assert found.hello.capabilities & wire.CAN_INJECT
        with pytest.raises(BoardError, match="is being tested"):
            remote.meet(server.url)
        monkeypatch.setattr(remote, "GONE_US", 1_000_000)
        server.close()
        with pytest.raises(LinkLost):
            _use(found)
    finally:
        found.close()
