"""A board says what it is, and a host that never saw its profile plays on it; old boards go on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from each import each
from lumiban.boards.client import BoardClient
from lumiban.boards.identity import identity_bin, profile_text
from lumiban.boards.profile import Profile, drawn, load, read
from lumiban.boards.transport import ByteLine
from lumiban.errors import BoardError, WrongBoard
from lumiban.runtime.open_table import open_table, profile_at
from lumiban.system.run_log import RunLog
from lumiban.table.setup import TableSetup
from lumiban_fw import identity, wire
from lumiban_sim.rig import Rig
from places import TESTS
from rig_line import RigLine
from thorough import some

GREETINGS = json.loads((TESTS / "golden" / "greetings.json").read_text("utf-8"))
"""What boards of earlier minor versions sent to session 4711: recorded from their firmware, on hex3
with a white stone set on cell 4 after 0.4 s; 5.8 s in all."""

STRANGE = """
name = "nobodys-own"
revision = 7
[board]
geometry = "patch"
cells = [[0, 0], [1, 0], [2, 0], [-1, 1], [0, 1], [1, 1], [-1, 2], [0, 2], [3, 1]]
pitch_mm = 31.5
[wiring]
strips = [["a1", "b2", "c3"], ["c1", "c2", "b1", "b3", "b4", "a2"]]
channels = "right-to-left"
lights = "left-to-right"
[[cell]]
name = "b4"
channel = 11
[[edge]]
name = "side"
lights = [9, 11]
strip = 1
[current]
limit_ma = 900
strip_limit_ma = 450
[sensing]
scan_hz = 800
supply_mv = 3000
sensor_mv_per_mt = 12.5
gap_mm = 6.0
off_mt = 4.0
on_mt = 5.5
strong_mt = 18.0
foreign_mt = 50.0
still_mt = 0.9
settle_ms = 25.0
strong_height_um = 2100
weak_height_um = 1900
"""
"""A board that no lumiban knows: cells in a patch, wired by hand, lights without cells."""


def strange() -> Profile:
    return read(STRANGE, "strange.toml")


def told(profile: Profile) -> Profile:
    """The profile of a simulated board as a host learns it that knows none."""
    client = BoardClient(None, RigLine(Rig(profile, 1)))
    client.greet()
    return read(client.described(), "told.toml")


@pytest.mark.parametrize("name", some(drawn(), 4))
def test_what_a_board_tells_of_itself_is_its_profile(name: str) -> None:
    assert told(load(name)) == load(name)


def test_a_board_that_nobody_knows_is_known_by_what_it_tells() -> None:
    board = strange()
    learnt = told(board)
    assert learnt.board_bin() == board.board_bin()
    assert (learnt.name, learnt.grid, learnt.cells) == (board.name, board.grid, board.cells)
    client = BoardClient(None, RigLine(Rig(board, 2)))
    client.greet()
    assert client.fit().grid == board.grid
    said = client.identify()
    assert (said.model, said.chip) == ("nobodys-own", "a simulated chip")
    assert said.capabilities == client.hello.capabilities
    for cell, own in zip(said.cells, board.cells, strict=True):
        assert abs(cell.x_um - own.x_mm * 1000) <= wire.PLACE_STEP_UM / 2
        assert abs(cell.y_um - own.y_mm * 1000) <= wire.PLACE_STEP_UM / 2


def test_a_board_that_was_not_told_what_it_is_says_so() -> None:
    rig = Rig(strange(), 3)
    rig.chip.described.pop(identity.IDENTITY)
    client = BoardClient(None, RigLine(rig))
    client.greet()
    with pytest.raises(BoardError, match="was not told what it is"):
        client.fit()


@each("at", [0, 4, 8, 40, -1])
def test_a_damaged_identity_is_not_believed(at: int) -> None:
    data = bytearray(identity_bin(strange()))
    data[at] ^= 1
    with pytest.raises(ValueError, match=r"identity\.bin"):
        identity.check(bytes(data))


def test_a_description_of_another_board_is_refused() -> None:
    client = BoardClient(None, RigLine(Rig(strange(), 4)))
    client.greet()
    with pytest.raises(BoardError, match="9 cells"):
        profile_text(client.identify(), load("hex3").board_bin())


@pytest.mark.parametrize("name", ["hex3", "hex5"])
def test_a_board_without_a_description_has_fifteen_cells_on_a_strip_and_our_thresholds(
    name: str,
) -> None:
    client = BoardClient(None, RigLine(Rig(load(name), 5)))
    client.greet()
    found, usual = read(profile_text(client.identify(), b""), "told.toml"), load("hex3")
    places = [(cell.row, cell.channel, cell.light) for cell in found.cells]
    lights = [cell.light for cell in load(name).cells]
    assert places == [(n // 15, n % 15, light) for n, light in enumerate(lights)]
    assert found.grid == load(name).grid
    told = ("revision", "scan_hz", "limit_ma", "strip_limit_ma", "off_ut", "on_ut", "strong_ut",
            "foreign_ut", "still_ut", "settle_us", "strong_um", "weak_um", "gain_q16")  # fmt: skip
    assert [getattr(found, one) for one in told] == [getattr(usual, one) for one in told]


# Old boards.


class RecordedLine(ByteLine):
    """A board that sends what it once sent, whatever it is told."""

    now_us = 0

    def __init__(self, data: bytes) -> None:
        self._left = data

    def write(self, data: bytes) -> None:
        pass

    def read(self, until_us: int) -> bytes:
        self.now_us = max(self.now_us + 1, min(until_us, self.now_us + 100_000))
        data, self._left = self._left[:20], self._left[20:]
        return data


@pytest.mark.parametrize("minor", GREETINGS)
def test_an_old_board_has_its_built_in_profile_and_is_asked_nothing_new(minor: str) -> None:
    client = BoardClient(None, RecordedLine(bytes.fromhex(GREETINGS[minor])), session=4711)
    assert not client.open().capabilities & wire.CAN_IDENTIFY
    assert client.fit() == load("hex3")
    client.run(8_000_000)
    assert client.snapshots[0].kinds == (0,) * 19
    assert [(event.cell, event.kind) for event in client.events] == [(4, wire.WHITE)]
    assert client.link.statistics.broken == 0
    client.link.hello = replace(client.hello, model="unheard")
    with pytest.raises(BoardError, match="unheard"):
        client.fit()


# A table.


@pytest.mark.process
def test_one_plays_on_a_board_whose_profile_nobody_has(tmp_path: Path) -> None:
    from lumiban.runtime.simulator import start

    text = load("hex3").source.text.replace('name = "hex3"', 'name = "unheard-of"')
    text = text.replace('lights = "serpentine"', 'lights = "left-to-right"')
    (tmp_path / "own.toml").write_text(text, "utf-8")
    state = tmp_path / "state"
    state.mkdir()

    async def play() -> tuple[str, str]:
        board = await start(tmp_path, str(tmp_path / "own.toml"), 5)
        try:
            wish = TableSetup(
                options={"size": 3},
                seats=("human", "human"),
                board=board.port,
                assists=False,
            )
            with pytest.raises(WrongBoard):
                await open_table(replace(wish, profile="hex3"), state, RunLog())
            sitting = await open_table(wish, state, RunLog())
            profile = sitting.shell.session.profile
            await sitting.close()
            return profile.name, await asyncio.to_thread(profile_at, board.port, state)
        finally:
            board.end()

    name, path = asyncio.run(play())
    assert name == "unheard-of"
    assert path == str(state / "boards" / "unheard-of.toml")
    assert load(path) == read(text, "own.toml")
