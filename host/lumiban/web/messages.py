"""Messages of a page on `/ws` and `/hands`, validated before anything acts on them.

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
    """Request to show the position after `n` moves, to this tab alone; viewers may look too. Once
    the game is over a `line` of other moves, pairs of a side and an act, may be tried from there:
    nothing of it is kept."""

    viewer = May.ALWAYS
    seat = May.ALWAYS

    n: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    line: TriedLine | None = None


class ClaimRequest(Request, frozen=True, tag="claim"):
    """Request for the lead by this tab; both tabs get a new `hello`.

    Over the network the host is asked first (`asks`), or somebody presses a button of the board.
    """

    seat = May.ASKS


class AdmitRequest(Request, frozen=True, tag="admit"):
    """Answer of the host to a claim over the network, by its number."""

    claim: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
    yes: bool


class NewLinksRequest(Request, frozen=True, tag="new-links"):
    """Request for new links and a new PIN; entries by the old ones end."""


class FreeSeatRequest(Request, frozen=True, tag="free-seat"):
    """Request that the phone which plays this side watch from now on."""

    side: Side


class WatchFreelyRequest(Request, frozen=True, tag="watch-freely"):
    """Setting whether the network may watch without a PIN."""

    on: bool


class AskBackRequest(Request, frozen=True, tag="ask-back"):
    """Setting whether a takeback asks the opponent, where two people play on different devices."""

    on: bool


class ReportRequest(Request, frozen=True, tag="report"):
    """Error of the page's own script, for the log of the host."""

    viewer = May.ALWAYS
    seat = May.ALWAYS

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class HandsRequest(msgspec.Struct):
    """Message for the simulated hands; the simulator itself validates the rest."""

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
    """Request to the table in `raw` (JSON text); UsageError for an invalid one.

    >>> table_message('{"do": "seat", "side": 0, "who": "human"}')
    SeatRequest(side=0, who='human')
    >>> table_message('{"do": "seat", "side": 0}')
    Traceback (most recent call last):
    lumiban.errors.UsageError: Object missing required field `who`
    """
    return _read(_table, raw, MAX_MESSAGE_BYTES)


def hands_word(raw: str | bytes) -> str:
    """Action that a message asks of the simulated hands; UsageError for an invalid one.

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
