"""Pictures: which move they show, how far a move has got, or which rule they break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from each import each
from lumiban.games import (
    WHITE,
    Ambiguous,
    Complete,
    Effect,
    Game,
    Idle,
    Kind,
    Mark,
    Move,
    Partial,
    Position,
    Refusal,
    Wrong,
)
from lumiban.games.base import read_picture
from lumiban.games.control import Control
from lumiban.grid import rectangle
from rulings import played

E, W, B, N = Kind.EMPTY, Kind.WHITE, Kind.BLACK, Kind.NEUTRAL


def with_changes(game: Game, position: Position, changes: Mapping[str, int]) -> list[int]:
    sensed = [int(kind) for kind in game.pieces(position)]
    for name, kind in changes.items():
        sensed[game.grid.cell(name)] = kind
    return sensed


@each(
    ("changes", "rule"),
    [
        ({"b2": B}, "control.not-your-turn"),
        ({"a1": E}, "control.own-stone"),
        ({"e3": E}, "control.not-yours-to-remove"),
        ({"d4": W}, "control.enemy-cell"),
        ({"e3": W}, "reading.not-a-move"),
        ({"c3": N}, "reading.not-a-move"),
        ({"c3": Kind.UNKNOWN}, "table.unknown-piece"),
        ({"c3": Kind.STACKED}, "table.stacked-pieces"),
        ({"c3": Kind.FOREIGN}, "table.foreign-magnet"),
        ({"b1": W, "b2": W}, "reading.one-at-a-time"),
        ({"b1": W, "d4": W}, "control.enemy-cell"),
        ({"a1": E, "c3": W}, "control.own-stone"),
        ({"b1": W, "c3": N}, "reading.not-a-move"),
    ],
)
def test_a_wrong_change_names_the_rule_it_breaks(changes: dict[str, int], rule: str) -> None:
    game = Control(size=3)
    position = played(game, "a1", "e3")
    reading = game.read(position, with_changes(game, position, changes))
    assert isinstance(reading, Wrong)
    assert reading.refusal.rule == rule


def test_a_masked_cell_shows_whatever_it_should() -> None:
    game = Control(size=3)
    position = played(game, "a1", "e3")
    masked = {"a1": Kind.MASKED, "c3": Kind.MASKED}
    assert game.read(position, with_changes(game, position, masked)) == Idle()
    move = game.parse(position, "b1")
    assert game.read(position, with_changes(game, position, {**masked, "b1": W})) == Complete(move)


# Any game: one whose moves are given as effects.


class Slides(Game):
    """A row of squares; `script` says which moves there are and what they do."""

    slug = "slides"
    script: tuple[tuple[Effect, ...], ...] = ()

    def __init__(self, row: Sequence[Kind], *script: tuple[Effect, ...]) -> None:
        super().__init__()
        self.grid = rectangle(len(row), 2)
        self.row = (*row, *(E for _ in row))
        self.script = script

    def start(self, seed: int = 0) -> Position:
        return Position(())

    def movers(self, position: Position) -> tuple[int, ...]:
        return (WHITE,)

    def moves(self, position: Position, side: int) -> list[Move]:
        return [Move(side, f"m{code}", code) for code in range(len(self.script))]

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        return self.row

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        return self.script[move.code]


def read_row(game: Slides, *row: Kind) -> object:
    return read_picture(game, game.start(), (*row, *(E for _ in row)))


SLIDE = ((0, W, E), (2, E, W))
CAPTURE = ((0, W, E), (1, B, W))


def test_a_piece_in_the_air_is_on_its_way_to_every_cell_it_may_go_to() -> None:
    game = Slides([W, B, E], SLIDE, CAPTURE)
    marks = (Mark(2, "lift-target", WHITE), Mark(1, "lift-target", WHITE))
    assert read_row(game, E, B, E) == Partial(marks)


def test_a_slide_and_a_capture_are_told_apart_when_they_are_done() -> None:
    game = Slides([W, B, E], SLIDE, CAPTURE)
    assert read_row(game, E, B, W) == Complete(Move(WHITE, "m0", 0))
    assert read_row(game, E, W, E) == Complete(Move(WHITE, "m1", 1))


def test_the_captured_piece_may_be_lifted_first() -> None:
    game = Slides([W, B, E], SLIDE, CAPTURE)
    assert read_row(game, W, E, E) == Partial((Mark(1, "lift-target", WHITE),))
    assert read_row(game, E, E, E) == Partial((Mark(1, "lift-target", WHITE),))


def test_moves_with_the_same_picture_are_ambiguous() -> None:
    game = Slides([W, B, E], SLIDE, SLIDE)
    moves = (Move(WHITE, "m0", 0), Move(WHITE, "m1", 1))
    assert read_row(game, E, B, W) == Ambiguous(moves)


def test_a_move_that_only_lifts_is_confirmed_unless_the_game_says_otherwise() -> None:
    game = Slides([W, B, E], ((1, B, E),))
    assert read_row(game, W, E, E) == Complete(Move(WHITE, "m0", 0), confirm=True)

    class Plain(Slides):
        confirms_lifts = False

    plain = Plain([W, B, E], ((1, B, E),))
    assert read_row(plain, W, E, E) == Complete(Move(WHITE, "m0", 0), confirm=False)


def test_a_picture_past_every_move_is_wrong() -> None:
    game = Slides([W, B, E], SLIDE)
    assert read_row(game, E, E, W) == Wrong(Refusal("reading.not-a-move", (0, 1, 2)))
    assert read_row(game, E, B, B) == Wrong(Refusal("reading.not-a-move", (0, 2)))
