"""The time of a board that is slower than the world: told by a file, followed by a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Run, refused
from lumiban import process_id
from lumiban.errors import BoardError
from lumiban.runtime import simulator
from lumiban.runtime.simulator import BoardTimeLoop, Simulator
from lumiban_sim import rp2040
from lumiban_sim.descriptor import Descriptor, Teller, running

SECOND_US = 1_000_000


def _in_board_time(work: Callable[[Teller], object], path: Path) -> None:
    """Run this in a loop that can follow a teller."""

    async def whole() -> None:
        teller = Teller(path / "clock")
        try:
            await work(teller)  # type: ignore[misc]  # each is a coroutine
        finally:
            teller.close()

    with asyncio.Runner(loop_factory=BoardTimeLoop) as runner:
        runner.run(whole())


def _follow(path: Path, pid: int) -> None:
    simulator.follow_emulated(Simulator("", "", "hex3", "", pid=pid, clock=str(path / "clock")))


def test_what_waits_for_seconds_waits_for_the_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_id, "runs", lambda pid: True)
    came: list[int] = []

    async def work(teller: Teller) -> None:
        _follow(tmp_path, 1)
        loop = asyncio.get_running_loop()
        for seconds in (1, 3):
            loop.call_later(seconds, came.append, seconds)
        begins = loop.time()
        for now_us in (999_000, SECOND_US, 2_999_000):
            teller.tell(now_us)
            for _ in range(3):
                await asyncio.sleep(0)
            assert loop.time() - begins == pytest.approx(now_us / SECOND_US)
            assert came == ([1] if now_us >= SECOND_US else [])

    _in_board_time(work, tmp_path)


def test_a_table_whose_board_has_ended_goes_by_real_time_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_id, "runs", lambda pid: False)
    monkeypatch.setattr(simulator, "ALIVE_S", 0.0)

    async def work(teller: Teller) -> None:
        _follow(tmp_path, 1)
        await asyncio.sleep(0.001)  # it would wait for ever for a clock that stands

    _in_board_time(work, tmp_path)


def test_a_loop_that_cannot_follow_says_so() -> None:
    async def work() -> None:
        simulator.leave()
        with pytest.raises(TypeError):
            simulator.follow_board_time(lambda: 0, lambda: True)

    asyncio.run(work())


def test_a_chip_that_has_ended_is_told(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="has stopped"):
        _follow(tmp_path, 1)


def test_a_simulators_file_says_where_its_time_is(tmp_path: Path) -> None:
    import os

    made = Descriptor(os.getpid(), "/dev/pts/9", "ws://", "t", "hex3", "ff", 1, "/run/chip.clock")
    made.write(tmp_path)
    assert running(tmp_path) == [made]
    (found,) = simulator.running(tmp_path, "hex3")
    assert found.clock == "/run/chip.clock"


def test_without_an_image_a_chip_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(rp2040.IMAGE, raising=False)
    with pytest.raises(BoardError, match="LUMIBAN_UF2"):
        simulator.image()
    with pytest.raises(BoardError, match=r"none\.uf2 is no file"):
        simulator.image(str(tmp_path / "none.uf2"))


def test_an_image_that_is_none_is_told(tmp_path: Path) -> None:
    image = tmp_path / "poem.uf2"
    image.write_text("no image at all")
    with pytest.raises(BoardError, match=r"poem\.uf2 does not begin as one"):
        simulator.image(str(image))


def test_a_chip_that_does_not_start_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from lumiban_sim.rp2040 import desk

    def broken(*_: object) -> None:
        raise RuntimeError("Traceback (most recent call last):\n  File ...\nOSError: no board.bin")

    monkeypatch.setattr(desk, "starting", broken)
    with pytest.raises(BoardError, match=r"does not start with poem\.uf2: OSError: no board\.bin"):
        simulator.chip("poem.uf2", "hex3", lambda part: None)


def test_an_image_without_a_chip_and_parts_of_one_are_refused(run: Run) -> None:
    assert "--chip too" in refused(run, "sim", "--uf2", "poem.uf2")
    assert "--parts" in refused(run, "sim", "--chip", "--parts", "3")
