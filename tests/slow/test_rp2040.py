"""The firmware on an emulated RP2040 with a real MicroPython; skipped where there is no image."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lumiban.boards.messages import framed, unpack_events, unpack_state, unpacked
from lumiban.boards.profile import Profile, load, read
from lumiban_fw import wire
from lumiban_lab import rp2040
from lumiban_lab.rp2040 import emulator
from lumiban_sim.world import World

if TYPE_CHECKING:
    from virtual_table import VirtualTable

LACKING = rp2040.lacking()
EXPANDERS = "mcp23017"
SOFTWARE = 2
"""Cause of a reset, as HELLO tells it."""
chip = pytest.mark.skipif(LACKING is not None, reason=LACKING or "")


def on_expanders() -> Profile:
    """19 reeds on two MCP23017s at a Pico, of which the second has the lower address."""
    return read(
        'name = "expander"\n[board]\ngeometry = "hexagon"\nsize = 3\npitch_mm = 33.3\n'
        "[current]\nlimit_ma = 500\nstrip_limit_ma = 500\n"
        '[switches]\non = "pico"\nwiring = "mcp23017"\naddresses = [0x23, 0x20]\n',
        "expander.toml",
    )


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(rp2040.IMAGE, raising=False)
    assert "LUMIBAN_UF2" in (rp2040.lacking() or "")
    monkeypatch.setenv(rp2040.IMAGE, str(tmp_path / "none.uf2"))
    assert "is no file" in (rp2040.lacking() or "")


def test_the_chips_disk_holds_what_was_put_there() -> None:
    littlefs = pytest.importorskip("littlefs")
    files = {"board.bin": bytes(range(256)), "lumiban_fw/hal.mpy": b"M" * 9000}
    image = emulator.disk_image(files)
    context = littlefs.UserContext(buffsize=emulator.BLOCK * emulator.BLOCKS)
    context.buffer = bytearray(image)
    there = littlefs.LittleFS(
        context=context, block_size=emulator.BLOCK, block_count=emulator.BLOCKS, mount=True
    )
    for name, data in files.items():
        with there.open(name, "rb") as file:
            assert file.read() == data


def test_a_chain_of_lights_is_read_in_the_order_of_its_wire() -> None:
    assert emulator._rgb(bytes([1, 2, 3, 4, 5, 6])) == bytes([2, 1, 3, 5, 4, 6])


@pytest.mark.long
@chip
def test_a_piece_in_the_world_is_told_by_the_emulated_chip() -> None:
    from lumiban_lab.rp2040.board import Cosim

    world = World(load("hex3"), 3)
    board = Cosim(Path(os.environ[rp2040.IMAGE]), world)
    told = None
    while told is None:
        board.send(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 9))
        try:
            told = board.hear(wire.B_HELLO, 500_000)
        except TimeoutError:
            assert board.machine.now_us < 12e6
    hello = unpacked(wire.B_HELLO, told).fields
    assert hello[4] == 19
    assert hello[11] >= 1000
    board.run(400_000)
    world.stand(wire.WHITE, 5, int(board.machine.now_us))
    first, _, _, events = unpack_events(board.hear(wire.B_EVENTS, 800_000))
    assert first == 0
    assert [(cell, kind & wire.KIND) for cell, kind, _, _ in events] == [(5, wire.WHITE)]
    assert board.chain.frames


@pytest.mark.long
@chip
@pytest.mark.parametrize("name", ["bread8-pico", "reed3-pico", "chess8-pico", EXPANDERS])
def test_the_emulated_chip_reads_switches_on_its_own_pins(name: str) -> None:
    from lumiban_lab.rp2040.board import Booted
    from lumiban_lab.rp2040.emulator import SwitchPins

    profile = load(name) if name != EXPANDERS else on_expanders()
    board = Booted(Path(os.environ[rp2040.IMAGE]), profile)
    machine, tree, decoder = board.machine, board.tree, wire.Decoder()
    assert isinstance(tree, SwitchPins)

    waiting: list[tuple[int, bytes]] = []

    def hear(kind: int) -> bytes:
        end_us = machine.now_us + 1_500_000
        while machine.now_us < end_us:
            while waiting:
                said, payload = waiting.pop(0)
                if said == kind:
                    return payload
            machine.run(5_000)
            waiting.extend((frame[0], frame[4]) for frame in decoder.feed(bytes(machine.heard)))
            machine.heard.clear()
        raise TimeoutError(f"no frame of type {kind:#x}")

    def close(cell: int) -> None:
        board._counts[cell] += 100
        tree.refresh()

    close(3)
    machine.send(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 9))
    hello = unpacked(wire.B_HELLO, hear(wire.B_HELLO)).fields
    assert hello[4] == len(profile.cells)
    assert hello[12] & wire.PRESENCE_ONLY
    assert not hello[12] & wire.CAN_ORDER
    # What stood there before it had looked around is no event.
    kinds = unpack_state(hear(wire.B_STATE))[-1]
    assert [cell for cell, kind in enumerate(kinds) if kind == wire.NEUTRAL] == [3]
    last = len(profile.cells) - 1
    close(last)
    told: list[tuple[int, int]] = []
    while (last, wire.NEUTRAL) not in told:
        _, _, _, events = unpack_events(hear(wire.B_EVENTS))
        told += [(cell, kind & wire.KIND) for cell, kind, _, _ in events]
    assert {one for one in told if one[1] != wire.EMPTY} == {(last, wire.NEUTRAL)}


@contextmanager
def table_on_chip(name: str, seed: int, **more: Any) -> Iterator[VirtualTable]:
    """A table at a board of this profile whose firmware runs on the emulated chip; `more` is
    `VirtualTable`'s."""
    from lumiban_lab.rp2040.board import Booted
    from lumiban_sim.hands import BRISK
    from lumiban_sim.rig import Rig
    from virtual_table import VirtualTable

    profile = load(name)
    chips = Booted(Path(os.environ[rp2040.IMAGE]), profile)
    rig = Rig(profile, seed, body=chips.body, skipping=False, tempo=BRISK)
    rig.advance(chips.up_us)
    try:
        yield VirtualTable(rig=rig, profile=name, seed=seed, **more)
    finally:
        rig.chip.body.close()  # type: ignore[attr-defined]


