"""The page in a process of its own: it acts like one in the table's loop, and may die."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import patience
import pytest
import pytest_asyncio
from lumiban import i18n
from lumiban.errors import LumibanError
from lumiban.system.owner_token import link
from lumiban.table.requests import TableRequest, TakebackRequest
from lumiban.web import feed, mdns, page_process
from lumiban.web.access import secret_of
from lumiban.web.page_process import Network, PageProcess, serve_apart
from lumiban.web.serve import Served, free_socket
from network_bench import ADDRESS, OWNER, OWNS, Networked, SeatedTable
from places import SUPPORT
from web_client import JSON, ScriptedTable, fetch, greeted, hear, hear_type, open_tab, say
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.asyncio(loop_scope="module")


class FaultyTable(ScriptedTable):
    """Follows a takeback by a fault of its own."""

    async def command(self, request: TableRequest, role: str) -> JSON | None:
        if isinstance(request, TakebackRequest):
            raise ZeroDivisionError
        return await super().command(request, role)


@pytest.fixture(scope="module")
def table() -> ScriptedTable:
    return FaultyTable()


class Task:
    """The page's process as a task of this loop, which ends with its pipe."""

    pid = 1 << 30
    made: ClassVar[list[Task]] = []

    def __init__(self, words: list[str], *, pass_fds: tuple[int, ...], **about: Any) -> None:
        copies = {number: os.dup(number) for number in pass_fds}
        page, pipe, most, _, *place = words[words.index(page_process.__name__) + 1 :]
        there = msgspec.json.decode(place[0], type=page_process.Place) if place else None
        if there is not None:
            there.sockets = [copies[number] for number in there.sockets]
        self._pipe = socket.socket(fileno=os.dup(copies[int(pipe)]))
        self.serves = asyncio.ensure_future(
            page_process._serve(copies[int(page)], copies[int(pipe)], int(most), there)
        )
        self.made.append(self)
        self.says_nothing = False

    def is_hung(self, looks: int) -> bool:
        return self.says_nothing

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.shutdown(socket.SHUT_RDWR)

    async def ended(self, *seconds: float) -> int:
        await self.serves
        self._pipe.close()
        return -signal.SIGKILL


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of this test are served by tasks, and looked at and begun again at once."""
    monkeypatch.setattr(page_process, "Child", Task)
    monkeypatch.setattr(page_process, "AGAIN_S", (0.0, 0.0))
    monkeypatch.setattr(page_process, "LOOK_S", 0.0)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(table: ScriptedTable) -> AsyncIterator[PageProcess]:
    """One for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_process, "Child", Task)
        page = await serve_apart(table, port=0)
    yield page
    await page.close()
    assert table.watchers == []
    free_socket("127.0.0.1", page.port, tries=1).close()


async def test_a_page_in_another_process_shows_and_commands_the_table(
    page: PageProcess, table: ScriptedTable
) -> None:
    async with open_tab(page, "?tab=a") as tab:
        assert (await hear_type(tab, "hello"))["languages"] == ["en", "ja"]
        assert await hear(tab) == {"type": "view", **table.view()}
        await say(tab, do="hint", level="none")
        assert (await hear_type(tab, "view"))["hint"] == "none"
        assert table.heard[-1] == ({"do": "hint", "level": "none"}, "host")
        await say(tab, do="look", n=2)
        assert await hear(tab) == {"type": "past", "n": 2, "moves": 2, "pieces": [2]}
        await say(tab, do="look", n=3)
        assert (await hear(tab))["text"]["id"] == "page.error.no-past"
        await say(tab, do="confirm")
        assert (await hear(tab))["text"]["id"] == "table.nothing-to-confirm"
        await say(tab, do="word", side=0, word="stop")
        reason = {"reason": "the journal cannot be written"}
        assert (await hear(tab))["text"] == {"id": "page.error.plain", "params": reason}
        await say(tab, do="new", game="control")
        await say(tab, do="look", n=2)
        assert (await hear(tab))["type"] == "past", "to a new game nothing is said"


