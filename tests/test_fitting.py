"""Only what a table can play is offered, and the reason is told for the rest."""

from __future__ import annotations

import pytest
from lumiban import games
from lumiban.boards.profile import load
from lumiban.cli.greeting import greeting
from lumiban.errors import BoardError, GameError
from lumiban.table.fitting import fit


def offered(profile: str) -> dict[str, dict[str, dict[str, object]]]:
    told = greeting(load(profile), simulated=True)
    return {
        game["slug"]: {option["name"]: option for option in game["options"]}
        for game in told["games"]
    }


def test_evening_without_turns_is_refused_with_the_way_that_can_be_played() -> None:
    with pytest.raises(GameError, match="turns=trailing"):
        fit(games.load("evening"), load("hex5"))
    assert fit(games.load("evening", turns="trailing"), load("hex5"))


def test_the_page_offers_evening_in_its_trailing_form_only() -> None:
    turns = offered("hex5")["evening"]["turns"]
    assert turns["values"] == ["trailing"]
    assert turns["default"] == "trailing"


def test_the_page_offers_only_sizes_that_the_board_holds() -> None:
    assert offered("hex3")["control"]["size"]["values"] == [2, 3]
    assert offered("hex3")["evening"]["size"]["values"] == [2, 3]
    assert offered("hex5")["control"]["size"]["default"] == 5


def test_doves_and_trivia_are_offered_on_squares_only() -> None:
    assert "doves" in offered("grid9x9")
    assert "doves" not in offered("hex5")
    assert "trivia" in offered("grid9x9")
    assert "trivia" not in offered("hex5")
    with pytest.raises(BoardError, match="grid9x9"):
        fit(games.load("trivia"), load("hex5"))
