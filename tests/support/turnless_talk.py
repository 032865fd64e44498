"""What a conversation may say of play without turns (see conversations.py):

white c4 and black c4 3.2 ms later ± 0.5      two hands at once; the board's times
white stands / black stands                    a player's button
1.5 s pass                                     beats and bots go by it too

race white 3.2 ± 1.0 · tie · no race · dead c4 d4 / dead nothing · in light c4 / in light nothing
white stands · nobody stands · open white b3 c2 / open black nothing
time out / time out mend / time out ready / time out beats · play goes on
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lumiban.boards.types import BoardEvent, BoardTime, Changed
from lumiban.table.free_play import FreePlay

if TYPE_CHECKING:
    from conversations import Conversation

UNSURE_US = 500


def seen(talk: Conversation) -> Mapping[str, Any]:
    assert talk.published is not None
    return talk.published


def settle(talk: Conversation) -> None:
    """Nothing moves on the board, and its clock says so."""
    talk.now_us += 60_000
    talk.step(BoardTime(talk.now_us, talk.now_us, False))


def race(talk: Conversation, words: list[str]) -> None:
    """Two stones whose times differ by little: `white c4 and black c4 3.2 ms later ± 0.5`."""
    one, first, _, other, second, late, ms, later = words[:8]
    assert (ms, later) == ("ms", "later")
    unsure = round(1000 * float(words[9])) if words[8:9] == ["±"] else UNSURE_US
    talk.now_us += 200_000
    at = talk.now_us
    times = ((one, first, at), (other, second, at + round(1000 * float(late))))
    events = []
    for kind, name, t_us in times:
        cell = talk.board_cell(name)
        talk.lies[cell] = talk.kinds[kind]
        events.append(BoardEvent(talk.events, cell, talk.kinds[kind], t_us, unsure))
        talk.events += 1
    talk.now_us = times[1][2] + 40_000
    talk.step(Changed(tuple(events)), BoardTime(talk.now_us, talk.now_us, False))


def stand(talk: Conversation, side: str) -> None:
    talk.sense(240 + talk.sides.index(side), 8)


def checks(talk: Conversation) -> dict[str, Callable[[list[str]], None]]:
    """What may be checked, by how it begins."""
    match = talk.session.match
    if not isinstance(match, FreePlay):
        return {}
    names = match.history.game.grid.names
    view = seen(talk)

    def cells(words: list[str]) -> list[str]:
        return [] if words == ["nothing"] else sorted(words)

    def told(found: list[int]) -> list[str]:
        return sorted(names[cell] for cell in found)

    def raced(words: list[str]) -> None:
        found = view["race"]
        assert found is not None, "nobody raced"
        assert not found["tie"]
        told = [talk.sides[found["winner"]], found["by_us"], found["uncertainty_us"]]
        talk.expect(told, [words[0], *(round(1000 * float(words[k])) for k in (1, 3))])

    def pause(words: list[str]) -> None:
        found = view["timeout"]
        assert found is not None, "play goes on"
        if words:
            wanted = {"mend": "table.time-out-swept"}.get(words[0], f"table.time-out-{words[0]}")
            talk.expect(found["text"]["id"], wanted)

    def standing(side: int) -> Callable[[list[str]], None]:
        return lambda _: talk.expect(view["stands"][side], True)

    return {
        "race": raced,
        "tie": lambda _: talk.expect(view["race"] and view["race"]["tie"], True),
        "no race": lambda _: talk.expect(view["race"], None),
        "dead": lambda words: talk.expect(told(view["dead"]), cells(words)),
        "in light": lambda words: talk.expect(told(view["light"]), cells(words)),
        "open white": lambda words: talk.expect(told(view["open"][0]), cells(words)),
        "open black": lambda words: talk.expect(told(view["open"][1]), cells(words)),
        "white stands": standing(0),
        "black stands": standing(1),
        "nobody stands": lambda _: talk.expect(view["stands"], [False, False]),
        "time out": pause,
        "play goes on": lambda _: talk.expect(view["timeout"], None),
    }
