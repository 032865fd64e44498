"""Who may look after the table: each thing by each role, by page, network and socket."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.service.sensor_test import as_page
from lumiban.service.settings import USUAL, as_json
from lumiban.service.supervisor import is_trusted
from lumiban.system import owner_token, service_socket
from lumiban.web.access import KEYS
from network_bench import OWNER, SeatedTable, networked

TABLE = {
    "number": 1,
    "state": "playing",
    "game": "control",
    "moves": 3,
    "board": "hex3",
    "has_sensors": True,
    "links": {"pin": "123456", "host": "http://x/k/s"},
    "owner_url": "http://x/#owner=s",
}


SENSORS = {
    "profile": {**as_page(load("hex3"), 0)},
    "kinds": [1, 2, *[0] * 17],
    "ut": [32_000, -32_100, *[-40] * 17],
    "tried": [False, True, True, *[False] * 16],
    "found": ["One light is dark."],
}
ASKS: dict[str, Any] = {"number": 1, "asks": "Do all glow?", "choices": {"yes": "Yes", "no": "No"}}
"""A question about the lights, which come first."""


class FakeService:
    """Answers as the service does, and remembers what it was asked to do."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[dict[str, Any]] = []
        self._lights_seen = False
        self._line = socket.socket(socket.AF_UNIX)
        with service_socket.short_path(folder / service_socket.SOCKET) as short:
            self._line.bind(short)
        self._line.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                other, _ = self._line.accept()
            except OSError:
                return
            with other:
                request = json.loads(other.makefile().readline())
                other.sendall(json.dumps(self._answer(request)).encode())

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "status":
            return {"version": "1", "tables": [TABLE], "complaints": [], "can_power_off": True}
        if request["do"] == "settings":
            return {"settings": as_json(USUAL)}
        self.asked.append(request)
        if request["do"] == "test-sensors":
            seen = self._lights_seen or request.get("value") in ASKS["choices"]
            self._lights_seen = seen and request["go"] == "on"
            sensors = SENSORS if self._lights_seen else ASKS
            return {"ok": True, "state": "testing", "sensors": sensors}
        if request.get("value") == "wrong":
            return {"error": {"id": "serve.control.wrong", "params": {"reason": "x"}}}
        return {"ok": True}

    def close(self) -> None:
        self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    found = FakeService(tmp_path)
    yield found
    found.close()


ASKED: dict[str, tuple[str, str, Any]] = {
    "status": ("GET", "/api/service", None),
    "play": ("POST", "/api/service", {"do": "set", "name": "game.name", "value": "evening"}),
    "light": ("POST", "/api/service", {"do": "set", "name": "light.night", "value": ""}),
    **{
        name: ("POST", "/api/service", {"do": "set", "name": name, "value": "x"})
        for name in ("page.network", "page.pin", "board.where", "game", "")
    },
    "update": ("POST", "/api/service", {"do": "update-board", "table": 1, "file": "/etc/passwd"}),
    **{
        f"sensors {go}": ("POST", "/api/service", {"do": "test-sensors", "table": 1, "go": go})
        for go in ("begin", "on", "end")
    },
    "power": ("POST", "/api/service", {"do": "power-off"}),
    "backup": ("GET", "/api/service/backup", None),
    "log": ("GET", "/api/service/log", None),
    "stop": ("POST", "/api/service", {"do": "stop"}),
    "restart": ("POST", "/api/service", {"do": "restart"}),
    "no-such": ("POST", "/api/service", {"do": ["set"]}),
}
"""Each thing that the service's page is asked."""
NOBODYS = {"stop", "restart", "no-such"}
LEADERS = {"status", "play", "light"}
ROLES: dict[str, set[str]] = {
    "the owner here": set(ASKED) - NOBODYS,
    "another user here": {"status"},
    "a wrong token here": {"status"},
    "host": LEADERS,
    "host with the owner's token": LEADERS,
    "guest": set(),
    "watch": set(),
    "seat 0": set(),
    "nobody": set(),
}
"""What each may, of that."""


def line(number: int) -> str:
    about = {"timestamp": "2026-11-23T05:30:00.123", "event": f"event {number}", "level": "info"}
    return json.dumps(about) + "\n"


