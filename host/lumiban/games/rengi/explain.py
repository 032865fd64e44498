"""What Rengi tells: what its cells mean, what a hand does, what may be told beside the rules.

Cells are the fields in light, what comes, and where a pair lands. A hand fires chains, answers
ojama and builds the field towards something. What a player may be told beside the rules has a
switch each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lumiban.games import marks as means
from lumiban.games.base import Mark, Move, Position, Refusal
from lumiban.games.explain import MoveEffect as MoveEffect
from lumiban.games.explain import move_effect
from lumiban.games.kernel import groups_of
from lumiban.games.light_game import Gesture, Scene
from lumiban.games.rengi.base import RengiRules
from lumiban.games.rengi.clock import PRESETS
from lumiban.games.rengi.duel import (
    HAND_AXIS,
    HAND_CHILD,
    PALETTE,
    Role,
    centre,
    falling,
    field_at,
    order,
)
from lumiban.games.rengi.field import (
    COLUMNS,
    FIELD_SIZE,
    LETTERS,
    OUT_SIZE,
    colour_at,
    drop,
    height,
    is_dead,
    ojama,
    step,
)
from lumiban.games.rengi.markers import NOWHERE, hand, open_cells, pair_of, rotation_of
from lumiban.games.rengi.notation import child_column, hand_of, pair_text
from lumiban.games.rengi.rules import (
    BIN,
    CHAIN_RATE,
    FIELDS,
    FIRES,
    GHOST_C,
    PASS,
    POINTS,
    SENT,
    SIDE_SIZE,
    SIDES,
    STAY14,
    STEP,
    STEPS,
    UNIT,
    WORTHS,
)

Rows = Sequence[Sequence[int]]
"""A field from below, 14 rows of 6 colours."""

BLOCKS = (means.BLOCK_R, means.BLOCK_B, means.BLOCK_Y, means.BLOCK_G, means.OJAMA)
GHOSTS = (means.GHOST_R, means.GHOST_B, means.GHOST_Y, means.GHOST_G, means.GHOST_OJAMA)
LANDINGS = (means.LANDING_R, means.LANDING_B, means.LANDING_Y, means.LANDING_G)
GHOST_ROW = 13
RIM = 14


def marks(game: RengiRules, position: Position, level: str) -> tuple[Mark, ...]:
    """The fields at every level; from `legal` on also the cell above each column that the mover's
    axis can reach."""
    return (*scene(game, position), *(_reached(game, position) if level != "none" else ()))


def _reached(game: RengiRules, position: Position) -> Iterator[Mark]:
    for side in game.movers(position):
        field = game.field(position, side)
        columns = {
            hand_of(move.code)[1] for move in game.moves(position, side) if move.code != PASS
        }
        for column in sorted(columns):
            row = _height(field, column) + 1
            if row < GHOST_ROW:
                yield Mark(game.cell(side, column, row), means.MAY_PLACE, side)


def _height(field: Rows, column: int) -> int:
    return sum(1 for line in field[:GHOST_ROW] if line[column])


def scene(game: RengiRules, position: Position) -> Scene:
    """Both fields, what is going to fall into them, and the figures between them."""
    fields = [game.field(position, side) for side in (0, 1)]
    return (
        *(mark for side in (0, 1) for mark in _blocks(game, side, fields[side])),
        *_coming(game, position),
        *figures(game, position),
    )


def _blocks(game: RengiRules, side: int, field: Rows) -> Iterator[Mark]:
    for row, line in enumerate(field, 1):
        for column, colour in enumerate(line):
            if colour:
                looks = BLOCKS if row < GHOST_ROW else GHOSTS
                yield Mark(game.cell(side, column, row), looks[colour - 1])


def coming_columns(game: RengiRules, position: Position, side: int) -> tuple[int, ...]:
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


def _coming(game: RengiRules, position: Position) -> Iterator[Mark]:
    if game.outcome(position) is not None:
        return
    for side in (0, 1):
        field = game.field(position, side)
        for column in coming_columns(game, position, side):
            if not field[RIM - 1][column]:
                yield Mark(game.cell(side, column, RIM), means.COMING)


def figures(game: RengiRules, position: Position) -> Scene:
    """Pairs to come, the forecast against the mover and, with that assist, hands left."""
    return tuple(_figures(game, position))


def _figures(game: RengiRules, position: Position) -> Iterator[Mark]:
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
    return means.MANY if count >= many else means.SOME if count >= some else means.FEW


def scenes(game: RengiRules, before: Position, move: Move) -> tuple[Scene, ...]:
    """A chain step by step: each with its blocks still there and those marked that go."""
    if move.code < 0 or move.code == PASS:
        return ()
    other = tuple(_blocks(game, 1 - move.side, game.field(before, 1 - move.side)))
    found = []
    for done in game.chain(before, move).steps:
        lines = done.before.split("/")[::-1]
        field = [[LETTERS.index(letter) for letter in line] for line in lines]
        gone = (*(cell for group in done.groups for cell in group.cells), *done.ojama_cells)
        erased = (Mark(game.cell(move.side, c - 1, row), means.ERASED) for c, row in gone)
        found.append((*other, *_blocks(game, move.side, field), *erased))
    return tuple(found)


def gesture_marks(game: RengiRules, position: Position, gesture: Gesture, undo: bool) -> Scene:
    """Stones that say something, where they would land, what may be touched; dead stones."""
    pair = pair_of(gesture)
    found = [Mark(cell, means.ASTRAY) for cell in sorted(gesture.dead)]
    movers = game.movers(position)
    if not movers:
        return tuple(found)
    lying = (
        (pair.axis, pair.axis_up),
        (pair.child, pair.child_up),
        (pair.touched, 0),
    )
    found += [
        Mark(cell, means.PENDING, movers[0]) for cell, up in lying if cell != NOWHERE and not up
    ]
    for cell, role in open_cells(game, position, undo).items():
        look = BLOCKS[role] if role in PALETTE else means.TOUCH
        found.append(Mark(cell, means.PENDING if pair.armed == role + 1 else look))
    said = hand(game, position, pair)
    if isinstance(said, Refusal):
        return (*found, *(Mark(cell, means.PROOF) for cell in said.cells))
    return (*found, *_landing(game, position, gesture))


def _landing(game: RengiRules, position: Position, gesture: Gesture) -> Iterator[Mark]:
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


def to_come(game: RengiRules, position: Position, side: int) -> int:
    """The ojama that the rest of a side's running chain is going to make, before any offset."""
    state, own = position.state, SIDES + side * SIDE_SIZE
    if state[own + BIN] == 0:
        return 0
    left = state[own + WORTHS + state[own + STEP] : own + WORTHS + state[own + STEPS]]
    return ojama(state[own + POINTS] + sum(left), state[own + CHAIN_RATE], state[own + SENT])


