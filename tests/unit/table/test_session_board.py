"""The session and its board: positions that differ, buttons, time, a link that is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from each import each
from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, Changed, Connected, Hello, Lost, Snapshot
from lumiban.errors import BoardError
from lumiban.games.types import ImpossiblePosition
from lumiban.i18n import text
from lumiban.scene.light import DARK, Effect
from lumiban.table.requests import ThemeRequest
from lumiban.table.session import Session
from lumiban.table.types import (
    Agree,
    AskBot,
    BotMove,
    Command,
    NewJournal,
    Prompt,
    Settings,
    Show,
)
from sentences import says
from session_bench import Bench, asked, only, view

HEX3 = load("hex3")


# Board and position apart.


def test_an_impossible_board_is_not_taken_nor_one_that_is_away() -> None:
    bench = Bench()
    bench.step()
    assert view(bench)["link"] == "connecting"
    assert bench.command("accept-board")["id"] == "table.no-board"
    assert bench.command("move", side=0, text="a1")["id"] == "table.no-board"
    bench.connect()
    bench.step(Snapshot((1,) * 19, 0, 0, False, True))
    assert bench.command("accept-board")["id"] == "table.board-impossible"
    bench.step(Snapshot((5,) * 19, 0, 0, False, True))
    assert bench.command("accept-board")["id"] == "table.board-strange"


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


def test_the_reason_of_a_position_set_up_by_page_is_a_sentence_of_the_catalogue() -> None:
    bench = Bench()
    bench.connect()
    told = bench.command("set-up", pieces={"c3": 1, "d3": 1, "e3": 1}, to_move=0)
    assert told["params"]["reason"] == "setup.control.counts"
    assert says(text(told["id"], "ja", **told["params"]), "setup.control.counts", "ja", white=0)


def test_only_the_cell_of_the_step_blinks() -> None:
    bench = Bench(hint="control")
    bench.connect()
    bench.put("a1", 1)
    bench.put("c3", 2)
    bench.command("new")
    (show,) = only(Show, bench.out)
    fast = [i for i, (_, effect) in enumerate(show.frame.lights) if effect == Effect.FAST_BLINK]
    assert len(fast) == 1


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


def test_a_smaller_game_lies_in_the_middle_of_a_larger_board() -> None:
    bench = Bench(profile="hex5", size=3)
    bench.connect()
    board = load("hex5").grid
    outside = board.cell("a1")
    bench.step(Changed((BoardEvent(0, outside, 1, 10),)))
    assert bench.match.verdict == Agree(), "unused cells are ignored"
    assert bench.moves == []
    (show,) = only(Show, bench.step(Command(ThemeRequest("monochrome"))))
    dark = (DARK.palette, DARK.effect)
    assert show.frame.lights[load("hex5").cells[outside].light] == dark
    bench.next_event = 1
    bench.put("a1", 1)
    assert bench.moves == ["a1"]


def test_a_game_that_does_not_fit_is_told() -> None:
    with pytest.raises(BoardError, match="hex5"):
        Session(games.load("control", size=5), HEX3, ["human", "human"])


# Buttons, time and the link.


def test_a_lift_and_its_button_are_ordered_among_the_stones() -> None:
    bench = Bench()
    bench.connect()
    texts = (("a1", 1), ("c3", 2), ("b2", 1), ("e3", 2), ("c2", 1), ("d4", 2))
    for name, kind in texts:
        bench.put(name, kind)
    lift = bench.event("c3", 0)
    press = BoardEvent(bench.next_event, 240, 8, bench.now_us + 10)
    release = BoardEvent(bench.next_event + 1, 240, 9, bench.now_us + 20)
    bench.next_event += 2
    bench.step(Changed((lift, press, release)))
    assert bench.moves[-1] == "xc3"


def test_the_hint_button_turns_the_hints() -> None:
    bench = Bench(hint="legal")
    bench.connect()
    for wanted in ("control", "coach", "none", "legal"):
        bench.step(Changed((BoardEvent(bench.next_event, 242, 8, 5),)))
        bench.next_event += 1
        assert view(bench)["hint"] == wanted


def test_a_lost_link_pauses_everything_and_what_was_missed_is_made_up() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    bench.step(Lost("silent"))
    assert view(bench)["link"] == "lost"
    assert view(bench)["verdict"]["text"]["id"] == "table.board-lost"
    (show,) = only(Show, bench.out)
    assert {effect for _, effect in show.frame.lights} == {Effect.BREATHE}
    bench.step(BotMove(ask.ticket, "c3"))
    assert only(Prompt, bench.out) == []
    kinds = [0] * 19
    kinds[bench.game.grid.cell("a1")] = 1
    bench.connect(kinds=kinds)
    assert view(bench)["link"] == "up"
    assert only(Prompt, bench.out)[-1].wait == "machine"


def test_after_a_reconnect_the_events_of_the_same_boot_are_judged_one_by_one() -> None:
    bench = Bench()
    bench.connect()
    bench.step(Lost("closed"))
    first, second = bench.event("a1", 1), bench.event("c3", 2)
    hello = Hello("test", 1, 19, 19, 1, "uid", 5, bench.now_us, 1000, 0, 0)
    bench.step(Connected(hello), Changed((first, second)))
    assert bench.moves == ["a1", "c3"]


def test_a_board_that_restarted_counts_its_events_anew() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    bench.step(Lost("closed"))
    bench.next_event = 0
    kinds = [0] * 19
    kinds[bench.game.grid.cell("a1")] = 1
    bench.connect(boot=6, kinds=kinds)
    bench.put("c3", 2)
    assert bench.moves == ["a1", "c3"]


def test_a_countdown_does_not_run_while_the_board_is_away() -> None:
    bench = Bench("human", "bot:easy")
    bench.connect()
    for name, kind, answer in (("a1", 1, "c3"), ("b2", 1, "e3"), ("c2", 1, "d4")):
        bench.put(name, kind)
        (ask,) = only(AskBot, bench.wait(500_000))
        bench.step(BotMove(ask.ticket, answer))
        bench.put(answer, 2)
    bench.put("c3", 0)
    assert view(bench)["pending"] == {"move": "xc3", "said": "xc3", "due_ms": 2000}
    bench.step(Lost("silent"))
    assert bench.session.next_deadline() is None
    bench.wait(10_000_000)
    assert bench.moves[-1] == "d4"
    kinds = [int(kind) for kind in bench.game.pieces(bench.match.history.position)]
    kinds[bench.game.grid.cell("c3")] = 0
    bench.connect(kinds=kinds)
    assert bench.moves[-1] == "d4"
    bench.wait(2_000_000)
    assert bench.moves[-1] == "xc3"
