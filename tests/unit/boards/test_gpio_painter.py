"""The process that paints: pictures in, the last one shown; it dies with its driver, and one that
dies is replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from lumiban.boards.gpio import painter
from lumiban.boards.gpio.painter import AGAIN_S, LIVES_S, PAUSE_S, START_S, Painter, paint
from lumiban.boards.gpio.pins import LibraryError

LIGHTS = 3
SCRIPT = """
import sys
from pathlib import Path
from lumiban.boards.gpio import painter

class Lamps:
    def show(self, rgb):
        Path({shown!r}).write_bytes(rgb)
    def close(self):
        Path({shown!r}).write_bytes(b"out")

sys.exit(painter.main(["--led", "10", "--lights", "3"], lambda led, lights: Lamps()))
"""
CANNOT = """
import sys
from lumiban.boards.gpio import painter
from lumiban.errors import BoardError

def opened(led, lights):
    raise BoardError("no bus")

sys.exit(painter.main(["--led", "10", "--lights", "3"], opened))
"""
DRIVER = """
import signal, sys
from lumiban.boards.gpio.painter import Painter
painted = Painter([sys.executable, "-c", sys.argv[1]])
painted.show(bytes([9] * 9))
print(painted.pid, flush=True)
signal.pause()
"""


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def words(tmp_path: Path) -> list[str]:
    return [sys.executable, "-c", SCRIPT.format(shown=str(tmp_path / "shown"))]


def shown(tmp_path: Path, rgb: bytes) -> None:
    """Wait until the painter shows this."""
    file = tmp_path / "shown"
    patience.until(lambda: file.exists() and file.read_bytes() == rgb)


def test_of_pictures_that_wait_only_the_last_is_shown() -> None:
    got: list[bytes] = []

    class Lamps:
        def show(self, rgb: bytes) -> None:
            got.append(rgb)

        def close(self) -> None:
            raise AssertionError

    out, into = os.pipe()
    os.write(into, bytes([1] * 9) + bytes([2] * 9) + bytes([3] * 5))
    os.close(into)
    paint(Lamps(), LIGHTS, out)
    os.close(out)
    assert got == [bytes([2] * 9)]


@pytest.mark.process
def test_a_picture_is_shown_by_another_process_and_its_end_puts_the_lights_out(
    tmp_path: Path,
) -> None:
    painted = Painter(words(tmp_path))
    painted.show(bytes(range(9)))
    shown(tmp_path, bytes(range(9)))
    painted.close()
    assert (tmp_path / "shown").read_bytes() == b"out"


@pytest.mark.process
def test_a_painter_does_not_outlive_a_driver_that_was_killed(tmp_path: Path) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, words(tmp_path)[2]], stdout=subprocess.PIPE
    )
    assert driver.stdout is not None
    driver.stdout.readline()
    shown(tmp_path, bytes([9] * 9))
    driver.kill()
    driver.wait()
    driver.stdout.close()
    shown(tmp_path, b"out")


def killed(painted: Painter) -> None:
    os.kill(painted.pid, signal.SIGKILL)
    painted._process.wait()


@pytest.mark.process
def test_a_painter_that_dies_is_replaced_and_the_last_picture_is_shown_again(
    tmp_path: Path,
) -> None:
    clock, told = Clock(), []
    painted = Painter(words(tmp_path), clock_s=clock, told=told.append)
    try:
        for pause_s in (AGAIN_S, 2 * AGAIN_S, 4 * AGAIN_S):
            first = painted.pid
            painted.show(bytes([1] * 9))
            shown(tmp_path, bytes([1] * 9))
            killed(painted)
            (tmp_path / "shown").unlink()
            painted.show(bytes([7] * 9))
            assert painted.is_dark
            clock.now_s += pause_s - 0.1
            painted.show(bytes([7] * 9))
            assert painted.pid == first, "too soon"
            clock.now_s += 0.2
            patience.until(lambda: painted.show(bytes([8] * 9)) or not painted.is_dark)
            assert painted.pid != first
            shown(tmp_path, bytes([8] * 9))
        assert len(told) == 6
        clock.now_s += LIVES_S
        killed(painted)
        painted.show(bytes(9))
        clock.now_s += AGAIN_S
        patience.until(lambda: painted.show(bytes(9)) or not painted.is_dark)
    finally:
        painted.close()


@pytest.mark.process
def test_a_scan_never_waits_for_another_painter_to_import_its_libraries(tmp_path: Path) -> None:
    gate, clock, told = tmp_path / "gate", Clock(), []
    os.mkfifo(gate)
    held = f"open({str(gate)!r}).close()" + SCRIPT.format(shown=str(tmp_path / "shown"))
    painted = Painter(words(tmp_path), clock_s=clock, told=told.append)
    painted._words = [sys.executable, "-c", held]  # the second opens the gate first
    try:
        killed(painted)
        painted.show(bytes([1] * 9))
        clock.now_s += AGAIN_S
        for _ in range(100):
            painted.show(bytes([2] * 9))  # would not come back if it waited
            clock.now_s += START_S / 200
        assert painted.is_dark
        clock.now_s += START_S
        painted.show(bytes([2] * 9))
        assert len(told) == 2, "one that is not ready for so long is ended"
        painted._process.wait()
        clock.now_s += PAUSE_S
        painted.show(bytes([2] * 9))
        gate.write_text("")
        patience.until(lambda: painted.show(bytes([3] * 9)) or not painted.is_dark)
        shown(tmp_path, bytes([3] * 9))
    finally:
        painted.close()


@pytest.mark.process
def test_a_painter_that_dies_each_time_is_tried_again_ever_more_rarely(tmp_path: Path) -> None:
    clock, told = Clock(), []
    painted = Painter(words(tmp_path), clock_s=clock, told=told.append)
    painted._words = [sys.executable, "-c", CANNOT]
    try:
        killed(painted)
        painted.show(bytes(9))
        for attempts in range(1, 8):
            clock.now_s = painted._again_s
            patience.until(lambda n=attempts: painted.show(bytes(9)) or len(told) > n)
        assert painted._pause_s == PAUSE_S
        assert "no bus" in told[-1]
        assert painted.is_dark
    finally:
        painted.close()


@pytest.mark.process
def test_a_painter_that_cannot_start_says_why() -> None:
    with pytest.raises(LibraryError, match="no bus"):
        Painter([sys.executable, "-c", CANNOT])
    assert painter.command(10, 61)[-4:] == ["--led", "10", "--lights", "61"]