async def test_the_view_that_is_asked_for_is_the_table_s_own(
    page: PageProcess, table: ScriptedTable
) -> None:
    status, _, body = await fetch(page, "/api/view")
    assert (status, json.loads(body)) == (200, {"type": "view", **table.view()})


async def test_sentences_that_a_game_brings_are_known_to_the_page_in_both_languages(
    page: PageProcess, table: ScriptedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def names() -> list[str]:
        answers = [await fetch(page, f"/api/texts?lang={one}") for one in ("en", "ja")]
        return [json.loads(body).get("game.mine.py.name") for _, _, body in answers]

    monkeypatch.setattr(i18n, "_added", {})
    assert await names() == [None, None]
    async with open_tab(page) as tab:
        await greeted(tab)
        for english, japanese in (("Mine", "私の"), ("Ours", "私たちの")):
            i18n.add("en", {"game.mine.py.name": english})
            i18n.add("ja", {"game.mine.py.name": japanese})
            await say(tab, do="hint", level="legal")
            await hear_type(tab, "view")
            assert await names() == [english, japanese]


async def test_another_board_is_told_to_every_tab(
    page: PageProcess, table: ScriptedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_tab(page) as one, open_tab(page) as other:
        for tab in (one, other):
            await greeted(tab)
        monkeypatch.setattr(table, "hello", lambda: {**ScriptedTable.hello(table), "home": True})
        await say(one, do="hint", level="legal")
        for tab in (one, other):
            assert (await hear_type(tab, "hello"))["home"]


@pytest.mark.process
async def test_a_page_that_is_killed_is_served_again_under_the_same_address(
    tmp_path: Path,
) -> None:
    deaths: list[int] = []
    page = await serve_apart(ScriptedTable(), port=0, died=deaths.append, log=tmp_path / "page.log")
    async with open_tab(page) as tab:
        await greeted(tab)
        assert page.pid is not None
        os.kill(page.pid, signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            await hear(tab)
    # The socket never closes: this one waits until somebody takes it.
    status, _, _ = await fetch(page, "/api/view")
    assert status == 200
    assert page.starts == 2
    assert deaths == [-signal.SIGKILL]
    await page.close()


async def test_a_page_that_hangs_is_ended_told_and_served_again_and_one_that_works_is_not(
    at_once: None,
) -> None:
    deaths = asyncio.Queue[int]()
    page = await serve_apart(ScriptedTable(), port=0, died=deaths.put_nowait)
    async with open_tab(page) as tab:
        await greeted(tab)
        await say(tab, do="confirm")
        await hear(tab)
        assert page.starts == 1
        Task.made[-1].says_nothing = True
        assert await deaths.get() == -signal.SIGKILL
        with pytest.raises(ConnectionClosed):
            await hear(tab)
    status, _, _ = await fetch(page, "/api/view")
    assert (status, page.starts) == (200, 2)
    await page.close()
    assert Task.made[-1].serves.done()
    assert deaths.empty(), "the end that was asked for is no death"
    free_socket("127.0.0.1", page.port, tries=1).close()


async def test_a_page_that_cannot_begin_again_is_tried_once_more(
    at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await serve_apart(ScriptedTable(), port=0, died=lambda code: None)
    tried = []

    def full(*words: Any, **about: Any) -> Task:
        tried.append(words)
        if len(tried) < 3:
            raise OSError(12, "Cannot allocate memory")
        return Task(*words, **about)

    monkeypatch.setattr(page_process, "Child", full)
    killed = Task.made[-1]
    killed.kill()
    await killed.serves  # until then it answers, as a process that is killed does not
    assert (await fetch(page, "/api/view"))[0] == 200
    assert (len(tried), page.starts) == (3, 2)
    await page.close()


SILENT = """#!/bin/sh
mkdir "$0.once" || exec {python} "$@"  # the next page speaks
exec {python} -c 'if True:
    import sys
    from lumiban.web import page_process
    page_process.ALIVE_S = 1e6
    page_process.main(sys.argv[sys.argv.index(page_process.__name__) + 1 :])
' "$@"
"""


@pytest.mark.process
async def test_a_page_that_says_nothing_more_is_ended_and_another_one_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "python"
    silent.write_text(SILENT.format(python=sys.executable), "utf-8")
    silent.chmod(0o755)
    ended = asyncio.Queue[int]()
    monkeypatch.setattr(page_process.sys, "executable", str(silent))
    page = await serve_apart(ScriptedTable(), port=0, died=ended.put_nowait)
    with monkeypatch.context() as only_now:
        only_now.setattr(page_process, "LOOK_S", 0.01)
        only_now.setattr(page_process, "SILENT_LOOKS", 20)
        assert await ended.get() == -signal.SIGKILL
    status, _, _ = await fetch(page, "/api/view")
    assert (status, page.starts) == (200, 2)
    await page.close()


@pytest.mark.process
async def test_a_page_that_cannot_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_process.sys, "executable", "/bin/false")
    said = r"the page at http://127\.0\.0\.1:.* cannot be served; /x/page\.log tells more"
    with pytest.raises(LumibanError, match=said):
        await serve_apart(ScriptedTable(), port=0, log=Path("/x/page.log"))
    monkeypatch.setattr(page_process.sys, "executable", "/no/such/python")
    with pytest.raises(LumibanError, match="cannot be started: No such file"):
        await serve_apart(ScriptedTable(), port=0)


@pytest.mark.process
async def test_a_page_that_sleeps_and_never_serves_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\nexec sleep 600\n", "utf-8")
    sleeper.chmod(0o755)
    monkeypatch.setattr(page_process.sys, "executable", str(sleeper))
    monkeypatch.setattr(page_process, "START_S", 0.1)
    monkeypatch.setattr(page_process, "END_S", 0.0)
    with pytest.raises(LumibanError, match="cannot be served"):
        await serve_apart(ScriptedTable(), port=0)


def is_free(port: int) -> bool:
    try:
        free_socket("127.0.0.1", port, tries=1).close()
    except LumibanError:
        return False
    return True


ALONE = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from web_client import ScriptedTable
from lumiban.web.page_process import serve_apart

async def main():
    page = await serve_apart(ScriptedTable(), port=0)
    print(page.port, page.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.process
async def test_a_page_ends_with_a_table_that_was_killed_and_its_port_is_free() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ALONE, str(SUPPORT)], stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        port, _ = map(int, (await asyncio.to_thread(owner.stdout.readline)).split())
        with socket.create_connection(("127.0.0.1", port)) as tab:
            owner.kill()
            with contextlib.suppress(ConnectionResetError):
                assert await asyncio.to_thread(tab.recv, 1) == b""
    while not await asyncio.to_thread(is_free, port):
        await asyncio.sleep(0.01)


# The pipe.


class Wire(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True


def line_on(wire: Wire, heard: list[tuple[int, int, bytes]], longest: int = 100) -> feed.PipeEnd:
    line = feed.PipeEnd(lambda *told: heard.append(told), lambda: None, longest=longest)
    line.connection_made(wire)
    return line


async def test_a_reader_that_hangs_is_owed_the_newest_view_and_every_answer() -> None:
    wire, heard = Wire(), list[tuple[int, int, bytes]]()
    line = line_on(wire, heard)
    line.show(b"view 0")
    line.pause_writing()
    for number in range(1, 1000):
        line.show(b"view %d" % number)
    line.send(feed.ANSWER, 7, b"yes")
    line.resume_writing()
    line.show(b"view 1000")
    line_on(Wire(), heard).data_received(wire.written)
    assert heard == [
        (feed.VIEW, 0, b"view 0"),
        (feed.ANSWER, 7, b"yes"),
        (feed.VIEW, 0, b"view 999"),
        (feed.VIEW, 0, b"view 1000"),
    ]


async def test_messages_come_whole_however_they_are_cut() -> None:
    wire, heard = Wire(), list[tuple[int, int, bytes]]()
    line = line_on(wire, heard)
    line.send(feed.LOOK, 1, b"12")
    line.send(feed.READY)
    other = line_on(Wire(), heard)
    for at in range(len(wire.written)):
        other.data_received(wire.written[at : at + 1])
    assert heard == [(feed.LOOK, 1, b"12"), (feed.READY, 0, b"")]


async def test_a_message_longer_than_ours_ends_the_line_before_it_is_held() -> None:
    wire, heard = Wire(), list[tuple[int, int, bytes]]()
    line_on(wire, heard).data_received(struct.pack("<IBI", 101, feed.LOOK, 1) + b"x" * 50)
    assert wire.closed
    assert heard == []


@pytest.mark.process
@pytest.mark.parametrize("files", [16, 20, 24])
async def test_a_table_that_may_open_too_few_files_says_so_in_one_sentence(
    tmp_path: Path, files: int
) -> None:
    playing = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lumiban", "play", "control", "--no-browser", "--port", "0"),
        env={**os.environ, "LUMIBAN_HOME": str(tmp_path)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    _, told = await playing.communicate()
    assert playing.returncode != 0
    assert told.count(b"\n") == 1
    assert b"internal error of lumiban" not in told
    assert b"open files" in told or b"files are open" in told


async def test_who_came_in_over_the_network_stays_in_when_the_page_s_process_dies(
    at_once: None,
) -> None:
    table = SeatedTable()
    network = Network(ADDRESS, tells_name=False)
    page = await serve_apart(table, port=0, network=network, died=lambda code: None)
    try:
        assert page.kept is not None
        port = int(page.network_url.rstrip("/").rpartition(":")[2])
        there = Served(page.network_url, port, None, None)  # type: ignore[arg-type]
        seat = "/k/" + secret_of(page.kept, "seat 0")
        status, headers, _ = await fetch(there, seat + "?again=1")
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].split(";")[0]
        while not page.kept.entries:
            await asyncio.sleep(0)
        killed = Task.made[-1]
        killed.kill()
        await killed.serves  # a task that ends still answers; a process that is killed does not
        while page.starts < 2:
            await asyncio.sleep(0)
        assert (await fetch(there, "/", cookie=cookie))[0] == 200
        # New links, from the terminal: both the link and the cookie are worth nothing, and what the
        # host has set stays.
        page.kept.are_watchers_free, page.kept.asks_back = True, False
        page.renew()
        assert (page.kept.are_watchers_free, page.kept.asks_back) == (True, False)
        while (await fetch(there, "/", cookie=cookie))[0] == 200:
            pass
        assert (await fetch(there, seat + "?again=1"))[1]["location"] == "/join?old=1"
    finally:
        await page.close()


@dataclass
class ButtonTable(SeatedTable):
    """A table with a button, which a test presses."""

    buttons: list[Any] = field(default_factory=list)

    def watch_buttons(self, callback: Any) -> Any:
        self.buttons.append(callback)
        return lambda: self.buttons.remove(callback)


@pytest.mark.parametrize("by", ["terminal", "button"])
async def test_what_the_board_and_the_host_say_of_the_door_passes_between_the_processes(
    at_once: None, by: str
) -> None:
    table, network = ButtonTable(), Network(ADDRESS, tells_name=False, pin="246810")
    page = await serve_apart(table, port=0, network=network, owner=OWNER)
    try:
        assert (page.pid, page.starts, page.network_addresses) == (Task.pid, 1, (ADDRESS,))
        assert page.owner_url == link(page.url, OWNER)
        assert page.kept is not None
        assert page.kept.pin == "246810"
        renewed, reported = asyncio.Event(), asyncio.Queue[str]()
        page.renewed, page.reported = renewed.set, reported.put_nowait
        port = int(page.network_url.rstrip("/").rpartition(":")[2])
        there = Served(page.network_url, port, None, None)  # type: ignore[arg-type]
        lan = Networked(table, page, there, None, None)  # type: ignore[arg-type]

        async def enters(pin: str) -> int:
            return (await lan.phone().join("enter", pin=pin)).status

        while await enters("000000") != 429:
            pass
        assert await enters("246810") == 429, "after so many guesses it waits"
        (page.open_pin if by == "terminal" else table.buttons[0])()
        assert await enters("246810") == 200
        async with open_tab(page, f"{OWNS}&tab=a") as tab:
            assert await greeted(tab) == "host"
            await say(tab, do="report", text="main.js:3 boom")
            assert await reported.get() == "main.js:3 boom"
            before = page.kept.master
            await say(tab, do="new-links")
            await renewed.wait()
            assert page.kept.master != before
            assert page.kept.pin != "246810"
    finally:
        await page.close()
    assert table.buttons == []


async def test_a_table_on_two_networks_answers_on_both_by_their_own_addresses(
    at_once: None,
) -> None:
    network = Network(ADDRESS, tells_name=False, others=("127.0.0.5", "192.0.2.1"))
    page = await serve_apart(SeatedTable(), port=0, network=network, died=lambda code: None)
    try:
        port = int(page.network_url.rstrip("/").rpartition(":")[2])
        assert page.network_url.startswith(f"http://{ADDRESS}:"), "links name the first"
        for address in (ADDRESS, "127.0.0.5"):  # the third is no address of this machine
            there = Served(f"http://{address}:{port}/", port, None, None)  # type: ignore[arg-type]
            assert (await fetch(there, "/join"))[0] == 200
            stranger = await fetch(there, "/join", host=f"example.org:{port}")
            assert stranger[0] in (400, 403, 421)
    finally:
        await page.close()


async def test_a_table_with_a_name_on_its_network_is_found_and_told_by_it(
    at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, may = list[Any](), asyncio.Event()

    @contextlib.asynccontextmanager
    async def named_on(address: str, port: int) -> AsyncIterator[str]:
        await may.wait()
        told.append((address, port))
        try:
            yield "lumiban-2.local"
        finally:
            told.append("gone")

    monkeypatch.setattr(mdns, "named_on", named_on)
    page = await serve_apart(SeatedTable(), port=0, network=Network(ADDRESS), owner=OWNER)
    named = asyncio.Queue[str]()
    page.named = named.put_nowait
    try:
        port = int(page.network_url.rstrip("/").rpartition(":")[2])
        by_name = f"http://lumiban-2.local:{port}/"
        async with open_tab(page, OWNS) as tab:
            assert (await hear_type(tab, "network"))["by_name"] == ""
            may.set()
            assert (await hear_type(tab, "network"))["by_name"] == by_name, "at once"
        assert (await named.get(), told) == (by_name, [(ADDRESS, port)])
        there = Served(page.network_url, port, None, None)  # type: ignore[arg-type]  # of no server
        assert (await fetch(there, "/join", host=f"lumiban-2.local:{port}"))[0] == 200
    finally:
        await page.close()
    assert told[1:] == ["gone"]


@pytest.mark.process
async def test_it_starts_without_games_boards_and_the_table_s_own_rooms() -> None:
    """It hands on what others made; with the games its start took a third more."""
    heavy = ("lumiban.games", "lumiban.boards", "lumiban.table.types", "lumiban.table.turn_play")
    code = "import sys, lumiban.web.page_process\n"
    code += f"print([name for name in {heavy} if name in sys.modules])\n"
    code += "from lumiban.web import serve; serve._without_command_line(); import uvicorn.server\n"
    code += "print('click' in sys.modules, uvicorn.Server is uvicorn.server.Server)"
    done = await asyncio.to_thread(patience.run, [sys.executable, "-c", code])
    assert (done.returncode, done.stdout) == (0, "[]\nFalse True\n"), done.stderr


async def test_a_page_whose_table_died_before_it_said_anything_ends() -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    page = socket.create_server(("127.0.0.1", 0))
    serving = page_process._serve(page.detach(), theirs.detach(), 4, None)
    await asyncio.wait_for(serving, 10)
