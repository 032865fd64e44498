"""Pins, machines and libraries of a board on the Pi's header: what cannot work is told, and why."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban import cli
from lumiban.boards.gpio import pins as gpio_machine
from lumiban.boards.gpio import wiring
from lumiban.boards.gpio.pins import (
    CLASSIC,
    PLACE,
    RESERVED_PINS,
    WIRINGS,
    LibraryError,
    Machine,
    PinError,
    Pins,
    check_dma,
    check_libraries,
    check_pins,
    parse,
)
from lumiban.boards.profile import drawn, load
from lumiban.errors import UsageError
from places import ROOT

PI_3 = Machine("Raspberry Pi 3 Model B Rev 1.2", 3)
PI_4 = Machine("Raspberry Pi 4 Model B Rev 1.1", 4)
PI_5 = Machine("Raspberry Pi 5 Model B Rev 1.0", 5)
EVERYTHING = {"RPi", "spidev", "board", "neopixel", "gpiod", "_rpi_ws281x"}
EVERYTHING_5 = EVERYTHING - {"_rpi_ws281x"} | {"adafruit_raspberry_pi5_neopixel_write"}


def refused(wish: str, on: Machine = PI_4) -> str:
    with pytest.raises(PinError) as caught:
        check_pins(parse(wish), on)
    return caught.value.reason


# Pins.


def test_the_wiring_by_default_needs_no_root_and_the_other_does() -> None:
    check_pins(Pins(), PI_4)
    check_pins(WIRINGS["pwm"], replace(PI_4, root=True))
    assert refused("pwm") == "root-pwm"


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ("spi=0", "led-on-adc"),
        ("pwm led=21", "root-pcm"),
        ("pwm led=24", "no-signal"),
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


def test_lights_by_pwm_and_analog_sound_exclude_each_other_even_for_root() -> None:
    assert refused("pwm", replace(PI_4, root=True, audio=True)) == "audio"
    check_pins(Pins(), replace(PI_4, audio=True))


def test_a_pi_5_makes_light_signals_on_any_free_pin_without_root() -> None:
    check_pins(parse("pwm led=24"), PI_5)
    check_pins(parse("led=11"), PI_5)


def test_the_dma_channel_that_writes_to_the_sd_card_is_refused() -> None:
    check_dma(10)
    with pytest.raises(PinError, match="SD card"):
        check_dma(5)


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
    root=st.booleans(),
    model=st.sampled_from((PI_3, PI_4, PI_5)),
)
def test_pins_that_pass_are_on_the_header_free_and_used_once(
    led: int, spi: int, columns: list[int], buttons: list[int], root: bool, model: Machine
) -> None:
    pins = Pins(spi=spi, led=led, columns=tuple(columns), buttons=tuple(buttons))
    on = replace(model, root=root)
    try:
        check_pins(pins, on)
    except PinError:
        return
    used = [pin for _, pin in pins.roles()]
    assert len(used) == len(set(used))
    assert set(used) <= set(PLACE) - set(RESERVED_PINS)
    assert on.has_pio or led == 10 or root


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
            "modules": "snd_bcm2835 28672 0 - Live 0x0\nfuse 1 0 - Live 0x0\n",
        },
    )
    assert (found.generation, found.audio) == (4, True)
    assert found.uid.hex() == "10000000abcdef01"


def test_a_pi_without_a_number_in_its_tree_tells_that_of_cpuinfo(tmp_path: Path) -> None:
    model = "Raspberry Pi Zero W Rev 1.1\0"
    cpu = "processor\t: 0\nSerial\t\t: 00000000deadbeef\nModel\t\t: any\n"
    found = machine(tmp_path, device_tree__model=model, cpuinfo=cpu)
    assert (found.generation, found.uid.hex(), found.audio) == (1, "00000000deadbeef", False)


def test_another_machine_is_no_pi(tmp_path: Path) -> None:
    assert machine(tmp_path).model == ""
    assert machine(tmp_path, device_tree__model="BeagleBone Black\0").model == ""


# Libraries.


def lacking(on: Machine, owners: tuple[str, ...], there: set[str]) -> tuple[str, str]:
    has: Callable[[str], bool] = there.__contains__
    with pytest.raises(LibraryError) as caught:
        check_libraries(on, owners, has)
    return caught.value.reason, str(caught.value)


@pytest.mark.parametrize("owner", ["RPi.GPIO", "rpi-lgpio"])
def test_either_owner_of_rpi_will_do_on_a_pi_4(owner: str) -> None:
    check_libraries(PI_4, (owner,), EVERYTHING.__contains__)


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("RPi", "rpi-lgpio"),
        ("spidev", "spidev"),
        ("board", "Adafruit-Blinka"),
        ("neopixel", "adafruit-circuitpython-neopixel"),
        ("gpiod", "gpiod"),
        ("_rpi_ws281x", "rpi-ws281x"),
    ],
)
def test_each_missing_library_is_named_with_the_command_that_installs_it(
    module: str, package: str
) -> None:
    reason, text = lacking(PI_4, (), EVERYTHING - {module})
    assert reason == "missing"
    assert f"{sys.executable} -m pip install" in text
    assert package in text.partition("pip install")[2]


def test_both_owners_of_rpi_at_once_are_refused() -> None:
    reason, text = lacking(PI_4, ("RPi.GPIO", "rpi-lgpio"), EVERYTHING)
    assert reason == "both"
    assert "uninstall -y RPi.GPIO rpi-lgpio" in text


def test_a_pi_5_wants_rpi_lgpio_and_lights_of_its_own() -> None:
    check_libraries(PI_5, ("rpi-lgpio",), EVERYTHING_5.__contains__)
    assert lacking(PI_5, (CLASSIC,), EVERYTHING_5)[0] == "classic-on-5"
    _, text = lacking(PI_5, ("rpi-lgpio",), EVERYTHING)
    assert "Adafruit-Blinka-Raspberry-Pi5-Neopixel" in text


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
    assert cli.run(["board", "gpio", "--wiring", "--profile", "hex3", "--pins", "pwm"]) == 0
    assert "| 18 | 12 | level shifter, then the first strip: LED_DIN |" in capsys.readouterr().out


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
    code = f"import sys, lumiban.runtime.setup; sys.exit(any(n in sys.modules for n in ({names})))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
