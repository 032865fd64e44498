"""What the host says and what the board does about it."""

from lumiban_fw import wire
from lumiban_fw.refused import Nak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.board import Board


def handle_frame(
    board: "Board", kind: int, flags: int, seq: int, payload: bytes, now_us: int
) -> None:
    """Follow one frame that counts; what cannot be followed is dropped, and refused if reliable."""
    why = wire.NAK_SHORT
    try:
        if _follow(board, kind, flags, payload, now_us):
            return
        why = wire.NAK_UNKNOWN
    except Nak as refused:
        why = refused.why
    except ValueError:
        board.link.drops += 1
    if flags & wire.RELIABLE:
        board.link.send(wire.B_NAK, wire.pack_nak(kind, seq, why))


def _follow(board: "Board", kind: int, flags: int, payload: bytes, now_us: int) -> bool:
    lights = board.lights
    if kind == wire.H_LAYER:
        layer, first, glows = wire.unpack_layer(payload)
        lights.layer(layer, first, glows)
    elif kind == wire.H_COMMIT:
        lights.commit(now_us, _when(board, wire.unpack_u32(payload), now_us))
    elif kind == wire.H_MASK:
        layer, index, effect, which = wire.unpack_mask(payload)
        lights.mask(layer, index, effect, which)
    elif kind == wire.H_PALETTE:
        first, colours = wire.unpack_palette(payload)
        lights.palette(first, colours)
    elif kind == wire.H_ACK:
        board.ring.acknowledge(wire.unpack_u32(payload))
    elif kind == wire.H_BEAT:
        pass
    elif kind == wire.H_CLOCK:
        token = wire.unpack_u32(payload)
        told = wire.pack_board_clock(token, board.full(now_us), 0)
        board.link.send(wire.B_CLOCK, told)
    elif kind == wire.H_GET_STATE:
        board.tell_state(now_us)
    elif kind == wire.H_ANIM:
        start = _when(board, wire.unpack_anim(payload)[4], now_us)
        if not lights.animate(payload, now_us, start):
            raise Nak(wire.NAK_VALUE)
    elif kind == wire.H_ANIM_STOP:
        lights.stop(wire.unpack_u8(payload))
    elif kind == wire.H_CFG:
        key, value = wire.unpack_cfg(payload)
        _configure(board, key, value)
    elif kind == wire.H_HELLO:
        board.greeted(flags, payload, now_us)
    elif kind == wire.H_GET_FIELD:
        first, count, period_ms = wire.unpack_get_field(payload)
        board.services.field.ask(first, count, period_ms, now_us)
    elif kind == wire.H_INJECT:
        at_us, step_us, first, readings = wire.unpack_inject(payload)
        at_us = _when(board, at_us, now_us)
        board.services.injected.add(at_us if at_us else now_us, step_us, first, readings)
    elif kind == wire.H_IDENTIFY:
        board.identify(wire.unpack_u8(payload))
    else:
        return _follow_files(board, kind, payload, now_us)
    return True


def _follow_files(board: "Board", kind: int, payload: bytes, now_us: int) -> bool:
    files = board.services.files
    if kind == wire.H_FILE_BEGIN:
        board.link.send(wire.B_FILE, files.begin(payload))
    elif kind == wire.H_FILE_DATA:
        files.data(payload)
    elif kind == wire.H_FILE_END:
        board.link.send(wire.B_FILE, files.end())
    elif kind == wire.H_FILE_READ:
        board.link.send(wire.B_FILE_PART, files.part(payload))
    elif kind == wire.H_BOOT:
        how = wire.unpack_boot(payload)
        if how > wire.BOOT_RESCUE:
            raise Nak(wire.NAK_VALUE)
        if how == wire.BOOT_OTHER:
            files.try_other()
        elif how == wire.BOOT_RESCUE:
            files.ask_rescue()
        board.restart = how
    else:
        return False
    return True


def _when(board: "Board", low: int, now_us: int) -> int:
    """A board time of the wire, as the board counts; 0 stays 0."""
    if low == 0:
        return 0
    at_us = wire.widen(low, board.full(now_us)) - board.full(0)
    return at_us if at_us else 1


def _configure(board: "Board", key: int, value: int) -> None:
    if key == wire.CFG_BRIGHTNESS:
        board.lights.brightness(value)
    elif key == wire.CFG_INJECT:
        board.services.injected.switch(value == 1)
    elif key == wire.CFG_MASK or key == wire.CFG_UNMASK:
        if not 0 <= value < board.layout.cells:
            raise Nak(wire.NAK_VALUE)
        board.sense.mask(value, key == wire.CFG_MASK)
