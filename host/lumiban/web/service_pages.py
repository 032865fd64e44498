"""The page of the service (`lumiban serve`), and the address by which programs ask it.

On this machine whoever opens it may act, as on the table's page. On a network only who leads the
table sees it, and may change what concerns play; ports, files and the network itself are set on
this machine alone. A table that no service keeps has no such page.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from lumiban.errors import LumibanError
from lumiban.system import service_socket, size_limits
from lumiban.web.sources import body_of

if TYPE_CHECKING:
    from lumiban.web.admission import Admission

LONGEST = 2000
"""Bytes of a request."""
FROM_AFAR = ("game.", "light.")
"""Prefixes of the settings that may be changed over a network."""
ACTS = ("set", "restart", "update-board", "power-off")
NO_STORE = {"cache-control": "no-store"}

Allowed = Callable[[Request], bool]


def service_routes(state: Path | None, door: Admission | None = None) -> list[Route]:
    """Routes of the service that keeps its state there; behind a door for who leads the table."""
    if state is None:
        return []
    pages = _Pages(state, door)
    return [
        Route("/api/service", pages.status, methods=["GET"]),
        Route("/api/service", pages.follow, methods=["POST"]),
        Route("/api/service/backup", pages.backup, methods=["GET"]),
    ]


def may_lead(door: Admission | None, request: Request) -> bool:
    """True if this request comes from this machine, or by the link of who leads the table."""
    if door is None:
        return True
    from lumiban.table.requests import HOST

    entry = door.entry_of(request.cookies)
    return entry is not None and HOST in entry.keys


class _Pages:
    """The addresses of one service."""

    def __init__(self, state: Path, door: Admission | None) -> None:
        self._state = state
        self._door = door

    def _check(self, request: Request) -> None:
        if not may_lead(self._door, request):
            raise HTTPException(403, "only who leads the table may look after it")

    async def status(self, request: Request) -> Response:
        """Answer with the state of the service and its tables, and the settings."""
        self._check(request)
        answer = await self._ask({"do": "status"})
        answer["settings"] = (await self._ask({"do": "settings"}))["settings"]
        if self._door is not None:
            for table in answer["tables"]:
                table.pop("links", None)
            answer["settings"] = [one for one in answer["settings"] if _is_near(one["name"])]
        return JSONResponse(answer, headers=NO_STORE)

    async def follow(self, request: Request) -> Response:
        """Do what is asked; `{"error": text}` with 409 when it cannot be done."""
        self._check(request)
        body = await body_of(request, LONGEST)
        if body is None:
            raise HTTPException(413, f"longer than {LONGEST} bytes")
        try:
            asked = size_limits.from_json(body)
            do = asked["do"]
        except (ValueError, KeyError, TypeError):
            raise HTTPException(400, 'no request: {"do": …} is wanted') from None
        wish = {key: asked[key] for key in ("do", "name", "value", "table") if key in asked}
        afar = self._door is not None and do == "set" and not _is_near(str(asked.get("name")))
        if do not in ACTS or afar:
            raise HTTPException(403, "this is done on the table's own machine")
        try:
            return JSONResponse(await self._ask(wish), headers=NO_STORE)
        except service_socket.Refused as error:
            answer = {"error": {"id": error.id, "params": dict(error.params)}}
            return JSONResponse(answer, 409, headers=NO_STORE)

    async def backup(self, request: Request) -> Response:
        """All that the table keeps, as one file."""
        self._check(request)
        await self._ask({"do": "status"})
        name = f"lumiban-backup-{time.strftime('%Y%m%d-%H%M%S')}.tar.gz"
        folder = tempfile.TemporaryDirectory(prefix="lumiban-backup-")
        path = Path(folder.name) / name
        try:
            from lumiban.library.backup import back_up

            await asyncio.to_thread(back_up, self._state, path)
        except LumibanError as error:
            folder.cleanup()
            raise HTTPException(409, str(error)) from None
        from starlette.background import BackgroundTask

        return FileResponse(
            path,
            media_type="application/gzip",
            filename=name,
            headers=NO_STORE,
            background=BackgroundTask(folder.cleanup),
        )

    async def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return await service_socket.ask_apart(self._state, request)
        except service_socket.NoService:
            raise HTTPException(404, "no service keeps this table") from None


def _is_near(name: str) -> bool:
    """True if a setting is about play, so that it may be changed over a network."""
    return name.startswith(FROM_AFAR)
