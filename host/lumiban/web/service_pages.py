"""Page of the service (`lumiban serve`), and the address by which programs query it.

Here the rule of the service's socket holds: who may act there may act here, by the token that only
they can read (`system.owner_token`). Anybody else on this machine sees how the tables are. On a
network only who leads the table sees that, and may change what concerns play; all else is for the
owner, on this machine. A table that no service keeps has no such page.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from lumiban.errors import LumibanError
from lumiban.system import service_socket, size_limits
from lumiban.system.log_lines import entries
from lumiban.system.owner_token import is_shown
from lumiban.web.answers import NO_STORE, answer, refused
from lumiban.web.sources import body_of

if TYPE_CHECKING:
    from lumiban.web.admission import Admission

MAX_REQUEST_BYTES = 2000
"""Bytes of a request."""
FROM_AFAR = ("game.", "light.")
"""Prefixes of the settings that may be changed over a network."""
ACTS = ("set", "update-board", "test-sensors", "power-off")
FIELDS = ("do", "name", "value", "table", "go")
LOG_LINES = 200


def service_routes(
    state: Path | None, door: Admission | None = None, *, owner: str = ""
) -> list[Route]:
    """Routes of the service that keeps its state there; behind admission for the person who leads
    the table, on this machine for callers with the `owner`'s token."""
    if state is None:
        return []
    pages = _Pages(state, door, owner)
    shared = [
        Route("/api/service", pages.status, methods=["GET"]),
        Route("/api/service", pages.follow, methods=["POST"]),
    ]
    if door is not None:
        return shared
    return [
        *shared,
        Route("/api/service/backup", pages.backup, methods=["GET"]),
        Route("/api/service/log", pages.log, methods=["GET"]),
    ]


def may_lead(door: Admission | None, request: Request) -> bool:
    """True if this request comes from this machine, or by the leader's link."""
    if door is None:
        return True
    from lumiban.table.requests import HOST

    entry = door.entry_of(request.cookies)
    return entry is not None and HOST in entry.keys


REFUSED = refused(403, "page.error.owner-alone")


class _Pages:
    """Endpoints of one service."""

    def __init__(self, state: Path, door: Admission | None, owner: str) -> None:
        self._state = state
        self._door = door
        self._owner = owner

    def _owns(self, request: Request) -> bool:
        """True if the request is the owner's, on this machine."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        return self._door is None and kind.lower() == "bearer" and is_shown(self._owner, given)

    def _may_set(self, name: str, request: Request) -> bool:
        """True if the caller may see and change this setting."""
        leads = self._door is not None and may_lead(self._door, request)
        return self._owns(request) or (leads and name.startswith(FROM_AFAR))

    async def status(self, request: Request) -> Response:
        """State of the service and its tables, and the settings that the caller may change."""
        if not may_lead(self._door, request):
            return REFUSED
        status = await self._ask({"do": "status"})
        status["owner"] = self._owns(request)
        for table in status["tables"]:
            for secret in ("links", "owner_url"):
                table.pop(secret, None)
        told = (await self._ask({"do": "settings"}))["settings"]
        status["settings"] = [one for one in told if self._may_set(one["name"], request)]
        return answer(status)

    async def follow(self, request: Request) -> Response:
        """Follow a request; `{"error": text}` with 409 when it cannot be done."""
        if not (self._owns(request) or (self._door and may_lead(self._door, request))):
            return REFUSED
        body = await body_of(request, MAX_REQUEST_BYTES)
        if body is None:
            raise HTTPException(413, f"longer than {MAX_REQUEST_BYTES} bytes")
        try:
            asked = size_limits.from_json(body)
            do = asked["do"]
        except (ValueError, KeyError, TypeError):
            raise HTTPException(400, 'no request: {"do": …} is wanted') from None
        wish = {key: asked[key] for key in FIELDS if key in asked}
        may = self._may_set(str(asked.get("name")), request) if do == "set" else self._owns(request)
        if do not in ACTS or not may:
            return REFUSED
        return answer(await self._ask(wish))

    async def log(self, request: Request) -> Response:
        """Last lines of the service's logs."""
        if not self._owns(request):
            return REFUSED
        try:
            lines = await asyncio.to_thread(entries, self._state)
        except LumibanError as error:
            raise HTTPException(409, str(error)) from None
        text = "\n".join(line for _, line in lines[-LOG_LINES:])
        return PlainTextResponse(text + "\n", headers=NO_STORE)

    async def backup(self, request: Request) -> Response:
        """Backup of all that the table keeps, as one file."""
        if not self._owns(request):
            return REFUSED
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
