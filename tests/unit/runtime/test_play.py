"""What `lumiban play` tells its terminal, opens, serves and puts away: the page is a test's."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from each import each
from lumiban.boards.ports import PortError
from lumiban.errors import BoardError, JournalError, UsageError
from lumiban.runtime import play, running_tables
from lumiban.runtime.open_table import RunningTable, open_table
from lumiban.runtime.page_table import PageTable
from lumiban.system.disk import DISK
from lumiban.system.paths import open_log
from lumiban.table.requests import NewGameRequest, WordRequest
from lumiban.table.setup import TableSetup
from lumiban.web import page_process, tabs
from lumiban.web.access import new_secrets
from lumiban.web.page_process import Network
from near_table import PEOPLE, Near

Does = Callable[["Served"], Any]


class Served:
    """A page that is served; it does what a test wants once it is, then its table ends."""

    network_url = "http://192.168.1.5:8700/"
    url, owner_url = "http://127.0.0.1:8080/", "http://127.0.0.1:8080/#owner"

    def __init__(self, table: PageTable, does: Does, about: dict[str, Any]) -> None:
        self.table, self.about, self.closed = table, about, 0
        self.kept, self.renewals = new_secrets(), 0
        self.reported: Callable[[str], None] = print
        self.acts = asyncio.ensure_future(does(self))

    async def close(self) -> None:
        self.closed += 1

    def renew(self) -> None:
        self.renewals += 1


async def nothing(page: Served) -> None:
    """Nothing happens at the table."""


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Near:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    for name in ("SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY", play.SOCKETS):
        monkeypatch.delenv(name, raising=False)
    return Near(monkeypatch, tmp_path)


@pytest.fixture
def plays(
    near: Near, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, Served]]:
    """Plays at a table until what is done there is done; what the terminal was told, the page."""

    def run(does: Does = nothing, *, network: Any = None, **wish: Any) -> tuple[str, Served]:
        pages: list[Served] = []
        opens = wish.pop("opens_browser", False)
        greeting_id = wish.pop("greeting_id", "cli.play.greeting")

        async def acts(page: Served) -> None:
            await does(page)
            near.sitting.shell.stop()

        async def serve_apart(table: PageTable, **about: Any) -> Served:
            pages.append(Served(table, acts, about))
            return pages[-1]

        async def opened(*words: Any, **more: Any) -> RunningTable:
            monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: near.now_s)
            near.sitting = await open_table(*words, **more)
            return near.sitting

        monkeypatch.setattr(play, "open_table", opened)
        monkeypatch.setattr(page_process, "serve_apart", serve_apart)
        setup = TableSetup(**{"profile": "hex3", "options": {"size": 3}, "seats": PEOPLE, **wish})
        play.run(setup, port=8080, opens_browser=opens, greeting_id=greeting_id, network=network)
        return " ".join(capsys.readouterr().out.split()), pages[0]

    return run


Plays = Callable[..., tuple[str, Served]]


def test_the_terminal_names_page_board_clock_and_end_and_all_is_put_away(
    plays: Plays, near: Near
) -> None:
    async def looks(page: Served) -> None:
        (sign,) = near.state.glob("table-*.json")
        told.update(json.loads(sign.read_text("utf-8")))
        assert near.sitting.shell.session.hint == page.table.view().hint

    told: dict[str, Any] = {}
    said, page = plays(looks, board="/dev/ttyACM0", clock="sudden:10m")
    for word in ("http://127.0.0.1:8080/", "/dev/ttyACM0", "10:00", "Ctrl-C"):
        assert word in said
    assert page.about["port"] == 8080
    assert page.about["most_sockets"] > 1
    assert page.about["log"] == near.state / "page.log"
    assert page.about["owner"] == "", "nobody else can ask for it on this machine"
    assert (told["game"], told["port"], told["url"]) == ("control", "/dev/ttyACM0", page.url)
    assert told["journal"] == near.sitting.shell.journal_name
    assert page.closed == 1
    assert not near.line.is_open
    assert near.bot.closed
    assert list(near.state.glob("table-*.json")) == []


def test_the_end_of_a_game_is_told_once_with_its_reason(plays: Plays, near: Near) -> None:
    async def resigns(page: Served) -> None:
        assert await page.table.command(WordRequest(0, "resign"), "host") is None

    said, _ = plays(resigns)
    assert said.count("Black wins") == 1


def test_a_game_for_another_board_is_played_there_on_the_same_page(
    plays: Plays, near: Near
) -> None:
    async def asks(page: Served) -> None:
        first = near.sitting
        assert (
            await page.table.command(NewGameRequest("trivia", {"size": 5}, PEOPLE), "host") is None
        )
        while near.sitting is first:
            await asyncio.sleep(0)
        assert page.table.view().game.slug == "trivia"

    said, page = plays(asks)
    assert near.sitting.shell.session.game.slug == "trivia"
    assert len(near.started) == 2
    assert said.count("Ctrl-C") == 2
    assert page.closed == 1


@pytest.mark.parametrize(("wish", "most"), [("", 1), ("12", 12), ("0", 0), ("1001", 0), ("x", 0)])
def test_so_many_pages_may_be_open_as_the_environment_says(
    plays: Plays, monkeypatch: pytest.MonkeyPatch, wish: str, most: int
) -> None:
    monkeypatch.setenv(play.SOCKETS, wish)
    if not most:
        with pytest.raises(UsageError, match=play.SOCKETS):
            plays()
        return
    _, page = plays()
    assert page.about["most_sockets"] == (most if wish else tabs.MAX_SOCKETS)


def test_a_browser_is_opened_where_somebody_sees_it_and_a_secret_link_by_a_file(
    plays: Plays, near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    plays(opens_browser=True)
    assert opened == []
    monkeypatch.setattr(play, "has_display", lambda: True)
    plays(opens_browser=True)
    file = near.state / "open-page.html"
    assert opened == [file.as_uri()]
    assert "url=http://127.0.0.1:8080/#owner" in file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(Served, "owner_url", Served.url)
    plays(opens_browser=True)
    assert opened[1:] == [Served.url]


@each(
    ("platform", "environment", "is_seen"),
    [
        ("darwin", {}, True),
        ("win32", {}, True),
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ":0", "SSH_TTY": "/dev/pts/0"}, False),
        ("darwin", {"SSH_CONNECTION": "10.0.0.2 1 10.0.0.1 22"}, False),
    ],
)
def test_a_browser_is_seen_where_there_is_a_screen_and_nobody_comes_by_ssh(
    platform: str, environment: dict[str, str], is_seen: bool
) -> None:
    assert play.has_display(environment, platform) is is_seen


def test_by_ssh_it_is_told_how_the_page_is_reached(
    plays: Plays, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "ssh" not in plays()[0]
    monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
    said, _ = plays()
    assert "8080" in said[said.index("ssh") :]


def test_a_disk_that_does_not_keep_is_told(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DISK, "unsynced", Path("/mnt/share"))
    assert "/mnt/share" in plays()[0]


def test_who_plays_on_a_busy_board_is_named_with_its_page(
    plays: Plays, near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = running_tables.RunningTable(
        7, "2026-01-01T10:00:00+00:00", "control", "auto", "/dev/ttyACM0",
        "http://127.0.0.1:9/", "x.journal",
    )  # fmt: skip
    monkeypatch.setattr(running_tables, "running", lambda _: [table])
    near.refusals = [PortError("/dev/ttyACM0", "busy")]
    with pytest.raises(BoardError, match=r"http://127\.0\.0\.1:9/"):
        plays(board="/dev/ttyACM0")
    near.refusals = [BoardError("broken")]
    with pytest.raises(BoardError, match="broken"):
        plays(board="/dev/ttyACM0")


def test_what_is_not_kept_at_the_end_is_an_error(plays: Plays, near: Near) -> None:
    async def loses(page: Served) -> None:
        near.sitting.shell.lost = JournalError("the last moves were not kept")

    with pytest.raises(JournalError, match="not kept"):
        plays(loses)


def test_links_for_phones_are_printed_and_made_anew_when_that_is_typed(
    plays: Plays, monkeypatch: pytest.MonkeyPatch, near: Near
) -> None:
    master, slave = os.openpty()
    typed = os.fdopen(slave)
    monkeypatch.setattr(sys, "stdin", typed)
    mine = [False]
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp() if mine[0] else os.getpgrp() + 1)

    async def types(page: Served) -> None:
        os.write(master, b"new\n")
        await near.passes()
        assert page.renewals == 0, "what is typed is for another program"
        mine[0] = True
        await near.until(lambda: page.renewals == 1)

    said, page = plays(types, network=Network("192.168.1.5"))
    assert page.about["network"].address == "192.168.1.5"
    assert page.about["owner"], "links and PIN are for who started the table"
    assert said.count("http://192.168.1.5:8700/join") == 2
    os.close(master)
    typed.close()


async def test_what_goes_wrong_in_a_callback_stands_in_the_log(tmp_path: Path) -> None:
    play.log_faults(open_log(tmp_path))
    asyncio.get_running_loop().call_soon(lambda: 1 // 0)
    await asyncio.sleep(0)
    (line,) = map(json.loads, (tmp_path / "host.log").read_text().splitlines())
    assert (line["event"], line["level"]) == ("callback", "error")
    assert "ZeroDivisionError" in line["exception"]
    assert "lambda" in line["what"]
