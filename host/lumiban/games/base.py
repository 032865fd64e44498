"""The interface that every game offers to the table, to players and to designers.

Three layers: a *State* (the kernel: mutable ints, shared with the search), a *Position* (public,
immutable) and a *Game* (options, notation, refusals, set-up, meaning). `Game` is the base class for
authors: it lists all that table, search and studies may ask of a game, and answers what it can. A
game's own file fills in the rest.

Two of those answers stand below it. A *picture* of the board is compared with what should stand
there, and the differences with the effects of the moves: which listed move makes it, or on the way
to which it is; nothing is played for it. A *move in words* is seen from the mover's side: own and
other stones, never White's and Black's; sentences stand in the catalogue under `said.<what>`, and
one with `{cells}` names the cells, which travel as numbers so that a page can mark them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Self

from lumiban.games import mark_kinds
from lumiban.games.counting import counted_groups
from lumiban.games.kernel import (
    deciding_groups,
    deciding_sizes,
    group_sizes,
    groups_of,
    symmetries,
)
from lumiban.games.types import (
    BLACK,
    HINT_LEVELS,
    NEUTRAL,
    WHITE,
    Ambiguous,
    Complete,
    Effect,
    Idle,
    IllegalMove,
    ImpossiblePosition,
    Kind,
    Mark,
    Move,
    MoveEffect,
    Option,
    Outcome,
    Partial,
    Position,
    Reading,
    Refusal,
    SearchHints,
    State,
    Supply,
    Texts,
    Wrong,
    move_effect,
    resolve_options,
    unfold_preset,
)
from lumiban.grid import Grid
from lumiban.i18n import text

__all__ = [
    "BLACK",
    "FEW_MOVES",
    "HINT_LEVELS",
    "NEUTRAL",
    "NOT_A_MOVE",
    "ONE_AT_A_TIME",
    "UNREADABLE",
    "WHITE",
    "Ambiguous",
    "Complete",
    "Effect",
    "Game",
    "Idle",
    "IllegalMove",
    "ImpossiblePosition",
    "Kind",
    "Mark",
    "Move",
    "MoveEffect",
    "Option",
    "Outcome",
    "Partial",
    "Position",
    "Reading",
    "Refusal",
    "SearchHints",
    "State",
    "Supply",
    "Texts",
    "Wrong",
    "by_pieces",
    "differences",
    "explain_move",
    "grown",
    "hurried",
    "lead_changes",
    "longer",
    "move_effect",
    "read_picture",
    "resolve_options",
    "unfold_preset",
]


_CASCADE = (int(Kind.WHITE), int(Kind.BLACK))
_KNOWN = 4
"""Positions that a game remembers: the present one, the one before, what a move makes."""
FEW_MOVES = 3
"""So few moves left to the other side are worth a word."""
UNREADABLE = {
    Kind.UNKNOWN: "table.unknown-piece",
    Kind.STACKED: "table.stacked-pieces",
    Kind.FOREIGN: "table.foreign-magnet",
}
"""Rules named for pieces that no game knows; the table has the sentences."""

NOT_A_MOVE = "reading.not-a-move"
ONE_AT_A_TIME = "reading.one-at-a-time"


class _Known:
    """A position that a game remembers, with its pieces and each side's moves once asked for."""

    __slots__ = ("kinds", "listed", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.kinds: tuple[int, ...] | None = None
        self.listed: dict[int, tuple[Move, ...]] = {}


class Game:
    """A game with its options resolved; `games.load` makes it.

    Methods that raise NotImplementedError are a game's own to write; the others answer by them.
    """

    slug: ClassVar[str]
    sides: ClassVar[tuple[str, ...]] = ("white", "black")
    confirms_lifts: ClassVar[bool] = True
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.WHITE, Kind.BLACK)
    """The kinds of pieces that are played with: one bowl or box each."""
    lifts_by_button: ClassVar[bool] = False
    """A lift that could be a move is played by a button only, never by time or the next move."""

    accepts: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, int | str]]] = {}
    """Named sets of options. `preset` gives them where they are not given one by one; what a game
    keeps are the options that come of it, so that its record needs no preset."""
    digest: ClassVar[str] = ""
    """Of a game from a file: stands for the file's content, so that a changed rule is noticed."""
    engine: ClassVar[type[Any] | None] = None
    """Engine of a game whose own file brings one: a subclass of `lumiban.search.engine.Engine`. A
    game built on this one does not inherit it. Packages name theirs under the entry point group
    `lumiban.engines`."""
    by_groups: ClassVar[tuple[str, ...]] = ()
    """Reasons of outcomes that a cascade of the two sides' groups has decided."""
    texts: ClassVar[Texts] = Texts()
    """The game's own sentences, where it comes from another author's file or package."""

    options: Mapping[str, int | str]
    grid: Grid
    _known: tuple[_Known, ...] = ()

    def __init__(self, **options: int | str) -> None:
        given = unfold_preset(self.slug, self.presets, options)
        self.options = resolve_options(self.slug, self.accepts, given)

    # --- The rules: what may be done, and what comes of it ---

    def start(self, seed: int = 0) -> Position:
        """The first position; chance, where a game has any, comes from `seed`."""
        raise NotImplementedError

    def movers(self, position: Position) -> tuple[int, ...]:
        """Sides that may act now; () when the game is over."""
        raise NotImplementedError

    def moves(self, position: Position, side: int) -> list[Move]:
        """All moves with pieces that `side` may make now (words are not listed)."""
        raise NotImplementedError

    def listed_moves(self, position: Position, side: int) -> tuple[Move, ...]:
        """The moves of `moves`, remembered: a table reads, marks and shows the same position."""
        listed = self._remembered(position).listed
        if side not in listed:
            listed[side] = tuple(self.moves(position, side))
        return listed[side]

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """Words that `side` may say now: such as resign or stop."""
        raise NotImplementedError

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, for `side` (default: the first mover); IllegalMove."""
        raise NotImplementedError

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`; IllegalMove when the rules forbid it."""
        raise NotImplementedError

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """Reason why `side` may not make `move`, or None when it may."""
        raise NotImplementedError

    def must_allow(self, position: Position, move: Move) -> None:
        """IllegalMove with the rule's sentence where `why_not` forbids the move."""
        refusal = self.why_not(position, move.side, move)
        if refusal is not None:
            sentence = text(refusal.text_id, "en", **dict(refusal.params))
            raise IllegalMove(f"{move}: {sentence}", refusal)

    def outcome(self, position: Position) -> Outcome | None:
        """Outcome of the game, or None while it runs."""
        raise NotImplementedError

    def to_act(self, position: Position) -> int:
        """The side whose move comes next; where both may act, the one that the kernel names."""
        movers = self.movers(position)
        return movers[0] if len(movers) == 1 else int(self.state(position).mover())

    def offers(self, position: Position) -> tuple[int, ...]:
        """Sides that have offered to stop and wait for the other's word."""
        return ()

    def pieces_owed(self, position: Position) -> tuple[tuple[Kind, int], ...]:
        """Pieces that the present turn still needs, as (kind, count), for turns of several pieces;
        () where a turn takes one."""
        return ()

    def pie_follows(self, position: Position) -> bool:
        """True if the other player chooses a side after this turn."""
        return False

    def swapped(self, position: Position) -> bool:
        """True if the two players have changed sides since the start (a pie's choice)."""
        return False

    # --- The board: what stands there, and what a picture of it means ---

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """Kind of piece that belongs on each cell of the grid."""
        raise NotImplementedError

    def kinds_on(self, position: Position) -> tuple[int, ...]:
        """The numbers of `pieces`, remembered: a table asks for the same few positions two dozen
        times a move."""
        known = self._remembered(position)
        if known.kinds is None:
            known.kinds = tuple(map(int, self.pieces(position)))
        return known.kinds

    def _remembered(self, position: Position) -> _Known:
        for known in self._known:
            if known.position is position:
                return known
        known = _Known(position)
        self._known = (known, *self._known[: _KNOWN - 1])
        return known

    def labels(self, position: Position) -> tuple[str, ...]:
        """A name for the piece that stands on each cell, "" for none; () if pieces of a kind are
        all alike."""
        return ()

    def numbers(self, position: Position) -> tuple[str, ...]:
        """A number on each cell that players need to see, "" for none; () if there are none."""
        return ()

    def in_hand(self, position: Position) -> tuple[tuple[str, ...], ...]:
        """The names of the pieces that each side has in hand; () if pieces are all alike."""
        return ()

    def display_text(self, position: Position, move: Move) -> str:
        """A move as people say it at this board; what is stored is `str(move)`."""
        return move.text

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """Meaning of `sensed` (a kind for each cell of the grid): by default, the listed move that
        makes this picture."""
        return read_picture(self, position, sensed)

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """(cell, kind before, kind after) for each cell that a legal `move` changes.

        A game with many moves says this without playing them: `read` asks for all of them.
        """
        before = self.pieces(position)
        after = self.pieces(self.play(position, move))
        return tuple(
            (cell, before[cell], after[cell])
            for cell in range(len(before))
            if before[cell] != after[cell]
        )

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """The move that a hand probably meant by these changes (cell -> kind sensed), legal or
        not, so that `why_not` can explain it; None when they look like nothing."""
        return None

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """Any possible position, by cell names; GameError says why one is impossible."""
        raise NotImplementedError

    def stones_of(self, position: Position) -> dict[str, Any]:
        """Pieces on the board by cell names, as `setup` takes them."""
        kinds = enumerate(self.pieces(position))
        return {self.grid.names[cell]: int(kind) - 1 for cell, kind in kinds if kind != Kind.EMPTY}

    def view(self, position: Position, side: int | None) -> Position:
        """Position as far as `side` (None: a spectator) may know it."""
        return position

    def laid_on(self, grid: Grid) -> Game:
        """The game as a board with these cells plays it: itself, where its own grid lies there.

        A game whose cells move about answers with a `FloatingGame`
        (`games/floating_game.py`). GameError says why this board cannot hold it.
        """
        return self

    @property
    def time_control(self) -> str:
        """The clock that the game's options name, in the notation of `table/clocks.py`; "" for
        none."""
        return ""

    @property
    def not_at_table(self) -> str | None:
        """Text id of why this game cannot be played at a table yet, None when it can."""
        return None

    # --- What it says of positions and moves, to people, studies and the coach ---

    @classmethod
    def remarks(cls, language: str) -> tuple[str, ...]:
        """Sentences that complete the rules' text with values a game computes from its own data."""
        return ()

    def aims(self, position: Position, move: Move) -> tuple[int, ...]:
        """The cells on which a legal move acts, the one it goes to last; () for a word."""
        return tuple(cell for cell, _, _ in self.effects(position, move))

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Effects of a legal move with pieces, in words and cells, the most important first; by
        default those that apply to the pieces of any game."""
        return by_pieces(self, position, move)

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """Meanings of the cells at one of the `HINT_LEVELS`."""
        raise NotImplementedError

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, territory) of each side; () where the game counts nothing."""
        return ()

    def final_counts(self, position: Position) -> tuple[int, ...] | None:
        """The figure of each side that decided a game which has ended so; None where none did. Of a
        cascade the first sizes of groups that differ."""
        if self.final_groups(position) is None:
            return None
        near, kinds = self.grid.neighbours, self.kinds_on(position)
        return deciding_sizes(*(group_sizes(near, kinds, kind) for kind in _CASCADE))

    def final_groups(self, position: Position) -> tuple[int, tuple[int, ...]] | None:
        """Groups of pieces that decided: their rank, 1 for the largest, and the winner's cells in
        them; None where others than groups did."""
        over = self.outcome(position)
        if over is None or over.reason not in self.by_groups:
            return None
        kinds = reversed(_CASCADE) if over.winner == BLACK else _CASCADE
        return deciding_groups(self.grid.neighbours, self.kinds_on(position), *kinds)

    def final_steps(self, position: Position) -> tuple[tuple[Mark, ...], ...]:
        """What decided a game which has ended so, as it is counted: the marks of each step, those
        of what a side has `owned`; () where nothing is to be counted. Of a cascade both sides'
        groups by rank, down to the one that decided."""
        decided = self.final_groups(position)
        if decided is None:
            return ()
        near, kinds = self.grid.neighbours, self.kinds_on(position)
        return counted_groups(near, kinds, _CASCADE, decided[0])

    def pieces_needed(self) -> Supply | None:
        """The pieces that one game takes, where its rules tell; None where only playing does."""
        return None

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """Numbers by name that a study counts over a whole game of this one, beside its result.

        `positions` go from the start to the end, with the `moves` between them.
        """
        return {}

    # --- Play without turns: hands race, and stones count in the order of the board's clock ---

    @property
    def turnless(self) -> bool:
        """True if hands race here at some time, so that a table needs a board with a fair order."""
        return False

    def is_free_play(self, position: Position) -> bool:
        """True if each stone counts by itself now, in the order of the board's clock and whichever
        side's it is: no turns, nothing taken back, a refused stone dead until it is lifted."""
        return False

    def with_turns(self) -> Self | None:
        """The form of a turnless game in which the sides take turns, None where there is none."""
        return None

    def declined_to_move(self, position: Position) -> tuple[int, ...]:
        """Sides that will not place while the board stays as it is; turnless play only."""
        return ()

    def button_word(self, position: Position, side: int) -> str | None:
        """The word that a side's button says in free play, None when it says nothing now."""
        return None

    def bot_position(self, position: Position, side: int) -> tuple[Self, Position] | None:
        """Game and position to ask a bot about in free play for the side that should place now: a
        game with turns, in which that side is to move. None: it does better to wait."""
        return None

    # --- What a search that knows no rules asks: its kernel, and how to think about it ---

    def state(self, position: Position) -> Any:
        """A fresh kernel State with this position's content, on lists of ints."""
        raise NotImplementedError

    def search_state(self, position: Position) -> Any:
        """A State for the search: as `state`, but its `moves` may leave out those that lead
        nowhere new, such as the other orders of one turn."""
        return self.state(position)

    def search_hints(self, position: Position) -> SearchHints:
        """Hints to a search about this position."""
        return SearchHints()

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Turns and reflections that change nothing in the rules, each as the cell that every
        cell goes to; by default all of the grid."""
        return symmetries(self.grid)

    @property
    def may_repeat(self) -> bool:
        """True if a position can come again in one game, so that its worth depends on the way."""
        return False

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """The numbers of which some, by exclusive or, make the key of each position.

        () where keys are made in another way. If they are independent, no two keys are equal.
        """
        return ()

    @property
    def stones_at(self) -> int:
        """Index in the `board` of a State at which its stones begin, by cell 1 for White's and −1
        for Black's, whose `zobrist_keys` come first in that order; −1 where that is not so."""
        return -1

    def move_of(self, position: Position, code: int) -> Move:
        """The public Move of a kernel move in this position."""
        raise NotImplementedError

    @property
    def capacity(self) -> tuple[int, int]:
        """(most moves in any position, most moves in any game or its playout): the sizes of the
        search's `out` and `trace`."""
        raise NotImplementedError

    # --- A value: equal where class and options are, and pickled by them ---

    def __reduce__(self) -> tuple[Any, ...]:
        if self.digest:
            return _reload, (self.slug, dict(self.options))
        return _remake, (type(self), dict(self.options))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(self) is type(other) and self.options == other.options

    def __hash__(self) -> int:
        return hash(tuple(self.options.items()))

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"load({self.slug!r}{given})"


