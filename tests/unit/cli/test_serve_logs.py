"""`lumiban logs`: what was written last comes last, whatever the machine's clock said."""

from __future__ import annotations

import json
from pathlib import Path

from lumiban.system.log_lines import entries


def write(path: Path, *lines: tuple[str, str]) -> None:
    told = [{"event": event, "level": "info", "timestamp": at} for at, event in lines]
    path.write_text("".join(json.dumps(one) + "\n" for one in told) + "no JSON\n", "utf-8")


def events(folder: Path) -> list[str]:
    return [line.split()[-1] for _, line in entries(folder)]


def test_lines_come_in_the_order_in_which_they_were_written_whatever_the_clock_said(
    tmp_path: Path,
) -> None:
    write(tmp_path / "host.log.1", ("2026-11-23T10:00:01.5Z", "a"), ("1970-01-01T00:00:10Z", "b"))
    write(tmp_path / "host.log", ("1970-01-01T00:00:09Z", "c"), ("2026-11-23T10:00:03.1Z", "d"))
    write(tmp_path / "page.log", ("2026-11-23T10:00:04.1Z", "another's"))
    assert events(tmp_path) == ["a", "b", "c", "d"]
    assert entries(tmp_path / "nowhere") == []
