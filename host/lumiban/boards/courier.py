"""Brings reliable frames to a board one by one, whatever it runs: its program or its rescue."""

from __future__ import annotations

from random import SystemRandom

from lumiban_fw import wire

from lumiban.boards.driver import Line
from lumiban.boards.meeting import meet
from lumiban.boards.ports import said
from lumiban.boards.types import Hello
from lumiban.errors import BoardError, LinkLost

AGAIN_US = 400_000
"""A frame that is not acknowledged is sent again: storing may take a chip some 100 ms."""
PATIENCE_US = 6_000_000
BEAT_US = wire.BEAT_US * 9 // 10


class Courier:
    """A session of our own with the board on a line; NotABoard, WrongMajor."""

    def __init__(self, line: Line, port: str = "") -> None:
        self.line = line
        self._port = port
        self._decoder = wire.Decoder()
        self._seq = 0
        self._beat_us = 0
        self.hello = self.greet()

    def greet(self) -> Hello:
        """Begin a new session, also after a restart."""
        self._decoder = wire.Decoder()
        self._seq = 0
        session = SystemRandom().getrandbits(32)
        self.hello = meet(self.line, self._port, session=session)
        return self.hello

    def send(self, kind: int, payload: bytes) -> list[tuple[int, bytes]]:
        """Send a reliable frame until it is acknowledged; the frames heard meanwhile. LinkLost."""
        heard: list[tuple[int, bytes]] = []
        frame = wire.frame(kind, payload, wire.RELIABLE, self._seq)
        following = (self._seq + 1) & 0xFF
        end = self.line.now_us + PATIENCE_US
        while self.line.now_us < end:
            self.line.write(frame)
            again = min(end, self.line.now_us + AGAIN_US)
            while self.line.now_us < again:
                done = False
                for told, _, _, ack, data in self._decoder.feed(self.line.read(again)):
                    heard.append((told, data))
                    done = done or (told != wire.B_HELLO and ack == following)
                if done:
                    self._seq = following
                    return heard
        raise LinkLost(said("flash.silent"))

    def listen(self, kind: int, patience_us: int = PATIENCE_US) -> bytes:
        """Wait for a frame of a type; its payload. LinkLost."""
        end = self.line.now_us + patience_us
        while self.line.now_us < end:
            for told, _, _, _, data in self._decoder.feed(self.line.read(end)):
                if told == kind:
                    return data
        raise LinkLost(said("flash.silent"))

    def stay(self, us: int) -> list[tuple[int, bytes]]:
        """Let so much time go by, and let the board know that we are there; what it told."""
        heard: list[tuple[int, bytes]] = []
        end = self.line.now_us + us
        while self.line.now_us < end:
            if self.line.now_us >= self._beat_us:
                self._beat_us = self.line.now_us + BEAT_US
                self.line.write(wire.frame(wire.H_BEAT, wire.pack_u32(BEAT_US)))
            until = min(end, self._beat_us)
            for told, _, _, _, data in self._decoder.feed(self.line.read(until)):
                heard.append((told, data))
        return heard

    def restart(self, how: int, patience_us: int = 25_000_000) -> Hello:
        """Start the board anew, greet it, its new HELLO; BoardError when it refuses or is gone."""
        before = self.hello.boot_id, self.hello.model
        self.line.write(wire.frame(wire.H_BOOT, wire.pack_boot(how), wire.RELIABLE, self._seq))
        end = self.line.now_us + patience_us
        for told, data in self.stay(700_000):
            if told == wire.B_NAK and wire.unpack_nak(data)[0] == wire.H_BOOT:
                raise BoardError(said("flash.not-whole"))
        while self.line.now_us < end:
            try:
                hello = self.greet()
            except LinkLost:
                raise
            except BoardError:
                continue
            if (hello.boot_id, hello.model) != before:
                return hello
        raise LinkLost(said("flash.not-back"))
