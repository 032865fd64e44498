"""A Pico's pins in the MicroPython VM, for the firmware's own scan of switches.

Runs there after `micropython_vm/port.py`, in the same namespace. Writes to registers are kept until
a pin is read: then all go out by /dev/pins, and the level comes back (`switched_vm.Around`). An
item is op u8 | u32 | u32:

    PUT  register | mask               MAKE pin | 1 drives, 2 pulls up, 4 high
    GET  register | 0, last: a u32     TELL address and register | two bytes, last: one byte or none
    ASK  address and register | count, last: the bytes, or none where no chip answers
"""

import builtins
import struct
import sys

PUT, MAKE, GET, TELL, ASK = range(5)
ITEM = "<BII"
WRAP = (1 << 30) - 1
line = open("/dev/pins", "r+b")  # noqa: SIM115, PTH123
kept = bytearray()
told = bytearray(8)


def keep(op, one, other):
    global kept
    kept += struct.pack(ITEM, op, one & 0xFFFFFFFF, other & 0xFFFFFFFF)


def ask(op, one, other):
    """The bytes that answer this; all that was kept goes before it."""
    global kept
    keep(op, one, other)
    line.write(kept)
    kept = bytearray()
    return told[: line.readinto(told)]


class Register:
    def __init__(self, address):
        self.address = address

    def __getitem__(self, at):
        assert at == 0
        return struct.unpack("<I", ask(GET, self.address, 0))[0]

    def __setitem__(self, at, mask):
        assert at == 0
        keep(PUT, self.address, mask)


class Pin:
    IN, OUT, PULL_UP = 0, 1, 1

    def __init__(self, pin, mode=-1, pull=0, *, value=0):
        if mode >= 0:
            keep(MAKE, pin, (mode == Pin.OUT) | bool(pull) << 1 | bool(value) << 2)


class I2C:
    def __init__(self, bus, *, sda, scl, freq, timeout):
        assert (bus, freq, timeout) == (1, 400_000, 2_000)

    def writeto_mem(self, address, register, data):
        if not ask(TELL, address | register << 8, data[0] | data[1] << 8):
            raise OSError(5)

    def readfrom_mem_into(self, address, register, into):
        got = ask(ASK, address | register << 8, len(into))
        if not got:
            raise OSError(5)
        into[:] = got


class Clock:
    """`time`, at the moment of the turn that runs; it goes on while the scan waits."""

    now_us = 0

    def ticks_us(self):
        return self.now_us & WRAP

    def sleep_us(self, us):
        self.now_us += us


class Names:
    """A module with these names."""

    def __init__(self, **names):
        for name, value in names.items():
            setattr(self, name, value)


clock = Clock()


def contacts_of(layout):
    """The firmware's scan of a board's switches, on these pins."""
    stands_in = {
        "machine": Names(Pin=Pin, I2C=I2C),
        "time": clock,
        "lumiban_fw.hal_pico": Names(Pico=object),
        "lumiban_fw.hal_pio": Names(WRAP=WRAP),
    }
    before = {name: sys.modules.get(name) for name in stands_in}
    sys.modules.update(stands_in)
    # Of what viper calls pointers, only registers are more than the array itself.
    builtins.ptr32 = lambda of: Register(of) if isinstance(of, int) else of
    builtins.ptr16 = builtins.ptr8 = lambda of: of
    try:
        from lumiban_fw.hal_switches import Contacts

        return Contacts(layout)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


class PinPort(Port):  # noqa: F821
    """What the firmware sees: the pins' switches in place of frames that come with a request."""

    wraps = True
    contacts = None

    def pending(self):
        return 0

    def scan(self, counts, references):
        if self.contacts is None:
            from lumiban_fw import layout_file

            self.contacts = contacts_of(layout_file.read(self.board_bin()))
        return self.contacts.scan(clock.now_us & WRAP, counts, references)

    def worst_gap_us(self):
        return self.contacts.worst_gap_us if self.contacts else 0


class PinSteps(Steps):  # noqa: F821
    """The board in this VM; its clock stands where the request says."""

    def _tick(self, n):
        clock.now_us = struct.unpack_from("<Q", self._buffer, 1)[0]
        return super()._tick(n)


Port, Steps = PinPort, PinSteps
