"""Calibrating: what is measured, how the lights lead, how it goes on, what the board then does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.boards.client import BoardClient
from lumiban.boards.profile import load
from lumiban.cli import run
from lumiban.errors import BoardError
from lumiban.maker import calibration as stored
from lumiban.maker.calibration import (
    Calibrating,
    Guide,
    PlacePrompt,
    Taken,
    begun,
    calibration,
    findings,
    looks,
    order,
    send,
)
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.maker.health import Look
from lumiban.maker.selftest import SelfTest
from lumiban.runtime import open_board
from lumiban.runtime.open_board import OpenBoard
from lumiban_fw import wire
from lumiban_fw.calibration import Calibration
from lumiban_fw.wire import BLACK, NEUTRAL, WHITE
from lumiban_sim.built_board import built
from lumiban_sim.hands import BRISK
from lumiban_sim.rig import Rig
from rig_line import driven

HEX3 = load("hex3")
N = len(HEX3.cells)


class Person:
    """Hands that do what is asked, with what a test wants to see or spoil on the way."""

    def __init__(self, rig: Rig, before: Callable[[PlacePrompt], bool] = lambda _: True) -> None:
        self.rig = rig
        self.asked: list[PlacePrompt] = []
        self._before = before

    def __call__(self, ask: PlacePrompt) -> None:
        self.asked.append(ask)
        if not self._before(ask):
            return
        if ask.do == "set":
            self.rig.hands.place(ask.cell, ask.kind)
        else:
            self.rig.hands.lift(ask.cell)


def _work(
    rig: Rig,
    path: Path,
    before: Callable[[PlacePrompt], bool] = lambda _: True,
    driver: BoardClient | None = None,
) -> tuple[Calibrating, Person]:
    driver = driver or driven(HEX3, rig)
    person = Person(rig, before)
    taken = begun(path, driver.hello.uid, HEX3.model, N)
    return Calibrating(driver, taken, path, lambda *_: None, person), person


def green_cells(rig: Rig) -> list[int]:
    """Cells that shine more green than red."""
    light = [rig.light[3 * cell.light :][:3] for cell in rig.profile.cells]
    return [cell for cell, (red, green, _) in enumerate(light) if green > red]


def _read(data: bytes, driver: BoardClient) -> Calibration:
    return Calibration(data, b"hex3", bytes.fromhex(driver.hello.uid), N)


@pytest.mark.slow
def test_a_calibrated_board_reads_one_stone_alike_on_all_cells(tmp_path: Path) -> None:
    board = replace(built(HEX3, 4), remanence=0.0)
    rig = Rig(HEX3, 4, tempo=BRISK, board=board)
    work, person = _work(rig, tmp_path / "part.json")
    data = work.run()
    assert [ask.cell for ask in person.asked if ask.do == "set"][:N] == order(HEX3)
    calibration = _read(data, work.driver)
    zeros = rig.world.electrics
    assert zeros is not None
    for told, true in zip(calibration.offsets, zeros.zeros(), strict=True):
        assert abs(told - true) <= 5
    pairs = [(work.taken.strengths[cell], calibration.gains[cell]) for cell in range(N)]
    seen = [counts * gain / 65536 for counts, gain in pairs]
    assert max(seen) - min(seen) < 50
    assert calibration.strong_ut == pytest.approx(seen[0], abs=50)
    assert calibration.weak_ut == pytest.approx(12_700, rel=0.2)


def test_a_calibration_goes_on_where_it_was_and_leads_over_the_cells_that_are_left(
    tmp_path: Path,
) -> None:
    path, strip = tmp_path / "state/part.json", load("strip5")
    rig = Rig(strip, 7, tempo=BRISK)
    rig.world.stand(BLACK, 2)
    driver = driven(strip, rig)
    uid, model = driver.hello.uid, driver.hello.model
    Taken(uid, model, [0.0] * 5, [6.0] * 5, dict.fromkeys((1, 2, 3), 600.0)).keep(path)
    steps: list[tuple[object, ...]] = []
    asked: list[tuple[str, int, int]] = []
    green: list[list[int]] = []
    kept: list[Taken] = []

    def hands(ask: PlacePrompt) -> None:
        asked.append((ask.do, ask.cell, ask.kind))
        green.append(green_cells(rig))
        kept.append(begun(path, uid, model, 5))
        if ask == PlacePrompt("set", 0, WHITE):  # a dead cell, that its button skips
            rig.world.press(0, True)
            driver.run(100_000)
            rig.world.press(0, False)
            return
        Person(rig)(ask)

    part = begun(path, uid, model, 5)
    data = Calibrating(driver, part, path, lambda *at: steps.append(at), hands).run()
    read = Calibration(data, b"strip5", bytes.fromhex(uid), 5)
    taken = begun(path, uid, model, 5)
    assert steps == [
        ("clear", -1, 0, 5), ("set", 0, 3, 5), ("set", 4, 3, 5), ("neutral", 2, 4, 5)
    ]  # fmt: skip
    assert asked == [
        ("lift", 2, 0), ("set", 0, WHITE), ("set", 4, WHITE), ("lift", 4, 0), ("set", 2, NEUTRAL),
        ("lift", 2, 0),
    ]  # fmt: skip
    assert green == [[], [], [], [4], [4], [2]], "what was taken is green until it is lifted"
    assert [(len(one.strengths), one.skipped, one.weak > 0) for one in kept[2:]] == [
        (3, [0], False), (4, [0], False), (4, [0], False), (4, [0], True)
    ]  # fmt: skip
    assert taken.weak_cell == 2
    assert read.strong_ut * taken.weak == pytest.approx(read.weak_ut * 600, rel=0.01)
    assert not any(rig.light)
    send(driver, data)
    assert driver.hello.capabilities & wire.CALIBRATED
    usual = [gain or strip.gain_q16 for gain in read.gains]
    assert stored.zeros(driver) == (read.offsets, usual)


def test_each_cell_gets_the_gain_that_makes_the_stone_as_strong_as_on_the_others() -> None:
    strengths = dict.fromkeys(range(6, N - 1), 1000.0)
    strengths |= {0: -1_000.0, 1: 650.0, 2: 600.0, 3: 599.0, 4: 1_600.0, 5: -1_601.0}
    offsets = [2.0, -3.0, 9_000.0, -9_000.0, *([0.5] * (N - 4))]
    taken = Taken("ab" * 8, HEX3.model, offsets, [6.0] * N, strengths, [N - 1], 300.0, 1)
    read = Calibration(calibration(HEX3, taken), b"hex3", bytes.fromhex(taken.uid), N)
    ut = HEX3.gain_q16 / 65536
    strong = round(1_000 * ut)
    assert read.strong_ut == strong
    told = {cell: read.gains[cell] / 65536 for cell in range(N)}
    assert [cell for cell in told if not told[cell]] == [3, 5, N - 1], "no lid does that"
    for cell in (0, 1, 2, 4, 6):
        assert told[cell] * abs(strengths[cell]) == pytest.approx(strong, rel=1e-4)
    assert read.weak_ut == round(300 * told[1])
    assert read.offsets[:5] == [2, -3, 2_048, -2_048, 1]
    untaught = Calibration(
        calibration(HEX3, replace(taken, weak_cell=-1)), b"hex3", bytes.fromhex(taken.uid), N
    )
    assert untaught.weak_ut == round(300 * ut)

    names = HEX3.grid.name
    assert findings(HEX3, taken) == [
        *(
            Finding("health.weak", BAD, {"cell": names(cell), "percent": percent})
            for cell, percent in ((1, 65), (2, 60), (3, 60))
        ),
        Finding("calibrate.skipped", NOTE, {"cells": names(N - 1)}),
        Finding("calibrate.taken", GOOD, {"cells": N - 1, "mt": round(ut, 1)}),
    ]
    whole = replace(taken, strengths=dict.fromkeys(range(N), 750.0), skipped=[])
    assert [one.id for one in findings(HEX3, whole)] == ["calibrate.taken"]
    seen = looks(HEX3, taken, "2026-01-02")
    assert seen[1] == Look("2026-01-02", round(-3 * ut), round(6 * ut), round(650 * ut))
    assert seen[0].strong_ut == strong
    assert (len(seen), seen[N - 1].strong_ut) == (N, None)


@pytest.mark.parametrize("spoilt", ["", "[]", '{"uid": "x"}', '{"strengths": 4}', "{"])
def test_a_spoilt_or_strange_part_is_begun_anew(tmp_path: Path, spoilt: str) -> None:
    path = tmp_path / "part.json"
    path.write_text(spoilt)
    assert begun(path, "aa", "hex3", N) == Taken("aa", "hex3")
    Taken("bb", "hex3", [1.0] * N, [2.0] * N).keep(path)
    assert begun(path, "aa", "hex3", N) == Taken("aa", "hex3")
    assert begun(path, "bb", "hex3", N).offsets == [1.0] * N


def test_nobody_there_is_an_error_that_says_how_to_go_on() -> None:
    rig = Rig(HEX3, 11, tempo=BRISK)
    guide = Guide(driven(HEX3, rig), [0.0] * N, patience_us=1_000_000)
    with pytest.raises(BoardError, match="again"):
        guide.set(3, WHITE)


def test_a_sensor_walk_by_hand_names_the_cells_on_which_nothing_was_seen() -> None:
    strip = load("strip5")
    rig = Rig(strip, 12, tempo=BRISK)
    driver = driven(strip, rig)
    steps: list[tuple[str, int, int]] = []
    glow: dict[tuple[str, int], bool] = {}

    def before(ask: PlacePrompt) -> bool:
        light = rig.light[3 * strip.cells[4].light :][:3]
        glow[ask.do, ask.cell] = any(light) and len(set(light)) == 1
        if ask.do == "set" and ask.cell < 3:
            rig.world.press(0, True)
            driver.run(100_000)
            rig.world.press(0, False)
            driver.run(100_000)
            return False
        return True

    test, lights, run = SelfTest(driver), set(), driver.run
    test.zeros = [0] * 5

    def watched(us: int) -> None:
        for _ in range(0, us, 50_000):
            run(min(us, 50_000))
            lights.add(bytes(rig.light))

    driver.run = watched  # type: ignore[method-assign]  # to look at the lights meanwhile
    found = test.walk_by_hand(lambda *step: steps.append(step), Person(rig, before))
    names = ", ".join(map(strip.grid.name, (0, 1, 2)))
    assert found == Finding("selftest.by-hand.silent", BAD, {"cells": names})
    assert steps == [("by-hand", at, 5) for at in range(5)]
    green = {light for light in lights if all(light[1::3]) and not any(light[0::3])}
    assert len(green) > 10, "at the end all are green and breathe"
    assert not any(rig.light)
    assert glow["set", 4], "it glows before the stone of the cell before it is away"
    assert not any(is_lit for (_, cell), is_lit in glow.items() if cell < 4)


@pytest.mark.slow
def test_whoever_breaks_it_off_is_told_how_much_is_kept_and_the_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = Rig(HEX3, 16, tempo=BRISK)
    hands: list[Person] = []

    @contextmanager
    def at_hand(*_: object) -> Iterator[OpenBoard]:
        driver = driven(HEX3, rig)
        yield OpenBoard(driver, HEX3, driver.hello, "memory", None)

    @contextmanager
    def helped(_: object) -> Iterator[Person]:
        yield hands[-1]

    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.setattr(open_board, "board_at", at_hand)
    monkeypatch.setattr(open_board, "SimulatedHands", helped)

    def third(ask: PlacePrompt) -> bool:
        if ask == PlacePrompt("set", order(HEX3)[2], WHITE):
            raise KeyboardInterrupt
        return True

    hands.append(Person(rig, third))
    assert run(["board", "calibrate", "--assist", "--no-neutral"]) == 130
    assert "2 of 19" in capsys.readouterr().out
    hands.append(Person(rig))
    assert run(["board", "calibrate", "--assist", "--no-neutral", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["cells"]) == N
    assert [ask.cell for ask in hands[-1].asked if ask.do == "set"] == order(HEX3)[2:]
    copy = Path(told["copy"]).read_bytes()
    assert rig.chip.files["calibration.bin"] == copy
    # A board that has lost it gets it back from the copy.
    del rig.chip.files["calibration.bin"]
    assert run(["board", "calibrate", "--restore"]) == 0
    assert rig.chip.files["calibration.bin"] == copy
    assert list((tmp_path / "health").iterdir())


def test_a_stone_on_another_cell_blinks_red_and_is_not_taken_for_the_one_that_is_wanted() -> None:
    strip = load("strip5")
    rig = Rig(strip, 12, tempo=BRISK)
    driver = driven(strip, rig)
    shone: list[set[int]] = [set(), set()]
    run = driver.run

    def watched(us: int) -> None:
        run(us)
        for cell, place in enumerate(strip.cells):
            red, green, _ = rig.light[3 * place.light :][:3]
            if red or green:
                shone[red > green].add(cell)

    driver.run = watched  # type: ignore[method-assign]  # to look at the lights meanwhile

    def hands(ask: PlacePrompt) -> None:
        rig.hands.place(3, WHITE)
        rig.hands.lift(3, at_us=rig.now_us + 1_500_000)
        rig.hands.place(ask.cell, WHITE, at_us=rig.now_us + 2_500_000)

    begun_us = rig.now_us
    assert Guide(driver, [0.0] * 5, 5.0, hands).set(1, WHITE) != 0
    assert rig.now_us - begun_us > 2_500_000
    assert (shone[True] - {1}, shone[False] - {1}) == ({3}, set())
