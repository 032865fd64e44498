"""Files from the host: programs into the free folder, the board's description, the calibration.

Power may go at any moment. What is kept is always whole: a small file is stored in one step, a
program counts only once its manifest holds, and which program starts is four bytes, also stored
in one step (boot.py reads them):

    good folder · folder on trial or "-" · starts counted · folder that was given up or "-"
"""

import hashlib
from binascii import hexlify

from lumiban_fw import wire
from lumiban_fw.hal import Hal
from lumiban_fw.wire import Nak

SLOT = "slot"
RESCUE, PROMPT = "rescue.please", "prompt.please"
BOARD_BIN = "board.bin"
CALIBRATION = "calibration.bin"
MANIFEST = "manifest"
IDENTITY = "identity.bin"
"""As identity.py names it."""
FIRST_LINE = b"lumiban 1"
PIECE = 4_096
"""Bytes of a program that are written at once: less would erase a block of the flash each time."""
SMALL = 12_000
"""Bytes of the largest file that is gathered in memory."""
LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789_."


def slot(store: Hal) -> "tuple[str, str, int, str]":
    """(good folder, folder on trial, starts, folder given up); "-" stands for none."""
    data = store.load(SLOT)
    if len(data) != 4:
        return "-", "-", 0, "-"
    text = data.decode()
    return text[0], text[1], ord(text[2]) - 48, text[3]


def keep_slot(store: Hal, good: str, trial: str, starts: int = 0, gone: str = "-") -> bool:
    """Note which folder starts; False when the store failed."""
    return store.store(SLOT, (good + trial + chr(48 + starts) + gone).encode())


def path(folder: str, name: bytes) -> str:
    """Path of a program's file: main.py on top, modules in the package."""
    text = name.decode()
    return folder + "/" + text if text == "main.py" else folder + "/lumiban_fw/" + text


def whole(store: Hal, folder: str) -> bool:
    """True if all files of a folder's manifest are there and have their sums."""
    lines = store.load(folder + "/" + MANIFEST).split(b"\n")
    if lines[0] != FIRST_LINE or len(lines) < 3 or lines[-1] != b"":
        return False
    for line in lines[1:-1]:
        parts = line.split(b" ")
        if len(parts) != 2 or not _is_name(parts[1]):
            return False
        total = hashlib.sha256(b"")
        for block in store.blocks(path(folder, parts[1])):
            total.update(block)
        if hexlify(total.digest()) != parts[0]:
            return False
    return True


def _is_name(name: bytes) -> bool:
    if not name or len(name) > wire.FILE_NAME:
        return False
    for letter in name:
        if letter not in LETTERS:
            return False
    return name[0] != LETTERS[-1]


