"""Control as the table sees it: options, notation, phases, scores, set-up and what cells mean.

A Position's `state` holds the stones (+1 White, −1 Black, 0 empty, by cell), the mover, the
actions left in the turn and, under sight, the keys of the positions faced before; its `extra`
holds who offers to stop (1 White, 2 Black) and whether the sides were swapped by a pie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games import meanings
from lumiban.games.base import (
    BLACK,
    WHITE,
    Effect,
    Game,
    IllegalMove,
    ImpossiblePosition,
    Kind,
    Mark,
    Move,
    MoveEffect,
    Option,
    Outcome,
    Position,
    Reading,
    Refusal,
    SearchHints,
    Supply,
    hurried,
    lead_changes,
    move_effect,
    read_picture,
)
from lumiban.games.control.kernel import (
    LEFT,
    MOVER,
    NEIGHBOURS,
    ROOM,
    STONE,
    ControlState,
    fresh,
    leans_of,
)
from lumiban.games.counting import counted_cells
from lumiban.games.kernel import seen_from
from lumiban.grid import LONGEST_HEXAGON, hexagon

RESIGN, STOP = "resign", "stop"
KIND_OF = {0: Kind.EMPTY, 1: Kind.WHITE, -1: Kind.BLACK}
STONE_OF = {WHITE: 1, BLACK: -1}

SETTING, CHOOSING = "set", "choose"
"""The phases of a pie before `play`."""
DONE, TAKE_WHITE, TAKE_BLACK = "done", "take white", "take black"
_STONE = {"w": 1, "b": -1}
_KIND = {1: Kind.WHITE, -1: Kind.BLACK}


class Control(Game):
    """Control with its options resolved.

    >>> game = Control(size=3)
    >>> position = game.start()
    >>> for text in ("a1", "c3", "e3"):
    ...     position = game.play(position, game.parse(position, text))
    >>> game.why_not(position, BLACK, game.parse(position, "xa1")).rule
    'control.not-yours-to-remove'
    """

    slug: ClassVar[str] = "control"
    accepts: ClassVar[tuple[Option, ...]] = (
        Option("size", 5, tuple(range(2, LONGEST_HEXAGON + 1))),
        Option("opening", "perimeter", ("perimeter", "free", "pie2", "12*")),
        Option("scoring", "empty", ("empty", "territory", "territory-empty")),
        Option("sees", "adjacent", ("adjacent", "sight")),
    )

    def __init__(self, **options: int | str) -> None:
        super().__init__(**options)
        self.side_length = int(self.options["size"])
        self.grid = hexagon(self.side_length)
        self.opening = str(self.options["opening"])
        self.sight = self.options["sees"] == "sight"
        self.actions = 2 if self.opening == "12*" else 1
        self.supply = len(self.grid) // 2 + 1
        """Stones of each colour that always suffice."""
        self._last: tuple[Position, ControlState] | None = None

    # Positions

    def start(self, seed: int = 0) -> Position:
        """The empty board; Control knows no chance."""
        phase = SETTING if self.opening == "pie2" else "play"
        return self.position((0,) * len(self.grid), WHITE, 1, phase=phase, seed=seed)

    def position(
        self,
        stones: Sequence[int],
        mover: int,
        left: int,
        *,
        phase: str = "play",
        seed: int = 0,
    ) -> Position:
        """A position without history, from stones (+1, −1, 0 a cell)."""
        return Position((*stones, mover, left), seed=seed, phase=phase, extra=(0, 0))

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """A position with these stones (cell name -> WHITE or BLACK), if a game may reach it.

        With the opening 12* the difference of the stones tells how much of the turn is left.
        GameError says what is impossible.
        """
        if more:
            raise GameError(
                f"control sets up stones and to_move only, not {', '.join(sorted(more))}"
            )
        if to_move not in (WHITE, BLACK):
            raise GameError(f"to_move is 0 (White) or 1 (Black), not {to_move!r}")
        cells = [0] * len(self.grid)
        for name, side in stones.items():
            if side not in (WHITE, BLACK):
                raise GameError(f"on {name} stands 0 (White) or 1 (Black), not {side!r}")
            cells[self.grid.cell(name)] = 1 if side == WHITE else -1
        white, black = cells.count(1), cells.count(-1)
        for count, kind in ((white, Kind.WHITE), (black, Kind.BLACK)):
            if count > self.supply:
                raise ImpossiblePosition(f"setup.supply.{kind}", count=count, supply=self.supply)
        if not stones and to_move == WHITE:
            return self.start()
        left = self._actions_left(white, black, to_move)
        self._check_opening(cells, white, black)
        return self.position(cells, to_move, left)

    def state(self, position: Position) -> ControlState:
        """A fresh State on lists; in a pie's opening that of the stones set so far."""
        cells = len(self.grid)
        mover, left, *faced = position.state[cells:]
        return fresh(
            self.side_length,
            position.state[:cells],
            mover,
            left,
            perimeter=self.opening == "perimeter",
            actions=self.actions,
            sight=self.sight,
            faced=faced,
        )

    def known(self, position: Position) -> ControlState:
        """The State of a position, to look at and not to change; the last one is kept."""
        if self._last is None or self._last[0] is not position:
            self._last = (position, self.state(position))
        return self._last[1]

    def stones(self, position: Position) -> tuple[int, ...]:
        """+1, −1 or 0 for each cell."""
        return position.state[: len(self.grid)]

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell."""
        return tuple(map(KIND_OF.__getitem__, self.stones(position)))

    def pieces_needed(self) -> Supply:
        """Half the cells for each side: after every action they differ by one stone at most."""
        enough = (len(self.grid) + 1) // 2
        return Supply({Kind.WHITE: enough, Kind.BLACK: enough}, is_exact=False)

    # Moves and words

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side to move; in a pie White sets the stones and Black chooses."""
        if self.outcome(position) is not None:
            return ()
        if position.phase == SETTING:
            return (WHITE,)
        if position.phase == CHOOSING:
            return (BLACK,)
        return (position.state[len(self.grid)],)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All placements and removals, by cell number; none while a pie is being set."""
        if position.phase != "play" or side not in self.movers(position):
            return []
        out = [0] * len(self.grid)
        count = self.known(position).moves(out)
        return [self.move_of(position, code) for code in out[:count]]

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of a cell number (placement) or of cells + cell number (removal)."""
        cells = len(self.grid)
        side = position.state[cells]
        if code < cells:
            return Move(side, self.grid.names[code], code)
        return Move(side, "x" + self.grid.names[code - cells], code)

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`resign` and `stop` for both sides at any time; a pie's words where it has come to."""
        if self.outcome(position) is not None:
            return ()
        words = self._pie_words(position, side)
        if position.phase == "play" and side not in self.offers(position):
            words = (*words, STOP)
        return (*words, RESIGN)

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, legal or not; IllegalMove when it notes none.

        Without a side it is the mover's; a `stop` that answers the mover's own is the other's.
        """
        noted = " ".join(text.lower().split())
        if side is None:
            side = next(iter(self.movers(position)), WHITE)
            if noted == STOP and side in self.offers(position):
                side = 1 - side
        if noted in (RESIGN, STOP) or self._is_pie_word(noted):
            return Move(side, noted)
        removes = noted.startswith("x")
        name = noted[1:] if removes else noted
        if name not in self.grid.names:
            raise IllegalMove(
                f"{text!r} is not a move of Control: write a cell (c4), a removal (xc4) or a word"
                f" ({', '.join(self.words(position, side)) or 'none: the game is over'})"
                if position.phase == "play"
                else f"{text!r} is not understood: write put wc4, put bc4, done or take white",
                Refusal("control.unreadable", params=(("text", text),)),
            )
        cell = self.grid.cell(name)
        return Move(side, noted, cell + len(self.grid) if removes else cell)

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this move, with the stones that prove it, or None."""
        if self.outcome(position) is not None:
            return Refusal("control.over")
        if side not in (0, 1):
            return Refusal("control.not-your-turn")
        if move.text == "resign":
            return None
        if move.text == "stop":
            return self._no_stop(position, side)
        if move.is_word:
            if not self._is_pie_word(move.text):
                return Refusal("control.unreadable", params=(("text", move.text),))
            return self._pie_refusal(position, side, move)
        if position.phase != "play":
            return Refusal("control.pie-first")
        if side not in self.movers(position):
            return Refusal("control.not-your-turn")
        cells = len(self.grid)
        if move.code >= 2 * cells:
            return Refusal("control.unreadable", params=(("text", move.text),))
        if move.code < cells:
            return self._no_placement(position, side, move.code)
        return self._no_removal(position, side, move.code - cells)

    def play(self, position: Position, move: Move) -> Position:
        """The position after a move or word; IllegalMove carries the refusal."""
        self.must_allow(position, move)
        history = (*position.history, move)
        if move.text == RESIGN:
            over = Outcome(1 - move.side, "resigned")
            return replace(position, history=history, over=over)
        if move.text == STOP:
            return self._stop(replace(position, history=history), move.side)
        if move.is_word:
            return self._play_pie_word(replace(position, history=history), move)
        known = self.known(position)
        state = ControlState(known.plan, [*known.board], [0] * len(known.scratch))
        cells = len(self.grid)
        faced = (*position.state[cells + 2 :], state.key()) if self.sight else ()
        state.play(move.code)
        mover, left = state.board[MOVER], state.board[LEFT]
        after = replace(
            position,
            state=(*state.board[STONE : STONE + cells], mover, left, *faced),
            history=history,
            extra=(0, position.extra[1]),
        )
        if not self.sight:  # with sight a State remembers as many positions as it has room for
            self._last = (after, state)
        return after

    def _stop(self, position: Position, side: int) -> Position:
        offered = position.extra[0] | (1 << side)
        if offered != 3:
            return replace(position, extra=(offered, position.extra[1]))
        return replace(position, extra=(0, position.extra[1]), over=self._agreed(position))

    def _agreed(self, position: Position) -> Outcome:
        """Outcome if both agree to count now."""
        white, black = (territory for _, territory in self.scores(position))
        if white != black:
            return Outcome(WHITE if white > black else BLACK, "agreed")
        return Outcome(1 - position.state[len(self.grid)], "agreed-tie")

    # What it comes to

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`lead_changes` by stones and territory together; of games that were played on to their
        end, `counts_at_half` and `counts_at_nine_tenths`: 1 where counting after that share of the
        moves would have named the winner, else 0."""
        totals = [[sum(counts) for counts in self.scores(position)] for position in positions]
        figures: dict[str, float] = {
            "lead_changes": lead_changes([white - black for white, black in totals])
        }
        outcome = self.outcome(positions[-1])
        if outcome is not None and outcome.reason == "no-move":
            for name, tenths in (("half", 5), ("nine_tenths", 9)):
                then = positions[len(moves) * tenths // 10]
                figures[f"counts_at_{name}"] = int(self._agreed(then).winner == outcome.winner)
        return figures

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game: no-move, resigned, agreed, agreed-tie, or repetition (a draw)."""
        if position.over is not None or position.phase != "play":
            return position.over
        code = self.known(position).outcome()
        if code < 0:
            return None
        return Outcome(None, "repetition") if code == 0 else Outcome(code - 1, "no-move")

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The territories, where both agreed to count them."""
        outcome = self.outcome(position)
        if outcome is None or outcome.reason not in ("agreed", "agreed-tie"):
            return None
        return tuple(territory for _, territory in self.scores(position))

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """The cells of either side's territory, where both agreed to count them."""
        if self.final_counts(position) is None:
            return ()
        return counted_cells(self._territories(position))

    def offers(self, position: Position) -> tuple[int, ...]:
        """Sides that have said `stop` since the last move."""
        return tuple(side for side in (WHITE, BLACK) if position.extra[0] >> side & 1)

    def swapped(self, position: Position) -> bool:
        """True if the chooser of a pie took White, so that the two players changed sides."""
        return bool(position.extra[1])

    def controllers(self, position: Position) -> tuple[int | None, ...]:
        """The side that controls each cell, None where nobody does."""
        return tuple(
            None if lean == 0 else WHITE if lean > 0 else BLACK for lean in self.leans(position)
        )

    def leans(self, position: Position) -> list[int]:
        """By cell the white minus the black stones that it sees."""
        return leans_of(self.known(position))

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, territory) of each side; territory as the option `scoring` counts it."""
        stones = self.stones(position)
        return tuple(
            (stones.count(sign), len(cells))
            for sign, cells in zip((1, -1), self._territories(position), strict=True)
        )

    def _territories(self, position: Position) -> list[list[int]]:
        """The cells of each side's territory, as the option `scoring` counts it."""
        scoring = self.options["scoring"]
        stones = self.stones(position)
        result = []
        for sign in (1, -1):
            cells = []
            for cell, (stone, lean) in enumerate(zip(stones, self.leans(position), strict=True)):
                controls = lean * sign > 0
                if scoring == "empty":
                    counts = controls and stone == 0
                elif scoring == "territory":
                    counts = controls or stone == sign
                else:
                    counts = stone == sign or (controls and stone == 0)
                if counts:
                    cells.append(cell)
            result.append(cells)
        return result

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Cells on which the mover may place and from which it may remove; from `control` on the
        owner of each cell."""
        if level == "none":
            return ()
        cells = len(self.grid)
        marks = []
        if level != "legal":
            marks = [
                Mark(cell, meanings.OWNED, side)
                for cell, side in enumerate(self.controllers(position))
                if side is not None
            ]
        for side in self.movers(position):
            for move in self.listed_moves(position, side):
                if move.code < cells:
                    marks.append(Mark(move.code, meanings.MAY_PLACE, side))
                else:
                    marks.append(Mark(move.code - cells, meanings.REMOVABLE, side))
        if position.phase == SETTING and position.over is None:
            stones = self.stones(position)
            marks += [Mark(cell, meanings.MAY_PLACE) for cell in range(cells) if stones[cell] == 0]
        return tuple(marks)

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Cells that a move gains and frees, stones that it takes, threatens and saves."""
        cells = len(self.grid)
        after = self.play(position, move)
        mine = 1 if move.side == 0 else -1
        before_, after_ = self.leans(position), self.leans(after)
        stones, then = self.stones(position), self.stones(after)
        was = [lean * mine for lean in before_]
        now = [lean * mine for lean in after_]
        everywhere = range(cells)
        effects = []
        if move.code >= cells:
            effects.append(move_effect("captures", [move.code - cells], n=1))
        threatened = [c for c in everywhere if then[c] == -mine and now[c] > 0 >= was[c]]
        if threatened:
            effects.append(move_effect("threatens", threatened, n=len(threatened)))
        safe = [c for c in everywhere if stones[c] == then[c] == mine and was[c] < 0 <= now[c]]
        if safe:
            effects.append(move_effect("saves", safe, n=len(safe)))
        shut = [c for c in everywhere if then[c] == 0 and now[c] > 0 and was[c] <= 0]
        freed = [c for c in everywhere if then[c] == 0 and now[c] == 0 and was[c] < 0]
        if shut:
            effects.append(move_effect("gains", shut, n=len(shut)))
        if freed:
            effects.append(move_effect("frees", freed, n=len(freed)))
        return (*effects, *hurried(self, after, 1 - move.side))

    # The board's picture

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """The one cell of a placement or removal; a pie's `put` may shift a stone."""
        cells = len(self.grid)
        if move.is_word:
            return self._pie_effects(position, move)
        if move.code < cells:
            return ((move.code, Kind.EMPTY, KIND_OF[STONE_OF[move.side]]),)
        return ((move.code - cells, KIND_OF[-STONE_OF[move.side]], Kind.EMPTY),)

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """Meaning of the picture; while a pie is set, stones on the board are its `put` words."""
        if position.phase == SETTING and position.over is None:
            return read_picture(self, position, sensed, self._pie_puts(position))
        return read_picture(self, position, sensed)

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """One stone more is its owner's placement, one less the mover's removal."""
        if len(changes) != 1:
            return None
        ((cell, kind),) = changes.items()
        cells = len(self.grid)
        if kind == Kind.EMPTY:
            side = position.state[cells]
            return Move(side, "x" + self.grid.names[cell], cells + cell)
        if kind in (Kind.WHITE, Kind.BLACK):
            side = WHITE if kind == Kind.WHITE else BLACK
            return Move(side, self.grid.names[cell], cell)
        return None

    def search_hints(self, position: Position) -> SearchHints:
        """A stone is worth much the same a few moves later, which GRAVE makes use of."""
        board = self.state(position).board
        mover, left, actions = board[MOVER], board[LEFT], self.actions
        late = actions - left
        plies = range(late, late + self.capacity[1] + 2)
        sides = [(mover + ply // actions) & 1 for ply in plies]
        return SearchHints("grave", codes=2 * len(self.grid), sides=sides)

    @property
    def may_repeat(self) -> bool:
        """Only under sight: else each move raises V or the number of stones."""
        return self.sight

    @property
    def stones_at(self) -> int:
        """The kernel's place for them."""
        return STONE

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """One for each white stone, each black stone, Black's turn and a turn half done."""
        plan = self.known(self.start()).plan
        first = NEIGHBOURS + 7 * len(self.grid)
        return tuple(plan[first : first + 2 * len(self.grid) + 2])

    @property
    def capacity(self) -> tuple[int, int]:
        """At most one move a cell; a game's length is bounded by what grows in it.

        With E pairs of adjacent cells, V lies within ±E and never falls; placing on a controlled
        cell and removing raise it (2E times at most), and each placement on a neutral cell needs
        room for a stone. Under sight the positions that a State can face set the bound.
        """
        cells = len(self.grid)
        pairs = sum(len(near) for near in self.grid.neighbours) // 2
        return cells, ROOM + 1 if self.sight else 4 * pairs + cells

    # The pie of the opening `pie2`, in words: one player sets two stones, the other takes a
    # colour
    #
    # White's seat says `put wc4`, `put bc4` (again to move a stone) and `done`, then Black's seat
    # says `take white` or `take black`, and White moves next. Who takes White there has swapped
    # sides.

    def pie_follows(self, position: Position) -> bool:
        """True while White sets up."""
        return position.phase == SETTING

    def _is_pie_word(self, text: str) -> bool:
        """True if this is a word of the pie, said at the right time or not."""
        return text in (DONE, TAKE_WHITE, TAKE_BLACK) or self._put(text) is not None

    def _pie_words(self, position: Position, side: int) -> tuple[str, ...]:
        """The words of the pie that `side` may say now."""
        if position.phase == SETTING and side == WHITE:
            puts = tuple(move.text for move in self._pie_puts(position))
            return (*puts, DONE) if self._complete(position) else puts
        if position.phase == CHOOSING and side == BLACK:
            return (TAKE_WHITE, TAKE_BLACK)
        return ()

    def _pie_puts(self, position: Position) -> list[Move]:
        """`put` for each colour and empty cell."""
        stones = self.stones(position)
        return [
            Move(WHITE, f"put {letter}{name}")
            for letter in _STONE
            for cell, name in enumerate(self.grid.names)
            if stones[cell] == 0
        ]

    def _pie_refusal(self, position: Position, side: int, move: Move) -> Refusal | None:
        """Reason why this word of the pie may not be said by `side` now."""
        put = self._put(move.text)
        if position.phase != (SETTING if put or move.text == DONE else CHOOSING):
            return Refusal("control.not-now", params=(("word", move.text),))
        if side != (WHITE if position.phase == SETTING else BLACK):
            return Refusal("control.not-your-turn")
        if put is not None and self.stones(position)[put[1]] != 0:
            return Refusal("control.occupied", (put[1],))
        if move.text == DONE and not self._complete(position):
            return Refusal("control.pie-incomplete")
        return None

    def _play_pie_word(self, position: Position, move: Move) -> Position:
        """The position after a word of the pie that is allowed."""
        put = self._put(move.text)
        if put is not None:
            stones = list(position.state)
            for cell, _, after in self._pie_effects(position, move):
                stones[cell] = 0 if after == Kind.EMPTY else put[0]
            return replace(position, state=tuple(stones))
        if move.text == DONE:
            return replace(position, phase=CHOOSING)
        return replace(position, phase="play", extra=(0, int(move.text == TAKE_WHITE)))

    def _pie_effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """`put` sets a stone, taking it from where it was; other words change no cell."""
        put = self._put(move.text)
        if put is None:
            return ()
        stone, cell = put
        kind = _KIND[stone]
        stones = self.stones(position)
        if stone in stones:
            return ((stones.index(stone), kind, Kind.EMPTY), (cell, Kind.EMPTY, kind))
        return ((cell, Kind.EMPTY, kind),)

    def _put(self, text: str) -> tuple[int, int] | None:
        """(stone, cell) of `put wc4`, or None when it is no such word."""
        if (
            not text.startswith("put ")
            or text[4:5] not in _STONE
            or text[5:] not in self.grid.names
        ):
            return None
        return _STONE[text[4]], self.grid.cell(text[5:])

    def _complete(self, position: Position) -> bool:
        return 1 in self.stones(position) and -1 in self.stones(position)

    # Why a move of Control is not allowed: the rule, and the stones that prove it

    def _no_stop(self, position: Position, side: int) -> Refusal | None:
        if position.phase != "play":
            return Refusal("control.not-now", params=(("word", "stop"),))
        if side in self.offers(position):
            return Refusal("control.already-offered")
        return None

    def _no_placement(self, position: Position, side: int, cell: int) -> Refusal | None:
        stones = self.stones(position)
        if stones[cell] != 0:
            return Refusal("control.occupied", (cell,))
        if not any(stones):
            if self.opening == "perimeter" and cell not in self.grid.perimeter:
                return Refusal("control.opening-perimeter", self.grid.perimeter)
            return None
        own, enemy, proof = self._seen(position, side, cell)
        if enemy > own:
            return Refusal("control.enemy-cell", proof, (("enemy", enemy), ("own", own)))
        return None

    def _no_removal(self, position: Position, side: int, cell: int) -> Refusal | None:
        stone = self.stones(position)[cell]
        if stone == 0:
            return Refusal("control.empty-cell", (cell,))
        if stone == (1 if side == WHITE else -1):
            return Refusal("control.own-stone", (cell,))
        own, enemy, proof = self._seen(position, side, cell)
        if own <= enemy:
            return Refusal("control.not-yours-to-remove", proof, (("enemy", enemy), ("own", own)))
        return None

    def _seen(self, position: Position, side: int, cell: int) -> tuple[int, int, tuple[int, ...]]:
        """Stones of `side` and of the enemy that a cell sees: both counts, and the cells of all of
        them."""
        stones = self.stones(position)
        proof = seen_from(self.grid, stones, cell, sight=self.sight)
        sign = 1 if side == WHITE else -1
        own = sum(stones[c] == sign for c in proof)
        return own, len(proof) - own, proof

    # Setting up a position of Control, and telling those that no game reaches
    #
    # Every action gains its side one stone or costs the other one, so the difference of the
    # stones tells whose turn it is.

    def _actions_left(self, white: int, black: int, to_move: int) -> int:
        """Actions left in the turn, if these counts may occur with this side to move."""
        ahead = white - black
        side = "side.white" if to_move == WHITE else "side.black"
        if white + black == 0:
            raise ImpossiblePosition("setup.control.empty", side=side)
        if self.actions == 1:
            if ahead != (0 if to_move == WHITE else 1):
                raise ImpossiblePosition(
                    "setup.control.counts", white=white, black=black, side=side
                )
            return 1
        if ahead == 0:
            return 1
        if ahead == (-1 if to_move == WHITE else 1):
            return 2
        raise ImpossiblePosition("setup.control.counts-12", white=white, black=black, side=side)

    def _check_opening(self, cells: list[int], white: int, black: int) -> None:
        if self.opening == "perimeter" and (white, black) == (1, 0):
            cell = cells.index(1)
            if cell not in self.grid.perimeter:
                raise ImpossiblePosition("setup.control.perimeter", cell=self.grid.names[cell])
