"""A game whose pieces are light: stones on its board are markers, and only ways to say something.

The table follows the markers one event at a time. What they have said so far is a Gesture, which
the game changes and shows; a stone that says nothing is dead until it is lifted, lies in nobody's
way, and never becomes a move by lying there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumiban.games.base import Game, Mark, Move, Position, Refusal

Scene = tuple[Mark, ...]
"""All that lies in light at one moment."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """Meaning of what hands did since the last move: `kinds` of all cells as sensed, the `dead`
    stones among them, and numbers that only the game understands."""

    kinds: tuple[int, ...]
    dead: frozenset[int] = frozenset()
    said: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GestureResult:
    """Result of one event or of time: the gesture now, and its request, if any."""

    gesture: Gesture
    move: Move | None = None
    undo: bool = False
    refusal: Refusal | None = None
    """Reason why the stone that was set just now is dead."""


class LightGame(Game):
    """A game in light. Moves have no effects on pieces, `pieces` is empty everywhere."""

    def at_rest(self, kinds: tuple[int, ...]) -> Gesture:
        """Nothing was said; stones that lie there are dead until they are lifted."""
        return Gesture(kinds, frozenset(cell for cell, kind in enumerate(kinds) if kind))

    def hear(
        self, position: Position, gesture: Gesture, cell: int, kind: int, at_us: int, undo: bool
    ) -> GestureResult:
        """A cell shows another kind since this board time. `undo`: something can be taken back.

        Only who is to move is heard; the table calls this for people only.
        """
        raise NotImplementedError

    def asking(self, gesture: Gesture) -> int | None:
        """Cell of a marker that says what it means once it is lifted; None without one."""
        return None

    def due_us(self, gesture: Gesture) -> int | None:
        """Board time at which a stone that is held somewhere says something; None for never."""
        return None

    def on_time(self, position: Position, gesture: Gesture) -> GestureResult:
        """Result of a gesture now that `due_us` has come."""
        return GestureResult(gesture)

    def meant(self, position: Position, gesture: Gesture) -> Move | Refusal | None:
        """The move that would be made if the markers were lifted now, or why none would be."""
        return None

    def scene(self, position: Position) -> Scene:
        """Pieces shown in light in a position, whatever the hint level."""
        raise NotImplementedError

    def figures(self, position: Position) -> Scene:
        """Of the scene, what is no field: numbers and what comes."""
        return ()

    def scrolled(self, scene: Scene, position: Position, gesture: Gesture) -> Scene:
        """The scene, its figures moved on where markers have scrolled them."""
        return scene

    def scenes(self, before: Position, move: Move) -> tuple[Scene, ...]:
        """Scenes to show one after the other between a legal move and the position after it; ()
        where nothing happens in between."""
        return ()

    def gesture_marks(self, position: Position, gesture: Gesture, undo: bool) -> Scene:
        """Meanings of the markers, and of the cells where they may be set."""
        return ()

    def edge(self, side: int) -> tuple[int, ...]:
        """Cells that say whose turn it is, where nothing else is to be seen there."""
        return ()

    def page_figures(self, position: Position) -> Mapping[str, Any]:
        """Figures for the page beside the board, JSON-ready, and only what may be known."""
        return {}