def _remake(kind: type[Game], options: Mapping[str, int | str]) -> Game:
    return kind(**options)


def _reload(path: str, options: Mapping[str, int | str]) -> Game:
    return load_by[0](path, **options)


load_by: list[Callable[..., Game]] = []
"""Loaders of a game from its file; the registry puts one here."""


def lead_changes(leads: Sequence[int]) -> int:
    """Number of times that the lead changed sides; a tie in between changes nothing.

    >>> lead_changes([0, 3, 0, 1, -2, 0, 5])
    2
    """
    signs = [lead > 0 for lead in leads if lead]
    return sum(one != other for one, other in pairwise(signs))


# --- The meaning of a picture ---


def differences(game: Game, position: Position, sensed: Sequence[int]) -> dict[int, int]:
    """The kinds sensed where they are not what should stand there; masked cells never differ."""
    should = game.kinds_on(position)
    return {
        cell: kind
        for cell, (kind, right) in enumerate(zip(sensed, should, strict=True))
        if kind not in (right, Kind.MASKED)
    }


def read_picture(
    game: Game,
    position: Position,
    sensed: Sequence[int],
    candidates: Iterable[Move] | None = None,
) -> Reading:
    """Meaning of `sensed` (a kind for each cell) in `position`.

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
        candidates = [
            move for side in game.movers(position) for move in game.listed_moves(position, side)
        ]
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
    """True if the changes may occur while a hand does this: each is done, or lifted for it."""
    after_of = {cell: after for cell, _, after in does}
    return changes.keys() <= after_of.keys() and all(
        kind in (after_of[cell], Kind.EMPTY) for cell, kind in changes.items()
    )


def _still_to_do(
    begun: list[tuple[Move, tuple[Effect, ...]]], changes: Mapping[int, int]
) -> tuple[Mark, ...]:
    """Cells on which the pieces in hand may go, each cell once per side."""
    marks = {
        Mark(cell, mark_kinds.LIFT_TARGET, move.side): None
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


# --- A move in words ---


def explain_move(game: Game, position: Position, move: Move) -> tuple[MoveEffect, ...]:
    """All that a legal move does, what matters most first: how it ends the game, then the game's
    own words.

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> start = game.start()
    >>> [(one.what, one.cells) for one in explain_move(game, start, game.parse(start, "a1"))]
    [('gains', (12, 13, 17))]
    """
    after = game.play(position, move)
    outcome = game.outcome(after)
    effects: list[MoveEffect] = []
    if outcome is not None:
        won = {move.side: "wins", None: "draws"}.get(outcome.winner, "loses")
        effects.append(move_effect(won))
    if not move.is_word:
        effects += game.explain(position, move)
    return tuple(effects) or (move_effect("quiet"),)


def by_pieces(game: Game, position: Position, move: Move) -> tuple[MoveEffect, ...]:
    """Effects that any game can name: pieces that come, go and change, own groups, few moves
    left."""
    after = game.play(position, move)
    before_, after_ = game.pieces(position), game.pieces(after)
    own = Kind(move.side + 1)
    changed = [cell for cell in range(len(before_)) if before_[cell] != after_[cell]]
    left = [cell for cell in changed if before_[cell] == own]
    taken = [cell for cell in changed if before_[cell] not in (own, Kind.EMPTY)]
    came = [cell for cell in changed if after_[cell] == own]
    blocked = [cell for cell in changed if after_[cell] == Kind.NEUTRAL]
    turned = [cell for cell in taken if after_[cell] == own]
    gone = [cell for cell in taken if after_[cell] == Kind.EMPTY]
    effects = []
    if gone:
        effects.append(move_effect("captures", gone, n=len(gone)))
    if turned:
        effects.append(move_effect("turns", turned, n=len(turned)))
    if blocked:
        effects.append(move_effect("blocks", blocked))
    for cell in came:
        effects += grown(game.grid.neighbours, before_, after_, cell)
    if not effects and came and left:
        effects.append(move_effect("goes", came))
    return (*effects, *hurried(game, after, 1 - move.side))


def grown(
    neighbours: Sequence[Sequence[int]], before: Sequence[int], after: Sequence[int], cell: int
) -> list[MoveEffect]:
    """Effects on its side's groups of a piece that has come to `cell`: joins, grows, or nothing.

    `before` and `after` are what stands on each cell, 0 for nothing.
    """
    kind = after[cell]
    group = next(g for g in groups_of(neighbours, after) if cell in g)
    inside = set(group)
    old = [g for g in groups_of(neighbours, before) if before[g[0]] == kind and inside & set(g)]
    effects = []
    if len(old) > 1:
        effects.append(move_effect("joins", group, n=len(old), size=len(group)))
    elif old:
        effects.append(move_effect("grows", group, size=len(group)))
    return effects


def longer(before: Sequence[int], after: Sequence[int]) -> list[MoveEffect]:
    """That a side's largest group has grown, by the sizes of its groups."""
    was, size = max(before, default=0), max(after, default=0)
    return [move_effect("largest", was=was, size=size)] if size > was > 0 else []


def hurried(game: Game, after: Position, side: int) -> list[MoveEffect]:
    """That the other side has few moves left, if the game goes on with it."""
    if side not in game.movers(after):
        return []
    moves = game.moves(after, side)
    return [move_effect("few-left", n=len(moves))] if 0 < len(moves) <= FEW_MOVES else []
