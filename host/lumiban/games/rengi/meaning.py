"""What cells mean in Rengi: the fields in light, what comes, and where a pair lands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lumiban.games.api import Mark, Move, Position, Refusal
from lumiban.games.lit import Gesture, Scene
from lumiban.games.rengi.clocks import PRESETS
from lumiban.games.rengi.field import COLUMNS
from lumiban.games.rengi.field_text import LETTERS
from lumiban.games.rengi.markers import NOWHERE, hand, open_cells, pair_of, rotation_of
from lumiban.games.rengi.notation import child_column, hand_of, pair_text
from lumiban.games.rengi.ojama import falling, order
from lumiban.games.rengi.plan import (
    BIN,
    CHAIN_RATE,
    PASS,
    POINTS,
    SENT,
    SIDE_SIZE,
    SIDES,
    STEP,
    STEPS,
    UNIT,
    WORTHS,
)
from lumiban.games.rengi.roles import (
    HAND_AXIS,
    HAND_CHILD,
    PALETTE,
    Role,
    centre,
    field_at,
)
from lumiban.games.rengi.score import ojama

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi

Rows = Sequence[Sequence[int]]
"""A field from below, 14 rows of 6 colours."""

BLOCKS = ("block-r", "block-b", "block-y", "block-g", "ojama")
GHOSTS = ("ghost-r", "ghost-b", "ghost-y", "ghost-g", "ghost-ojama")
LANDINGS = ("landing-r", "landing-b", "landing-y", "landing-g")
GHOST_ROW = 13
RIM = 14


def marks(game: Rengi, position: Position, level: str) -> tuple[Mark, ...]:
    """The fields at every level; from `legal` on also the cell above each column that the mover's
    axis can reach."""
    return (*scene(game, position), *(_reached(game, position) if level != "none" else ()))


def _reached(game: Rengi, position: Position) -> Iterator[Mark]:
    for side in game.movers(position):
        field = game.field(position, side)
        columns = {
            hand_of(move.code)[1] for move in game.moves(position, side) if move.code != PASS
        }
        for column in sorted(columns):
            row = _height(field, column) + 1
            if row < GHOST_ROW:
                yield Mark(game.cell(side, column, row), "may-place", side)


def _height(field: Rows, column: int) -> int:
    return sum(1 for line in field[:GHOST_ROW] if line[column])


def scene(game: Rengi, position: Position) -> Scene:
    """Both fields, what is going to fall into them, and the figures between them."""
    fields = [game.field(position, side) for side in (0, 1)]
    return (
        *(mark for side in (0, 1) for mark in _blocks(game, side, fields[side])),
        *_coming(game, position),
        *figures(game, position),
    )


def _blocks(game: Rengi, side: int, field: Rows) -> Iterator[Mark]:
    for row, line in enumerate(field, 1):
        for column, colour in enumerate(line):
            if colour:
                looks = BLOCKS if row < GHOST_ROW else GHOSTS
                yield Mark(game.cell(side, column, row), looks[colour - 1])


def coming(game: Rengi, position: Position, side: int) -> tuple[int, ...]:
    """The columns, from 0, into which the ojama waiting for a side are going to fall next, as far
    as that is settled: the rest below a full row may fall at random."""
    waiting = sum(game.forecast(position, side))
    plan = game.known(position).plan
    count = falling(plan, waiting, 0)
    if count >= COLUMNS:
        return tuple(range(COLUMNS))
    if game.options["ojama_order"] == "random":
        return ()
    return tuple(sorted(order(plan[UNIT], place) for place in range(count)))


def _coming(game: Rengi, position: Position) -> Iterator[Mark]:
    if game.outcome(position) is not None:
        return
    for side in (0, 1):
        field = game.field(position, side)
        for column in coming(game, position, side):
            if not field[RIM - 1][column]:
                yield Mark(game.cell(side, column, RIM), "coming")


def figures(game: Rengi, position: Position) -> Scene:
    """Pairs to come, the forecast against the mover and, with that assist, hands left."""
    return tuple(_figures(game, position))


def _figures(game: Rengi, position: Position) -> Iterator[Mark]:
    for side in game.movers(position):
        pairs = game.next_pairs(position, side)
        shown = ((HAND_AXIS, HAND_CHILD), (Role.NEXT_AXIS, Role.NEXT_CHILD))
        for pair, places in zip(pairs, (*shown, (Role.AFTER_AXIS, Role.AFTER_CHILD)), strict=False):
            for colour, role in zip(pair, places, strict=True):
                yield Mark(centre(game, role), BLOCKS[colour - 1])
        for count, role in zip(
            game.forecast(position, side), (Role.FORECAST_A, Role.FORECAST_B), strict=True
        ):
            if count:
                yield Mark(centre(game, role), sized(count, 6, 30))
        left = game.hands_left(position, side) if game.on("show_hands_left") else None
        if left is not None:
            yield Mark(centre(game, Role.HANDS_LEFT), sized(left, 3, 6))


def sized(count: int, some: int, many: int) -> str:
    """The meaning of a cell that stands for a number."""
    return "many" if count >= many else "some" if count >= some else "few"


def scenes(game: Rengi, before: Position, move: Move) -> tuple[Scene, ...]:
    """A chain step by step: each with its blocks still there and those marked that go."""
    if move.code < 0 or move.code == PASS:
        return ()
    other = tuple(_blocks(game, 1 - move.side, game.field(before, 1 - move.side)))
    found = []
    for step in game.chain(before, move).steps:
        lines = step.before.split("/")[::-1]
        field = [[LETTERS.index(letter) for letter in line] for line in lines]
        gone = (*(cell for group in step.groups for cell in group.cells), *step.ojama_cells)
        erased = (Mark(game.cell(move.side, c - 1, row), "erased") for c, row in gone)
        found.append((*other, *_blocks(game, move.side, field), *erased))
    return tuple(found)


def gesture_marks(game: Rengi, position: Position, gesture: Gesture, undo: bool) -> Scene:
    """Stones that say something, where they would land, what may be touched; dead stones."""
    pair = pair_of(gesture)
    found = [Mark(cell, "astray") for cell in sorted(gesture.dead)]
    movers = game.movers(position)
    if not movers:
        return tuple(found)
    lying = (
        (pair.axis, pair.axis_up),
        (pair.child, pair.child_up),
        (pair.touched, 0),
    )
    found += [Mark(cell, "pending", movers[0]) for cell, up in lying if cell != NOWHERE and not up]
    for cell, role in open_cells(game, position, undo).items():
        look = BLOCKS[role] if role in PALETTE else "touch"
        found.append(Mark(cell, "pending" if pair.armed == role + 1 else look))
    said = hand(game, position, pair)
    if isinstance(said, Refusal):
        return (*found, *(Mark(cell, "proof") for cell in said.cells))
    return (*found, *_landing(game, position, gesture))


def _landing(game: Rengi, position: Position, gesture: Gesture) -> Iterator[Mark]:
    pair = pair_of(gesture)
    if pair.axis == NOWHERE or (pair.axis_up and not pair.whole):
        return
    side = game.movers(position)[0]
    field = game.field(position, side)
    colours = (pair.axis_colour, pair.child_colour)
    if game.options["supply"] != "free":
        colours = game.next_pairs(position, side)[0]
    placed = rotation_of(game, pair) if pair.whole else None
    if placed is None:
        place = field_at(game, pair.axis)
        assert place is not None
        places = [(place[1], colours[0])]
    else:
        column, rotation = placed
        places = [(column, colours[0]), (child_column(column, rotation), colours[1])]
        if rotation == 2:
            places.reverse()
    high = [_height(field, column) for column in range(COLUMNS)]
    for column, colour in places:
        high[column] += 1
        if high[column] <= RIM and colour:
            yield Mark(game.cell(side, column, high[column]), LANDINGS[colour - 1])


def to_come(game: Rengi, position: Position, side: int) -> int:
    """The ojama that the rest of a side's running chain is going to make, before any offset."""
    state, own = position.state, SIDES + side * SIDE_SIZE
    if state[own + BIN] == 0:
        return 0
    left = state[own + WORTHS + state[own + STEP] : own + WORTHS + state[own + STEPS]]
    return ojama(state[own + POINTS] + sum(left), state[own + CHAIN_RATE], state[own + SENT])


