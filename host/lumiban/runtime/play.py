"""Play at a table until somebody ends it: its page served, terminal told, signals heard.

`run` is what `demo` and `play` share; `open_table` sets the table.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lumiban.errors import (
    BoardError,
    JournalInUse,
    UsageError,
)
from lumiban.games.registry import RuleFault
from lumiban.i18n import terminal_language, text
from lumiban.runtime import running_tables
from lumiban.runtime.open_table import RunningTable, open_table
from lumiban.runtime.page_table import PageTable
from lumiban.search.kernel_notes import say_what_is_passed_over
from lumiban.system.disk import DISK
from lumiban.system.lifetime import Lifetime, ended_by_signals
from lumiban.system.owner_token import new_token, put
from lumiban.system.paths import little_room, made, open_log, state_folder, with_room
from lumiban.system.terminal import say
from lumiban.table.clocks import described
from lumiban.table.requests import HOST, RulesRequest
from lumiban.table.result import result_text
from lumiban.table.setup import SIMULATOR, TableSetup
from lumiban.table.types import HUMAN, Finished, Settings

if TYPE_CHECKING:
    from lumiban.runtime.table_host import TableHost
    from lumiban.system.run_log import RunLog
    from lumiban.web.page_process import Network, PageProcess


LOOK_S = 0.4
"""Seconds between two looks whether a game's file was saved."""


