"""Requests of a host beside play: settings, raw fields, injected readings, the board's identity,
files, another start.

Loaded when one of these comes, and let go of with the next garbage: in play this code takes no
memory.
"""

from lumiban_fw import wire
from lumiban_fw.wire import Nak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from lumiban_fw.field import Field
    from lumiban_fw.hal import Hal
    from lumiban_fw.inject import Injected
    from lumiban_fw.layout import Layout
    from lumiban_fw.lights import Lights
    from lumiban_fw.link import Link
    from lumiban_fw.sense import Sense
    from lumiban_fw.update import Receiver

    class Services(Protocol):
        """State of the requests so far; see board.py."""

        field: Field | None
        injected: Injected | None
        files: Receiver | None

    class Board(Protocol):
        """Parts of a board that a request may use."""

        hal: Hal
        layout: Layout
        lights: Lights
        link: Link
        restart: int
        sense: Sense

        @property
        def services(self) -> Services:
            """Its services."""

        def capabilities(self) -> int:
            """Bits of HELLO."""

        def full(self, us: int) -> int:
            """A time since power-on, µs, of one as the board counts."""


def follow(board: "Board", kind: int, payload: bytes, now_us: int) -> bool:
    """Follow a frame; False when it is of no known type. Nak, ValueError when it cannot be."""
    if wire.H_FILE_BEGIN <= kind <= wire.H_FILE_READ:
        answer, told = _files(board).answer(kind, payload)
        if told:
            board.link.send(answer, told)
    elif kind == wire.H_CFG:
        key, value = wire.unpack_cfg(payload)
        _configure(board, key, value)
    elif kind == wire.H_GET_FIELD:
        first, count, period_ms = wire.unpack_get_field(payload)
        _field(board).ask(first, count, period_ms, now_us)
    elif kind == wire.H_INJECT:
        at_us, step_us, first, readings = wire.unpack_inject(payload)
        if at_us:
            at_us = wire.widen(at_us, board.full(now_us)) - board.full(0)
        else:
            at_us = now_us
        _injected(board).add(at_us, step_us, first, readings)
    elif kind == wire.H_IDENTIFY:
        board.link.send(*_identity(board, wire.unpack_u8(payload)))
    elif kind == wire.H_BOOT:
        board.restart = _files(board).boot(payload)
    else:
        return False
    return True


def _files(board: "Board") -> "Receiver":
    files = board.services.files
    if files is None:
        from lumiban_fw.update import Receiver

        files = board.services.files = Receiver(board.hal)
    return files


def _field(board: "Board") -> "Field":
    field = board.services.field
    if field is None:
        from lumiban_fw.field import Field

        field = board.services.field = Field(board.layout, board.link)
    return field


def _injected(board: "Board") -> "Injected":
    injected = board.services.injected
    if injected is None:
        from lumiban_fw.inject import Injected

        injected = board.services.injected = Injected(board.layout)
    return injected


def _configure(board: "Board", key: int, value: int) -> None:
    if key == wire.CFG_BRIGHTNESS:
        board.lights.brightness(value)
    elif key == wire.CFG_INJECT:
        _injected(board).switch(value == 1)
    elif key == wire.CFG_MASK or key == wire.CFG_UNMASK:
        if not 0 <= value < board.layout.cells:
            raise Nak(wire.NAK_VALUE)
        board.sense.mask(value, key == wire.CFG_MASK)


def _identity(board: "Board", first: int) -> "tuple[int, bytes]":
    """Identity of the board, or its cells from `first` on."""
    from lumiban_fw.identity import IDENTITY, answer

    hal = board.hal
    return answer(hal.load(IDENTITY), hal.chip, board.layout, board.capabilities(), first)
