"""Hands of Rengi said with two marker stones, followed event by event.

The first stone in a column of the mover's own field is the axis, the second in the same or a
neighbouring column the child, above or below for an upright pair. Lifting both makes the hand; one
that is lifted and set elsewhere corrects it. Nothing here knows what the rules allow but by asking
`why_not`, and a stone that says nothing is dead until it is lifted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumiban.games.base import Kind, Move, Position, Refusal
from lumiban.games.light_game import Gesture, GestureResult
from lumiban.games.rengi.base import RengiRules
from lumiban.games.rengi.duel import PALETTE, Role, field_at, role_at
from lumiban.games.rengi.notation import PASS_WORD, RESIGN, code_of, text_of

HOLD_US = 3_000_000
"""How long a marker must lie on the cell that resigns."""
NOWHERE = -1
UP, DOWN = 1, 0


@dataclass(frozen=True, slots=True)
class Pair:
    """The pair as the markers say it so far."""

    axis: int = NOWHERE
    """Cell of the grid, also while its stone is in the air."""
    axis_up: int = DOWN
    axis_colour: int = 0
    child: int = NOWHERE
    child_up: int = DOWN
    child_colour: int = 0
    armed: int = 0
    """The colour that the next stone brings, 0 for none chosen."""
    touched: int = NOWHERE
    """The cell between the fields on which a marker lies to say something."""
    since_us: int = 0

    @property
    def whole(self) -> bool:
        """Whether axis and child are told, in the air or not."""
        return NOWHERE not in (self.axis, self.child)


NOTHING = Pair()


def _read(gesture: Gesture) -> Pair:
    return Pair(*gesture.said) if gesture.said else NOTHING


def _with_pair(gesture: Gesture, pair: Pair) -> Gesture:
    if pair == NOTHING:
        return replace(gesture, said=())
    return replace(
        gesture,
        said=(
            pair.axis,
            pair.axis_up,
            pair.axis_colour,
            pair.child,
            pair.child_up,
            pair.child_colour,
            pair.armed,
            pair.touched,
            pair.since_us,
        ),
    )


def pair_of(gesture: Gesture) -> Pair:
    """What the markers have said so far."""
    return _read(gesture)


def hear(
    game: RengiRules,
    position: Position,
    gesture: Gesture,
    cell: int,
    kind: int,
    at_us: int,
    undo: bool,
) -> GestureResult:
    """A cell shows another kind; what comes of it."""
    kinds = (*gesture.kinds[:cell], kind, *gesture.kinds[cell + 1 :])
    before, gesture = gesture, replace(gesture, kinds=kinds)
    if kind == Kind.EMPTY:
        return _lifted(game, position, gesture, cell, undo)
    if before.kinds[cell] != Kind.EMPTY:
        gesture = _slipped(gesture, cell)
    return _set(game, position, gesture, cell, kind, at_us, undo)


def _lifted(
    game: RengiRules, position: Position, gesture: Gesture, cell: int, undo: bool
) -> GestureResult:
    if cell in gesture.dead:
        return GestureResult(replace(gesture, dead=gesture.dead - {cell}))
    pair = _read(gesture)
    if cell == pair.touched:
        role, pair = role_at(game, cell), replace(pair, touched=NOWHERE)
        gesture = _with_pair(gesture, pair)
        if role == Role.UNDO and undo:
            return GestureResult(gesture, undo=True)
        if role == Role.PASS and PASS_WORD in game.words(position, _mover(game, position)):
            return GestureResult(gesture, move=_word(game, position, PASS_WORD))
        return GestureResult(gesture)
    if cell == pair.axis:
        pair = replace(pair, axis_up=UP)
    elif cell == pair.child:
        pair = replace(pair, child_up=UP)
    else:
        return GestureResult(gesture)
    if not pair.whole:
        # The only stone so far is up again: its colour stays chosen.
        return GestureResult(
            _with_pair(gesture, replace(NOTHING, armed=pair.axis_colour, touched=pair.touched))
        )
    if not (pair.axis_up and pair.child_up):
        return GestureResult(_with_pair(gesture, pair))
    said = hand(game, position, pair)
    gesture = _with_pair(gesture, replace(NOTHING, touched=pair.touched))
    return GestureResult(gesture, move=said) if isinstance(said, Move) else GestureResult(gesture)


def _slipped(gesture: Gesture, cell: int) -> Gesture:
    """The stone there reads as another kind without a lift: that says nothing, whatever it was."""
    pair = _read(gesture)
    gesture = replace(gesture, dead=gesture.dead - {cell})
    if cell == pair.touched:
        pair = replace(pair, touched=NOWHERE)
    elif cell == pair.axis and not pair.axis_up:
        pair = replace(pair, axis_up=UP)
    elif cell == pair.child and not pair.child_up:
        pair = replace(pair, child_up=UP)
    if pair.axis_up and (pair.child_up or pair.child == NOWHERE):
        pair = replace(NOTHING, armed=pair.axis_colour, touched=pair.touched)
    return _with_pair(gesture, pair)


def _set(
    game: RengiRules,
    position: Position,
    gesture: Gesture,
    cell: int,
    kind: int,
    at_us: int,
    undo: bool,
) -> GestureResult:
    side = _mover(game, position)
    if kind != side + 1:
        rule = "rengi.marker-strange" if kind > Kind.BLACK else "rengi.marker-other"
        return _dead(gesture, cell, rule)
    pair = _read(gesture)
    role = role_at(game, cell)
    if role is not None:
        return _touch(game, position, gesture, pair, cell, role, at_us, undo)
    place = field_at(game, cell)
    assert place is not None
    if place[0] != side:
        return _dead(gesture, cell, "rengi.marker-field")
    return _in_field(game, gesture, pair, cell)


def _touch(
    game: RengiRules,
    position: Position,
    gesture: Gesture,
    pair: Pair,
    cell: int,
    role: Role,
    at_us: int,
    undo: bool,
) -> GestureResult:
    if pair.touched != NOWHERE or cell not in open_cells(game, position, undo):
        return _dead(gesture, cell, "rengi.marker-idle")
    if role in PALETTE:
        pair = replace(pair, armed=int(role) + 1)
    return GestureResult(_with_pair(gesture, replace(pair, touched=cell, since_us=at_us)))


def _in_field(game: RengiRules, gesture: Gesture, pair: Pair, cell: int) -> GestureResult:
    if pair.whole and not (pair.axis_up or pair.child_up):
        return _dead(gesture, cell, "rengi.marker-third")
    moves_axis = pair.axis == NOWHERE or bool(pair.axis_up)
    other = pair.child if moves_axis else pair.axis
    if other != NOWHERE and abs(game.grid.cells[other][0] - game.grid.cells[cell][0]) > 1:
        return _dead(gesture, cell, "rengi.marker-apart")
    old = pair.axis_colour if moves_axis else pair.child_colour
    colour = pair.armed or old
    if game.options["supply"] == "free" and not colour:
        return _dead(gesture, cell, "rengi.marker-colour")
    if moves_axis:
        pair = replace(pair, axis=cell, axis_up=DOWN, axis_colour=colour, armed=0)
    else:
        pair = replace(pair, child=cell, child_up=DOWN, child_colour=colour, armed=0)
    return GestureResult(_with_pair(gesture, pair))


def _dead(gesture: Gesture, cell: int, rule: str) -> GestureResult:
    return GestureResult(
        replace(gesture, dead=gesture.dead | {cell}), refusal=Refusal(rule, (cell,))
    )


def hand(game: RengiRules, position: Position, pair: Pair) -> Move | Refusal | None:
    """The hand that a whole pair of markers says, or the rule that forbids it."""
    if not pair.whole:
        return None
    placed = rotation_of(game, pair)
    if placed is None:
        return None
    colours = (pair.axis_colour, pair.child_colour)
    if game.options["supply"] != "free":
        colours = game.next_pairs(position, _mover(game, position))[0]
    side = _mover(game, position)
    move = game.parse(position, text_of(code_of(colours, *placed)), side)
    return game.why_not(position, side, move) or move


def rotation_of(game: RengiRules, pair: Pair) -> tuple[int, int] | None:
    """(column from 0, rotation) of a whole pair of markers."""
    axis, child = field_at(game, pair.axis), field_at(game, pair.child)
    assert axis is not None
    assert child is not None
    if child[1] == axis[1]:
        return axis[1], 0 if child[2] > axis[2] else 2
    return axis[1], 1 if child[1] > axis[1] else 3


def open_cells(game: RengiRules, position: Position, undo: bool) -> dict[int, Role]:
    """The cells between the fields that the mover may touch now."""
    movers = game.movers(position)
    if not movers:
        return {}
    roles = [Role.RESIGN]
    if game.options["supply"] == "free":
        roles += PALETTE
    if undo:
        roles.append(Role.UNDO)
    if PASS_WORD in game.words(position, movers[0]):
        roles.append(Role.PASS)
    return {game.grid.at(6, role): role for role in roles}


def due_us(game: RengiRules, gesture: Gesture) -> int | None:
    """When a marker has lain on the resigning cell for long enough."""
    pair = _read(gesture)
    if pair.touched == NOWHERE or role_at(game, pair.touched) != Role.RESIGN:
        return None
    return pair.since_us + HOLD_US


def on_time(game: RengiRules, position: Position, gesture: Gesture) -> GestureResult:
    """The mover resigns; the marker that said so is dead."""
    pair = _read(gesture)
    gesture = _with_pair(gesture, NOTHING)
    gesture = replace(gesture, dead=gesture.dead | {pair.touched})
    return GestureResult(gesture, move=_word(game, position, RESIGN))


def _word(game: RengiRules, position: Position, word: str) -> Move:
    return game.parse(position, word, _mover(game, position))


def _mover(game: RengiRules, position: Position) -> int:
    return game.movers(position)[0]
