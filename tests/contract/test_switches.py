"""Boards of switches: every piece is told alike, once, about when it was set down."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from contract import benches
from contract.tables import Table
from layers import layers
from lumiban.boards.profile import load
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE

NEEDS = (benches.HANDS, benches.SWITCHES)
BOARDS = (
    "reed-hex3",
    "reed-hex5",
    "breadboard8",
    "chess8",
    "reed3-pico",
    "bread8-pico",
    "chess8-pico",
    "reeds8",
)
LARGE = ("chess8-pico", "reeds8")
"""Boards of 64 cells that are read like a smaller one: left to a longer run."""
FRAMES = 3
"""An event may be so many frames late, and `EARLY_US` early."""


def read_by(name: str) -> str:
    """Who reads the switches of this board: what a bench must be for it."""
    return benches.PI if load(name).is_on_header else benches.PICO


def marks(on: str, name: str) -> list[pytest.MarkDecorator]:
    """Those of a test of this board."""
    of_size = pytest.mark.long if on == "vm" else pytest.mark.slow
    return [pytest.mark.lumiban_needs(read_by(name)), *([of_size] * (name in LARGE))]


@pytest.fixture
def table(on: str, profile_name: str) -> Iterator[Table]:
    profile = load(profile_name)
    why = benches.missing(on)
    if why:
        pytest.skip(why)
    with Table(on, profile) as made:
        yield made


def test_it_says_that_it_cannot_tell_pieces_and_promises_no_order(table: Table) -> None:
    _, host = table.hosted()
    assert host.hellos[-1].capabilities & wire.PRESENCE_ONLY
    assert not host.hellos[-1].capabilities & wire.CAN_ORDER


@pytest.mark.one_case
def test_a_piece_of_any_kind_is_told_once_though_its_contact_bounces(table: Table) -> None:
    board, host = table.hosted(seed=2)
    late_us = FRAMES * 1_000_000 // host.hellos[-1].scan_hz
    for number, (cell, kind) in enumerate(((0, WHITE), (9, BLACK), (18, NEUTRAL))):
        put = board.hands.place(cell, kind)
        host.wait(lambda n=number: len(host.events) == 2 * n + 1, what="event")
        host.run(500_000)
        event = host.events[-1]
        assert (event.cell, event.kind) == (cell, NEUTRAL)
        assert -benches.EARLY_US <= event.t_us - put.touch_us <= event.uncertainty_us + late_us
        board.hands.lift(cell)
        host.wait(lambda n=number: len(host.events) == 2 * n + 2, what="event")
        host.run(500_000)
        assert (host.events[-1].cell, host.events[-1].kind) == (cell, EMPTY)
    assert len(host.events) == 6


@pytest.mark.one_case
def test_a_whole_board_is_set_and_cleared(table: Table) -> None:
    board, host = table.hosted(seed=3)
    cells = range(0, len(board.profile.cells), 2)
    for cell in cells:
        board.hands.place(cell, 1 + cell % 3, hand=f"hand {cell}")
    host.wait(lambda: len(host.events) == len(cells), what="event")
    host.run(500_000)
    believed = [NEUTRAL if kind else EMPTY for kind in board.rig.kinds]
    assert list(host.belief()) == believed
    for cell in cells:
        board.hands.lift(cell, hand=f"hand {cell}")
    host.wait(lambda: len(host.events) == 2 * len(cells), what="event")
    host.run(500_000)
    assert not any(host.belief())


@pytest.mark.one_case
def test_a_reed_that_sticks_is_a_piece_and_one_that_is_missing_says_nothing(table: Table) -> None:
    board, host = table.hosted(seed=4)
    contacts = board.rig.world.contacts
    assert contacts is not None
    contacts.missing.add(5)
    board.hands.place(5, WHITE)
    host.run(2_000_000)
    assert host.events == []
    contacts.stuck.add(7)
    board.hands.place(9, BLACK)  # time goes by
    host.wait(lambda: len(host.events) >= 2, what="event")
    assert {(event.cell, event.kind) for event in host.events} == {(7, NEUTRAL), (9, NEUTRAL)}


@pytest.mark.lumiban_needs(benches.LIGHT)
def test_a_panel_without_sensors_shows_what_it_is_told_and_says_that_nothing_stands(
    on: str,
) -> None:
    profile = load("panel8")
    why = benches.missing(on)
    if why or on == "rp2040":
        pytest.skip(why or "a Pi drives this panel, no Pico")
    with Table(on, profile) as made:
        board, host = made.hosted(seed=5)
        assert not any(host.belief())
        host.order(wire.H_PALETTE, (1,), [(0, 0, 255)])
        for payload in layers([0, 63], 1, wire.STEADY):
            host.put(wire.H_LAYER, payload)
        host.order(wire.H_COMMIT, (0,))
        host.wait(lambda: any(board.light()), what="light")
        lit = board.light()
        assert [n for n in range(64) if lit[3 * n + 2]] == [0, 63]
        host.run(500_000)
        assert host.events == []
