"""The end of a game as one text for a terminal: who has won, why, and by which figures."""

from __future__ import annotations

from lumiban.games.base import Game, Outcome, Position
from lumiban.games.types import TIME
from lumiban.i18n import LANGUAGES, text

SOLO = "chain-power"
"""The game for one, where nobody is beaten."""


def result_text(
    game: Game, position: Position, outcome: Outcome, language: str = LANGUAGES[0]
) -> str:
    """Sentences that name the winner and the reason, as the page tells them, with the deciding
    figures, the winner's first.

    >>> from lumiban import games
    >>> control = games.load("control", size=3)
    >>> result_text(control, control.start(), Outcome(1, "resigned"))
    'Black wins. Resigned.'
    """
    why = _known(outcome.text_id, language, "", **outcome.params(game.sides))
    if outcome.winner is None:
        # Our own sentences on a draw say that it is one.
        is_own = outcome.reason.startswith(f"{game.slug}.") or not why
        return text("result.drawn", language, why=why).strip() if is_own else why
    if game.slug == SOLO:
        return why
    counts = None if outcome.reason == TIME else game.final_counts(position)
    if counts is not None:
        own, other = counts[outcome.winner], counts[1 - outcome.winner]
        figures = text("page.result.numbers", language, own=own, other=other)
        why += figures if why.endswith("。") else f" {figures}"
    name = game.sides[outcome.winner]
    side = _known(f"side.{name}", language, name)
    return text("result.won", language, side=side, why=why).strip()


def _known(id: str, language: str, otherwise: str, **params: str | int) -> str:
    """The sentence of this id; a game from a package may bring none."""
    try:
        return text(id, language, **params)
    except KeyError:
        return otherwise
