"""What every game offers to the table, to players and to designers.

Three layers: a *State* (the kernel: mutable ints, shared with the search), a *Position* (public,
immutable) and a *Game* (options, notation, refusals, set-up, meaning). `Game` is the base class for
authors; what it offers is told by four protocols: `Rules`, `Explaining`, `Turnless` and
`Searchable`. A game's own file fills in the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from lumiban.games.explain import Explaining
from lumiban.games.searchable import Searchable
from lumiban.games.turnless import Turnless
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
    resolve_options,
    unfold_preset,
)
from lumiban.grid import Grid

__all__ = [
    "BLACK",
    "HINT_LEVELS",
    "NEUTRAL",
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
    "lead_changes",
    "resolve_options",
    "unfold_preset",
]


class Game(Explaining, Turnless, Searchable):
    """One game with its options resolved. `games.load` makes it."""

    accepts: ClassVar[tuple[Option, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, int | str]]] = {}
    """Named sets of options. `preset` gives them where they are not given one by one; what a game
    keeps are the options that come of it, so that its record needs no preset."""
    digest: ClassVar[str] = ""
    """Of a game from a file: stands for the file's content, so that a changed rule is noticed."""
    engine: ClassVar[type[Any] | None] = None
    """What thinks about the game, where its own file brings it: a subclass of
    `lumiban.search.engine.Engine`. A game built on this one does not inherit it. Packages name
    theirs under the entry point group `lumiban.engines`."""

    def __init__(self, **options: int | str) -> None:
        given = unfold_preset(self.slug, self.presets, options)
        self.options = resolve_options(self.slug, self.accepts, given)

    def counted(self, positions: Sequence[Position], moves: Sequence[Move]) -> dict[str, float]:
        """What a study counts of a whole game of this one beside its result: a number a name.

        `positions` go from the start to the end, with the `moves` between them.
        """
        return {}

    def to_act(self, position: Position) -> int:
        """The side whose move comes next; where both may act, the one that the kernel names."""
        movers = self.movers(position)
        return movers[0] if len(movers) == 1 else int(self.state(position).mover())

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


def _remake(kind: type[Game], options: Mapping[str, int | str]) -> Game:
    return kind(**options)


def _reload(path: str, options: Mapping[str, int | str]) -> Game:
    return load_by[0](path, **options)


load_by: list[Callable[..., Game]] = []
"""What loads a game from its file; the registry puts it here."""


def lead_changes(leads: Sequence[int]) -> int:
    """How often the lead went from one side to the other; a tie between them changes nothing.

    >>> lead_changes([0, 3, 0, 1, -2, 0, 5])
    2
    """
    signs = [lead > 0 for lead in leads if lead]
    return sum(one != other for one, other in pairwise(signs))
