"""What a picture of the board means: which listed move makes it, or on the way to which it is.

The picture is compared with what should stand there; the differences are compared with the
effects of the moves. Nothing is played for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lumiban.games import marks as means
from lumiban.games.base import (
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
    Reading,
    Refusal,
    Wrong,
)

UNREADABLE = {
    Kind.UNKNOWN: "table.unknown-piece",
    Kind.STACKED: "table.stacked-pieces",
    Kind.FOREIGN: "table.foreign-magnet",
}
"""What is said of pieces that no game knows; the table has the sentences."""

NOT_A_MOVE = "reading.not-a-move"
ONE_AT_A_TIME = "reading.one-at-a-time"


def effects(game: Game, position: Position, move: Move) -> tuple[Effect, ...]:
    """(cell, kind before, kind after) for each cell that a legal `move` changes."""
    return game.effects(position, move)


def differences(game: Game, position: Position, sensed: Sequence[int]) -> dict[int, int]:
    """The kinds sensed where they are not what should stand there; masked cells never differ."""
    should = game.pieces(position)
    return {
        cell: kind
        for cell, (kind, right) in enumerate(zip(sensed, should, strict=True))
        if kind != right and kind != Kind.MASKED
    }


def read_picture(
    game: Game,
    position: Position,
    sensed: Sequence[int],
    candidates: Iterable[Move] | None = None,
) -> Reading:
    """What `sensed` (a kind for each cell) means in `position`.

    `candidates` are the moves to look among: by default those that the game lists for all sides
    that may act.
    """
    changes = differences(game, position, sensed)
    if not changes:
        return Idle()
    strange = tuple(cell for cell, kind in changes.items() if kind in UNREADABLE)
    if strange:
        return Wrong(Refusal(UNREADABLE[Kind(changes[strange[0]])], strange))
    if candidates is None:
        candidates = [m for side in game.movers(position) for m in game.moves(position, side)]
    whole: list[tuple[Move, tuple[Effect, ...]]] = []
    begun: list[tuple[Move, tuple[Effect, ...]]] = []
    for move in candidates:
        does = game.effects(position, move)
        if not _covers(does, changes):
            continue
        done = len(changes) == len(does) and all(changes[c] == after for c, _, after in does)
        (whole if done else begun).append((move, does))
    if len(whole) == 1:
        move, does = whole[0]
        lifts = all(after == Kind.EMPTY for _, _, after in does)
        return Complete(move, confirm=lifts and game.confirms_lifts)
    if whole:
        return Ambiguous(tuple(move for move, _ in whole))
    if begun:
        return Partial(_still_to_do(begun, changes))
    return Wrong(_explain(game, position, changes))


def _covers(does: tuple[Effect, ...], changes: Mapping[int, int]) -> bool:
    """Whether the changes may occur while a hand does this: each is done, or lifted for it."""
    if len(changes) > len(does):
        return False
    after_of = {cell: after for cell, _, after in does}
    return all(
        cell in after_of and kind in (after_of[cell], Kind.EMPTY) for cell, kind in changes.items()
    )


def _still_to_do(
    begun: list[tuple[Move, tuple[Effect, ...]]], changes: Mapping[int, int]
) -> tuple[Mark, ...]:
    """Where the pieces in hand may go, each cell once per side."""
    marks = {
        Mark(cell, means.LIFT_TARGET, move.side): None
        for move, does in begun
        for cell, _, after in does
        if after != Kind.EMPTY and changes.get(cell) != after
    }
    return tuple(marks)


def _explain(game: Game, position: Position, changes: Mapping[int, int]) -> Refusal:
    """The rule that the changes break: taken together, or else the first that breaks one."""
    meant = game.looks_like(position, changes)
    if meant is not None:
        refusal = game.why_not(position, meant.side, meant)
        if refusal is not None:
            return refusal
    cells = tuple(changes)
    if len(cells) == 1:
        return Refusal(NOT_A_MOVE, cells)
    alone_legal = 0
    for cell in cells:
        meant = game.looks_like(position, {cell: changes[cell]})
        if meant is None:
            continue
        refusal = game.why_not(position, meant.side, meant)
        if refusal is not None:
            return refusal
        alone_legal += 1
    return Refusal(ONE_AT_A_TIME if alone_legal == len(cells) else NOT_A_MOVE, cells)