def page_fields(game: RengiRules, position: Position) -> dict[str, Any]:
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


COLOURS = range(1, 5)
ADDED = 2
"""Blocks of one colour dropped into a column to see what it would fire."""
LOW = 9
"""From this row on in column 3 a field is in danger."""


def says(game: RengiRules, position: Position, move: Move) -> tuple[MoveEffect, ...]:
    """The words for a hand or a pass; cells are those of the mover's field."""
    side = move.side
    if move.code == PASS:
        return (move_effect("rengi.waits"),)
    after = game.play(position, move)
    if game.outcome(after) is not None:
        return ()
    events = game.story(position, move)
    chain = game.chain(position, move)
    found = []
    if chain.steps:
        gone = [cell for group in chain.steps[0].groups for cell in group.cells]
        cells = sorted(game.cell(side, column - 1, row) for column, row in gone)
        found.append(
            move_effect(
                "rengi.fires", cells, n=len(chain.steps), points=chain.points, ojama=chain.ojama
            )
        )
    waiting = sum(game.forecast(position, side))
    if waiting and chain.ojama:
        found.append(move_effect("rengi.answers", n=min(waiting, chain.ojama), waiting=waiting))
    fell = sum(event.ojama for event in events if event.kind == "fell" and event.side == side)
    if fell:
        found.append(move_effect("rengi.takes", n=fell))
    built = _built(game, position, after, move)
    return (
        *found,
        *(built or ([] if found else _together(game, after, landing(game, position, move)))),
    )


def _together(game: RengiRules, after: Position, cells: Sequence[int]) -> list[MoveEffect]:
    """The largest group of a colour that the blocks on these cells belong to, of two at least."""
    side = 0 if cells and game.grid.cells[cells[0]][0] < COLUMNS else 1
    field = game.field(after, side)
    colours = [0] * len(game.grid)
    for row in range(12):
        for column in range(COLUMNS):
            colour = field[row][column]
            colours[game.cell(side, column, row + 1)] = colour if colour in COLOURS else 0
    groups = groups_of(game.grid.neighbours, colours)
    joined = [group for group in groups if len(group) > 1 and set(group) & set(cells)]
    if not joined:
        return []
    best = max(joined, key=len)
    return [move_effect("rengi.together", best, n=len(best), colour=LETTERS[colours[best[0]]])]


