"""The driver of the Pi's header as a process in real time, and a table that plays on it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import select
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from each import each
from listeners import TELLS, listeners
from lumiban.boards.gpio import process
from lumiban.boards.gpio.pins import Machine, of_profile
from lumiban.boards.gpio.process import ROOM, HeaderBoard, PtyEnd, Rate
from lumiban.boards.messages import Unpacked, framed, packed, unpacked
from lumiban.boards.profile import load
from lumiban.errors import BoardError, LumibanError
from lumiban.runtime import pi_driver
from lumiban.runtime.open_table import open_table
from lumiban.system.paths import made, open_log
from lumiban.table.setup import TableSetup
from lumiban_fw import wire
from places import SUPPORT
from simulated_pi import Pi

HEX3 = load("reed-hex3")
UID = bytes.fromhex("10000000abcdef01")

SCRIPT = f"""
import sys
sys.path.append({str(SUPPORT)!r})
from lumiban.boards import profile
from lumiban.boards.gpio import process as gpio_process
from lumiban.boards.gpio.pins import of_profile
from simulated_pi import Pi

def opened(name, pins, state, *, also):
    board = profile.load(name)
    wired = of_profile(board)
    pi = Pi(board, wired, look=lambda: bytes(len(board.cells)))
    return gpio_process.HeaderBoard(
        board, wired, pi, pi, pi, uid=bytes.fromhex("10000000abcdef01"), state=state, also=also,
        simulated=True,
    )

