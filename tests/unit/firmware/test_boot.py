"""Updates: power may go at any write, and the board still starts a whole program."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from each import each
from lumiban.boards.messages import framed, packed, unpacked
from lumiban.maker.flash import STARTER, Updater, manifest
from lumiban_fw import wire
from lumiban_fw.hal import Hal
from lumiban_fw.rescue import Rescue
from lumiban_fw.update import Receiver, came_up, stands, whole
from places import ROOT
from scripts import module_of

BOOT_PY = ROOT / "firmware" / "boot.py"
OLD = {"main.py": b"old main", "wire.py": b"old wire " * 9, "gone.py": b"only in the old"}
NEW = {"main.py": b"new main", "wire.py": b"new wire " * 12, "more.py": b""}


boot = module_of(BOOT_PY, "the_boards_boot")


class PowerCut(Exception):
    pass


class Flash(Hal):
    """Files in memory. Power goes after so many steps; a step may leave half of a file."""

    def __init__(self, files: dict[str, bytes], steps: int = 1 << 30) -> None:
        self.files = files
        self.left = steps

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCut

    def load(self, name: str) -> bytes:
        return self.files.get(name, b"")

    def store(self, name: str, data: bytes) -> bool:
        self._step()
        self.files[name + ".new"] = data[: len(data) // 2]
        self._step()
        self.files[name + ".new"] = data
        self._step()
        self.files[name] = self.files.pop(name + ".new")
        self._step()
        return True

    def append(self, name: str, data: bytes) -> bool:
        self._step()
        before = self.files.get(name, b"")
        self.files[name] = before + data[: len(data) // 2]
        self._step()
        self.files[name] = before + data
        return True

    def discard(self, name: str) -> None:
        self._step()
        self.files.pop(name, None)


class Disk:
    """The same files as boot.py asks for them."""

    def __init__(self, flash: Flash) -> None:
        self._flash = flash

    def make_folders(self) -> None:
        pass

    def read(self, name: str) -> bytes:
        return self._flash.load(name)

    def write(self, name: str, data: bytes) -> None:
        self._flash.store(name, data)

    def there(self, folder: str) -> bool:
        return folder + "/main.py" in self._flash.files

    def has(self, folder: str) -> bool:
        return self.read(folder + "/manifest").startswith(b"lumiban 1") and self.there(folder)


def choose(flash: Flash, cause: int = 0) -> str:
    folder: str = boot.choose(Disk(flash), cause)
    return folder


def path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if name == "main.py" else f"{folder}/lumiban_fw/{name}"


def installed(folder: str = "a") -> dict[str, bytes]:
    files = {path(folder, name): data for name, data in OLD.items()}
    files[f"{folder}/manifest"] = manifest(OLD)
    files["slot"] = f"{folder}-0-".encode()
    return files


def holds(files: dict[str, bytes], folder: str) -> dict[str, bytes] | None:
    """Which of the two programs a folder holds, whole."""
    for program in (OLD, NEW):
        if all(files.get(path(folder, name)) == data for name, data in program.items()):
            return program
    return None


def send(flash: Flash, program: dict[str, bytes], session: int = 1) -> Updater:
    """A whole update through the rescue, which follows frames as the board does."""
    board = Rescue(flash)
    hello = framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session)
    board.feed(b"\0" + hello)
    updater = Updater(program)
    decoder = wire.Decoder()
    seq = 0
    while board.how < 0 and not updater.failed:
        frame = updater.next()
        if frame is None:
            break
        out = board.feed(wire.frame(frame[0], frame[1], wire.RELIABLE, seq))
        seq = (seq + 1) & 0xFF
        for kind, _, _, _, payload in decoder.feed(out):
            updater.take(kind, payload)
    return updater


def begin_program(files: Receiver) -> None:
    files.begin(packed(wire.H_FILE_BEGIN, wire.FILE_PROGRAM, 1, bytes(32), tail=b"main.py"))


def test_no_update_overwrites_the_good_program_while_another_is_on_trial() -> None:
    flash = Flash(installed())
    send(flash, NEW)
    assert choose(flash) == "b"
    # The program on trial runs, and a host sends another one.
    files = Receiver(flash)
    for what in (wire.FILE_PROGRAM, wire.FILE_MANIFEST):
        with pytest.raises(wire.Nak) as refused:
            files.begin(packed(wire.H_FILE_BEGIN, what, 1, bytes(32), tail=b"main.py"))
        assert refused.value.why == wire.NAK_BUSY
    assert holds(flash.files, "a") is OLD
    assert whole(flash, "a")
    # A description is no program: it is taken.
    files.begin(packed(wire.H_FILE_BEGIN, wire.FILE_BOARD, 1, bytes(32), tail=b""))
    came_up(flash)
    begin_program(files)
    assert (files.free, holds(flash.files, "b")) == ("a", NEW)


def test_the_rescue_writes_over_the_program_on_trial_and_keeps_the_good_one() -> None:
    flash = Flash(installed())
    send(flash, NEW)
    flash.files["rescue.please"] = b"1"
    assert choose(flash) == ""
    assert send(flash, NEW).failed == ""
    assert (holds(flash.files, "a"), flash.files["slot"]) == (OLD, b"ab0-")


def test_wherever_power_goes_the_board_starts_a_whole_program() -> None:
    cuts = 0
    for steps in range(1000):
        flash = Flash(installed("b") | installed("a"), steps)
        try:
            send(flash, NEW)
            break
        except PowerCut:
            cuts += 1
        after = Flash(flash.files)
        folder = choose(after)
        program = holds(after.files, folder)
        assert program is not None, (steps, after.files["slot"])
        assert program is (OLD if folder == "a" else NEW)
        # Nothing is in the way of another try.
        if folder == "a":
            assert send(after, NEW).failed == ""
            assert choose(after) == "b"
            assert holds(after.files, "b") is NEW
    assert cuts > 18


def test_wherever_power_goes_while_it_starts_the_board_comes_back() -> None:
    for steps in range(12):
        files = installed() | {path("b", n): d for n, d in NEW.items()}
        files |= {"b/manifest": manifest(NEW), "slot": b"ab3-"}
        flash = Flash(files, steps)
        try:
            choose(flash)
            came_up(flash)
        except PowerCut:
            pass
        again = choose(Flash(files))
        assert holds(files, again) is OLD
    assert files["slot"][:2] == b"a-"


def test_a_program_that_never_comes_up_is_given_up_after_three_starts() -> None:
    flash = Flash(installed())
    send(flash, NEW)
    assert [choose(flash) for _ in range(6)] == ["b", "b", "b", "a", "a", "a"]
    assert flash.files["slot"] == b"a-0b"
    assert came_up(flash) == "b"  # told once
    assert came_up(flash) == "-"


@each("slot", [b"", b"a", b"xxxx", b"--0-", b"\xff\xff\xff\xff", b"ab9-"])
def test_a_damaged_note_of_the_folder_finds_the_program_that_is_there(slot: bytes) -> None:
    flash = Flash(installed() | {"slot": slot})
    assert choose(flash) == "a"
    flash = Flash(installed("b") | {"slot": slot})
    assert choose(flash) == "b"


def test_without_any_program_the_rescue_answers_and_takes_one() -> None:
    flash = Flash({})
    assert choose(flash) == ""
    board = Rescue(flash)
    out = board.feed(b"rubbish\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 9))
    hello = unpacked(wire.B_HELLO, wire.Decoder().feed(out)[0][4]).fields
    assert hello[9] == 9
    assert hello[12] & wire.IN_RESCUE
    assert send(flash, NEW, session=10).failed == ""
    folder = choose(flash)
    assert holds(flash.files, folder) is NEW
    came_up(flash)
    assert choose(flash) == folder


def test_a_good_program_that_hangs_again_and_again_gives_way_to_the_rescue() -> None:
    flash = Flash(installed())
    starts = [choose(flash, boot.WATCHDOG) for _ in range(5)]
    assert starts == ["a", "a", "a", "", "a"]
    came_up(flash)
    assert flash.files["slot"] == b"a-0-"


def test_a_host_that_asks_for_the_rescue_gets_it_once() -> None:
    flash = Flash(installed() | {"rescue.please": b"1"})
    assert [choose(flash), choose(flash)] == ["", "a"]


def test_the_boards_own_files_hold_the_same_promises(tmp_path: Path) -> None:
    files = boot.Files(str(tmp_path))
    assert files.read("slot") == b""
    files.make_folders()
    files.make_folders()
    files.write("slot", b"a-0-")
    assert files.read("slot") == b"a-0-"
    assert not files.has("a")
    (tmp_path / "a" / "main.py").write_bytes(b"main")
    assert files.there("a")
    assert not files.has("a")
    files.write("a/manifest", manifest({"main.py": b"main"}))
    assert boot.choose(files) == "a"
    files.write("nowhere/x", b"no folder, no harm")


def test_a_program_that_raises_leaves_the_folder_for_the_rescue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(boot, "Files", lambda: Disk(Flash(installed())))
    monkeypatch.setattr(boot, "rescue", lambda: ran.append("rescue"))

    def program(folder: str) -> None:
        ran.append(folder)
        raise ImportError("no module named wire")

    monkeypatch.setattr(boot, "program", program)
    machine = ModuleType("machine")
    machine.mem32 = {boot.SCRATCH: 0}  # type: ignore[attr-defined]
    machine.reset_cause = lambda: 1  # type: ignore[attr-defined]
    machine.Pin = Button  # type: ignore[attr-defined]
    machine.reset = lambda: ran.append("reset")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "machine", machine)
    import time

    monkeypatch.setattr(time, "ticks_ms", lambda: 5, raising=False)
    monkeypatch.setattr(time, "sleep", lambda s: ran.append("sleep") if s > 0.1 else None)
    printed = lambda error: ran.append(repr(error))  # noqa: E731
    monkeypatch.setattr(sys, "print_exception", printed, raising=False)
    boot.start()
    assert ran == ["a", "ImportError('no module named wire')", "sleep", "rescue"]
    monkeypatch.setattr(time, "ticks_ms", lambda: boot.EARLY_MS + 1)
    boot.ended("a", ImportError("later"))
    # What was printed reaches the host before the reset.
    assert ran[4:] == ["ImportError('later')", "sleep", "reset", "rescue"]
    assert boot.begin() == "a"


class Button:
    """The first button, as MicroPython's Pin; `down` while it is held."""

    IN = PULL_UP = 0
    down = False

    def __init__(self, pin: int, *_how: int) -> None:
        assert pin == boot.BUTTON_PIN

    def value(self) -> int:
        return not Button.down


