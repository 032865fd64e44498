"""Rengi's side of the board: markers are heard, fields and chains shown in light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from lumiban.games.base import Move, Position, Refusal
from lumiban.games.light_game import Gesture, GestureResult, LightGame, Scene
from lumiban.games.rengi import explain, markers

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi


class OnBoard(LightGame):
    """What a lit table asks of Rengi, beside its rules."""

    @property
    def _rengi(self) -> Rengi:
        return cast("Rengi", self)

    def hear(
        self, position: Position, gesture: Gesture, cell: int, kind: int, at_us: int, undo: bool
    ) -> GestureResult:
        """A marker was set or lifted."""
        return markers.hear(self._rengi, position, gesture, cell, kind, at_us, undo)

    def due_us(self, gesture: Gesture) -> int | None:
        """When a marker has lain on the resigning cell for three seconds."""
        return markers.due_us(self._rengi, gesture)

    def on_time(self, position: Position, gesture: Gesture) -> GestureResult:
        """The mover has resigned by holding."""
        return markers.on_time(self._rengi, position, gesture)

    def meant(self, position: Position, gesture: Gesture) -> Move | Refusal | None:
        """The hand that lifting both markers would make, or why it makes none."""
        return markers.hand(self._rengi, position, markers.pair_of(gesture))

    def scene(self, position: Position) -> Scene:
        """Both fields, what is to fall, the figures between them."""
        return explain.scene(self._rengi, position)

    def figures(self, position: Position) -> Scene:
        """The figures between the fields."""
        return explain.figures(self._rengi, position)

    def scenes(self, before: Position, move: Move) -> tuple[Scene, ...]:
        """The steps of the chain that a legal move fires."""
        return explain.scenes(self._rengi, before, move)

    def gesture_marks(self, position: Position, gesture: Gesture, undo: bool) -> Scene:
        """The landing preview, cells to touch, dead stones."""
        return explain.gesture_marks(self._rengi, position, gesture, undo)

    def edge(self, side: int) -> tuple[int, ...]:
        """Row 14 of a side's field."""
        return tuple(self._rengi.cell(side, column, 14) for column in range(6))

    def told(self, position: Position) -> dict[str, Any]:
        """Fields, forecast, pairs, clocks and points for the page."""
        return explain.page_fields(self._rengi, position)
