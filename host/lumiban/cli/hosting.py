"""A table with its page, until somebody ends it: what `demo` and `play` share."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban.catalogue import terminal_language, text
from lumiban.cli import board_time, simulated, tables
from lumiban.cli.arguments import say
from lumiban.cli.board_time import BoardTimeLoop
from lumiban.cli.sitting import CHIP, SIMULATOR, Sitting, Wish, sit
from lumiban.cli.state import little_room, made, open_log, with_room
from lumiban.cli.tables import TableTaken
from lumiban.disk import DISK
from lumiban.errors import BoardError, JournalInUse, UsageError
from lumiban.table.places import state_folder

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger


def has_display(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a browser that we open would be seen by who typed the command.

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


@contextmanager
def signals(end: Callable[[], None]) -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP (the terminal was closed) call `end`."""
    loop = asyncio.get_running_loop()
    names = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for name in names:
        loop.add_signal_handler(name, end)
    try:
        yield
    finally:
        for name in names:
            loop.remove_signal_handler(name)


def log_faults(log: FilteringBoundLogger) -> None:
    """Let the running loop log what goes wrong in callbacks, in place of the terminal."""

    def heard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.error("callback", what=context.get("message"), exc_info=error)

    asyncio.get_running_loop().set_exception_handler(heard)


def run(wish: Wish, *, port: int, browser: bool, greeting_id: str) -> None:
    """`host` in a loop of its own, which can count the time of an emulated chip."""
    found = simulated.at(state_folder(), wish.board)
    slow = wish.board == CHIP or (found is not None and bool(found.clock))
    try:
        with asyncio.Runner(loop_factory=BoardTimeLoop if slow else None) as runner:
            runner.run(host(wish, port=port, browser=browser, greeting_id=greeting_id))
        if is_installing():
            say("cli.host.installing")
    except TableTaken as there:
        if not (browser and _watches(there)):
            raise


