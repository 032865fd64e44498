"""The author's example of an interrupt in Rengi: both fields, and the hands that are made in it."""

from __future__ import annotations

from collections.abc import Iterator

from lumiban.games import Position
from lumiban.games.rengi import Rengi

ATTACKER = (
    "....../...G../...R.Y/..GR.Y/..GR.Y/..GB.G/..YB.G/..RYYY/..RRGG/..GYBB/.YRYRY/YGGBYG/YGBBGG"
)
"""YG1.1 fires four steps, BY2.1 then six, of which the second and third erase two groups."""
DEFENDER = (
    "....../.R.R../.R.GB./.R.GB./.Y.GR./.B.RB./.R.YG./.Y.RG./.B.YG./.G.RY./.B.RY./.BYRY./.BYYG."
)
"""BY6.0 fires four steps, the last of two groups."""


def interrupt_rules() -> Rengi:
    """Rengi as the author plays his example: single ojama fall, remainders are dropped."""
    return Rengi(mode="free", ojama_unit=1, pass_plan=1, wall_cross=3)


def interrupt_hands() -> Iterator[tuple[Position, str]]:
    """Each position of the author's example of an interrupt, with the hand made in it."""
    game = interrupt_rules()
    position = game.setup(fields=(ATTACKER, DEFENDER))
    attacks, answers, has_fallen = iter(("YG1.1", "BY2.1")), iter(("BY6.0",)), False
    while True:
        [side] = game.movers(position)
        if side == 0:
            text = next(attacks, None)
        elif has_fallen and game.hands_left(position, 1) is None:
            text = None
        else:
            is_time = not has_fallen and game.hands_left(position, 1) == 1
            text = next(answers) if is_time else "pass"
        if text is None:
            return
        yield position, text
        move = game.parse(position, text)
        has_fallen |= any(event.kind == "fell" for event in game.story(position, move))
        position = game.play(position, move)
