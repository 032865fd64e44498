"""Kept games back at the table: reviewed by the coach, or continued from a move.

The page of finished games asks for it by a record's name, or by the link that holds a whole game;
the table gets the game's course, and answers in its view (`review`), or by another game.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lumiban.errors import LumibanError
from lumiban.table.requests import (
    HOST,
    GameCourse,
    NewGameRequest,
    ReviewRequest,
    TableRequest,
)
from lumiban.web.answers import Refused, answer, needs_origin
from lumiban.web.feed import Feed
from lumiban.web.link_pages import MAX_BODY
from lumiban.web.sources import body_of

Wish = Callable[[str, GameCourse, Request], TableRequest]


def after_game_routes(state: Path, feed: Feed) -> list[Route]:
    """Routes of this machine's own page, which may act at its table."""

    def reviewing(name: str, course: GameCourse, request: Request) -> TableRequest:
        return ReviewRequest(name=name, course=course)

    def continuing(name: str, course: GameCourse, request: Request) -> TableRequest:
        return NewGameRequest(after=request.path_params["at"], course=course)

    def kept(request: Request, body: bytes) -> tuple[str, Mapping[str, Any]]:
        from lumiban.library.library import opened

        name = request.path_params["name"]
        with opened(state) as library:
            game = library.game(name)
            if game.fault:
                raise LumibanError(game.fault)
            return name, library.document(name)

    def linked(request: Request, body: bytes) -> tuple[str, Mapping[str, Any]]:
        from lumiban.library.link import read

        found = read(body.decode("utf-8", "replace"))
        return found.name, found.document

    def asking(find: Callable[..., tuple[str, Mapping[str, Any]]], wish: Wish) -> Any:
        async def endpoint(request: Request) -> Response:
            needs_origin(request)
            body = await body_of(request, MAX_BODY)
            if body is None:
                raise Refused(400, "link.too-long")
            name, document = await asyncio.to_thread(find, request, body)
            asked = wish(name, course_in(document), request)
            why_not = await feed.command(asked, HOST)
            if why_not is not None:
                raise Refused(409, why_not["id"], **why_not["params"])
            return answer({"name": name})

        return endpoint

    game, link = "/api/library/game/{name}", "/api/library/link"
    return [
        Route(path + end, asking(find, wish), methods=["POST"])
        for path, find in ((game, kept), (link, linked))
        for end, wish in (("/review", reviewing), ("/continue/{at:int}", continuing))
    ]


def course_in(document: Mapping[str, Any]) -> GameCourse:
    """Course of a record's game; LumibanError where it is too long or damaged."""
    setup = document.get("setup")
    try:
        return msgspec.convert(
            {
                "game": document["game"],
                "options": document["options"],
                "seed": document["seed"],
                "moves": [[move["side"], move["text"]] for move in document["moves"]],
                "setup": setup and {"stones": setup["stones"], "to_move": setup["to_move"]},
                "digest": document.get("digest", ""),
                "winner": document["result"]["winner"],
            },
            GameCourse,
        )
    except (msgspec.ValidationError, LookupError, TypeError) as error:
        raise LumibanError(f"this game cannot be gone through: {error}") from error
