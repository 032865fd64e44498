"""Boards that are not there, busy, unknown or too small, and a state folder that cannot be made."""

from __future__ import annotations

import ctypes
import json
import os
import pty
import subprocess
import sys
import tty
from collections.abc import Iterator
from pathlib import Path

import patience
import pytest
from command_line import Run, environment, refused
from journals import lines
from lumiban.table.journal import read
from places import TESTS
from sentences import says


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


@pytest.mark.slow
def test_a_port_that_answers_nothing_is_no_lumiban_board(run: Run, silent_port: str) -> None:
    words = ("play", "control", "--board", silent_port, "--no-browser")
    assert says(refused(run, *words, code=3), "board.open.not-a-board")


def test_a_port_that_another_program_holds_is_busy(run: Run, silent_port: str) -> None:
    from serial import Serial

    with Serial(silent_port, exclusive=True):
        words = ("play", "control", "--board", silent_port, "--no-browser")
        assert "Another program" in refused(run, *words, code=3)


def test_an_unknown_profile_is_answered_by_those_there_are(run: Run) -> None:
    assert "hex3, hex5" in refused(run, "play", "control", "--profile", "hex99", code=3)


def test_a_game_too_large_for_its_board_is_refused_before_anything_starts(
    run: Run, tmp_path: Path
) -> None:
    line = refused(run, "play", "control", "-o", "size=5", "--profile", "hex3", code=3)
    assert "hex5" in line
    assert not list((tmp_path / "home").glob("simulator-*"))


PLAY = ("play", "control", "-o", "size=3", "--profile", "hex3", "--no-browser")


def without_privileges() -> None:
    """Of root: may not write where others may not."""
    for capability in (1, 2):  # to pass over the permissions of files, and to read in spite of them
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
@pytest.mark.parametrize("what", ["home", "journals", "journal"])
def test_what_may_only_be_read_is_told_in_one_sentence(tmp_path: Path, what: str) -> None:
    home = tmp_path / "home"
    (home / "journals").mkdir(parents=True)
    journal = home / "journals" / "a.journal"
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--state", str(home)],
        stdout=subprocess.PIPE,
    ) as board:
        assert board.stdout is not None
        uid = json.loads(board.stdout.readline())["uid"]
        old = TESTS / "golden" / "journal-version-1.journal"
        records = [dict(record) for record in read(old).records]
        records[1]["uid"] = uid
        before = lines(records)
        journal.write_bytes(before)
        locked = {"home": home, "journals": home / "journals", "journal": journal}[what]
        locked.chmod(0o555)
        done = patience.run(
            [sys.executable, "-m", "lumiban", *PLAY],
            env=environment(home),
            preexec_fn=without_privileges if os.geteuid() == 0 else None,
        )
        board.terminate()
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    wanted = "--new begins another game" if what == "journal" else "set LUMIBAN_HOME to a folder"
    assert str(locked) in done.stderr
    assert wanted in done.stderr
    assert journal.read_bytes() == before
    locked.chmod(0o755)


def test_a_state_folder_that_cannot_be_made_names_the_way_out(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "file" / "below"))
    assert "LUMIBAN_HOME" in refused(run, "play", "control", "--no-browser")
