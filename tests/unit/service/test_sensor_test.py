"""The sensor test of the service's page: what each cell senses, on boards of either kind."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.errors import LinkLost
from lumiban.service import sensor_test
from lumiban.service.sensor_test import (
    SensorTest,
    found_in_light,
    watch_sensors,
)
from lumiban_fw.wire import BLACK
from lumiban_sim.rig import Rig
from rig_line import RigLine, driven

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


def test_questions_end_with_the_test() -> None:
    profile = load("hex3")
    found_in_light(driven(profile, Rig(profile, 4)), lambda asks: None, str, lambda: True, "ja")


@pytest.mark.parametrize("goes", [False, True])
def test_who_tests_hears_questions_then_readings_until_it_is_over_and_the_port_is_free(
    goes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = load("hex3")
    rig = Rig(profile, 4)
    opened: list[tuple[str, int]] = []
    closed: list[bool] = []

    class Line(RigLine):
        def __init__(self, port: str, gone_us: int) -> None:
            super().__init__(rig)
            opened.append((port, gone_us))

        def close(self) -> None:
            closed.append(True)

    def tell(words: Any) -> None:
        told.append(words)
        if goes and "kinds" in words:
            monkeypatch.setattr(rig, "to_host", lambda: hear()[:0])

    hear = rig.to_host
    monkeypatch.setattr(sensor_test, "PortLine", Line)
    told: list[Any] = []
    says = iter(("yes", "red", "green", "blue", "no"))
    with pytest.raises(LinkLost) if goes else nullcontext():
        watch_sensors(
            "/dev/b", 60, tell, lambda: next(says), lambda: not goes and len(told) >= 8, "ja"
        )
    assert (opened, closed) == ([("/dev/b", 0)], [True])
    assert [one.get("number") for one in told[:8]] == [1, 2, 3, 4, 5, None, None, None]
    assert "赤" in told[1]["choices"]["red"]
    board, turned = told[-1]["profile"], profile.turned(60)
    about = {name: board[name] for name in ("name", "geometry", "pitch_mm", "turn")}
    assert about == {"name": "hex3", "geometry": "hexagon", "pitch_mm": 25.0, "turn": turned.turn}
    places = [(cell["name"], cell["x"], cell["y"]) for cell in board["cells"]]
    names = turned.grid.names
    assert places == [
        (name, cell.x_mm, cell.y_mm) for name, cell in zip(names, turned.cells, strict=True)
    ]
    assert len(told[-1]["found"]) == 1
