"""Tokyo Doves as the table sees it: options, positions, actions and words, set-up, what cells mean.

The grid is the frame of 6×6 cells that moves along with the doves; whatever lays it on a board adds
up how it `shift`s. A Position's `state` holds the mover, the place of each dove (8·row + column in
the frame, −1 in hand; by 2·kind + side) and, where a rule remembers them, the keys of all positions
faced, this one last. `extra` belongs to claims. A position that no game reaches is told as such
when it is set up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games import mark_kinds
from lumiban.games.base import (
    Effect,
    Game,
    Kind,
    Mark,
    Move,
    Option,
    Outcome,
    Position,
    Reading,
    Refusal,
    differences,
    read_picture,
)
from lumiban.games.doves import kernel, notation, refusals
from lumiban.games.doves.kernel import (
    BOTHS,
    CELLS,
    ENDED,
    FACED,
    FACES,
    FRAME,
    GREEN_SURROUNDED,
    KINDS,
    MAX_ACTIONS,
    MOVER,
    PLIES,
    RED_CELLS,
    RED_SURROUNDED,
    REMOVES,
    REPETITIONS,
    ROOM,
    SIDE,
    STRONG,
    WEAK,
    WIDEST,
    DovesState,
    adjacent_cells,
    fresh,
    key_of,
    place_in,
    places_in,
)
from lumiban.games.doves.notation import (
    LETTERS,
    MOVE,
    PUT,
    REMOVE,
    action,
    cell_of,
    code_of,
    doves_in,
    place_of,
)
from lumiban.games.types import ImpossiblePosition, MoveEffect, move_effect
from lumiban.grid import RECTANGLE, Grid, rectangle

RED, GREEN = 0, 1
START = (17, 9, *[-1] * 10)
"""The bosses side by side, Green's above."""


