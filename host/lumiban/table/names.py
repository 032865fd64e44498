"""What people are told where pieces have names: which is which, and how they go to the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.floating_game import Laid
from lumiban.table import sliding
from lumiban.table.audit import AUDIT
from lumiban.table.doubt import NAMES
from lumiban.table.referee import AIR
from lumiban.table.types import Agree, Refuse, Repair, Step, Wait

if TYPE_CHECKING:
    from lumiban.table.match import Match

Told = tuple[str, dict[str, str | int]]


def about_names(match: Match) -> Told | None:
    """The sentence of this moment and its parameters, None when names do not matter now."""
    verdict = match.verdict
    if not isinstance(match.course.game, Laid):
        return None
    if isinstance(verdict, Repair) and match.naming.slide is not None:
        return _sliding(match, verdict)
    if isinstance(verdict, Wait) and verdict.why == AUDIT and match.naming.audit is not None:
        id = "table.audit-put-back" if match.naming.audit.up else "table.audit-lift"
        return id, {"name": match.naming.audit.name}
    if isinstance(verdict, Wait) and verdict.why == NAMES:
        return _to_confirm(match)
    if isinstance(verdict, Wait) and verdict.why == AIR and match.naming.doubt.cells:
        return "table.two-in-air", {}
    if isinstance(verdict, Agree) and match.waiting is None and match.naming.crowded:
        return "table.drift-advised", {}
    return None


def _to_confirm(match: Match) -> Told:
    course = match.course
    if match.naming.doubt.cells or match.machine is None:
        grid, past = course.game.grid, course.positions[-2:]
        names = [course.game.labels(position) for position in reversed(past)]
        where = [
            f"{next((found[cell] for found in names if found[cell]), '')} {grid.name(cell)}"
            for cell in sorted(match.naming.doubt.cells)
        ]
        return "table.names-check", {"pieces": ", ".join(where)}
    move = match.machine.move
    return "table.names-machine", {"move": course.game.spoken(course.position, move)}


def name_of(match: Match, step: Step) -> str:
    """The name of the piece that a step is about, "" where nobody can know it or none matters."""
    course, verdict = match.course, match.verdict
    names = course.game.labels(course.position)
    if not names:
        return ""
    mends = isinstance(verdict, Repair | Refuse)
    if match.naming.slide is not None:
        return sliding.name_of(match.naming.slide, match.sensed.kinds, step)
    if not mends and match.waiting is not None and step.do == "place":
        after = course.game.play(course.position, match.waiting.move)
        return course.game.labels(after)[step.cell]
    return "" if mends and step.do == "lift" else names[step.cell]


def _sliding(match: Match, verdict: Repair) -> Told | None:
    """The one step of a slide; a mess on the way is told as any other."""
    step = verdict.plan[0]
    if verdict.why is None:
        return None
    cell = match.course.game.grid.name(step.cell)
    return f"table.slide-{step.do}", {"name": name_of(match, step), "cell": cell}
