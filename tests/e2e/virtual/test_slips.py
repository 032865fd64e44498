"""Three people who each slip in their own way, in the lobby and in the game: all ends well."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lobby_table import SECOND_US, LobbyTable
from lumiban import games
from virtual_play import moves
from virtual_table import VirtualTable

BOARDS = {
    "hex3": ("control", 2),
    "hex5": ("control", 3),
    "grid9x9": ("trivia", 3),
    "grid13x14": ("trivia", 3),
}


def hasty_in_lobby(one: LobbyTable) -> None:
    """Sets a stone on a dark cell: it blinks, nothing is chosen, and it is taken off."""
    lobby = one.door.lobby
    wrong = next(c for c in range(len(one.board.cells)) if c not in lobby.cells.values())
    screen = lobby.screen
    one.set_stone(wrong)
    assert one.blinks(wrong)
    one.take_stone(wrong)
    assert lobby.screen == screen


def forgetful_in_lobby(one: LobbyTable) -> None:
    """Leaves a stone on a choice: after half a minute it chooses nothing any more, and blinks."""
    lobby = one.door.lobby
    cell = lobby.cells["clock"]
    one.set_stone(cell)
    one.leap(40)
    assert one.blinks(cell)
    one.take_stone(cell)
    assert lobby.screen == "home"


def two_handed_in_lobby(one: LobbyTable) -> None:
    """Sets two stones at once: both blink, neither has chosen."""
    lobby = one.door.lobby
    cells = lobby.cells["clock"], lobby.cells["lesson"]
    assert one.rig is not None
    for hand, cell in zip(("person", "other"), cells, strict=True):
        one.rig.hands.place(cell, 1, hand=hand)
    one.rest(2 * SECOND_US)
    for cell in cells:
        assert one.blinks(cell)
        one.take_stone(cell)
    assert lobby.screen == "home"


def free(one: LobbyTable, skip: int = 0) -> int:
    """A cell of the board where nothing lies."""
    assert one.rig is not None
    empty = [at for at in one.session.match.placing.board if one.rig.kinds[at] == 0]
    return empty[-1 - skip]


def hasty_in_game(one: LobbyTable) -> None:
    """Sets a stone of the other colour, sees what the light says, and takes it off."""
    wrong = free(one)
    one.set_stone(wrong, 2)
    one.rest(2 * SECOND_US)
    one.take_stone(wrong)


def forgetful_in_game(one: LobbyTable) -> None:
    """Leaves a stone of the other colour lying about for half a minute."""
    wrong = free(one)
    one.set_stone(wrong, 2)
    one.rest(30 * SECOND_US)
    one.take_stone(wrong)


def two_handed_in_game(one: LobbyTable) -> None:
    """Both hands set a stone at once, and both take it off again."""
    assert one.rig is not None
    cells = free(one), free(one, 1)
    for hand, cell in zip(("person", "other"), cells, strict=True):
        one.rig.hands.place(cell, 2, hand=hand)
    one.rest(3 * SECOND_US)
    for cell in cells:
        if one.rig.kinds[cell]:
            one.take_stone(cell)


Slip = Callable[[LobbyTable], None]
PEOPLE: dict[str, tuple[Slip, Slip]] = {
    "hasty": (hasty_in_lobby, hasty_in_game),
    "forgetful": (forgetful_in_lobby, forgetful_in_game),
    "two-handed": (two_handed_in_lobby, two_handed_in_game),
}


def in_peace(one: VirtualTable) -> bool:
    """Whether board and position agree, and nobody is asked for anything."""
    return bool(one.finished) or (
        one.view["verdict"]["kind"] == "agree" and not one.view["prompt"]["steps"]
    )


@pytest.mark.long
@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("profile", BOARDS)
def test_a_person_who_slips_three_times_ends_a_game_that_has_only_what_was_meant(
    profile: str, person: str
) -> None:
    slug, size = BOARDS[profile]
    in_lobby, in_game = PEOPLE[person]
    game = games.load(slug, size=3)
    one = LobbyTable(
        profile=profile, game=slug, options=dict(game.options), hint="legal", assists=("machine",)
    )
    one.rest(SECOND_US)
    one.touch()
    for _ in range(3):
        in_lobby(one)
    one.choose("size", f"size/{size}")
    in_lobby(one)
    one.choose("second", "second/bot:gentle", "start")
    assert not one.door.is_open
    slips = 0
    while not one.finished:
        match = one.session.match
        if 0 in match.movers and in_peace(one):
            if slips < 3:
                slips += 1
                before = moves(one)
                in_game(one)
                one.run(in_peace, 60 * SECOND_US)
                assert moves(one) == before, "a slip is no move"
            one.make_a_move()
        one.rest(2 * SECOND_US)
    assert slips == 3
    assert one.session.match.history.game.options["size"] == size
    one.clear()
    one.leap(25)
    assert one.door.is_open
