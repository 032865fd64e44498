"""The service as it runs: boards come and go, parts are killed, page and game go on."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import patience
import pytest
from hands_line import put_stone
from lumiban.errors import LumibanError
from lumiban.system import service_socket
from places import ROOT
from websockets.sync.client import connect

pytestmark = pytest.mark.process
until = partial(patience.until, every_s=0.1)
"""Each question is answered by the service, or by a table's process: it costs them time."""


@contextmanager
def started(*words: str, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.PIPE, env={**os.environ, **env}
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()


class Service:
    """A service in a folder, and a place to plug simulated boards in."""

    def __init__(self, root: Path, lobby: str = "off") -> None:
        self.state = root / "state"
        self.by_id = root / "by-id"
        self.root = root
        self.state.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        told = f'[page]\nport = {min(port, 64000)}\n[game]\nlobby = "{lobby}"\n'
        (self.state / "settings.toml").write_text(told)
        self.env = {"LUMIBAN_HOME": str(self.state), "LUMIBAN_BY_ID": str(self.by_id)}

    def run(self) -> Any:
        return started("lumiban", "serve", env=self.env)

    @contextmanager
    def board(self, profile: str, seed: int) -> Iterator[dict[str, Any]]:
        words = ("lumiban_sim", "--profile", profile, "--seed", str(seed))
        there = self.root / f"sim-{seed}"
        there.mkdir(exist_ok=True)
        places = ("--state", str(there), "--by-id", str(self.by_id))
        with started(*words, *places, env={}) as process:
            yield json.loads(process.stdout.readline())

    def table(self, number: int = 1) -> dict[str, Any]:
        try:
            tables = service_socket.ask(self.state, {"do": "status"})["tables"]
        except LumibanError:
            return {}
        return next((one for one in tables if one["number"] == number), {})

    def until(self, number: int = 1, **wanted: Any) -> dict[str, Any]:
        def is_so() -> bool:
            told = self.table(number)
            return all(key in told and told[key] == value for key, value in wanted.items())

        until(is_so)
        return self.table(number)


def page(url: str) -> dict[str, Any]:
    """The view at a page; who is just being answered when a process is killed asks again."""
    for again in (True, False):
        try:
            with urllib.request.urlopen(url + "api/view") as answer:
                told: dict[str, Any] = json.load(answer)
                return told
        except (http.client.RemoteDisconnected, ConnectionResetError):
            assert again
    raise AssertionError


def say(url: str, **message: Any) -> None:
    """Send a message of a page, and wait until the table has taken it."""
    with connect(url.replace("http", "ws") + "ws?tab=test", proxy=None, max_size=None) as line:
        line.send(json.dumps(message))
        # Messages are answered in their order, and this one always is.
        line.send(json.dumps({"do": "look", "n": 0}))
        for raw in line:
            told = json.loads(raw)
            assert told["type"] != "error", told
            if told["type"] == "past":
                return


def test_a_game_is_chosen_by_stones_or_on_the_page_and_settings_are_kept(tmp_path: Path) -> None:
    service = Service(tmp_path, lobby="on")
    with service.board("hex3", 5) as board, service.run():
        url = service.until(state="playing")["url"]
        hands = board["hands"]
        until(lambda: page(url)["link"] == "up")  # the table knows what lies there
        # A stone that is lifted at once may be missed by a busy board: it lies until it is heard.
        put_stone(hands, 0)
        until(lambda: page(url)["phase"]["name"] == "lobby")
        put_stone(hands, 0, 0)
        # The page chooses too; what it sets is kept, and the table does not begin anew for it.
        for choice in ("care", "brightness", "brightness/65", "language", "language/ja", "back"):
            say(url, do="lobby", choose=choice)
        until(lambda: "brightness = 65" in (service.state / "settings.toml").read_text())
        until(lambda: 'language = "ja"' in (service.state / "settings.toml").read_text())
        say(url, do="lobby", choose="game")
        say(url, do="lobby", choose="game/evening")
        [start] = [one["cell"] for one in page(url)["lobby"]["choices"] if one["id"] == "start"]

        looks = [8]

        def is_begun() -> bool:
            # A stone that was lifted too soon is set once more, and looked at for longer.
            put_stone(hands, start)
            for _ in range(looks[0]):
                page(url)
            looks[0] *= 2
            put_stone(hands, start, 0)
            answered = {"lobby.says.longer"}
            until(
                lambda: (
                    ((page(url).get("lobby") or {}).get("says") or {}).get("id") in answered
                    or "lobby" not in page(url)
                )
            )
            return "lobby" not in page(url)

        until(is_begun)
        told = service.until(state="playing", game="evening")
        assert told["moves"] == 0
        assert told["restarts"] == 0
        say(url, do="lobby", choose="open")
        assert "lobby" in page(url)


def test_boards_come_and_go_and_parts_are_killed_and_the_game_goes_on(tmp_path: Path) -> None:
    service = Service(tmp_path)
    with service.run():
        first = service.until(state="waiting")
        url = first["url"]
        assert page(url)["verdict"]["text"]["id"] == "serve.waits.absent"
        with service.board("hex3", 5) as board:
            service.until(state="playing", board="hex3")
            assert page(url)["link"] == "up", "the same page, at the same address"
            put_stone(board["hands"], 0)
            before = service.until(moves=1)
            os.kill(before["pid"], signal.SIGKILL)
            shown = tmp_path / "score.html"
            words = [sys.executable, str(ROOT / "examples" / "score_board.py"), url]
            scores = patience.run([*words, "--html", str(shown), "--lines", "1"])
            assert scores.stdout.startswith("Control | White (human) 1 | *Black (bot:medium) 0")
            assert "White (human) 1" in shown.read_text("utf-8")
            assert page(url)["moves"] != [], "the page waits for the next process, and answers"
            after = service.until(state="playing", restarts=1)
            assert after["moves"] >= 1
            with service.board("grid9x9", 6):
                second = service.until(2, state="playing", board="grid9x9")
                assert second["url"] != url
        service.until(why={"id": "table.board-lost", "params": {}})
        assert page(url)["link"] == "lost"
        with service.board("hex3", 5):
            service.until(state="playing", why=None)
    assert not (service.state / service_socket.SOCKET).exists()
