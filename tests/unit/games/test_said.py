"""What games say a move does, in known positions."""

from __future__ import annotations

import random
from typing import Any

import pytest
from lumiban import games
from lumiban.games.base import Game, Position, Texts, explain_move
from lumiban.games.simple import GridView, SimpleGame
from lumiban.i18n import LANGUAGES


def does(game: Any, position: Position, move: str) -> dict[str, tuple[list[str], dict[str, Any]]]:
    """By what is said: the cells by name, and the figures."""
    words = explain_move(game, position, game.parse(position, move))
    return {w.what: ([game.grid.name(c) for c in w.cells], dict(w.params)) for w in words}


def field(*rows: str) -> str:
    return "/".join(["......"] * (13 - len(rows)) + list(rows))


def test_rengi_tells_the_ojama_that_a_chain_answers() -> None:
    game: Any = games.load("rengi", mode="free")
    position = game.setup(fields=(field("YYY...", "RRRBBB"), ""), waiting=(2, 0))
    said = does(game, position, "YB4.0")
    assert said["rengi.fires"][1]["n"] == 2
    assert said["rengi.answers"] == ([], {"n": 2, "waiting": 2})


def test_what_rengi_builds_towards_can_be_fired_as_it_says() -> None:
    game: Any = games.load("rengi", mode="free")
    rng = random.Random(2)
    built = 0
    position = game.start()
    for _ in range(120):
        move = rng.choice(game.moves(position, position_mover(game, position)))
        side = move.side
        said = {word.what: dict(word.params) for word in explain_move(game, position, move)}
        after = game.play(position, move)
        if "rengi.builds" in said:
            built += 1
            rows = ["".join(".RBYGO"[c] for c in row) for row in game.field(after, side)[12::-1]]
            steps, colour, column = (
                said["rengi.builds"][name] for name in ("n", "colour", "column")
            )
            fields = ["", ""]
            fields[side] = "/".join(rows)
            there = game.setup(fields=fields, to_move=side)
            fired = game.parse(there, f"{colour}{colour}{column}.0")
            assert len(game.chain(there, fired).steps) == steps
        if game.outcome(after) is not None:
            break
        position = after
    assert built > 0


def position_mover(game: Game, position: Position) -> int:
    return game.movers(position)[0]


@pytest.mark.parametrize(
    ("slug", "options"),
    [
        ("control", {"size": 3}),
        ("control", {"size": 3, "sees": "sight"}),
        ("evening", {"size": 3, "turns": "trailing"}),
        ("evening", {"size": 3}),
        ("trivia", {"size": 4}),
        ("doves", {}),
        ("rengi", {"mode": "free"}),
    ],
)
def test_every_move_of_random_games_is_told_in_every_language(
    slug: str, options: dict[str, Any]
) -> None:
    game = games.load(slug, **options)
    rng = random.Random(11)
    position = game.start()
    for _ in range(25):
        movers = [side for side in game.movers(position) if game.moves(position, side)]
        if not movers:
            break
        side = rng.choice(movers)
        move = rng.choice(game.moves(position, side))
        words = explain_move(game, position, move)
        assert words
        for word in words:
            assert all(0 <= cell < len(game.grid) for cell in word.cells)
            for language in LANGUAGES:
                assert "{" not in word.sentence(game.grid.name, language)
        position = game.play(position, move)


class Othellish(SimpleGame):
    """Stones next to a new one turn."""

    slug = "othellish"
    sizes = (3,)
    texts = Texts(en={"said.corner": "takes a corner: {cells}"})

    def then(self, board: GridView, side: int, act: Any) -> dict[int, int]:
        return dict.fromkeys(board.touching(act.cell, 1 - side), side)

    def means(self, before: GridView, after: GridView, act: Any) -> list[Any]:
        return [self.tell("corner", act.cell)] if len(before.neighbours(act.cell)) == 3 else []


def test_an_own_game_has_words_for_captures_groups_and_what_it_says_itself() -> None:
    game = Othellish()
    position = game.setup({"c3": 1, "c4": 1}, to_move=0)
    said = does(game, position, "c5")
    assert said["turns"] == (["c4"], {"n": 1})
    assert said["othellish.corner"] == (["c5"], {})
