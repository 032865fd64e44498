"""HTTP answers to pages: the data, or the sentence that says why not."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lumiban.errors import LumibanError
from lumiban.web.assets import Asset

NO_STORE = {"cache-control": "no-store"}


class Refused(LumibanError):
    """Refusal of a request: a text of the catalogue, and the status of the answer."""

    def __init__(self, status: int, id: str, **params: Any) -> None:
        super().__init__(id)
        self.status, self.id, self.params = status, id, params


def answer(content: Any) -> Response:
    """Response that no browser caches."""
    return JSONResponse(content, headers=NO_STORE)


def refused(status: int, id: str, **params: Any) -> Response:
    """Response with this sentence."""
    return JSONResponse({"error": {"id": id, "params": params}}, status, headers=NO_STORE)


async def refusal(request: Request, error: Exception) -> Response:
    """Response to a failed request: the error's own sentence, else its message."""
    id = getattr(error, "id", "page.error.plain")
    params = getattr(error, "params", {"reason": str(error)})
    return refused(getattr(error, "status", 409), id, **params)


def needs_origin(request: Request) -> None:
    """Check that the request comes from a page of ours; Refused where it has no origin. The gate
    has checked an origin that is present."""
    if "origin" not in request.headers:
        raise Refused(403, "page.error.viewer")


def sent(
    request: Request, asset: Asset, *, keep: str = "no-cache", policy: str | None = None
) -> Response:
    """Response with this content, compressed where the browser accepts that; 304 where it has it
    already."""
    is_packed = _takes_gzip(request)
    tag = f'"{asset.tag}-gzip"' if is_packed else f'"{asset.tag}"'
    headers = {"cache-control": keep, "etag": tag, "vary": "accept-encoding"}
    if policy is not None:
        headers["content-security-policy"] = policy
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if not is_packed:
        return Response(asset.body, media_type=asset.kind, headers=headers)
    headers["content-encoding"] = "gzip"
    return Response(asset.packed, media_type=asset.kind, headers=headers)


def _takes_gzip(request: Request) -> bool:
    """True if `Accept-Encoding` names gzip, with a weight above 0."""
    for one in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = one.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
