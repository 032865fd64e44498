"""The plain values that rules, table and search exchange.

Kinds, moves, refusals, positions, what a picture of the board means, what a move does; what a game
tells the search about itself; and its options: what it accepts, what was given, and presets that
name several. All are immutable; `Game` makes and takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

from lumiban.errors import GameError
from lumiban.i18n import text

WHITE, BLACK, NEUTRAL = 0, 1, 2


class Kind(IntEnum):
    """Content of a cell, as the board senses it; the numbers are those of the wire."""

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
    a playout is not defined: `assign` it again. Compiled calls pay for each field of a State, so a
    fast kernel keeps a few long arrays rather than many short ones.
    """

    def assign(self, other: Any) -> None:
        """Become what the other State is."""

    def mover(self) -> int:
        """The side to move."""

    def moves(self, out: Any) -> int:
        """Write the legal moves into `out`; how many."""

    def play(self, move: int) -> None:
        """Play a legal move."""

    def outcome(self) -> int:
        """Outcome, as the kernels number it."""

    def playout(self, rng: Any, trace: Any) -> int:
        """Play at random to the end, the moves into `trace`; the outcome."""

    def key(self) -> int:
        """The position as a number, 63 bits."""


TAKES = {"take white": WHITE, "take black": BLACK}
"""The words that answer a pie, each with the side that is taken."""


@dataclass(frozen=True, slots=True)
class Move:
    """Move of one side: a placement, lift or slide, or a word (`code` is −1).

    `str(move)` is its notation.
    """

    side: int
    text: str
    code: int = -1

    def __str__(self) -> str:
        return self.text

    @property
    def is_word(self) -> bool:
        """True for `resign`, `stop` and the like, which are not made with pieces."""
        return self.code < 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why something is not allowed: the rule's slug, the cells that prove it, a text's
    figures.

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


class ImpossiblePosition(GameError):
    """A position that no game comes to; `id` and `params` name the sentence that says why."""

    def __init__(self, id: str, **params: str | int) -> None:
        super().__init__(text(id, "en", **params))
        self.id = id
        self.params: Mapping[str, str | int] = params


TIME = "time"
"""Reason of an outcome: the loser's clock ran out, or the clock that all sides share."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """End of a game; `winner` is a side or None for a draw, `reason` a slug.

    >>> Outcome(0, "time").text_id, Outcome(0, "time").params(("white", "black"))
    ('outcome.time', {'side': 'side.black'})
    """

    winner: int | None
    reason: str

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        shared = self.reason == TIME and self.winner is None
        return "outcome." + self.reason + ("-all" if shared else "")

    def params(self, sides: Sequence[str]) -> dict[str, str | int]:
        """Parameters of the sentence: the side whose time is up, of a game's `sides`."""
        if self.reason != TIME or self.winner is None:
            return {}
        return {"side": "side." + sides[1 - self.winner]}


@dataclass(frozen=True, slots=True)
class Mark:
    """Present meaning of a cell: `meaning` is one of `games/marks.py`, `side` the side it
    concerns."""

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
    """Number of pieces of a kind that a game takes by its rules: exactly these, or at most."""

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
    played: int = field(default=0, compare=False)
    """Acts so far, for a game that counts them: of a set-up its stones."""


Effect = tuple[int, int, int]
"""Change of one cell by a move: (cell, kind before, kind after)."""

HINT_LEVELS = ("none", "legal", "control", "coach")
"""Levels of help by the cells at a table, from none to advice; see `Game.marks`."""
MAX_NAMED = 8
"""Of more cells than that a sentence names the first ones only."""


@dataclass(frozen=True, slots=True)
class MoveEffect:
    """One thing that a move does: `what` names the sentence, `params` fill it."""

    what: str
    cells: tuple[int, ...] = ()
    """Of the grid on which the move is made."""
    params: tuple[tuple[str, str | int], ...] = ()

    @property
    def text_id(self) -> str:
        """Id of the sentence in the catalogue."""
        return "said." + self.what

    def sentence(self, name: Callable[[int], str], language: str) -> str:
        """The sentence, with cells as `name` calls them.

        >>> MoveEffect("gains", (0, 1), (("n", 2),)).sentence(["a1", "a2"].__getitem__, "en")
        'takes control of a1, a2'
        """
        named = ", ".join(name(cell) for cell in self.cells[:MAX_NAMED])
        if len(self.cells) > MAX_NAMED:
            named += f" … (+{len(self.cells) - MAX_NAMED})"
        return text(self.text_id, language, cells=named, **dict(self.params))


def move_effect(what: str, cells: Iterable[int] = (), **params: str | int) -> MoveEffect:
    """A `MoveEffect` with its parameters by name."""
    return MoveEffect(what, tuple(cells), tuple(sorted(params.items())))


@dataclass(frozen=True, slots=True)
class SearchHints:
    """Facts about a game in one position for a search that does not know its rules."""

    search: str = "uct"
    """The tree search that plays it best, by name; `docs/search.md` has the matches."""
    codes: int = 0
    """All codes of moves are below this; 0 where nobody has counted."""
    sides: Sequence[int] = ()
    """The side that makes each of the coming moves, where that is known however play goes; ()
    where a move's code tells its side, or nobody knows."""
    commutes: bool = False
    """True if moves of one side in a row lead to the same position in any order."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: `values` are the accepted ones, the first is not special."""

    name: str
    default: int | str
    values: tuple[int | str, ...]
    """All accepted values, in the order in which they are listed to people."""
    free: bool = False
    """True if any other text is accepted too; the game itself reads it and may refuse it."""


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
