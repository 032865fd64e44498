"""Boards that only sense that a piece stands: its kind comes from the game."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from lumiban import games
from lumiban.boards.profile import load
from lumiban.games.base import Kind
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


def moves(table: VirtualTable) -> list[str]:
    return [move["text"] for move in table.view["moves"]]


def test_a_stone_has_the_colour_of_whoever_is_to_move_whatever_was_put_there() -> None:
    play = table("reed-hex3", "control", size=3)
    for name, kind in (("a1", W), ("c3", W), ("e3", R), ("c1", B)):
        play.place(name, kind)
    assert moves(play) == ["a1", "c3", "e3", "c1"]
    assert [move["side"] for move in play.view["moves"]] == [0, 1, 0, 1]
    assert play.view["verdict"]["kind"] == "agree"
    seen = play.session.match.sensed.kinds
    assert seen == play.session.match.game.pieces(play.session.match.position)


def test_the_last_stone_is_taken_back_by_lifting_it_and_played_again_by_putting_it_back() -> None:
    play = table("reed-hex3", "control", size=3)
    play.place("a1", W)
    play.place("c3", B)
    play.lift("c3")
    assert moves(play) == ["a1"]
    play.place("c3", B)
    assert moves(play) == ["a1", "c3"]


def test_a_stone_that_another_one_replaced_is_said_by_no_sensor_and_breaks_nothing() -> None:
    play = table("reed-hex3", "control", size=3)
    play.place("a1", W)
    play.place("c3", B)
    play.place("e3", W)
    play.lift("a1")
    play.place("a1", B)
    assert play.view["verdict"]["kind"] == "agree"
    assert moves(play) == ["a1", "c3", "e3"]


def test_a_cell_that_is_known_to_be_dead_is_played_on_the_page_and_the_game_goes_on() -> None:
    rig = Rig(load("reed-hex3"), 1)
    assert rig.world.contacts is not None
    cell = load("reed-hex3").grid.cell("c3")
    rig.world.contacts.missing.add(cell)
    play = table("reed-hex3", "control", size=3, rig=rig)
    play.place("a1", W)
    play.command("move", side=1, text="c3")
    play.place("c3", B)
    assert [step.cell for step in play.prompt.steps] == [play.session.game.grid.cell("c3")]
    play.command("dead-cell", cell="c3")
    play.place("e3", W)
    assert moves(play) == ["a1", "c3", "e3"]
    assert play.view["verdict"]["kind"] == "agree"
    assert play.view["verdict"]["text"]["id"] == "table.blind"
    assert play.session.board.dead == {cell}


def test_a_kind_that_the_rules_forbid_is_passed_over_for_one_that_they_allow() -> None:
    play = table("breadboard8", "trivia", size=3)
    play.place("b2", W)
    play.place("a1", B)
    play.place("a2", B)
    play.place("a3", B)
    assert moves(play) == ["b2", "a1", "a2", "red a3"]


def test_a_turn_of_two_kinds_says_which_stone_is_next_and_its_light_shows_no_other() -> None:
    play = table("breadboard8", "trivia", size=3)
    play.run(lambda t: t.view["link"] == "up", 60_000_000)
    play.command("hint", level="legal")

    def told() -> tuple[object, list[list[int]], set[str]]:
        view = play.view
        marked = {mark["meaning"] for mark in view["marks"]} & {"may-place", "may-place-neutral"}
        return view.get("counts_as"), view["owing"], marked

    assert told() == (W, [[W, 1]], {"may-place"})
    play.place("b2", W)
    assert told() == (B, [[B, 2], [R, 1]], {"may-place"})
    play.place("a1", R)
    assert told() == (B, [[B, 1], [R, 1]], {"may-place"})
    play.place("a2", W)
    assert told() == (R, [[R, 1]], {"may-place-neutral"})
    assert play.view["legal"]["kinds"] == [R]


def test_on_the_page_a_turn_s_stones_come_in_any_order_and_the_board_follows() -> None:
    play = table("breadboard8", "trivia", size=3)
    play.place("b2", W)
    play.command("move", side=1, text="red c3")
    play.place("c3", B)
    assert moves(play) == ["b2", "red c3"]
    assert play.view["owing"] == [[B, 2]]


def test_a_board_that_can_tell_them_apart_says_nothing_of_an_order() -> None:
    play = VirtualTable(
        profile="grid9x9", game="trivia", options={"size": 3}, seats=("human", "human")
    )
    play.place("b2", W)
    assert "counts_as" not in play.view


def test_doves_are_told_by_name_when_they_are_set_up_put_and_played_by_a_machine() -> None:
    play = table("breadboard8", "doves", "human", "bot:easy", tray="off", initial="allowed")
    play.run(lambda t: bool(t.view["link"] == "up" and any(t.view["sensed"])), 60_000_000)
    play.run(lambda t: t.view["verdict"]["kind"] == "agree", 60_000_000)
    set_up = [step["name"] for view in play.views for step in view["prompt"]["steps"]]
    assert set(set_up) == {"b", "B"}
    where = play.session.match.game.grid.name(play.view["legal"]["place"][0])
    play.place(where, W)
    assert play.view["verdict"]["text"]["id"] == "table.choose"
    assert play.view["verdict"]["said"] == [f"+{name}{where}" for name in "AYMTH"]
    play.command("move", side=0, text=play.view["verdict"]["choices"][2])
    play.run(lambda t: len(t.view["moves"]) == 2, 60_000_000)
    told = [view["verdict"]["text"] for view in play.views if view["verdict"]["text"]]
    named = [text["params"] for text in told if text["id"] == "table.machine-place-named"]
    last = play.view["moves"][-1]["said"]
    assert f"+{named[-1]['name']}{named[-1]['cell']}" == last
    assert sorted(filter(None, play.view["labels"])) == sorted(["B", "M", "b", named[-1]["name"]])


def test_where_a_machine_s_stone_is_awaited_no_other_counts() -> None:
    play = table("reed-hex3", "control", "human", "bot:easy", size=3)
    play.place("a1", W)
    play.run(lambda t: len(t.view["moves"]) == 2)
    assert play.session.match.sensed.kinds.count(Kind.BLACK) == 1


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


def lit(play: VirtualTable) -> set[int]:
    """The game's cells that the board shows as light within two seconds."""
    cells, places = play.rig.profile.cells, play.session.match.placing.board
    found: set[int] = set()
    for _ in range(20):
        play.rest(100_000)
        rgb = play.rig.light
        found |= {cell for cell, at in enumerate(places) if any(rgb[3 * cells[at].light :][:3])}
    return found


