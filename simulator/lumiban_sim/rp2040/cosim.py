"""The firmware on an emulated chip, in the simulated world: pieces in, events out.

One clock: the chip's own, from power-on. The world is looked at once a millisecond of it, as the
other backends look once a frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lumiban_fw import wire
from lumiban_fw.layout import REFERENCE

from lumiban_sim.rp2040 import flash, parts
from lumiban_sim.rp2040.machine import Machine
from lumiban_sim.world import World

FRAME_US = 1000
Frame = tuple[int, int, int, int, bytes]
"""(type, flags, seq, ack, payload)"""


class Cosim:
    """A board of a world on an emulated chip; `frames` are those it sent so far.

    `run` goes on for so many µs of the chip's time, `send` writes to it.
    `disk` are all files of its flash, by path; the firmware, unless given.
    """

    def __init__(
        self,
        image: Path,
        world: World,
        program: bytes | None = None,
        *,
        disk: Mapping[str, bytes] | None = None,
    ) -> None:
        profile = world.profile
        self.world = world
        self.frames: list[Frame] = []
        self._decoder = wire.Decoder()
        self._cells = {(cell.row, cell.channel): i for i, cell in enumerate(profile.cells)}
        self._counts = [0] * len(profile.cells)
        self._references = [0] * profile.rows
        self._frame = -1
        files = dict(disk or flash.firmware())
        if program is not None:
            files["main.py"] = program
        if disk is None:
            files["board.bin"] = profile.board_bin()
        self.chain = parts.Chain()
        self.machine = Machine(image, flash.disk(files), parts.MuxTree(self._read), self.chain)
        self.machine.start()

    def _read(self, row: int, channel: int, now_us: float) -> int:
        frame = int(now_us) // FRAME_US
        if frame != self._frame:
            self._frame = frame
            self.world.sample(frame, frame * FRAME_US, self._counts, self._references)
        if channel == REFERENCE:
            return self._references[row] if row < len(self._references) else 0
        cell = self._cells.get((row, channel))
        return 0 if cell is None else self._counts[cell]

    def send(self, data: bytes) -> None:
        """Bytes from the host."""
        self.machine.send(data)

    def run(self, us: float) -> list[Frame]:
        """Go on; the frames that came meanwhile."""
        self.machine.run(us)
        got = self._decoder.feed(bytes(self.machine.heard))
        self.machine.heard.clear()
        if self.chain.frames:
            self.world.shine(self.chain.frames[-1][1])
        self.frames += got
        return got

    def hear(self, kind: int, limit_us: float) -> bytes:
        """Run until a frame of a kind comes; its payload. TimeoutError when none does."""
        end = self.machine.now_us + limit_us
        while self.machine.now_us < end:
            for frame in self.run(2_000):
                if frame[0] == kind:
                    return frame[4]
        raise TimeoutError(f"no frame of type {kind:#x} within {limit_us / 1e6:g} s")
