"""Troubles beside the board, the shrinking of a plan that fails, and a soak that goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.table.types import Step
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_check import check
from lumiban_lab.soak_people import People
from lumiban_lab.soak_shell import PORTS, fits
from lumiban_lab.soak_table import TROUBLES, SoakTable
from places import SUPPORT

JUDGE = str(SUPPORT / "by_the_rules.py")


def table(
    folder: Path, seats: tuple[str, str] = ("human", "human"), *, port: str = ""
) -> SoakTable:
    found = SoakTable(
        faulty_rig("hex3", 4, ""), "control", {"size": 3}, seats, seed=4, folder=folder, port=port
    )
    found.rest(1_500_000)
    return found


@pytest.mark.parametrize("name", TROUBLES)
def test_a_trouble_holds_and_then_all_comes_to_rest(name: str, tmp_path: Path) -> None:
    ports = [port for port in PORTS if name in fits(port)]
    found = table(tmp_path, port=ports[0] if ports else "")
    people = People(found, clumsy=0.0)
    found.universe.add([f"at 100ms for 3000ms {name}"], found.now_us)
    found.rest(400_000)
    assert found.universe.active == [name]
    people.do(Step("place", 0, 1))
    people.settle()
    assert people.mend()
    people.settle()
    assert found.universe.active == []
    check(found)
    found.line.close()


def test_a_power_cut_takes_what_a_lying_disk_called_safe_and_play_goes_on(tmp_path: Path) -> None:
    found = table(tmp_path)
    people = People(found, clumsy=0.0)
    found.universe.add(["at 1ms for 60000ms lying fsync"], found.now_us)
    people.do(Step("place", 0, 1))
    assert found.safe < found.said_safe
    found.chance.choice = lambda ways: ways[1]  # type: ignore[method-assign]  # all of it is gone
    found.die(torn=True, for_us=500_000)
    people.settle()
    assert found.remembered.lost_with_disk == 1
    assert people.mend()
    people.settle()
    check(found)


def test_a_host_that_came_back_at_another_board_is_started_again_for_its_own(
    tmp_path: Path,
) -> None:
    found = table(tmp_path)
    People(found, clumsy=0.0).do(Step("place", 0, 1))
    found.universe.add(["at 1ms for 2000ms other board"], found.now_us)
    found.rest(1_000_000)
    found.die(torn=False, for_us=500_000)
    # It meets the other board first, and then refuses its own, saying what to do.
    assert found.until(lambda: found.session.board.link == "up", 1_000_000)
    assert found.until(lambda: found.session.board.link == "lost", 3_000_000)
    found.rest(1_000_000)
    assert found.session.board.hindrance == ("other-board", found.rig.chip.uid.hex())
    found.rest(4_000_000)
    assert (found.lives, found.session.board.link) == (3, "up")
    check(found)


def test_a_full_disk_takes_no_move_and_the_stone_counts_when_there_is_room(tmp_path: Path) -> None:
    found = table(tmp_path)
    found.universe.add(["at 1ms for 9000ms full disk"], found.now_us)
    written = len(found.journals[-1])
    People(found, clumsy=0.0).do(Step("place", 0, 1))
    assert (len(found.journals[-1]), found.remembered.moves) == (written, [])
    found.die(torn=False, for_us=500_000)
    found.rest(1_000_000)
    assert found.remembered.moves == []
    People(found).settle()
    assert found.remembered.moves == [(0, "e1")]
    check(found)