class Doves(Game):
    """Tokyo Doves with its options resolved.

    >>> game = Doves()
    >>> position = game.start()
    >>> for text in ("+TE1", "+hN2E1"):
    ...     position = game.play(position, game.parse(position, text))
    >>> game.board_text(position)
    '.h/b./BT'
    >>> game.why_not(position, RED, game.parse(position, "TN2")).rule
    'doves.not-its-way'
    """

    slug: ClassVar[str] = "doves"
    sides: ClassVar[tuple[str, ...]] = ("red", "green")
    accepts: ClassVar[tuple[Option, ...]] = (
        Option("repetition", "strong", ("strong", "normal", "weak", "off")),
        Option("initial", "forbidden", ("forbidden", "allowed")),
        Option("remove", "on", ("on", "off")),
        Option("both", "mover-loses", BOTHS),
        Option("tray", "auto", ("auto", "on", "off")),
    )
    presets: ClassVar[Mapping[str, Mapping[str, int | str]]] = {
        "article": {"repetition": "normal"},
        "people": {"repetition": "weak"},
    }
    """Named sets of options: `Doves(**Doves.presets["article"])`."""
    form_on_board: ClassVar[type[Any]]
    """Lays the game on a board: `DovesOnBoard`, which the package puts here."""

    def __init__(self, **options: int | str) -> None:
        super().__init__(**options)
        self.grid = rectangle(SIDE, SIDE)
        self.repeat = REPETITIONS.index(str(self.options["repetition"]))
        self.spoken_words = (refusals.RESIGN, refusals.CLAIM)
        self._last: tuple[Position, DovesState] | None = None

    # Positions

    def start(self, seed: int = 0) -> Position:
        """The two bosses side by side, Red to move; Tokyo Doves knows no chance."""
        return replace(self.position(START, RED), seed=seed)

    def position(self, doves: Sequence[int], mover: int) -> Position:
        """A position without history, faced now for the first time."""
        bare = Position((mover, *doves))
        if self.repeat < WEAK:
            return bare
        board = self.state(bare).board
        key = key_of(board, mover, self.repeat == STRONG)
        return replace(bare, state=(*bare.state, key))

    def setup(
        self, stones: Mapping[str, Any] | None = None, *, to_move: int | str = RED, **more: Any
    ) -> Position:
        """A position, as `board="b./BA"` or by cells of the frame (name -> letter).

        GameError says what is impossible: a dove alone, more than 4 rows or columns, no boss.

        >>> game = Doves()
        >>> game.board_text(game.setup(board="..t/.MB/HYb/Thy", to_move="red"))
        '..t/.MB/HYb/Thy'
        """
        return self._set_up_position(stones or {}, to_move, more)

    def stones_of(self, position: Position) -> dict[str, Any]:
        """The letter of the dove on each cell of the frame, as `setup` takes it."""
        return {self.grid.names[cell]: letter for cell, letter in self.doves(position).items()}

    def state(self, position: Position) -> DovesState:
        """A fresh State on lists, with all positions faced where they matter to the kernel."""
        mover, *rest = position.state
        return fresh(
            rest[:12],
            mover,
            repeat=self.repeat,
            no_initial=self.options["initial"] == "forbidden",
            remove=self.options["remove"] == "on",
            both=BOTHS.index(str(self.options["both"])),
            faced=rest[12:],
            barred=refusals.barred(position),
        )

    def known(self, position: Position) -> DovesState:
        """The State of a position, to look at and not to change; the last one is kept."""
        if self._last is None or self._last[0] is not position:
            self._last = (position, self.state(position))
        return self._last[1]

    def places(self, position: Position) -> tuple[int, ...]:
        """The place of each dove (8·row + column in the frame, −1 in hand), by 2·kind + side."""
        return position.state[1:13]

    def doves(self, position: Position) -> dict[int, str]:
        """Cell of the frame -> letter of the dove there."""
        return {
            cell_of(place): LETTERS[dove]
            for dove, place in enumerate(self.places(position))
            if place >= 0
        }

    def hand(self, position: Position, side: int) -> tuple[str, ...]:
        """The letters of the doves that a side has in hand."""
        places = self.places(position)
        return tuple(LETTERS[dove] for dove in range(side, 12, 2) if places[dove] < 0)

    def in_hand(self, position: Position) -> tuple[tuple[str, ...], ...]:
        """The letters of the doves in each hand."""
        return tuple(self.hand(position, side) for side in (RED, GREEN))

    def labels(self, position: Position) -> tuple[str, ...]:
        """The letter of the dove on each cell of the frame."""
        doves = self.doves(position)
        return tuple(doves.get(cell, "") for cell in range(CELLS))

    def board_text(self, position: Position) -> str:
        """The board in the form for storage, cropped: `b./BA`."""
        return notation.board_text(self.places(position))

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell of the frame: red doves as white, green as
        black."""
        kinds = [Kind.EMPTY] * CELLS
        for dove, place in enumerate(self.places(position)):
            if place >= 0:
                kinds[cell_of(place)] = _kind(dove % 2)
        return tuple(kinds)

    # Actions and words

    def laid_on(self, grid: Grid) -> Game:
        """Laid on a rectangle, with a tray where there is room and it is wanted; GameError."""
        if grid.shape != RECTANGLE:
            return self
        laid: Game = self.form_on_board(self, grid)
        return laid

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side to move."""
        return () if self.outcome(position) is not None else (position.state[0],)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All actions: puts by dove and cell, moves by dove and cell, removals."""
        if side not in self.movers(position):
            return []
        out = [0] * MAX_ACTIONS
        count = self.known(position).moves(out)
        return [self.move_of(position, code) for code in out[:count]]

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of a kernel's number, noted as seen from the red boss."""
        return notation.stored(position, code)

    def display_text(
        self, position: Position, move: Move, name: Callable[[int], str] | None = None
    ) -> str:
        """A move for people, `Tc2-c5`; `name` names cells of the frame as the board does."""
        return notation.spoken(position, move, name or self.grid.name)

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """`resign` at any time; `claim` when the other side has just repeated a position."""
        if self.outcome(position) is not None:
            return ()
        if side == position.state[0] and refusals.is_claimable(position):
            return (refusals.CLAIM, refusals.RESIGN)
        return (refusals.RESIGN,)

    def parse(
        self,
        position: Position,
        text: str,
        side: int | None = None,
        frame_cell: Callable[[str], int] | None = None,
    ) -> Move:
        """The action that `text` notes in either form, legal or not; IllegalMove if none.

        The case of a dove's letter says whose it is; `side` is that of words. `frame_cell` gives
        the cell of the frame for a board's name, −1 for none.
        """
        word = "".join(text.split()).lower()
        if word in self.spoken_words:
            return Move(position.state[0] if side is None else side, word)
        return notation.parse(position, text, frame_cell or self._frame_cell)

    def _frame_cell(self, name: str) -> int:
        return self.grid.cell(name) if name in self.grid.names else -1

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this action, with the cells that prove it, or None."""
        if self.outcome(position) is not None:
            return Refusal("doves.over")
        if side not in (0, 1):
            return Refusal("doves.not-your-turn")
        if move.text == refusals.RESIGN:
            return None
        if move.text == refusals.CLAIM:
            return self._claim_refusal(position, side)
        if move.is_word or move.code >= REMOVES + 6:
            return Refusal("doves.unreadable", params=(("text", move.text),))
        if side not in self.movers(position) or move.side != side:
            return Refusal("doves.not-your-turn")
        state = self.known(position)
        act, kind, cell = action(move.code)
        if act == PUT:
            broken = refusals.no_put(state.board, kind, cell)
        elif act == MOVE:
            broken = refusals.no_move(state.plan, state.board, kind, cell)
        else:
            broken = self._no_removal(state.board, kind)
        if broken is not None:
            return broken
        return refusals.ban_on(state, move.code)

    def play(self, position: Position, move: Move) -> Position:
        """The position after an action or word; IllegalMove carries the refusal."""
        self.must_allow(position, move)
        history = (*position.history, move)
        if move.text == refusals.RESIGN:
            return replace(position, history=history, over=Outcome(1 - move.side, "resigned"))
        if move.text == refusals.CLAIM:
            return replace(refusals.without_claim(position), history=history)
        known = self.known(position)
        state = DovesState(known.plan, [*known.board], [*known.past], [0] * len(known.scratch))
        if self.repeat > WEAK and len(state.past) <= FACES + state.board[FACED] + 1:
            state = self.state(position)  # with room for further positions
        state.play(move.code)
        state.board[PLIES] = 0  # counted from a position on: a playout stops at a number
        mover, doves = 1 - move.side, places_in(state.board)
        faced = position.state[13:]
        if self.repeat >= WEAK:
            faced = (*faced, key_of(state.board, mover, self.repeat == STRONG))
        after = replace(
            position,
            state=(mover, *doves, *faced),
            history=history,
            extra=refusals.after_claim(position, move.code) if self.repeat == WEAK else (),
        )
        if self.repeat != WEAK:  # there a claim bars actions of this turn alone
            self._last = (after, state)
        return after

    def shift(
        self, position: Position, move: Move, after: Position | None = None
    ) -> tuple[int, int]:
        """By how many (columns, rows) the doves that stay go on in the frame after `move`.

        A cell of the frame before is that many columns to the right and rows down after it.
        `after` is the position after the move, where it is known already.
        """
        acts = self._acting(position, move)
        then = self.places(self.play(position, move) if after is None else after)
        for dove, (was, now) in enumerate(zip(self.places(position), then, strict=True)):
            if dove != acts and was >= 0 and now >= 0:
                return (now & 7) - (was & 7), (now >> 3) - (was >> 3)
        return 0, 0

    def _acting(self, position: Position, move: Move) -> int:
        """The dove (2·kind + side) that a move or the claim of one moves, −1 for none."""
        if move.text == refusals.CLAIM:
            return 2 * action(position.extra[0])[1] + 1 - position.state[0]
        return -1 if move.is_word else 2 * action(move.code)[1] + move.side

    # What it comes to

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """`banned_plies`: plies at which a ban took at least one action; `banned`: actions that
        bans took, over all plies. Actions without bans are those of the same game without them."""
        free = type(self)(**{**self.options, "repetition": "off", "initial": "allowed"})
        position = free.start(positions[0].seed)
        for move in positions[0].history:
            position = free.play(position, free.parse(position, move.text, move.side))
        banned = []
        for here, move in zip(positions, moves, strict=False):
            side = self.to_act(here)
            banned.append(len(free.moves(position, side)) - len(self.moves(here, side)))
            if move.is_word:
                break
            position = free.play(position, free.parse(position, move.text, move.side))
        return {"banned_plies": sum(count > 0 for count in banned), "banned": sum(banned)}

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game: surrounded, own-boss, both-surrounded, no-move or resigned."""
        if position.over is not None:
            return position.over
        state = self.known(position)
        code = state.outcome()
        if code < 0:
            return None
        winner = None if code == 0 else code - 1
        ended = state.board[ENDED]
        if ended == 0:
            return Outcome(winner, "no-move")
        if ended == RED_SURROUNDED + GREEN_SURROUNDED:
            return Outcome(winner, "both-surrounded" if winner is not None else "both-drawn")
        acted = 1 - position.state[0]
        return Outcome(winner, "surrounded" if winner == acted else "own-boss")

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """Each surrounded boss; then with it the doves beside it, then the walls too."""
        if position.over is not None:
            return ()
        ended = self.known(position).board[ENDED]
        pieces, walls = self.pieces(position), set(self.walls(position))
        steps: list[list[Mark]] = [[], [], []]
        for side, bit in ((RED, RED_SURROUNDED), (GREEN, GREEN_SURROUNDED)):
            if not ended & bit:
                continue
            boss = cell_of(self.places(position)[side])
            steps[0].append(Mark(boss, mark_kinds.OWNED, side))
            for cell in self.grid.neighbours[boss]:
                if pieces[cell]:
                    steps[1].append(Mark(cell, mark_kinds.OWNED, int(pieces[cell]) - 1))
                elif cell in walls:
                    steps[2].append(Mark(cell, mark_kinds.WALL))
        return tuple(
            tuple(mark for part in steps[: n + 1] for mark in part)
            for n, part in enumerate(steps)
            if part
        )

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(doves on the board, free sides of the boss) of each side."""
        return tuple(
            (6 - len(self.hand(position, side)), len(self.air(position, side)))
            for side in (RED, GREEN)
        )

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Cells on which the mover may put; from `control` on walls and bosses short of air."""
        if level == "none":
            return ()
        marks: list[Mark] = []
        for side in self.movers(position):
            marks += self._homes(position, side)
        if level == "legal":
            return tuple(marks)
        marks += [Mark(cell, mark_kinds.WALL) for cell in self.walls(position)]
        for side in (0, 1):
            free = self.air(position, side)
            if len(free) <= 1:
                marks.append(Mark(cell_of(self.places(position)[side]), mark_kinds.SHORT, side))
                if level == "coach":
                    marks += [Mark(cell, mark_kinds.SHORT, side) for cell in free]
        return tuple(marks)

    def targets(self, position: Position, cell: int) -> tuple[Mark, ...]:
        """Cells to which the dove on this cell may move, and those that only a ban forbids."""
        letter = self.doves(position).get(cell)
        if letter is None:
            return ()
        kind, side = divmod(LETTERS.index(letter), 2)
        if side not in self.movers(position):
            return ()
        state = self.known(position)
        place = place_of(cell)
        rest = self._occupied(position) & ~(1 << place)
        marks = []
        for to in refusals.cells_of(kernel.targets(state.plan, rest, kind, place)):
            banned = refusals.ban_on(state, code_of(MOVE, kind, to))
            marks.append(
                Mark(to, mark_kinds.LIFT_TARGET if banned is None else mark_kinds.BARRED, side)
            )
        return tuple(marks)

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Wins threatened and averted, air of the bosses, walls."""
        me, other = move.side, 1 - move.side
        after = self.play(position, move)
        if self.outcome(after) is not None:
            return ()
        columns, rows = self.shift(position, move, after)

        def back(cell: int) -> int:
            """The cell of the frame before the action, −1 where that has none."""
            row, column = cell // SIDE - rows, cell % SIDE - columns
            return SIDE * row + column if 0 <= row < SIDE and 0 <= column < SIDE else -1

        effects = []
        wins = self._winning(after, me)
        if wins:
            effects.append(
                move_effect("doves.threatens", _on(back(cell_of(self.places(after)[other]))))
            )
        if self._winning(position, other) and not self._winning(after, other):
            effects.append(move_effect("doves.averts", [cell_of(self.places(position)[me])]))
        for side, more, fewer in ((other, "", "doves.takes-air"), (me, "doves.gives-air", "")):
            was = len(self.air(position, side))
            free = self.air(after, side)
            what = more if len(free) > was else fewer if len(free) < was else ""
            if what:
                effects.append(move_effect(what, _on(*map(back, free)), n=len(free)))
        was_, now = set(self.walls(position)), {back(c) for c in self.walls(after)}
        moved = sorted((now - was_) - {-1})
        if moved:
            effects.append(move_effect("doves.walls", moved))
        elif was_ and not self.walls(after):
            effects.append(move_effect("doves.no-walls", sorted(was_)))
        return tuple(effects)

    # The board's picture

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """Changes, on cells of the frame as it lies before `move`."""
        if move.text == refusals.CLAIM:
            return self._restored(position, move)
        if move.is_word:
            return ()
        act, kind, cell = action(move.code)
        own = _kind(move.side)
        if act == PUT:
            return ((cell, Kind.EMPTY, own),)
        start = cell_of(self.places(position)[2 * kind + move.side])
        if act == REMOVE:
            return ((start, own, Kind.EMPTY),)
        return ((start, own, Kind.EMPTY), (cell, Kind.EMPTY, own))

    def _restored(self, position: Position, claim: Move) -> tuple[Effect, ...]:
        """The last action's effects turned back, on the frame as it lies now."""
        before = self.play(position, claim)
        columns, rows = self.shift(position, claim)
        done = self.effects(before, self.move_of(before, position.extra[0]))
        return tuple((cell - columns - SIDE * rows, now, then) for cell, then, now in done)

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """Meaning of the picture; a dove more, with none lifted, comes from the hand."""
        changes = differences(self, position, sensed)
        if not changes or Kind.EMPTY in changes.values():
            return read_picture(self, position, sensed)
        puts = [
            move
            for side in self.movers(position)
            for move in self.listed_moves(position, side)
            if action(move.code)[0] == PUT
        ]
        return read_picture(self, position, sensed, puts)

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """One dove more is a put, one less a removal, one of each in one colour a move.

        A put that names no dove is taken for the first that is in hand.
        """
        before = self.doves(position)
        gone = [cell for cell, kind in changes.items() if kind == Kind.EMPTY and cell in before]
        come = [cell for cell, kind in changes.items() if kind in (Kind.WHITE, Kind.BLACK)]
        if len(gone) + len(come) != len(changes) or len(gone) > 1 or len(come) > 1:
            return None
        if not gone:
            side = RED if changes[come[0]] == Kind.WHITE else GREEN
            hand = self.hand(position, side)
            return self._noted(PUT, hand[0], come[0], position) if hand else None
        if not come:
            return self._noted(REMOVE, before[gone[0]], 0, position)
        letter = before[gone[0]]
        if changes[come[0]] != _kind(LETTERS.index(letter) % 2):
            return None
        return self._noted(MOVE, letter, come[0], position)

    def _noted(self, act: str, letter: str, cell: int, position: Position) -> Move:
        kind, side = divmod(LETTERS.index(letter), 2)
        return self.noted(act, kind, side, cell, position)

    def noted(self, act: str, kind: int, side: int, cell: int, position: Position) -> Move:
        """The Move of this side's dove by what it does, legal or not."""
        letter = LETTERS[2 * kind + side]
        code = code_of(act, kind, cell)
        mine = self.move_of(position, code)
        return Move(side, mine.text.replace(LETTERS[2 * kind + mine.side], letter, 1), code)

    @property
    def may_repeat(self) -> bool:
        """A position's worth depends on what was faced before, or play may go on for ever."""
        return True

    @property
    def capacity(self) -> tuple[int, int]:
        """The room of a State: actions of a position, plies of a game or its playout."""
        return MAX_ACTIONS, ROOM + 1

    def _no_removal(self, board: Any, kind: int) -> Refusal | None:
        dove = 2 * kind + board[MOVER]
        place = place_in(board, dove)
        if kind == 0:
            return Refusal("doves.boss-stays", (cell_of(place),))
        if place < 0:
            return Refusal("doves.not-on-board", (), refusals.named(dove))
        if self.options["remove"] == "off":
            return Refusal("doves.no-removing", (cell_of(place),))
        rest = (board[RED_CELLS] | board[RED_CELLS + 1]) & ~(1 << place)
        lonely = rest & ~adjacent_cells(rest)
        return refusals.left_alone(lonely) if lonely else None

    # The weak ban: a repetition stands until the other side claims it, before their action
    #
    # A Position under `weak` keeps in `extra` the action just done (−1 when the last thing was no
    # action), how many actions claims have barred in this turn, these, and those that were barred
    # in the turn before; its `state` ends with the keys of all positions faced, this one last.

    def _claim_refusal(self, position: Position, side: int) -> Refusal | None:
        """Reason why `side` may not claim, or None."""
        if self.options["repetition"] != "weak":
            return Refusal("doves.no-claims")
        if side not in self.movers(position):
            return Refusal("doves.not-your-turn")
        if not refusals.is_claimable(position):
            return Refusal("doves.nothing-to-claim")
        return None

    # What cells mean in Tokyo Doves at each hint level: targets, bans, walls, air of a boss

    def _homes(self, position: Position, side: int) -> list[Mark]:
        """Cells on which `side` may put a dove from its hand; a cell is barred when it is so for
        all."""
        state = self.known(position)
        kinds = [KINDS.index(letter.upper()) for letter in self.hand(position, side)]
        if not kinds:
            return []
        marks = []
        for cell in refusals.cells_of(kernel.homes(state.plan, state.board, side)):
            open_to = any(
                refusals.ban_on(state, code_of(PUT, kind, cell)) is None for kind in kinds
            )
            marks.append(Mark(cell, mark_kinds.MAY_PLACE if open_to else mark_kinds.BARRED, side))
        return marks

    def walls(self, position: Position) -> tuple[int, ...]:
        """The cells of the frame that are wall now."""
        return refusals.cells_of(kernel.walls(self._occupied(position)))

    def air(self, position: Position, side: int) -> tuple[int, ...]:
        """The free sides of a boss: cells beside it without dove or wall."""
        board = self.known(position).board
        occupied = self._occupied(position)
        beside = kernel.edge(1 << place_in(board, side)) & FRAME
        return refusals.cells_of(beside & ~occupied & ~kernel.walls(occupied))

    def _occupied(self, position: Position) -> int:
        board = self.known(position).board
        word: int = board[RED_CELLS] | board[RED_CELLS + 1]
        return word

    # What an action of Tokyo Doves does: wins threatened and averted, air, walls

    def _winning(self, position: Position, side: int) -> bool:
        """True if `side` would win with its next action if it were to move."""
        root = self.state(self.position(self.places(position), side))
        state, out = self.state(self.position(self.places(position), side)), [0] * MAX_ACTIONS
        for code in out[: root.moves(out)]:
            state.assign(root)
            state.play(code)
            if state.outcome() == side + 1:
                return True
        return False

    # Setting up a position of Tokyo Doves, and telling those that no game reaches

    def _set_up_position(
        self, stones: Mapping[str, int | str], to_move: int | str, more: Mapping[str, object]
    ) -> Position:
        """The position with these doves; GameError says why there is none."""
        strange = sorted(set(more) - {"board"})
        if strange:
            raise GameError(f"doves sets up a board and to_move only, not {', '.join(strange)}")
        side = self._side(to_move)
        board = more.get("board")
        if board is not None:
            if stones:
                raise GameError("give the doves either as a board or by cells, not both")
            at = doves_in(str(board))
        else:
            at = _by_cells(stones)
        top, left = _checked(at)
        doves = [-1] * 12
        for letter, (r, c) in at.items():
            doves[LETTERS.index(letter)] = 8 * (r - top + 1) + c - left + 1
        if self.options["initial"] == "forbidden" and len(at) == 2 and side == 1:
            (r, c), (s, d) = at.values()
            if abs(r - s) + abs(c - d) == 1:
                raise ImpossiblePosition("setup.doves.initial")
        return self.position(doves, side)

    def _side(self, to_move: int | str) -> int:
        if to_move in self.sides:
            return self.sides.index(str(to_move))
        if to_move not in (0, 1) or isinstance(to_move, bool):
            raise GameError(f"to_move is red (0) or green (1), not {to_move!r}")
        return int(to_move)


