"""Flight recordings and the line's figures as the commands give them, from a table that plays."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from command_line import Run
from lumiban.errors import UsageError
from lumiban.flight.file import flights
from lumiban.flight.recorder import megabytes
from lumiban.system.paths import open_log
from sentences import says
from shown import as_page_has_it


def vcd(path: Path) -> tuple[list[str], dict[str, list[tuple[int, int]]]]:
    """Signals of a VCD file, and the changes of each that is one bit wide: (time, value)."""
    head, _, body = path.read_text("ascii").partition("$enddefinitions $end")
    ids = dict(re.findall(r"\$var wire 1 (\S+) (\S+) \$end", head))
    changes: dict[str, list[tuple[int, int]]] = {name: [] for name in ids.values()}
    now = 0
    for line in body.splitlines():
        if line.startswith("#"):
            now = int(line[1:])
        elif line[:1] in ("0", "1"):
            changes[ids[line[1:]]].append((now, int(line[0])))
    return list(changes), changes


async def _play(state: Path) -> None:
    from local_page import create_app
    from lumiban.runtime.open_table import open_table
    from lumiban.table.setup import TableSetup
    from lumiban.web.serve import serve

    (state / "journals").mkdir(parents=True)
    wish = TableSetup(
        options={"size": 2}, profile="hex3", seats=("bot:easy",) * 2, new=True, seed=1, eager=True
    )
    sitting = await open_table(wish, state, open_log(state))
    try:
        page = await serve(create_app(sitting.shell), port=0)
        try:
            over = asyncio.Event()
            sitting.shell.ended = lambda _: over.set()
            await over.wait()
        finally:
            await page.close()
        line = as_page_has_it(sitting.shell.view())["line"]
        assert line["frames_in"] > 10
        assert line["trips_us"]["p50"] <= line["trips_us"]["worst"]
        assert line["losses"] == line["broken"] == 0
    finally:
        await sitting.close()


@pytest.mark.process
async def test_a_table_s_flight_is_listed_shown_exported_and_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    await _play(tmp_path)
    (path,) = flights(tmp_path / "flight")
    _, listed, _ = run("flight", "--json")
    (told,) = json.loads(listed)["flights"]
    assert (told["file"], told["game"], told["bytes"]) == (
        str(path),
        "control",
        path.stat().st_size,
    )
    assert path.stem in run("flight")[1]
    code, shown, _ = run("flight", "show")
    assert code == 0
    assert all(word in shown for word in ("< HELLO", "> HELLO", "< EVENTS", "> COMMIT", "verdict"))
    drawn = tmp_path / "table.vcd"
    assert run("flight", "trace", "--to", str(drawn))[0] == 0
    assert "exists already" in run("flight", "trace", "--to", str(drawn))[2]
    signals, changes = vcd(drawn)
    for side, name in (("host", "COMMIT"), ("board", "EVENTS"), ("board", "STATE")):
        rises = [value for _, value in changes[f"{side}_{name}"] if value]
        assert len(rises) == shown.count(f"{'>' if side == 'host' else '<'} {name}")
    stands = {cell[3:] for cell in signals if cell[:3] == "on_" and changes[cell][-1][1]}
    assert len(stands) > 3
    out = tmp_path / "mine.flight"
    assert run("flight", "export", "--to", str(out))[0] == 0
    assert "exists already" in run("flight", "export", "--to", str(out))[2]
    code, replayed, _ = run("replay", str(out), "--json")
    figures = json.loads(replayed)
    assert code == 0
    assert figures["moves"] > 3
    assert figures["torn"] == 0
    assert says(run("replay", str(out))[1], "flight.same")
    out.write_bytes(out.read_bytes()[:-5])
    assert "incomplete" in run("replay", str(out))[1]


@pytest.mark.process
async def test_no_recording_is_made_where_none_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.setenv("LUMIBAN_FLIGHT_MB", "0")
    await _play(tmp_path)
    assert flights(tmp_path / "flight") == []
    assert says(run("flight")[1], "flight.none")
    code, _, told = run("flight", "export")
    assert (code, told.count("\n")) == (2, 1)


def test_a_limit_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for told in ("much", "-1", "nan"):
        monkeypatch.setenv("LUMIBAN_FLIGHT_MB", told)
        with pytest.raises(UsageError, match=f"LUMIBAN_FLIGHT_MB={told}"):
            megabytes()
    monkeypatch.setenv("LUMIBAN_FLIGHT_MB", "0.5")
    assert megabytes() == 0.5
