"""Warm: what is compiled ahead is all that a bot needs, and is found again."""

from __future__ import annotations

import json

import pytest
from lumiban import games
from lumiban.cli.games import warm_command
from lumiban.search import jit
from lumiban.search import precompile as warm_room
from lumiban.search.bot import think
from lumiban.search.levels import NAMES
from lumiban.search.precompile import LIBRARY, parts, ready, warm
from lumiban.search.tree_searches import TreeReuse

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

PLAYED: list[tuple[str, dict[str, int | str]]] = [
    ("control", {"size": 3}),
    ("evening", {"size": 3, "turns": "trailing"}),
    ("trivia", {"size": 4}),
    ("doves", {}),
    ("rengi", {}),
]


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    ("slug", "options"),
    [
        pytest.param(*one, marks=[] if one[0] in ("control", "doves") else pytest.mark.long)
        for one in PLAYED
    ],
)
def test_a_ready_bot_has_a_kernel_for_all_that_it_thinks_with_at_any_level(
    slug: str, options: dict[str, int | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = games.load(slug, **options)
    assert ready(game)
    monkeypatch.setattr(jit, "_compiled_by_numba", lambda function, _: pytest.fail(str(function)))
    position, kept = game.start(), TreeReuse()
    for seed, level in enumerate(NAMES):
        thought = think(game, position, level, seed, playouts=40, threads=2, kept=kept)
        position = game.play(position, thought.move)


@pytest.mark.jit
@needs_numba
def test_what_was_compiled_before_is_told_apart_from_what_was_not() -> None:
    game = games.load("control", size=2)
    list(warm(game))
    assert [(one.part, one.was_there) for one in warm(game)] == [(LIBRARY, True)]


@pytest.mark.slow
@needs_numba
def test_where_no_library_can_be_made_numba_compiles_part_by_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(jit, "has_library", lambda _: False)
    monkeypatch.setattr(jit, "may_make_library", lambda *_, **__: False)
    monkeypatch.setattr(
        warm_room, "parts", lambda _: {n: lambda _, n=n: ran.append(n) for n in ("uct", "perft")}
    )
    game = games.load("control", size=2)
    assert [one.part for one in warm(game)] == ["uct", "perft"] == ran
    ran.clear()
    assert ready(game)
    assert ran == ["uct"], "studies' parts are no bot's"


def test_every_game_has_parts_and_without_numba_none_is_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {slug: [*parts(games.load(slug, **options))] for slug, options in PLAYED}
    assert found == {
        "control": ["grave", "uct", "kept", "perft"],
        "evening": ["uct", "kept", "perft"],
        "trivia": ["grave", "uct", "kept", "perft"],
        "doves": ["uct", "own", "perft"],
        "rengi": ["own", "perft"],
    }
    monkeypatch.setenv("LUMIBAN_PLAIN", "1")
    warm_command("control", json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "game": "control", "part": "all", "seconds": 0.0, "was_there": False, "compiled": False,
    }  # fmt: skip
    warm_command("control")
    assert "Python" in capsys.readouterr().out
