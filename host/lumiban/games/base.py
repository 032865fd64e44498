"""What every game offers to the table, to players and to designers.

Three layers: a *State* (the kernel: mutable ints, shared with the search), a *Position* (public,
immutable) and a *Game* (options, notation, refusals, set-up, meaning). This module holds the
`Game` base class and shows the values of `games/base.py`; a game's own file fills in the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from lumiban.errors import GameError
from lumiban.grid import Grid
from lumiban.i18n import text as catalogued

if TYPE_CHECKING:
    from lumiban.games.explain import MoveEffect


# --- The plain values that rules, table and search exchange: kinds, moves, refusals, positions, and
# what a picture of the board means ---
#
# All are immutable; `games/base.py` shows them beside `Game`, which makes and takes them.


WHITE, BLACK, NEUTRAL = 0, 1, 2


class Kind(IntEnum):
    """What a cell holds, as the board senses it; the numbers are those of the wire."""

    EMPTY = 0
    WHITE = 1
    BLACK = 2
    NEUTRAL = 3
    UNKNOWN = 4
    STACKED = 5
    FOREIGN = 6
    MASKED = 7


class State(Protocol):
    """The kernel of a game: a NamedTuple of int arrays with exactly these methods.

    Python runs them on lists of ints; the search compiles the same methods with numba. Moves are
    ints from 0 on; `moves` writes them into `out` and returns how many. `outcome` is −1 while the
    game runs, 0 for a draw, 1 when White (the first side) has won, 2 when Black has, −2 when a
    field of fixed capacity (positions faced, say) has no room left: never take that for a result.
    `playout` plays on at random from `rng` (one int, advanced in place), appends the moves to
    `trace` (trace[0] is their number) and returns the outcome's code. What the State holds after
    a playout is not defined: `assign` it anew. Compiled calls pay for each field of a State, so a
    fast kernel keeps a few long arrays rather than many short ones.
    """

    def assign(self, other: Any) -> None: ...
    def mover(self) -> int: ...
    def moves(self, out: Any) -> int: ...
    def play(self, move: int) -> None: ...
    def outcome(self) -> int: ...
    def playout(self, rng: Any, trace: Any) -> int: ...
    def key(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Move:
    """What one side does: a placement, lift or slide, or a word (`code` is −1).

    `str(move)` is its notation.
    """

    side: int
    text: str
    code: int = -1

    def __str__(self) -> str:
        return self.text

    @property
    def is_word(self) -> bool:
        """Whether this is `resign`, `stop` and the like, not something done with pieces."""
        return self.code < 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not allowed: the rule's slug, the cells that prove it, a text's figures.

    The sentence stands in the catalogue under `refusal.<rule>`.
    """

    rule: str
    cells: tuple[int, ...] = ()
    params: tuple[tuple[str, str | int], ...] = ()

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        return "refusal." + self.rule