@pytest.mark.parametrize(
    ("cause", "down", "asked", "begun"),
    [
        (1, False, False, "a"),
        (1, True, False, None),  # power comes on while the button is held
        (3, True, False, "a"),  # somebody plays with it
        (3, False, True, None),  # BOOT 4
    ],
)
def test_a_held_button_or_boot_4_leads_to_the_prompt_once(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    cause: int,
    down: bool,
    asked: bool,
    begun: str | None,
) -> None:
    import time

    monkeypatch.setattr(time, "sleep", lambda _s: None)
    machine = SimpleNamespace(mem32={boot.SCRATCH: 0}, reset_cause=lambda: cause, Pin=Button)
    monkeypatch.setitem(sys.modules, "machine", machine)  # type: ignore[misc]
    monkeypatch.setattr(Button, "down", down)
    flash = Flash(installed())
    if asked:
        board = Rescue(flash)
        board.feed(framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 5))
        board.feed(
            wire.frame(
                wire.H_BOOT,
                packed(wire.H_BOOT, wire.BOOT_MAGIC, wire.BOOT_PROMPT),
                wire.RELIABLE,
                0,
            )
        )
        assert board.how == wire.BOOT_PROMPT
    disk = Disk(flash)
    monkeypatch.setattr(boot, "Files", lambda: disk)
    monkeypatch.setattr(disk, "make_folders", lambda: None)
    assert boot.begin() == begun
    monkeypatch.setattr(Button, "down", False)
    assert boot.begin() == "a"


def test_the_prompt_takes_ctrl_c_and_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[object] = []
    monkeypatch.setitem(sys.modules, "micropython", SimpleNamespace(kbd_intr=said.append))  # type: ignore[misc]
    asked = SimpleNamespace(begin=lambda: None, rescue=lambda: said.append("rescue"))
    monkeypatch.setitem(sys.modules, "boot", asked)  # type: ignore[misc]
    exec(compile(STARTER, "main.py", "exec"), {"__name__": "__main__"})
    assert said == [-1, 3]


def test_a_program_that_is_started_often_without_a_host_is_not_given_up() -> None:
    flash = Flash(installed())
    send(flash, NEW)
    for _ in range(10):
        assert choose(flash) == "b"
        stands(flash)
    assert [choose(flash) for _ in range(4)] == ["b", "b", "b", "a"]
