"""`lumiban serve` and what looks after it: status, logs, stop, backup, restore."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.arguments import Json
from lumiban.errors import LumibanError, UsageError, why_unread
from lumiban.i18n import has, terminal_language, text
from lumiban.invocation import start_word
from lumiban.search.kernel_notes import say_what_is_passed_over
from lumiban.system import service_socket
from lumiban.system.log_lines import entries
from lumiban.system.paths import made, state_folder
from lumiban.system.terminal import print_json, say

if TYPE_CHECKING:
    from lumiban.service.settings import Complaint


def serve_command() -> None:
    """Run the table as a service: wait for boards, play, keep the page up, until it is ended.

    Each board that is plugged in gets a table with a page of its own. Settings stand in
    settings.toml in the state folder, with comments; a change counts within seconds. Other
    terminals ask with status, logs and stop. The package runs this at boot (docs/serve.md).
    """
    from lumiban.service import supervisor

    if "NOTIFY_SOCKET" in os.environ:  # systemd's: links and PIN do not belong into its journal
        asyncio.run(supervisor.serve())
        return
    say("serve.begins")
    say_what_is_passed_over()
    asyncio.run(supervisor.serve(TableNews(), _print_complaint))


def _print_complaint(one: Complaint) -> None:
    say(one.id, indent=2, **one.params)
    sys.stdout.flush()


class TableNews:
    """Prints what is new at a table: what is played or waited for, and its link."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[object, ...]] = {}

    def __call__(self, table: Mapping[str, Any]) -> None:
        """Print how a table is, unless that was printed last."""
        why = (table.get("why") or {}).get("id", "")
        join = (table.get("links") or {}).get("join", "")
        now = (why, table.get("game"), table.get("url"), join)
        is_news = table.get("url") and (why or table.get("state") == "playing")
        if is_news and self._said.get(table["number"]) != now:
            self._said[table["number"]] = now
            _print_table(table)
            sys.stdout.flush()


def status_command(*, json: Json = False) -> int:
    """Show what the service does: its tables, boards, pages, and what is wrong.

    Exit code 1 while a table waits for something that somebody must do.
    """
    status = service_socket.ask(state_folder(), {"do": "status"})
    if json:
        print_json(status)
    else:
        _print_status(status)
    troubles = (
        "serve.waits.absent",
        "serve.waits.opens",
        "serve.waits.updates",
        "serve.waits.tests",
    )
    return int(any((one.get("why") or {}).get("id", troubles[0]) not in troubles
                   and one.get("state") == "waiting" for one in status["tables"]))  # fmt: skip


def _print_status(status: Mapping[str, Any]) -> None:
    since = datetime.fromtimestamp(status["since"]).astimezone()
    say("serve.status.head", version=status["version"], since=f"{since:%Y-%m-%d %H:%M}")
    for table in status["tables"]:
        _print_table(table)
    for one in status["complaints"]:
        say(one["id"], indent=2, **one["params"])
    if status["is_nearly_full"]:
        say("cli.host.little-room", indent=2, folder=status["state"], mb=status["free_mb"])
    say("serve.status.settings", indent=2, path=status["settings"])


def _print_table(table: Mapping[str, Any]) -> None:
    why = table.get("why")
    if table.get("state") == "playing" and not why:
        language = terminal_language()
        name = f"game.{table['game']}.name"  # a player's own is known by its file
        game = text(name, language) if has(name) else table["game"]
        say("serve.status.plays", indent=2, number=table["number"], game=game,
            moves=table["moves"], board=table["board"], port=table["port"])  # fmt: skip
    elif why:
        reason = text(why["id"], terminal_language(), **why["params"])
        say("serve.status.waits", indent=2, number=table["number"], reason=reason)
    else:
        say("serve.status.starts", indent=2, number=table["number"])
    if table.get("url"):
        say("cli.host.page", indent=4, url=table.get("owner_url") or table["url"])
    if table.get("network_why"):
        print(f"    {table['network_why']}")
    links = table.get("links") or {}
    if links:
        say("cli.lan.join", indent=4, url=links["join"], pin=links["pin"])
        say("cli.lan.guest", indent=4, url=links["guest"])
        say("cli.lan.host", indent=4, url=links["host"])
    if table.get("update"):
        say("serve.update.asked", indent=4, **table["update"])
    if table.get("update_failed"):
        say(table["update_failed"]["id"], indent=4, **table["update_failed"]["params"])


