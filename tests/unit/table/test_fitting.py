"""Only what a table can play is offered, and the reason is told for the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hello_of import hello_of
from lumiban import Simulator, games
from lumiban.boards.profile import Profile, load, read
from lumiban.errors import BoardError, GameError
from lumiban.table.fitting import fit, profile_for, unfit
from places import ROOT


def offered(profile: str | Profile) -> dict[str, dict[str, dict[str, object]]]:
    board = load(profile) if isinstance(profile, str) else profile
    told = hello_of(board)
    return {
        game["slug"]: {option["name"]: option for option in game["options"]}
        for game in told["games"]
    }


def test_evening_without_turns_is_refused_on_a_slow_board_with_the_way_that_can_be_played() -> None:
    slow = replace(load("hex5"), scan_hz=499)
    with pytest.raises(GameError, match="turns=trailing"):
        fit(games.load("evening"), slow)
    assert fit(games.load("evening", turns="trailing"), slow)
    assert fit(games.load("evening"), replace(slow, scan_hz=500))
    assert unfit(games.load("evening"), load("hex5"), 499) == "table.no-fair-order"


def test_a_game_is_played_on_a_profile_that_holds_it_when_none_is_named() -> None:
    chosen = {
        slug: profile_for(games.load(slug))
        for slug in ("control", "evening", "trivia", "doves", "rengi")
    }
    assert chosen == {
        "control": "hex5",
        "evening": "hex5",
        "trivia": "grid9x9",
        "doves": "grid9x9",
        "rengi": "grid13x14",
    }


@pytest.mark.parametrize(
    ("slug", "size", "cells"),
    [
        ("control", 10, 271),
        ("control", 12, 397),
        ("evening", 12, 397),
        ("trivia", 16, 256),
        ("trivia", 19, 361),
    ],
)
def test_what_no_board_holds_is_played_by_rules_and_refused_by_name_at_a_table(
    slug: str, size: int, cells: int
) -> None:
    game = games.load(slug, size=size)
    assert len(game.grid) == cells
    position = game.start()
    for _ in range(40):
        listed = [move for side in game.movers(position) for move in game.moves(position, side)]
        move = listed[len(position.history) % len(listed)]
        assert game.parse(position, move.text, move.side) == move
        position = game.play(position, move)
    trace = [0] * (game.capacity[1] + 2)
    assert game.state(position).playout([1], trace) in (1, 2)
    with pytest.raises(BoardError, match=f"the {cells} cells of a .* do not fit the board hex5"):
        fit(game, load(profile_for(game)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "options", "profile"),
    [
        ("control", {"size": 9}, "hex9"),
        ("evening", {"size": 9, "turns": "trailing"}, "hex9"),
        ("trivia", {"size": 9, "cells": "hexagons"}, "hex9"),
        ("trivia", {"size": 15}, "grid15x15"),
    ],
)
def test_the_largest_boards_that_the_wire_counts_are_played_on(
    slug: str, options: dict[str, int | str], profile: str
) -> None:
    game = games.load(slug, **options)
    assert profile_for(game) == profile
    assert sorted(fit(game, load(profile)).board) == list(range(len(game.grid)))
    bots = {"first": "bot:gentle", "second": "bot:gentle"}
    with Simulator(profile) as board, board.play(slug, seed=1, **bots, **options) as table:
        played = [table.wait_for_move() for _ in range(4)]
        assert len({move.text for move in played if move}) == 4
        # What the machine plays is brought to the board, and seen there by its sensors.
        assert len(board.pieces) >= 4


def test_tokyo_doves_fit_on_any_rectangle_of_six_by_six_and_on_no_hexagon() -> None:
    file = ROOT / "hardware/lumiban_hw/profiles/grid9x9.toml"
    text = file.read_text("utf-8").replace("size = [9, 9]", "size = [6, 7]")
    small = read(text.replace('"grid9x9" ', '"grid6x7" '), "grid6x7.toml")
    assert len(fit(games.load("doves"), small).board) == 42
    with pytest.raises(BoardError, match="grid9x9"):
        fit(games.load("doves"), load("hex5"))
