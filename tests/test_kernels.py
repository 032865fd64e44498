"""Kernels: the compiled twins give the same numbers as the plain ones, to the bit."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from copy import deepcopy
from importlib.util import module_from_spec
from inspect import getmembers, isfunction, signature
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw import kernels, kernels_plain, ways
from viper_shim import Int32, Ptr8, Ptr16, Ptr32, load

VIPER = load("kernels_viper")
Draw = Callable[..., Any]

count = st.integers(0, 4095)
byte = st.integers(0, 255)
level = st.sampled_from((0, 1, 64, 128, 254, 255)) | byte


def public(module: Any) -> dict[str, Any]:
    return {
        name: made
        for name, made in getmembers(module, isfunction)
        if made.__module__ == module.__name__ and not name.startswith("_")
    }


def several(draw: Draw, of: st.SearchStrategy[int], n: int, kind: str = "B") -> Any:
    values = draw(st.lists(of, min_size=n, max_size=n))
    return bytearray(values) if kind == "B" else array(kind, values)


def outside(draw: Draw) -> tuple[Any, ...]:
    cells, rows = draw(st.integers(0, 20)), draw(st.integers(1, 5))
    far = st.integers(-300, 300) | st.just(-(1 << 20)) | st.just(1 << 20)
    near = st.integers(1900, 2200)
    return (
        several(draw, near | count, cells, "H"),
        several(draw, near | count, rows, "H"),
        several(draw, st.integers(0, rows - 1), cells),
        several(draw, far, cells, "i"),
        several(draw, far, cells, "i"),
        bytearray(cells),
    )


def astray(draw: Draw) -> tuple[Any, ...]:
    rows = draw(st.integers(0, 16))
    return (
        several(draw, st.integers(1800, 2300) | count, rows, "H"),
        2048,
        draw(st.integers(0, 300)),
    )


def note(draw: Draw) -> tuple[Any, ...]:
    rows, length = draw(st.integers(0, 6)), draw(st.integers(1, 9))
    at = draw(st.integers(0, length - 1))
    return several(draw, count, rows, "H"), array("H", [7] * (rows * length)), at, length


def gather(draw: Draw) -> tuple[Any, ...]:
    raw = several(draw, count, 40, "H")
    place = several(draw, st.integers(0, 9), draw(st.integers(0, 12)))
    return raw, draw(st.integers(0, 30)), place, array("H", [0] * len(place))


def glow(draw: Draw) -> tuple[Any, ...]:
    n, strips, colours = draw(st.integers(0, 12)), draw(st.integers(1, 4)), 6
    return (
        several(draw, st.integers(0, colours - 1), n),
        several(draw, level, n),
        several(draw, level, 3 * colours),
        several(draw, byte, 256),
        several(draw, st.integers(0, strips - 1), n),
        array("i", [99] * strips),
        bytearray(3 * n),
    )


def scale(draw: Draw) -> tuple[Any, ...]:
    return several(draw, byte, draw(st.integers(0, 9))), draw(st.integers(0, 65536))


def beat(draw: Draw) -> tuple[Any, ...]:
    n = draw(st.integers(0, 9))
    return several(draw, st.integers(0, 7), n), several(draw, byte, 8), bytearray(n)


def chase(draw: Draw) -> tuple[Any, ...]:
    n, length = draw(st.integers(0, 12)), draw(st.integers(1, 30))
    return (
        several(draw, st.integers(6, 7), n),
        7,
        several(draw, byte, length),
        draw(st.integers(0, length - 1)),
        draw(st.integers(0, length)),
        several(draw, byte, n),
    )


def crc16(draw: Draw) -> tuple[Any, ...]:
    data = draw(st.binary(max_size=70))
    return data, draw(st.integers(0, len(data)))


def stuff(draw: Draw) -> tuple[Any, ...]:
    data = draw(st.binary(max_size=20) | st.binary(min_size=240, max_size=254))
    return data, len(data), bytearray(len(data) + 2)


def unstuff(draw: Draw) -> tuple[Any, ...]:
    data = draw(st.lists(st.integers(0, 6), max_size=20).map(bytes) | st.binary(max_size=20))
    return data, len(data), bytearray(len(data) + 2)


def follow(draw: Draw) -> tuple[Any, ...]:
    cells, rows = 6, 2
    moving = bytearray(draw(st.permutations(range(cells))))
    state = array("i")
    for _ in range(cells):
        window = draw(st.lists(st.integers(-300, 300), min_size=8, max_size=8))
        rest = draw(st.integers(0, 60_000))
        way = [0, 0, 1_000_000 - rest, sum(window), sum(window) + draw(st.integers(-90, 90))]
        way += [draw(st.integers(-3000, 3000)), draw(st.integers(0, 30))]
        way += [draw(st.integers(-1, 1)), draw(st.integers(0, 7)), *window]
        state.extend(way)
    return (
        several(draw, count, cells, "H"),
        several(draw, count, rows, "H"),
        several(draw, st.integers(0, rows - 1), cells),
        moving,
        draw(st.integers(0, cells)),
        state,
        array("h", [0] * (2 * ways.RING)),
        draw(st.integers(0, ways.RING - 1)),
        1_000_000,
        draw(st.integers(1, 160)),
        30_000,
        bytearray(cells),
    )


ARGUMENTS: dict[str, Callable[[Draw], tuple[Any, ...]]] = {
    made.__name__: made
    for made in (
        *(outside, astray, note, gather, glow, scale, beat, chase),
        *(crc16, stuff, unstuff, follow),
    )
}


def test_every_kernel_has_its_twin_and_its_trial() -> None:
    assert sorted(public(kernels_plain)) == sorted(kernels.__all__)
    twins = [n for n, made in vars(VIPER).items() if hasattr(made, "__wrapped__")]
    assert sorted(n for n in twins if not n.startswith("_")) == sorted(kernels.__all__)
    assert sorted(ARGUMENTS) == sorted(kernels.__all__)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_a_twin_takes_the_same_arguments(name: str) -> None:
    plain = list(signature(getattr(kernels_plain, name)).parameters)
    assert list(signature(getattr(VIPER, name)).parameters) == plain


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_a_twin_gives_the_same_numbers(name: str) -> None:
    plain, twin = getattr(kernels_plain, name), getattr(VIPER, name)

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def run(data: Any) -> None:
        mine = ARGUMENTS[name](data.draw)
        other = deepcopy(mine)
        assert twin(*other) == plain(*mine)
        assert other == mine

    run()


def test_the_chips_constants_are_those_of_the_ways() -> None:
    names = [
        "MEAN",
        "RING",
        "STILL",
        "SUM",
        "ANCHOR",
        "TOTAL",
        "SAMPLES",
        "TRACE",
        "AT",
        "WINDOW",
        "WAY",
    ]
    assert [VIPER.__dict__[f"_{n}"] for n in names] == [getattr(ways, n) for n in names]


def test_the_shims_numbers_are_the_chips() -> None:
    assert Int32(0x7FFFFFFF) + 1 == -0x80000000
    assert 1 << Int32(31) == -0x80000000
    assert Int32(-7) >> 1 == -4
    memory = bytearray(8)
    Ptr32(memory)[0] = -2
    assert (Ptr8(memory)[0], Ptr16(memory)[0], Ptr32(memory)[0]) == (0xFE, 0xFFFE, -2)
    with pytest.raises(IndexError):
        Ptr16(memory)[4]


def test_a_package_micropython_without_a_compiler_leaves_the_plain_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Blinka brings one to every Pi whose header it drives.
    def viper(_: object) -> None:
        raise SyntaxError("invalid micropython decorator")

    brought = ModuleType("micropython")
    vars(brought).update(const=lambda x: x, viper=viper)
    monkeypatch.setitem(sys.modules, "micropython", brought)
    monkeypatch.delitem(sys.modules, "lumiban_fw.kernels_viper", raising=False)
    assert kernels.__spec__ is not None
    made = module_from_spec(kernels.__spec__)
    assert kernels.__spec__.loader is not None
    kernels.__spec__.loader.exec_module(made)
    assert made.outside is kernels_plain.outside
