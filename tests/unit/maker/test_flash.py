"""Flashing: a drive, MicroPython's prompt, a running board, a rescue; whole, cut, and refused."""

from __future__ import annotations

import ast
import hashlib
import os
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.boards.client import STORING_US, BoardClient
from lumiban.boards.identity import identity_bin
from lumiban.boards.messages import framed, packed, unpacked
from lumiban.boards.profile import load
from lumiban.boards.transport import ByteLine
from lumiban.boards.types import Faulty, Hello
from lumiban.cli import flash, run
from lumiban.errors import BoardError, LumibanError, UsageError
from lumiban.maker import flash as flashing
from lumiban.maker import tried
from lumiban.maker.flash import Prompt, manifest
from lumiban.maker.tried import Trial
from lumiban_fw import wire
from lumiban_fw.identity import IDENTITY
from lumiban_lab import rp2040
from lumiban_sim.rig import Rig
from lumiban_sim.world import World
from prompt_pty import PromptPty
from rig_line import RigLine
from sentences import says

HEX3 = load("hex3")
LACKING = rp2040.lacking()
PROGRAM = {"main.py": b"print()\n" * 40, "board.mpy": bytes(range(256)) * 4, "__init__.mpy": b""}
FILES = flashing.flash_files(HEX3, PROGRAM)


def nothing(*_: object) -> None:
    """Nobody watches."""


def _image(words: bytes, family: int = 0xE48BFF56) -> bytes:
    head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0x10000000, 256, 0, 1, family)
    return (head + words.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)).ljust(512, b"\0")


GOOD_IMAGE = _image(b"MicroPython v1.27.0 on 2025-12-09; Raspberry Pi Pico with RP2040\0")


def _drive(root: Path, board: str = "RPI-RP2", at: str = "media/pi/RPI-RP2") -> Path:
    drive = root / at
    drive.mkdir(parents=True)
    (drive / "INFO_UF2.TXT").write_text(f"UF2 Bootloader v3.0\nModel: x\nBoard-ID: {board}\n")
    return drive


# Drives and images.


@pytest.mark.parametrize(
    "at",
    ["media/pi/RPI-RP2", "run/media/pi/RPI-RP2", "media/RPI-RP2", "mnt/pico", "Volumes/RPI-RP2"],
)
def test_a_pico_in_its_boot_loader_is_found_and_gets_its_image(tmp_path: Path, at: str) -> None:
    path = _drive(tmp_path, at=at)
    [drive] = flashing.drives(tmp_path)
    assert drive == flashing.checked_drive(path)
    (tmp_path / "p.uf2").write_bytes(GOOD_IMAGE)
    image = flashing.image(tmp_path / "p.uf2")
    assert (image.version, image.board) == ("1.27.0", "Raspberry Pi Pico")
    flashing.copy_image(drive, image.data, nothing)
    assert (path / "lumiban.uf2").read_bytes() == GOOD_IMAGE


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "not a UF2"),
        (b"x" * 512, "not a UF2"),
        (GOOD_IMAGE[:-3], "not a UF2"),
        (_image(b"MicroPython v1.27.0", family=0xE48BFF59), "another chip"),
        (_image(b"CircuitPython 9"), "not a MicroPython image"),
        (_image(b"MicroPython v1.19.1 on 2022"), "too old"),
    ],
)
def test_an_image_that_does_not_fit_is_refused(tmp_path: Path, data: bytes, wrong: str) -> None:
    (tmp_path / "p.uf2").write_bytes(data)
    with pytest.raises(LumibanError, match=wrong):
        flashing.image(tmp_path / "p.uf2")


def test_a_pico_2_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="Pico 2"):
        flashing.checked_drive(_drive(tmp_path, "RP2350"))


# The prompt.


class Cut(Exception):
    """The cable was pulled."""


