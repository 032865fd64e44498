"""An update through the simulator's chip: the whole way of the wire, and an interrupted one."""

from __future__ import annotations

import pytest
from lumiban.boards.messages import framed, unpacked
from lumiban.boards.profile import load
from lumiban.maker.flash import Updater
from lumiban_fw import wire
from lumiban_sim.chip import Chip
from lumiban_sim.rig import Pipe
from lumiban_sim.world import World

PROGRAM = {"main.py": b"print()\n" * 40, "board.py": bytes(range(256)) * 8, "__init__.py": b""}


def powered() -> tuple[Pipe, Chip]:
    pipe = Pipe()
    chip = Chip(World(load("hex3"), 0, noise_ut=0), pipe, uid=bytes(8), boot_id=41)
    chip.run_until(300_000)
    return pipe, chip


def heard(pipe: Pipe) -> list[tuple[int, bytes]]:
    return [(kind, payload) for kind, _, _, _, payload in wire.Decoder().feed(pipe.take())]


def greet(pipe: Pipe, chip: Chip, session: int) -> tuple[object, ...]:
    pipe.give(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session))
    chip.run_until(chip.now_us + 1_000)
    return unpacked(wire.B_HELLO, dict(heard(pipe))[wire.B_HELLO]).fields


def send(pipe: Pipe, chip: Chip, updater: Updater, frames: int = 1 << 30) -> None:
    for seq in range(frames):
        frame = updater.next()
        if frame is None:
            return
        pipe.give(wire.frame(*frame, wire.RELIABLE, seq & 0xFF))
        chip.run_until(chip.now_us + 2_000)
        for kind, payload in heard(pipe):
            updater.take(kind, payload)


@pytest.mark.parametrize("frames", [1, 4, 20, 45, 60])
def test_an_interrupted_update_changes_nothing_and_can_be_sent_again(frames: int) -> None:
    pipe, chip = powered()
    greet(pipe, chip, 1)
    send(pipe, chip, Updater(PROGRAM), frames)
    chip.reset()
    chip.run_until(chip.now_us + 300_000)
    heard(pipe)
    assert "slot" not in chip.files
    greet(pipe, chip, 5)
    again = Updater(PROGRAM)
    send(pipe, chip, again)
    assert again.failed == ""
    assert chip.files["slot"] == b"-a0-"


def test_a_name_that_is_too_long_is_said_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="18 letters"):
        Updater({"a_name_that_is_far_too_long.py": b""})


def test_a_store_that_fails_ends_the_update_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, chip = powered()
    greet(pipe, chip, 1)
    store = chip.board.hal
    monkeypatch.setattr(type(store), "append", lambda *_args: False)
    updater = Updater(PROGRAM)
    send(pipe, chip, updater)
    assert "refused frame 0x31" in updater.failed or "could not store" in updater.failed
    assert updater.next() is None
    assert chip.boot_id == 41
