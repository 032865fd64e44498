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


def test_a_stone_of_control_gains_the_empty_cells_around_it() -> None:
    game = games.load("control", size=3)
    assert does(game, game.start(), "a1")["gains"] == (["b1", "b2", "a2"], {"n": 3})


def test_control_names_stones_that_may_be_taken_next_and_those_that_are_saved() -> None:
    game = games.load("control", size=3, opening="free")
    position = game.setup({"c3": 0, "e3": 0, "c2": 1, "a3": 1}, to_move=0)
    said = does(game, position, "b3")
    assert said["threatens"] == (["a3"], {"n": 1})
    assert said["saves"] == (["c3"], {"n": 1})


def test_a_stone_of_evening_tells_what_it_opens_and_closes_and_to_whom() -> None:
    game: Any = games.load("evening", size=3, turns="trailing")
    position = game.play(game.start(), game.parse(game.start(), "wc3"))
    said = does(game, position, "bc4")
    assert "leads" in said
    before = set(game.open_cells(position, 1)) - {game.grid.cell("c4")}
    after = set(game.open_cells(game.play(position, game.parse(position, "bc4")), 1))
    closed = {game.grid.cell(name) for name in said["closes-own"][0]}
    assert closed == before - after


def test_trivia_tells_groups_joined_the_largest_and_what_the_turn_owes() -> None:
    game = games.load("trivia", size=5)
    position = game.start()
    for move in ("c3", "a1", "a5", "red e5", "b3", "red e1", "e3", "a3", "a4", "red d5"):
        position = game.play(position, game.parse(position, move))
    said = does(game, position, "d3")
    assert said["joins"] == (["b3", "c3", "d3", "e3"], {"n": 2, "size": 4})
    assert said["largest"] == ([], {"was": 2, "size": 4})
    assert said["owes-own"] == ([], {"n": 1})
    assert said["owes-red"] == ([], {"n": 1})


def test_doves_tells_a_win_and_a_threat_to_win() -> None:
    game: Any = games.load("doves")
    position = game.setup(board="..t/.MB/HYb/Thy", to_move="red")
    assert "doves.threatens" in does(game, position, "-M")
    lost = does(game, position, "+Aa4")
    assert "loses" in lost


def test_a_dove_that_saves_its_boss_is_told() -> None:
    game: Any = games.load("doves")
    rng = random.Random(5)
    found = 0
    for _ in range(60):
        position = game.start()
        for _ in range(30):
            moves = game.moves(position, position.state[0])
            if game.outcome(position) is not None or not moves:
                break
            move = rng.choice(moves)
            if any(word.what == "doves.averts" for word in explain_move(game, position, move)):
                found += 1
                assert wins_next(game, passed(game, position))
                assert not wins_next(game, game.play(position, move))
            position = game.play(position, move)
        if found >= 3:
            return
    raise AssertionError("no boss was ever saved")


def passed(game: Any, position: Position) -> Position:
    """The same doves with the other side to move."""
    return game.position(game.places(position), 1 - position.state[0])  # type: ignore[no-any-return]


def wins_next(game: Any, position: Position) -> bool:
    side = position.state[0]
    state = game.state(position)
    out = [0] * 500
    for code in out[: state.moves(out)]:
        after = game.state(position)
        after.play(code)
        if after.outcome() == side + 1:
            return True
    return False


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
