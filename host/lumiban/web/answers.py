"""Answers to what pages ask by HTTP: what they want, or the sentence that says why not."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lumiban.errors import LumibanError

NO_STORE = {"cache-control": "no-store"}


class Refused(LumibanError):
    """Refusal of a request: a text of the catalogue, and the status of the answer."""

    def __init__(self, status: int, id: str, **params: Any) -> None:
        super().__init__(id)
        self.status, self.id, self.params = status, id, params


def answer(content: Any) -> Response:
    """The answer that no browser keeps."""
    return JSONResponse(content, headers=NO_STORE)


def refused(status: int, id: str, **params: Any) -> Response:
    """The answer with this sentence."""
    return JSONResponse({"error": {"id": id, "params": params}}, status, headers=NO_STORE)


async def refusal(request: Request, error: Exception) -> Response:
    """The answer to a request that failed: the error's own sentence, else its words."""
    id = getattr(error, "id", "page.error.plain")
    params = getattr(error, "params", {"reason": str(error)})
    return refused(getattr(error, "status", 409), id, **params)


def needs_origin(request: Request) -> None:
    """Raise Refused where no page of ours asks: the gate has looked at an origin that is there."""
    if "origin" not in request.headers:
        raise Refused(403, "page.error.viewer")
