"""Rengi at a lit table: its rules, what they mean in light and words, markers that are heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lumiban.games import mark_kinds
from lumiban.games.base import Kind, Mark, Move, MoveEffect, Position, Refusal, move_effect
from lumiban.games.kernel import groups_of
from lumiban.games.light_game import Gesture, GestureResult, Scene
from lumiban.games.rengi.arrays import (
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
from lumiban.games.rengi.base import RengiRules
from lumiban.games.rengi.clock import PRESETS
from lumiban.games.rengi.duel import (
    BACK,
    HAND_AXIS,
    HAND_CHILD,
    ON,
    PALETTE,
    Role,
    centre,
    falling,
    field_at,
    order,
    role_at,
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
from lumiban.games.rengi.markers import (
    DOWN,
    HOLD_US,
    NOTHING,
    NOWHERE,
    UP,
    Pair,
    dead,
    pair_of,
    restarted,
    slipped,
    with_pair,
)
from lumiban.games.rengi.notation import (
    PASS_WORD,
    RESIGN,
    child_column,
    code_of,
    hand_of,
    pair_text,
    text_of,
)

Rows = Sequence[Sequence[int]]
"""A field from below, 14 rows of 6 colours."""
BLOCKS = (
    mark_kinds.BLOCK_R,
    mark_kinds.BLOCK_B,
    mark_kinds.BLOCK_Y,
    mark_kinds.BLOCK_G,
    mark_kinds.OJAMA,
)
GHOSTS = (
    mark_kinds.GHOST_R,
    mark_kinds.GHOST_B,
    mark_kinds.GHOST_Y,
    mark_kinds.GHOST_G,
    mark_kinds.GHOST_OJAMA,
)
LANDINGS = (mark_kinds.LANDING_R, mark_kinds.LANDING_B, mark_kinds.LANDING_Y, mark_kinds.LANDING_G)
GHOST_ROW = 13
RIM = 14
COLOURS = range(1, 5)
SHOWN = ((Role.NEXT_AXIS, Role.NEXT_CHILD), (Role.AFTER_AXIS, Role.AFTER_CHILD))
"""Cells between the fields that show the pairs to come."""
SCROLL = len(SHOWN)
"""Pairs of the loop by which one touch moves them on."""
ADDED = 2
"""Blocks of one colour dropped into a column to see what it would fire."""
LOW = 9
"""From this row on in column 3 a field is in danger."""


@dataclass(frozen=True, slots=True)
class Assists:
    """Facts that the assists show to a player; None for one that is switched off or does not
    apply."""

    calculator: bool
    hands_left: int | None
    """Hands before the opponent's chain is over."""
    coming: int | None
    """Ojama that the opponent's running chain will still make."""


