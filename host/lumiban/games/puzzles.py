"""Puzzles: positions in which exactly one action does what is asked.

A game's puzzles are taught as its lesson is: set up on the board, solved by a move, and what
solves nothing is taken back (`table/lesson_play.py`). They stand in `puzzles.json`, which
`lumiban_lab.puzzles` finds; tests solve each once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from lumiban.errors import GameError
from lumiban.games.lessons import Lesson, Step
from lumiban.system.size_limits import from_json

FILE = "puzzles.json"
SET = "/puzzles"
"""What follows the game's slug in the name of its puzzles."""


@cache
def _sets() -> Mapping[str, Any]:
    """The puzzles by the game's slug, as the file has them."""
    read: Mapping[str, Any] = from_json(files(__package__).joinpath(FILE).read_text("utf-8"))
    return read


def puzzle_counts() -> dict[str, int]:
    """Number of puzzles of each game that has some.

    >>> sum(puzzle_counts().values())
    100
    """
    return {slug: len(one["puzzles"]) for slug, one in _sets().items()}


def puzzles_of(slug: str) -> Lesson:
    """The puzzles of this game; GameError where it has none.

    >>> puzzles_of("control").steps[0].to_move
    0
    """
    if slug not in _sets():
        raise GameError(f"{slug} has no puzzles")
    found = _sets()[slug]
    steps = tuple(_step(slug, number, one) for number, one in enumerate(found["puzzles"], 1))
    return Lesson(slug, steps, found["options"], kind=SET)


def _step(slug: str, number: int, one: Mapping[str, Any]) -> Step:
    """A puzzle as a step that its only action shows."""
    side = one["to_move"]
    params: dict[str, str | int] = {"n": number}
    more: dict[str, Any] = {}
    if "within" in one:
        params["within"] = one["within"]
        more["board"] = one["board"]
        goal = f"{slug}.{side}" + (".at-once" if one["within"] == 1 else "")
    elif "steps" in one:
        params["steps"] = one["steps"]
        more |= {"fields": [one["field"], "/".join(["......"] * 13)], "made": [one["made"]] * 2}
        goal = slug
    else:
        goal = f"{slug}.{side}"
    return Step(
        str(number),
        (tuple(one["first"]),),
        one.get("stones", {}),
        to_move=side,
        more=more,
        text_id=f"lesson.puzzle.{goal}",
        params=params,
    )
