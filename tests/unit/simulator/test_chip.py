"""The chip: the firmware woken at the right times, and no more often."""

from __future__ import annotations

from lumiban.boards.profile import load
from lumiban_sim.chip import Chip
from lumiban_sim.rig import Pipe
from lumiban_sim.world import World

PROFILE = load("hex3")
UID = bytes(range(8))


def powered(seed: int = 0, **options: int | bool) -> tuple[World, Pipe, Chip]:
    world, pipe = World(PROFILE, seed, noise_ut=0), Pipe()
    return world, pipe, Chip(world, pipe, uid=UID, boot_id=41, **options)  # type: ignore[arg-type]  # int and bool options


def test_bytes_wake_the_firmware_at_once() -> None:
    _, pipe, chip = powered()
    chip.run_until(1_000_000)
    assert chip.next_deadline() > 1_000_000
    pipe.give(b"\0")
    assert chip.next_deadline() == 1_000_000


def test_quiet_time_is_skipped() -> None:
    _, _, chip = powered()
    chip.run_until(1_000_000)
    before = chip.frames
    chip.run_until(61_000_000)
    assert chip.frames - before < 150
    _, _, watchful = powered(skipping=False)
    watchful.run_until(1_000_000)
    assert watchful.frames >= 1000


class _Hoarder(Pipe):
    """A line whose bytes stay although they were read."""

    def read(self) -> bytes:
        return b""


def test_a_firmware_that_does_not_read_is_not_run_without_end() -> None:
    pipe = _Hoarder()
    chip = Chip(World(PROFILE, noise_ut=0), pipe)
    pipe.give(b"\0")
    chip.run_until(1_000_000)
    assert chip.frames < 2_000


def test_the_watchdog_is_fed() -> None:
    _, _, chip = powered()
    chip.run_until(10_000_000)
    assert chip.now_us - chip.fed_us <= 2_000_000
