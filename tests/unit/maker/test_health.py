"""What is known of a board's sensors ages: what was mended is not told for ever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads
from typing import Any

import patience
import pytest
from lumiban.boards.profile import load
from lumiban.boards.types import Connected, Faulty
from lumiban.maker import health
from lumiban.maker.health import OVER_DAYS, Health, Look
from lumiban.runtime.page_hello import Sensors
from lumiban_fw import wire
from lumiban_sim.rig import Rig
from rig_line import driven

NAMES = [f"a{n}" for n in range(1, 7)]
HEX3 = load("hex3")
DAY = date(2026, 1, 1)


def ids(known: Health, after_days: int = 0) -> list[str]:
    return [one.id for one in known.ailing(NAMES, DAY + timedelta(days=after_days))]


@pytest.mark.parametrize(
    ("fault", "name"), [(wire.FAULT_STUCK, "stuck"), (wire.FAULT_DRIFT, "drift")]
)
def test_a_fault_that_the_board_tells_no_more_is_over_after_a_month(fault: int, name: str) -> None:
    known = Health("e661")
    known.count_fault(fault, 2, DAY.isoformat())
    assert ids(known, OVER_DAYS - 1) == [f"health.told.{name}"]
    assert ids(known, OVER_DAYS) == []
    known.count_fault(fault, 2, (DAY + timedelta(days=OVER_DAYS)).isoformat())
    assert known.ailing(NAMES, DAY + timedelta(days=OVER_DAYS))[0].said["times"] == 2


def test_cells_that_a_person_called_dead_are_kept_with_the_board(tmp_path: Path) -> None:
    known = Health("50", "reed-hex")
    known.dead = {4, 7}
    health.keep(tmp_path, known)
    assert health.read_health(tmp_path, "50").dead == {4, 7}
    assert health.read_health(tmp_path, "51").dead == set()


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


def test_a_look_that_finds_a_sensor_well_takes_back_what_was_told_of_it() -> None:
    known = Health("e661")
    for fault in (wire.FAULT_STUCK, wire.FAULT_DRIFT):
        known.count_fault(fault, 2, DAY.isoformat())
    known.saw(2, Look(DAY.isoformat(), noise_ut=0))
    assert ids(known) == ["health.told.drift", "health.told.stuck"], "it has no noise: stuck"
    known.saw(2, Look(DAY.isoformat(), zero_ut=0, noise_ut=300))
    assert ids(known) == []
    known.count_fault(wire.FAULT_STUCK, 2, DAY.isoformat())
    assert ids(known) == ["health.told.stuck"], "it has failed since"


def test_a_calibrated_cell_has_not_drifted_until_it_drifts_anew() -> None:
    known = Health("e661")
    known.saw(2, Look("2026-01-01", 0, 300, 32_000))
    known.saw(2, Look("2026-01-02", 1_500, 300))
    assert ids(known) == ["health.drifted"]
    known.calibrated(2, Look("2026-01-02", 1_500, 300, 32_000))
    assert ids(known) == []
    known.saw(2, Look("2026-01-03", 3_000, 300, 20_000))
    assert ids(known) == ["health.weaker", "health.drifted"], "strengths of before still count"


def test_counts_without_a_day_are_over_and_cost_no_looks(tmp_path: Path) -> None:
    known = Health("e661", "hex3", {2: [Look("2026-01-01", 0, 300)]})
    path = health.keep(tmp_path, known)
    path.write_text(path.read_text().replace('"faults": {}', '"faults": {"2": {"stuck": 3}}'))
    again = health.read_health(tmp_path, "e661")
    assert again.cells == known.cells
    assert ids(again) == []


def test_a_strip_s_faults_at_once_are_written_together_and_keep_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hello = replace(driven(HEX3, Rig(HEX3, 14)).hello, capabilities=0)
    disk, written, before = Event(), [], set(enumerate_threads())

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
    threads = set(enumerate_threads()) - before
    assert threads
    sensors.close()
    assert len(written) <= 2
    assert len(written[-1]) == 15
    assert not any(one.is_alive() for one in threads), "a thread stays"