def told(game: Rengi, position: Position) -> dict[str, Any]:
    """What a page shows beside the fields."""
    sides = (0, 1)
    by_frames = game.options["turn"] == "frame"
    assists = {
        "calculator": game.on("calculator"),
        "hands_left": game.on("show_hands_left"),
        "chain_forecast": game.on("show_chain_forecast"),
    }
    left = [game.hands_left(position, side) for side in sides]
    return {
        "mode": game.options["mode"],
        "free": game.options["supply"] == "free",
        "unit": "frames" if by_frames else "ticks",
        "rate": int(game.options["rate"]),
        "fields": [
            ["".join(LETTERS[colour] for colour in line) for line in game.field(position, side)]
            for side in sides
        ],
        "forecast": [list(game.forecast(position, side)) for side in sides],
        "pairs": [
            [pair_text(pair) for pair in game.next_pairs(position, side)[:3]] for side in sides
        ],
        "clock": [game.clock(position, side) for side in sides],
        "points": [game.points(position, side) for side in sides],
        "hands_left": left if assists["hands_left"] else [None, None],
        "to_come": [to_come(game, position, side) for side in sides]
        if assists["chain_forecast"]
        else [None, None],
        "assists": assists,
        "time": game.options["clock"] if game.options["clock"] in PRESETS else "none",
    }
