"""Ailing sensors of the board at a table: told to the page, kept beside the board's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import patience
import pytest
from lumiban.boards.profile import load
from lumiban.boards.types import Connected, Faulty
from lumiban.maker import health
from lumiban.runtime.page_hello import Sensors
from lumiban_fw import wire
from lumiban_sim.rig import Rig
from rig_line import driven

HEX3 = load("hex3")
DAY = date(2026, 1, 4)


def test_a_cell_that_a_player_gives_up_is_kept_unless_the_board_is_simulated(
    tmp_path: Path,
) -> None:
    simulated = driven(HEX3, Rig(HEX3, 14)).hello
    for hello in (replace(simulated, uid="50", capabilities=0), replace(simulated, uid="51")):
        sensors = Sensors(tmp_path, HEX3.grid.names, lambda: DAY)
        sensors.noted(Connected(hello))
        sensors.gave_up(frozenset({4}))
        sensors.close()
    assert health.read_health(tmp_path, "50").dead == {4}
    assert health.read_health(tmp_path, "51").dead == set()


def test_a_strip_s_faults_at_once_are_written_together_and_keep_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hello = replace(driven(HEX3, Rig(HEX3, 14)).hello, capabilities=0)
    disk = Event()
    written: list[dict[str, Any]] = []

    def slow(state: Path, document: Mapping[str, Any]) -> Path:
        patience.until(disk.is_set)
        written.append(dict(document["faults"]))
        return state

    monkeypatch.setattr(health, "write", slow)
    sensors = Sensors(tmp_path, HEX3.grid.names, lambda: DAY)
    sensors.noted(Connected(hello))
    for _ in range(2):
        for cell in range(15):
            sensors.noted(Faulty(wire.FAULT_STUCK, cell))
    assert len(sensors.ailing) == 15
    assert written == []
    disk.set()
    sensors.close()
    assert len(written) <= 2
    assert len(written[-1]) == 15
