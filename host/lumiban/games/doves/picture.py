"""What a picture of the board means in Tokyo Doves: which action, or what is in the air.

Sensors tell colours only. A move is a dove of one colour gone here and come there; a put is one
more dove, named by its cell of the tray or else to be asked for; a removal is a lift that a
button confirms, or that ends on the dove's own cell of the tray. While anything is in the air
nothing is judged: the cells lit are those of the dove lifted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lumiban.games.api import (
    Ambiguous,
    Complete,
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
from lumiban.games.doves.notation import LETTERS, PUT, REMOVE, action
from lumiban.games.reading import NOT_A_MOVE, UNREADABLE, differences

if TYPE_CHECKING:
    from lumiban.games.doves.on_board import DovesOnBoard

TARGET, RESTORE = "lift-target", "mend"
MOST_IN_AIR = 3
"""More doves off their cells at once were swept off, not brushed."""

Changes = Mapping[int, int]


def read(game: DovesOnBoard, position: Position, sensed: Sequence[int]) -> Reading:
    """What `sensed` (a kind for each of the board's cells) means in `position`."""
    changes = differences(game, position, sensed)
    if not changes:
        return Idle()
    strange = tuple(cell for cell, kind in changes.items() if kind in UNREADABLE)
    if strange:
        return Wrong(Refusal(UNREADABLE[Kind(changes[strange[0]])], strange))
    actions = [
        move
        for side in game.movers(position)
        for move in game.moves(position, side)
        if game.reaches(position, move)
    ]
    found = _actions_of(game, position, changes, actions)
    if found:
        return _done(game, position, changes, found)
    lifted = [cell for cell, kind in changes.items() if kind == Kind.EMPTY]
    if len(lifted) == len(changes):
        return _in_air(game, position, lifted, actions)
    brushed = _beside_an_action(game, position, changes, lifted, actions)
    if brushed:
        return Partial(tuple(Mark(cell, RESTORE) for cell in brushed))
    return _wrong(game, position, changes, lifted)


def _actions_of(
    game: DovesOnBoard, position: Position, changes: Changes, actions: Sequence[Move]
) -> list[Move]:
    """The actions after which the board looks like this."""
    return [
        move
        for move in actions
        if {cell: after for cell, _, after in game.effects(position, move)} == changes
    ]


def _done(
    game: DovesOnBoard, position: Position, changes: Changes, found: Sequence[Move]
) -> Reading:
    move = found[0]
    act = action(move.code)[0]
    if act == PUT and not game.tray and len(game.in_hand(position)[move.side]) > 1:
        return Ambiguous(tuple(found))
    if act == REMOVE and not game.tray:
        cell = next(iter(changes))
        return Complete(move, confirm=True, marks=game.targets(position, cell))
    return Complete(move, confirm=_loses(game, position, move))


def _loses(game: DovesOnBoard, position: Position, move: Move) -> bool:
    """Whether whoever does this loses by it at once: allowed, but asked about."""
    outcome = game.outcome(game.play(position, move))
    return outcome is not None and outcome.winner == 1 - move.side


def _in_air(
    game: DovesOnBoard, position: Position, lifted: Sequence[int], actions: Sequence[Move]
) -> Reading:
    """Doves are off their cells and none has come down elsewhere."""
    doves = game.at(position)
    movers = game.movers(position)
    own = [cell for cell in lifted if doves[cell] % 2 in movers]
    if len(lifted) > MOST_IN_AIR or not own:
        return _wrong(game, position, dict.fromkeys(lifted, Kind.EMPTY), lifted)
    back = tuple(Mark(cell, RESTORE) for cell in lifted if len(own) > 1 or cell not in own)
    if len(own) > 1:
        return Partial(back)
    cell = own[0]
    where = _goals(game, position, cell, actions)
    if not where and cell in game.slots.values():
        return Partial((Mark(cell, RESTORE), *back))
    if not where and not back:
        return _wrong(game, position, {cell: Kind.EMPTY}, lifted)
    return Partial((*where, *back))


def _goals(
    game: DovesOnBoard, position: Position, cell: int, actions: Sequence[Move]
) -> tuple[Mark, ...]:
    """Where the dove lifted from this cell of field or tray may go."""
    marks = dict.fromkeys(game.targets(position, cell))
    for move in actions:
        does = game.effects(position, move)
        if any(c == cell and after == Kind.EMPTY for c, _, after in does):
            for c, _, after in does:
                if after != Kind.EMPTY:
                    marks[Mark(c, TARGET, move.side)] = None
    return tuple(marks)


def _beside_an_action(
    game: DovesOnBoard,
    position: Position,
    changes: Changes,
    lifted: Sequence[int],
    actions: Sequence[Move],
) -> tuple[int, ...]:
    """Doves brushed off beside an action that is done otherwise; () when there is none such."""
    if len(lifted) > MOST_IN_AIR:
        return ()
    for move in actions:
        does = {cell: after for cell, _, after in game.effects(position, move)}
        if Kind.EMPTY not in does.values() and len(game.in_hand(position)[move.side]) > 1:
            continue  # a dove more while others are up: nobody knows yet whose place it takes
        if all(changes.get(cell) == after for cell, after in does.items()):
            rest = tuple(cell for cell in changes if cell not in does)
            if rest and all(changes[cell] == Kind.EMPTY for cell in rest):
                return rest
    return ()


def _wrong(
    game: DovesOnBoard, position: Position, changes: Changes, lifted: Sequence[int]
) -> Reading:
    """The rule that the changes break; `whole` when they are one action's."""
    come = [cell for cell in changes if cell not in lifted]
    if len(come) > 1 or len(lifted) > 1:
        return Wrong(Refusal(NOT_A_MOVE, tuple(changes)))
    refusal = _unlike_any(game, position, changes, lifted, come)
    if refusal is None:
        on_field = _on_field(game, changes)
        meant = game.looks_like(position, on_field) if on_field else None
        if meant is not None:
            refusal = game.why_not(position, meant.side, meant)
        elif come and game.pieces(position)[come[0]] == Kind.EMPTY:
            refusal = Refusal("doves.out-of-board", tuple(come))
    if refusal is None:
        return Wrong(Refusal(NOT_A_MOVE, tuple(changes)))
    return Wrong(refusal, whole=True)


def _on_field(game: DovesOnBoard, changes: Changes) -> Changes:
    """The changes without the tray's cells."""
    slots = set(game.slots.values())
    return {cell: kind for cell, kind in changes.items() if cell not in slots}


def _unlike_any(
    game: DovesOnBoard,
    position: Position,
    changes: Changes,
    lifted: Sequence[int],
    come: Sequence[int],
) -> Refusal | None:
    """What only the tray and the empty hand forbid: they are no matter of the inner game."""
    doves = game.at(position)
    owner = {cell: dove for dove, cell in game.slots.items()}
    gone = doves[lifted[0]] if lifted else None
    kind = changes[come[0]] if come else None
    side = None if kind is None else 0 if kind == Kind.WHITE else 1
    if come and come[0] in owner and gone is not None:
        if owner[come[0]] != gone:
            slot = game.slots.get(gone)
            cells = () if slot is None else (slot,)
            return Refusal("doves.wrong-slot", cells, (("dove", LETTERS[gone]),))
        return _removal(game, position, gone)
    if gone is None and side is not None:
        if not game.in_hand(position)[side]:
            return Refusal("doves.hand-empty", tuple(come))
        if game.tray:
            slots = tuple(game.slots[dove] for dove in game.slots if dove % 2 == side)
            full = tuple(cell for cell in slots if cell in doves)
            return Refusal("doves.from-tray", full)
    if gone is not None and lifted[0] in owner and come:
        return _put(game, position, gone, come[0])
    if gone is not None and gone % 2 not in game.movers(position):
        return Refusal("doves.not-your-turn", tuple(lifted))
    return None


def _put(game: DovesOnBoard, position: Position, dove: int, cell: int) -> Refusal | None:
    """Why a dove taken from the tray may not be put here."""
    return _why_not(game, position, dove, PUT, game.in_frame(position, cell), cell)


def _removal(game: DovesOnBoard, position: Position, dove: int) -> Refusal | None:
    """Why a dove may not go back to its cell of the tray."""
    return _why_not(game, position, dove, REMOVE, 0, game.slots[dove])


def _why_not(
    game: DovesOnBoard, position: Position, dove: int, act: str, cell: int, shown: int
) -> Refusal | None:
    if cell < 0:
        return Refusal("doves.out-of-board", (shown,))
    kind, side = divmod(dove, 2)
    meant = game.inner.noted(act, kind, side, cell, game.unlaid(position))
    return game.why_not(position, side, meant)
