"""The sensor test of the service's page: what each cell senses, on boards of either kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.errors import BoardError, LinkLost
from lumiban.service import table_process
from lumiban.service.sensor_test import LightQuestion, SensorTest, found_in_light
from lumiban.service.settings import TableOrder
from lumiban.service.table_process import TESTED_S, ServedBoard
from lumiban.system.lifetime import Lifetime
from lumiban.system.paths import open_log
from lumiban_fw.wire import BLACK
from lumiban_sim.rig import Rig
from rig_line import driven

CELL = 3


@pytest.mark.parametrize("name", ["hex3", "reed-hex3"])
def test_a_cell_is_lit_while_it_senses_and_tried_once_the_piece_has_gone(name: str) -> None:
    profile = load(name)
    rig = Rig(profile, 4)
    test = SensorTest(driven(profile, rig))
    light = profile.cells[CELL].light

    def lit() -> int:
        return sum(rig.light[3 * light : 3 * light + 3])

    def looked(times: int) -> Any:
        return [test.look() for _ in range(times)][-1]

    empty = looked(2)
    assert (any(empty["kinds"]), any(empty["tried"]), lit()) == (False, False, 0)
    rig.hands.place(CELL, BLACK)
    stands = looked(12)
    assert [cell for cell, kind in enumerate(stands["kinds"]) if kind] == [CELL]
    assert not any(stands["tried"])
    bright = lit()
    assert bright > 0
    if profile.is_of_switches:
        assert stands["ut"] is None
    else:
        assert stands["ut"][CELL] < -20_000
        assert all(abs(ut) < 2_000 for cell, ut in enumerate(stands["ut"]) if cell != CELL)
    rig.hands.lift(CELL)
    gone = looked(12)
    assert not any(gone["kinds"])
    assert [cell for cell, is_so in enumerate(gone["tried"]) if is_so] == [CELL]
    assert 0 < lit() < bright


def test_a_sensor_that_reads_nothing_is_seen_by_its_figure() -> None:
    profile = load("hex3")
    rig = Rig(profile, 4)
    sample = rig.world.sample

    def dead(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        sample(frame, t_us, counts, references)
        counts[CELL] = 2048

    rig.world.sample = dead  # type: ignore[method-assign]
    test = SensorTest(driven(profile, rig))
    rig.hands.place(CELL, BLACK)
    told = [test.look() for _ in range(12)][-1]
    assert told["ut"] is not None
    assert (told["kinds"][CELL], abs(told["ut"][CELL]) < 2_000) == (0, True)


@pytest.mark.parametrize("name", ["hex3", "reed-hex3"])
@pytest.mark.parametrize("colour", ["red", "green"])
def test_lights_are_asked_about_on_the_page_first(name: str, colour: str) -> None:
    profile = load(name)
    rig = Rig(profile, 4)
    told: list[LightQuestion] = []
    says = iter(("", "yes", "nonsense", colour, "", "green", "blue", "yes"))

    def answered() -> str:
        assert any(rig.light)
        return next(says)

    found = found_in_light(driven(profile, rig), told.append, answered, lambda: False, "en")
    assert [one["number"] for one in told] == [1, 2, 3, 4, 5]
    assert f"{profile.lights} lights" in told[0]["asks"]
    assert told[1]["choices"]["red"] == "red"
    assert len(found) == (colour != "red")
    assert next(says, None) is None, "all was asked for, no answer was taken twice"


def test_questions_end_with_the_test() -> None:
    profile = load("hex3")
    found_in_light(driven(profile, Rig(profile, 4)), lambda asks: None, str, lambda: True, "ja")


def test_a_board_that_falls_silent_ends_the_test() -> None:
    profile = load("hex3")
    rig = Rig(profile, 4)
    test = SensorTest(driven(profile, rig))
    hear = rig.to_host
    rig.to_host = lambda: hear()[:0]  # type: ignore[method-assign]
    with pytest.raises(LinkLost):
        [test.look() for _ in range(60)]


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def time(self) -> float:
        return self.now_s


def served(
    state: Path, told: list[dict[str, Any]], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> ServedBoard:
    order = TableOrder(number=1, listening=-1, board="/dev/b")
    log = open_log(state)
    table = ServedBoard(order, state, log, lambda **one: told.append(one), Lifetime())
    loop = table_process.asyncio.get_running_loop()
    monkeypatch.setattr(loop, "time", clock.time)
    return table


async def test_a_test_that_nobody_looks_at_any_more_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    table = served(tmp_path, [], clock, monkeypatch)

    def go(word: str) -> bool:
        table.heard({"do": "test-sensors", "go": word})
        return table._is_tested()

    assert not go("on"), "nobody has begun one"
    assert go("begin")
    clock.now_s += TESTED_S - 1
    assert go("on")
    clock.now_s += TESTED_S - 1
    assert table._is_tested()
    clock.now_s += 2
    assert not table._is_tested()
    assert not go("on")
    assert go("begin")
    assert not go("end")
    assert not go("nonsense")


async def test_a_test_that_fails_is_told_and_does_not_begin_again_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []
    table = served(tmp_path, told, Clock(), monkeypatch)

    def gone(*words: Any) -> None:
        raise BoardError("no board answers there")

    monkeypatch.setattr(table_process, "watch_sensors", gone)
    table.heard({"do": "test-sensors", "go": "begin"})
    await table._test_sensors()
    assert next(one for one in told if "state" in one)["state"] == "testing"
    assert told[-1] == {"sensors": None}
    assert "no board answers there" in (tmp_path / "host.log").read_text("utf-8")
    table.heard({"do": "test-sensors", "go": "on"})
    assert not table._is_tested()
