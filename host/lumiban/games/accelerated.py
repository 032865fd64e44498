"""Kernels made by hand, by which searches play a rule of plain words faster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, cast

from lumiban.games.base import Game, Position
from lumiban.games.grid_view import GridView
from lumiban.games.types import Move, SearchHints


class Accelerator:
    """Kernel of the same rule, by which searches play it: fast, and made by hand.

    A rule names one (`SimpleGame.accelerator`). What it plays is compared with the rule's own
    methods at random positions under all options.
    """

    keys: Sequence[int] = ()
    """The game's `zobrist_keys`."""
    stones_at = -1
    """The game's `stones_at`."""
    capacity: tuple[int, int]
    """The game's `capacity`."""

    def state(self, board: GridView, history: Sequence[Move]) -> Any:
        """A fresh State of this board, to which the moves of `history` have led."""
        raise NotImplementedError

    def search_state(self, board: GridView, history: Sequence[Move]) -> Any:
        """The game's `search_state` here."""
        return self.state(board, history)

    def hints(self, board: GridView) -> SearchHints:
        """The game's `search_hints` here."""
        raise NotImplementedError


class Accelerated(Game):
    """A game of which a kernel made by hand may play the rule in searches."""

    accelerator: ClassVar[str] = ""
    """`module:Class` of an `Accelerator`, a kernel that plays this very rule faster in searches. A
    game built on this one does not inherit it: its rule is another."""

    def grid_view(self, position: Position) -> GridView:
        """A position as the rule sees it."""
        raise NotImplementedError

    def plain_state(self, position: Position) -> Any:
        """A fresh State of the rule itself."""
        raise NotImplementedError

    @cached_property
    def kernel(self) -> Accelerator | None:
        """The kernel that plays this rule faster, if its class names one."""
        named = str(vars(type(self)).get("accelerator", ""))
        if not named:
            return None
        module, _, name = named.partition(":")
        return cast("Accelerator", getattr(import_module(module), name)(self))

    def state(self, position: Position) -> Any:
        """A fresh State: the kernel's, if there is one, else of the rule itself."""
        if self.kernel is None:
            return self.plain_state(position)
        return self.kernel.state(self.grid_view(position), position.history)

    def search_state(self, position: Position) -> Any:
        """A State for the search."""
        if self.kernel is None:
            return self.plain_state(position)
        return self.kernel.search_state(self.grid_view(position), position.history)

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """The kernel's."""
        return () if self.kernel is None else self.kernel.keys

    @property
    def stones_at(self) -> int:
        """The kernel's."""
        return -1 if self.kernel is None else self.kernel.stones_at