def landing(game: RengiRules, position: Position, move: Move) -> tuple[int, ...]:
    """The cells of the grid where the blocks of a hand come to rest, before anything is erased."""
    if move.code < 0 or move.code == PASS:
        return ()
    (axis, child), column, rotation = hand_of(move.code)
    state = game.known(position)
    at = FIELDS + move.side * FIELD_SIZE
    field = state.board[at : at + FIELD_SIZE]
    falls = [(column, axis), (child_column(column, rotation), child)]
    if rotation == 2:
        falls.reverse()
    rows = [(to, drop(field, 0, to, colour, state.plan[STAY14])) for to, colour in falls]
    return tuple(game.cell(move.side, to, row) for to, row in rows if row)


def _built(game: RengiRules, before: Position, after: Position, move: Move) -> list[MoveEffect]:
    """The longest chain that two blocks more of a colour would fire, where it has become longer;
    and a column 3 that is high."""
    side = move.side
    was, now = (_best_fire(game, at, side) for at in (before, after))
    found = []
    if now[0] > max(1, was[0]):
        steps, column, colour, row = now
        where = [game.cell(side, column, row)] if row <= 12 else []
        found.append(
            move_effect("rengi.builds", where, n=steps, colour=LETTERS[colour], column=column + 1)
        )
    elif now[0] < was[0] and not game.chain(before, move).steps:
        found.append(move_effect("rengi.breaks", n=was[0], left=now[0]))
    at = FIELDS + side * FIELD_SIZE
    if height(after.state, at, 2) >= LOW > height(before.state, at, 2):
        found.append(
            move_effect("rengi.high", [game.cell(side, 2, 12)], row=height(after.state, at, 2))
        )
    return found


def _best_fire(game: RengiRules, position: Position, side: int) -> tuple[int, int, int, int]:
    """(steps, column from 0, colour, row of the first block) of the longest chain that blocks of
    one colour in one column would fire; steps 0 for none."""
    plan = game.known(position).plan
    at = FIELDS + side * FIELD_SIZE
    base = list(position.state[at : at + FIELD_SIZE])
    best = (0, 0, 0, 0)
    for column in range(COLUMNS):
        row = height(base, 0, column) + 1
        if row > 12:
            continue
        for colour in COLOURS:
            if not _beside(base, column, row, colour):
                continue
            field = list(base)
            for _ in range(ADDED):
                drop(field, 0, column, colour, plan[STAY14])
            if is_dead(field, 0):
                continue
            out, steps = [0] * OUT_SIZE, 0
            while step(field, 0, plan[GHOST_C], out):
                steps += 1
            if steps > best[0]:
                best = (steps, column, colour, row)
    return best


def _beside(field: list[int], column: int, row: int, colour: int) -> bool:
    """Whether a block of this colour touches a cell or the one above it."""
    beside = [(column + way, at) for way in (-1, 1) for at in (row, row + 1)]
    return any(
        0 <= c < COLUMNS and 1 <= r <= 12 and colour_at(field, 0, c, r) == colour
        for c, r in (*beside, (column, row - 1))
    )


@dataclass(frozen=True, slots=True)
class Assists:
    """What the switches let a player know; None for what is switched off or not the case."""

    calculator: bool
    hands_left: int | None
    """Hands before the opponent's chain is over."""
    coming: int | None
    """Ojama that the opponent's running chain will still make."""


def assists(game: RengiRules, position: Position, side: int) -> Assists:
    """The assists of `side` in this position, as the game's options allow."""
    hands = game.hands_left(position, side) if game.on("show_hands_left") else None
    more = ojama_coming(position, side) if game.on("show_chain_forecast") else None
    return Assists(game.on("calculator"), hands, more)


def ojama_coming(position: Position, side: int) -> int:
    """The ojama that the chain of `side`'s opponent will still make, before any offset."""
    numbers = position.state
    own = SIDES + (1 - side) * SIDE_SIZE
    if numbers[own + FIRES] >= 0:
        return 0
    left = range(numbers[own + STEP], numbers[own + STEPS])
    if not left:
        return 0
    points = numbers[own + POINTS] + sum(numbers[own + WORTHS + k] for k in left)
    return points // numbers[own + CHAIN_RATE] - numbers[own + SENT]
