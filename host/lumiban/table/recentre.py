"""Bringing pieces that have drifted back to the middle of the board, one piece at a time.

The rules are suspended meanwhile: it is no turn and nothing is judged but the way there. Each
piece is lifted and set down before the next one, so that everybody knows which it is; given up,
the same pieces go back the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from lumiban.games.base import Kind, Position, Refusal
from lumiban.games.floating_game import FloatingGame, Shift
from lumiban.table.history import GameHistory, is_floating
from lumiban.table.referee import SensedKinds, mending_steps, unmasked
from lumiban.table.types import Agree, Repair, Step

WHY = "table.slide"


class Slide(Struct, frozen=True):
    """`pictures[i]` is the board after `steps[:i]`, each (from, to), and `names[i]` what stands
    there; `is_back`: given up, it goes the other way."""

    way: Shift
    pictures: tuple[SensedKinds, ...]
    names: tuple[tuple[str, ...], ...]
    steps: tuple[tuple[int, int], ...]
    is_back: bool = False

    def turned(self) -> Slide:
        """The same way in the other direction."""
        return replace(
            self,
            pictures=self.pictures[::-1],
            names=self.names[::-1],
            steps=tuple((end, start) for start, end in self.steps[::-1]),
            is_back=not self.is_back,
        )


def slide(game: FloatingGame, position: Position) -> Slide | None:
    """The way to the middle, None when all lies there already."""
    steps = game.slides(position)
    if not steps:
        return None
    picture = game.kinds_on(position)
    pictures, names = [picture], [game.labels(position)]
    for start, end in steps:
        moved, named = list(pictures[-1]), list(names[-1])
        moved[end], moved[start] = moved[start], int(Kind.EMPTY)
        named[end], named[start] = named[start], ""
        pictures.append(tuple(moved))
        names.append(tuple(named))
    return Slide(game.drift(position), tuple(pictures), tuple(names), steps)


def resumed(history: GameHistory) -> Slide | None:
    """The slide that was under way when the journal ended, None when there was none."""
    if not history.sliding or not is_floating(history.game):
        return None
    to_middle = slide(history.game, history.position)
    return to_middle.turned() if to_middle is not None and history.sliding == "back" else to_middle


def follow(sliding: Slide, kinds: Sequence[int]) -> Agree | Repair:
    """Agree when the goal is reached, else the next piece: lift it, set it down."""
    return _towards(sliding, kinds)[0]


def has_strayed(verdict: Repair) -> bool:
    """True if pieces of one colour may have been exchanged beside the way: two are missing at once,
    or one lies where none belongs."""
    if verdict.why is not None:
        return False
    missing = [step.kind for step in verdict.plan if step.do == "place"]
    misplaced = {step.kind for step in verdict.plan if step.do == "lift"}
    return len(set(missing)) < len(missing) or not misplaced.isdisjoint((Kind.WHITE, Kind.BLACK))


def name_of(sliding: Slide, kinds: Sequence[int], step: Step) -> str:
    """The name of the piece that the next step is about; "" for one that does not belong."""
    verdict, goal = _towards(sliding, kinds)
    if step.do == "place":
        return sliding.names[goal][step.cell]
    on_the_way = isinstance(verdict, Repair) and verdict.why is not None
    return sliding.names[goal - 1][step.cell] if on_the_way else ""


def _towards(sliding: Slide, kinds: Sequence[int]) -> tuple[Agree | Repair, int]:
    """Return what to do, and the number of the picture that it leads to."""
    last = len(sliding.pictures) - 1
    if _shows(kinds, sliding.pictures[last]):
        return Agree(), last
    walk = zip(sliding.pictures, sliding.steps, strict=False)
    for number, (picture, (start, end)) in enumerate(walk, 1):
        kind = picture[start]
        lifted = list(picture)
        lifted[start] = Kind.EMPTY
        place = Step("place", end, kind)
        why = Refusal(WHY, (end,))
        if _shows(kinds, picture):
            return Repair((Step("lift", start, kind), place), why), number
        if _shows(kinds, tuple(lifted)):
            return Repair((place,), why), number
    plans = [mending_steps(unmasked(kinds, picture), picture) for picture in sliding.pictures]
    nearest = min(range(last, -1, -1), key=lambda number: len(plans[number]))
    return Repair(plans[nearest]), nearest


def _shows(kinds: Sequence[int], picture: SensedKinds) -> bool:
    return unmasked(kinds, picture) == picture
