"""MCP23017s behind Linux's own driver of an i2c-tiny-usb, a USB device that is played over USB/IP.

CHIPS[0x20] = Mcp23017() puts one onto the bus; no other address is acknowledged. `plug` puts the
bus into this machine.
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from threading import Thread

VHCI = Path("/sys/devices/platform/vhci_hcd.0/attach")
DEVICE = bytes.fromhex("12011001ff000040 0304 31c6 0502 00000001")
CONFIGURATION = bytes.fromhex("090212000101008032 0904000000ff000000")
DESCRIBED = {1: DEVICE, 2: CONFIGURATION}
HIGH_SPEED, DEVICE_ID = 2, 1 << 16 | 2
UNLINK = 2
SUBMITTED, UNLINKED = 3, 4
FUNCTIONS, STATUS, IO = 1, 3, 4
"""Vendor's requests of i2c-tiny-usb: what it can do, how the last transfer went, a transfer."""
ACKNOWLEDGED, REFUSED = 1, 2
PULL_UPS, PORTS, REGISTERS = 0x0C, 0x12, 22


class Mcp23017:
    """An expander whose switches draw inputs low."""

    def __init__(self) -> None:
        self.closed = 0
        self._registers = bytearray(b"\xff\xff" + bytes(REGISTERS - 2))
        self._at = 0

    def write(self, data: bytes) -> None:
        """A register's number, then bytes for it and those that follow."""
        self._at = data[0]
        for byte in data[1:]:
            self._registers[self._at % REGISTERS] = byte
            self._at += 1

    def read(self, count: int) -> bytes:
        """Registers from there on; an input without its pull-up reads low."""
        for port in (0, 1):
            is_open = ~(self.closed >> 8 * port) & 0xFF
            self._registers[PORTS + port] = self._registers[PULL_UPS + port] & is_open
        first, self._at = self._at, self._at + count
        return bytes(self._registers[n % REGISTERS] for n in range(first, first + count))


CHIPS: dict[int, Mcp23017] = {}


def _serve(line: socket.socket) -> None:
    status = ACKNOWLEDGED
    while head := line.recv(48, socket.MSG_WAITALL):
        command, number, _, is_in, _, _, length = struct.unpack(">7I", head[:28])
        kind, request, value, index, _ = struct.unpack("<BBHHH", head[40:])
        if command == UNLINK:
            line.sendall(struct.pack(">5Ii24x", UNLINKED, number, 0, 0, 0, 0))
            continue
        data = line.recv(length, socket.MSG_WAITALL) if length and not is_in else b""
        reply = b""
        if kind & 0x60 and request & IO:
            chip = CHIPS.get(index)
            status = ACKNOWLEDGED if chip else REFUSED
            if chip is not None and is_in:
                reply = chip.read(length)
            elif chip is not None:
                chip.write(data)
            elif is_in:
                reply = bytes(length)
        elif kind & 0x60:
            answers = {FUNCTIONS: struct.pack("<I", 0x8EFF0001), STATUS: bytes((status,))}
            reply = answers.get(request, b"")
        elif request == 6:
            reply = DESCRIBED.get(value >> 8, b"")
        reply = reply[:length] if is_in else b""
        count = len(reply) if is_in else length
        line.sendall(struct.pack(">5I2i20x", SUBMITTED, number, 0, 0, 0, 0, count) + reply)


def plug() -> None:
    """Put the bus into this machine."""
    mine, kernels = socket.socketpair()
    Thread(target=_serve, args=(mine,), daemon=True).start()
    VHCI.write_text(f"0 {kernels.detach()} {DEVICE_ID} {HIGH_SPEED}")
