"""A board on hardware by script, and its frames taken apart."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from lumiban.boards.messages import packed, unpack_events, unpack_state
from lumiban_fw import layout_file, wire
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal

CELLS, ROWS = 100, 10
SESSION = 0xC0FFEE
SETTLED = {wire.EMPTY: 0, wire.WHITE: 600, wire.BLACK: -600, wire.NEUTRAL: 240}
"""Counts of a seated piece."""


@dataclass(frozen=True)
class Frame:
    """A frame from the board, taken apart."""

    t_us: int
    kind: int
    flags: int
    seq: int
    ack: int
    payload: bytes


class Bench(Hal):
    """Hardware by script: pieces are there at once, the line is as wide as `width`."""

    uid = b"bench..."
    boot_id = 9
    capabilities = wire.IS_SIMULATED

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.now_us = 0
        self.files = files or {}
        self.rail = 5000
        self.good = True
        self.power_on = False
        self.shows = 0
        self.restarted = -1
        self.counts = [2048] * CELLS
        self.references_now = [2048] * ROWS
        self.incoming = b""
        self.width = 100_000
        self.down = 0
        self.fed = 0
        self.rgb = b""
        self.frames: list[Frame] = []
        self._decoder = wire.Decoder()
        self.board = Board(self)
        self.due_us = 0

    # The hardware.

    def board_bin(self) -> bytes:
        return layout_file.pack_board(
            b"bench", 1, ROWS, 1000, 1500, 600, 4500, 6000, 19_000, 55_000, 1000, 30_000, 2180,
            1930, 3_520_000, [(i // 10, i % 10, i, 0) for i in range(CELLS)], [0] * CELLS,
        )  # fmt: skip

    def scan(self, counts: array[int], references: array[int]) -> int:
        counts[:] = array("H", self.counts)
        references[:] = array("H", self.references_now)
        return self.now_us // 1000 * 1000

    def read(self) -> bytes:
        data, self.incoming = self.incoming, b""
        return data

    def room(self) -> int:
        return self.width

    def write(self, data: bytes) -> None:
        assert len(data) <= self.width
        self.width -= len(data)
        for kind, flags, seq, ack, payload in self._decoder.feed(data):
            self.frames.append(Frame(self.now_us, kind, flags, seq, ack, payload))
        assert self._decoder.errors == 0

    def show(self, rgb: bytearray) -> None:
        self.rgb = bytes(rgb)
        self.shows += 1

    def power(self, on: bool) -> None:
        self.power_on = on

    def supply_good(self) -> bool:
        return self.good

    def buttons(self) -> int:
        return self.down

    def feed(self) -> None:
        self.fed += 1

    def rail_mv(self) -> int:
        return self.rail

    def load(self, name: str) -> bytes:
        return self.files.get(name, b"")

    def store(self, name: str, data: bytes) -> bool:
        self.files[name] = data
        return True

    def append(self, name: str, data: bytes) -> bool:
        return self.store(name, self.load(name) + data)

    def discard(self, name: str) -> None:
        self.files.pop(name, None)

    def restart(self, how: int) -> None:
        self.restarted = how

    # The script.

    def run(self, us: int, *, width: int = 100_000) -> list[Frame]:
        """Let time pass; the frames that the board sent meanwhile."""
        before = len(self.frames)
        end = self.now_us + us
        while self.now_us < end:
            self.width = width
            self.due_us = self.board.tick(self.now_us)
            assert self.due_us > self.now_us
            self.now_us = min(end, max(self.due_us, self.now_us + 1))
        return self.frames[before:]

    def say(self, kind: int, payload: bytes = b"", flags: int = 0, seq: int = 0) -> None:
        self.incoming += wire.frame(kind, payload, flags, seq)

    def greet(self, session: int = SESSION) -> list[Frame]:
        self.say(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session))
        return self.run(1_000)

    def keep(self, us: int) -> list[Frame]:
        """Let time pass while the host beats."""
        out = []
        while us > 0:
            self.say(wire.H_BEAT, packed(wire.H_BEAT, 500_000))
            out += self.run(min(us, 400_000))
            us -= 400_000
        return out

    def supply(self, rail_mv: int, good: bool = True) -> list[Frame]:
        """Let the supply be so from now on; what the board sends in the next 0.1 s."""
        self.rail, self.good = rail_mv, good
        return self.keep(50_000) + self.keep(50_000)

    def put(self, cell: int, kind: int) -> None:
        self.counts[cell] = 2048 + SETTLED[kind]


def of(kind: int, frames: list[Frame]) -> list[Frame]:
    return [frame for frame in frames if frame.kind == kind]


def events(frames: list[Frame]) -> list[tuple[int, int, int]]:
    """(number, cell, kind) of all EVENTS."""
    out = []
    for frame in of(wire.B_EVENTS, frames):
        first, _, _, got = unpack_events(frame.payload)
        out += [(first + k, cell, kind) for k, (cell, kind, _, _) in enumerate(got)]
    return out


def belief(frames: list[Frame]) -> list[int]:
    """The kinds in the last whole STATE."""
    parts = [unpack_state(frame.payload) for frame in of(wire.B_STATE, frames)]
    last = parts[-1][:2]
    kinds = b"".join(part[6] for part in parts if part[:2] == last)
    return list(kinds[:CELLS])
