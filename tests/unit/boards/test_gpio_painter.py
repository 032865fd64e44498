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
from lumiban.boards.gpio.painter import AGAIN_S, LIVES_S, MOST_DEATHS, Painter, paint
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


@pytest.mark.process
def test_a_painter_that_dies_is_replaced_and_the_last_picture_is_shown_again(
    tmp_path: Path,
) -> None:
    clock, told = Clock(), []
    painted = Painter(words(tmp_path), clock_s=clock, told=told.append)
    try:
        for deaths in range(1, MOST_DEATHS):
            first = painted.pid
            painted.show(bytes([deaths] * 9))
            shown(tmp_path, bytes([deaths] * 9))
            os.kill(first, signal.SIGKILL)
            painted._process.wait()
            (tmp_path / "shown").unlink()
            painted.show(bytes([7] * 9))
            assert painted.pid == first, "not at once"
            clock.now_s += AGAIN_S
            painted.show(bytes([8] * 9))
            assert painted.pid != first
            shown(tmp_path, bytes([8] * 9))
            assert len(told) == deaths
        os.kill(painted.pid, signal.SIGKILL)
        painted._process.wait()
        clock.now_s += LIVES_S / 2
        with pytest.raises(LibraryError):
            painted.show(bytes(9))
    finally:
        painted.close()


@pytest.mark.process
def test_a_painter_that_cannot_start_says_why() -> None:
    with pytest.raises(LibraryError, match="no bus"):
        Painter([sys.executable, "-c", CANNOT])
    assert painter.command(10, 61)[-4:] == ["--led", "10", "--lights", "61"]
