"""Draws a picture of each game, which the page shows where a game is chosen.

`./run docs` writes them; a test draws them again and compares byte by byte.
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
PLAYED: dict[str, tuple[int, dict[str, int | str], str]] = {
    "stigmergy": (9, {"size": 3}, "control"),
    "tumpletore": (9, {"size": 3}, "control"),
    "tumbleweed": (12, {"size": 3, "opening": "fixed"}, "control"),
    "strands": (7, {"size": 5}, "control"),
    "rengi": (26, {}, "none"),
}
"""Of games without a lesson, or whose lesson's board is nearly empty: a number of moves, made by
chance, with options and hints."""
PICTURES_OF = (*PICTURED, *PLAYED)


def drawn(slug: str) -> str:
    """The picture of a game as SVG."""
    if slug in PLAYED:
        return svg(_played(slug), title=slug.capitalize())
    lesson = LESSONS[slug]
    step = lesson.steps[PICTURED[slug]]
    game = games.load(slug, **lesson.options)
    return svg(diagram(game, position_of(game, step), hint=step.hint), title=slug.capitalize())


def _played(slug: str) -> Shown:
    count, options, hint = PLAYED[slug]
    game, chance = games.load(slug, **options), random.Random(7)
    position = game.start()
    for _ in range(count):
        side = game.to_act(position)
        moves = [move for move in game.moves(position, side) if not move.is_word]
        position = game.play(position, chance.choice(moves))
    return diagram(game, position, hint=hint)


if __name__ == "__main__":
    for slug in PICTURES_OF:
        (PICTURES / f"game-{slug}.svg").write_text(drawn(slug), "utf-8")
