"""`lumiban demo --smoke`: one short game of two bots through every room, without a page in sight.

Simulator, firmware, serial port, referee, rules, journal, hands and page are those of the demo;
only the board is small and the state folder a temporary one.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from lumiban.errors import LumibanError

LONGEST_S = 90.0
"""A game that is not over by then has got stuck."""


class _Failed(LumibanError):
    """The smoke run found a fault."""


def play_whole_game(profile: str = "hex3", size: int = 2) -> int:
    """Play one whole game; prints one line and returns 0, or 1 with what failed."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lumiban-smoke-") as folder:
        try:
            told = asyncio.run(_play(Path(folder), profile, size))
        except LumibanError as error:
            file, log = tempfile.mkstemp(prefix="lumiban-smoke-", suffix=".log")
            written = Path(folder) / "host.log"
            with os.fdopen(file, "wb") as out:
                out.write(written.read_bytes() if written.exists() else b"")
            print(f"lumiban: smoke failed: {error} (log: {log})", file=sys.stderr)
            return 1
    print(f"smoke: {told}, {time.monotonic() - began:.1f} s")
    return 0


async def _play(state: Path, profile: str, size: int) -> str:
    from lumiban.paths import open_log
    from lumiban.runtime.setup import PlayRequest, log_faults, open_table
    from lumiban.table import record
    from lumiban.web.page_process import serve_apart

    (state / "journals").mkdir()
    log = open_log(state)
    log_faults(log)
    wish = PlayRequest(
        options={"size": size},
        profile=profile,
        seats=("bot:easy", "bot:easy"),
        new=True,
        seed=1,
        eager=True,
    )
    sitting = await open_table(wish, state, log)
    try:
        page = await serve_apart(sitting.shell, port=0, log=state / "page.log")
        try:
            await asyncio.to_thread(_look_at, page.url)
            await _until_finished(sitting.shell)
        finally:
            await page.close()
        finished = sitting.shell.finished[0]
    finally:
        await sitting.close()
    outcome = record.verify(finished.record)
    _check_journal(state, len(finished.record["moves"]))
    winner = finished.record["sides"][outcome.winner] if outcome.winner is not None else "nobody"
    return f"{len(finished.record['moves'])} moves over {sitting.board.port}, {winner} won"


async def _until_finished(shell: object) -> None:
    from lumiban.runtime.table_host import TableHost

    assert isinstance(shell, TableHost)
    over = asyncio.Event()
    leave = shell.watch(lambda view: over.set() if view.outcome else None)
    running = asyncio.create_task(shell.run())
    waiting = asyncio.create_task(over.wait())
    try:
        await asyncio.wait(
            [running, waiting], timeout=LONGEST_S, return_when=asyncio.FIRST_COMPLETED
        )
        if running.done():
            running.result()
        if not over.is_set():
            view = shell.view()
            raise _Failed(
                f"no end after {LONGEST_S:.0f} s: {len(view.moves)} moves, "
                f"link {view.link}, verdict {view.verdict.kind}, prompt {view.prompt}"
            )
    finally:
        leave()
        running.cancel()
        waiting.cancel()


def _look_at(url: str) -> None:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            page = answer.read()
    except OSError as error:
        raise _Failed(f"the page at {url} does not answer: {error}") from error
    if b"<html" not in page.lower():
        raise _Failed(f"what {url} answers is no page")


def _check_journal(state: Path, moves: int) -> None:
    from lumiban.table.resume import resume

    (journal,) = (state / "journals").glob("*.journal")
    back = resume(journal, mends=False)
    if not back.is_over or len(back.course.played) != moves:
        raise _Failed(
            f"the journal holds {len(back.course.played)} moves of {moves}"
            + ("" if back.is_over else " and no end")
        )
