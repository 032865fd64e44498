"""A game that a simulated board cannot hold is played on another one, at a page's word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lumiban import games
from lumiban.runtime.open_table import open_table
from lumiban.system.paths import open_log
from lumiban.table.clocks import RULES, control_for
from lumiban.table.fitting import profile_for
from lumiban.table.requests import LessonRequest, NewGameRequest
from lumiban.table.setup import TableSetup

SEATS = ("human", "bot:easy")


@pytest.mark.process
async def test_a_page_s_game_ends_the_table_for_one_on_the_board_that_it_needs(
    tmp_path: Path,
) -> None:
    (tmp_path / "journals").mkdir()
    wish = TableSetup(options={"size": 3}, profile="hex3", seats=SEATS, new=True, seed=1)
    sitting = await open_table(wish, tmp_path, open_log(tmp_path))
    try:
        shell = sitting.shell
        assert shell.hello()["switches_board"] is True

        async def refused(request: NewGameRequest | LessonRequest) -> str:
            error = await shell.command(request, "host")
            assert sitting.next_setup is None
            return "" if error is None else error["id"]

        # What fits is begun here, and what is wrong is told here.
        evening = NewGameRequest("evening", {"size": 3}, SEATS)
        assert await refused(evening) == ""
        assert shell.session.game.slug == "evening"
        strange = NewGameRequest("trivia", {"size": 99}, SEATS)
        assert await refused(strange) == "table.no-such-game"
        soon = NewGameRequest("trivia", {"size": 5}, SEATS, "soon")
        assert await refused(soon) == "table.no-such-game"
        # A lesson of what fits is begun here too.
        assert await refused(LessonRequest("begin", "control")) == ""
        assert shell.session.lesson is not None
        assert await refused(LessonRequest("leave")) == ""
        assert shell.session.game.slug == "evening"
        own = NewGameRequest(str(tmp_path / "mine.py"), {}, SEATS)
        assert await refused(own) == "table.own-not-by-page"

        trivia = NewGameRequest("trivia", {"size": 5}, SEATS, "move:30s")
        assert await shell.command(trivia, "host") is None
        then = sitting.next_setup
        assert then is not None
        assert (then.game, then.options, then.seats) == ("trivia", {"size": 5}, SEATS)
        assert (then.clock, then.profile, then.new) == ("move:30s", "", True)
        await shell.run()
    finally:
        await sitting.close()


@pytest.mark.process
@pytest.mark.parametrize("chosen", [False, True])
async def test_a_game_after_rengi_has_its_usual_board_unless_a_board_was_chosen(
    tmp_path: Path, chosen: bool
) -> None:
    (tmp_path / "journals").mkdir()
    people = ("human", "human")
    profile = profile_for(games.load("rengi")) if chosen else ""
    wish = TableSetup(game="rengi", profile=profile, seats=people, new=True, seed=1)
    sitting = await open_table(wish, tmp_path, open_log(tmp_path))
    try:
        assert await sitting.shell.command(LessonRequest("begin", "doves"), "host") is None
        assert sitting.next_setup is None, "a lesson leads back to the game that was left"
        assert await sitting.shell.command(NewGameRequest("doves", {}, people), "host") is None
        assert (sitting.next_setup is None) == chosen
        if sitting.next_setup is not None:
            await sitting.shell.run()
            assert (sitting.next_setup.game, sitting.next_setup.profile) == ("doves", "")
    finally:
        await sitting.close()


@pytest.mark.process
async def test_rengi_has_its_clock_on_every_way_to_it(tmp_path: Path) -> None:
    (tmp_path / "journals").mkdir()
    people = ("human", "human")
    wish = TableSetup(profile="hex5", seats=people, clock="sudden:10m", new=True, seed=1)
    log = open_log(tmp_path)
    sitting = await open_table(wish, tmp_path, log)
    try:
        assert await sitting.shell.command(NewGameRequest("rengi", {}, people), "host") is None
        await sitting.shell.run()
    finally:
        await sitting.close()
    assert sitting.next_setup is not None
    rengi = replace(sitting.next_setup, profile=profile_for(games.load("rengi")))
    sitting = await open_table(rengi, tmp_path, log)
    try:
        shell = sitting.shell

        async def clock_after(*requests: NewGameRequest | LessonRequest) -> str | None:
            for request in requests:
                assert await shell.command(request, "host") is None
                assert sitting.next_setup is None
            control = shell.session.history.control
            return None if control is None else str(control)

        own = str(control_for(shell.session.game, RULES))
        assert await clock_after() == own, "from another board"
        assert await clock_after(LessonRequest("begin"), LessonRequest("play")) == own
        for clock in ("sudden:10m", "none"):
            trivia = NewGameRequest("trivia", {"size": 5}, people, clock)
            assert await clock_after(trivia, NewGameRequest("rengi", {}, people)) == own
        # Played again, it keeps the clock that was chosen.
        chosen = NewGameRequest("rengi", {}, people, "none")
        assert await clock_after(chosen, NewGameRequest()) is None
    finally:
        await sitting.close()


@pytest.mark.process
async def test_a_lesson_brings_the_board_that_it_needs_and_begins_there(tmp_path: Path) -> None:
    (tmp_path / "journals").mkdir()
    wish = TableSetup(options={"size": 3}, profile="hex3", seats=SEATS, new=True, seed=1)
    log = open_log(tmp_path)
    sitting = await open_table(wish, tmp_path, log)
    try:
        assert await sitting.shell.command(LessonRequest("begin", "trivia"), "host") is None
        await sitting.shell.run()
    finally:
        await sitting.close()
    then = sitting.next_setup
    assert then is not None
    assert (then.game, then.options, then.lesson) == (
        "trivia",
        {},
        LessonRequest("begin", "trivia"),
    )
    sitting = await open_table(then, tmp_path, log)
    try:
        session = sitting.shell.session
        assert session.lesson is not None
        assert (session.lesson.number, len(session.game.grid)) == (0, 9)
        assert session.history.left is not None
        assert session.history.left.seats == ["human", "bot:gentle"]
    finally:
        await sitting.close()
