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
from typing import TYPE_CHECKING

from lumiban.errors import DiskFull, LumibanError
from lumiban.system.disk import FULL
from lumiban.system.paths import with_room

if TYPE_CHECKING:
    from lumiban.runtime.open_table import RunningTable
    from lumiban.table.view_fields import TableView

STUCK_S = 180.0
"""A game without a move for so long has got stuck."""
ANSWER_S = 120.0
"""A page that has said nothing for so long does not answer."""


class _Failed(LumibanError):
    """The smoke run found a fault."""


def play_whole_game(profile: str = "hex3", size: int = 2) -> int:
    """Play one whole game; prints one line and returns 0, or 1 with what failed."""
    began = time.monotonic()
    kept = ""
    try:
        with tempfile.TemporaryDirectory(prefix="lumiban-smoke-") as folder:
            try:
                summary = asyncio.run(_play(with_room(Path(folder)), profile, size))
            except (LumibanError, OSError):
                kept = _kept(Path(folder) / "host.log")
                raise
    except (LumibanError, OSError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            error = DiskFull(Path(tempfile.gettempdir()))
        print(f"lumiban: smoke failed: {error}{kept}", file=sys.stderr)
        return 1
    print(f"smoke: {summary}, {time.monotonic() - began:.1f} s")
    return 0


def _kept(log: Path) -> str:
    """Return where a copy of the log is, for the end of a sentence; "" where the disk has no room
    for one."""
    try:
        file, copy = tempfile.mkstemp(prefix="lumiban-smoke-", suffix=".log")
        with os.fdopen(file, "wb") as out:
            out.write(log.read_bytes() if log.exists() else b"")
    except OSError:
        return ""
    return f" (log: {copy})"


async def _play(state: Path, profile: str, size: int) -> str:
    from lumiban.runtime.open_table import open_table
    from lumiban.runtime.play import log_faults
    from lumiban.system.paths import open_log
    from lumiban.table import record
    from lumiban.table.setup import TableSetup
    from lumiban.web.page_process import serve_apart

    (state / "journals").mkdir()
    log = open_log(state)
    log_faults(log)
    setup = TableSetup(
        options={"size": size},
        profile=profile,
        seats=("bot:easy", "bot:easy"),
        new=True,
        seed=1,
        eager=True,
    )
    sitting = await open_table(setup, state, log)
    try:
        page = await serve_apart(sitting.shell, port=0, log=state / "page.log")
        try:
            await look_at(page.url)
            await _until_finished(sitting)
        finally:
            await page.close()
        finished = sitting.shell.finished[0]
    finally:
        await sitting.close()
    outcome = record.verify(finished.record)
    _check_journal(state, len(finished.record["moves"]))
    winner = finished.record["sides"][outcome.winner] if outcome.winner is not None else "nobody"
    return f"{len(finished.record['moves'])} moves over {sitting.board.port}, {winner} won"


async def _until_finished(sitting: RunningTable) -> None:
    shell = sitting.shell
    over = asyncio.Event()
    moves = -1

    def look(view: TableView) -> None:
        if view.outcome or shell.session.no_room:
            over.set()

    leave = shell.watch(look)
    look(shell.view())  # the game may have ended while the page was waited for
    running = asyncio.create_task(shell.run())
    waiting = asyncio.create_task(over.wait())
    try:
        # A disk is waited for: beside other programs one fsync may take half a minute.
        while moves != (now := len(shell.session.match.history.played)):
            moves = now if shell.session.all_durable else -1
            done, _ = await asyncio.wait(
                [running, waiting], timeout=STUCK_S, return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                break
        if running.done():
            running.result()
        if shell.session.no_room:
            raise DiskFull(Path(shell.session.no_room))
        if not over.is_set():
            view = shell.view()
            raise _Failed(
                f"no move any more: {len(view.moves)} moves, "
                f"link {view.link}, verdict {view.verdict.kind}, prompt {view.prompt}"
            )
    finally:
        leave()
        running.cancel()
        waiting.cancel()


async def look_at(url: str) -> None:
    """Read the page at an address; LumibanError where no page answers."""

    def opened() -> bytes:
        # It is this machine's own page, whatever proxy the environment names.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=ANSWER_S) as answer:
            page: bytes = answer.read()
            return page

    try:
        page = await asyncio.to_thread(opened)
    except OSError as error:
        raise _Failed(f"the page at {url} does not answer: {error}") from error
    if b"<html" not in page.lower():
        raise _Failed(f"what {url} answers is no page")


def _check_journal(state: Path, moves: int) -> None:
    from lumiban.table.resume import resume

    (journal,) = (state / "journals").glob("*.journal")
    back = resume(journal, mends=False)
    if not back.is_over or len(back.history.played) != moves:
        raise _Failed(
            f"the journal holds {len(back.history.played)} moves of {moves}"
            + ("" if back.is_over else " and no end")
        )