def _on(*cells: int) -> list[int]:
    return [cell for cell in cells if 0 <= cell < CELLS]


def _kind(side: int) -> Kind:
    return Kind.WHITE if side == RED else Kind.BLACK


_ANY_BOARD = rectangle(15, 15)
"""Only where the doves stand towards each other matters: cells of any board will do."""


def _by_cells(stones: Mapping[str, int | str]) -> dict[str, tuple[int, int]]:
    """Row and column of each dove, from cell name -> letter."""
    at: dict[str, tuple[int, int]] = {}
    for name, letter in stones.items():
        column, row = _ANY_BOARD.cells[_ANY_BOARD.cell(name)]
        if not isinstance(letter, str) or len(letter) != 1 or letter not in LETTERS:
            raise GameError(f"on {name} stands a dove, one of {LETTERS}, not {letter!r}")
        if letter in at:
            raise ImpossiblePosition("setup.doves.twice", dove=letter, cell=name)
        at[letter] = (row, column)
    return at


def _checked(at: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The first row and column in use, when these doves may stand like this."""
    for boss, side in (("B", "side.red"), ("b", "side.green")):
        if boss not in at:
            raise ImpossiblePosition("setup.doves.no-boss", side=side, dove=boss)
    rows = [r for r, _ in at.values()]
    columns = [c for _, c in at.values()]
    for lines, what in ((rows, "rows"), (columns, "columns")):
        spread = max(lines) - min(lines) + 1
        if spread > WIDEST:
            raise ImpossiblePosition(f"setup.doves.{what}", spread=spread)
    for letter, (r, c) in at.items():
        if not any(
            max(abs(r - s), abs(c - d)) == 1 for other, (s, d) in at.items() if other != letter
        ):
            raise ImpossiblePosition("setup.doves.alone", dove=letter)
    return min(rows), min(columns)
