"""What a player may be told beside the rules, each by a switch of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumiban.games.api import Position
from lumiban.games.rengi.plan import (
    CHAIN_RATE,
    FIRES,
    POINTS,
    SENT,
    SIDE_SIZE,
    SIDES,
    STEP,
    STEPS,
    WORTHS,
)

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi


@dataclass(frozen=True, slots=True)
class Assists:
    """What the switches let a player know; None for what is switched off or not the case."""

    calculator: bool
    hands_left: int | None
    """Hands before the opponent's chain is over."""
    coming: int | None
    """Ojama that the opponent's running chain will still make."""


def assists(game: Rengi, position: Position, side: int) -> Assists:
    """The assists of `side` in this position, as the game's options allow."""
    hands = game.hands_left(position, side) if game.on("show_hands_left") else None
    more = coming(position, side) if game.on("show_chain_forecast") else None
    return Assists(game.on("calculator"), hands, more)


def coming(position: Position, side: int) -> int:
    """The ojama that the chain of `side`'s opponent will still make, before any offset."""
    numbers = position.state
    own = SIDES + (1 - side) * SIDE_SIZE
    if numbers[own + FIRES] >= 0:
        return 0
    left = range(numbers[own + STEP], numbers[own + STEPS])
    if not left:
        return 0
    points = numbers[own + POINTS] + sum(numbers[own + WORTHS + k] for k in left)
    return points // numbers[own + CHAIN_RATE] - numbers[own + SENT]
