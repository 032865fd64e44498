"""Games as links on the page of finished games: one made, one read, one kept.

The page hands over what stands behind the `#` of its own address; the host reads it as it reads a
file from a stranger. Nothing is written but by the button that keeps the game.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lumiban.errors import LumibanError
from lumiban.web.library_pages import NO_STORE, TYPES, attempt, sides_of, told
from lumiban.web.sources import body_of

if TYPE_CHECKING:
    from lumiban.library.link import LinkedGame

MOST_BODY = 70_000
"""Bytes of a request: a link, and the address before it."""


def link_routes(state: Path | None) -> list[Route]:
    """Routes of links to games, for this machine's own page; none where it has no state folder."""
    if state is None:
        return []

    def shown(linked: LinkedGame, request: Request) -> Response:
        from lumiban.library.link import kept, listed

        game = {**asdict(listed(linked)), "sides": sides_of(linked.document["game"])}
        answer = {"game": game, **told(linked.document), "kept": kept(state, linked)}
        return JSONResponse(answer, headers=NO_STORE)

    def pictured(linked: LinkedGame, request: Request) -> Response:
        from lumiban.library.export import exported

        content = exported(linked.document, "svg", at=request.path_params["at"])
        return Response(content, media_type=TYPES["svg"], headers=NO_STORE)

    def trying(linked: LinkedGame, request: Request) -> Response:
        return JSONResponse(attempt(linked.document, request), headers=NO_STORE)

    def keeping(linked: LinkedGame, request: Request) -> Response:
        from lumiban.library.link import keep

        return JSONResponse({"game": keep(state, linked)}, headers=NO_STORE)

    def made(request: Request) -> Response:
        from lumiban.library.library import opened
        from lumiban.library.link import link_of

        with opened(state, may_list_later=True) as library:
            name = request.path_params["name"]
            return JSONResponse({"link": link_of(name, library.document(name))}, headers=NO_STORE)

    async def make(request: Request) -> Response:
        try:
            return await asyncio.to_thread(made, request)
        except LumibanError as error:
            return _refused(error)

    return [
        Route("/api/library/game/{name}/link", make),
        Route("/api/library/link", _asking(shown), methods=["POST"]),
        Route("/api/library/link/{at:int}.svg", _asking(pictured), methods=["POST"]),
        Route("/api/library/link/try/{at:int}", _asking(trying), methods=["POST"]),
        Route("/api/library/link/keep", _asking(keeping), methods=["POST"]),
    ]


def _asking(answer: Callable[[LinkedGame, Request], Response]) -> Callable[..., Any]:
    """An endpoint that reads the link it is sent; it must come from this machine's own page."""

    def work(request: Request, body: bytes | None) -> Response:
        from lumiban.library.link import BadLink, read

        if body is None:
            raise BadLink("link.too-long")
        return answer(read(body.decode("utf-8", "replace")), request)

    async def endpoint(request: Request) -> Response:
        if "origin" not in request.headers:  # the gate has looked at one that is there
            return _said(403, "page.error.viewer")
        body = await body_of(request, MOST_BODY)
        try:
            return await asyncio.to_thread(work, request, body)
        except LumibanError as error:
            return _refused(error)

    return endpoint


def _refused(error: LumibanError) -> Response:
    from lumiban.library.link import BadLink

    if isinstance(error, BadLink):
        return _said(400, error.id, **error.params)
    return _said(409, "page.error.plain", reason=str(error))


def _said(status: int, id: str, **params: Any) -> Response:
    return JSONResponse({"error": {"id": id, "params": params}}, status, headers=NO_STORE)
