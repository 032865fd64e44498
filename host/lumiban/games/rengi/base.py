"""The rules of Rengi: options, positions, hands and words, refusals, set-up, what may be known.

The grid is the board of 13 columns: the first player's field, a column between, the second's. A
Position's `state` is the kernel's board without the room for positions still to be faced, then the
supply, two numbers a pair; a `view` has zeros where something is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, NamedTuple

from lumiban.errors import GameError
from lumiban.games import mark_kinds
from lumiban.games.base import (
    Effect,
    IllegalMove,
    Kind,
    Mark,
    Move,
    Option,
    Outcome,
    Position,
    Refusal,
)
from lumiban.games.kernel import hash_table
from lumiban.games.light_game import LightGame
from lumiban.games.rengi import arrays, notation, options
from lumiban.games.rengi.arrays import (
    BEGINS,
    BIN,
    BONUS,
    BY_DEATH,
    BY_REPETITION,
    CARRIED,
    CARRY,
    CHAIN_RATE,
    CLOCK,
    DRAWN,
    ENDED,
    FACED,
    FACES,
    FIELDS,
    FRAMES,
    FREE,
    LOG,
    MADE,
    MAX_MOVES,
    MIRROR,
    MOVER,
    NOW,
    OVER,
    PAIRS,
    PASS,
    PLACEMENTS,
    RATE,
    RNG,
    ROOM,
    ROOM_SIZE,
    SIDE_SIZE,
    SIDES,
    STAY14,
    TOTAL,
    WHY,
    A,
    B,
    Pair,
    bare_board,
    plan_of,
)
from lumiban.games.rengi.clock import HAND, NEXT2_DELAY, PREPARE_NEXT
from lumiban.games.rengi.duel import shape
from lumiban.games.rengi.field import (
    COLUMNS,
    FIELD_SIZE,
    Chain,
    chain_of,
    colour_at,
    height,
    is_dead,
    parse,
    place_pair,
    step,
)
from lumiban.games.rengi.kernel import Event, RengiState, events_of_move
from lumiban.games.rengi.notation import RESIGN, fits, hand_of, pair_text, read_hand
from lumiban.games.rengi.placements import can_pass, columns_at, face, too_often, why_unreachable
from lumiban.games.rengi.standing import remarks
from lumiban.grid import rectangle

_ATTACKS = {"first_attacker_won": 1, "first_row_attacker_won": COLUMNS}
"""Counters by how much ojama a chain makes that is an attack."""
FIRST, SECOND = 0, 1
REASONS = {BY_DEATH: "rengi.dead", BY_REPETITION: "repetition"}


class Loop(NamedTuple):
    """The loop of pairs as far as anybody may know it."""

    pairs: tuple[Pair, ...]
    """From its beginning; fewer than `size` where a mode hides the rest."""
    size: int
    """Pairs in all, 0 in free supply."""
    places: tuple[int, int]
    """Place of each side's pair in hand in it, from 0."""


