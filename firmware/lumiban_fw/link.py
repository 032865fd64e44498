"""The board's side of the wire: sessions, the reliable order of frames, what waits to be written.

What frames mean is board.py's business; this file decides which of them count.
"""

from lumiban_fw import wire
from lumiban_fw.hal import Hal

QUEUE = 32
"""Frames that may wait for room; beyond, a frame is dropped and counted."""


class Link:
    """Frames in, in order and once; frames out, as the line takes them.

    `session` is the host's number from its last HELLO, or -1 before the first. `heard_us` is when
    the host was last heard in this session.
    """

    def __init__(self, hal: Hal) -> None:
        self.session = -1
        self.heard_us = 0
        self.drops = 0
        self._hal = hal
        self._decoder = wire.Decoder()
        self._expected = 0
        self._owes_ack = False
        self._came = b""
        self._queue: "list[bytes]" = []

    @property
    def errors(self) -> int:
        """Broken frames since power-on."""
        return self._decoder.errors

    def backlog(self) -> int:
        """Frames that wait to be written."""
        return len(self._queue)

    def poll(self) -> bool:
        """Read what came from the host; whether anything did."""
        self._came = self._hal.read()
        return len(self._came) > 0

    def frames(self) -> "list[tuple[int, int, int, int, bytes]]":
        """Frames in what came; pass each through `accept` before following it."""
        return self._decoder.feed(self._came)

    def accept(self, kind: int, flags: int, seq: int, now_us: int) -> bool:
        """True if a frame counts: its session is open and, if reliable, it is the next in order.

        HELLO always counts; `open` or `refuse` answers it.
        """
        if kind == wire.H_HELLO:
            return True
        if kind & wire.FROM_BOARD or flags >> wire.MAJOR_SHIFT != wire.MAJOR or self.session < 0:
            return False
        self.heard_us = now_us
        if flags & wire.RELIABLE:
            self._owes_ack = True
            if seq != self._expected:
                return False
            self._expected = (seq + 1) & 0xFF
        return True

    def open(self, session: int) -> None:
        """Begin a session: both directions start again."""
        self.session = session
        self._expected = 0
        self.hush()

    def hush(self) -> None:
        """Forget what waits to be written: nobody is there to read it."""
        self._owes_ack = False
        self._queue.clear()

    def send(self, kind: int, payload: bytes, flags: int = 0) -> bool:
        """Queue a frame; False when the queue is full and it was dropped."""
        if len(self._queue) >= QUEUE:
            self.drops += 1
            return False
        self._queue.append(wire.frame(kind, payload, flags, 0, self._expected))
        self._owes_ack = False
        return True

    def write(self) -> None:
        """Answer reliable frames that no other frame answered, and write while there is room."""
        if self._owes_ack:
            self.send(wire.B_ACK, b"")
            self._owes_ack = False
        queue = self._queue
        while queue and len(queue[0]) <= self._hal.room():
            self._hal.write(queue.pop(0))
