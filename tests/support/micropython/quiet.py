"""A board's quiet ticks allocate nothing: prints how the heap changed, in MicroPython's words."""

import gc
import struct

from lumiban_fw import layout_file, wire
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal

CELLS, ROWS = 19, 3


class Still(Hal):
    """Frames with noise, as a real board's, made without allocating; a time that wraps."""

    uid = b"stillest"
    wraps = True
    turn = 0
    now_us = 0

    def __init__(self):
        self.incoming = []

    def board_bin(self):
        cells = [(i * ROWS // CELLS, i % 15, CELLS - 1 - i, i - 9) for i in range(CELLS)]
        strips = [i * ROWS // CELLS for i in range(CELLS)]
        return layout_file.pack_board(
            b"still", 1, ROWS, 1000, 300, 150, 4500, 6000, 19000, 55000, 1000, 30000, 2180, 1930,
            3520000, cells, strips,
        )  # fmt: skip

    def scan(self, counts, references):
        self.turn = (self.turn + 7) % 13
        for i in range(CELLS):
            counts[i] = 2048 + i - 9 + (self.turn + i) % 3
        counts[self.turn] += 30 if self.turn == 5 else 0  # a spike beyond the band
        for k in range(len(references)):
            references[k] = 2048
        return self.now_us

    def read(self):
        if self.incoming:
            return self.incoming.pop()
        return b""

    def room(self):
        return 256

    def buttons(self):
        return 0

    def feed(self):
        pass

    def write(self, data):
        pass

    def show(self, rgb):
        pass


def measure(board, hal, ticks):
    """Bytes allocated in so many ticks of a millisecond, without collecting between."""
    gc.collect()
    before = gc.mem_alloc()
    for _ in range(ticks):
        hal.now_us = (hal.now_us + 1000) & 0x3FFFFFFF
        board.tick(hal.now_us)
    return gc.mem_alloc() - before


def run():
    """Lines that tell of quiet ticks, without and with a host."""
    hal = Still()
    board = Board(hal)
    measure(board, hal, 700)
    gc.disable()
    print("quiet", measure(board, hal, 1000))
    # Beyond 17.9 minutes times do not fit a small number any more; ours do.
    for _ in range(2600):
        hal.now_us = (hal.now_us + 500000) & 0x3FFFFFFF
        board.tick(hal.now_us)
    measure(board, hal, 1000)
    minutes = board.full(board.sense.now_us) // 60000000
    print("quiet after", minutes, "minutes", measure(board, hal, 1000))
    while not measure(board, hal, 100):
        pass
    while measure(board, hal, 100):
        pass  # zeros drift, once in four seconds
    gc.enable()
    hal.incoming.append(wire.frame(wire.H_HELLO, struct.pack("<BBI", wire.MAJOR, wire.MINOR, 1)))
    measure(board, hal, 30)
    gc.disable()
    print("greeted", measure(board, hal, 300))
    print("moving", board.sense.moving)


if __name__ == "__main__":
    run()
