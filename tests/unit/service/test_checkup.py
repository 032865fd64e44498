"""What the doctor finds about the service."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from lumiban.i18n import text
from lumiban.maker.doctor import BAD, NOTE, worst
from lumiban.service.checkup import examine_service
from lumiban.system import service_socket


def nobody(state: Path, request: Mapping[str, Any]) -> Mapping[str, Any]:
    raise service_socket.NoService("none")


def told(state: Path, *tables: Mapping[str, Any], **more: Any) -> Any:
    answer = {"state": str(state), "complaints": [], "tables": tables, **more}
    return lambda folder, request: answer


def test_a_machine_without_a_service_hears_nothing_of_one(tmp_path: Path) -> None:
    assert examine_service(tmp_path, nobody, unit=tmp_path / "none") == []


def test_an_installed_service_that_is_down_is_to_be_started(tmp_path: Path) -> None:
    (tmp_path / "lumiban.service").touch()
    (found,) = examine_service(tmp_path, nobody, unit=tmp_path / "lumiban.service")
    assert (found.id, found.level) == ("doctor.service.down", BAD)
    assert "systemctl" in found.command


def test_waiting_for_a_board_is_no_fault_and_waiting_for_room_is(tmp_path: Path) -> None:
    waits = [f"serve.waits.{one}" for one in ("absent", "opens", "updates", "tests")]
    harmless = [
        {"number": 1, "why": {"id": id, "params": {}}} for id in (*waits, "table.board-lost")
    ]
    (up,) = examine_service(tmp_path, told(tmp_path, *harmless, {"number": 6, "why": None}))
    assert (up.id, up.said) == ("doctor.service.up", {"tables": 6})
    full = {"number": 2, "why": {"id": "serve.waits.full", "params": {}}}
    _, found = examine_service(tmp_path, told(tmp_path, full))
    assert found.level == BAD
    assert text("serve.waits.full") in text(found.id, "en", **found.said)


def test_a_new_program_restarts_and_settings_are_worth_knowing(tmp_path: Path) -> None:
    table = {"number": 1, "update": {"now": 1, "own": 2, "model": "hex5"}, "restarts": 3}
    wrong = {"id": "serve.settings.unknown", "params": {"path": "x", "name": "y"}}
    found = examine_service(tmp_path, told(tmp_path, table, complaints=[wrong]))
    assert [one.level for one in found[1:]] == [NOTE] * 3
    assert found[1].said == table["update"]
    assert found[2].said == {"number": 1, "times": 3}
    sound = {"number": 1, "update": None, "restarts": 0}
    assert len(examine_service(tmp_path, told(tmp_path, sound))) == 1
    assert worst(found) == NOTE
    assert all(text(one.id, "en", **one.said) for one in found)


@pytest.mark.parametrize("name", ["journals/a.journal", "own.py"])
def test_a_clock_behind_the_last_game_or_lumiban_itself_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "journals").mkdir()
    own, path = tmp_path / "own.py", tmp_path / name
    for one in (own, path):
        one.touch()
        os.utime(one, (0, 0))
    os.utime(path, (5000, 5000))
    behind = examine_service(tmp_path, told(tmp_path), now_s=lambda: 1000.0, own=own)
    assert [one.id for one in behind[1:]] == ["doctor.service.clock"]
    assert len(examine_service(tmp_path, told(tmp_path), now_s=lambda: 5000.0, own=own)) == 1
