"""A game in plain Python: its designer says what the rule is, and all the rest follows.

    class Snort(SimpleGame):
        sizes = (4, 3, 5)

        def may_place(self, board: GridView, side: int, cell: int) -> bool | Refusal:
            return not board.touching(cell, 1 - side)

That is a whole game: moves, notation, reading the board, refusals, lights, set-up and the bots'
State come from here. By default sides take turns, a stone goes on any empty cell, nothing is
lifted, nobody passes, and who cannot move loses. A rule looks at a `GridView` and at what a side
does on it (`Act`). docs/guide/my-rule.md has all the words; `./run new-game` writes a file that
shows the most used ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, ClassVar

from lumiban import i18n
from lumiban.errors import GameError, RuleError
from lumiban.games import deciding_cells, mark_kinds
from lumiban.games.act import (
    BLOCK,
    GROW,
    LEND,
    LIFT,
    ON_CELLS,
    PASS,
    PLACE,
    REPLACE,
    SAY,
    SLIDE,
    Act,
    Notation,
    act_of,
    first_code,
)
from lumiban.games.base import (
    BLACK,
    NEUTRAL,
    WHITE,
    Complete,
    Effect,
    IllegalMove,
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
    by_pieces,
    differences,
    read_picture,
)
from lumiban.games.grid_view import EMPTY, Board, GridView, Kept
from lumiban.games.rule_names import check_names
from lumiban.games.shapes import turned
from lumiban.games.simple_rule import Change, SimpleRule, Start
from lumiban.games.simple_state import SimpleState, note_draws
from lumiban.games.types import MAX_NAMED
from lumiban.grid import Grid

__all__ = ["EMPTY", "Act", "Board", "Change", "GridView", "SimpleGame", "Start"]

RESIGN, STOP = "resign", "stop"
TAKE = ("take white", "take black")
"""Words by which a pie is answered."""
_COLOURS = ("white", "black", "red")
SETTING, CHOOSING = "set", "choosing"
"""Phases in which a pie is set up by words, and in which it is answered."""
MAX_MOVES_PER_CELL = 4
"""Moves a cell after which a game is drawn, where it does not say itself."""
_UNSAID = Refusal("simple.no-place")
"""Every refusal of a rule while a search asks: nobody reads it."""
_KNOWN = 4
"""Positions whose board a game remembers."""
_MAKES = {PLACE: None, REPLACE: None, LIFT: EMPTY, BLOCK: NEUTRAL}
"""What an act alone leaves on its cell, None for a stone of who acts."""


class SimpleGame(SimpleRule):
    """A game of two sides in plain Python; override what your rule changes.

    >>> class Gap(SimpleGame):
    ...     slug = "gap"
    ...     def may_place(self, board, side, cell):
    ...         return not board.touching(cell, side)
    >>> game = Gap(size=2)
    >>> position = game.play(game.start(), game.parse(game.start(), "b2"))
    >>> [str(move) for move in game.moves(position, BLACK)]
    ['c1', 'c2', 'b1', 'b3', 'a1', 'a2']
    """

    _view: ClassVar[type[GridView]] = GridView
    _seen: tuple[tuple[Position, GridView], ...] = ()
    kinds_a_cell: int
    places: int
    slots: range
    slot_cells: list[int]
    asked_at: tuple[list[list[Any]], ...]
    _agreed: tuple[GridView | None, Outcome | None] = (None, None)

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        check_names(cls, SimpleGame)
        if "accepts" not in vars(cls) and ("sizes" in vars(cls) or not cls.accepts):
            cls.accepts = (Option("size", cls.sizes[0], tuple(sorted(cls.sizes))),)
        if cls.may_block is not SimpleGame.may_block:
            cls.kinds = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)
        names = (*cls.cell_memory, *cls.memory)
        if names:
            inside = {
                "__slots__": names,
                "memory_names": tuple(cls.memory),
                "cell_memory_names": tuple(cls.cell_memory),
            }
            cls._view = type("GridView", (GridView,), inside)

    def __init__(self, **options: int | str) -> None:
        super().__init__(**options)
        self.grid = self.make_grid(int(self.options.get("size", self.sizes[0])))
        if not isinstance(self.grid, Grid):
            raise RuleError(f"{type(self).__name__}.make_grid says {self.grid!r}: a Grid")
        kind = type(self)
        self._lifts = kind.may_lift is not SimpleGame.may_lift
        self._blocks = kind.may_block is not SimpleGame.may_block
        self._lends = kind.may_lend is not SimpleGame.may_lend
        self._slides = kind.slides is not SimpleGame.slides
        self._replaces = kind.may_replace is not SimpleGame.may_replace
        self._grows = kind.may_grow is not SimpleGame.may_grow
        passes = kind.may_pass is not SimpleGame.may_pass
        self.said = (*((PASS,) if passes else ()), *self.spoken)
        """Acts without a stone."""
        self._ends = kind.ended is not SimpleGame.ended
        self._follows = kind.then is not SimpleGame.then
        self._sets = bool(self.spoken) and kind.then_said is not SimpleGame.then_said
        self._remembers = kind.remember is not SimpleGame.remember
        self._turns = kind.next_side is not SimpleGame.next_side
        self._stops = kind.agreed is not SimpleGame.agreed
        self._notation = Notation(
            self.grid, self.said, replaces=self._replaces, lifts=self._lifts, written=self.written
        )
        cells = len(self.grid)
        self._firsts = {do: first_code(do, cells) for do in (*ON_CELLS, SAY)}
        self._cells = frozenset(range(cells))
        self._acts: dict[int, Act] = {}
        self._moves = [Kept(partial(self._move, side)) for side in (WHITE, BLACK)]
        """By side and number of an act the moves, each made once."""
        self._final: tuple[Position, tuple[tuple[Mark, ...], ...]] | None = None
        self._places = [self.act(cell) for cell in range(len(self.grid))]
        self._asked = {
            PLACE: self.may_place,
            LIFT: self.may_lift,
            BLOCK: self.may_block,
            REPLACE: self.may_replace,
            GROW: self.may_grow,
            LEND: self.may_lend,
        }
        own = kind.__mro__[: kind.__mro__.index(SimpleGame)]
        for name in (name for one in own for name in vars(one) if name in self.__dict__):
            word = f"{kind.__name__}.{name}"
            raise RuleError(f"{word} is SimpleGame's own: choose another name", word=word)

    @property
    def _most(self) -> int:
        """Moves of the longest game."""
        return self.longest or MAX_MOVES_PER_CELL * len(self.grid)

    def has_move(self, board: GridView, side: int) -> bool:
        """True if `side` has an act with a stone."""
        return self._first(board, side)

    # What follows from it: acts

    def act(self, code: int) -> Act:
        """The act with this number."""
        act = self._acts.get(code)
        if act is None:
            act = self._acts[code] = act_of(code, len(self.grid), self.said)
        return act

    def _candidates(self, board: GridView, side: int) -> Iterator[tuple[str, list[int]]]:
        """Kinds of acts on one cell, each with the cells that it may concern, by number."""
        yield PLACE, board.of(EMPTY)
        if self._lifts:
            yield LIFT, [cell for cell, holds in enumerate(board) if holds != EMPTY]
        if self._blocks:
            yield BLOCK, board.of(EMPTY)
        if self._replaces:
            yield REPLACE, board.of(1 - side) + board.of(NEUTRAL)
        if self._grows:
            yield GROW, board.of(side)
        if self._lends:
            yield LEND, board.of(EMPTY)

    def codes(self, board: GridView) -> list[int]:
        """All acts of the mover as numbers; the game must not be over."""
        side = board.mover
        found, quietly = [], self.searching._asked
        for do, where in self._candidates(board, side):
            ask, first = quietly[do], self._firsts[do]
            found += [first + cell for cell in where if ask(board, side, cell) is True]
        if self._slides:
            found += [first + to for first, ends in self.slid(board, side) for to in ends]
        if self.said:
            first = self._firsts[SAY]
            found += [
                first + at
                for at, word in enumerate(self.said)
                if self._may_say(board, side, word) is True
            ]
        if self.repetition == "forbidden":
            found = [code for code in found if not self._repeats(board, code)]
        return found

    def slid(self, board: GridView, side: int) -> list[tuple[int, list[int]]]:
        """All slides of a side: number of those from a cell to the first one, where they go."""
        cells, slides = len(self.grid), self.slides
        rows = []
        for start in board.of(side):
            to = list(dict.fromkeys(slides(board, side, start)))
            if to and not self._cells.issuperset(to):
                raise RuleError(
                    f"{type(self).__name__}.slides says {to!r}: cells are numbers from 0 to"
                    f" {cells - 1}"
                )
            rows.append(((3 + start) * cells, to))
        return rows

    def _first(self, board: GridView, side: int) -> bool:
        """True if `side` has an act with a stone; the first one that is found will do."""
        if self.repetition == "forbidden":
            words = self._firsts[SAY]
            return side == board.mover and any(code < words for code in self.codes(board))
        for do, where in self._candidates(board, side):
            ask = self._asked[do]
            for cell in where:
                if ask(board, side, cell) is True:
                    return True
        return self._slides and any(
            True for start in board.of(side) for _ in self.slides(board, side, start)
        )

    def _any(self, board: GridView) -> bool:
        """True if the mover has any act."""
        if self._first(board, board.mover):
            return True
        said = (self._may_say(board, board.mover, word) is True for word in self.said)
        return any(said)

    def _may_say(self, board: GridView, side: int, word: str) -> bool | Refusal:
        return self.may_pass(board, side) if word == PASS else self.may_say(board, side, word)

    def _repeats(self, board: GridView, code: int) -> bool:
        """True if an act brings a position back."""
        after = board.copied()
        self.apply(after, code)
        return after.content() in after.past

    def apply(self, board: GridView, code: int) -> None:
        """Do a legal act on a board."""
        act, side = self._acts.get(code) or self.act(code), board.mover
        if self.repetition:
            board.past |= {board.content()}
        do, cell = act.do, act.cell
        if do == PLACE:
            board.put(cell, side)
        elif do == SLIDE:
            if board[act.start] != side or board[cell] != EMPTY:
                names = self.grid.names
                raise RuleError(
                    f"{type(self).__name__}.slides says from {names[act.start]} to {names[cell]}: a"
                    " stone goes to empty cells, by their numbers"
                )
            board.put(act.start, EMPTY)
            board.put(cell, side)
        elif do == BLOCK:
            board.put(cell, NEUTRAL)
        elif do == LEND:
            board.put(cell, 1 - side)
        elif do == LIFT:
            board.put(cell, EMPTY)
        elif do != SAY:
            board.put(cell, side)
        board.looked = None
        sets = self._sets and do == SAY
        if self._follows or sets:
            changes = self.then_said(board, side, act) if sets else self.then(board, side, act)
            try:
                for also, holds in changes.items():
                    board.put(also, holds)
            except (AttributeError, IndexError, TypeError, ValueError) as error:
                raise RuleError(
                    f"{type(self).__name__}.then says {changes!r}: it is a dict of cells by number,"
                    " {act.cell: WHITE}, or an empty one"
                ) from error
            except RuleError as error:
                raise RuleError(f"{type(self).__name__}.then: {error}") from error
        if self._remembers:
            self._keep(board, self.remember(board, side, act))
        board.passes = board.passes + 1 if act.word == PASS else 0
        board.played += 1
        board.code = code if self.keeps_last else -1
        turns = self._turns or self.sets_up
        board.mover = self.next_side(board, side, act) if turns else 1 - side
        if board.mover not in (WHITE, BLACK):
            raise RuleError(f"{type(self).__name__}.next_side says {board.mover!r}: WHITE or BLACK")

    def _keep(self, board: GridView, what: Change) -> None:
        """Let the board remember these numbers."""
        for name, value in what.items():
            if name in self.memory and isinstance(value, int):
                setattr(board, name, int(value))
            elif name in self.cell_memory and isinstance(value, Mapping):
                numbers = list(getattr(board, name))
                for cell, number in value.items():
                    if not isinstance(number, int) or cell not in self._cells:
                        raise RuleError(
                            f"{type(self).__name__}.remember says {name!r} {cell!r} as {number!r}:"
                            f" a cell is a number from 0 to {len(numbers) - 1}, and it has an int"
                        )
                    numbers[cell] = number
                setattr(board, name, tuple(numbers))
            else:
                known = ", ".join((*self.memory, *self.cell_memory)) or "nothing"
                near = get_close_matches(name, (*self.memory, *self.cell_memory))
                meant = f" (did you mean {near[0]!r}?)" if near and near[0] != name else ""
                raise RuleError(
                    f"{type(self).__name__} can remember {known}, and not {name!r} as {value!r}"
                    f"{meant}: a number of memory is an int, one of cell_memory a {{cell: int}}"
                )

    def verdict(self, board: GridView) -> Outcome | None:
        """Outcome without a look at the moves: by the rule, by passes, by the game's length."""
        over = self.ended(board) if self._ends else None
        if over is not None and not isinstance(over, Outcome):
            raise RuleError(
                f"{type(self).__name__}.ended says {over!r}: it is self.win(side), self.draw() or"
                " None to go on"
            )
        if over is None and self.said and 0 < self.passes_to_end <= board.passes:
            over = self.passed_out(board)
        if over is None and self.repetition == "draw" and board.content() in board.past:
            over = self.repeated(board)
        if over is None and board.played >= self._most:
            return Outcome(None, "simple.too-long")
        return over

    def look(self, board: GridView) -> tuple[Outcome | None, list[int]]:
        """(outcome, acts of the mover): found once for each board."""
        if board.looked is None:
            over = self.verdict(board)
            codes = [] if over is not None else self.codes(board)
            if over is None and not codes:
                self._asks_plainly(board)
                over = self.stuck(board)
                if not isinstance(over, Outcome):
                    raise RuleError(
                        f"{type(self).__name__}.stuck says {over!r}: it is self.win(side) or"
                        " self.draw()"
                    )
            board.looked = (over, codes)
        known: tuple[Outcome | None, list[int]] = board.looked
        return known

    def _asks_plainly(self, board: GridView) -> None:
        """RuleError where no act is allowed since an answer is neither True nor False."""
        side = board.mover
        for do, where in self._candidates(board, side):
            for cell in where:
                self._answer(self._asked[do](board, side, cell), do)
        for word in self.said:
            self._answer(self._may_say(board, side, word), PASS if word == PASS else SAY)

    def grid_view(self, position: Position) -> GridView:
        """A position as the rule sees it."""
        for known, view in self._seen:
            if known is position:
                return view
        view = self._made(position)
        self._seen = ((position, view), *self._seen[: _KNOWN - 1])
        return view

    def _made(self, position: Position) -> GridView:
        view = self._view(self.grid, position.state, position.played)
        view.words, view.acts = self.said, self._acts
        view.past = frozenset(position.extra[2:])
        return view

    # What follows: positions and moves

    def start(self, seed: int = 0) -> Position:
        """The first position."""
        try:
            bare = self._set(self.opening(), WHITE, self.at_start(seed))
        except RuleError:
            raise
        except GameError as error:  # a cell that there is not, or a stone
            raise RuleError(f"{type(self).__name__}.opening: {error}") from error
        phase = SETTING if isinstance(self.pie, str) else "play"
        return replace(bare, seed=seed, phase=phase, extra=(-1 if self.pie else 0, 0), played=0)

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """A position with these stones (cell name -> WHITE, BLACK or NEUTRAL) and, by name, what
        is remembered, as `at_start` says it; GameError."""
        known = (*self.memory, *self.cell_memory)
        if strange := [name for name in more if name not in known]:
            also = "".join(f", {name}" for name in known)
            raise GameError(
                f"only stones and to_move{also} are set up, not {', '.join(sorted(strange))}"
            )
        if not (stones or more or to_move or self.opening()):
            return self.start()
        position = self._set(stones, to_move, {**self.at_start(0), **more})
        board = self.grid_view(position)
        told = {name: value for name, value in self.at_setup(board).items() if name not in more}
        mover = told.pop("mover", to_move)
        self._keep(board, told)
        state = (*board.numbers(passes=bool(self.said))[:-2], mover, board.code)
        return replace(position, state=state)

    def _set(self, stones: Mapping[str, int], to_move: int, kept: Mapping[str, Any]) -> Position:
        if to_move not in (WHITE, BLACK):
            raise GameError(f"to_move is 0 (White) or 1 (Black), not {to_move!r}")
        holds = [EMPTY] * len(self.grid)
        for name, side in stones.items():
            if side not in [kind - 1 for kind in self.kinds]:
                two, three = "0 (White) or 1 (Black)", "0 (White), 1 (Black) or 2"
                sides = three if Kind.NEUTRAL in self.kinds else two
                raise GameError(f"on {name} stands {sides}, not {side!r}")
            holds[self.grid.cell(name)] = side
        known = (*self.memory, *self.cell_memory)
        if strange := [name for name in kept if name not in known]:
            raise RuleError(
                f"{type(self).__name__}.at_start says {strange[0]!r}, which is in neither memory"
                " nor cell_memory"
            )
        remembered: list[int] = []
        for name, usual in self.cell_memory.items():
            numbers = [usual] * len(self.grid)
            for cell, number in dict(kept.get(name, {})).items():
                numbers[self.grid.cell(cell)] = number
            remembered += numbers
        remembered += [int(kept.get(name, usual)) for name, usual in self.memory.items()]
        if self.said:
            remembered.append(0)
        # A set-up counts as moves, as if each stone had been placed.
        played = min(max(len(stones), self.sets_up), self._most - 1)
        return Position((*holds, *remembered, to_move, -1), extra=(0, 0), played=played)

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell."""
        kinds = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL, Kind.EMPTY)  # EMPTY is −1
        return tuple([kinds[holds] for holds in position.state[: len(self.grid)]])

    def numbers(self, position: Position) -> tuple[str, ...]:
        """The number on each cell that players see (`shows`), or its sign."""
        if not self.shows:
            return ()
        signs = {0: "", **self.signs}
        return tuple(signs.get(n, str(n)) for n in getattr(self.grid_view(position), self.shows))

    def pieces_owed(self, position: Position) -> tuple[tuple[Kind, int], ...]:
        """Stones that the present turn still needs."""
        board = self.grid_view(position)
        owed = 0 if self.outcome(position) is not None else self.owes(board)
        counts = owed if isinstance(owed, tuple) else (owed,)
        if not all(isinstance(count, int) for count in counts):
            raise RuleError(f"{type(self).__name__}.owes says {owed!r}: it is a number of stones")
        kinds = (Kind(board.mover + 1), Kind.NEUTRAL)
        return tuple((kind, count) for kind, count in zip(kinds, counts, strict=False) if count)

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game, or None while it runs."""
        if position.over is not None or position.phase == CHOOSING:
            return position.over
        return self.look(self.grid_view(position))[0]

    def pie_follows(self, position: Position) -> bool:
        """True until the pie is asked."""
        return position.extra[:1] == (-1,) and position.phase != CHOOSING

    def swapped(self, position: Position) -> bool:
        """True if the player who answered the pie took the side that began."""
        return position.extra[:1] == (1,)

    def offers(self, position: Position) -> tuple[int, ...]:
        """Sides that have said `stop` since the last act."""
        offered = position.extra[1] if len(position.extra) > 1 else 0
        return tuple(side for side in (WHITE, BLACK) if offered >> side & 1)

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, points) of each side, where the rule counts points."""
        if type(self).points is SimpleGame.points:
            return ()
        board = self.grid_view(position)
        points = self.points(board)
        return tuple((board.count(side), int(points[side])) for side in (WHITE, BLACK))

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The points, where they decided."""
        over = self.outcome(position)
        if over is None or over.reason != "simple.points":
            return super().final_counts(position)
        white, black = (points for _, points in self.scores(position))
        return (white, black) if white != black else None

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """What the rule says that decided; its light belongs to its stones' sides."""
        over = self.outcome(position)
        if over is None or over.reason == "resigned":
            return ()
        if over.reason in self.by_groups:
            return super().final_steps(position)
        known = self._final
        if known is None or known[0] is not position:
            board = self.grid_view(position)
            steps = deciding_cells.marked(self, board, over, self.decided(board, over))
            known = self._final = (position, steps)
        return known[1]

    def movers(self, position: Position) -> tuple[int, ...]:
        """The side to move; in a pie the one that chooses."""
        if self.outcome(position) is not None:
            return ()
        return (BLACK,) if position.phase == CHOOSING else (self.grid_view(position).mover,)

    def moves(self, position: Position, side: int) -> list[Move]:
        """All acts with stones: placements, lifts, neutral stones, slides, each by cell."""
        board = self.grid_view(position)
        if position.over is not None or position.phase == CHOOSING or side != board.mover:
            return []
        words, made = self._firsts[SAY], self._moves[side]
        return [made[code] for code in self.look(board)[1] if code < words]

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """Acts without a stone and a pie's answers, for who may say them; `stop` where the rule has
        an end for it (`agreed`), `resign` at any time."""
        if self.outcome(position) is not None:
            return ()
        if position.phase == CHOOSING:
            return (*TAKE, RESIGN) if side == BLACK else (RESIGN,)
        board = self.grid_view(position)
        words = (RESIGN,) if self._no_stop(position, side) else (STOP, RESIGN)
        if not self.said or side != board.mover:
            return words
        acts = map(self.act, self.look(board)[1])
        return (*(act.word for act in acts if act.do == SAY), *words)

    def _no_stop(self, position: Position, side: int) -> Refusal | None:
        """Why a side may not say `stop`."""
        if not self._stops or position.phase != "play":
            return self._refusal("not-now", word=STOP)
        if side in self.offers(position):
            return self._refusal("already-offered")
        board = self.grid_view(position)
        if self._agreed[0] is not board:
            self._agreed = board, self.agreed(board)
        return self._refusal("no-stop") if self._agreed[1] is None else None

    def _refusal(self, rule: str, *cells: int, **params: str | int) -> Refusal:
        """A refusal that every game knows: in the game's own sentence `refusal.<rule>`, if it has
        one."""
        own = f"{self.slug}.{rule}"
        name = own if i18n.has(f"refusal.{own}") else f"simple.{rule}"
        return Refusal(name, cells, tuple(sorted(params.items())))

    def move_of(self, position: Position, code: int) -> Move:
        """The Move of an act's number."""
        return self._moves[self.grid_view(position).mover][code]

    def _move(self, side: int, code: int) -> Move:
        return self.noted(side, self.act(code))

    def noted(self, side: int, act: Act) -> Move:
        """An act as a Move."""
        if act.do == SAY:
            return Move(side, act.word)
        return Move(side, self._notation.text(act), act.code(len(self.grid), self.said))

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, legal or not; IllegalMove when it notes none."""
        noted = " ".join(text.lower().split())
        choosing = position.phase == CHOOSING
        if side is None:
            side = BLACK if choosing else self.grid_view(position).mover
            if noted == STOP and side in self.offers(position):
                side = 1 - side
        if noted == RESIGN or (self.pie and noted in TAKE) or (self._stops and noted == STOP):
            return Move(side, noted)
        act = self._notation.act(noted) or self._told(position, noted, side)
        if act is not None:
            return self.noted(side, act)
        words = ", ".join(self.words(position, side)[-MAX_NAMED:])
        refusal = self._refusal("unreadable", text=text)
        raise IllegalMove(f"{i18n.text(refusal.text_id, text=text)} ({words})", refusal)

    def _told(self, position: Position, noted: str, side: int) -> Act | None:
        """The act that a page tells by the stone's colour: `red c4`."""
        colour, _, cell = noted.partition(" ")
        if colour not in _COLOURS or cell not in self.grid.names:
            return None
        holds = _COLOURS.index(colour)
        does = PLACE if holds == side else BLOCK if holds == NEUTRAL else LEND
        return Act(does, self.grid.cell(cell))

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """The rule that forbids `side` this move, or None when it may be made."""
        if self.outcome(position) is not None:
            return self._refusal("over")
        if move.text == RESIGN and side in (WHITE, BLACK):
            return None
        if move.is_word and move.text == STOP and move.text not in self.said:
            return self._no_stop(position, side)
        if move.is_word and move.text in TAKE:
            if position.phase != CHOOSING:
                return self._refusal("not-now", word=move.text)
            return None if side == BLACK else self._refusal("not-your-turn")
        if position.phase == CHOOSING:
            return self._refusal("choose-first")
        cells, board = len(self.grid), self.grid_view(position)
        if move.is_word and move.text in self.said:
            code = self._code_of(move)
        elif not 0 <= move.code < first_code(SAY, cells):
            return self._refusal("unreadable", text=move.text)
        else:
            code = move.code
        if side != board.mover or move.side != side:
            return self._refusal("not-your-turn", *sorted(self.of_turn(position)))
        refusal = self._forbids(board, side, self.act(code))
        if refusal is None and self.repetition == "forbidden" and self._repeats(board, code):
            return self._refusal("repeats")
        return refusal

    def of_turn(self, position: Position) -> list[int]:
        """The cells of the acts that the mover has made in this turn, the last one first, as far as
        the history reaches."""
        mover = self.grid_view(position).mover
        acts = [move for move in position.history if not move.is_word]
        turn = takewhile(lambda move: move.side == mover, reversed(acts))
        return [self.act(move.code).cell for move in turn]

    def _code_of(self, move: Move) -> int:
        """The number of a move's act."""
        if not move.is_word:
            return move.code
        return Act(SAY, -1, word=move.text).code(len(self.grid), self.said)

    def _forbids(self, board: GridView, side: int, act: Act) -> Refusal | None:
        if act.do == SAY:
            do = PASS if act.word == PASS else SAY
            return self._answer(self._may_say(board, side, act.word), do)
        holds = board[act.cell]
        if act.do == SLIDE:
            if board[act.start] != side:
                return self._refusal("not-yours", act.start)
            if holds != EMPTY:
                return self._refusal("occupied", act.cell)
            reached = act.cell in self.slides(board, side, act.start)
            return None if reached else self._refusal("no-slide", act.cell)
        if act.do in (LIFT, REPLACE, GROW) and holds == EMPTY:
            return self._refusal("empty-cell", act.cell)
        if act.do in (PLACE, BLOCK, LEND) and holds != EMPTY:
            return self._refusal("occupied", act.cell)
        if act.do == REPLACE and holds == side:
            return self._refusal("occupied", act.cell)
        if act.do == GROW and holds != side:
            return self._refusal("not-yours", act.cell)
        return self._answer(self._asked[act.do](board, side, act.cell), act.do, act.cell)

    def _answer(self, answer: bool | Refusal, do: str, *cells: int) -> Refusal | None:
        """A rule's answer as a refusal; RuleError where it is neither yes, nor no, nor one."""
        if isinstance(answer, Refusal):
            if not all(type(cell) is int and cell in self._cells for cell in answer.cells):
                raise RuleError(
                    f"{type(self).__name__}.may_{do}: self.no names the cells"
                    f" {list(answer.cells)!r}: they are numbers from 0 to {len(self.grid) - 1},"
                    " and a list of them has a star, self.no(…, *cells)"
                )
            return answer
        if answer is not True and answer is not False:
            raise RuleError(
                f"{type(self).__name__}.may_{do} answers {answer!r}: it is True, False or"
                " self.no(…)"
            )
        return None if answer else self._refusal(f"no-{SAY if do == PASS else do}", *cells)

    def play(self, position: Position, move: Move) -> Position:
        """The position after a move or word; IllegalMove carries the refusal."""
        self.must_allow(position, move)
        history = (*position.history, move)
        if move.text == RESIGN:
            return replace(position, history=history, over=Outcome(1 - move.side, "resigned"))
        extra = position.extra or (0, 0)
        if move.text in TAKE:
            took = int(move.text == TAKE[WHITE])
            return replace(position, history=history, phase="play", extra=(took, *extra[1:]))
        if move.text == STOP and STOP not in self.said:
            offered = extra[1] | 1 << move.side
            over = self.agreed(self.grid_view(position)) if offered == 3 else None
            if over is not None and not isinstance(over, Outcome):
                raise RuleError(f"{type(self).__name__}.agreed says {over!r}: it is an outcome")
            extra = (extra[0], 0 if over else offered, *extra[2:])
            return replace(position, history=history, extra=extra, over=over)
        board = self.grid_view(position).copied()
        self.apply(board, self._code_of(move))
        if position.phase == SETTING:
            board.past = frozenset()  # what is set up may be set as before
        pie = self.pie
        asks = extra[:1] == (-1,) and (move.text if isinstance(pie, str) else board.played) == pie
        after = replace(
            position,
            state=board.numbers(passes=bool(self.said)),
            history=history,
            phase=CHOOSING if asks else position.phase,
            extra=(extra[0], 0, *sorted(board.past)),
            played=board.played,
        )
        self._seen = ((after, board), *self._seen[: _KNOWN - 1])
        return after

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Meanings that the rule gives a move (`means`), then the pieces that come and go."""
        after = self.grid_view(self.play(position, move))
        act = self.act(move.code)
        return (*self.means(self.grid_view(position), after, act), *by_pieces(self, position, move))

    # What follows: the board's picture and its lights

    def display_text(self, position: Position, move: Move) -> str:
        """The notation, but for a stone that grows: `c4↑` is stored as `+c4`."""
        act = None if move.is_word else self.act(move.code)
        return f"{self.grid.names[act.cell]}↑" if act and act.do == GROW else move.text

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """The cells that a legal move changes; of a word, what `then` says."""
        if move.is_word and not (move.text in self.said and (self._follows or self._sets)):
            return ()
        before = self.grid_view(position)
        act = self.act(self._code_of(move))
        if not self._follows and act.do in _MAKES:
            makes = _MAKES[act.do]
            holds = move.side if makes is None else makes
            return ((act.cell, before[act.cell] + 1, holds + 1),)
        after = before.copied()
        self.apply(after, self._code_of(move))
        return tuple((cell, before[cell] + 1, after[cell] + 1) for cell in before.differs(after))

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """Meaning of a picture: the listed move that makes it. An own stone in the air, where no
        other move begins so, is meant to grow: the button plays it, and the stone goes back."""
        if position.phase == SETTING:
            words = [self.parse(position, word) for word in self.words(position, WHITE)]
            return read_picture(self, position, sensed, words)
        board, changes = self.grid_view(position), differences(self, position, sensed)
        moves = self.listed_moves(position, board.mover)
        if not self._follows:  # then an act changes its own cells alone
            acts = [(move, self.act(move.code)) for move in moves]
            moves = tuple(m for m, act in acts if act.cell in changes or act.start in changes)
        reading = read_picture(self, position, sensed, moves)
        if self._grows and not isinstance(reading, Complete):
            for cell, kind in changes.items():
                move = self.noted(board.mover, Act(GROW, cell))
                grows = kind == Kind.EMPTY and len(changes) == 1
                if grows and self.why_not(position, board.mover, move) is None:
                    return Complete(move, confirm=True)
        return reading

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """A stone more is a placement, one less a lift, one gone and one come a slide."""
        meant = self._act_like(self.grid_view(position), changes)
        return None if meant is None else self.noted(*meant)

    def _act_like(self, board: GridView, changes: Mapping[int, int]) -> tuple[int, Act] | None:
        """(side, act) that changes of cells (cell -> kind sensed) look like, legal or not."""
        gone = [cell for cell, kind in changes.items() if kind == Kind.EMPTY]
        come = [cell for cell in changes if cell not in gone]
        if len(gone) == 1 and not come:
            does = LIFT
            if not self._lifts:
                own = board[gone[0]] == board.mover
                does = GROW if own and self._grows else LIFT
                does = REPLACE if self._replaces and not own else does
            return board.mover, Act(does, gone[0])
        if len(come) != 1 or len(gone) > 1:
            return None
        holds, held = changes[come[0]] - 1, board[come[0]]
        if held != EMPTY:
            changed = self._replaces and not gone and holds in (WHITE, BLACK)
            return (holds, Act(REPLACE, come[0])) if changed else None
        if gone:
            if not self._slides:
                return None
            slid = holds == board[gone[0]] and holds != NEUTRAL
            return (holds, Act(SLIDE, come[0], gone[0])) if slid else None
        if holds == NEUTRAL:
            return (board.mover, Act(BLOCK, come[0])) if Kind.NEUTRAL in self.kinds else None
        if self._lends and holds == 1 - board.mover:
            return board.mover, Act(LEND, come[0])
        return (holds, Act(PLACE, come[0])) if holds in (WHITE, BLACK) else None

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Cells on which the mover may place and stones on which it may act; from `control` on
        what is `owned`."""
        if level == "none":
            return ()
        marks: dict[Mark, None] = {}
        if level != "legal":
            owned = self.owned(self.grid_view(position))
            marks = {Mark(c, mark_kinds.OWNED, s): None for c, s in owned.items()}
            if not self._cells.issuperset(owned):
                raise RuleError(f"{type(self).__name__}.owned says {owned!r}: cells by number")
        if position.phase == SETTING and position.over is None:
            empty = self.grid_view(position).of(EMPTY)
            marks |= {Mark(cell, mark_kinds.MAY_PLACE): None for cell in empty}
        for side in self.movers(position):
            for move in self.listed_moves(position, side):
                act = self.act(move.code)
                places = act.do in (PLACE, BLOCK, LEND)
                comes = self._comes(position, move) if places else side
                if places and comes != NEUTRAL:
                    marks[Mark(act.cell, mark_kinds.MAY_PLACE, comes)] = None
                elif places:
                    marks[Mark(act.cell, mark_kinds.MAY_PLACE_NEUTRAL, side)] = None
                else:
                    taken = act.start if act.do == SLIDE else act.cell
                    marks[Mark(taken, mark_kinds.REMOVABLE, side)] = None
        return tuple(marks)

    def _comes(self, position: Position, move: Move) -> int:
        """The side whose stone a hand sets there: an act or `then` may name the other."""
        if not self._follows and self.act(move.code).do == PLACE:
            return move.side
        placed = self.act(move.code).cell
        kinds = [kind for cell, _, kind in self.effects(position, move) if cell == placed]
        return int(kinds[0]) - 1 if kinds else move.side

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Those of the grid that the rule's `symmetry` allows and that leave in place what stands
        and is remembered at the start."""
        state, cells = self.start().state, len(self.grid)
        rows = [state[at * cells : (at + 1) * cells] for at in range(1 + len(self.cell_memory))]
        return tuple(
            goes
            for goes in turned(self.grid, super().symmetries, self.symmetry)
            if all(row[cell] == row[to] for row in rows for cell, to in enumerate(goes))
        )

    @property
    def capacity(self) -> tuple[int, int]:
        """All acts there are, as far as the rule knows them; the longest game."""
        if self.kernel is not None:
            return self.kernel.capacity
        cells = len(self.grid)
        rows = 1 + self._lifts + self._blocks + self._replaces + self._grows + self._lends
        rows += cells if self._slides else 0
        return rows * cells + len(self.said), self._most

    # What a search uses

    def plain_state(self, position: Position) -> SimpleState:
        """A fresh State of the rule itself."""
        return SimpleState(self, self._made(position))

    def search_hints(self, position: Position) -> SearchHints:
        """GRAVE, which needs few games, where a stone that is put down stays what it is and sides
        always take turns: then it tells something how games went in which a stone came there."""
        board = self.grid_view(position)
        if self.kernel is not None:
            return self.kernel.hints(board)
        odd_turns = self._turns or board.played < self.sets_up
        if self._slides or odd_turns or self._follows or self._lifts:
            return SearchHints()
        return SearchHints("grave", sides=(board.mover, 1 - board.mover) * (1 + self._most // 2))

    @cached_property
    def searching(self) -> SimpleGame:
        """The same game for a search: its refusals say nothing, and none is made."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.__dict__["no"] = _unsaid
        twin._asked = {do: getattr(twin, f"may_{do}") for do in ON_CELLS}
        note_draws(twin)
        return twin


def _unsaid(rule: str, *cells: object, **params: object) -> Refusal:
    """`SimpleGame.no` while a search asks."""
    return _UNSAID
