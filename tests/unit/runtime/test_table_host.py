"""A table in play: what comes of its board, bots, hands, disk and rules, in a test's own time."""

from __future__ import annotations

import errno
import gc
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from each import each
from lumiban.boards.profile import load
from lumiban.boards.types import Connected, Faulty, Lost
from lumiban.errors import JournalError, LumibanError
from lumiban.games.registry import RuleFault
from lumiban.library.ledger import Ledger
from lumiban.runtime import table_host
from lumiban.runtime.hands import LAY, Errand
from lumiban.runtime.page_table import PageTable
from lumiban.search.worker_messages import Answer
from lumiban.table import record
from lumiban.table.journal import JournalWriter
from lumiban.table.requests import (
    ConfirmRequest,
    HintRequest,
    SeatRequest,
    TakebackRequest,
    WordRequest,
    request_of,
)
from lumiban.table.resume import resume
from lumiban.table.types import Advice, BotFailed, BotMove, Finished, Settings
from lumiban_fw import wire
from near_table import BLACK_STONE, BOTS, PEOPLE, WHITE_STONE, Near
from near_table import near as near


def logged(state: Path, *events: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (state / "host.log").read_text("utf-8").splitlines())
    return [line for line in lines if line["event"] in events]


def held() -> int:
    """Ends of games that this process has in memory."""
    gc.collect()
    return sum(isinstance(one, Finished) for one in gc.get_objects())


async def test_a_person_s_stone_is_answered_by_a_bot_s_which_a_hand_sets_and_both_are_kept(
    near: Near,
) -> None:
    async with near.table(seats=("human", "bot:easy")) as sitting:
        dark = near.line.shown[-1]
        assert logged(near.state, "thought") == []
        await near.put("a1")
        await near.passes(3)
        assert near.moves[0] == "a1"
        assert len(near.moves) == 2
        asks = [told for told in near.bot.told if told[0] == "ask"]
        options = dict(sitting.shell.session.game.options)
        assert asks == [("ask", "control", options, "easy", "", None, 0)]
        assert near.hands is not None
        errand, void = near.hands.asked[0]
        assert errand == Errand("place", near.cell(near.moves[1]), BLACK_STONE, 0.3)
        assert not void
        assert near.line.shown[-1] != dark
        assert near.line.acknowledged == near.events == 2, "the board need not tell them again"
        assert near.view["sensed"] == near.view["pieces"]
        (thought,) = logged(near.state, "thought")
        assert near.moves[1] in thought["answer"]
        moves, line = near.moves, near.view["line"]
        assert line == near.line.statistics.as_json()
    (journal,) = (near.state / "journals").iterdir()
    back = resume(journal, mends=False)
    assert [str(move) for move in back.history.moves] == moves
    assert sitting.shell.journal_name == journal.name


async def test_a_game_that_ends_is_recorded_entered_told_and_logged(near: Near) -> None:
    async with near.table(seats=BOTS, options={"size": 2}) as sitting:
        ends: list[Any] = []
        sitting.shell.ended = ends.append
        await near.passes(20)
        assert near.view["outcome"] is not None
        (finished,) = ends
        assert record.verify(finished.record) == finished.outcome
        assert {move["by"] for move in finished.record["moves"]} == {"machine"}
    (kept,) = (near.state / "records").iterdir()
    assert json.loads(kept.read_text("utf-8")) == finished.record
    assert kept.stem == Path(sitting.shell.journal_name).stem
    (told,) = logged(near.state, "finished")
    assert told["record"] == str(kept)
    (entry,) = Ledger(near.state).read().entries
    assert (entry["t"], entry["name"]) == ("game", kept.stem)
    kept.unlink()  # as where a host was killed before it was written
    async with near.table(new=True):
        (late,) = logged(near.state, "record written late")
        assert late["record"] == str(kept)
    assert record.verify(json.loads(kept.read_text("utf-8"))) == finished.outcome