class FakeRepl:
    """A MicroPython whose cable is pulled after so many writes."""

    def __init__(self, version: str = "1.27.0 rp2") -> None:
        self.files: dict[str, bytes] = {}
        self.cut = -1
        self.resets = 0
        self.written = 0
        self._version = version

    def version(self) -> str:
        return self._version

    def sums(self, paths: list[str]) -> dict[str, str]:
        return {p: hashlib.sha256(self.files[p]).hexdigest() for p in paths if p in self.files}

    def make_folders(self, paths: list[str]) -> None:
        assert paths == sorted(paths)

    def write(self, path: str, data: bytes) -> None:
        if self.cut == 0:
            self.files[path] = data[: len(data) // 2]
            raise Cut
        self.cut -= 1
        self.written += 1
        self.files[path] = data

    def remove(self, path: str) -> None:
        self.files.pop(path, None)

    def reset(self) -> None:
        self.resets += 1


def test_wherever_it_is_cut_the_chip_starts_nothing_and_goes_on_with_what_is_missing() -> None:
    for cut in range(len(FILES)):
        repl = FakeRepl()
        repl.cut = cut
        with pytest.raises(Cut):
            flashing.install(repl, FILES, nothing)
        start = repl.files.get("/main.py", b"")
        assert start != FILES["/main.py"]  # its last file is the one that starts it
        repl.cut = -1
        before = repl.written
        # An empty file is whole as soon as it is there.
        assert flashing.install(repl, FILES, nothing) in (len(FILES) - cut, len(FILES) - cut - 1)
        assert repl.written - before <= len(FILES) - cut
        assert repl.files == FILES


def test_a_board_that_is_flashed_again_starts_only_once_all_is_there() -> None:
    repl = FakeRepl()
    flashing.install(repl, FILES, nothing)
    newer = flashing.flash_files(HEX3, {**PROGRAM, "board.mpy": b"newer"})
    repl.cut = 1
    with pytest.raises(Cut):
        flashing.install(repl, newer, nothing)
    assert repl.files.get("/main.py", b"") != newer["/main.py"]
    repl.cut = -1
    flashing.install(repl, newer, nothing)
    assert repl.files == newer
    assert repl.resets == 2


def test_what_is_flashed_is_what_boot_py_starts() -> None:
    assert FILES["/slot"] == b"a-0-"
    assert FILES["/a/manifest"] == manifest(PROGRAM)
    assert list(FILES)[-1] == "/main.py"
    # MicroPython opens USB when /boot.py has ended: whatever runs there is mute for ever.
    body = ast.parse(FILES["/boot.py"]).body
    assert not [part for part in body if isinstance(part, ast.If | ast.While | ast.For)]
    calls = [part for part in body if isinstance(part, ast.Expr)]
    assert all(isinstance(part.value, ast.Constant) for part in calls)
    assert FILES["/main.py"].splitlines()[-1] == b"    boot.rescue()"
    assert {"/a/main.py", "/a/lumiban_fw/board.mpy", "/board.bin"} <= set(FILES)
    assert "/rescue/lumiban_fw/rescue.py" in FILES
    assert "/calibration.bin" not in FILES


@pytest.mark.parametrize(
    ("version", "wrong"),
    [
        ("1.20.0 rp2 Raspberry Pi Pico with RP2040", "too old"),
        ("1.27.0 esp32 ESP32 with rp2", "not a Raspberry Pi Pico"),
        ("1.27.0 rp2 Raspberry Pi Pico2 with RP2350", "Pico2 with RP2350.*not supported yet"),
    ],
)
def test_another_micropython_is_refused(version: str, wrong: str) -> None:
    repl = FakeRepl(version)
    with pytest.raises(BoardError, match=wrong):
        flashing.install(repl, FILES, nothing)
    assert repl.files == {}


def test_the_real_prompt_is_spoken_to_by_mpremote(tmp_path: Path) -> None:
    chip = PromptPty(tmp_path)
    some = {path: FILES[path] for path in ("/a/main.py", "/board.bin", "/slot", "/main.py")}
    prompt = Prompt(chip.path)
    assert prompt.version() == "1.27.0 rp2"
    assert flashing.install(prompt, some, nothing) == len(some)
    for path, data in some.items():
        assert (tmp_path / path[1:]).read_bytes() == data
    prompt = Prompt(chip.path)  # it was started anew
    prompt.remove("/slot")
    prompt.remove("/slot")  # it is gone
    assert not (tmp_path / "slot").exists()
    (summed,) = prompt.sums(["/main.py", "/missing"]).items()
    assert summed == ("/main.py", hashlib.sha256(some["/main.py"]).hexdigest())
    assert chip.resets == 1
    with pytest.raises(BoardError, match="ZeroDivisionError"):
        prompt.run("1 / 0")
    before = len(list(Path("/proc/self/fd").iterdir()))
    prompt.close()
    assert len(list(Path("/proc/self/fd").iterdir())) < before, "the port is given back"
    chip.close()


# A running board.


def _greeted(line: ByteLine) -> BoardClient:
    """Whoever brings files to a board on a line: it does not ask what the board is."""
    client = BoardClient(None, line, session=4711, silence_us=STORING_US)
    client.greet()
    return client


def test_a_power_cut_in_the_midst_leaves_the_program_and_a_second_run_mends_it() -> None:
    rig = Rig(HEX3, 5)
    rig.chip.files["calibration.bin"] = b"taught"
    client = _greeted(RigLine(rig))
    sent = 0

    def cut(*_: object) -> None:
        nonlocal sent
        sent += 1
        if sent == 9:
            raise Cut

    with pytest.raises(Cut):
        flashing.update(client, HEX3, PROGRAM, cut)
    rig.reset()
    assert "slot" not in rig.chip.files
    flashing.update(_greeted(RigLine(rig)), HEX3, PROGRAM, nothing)
    assert rig.chip.files["slot"] == b"a-0-"
    assert rig.chip.files["calibration.bin"] == b"taught"
    assert rig.chip.files[IDENTITY] == identity_bin(HEX3)


def test_a_program_that_fell_back_before_anybody_listened_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The board says so with its greeting: an identity is sent then, and a trial waited for."""
    client = _greeted(RigLine(Rig(HEX3, 5)))
    restart = client.restart

    def fell_back(how: int) -> Hello:
        hello = restart(how)
        client.log.append(Faulty(wire.FAULT_ROLLED_BACK, ord("b")))
        client.frames.clear()
        return hello

    monkeypatch.setattr(client, "restart", fell_back)
    with pytest.raises(BoardError) as told:
        flashing.update(client, HEX3, PROGRAM, nothing)
    assert says(str(told.value), "flash.rolled-back")


def test_a_second_update_while_the_first_is_on_trial_says_when_to_come_again() -> None:
    rig = Rig(HEX3, 5)
    rig.chip.files["slot"] = b"ab1-"  # b has just started and has not come up yet
    client = _greeted(RigLine(rig))
    with pytest.raises(BoardError, match="still on trial"):
        flashing.update(client, HEX3, PROGRAM, nothing)
    client.run(flashing.TRIAL_US)
    flashing.update(client, HEX3, PROGRAM, nothing)
    assert rig.chip.files["slot"] == b"a-0-"


@pytest.mark.parametrize(
    ("refused", "why", "says", "meets_trial"),
    [
        (wire.H_BOOT, 3, "the board refused to start it, reason 3", False),
        (wire.H_BOOT, wire.NAK_BUSY, "the board refused to start it", False),
        (wire.H_FILE_BEGIN, wire.NAK_BUSY, "the board refused frame 0x30", True),
        (wire.H_FILE_DATA, wire.NAK_BUSY, "the board refused frame 0x31", False),
        (wire.H_FILE_BEGIN, 1, "the board refused frame 0x30, reason 1", False),
        (wire.H_COMMIT, 3, "", False),
    ],
)
def test_what_the_board_refuses_ends_the_update_and_tells_why(
    refused: int, why: int, says: str, *, meets_trial: bool
) -> None:
    updater = flashing.Updater(PROGRAM)
    updater.next()
    updater.take(wire.B_NAK, packed(wire.B_NAK, refused, 0, why))
    assert says in updater.failed
    assert bool(updater.failed) == bool(says) == (updater.next() is None)
    assert updater.meets_trial == meets_trial


def test_another_firmware_or_board_than_was_flashed_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hello = _greeted(RigLine(Rig(HEX3, 6))).hello
    with pytest.raises(BoardError, match="hex5"):
        flashing.verify(hello, load("hex5"))
    monkeypatch.setattr(flashing, "firmware_number", lambda: 99)
    with pytest.raises(BoardError, match="99"):
        flashing.verify(hello, HEX3)


@pytest.mark.parametrize(("profile", "tells"), [("", False), ("hex3", False), ("hex5", True)])
def test_a_board_that_becomes_another_is_told_before_anything_is_written(
    profile: str, tells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(HEX3, 6)
    client = _greeted(RigLine(rig))
    monkeypatch.setattr(flash, "_program", lambda: PROGRAM)
    before = dict(rig.chip.files)
    steps: list[str] = []
    wish = flash.Wish(profile, None, dry=True, is_json=True)
    flash._update(client, "PORT", wish, steps)
    assert [step for step in steps if "it becomes hex5" in step] == steps[1:-1]
    assert (len(steps) == 3) is tells
    assert rig.chip.files == before


def test_the_rescue_has_all_that_it_imports() -> None:
    names = set(flashing.rescue_modules())
    assert {"rescue", "hal_rescue", "update", "wire", "framing", "kernels_viper"} <= names
    assert not names & {"board", "sense", "lights", "hal_pico"}


# The command.


@pytest.mark.parametrize(
    ("words", "id"),
    [
        (b"MicroPython v1.27.0 on 2025-12-09\0Raspberry Pi Pico with RP2040\0", "flash.tried"),
        (b"MicroPython v1.27.9 on 2025-12-09\0Raspberry Pi Pico with RP2040\0", "flash.untried"),
        (b"MicroPython v1.27.0 on 2025-12-09\0Wide Pico with RP2040\0", "flash.untried"),
        (
            b"MicroPython v1.26.1 on 2025-12-09\0Raspberry Pi Pico with RP2040\0",
            "flash.tried.failed",
        ),
        (b"MicroPython v1.25.0 on 2025-04-15\0Raspberry Pi Pico with RP2040\0", "flash.tried.late"),
        (b"MicroPython v1.24.1 on 2024-11-29\0Raspberry Pi Pico with RP2040\0", "flash.tried.late"),
    ],
)
def test_an_image_is_told_to_be_tried_or_not(
    words: bytes,
    id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sound = Trial(
        "1.27.0", "Raspberry Pi Pico", "hex3", 1, True, free_bytes=140_000, worst_event_ms=240
    )
    table = (
        sound,
        replace(sound, micropython="1.26.1", contract=(2, 3)),
        replace(sound, micropython="1.25.0", worst_event_ms=800),
        replace(sound, micropython="1.24.1", worst_event_ms=None),
    )
    monkeypatch.setattr(tried, "trials", lambda: table)
    (tmp_path / "p.uf2").write_bytes(_image(words))
    drive = ["--drive", str(_drive(tmp_path)), "--uf2", str(tmp_path / "p.uf2"), "--dry-run"]
    assert run(["board", "flash", "--profile", "hex3", *drive]) == 0
    told = capsys.readouterr().out
    assert says(told, id)
    if id == "flash.tried.late":
        assert says(told, id, take="Raspberry Pi Pico: 1.27.0")
    if id == "flash.untried":
        assert says(told, id, tried="Raspberry Pi Pico: 1.27.0 (hex3)")
    assert run(["board", "flash", "--profile", "hex5", *drive]) == 0
    assert says(capsys.readouterr().out, "flash.untried", profile="hex5")


def test_each_trial_of_the_table_names_a_profile_and_a_version_that_flash_takes() -> None:
    assert tried.trials()
    for trial in tried.trials():
        assert load(trial.profile).name == trial.profile
        flashing.check_version(trial.micropython)
        assert tried.board_of(f"{trial.board} with RP2040") == trial.board
        assert trial.boots or trial.failed


def test_a_chip_whose_prompt_is_silent_is_told_to_be_put_into_its_loader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mpremote.transport", None)
    with pytest.raises(BoardError, match="mpremote"):
        Prompt("/dev/null")


def test_a_file_that_is_no_image_is_a_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        flashing.image(tmp_path / "none.uf2")


@pytest.mark.long
@pytest.mark.skipif(LACKING is not None, reason=LACKING or "")
def test_an_emulated_chip_starts_what_was_flashed() -> None:
    from lumiban.maker.program import program
    from lumiban_lab.rp2040.board import Cosim

    files = {path[1:]: data for path, data in flashing.flash_files(HEX3, program()).items()}
    image = Path(os.environ[rp2040.IMAGE])
    board = Cosim(image, World(HEX3, 3), disk=files)
    board.run(600_000)  # a byte 03 before the first line of main.py would stop it
    told = None
    while told is None:
        board.send(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 9))
        try:
            told = board.hear(wire.B_HELLO, 400_000)
        except TimeoutError:
            assert board.machine.now_us < 8e6
    assert unpacked(wire.B_HELLO, told).fields[4] == len(HEX3.cells)
