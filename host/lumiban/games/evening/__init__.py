"""Evening: a turnless group game on hex cells and its family, by Takuro Kawasaki."""

from lumiban.games.evening.game import Evening
from lumiban.games.evening.kernel import EveningState

__all__ = ["Evening", "EveningState"]