class Receiver:
    """Takes in files; `open` tells whether one is under way. In the `rescue` no trial runs."""

    def __init__(self, store: Hal, rescue: bool = False) -> None:
        good, trial, _, _ = slot(store)
        runs = good if trial == "-" or (rescue and good != "-") else trial
        self.open = False
        self.free = "a" if runs != "a" else "b"
        """The folder that an update is written to."""
        self._store = store
        self._emptied = False
        self._what = 0
        self._path = ""
        self._size = 0
        self._had = 0
        self._goal = b""
        self._sum = hashlib.sha256(b"")
        self._held = bytearray()

    def answer(self, kind: int, payload: bytes) -> "tuple[int, bytes]":
        """Follow FILE_BEGIN to FILE_READ; (kind, payload) of the answer, of ACK if it says no more.

        Nak when it cannot be followed, ValueError when it is too short.
        """
        if kind == wire.H_FILE_BEGIN:
            return wire.B_FILE, self.begin(payload)
        if kind == wire.H_FILE_END:
            return wire.B_FILE, self.end()
        if kind == wire.H_FILE_READ:
            return wire.B_FILE_PART, self.part(payload)
        self.data(payload)
        return wire.B_ACK, b""

    def boot(self, payload: bytes) -> int:
        """Prepare what BOOT asks for; how to restart. Nak as `answer`."""
        how = wire.unpack_boot(payload)
        if how > wire.BOOT_PROMPT:
            raise Nak(wire.NAK_VALUE)
        if how == wire.BOOT_OTHER:
            self.try_other()
        elif how == wire.BOOT_RESCUE:
            self._ask(RESCUE)
        elif how == wire.BOOT_PROMPT:
            self._ask(PROMPT)
        return how

    def begin(self, payload: bytes) -> bytes:
        """FILE_BEGIN; the payload of FILE that answers it."""
        what, size, goal, name = wire.unpack_file_begin(payload)
        self.open = False
        if what > wire.FILE_IDENTITY or (what == wire.FILE_PROGRAM and not _is_name(name)):
            raise Nak(wire.NAK_VALUE)
        if what != wire.FILE_PROGRAM and size > SMALL:
            raise Nak(wire.NAK_VALUE)
        if what == wire.FILE_PROGRAM or what == wire.FILE_MANIFEST:
            good, trial, _, _ = slot(self._store)
            if trial != "-" and good == self.free:
                raise Nak(wire.NAK_BUSY)  # the good program, until the one on trial has come up
        if what == wire.FILE_PROGRAM:
            if not self._emptied:
                self._empty()
            self._path = path(self.free, name)
            self._store.discard(self._path)
        self._what = what
        self._size = size
        self._goal = goal
        self._had = 0
        self._sum = hashlib.sha256(b"")
        self._held = bytearray()
        self.open = True
        return wire.pack_file(what, wire.FILE_COMING, 0)

    def _empty(self) -> None:
        """Remove the manifest first: without it the folder holds no program."""
        lines = self._store.load(self.free + "/" + MANIFEST).split(b"\n")
        self._store.discard(self.free + "/" + MANIFEST)
        for line in lines[1:]:
            name = line.split(b" ")[-1]
            if _is_name(name):
                self._store.discard(path(self.free, name))
        self._emptied = True

    def data(self, payload: bytes) -> None:
        """FILE_DATA; Nak when nothing is open, it does not follow on, or the store fails."""
        offset, data = wire.unpack_file_data(payload)
        if not self.open:
            raise Nak(wire.NAK_BUSY)
        if offset != self._had or offset + len(data) > self._size:
            raise Nak(wire.NAK_FILE)
        self._held.extend(data)
        if self._what == wire.FILE_PROGRAM and len(self._held) >= PIECE and not self._write():
            self.open = False
            raise Nak(wire.NAK_STORE)
        self._sum.update(data)
        self._had += len(data)

    def _write(self) -> bool:
        """Add what is held to the program's file."""
        done = self._store.append(self._path, bytes(self._held))
        self._held = bytearray()
        return done

    def end(self) -> bytes:
        """FILE_END; the payload of FILE that answers it."""
        if not self.open:
            raise Nak(wire.NAK_BUSY)
        self.open = False
        status = wire.FILE_KEPT
        if self._had != self._size or self._sum.digest() != self._goal:
            status = wire.FILE_WRONG_SUM
        elif self._what != wire.FILE_PROGRAM:
            status = self._keep(bytes(self._held))
        elif (self._held or self._size == 0) and not self._write():
            status = wire.FILE_NO_ROOM
        self._held = bytearray()
        return wire.pack_file(self._what, status, self._had)

    def _keep(self, data: bytes) -> int:
        name = self.free + "/" + MANIFEST
        if self._what == wire.FILE_MANIFEST:
            self._emptied = False
        elif self._what == wire.FILE_BOARD:
            name = BOARD_BIN
            from lumiban_fw.layout_file import read

            try:
                read(data)
            except ValueError:
                return wire.FILE_REFUSED
        elif self._what == wire.FILE_IDENTITY:
            from lumiban_fw.identity import check as check_identity

            name = IDENTITY
            try:
                check_identity(data)
            except ValueError:
                return wire.FILE_REFUSED
        else:
            # Loaded with the first of these only.
            from lumiban_fw.calibration import CalibrationError, check

            name = CALIBRATION
            try:
                check(data)
            except CalibrationError:
                return wire.FILE_REFUSED
        return wire.FILE_KEPT if self._store.store(name, data) else wire.FILE_NO_ROOM

    def part(self, payload: bytes) -> bytes:
        """FILE_READ; the payload of FILE_PART that answers it."""
        what, offset = wire.unpack_file_read(payload)
        data = b""
        if what == wire.FILE_BOARD:
            data = self._store.load(BOARD_BIN)
        elif what == wire.FILE_CALIBRATION:
            data = self._store.load(CALIBRATION)
        elif what == wire.FILE_IDENTITY:
            data = self._store.load(IDENTITY)
        offset = min(offset, len(data))
        some = data[offset : offset + wire.FILE_BYTES]
        return wire.pack_file_part(what, offset, len(data), some)

    def try_other(self) -> None:
        """BOOT 1: put the free folder's program on trial; Nak when it is not whole."""
        if not whole(self._store, self.free):
            raise Nak(wire.NAK_FILE)
        good, _, _, _ = slot(self._store)
        trial = "-" if self.free == good else self.free
        if not keep_slot(self._store, good, trial):
            raise Nak(wire.NAK_STORE)

    def _ask(self, for_what: str) -> None:
        """BOOT 3 and 4: let boot.py start the rescue, or nothing, once."""
        if not self._store.store(for_what, b"1"):
            raise Nak(wire.NAK_STORE)


def came_up(store: Hal) -> "str":
    """The program runs and is greeted: keep it. The folder that was given up before, or "-"."""
    good, trial, starts, gone = slot(store)
    if trial != "-":
        keep_slot(store, trial, "-")
    elif starts or gone != "-":
        keep_slot(store, good, "-")
    return gone


def stands(store: Hal) -> None:
    """The program runs, and no host is there to confirm it: its starts count no more."""
    good, trial, starts, gone = slot(store)
    if starts:
        keep_slot(store, good, trial, 0, gone)
