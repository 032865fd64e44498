"""Messages of a page on `/ws` and `/hands`, checked before anybody acts on them.

The messages are those of docs/page.md and no others: an unknown word, a missing or superfluous
field or a value of the wrong kind is refused with a sentence that names it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec

from lumiban.errors import UsageError
from lumiban.table.requests import TABLE_REQUESTS, May, MoveText, Request, Side, TableRequest

MAX_MESSAGE_BYTES = 4096
"""Bytes of a message to the table; ours are far shorter."""
MAX_OF_HANDS = 1000
"""Bytes of a message to the simulator, which hangs up on longer ones than this."""


TriedLine = Annotated[tuple[tuple[Side, MoveText], ...], msgspec.Meta(max_length=40)]
"""Other moves that are tried after a game, each with its side."""


class LookRequest(Request, frozen=True, tag="look"):
    """The position after so many moves shall be shown, to this tab alone; viewers may look too.
    Once the game is over a `line` of other moves, pairs of a side and what it does, may be tried
    from there: nothing of it is kept.
    """

    viewer = May.ALWAYS
    seat = May.ALWAYS

    n: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    line: TriedLine | None = None


class ClaimRequest(Request, frozen=True, tag="claim"):
    """This tab acts from now on; both tabs get a new `hello`.

    Over the network the host is asked first (`asks`), or somebody presses a button of the board.
    """

    seat = May.ASKS


class AdmitRequest(Request, frozen=True, tag="admit"):
    """The host's answer to a claim over the network, by its number."""

    claim: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
    yes: bool


class NewLinksRequest(Request, frozen=True, tag="new-links"):
    """New links and a new PIN; whoever came by the old ones is out."""


class FreeSeatRequest(Request, frozen=True, tag="free-seat"):
    """The phone that plays this side only watches from now on."""

    side: Side


class WatchFreelyRequest(Request, frozen=True, tag="watch-freely"):
    """Set whether anybody on the network may watch without a PIN."""

    on: bool


class AskBackRequest(Request, frozen=True, tag="ask-back"):
    """Set whether taking back asks the other person, where two people play on different devices."""

    on: bool


class ReportRequest(Request, frozen=True, tag="report"):
    """An error of the page's own script, for the log of the host."""

    viewer = May.ALWAYS
    seat = May.ALWAYS

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class HandsRequest(msgspec.Struct):
    """Anything for simulated hands; the simulator itself checks the rest."""

    do: Literal["place", "lift", "grab", "carry", "drop", "field", "button"]


PAGE_REQUESTS: tuple[type[Request], ...] = (
    *TABLE_REQUESTS,
    *(kind for kind in Request.__subclasses__() if kind is not TableRequest),
)
"""All requests that a page may make on `/ws`."""
AnyPageRequest: Any = Union[PAGE_REQUESTS]  # noqa: UP007


_table: msgspec.json.Decoder[Request] = msgspec.json.Decoder(AnyPageRequest)
_hands = msgspec.json.Decoder(HandsRequest)


def table_message(raw: str | bytes) -> Request:
    """The request to the table in `raw` (JSON text); UsageError says why it is none.

    >>> table_message('{"do": "seat", "side": 0, "who": "human"}')
    SeatRequest(side=0, who='human')
    >>> table_message('{"do": "seat", "side": 0}')
    Traceback (most recent call last):
    lumiban.errors.UsageError: Object missing required field `who`
    """
    return _read(_table, raw, MAX_MESSAGE_BYTES)


def hands_word(raw: str | bytes) -> str:
    """Return what a message for the simulated hands wants done; UsageError says why it is none.

    >>> hands_word('{"do": "lift", "cell": 12}')
    'lift'
    """
    return _read(_hands, raw, MAX_OF_HANDS).do


_Message = TypeVar("_Message")


def _read(decoder: msgspec.json.Decoder[_Message], raw: str | bytes, longest: int) -> _Message:
    if len(raw) > longest:
        raise UsageError(f"longer than {longest} bytes")
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as fault:
        raise UsageError(str(fault)) from None