class Rengi(RengiRules):
    """Rengi as it is played; see `RengiRules`."""

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """The fields in light, and where the mover's axis can come to rest."""
        return (*self.scene(position), *(self._reached(position) if level != "none" else ()))

    def aims(self, position: Position, move: Move) -> tuple[int, ...]:
        """Cells where the blocks of a hand come to rest, before anything is erased."""
        if move.code < 0 or move.code == PASS:
            return ()
        (axis, child), column, rotation = hand_of(move.code)
        state = self.known(position)
        at = FIELDS + move.side * FIELD_SIZE
        field = state.board[at : at + FIELD_SIZE]
        falls = [(column, axis), (child_column(column, rotation), child)]
        if rotation == 2:
            falls.reverse()
        rows = [(to, drop(field, 0, to, colour, state.plan[STAY14])) for to, colour in falls]
        return tuple(self.cell(move.side, to, row) for to, row in rows if row)

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Chains that a hand fires, answers and builds towards."""
        side = move.side
        if move.code == PASS:
            return (move_effect("rengi.waits"),)
        after = self.play(position, move)
        if self.outcome(after) is not None:
            return ()
        events = self.story(position, move)
        chain = self.chain(position, move)
        effects = []
        if chain.steps:
            gone = [cell for group in chain.steps[0].groups for cell in group.cells]
            cells = sorted(self.cell(side, column - 1, row) for column, row in gone)
            effects.append(
                move_effect(
                    "rengi.fires", cells, n=len(chain.steps), points=chain.points, ojama=chain.ojama
                )
            )
        waiting = sum(self.forecast(position, side))
        if waiting and chain.ojama:
            effects.append(
                move_effect("rengi.answers", n=min(waiting, chain.ojama), waiting=waiting)
            )
        fell = sum(event.ojama for event in events if event.kind == "fell" and event.side == side)
        if fell:
            effects.append(move_effect("rengi.takes", n=fell))
        built = self._built(position, after, move)
        return (
            *effects,
            *(built or ([] if effects else self._together(after, self.aims(position, move)))),
        )

    def hear(
        self, position: Position, gesture: Gesture, cell: int, kind: int, at_us: int, undo: bool
    ) -> GestureResult:
        """A marker was set or lifted."""
        kinds = (*gesture.kinds[:cell], kind, *gesture.kinds[cell + 1 :])
        before, gesture = gesture, replace(gesture, kinds=kinds)
        if kind == Kind.EMPTY:
            return self._lifted(position, gesture, cell, undo)
        if before.kinds[cell] != Kind.EMPTY:
            gesture = slipped(gesture, cell)
        return self._set(position, gesture, cell, kind, at_us, undo)

    def asking(self, gesture: Gesture) -> int | None:
        """The cell between the fields that a marker touches, but for the one that resigns."""
        touched = pair_of(gesture).touched
        return None if touched == NOWHERE or self.due_us(gesture) is not None else touched

    def due_us(self, gesture: Gesture) -> int | None:
        """Time in µs at which a marker has lain on the resigning cell for three seconds."""
        pair = pair_of(gesture)
        if pair.touched == NOWHERE or role_at(self, pair.touched) != Role.RESIGN:
            return None
        return pair.since_us + HOLD_US

    def on_time(self, position: Position, gesture: Gesture) -> GestureResult:
        """The mover has resigned by holding."""
        pair = pair_of(gesture)
        gesture = with_pair(gesture, NOTHING)
        gesture = replace(gesture, dead=gesture.dead | {pair.touched})
        return GestureResult(gesture, move=self._word(position, RESIGN))

    def meant(self, position: Position, gesture: Gesture) -> Move | Refusal | None:
        """The hand that lifting both markers would make, or why it makes none."""
        return self._hand(position, pair_of(gesture))

    def scene(self, position: Position) -> Scene:
        """Both fields, what is to fall, the figures between them."""
        fields = [self.field(position, side) for side in (0, 1)]
        return (
            *(mark for side in (0, 1) for mark in self._blocks(side, fields[side])),
            *self._coming(position),
            *self.figures(position),
        )

    def figures(self, position: Position) -> Scene:
        """The figures between the fields."""
        return tuple(self._figure_marks(position))

    def scenes(self, before: Position, move: Move) -> tuple[Scene, ...]:
        """The steps of the chain that a legal move fires."""
        if move.code < 0 or move.code == PASS:
            return ()
        other = tuple(self._blocks(1 - move.side, self.field(before, 1 - move.side)))
        scenes = []
        for done in self.chain(before, move).steps:
            lines = done.before.split("/")[::-1]
            field = [[LETTERS.index(letter) for letter in line] for line in lines]
            gone = (*(cell for group in done.groups for cell in group.cells), *done.ojama_cells)
            erased = (Mark(self.cell(move.side, c - 1, row), mark_kinds.ERASED) for c, row in gone)
            scenes.append((*other, *self._blocks(move.side, field), *erased))
        return tuple(scenes)

    def scrolled(self, scene: Scene, position: Position, gesture: Gesture) -> Scene:
        """The scene with the pairs to come as far along the loop as markers have scrolled them, and
        below, dim, the pair that the other player asks for while their marker lies there."""
        pair = pair_of(gesture)
        if pair.scrolled:
            pairs = self.pairs_ahead(position, self._mover(position))[1 + pair.scrolled :]
            scene = self._with_pairs(scene, SHOWN, pairs, BLOCKS)
        if pair.asker != NOWHERE:
            pairs = self.pairs_ahead(position, 1 - self._mover(position))[pair.asked - 1 :]
            scene = self._with_pairs(scene, SHOWN[1:], pairs, GHOSTS)
        return scene

    def _with_pairs(
        self,
        scene: Scene,
        places: Sequence[tuple[Role, Role]],
        pairs: Sequence[tuple[int, int]],
        looks: Sequence[str],
    ) -> Scene:
        cells = {centre(self, role) for roles in places for role in roles}
        return (
            *(mark for mark in scene if mark.cell not in cells),
            *self._pair_marks(pairs, places, looks),
        )

    def gesture_marks(self, position: Position, gesture: Gesture, undo: bool) -> Scene:
        """The landing preview, cells to touch, dead stones."""
        pair = pair_of(gesture)
        marks = [Mark(cell, mark_kinds.ASTRAY) for cell in sorted(gesture.dead)]
        movers = self.movers(position)
        if not movers:
            return tuple(marks)
        lying = (
            (pair.axis, pair.axis_up),
            (pair.child, pair.child_up),
            (pair.touched, 0),
        )
        marks += [
            Mark(cell, mark_kinds.PENDING, movers[0])
            for cell, up in lying
            if cell != NOWHERE and not up
        ]
        if pair.asker != NOWHERE:
            marks.append(Mark(pair.asker, mark_kinds.PENDING, 1 - movers[0]))
        is_free = self.options["supply"] == "free"
        for cell, role in self._touchable(position, pair, undo).items():
            look = BLOCKS[role] if is_free and role in PALETTE else mark_kinds.TOUCH
            marks.append(Mark(cell, mark_kinds.PENDING if pair.armed == role + 1 else look))
        result = self._hand(position, pair)
        if isinstance(result, Refusal):
            return (*marks, *(Mark(cell, mark_kinds.PROOF) for cell in result.cells))
        return (*marks, *self._landing(position, gesture))

    def edge(self, side: int) -> tuple[int, ...]:
        """Row 14 of a side's field."""
        return tuple(self.cell(side, column, 14) for column in range(6))

    @property
    def time_control(self) -> str:
        """The preset that the options name."""
        preset = PRESETS.get(str(self.options["clock"]))
        return "" if preset is None else str(preset)

    def page_figures(self, position: Position) -> dict[str, Any]:
        """Fields, forecast, pairs, clocks and points for the page."""
        sides = (0, 1)
        by_frames = self.options["turn"] == "frame"
        assists = {
            "calculator": self.on("calculator"),
            "hands_left": self.on("show_hands_left"),
            "chain_forecast": self.on("show_chain_forecast"),
        }
        left = [self.hands_left(position, side) for side in sides]
        loop = self.loop(position)
        return {
            "mode": self.options["mode"],
            "free": self.options["supply"] == "free",
            "unit": "frames" if by_frames else "ticks",
            "rate": int(self.options["rate"]),
            "fields": [
                ["".join(LETTERS[colour] for colour in line) for line in self.field(position, side)]
                for side in sides
            ],
            "forecast": [list(self.forecast(position, side)) for side in sides],
            "loop": {
                "pairs": [pair_text(pair) for pair in loop.pairs],
                "size": loop.size,
                "places": list(loop.places),
            },
            "clock": [self.clock(position, side) for side in sides],
            "points": [self.points(position, side) for side in sides],
            "hands_left": left if assists["hands_left"] else [None, None],
            "to_come": [self._to_come(position, side) for side in sides]
            if assists["chain_forecast"]
            else [None, None],
            "assists": assists,
            "time": self.options["clock"] if self.options["clock"] in PRESETS else "none",
        }

    def _lifted(self, position: Position, gesture: Gesture, cell: int, undo: bool) -> GestureResult:
        if cell in gesture.dead:
            return GestureResult(replace(gesture, dead=gesture.dead - {cell}))
        pair = pair_of(gesture)
        if cell == pair.asker:
            return GestureResult(with_pair(gesture, replace(pair, asker=NOWHERE)))
        if cell == pair.touched:
            role, pair = role_at(self, cell), replace(pair, touched=NOWHERE)
            gesture = with_pair(gesture, pair)
            if role == Role.UNDO and undo:
                return GestureResult(gesture, undo=True)
            if role == Role.PASS and PASS_WORD in self.words(position, self._mover(position)):
                return GestureResult(gesture, move=self._word(position, PASS_WORD))
            return GestureResult(gesture)
        if cell == pair.axis:
            pair = replace(pair, axis_up=UP)
        elif cell == pair.child:
            pair = replace(pair, child_up=UP)
        else:
            return GestureResult(gesture)
        if not pair.is_whole:
            # The only stone so far is up again: its colour stays chosen.
            return GestureResult(with_pair(gesture, restarted(pair, armed=pair.axis_colour)))
        if not (pair.axis_up and pair.child_up):
            return GestureResult(with_pair(gesture, pair))
        result = self._hand(position, pair)
        if isinstance(result, Move):
            # The next pair begins where the loop stands then.
            # A look along the loop ends with the hand, but for a marker that still asks.
            asked = pair.asked if pair.asker != NOWHERE else 0
            pair = replace(pair, scrolled=0, asked=asked)
        gesture = with_pair(gesture, restarted(pair))
        return (
            GestureResult(gesture, move=result)
            if isinstance(result, Move)
            else GestureResult(gesture)
        )

    def _set(
        self,
        position: Position,
        gesture: Gesture,
        cell: int,
        kind: int,
        at_us: int,
        undo: bool,
    ) -> GestureResult:
        side = self._mover(position)
        if kind == 2 - side and self._scrolls(cell):
            return self._ask(position, gesture, cell)
        if kind != side + 1:
            rule = "rengi.marker-strange" if kind > Kind.BLACK else "rengi.marker-other"
            return dead(gesture, cell, rule)
        pair = pair_of(gesture)
        role = role_at(self, cell)
        if role is not None:
            return self._touch(position, gesture, pair, cell, role, at_us, undo)
        place = field_at(self, cell)
        assert place is not None
        if place[0] != side:
            return dead(gesture, cell, "rengi.marker-field")
        return self._in_field(gesture, pair, cell)

    def _touch(
        self,
        position: Position,
        gesture: Gesture,
        pair: Pair,
        cell: int,
        role: Role,
        at_us: int,
        undo: bool,
    ) -> GestureResult:
        if pair.touched != NOWHERE or cell not in self._touchable(position, pair, undo):
            return dead(gesture, cell, "rengi.marker-idle")
        if role in PALETTE and self.options["supply"] == "free":
            pair = replace(pair, armed=int(role) + 1)
        elif role in (BACK, ON):
            pair = replace(pair, scrolled=pair.scrolled + (SCROLL if role == ON else -SCROLL))
        return GestureResult(with_pair(gesture, replace(pair, touched=cell, since_us=at_us)))

    def _scrolls(self, cell: int) -> bool:
        return self.options["supply"] != "free" and role_at(self, cell) in (BACK, ON)

    def _ask(self, position: Position, gesture: Gesture, cell: int) -> GestureResult:
        """The player who is not to move looks along the loop, a pair with each touch."""
        pair = pair_of(gesture)
        asked = pair.asked + (1 if role_at(self, cell) == ON else -1)
        ahead = self.pairs_ahead(position, 1 - self._mover(position))
        if pair.asker != NOWHERE or not 1 <= asked <= len(ahead):
            return dead(gesture, cell, "rengi.marker-idle")
        return GestureResult(with_pair(gesture, replace(pair, asked=asked, asker=cell)))

    def at_rest(self, kinds: tuple[int, ...]) -> Gesture:
        """Nothing was said; markers that lie there are dead until they are lifted, but for those of
        readers of the loop."""
        gesture = super().at_rest(kinds)
        looking = frozenset(cell for cell in gesture.dead if self._scrolls(cell))
        return replace(gesture, dead=gesture.dead - looking)

    def _in_field(self, gesture: Gesture, pair: Pair, cell: int) -> GestureResult:
        if pair.is_whole and not (pair.axis_up or pair.child_up):
            return dead(gesture, cell, "rengi.marker-third")
        moves_axis = pair.axis == NOWHERE or bool(pair.axis_up)
        other = pair.child if moves_axis else pair.axis
        if other != NOWHERE and abs(self.grid.cells[other][0] - self.grid.cells[cell][0]) > 1:
            return dead(gesture, cell, "rengi.marker-apart")
        old = pair.axis_colour if moves_axis else pair.child_colour
        colour = pair.armed or old
        if self.options["supply"] == "free" and not colour:
            return dead(gesture, cell, "rengi.marker-colour")
        if moves_axis:
            pair = replace(pair, axis=cell, axis_up=DOWN, axis_colour=colour, armed=0)
        else:
            pair = replace(pair, child=cell, child_up=DOWN, child_colour=colour, armed=0)
        return GestureResult(with_pair(gesture, pair))

    def _hand(self, position: Position, pair: Pair) -> Move | Refusal | None:
        """The hand that a whole pair of markers says, or the rule that forbids it."""
        if not pair.is_whole:
            return None
        placed = self._rotation_of(pair)
        if placed is None:
            return None
        colours = (pair.axis_colour, pair.child_colour)
        if self.options["supply"] != "free":
            colours = self.next_pairs(position, self._mover(position))[0]
        side = self._mover(position)
        move = self.parse(position, text_of(code_of(colours, *placed)), side)
        return self.why_not(position, side, move) or move

    def _rotation_of(self, pair: Pair) -> tuple[int, int] | None:
        """(column from 0, rotation) of a whole pair of markers."""
        axis, child = field_at(self, pair.axis), field_at(self, pair.child)
        assert axis is not None
        assert child is not None
        if child[1] == axis[1]:
            return axis[1], 0 if child[2] > axis[2] else 2
        return axis[1], 1 if child[1] > axis[1] else 3

    def _touchable(self, position: Position, pair: Pair, undo: bool) -> dict[int, Role]:
        """The cells between the fields that the mover may touch now, after this much was said."""
        cells = self.open_cells(position, undo)
        for side in self.movers(position) if self.options["supply"] != "free" else ():
            left = len(self.pairs_ahead(position, side)) - 1 - len(SHOWN) - pair.scrolled
            roles = [
                role for role, is_open in ((BACK, pair.scrolled > 0), (ON, left > 0)) if is_open
            ]
            cells |= {centre(self, role): role for role in roles}
        return cells

    def open_cells(self, position: Position, undo: bool) -> dict[int, Role]:
        """The cells between the fields that the mover may touch in each hand."""
        movers = self.movers(position)
        if not movers:
            return {}
        roles = [Role.RESIGN]
        if self.options["supply"] == "free":
            roles += PALETTE
        if undo:
            roles.append(Role.UNDO)
        if PASS_WORD in self.words(position, movers[0]):
            roles.append(Role.PASS)
        return {self.grid.at(6, role): role for role in roles}

    def _word(self, position: Position, word: str) -> Move:
        return self.parse(position, word, self._mover(position))

    def _mover(self, position: Position) -> int:
        return self.movers(position)[0]

    def _reached(self, position: Position) -> Iterator[Mark]:
        for side in self.movers(position):
            field = self.field(position, side)
            listed = self.listed_moves(position, side)
            columns = {hand_of(move.code)[1] for move in listed if move.code != PASS}
            for column in sorted(columns):
                row = _height(field, column) + 1
                if row < GHOST_ROW:
                    yield Mark(self.cell(side, column, row), mark_kinds.MAY_PLACE, side)

    def _blocks(self, side: int, field: Rows) -> Iterator[Mark]:
        for row, line in enumerate(field, 1):
            for column, colour in enumerate(line):
                if colour:
                    looks = BLOCKS if row < GHOST_ROW else GHOSTS
                    yield Mark(self.cell(side, column, row), looks[colour - 1])

    def _coming_columns(self, position: Position, side: int) -> tuple[int, ...]:
        """The columns, from 0, into which the ojama waiting for a side are going to fall next, as
        far as that is settled: the rest below a full row may fall at random."""
        waiting = sum(self.forecast(position, side))
        plan = self.known(position).plan
        count = falling(plan, waiting, 0)
        if count >= COLUMNS:
            return tuple(range(COLUMNS))
        if self.options["ojama_order"] == "random":
            return ()
        return tuple(sorted(order(plan[UNIT], place) for place in range(count)))

    def _coming(self, position: Position) -> Iterator[Mark]:
        if self.outcome(position) is not None:
            return
        for side in (0, 1):
            field = self.field(position, side)
            for column in self._coming_columns(position, side):
                if not field[RIM - 1][column]:
                    yield Mark(self.cell(side, column, RIM), mark_kinds.COMING)

    def _figure_marks(self, position: Position) -> Iterator[Mark]:
        for side in self.movers(position):
            pairs = self.next_pairs(position, side)
            yield from self._pair_marks(pairs[:1], ((HAND_AXIS, HAND_CHILD),))
            yield from self._pair_marks(pairs[1:], SHOWN)
            for count, role in zip(
                self.forecast(position, side), (Role.FORECAST_A, Role.FORECAST_B), strict=True
            ):
                if count:
                    yield Mark(centre(self, role), sized(count, 6, 30))
            left = self.hands_left(position, side) if self.on("show_hands_left") else None
            if left is not None:
                yield Mark(centre(self, Role.HANDS_LEFT), sized(left, 3, 6))

    def _pair_marks(
        self,
        pairs: Sequence[tuple[int, int]],
        places: Sequence[tuple[Role, Role]],
        looks: Sequence[str] = BLOCKS,
    ) -> Iterator[Mark]:
        for pair, roles in zip(pairs, places, strict=False):
            for colour, role in zip(pair, roles, strict=True):
                yield Mark(centre(self, role), looks[colour - 1])

    def _landing(self, position: Position, gesture: Gesture) -> Iterator[Mark]:
        pair = pair_of(gesture)
        if pair.axis == NOWHERE or (pair.axis_up and not pair.is_whole):
            return
        side = self.movers(position)[0]
        field = self.field(position, side)
        colours = (pair.axis_colour, pair.child_colour)
        if self.options["supply"] != "free":
            colours = self.next_pairs(position, side)[0]
        placed = self._rotation_of(pair) if pair.is_whole else None
        if placed is None:
            place = field_at(self, pair.axis)
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
                yield Mark(self.cell(side, column, high[column]), LANDINGS[colour - 1])

    def _to_come(self, position: Position, side: int) -> int:
        """The ojama that the rest of a side's running chain is going to make, before any offset."""
        state, own = position.state, SIDES + side * SIDE_SIZE
        if state[own + BIN] == 0:
            return 0
        left = state[own + WORTHS + state[own + STEP] : own + WORTHS + state[own + STEPS]]
        return ojama(state[own + POINTS] + sum(left), state[own + CHAIN_RATE], state[own + SENT])

    def _together(self, after: Position, cells: Sequence[int]) -> list[MoveEffect]:
        """The largest group of a colour, of two at least, that the blocks on these cells join."""
        side = 0 if cells and self.grid.cells[cells[0]][0] < COLUMNS else 1
        field = self.field(after, side)
        colours = [0] * len(self.grid)
        for row in range(12):
            for column in range(COLUMNS):
                colour = field[row][column]
                colours[self.cell(side, column, row + 1)] = colour if colour in COLOURS else 0
        groups = groups_of(self.grid.neighbours, colours)
        joined = [group for group in groups if len(group) > 1 and set(group) & set(cells)]
        if not joined:
            return []
        best = max(joined, key=len)
        return [move_effect("rengi.together", best, n=len(best), colour=LETTERS[colours[best[0]]])]

    def _built(self, before: Position, after: Position, move: Move) -> list[MoveEffect]:
        """The longest chain that two blocks more of a colour would fire, where it has become
        longer; and a column 3 that is high."""
        side = move.side
        was, now = (self._best_fire(at, side) for at in (before, after))
        effects = []
        if now[0] > max(1, was[0]):
            steps, column, colour, row = now
            where = [self.cell(side, column, row)] if row <= 12 else []
            effects.append(
                move_effect(
                    "rengi.builds", where, n=steps, colour=LETTERS[colour], column=column + 1
                )
            )
        elif now[0] < was[0] and not self.chain(before, move).steps:
            effects.append(move_effect("rengi.breaks", n=was[0], left=now[0]))
        at = FIELDS + side * FIELD_SIZE
        if height(after.state, at, 2) >= LOW > height(before.state, at, 2):
            effects.append(
                move_effect("rengi.high", [self.cell(side, 2, 12)], row=height(after.state, at, 2))
            )
        return effects

    def _best_fire(self, position: Position, side: int) -> tuple[int, int, int, int]:
        """(steps, column from 0, colour, row of the first block) of the longest chain that blocks
        of one colour in one column would fire; steps 0 for none."""
        plan = self.known(position).plan
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

    def assists(self, position: Position, side: int) -> Assists:
        """The assists of `side` in this position, as the game's options allow."""
        hands = self.hands_left(position, side) if self.on("show_hands_left") else None
        more = ojama_coming(position, side) if self.on("show_chain_forecast") else None
        return Assists(self.on("calculator"), hands, more)


def _height(field: Rows, column: int) -> int:
    return sum(1 for line in field[:GHOST_ROW] if line[column])


def sized(count: int, some: int, many: int) -> str:
    """The meaning of a cell that stands for a number."""
    return (
        mark_kinds.MANY if count >= many else mark_kinds.SOME if count >= some else mark_kinds.FEW
    )


def _beside(field: list[int], column: int, row: int, colour: int) -> bool:
    """True if a block of this colour touches a cell or the one above it."""
    beside = [(column + way, at) for way in (-1, 1) for at in (row, row + 1)]
    return any(
        0 <= c < COLUMNS and 1 <= r <= 12 and colour_at(field, 0, c, r) == colour
        for c, r in (*beside, (column, row - 1))
    )


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
