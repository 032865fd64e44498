"""Bringing the program to a board: which files, in which order, and over which way.

A Pico that is fresh from its bag shows up as a drive: a MicroPython image (UF2) is copied onto it.
One with MicroPython gets all files over its REPL (`Prompt`, by mpremote as a library). One that
runs lumiban gets a new program into its free folder by FILE frames, and its description; its
calibration stays.

`Updater` says which frames those are, in which order, and what the board answered, without input or
output: `next` gives a frame for the reliable sender, `take` is told the answers. docs/wire.md,
"Files and updates", has the steps.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import re
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lumiban_fw import wire

from lumiban.boards.client import RESTART_US, BoardClient
from lumiban.boards.files import file_frames, refusal, upload
from lumiban.boards.identity import identity_bin
from lumiban.boards.link import mismatch
from lumiban.boards.messages import packed, unpacked
from lumiban.boards.ports import localized
from lumiban.boards.profile import Profile
from lumiban.boards.types import Hello
from lumiban.errors import BoardError, UsageError
from lumiban.invocation import adding
from lumiban.maker import tried
from lumiban.maker.program import PACKAGE_FOLDER, start_file

MIN_MICROPYTHON = (1, 23)
"""Older ones do not read the compiled files (.mpy 6.3)."""
TRIAL_US = 12_000_000
"""A new program is kept once it has run for ten seconds and was greeted."""
_BLOCK, _FAMILY, _RP2040 = 512, 0x2000, 0xE48BFF56
_UF2 = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
CHIP = "RP2040"
"""The chip whose registers the program knows: another one's lie elsewhere."""
LAST = "/main.py"
"""Files that start a board: they are written last."""
MOUNTS = ("media/*/*", "run/media/*/*", "media/*", "mnt/*", "Volumes/*")
"""Folders in which systems mount drives, below the root."""

Progress = Callable[[str, int, int], None]
"""Told (name of the file, bytes done, bytes of all)."""


# A drive.


@dataclass(frozen=True, slots=True)
class Drive:
    """A chip in its boot loader: where its drive is, and which board it says to be."""

    path: Path
    board: str

    @property
    def is_of_our_chip(self) -> bool:
        """True for an RP2040's."""
        return self.board.startswith("RPI-RP2")


def drives(root: Path = Path("/")) -> list[Drive]:
    """The drives of chips in BOOTSEL mode."""
    drives_by_folder = {}
    for pattern in MOUNTS:
        for info in sorted(root.glob(f"{pattern}/INFO_UF2.TXT")):
            drives_by_folder[info.parent] = Drive(info.parent, _board_id(info))
    return list(drives_by_folder.values())


LABEL = Path("dev/disk/by-label/RPI-RP2")
USB_OF_BOOTSEL = ("2e8a", "0003")
"""Vendor and product of a Pico in its boot loader."""
MOUNT_S = 20.0


def unmounted(root: Path = Path("/")) -> Path | None:
    """The drive of a chip in BOOTSEL mode that nothing has mounted, as on a system without a
    desktop: by its label, else by the USB numbers of its boot loader. None where there is none.
    """
    if (root / LABEL).exists():
        return (root / LABEL).resolve()
    for device in sorted((root / "sys/bus/usb/devices").glob("*")):
        try:
            ids = tuple((device / name).read_text().strip() for name in ("idVendor", "idProduct"))
        except OSError:
            continue  # a hub's end, or an interface
        if ids == USB_OF_BOOTSEL:
            # The partition, or the whole disk where it has none.
            parts = sorted(device.resolve().glob("*/host*/target*/*/block/*"))
            for disk in parts:
                inner = sorted(disk.glob(f"{disk.name}[0-9]*"))
                return root / "dev" / (inner or [disk])[0].name
    return None


