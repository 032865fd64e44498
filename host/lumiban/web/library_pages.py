"""Page of finished games and its requests: lists, one game, its positions, its files.

All is read only: `web/name_players.py` and `web/link_pages.py` write. Every request opens the
library again in a thread, so that no table waits for a disk; what it needs is imported then, so
that no page starts later for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lumiban.errors import LumibanError, UsageError
from lumiban.web.answers import NO_STORE, answer
from lumiban.web.messages import TriedLine

if TYPE_CHECKING:
    from lumiban.library.library import Library, LibraryGame

LISTED = 50
TYPES = {
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
}
KEPT = {"cache-control": "private, max-age=86400"}
"""Of a picture: a finished game changes no more."""


def library_routes(state: Path | None) -> list[Route]:
    """Routes of the library in a state folder; none where a page has no state folder."""
    if state is None:
        return []
    return [
        Route("/api/library", _asking(state, _listed)),
        Route("/api/library/players", _asking(state, _players)),
        Route("/api/library/game/{name}", _asking(state, _game)),
        Route("/api/library/game/{name}/{at:int}.svg", _asking(state, _svg)),
        Route("/api/library/game/{name}/try/{at:int}", _asking(state, _tried)),
        Route("/api/library/file/{name}.{form}", _asking(state, _file)),
    ]


def _asking(state: Path, found: Callable[[Library, Request], Response]) -> Callable[..., Any]:
    """Endpoint that answers from the library; a failure is a sentence and a 409."""

    async def endpoint(request: Request) -> Response:
        def work() -> Response:
            from lumiban.library.library import opened

            with opened(state) as library:
                return found(library, request)

        try:
            return await asyncio.to_thread(work)
        except LumibanError as error:
            raise HTTPException(409, str(error)) from None

    return endpoint


def _number(request: Request, name: str, default: int | None) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def _listed(library: Library, request: Request) -> Response:
    games = library.games(
        request.query_params.get("find", ""),
        limit=_number(request, "limit", LISTED) or LISTED,
        before=_number(request, "before", None),
    )
    notes = [{"id": note.id, "params": dict(note.params)} for note in library.notes]
    return answer(
        {"games": [listed_game(one) for one in games], "all": library.count(), "notes": notes}
    )


def listed_game(game: LibraryGame) -> dict[str, Any]:
    """Game of the list, with the names of its sides."""
    return {**asdict(game), "sides": sides_of(game.slug)}


@lru_cache(64)
def sides_of(slug: str) -> list[str]:
    """Names of a game's sides; none for a game from a file, which is not run to ask it."""
    from lumiban.games.registry import OURS

    try:
        return list(OURS(slug).sides)
    except LumibanError:
        return []


def _players(library: Library, request: Request) -> Response:
    from lumiban.games.registry import OURS_BY_NAME

    return answer(
        {
            "players": [asdict(one) for one in library.players()],
            "rated": list(OURS_BY_NAME),
            "tests": [listed_game(one) for one in library.power_tests(50)],
        }
    )


def _game(library: Library, request: Request) -> Response:
    name = request.path_params["name"]
    finished = library.game(name)
    shown = {"game": listed_game(finished), "moves": [], "sides": []}
    if not (finished.fault or finished.is_own):
        shown |= told(library.document(name))
    return answer(shown)


def told(document: Mapping[str, Any]) -> dict[str, Any]:
    """Moves of a record as a page shows them, and the names of its sides."""
    from lumiban.games.registry import OURS
    from lumiban.table import record

    game, positions = record.replay(document, OURS)
    played = positions[-1].history[len(positions[0].history) :]
    moves = [
        {"side": move.side, "text": game.display_text(before, move)}
        for move, before in zip(played, positions, strict=False)
    ]
    return {"moves": moves, "sides": list(game.sides)}


def attempt(document: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """Positions after a line of other moves from a position of a record, in the form in which
    `look` tells them of the table's own game, with the board drawn and the middle of each cell in
    that picture; UsageError."""
    from lumiban.games.registry import OURS
    from lumiban.library.export import as_svg
    from lumiban.scene.svg import middles
    from lumiban.table import past, record

    try:
        line = msgspec.json.decode(request.query_params.get("line", "[]"), type=TriedLine)
    except msgspec.MsgspecError as error:
        raise UsageError(f"these are no moves to try: {error}") from None
    game, positions = record.replay(document, OURS)
    n = request.path_params["at"]
    if n >= len(positions):
        raise UsageError(f"the game has {len(positions) - 1} moves: there is no move {n}")
    after, told = past.tried(game, positions[: n + 1], line)
    drawn = as_svg(game, after, len(after) - 1)
    return {"n": n, **told, "board": drawn, "places": middles(game.grid)}


def _tried(library: Library, request: Request) -> Response:
    document = library.document(request.path_params["name"])
    return answer(attempt(document, request))


def _svg(library: Library, request: Request) -> Response:
    from lumiban.library.export import exported

    name, at = request.path_params["name"], request.path_params["at"]
    content = exported(library.document(name), "svg", at=at)
    return Response(content, media_type=TYPES["svg"], headers=KEPT)


def _file(library: Library, request: Request) -> Response:
    from lumiban.library.export import exported
    from lumiban.library.link import plain

    name, form = request.path_params["name"], request.path_params["form"]
    if form not in TYPES:
        raise HTTPException(404)
    game = library.game(name)
    content = exported(library.document(name), form, players=game.players)
    # A name of a record is plain, but a folder may hold any file.
    headers = {**NO_STORE, "content-disposition": f'attachment; filename="{plain(name)}.{form}"'}
    return Response(content, media_type=TYPES[form], headers=headers)
