"""The page of the service: who may look after the table from where, and what no network reaches."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lumiban.system import service_socket
from network_bench import SeatedTable, networked

TABLE = {
    "number": 1,
    "state": "playing",
    "game": "control",
    "moves": 3,
    "board": "hex3",
    "links": {"pin": "123456", "host": "http://x/k/s"},
}


class FakeService:
    """Answers as the service does, and remembers what it was asked to do."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[dict[str, Any]] = []
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
            names = ("page.network", "board.where", "game.name", "light.night")
            return {"settings": [{"name": name, "value": ""} for name in names]}
        self.asked.append(request)
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


async def test_only_who_leads_the_table_looks_after_it_over_a_network(
    tmp_path: Path, service: FakeService
) -> None:
    async with networked(SeatedTable(), state=tmp_path) as lan:
        for key in (None, "guest", "watch", "seat 0"):
            phone = lan.phone()
            if key is not None:
                await phone.open_link(key)
            assert (await phone.ask("GET", "/api/service")).status == 403
            assert (await phone.ask("GET", "/api/service/backup")).status == 403
            assert (await phone.ask("POST", "/api/service", {"do": "power-off"})).status == 403
            assert (await phone.ask("GET", "/service")).status == 303
        assert service.asked == []
        host = lan.phone()
        await host.open_link("host")
        assert (await host.ask("GET", "/service")).status == 200
        told = (await host.ask("GET", "/api/service")).json
        assert "links" not in told["tables"][0]
        assert [one["name"] for one in told["settings"]] == ["game.name", "light.night"]


async def test_what_no_network_sets_is_refused_also_to_who_leads(
    tmp_path: Path, service: FakeService
) -> None:
    async with networked(SeatedTable(), state=tmp_path) as lan:
        host = lan.phone()
        await host.open_link("host")

        async def post(body: Any, **more: str) -> int:
            return (await host.ask("POST", "/api/service", body, **more)).status

        for name in ("page.network", "page.pin", "board.where", "care.memory_mb", "game", ""):
            assert await post({"do": "set", "name": name, "value": "x"}) == 403
        for do in ("stop", "settings", "status", "no-such", None, ["set"]):
            assert await post({"do": do}) == 403
        for body in (b"", b"[", b"[]", b"3", b"{}"):
            assert await post(body) == 400
        assert await post(b"x" * 3000) == 413
        assert await post({"do": "restart"}, origin="http://evil.example") == 403
        assert await post({"do": "restart"}, origin="") == 403
        assert service.asked == []
        assert await post({"do": "set", "name": "game.name", "value": "evening"}) == 200
        assert await post({"do": "set", "name": "game.name", "value": "wrong"}) == 409
        assert await post({"do": "update-board", "table": 1, "file": "/etc/passwd"}) == 200
        assert service.asked[0] == {"do": "set", "name": "game.name", "value": "evening"}
        assert service.asked[2] == {"do": "update-board", "table": 1}, "nothing else goes along"


async def test_a_backup_comes_as_one_file(tmp_path: Path, service: FakeService) -> None:
    (tmp_path / "journals").mkdir()
    (tmp_path / "journals" / "a.journal").write_text("x")
    async with networked(SeatedTable(), state=tmp_path) as lan:
        host = lan.phone()
        await host.open_link("host")
        answer = await host.ask("GET", "/api/service/backup")
        assert (answer.status, answer.body[:2]) == (200, b"\x1f\x8b")
        assert "attachment" in answer.headers["content-disposition"]


async def test_without_a_service_there_is_nothing_to_look_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_socket, "PACKAGED", tmp_path / "nowhere")
    async with networked(SeatedTable(), state=tmp_path) as lan:
        host = lan.phone()
        await host.open_link("host")
        assert (await host.ask("GET", "/api/service")).status == 404
