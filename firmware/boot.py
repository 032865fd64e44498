"""Before all else: choose the program that starts, and come back from one that does not.

MicroPython opens USB only after it has run /boot.py, so nothing starts from there: /main.py, some
lines that `flash` writes, imports this file, asks it what to start, and drops it: it would take
3 KB of the program's memory.

A program lies in folder `a` or `b`. `/slot` holds four bytes (lumiban_fw/update.py writes them
too): the good folder, the folder on trial or "-", how often it was started, the folder that was
given up or "-". A program on trial that has not said within three starts that it came up is given
up. A program that cannot start hands over to the other one, and that to the rescue, which takes
files and lies in a folder that no update touches. This file is never updated over the wire.

Every change is one rename: power may go at any moment.

Who wants MicroPython's prompt holds the first button while the power comes on, or sends BOOT 4.
"""

import os
import sys

STARTS = 3
"""A program on trial is started so often before it is given up."""
POWER_ON, WATCHDOG = 1, 3
"""Causes of a reset, as the chip tells them."""
BUTTON_PIN = 0
"""The first button, to ground."""
SCRATCH, SOFT = 0x4005800C, 0x4C4D4252
EARLY_MS = 10_000
"""A good program that fails sooner would fail again at once: the rescue answers instead."""


class Files:
    """The chip's files; `root` is another place for tests."""

    def __init__(self, root: str = "") -> None:
        self.root = root

    def read(self, name: str) -> bytes:
        """A file's bytes; b"" when there is none."""
        try:
            with open(self.root + "/" + name, "rb") as file:
                data: bytes = file.read()
                return data
        except OSError:
            return b""

    def write(self, name: str, data: bytes) -> None:
        """Replace a file, whole or not at all; what cannot be written stays as it is."""
        path = self.root + "/" + name
        try:
            with open(path + ".new", "wb") as file:
                file.write(data)
            os.rename(path + ".new", path)
        except OSError:
            pass

    def has(self, folder: str) -> bool:
        """True if a folder holds a program: its manifest is the last file of an update."""
        return self.read(folder + "/manifest")[:9] == b"lumiban 1" and self.there(folder)

    def there(self, folder: str) -> bool:
        """True if a folder holds something to start."""
        for name in ("main.py", "main.mpy"):
            try:
                os.stat(self.root + "/" + (folder + "/" if folder else "") + name)
                return True
            except OSError:
                pass
        return False

    def make_folders(self) -> None:
        """The folders that programs are written to."""
        for folder in ("a", "a/lumiban_fw", "b", "b/lumiban_fw"):
            try:
                os.mkdir(self.root + "/" + folder)
            except OSError:
                pass


def other(folder: str) -> str:
    """The other of the two folders."""
    return "b" if folder == "a" else "a"


def slot(files: Files) -> "tuple[str, str, int]":
    """(good folder, folder on trial, starts); what is not readable is "-" and 0."""
    data = files.read("slot")
    if len(data) != 4:
        return "-", "-", 0
    good, trial, starts = chr(data[0]), chr(data[1]), data[2] - 48
    if good not in ("a", "b"):
        good = "-"
    if trial not in ("a", "b") or not 0 <= starts <= STARTS:
        trial = "-"
    return good, trial, starts


def keep(files: Files, good: str, trial: str, starts: int, gone: str = "-") -> None:
    """Note what was decided."""
    files.write("slot", (good + trial + chr(48 + starts) + gone).encode())


def choose(files: Files, cause: int = 0) -> str:
    """The folder to start: "a", "b", or "" for the rescue. Counts the start of a trial."""
    if files.read("rescue.please"):
        files.write("rescue.please", b"")
        return ""
    good, trial, starts = slot(files)
    if trial != "-" and trial != good:
        if starts < STARTS and files.has(trial):
            keep(files, good, trial, starts + 1)
            return trial
        keep(files, good, "-", 0, trial)
        if good == "-":
            good = other(trial)
    elif cause == WATCHDOG and good != "-":
        # It hangs although it came up once: some file that it reads may be the reason.
        if starts >= STARTS:
            keep(files, good, "-", 0)
            return ""
        keep(files, good, "-", starts + 1)
    if good != "-":
        if files.has(good):
            return good
        return other(good) if files.has(other(good)) else ""
    for folder in ("a", "b"):
        if files.has(folder):
            return folder
    return ""


def program(folder: str) -> None:
    """Run a folder's program; returns when it ends."""
    sys.path.insert(0, "/" + folder)
    import main  # each folder has its own

    main.main()


def rescue() -> None:
    """Take files until the host restarts the board."""
    for name in list(sys.modules):
        if name == "main" or name.startswith("lumiban_fw"):
            del sys.modules[name]
    sys.path.insert(0, "/rescue")
    from lumiban_fw.rescue import main

    main()


def held() -> bool:
    """True if the first button is held down, for 20 ms."""
    import time

    import machine

    pin = machine.Pin(BUTTON_PIN, machine.Pin.IN, machine.Pin.PULL_UP)
    for _ in range(10):
        time.sleep(0.002)  # a contact bounces for longer than one look
        if pin.value():
            return False
    return True


def begin() -> "str | None":
    """Starts the chip at power-on: gives the folder whose program shall run, "" for the rescue,
    None for MicroPython's prompt."""
    import machine

    files = Files()
    files.make_folders()
    if files.read("prompt.please"):
        files.write("prompt.please", b"")
        return None
    if machine.reset_cause() == POWER_ON and held():
        return None
    # A reset by software is the watchdog's too; hal_pico.py leaves a word that it was meant.
    meant = machine.mem32[SCRATCH] == SOFT
    return choose(files, 0 if meant else machine.reset_cause())


def ended(folder: str, error: "Exception | None") -> None:
    """A folder's program has ended, though it should not: restart, or let the rescue answer."""
    import time

    import machine

    print("lumiban: the program in", folder, "ended:", repr(error))
    if error is not None:
        sys.print_exception(error)
        time.sleep(0.2)  # a reset drops what USB has not taken yet
    ms: int = time.ticks_ms()
    if error is not None and (ms > EARLY_MS or slot(Files())[1] == folder):
        machine.reset()
    rescue()


def start() -> None:
    """All of it, for a /main.py of former times; the present one lets go of this file before."""
    folder = begin()
    if folder is None:
        return
    if not folder:
        rescue()
        return
    why = None
    try:
        program(folder)
    except Exception as error:  # noqa: BLE001  # whatever it is, the board must answer
        why = error
    ended(folder, why)
