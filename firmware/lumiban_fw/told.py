"""What the board tells of itself: HELLO and STATS."""

import gc

from lumiban_fw import wire
from lumiban_fw.hal import Hal

SLOT = "slot"
CALIBRATION = "calibration.bin"
"""As update.py names them."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.board import Board


def send_stats(board: "Board", hal: Hal) -> None:
    """Send STATS, and what is wrong once more."""
    board.faults.tell_again()
    free = hal.free_heap()
    if free == 0 and hasattr(gc, "mem_free"):
        free = gc.mem_free()
    board.link.send(
        wire.B_STATS,
        wire.pack_stats(
            hal.worst_gap_us(),
            board.link.errors,
            board.link.drops,
            free,
            hal.rail_mv(),
            board.lights.limited,
            board.worst_tick_us,
            board.ring.resent,
            board.late,
            board.sense.unsure,
            board.ring.next - board.ring.first,
            board.lights.strip,
            hal.scan_hz,
            hal.missed,
        ),
    )
    board.worst_tick_us = 0


def capabilities_of(board: "Board", hal: Hal) -> int:
    """What the board can do, as HELLO and IDENTITY tell it."""
    capabilities = hal.capabilities | wire.CAN_INJECT | wire.CAN_ANIM | wire.CAN_FIELD
    capabilities |= wire.CAN_IDENTIFY
    if hal.stores:
        capabilities |= wire.CAN_UPDATE
    if board.calibrated:
        capabilities |= wire.CALIBRATED
    if board.services.injects():
        capabilities |= wire.INJECTING
    if hal.scan_hz >= wire.ORDER_HZ:
        capabilities |= wire.CAN_ORDER
    return capabilities


def send_hello(board: "Board", hal: Hal, session: int, firmware: int, now_us: int) -> None:
    """Send HELLO, the answer to one or without being asked."""
    board.link.send(
        wire.B_HELLO,
        wire.pack_board_hello(
            board.layout.model,
            board.layout.revision,
            board.layout.cells,
            board.layout.lights,
            firmware,
            hal.uid,
            hal.boot_id,
            session,
            board.full(now_us),
            hal.scan_hz,
            capabilities_of(board, hal),
            hal.reset_cause,
        ),
    )


def send_identity(board: "Board", hal: Hal, first: int) -> None:
    """Answer IDENTIFY."""
    from lumiban_fw.identity import IDENTITY, answer

    data = hal.load(IDENTITY)
    kind, payload = answer(data, hal.chip, board.layout, capabilities_of(board, hal), first)
    board.link.send(kind, payload)


def tell_came_up(board: "Board", hal: Hal) -> None:
    """The program runs and is greeted: keep it, and tell of one that was given up before."""
    if hal.load(SLOT)[1:] in (b"", b"-0-"):
        return  # nothing on trial, nothing given up: update.py need not be loaded
    from lumiban_fw.update import came_up

    gone = came_up(hal)
    if gone != "-":
        board.faults.note(wire.FAULT_ROLLED_BACK, ord(gone))
