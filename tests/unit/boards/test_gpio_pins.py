"""Pins, machines and libraries of a board on the Pi's header: what cannot work is told, and why."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban import cli
from lumiban.boards.gpio import pins as gpio_machine
from lumiban.boards.gpio.config_txt import STEADY, sections_of
from lumiban.boards.gpio.pins import (
    PLACE,
    RESERVED_PINS,
    Machine,
    PinError,
    Pins,
    check_pins,
    of_profile,
    parse,
)
from lumiban.boards.profile import load
from lumiban.errors import BoardError, UsageError


def pi(generation: int, model: str) -> Machine:
    """A Pi whose clock is steady."""
    config = dict(line.split("=") for line in STEADY.get(generation, ()))
    return Machine(f"Raspberry Pi {model}", generation, config=config)


PI_3 = pi(3, "3 Model B Rev 1.2")
PI_4 = pi(4, "4 Model B Rev 1.1")
PI_5 = pi(5, "5 Model B Rev 1.0")
MATRIX = of_profile(load("breadboard8"))
REGISTERS = of_profile(load("chess8"))


def refused(wish: str, usual: Pins = MATRIX) -> str:
    with pytest.raises(PinError) as caught:
        check_pins(parse(wish, usual), PI_4)
    return caught.value.reason


# Pins.


@pytest.mark.parametrize("on", [PI_3, PI_4, PI_5])
@pytest.mark.parametrize("usual", [MATRIX, REGISTERS])
def test_the_wiring_of_a_profile_works_on_every_pi(on: Machine, usual: Pins) -> None:
    check_pins(usual, on)


@each(
    ("wish", "reason"),
    [
        ("led=18", "twice"),
        ("led=7", "no-signal"),
        ("drive=5,6,13,9", "led-bus"),
        ("drive=5,6,13,4", "twice"),
        ("buttons=0", "hat"),
        ("power=3", "i2c"),
        ("dark=14", "uart"),
        ("good=28", "none"),
        ("buttons=8,7,9,11,10", "buttons"),
    ],
)
def test_pins_that_cannot_work_are_refused_with_the_reason(wish: str, reason: str) -> None:
    assert refused(wish) == reason


@pytest.mark.parametrize("line", ["core_freq", "core_freq_min"])
def test_lights_need_a_steady_clock_on_a_pi_4_and_each_missing_line_is_named(line: str) -> None:
    config = {key: value for key, value in PI_4.config.items() if key != line}
    without = replace(PI_4, config=config)
    with pytest.raises(PinError, match=f"{line}=500") as caught:
        check_pins(MATRIX, without)
    assert caught.value.reason == "clock"
    check_pins(parse("led=-1", MATRIX), without)


def test_a_board_whose_sensors_measure_is_refused_with_boards_that_a_header_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    with pytest.raises(BoardError, match=r"hex5 .* --profile breadboard8"):
        of_profile(load("hex5"))


@each(
    "wish",
    ["led", "led=", "led=1,2", "led=x", "colour=3", "sense=a,b", "pins-by=magic", "has_spi=1"],
)
def test_words_about_pins_that_mean_nothing_are_refused(wish: str) -> None:
    with pytest.raises(UsageError, match="lights-by"):
        parse(wish)


@given(
    led=st.integers(-1, 30),
    drive=st.lists(st.integers(-1, 30), max_size=8),
    buttons=st.lists(st.integers(-1, 30), max_size=4),
    has_spi=st.booleans(),
    model=st.sampled_from((PI_3, PI_4, PI_5)),
)
def test_pins_that_pass_are_on_the_header_free_and_used_once(
    led: int, drive: list[int], buttons: list[int], has_spi: bool, model: Machine
) -> None:
    pins = Pins(led=led, drive=tuple(drive), buttons=tuple(buttons), has_spi=has_spi)
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


@pytest.mark.process
def test_a_host_loads_nothing_of_the_header_unless_it_is_asked_for() -> None:
    names = "'lumiban.boards.gpio.process', 'lumiban_fw.board', 'RPi', 'board'"
    found = f"any(n in sys.modules for n in ({names}))"
    code = f"import sys, lumiban.runtime.open_table; sys.exit({found})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


STEADY_4 = "core_freq=500\ncore_freq_min=500\n"
PI_4_MODEL, PI_3_MODEL = "Raspberry Pi 4 Model B Rev 1.1", "Raspberry Pi 3 Model B Rev 1.2"
CONFIGS = {
    "plain": (PI_4_MODEL, STEADY_4, True),
    "a section of its own": (PI_4_MODEL, f"[pi4]\n{STEADY_4}", True),
    "back in all": (PI_4_MODEL, f"[cm5]\nx=1\n[all]\n{STEADY_4}", True),
    "force_turbo": (PI_4_MODEL, "core_freq=500\nforce_turbo=1\n", True),
    "included": (PI_4_MODEL, "include more.txt\n", True),
    "an older Pi": (PI_3_MODEL, "[pi3]\ncore_freq=250\n", True),
    "another model": (PI_4_MODEL, f"[cm5]\n{STEADY_4}", False),
    "none": (PI_4_MODEL, f"[none]\n{STEADY_4}", False),
    "a module's section on a Pi 3": (PI_3_MODEL, "[cm4]\ncore_freq=250\n", False),
    "a later value": (PI_4_MODEL, f"{STEADY_4}core_freq_min=200\n", False),
    "a value that a pin may override": (PI_4_MODEL, f"{STEADY_4}[gpio4=1]\ncore_freq=400\n", False),
    "only if a monitor is there": (PI_4_MODEL, f"[EDID=VSC-TD2220]\n{STEADY_4}", False),
    "included under none": (PI_4_MODEL, "[none]\ninclude more.txt\n", False),
    "a comment": (PI_4_MODEL, "#core_freq=500\n#core_freq_min=500\n", False),
}


SECTIONS = {
    "3 Model B Rev 1.2": {"pi3"},
    "3 Model B Plus Rev 1.3": {"pi3", "pi3+"},
    "3 Model A Plus Rev 1.0": {"pi3", "pi3+"},
    "4 Model B Rev 1.1": {"pi4"},
    "400 Rev 1.0": {"pi4", "pi400"},
    "5 Model B Rev 1.0": {"pi5"},
    "500 Rev 1.0": {"pi5", "pi500"},
    "Compute Module 4S Rev 1.0": {"pi4", "cm4s"},
    "Compute Module 5 Rev 1.0": {"pi5", "cm5"},
    "Zero Rev 1.3": {"pi0"},
    "Zero W Rev 1.1": {"pi0", "pi0w"},
    "Zero 2 W Rev 1.0": {"pi0", "pi0w", "pi02"},
}
"""Sections of config.txt that hold, as Raspberry Pi's documentation lists them by model."""


def test_a_model_s_sections_are_those_of_the_documentation() -> None:
    assert {model: sections_of(f"Raspberry Pi {model}") for model in SECTIONS} == SECTIONS


@pytest.mark.parametrize("name", CONFIGS)
def test_config_txt_is_read_as_the_firmware_reads_it(tmp_path: Path, name: str) -> None:
    model, config, is_steady = CONFIGS[name]
    boot = tmp_path / "boot/firmware"
    boot.mkdir(parents=True)
    (boot / "config.txt").write_text(config)
    (boot / "more.txt").write_text(STEADY_4)
    on = machine(tmp_path, device_tree__model=model)
    assert (on.unsteady == ()) == is_steady
