"""Rescue program: greets the host, takes files, restarts the board when no program starts."""

from lumiban_fw import wire
from lumiban_fw.hal import Hal
from lumiban_fw.update import Receiver
from lumiban_fw.wire import Nak


class Rescue:
    """Bytes of the host in, bytes for it out.

    `how` is -1 until BOOT says how to start. Reliable frames are followed in order, as in link.py.
    """

    def __init__(self, store: Hal) -> None:
        self.how = -1
        self._store = store
        self._receiver = Receiver(store, True)
        self._decoder = wire.Decoder()
        self._expected = 0
        self._session = 0

    def feed(self, data: bytes) -> bytes:
        """Response to some bytes."""
        out = b""
        for kind, flags, seq, _, payload in self._decoder.feed(data):
            if flags >> wire.MAJOR_SHIFT != wire.MAJOR:
                continue
            if flags & wire.RELIABLE:
                if seq != self._expected:
                    out += self._frame(wire.B_ACK, b"")
                    continue
                self._expected = (seq + 1) & 0xFF
            try:
                out += self._answer(kind, payload)
            except Nak as refused:
                nak = wire.pack_nak(kind, seq, refused.why)
                out += self._frame(wire.B_NAK, nak)
            except ValueError:
                out += self._frame(wire.B_NAK, wire.pack_nak(kind, seq, wire.NAK_SHORT))
        return out

    def _answer(self, kind: int, payload: bytes) -> bytes:
        if kind == wire.H_HELLO:
            return self._hello(payload)
        if wire.H_FILE_BEGIN <= kind <= wire.H_FILE_READ:
            return self._frame(*self._receiver.answer(kind, payload))
        if kind == wire.H_BOOT:
            self.how = self._receiver.boot(payload)
        return self._frame(wire.B_ACK, b"")

    def _hello(self, payload: bytes) -> bytes:
        _, _, session = wire.unpack_host_hello(payload)
        if session != self._session:
            self._session = session
            self._expected = 0
        capabilities = wire.IN_RESCUE | wire.CAN_UPDATE
        uid = self._store.uid
        told = wire.pack_board_hello(b"rescue", 0, 0, 0, 0, uid, 0, session, 0, 0, capabilities, 0)
        return self._frame(wire.B_HELLO, told)

    def _frame(self, kind: int, payload: bytes) -> bytes:
        return wire.frame(kind, payload, 0, 0, self._expected)


def main() -> None:
    """Answer the host over USB until BOOT; only on the chip."""
    from lumiban_fw.hal_rescue import Port

    port = Port()
    rescue = Rescue(port)
    while rescue.how < 0:
        data = port.read()
        if data:
            port.write(rescue.feed(data))
        port.feed()
    if rescue.how == wire.BOOT_LOADER:
        port.bootloader()
    port.reset()