def has_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """True if a browser that we open would be seen by the person who typed the command.

    >>> has_display({"DISPLAY": ":0"}, "linux")
    True
    >>> has_display({"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.2 …"}, "linux")
    False
    """
    if "SSH_CONNECTION" in environment or "SSH_TTY" in environment:
        return False
    if platform in ("darwin", "win32"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def log_faults(log: RunLog) -> None:
    """Let the running loop log what goes wrong in callbacks, in place of the terminal."""

    def heard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.error("callback", what=context.get("message"), exc_info=error)

    asyncio.get_running_loop().set_exception_handler(heard)


def run(
    setup: TableSetup,
    *,
    port: int,
    opens_browser: bool,
    greeting_id: str,
    network: Network | None = None,
    settings: Settings | None = None,
) -> None:
    """`host` in a loop of its own."""
    house = _House(port, opens_browser, greeting_id, network, settings or Settings())
    asyncio.run(host(setup, house))


async def host(setup: TableSetup, house: _House) -> None:
    """Set the table, serve its page, print the link, and play until it is ended by a signal; or
    until a page asks for a game that needs another simulated board: then on that one."""
    following: TableSetup | None = setup
    with ended_by_signals() as life:
        try:
            while following is not None:
                sitting = await _play_at_one(following, house, life)
                following = sitting.next_setup
        finally:
            if house.page is not None:
                with life.closing():
                    await house.page.close()


@dataclass
class _House:
    """State that outlives a table on one simulated board: its page, and so who came in, and who
    sits."""

    port: int
    opens_browser: bool
    greeting_id: str
    network: Network | None
    settings: Settings
    table: PageTable = field(default_factory=PageTable)
    page: PageProcess | None = None


async def _play_at_one(setup: TableSetup, house: _House, life: Lifetime) -> RunningTable:
    """Play at one table until it ends."""
    state = with_room(made(state_folder()))
    made(state / "journals")
    log = open_log(state)
    log_faults(log)
    try:
        sitting = await open_table(setup, state, log, settings=house.settings)
    except (BoardError, JournalInUse) as error:
        raise running_tables.taken(state, setup.board, error) or error from None
    try:
        await _serve(sitting, setup, state, log, house)
    finally:
        with life.closing():
            await sitting.close()
            log.info("closed")
    if sitting.shell.lost is not None:
        raise sitting.shell.lost
    return sitting


SOCKETS = "LUMIBAN_SOCKETS"
"""Environment variable: how many WebSockets of pages may be open at once."""
SOCKETS_LIMIT = 1000


def _most_sockets() -> int:
    """Return the setting; UsageError where it is no number from 1 to `SOCKETS_LIMIT`."""
    from lumiban.web.tabs import MAX_SOCKETS

    wish = os.environ.get(SOCKETS) or str(MAX_SOCKETS)
    if not (wish.isascii() and wish.isdigit() and 1 <= int(wish) <= SOCKETS_LIMIT):
        raise UsageError(f"{SOCKETS}={wish} is not a number from 1 to {SOCKETS_LIMIT}")
    return int(wish)


async def _serve(
    sitting: RunningTable, setup: TableSetup, state: Path, log: RunLog, house: _House
) -> None:
    from lumiban.web.page_process import serve_apart

    house.table.put(sitting.shell)
    page, is_first = house.page, house.page is None
    if page is None:
        page = house.page = await serve_apart(
            house.table,
            port=house.port,
            most_sockets=_most_sockets(),
            log=state / "page.log",
            died=lambda code: log.error("page ended, starting it again", code=code),
            network=house.network,
            # Links and PIN are for the user who started the table, not for others on this machine.
            owner=new_token() if house.network is not None else "",
        )
        page.reported = lambda text: log.warning("the page's script failed", told=text)
    sitting.put_up_sign(state, setup.board, page.url)
    sitting.shell.attend()
    sitting.shell.hung = lambda why: say("cli.host.hung", why=why)
    sitting.shell.failed = lambda reason: say("table.rules-failed", reason=reason)
    sitting.shell.ended = lambda end: _tell_end(sitting.shell, end)
    _tell(sitting, setup, state, page.owner_url, house.greeting_id)
    if sitting.shell.session.fault is not None:  # in the first step, before anybody heard
        sitting.shell.failed(str(sitting.shell.session.fault))
    if house.network is not None and is_first:
        _tell_network(page, sitting)
    if is_first:
        say_what_is_passed_over()
    if setup.board == SIMULATOR:
        for other in running_tables.running(state):
            say("cli.host.other", indent=2, **other.as_params())
    if sitting.shell.session.own:
        sitting.beside(_follow_rules(sitting.shell))
    if house.opens_browser and is_first and has_display():
        await asyncio.to_thread(_open_browser, page.owner_url)
    await sitting.shell.run()


def _tell_end(shell: TableHost, end: Finished) -> None:
    """Tell the terminal who won and why, and what comes now."""
    history = shell.session.match.history
    try:
        told = result_text(history.game, history.position, end.outcome, terminal_language())
    except RuleFault:  # of counting points, which the table tells
        return
    print(told, flush=True)
    goes_on = shell.session.settings.rematch_us is not None and not history.people
    say("cli.host.next" if goes_on else "cli.host.over", indent=2)


async def _follow_rules(shell: TableHost) -> None:
    """Have the table play by its own game's file as it is saved, and tell the terminal."""
    path = Path(shell.session.own)
    # The first look asks too, as it may have been saved since the game was read from it.
    known, before = None, _saved_at(path)
    while True:
        await asyncio.sleep(LOOK_S)
        now = _saved_at(path)
        # One that is still being written, or not there for a moment, is looked at again.
        if now is not None and now == before != known:
            known = now
            await shell.command(RulesRequest(), HOST)
            told = shell.session.rules
            if told is not None:
                print(text(told.id, terminal_language(), **told.params), flush=True)
        before = now


def _saved_at(path: Path) -> tuple[int, int] | None:
    """Time and size of a file's last save; None while there is no such file."""
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_mtime_ns, there.st_size


def _tell_network(page: PageProcess, sitting: RunningTable) -> None:
    """Print the links for phones, and hear what is typed about them."""
    from lumiban.runtime.lan import LinksPrinter

    links = LinksPrinter(page, sitting.shell.session.match.game.sides)
    links.tell()
    if not sys.stdin.isatty():
        return
    loop = asyncio.get_running_loop()

    def typed() -> None:
        if os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp():
            return  # what is typed is for another program; reading it would stop this one
        line = sys.stdin.readline()
        if not line:
            loop.remove_reader(sys.stdin)
        links.heard(line)

    loop.add_reader(sys.stdin, typed)


def _tell(
    sitting: RunningTable, setup: TableSetup, state: Path, url: str, greeting_id: str
) -> None:
    history = sitting.shell.session.match.history
    if greeting_id == "cli.demo.greeting" and HUMAN in history.seats:
        greeting_id = "cli.demo.yours"
    say(greeting_id, game=Path(history.game.slug).stem.capitalize())
    say("cli.host.page", indent=2, url=url)
    if "SSH_CONNECTION" in os.environ or "SSH_TTY" in os.environ:
        port = urlsplit(url).port
        say("cli.host.ssh", indent=2, port=port)
    if setup.board != SIMULATOR:
        say("cli.host.board", indent=2, model=sitting.hello.model, port=sitting.board.port)
    if sitting.driver is not None:
        say("gpio.started", indent=2, hz=sitting.driver.scan_hz)
    if sitting.resumed is not None:
        for note in sitting.resumed.notes:
            say(note.id, indent=2, **note.params)
        back = sitting.resumed
        say(
            "cli.host.resumed",
            indent=2,
            game=Path(back.history.game.slug).stem.capitalize(),
            journal=back.path.name,
            moves=len(back.history.played),
        )
    if sitting.newer_journal_reason:
        say("cli.host.unread", indent=2, reason=sitting.newer_journal_reason)
    if sitting.passed_over is not None:
        say(
            "cli.host.rules-changed", indent=2, game=Path(setup.game).name, path=sitting.passed_over
        )
    if history.control is not None:
        id, params = described(history.control, is_shared=history.game.turnless)
        say("cli.host.clock", indent=2, clock=text(id, terminal_language(), **params))
    left = little_room(state)
    if left is not None:
        say("cli.host.little-room", indent=2, folder=state, mb=f"{left:.1f}")
    if DISK.unsynced is not None:
        say("cli.host.unsynced", indent=2, folder=DISK.unsynced)
    say("cli.host.end", indent=2)


def _open_browser(url: str) -> None:
    """Open a page. Everybody on this machine can read the words of a program that runs, so a link
    that holds a secret is opened by a file that only we can read."""
    import webbrowser

    if "#" in url:
        path = state_folder() / "open-page.html"
        with suppress(OSError):
            put(path, f'<!doctype html><meta http-equiv="refresh" content="0;url={url}">\n')
            url = path.absolute().as_uri()
    webbrowser.open(url)
