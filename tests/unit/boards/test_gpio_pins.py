"""Pins, machines and libraries of a board on the Pi's header: what cannot work is told, and why."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import cli
from lumiban.boards.gpio import pins as gpio_machine
from lumiban.boards.gpio import wiring
from lumiban.boards.gpio.kernel import PinError
from lumiban.boards.gpio.pins import (
    PLACE,
    RESERVED_PINS,
    WIRINGS,
    Machine,
    Pins,
    check_pins,
    parse,
    steady_clock,
)
from lumiban.boards.profile import drawn, load
from lumiban.errors import UsageError
from places import ROOT


def pi(generation: int, model: str) -> Machine:
    """A Pi whose clock is steady."""
    bare = Machine(f"Raspberry Pi {model}", generation)
    return replace(bare, config=frozenset(steady_clock(bare)))


PI_3 = pi(3, "3 Model B Rev 1.2")
PI_4 = pi(4, "4 Model B Rev 1.1")
PI_5 = pi(5, "5 Model B Rev 1.0")


def refused(wish: str, on: Machine = PI_4) -> str:
    with pytest.raises(PinError) as caught:
        check_pins(parse(wish), on)
    return caught.value.reason


# Pins.


@pytest.mark.parametrize("on", [PI_3, PI_4, PI_5])
def test_the_wiring_by_default_works_on_every_pi(on: Machine) -> None:
    check_pins(WIRINGS["rootless"], on)


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ("spi=0", "led-on-adc"),
        ("led=18 spi=0", "no-signal"),
        ("led=24", "no-signal"),
        ("led=27", "twice"),
        ("columns=5,6,13,9", "led-bus"),
        ("columns=5,6,13,21", "twice"),
        ("buttons=0", "hat"),
        ("power=3", "i2c"),
        ("dark=14", "uart"),
        ("good=28", "none"),
        ("spi=2", "bus"),
        ("columns=5,6,13", "columns"),
        ("buttons=27,4,16,12,24", "buttons"),
    ],
)
def test_pins_that_cannot_work_are_refused_with_the_reason(wish: str, reason: str) -> None:
    assert refused(wish) == reason


@pytest.mark.parametrize("line", ["core_freq=500", "core_freq_min=500"])
def test_lights_need_a_steady_clock_on_a_pi_4_and_each_missing_line_is_named(line: str) -> None:
    without = replace(PI_4, config=PI_4.config - {line})
    with pytest.raises(PinError, match=line) as caught:
        check_pins(Pins(), without)
    assert caught.value.reason == "clock"
    check_pins(parse("led=-1"), without)


def test_what_a_pin_was_meant_for_is_told_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for language, said in (("en", "button 2"), ("ja", "ボタン 2")):
        monkeypatch.setenv("LUMIBAN_LANG", language)
        with pytest.raises(PinError, match=said):
            check_pins(parse("buttons=27,14"), PI_4)


@pytest.mark.parametrize("wish", ["led", "led=", "led=1,2", "led=x", "colour=3", "columns=a,b"])
def test_words_about_pins_that_mean_nothing_are_refused(wish: str) -> None:
    with pytest.raises(UsageError, match="rootless"):
        parse(wish)


@given(
    led=st.integers(-1, 30),
    spi=st.integers(0, 1),
    columns=st.lists(st.integers(-1, 30), min_size=4, max_size=4),
    buttons=st.lists(st.integers(-1, 30), max_size=4),
    model=st.sampled_from((PI_3, PI_4, PI_5)),
)
def test_pins_that_pass_are_on_the_header_free_and_used_once(
    led: int, spi: int, columns: list[int], buttons: list[int], model: Machine
) -> None:
    pins = Pins(spi=spi, led=led, columns=tuple(columns), buttons=tuple(buttons))
    try:
        check_pins(pins, model)
    except PinError:
        return
    used = [pin for _, pin in pins.roles()]
    assert len(used) == len(set(used))
    assert set(used) <= set(PLACE) - set(RESERVED_PINS)
    assert led in (-1, 10)


def test_every_gpio_of_the_header_has_a_place_of_its_own() -> None:
    assert sorted(PLACE) == list(range(28))
    assert len(set(PLACE.values())) == 28
    grounds_and_supplies = {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39}
    assert set(PLACE.values()) | grounds_and_supplies == set(range(1, 41))


# Machines.


def machine(tmp_path: Path, **files: str) -> Machine:
    for name, text in files.items():
        path = tmp_path / "proc" / name.replace("__", "/").replace("_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return gpio_machine.look(tmp_path)


def test_a_pi_tells_its_model_and_number(tmp_path: Path) -> None:
    found = machine(
        tmp_path,
        **{
            "device_tree__model": "Raspberry Pi 4 Model B Rev 1.1\0",
            "device_tree__serial_number": "10000000abcdef01\0",
        },
    )
    assert found.generation == 4
    assert found.uid.hex() == "10000000abcdef01"


def test_a_pi_without_a_number_in_its_tree_tells_that_of_cpuinfo(tmp_path: Path) -> None:
    model = "Raspberry Pi Zero W Rev 1.1\0"
    cpu = "processor\t: 0\nSerial\t\t: 00000000deadbeef\nModel\t\t: any\n"
    found = machine(tmp_path, device_tree__model=model, cpuinfo=cpu)
    assert (found.generation, found.uid.hex()) == (1, "00000000deadbeef")


def test_another_machine_is_no_pi(tmp_path: Path) -> None:
    assert machine(tmp_path).model == ""
    assert machine(tmp_path, device_tree__model="BeagleBone Black\0").model == ""


# What a user sees.


@pytest.mark.parametrize("words", [["play", "control", "--board", "gpio"], ["board", "gpio"]])
def test_on_a_machine_that_is_no_pi_it_is_said_in_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpio_machine, "look", lambda: Machine())
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    assert cli.run(words) == 3
    said = capsys.readouterr().err
    assert said.startswith("lumiban: This machine is not a Raspberry Pi")
    assert said.count("\n") == 1


def test_the_wiring_is_printed_on_any_machine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    assert cli.run(["board", "gpio", "--wiring", "--profile", "hex3"]) == 0
    assert "| 10 | 19 | level shifter, then the first strip: LED_DIN |" in capsys.readouterr().out


def test_a_drawing_is_written_or_it_is_said_why_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    words = ["board", "gpio", "--profile", "breadboard8", "--svg"]
    assert cli.run([*words, str(tmp_path / "board.svg")]) == 0
    assert (tmp_path / "board.svg").read_text("utf-8").startswith("<svg")
    assert str(tmp_path / "board.svg") in capsys.readouterr().out
    assert cli.run([*words, str(tmp_path / "nowhere" / "board.svg")]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert cli.run([*words, str(tmp_path / "below.svg"), "--below"]) == 0
    assert "Seen from below" in (tmp_path / "below.svg").read_text("utf-8")
    assert cli.run(["board", "gpio", "--profile", "breadboard8", "--below"]) == 2
    assert "--svg" in capsys.readouterr().err


@pytest.mark.parametrize("name", drawn())
def test_every_strip_has_an_input_of_an_adc_and_all_its_cells(name: str) -> None:
    profile = load(name)
    lines = wiring.strips_table(profile).splitlines()[2:]
    inputs = [tuple(line.split(" | ")[1:3]) for line in lines]
    assert len(inputs) == len(set(inputs)) == profile.rows
    needs_second = profile.rows > 8
    assert ("ADC 2: CS" in wiring.header_table(Pins(), profile)) == needs_second


def test_the_guide_shows_the_wiring_as_it_is_made() -> None:
    guide = (ROOT / "docs" / "gpio.md").read_text("utf-8")
    profile = load("hex5")
    for pins in WIRINGS.values():
        assert wiring.header_table(pins, profile) in guide
    assert wiring.strips_table(profile) in guide


@pytest.mark.process
def test_a_host_loads_nothing_of_the_header_unless_it_is_asked_for() -> None:
    names = "'lumiban.boards.gpio.process', 'lumiban_fw.board', 'RPi', 'board'"
    found = f"any(n in sys.modules for n in ({names}))"
    code = f"import sys, lumiban.runtime.open_table; sys.exit({found})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
