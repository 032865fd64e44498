"""What a page is told of the games: what fits this board, presets, and reasons for the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lumiban import games, i18n
from lumiban.boards.mapping import fitting, place_grid
from lumiban.boards.profile import load, names
from lumiban.errors import BoardError
from lumiban.runtime.page_hello import page_hello
from lumiban.table.fitting import fit

UNFIT = "table.unfit-board"


@cache
def hello(profile: str) -> dict[str, Any]:
    return page_hello(load(profile), simulated=True)


def game(profile: str, slug: str) -> dict[str, Any]:
    return next(one for one in hello(profile)["games"] if one["slug"] == slug)


def option(profile: str, slug: str, name: str) -> dict[str, Any]:
    return next(one for one in game(profile, slug)["options"] if one["name"] == name)


def test_the_greeting_holds_what_the_page_is_promised() -> None:
    told = json.loads(json.dumps(hello("hex5")))
    assert told["simulated"] is True
    assert told["languages"] == ["en", "ja"]
    assert told["levels"] == ["gentle", "easy", "medium", "hard", "strong"]
    assert len(told["profile"]["cells"]) == 61
    assert told["profile"]["cells"][-1]["name"] == "a5"
    assert sorted(told["profile"]["cells"][0]) == ["light", "name", "q", "r", "x", "y"]
    offered = [game["slug"] for game in told["games"]]
    assert "control" in offered
    for slug in games.available():
        if slug not in offered:
            with pytest.raises(BoardError):
                place_grid(games.load(slug).grid, load("hex5"))


@pytest.mark.parametrize(
    ("profile", "sizes", "opening"), [("hex5", [2, 3, 4, 5], 5), ("hex3", [2, 3], 3)]
)
def test_only_sizes_that_fit_the_board_are_offered(
    profile: str, sizes: list[int], opening: int
) -> None:
    size = option(profile, "control", "size")
    assert (size["values"], size["default"]) == (sizes, opening)
    ways = option(profile, "control", "opening")["values"]
    assert ways == ["perimeter", "free", "pie2", "12*"]


@pytest.mark.one_case
@pytest.mark.parametrize("profile", names())
def test_every_game_is_offered_or_refused_with_a_reason(profile: str) -> None:
    told = hello(profile)
    slugs = [one["slug"] for one in (*told["games"], *told["unfit"])]
    assert sorted(slugs) == sorted(games.available())
    for one in told["unfit"]:
        for language in i18n.LANGUAGES:
            assert i18n.text(one["text"]["id"], language, **one["text"]["params"])


@pytest.mark.one_case
@pytest.mark.parametrize("profile", names())
def test_what_is_offered_by_default_can_be_played(profile: str) -> None:
    for one in hello(profile)["games"]:
        defaults = {o["name"]: o["default"] for o in one["options"]}
        assert fit(games.load(one["slug"], **defaults), load(profile))
        for o in one["options"]:
            assert o["default"] in o["values"]


def test_values_that_do_not_fit_stay_with_their_reason() -> None:
    size = option("hex3", "control", "size")
    assert size["values"] == [2, 3]
    assert [one["value"] for one in size["unfit"]] == [*range(4, 13)]
    held = {one["value"] for one in size["unfit"] if one["text"]["id"] == UNFIT}
    largest = max(held)
    assert held == {*range(4, largest + 1)}
    assert fitting(games.load("control", size=largest).grid)
    # What no board holds names none.
    beyond = [one for one in size["unfit"] if one["value"] > largest]
    assert {one["text"]["id"] for one in beyond} == {"table.unfit-every-board"}
    assert beyond
    for one in beyond:
        assert not fitting(games.load("control", size=one["value"]).grid)


@pytest.mark.slow
def test_other_options_are_judged_at_a_size_that_fits() -> None:
    for name in ("turns", "sees", "wins", "tie"):
        assert option("hex3", "evening", name)["values"], name


def test_presets_carry_their_options_and_say_when_they_do_not_fit() -> None:
    presets = {one["name"]: one for one in game("hex3", "evening")["presets"]}
    assert presets["evening-odd-even"]["options"]["tie"] == "odd-even"
    assert presets["evening-odd-even"]["text"] is None
    assert presets["interleave"]["text"]["id"] == UNFIT
    fitting = {one["name"]: one["text"] for one in game("hex5", "evening")["presets"]}
    assert set(fitting.values()) == {None}


def test_an_option_that_takes_other_text_says_so() -> None:
    assert option("hex5", "evening", "cells")["free"] is True
    assert option("hex5", "evening", "tie")["free"] is False


@pytest.mark.slow
def test_rengi_is_offered_on_its_board_and_others_say_which_one_it_needs() -> None:
    assert game("grid13x14", "rengi")["options"]
    [told] = [one["text"] for one in hello("hex5")["unfit"] if one["slug"] == "rengi"]
    said = i18n.text(told["id"], "en", **told["params"])
    assert "182 cells" in said
    assert "grid13x14" in said


# What is kept of it.


@pytest.mark.slow
def test_what_fits_a_board_is_found_out_once_and_again_for_another_board_or_a_damaged_file(
    tmp_path: Path,
) -> None:
    def fits(size: int, kept: Path) -> bool:
        told = page_hello(replace(load(f"hex{size}"), name="mine"), simulated=True, kept=kept)
        fresh = page_hello(replace(load(f"hex{size}"), name="mine"), simulated=True)
        return json.loads(json.dumps(told)) == json.loads(json.dumps(fresh))

    assert fits(3, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**whole, "fits": []}), "utf-8")
    assert not fits(3, tmp_path), "nothing is found out again"
    assert fits(5, tmp_path)
    assert fits(3, tmp_path)
    for text in ("", "[]", "{", json.dumps({"digest": whole["digest"]}), "\xff"):
        file.write_text(text, "latin-1")
        assert fits(3, tmp_path), text
    assert fits(3, tmp_path / "no" / "folder")
