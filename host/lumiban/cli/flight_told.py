"""A flight recording as lines for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lumiban_fw import wire

from lumiban.records.flight_file import line

_FRAMES = {
    value: name
    for prefix in ("H_", "B_")
    for name, value in vars(wire).items()
    if name.startswith(prefix) and isinstance(value, int)
}
"""Names of frames by their type."""


def told(head: Mapping[str, Any], lines: Iterable[list[Any]]) -> Iterator[str]:
    """One line for each frame, verdict, record and loss; times in seconds from the beginning.

    >>> head = {"at": "2026-01-01T00:00:00Z", "profile": "hex3"}
    >>> for text in told(head, [["o", 5, 9], ["w", wire.frame(wire.H_GET_STATE).hex()]]):
    ...     print(text)
    recorded at 2026-01-01T00:00:00Z on hex3
       0.000005  port opened
       0.000005  > GET_STATE
    """
    yield f"recorded at {head.get('at')} on {head.get('profile')}"
    at = 0
    inward, outward = wire.Decoder(), wire.Decoder()
    for what, *values in lines:
        if what in ("o", "r", "p", "s"):
            at += int(values[0])
        for text in _said(what, values, inward, outward):
            yield f"{at / 1e6:>11.6f}  {text}"


def _said(
    what: str, values: list[Any], inward: wire.Decoder, outward: wire.Decoder
) -> Iterator[str]:
    if what == "o":
        yield "port opened"
    elif what == "c":
        yield f"port broke: {values[0]}"
    elif what == "h":
        yield f"port refused: {values[0]} {values[1]}"
    elif what == "full":
        yield "no more room: the recording ends"
    elif what == "r":
        yield from _frames("<", inward, values[1])
    elif what == "w":
        yield from _frames(">", outward, values[0])
    elif what == "s":
        _, given, gave, verdict = values
        for item in given:
            if not isinstance(item, int):
                yield f"told {line(item)}"
        if verdict is not None:
            yield f"verdict {line(verdict)}"
        for output in gave:
            if output[0] not in ("Show", "Acknowledge"):
                yield f"{output[0]} {line(output[1:])}"


def _frames(way: str, decoder: wire.Decoder, data: str) -> Iterator[str]:
    errors = decoder.errors
    for kind, flags, seq, _ack, payload in decoder.feed(bytes.fromhex(data)):
        name = _FRAMES.get(kind, f"H_{kind:02x}")[2:]
        number = f" {seq}" if flags & wire.RELIABLE else ""
        again = " again" if flags & wire.RESENT else ""
        yield f"{way} {name}{number}{again} {payload.hex()}".rstrip()
    if decoder.errors > errors:
        yield f"{way} {decoder.errors - errors} broken"
