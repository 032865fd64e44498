"""A few seconds in a board's life, the same on CPython and in the MicroPython VM.

Integers only, no imports beyond the firmware. Prints what the board writes and shows.
"""

import struct

from lumiban_fw import layout_file, wire
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal

CELLS = 19
ROWS = 3
GAIN = 3520000
# Field of a strong piece on its way down, in parts of 1024, a step a millimetre of height.
FALL = (1024, 742, 549, 414, 318, 249, 198, 159, 129, 106, 88, 74, 63, 53, 46, 39, 34, 30, 26, 23)


def field(seated, height_um):
    k = height_um // 1000
    if k >= len(FALL) - 1:
        return 0
    part = FALL[k] - (FALL[k] - FALL[k + 1]) * (height_um % 1000) // 1000
    return seated * part // 1024


class Pieces(Hal):
    """Hands as a script: (cell, start µs, lift?, field µT, speed in µm a ms)."""

    uid = b"stimulus"
    boot_id = 77

    def __init__(self, moves, until_us):
        self.now_us = 0
        self.moves = moves
        self.until_us = until_us
        self.seed = 12345
        self.incoming = []
        self.written = []
        self.frames = []
        self.down = 0

    def noise(self):
        # Nearly a bell: the sum of four evenly spread numbers.
        total = 0
        for _ in range(4):
            self.seed = (self.seed * 1103515245 + 12345) & 0x7FFFFFFF
            total += (self.seed >> 16) % 10
        return total - 18

    def board_bin(self):
        cells = [(i * ROWS // CELLS, i % 15, CELLS - 1 - i, i - 9) for i in range(CELLS)]
        strips = [i * ROWS // CELLS for i in range(CELLS)]
        return layout_file.pack_board(
            b"stim", 1, ROWS, 1000, 300, 150, 4500, 6000, 19000, 55000, 1000, 30000, 2180, 1930,
            GAIN, cells, strips,
        )  # fmt: skip

    def scan(self, counts, references):
        t = self.now_us
        for r in range(ROWS):
            references[r] = 2048 + self.noise() // 4
        if 1500000 < t < 1600000:
            references[2] = 900
        for i in range(CELLS):
            counts[i] = references[i * ROWS // CELLS] + i - 9 + self.noise()
        for cell, start, lift, ut, speed in self.moves:
            way = max(0, (t - start)) * speed // 1000
            height = way if lift else 25000 - way
            if lift and t < start:
                continue
            ut_now = field(ut, max(0, height))
            if not lift and any(m[0] == cell and m[2] and t >= m[1] for m in self.moves):
                continue
            counts[cell] += ut_now * 65536 // GAIN
        return t

    def read(self):
        data = b"".join(self.incoming)
        self.incoming = []
        return data

    def room(self):
        return 256

    def write(self, data):
        self.written.append((self.now_us, bytes(data)))

    def show(self, rgb):
        self.frames.append((self.now_us, bytes(rgb)))

    def buttons(self):
        return self.down

    def feed(self):
        pass


def run():
    """Lines of what the board wrote and showed."""
    moves = (
        (3, 300000, False, 32000, 200),
        (4, 300000, False, -12700, 200),
        (9, 420000, False, -32000, 90),
        (3, 900000, True, 32000, 300),
        (17, 1100000, False, 12700, 500),
    )
    hal = Pieces(moves, 2000000)
    board = Board(hal)
    send = {
        100000: wire.frame(wire.H_HELLO, struct.pack("<BBI", wire.MAJOR, wire.MINOR, 0xCAFE)),
        110000: wire.frame(wire.H_PALETTE, bytes((1, 255, 217, 160, 106, 168, 255)), wire.RELIABLE),
        112000: wire.frame(
            wire.H_LAYER,
            bytes(2) + b"".join([bytes((1 + i % 2, i % 8)) for i in range(CELLS)]),
            wire.RELIABLE,
            1,
        ),
        114000: wire.frame(wire.H_COMMIT, struct.pack("<I", 200000), wire.RELIABLE, 2),
        700000: wire.frame(wire.H_ACK, struct.pack("<I", 2)),
        1000000: wire.frame(wire.H_CLOCK, struct.pack("<I", 5)) + b"rubbish\0",
        1200000: wire.frame(wire.H_BEAT, struct.pack("<I", 500000)),
    }
    while hal.now_us < hal.until_us:
        if hal.now_us in send:
            hal.incoming.append(send[hal.now_us])
        hal.down = 1 if 600000 <= hal.now_us < 650000 else 0
        board.tick(hal.now_us)
        hal.now_us += 1000
    # Free memory is another matter on every machine.
    out = []
    for t, data in hal.written:
        kind = wire.Decoder().feed(data)[0][0]
        if kind != wire.B_STATS:
            out.append(f"w {t} " + "".join([f"{b:02x}" for b in data]))
    for t, rgb in hal.frames:
        out.append(f"l {t} {wire.crc16(rgb)}")
    return out


if __name__ == "__main__":
    for line in run():
        print(line)
