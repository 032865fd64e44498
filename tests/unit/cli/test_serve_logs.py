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


def test_logs_are_merged_by_their_times_an_older_file_first(tmp_path: Path) -> None:
    write(tmp_path / "serve.log", ("2026-11-23T10:00:02.5Z", "c"), ("2026-11-23T10:00:09.5Z", "e"))
    write(tmp_path / "serve.log.1", ("2026-11-23T10:00:01.5Z", "a"))
    write(tmp_path / "host.log", ("2026-11-23T10:00:02.1Z", "b"), ("2026-11-23T10:00:03.1Z", "d"))
    write(tmp_path / "page.log", ("2026-11-23T10:00:04.1Z", "another's"))
    assert events(tmp_path) == ["a", "b", "c", "d", "e"]


def test_what_a_machine_writes_after_booting_into_the_past_comes_last(tmp_path: Path) -> None:
    evening, boot, synced = "2026-11-23T2", "1970-01-01T00:00:", "2026-11-24T09:"
    write(
        tmp_path / "serve.log",
        (f"{evening}0:00:00Z", "a"),
        (f"{boot}10Z", "c"),
        (f"{boot}12Z", "e"),
        (f"{synced}00:01Z", "f"),
        (f"{boot}10Z", "h"),
    )
    write(
        tmp_path / "host.log",
        (f"{evening}1:00:00Z", "b"),
        (f"{boot}11Z", "d"),
        (f"{synced}00:02Z", "g"),
        (f"{boot}11Z", "i"),
    )
    assert events(tmp_path) == list("abcdefghi")
