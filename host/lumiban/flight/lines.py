"""Lines of a flight recording, declared: what each holds; docs/link.md lists them from here.

A line is a JSON array that begins with its name. Times are µs since the line before that has one.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from lumiban.errors import UsageError


class _FlightLine(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A line: `tag` is its name."""


class PortOpened(_FlightLine, frozen=True, tag="o"):
    """The port was opened; the link waits so long for the board's greeting."""

    since_us: int
    patience_us: int


class BytesIn(_FlightLine, frozen=True, tag="r"):
    """Bytes from the board, in hexadecimal digits."""

    since_us: int
    data: str


class BytesOut(_FlightLine, frozen=True, tag="w"):
    """Bytes to the board, in hexadecimal digits."""

    data: str


class TimerFired(_FlightLine, frozen=True, tag="p"):
    """The link's timer fired."""

    since_us: int


class Waited(_FlightLine, frozen=True, tag="wait"):
    """A simulated board that had no chance to speak was given more time."""

    since_us: int


class PortFailed(_FlightLine, frozen=True, tag="c"):
    """The port failed."""

    reason: str


class PortRefused(_FlightLine, frozen=True, tag="h"):
    """The port could not be reopened."""

    reason: str
    detail: str


class Stepped(_FlightLine, frozen=True, tag="s"):
    """A step of the session: counts of link events (they follow from the frames) and the other
    inputs in full; outputs, light as a checksum; the verdict if it changed, else null."""

    since_us: int
    inputs: list[Any]
    outputs: list[Any]
    verdict: Any


class PictureHandedOver(_FlightLine, frozen=True, tag="l"):
    """The session's next picture was handed to the link."""


class AckHandedOver(_FlightLine, frozen=True, tag="a"):
    """The session's next acknowledgement was handed to the link."""

    next_event: int


class Full(_FlightLine, frozen=True, tag="full"):
    """No more room: the recording ends."""


FlightLine = (
    PortOpened
    | BytesIn
    | BytesOut
    | TimerFired
    | Waited
    | PortFailed
    | PortRefused
    | Stepped
    | PictureHandedOver
    | AckHandedOver
    | Full
)
_NAMES = {one.__struct_config__.tag for one in get_args(FlightLine)}


def raw_line(line: FlightLine) -> list[Any]:
    """A line as JSON has it.

    >>> raw_line(PortOpened(5, 3_000_000)), raw_line(PictureHandedOver())
    (['o', 5, 3000000], ['l'])
    """
    raw: list[Any] = msgspec.to_builtins(line)
    return raw


def line_of(raw: list[Any], number: int) -> FlightLine:
    """The line that this is; UsageError names it by its `number` when it is none of ours.

    >>> line_of(["p", 7], 2)
    TimerFired(since_us=7)
    """
    try:
        line: FlightLine = msgspec.convert(raw, FlightLine)
        return line
    except (msgspec.ValidationError, RecursionError) as error:
        if not raw or not isinstance(raw[0], str) or raw[0] not in _NAMES:
            name = raw[0] if raw else ""
            raise UsageError(f"line {number} is unknown to this lumiban: {name!r:.200}") from None
        raise UsageError(f"line {number} is garbled: {error}") from None


def line_table() -> str:
    """The lines as docs/link.md has them."""
    rows = ["| line | what |", "|---|---|"]
    for one in get_args(FlightLine):
        names = [field.name for field in msgspec.structs.fields(one)]
        listed = ", ".join([f'"{one.__struct_config__.tag}"', *names])
        rows.append(f"| `[{listed}]` | {' '.join((one.__doc__ or '').split())} |")
    return "\n".join(rows) + "\n"
