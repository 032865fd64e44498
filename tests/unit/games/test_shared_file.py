"""A game's file that is handed on: made, checked, and run after its owner has said yes."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from lumiban import cli, games
from lumiban.cli.play import ask_if_shared
from lumiban.errors import GameError
from lumiban.games import gate
from lumiban.games.gate import NotAccepted
from lumiban.games.shared_file import SharedGame, shared_game, shared_text
from own_games import SNORT, Written, clean, written
from virtual_table import VirtualTable

__all__ = ["clean", "written"]


@pytest.fixture
def shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """Snort as a stranger's table gets it."""
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "Ann's"))
    monkeypatch.chdir(tmp_path)
    assert cli.run(["games", "share", SNORT, "--by", "Ann"]) == 0
    path = tmp_path / "snort.lumiban"
    assert told(path).digest in capsys.readouterr().out
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "home"))
    return path


def told(path: Path) -> SharedGame:
    return shared_game(path.read_bytes(), path)


def test_a_shared_game_is_its_source_under_a_line_with_name_author_and_digest(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(SNORT).read_text("utf-8")
    head, _, rest = shared.read_text("utf-8").partition("\n")
    assert rest == source
    assert head.startswith('# lumiban game "Snort" by Ann, sha256 ')
    assert cli.run(["games", "share", SNORT]) == 2
    assert "was left as it is" in capsys.readouterr().err


def test_nobody_runs_it_before_a_yes_and_a_changed_one_is_asked_about_again(shared: Path) -> None:
    with pytest.raises(NotAccepted, match="nobody has said yes"):
        games.load(str(shared))
    assert not gate.is_accepted(str(shared))
    assert not gate.is_accepted("nowhere.lumiban")
    gate.accept(told(shared).sha256)
    assert gate.is_accepted(str(shared))
    assert games.load(str(shared), size=3).options["size"] == 3
    text = shared.read_text("utf-8")
    shared.write_text(text + "# more\n", "utf-8")
    with pytest.raises(GameError, match="is not as it was shared"):
        games.load(str(shared))
    shared.write_text(shared_text(text.partition("\n")[2] + "# more\n", "Snort", "", "x"), "utf-8")
    with pytest.raises(NotAccepted):
        games.load(str(shared))


def test_a_page_starts_it_only_after_a_yes(shared: Path) -> None:
    table = VirtualTable("hex3", "control", ("human", "human"), {"size": 3})
    error = table.command("new", game=str(shared), options={"size": 3})
    assert error is not None
    assert error["id"] == "table.own-not-by-page"
    gate.accept(told(shared).sha256)
    assert table.command("new", game=str(shared), options={"size": 3}) is None


@pytest.mark.parametrize(("answer", "runs"), [("y\n", True), ("n\n", False), ("", False)])
def test_the_terminal_shows_the_digest_and_asks_once(
    answer: str,
    runs: bool,
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(NotAccepted):
        ask_if_shared(str(shared))  # nobody sits there
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    if runs:
        ask_if_shared(str(shared))
        ask_if_shared(str(shared))
        assert games.load(str(shared)).grid
    else:
        with pytest.raises(GameError):
            ask_if_shared(str(shared))
    assert capsys.readouterr().out.count(told(shared).digest) == 1, "it asked once"


def test_a_line_of_strangers_does_not_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "x.lumiban"
    path.write_text(shared_text("", "\x1b[2JHex\u202e", "\x07A", "x"), "utf-8")
    assert (told(path).name, told(path).author) == ("[2JHex", "A")
    path.write_text("x = 1\n", "utf-8")
    with pytest.raises(GameError, match="is no shared game"):
        told(path)


def test_a_game_that_needs_another_file_is_not_shared(written: Written) -> None:
    with pytest.raises(GameError, match="line 2: it imports helpers"):
        shared_text("import math\nfrom helpers import x\n", "X", "", "x.py")
