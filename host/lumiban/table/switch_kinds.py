"""Kinds of the pieces on a board of switches, which only senses that a piece stands somewhere.

All pieces look alike to a board of switches, so their kinds follow from the game: where a piece
should stand, it stands; a new piece is the one that gives the picture a meaning: the machine's that
is awaited, the one that was just lifted, else the mover's. So in a game with turns a placement has
the mover's colour, and a lift is held against the position. No such board can tell that a piece was
exchanged for another while it was lifted, or whose hand was first (`fitting.unfit`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from lumiban.games.base import Game, Kind, Position
from lumiban.table.referee import BLIND, SensedKinds, judge
from lumiban.table.types import Pending, RefereeContext, Refuse, Repair, Sensed

MAX_TRIED = 64
"""Ways to name several new pieces at once that are held against the rules."""


class SwitchKinds:
    """Names the pieces of a board that cannot tell them; `named` is called with each picture."""

    def __init__(self) -> None:
        self._last: SensedKinds = ()

    def named(
        self,
        sensed: Sensed,
        game: Game,
        position: Position,
        pending: Pending | None,
        trail: RefereeContext,
        now_us: int,
    ) -> Sensed:
        """The picture with a kind for each piece, as the referee takes it."""
        should = game.kinds_on(position)
        seen = list(sensed.kinds)
        new = []
        for cell, kind in enumerate(seen):
            if kind == Kind.EMPTY or kind in BLIND:
                continue
            if should[cell] != Kind.EMPTY:
                seen[cell] = should[cell]
            else:
                new.append(cell)
        choices = self._choices(new, seen, should, game, position, pending, trail) if new else []
        best, least = seen, 3
        # The first naming that the referee takes, else the likeliest that breaks a rule: its
        # sentence speaks of the mover's own piece.
        for kinds in itertools.islice(itertools.product(*choices), MAX_TRIED if new else 0):
            picture = list(seen)
            for cell, kind in zip(new, kinds, strict=True):
                picture[cell] = kind
            verdict = judge(game, position, Sensed(tuple(picture)), pending, trail, now_us)
            severity = 2 if isinstance(verdict, Repair) else 1 if isinstance(verdict, Refuse) else 0
            if severity < least:
                best, least = picture, severity
            if least == 0:
                break
        self._last = tuple(best)
        return Sensed(self._last)

    def along(self, sensed: Sensed, pictures: Sequence[SensedKinds]) -> Sensed:
        """The picture while pieces are brought along this way, one by one, and no rule judges.

        No two pictures of a way have pieces on the same cells, since each step brings one nearer.
        So the one that has them most nearly where pieces stand tells what they are; a piece that
        stands where none is on the way stays what it was.
        """
        stands = [kind not in (Kind.EMPTY, *BLIND) for kind in sensed.kinds]
        read = [cell for cell, kind in enumerate(sensed.kinds) if kind not in BLIND]
        nearest = min(
            pictures, key=lambda kinds: sum(stands[c] != (kinds[c] != Kind.EMPTY) for c in read)
        )
        seen = list(sensed.kinds)
        for cell in read:
            if stands[cell]:
                before = self._last[cell] if cell < len(self._last) else Kind.EMPTY
                strange = int(Kind.WHITE) if before in (Kind.EMPTY, *BLIND) else before
                seen[cell] = nearest[cell] or strange
        self._last = tuple(seen)
        return Sensed(self._last)

    def _choices(
        self,
        new: Sequence[int],
        seen: Sequence[int],
        should: SensedKinds,
        game: Game,
        position: Position,
        pending: Pending | None,
        trail: RefereeContext,
    ) -> list[list[int]]:
        """Kinds that each new piece may be, likeliest first."""
        owed: dict[int, int] = {}
        if pending is not None:
            owed = {c: int(after) for c, _, after in game.effects(position, pending.move) if after}
        lifted = _distinct(
            should[c] for c, kind in enumerate(seen) if kind == Kind.EMPTY and should[c]
        )
        before = [game.kinds_on(past) for past in trail.past[-2:]]
        movers = [side + 1 for side in game.movers(position)]
        others = [kind for kind in map(int, game.kinds) if kind not in movers]
        out = []
        for cell in new:
            last = [self._last[cell]] if cell < len(self._last) else []
            then = [kinds[cell] for kinds in reversed(before)]
            wanted = [owed[cell]] if cell in owed else []
            every = _distinct((*last, *wanted, *lifted, *movers, *then, *others))
            out.append([kind for kind in every if kind not in (Kind.EMPTY, *BLIND)])
        return out


def _distinct(kinds: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(kinds))