async def test_of_games_that_bots_play_in_a_loop_the_last_is_kept_and_its_board_cleared(
    near: Near,
) -> None:
    there = near.state / "records" / "somebody-wanted-this.json"
    there.parent.mkdir()
    there.write_text("{}", "utf-8")
    loop = Settings(rematch_us=100_000)
    before = held()
    async with near.table(seats=BOTS, options={"size": 2}, settings=loop) as sitting:
        ends: list[object] = []
        sitting.shell.ended = lambda end: ends.append(end.outcome)
        await near.until(lambda: len(ends) == 4)
        assert held() <= before + 2, "a demo plays for weeks"
        assert near.hands is not None
        assert any(errand and errand.do == LAY for errand, _ in near.hands.asked)
    kept = {path.stem for path in there.parent.iterdir()} - {there.stem}
    journals = {path.stem for path in (near.state / "journals").glob("*.journal")}
    assert there.exists()
    assert len(kept) == 1
    assert kept <= journals
    assert len(journals) <= 2, "the last, and the one that is played"


async def test_a_bot_that_hangs_is_begun_anew_told_and_logged_and_the_game_goes_on(
    near: Near,
) -> None:
    async with near.table(seats=("human", "bot:easy")) as sitting:
        hung: list[str] = []
        sitting.shell.hung = hung.append
        assert near.hands is not None
        near.bot.hangs = True
        await near.put("a1")
        near.hands.asked.clear()
        near.hands.ask(Errand("place", near.cell("e3"), BLACK_STONE, 99.0))
        near.hands.act = lambda: None  # type: ignore[method-assign]  # a hand that hangs too
        await near.until(lambda: hung)
        assert near.hands.asked[1][0] is None, "it begins anew"
        del near.hands.act
        await near.passes(3)
        assert len(hung) == 1
        assert ("restart",) in near.bot.told
        assert len(near.moves) == 2
        assert sitting.recorder is not None
        (told,) = logged(near.state, "the table hung")
        assert (told["why"], told["flight"]) == (hung[0], str(sitting.recorder.path))


async def test_a_strong_bot_ponders_on_a_person_s_time(near: Near) -> None:
    seats = ("bot:strong", "human")
    async with near.table(seats=seats, settings=Settings(ponder=True)):
        await near.passes(5)
        assert ("ponder", "control") in near.bot.told


async def test_losses_and_returns_of_the_board_stand_in_the_log_once_each(near: Near) -> None:
    async with near.table() as sitting:
        assert near.view["link"] == "up"
        sitting.shell.heard([Lost("silent", "x"), Lost("absent")])
        assert near.view["link"] == "lost"
        sitting.shell.heard([Connected(near.line.hello)])
        told = logged(near.state, "board lost", "board back")
        assert [(one["event"], one.get("reason")) for one in told] == [
            ("board lost", "silent"),
            ("board back", None),
        ]


async def test_the_log_says_which_select_line_of_which_socket_is_broken(near: Near) -> None:
    cells = load("hex8").cells
    row = {cell.channel: number for number, cell in enumerate(cells) if cell.row == 7}
    async with near.table(profile="hex8") as sitting:
        sitting.shell.heard([Faulty(wire.FAULT_STUCK, 3)])
        for channel in (0, 1, 2, 3, 8, 9):  # line S2 reads low
            near.change(row[channel], WHITE_STONE, 2)
            near.change(row[channel + 4], WHITE_STONE, 0.0009)
        (told,) = logged(near.state, "select lines broken: (line, socket)")
        assert told["found"] == [["S2", 8]]


async def test_what_the_page_asks_is_refused_or_done_by_its_role_and_the_log_has_it(
    near: Near,
) -> None:
    async with near.table() as sitting:
        before, shell = near.view, sitting.shell
        for strange in (request_of("dance", {}), SeatRequest(9, "human")):
            refused = await shell.command(strange, "host")
            assert refused is not None
            assert refused["id"].startswith("table.")
        await near.put("a1")
        before = near.view
        other = await shell.command(TakebackRequest(), "seat 1")
        assert other == {"id": "table.role.other-side", "params": {"do": "takeback"}}
        assert {**near.view, "v": 0, "line": {}} == {**before, "v": 0, "line": {}}
        assert await shell.command(WordRequest(0, "resign"), "seat 0") is None
        assert near.view["outcome"]["winner"] == 1
        did = logged(near.state, "command")
        assert (did[-1]["do"], did[-1]["role"], did[-1]["word"]) == ("word", "seat 0", "resign")
        assert shell.look(0) is not None
        assert shell.look(99) is None
    refused = await shell.command(HintRequest("none"), "host")
    assert refused == {"id": "table.changes-board", "params": {}}


