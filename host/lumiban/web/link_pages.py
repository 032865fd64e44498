"""Links to games on the page of finished games: make one, read one, keep one.

The page hands over what stands behind the `#` of its own address; the host reads it as it reads a
file from a stranger. Nothing is written but by the button that keeps the game.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lumiban.web.answers import NO_STORE, Refused, answer, needs_origin
from lumiban.web.library_pages import TYPES, attempt, listed_game, told
from lumiban.web.sources import body_of

if TYPE_CHECKING:
    from lumiban.library.link import LinkedGame

MAX_BODY = 70_000
"""Bytes of a request: a link, and the address before it."""


def link_routes(state: Path | None) -> list[Route]:
    """Routes of links to games, for this machine's own page; none where it has no state folder."""
    if state is None:
        return []

    def shown(linked: LinkedGame, request: Request) -> Response:
        from lumiban.library.link import kept, listed

        game = listed_game(listed(linked))
        return answer({"game": game, **told(linked.document), "kept": kept(state, linked)})

    def pictured(linked: LinkedGame, request: Request) -> Response:
        from lumiban.library.export import exported

        content = exported(linked.document, "svg", at=request.path_params["at"])
        return Response(content, media_type=TYPES["svg"], headers=NO_STORE)

    def trying(linked: LinkedGame, request: Request) -> Response:
        return answer(attempt(linked.document, request))

    def keeping(linked: LinkedGame, request: Request) -> Response:
        from lumiban.library.link import keep

        return answer({"game": keep(state, linked)})

    def made(request: Request) -> Response:
        from lumiban.library.library import opened
        from lumiban.library.link import link_of

        with opened(state) as library:
            name = request.path_params["name"]
            return answer({"link": link_of(name, library.document(name))})

    return [
        Route("/api/library/game/{name}/link", made),
        Route("/api/library/link", _asking(shown), methods=["POST"]),
        Route("/api/library/link/{at:int}.svg", _asking(pictured), methods=["POST"]),
        Route("/api/library/link/try/{at:int}", _asking(trying), methods=["POST"]),
        Route("/api/library/link/keep", _asking(keeping), methods=["POST"]),
    ]


def _asking(found: Callable[[LinkedGame, Request], Response]) -> Callable[..., Any]:
    """Endpoint that reads the link it is sent; the request must come from this machine's own
    page."""

    def work(request: Request, body: bytes) -> Response:
        from lumiban.library.link import read

        return found(read(body.decode("utf-8", "replace")), request)

    async def endpoint(request: Request) -> Response:
        needs_origin(request)
        body = await body_of(request, MAX_BODY)
        if body is None:
            raise Refused(400, "link.too-long")
        return await asyncio.to_thread(work, request, body)

    return endpoint
