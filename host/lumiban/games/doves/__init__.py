"""Tokyo Doves: surround the boss, on a board without fixed cells."""

from lumiban.games.doves.game import Doves
from lumiban.games.doves.on_board import DovesOnBoard
from lumiban.games.doves.state import DovesState

__all__ = ["Doves", "DovesOnBoard", "DovesState"]
