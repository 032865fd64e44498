"""Turnless play as people see it: marks on the board, and the view's fields (docs/page.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lumiban.games.base import Mark
from lumiban.scene import meanings as means
from lumiban.scene.draw import NO_CELL
from lumiban.table import seats
from lumiban.table.mess import one_at_a_time
from lumiban.table.race import Race
from lumiban.table.timeout import UNREAD, TimeOut, asked, unread
from lumiban.table.turnless_match import TurnlessMatch

if TYPE_CHECKING:
    from lumiban.table.session import Session
    from lumiban.table.types import AskBot

Text = dict[str, Any]

WITH_TURNS: dict[str, Any] = {
    "turnless": False,
    "open": None,
    "dead": [],
    "light": [],
    "stands": [False, False],
    "race": None,
    "timeout": None,
    "reaction_ms": None,
}
"""The fields of a game with turns."""


def marks(match: TurnlessMatch, hint: str, question: AskBot | None) -> tuple[Mark, ...]:
    """All marks of this moment in free play with the board there and the game not over."""
    lit = in_light(match)
    if match.beat:
        return tuple(Mark(cell, means.BEAT) for cell in range(len(match.course.game.grid)))
    if match.time_out is not None:
        return (*lit, *_time_out(match))
    waits = tuple(
        Mark(match.changed_by(item.told)[0], means.PENDING, item.told.side)
        for item in match.queue.items
        if item.told is not None and not item.told.is_word
    )
    thinks = () if question is None else (Mark(NO_CELL, means.THINKING, question.side),)
    return (*_whose(match, hint), *lit, *waits, *_astray(match), *_asked(match), *thinks)


def _whose(match: TurnlessMatch, hint: str) -> tuple[Mark, ...]:
    """The game's marks; where both sides may place, each cell tells whose it is."""
    found = match.marks(hint)
    if len(match.movers) < 2:
        return found
    return tuple(
        replace(mark, meaning=means.OWNED) if mark.meaning == means.MAY_PLACE else mark
        for mark in found
    )


def in_light(match: TurnlessMatch) -> tuple[Mark, ...]:
    """The stones that are in light only."""
    should = match.should
    return tuple(Mark(cell, means.LIGHT_STONE, should[cell] - 1) for cell in match.light)


def _time_out(match: TurnlessMatch) -> tuple[Mark, ...]:
    """What is to be mended, one step at a time; then who is still to say that it may go on."""
    if match.paused:
        return tuple(Mark(cell, means.LOST) for cell in match.paused)
    steps, pause = asked(match), match.time_out
    assert pause is not None
    if pause.go_us is not None and steps:
        return (Mark(steps[0].cell, means.ASTRAY),)
    if steps:
        return (Mark(steps[0].cell, means.MEND),)
    if match.astray or unread(match):
        return ()
    people = seats.people(match.course.seats)
    waited = [side for side in people if side not in pause.confirmed]
    return tuple(Mark(NO_CELL, means.WAITING, side) for side in waited)


def _astray(match: TurnlessMatch) -> tuple[Mark, ...]:
    """Dead and missing stones blink where they are, and the latest refusal shows its proof."""
    dead, steps = match.ground.dead, asked(match)
    proof = next(reversed(dead.values())).cells if dead else ()
    cells = {step.cell for step in steps}
    blinking = [Mark(cell, means.ASTRAY) for cell in sorted(cells)]
    return (
        *one_at_a_time(blinking, steps[0].cell if steps else NO_CELL),
        *(Mark(cell, means.PROOF) for cell in proof if cell not in cells),
    )


def _asked(match: TurnlessMatch) -> tuple[Mark, ...]:
    """While one side stands, the table waits for the other."""
    course = match.course
    standing = course.game.stands(course.position)
    return tuple(
        Mark(NO_CELL, means.WAITING, side)
        for side in seats.people(course.seats)
        if standing and side not in standing
    )


def fields(session: Session) -> Mapping[str, Any]:
    """What the view tells of a turnless game; the same of all others."""
    match = session.match
    if not isinstance(match, TurnlessMatch):
        return WITH_TURNS
    game, position = match.course.game, match.course.position
    sides = range(len(game.sides))
    standing = game.stands(position)
    reaction_us = session.settings.reaction_us
    return {
        "turnless": True,
        "open": [_open_to(match, side) for side in sides] if match.free else None,
        "dead": sorted(match.ground.dead) if match.free else [],
        "light": list(match.light) if match.free else [],
        "stands": [side in standing for side in sides],
        "race": None if match.finishes.last is None else _race(match, match.finishes.last),
        "timeout": _pause(session, match),
        "reaction_ms": None if reaction_us is None else reaction_us // 1000,
    }


def _open_to(match: TurnlessMatch, side: int) -> list[int]:
    if match.outcome is not None:
        return []
    game, position = match.course.game, match.course.position
    effects = (game.effects(position, move) for move in game.moves(position, side))
    return sorted({cell for changes in effects for cell, _, _ in changes})


def _race(match: TurnlessMatch, race: Race) -> dict[str, Any]:
    id = "table.race-early" if race.early else "table.race"
    id = "table.race-tie" if race.tie else id
    params = {
        "winner": "side." + match.course.game.sides[race.winner],
        "cell": match.course.game.grid.name(race.cell),
        "by": f"{race.by_us / 1000:.1f}",
        "unsure": f"{race.uncertainty_us / 1000:.1f}",
    }
    return {
        "cell": race.cell,
        "winner": race.winner,
        "by_us": race.by_us,
        "uncertainty_us": race.uncertainty_us,
        "tie": race.tie,
        "text": {"id": id, "params": params},
    }


def _pause(session: Session, match: TurnlessMatch) -> dict[str, Any] | None:
    if match.outcome is not None or not match.free:
        return None
    sides = range(len(match.course.game.sides))
    pause = match.time_out
    if not match.ordered:
        text = {"id": "table.too-slow", "params": {}}
        return {"text": text, "confirmed": [False for _ in sides], "beats_at_ms": None}
    if pause is None:
        return None
    beats = pause.beats(match.now_us)
    text = {"id": "table.time-out-beats" if beats else _amiss(match, pause), "params": {}}
    people = seats.people(match.course.seats)
    return {
        "text": text,
        "confirmed": [side in pause.confirmed or side not in people for side in sides],
        "beats_at_ms": [(at - match.now_us) // 1000 for at in beats] if beats else None,
    }


def _amiss(match: TurnlessMatch, pause: TimeOut) -> str:
    """Why play stands still; or that it may go on once both confirm."""
    if match.paused:
        return "table.paused"
    if not match.astray and not unread(match):
        return "table.time-out-ready"
    return f"table.time-out-{UNREAD if unread(match) else pause.why}"
