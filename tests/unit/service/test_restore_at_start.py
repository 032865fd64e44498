"""A restore that a power cut left is ended before the service reads anything."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from lumiban.library import backup
from lumiban.service import settings, supervisor


async def test_a_restore_that_was_cut_is_ended_before_settings_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coming = tmp_path / "restore.ready" / "new"
    (coming / "journals").mkdir(parents=True)
    (coming.parent / "old").mkdir()
    (coming / "settings.toml").write_text("[light]\nbrightness = 70\n")
    (tmp_path / "settings.toml").write_text("[light]\nbrightness = 90\n")
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.delenv("LUMIBAN_SETTINGS", raising=False)
    monkeypatch.setattr(logging, "basicConfig", lambda **kind: None)
    seen: list[object] = []
    before = os.umask(0o022)

    async def run(served: supervisor.Supervisor) -> None:
        seen.append((served.told, served.complained) == (seen.append, seen.extend))
        seen.append(settings.read(settings.settings_path(tmp_path)).number("light.brightness"))

    monkeypatch.setattr(supervisor.Supervisor, "run", run)
    await supervisor.serve(seen.append, seen.extend)
    assert (os.umask(before), seen) == (0o077, [True, 70])
    assert (tmp_path / "settings.toml").stat().st_mode & 0o777 == 0o600, "it holds the PIN"
    assert (tmp_path / "journals").is_dir()
    assert not (tmp_path / "restore.ready").exists()


@pytest.mark.parametrize(
    ("module", "step", "event"),
    [(backup, "settle", "restore not ended"), (settings, "ensure", "settings not written")],
)
async def test_what_a_disk_hinders_at_the_start_is_logged_and_tables_are_served(
    module: object, step: str, event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(served: supervisor.Supervisor) -> None:
        assert served.settings == settings.USUAL

    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.delenv("LUMIBAN_SETTINGS", raising=False)
    monkeypatch.setattr(module, step, Mock(side_effect=OSError(28, "No space left on device")))
    monkeypatch.setattr(supervisor.Supervisor, "run", run)
    before = os.umask(0o022)
    await supervisor.serve()
    os.umask(before)
    lines = map(json.loads, (tmp_path / "host.log").read_text("utf-8").splitlines())
    (told,) = [line for line in lines if line["event"] == event]
    assert "No space left" in told["reason"]
