"""What a page is told of the games: what fits this board, presets, and reasons for the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lumiban import games, i18n
from lumiban.boards.mapping import fitting
from lumiban.boards.profile import Profile, load, names
from lumiban.games import registry
from lumiban.runtime import playable_games
from lumiban.runtime.page_hello import page_hello
from lumiban.runtime.playable_games import kept_offers
from lumiban.table.fitting import fit

UNFIT = "table.unfit-board"


@cache
def hello(profile: str) -> dict[str, Any]:
    return page_hello(load(profile), simulated=True)


def game(profile: str, slug: str) -> dict[str, Any]:
    return next(one for one in hello(profile)["games"] if one["slug"] == slug)


def option(profile: str, slug: str, name: str) -> dict[str, Any]:
    return next(one for one in game(profile, slug)["options"] if one["name"] == name)


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


@pytest.mark.slow
def test_rengi_is_offered_on_its_board_and_others_say_which_one_it_needs() -> None:
    assert game("grid13x14", "rengi")["options"]
    [told] = [one["text"] for one in hello("hex5")["unfit"] if one["slug"] == "rengi"]
    said = i18n.text(told["id"], "en", **told["params"])
    assert "182 cells" in said
    assert "grid13x14" in said


# What is kept of it.


def test_what_fits_a_board_is_found_out_once_and_again_for_another_or_a_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def offers_for(profile: Profile, slugs: Any) -> Any:
        asked.append(slugs)
        return [{"slug": f"{len(profile.cells)} cells"}], [{"slug": "rengi"}]

    monkeypatch.setattr(playable_games, "offers_for", offers_for)

    def tries(profile: Profile, folder: Path = tmp_path) -> int:
        before = len(asked)
        told = kept_offers(profile, folder)
        assert told == ([{"slug": f"{len(profile.cells)} cells"}], [{"slug": "rengi"}])
        return len(asked) - before

    mine = replace(load("hex3"), name="mine")
    assert [tries(mine) for _ in range(3)] == [1, 0, 0]
    (file,) = tmp_path.iterdir()
    assert set(asked[0]) == set(registry.BUILT_IN)
    for other in (
        replace(load("hex5"), name="mine"),
        mine,
        replace(mine, scan_hz=mine.scan_hz + 1),
    ):
        assert [tries(other) for _ in range(2)] == [1, 0]
    for text in ("", "[]", "{", json.dumps({"digest": "x", "fits": [], "unfit": []}), "\xff"):
        file.write_text(text, "latin-1")
        assert [tries(mine) for _ in range(2)] == [1, 0], text
    file.write_text(json.dumps({"digest": json.loads(file.read_text())["digest"]}))
    assert tries(mine) == 1
    monkeypatch.setattr(playable_games, "__version__", "99.0")
    assert tries(mine) == 1
    assert tries(mine, tmp_path / "no" / "folder") == 1