async def test_a_page_has_whichever_table_is_there(near: Near) -> None:
    page, heard, pressed = PageTable(), [], []
    leave = page.watch(heard.append)
    page.watch_buttons(lambda: pressed.append(True))
    for seats in (("human", "bot:easy"), ("human", "human")):
        async with near.table(seats=seats) as sitting:
            page.put(sitting.shell)
            assert heard[-1] == page.view() == sitting.shell.view()
            assert page.hello() == sitting.shell.hello()
            sitting.shell.hands_url = "ws://elsewhere/"
            assert page.hands_url == "ws://elsewhere/"
            assert page.look(0) == sitting.shell.look(0) is not None
            assert await page.command(HintRequest("legal"), "host") is None
            assert heard[-1].hint == "legal"
            near.change(wire.FIRST_BUTTON, wire.DOWN)
            await near.passes()
    assert len(pressed) == 2
    leave()
    count = len(heard)
    page.publish()
    assert len(heard) == count
    leave = page.watch(heard.append)
    page.publish()
    assert heard[count:] == [page.view()]


async def test_the_clock_of_a_view_goes_on_while_nothing_is_published(near: Near) -> None:
    async with near.table(clock="sudden:10m"):
        await near.put("a1")
        begun = near.view["clock"]
        near.now_s += 30
        now = near.view["clock"]
        assert now["running"] == begun["running"] == 1
        spent = [
            one["left_ms"] - other["left_ms"]
            for one, other in zip(begun["clocks"], now["clocks"], strict=True)
        ]
        assert spent == [0, 30_000]


async def test_hands_that_rest_leave_the_board_alone_until_they_may_work_again(near: Near) -> None:
    async with near.table(seats=("human", "bot:easy")) as sitting:
        assert near.hands is not None
        sitting.shell.rest_hands(True)
        await near.put("a1")
        await near.passes(4)
        assert near.view["prompt"]["steps"]
        assert near.moves == ["a1"]
        sitting.shell.rest_hands(False)
        assert isinstance(near.hands.errand, Errand)
        await near.passes(4)
        assert len(near.moves) == 2


async def test_a_stone_taken_off_between_bots_is_brought_back_after_a_look(near: Near) -> None:
    async with near.table(seats=BOTS):
        assert near.hands is not None
        asked = near.hands.asked
        await near.until(lambda: asked)
        near.bot.hangs = True
        await near.passes(2)
        first = near.moves[0]
        near.hands.asked.clear()
        near.change(near.cell(first), 0)
        await near.passes(3)
        errands = [errand for errand, _ in near.hands.asked if errand is not None]
        assert errands == [Errand("place", near.cell(first), WHITE_STONE, 0.6)]
        assert near.view["sensed"] == near.view["pieces"]


