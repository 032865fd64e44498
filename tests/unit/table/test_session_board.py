"""The session and its board: positions that differ, buttons, time, a link that is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from each import each
from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import Changed, Connected, Hello, Lost
from lumiban.games.types import ImpossiblePosition
from lumiban.i18n import text
from lumiban.table.types import (
    AskBot,
    BotMove,
    NewJournal,
    Settings,
)
from session_bench import Bench, only

HEX3 = load("hex3")


# Board and position apart.


IMPOSSIBLE = [
    ("control", {"size": 2}, dict.fromkeys(("a1", "a2", "b1", "b2", "b3"), 0)),
    ("control", {}, {"a1": 0, "a2": 0}),
    ("control", {"opening": "12*"}, {"a1": 0, "a2": 0, "a3": 0}),
    ("control", {"opening": "perimeter"}, {"e5": 0}),
    ("evening", {}, {"a1": 1}),
    ("evening", {}, {"a1": 0, "e3": 1}),
    ("trivia", {"size": 3}, {"a1": 1}),
    ("trivia", {"size": 3}, {"a1": 0, "a2": 0}),
    ("trivia", {"size": 3}, {"a1": 2, "b1": 2, "c1": 2}),
    ("trivia", {"size": 3}, {"a1": 0}),
    ("doves", {}, {"d5": "B", "e5": "B"}),
    ("doves", {}, {"d5": "B", "e5": "A"}),
    ("doves", {}, {"d5": "B", "d6": "b", "h5": "A"}),
    ("doves", {}, {"d5": "B", "d6": "b", "f4": "A"}),
]


@each(("slug", "options", "stones"), IMPOSSIBLE)
def test_what_no_game_comes_to_is_told_in_every_language(
    slug: str, options: dict[str, Any], stones: dict[str, Any]
) -> None:
    with pytest.raises(ImpossiblePosition) as told:
        games.load(slug, **options).setup(stones)
    error = told.value
    assert str(error) == text(error.id, **error.params)
    assert not re.search(r"[{}]", str(error))
    # Of English nothing is left but names of cells and doves.
    said = text("table.set-up-impossible", "ja", reason=error.id, **error.params)
    assert not re.search(r"[A-Za-z]{3}", said), said


def test_between_two_bots_another_game_begins_after_a_while() -> None:
    bench = Bench("bot:easy", "bot:easy", settings=Settings(rematch_us=5_000_000))
    bench.connect()
    (ask,) = only(AskBot, bench.out)
    bench.step(BotMove(ask.ticket, "resign"))
    assert bench.moves == ["resign"]
    assert bench.session.next_deadline() == bench.now_us + 5_000_000
    out = bench.wait(5_000_000)
    assert only(NewJournal, out) == [NewJournal("game-2")]
    assert bench.moves == []
    assert len(only(AskBot, out)) == 1


# Buttons, time and the link.


def test_after_a_reconnect_the_events_of_the_same_boot_are_judged_one_by_one() -> None:
    bench = Bench()
    bench.connect()
    bench.step(Lost("closed"))
    first, second = bench.event("a1", 1), bench.event("c3", 2)
    hello = Hello("test", 1, 19, 19, 1, "uid", 5, bench.now_us, 1000, 0, 0)
    bench.step(Connected(hello), Changed((first, second)))
    assert bench.moves == ["a1", "c3"]
