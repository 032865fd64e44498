"""Proof-number search: the winners that the solver finds, and an honest "open"."""

from __future__ import annotations

import random

import pytest
from evening_by_the_letter import OTHER, Cell, Plain
from lumiban import games
from lumiban.errors import GameError
from lumiban.games.base import BLACK, WHITE, Game, Position
from lumiban.search import jit, proof_number
from lumiban.search.proof_number import prove
from lumiban.search.solve import solve
from places import ROOT

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")
MANY = 10_000_000


def after_random_moves(game: Game, plies: int, chance: random.Random) -> Position:
    """A position of a random game that is not over."""
    while True:
        position = game.start()
        for _ in range(plies):
            if game.outcome(position) is not None:
                break
            position = game.play(
                position, chance.choice(game.moves(position, game.to_act(position)))
            )
        if game.outcome(position) is None:
            return position


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("slug", "options", "plies"),
    [
        ("control", {"size": 3}, 13),
        ("control", {"size": 3, "opening": "12*"}, 13),
        ("evening", {"size": 3, "turns": "trailing"}, 4),
        ("evening", {"size": 3, "turns": "turnless"}, 8),
        ("trivia", {"size": 3}, 4),
    ],
)
def test_positions_are_worth_what_the_solver_says(
    slug: str, options: dict[str, int | str], plies: int
) -> None:
    game = games.load(slug, **options)
    chance = random.Random(8)
    winners = set()
    for _ in range(8):
        position = after_random_moves(game, plies, chance)
        winner = solve(game, position, compiled=False).winner
        winners.add(winner)
        for asker in (WHITE, BLACK):
            found = prove(game, position, asker, MANY, compiled=False)
            assert found.answer == (winner == asker)
            assert (found.proof == 0, found.disproof == 0) == (found.answer, not found.answer)
    assert winners == {WHITE, BLACK}


@pytest.mark.long  # half a minute of compiling
@pytest.mark.jit
@needs_numba
def test_control_of_side_3_is_blacks_from_the_start() -> None:
    game = games.load("control", size=3)
    found = prove(game, game.start(), WHITE, MANY)
    assert (found.answer, found.is_exact) == (False, True)


def test_a_table_far_too_small_changes_no_answer() -> None:
    game = games.load("control", size=2)
    assert prove(game, game.start(), WHITE, MANY, compiled=False, bits=4).answer is True


@pytest.mark.slow
def test_a_proof_that_is_not_found_within_its_positions_is_open() -> None:
    game = games.load("control", size=3)
    told: list[int] = []
    found = prove(
        game, game.start(), WHITE, 3_000, lambda so_far: told.append(so_far.nodes), compiled=False
    )
    assert found.answer is None
    assert 3_000 <= found.nodes < 3_000 + 2 * proof_number.SLICE // 50
    assert 0 < found.proof < proof_number.ENDLESS
    assert 0 < found.disproof < proof_number.ENDLESS
    assert told


def test_games_in_which_positions_come_again_are_refused() -> None:
    game = games.load("control", size=2, sees="sight")
    with pytest.raises(GameError, match="come again"):
        prove(game, game.start(), WHITE, MANY)


def a_winning_move(game: Game, position: Position) -> str:
    for move in game.moves(position, WHITE):
        if prove(game, game.play(position, move), WHITE, MANY, compiled=False, bits=12).answer:
            return move.text
    raise AssertionError(f"no move of White wins after {position.history}")


def follow(game: Game, position: Position, stones: dict[Cell, str], seen: set[object]) -> None:
    """Play White's winning moves against all of Black's, by rules of another hand."""
    key = frozenset(stones.items())
    if key in seen:
        return
    seen.add(key)
    plain = Plain({*game.grid.cells}, tie=str(game.options["tie"]), stones=stones)
    mover = OTHER[plain.winner()] if stones else "w"
    names = dict(zip(game.grid.cells, game.grid.names, strict=True))
    moves = {mover + names[cell]: cell for cell in plain.open_to(mover)}
    if not moves:
        assert mover == "b"
        return
    if mover == "w":
        text = a_winning_move(game, position)
        moves = {text: moves[text]}
    for text, cell in moves.items():
        after = game.play(position, game.parse(position, text, game.to_act(position)))
        follow(game, after, stones | {cell: mover}, seen)


@pytest.mark.slow
def test_odds_win_in_evening_of_side_3_holds_by_rules_of_another_hand() -> None:
    game = games.load("evening", size=3, turns="trailing", tie="odd-even")
    assert prove(game, game.start(), WHITE, MANY, compiled=False).answer is True
    seen: set[object] = set()
    follow(game, game.start(), {}, seen)
    assert len(seen) > 30


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    ("size", "opening", "positions", "wins"),
    [(5, "i1", 216_350, True), (4, "a1", 8_376, True), (4, "g2", 6_673, False),
     (4, "f2", 7_120, False)],
)  # fmt: skip
def test_first_stones_of_evening_are_worth_what_the_answers_say(
    size: int, opening: str, positions: int, wins: bool
) -> None:
    game = games.load("evening", size=size, turns="trailing", tie="odd-even")
    start = game.start()
    after = game.play(start, game.parse(start, f"w{opening}"))
    found = prove(game, after, game.to_act(start), MANY)
    assert (found.answer, found.nodes) == (wins, positions)
    told = f"{positions:,}".replace(",", " ")
    assert told in (ROOT / "docs" / "answers" / "README.md").read_text("utf-8")