@pytest.mark.long
@chip
def test_a_table_plays_against_a_machine_on_the_emulated_chip() -> None:
    with table_on_chip("hex3", 4, seats=("human", "bot:easy"), options={"size": 2}) as table:
        table.run(lambda t: t.session.board.link == "up", 5_000_000)
        table.place("a1", wire.WHITE)
        table.run(lambda t: len(t.session.match.history.moves) >= 2, 10_000_000)
        assert table.rig.kinds.count(wire.WHITE) == table.rig.kinds.count(wire.BLACK) == 1
        assert any(table.rig.light)


"""As short a game of Control on 19 cells as a search of our own found; Black cannot move."""


def verdicts(table: VirtualTable) -> set[str]:
    """What was said of the board since the first move."""
    return {view["verdict"]["kind"] for view in table.views if view["moves"]}


@pytest.mark.long
@chip
@pytest.mark.parametrize(
    ("name", "game", "options", "seed"),
    [
        ("bread8-pico", "trivia", {"size": 3}, 1),
        ("chess8-pico", "trivia", {"size": 3}, 1),
        ("reed3-pico", "evening", {"size": 3, "turns": "trailing"}, 5),
        ("bread8-pico", "doves", {"tray": "off", "initial": "allowed"}, 5),
    ],
    ids=["trivia-matrix", "trivia-registers", "evening", "doves"],
)
def test_bots_play_to_the_end_on_switches_that_the_emulated_chip_reads(
    name: str, game: str, options: dict[str, Any], seed: int
) -> None:
    seats = {"seats": ("bot:easy", "bot:easy"), "playouts": 4, "assists": ("machine", "mend")}
    with table_on_chip(name, seed, game=game, options=options, **seats) as table:
        table.run(lambda t: bool(t.finished), 120_000_000)
        assert verdicts(table) <= {"agree", "wait"}
        match = table.session.match
        assert match.sensed.kinds == match.game.pieces(match.position)


@pytest.mark.long
@chip
def test_a_whole_program_is_sent_to_the_emulated_chip_whose_flash_takes_its_time() -> None:
    from lumiban.maker.flash import AFTER_US, TimeLeft, Updater, flash_files
    from lumiban.maker.program import program
    from lumiban_lab.rp2040.board import Booted
    from lumiban_sim.flash_disk import TYPICAL
    from lumiban_sim.rig import Rig
    from rig_line import driven

    profile, files = load("hex3"), program()
    disk = {name.lstrip("/"): data for name, data in flash_files(profile, files).items()}
    chips = Booted(Path(os.environ[rp2040.IMAGE]), profile, files=disk, times=TYPICAL)
    rig = Rig(profile, 4, body=chips.body, skipping=False)
    rig.advance(chips.up_us)
    try:
        driver = driven(profile, rig)
        boot = driver.hello.boot_id
        updater = Updater(files)
        began = rig.now_us
        while (frame := updater.next()) is not None and frame[0] != wire.H_BOOT:
            for heard in driver.deliver(*frame):
                updater.take(heard.kind, heard.payload)
            assert driver.hello.boot_id == boot  # nothing bit
        assert updater.failed == ""
        took_s = (rig.now_us - began + AFTER_US) / 1e6
        assert TimeLeft(updater.size).seconds(0, 0) == pytest.approx(took_s, rel=0.3)
        again = driver.restart(wire.BOOT_OTHER)
        assert again.boot_id != boot
        assert again.reset_cause == SOFTWARE
        assert not again.is_in_rescue
    finally:
        rig.chip.body.close()  # type: ignore[attr-defined]