class RengiRules(LightGame):
    """The rules of Rengi with its options resolved; `Rengi` adds what is seen and heard of them.

    >>> from lumiban.games.rengi import Rengi
    >>> game = Rengi(mode="free")
    >>> position = game.start()
    >>> len(game.moves(position, FIRST))
    176
    >>> position = game.play(position, game.parse(position, "RY3.0"))
    >>> [letter for letter in game.field(position, FIRST)[0]], game.movers(position)
    ([0, 0, 1, 0, 0, 0], (1,))
    """

    slug: ClassVar[str] = "rengi"
    sides: ClassVar[tuple[str, ...]] = ("first", "second")
    accepts: ClassVar[tuple[Option, ...]] = options.ACCEPTS

    def __init__(self, **given: int | str) -> None:
        self.options = options.resolved(given)
        self.grid = rectangle(13, 14)
        self._listed: tuple[Pair, ...] = ()
        if self.options["list"] != "none":
            self._listed = arrays.read_list(str(self.options["list"]))
        self._last: tuple[Position, RengiState] | None = None
        self._legal: tuple[Position | None, dict[int, None]] = (None, {})

    @classmethod
    def remarks(cls, language: str) -> tuple[str, ...]:
        """Every option with each mode's default and its standing in the author's paper."""
        return remarks(language)

    def on(self, name: str) -> bool:
        """True if an option is on."""
        return self.options[name] == "on"

    def rule(self, name: str) -> int:
        """The number that an option holds."""
        return int(self.options[name])

    # Positions

    def start(self, seed: int = 0) -> Position:
        """Two empty fields; the loop, who begins and random columns come from `seed`."""
        begins = ("first", "second", "random").index(str(self.options["begins"]))
        if begins == 2:
            begins = Random(f"rengi begins {seed}").randrange(2)
        pairs = self._listed
        if self.options["supply"] == "loop" and not pairs:
            pairs = arrays.drawn(self.rule("loop"), seed)
        plan = plan_of(self.options, pairs)
        board = bare_board(plan, begins, hash_table(1, seed)[0] | 1, self.rule("komi"))
        return replace(self.facing(_state(plan, board)), seed=seed)

    def facing(self, state: RengiState) -> Position:
        """The position of a State whose board is faced now for the first time."""
        face(state.plan, state.board)
        return Position(_flat(state))

    def setup(
        self,
        stones: Mapping[str, int] | None = None,
        *,
        to_move: int | str = FIRST,
        **more: Any,
    ) -> Position:
        """A position with `fields` as two texts, and the numbers of both players: ojama `waiting`,
        hands `made`, `bonus` and `carried` points; `time` in ticks or frames, `seed`.

        GameError says what is impossible.
        """
        return self._set_up_position(stones or {}, to_move, more)

    def state(self, position: Position) -> RengiState:
        """A fresh State on lists; what a view hides is guessed, always alike for one position."""
        board = list(position.state[: FACES + position.state[FACED]])
        given = position.state[len(board) :]
        pairs = tuple(zip(given[::2], given[1::2], strict=True))
        guess = hash(position.state)
        if (0, 0) in pairs:
            pairs = arrays.completed(pairs[: pairs.index((0, 0))], len(pairs), guess)
        if board[RNG] == 0:
            board[RNG] = hash_table(1, guess)[0] | 1
        return _state(plan_of(self.options, pairs), board)

    def known(self, position: Position) -> RengiState:
        """The State of a position, to look at and not to change; the last one is kept."""
        if self._last is None or self._last[0] is not position:
            self._last = (position, self.state(position))
        return self._last[1]

    def view(self, position: Position, side: int | None) -> Position:
        """Position as anybody may know it: of a hidden loop the pairs shown so far, no chance to
        come."""
        numbers = list(position.state)
        loop = self.loop(position)
        hidden = loop.size - len(loop.pairs)
        if hidden:
            numbers[-2 * hidden :] = [0] * (2 * hidden)
        random_columns = self.options["ojama_order"] == "random"
        if random_columns:
            numbers[RNG] = 0
        if not hidden and not random_columns:
            return position
        return replace(position, state=tuple(numbers), seed=0)

    def _shown(self, position: Position, side: int) -> int:
        """Number of pairs of the loop shown to a side, from the loop's beginning."""
        own = SIDES + side * SIDE_SIZE
        ahead = self.rule("visible_next")
        since = position.state[NOW] - position.state[own + DRAWN] + PREPARE_NEXT
        if ahead == 2 and self.options["next2_shown"] == "as-tsu" and since < NEXT2_DELAY:
            ahead = 1
        return position.state[own + MADE] + 1 + ahead

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Nothing stands on the board: blocks are light."""
        return (Kind.EMPTY,) * len(self.grid)

    # What a page or a board shows

    def cell(self, side: int, column: int, row: int) -> int:
        """The cell of the grid for a column (from 0) and row (from 1) of a side's field."""
        return self.grid.at(column + 7 * side, 14 - row)

    def field(self, position: Position, side: int) -> tuple[tuple[int, ...], ...]:
        """A side's field, 14 rows from below of 6 colours: 0 empty, 1 R, 2 B, 3 Y, 4 G, 5 ojama."""
        at = FIELDS + side * FIELD_SIZE
        return tuple(
            tuple(colour_at(position.state, at, column, row) for column in range(6))
            for row in range(1, 15)
        )

    def forecast(self, position: Position, side: int) -> tuple[int, int]:
        """The ojama waiting for a side: bins A and B."""
        own = SIDES + side * SIDE_SIZE
        return position.state[own + A], position.state[own + B]

    def next_pairs(self, position: Position, side: int) -> tuple[Pair, ...]:
        """The pair a side has in hand and those shown after it; () in free supply."""
        first = FACES + position.state[FACED]
        given = position.state[first:]
        count = len(given) // 2
        made = position.state[SIDES + side * SIDE_SIZE + MADE]
        shown = count
        if self.options["visible_next"] != "all":
            shown = min(count, self._shown(position, side) - made)
        places = [(made + k) % count for k in range(shown)] if count else []
        return tuple((given[2 * k], given[2 * k + 1]) for k in places)

    def loop(self, position: Position) -> Loop:
        """The loop as a view holds it: all pairs that have been shown to either side.

        >>> from lumiban.games.rengi import Rengi
        >>> open_mode, tsu = Rengi(mode="open"), Rengi(mode="tsu")
        >>> len(open_mode.loop(open_mode.start()).pairs), len(tsu.loop(tsu.start()).pairs)
        (12, 3)
        """
        first = FACES + position.state[FACED]
        given = position.state[first:]
        size = len(given) // 2
        known = size
        if self.options["visible_next"] != "all":
            known = min(size, max(self._shown(position, side) for side in (FIRST, SECOND)))
        pairs = tuple((given[2 * k], given[2 * k + 1]) for k in range(known))
        made = [position.state[SIDES + side * SIDE_SIZE + MADE] for side in (FIRST, SECOND)]
        places = [number % size if size else 0 for number in made]
        return Loop(pairs, size, (places[0], places[1]))

    def pairs_ahead(self, position: Position, side: int) -> tuple[Pair, ...]:
        """A side's pair in hand and all known pairs after it, once around the loop at most."""
        loop = self.loop(position)
        place = loop.places[side]
        if len(loop.pairs) < loop.size:
            return loop.pairs[place:]
        return (*loop.pairs[place:], *loop.pairs[:place])

    def clock(self, position: Position, side: int) -> int:
        """Time at which a side acts next: half ticks, or frames in the modes by frames."""
        return position.state[SIDES + side * SIDE_SIZE + CLOCK]

    def points(self, position: Position, side: int) -> int:
        """All points that a side has been credited."""
        return position.state[SIDES + side * SIDE_SIZE + TOTAL]

    def hands_left(self, position: Position, side: int) -> int | None:
        """Hands that a side has before the opponent's chain is over; None when none runs, or by
        frames, where hands last as long as they do."""
        over = position.state[SIDES + (1 - side) * SIDE_SIZE + OVER]
        if over < 0 or self.options["turn"] == "frame":
            return None
        return max(0, (over - self.clock(position, side) + HAND - 1) // HAND)

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`hands`; `passes`; `chains`, `longest_chain` and `chain_steps` (the mean);
        `first_attack`: the hand at which ojama was first made, 0 when none was;
        `first_attacker_won`, `first_row_attacker_won`: 1 where whose chain first made ojama, or a
        row of it, won; absent without one, or without a winner; `falls`,
        `largest_fall` and `fallen` (blocks of ojama); `answered`: chains fired under a forecast."""
        chains: list[int] = []
        falls: list[int] = []
        first_attack = passes = answered = 0
        attackers: dict[str, int] = {}
        made = [0, 0]
        for number, (position, move) in enumerate(zip(positions, moves, strict=False), 1):
            events = self.story(position, move)
            fired = [event.steps for event in events if event.kind == "fired"]
            chains += fired
            answered += bool(fired and sum(self.forecast(position, move.side)))
            passes += any(event.kind == "passed" for event in events)
            falls += [event.ojama for event in events if event.kind == "fell" and event.ojama]
            for event in events:
                if event.kind == "fired":
                    made[event.side] = 0
                elif event.kind == "credited":
                    made[event.side] += event.ojama
                    for who, least in _ATTACKS.items():
                        if made[event.side] >= least:
                            attackers.setdefault(who, event.side)
            if not first_attack and any(e.kind == "credited" and e.ojama for e in events):
                first_attack = number
        end = self.outcome(positions[-1])
        winner = None if end is None else end.winner
        return {
            "hands": len(moves),
            "passes": passes,
            "chains": len(chains),
            "longest_chain": max(chains, default=0),
            "chain_steps": sum(chains) / len(chains) if chains else 0,
            "first_attack": first_attack,
            "falls": len(falls),
            "largest_fall": max(falls, default=0),
            "fallen": sum(falls),
            "answered": answered,
            **{who: int(side == winner) for who, side in attackers.items() if winner is not None},
        }

    def story(self, position: Position, move: Move) -> tuple[Event, ...]:
        """Events from a legal move to the next decision of a player, one by one."""
        if move.code < 0:
            return ()
        return events_of_move(self.state(position), move.code)

    def chain(self, position: Position, move: Move) -> Chain:
        """The chain that a legal hand fires, step by step: fields, points, ojama (without points
        of an all clear or carried over)."""
        state = self.state(position)
        at = FIELDS + move.side * FIELD_SIZE
        field = state.board[at : at + FIELD_SIZE]
        if 0 <= move.code < PASS:
            (axis, child), column, rotation = notation.hand_of(move.code)
            place_pair(field, 0, axis, child, column, rotation, state.plan[STAY14])
        rate = state.board[SIDES + move.side * SIDE_SIZE + CHAIN_RATE]
        return chain_of(field, self.options["ghost_ojama"] == "C", rate)

    # Hands and words

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side whose clock is earlier."""
        return () if self.outcome(position) is not None else (position.state[MOVER],)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All hands, by pair, column and rotation, and last a pass where it is allowed."""
        if side not in self.movers(position):
            return []
        out = [0] * MAX_MOVES
        count = self.known(position).moves(out)
        return [self.move_of(position, code) for code in out[:count]]

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of a kernel's number."""
        return Move(position.state[MOVER], notation.text_of(code), code)

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`resign` at one's own turn, `pass` where it is allowed."""
        if side not in self.movers(position):
            return ()
        state = self.known(position)
        passes = can_pass(state.plan, state.board)
        return (notation.PASS_WORD, notation.RESIGN) if passes else (notation.RESIGN,)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The hand or word that `text` notes, legal or not; IllegalMove when it notes none.

        Of two ways to write the same placement in free supply, or of two equal blocks, comes the
        one that is listed.
        """
        if side is None:
            side = position.state[MOVER]
        noted = text.strip().lower()
        if noted == notation.RESIGN:
            return Move(side, noted)
        if noted == notation.PASS_WORD:
            return Move(side, noted, PASS)
        code = notation.read_hand(text)
        if code is None:
            raise IllegalMove(
                f"{text!r} is not a hand of Rengi: write colours of axis and child, the axis's"
                " column and the rotation (RY3.0), pass or resign",
                Refusal("rengi.unreadable", params=(("text", text),)),
            )
        if notation.fits(code) and self.outcome(position) is None:
            code = self._listed_as(position, code)
        return Move(side, notation.text_of(code), code)

    def _codes(self, position: Position) -> dict[int, None]:
        """The hands and the pass that may be played, in their order; kept, since reading a hand
        asks for them and so does judging it."""
        if self._legal[0] is not position:
            out = [0] * MAX_MOVES
            self._legal = (position, dict.fromkeys(out[: self.known(position).moves(out)]))
        return self._legal[1]

    def _listed_as(self, position: Position, code: int) -> int:
        codes = self._codes(position)
        pair = notation.hand_of(code)[0]
        if code in codes or (self.options["supply"] != "free" and pair[0] != pair[1]):
            return code
        same = (other for other in codes if other != PASS and shape(other) == shape(code))
        return next(same, code)

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this hand or word, with cells that prove it, or None."""
        if self.outcome(position) is not None:
            return Refusal("rengi.over")
        if side not in self.movers(position) or move.side != side:
            return Refusal("rengi.not-your-turn")
        if move.text == RESIGN:
            return None
        state = self.known(position)
        if move.code == PASS:
            return _no_pass(state)
        if read_hand(move.text) != move.code:
            return Refusal("rengi.unreadable", params=(("text", move.text),))
        if move.code in self._codes(position):
            return None
        return self._no_hand(position, state, move.code)

    def play(self, position: Position, move: Move) -> Position:
        """Position at the next decision of a player; IllegalMove carries the refusal."""
        self.must_allow(position, move)
        history = (*position.history, move)
        if move.text == notation.RESIGN:
            over = Outcome(1 - move.side, "resigned")
            return replace(position, history=history, over=over)
        known = self.known(position)
        state = RengiState(known.plan, [*known.board], [*known.room], [0] * MAX_MOVES)
        if len(state.board) <= FACES + state.board[FACED] + 1:
            state = self.state(position)  # with room for further positions
        state.play(move.code)
        after = replace(position, state=_flat(state), history=history)
        self._last = (after, state)
        return after

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game: rengi.dead, repetition, rengi.passes or resigned."""
        if position.over is not None:
            return position.over
        ended = position.state[ENDED]
        if ended == 0:
            return None
        winner = None if ended == 1 else ended - 2
        return Outcome(winner, REASONS.get(position.state[WHY], "rengi.passes"))

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """Column 3 of each lost field, then the cell in it that had to stay free."""
        if position.over is not None or position.state[WHY] != BY_DEATH:
            return ()
        ended = position.state[ENDED]
        lost = [side for side in (0, 1) if ended > 0 and ended - 2 != side]
        return tuple(
            tuple(
                Mark(self.cell(side, 2, row), mark_kinds.PROOF, side)
                for side in lost
                for row in rows
            )
            for rows in (range(1, 13), (12,))
        )

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """No hand moves a piece: markers are input, blocks are light."""
        return ()

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """None but staying as it is: pairs come in over column 3."""
        return (tuple(range(len(self.grid))),)

    @property
    def may_repeat(self) -> bool:
        """A position that comes for the fourth time is a draw."""
        return True

    @property
    def capacity(self) -> tuple[int, int]:
        """The room of a State: moves of a position, plies of a game or its playout."""
        return MAX_MOVES, ROOM + 1

    # Setting up a position of Rengi, and telling those that no game reaches

    def _set_up_position(
        self, stones: Mapping[str, int], to_move: int | str, more: Mapping[str, Any]
    ) -> Position:
        """The position with these fields and numbers; GameError says why there is none."""
        strange = sorted(set(more) - set(TAKES))
        if strange or stones:
            what = ", ".join(strange) or "pieces by cells"
            raise GameError(f"rengi sets up {', '.join(TAKES)} and to_move, not {what}")
        side = self._side(to_move)
        position = self.start(_at_least(more.get("seed", 0), "seed", 0))
        state = self.state(position)
        plan, board = state.plan, state.board
        fields = more.get("fields", ("", ""))
        if isinstance(fields, str) or len(fields) != 2:
            raise GameError("fields are two texts, the first player's and the second's")
        for owner in (0, 1):
            at = FIELDS + owner * FIELD_SIZE
            if fields[owner]:
                board[at : at + FIELD_SIZE] = self._field(str(fields[owner]), owner, plan)
        for name, place_, least in (
            ("waiting", A, 0),
            ("made", MADE, 0),
            ("bonus", BONUS, 0),
            ("carried", CARRIED, 0),
        ):
            if name in more:
                for owner, number in enumerate(_two(more[name], name, least)):
                    board[SIDES + owner * SIDE_SIZE + place_] = number
        most = max(board[SIDES + owner * SIDE_SIZE + CARRIED] for owner in (0, 1))
        if most >= plan[RATE] or (most > 0 and not plan[CARRY]):
            raise GameError(
                f"points carried are less than the rate, {plan[RATE]}, and need carry_remainder=on"
            )
        _set_clocks(plan, board, side, _at_least(more.get("time", 0), "time", 0))
        board[FACED] = 0
        return replace(self.facing(state), seed=position.seed)

    def _field(self, text: str, owner: int, plan: Any) -> list[int]:
        field = parse(text)
        whose = self.sides[owner]
        if not plan[STAY14] and any(colour_at(field, 0, column, 14) for column in range(6)):
            raise GameError(f"the {whose} field has a block in row 14: that needs row14=stay")
        if is_dead(field, 0):
            raise GameError(f"the {whose} field is lost: column 3 is filled up to row 12")
        if step(list(field), 0, 0, [0] * PLACEMENTS):
            raise GameError(
                f"the {whose} field is not at rest: four or more blocks would go at once"
            )
        return field

    def _side(self, to_move: int | str) -> int:
        if to_move in self.sides:
            return self.sides.index(str(to_move))
        if to_move not in (0, 1) or isinstance(to_move, bool):
            raise GameError(f"to_move is first (0) or second (1), not {to_move!r}")
        return int(to_move)

    # Why a hand or a word of Rengi is not allowed: the rule, and the cells that prove it

    def _no_hand(self, position: Position, state: RengiState, code: int) -> Refusal:
        plan, board = state.plan, state.board
        side = board[MOVER]
        pair, column, rotation = hand_of(code)
        if plan[FREE] == 0:
            mine = self.next_pairs(position, side)[0]
            if pair != mine:
                return Refusal("rengi.other-pair", params=(("pair", pair_text(mine)),))
        if not fits(code):
            return Refusal("rengi.outside", params=(("column", column + 1),))
        at = FIELDS + side * FIELD_SIZE
        heights = [height(board, at, c) for c in range(6)]
        stops = why_unreachable(
            heights,
            self.rule("wall_cross"),
            self.on("quick_turn"),
            column,
            rotation,
            hanging=columns_at(board, at, 14),
        )
        if stops >= 0:
            filled = tuple(self.cell(side, stops, row) for row in range(1, heights[stops] + 1))
            return Refusal("rengi.unreachable", filled, (("column", stops + 1),))
        if shape(code) == too_often(plan, board):
            return Refusal("rengi.mirror", params=(("limit", plan[MIRROR]),))
        return Refusal("rengi.twice", params=(("text", self.move_of(position, shape(code)).text),))


def _state(plan: list[int], board: Sequence[int]) -> RengiState:
    room = [0] * ROOM_SIZE
    room[LOG] = -1
    return RengiState(plan, [*board, *([0] * ROOM)], room, [0] * MAX_MOVES)


def _flat(state: RengiState) -> tuple[int, ...]:
    plan, board = state.plan, state.board
    used = FACES + board[FACED]
    return (*board[:used], *plan[len(plan) - 2 * plan[PAIRS] :])


TAKES = ("fields", "waiting", "time", "made", "bonus", "carried", "seed")


def _set_clocks(plan: Any, board: Any, side: int, time: int) -> None:
    """`side` acts at a time, in ticks or frames, the other one right after it."""
    board[MOVER] = side
    for owner in (0, 1):
        late = int(owner != board[BEGINS])
        if plan[FRAMES]:
            clock = time + int(owner != side)
        else:
            clock = 2 * time + late + 2 * int(owner != side and not late)
        board[SIDES + owner * SIDE_SIZE + CLOCK] = clock
    board[NOW] = board[SIDES + side * SIDE_SIZE + CLOCK]


def _at_least(value: Any, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise GameError(f"{name} is a whole number from {least} on, not {value!r}")
    return value


def _two(value: Any, name: str, least: int) -> tuple[int, int]:
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise GameError(f"{name} are two numbers, the first player's and the second's")
    return _at_least(value[0], name, least), _at_least(value[1], name, least)


def _no_pass(state: RengiState) -> Refusal | None:
    if can_pass(state.plan, state.board):
        return None
    running = state.board[SIDES + (1 - state.board[MOVER]) * SIDE_SIZE + BIN] != 0
    return Refusal("rengi.no-chain-pass" if running else "rengi.no-pass")