def is_installing(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether `./run` still installs numba in the background: Ctrl-C does not reach that."""
    import fcntl

    from lumiban.search.machine import FAST

    folder = environment.get(FAST, "")
    if not folder or Path(folder).exists():
        return False
    try:
        with Path(folder).parent.with_name(".venv.lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no such file, or a file system without locks
        return False
    return False


def _watches(there: TableTaken) -> bool:
    """Offer to watch the table that runs there, where a person sits before terminal and display;
    whether its page was opened."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and has_display()):
        return False
    print(there, flush=True)
    print(text("cli.host.watch", terminal_language()), end=" ", flush=True)
    answer = sys.stdin.readline()  # "" where the terminal has gone
    if not answer or answer.strip().lower()[:1] not in text("cli.host.yes", terminal_language()):
        return False
    _open_browser(there.table.url)
    return True


async def host(wish: Wish, *, port: int, browser: bool, greeting_id: str) -> None:
    """Set the table, serve its page, print the link, and play until it is ended by a signal."""
    state = with_room(made(state_folder()))
    made(state / "journals")
    log = open_log(state)
    log_faults(log)
    try:
        sitting = await sit(wish, state, log)
    except (BoardError, JournalInUse) as error:
        raise tables.taken(state, wish.board, error) or error from None
    try:
        with signals(sitting.shell.stop):
            await _serve(
                sitting, wish, state, log, port=port, browser=browser, greeting_id=greeting_id
            )
    finally:
        board_time.leave()
        await sitting.close()
        log.info("closed")


SOCKETS = "LUMIBAN_SOCKETS"
"""Environment variable: how many WebSockets of pages may be open at once."""
SOCKETS_LIMIT = 1000


def _most_sockets() -> int:
    """Return the setting; UsageError where it is no number from 1 to `SOCKETS_LIMIT`."""
    from lumiban.web.tabs import MOST_SOCKETS

    wish = os.environ.get(SOCKETS) or str(MOST_SOCKETS)
    if not (wish.isascii() and wish.isdigit() and 1 <= int(wish) <= SOCKETS_LIMIT):
        raise UsageError(f"{SOCKETS}={wish} is not a number from 1 to {SOCKETS_LIMIT}")
    return int(wish)


async def _serve(
    sitting: Sitting,
    wish: Wish,
    state: Path,
    log: FilteringBoundLogger,
    *,
    port: int,
    browser: bool,
    greeting_id: str,
) -> None:
    from lumiban.web.page_process import serve_apart

    page = await serve_apart(
        sitting.shell,
        port=port,
        most_sockets=_most_sockets(),
        log=state / "page.log",
        died=lambda code: log.error("page ended, starting it again", code=code),
    )
    leave = _put_up_sign(sitting, wish, state, log, page.url)
    try:
        # The page answers; now the bot's process may take its time to start and to compile.
        game = sitting.shell.session.match.course.game
        sitting.worker.start()
        sitting.worker.warm(game.slug, dict(game.options), game.digest)
        sitting.shell.hung = lambda why: say("cli.host.hung", why=why)
        _tell(sitting, wish, state, page.url, greeting_id)
        if wish.board == SIMULATOR:
            for other in tables.running(state):
                say("cli.host.other", indent=2, **other.told())
        if browser and has_display():
            await asyncio.to_thread(_open_browser, page.url)
        await sitting.shell.run()
    finally:
        leave()
        board_time.leave()
        await page.close()


def _put_up_sign(
    sitting: Sitting, wish: Wish, state: Path, log: FilteringBoundLogger, url: str
) -> Callable[[], None]:
    """Tell other hosts of this table until the result is called."""
    try:
        sign = tables.Sign(state, wish.board, url)
    except OSError as reason:  # the table is no worse for it
        log.warning("no sign of this table", reason=str(reason))
        return lambda: None

    def tell(_: object = None) -> None:
        shell = sitting.shell
        with suppress(OSError):
            game = Path(shell.session.match.course.game.slug).stem
            sign.tell(game, sitting.board.port, shell.journal_name)

    tell()
    unwatch = sitting.shell.watch(tell)

    def leave() -> None:
        unwatch()
        with suppress(OSError):
            sign.close()

    return leave


def _tell(sitting: Sitting, wish: Wish, state: Path, url: str, greeting_id: str) -> None:
    say(greeting_id)
    say("cli.host.page", indent=2, url=url)
    if "SSH_CONNECTION" in os.environ or "SSH_TTY" in os.environ:
        port = url.rstrip("/").rpartition(":")[2]
        say("cli.host.ssh", indent=2, port=port)
    if wish.board != SIMULATOR:
        say("cli.host.board", indent=2, model=sitting.hello.model, port=sitting.board.port)
    if sitting.simulator is not None and sitting.simulator.clock:
        say("cli.host.chip", indent=2)
    if sitting.driver is not None:
        say("gpio.started", indent=2, hz=sitting.driver.scan_hz)
    if sitting.resumed is not None:
        for note in sitting.resumed.notes:
            say(note.id, indent=2, **note.params)
        back = sitting.resumed
        say(
            "cli.host.resumed",
            indent=2,
            game=Path(back.course.game.slug).stem.capitalize(),
            journal=back.path.name,
            moves=len(back.course.played),
        )
    if sitting.unread:
        say("cli.host.unread", indent=2, reason=sitting.unread)
    if sitting.passed_over is not None:
        say("cli.host.rules-changed", indent=2, game=Path(wish.game).name, path=sitting.passed_over)
    left = little_room(state)
    if left is not None:
        say("cli.host.little-room", indent=2, folder=state, mb=f"{left:.1f}")
    if DISK.unsynced is not None:
        say("cli.host.unsynced", indent=2, folder=DISK.unsynced)
    say("cli.host.end", indent=2)


def _open_browser(url: str) -> None:
    import webbrowser

    webbrowser.open(url)
