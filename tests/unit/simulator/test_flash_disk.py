"""Updates on a flash as the Pico's: how long they take, the watchdog's margin, power that goes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from lumiban.boards.profile import Profile, load
from lumiban.maker.flash import AFTER_US, TimeLeft, Updater, manifest
from lumiban_fw import board, update, wire
from lumiban_fw.update import path, slot, whole
from lumiban_sim.rig import Rig
from rig_line import driven

pytest.importorskip("littlefs")

from lumiban_sim.flash_disk import TYPICAL, WORST, FlashDisk, FlashTimes, PowerCut

OLD = {"main.py": b"old main", "wire.py": b"old wire " * 90, "gone.py": b"only in the old"}
NEW = {"main.py": b"new main", "wire.py": b"new wire " * 1200, "more.py": b""}


def in_folder(folder: str, program: Mapping[str, bytes]) -> dict[str, bytes]:
    files = {path(folder, name.encode()): data for name, data in program.items()}
    return files | {f"{folder}/manifest": manifest(program)}


def sent(disk: FlashDisk, program: Mapping[str, bytes]) -> list[int]:
    """The µs that the flash takes in each turn of an update: a FILE_END may come together with the
    FILE_BEGIN that follows."""
    receiver, updater = update.Receiver(disk), Updater(program)
    turns, after_end = [0], False
    while (frame := updater.next()) is not None:
        before = disk.took_us
        if frame[0] == wire.H_BOOT:
            receiver.boot(frame[1])
        else:
            updater.take(*receiver.answer(*frame))
        took = disk.took_us - before
        if after_end:
            turns[-1] += took
        else:
            turns.append(took)
        after_end = frame[0] == wire.H_FILE_END
    assert updater.failed == ""
    return turns


def watchdog_us() -> int:
    """When the watchdog bites, from the chip's file, which CPython cannot import."""
    tree = ast.parse((Path(board.__file__).parent / "hal_pico.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            names = [name.id for name in node.targets[0].elts if isinstance(name, ast.Name)]
            if "WATCHDOG_MS" in names:
                told = ast.literal_eval(node.value)
                return 1000 * int(told[names.index("WATCHDOG_MS")])
    raise AssertionError("no watchdog")


def a_program() -> dict[str, bytes]:
    """As large as the firmware: a dozen files, 57 KB."""
    return {"main.py": b"m" * 900, "pico_main.mpy": b"s" * 46_105} | {
        f"part{n}.mpy": bytes([n]) * 1_000 for n in range(10)
    }


@pytest.mark.parametrize(("times", "most_s"), [(TYPICAL, 2.5), (WORST, 20)])
def test_a_whole_program_is_written_in_seconds(times: FlashTimes, most_s: float) -> None:
    program = a_program()
    disk = FlashDisk(in_folder("a", program) | in_folder("b", program) | {"slot": b"a-0-"}, times)
    sent(disk, program)
    assert disk.took_us <= 1e6 * most_s
    assert disk.erased <= 3 * sum(map(len, program.values())) // 4_096


@pytest.mark.slow
def test_update_after_update_no_turn_comes_near_the_watchdog_even_on_the_slowest_flash() -> None:
    program = a_program()
    disk = FlashDisk(in_folder("a", program) | in_folder("b", program) | {"slot": b"a-0-"}, WORST)
    worst = 0
    for _ in range(12):
        worst = max(worst, *sent(disk, program))
        assert update.came_up(disk) == "-"
    assert slot(disk)[:2] in (("a", "-"), ("b", "-"))
    assert worst < 0.9 * watchdog_us()


def cut_at(left: int, new: Mapping[str, bytes]) -> bool:
    """Cut an update's power after so many bytes; whether it was over before. The board starts the
    old program or the new, whole, and takes the update again."""
    disk = FlashDisk(in_folder("a", OLD) | {"slot": b"a-0-"})
    disk.left = left
    try:
        sent(disk, new)
        return True
    except PowerCut:
        pass
    assert len(disk.kept) == len(disk.buffer)
    after = FlashDisk({}, buffer=bytearray(disk.kept))
    good, trial, _, _ = slot(after)
    assert good == "a"
    assert trial in "-b"
    assert whole(after, "a")
    assert after.load("a/lumiban_fw/wire.py") == OLD["wire.py"]
    if trial == "b":
        assert whole(after, "b")
        assert after.load("b/lumiban_fw/wire.py") == new["wire.py"]
        return False
    sent(after, new)
    assert slot(after)[:2] == ("a", "b")
    assert whole(after, "b")
    return False


def cuts(new: Mapping[str, bytes], step: int) -> int:
    """How many cuts it takes until an update comes to its end."""
    lefts = range(1, 1 << 20, step)
    return next(done for done, left in enumerate(lefts) if cut_at(left, new))


@pytest.mark.parametrize(
    ("step", "most"), [(2311, 6), pytest.param(211, 60, marks=pytest.mark.slow)]
)
def test_wherever_power_goes_in_an_update_the_old_program_starts_or_the_whole_new_one(
    step: int, most: int
) -> None:
    assert cuts(NEW, step) >= most


@pytest.mark.long
def test_at_whichever_byte_power_goes_the_old_program_starts_or_the_whole_new_one() -> None:
    assert cuts(NEW | {"wire.py": b"new wire " * 50}, 1) > 3_000


def test_the_time_told_to_the_maker_is_the_time_that_it_takes() -> None:
    """By the flash's times and the 8 ms that a board takes for a frame."""
    program = a_program()
    disk = FlashDisk(in_folder("a", program) | in_folder("b", program) | {"slot": b"a-0-"})
    receiver, updater = update.Receiver(disk), Updater(program)
    left = TimeLeft(updater.size)
    frames = 0
    told: list[tuple[int, float]] = []
    while (frame := updater.next()) is not None and frame[0] != wire.H_BOOT:
        receiver.answer(*frame)
        frames += 1
        now_us = 8_000 * frames + disk.took_us
        told.append((left.seconds(updater.sent, now_us), now_us / 1e6))
    took_s = told[-1][1] + AFTER_US / 1e6
    for seconds, now_s in told[len(told) // 4 :]:
        assert abs(seconds + now_s - took_s) < 2
    assert left.seconds(0, 0) == pytest.approx(took_s, rel=0.1)


def written_slowly(profile: Profile, skipping: bool) -> Rig:
    """A board with the worst of flashes."""
    rig = Rig(profile, 4, cold=True, skipping=skipping)
    rig.chip.disk = FlashDisk(in_folder("a", OLD) | {"slot": b"a-0-"}, WORST)
    return rig


@pytest.mark.slow
def test_a_board_that_is_written_slowly_goes_on_sensing_and_is_back_with_the_new_program() -> None:
    profile = load("hex3")
    rig = written_slowly(profile, skipping=False)
    driver = driven(profile, rig)
    boot = driver.hello.boot_id
    updater = Updater(NEW)
    longest = 0
    rig.hands.place(9, wire.WHITE)
    while (frame := updater.next()) is not None and frame[0] != wire.H_BOOT:
        fed = rig.chip.fed_us
        for heard in driver.deliver(*frame):
            updater.take(heard.kind, heard.payload)
        longest = max(longest, rig.chip.fed_us - fed)
    assert updater.failed == ""
    assert 400_000 < longest < 0.9 * watchdog_us()
    driver.run(1_500_000)
    assert [(event.cell, event.kind) for event in driver.events] == [(9, wire.WHITE)]
    assert driver.restart(wire.BOOT_OTHER).boot_id == boot + 1
    assert slot(rig.chip.disk)[:2] == ("a", "b")
