"""Tokyo Doves: surround the boss, on a board without fixed cells."""

from lumiban.games.doves.floating import DovesOnBoard
from lumiban.games.doves.game import Doves
from lumiban.games.doves.kernel import DovesState

__all__ = ["Doves", "DovesOnBoard", "DovesState"]

Doves.form_on_board = DovesOnBoard
