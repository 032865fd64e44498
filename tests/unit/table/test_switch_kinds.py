"""Boards that only sense that a piece stands: its kind comes from the game."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from each import each
from lumiban import games
from lumiban.boards.profile import load
from lumiban.games.floating_game import FloatingGame
from lumiban.table import recentre
from lumiban.table.fitting import on_board, unfit
from lumiban.table.switch_kinds import SwitchKinds
from lumiban.table.types import Sensed
from lumiban_sim.rig import Rig
from micropython_vm import machine
from places import ROOT
from simulated_pi import PiBoard, own_rate
from switched_pico import SwitchedBoard
from switched_vm import SwitchedVmBoard, vm_with_pins
from thorough import some
from virtual_table import VirtualTable

W, B, R = 1, 2, 3
BOTS = ("bot:easy", "bot:easy")


def table(
    profile: str,
    game: str,
    *seats: str,
    seed: int = 1,
    by_pins: bool = False,
    rig: Rig | None = None,
    **options: Any,
) -> VirtualTable:
    """A table of this board, its switches told by the world, or read pin by pin as they are wired:
    by the driver of a Pi's header, or by a Pico's firmware; or the table of this `rig`."""
    board = load(profile)
    if rig is not None:
        pass
    elif not by_pins:
        rig = Rig(board, seed)
    elif board.is_on_header:
        rig = Rig(replace(board, scan_hz=own_rate(board)), seed, body=PiBoard)
    else:
        rig = Rig(board, seed, body=SwitchedBoard, skipping=False)
    return VirtualTable(
        profile=profile,
        game=game,
        options=options,
        seats=seats or ("human", "human"),
        seed=seed,
        playouts=4,
        rig=rig,
        assists=("machine", "mend"),
    )


GAMES = [
    ("reed-hex3", "control", {"size": 3}),
    ("reed-hex3", "evening", {"size": 3, "turns": "trailing"}),
    ("breadboard8", "trivia", {"size": 3}),
    ("chess8", "trivia", {"size": 3}),
    ("bread8-pico", "trivia", {"size": 3}),
    ("reed3-pico", "control", {"size": 2}),
    ("panel8", "trivia", {"size": 3}),
    ("panel8", "doves", {}),
    ("reeds8", "trivia", {"size": 3}),
]


def played_by_hands(play: VirtualTable, limit_us: int = 600_000_000) -> None:
    """Hands put every stone that the bots want, and nobody is ever scolded."""
    play.run(lambda t: bool(t.finished), limit_us)
    said = {view["verdict"]["kind"] for view in play.views if view["moves"]}
    assert said <= {"agree", "wait"}
    match = play.session.match
    assert match.sensed.kinds == match.game.pieces(match.position)


@pytest.mark.one_case
@pytest.mark.parametrize(("profile", "game", "options"), some(GAMES, 2))
def test_a_game_is_played_to_its_end(profile: str, game: str, options: dict[str, Any]) -> None:
    played_by_hands(table(profile, game, *BOTS, **options))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "game", "options"),
    [
        *GAMES,
        ("breadboard8", "trivia", {"size": 8}),
        ("breadboard8", "doves", {}),
        ("chess8", "doves", {"tray": "off", "initial": "allowed"}),
        ("reed-hex3", "trivia", {"cells": "hexagons", "size": 3}),
        ("reed3-pico", "evening", {"size": 3, "turns": "trailing"}),
        ("chess8-pico", "trivia", {"size": 3}),
        pytest.param("bread8-pico", "doves", {}, marks=pytest.mark.long),
    ],
)
def test_a_game_is_played_to_its_end_on_pins(
    profile: str, game: str, options: dict[str, Any]
) -> None:
    played_by_hands(table(profile, game, *BOTS, by_pins=True, **options))


@pytest.mark.vm
@pytest.mark.skipif(bool(machine.lacking(ROOT)), reason=machine.lacking(ROOT))
@pytest.mark.parametrize(
    ("profile", "game", "options"),
    [
        ("reed3-pico", "control", {"size": 2}),
        ("reed3-pico", "evening", {"size": 3, "turns": "trailing"}),
        ("bread8-pico", "doves", {"tray": "off", "initial": "allowed"}),
        ("chess8-pico", "trivia", {"size": 3}),
    ],
)
def test_a_game_is_played_to_its_end_by_the_scan_in_the_vm(
    profile: str, game: str, options: dict[str, Any]
) -> None:
    vm = vm_with_pins()
    try:
        rig = Rig(load(profile), 5, body=partial(SwitchedVmBoard, vm), skipping=False)
        played_by_hands(table(profile, game, *BOTS, seed=5, rig=rig, **options), 30_000_000)
    finally:
        vm.close()


@each(
    ("game", "options", "profile", "refused"),
    [
        ("evening", {"size": 3}, "panel8", "table.no-hands"),
        ("trivia", {"size": 8}, "panel8", None),
        ("rengi", {}, "reeds8", "table.no-light"),
        ("trivia", {"size": 8}, "reeds8", None),
        ("evening", {"size": 3}, "reed-hex3", "table.whose-hand"),
        ("evening", {"size": 3, "turns": "trailing"}, "reed-hex3", None),
        ("control", {"size": 3, "opening": "pie2"}, "reed-hex3", "table.whose-stone"),
        ("control", {"size": 3, "opening": "pie2"}, "hex3", None),
    ],
)
def test_what_a_board_cannot_offer_is_refused_by_name(
    game: str, options: dict[str, Any], profile: str, refused: str | None
) -> None:
    assert unfit(games.load(game, **options), load(profile)) == refused


def test_pieces_brought_to_the_middle_one_by_one_are_what_they_were() -> None:
    """Found by the soak (seeds 1000558, 1000568): a dove of the side not to move, set down where
    the table had asked for it, was taken for one of the mover's and asked for again, for ever."""
    game = on_board(games.load("doves", tray="off", initial="allowed"), load("breadboard8"))
    assert isinstance(game, FloatingGame)
    position = game.start()
    # The doves climb towards an edge, so that a way of several pieces leads back.
    for _ in range(6):
        up = [m for m in game.moves(position, game.movers(position)[0]) if "N" in m.text]
        position = game.play(position, up[0])
    way = recentre.slide(game, position)
    assert way is not None
    assert {kind for kind in way.pictures[0] if kind} == {W, B}
    kinds = SwitchKinds()
    for picture, after, (start, _) in zip(way.pictures, way.pictures[1:], way.steps, strict=False):
        lifted = tuple(0 if cell == start else kind for cell, kind in enumerate(picture))
        for shown in (picture, lifted, after):
            sensed = Sensed(tuple(R if kind else 0 for kind in shown))
            assert kinds.along(sensed, way.pictures).kinds == shown