def test_on_a_panel_a_move_is_taken_back_by_the_page_and_nothing_is_to_be_mended() -> None:
    play = table("panel8", "trivia", size=3)
    play.run(lambda t: t.view["link"] == "up", 60_000_000)
    play.command("move", side=0, text="b2")
    play.command("move", side=1, text="a1")
    play.command("takeback")
    assert moves(play) == ["b2"]
    assert play.view["verdict"]["kind"] == "agree"


def test_on_a_panel_doves_that_reach_the_edge_are_in_the_middle_at_once() -> None:
    """Found by the soak (seed 1000011): a piece was asked for, for ever, where none stands."""
    play = table("panel8", "doves", tray="off", initial="allowed")
    play.run(lambda t: t.view["link"] == "up", 60_000_000)
    up = [
        *("BN1E1", "+aN1W1", "+TN1", "aN2W1", "TN3", "+hN3W2"),
        *("+YN1", "+mN1W2", "YN2", "bN1W1", "BN1", "+yN3W3"),
    ]
    for number, text in enumerate(up):
        assert play.command("move", side=number % 2, text=text) is None
    play.run(lambda t: moves(t)[-1] == up[-1], 60_000_000)
    assert any(record["t"] == "slide" for _, record in play.records)
    assert play.view["verdict"]["kind"] == "agree"
    assert all(view["prompt"]["steps"] == [] for view in play.views)


def test_what_a_panel_or_a_dark_board_cannot_offer_is_refused_by_name() -> None:
    panel, dark = load("panel8"), load("reeds8")
    evening = games.load("evening", size=3)
    assert unfit(evening, panel) == "table.no-hands"
    assert unfit(games.load("trivia", size=8), panel) is None
    assert unfit(games.load("rengi"), dark) == "table.no-light"
    assert unfit(games.load("trivia", size=8), dark) is None


def test_what_needs_kinds_is_refused_by_name() -> None:
    board = load("reed-hex3")
    assert unfit(games.load("evening", size=3), board) == "table.whose-hand"
    # However often they are read: a strong magnet closes its contact sooner than a weak one.
    assert unfit(games.load("evening", size=3), board, 1000) == "table.whose-hand"
    assert unfit(games.load("evening", size=3, turns="trailing"), board) is None
    assert unfit(games.load("control", size=3, opening="pie2"), board) == "table.whose-stone"
    assert unfit(games.load("control", size=3, opening="pie2"), load("hex3")) is None


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
