"""The large board of 182 cells: its belief takes three parts, its link works in virtual time."""

from __future__ import annotations

import random

import pytest
from lumiban.boards.link import Link
from lumiban.boards.profile import load, names
from lumiban.boards.types import Changed, Connected, LightFrame, LinkEvent, Snapshot
from lumiban_fw import wire
from lumiban_sim.rig import Rig
from lumiban_sim.world import Place

BOARD = load("grid13x14")


class Line:
    """A simulated board and the host's end of its line."""

    def __init__(self, lying: dict[int, int]) -> None:
        self.rig = Rig(BOARD, seed=3)
        for cell, kind in lying.items():
            place = Place(BOARD.cells[cell].x_mm, BOARD.cells[cell].y_mm, 0.0)
            self.rig.world.appear(kind, place, cell=cell)
        self.link = Link(BOARD, 3)
        self.heard: list[LinkEvent] = []
        self.link.opened(self.rig.now_us)

    def run(self, us: int) -> None:
        end = self.rig.now_us + us
        while self.rig.now_us < end:
            out = self.link.take_output()
            if out:
                self.rig.from_host(out)
            self.rig.run(max(self.rig.now_us, min(end, self.link.next_deadline() or end)))
            now = self.rig.now_us
            self.heard += self.link.receive(self.rig.to_host(), now) + self.link.poll(now)


def test_a_picture_of_182_cells_comes_in_three_parts() -> None:
    assert -(-len(BOARD.cells) // wire.CELLS_A_STATE) == 3
    chance = random.Random(5)
    lying = {cell: chance.choice((1, 2)) for cell in (0, 79, 80, 159, 160, 181)}
    line = Line(lying)
    line.run(1_500_000)
    hello = next(event for event in line.heard if isinstance(event, Connected)).hello
    assert (hello.model, hello.cells, hello.lights) == ("grid13x1", 182, 182)
    shot = next(event for event in line.heard if isinstance(event, Snapshot))
    assert {cell: kind for cell, kind in enumerate(shot.kinds) if kind} == lying


@pytest.mark.slow
def test_stones_on_the_first_and_the_last_cell_are_told_and_every_light_can_be_lit() -> None:
    line = Line({})
    line.run(1_000_000)
    frame = LightFrame(
        tuple((1 + light % 3, light % 8) for light in range(182)),
        ((0, 0, 0), (90, 0, 0), (0, 90, 0), (0, 0, 90)),
    )
    line.link.show(frame)
    line.rig.hands.place(0, 1, hand="one")
    line.rig.hands.place(181, 2, hand="two")
    line.run(3_000_000)
    events = [e for told in line.heard if isinstance(told, Changed) for e in told.events]
    assert {(event.cell, event.kind) for event in events} == {(0, 1), (181, 2)}
    assert len(line.rig.light) == 3 * 182
    assert all(max(line.rig.light[3 * n : 3 * n + 3]) for n in range(182) if n % 8 == 0)


def test_no_two_built_in_boards_tell_the_same_name() -> None:
    models = [(load(name).model, len(load(name).cells)) for name in names()]
    assert len(set(models)) == len(models)
