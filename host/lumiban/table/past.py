"""Earlier positions of the game under way, for who wants to look back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lumiban.games.base import Mark
from lumiban.scene import meanings as means

if TYPE_CHECKING:
    from lumiban.table.session import Session

_OF_THE_MOMENT = frozenset({means.MAY_PLACE, means.MAY_PLACE_NEUTRAL, means.REMOVABLE})
"""What asks somebody to act: nobody acts in the past."""


def look(session: Session, n: int) -> dict[str, Any] | None:
    """The position after `n` moves as docs/page.md tells it, at the hint level of now.

    None when the game does not have so many moves, as after a takeback.
    """
    course = session.match.course
    if not 0 <= n < len(course.positions):
        return None
    game, position = course.game, course.positions[n]
    pieces = game.pieces(position)
    marks = [m for m in game.marks(position, session.hint) if m.meaning not in _OF_THE_MOMENT]
    if n and not course.played[n - 1].move.is_word:
        before = game.pieces(course.positions[n - 1])
        side = course.played[n - 1].move.side
        changed = [cell for cell, kind in enumerate(pieces) if kind != before[cell]]
        marks += [Mark(cell, means.LAST, side) for cell in changed]
    return {
        "n": n,
        "moves": len(course.played),
        "pieces": [int(kind) for kind in pieces],
        "labels": list(game.labels(position)),
        "hands": [list(names) for names in game.in_hand(position)],
        "marks": [{"cell": m.cell, "meaning": m.meaning, "side": m.side} for m in marks],
        "counts": [
            {"stones": stones, "territory": territory}
            for stones, territory in game.counts(position)
        ],
    }