async def test_all_that_is_to_be_set_up_is_laid_at_once(near: Near) -> None:
    async with near.table(game="doves", options={}, profile="grid9x9") as sitting:
        await near.passes(3)
        assert near.hands is not None
        laid = [errand for errand, _ in near.hands.asked if errand is not None]
        assert laid[0].do == LAY
        assert len(laid[0].pieces) == sum(map(bool, near.lies)) == 12
        assert near.view["sensed"] == near.view["pieces"]
        assert sitting.shell.session.match.history.moves == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuleFault("mine.py, line 7, in points: KeyError"), "mine.py, line 7"),
        (ZeroDivisionError(), r"host\.log"),
    ],
)
async def test_a_step_that_fails_ends_the_table_and_says_whose_fault_it_is(
    near: Near, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    async with near.table() as sitting:

        def broken(*_: Any) -> None:
            raise error

        monkeypatch.setattr(sitting.shell.session, "step", broken)
        try:
            await sitting.shell.command(ConfirmRequest(), "host")
        except ZeroDivisionError:
            assert isinstance(error, ZeroDivisionError)
        with pytest.raises(LumibanError, match=told):
            await sitting.shell.run()
        assert await sitting.shell.command(ConfirmRequest(), "host") is not None
        near.line.is_open = False


async def test_a_broken_disk_stops_the_table_with_a_word(near: Near) -> None:
    async with near.table() as sitting:
        near.disk.error = errno.EIO
        near.change(near.cell("a1"), WHITE_STONE)
        await near.until(lambda: sitting.shell.lost)
        await near.quiet()
        with pytest.raises(JournalError, match="Input/output error"):
            await sitting.shell.run()


async def test_what_is_not_kept_in_the_last_moments_is_told_too(near: Near) -> None:
    async with near.table() as sitting:
        near.disk.error = errno.EIO
        sitting.shell.stop()
        sitting.shell.stop()
        await sitting.shell.run()
        await sitting.shell.command(WordRequest(0, "resign"), "host")
    assert "start again: the game goes on" in str(sitting.shell.lost)


async def test_on_a_full_disk_a_table_waits_for_room_and_plays_on(
    near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_host, "JournalWriter", partial(JournalWriter, retry_s=0.001))
    async with near.table() as sitting:
        await near.put("a1")
        near.disk.error = errno.ENOSPC

        def reads() -> str:
            return (near.view["verdict"]["text"] or {"id": ""})["id"]

        near.change(near.cell("e3"), BLACK_STONE)
        while reads() != "table.no-room":
            await near.passes(0.1)
        assert near.view["verdict"]["text"]["params"] == {"folder": str(near.state)}
        assert near.moves == ["a1", "e3"]
        refused = await sitting.shell.command(WordRequest(0, "resign"), "host")
        assert refused is not None
        assert refused["id"] == "table.no-room"
        near.disk.error = 0
        while reads() == "table.no-room":
            await near.passes(0.1)
        await near.put("e1")
        assert near.moves == ["a1", "e3", "e1"]
    assert [one["level"] for one in logged(near.state, "disk full")] == ["error"]


async def test_a_record_or_a_ledger_that_cannot_be_written_is_logged_and_ends_nothing(
    near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Settings(rematch_us=100_000)
    (near.state / "records").write_text("")
    async with near.table(seats=BOTS, options={"size": 2}, settings=loop) as sitting:
        ends: list[object] = []
        sitting.shell.ended = ends.append
        await near.until(lambda: len(ends) == 1)
    assert len(logged(near.state, "record not written")) == 1
    assert logged(near.state, "finished") == []
    (near.state / "records").unlink()

    def append(*_: object) -> None:
        raise LumibanError("no room")

    monkeypatch.setattr(Ledger, "append", append)
    async with near.table(seats=PEOPLE, options={"size": 2}, new=True) as sitting:
        await near.put("a1")
        assert await sitting.shell.command(WordRequest(0, "resign"), "host") is None
        await near.passes()
    (told,) = logged(near.state, "game not entered")
    assert (told["name"], told["reason"]) == (Path(sitting.shell.journal_name).stem, "no room")


@each(
    ("answer", "heard"),
    [
        (Answer(3, "a1", 0.25, 40), BotMove(3, "a1", 0.25, 40)),
        (Answer(0, "a1", 0.25, 40), BotMove(0, "a1", 0.25, 40)),
        (Answer(3, reason="it died"), BotFailed(3, "it died")),
        (
            Answer(-2, lines=[1], looked=9, unit="playouts", done=False),
            Advice(-2, (1,), 9, "playouts", False, ""),
        ),
        (Answer(-2, reason="it died"), Advice(-2, (), 0, "", True, "it died")),
    ],
)
def test_what_the_thinking_process_answers_is_a_bot_s_move_or_the_coach_s_advice(
    answer: Answer, heard: object
) -> None:
    assert table_host.inputs([answer]) == [heard]


async def test_while_a_page_is_served_no_thread_holds_a_stone_up(near: Near) -> None:
    usual = sys.getswitchinterval()
    async with near.table(seats=("human", "bot:easy")) as sitting:
        assert near.bot.told == []
        sitting.shell.attend()
        assert sys.getswitchinterval() <= 0.001
        near.collector.return_value.start.assert_called_once_with()
        options = dict(sitting.shell.session.game.options)
        assert near.bot.told == [("start",), ("warm", "control", options, "")]
    assert sys.getswitchinterval() == usual
    assert near.bot.closed
    assert not near.line.is_open
