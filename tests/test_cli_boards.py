"""Boards that are not there, busy, unknown or too small, and a state folder that cannot be made."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Run, refused


def test_an_absent_port_is_told_with_those_there_are(run: Run) -> None:
    line = refused(run, "play", "control", "--board", "/dev/ttyNowhere", code=3)
    assert "/dev/ttyNowhere" in line


def test_a_file_is_no_serial_port(run: Run, tmp_path: Path) -> None:
    (tmp_path / "port").write_text("no port")
    assert str(tmp_path) in refused(
        run, "play", "control", "--board", str(tmp_path / "port"), code=3
    )


@pytest.fixture
def silent_port() -> Iterator[str]:
    """A serial port whose other end never says anything."""
    line, port = pty.openpty()
    tty.setraw(port)
    yield os.ttyname(port)
    os.close(line)
    os.close(port)


def test_a_port_that_answers_nothing_is_no_lumiban_board(run: Run, silent_port: str) -> None:
    words = ("play", "control", "--board", silent_port, "--no-browser")
    assert "not a lumiban board" in refused(run, *words, code=3)


def test_a_port_that_another_program_holds_is_busy(run: Run, silent_port: str) -> None:
    from serial import Serial

    with Serial(silent_port, exclusive=True):
        words = ("play", "control", "--board", silent_port, "--no-browser")
        assert "Another program" in refused(run, *words, code=3)


def test_an_unknown_profile_is_answered_by_those_there_are(run: Run) -> None:
    assert "hex3, hex5" in refused(run, "play", "control", "--profile", "hex9", code=3)


def test_a_game_too_large_for_its_board_is_refused_before_anything_starts(
    run: Run, tmp_path: Path
) -> None:
    line = refused(run, "play", "control", "-o", "size=5", "--profile", "hex3", code=3)
    assert "hex5" in line
    assert not list((tmp_path / "home").glob("simulator-*"))


def test_a_state_folder_that_cannot_be_made_names_the_way_out(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "file" / "below"))
    assert "LUMIBAN_HOME" in refused(run, "play", "control", "--no-browser")
