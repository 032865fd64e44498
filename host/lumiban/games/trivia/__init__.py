"""Trivia: a largest-group game with neutral stones on squares or hexagons, by Takuro Kawasaki."""

from lumiban.games.trivia.game import Trivia
from lumiban.games.trivia.kernel import TriviaState

__all__ = ["Trivia", "TriviaState"]
