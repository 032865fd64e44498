"""Rengi at a lit table: its rules, what they mean in light and words, markers that are heard."""

from __future__ import annotations

from typing import Any

from lumiban.games.base import Mark, Move, MoveEffect, Position, Refusal
from lumiban.games.light_game import Gesture, GestureResult, Scene
from lumiban.games.rengi import explain, markers
from lumiban.games.rengi.base import RengiRules


class Rengi(RengiRules):
    """Rengi as it is played; see `RengiRules`."""

    def marks(self, position: Position, level: str) -> tuple[Mark, ...]:
        """The fields in light, and where the mover's axis can come to rest."""
        return explain.marks(self, position, level)

    def aims(self, position: Position, move: Move) -> tuple[int, ...]:
        """Where the blocks of a hand come to rest, before anything is erased."""
        return explain.landing(self, position, move)

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """Chains that a hand fires, answers and builds towards."""
        return explain.says(self, position, move)

    def hear(
        self, position: Position, gesture: Gesture, cell: int, kind: int, at_us: int, undo: bool
    ) -> GestureResult:
        """A marker was set or lifted."""
        return markers.hear(self, position, gesture, cell, kind, at_us, undo)

    def due_us(self, gesture: Gesture) -> int | None:
        """When a marker has lain on the resigning cell for three seconds."""
        return markers.due_us(self, gesture)

    def on_time(self, position: Position, gesture: Gesture) -> GestureResult:
        """The mover has resigned by holding."""
        return markers.on_time(self, position, gesture)

    def meant(self, position: Position, gesture: Gesture) -> Move | Refusal | None:
        """The hand that lifting both markers would make, or why it makes none."""
        return markers.hand(self, position, markers.pair_of(gesture))

    def scene(self, position: Position) -> Scene:
        """Both fields, what is to fall, the figures between them."""
        return explain.scene(self, position)

    def figures(self, position: Position) -> Scene:
        """The figures between the fields."""
        return explain.figures(self, position)

    def scenes(self, before: Position, move: Move) -> tuple[Scene, ...]:
        """The steps of the chain that a legal move fires."""
        return explain.scenes(self, before, move)

    def gesture_marks(self, position: Position, gesture: Gesture, undo: bool) -> Scene:
        """The landing preview, cells to touch, dead stones."""
        return explain.gesture_marks(self, position, gesture, undo)

    def edge(self, side: int) -> tuple[int, ...]:
        """Row 14 of a side's field."""
        return tuple(self.cell(side, column, 14) for column in range(6))

    def page_figures(self, position: Position) -> dict[str, Any]:
        """Fields, forecast, pairs, clocks and points for the page."""
        return explain.page_fields(self, position)
