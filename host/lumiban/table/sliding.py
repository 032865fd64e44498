"""Bringing pieces that have drifted back to the middle of the board, one piece at a time.

The rules are suspended meanwhile: it is no turn and nothing is judged but the way there. Each
piece is lifted and set down before the next one, so that everybody knows which it is; given up,
the same pieces go back the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lumiban.games.api import Kind, Position, Refusal
from lumiban.games.laid import Laid, Way
from lumiban.table.course import Course
from lumiban.table.referee import Picture, plan, unmasked
from lumiban.table.types import Agree, Repair, Step

WHY = "table.slide"


@dataclass(frozen=True)
class Slide:
    """`pictures[i]` is the board after `steps[:i]`, each (from, to); `back`: given up, it goes
    the other way."""

    way: Way
    pictures: tuple[Picture, ...]
    steps: tuple[tuple[int, int], ...]
    back: bool = False

    def turned(self) -> Slide:
        """The same way in the other direction."""
        return replace(
            self,
            pictures=self.pictures[::-1],
            steps=tuple((end, start) for start, end in self.steps[::-1]),
            back=not self.back,
        )


def slide(game: Laid, position: Position) -> Slide | None:
    """The way to the middle, None when all lies there already."""
    steps = game.slides(position)
    if not steps:
        return None
    picture = tuple(map(int, game.pieces(position)))
    pictures = [picture]
    for start, end in steps:
        moved = list(pictures[-1])
        moved[end], moved[start] = moved[start], Kind.EMPTY
        pictures.append(tuple(map(int, moved)))
    return Slide(game.drift(position), tuple(pictures), steps)


def resumed(course: Course) -> Slide | None:
    """The slide that was under way when the journal ended, None when there was none."""
    if not course.sliding or not isinstance(course.game, Laid):
        return None
    found = slide(course.game, course.position)
    return found.turned() if found is not None and course.sliding == "back" else found


def follow(sliding: Slide, kinds: Sequence[int]) -> Agree | Repair:
    """Agree when the goal is reached, else the next piece: lift it, set it down."""
    if _shows(kinds, sliding.pictures[-1]):
        return Agree()
    for picture, (start, end) in zip(sliding.pictures, sliding.steps, strict=False):
        kind = picture[start]
        lifted = list(picture)
        lifted[start] = Kind.EMPTY
        place = Step("place", end, kind)
        why = Refusal(WHY, (end,))
        if _shows(kinds, picture):
            return Repair((Step("lift", start, kind), place), why)
        if _shows(kinds, tuple(lifted)):
            return Repair((place,), why)
    plans = [plan(unmasked(kinds, picture), picture) for picture in reversed(sliding.pictures)]
    return Repair(min(plans, key=len))


def _shows(kinds: Sequence[int], picture: Picture) -> bool:
    return unmasked(kinds, picture) == picture