sys.exit(gpio_process.main(sys.argv[1:], opened))
"""


@pytest.mark.process
def test_a_driver_that_cannot_start_says_why_in_its_own_words(tmp_path: Path) -> None:
    words = [sys.executable, "-c", 'print(\'{"error": "no bus"}\')']
    with pytest.raises(BoardError, match="no bus"):
        asyncio.run(pi_driver.started(words, tmp_path / pi_driver.LOG))
    silent = [sys.executable, "-c", "import sys; sys.exit('broken')"]
    with pytest.raises(BoardError, match=str(tmp_path / pi_driver.LOG)):
        asyncio.run(pi_driver.started(silent, tmp_path / pi_driver.LOG))
    assert "broken" in (tmp_path / pi_driver.LOG).read_text()


@pytest.mark.process
def test_a_table_sits_down_at_the_header_and_stops_when_its_driver_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    async def start(state: Path, profile: str, pins: str) -> pi_driver.Driver:
        asked.append((profile, pins))
        words = [sys.executable, "-c", SCRIPT, "--profile", profile, "--state", str(state)]
        return await pi_driver.started([*words, "--while-stdin"], state / pi_driver.LOG)

    monkeypatch.setattr(pi_driver, "start", start)
    monkeypatch.setenv("LUMIBAN_LANG", "en")

    async def main() -> str:
        state = made(tmp_path / "state")
        made(state / "journals")
        seats = ("human", "human")
        wish = TableSetup(
            "control", {"size": 3}, seats, board="gpio", pins="led=-1", profile="reed-hex3"
        )
        heard = listeners(os.getpid()) if TELLS else []
        sitting = await open_table(wish, state, open_log(state))
        try:
            # Nothing listens but the page, and that as at any table (lan.md, test 1).
            assert (listeners(os.getpid()) if TELLS else []) == heard
            assert sitting.driver is not None
            assert sitting.hello.uid == UID.hex()
            playing = asyncio.create_task(sitting.shell.run())
            await asyncio.sleep(0)
            sitting.driver.child.kill()
            with pytest.raises(BoardError) as caught:
                await playing
            return str(caught.value)
        finally:
            await sitting.close()

    said = asyncio.run(main())
    assert said.startswith("The header's driver has stopped")
    assert asked == [("reed-hex3", "led=-1")]


class Chain:
    """Lights that keep what they have shown last."""

    shown = b""
    is_closed = False

    def show(self, rgb: bytes) -> None:
        self.shown = rgb

    def close(self) -> None:
        self.is_closed = True


def test_a_board_answers_its_host_restarts_when_asked_and_ends_when_its_starter_does(
    tmp_path: Path,
) -> None:
    wired, chain, also = of_profile(HEX3), Chain(), os.pipe()
    pi = Pi(HEX3, wired, look=lambda: bytes(19))
    now_ns = 10**15

    def clock_ns() -> int:
        nonlocal now_ns
        now_ns += 20_000
        return now_ns

    board = HeaderBoard(
        HEX3, wired, pi, pi, chain, uid=UID, state=tmp_path, also=also[0], clock_ns=clock_ns
    )
    assert board.described() == {
        "port": board.line.path, "uid": UID.hex(), "scan_hz": board.scan_hz,
    }  # fmt: skip
    assert 0 < board.scan_hz <= HEX3.scan_hz
    host = os.open(board.line.path, os.O_RDWR | os.O_NOCTTY)
    decoder, heard = wire.Decoder(), list[Unpacked]()
    boot = packed(wire.H_BOOT, wire.BOOT_MAGIC, wire.BOOT_AGAIN)
    say = {
        1: framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 7),
        9: wire.frame(wire.H_BOOT, boot, wire.RELIABLE, 0),
        29: framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 8),
    }
    looks = itertools.count()

    def wait(for_us: int) -> bool:
        """No time goes by but what the board waits for; its host says what is next, and hears."""
        nonlocal now_ns
        now_ns += max(for_us, 0) * 1000
        assert not waits(0), "nobody has ended it"
        os.write(host, say.get(next(looks), b""))
        if select.select([host], [], [], 0)[0]:
            frames = decoder.feed(os.read(host, 4096))
            heard.extend(unpacked(f[0], f[4]) for f in frames if f[0] == wire.B_HELLO)
        if len(heard) == 2:
            os.close(also[1])
        return len(heard) == 2 and waits(0)

    waits, board.line.wait = board.line.wait, wait  # type: ignore[method-assign]  # no real time
    board.run()
    for hello, session, cause in zip(heard, (7, 8), (1, 2), strict=True):
        assert hello.number("session") == session
        assert hello.number("reset_cause") == cause, "as the table of causes has them"
        assert hello.values["uid"] == UID
        assert hello.number("scan_hz") == board.scan_hz
        assert not hello.number("capabilities") & wire.IS_SIMULATED
        assert hello.number("now_us") < 1_000_000, "its time begins when it starts"
    assert heard[0].number("boot_id") != heard[1].number("boot_id")
    assert chain.is_closed
    assert not any(chain.shown)
    os.close(host)
    os.close(also[0])


@pytest.mark.parametrize("refuses", [True, False])
def test_the_process_says_one_line_and_is_the_board_until_it_is_told_to_end(
    refuses: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[object] = []
    ends: dict[int, Any] = {}
    monkeypatch.setattr("signal.signal", ends.__setitem__)
    monkeypatch.setattr("os.nice", told.append)
    monkeypatch.setattr("sys.setswitchinterval", told.append)

    def run() -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            ends[number](number, None)

    def opened(*words: object, also: int) -> Any:
        told.append((*words, also))
        if refuses:
            raise BoardError("no header")
        described = {"port": "P", "uid": "12", "scan_hz": 250}
        return SimpleNamespace(
            described=lambda: described, run=run, stop=lambda: told.append("end")
        )

    words = ["--profile", "reeds8", "--pins", "led=-1", "--state", str(tmp_path)]
    code = process.main(words, opened)
    said = json.loads(capsys.readouterr().out)
    first, *then = told
    assert first == ("reeds8", "led=-1", tmp_path, None)
    if refuses:
        assert (code, said, then) == (BoardError.exit_code, {"error": "no header"}, [])
        return
    assert (code, said) == (0, {"port": "P", "uid": "12", "scan_hz": 250})
    assert then[0] == -10, "it goes before others"
    assert 0 < then[1] < 0.005
    assert then[2:] == ["end"] * 3


PI = Machine("Raspberry Pi 3 Model B", 3, "10000000abcdef01", {"core_freq": "250"})
REFUSED = [
    ("reed-hex3", "", Machine(), "not a Raspberry Pi", []),
    ("reed3-pico", "", PI, "reed3-pico", []),
    ("reed-hex3", "", Machine("Raspberry Pi 3 Model B", 3), "core_freq=250", []),
    ("reed-hex3", "led=12", PI, "12", []),
    ("hex3", "", PI, "hex3", []),
    ("reed-hex3", "", PI, "no chip", ["lights", "pins", "dark"]),
]


@each(("profile", "pins", "on", "says", "opened"), REFUSED)
def test_a_board_that_cannot_be_had_says_why_before_anything_is_lit(
    profile: str,
    pins: str,
    on: Machine,
    says: str,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    told: list[str] = []

    def chip() -> None:
        told.append("pins")
        raise BoardError("no chip")

    def chain(lights: int) -> SimpleNamespace:
        told.append("lights")
        return SimpleNamespace(close=lambda: told.append("dark"))

    monkeypatch.setenv("LUMIBAN_LANG", "en")
    monkeypatch.setattr(process, "look", lambda: on)
    monkeypatch.setitem(process.PINS_BY, "kernel", chip)
    monkeypatch.setitem(process.LIGHTS_BY, "spi", chain)
    with pytest.raises(LumibanError, match=says):
        process.open_board(profile, pins, tmp_path)
    assert told == opened


def test_the_board_of_a_profile_is_opened_with_what_its_pins_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    access, lamps = object(), Chain()
    monkeypatch.setattr(process, "look", lambda: PI)
    monkeypatch.setattr(process, "HeaderBoard", lambda *words, **named: (*words, named))
    monkeypatch.setitem(process.PINS_BY, "kernel", lambda: access)
    monkeypatch.setitem(process.LIGHTS_BY, "spi", {HEX3.lights: lamps}.__getitem__)
    profile, wired, moved, _, chain, named = process.open_board(  # type: ignore[misc]  # stand-in
        "reed-hex3", "", tmp_path, also=7
    )
    assert (profile, wired, moved, chain) == (HEX3, of_profile(HEX3), access, lamps)
    assert named == {"uid": UID, "state": tmp_path, "also": 7}


def test_a_rate_is_that_of_the_last_whole_second() -> None:
    rate = Rate(300)
    looks = [(100, 500_000), (250, 1_000_000), (999, 1_200_000), (450, 2_000_000), (450, 9_000_000)]
    assert [rate.look(frames, at) for frames, at in looks] == [300, 250, 250, 200, 1]


# The line.


def test_a_line_that_nobody_reads_has_an_end_and_never_blocks() -> None:
    end = PtyEnd()
    sent = 0
    while end.room():
        end.write(bytes(end.room()))
        sent += ROOM
        assert sent < 1 << 20
    assert end.read() == b""
    host = os.open(end.path, os.O_RDWR | os.O_NOCTTY)
    while not end.room():
        assert os.read(host, 4096)
    os.close(host)
    end.close()


def test_a_line_wakes_when_what_it_watches_beside_ends() -> None:
    there, here = os.pipe()
    end = PtyEnd(also=there)
    assert not end.wait(0)
    os.close(here)
    assert end.wait(5_000_000)
    end.close()
    os.close(there)