def mount(device: Path) -> Path:
    """Folder in which udisks has mounted a drive for us; BoardError with the two commands where it
    cannot."""
    words = ["udisksctl", "mount", "--no-user-interaction", "-b", str(device)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=MOUNT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        output = ""
    else:
        output = done.stdout
    match = re.search(r" at (/.+?)\.?$", output.strip())
    if match is None:
        raise BoardError(localized("flash.drive.unmounted", device=device))
    return Path(match[1])


def _board_id(info: Path) -> str:
    try:
        match = re.search(r"^Board-ID:\s*(\S+)", info.read_text("ascii", "replace"), re.MULTILINE)
    except OSError:
        return ""
    return match[1] if match else ""


def checked_drive(path: Path) -> Drive:
    """The drive at this path; BoardError when it is not that of an RP2040."""
    drive = Drive(path, _board_id(path / "INFO_UF2.TXT"))
    if not drive.is_of_our_chip:
        raise BoardError(localized("flash.drive.other", path=path, board=drive.board or "?"))
    return drive


@dataclass(frozen=True, slots=True)
class Image:
    """A UF2 file with MicroPython: its version, and the board that it is made for ("" for one that
    is neither a Pico nor a Pico W)."""

    data: bytes
    version: str
    board: str


def image(path: Path) -> Image:
    """The image in a UF2 file; UsageError when it is not a fitting one."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            localized("flash.uf2.unreadable", path=path, reason=error.strerror)
        ) from None
    if not data or len(data) % _BLOCK:
        raise UsageError(localized("flash.uf2.none", path=path))
    flat = b""
    for at in range(0, len(data), _BLOCK):
        head = struct.unpack_from("<8I", data, at)
        if head[:2] != _UF2[:2] or head[4] > 476:
            raise UsageError(localized("flash.uf2.none", path=path))
        if head[2] & _FAMILY and head[7] != _RP2040:
            raise UsageError(localized("flash.uf2.chip", path=path))
        flat += data[at + 32 : at + 32 + head[4]]
    match = re.search(rb"MicroPython v(\d+\.\d+[\w.-]*)", flat) or re.search(
        rb"v(\d+\.\d+\.\d+)[^\0]{0,40} on 20\d\d-", flat
    )
    if not match:
        raise UsageError(localized("flash.uf2.not-micropython", path=path))
    version = match[1].decode("ascii")
    check_version(version)
    return Image(data, version, tried.board_of(flat.decode("latin-1")))


def check_version(version: str) -> None:
    """BoardError when a MicroPython is too old; `version` as 1.27.0 or v1.27.0-preview."""
    numbers = re.findall(r"\d+", version)[:2]
    if len(numbers) < 2 or tuple(map(int, numbers)) < MIN_MICROPYTHON:
        least = ".".join(map(str, MIN_MICROPYTHON))
        raise BoardError(
            localized("flash.micropython.old", version=version, least=least, tried=tried.versions())
        )


def check_prompt(version: str) -> None:
    """BoardError when a prompt's MicroPython is too old, or its chip is not the one that the
    program is made for; `version` as `Prompt.version` gives it."""
    check_version(version)
    _, _, machine = version.partition(" ")
    platform, _, chip = machine.partition(" ")
    if platform != "rp2":
        raise BoardError(localized("flash.chip.other", version=version))
    if chip and CHIP not in chip:
        raise BoardError(localized("flash.chip.unsupported", chip=chip, needed=CHIP))


def copy_image(drive: Drive, data: bytes, progress: Progress) -> None:
    """Copy an image onto a drive; the chip starts with it by itself. BoardError."""
    try:
        with (drive.path / "lumiban.uf2").open("wb") as file:
            for at in range(0, len(data), 64 * _BLOCK):
                file.write(data[at : at + 64 * _BLOCK])
                file.flush()
                progress("MicroPython", at, len(data))
    except OSError as error:
        # The drive vanishes as soon as the last block is there: that is how it says "done".
        if not drive.path.exists():
            return
        raise BoardError(localized("flash.drive.broken", path=drive.path, reason=error)) from None


# The files.

STARTER = b"""\
import micropython

micropython.kbd_intr(-1)
globals().clear()
import sys
import boot

folder = boot.begin()
why = None
if folder is None:
    import micropython

    micropython.kbd_intr(3)
    print("lumiban: the prompt; a reset starts the board again.")
else:
    if folder:
        boot = None
        del sys.modules["boot"]
        try:
            sys.path.insert(0, "/" + folder)
            import main

            main.main()
        except Exception as error:
            why = error
        import boot

        boot.ended(folder, why)
    boot.rescue()
"""
"""`/main.py`: MicroPython opens USB when /boot.py has ended, so the start is not there. 0x03 is
data from the first line on, but at the prompt. /boot.py was run among this file's names, so they
are forgotten, which frees 2.3 KB; it is loaded again, and what has chosen the program is not in
memory while that runs.
"""


def rescue_modules() -> list[str]:
    """The modules that the rescue needs, found by what it imports."""
    modules: set[str] = set()
    left = ["rescue", "hal_rescue", "__init__"]
    while left:
        name = left.pop()
        if name in modules or not (PACKAGE_FOLDER / f"{name}.py").is_file():
            continue
        modules.add(name)
        for node in ast.walk(ast.parse((PACKAGE_FOLDER / f"{name}.py").read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lumiban_fw"):
                module = (node.module or "").partition(".")[2]
                left += [module] if module else [alias.name for alias in node.names]
    return sorted(modules)


def firmware_number() -> int:
    """The number of the firmware that we bring, as its HELLO will tell."""
    match = re.search(
        r"^FIRMWARE = (\d+)", (PACKAGE_FOLDER / "board.py").read_text("utf-8"), re.MULTILINE
    )
    if match is None:
        raise AssertionError("board.py has no FIRMWARE")
    return int(match[1])


def flash_files(profile: Profile, program: Mapping[str, bytes]) -> dict[str, bytes]:
    """All files of a board that has nothing but MicroPython, by path, in the order to write them.

    What makes it start comes last: cut anywhere, the chip still answers on its REPL. The rescue is
    source, which every MicroPython reads.
    """
    files: dict[str, bytes] = {}
    for name in rescue_modules():
        files[f"/rescue/lumiban_fw/{name}.py"] = (PACKAGE_FOLDER / f"{name}.py").read_bytes()
    for name, data in sorted(program.items()):
        files["/a/main.py" if name == "main.py" else f"/a/lumiban_fw/{name}"] = data
    files["/board.bin"] = profile.board_bin()
    files["/identity.bin"] = identity_bin(profile)
    files["/a/manifest"] = manifest(program)
    files["/slot"] = b"a-0-"
    files["/boot.py"] = start_file("boot.py")
    files["/main.py"] = STARTER
    return files


ROM = "/rom/lumiban_fw/"
"""Folder in which a MicroPython with ROMFS shows the modules that lie in its flash and run there in
place."""
ROM_FIRST = b'import sys\n\nsys.path.insert(0, "/rom")\n'
"""Before main.py: the folder of the program has a package of the same name, which is empty."""


def lay_out(folder: Path, program: Mapping[str, bytes]) -> None:
    """Write a program's modules as `mpremote romfs deploy` wants them; UsageError."""
    try:
        (folder / "lumiban_fw").mkdir(parents=True, exist_ok=True)
        for name, data in program.items():
            if name != "main.py":
                (folder / "lumiban_fw" / name).write_bytes(data)
    except OSError as error:
        raise UsageError(localized("flash.rom.unwritable", path=folder, reason=error)) from None


def left_beside_rom(repl: Repl, folder: Path, program: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files of a program that go to the board when its modules lie in ROMFS.

    BoardError when the board's ROMFS holds other ones: it says how they get there.
    """
    modules = {name: data for name, data in program.items() if name != "main.py"}
    wanted = {ROM + name: hashlib.sha256(data).hexdigest() for name, data in modules.items()}
    if repl.sums(list(wanted)) != wanted:
        raise BoardError(localized("flash.rom.deploy", folder=folder))
    return {"main.py": ROM_FIRST + program["main.py"]}


# A MicroPython without lumiban.


class Repl(Protocol):
    """MicroPython's prompt, as `install` uses it; BoardError when it does not answer."""

    def version(self) -> str:
        """Its version, and the chip that it runs on: "1.27.0 rp2"."""

    def sums(self, paths: list[str]) -> dict[str, str]:
        """The sha256 in hex of those files that are there."""

    def make_folders(self, paths: list[str]) -> None:
        """Make these folders where they are missing, in this order."""

    def write(self, path: str, data: bytes) -> None:
        """Replace a file."""

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def reset(self) -> None:
        """Restart the chip."""


def install(repl: Repl, files: Mapping[str, bytes], progress: Progress) -> int:
    """Bring all files that are not there yet, check each, restart; how many were written.

    BoardError when MicroPython is too old, or a file did not arrive whole. What was interrupted
    goes on with the files that are missing when it is called again.
    """
    check_prompt(repl.version())
    there = repl.sums(list(files))
    wanted = {p: d for p, d in files.items() if there.get(p) != hashlib.sha256(d).hexdigest()}
    if wanted and LAST in there:
        repl.remove(LAST)  # half a program shall not start
        wanted[LAST] = files[LAST]
    folders = {str(parent) for path in files for parent in Path(path).parents}
    repl.make_folders(sorted(folders - {"/"}))
    size, done = sum(map(len, wanted.values())), 0
    for path, data in wanted.items():
        progress(path, done, size)
        repl.write(path, data)
        done += len(data)
    kept = repl.sums(list(wanted))
    for path, data in wanted.items():
        if kept.get(path) != hashlib.sha256(data).hexdigest():
            raise BoardError(localized("flash.file.broken", path=path))
    repl.reset()
    return len(wanted)


# A board that runs lumiban.


def update(
    client: BoardClient, profile: Profile, program: Mapping[str, bytes], progress: Progress
) -> Hello:
    """Send the description and the program, start it on trial, and wait until it is kept.

    The calibration stays. BoardError says what the board refused; the program before runs on.
    """
    if not client.hello.capabilities & wire.CAN_UPDATE:
        raise BoardError(localized("flash.no-update"))
    described = profile.board_bin()
    upload(client, wire.FILE_BOARD, described)
    updater = Updater(program)
    while (frame := updater.next()) is not None:
        if frame[0] == wire.H_BOOT:
            break
        progress(updater.now, updater.sent, updater.size)
        for heard in client.deliver(*frame):
            updater.take(heard.kind, heard.payload)
    if updater.meets_trial:
        raise BoardError(localized("flash.on-trial"))
    if updater.failed:
        raise BoardError(localized("flash.refused", reason=updater.failed))
    progress("", updater.size, updater.size)
    client.link.profile = None  # it may come back as the board that it is now described to be
    hello = client.restart(wire.BOOT_OTHER)
    if hello.capabilities & wire.CAN_IDENTIFY:  # the program before may not have known the file
        upload(client, wire.FILE_IDENTITY, identity_bin(profile))
    client.run(TRIAL_US)
    # Also one that was told with the greeting, by a board that fell back at once.
    if any(fault.what == wire.FAULT_ROLLED_BACK for fault in client.held_faults()):
        raise BoardError(localized("flash.rolled-back"))
    return client.hello


def verify(hello: Hello, profile: Profile) -> None:
    """BoardError when the board does not tell the firmware and the profile that it was given."""
    unlike = mismatch(hello, profile)
    if not unlike and hello.firmware != firmware_number():
        unlike = f"firmware {hello.firmware} ≠ {firmware_number()}"
    if unlike:
        raise BoardError(localized("flash.not-verified", detail=unlike))


T = TypeVar("T")
_SUMS = """\
import hashlib
from binascii import hexlify
for p in {paths!r}:
    try:
        h = hashlib.sha256()
        with open(p, 'rb') as f:
            while True:
                b = f.read(512)
                if not b:
                    break
                h.update(b)
        print(p, hexlify(h.digest()).decode())
    except OSError:
        pass
"""
_FOLDERS = """\
import os
for p in {paths!r}:
    try:
        os.mkdir(p)
    except OSError:
        pass
"""
_REMOVE = """\
import os
try:
    os.remove({path!r})
except OSError:
    pass
"""
_VERSION = """\
import sys
version = ".".join(map(str, sys.implementation[1][:3]))
version += "".join("-" + word for word in sys.implementation[1][3:4] if word)
print(version, sys.platform, getattr(sys.implementation, "_machine", ""))
"""


class Prompt:
    """The prompt at a port; BoardError without mpremote, or where no MicroPython answers."""

    def __init__(self, port: str) -> None:
        try:
            from mpremote.transport import TransportError
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            raise BoardError(localized("flash.no-mpremote", command=adding("flash"))) from None
        self._errors = (TransportError, OSError)
        self._line: Any = self._quietly(lambda: SerialTransport(port))
        self._quietly(lambda: self._line.enter_raw_repl(soft_reset=False))

    def version(self) -> str:
        """Its version, platform and chip, as in "1.27.0 rp2 Raspberry Pi Pico with RP2040"."""
        return self.run(_VERSION).strip()

    def sums(self, paths: list[str]) -> dict[str, str]:
        """The sha256 in hex of those files that are there."""
        lines = self.run(_SUMS.format(paths=paths)).split("\n")
        return dict(line.split() for line in lines if len(line.split()) == 2)

    def make_folders(self, paths: list[str]) -> None:
        """Make these folders where they are missing."""
        self.run(_FOLDERS.format(paths=paths))

    def write(self, path: str, data: bytes) -> None:
        """Replace a file."""
        self._quietly(lambda: self._line.fs_writefile(path, data, 512))

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        self.run(_REMOVE.format(path=path))

    def reset(self) -> None:
        """Restart the chip and let go of the port."""
        with contextlib.suppress(BoardError):  # the port goes away in the midst of it
            self._quietly(lambda: self._line.exec_raw_no_follow("import machine\nmachine.reset()"))
        self.close()

    def close(self) -> None:
        """Let go of the port."""
        with contextlib.suppress(OSError):
            self._line.close()

    def run(self, code: str) -> str:
        """Output of the code."""
        out: bytes = self._quietly(lambda: self._line.exec(code))
        return out.decode("utf-8", "replace").replace("\r", "")

    def _quietly(self, call: Callable[[], T]) -> T:
        """Do something of mpremote's, which prints what it thinks when it fails."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return call()
        except self._errors as error:
            raise BoardError(
                localized("flash.no-repl", reason=" ".join(str(error).split()))
            ) from None


def manifest(program: Mapping[str, bytes]) -> bytes:
    """The text that makes the files of a folder a program.

    >>> print(manifest({"main.py": b""}).decode(), end="")
    lumiban 1
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 main.py
    """
    lines = [f"{hashlib.sha256(program[name]).hexdigest()} {name}" for name in sorted(program)]
    return ("\n".join(["lumiban 1", *lines]) + "\n").encode()


FRAME_US, SECTOR, SECTOR_US = 8_000, 4_096, 135_000
"""A board takes in a frame of an update in 8 ms, and writes a sector's bytes with three erasures of
45 ms: one of the sector, others for the copy of a part and for the folder."""
AFTER_US = TRIAL_US + RESTART_US
"""Then it restarts, and the program is on trial."""


class TimeLeft:
    """Estimate of the time left for an update: by the usual pace at first, and more and more by its
    own.

    >>> left = TimeLeft(57_600)
    >>> left.seconds(0, 0), left.seconds(28_800, 12_000_000), left.seconds(57_600, 24_000_000)
    (24, 22, 13)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._usual_us = FRAME_US / wire.FILE_BYTES + SECTOR_US / SECTOR

    def seconds(self, sent: int, since_us: int) -> int:
        """Progress after this number of bytes and seconds."""
        a_byte_us = self._usual_us
        if sent:
            share = sent / max(self._size, 1)
            a_byte_us += share * (since_us / sent - a_byte_us)
        return round((a_byte_us * (self._size - sent) + AFTER_US) / 1e6)


class Updater:
    """Frames that bring a program (file name → bytes) to a board and start it on trial.

    ValueError for a name that the board would not take. `failed` says in English why it stopped,
    or is "".
    """

    def __init__(self, program: Mapping[str, bytes]) -> None:
        for name in program:
            if not 0 < len(name) <= wire.FILE_NAME:
                raise ValueError(f"a file's name may have {wire.FILE_NAME} letters: {name}")
        self.failed = ""
        self.meets_trial = False
        """True if it stopped because the board's last program is still on trial."""
        self.sent = 0
        """Bytes of files handed out so far."""
        self.size = sum(len(data) for data in program.values())
        """Bytes of all files."""
        self.now = ""
        """Name of the file that is being sent."""
        self._program = dict(program)
        self._frames = self._all()

    def next(self) -> tuple[int, bytes] | None:
        """The next frame (type, payload) to send reliably; None when all are out or it failed."""
        return None if self.failed else next(self._frames, None)

    def take(self, kind: int, payload: bytes) -> None:
        """Takes a message of the board: FILE and NAK matter, all else is passed over."""
        reason = refusal(kind, payload)
        if kind == wire.B_NAK:
            refused, _, why = unpacked(wire.B_NAK, payload).fields
            if refused == wire.H_BOOT:
                reason = f"the board refused to start it, reason {why}"
            if reason:
                self.meets_trial = (refused, why) == (wire.H_FILE_BEGIN, wire.NAK_BUSY)
        if reason:
            self.failed = f"{self.now}: {reason}"

    def _all(self) -> Iterator[tuple[int, bytes]]:
        for name in sorted(self._program):
            yield from self._file(wire.FILE_PROGRAM, name, self._program[name])
        yield from self._file(wire.FILE_MANIFEST, "manifest", manifest(self._program))
        self.now = ""
        yield wire.H_BOOT, packed(wire.H_BOOT, wire.BOOT_MAGIC, wire.BOOT_OTHER)

    def _file(self, what: int, name: str, data: bytes) -> Iterator[tuple[int, bytes]]:
        self.now = name
        is_program = what == wire.FILE_PROGRAM
        left = len(data) if is_program else 0
        for kind, payload in file_frames(what, data, name if is_program else ""):
            if kind == wire.H_FILE_DATA:
                part = min(left, wire.FILE_BYTES)
                self.sent, left = self.sent + part, left - part
            yield kind, payload
