"""Boards that are reset, old or half blind: the way of a stone over the board's own clock."""

from __future__ import annotations

import pytest
from lumiban.boards.profile import load
from lumiban.games.base import Kind
from lumiban.table.types import Acknowledge, Output
from lumiban_sim.rig import Rig
from virtual_play import SECOND_US, moves, play, removable
from virtual_table import VirtualTable

WRAP_US = 1 << 32


def test_a_bot_is_asked_soon_after_a_board_that_was_on_for_an_hour_is_reset() -> None:
    rig = Rig(load("hex3"), 5)
    rig.chip.epoch_us -= 3_600 * SECOND_US
    table = VirtualTable(seats=("human", "bot:easy"), rig=rig)
    rig.hands.place(table.cell("a1"), 1, hand="person")
    table.run(lambda t: moves(t) == ["a1"])
    rig.reset()
    table.run(lambda t: len(moves(t)) == 2, 20 * SECOND_US)


def test_a_lift_on_a_board_that_is_reset_counts_down_on_the_new_clock() -> None:
    rig = Rig(load("hex3"), 1)
    rig.chip.epoch_us -= 3_600 * SECOND_US
    table = removable(("human", "bot:easy"), rig=rig)
    table.lift("c3")
    assert table.view["pending"]["move"] == "xc3"
    rig.reset()
    table.run(lambda t: "xc3" in moves(t), 20 * SECOND_US)


class SlowDisk(VirtualTable):
    """Notes what was acknowledged, and in which boot of the board."""

    def do(self, output: Output) -> None:
        super().do(output)
        if isinstance(output, Acknowledge):
            self.acks.append((self.session.board.boot_id, output.next_event))

    @property
    def acks(self) -> list[tuple[int | None, int]]:
        return self.__dict__.setdefault("_acks", [])


def test_what_was_written_of_one_boot_acknowledges_nothing_of_the_next() -> None:
    table = SlowDisk(fsync_us=2_500_000)
    rig = table.rig
    assert rig is not None
    table.rest(4 * SECOND_US)
    old = table.session.board.boot_id
    play(table, ("a1", 1), ("c3", 2))
    rig.reset()
    table.run(lambda t: t.session.board.boot_id != old)
    table.rest(300_000)
    play(table, ("e3", 1), ("d4", 2))
    assert table.session.board.next_event == 2
    assert [next_event for boot, next_event in table.acks if boot != old] == []
    assert rig.chip.board.ring.first == 0
    table.rest(6 * SECOND_US)
    assert rig.chip.board.ring.first == 2


@pytest.mark.parametrize("before_us", [SECOND_US, 5 * SECOND_US, 7 * SECOND_US])
def test_a_game_goes_on_while_the_boards_clock_passes_32_bits(before_us: int) -> None:
    rig = Rig(load("hex3"), 9)
    rig.chip.epoch_us -= WRAP_US - before_us
    table = VirtualTable(seats=("bot:easy", "bot:easy"), rig=rig, seed=9)
    table.run(lambda t: bool(t.finished))
    times = [played.at_us for played in table.session.match.history.played]
    assert times == sorted(times)
    assert WRAP_US - before_us < times[0] < times[-1] < WRAP_US + 40 * SECOND_US
    assert times[-1] > WRAP_US
    assert table.link.statistics.connects == 1


def test_a_stone_set_while_the_cable_is_out_over_the_wrap_has_its_time() -> None:
    rig = Rig(load("hex3"), 4)
    rig.chip.epoch_us -= WRAP_US - 3 * SECOND_US
    table = VirtualTable(rig=rig)
    table.rest(SECOND_US)
    rig.pipe.unplugged = True
    errand = rig.hands.place(table.cell("a1"), 1)
    table.rest(5 * SECOND_US)
    rig.pipe.unplugged = False
    table.run(lambda t: moves(t) == ["a1"])
    (played,) = table.session.match.history.played
    assert played.at_us == pytest.approx(errand.touch_us - rig.chip.epoch_us, abs=30_000)


def test_a_board_with_a_row_that_cannot_be_read_is_played_on_by_page() -> None:
    rig = Rig(load("hex3"), 6)
    whole = rig.world.sample

    def half_blind(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        whole(frame, t_us, counts, references)
        references[0] = 0

    rig.world.sample = half_blind  # type: ignore[method-assign]  # a strip's cable is out
    table = VirtualTable(rig=rig, assists=("told",))
    table.rest(2 * SECOND_US)
    blind = [
        name
        for cell, name in enumerate(table.session.match.history.game.grid.names)
        if table.session.match.sensed.kinds[cell] == Kind.UNKNOWN
    ]
    assert 3 <= len(blind) <= 5
    assert table.view["verdict"]["kind"] == "agree"
    assert table.view["verdict"]["text"]["id"] == "table.blind"
    assert table.prompt.steps == ()
    assert table.command("move", side=0, text=blind[0]) is None
    table.rest()
    assert moves(table) == [blind[0]]
    table.place("c3", 2)
    assert moves(table) == [blind[0], "c3"]
