"""A game that a simulated board cannot hold is played on another one, at a page's word."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban import games
from lumiban.table.fitting import profile_for
from lumiban.table.requests import LessonRequest, NewGameRequest
from near_table import PEOPLE, Near
from near_table import near as near

SEATS = ("human", "bot:easy")


async def test_a_page_s_game_ends_the_table_for_one_on_the_board_that_it_needs(
    near: Near, tmp_path: Path
) -> None:
    async with near.table(seats=SEATS, new=True) as sitting:
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
        assert then.seed != sitting.shell.session.seed
        await shell.run()


@pytest.mark.parametrize("chosen", [False, True])
async def test_a_game_after_rengi_has_its_usual_board_unless_a_board_was_chosen(
    near: Near, chosen: bool
) -> None:
    profile = profile_for(games.load("rengi")) if chosen else ""
    async with near.table(game="rengi", options={}, profile=profile) as sitting:
        assert await sitting.shell.command(LessonRequest("begin", "doves"), "host") is None
        assert sitting.next_setup is None, "a lesson leads back to the game that was left"
        assert await sitting.shell.command(NewGameRequest("doves", {}, PEOPLE), "host") is None
        assert (sitting.next_setup is None) == chosen
        if sitting.next_setup is not None:
            await sitting.shell.run()
            assert (sitting.next_setup.game, sitting.next_setup.profile) == ("doves", "")
