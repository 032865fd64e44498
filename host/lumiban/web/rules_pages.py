"""Page of the rules and its requests: a game's chapter, and the chapter's pictures.

They hold nothing of any table, so a phone at the door reads them as well as the host does. What
makes a chapter is imported when somebody asks for one.
"""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from lumiban.i18n import LANGUAGES
from lumiban.web.answers import sent

CACHED = {"cache-control": "no-cache"}
MAX_LETTERS = 1024
"""Of a game's slug, which may be the path of a file."""


def rules_routes() -> list[Route]:
    """Routes of chapters and their pictures."""
    return [
        Route("/api/rules", _chapter),
        Route("/api/rules/{name}.svg", _picture_of),
    ]


async def _chapter(request: Request) -> Response:
    from lumiban.web.rules_chapters import chapter_page

    slug = request.query_params.get("game", "")
    language = request.query_params.get("lang", LANGUAGES[0])
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        return PlainTextResponse(f"no texts in that language; there are: {known}\n", 404)
    page = None
    if len(slug) <= MAX_LETTERS:
        page = await asyncio.to_thread(chapter_page, slug, language)
    if page is None:
        return PlainTextResponse("no game of that name has rules here\n", 404)
    return JSONResponse(page, headers=CACHED)


async def _picture_of(request: Request) -> Response:
    from lumiban.web.rules_chapters import picture_of

    picture = await asyncio.to_thread(picture_of, request.path_params["name"] + ".svg")
    if picture is None:
        raise HTTPException(404)
    return sent(request, picture)
