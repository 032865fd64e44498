"""The registry of games: what is there, what is asked of it, and that asking is cheap."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
from importlib import metadata
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from each import each
from lumiban import games, i18n
from lumiban.errors import GameError
from lumiban.games import Game, registry
from lumiban.games.accelerated import Accelerated, Accelerator
from lumiban.games.base import Option, resolve_options
from lumiban.games.control import Control
from lumiban.games.floating_game import FloatingGame
from lumiban.games.light_game import LightGame


def test_control_is_there_and_loads_by_its_name() -> None:
    assert "control" in games.available()
    assert games.game_class("control") is Control
    assert games.load("control", size="3").options["size"] == 3
    assert registry.is_known("Control")
    assert not registry.is_known("chess")


@each(
    ("slug", "options", "said"),
    [
        ("chess", {}, r"no game 'chess': the games are control"),
        ("", {}, r"no game ''"),
        ("control", {"sise": 3}, r"no option 'sise': its options are size, opening, scoring, sees"),
        ("control", {"size": 13}, r"size is one of 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, not 13"),
        ("control", {"size": "five"}, r"size is one of .*, not 'five'"),
        ("control", {"size": True}, r"size is one of .*, not True"),
        ("control", {"size": 3.0}, r"size is one of .*, not 3.0"),
        ("control", {"opening": "pie"}, r"one of perimeter, free, pie2, 12\*, not 'pie'"),
    ],
)
def test_what_is_unknown_is_refused_with_what_is_accepted(
    slug: str, options: dict[str, int | str], said: str
) -> None:
    with pytest.raises(GameError, match=said) as caught:
        games.load(slug, **options)
    assert "\n" not in str(caught.value)


def test_a_game_without_options_says_so() -> None:
    with pytest.raises(GameError, match="dots has no option 'size': it has no options"):
        resolve_options("dots", (), {"size": 3})


def test_options_are_resolved_in_their_own_order() -> None:
    accepts = (Option("b", 1, (1, 2)), Option("a", "x", ("x", "y")))
    assert list(resolve_options("dots", accepts, {"a": "y"}).items()) == [("b", 1), ("a", "y")]


class Dots(Game):
    slug = "dots"


WRITTEN = {
    Game: "start movers moves words parse play why_not outcome pieces setup marks state move_of"
    " capacity",
    LightGame: "hear scene",
    FloatingGame: "unlaid on_board drift corner relaid slides on_field reaches is_crowded settled"
    " is_unseen alike",
    Accelerated: "grid_view plain_state",
    Accelerator: "state hints",
}
"""What who writes a game of these kinds has to say."""


@each(("kind", "name"), [(kind, name) for kind, told in WRITTEN.items() for name in told.split()])
def test_what_an_author_has_not_written_is_no_answer(kind: Any, name: str) -> None:
    asked = vars(kind)[name]
    asked = asked.fget if isinstance(asked, property) else asked
    given = inspect.signature(asked).parameters.values()
    nothing = [None for one in given if one.kind == one.POSITIONAL_OR_KEYWORD][1:]
    with pytest.raises(NotImplementedError):
        asked(object.__new__(kind), *nothing)


def offer(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    point = EntryPoint(name, value, registry.GROUP)
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: [point])


def test_an_installed_package_may_offer_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "somebodys_dots", sys.modules[__name__])
    offer(monkeypatch, "dots", "somebodys_dots:Dots")
    assert games.available() == (*registry.BUILT_IN, "dots")
    assert type(games.load("dots")) is Dots


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no_such_module_of_ours:Dots", "cannot be loaded: No module named"),
        ("lumiban.games.base:NoSuchGame", "cannot be loaded"),
        ("lumiban.games.base:WHITE", "no subclass of Game"),
    ],
)
def test_a_broken_offer_is_named(monkeypatch: pytest.MonkeyPatch, value: str, said: str) -> None:
    offer(monkeypatch, "dots", value)
    with pytest.raises(GameError, match=said):
        games.load("dots")
    assert games.load("control", size=2)


def test_an_offer_cannot_take_the_place_of_one_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "control", "no_such_module_of_ours:Control")
    assert games.available() == registry.BUILT_IN
    assert games.game_class("control") is Control


@pytest.mark.process
def test_importing_games_imports_no_game_and_nothing_heavy() -> None:
    program = (
        "import sys, lumiban.games as games\n"
        "games.available()\n"
        "heavy = {'numba', 'numpy', 'asyncio', 'lumiban.games.control'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_game_and_option_has_its_words(language: str) -> None:
    known = i18n.texts(language)
    for slug in games.available():
        assert f"game.{slug}.name" in known
        assert f"game.{slug}.rule" in known
        assert f"rules.{slug}" in known
        for option in games.game_class(slug).accepts:
            assert f"game.{slug}.option.{option.name}" in known
            for value in option.values:
                if isinstance(value, str):
                    assert f"game.{slug}.option.{option.name}.{value}" in known


@each("slug", games.available())
def test_every_game_has_words_for_its_sides(slug: str) -> None:
    for side in games.game_class(slug).sides:
        assert i18n.text(f"side.{side}")


def test_games_with_the_same_options_are_equal() -> None:
    assert Control(size=3) == Control(size="3")
    assert Control(size=3) != Control(size=4)
    assert Control() != Dots()
    assert repr(Control(size=3, sees="sight")).startswith("load('control', size=3")


@pytest.mark.parametrize("slug", games.available()[:5])
def test_remembered_pieces_are_those_of_the_position_whichever_is_asked_for(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, dice = games.load(slug), random.Random(1)
    positions = [game.start(1)]
    while len(positions) < 12:
        now = positions[-1]
        moves = [move for side in game.movers(now) for move in game.moves(now, side)]
        if not moves:
            break
        positions.append(game.play(now, dice.choice(moves)))
    assert len(positions) > 4
    wanted = [tuple(map(int, game.pieces(position))) for position in positions]
    for _ in range(200):
        n = dice.randrange(len(positions))
        assert game.kinds_on(positions[n]) == wanted[n]
    game.kinds_on(positions[0])
    monkeypatch.setattr(type(game), "pieces", lambda *_: pytest.fail("reckoned again"))
    assert game.kinds_on(positions[0]) == wanted[0]
