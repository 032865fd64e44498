"""A position as a picture: its pieces and marks, and the board's answer to what hands change."""

from __future__ import annotations

from collections.abc import Mapping

from lumiban.games import mark_kinds
from lumiban.games.base import Complete, Game, Mark, Partial, Position, Wrong
from lumiban.games.floating_game import FloatingGame
from lumiban.games.light_game import LightGame
from lumiban.scene.svg import Shown


def diagram(
    game: Game, position: Position, changes: Mapping[int, int] | None = None, hint: str = "control"
) -> Shown:
    """A position as the picture draws it.

    `changes` (cell -> kind) is what hands have put and lifted since: the board's answer to it is
    drawn. `hint` says what the lights show beside it.
    """
    pieces = [int(kind) for kind in game.pieces(position)]
    labels = {cell: name for cell, name in enumerate(game.labels(position)) if name}
    hands = [
        (name.capitalize(), "".join(held))
        for name, held in zip(game.sides, game.in_hand(position), strict=False)
    ]
    trays = game.trays if isinstance(game, FloatingGame) else ()
    marks = [*game.marks(position, hint)]
    if changes:
        for cell, kind in changes.items():
            pieces[cell] = kind
            labels.pop(cell, None)
        marks = _answer(game, position, pieces, changes, marks)
    numbers = {cell: number for cell, number in enumerate(game.numbers(position)) if number}
    hands = [] if trays else hands
    return Shown(game.grid, pieces, marks, labels, hands, trays, numbers=numbers)


def _answer(
    game: Game,
    position: Position,
    sensed: list[int],
    changes: Mapping[int, int],
    marks: list[Mark],
) -> list[Mark]:
    """Marks on the board while these cells differ from the position."""
    if isinstance(game, LightGame):
        return _with_markers(game, position, changes, marks)
    calm = [mark for mark in marks if mark.meaning == mark_kinds.OWNED]
    match game.read(position, sensed):
        case Wrong(refusal):
            now = next(iter(changes))
            proof = [Mark(cell, mark_kinds.PROOF) for cell in refusal.cells if cell not in changes]
            return [*calm, Mark(now, mark_kinds.MEND), *proof]
        case Partial(more):
            return [*calm, *more]
        case Complete(move, True, more):
            return [*calm, *more, *(Mark(cell, mark_kinds.PENDING, move.side) for cell in changes)]
        case Complete(move):
            after = game.play(position, move)
            last = [Mark(cell, mark_kinds.LAST, move.side) for cell in changes]
            return [*game.marks(after, "control"), *last]
    return marks


def _with_markers(
    game: LightGame, position: Position, changes: Mapping[int, int], marks: list[Mark]
) -> list[Mark]:
    """Marks on the board once these markers were set, one after the other."""
    gesture = game.at_rest((0,) * len(game.grid))
    for at_us, (cell, kind) in enumerate(changes.items()):
        gesture = game.hear(position, gesture, cell, kind, at_us, True).gesture
    return [*marks, *game.gesture_marks(position, gesture, True)]
