"""Control: a territory game on a hexagon of hex cells, by Takuro Kawasaki."""

from lumiban.games.control.game import Control
from lumiban.games.control.kernel import ControlState

__all__ = ["Control", "ControlState"]
