"""Warm: what is compiled ahead is all that a bot needs, and is found again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.cli.games import warm_command
from lumiban.search import jit
from lumiban.search import warm as warm_room
from lumiban.search.bot import think
from lumiban.search.levels import NAMES
from lumiban.search.tree_searches import TreeReuse
from lumiban.search.warm import NOTE, parts, ready, rest, warm

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

PLAYED: list[tuple[str, dict[str, int | str]]] = [
    ("control", {"size": 3}),
    ("evening", {"size": 3, "turns": "trailing"}),
    ("trivia", {"size": 4}),
    ("doves", {}),
    ("rengi", {}),
]


def compiled_for() -> dict[str, list[Any]]:
    """By function, the types of arguments that it has been compiled for in this process."""
    entries: dict[Any, Any] = jit._entries
    return {str(name): list(entry.signatures) for name, entry in entries.items()}


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    ("slug", "options"),
    [
        pytest.param(*one, marks=[] if one[0] in ("control", "doves") else pytest.mark.long)
        for one in PLAYED
    ],
)
def test_a_warm_bot_compiles_nothing_more_whatever_its_level(
    slug: str, options: dict[str, int | str]
) -> None:
    game = games.load(slug, **options)
    assert ready(game)
    for part in rest(game):
        part()
    compiled = compiled_for()
    position, kept = game.start(), TreeReuse()
    for seed, level in enumerate(NAMES):
        thought = think(game, position, level, seed, playouts=40, threads=2, kept=kept)
        position = game.play(position, thought.move)
    assert compiled_for() == compiled


def scripted_parts(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """Parts that only leave a file in the cache, here `folder`; the names of those that ran."""
    ran: list[str] = []

    def part(name: str) -> object:
        def run(_: games.Game) -> None:
            ran.append(name)
            (folder / f"{name}.nbc").write_bytes(b"code")

        return run

    monkeypatch.setattr(jit, "cache_folder", lambda _: folder)
    monkeypatch.setattr(warm_room, "parts", lambda _: {name: part(name) for name in names})
    return ran


@needs_numba
def test_what_was_compiled_ahead_is_told_apart_from_what_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = scripted_parts(tmp_path, monkeypatch, "uct", "own")
    game = games.load("control", size=2)
    assert [one.part for one in warm(game)] == ["uct", "own"]
    assert ran == ["uct", "own"]
    assert [one.was_there for one in warm(game)] == [True, True]
    assert ran == ["uct", "own"]
    (tmp_path / "own.nbc").write_bytes(b"")
    list(warm(game))
    assert len(ran) == 4
    (tmp_path / NOTE).write_text("not a note", "utf-8")
    list(warm(game))
    assert len(ran) == 6
    monkeypatch.setattr(jit, "stamp", lambda _: "sources of another date")
    list(warm(game))
    assert len(ran) == 8


@needs_numba
def test_of_what_was_compiled_before_only_the_first_answers_part_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = scripted_parts(tmp_path, monkeypatch, "uct", "grave", "kept", "perft")
    game = games.load("control", size=2)
    assert ready(game)
    assert ran == ["uct", "grave", "kept"]
    ran.clear()
    assert ready(game)
    assert ran == ["grave"]
    for run in rest(game):
        run()
    assert ran == ["grave", "uct", "kept"]
    (tmp_path / "kept.nbc").unlink()
    ran.clear()
    assert ready(game)
    assert ran == ["uct", "grave", "kept"]


def test_every_game_has_parts_and_without_numba_none_is_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for slug, options in PLAYED:
        assert {"uct", "grave", "kept", "perft"} <= parts(games.load(slug, **options)).keys()
    monkeypatch.setenv("LUMIBAN_NO_NUMBA", "1")
    warm_command("control", json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "game": "control", "part": "all", "seconds": 0.0, "was_there": False, "compiled": False,
    }  # fmt: skip
    warm_command("control")
    assert "Python" in capsys.readouterr().out