def logs_command(
    *,
    lines: Annotated[
        int, Parameter(validator=Number(gte=1, lte=100_000), help="How many lines.")
    ] = 30,
    follow: Annotated[bool, Parameter(negative="", help="Go on until Ctrl-C.")] = False,
) -> None:
    """Print the last lines of the service's logs, oldest first."""
    folder = _log_folder()
    known = entries(folder)
    for _, line in known[-lines:]:
        print(line)
    sys.stdout.flush()
    while follow:
        time.sleep(1.0)  # a log is a file that others write
        before, known = set(known), entries(folder)
        for one in known:
            if one not in before:
                print(one[1], flush=True)


def _log_folder() -> Path:
    """Folder in which the running service keeps its logs; else our own state folder."""
    try:
        return Path(service_socket.ask(state_folder(), {"do": "status"})["state"])
    except LumibanError:
        return state_folder()


def stop_command() -> None:
    """End the service: games are kept and go on when it starts again.

    Where systemd runs it, `sudo systemctl stop lumiban` ends it for good.
    """
    _do({"do": "stop"})
    say("serve.stopping")


def _do(request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return service_socket.ask(state_folder(), request)
    except service_socket.Refused as error:
        raise UsageError(text(error.id, terminal_language(), **error.params)) from None


def backup_command(
    file: Annotated[
        Path | None, Parameter(show_default=False, help="The file to write (.tar.gz).")
    ] = None,
    /,
) -> None:
    """Write all that the table keeps into one file: games, records, boards, settings.

    The service may run meanwhile.
    """
    from lumiban.library import backup

    out = file or Path(f"lumiban-backup-{time.strftime('%Y%m%d-%H%M%S')}.tar.gz")
    kept = backup.back_up(_readable(_log_folder()), out)
    say("serve.backup.written", path=out, files=kept.files)


def _readable(folder: Path) -> Path:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise UsageError(text("serve.not-ours", terminal_language(), path=folder))
    return folder


def restore_command(
    file: Annotated[Path, Parameter(help=f"A file that `{start_word()} backup` has written.")],
    /,
    *,
    home: Annotated[
        Path | None,
        Parameter(show_default=False, help="The state folder; the package's: /var/lib/lumiban."),
    ] = None,
) -> None:
    """Put games, players, looks and calibrations back from a backup, all or nothing.

    Network, PIN and ports stay as they are on this machine. What is there now is set aside, not
    overwritten. End the service first (`{lumiban} stop`, `sudo systemctl stop lumiban`).
    """
    from lumiban.library import backup
    from lumiban.service import settings

    folder = home or state_folder()
    try:
        service_socket.ask(folder, {"do": "status"})
    except service_socket.NoService:
        pass
    else:
        raise UsageError(text("serve.restore.runs", terminal_language()))
    state = made(folder)
    merge = partial(settings.with_play, state / settings.FILE)
    with _opened(file) as source:
        done = backup.restore(state, source, merge)
    say("serve.restore.done", files=done.files, path=state)
    for one in done.settings:
        say("serve.restore.setting", indent=2, setting=one)
    if done.left_out:
        say("serve.restore.left-out", indent=2, names=", ".join(done.left_out[:MAX_NAMED]))
    if done.aside:
        say("serve.restore.aside", indent=2, path=done.aside)


MAX_NAMED = 12
"""Names of what a backup holds besides, in one sentence."""


def _opened(file: Path) -> BinaryIO:
    """The file, opened; UsageError."""
    language = terminal_language()
    if file.exists() and not file.is_file():  # a pipe would be waited for
        reason = "restore.no-archive"
        raise UsageError(text("restore.refused", language, path=str(file), reason=reason))
    try:
        return file.open("rb")
    except OSError as error:
        reason = why_unread(error)
        raise UsageError(text("restore.failed", language, path=str(file), reason=reason)) from None