@pytest.mark.parametrize("is_here", [True, False])
async def test_each_thing_by_each_role(
    tmp_path: Path, service: FakeService, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    (tmp_path / "host.log").write_text("".join(map(line, range(250))))
    beside = tmp_path / "while-it-is-sent"
    beside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(beside))
    async with networked(SeatedTable(), state=tmp_path) as lan:
        for role in [one for one in ROLES if one.endswith("here") == is_here]:
            may = ROLES[role]
            phone, more = lan.phone(), dict[str, Any]()
            if role.endswith("here"):
                more = {"port": lan.here.port, "origin": lan.here.url.rstrip("/")}
            if "owner" in role:
                more["authorization"] = f"Bearer {OWNER}"
            elif role == "a wrong token here":
                more["authorization"] = f"Bearer {OWNER}x"
            key = role.split(" with")[0]
            if key in KEYS:
                await phone.open_link(key)
            answers = {
                name: await phone.ask(method, path, body, **more)
                for name, (method, path, body) in ASKED.items()
            }
            good = {name for name, answer in answers.items() if answer.status == 200}
            assert good == may, role
            assert {answer.status for answer in answers.values()} <= {200, 403, 404}, role
            if "status" in may:
                told = answers["status"].json
                settings = {one["name"] for one in told["settings"]}
                assert not {"links", "owner_url"} & told["tables"][0].keys()
                assert told["owner"] is (role == "the owner here")
                assert ("page.network" in settings) is (role == "the owner here")
                assert ("game.name" in settings) is ("play" in may)
            if "backup" in may:
                assert answers["backup"].body[:2] == b"\x1f\x8b"
                assert "attachment" in answers["backup"].headers["content-disposition"]
                log = answers["log"].body.decode().splitlines()
                assert log == [f"2026-11-23T05:30:00 info    event {n}" for n in range(50, 250)]
            bodies = [body for name, (_, _, body) in ASKED.items() if body and name in may]
            whole = [{key: one for key, one in body.items() if key != "file"} for body in bodies]
            assert service.asked == whole, f"{role}, and nothing else goes along"
            service.asked.clear()
    assert list(beside.iterdir()) == [], "a backup that was sent is kept nowhere"


async def test_what_is_no_request_is_told_so(tmp_path: Path, service: FakeService) -> None:
    async with networked(SeatedTable(), state=tmp_path) as lan:
        host = lan.phone()
        await host.open_link("host")

        async def post(body: Any, **more: str) -> int:
            return (await host.ask("POST", "/api/service", body, **more)).status

        for body in (b"", b"[", b"[]", b"3", b"{}"):
            assert await post(body) == 400
        assert await post(b"x" * 3000) == 413
        asked = {"do": "set", "name": "game.name", "value": "evening"}
        assert await post(asked, origin="http://evil.example") == 403
        assert await post(asked, origin="") == 403
        assert service.asked == []
        assert await post({**asked, "value": "wrong"}) == 409


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
async def test_another_user_is_known_by_the_socket_and_cannot_read_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(tempfile.mkdtemp(dir="/run"))  # which others may enter
    folder.chmod(0o755)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(folder))
    owner_token.write(tmp_path, "a token")
    trusted: list[bool] = []

    async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        trusted.append(is_trusted(writer))
        writer.close()

    path = folder / "line.sock"
    server = await asyncio.start_unix_server(heard, path)
    path.chmod(0o666)
    code = f"""if True:
        import os, socket
        os.setgid(65534), os.setuid(65534)
        socket.socket(socket.AF_UNIX).connect({str(path)!r})
        open({str(folder / owner_token.FILE)!r}).read()
    """
    for user in (code.replace("os.setgid(65534), os.setuid(65534)", ""), code):
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", user), stderr=asyncio.subprocess.PIPE
        )
        _, told = await child.communicate()
        assert (b"PermissionError" in told) is (user is code)
    server.close()
    while len(trusted) < 2:
        await asyncio.sleep(0)
    shutil.rmtree(folder)
    assert trusted == [True, False]


async def test_without_a_service_there_is_nothing_to_look_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_socket, "PACKAGED", tmp_path / "nowhere")
    async with networked(SeatedTable(), state=tmp_path) as lan:
        host = lan.phone()
        await host.open_link("host")
        assert (await host.ask("GET", "/api/service")).status == 404
