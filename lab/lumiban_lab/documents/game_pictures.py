"""Draws a picture of each game, which the page shows where a game is chosen.

`./run docs` writes them; a test draws them anew and compares byte by byte.
"""

from __future__ import annotations

import random

from lumiban import games
from lumiban.games.builtin_lessons import LESSONS
from lumiban.games.lessons import position_of
from lumiban.scene.diagram import diagram
from lumiban.scene.svg import Shown, svg

from lumiban_lab.documents import PICTURES

PICTURED = {"control": 4, "evening": 3, "trivia": 4, "doves": 4}
"""The step of a game's lesson that shows best what the game is."""
RENGI_MOVES = 26
"""So many pairs, dropped by chance: the fields of its lesson are nearly empty."""


def drawn(slug: str) -> str:
    """The picture of a game as SVG."""
    if slug == "rengi":
        return svg(_rengi(), title="Rengi")
    lesson = LESSONS[slug]
    step = lesson.steps[PICTURED[slug]]
    game = games.load(slug, **lesson.options)
    return svg(diagram(game, position_of(game, step), hint=step.hint), title=slug.capitalize())


def _rengi() -> Shown:
    game, chance = games.load("rengi"), random.Random(7)
    position = game.start()
    for _ in range(RENGI_MOVES):
        (side, *_others) = game.movers(position)
        moves = [move for move in game.moves(position, side) if not move.is_word]
        position = game.play(position, chance.choice(moves))
    return diagram(game, position, hint="none")


if __name__ == "__main__":
    for slug in (*PICTURED, "rengi"):
        (PICTURES / f"game-{slug}.svg").write_text(drawn(slug), "utf-8")
