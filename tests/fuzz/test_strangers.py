"""Documents from anybody: a record, journal, recording or page starts no program of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lumiban.cli import run
from lumiban.flight import replay
from lumiban.flight.file import head_of, of_new, of_resumed
from lumiban.games import gate, registry
from lumiban.games.gate import NotAccepted
from lumiban.games.registry import loading
from lumiban.runtime.open_table import TableBuilder
from lumiban.system.paths import open_log
from lumiban.table import record
from lumiban.table.journal import SUFFIX, JournalFile
from lumiban.table.requests import NewGameRequest
from lumiban.table.session import Session
from lumiban.table.setup import TableSetup
from lumiban.table.types import Command, Reply, Settings
from own_games import Written, clean, written
from virtual_table import VirtualTable

__all__ = ["clean", "written"]

RULES = """
class Mine(SimpleGame):
    geometry = "hex"
    sizes = (2,)
"""


@pytest.fixture
def played(written: Written, monkeypatch: pytest.MonkeyPatch) -> tuple[VirtualTable, Path]:
    """A game of somebody's own that was played, and the sign that its file would leave."""
    path = written(RULES)
    table = VirtualTable("hex3", path, ("bot:easy", "bot:easy"), {"size": 2}, playouts=1)
    table.run(lambda table: bool(table.finished))
    registry._loaded.clear()
    sign = Path(path).parent / "it-ran"
    written(f"open({str(sign)!r}, 'w').close()\n" + RULES)
    monkeypatch.setenv(gate.NAMED, "")  # as it is in another process, which nobody told of it
    return table, sign


Cli = Callable[..., tuple[int, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("LUMIBAN_LANG", "en")

    def call(*words: object) -> tuple[int, str]:
        code = run([str(word) for word in words])
        return code, "".join(capsys.readouterr())

    return call


def test_a_record_runs_no_file_that_nobody_named(
    played: tuple[VirtualTable, Path], cli: Cli, tmp_path: Path
) -> None:
    table, sign = played
    file = tmp_path / "game.json"
    file.write_text(json.dumps(table.finished[0].record))
    for command in ("replay", "analyse"):
        code, said = cli(command, file)
        assert code == 2
        assert "--rules" in said
    assert not sign.exists()
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text((tmp_path / "mine.py").read_text())
    (tmp_path / "mine.py").unlink()
    code, said = cli("replay", file, "--rules", elsewhere)
    assert code == 0, said
    assert sign.exists()


def test_a_journal_runs_no_file_that_nobody_named(
    played: tuple[VirtualTable, Path], cli: Cli, tmp_path: Path
) -> None:
    table, sign = played
    file = tmp_path / "game.journal"
    file.write_bytes(bytes(table.journals[0]))
    code, said = cli("analyse", file)
    assert (code, sign.exists()) == (2, False)
    assert "--rules" in said


@pytest.mark.parametrize("with_journal", [False, True])
def test_a_recording_runs_no_file_that_nobody_named(
    played: tuple[VirtualTable, Path], tmp_path: Path, with_journal: bool
) -> None:
    table, sign = played
    history = table.session.match.history
    told: dict[str, Any] = of_new(history.game, history.seats, 1, "game")
    if with_journal:
        file = tmp_path / "game.journal"
        file.write_bytes(bytes(table.journals[0]))
        told = of_resumed(file)
    head = head_of(
        "hex3", table.settings, now_us=0, hint="legal", session=1, link_resume=None, table=told
    )
    with pytest.raises(NotAccepted):
        replay.run(head, [])
    assert not sign.exists()


def test_a_page_starts_no_file_to_which_nobody_has_said_yes(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(RULES)

    def answer(session: Session, wish: str) -> object:
        new = NewGameRequest(wish, {"size": 2})
        outputs = session.step(0, [Command(new, reply_to=1)])
        return next(output.error for output in outputs if isinstance(output, Reply))

    own = VirtualTable("hex3", path, ("human", "human"), {"size": 2}).session
    assert answer(own, "control") is None
    assert answer(own, path) is None
    monkeypatch.setenv(gate.NAMED, "")
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "nobody's"))
    registry._loaded.clear()
    ours = VirtualTable("hex3", "control", ("human", "human"), {"size": 2}).session
    assert answer(ours, path) == {"id": "table.own-not-by-page", "params": {"file": path}}
    assert registry._loaded == {}


def test_rules_that_are_named_for_a_record_of_ours_change_nothing(
    written: Written, tmp_path: Path
) -> None:
    table = VirtualTable("hex3", "control", ("bot:easy", "bot:easy"), {"size": 2}, playouts=1)
    table.run(lambda table: bool(table.finished))
    assert record.verify(table.finished[0].record, loading(written(RULES)))


async def test_the_file_of_another_game_is_not_run_to_find_what_goes_on(
    played: tuple[VirtualTable, Path], tmp_path: Path
) -> None:
    table, sign = played
    state = tmp_path / "state"
    (state / "journals").mkdir(parents=True)
    (state / "journals" / f"mine{SUFFIX}").write_bytes(bytes(table.journals[0]))
    older = VirtualTable("hex3", "control", ("human", "human"), {"size": 2})
    older.rest(2_000_000)
    journal = state / "journals" / f"control{SUFFIX}"
    journal.write_bytes(bytes(older.journals[0]))
    os.utime(journal, (1_000_000_000, 1_000_000_000))
    uid = table.session.match.history.board

    def unfinished(game: str, board: str | None) -> object:
        wish = TableSetup(game, {"size": 2}, profile="hex3")
        return TableBuilder(wish, Settings(), state, open_log(state), JournalFile).unfinished(board)

    assert unfinished("control", None) is None, "the last game was another"
    assert unfinished("control", uid) is None
    assert unfinished("control", "another board") is None
    assert not sign.exists()
    os.utime(journal)
    assert unfinished("control", None) is not None
    assert not sign.exists()