class IllegalMove(GameError):
    """A move that cannot be played; `refusal` says why (None when it could not be read)."""

    def __init__(self, text: str, refusal: Refusal | None = None) -> None:
        super().__init__(text)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended; `winner` is a side or None for a draw, `reason` a slug."""

    winner: int | None
    reason: str

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        return "outcome." + self.reason


@dataclass(frozen=True, slots=True)
class Mark:
    """What a cell means now: `meaning` is one of `games/marks.py`, `side` whose it is."""

    cell: int
    meaning: str
    side: int | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """The board shows the position."""


@dataclass(frozen=True, slots=True)
class Partial:
    """The picture is on the way to a legal move; `marks` say what may come next."""

    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    """The picture is what the board shows after `move`.

    `confirm`: touching is not playing; the move waits for a button, the opponent's next move or
    a countdown, and `marks` say where the piece lifted may go instead.
    """

    move: Move
    confirm: bool = False
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several legal moves make this picture."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Wrong:
    """No legal move makes or passes this picture; `whole`: all changes are one move, forbidden."""

    refusal: Refusal
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Supply:
    """How many pieces of each kind the rules say a game takes: so many, or no more than that."""

    counts: Mapping[Kind, int]
    is_exact: bool


Reading = Idle | Partial | Complete | Ambiguous | Wrong


@dataclass(frozen=True, slots=True)
class Texts:
    """A game's own sentences by language: `name`, `rule` (one line), `rules` (all of it),
    `option.<name>`, `refusal.<rule>`, `outcome.<reason>`, `word.<word>`, `side.<name>`,
    `said.<what>` (what a move does).

    What one language lacks, the other says.
    """

    en: Mapping[str, str] = field(default_factory=dict)
    ja: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Position:
    """A position of some game: comparable, hashable, picklable, never changed.

    `state` is the kernel's content flattened to ints; `history` the moves and words that led
    here; `over` is set when a word ended the game (resign, stop).
    """

    state: tuple[int, ...]
    history: tuple[Move, ...] = field(default=(), compare=False)
    seed: int = 0
    phase: str = "play"
    over: Outcome | None = None
    extra: tuple[int, ...] = ()


Effect = tuple[int, int, int]
"""What a move does to one cell: (cell, kind before, kind after)."""


HINT_LEVELS = ("none", "legal", "control", "coach")
"""How much the cells may say at a table, from nothing to advice; see `Game.marks`."""


class Game:
    """One game with its options resolved. `games.load` makes it."""

    slug: ClassVar[str]
    sides: ClassVar[tuple[str, ...]] = ("white", "black")
    accepts: ClassVar[tuple[Option, ...]] = ()
    confirms_lifts: ClassVar[bool] = True
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.WHITE, Kind.BLACK)
    """The kinds of pieces that are played with: one bowl or box each."""
    lifts_by_button: ClassVar[bool] = False
    """A lift that could be a move is played by a button only, never by time or the next move."""
    presets: ClassVar[Mapping[str, Mapping[str, int | str]]] = {}
    """Named sets of options. `preset` gives them where they are not given one by one; what a game
    keeps are the options that come of it, so that its record needs no preset."""

    texts: ClassVar[Texts] = Texts()
    """The game's own sentences, where it comes from a file or package of somebody else's."""
    digest: ClassVar[str] = ""
    """Of a game from a file: stands for the file's content, so that a changed rule is noticed."""

    engine: ClassVar[type[Any] | None] = None
    """What thinks about the game, where its own file brings it: a subclass of
    `lumiban.search.engine.Engine`. A game built on this one does not inherit it. Packages name
    theirs under the entry point group `lumiban.engines`."""

    options: Mapping[str, int | str]
    grid: Grid

    def __init__(self, **options: int | str) -> None:
        given = unfold_preset(self.slug, self.presets, options)
        self.options = resolve_options(self.slug, self.accepts, given)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.digest:
            return _reload, (self.slug, dict(self.options))
        return _remake, (type(self), dict(self.options))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(self) is type(other) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.options.items())))

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"load({self.slug!r}{given})"

    @classmethod
    def remarks(cls, language: str) -> tuple[str, ...]:
        """What the rules say beyond their text, where a game reckons it from its own data."""
        return ()

    def start(self, seed: int = 0) -> Position:
        """The first position; chance, where a game has any, comes from `seed`."""
        raise NotImplementedError

    def movers(self, position: Position) -> tuple[int, ...]:
        """Sides that may act now; () when the game is over."""
        raise NotImplementedError

    def moves(self, position: Position, side: int) -> list[Move]:
        """All moves with pieces that `side` may make now (words are not listed)."""
        raise NotImplementedError

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """Words that `side` may say now: resign, stop, …"""
        raise NotImplementedError

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, for `side` (default: the first mover); IllegalMove."""
        raise NotImplementedError

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`; IllegalMove when the rules forbid it."""
        raise NotImplementedError

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """Why `side` may not make `move`, or None when it may."""
        raise NotImplementedError

    def must_allow(self, position: Position, move: Move) -> None:
        """IllegalMove with the rule's sentence where `why_not` forbids the move."""
        refusal = self.why_not(position, move.side, move)
        if refusal is not None:
            said = catalogued(refusal.text_id, "en", **dict(refusal.params))
            raise IllegalMove(f"{move}: {said}", refusal)

    def outcome(self, position: Position) -> Outcome | None:
        """How the game ended, or None while it runs."""
        raise NotImplementedError

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """What should stand on each cell of the grid."""
        raise NotImplementedError

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """What `sensed` (a kind for each cell of the grid) means: by default, which listed move
        makes this picture."""
        from lumiban.games.reading import read_picture

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

    def aims(self, position: Position, move: Move) -> tuple[int, ...]:
        """The cells on which a legal move acts, the one it goes to last; () for a word."""
        return tuple(cell for cell, _, _ in self.effects(position, move))

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """What a legal move with pieces does, in words and cells, what matters most first: by
        default what any game can say of its pieces. `games/explain.py` has the words."""
        from lumiban.games.explain import by_pieces

        return by_pieces(self, position, move)

    def offers(self, position: Position) -> tuple[int, ...]:
        """Sides that have offered to stop and wait for the other's word."""
        return ()

    def pieces_owed(self, position: Position) -> tuple[tuple[Kind, int], ...]:
        """What a turn of several pieces still takes, (kind, how many); () where it takes one."""
        return ()

    def pieces_needed(self) -> Supply | None:
        """The pieces that one game takes, where its rules tell; None where only playing does."""
        return None

    def laid_on(self, grid: Grid) -> Game:
        """The game as a board with these cells plays it: itself, where its own grid lies there.

        A game whose cells move about answers with a `FloatingGame`
        (`games/floating_game.py`). GameError says why this board cannot hold it.
        """
        return self

    def labels(self, position: Position) -> tuple[str, ...]:
        """A name for the piece that stands on each cell, "" for none; () if pieces of a kind are
        all alike."""
        return ()

    def in_hand(self, position: Position) -> tuple[tuple[str, ...], ...]:
        """The names of the pieces that each side has in hand; () if pieces are all alike."""
        return ()

    def display_text(self, position: Position, move: Move) -> str:
        """A move as people say it at this board; what is stored is `str(move)`."""
        return move.text

    @property
    def not_at_table(self) -> str | None:
        """Text id of why this game cannot be played at a table yet, None when it can."""
        return None

    @property
    def turnless(self) -> bool:
        """Whether hands race here at some time, so that a table needs a board with a fair order."""
        return False

    def is_free_play(self, position: Position) -> bool:
        """Whether each stone counts by itself now, in the order of the board's clock, whoever's
        it is: no turns, nothing taken back, a refused stone dead until it is lifted."""
        return False

    def with_turns(self) -> Game | None:
        """The form of a turnless game in which the sides take turns, None where there is none."""
        return None

    def declined_to_move(self, position: Position) -> tuple[int, ...]:
        """Sides that will not place while the board stays as it is; turnless play only."""
        return ()

    def button_word(self, position: Position, side: int) -> str | None:
        """The word that a side's button says in free play, None when it says nothing now."""
        return None

    def bot_position(self, position: Position, side: int) -> tuple[Game, Position] | None:
        """What to ask a bot in free play whose side should place now: a game with turns and the
        position in it where that side is to move. None: it does better to wait."""
        return None

    def swapped(self, position: Position) -> bool:
        """Whether the two players have changed sides since the start (a pie's choice)."""
        return False

    def scores(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(stones, territory) of each side; () where the game counts nothing."""
        return ()

    def view(self, position: Position, side: int | None) -> Position:
        """What `side` (None: a spectator) may know of the position."""
        return position

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """Any possible position, by cell names; GameError says why one is impossible."""
        raise NotImplementedError

    def stones_of(self, position: Position) -> dict[str, Any]:
        """What stands on the board, by cell names, as `setup` takes it."""
        kinds = enumerate(self.pieces(position))
        return {self.grid.names[cell]: int(kind) - 1 for cell, kind in kinds if kind != Kind.EMPTY}

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """What the cells mean at one of the `HINT_LEVELS`."""
        raise NotImplementedError

    def state(self, position: Position) -> Any:
        """A fresh kernel State with this position's content, on lists of ints."""
        raise NotImplementedError

    def search_state(self, position: Position) -> Any:
        """A State for the search: as `state`, but its `moves` may leave out those that lead
        nowhere new, such as the other orders of one turn."""
        return self.state(position)

    def search_hints(self, position: Position) -> SearchHints:
        """How the search should think about this position."""
        return SearchHints()

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Turns and reflections that change nothing in the rules, each as the cell that every
        cell goes to; by default all of the grid."""
        from lumiban.games.kernel import symmetries

        return symmetries(self.grid)

    @property
    def may_repeat(self) -> bool:
        """Whether a position can come again in one game, so that its worth depends on the way."""
        return False

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """The numbers of which some, by exclusive or, make the key of each position.

        () where keys are made in another way. If they are independent, no two keys are equal.
        """
        return ()

    def move_of(self, position: Position, code: int) -> Move:
        """The public Move of a kernel move in this position."""
        raise NotImplementedError

    @property
    def capacity(self) -> tuple[int, int]:
        """(most moves in any position, most moves in any game or its playout): the sizes of the
        search's `out` and `trace`."""
        raise NotImplementedError


def _remake(kind: type[Game], options: Mapping[str, int | str]) -> Game:
    return kind(**options)


def _reload(path: str, options: Mapping[str, int | str]) -> Game:
    from lumiban.games.registry import load

    return load(path, **options)


# --- The options of a game: what it accepts, what was given, and presets that name several ---


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: `values` are the accepted ones, the first is not special."""

    name: str
    default: int | str
    values: tuple[int | str, ...]
    """All accepted values, in the order in which they are listed to people."""
    free: bool = False
    """Whether any other text is taken too, which the game itself reads and may refuse."""


def unfold_preset(
    slug: str,
    presets: Mapping[str, Mapping[str, int | str]],
    given: Mapping[str, int | str],
) -> Mapping[str, int | str]:
    """The options given, with those of the `preset` among them for the rest; GameError.

    >>> unfold_preset("dots", {"small": {"size": 3, "pie": "no"}}, {"preset": "small", "size": 4})
    {'size': 4, 'pie': 'no'}
    """
    if not presets or "preset" not in given:
        return given
    name = given["preset"]
    if not isinstance(name, str) or name not in presets:
        raise GameError(f"{slug} has no preset {name!r}: its presets are {', '.join(presets)}")
    rest = {option: value for option, value in given.items() if option != "preset"}
    return {**presets[name], **rest}


def resolve_options(
    slug: str, accepts: Sequence[Option], given: Mapping[str, int | str]
) -> dict[str, int | str]:
    """A value for every option, in the order of `accepts`; numbers may be given as strings.

    GameError names the option or value that is not accepted, and those that are.

    >>> resolve_options("dots", (Option("size", 5, (3, 5)),), {"size": "3"})
    {'size': 3}
    """
    known = [option.name for option in accepts]
    for name in given:
        if name not in known:
            has = f"its options are {', '.join(known)}" if known else "it has no options"
            raise GameError(f"{slug} has no option {name!r}: {has}")
    resolved: dict[str, int | str] = {}
    for option in accepts:
        value = given.get(option.name, option.default)
        spelled = {str(accepted): accepted for accepted in option.values}
        if option.free and isinstance(value, str) and value not in spelled:
            resolved[option.name] = value
            continue
        if isinstance(value, bool) or str(value) not in spelled:
            listed = ", ".join(spelled)
            raise GameError(f"{slug} option {option.name} is one of {listed}, not {value!r}")
        resolved[option.name] = spelled[str(value)]
    return resolved


# --- What a game tells the search about itself: the ways in which it is best thought about ---


@dataclass(frozen=True, slots=True)
class SearchHints:
    """What a search that knows no rules should know of a game, as it stands in one position."""

    search: str = "uct"
    """The tree search that plays it best, by name; `docs/search.md` has the matches."""
    codes: int = 0
    """All codes of moves are below this; 0 where nobody has counted."""
    sides: Sequence[int] = ()
    """The side that makes each of the coming moves, where that is known however play goes; ()
    where a move's code tells its side, or nobody knows."""
    commutes: bool = False
    """Whether moves of one side in a row lead to the same position in any order."""
