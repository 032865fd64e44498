"""From a board that was switched on to a finished game, by hands that see no screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from lobby_table import SECOND_US, LobbyTable
from lumiban import games
from virtual_play import moves, on_disk

HANDS = ("machine", "mend")
"""People who set what the light asks for."""

WALKS = (
    ("hex3", "control", 2),
    ("hex3", "evening", 3),
    ("hex3", "trivia", 2),
    ("grid13x14", "rengi", 0),
    ("grid9x9", "doves", 0),
)
LONG_WALKS = (
    ("hex3", "control", 3),
    ("hex3", "evening", 2),
    ("hex3", "trivia", 3),
    ("hex5", "control", 3),
    ("hex5", "control", 5),
    ("hex5", "evening", 3),
    ("hex5", "evening", 5),
    ("hex5", "trivia", 3),
    ("grid9x9", "trivia", 3),
    ("grid9x9", "trivia", 6),
    ("grid13x14", "trivia", 3),
    ("grid13x14", "doves", 0),
)
FIRST = {"hex3": "control", "hex5": "control", "grid9x9": "trivia", "grid13x14": "trivia"}


def switched_on(profile: str, **more: object) -> LobbyTable:
    first = games.load(FIRST[profile], **({"size": 3} if profile == "hex3" else {}))
    one = LobbyTable(
        profile=profile,
        game=first.slug,
        options=dict(first.options),
        hint="legal",
        **{"assists": HANDS, **more},  # type: ignore[arg-type]  # of a dataclass
    )
    one.rest(SECOND_US)
    assert one.door.is_open
    return one


def chosen(one: LobbyTable, slug: str, size: int) -> None:
    """Choose a game by stones on lit cells."""
    one.touch()
    one.choose("game", f"game/{slug}")
    if size:
        one.choose("size", f"size/{size}")


def finished(one: LobbyTable, slug: str, size: int) -> None:
    one.run(lambda table: bool(table.finished), 4_000 * SECOND_US)
    game = one.session.match.history.game
    assert game.slug == slug
    assert game.options.get("size", 0) == size
    # Whoever clears the board is asked what is next.
    one.clear()
    one.leap(25)
    assert one.door.is_open
    assert one.door.lobby.situation.has_ended


def walk(profile: str, slug: str, size: int) -> None:
    one = switched_on(profile)
    chosen(one, slug, size)
    one.choose("first", "first/bot:gentle", "second", "second/bot:gentle", "start")
    assert not one.door.is_open
    finished(one, slug, size)


@pytest.mark.parametrize(("profile", "slug", "size"), WALKS)
def test_light_and_pieces_alone_lead_from_a_dark_board_to_a_finished_game(
    profile: str, slug: str, size: int
) -> None:
    walk(profile, slug, size)


@pytest.mark.long
@pytest.mark.parametrize(("profile", "slug", "size"), LONG_WALKS)
def test_each_game_on_each_board_that_holds_it(profile: str, slug: str, size: int) -> None:
    walk(profile, slug, size)


def test_ten_power_cuts_in_lobby_and_game_lose_nothing(tmp_path: Path) -> None:
    one = switched_on("hex3", seats=("human", "human"), assists=())

    def cut(one: LobbyTable) -> LobbyTable:
        """The host dies and is switched on again; stones and board are as they were."""
        back = on_disk(one, tmp_path)
        assert one.rig is not None
        two = LobbyTable(profile="hex3", hint="legal", assists=(), rig=one.rig, back=back)
        two.rest(2 * SECOND_US)
        assert len(moves(two)) == len(moves(one))
        return two

    one = cut(one)  # 1: it breathes
    one.touch()
    one = cut(one)  # 2: the lobby is lit
    one.touch()
    one.choose("second")
    one = cut(one)  # 3: a list is open
    one.touch()
    one.set_stone(one.door.lobby.cells["start"])
    one = cut(one)  # 4: a stone stands on a choice
    one.clear()
    one.choose("second", "second/human", "start")
    assert not one.door.is_open
    one.place("a1", 1)
    for name, kind in (("e3", 2), ("a3", 1), ("e1", 2)):  # 5, 6, 7: in the game
        one = cut(one)
        assert not one.door.is_open, "a game that is on is not asked about"
        one.place(name, kind)
    for name in ("a1", "e3", "a3", "e1"):
        one.lift(name)
    one.leap(12)
    assert one.door.is_open
    one = cut(one)  # 8: the board of a game was cleared; who comes back finds the game
    one.leap(61)
    one.choose("size")
    one = cut(one)  # 9: in the lobby of a game that waits
    one.leap(61)
    one.choose("resume")
    one = cut(one)  # 10: it goes on, and its stones are asked for
    for name, kind in (("a1", 1), ("e3", 2), ("a3", 1), ("e1", 2)):
        one.place(name, kind)
    assert one.view["verdict"]["kind"] == "agree"
    assert moves(one) == ["a1", "e3", "a3", "e1"]
    assert not one.door.is_open


def test_a_person_plays_a_whole_game_against_a_machine_after_three_slips() -> None:
    one = switched_on("hex3")
    one.touch()
    lobby = one.door.lobby
    # A wrong cell: it blinks, nothing happens, it is taken off.
    wrong = next(c for c in range(19) if c not in lobby.cells.values())
    one.set_stone(wrong)
    assert one.blinks(wrong)
    one.take_stone(wrong)
    # Two hands at once: neither has chosen.
    assert one.rig is not None
    cells = lobby.cells["clock"], lobby.cells["lesson"]
    for hand, cell in zip(("person", "other"), cells, strict=True):
        one.rig.hands.place(cell, 1, hand=hand)
    one.rest(2 * SECOND_US)
    assert one.says == "lobby.says.two"
    for cell in cells:
        assert one.blinks(cell)
        one.take_stone(cell)
    assert lobby.screen == "home"
    # A stone that is forgotten: the game begins when it is off.
    one.choose("size", "size/2", "second", "second/bot:gentle")
    one.set_stone(wrong)
    one.choose("start")
    assert one.door.is_open
    one.take_stone(wrong)
    assert not one.door.is_open
    while not one.finished:
        if 0 in one.session.match.movers:
            one.make_a_move()
        one.rest(3 * SECOND_US)
    finished(one, "control", 2)
