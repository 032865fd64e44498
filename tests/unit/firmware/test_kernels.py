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
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw import buffers, contact, kernels, kernels_plain, wire
from thorough import examples
from viper_shim import Int32, Ptr8, Ptr16, Ptr32, load

Draw = Callable[..., Any]


def public(module: Any) -> dict[str, Any]:
    return {
        name: made
        for name, made in getmembers(module, isfunction)
        if made.__module__ == module.__name__ and not name.startswith("_")
    }


VIPER = load("kernels_viper")
THUMB = load("kernels_thumb")
PLAIN = public(kernels_plain)
COMPILED = {**public(VIPER), **public(THUMB)}

count = st.integers(0, 4095)
byte = st.integers(0, 255)
level = st.sampled_from((0, 1, 64, 128, 254, 255)) | byte


def several(draw: Draw, of: st.SearchStrategy[int], n: int, kind: str = "B") -> Any:
    values = draw(st.lists(of, min_size=n, max_size=n))
    return bytearray(values) if kind == "B" else array(kind, values)


def watch(draw: Draw) -> tuple[Any, ...]:
    cells, rows, no = draw(st.integers(0, 6)), draw(st.integers(1, 3)), draw(st.integers(0, 5000))
    far = st.integers(-300, 300) | st.just(-(1 << 20)) | st.just(1 << 20)
    near = st.integers(1900, 2200)
    bands = array("i")
    for _ in range(cells):
        ends = sorted(draw(st.tuples(far, far)))
        run = draw(st.integers(-buffers.RUN, buffers.RUN))
        last = no - 1
        if abs(run) == buffers.RUN or draw(st.booleans()):
            last = draw(st.integers(-1, max(no - 2, -1)))
        bands.extend([*ends, run, last])
    return (
        several(draw, near | count, cells, "H"),
        several(draw, near | count, rows, "H"),
        several(draw, st.integers(0, rows - 1), cells),
        bands,
        array("h", [0] * (cells * buffers.RUN)),
        array("i", [1000 * k for k in range(buffers.CLOCK + 1)]),
        no,
        bytearray(cells),
        array("i", [0, 0]),
    )


def note(draw: Draw) -> tuple[Any, ...]:
    rows, length = draw(st.integers(0, 16)), draw(st.integers(1, 9))
    at = draw(st.integers(0, length - 1))
    references = several(draw, st.integers(1800, 2300) | count, rows, "H")
    rings = array("b", [7] * (rows * length))
    return references, rings, at, length, 2048, draw(st.integers(0, 127))


def some(draw: Draw, cells: int) -> tuple[bytearray, int]:
    return bytearray(draw(st.permutations(range(cells)))), draw(st.integers(0, cells))


def earliest(draw: Draw) -> tuple[Any, ...]:
    state = several(draw, st.integers(-(1 << 28), 1 << 30), 6 * buffers.CELL_WORDS, "i")
    return *some(draw, 6), state, draw(st.integers(0, 1 << 30))


def spread(draw: Draw) -> tuple[Any, ...]:
    return (
        several(draw, count, 6, "H"),
        several(draw, count, 2, "H"),
        several(draw, st.integers(0, 1), 6),
        *some(draw, 6),
        several(draw, st.integers(-4095, 4095), 6, "i"),
        array("i", [0, 0]),
    )


def start_all(draw: Draw) -> tuple[Any, ...]:
    return (
        several(draw, count, 6, "H"),
        several(draw, count, 2, "H"),
        several(draw, st.integers(0, 1), 6),
        several(draw, count, 6 * buffers.CELL_WORDS, "i"),
        array("h", [0] * (6 * buffers.MEAN)),
        draw(count),
        draw(st.integers(0, 1 << 30)),
    )


def sink(draw: Draw) -> tuple[Any, ...]:
    times = several(draw, st.integers(-(1 << 28), 1 << 30), draw(st.integers(0, 9)), "i")
    return times, draw(st.integers(0, 1 << 28)), -(1 << 28)


def beyond(draw: Draw) -> tuple[Any, ...]:
    n = draw(st.integers(0, 9))
    return several(draw, count, n, "i"), several(draw, count, n, "i")


def used(draw: Draw) -> tuple[Any, ...]:
    n = draw(st.integers(0, 9))
    return several(draw, st.just(0) | byte, n), several(draw, st.integers(0, 7), n)


def gather(draw: Draw) -> tuple[Any, ...]:
    raw = several(draw, count, 40, "H")
    place = several(draw, st.integers(0, 9), draw(st.integers(0, 12)))
    return raw, draw(st.integers(0, 30)), place, array("H", [0] * len(place))


def scatter(draw: Draw) -> tuple[Any, ...]:
    raw, first, place, _ = gather(draw)
    return raw, first, place, several(draw, count, len(place), "H")


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
    state, windows = array("i"), array("h")
    for _ in range(cells):
        window = draw(st.lists(st.integers(-300, 300), min_size=8, max_size=8))
        rest = draw(st.integers(0, 60_000))
        way = [0, 0, 1_000_000 - rest, sum(window), sum(window) + draw(st.integers(-90, 90))]
        way += [draw(st.integers(-3000, 3000)), draw(st.integers(0, 30))]
        way += [draw(st.integers(-1, 1)), draw(st.integers(0, 7))]
        state.extend(way)
        windows.extend(window)
    return (
        several(draw, count, cells, "H"),
        several(draw, count, rows, "H"),
        several(draw, st.integers(0, rows - 1), cells),
        moving,
        draw(st.integers(0, cells)),
        state,
        windows,
        array("h", [0] * (2 * buffers.TRACE_LEN)),
        draw(st.integers(0, buffers.TRACE_LEN - 1)),
        1_000_000,
        draw(st.integers(1, 160)),
        30_000,
        bytearray(cells),
    )


def some_buffers(draw: Draw, cells: int, rows: int, no: int) -> list[Any]:
    """What senses have, each cell with a band and a way of its own; up to two move."""
    far = st.sampled_from((-(1 << 20), -30, 0))
    bands, state, early = array("i"), array("i"), array("h")
    for _ in range(cells):
        low = draw(far)
        bands.extend([low, -low, draw(st.integers(-7, 7)), draw(st.integers(no - 2, no))])
        window = draw(st.lists(st.integers(-300, 300), min_size=8, max_size=8))
        way = [0, 0, draw(st.integers(0, 60_000)), sum(window), sum(window)]
        state.extend([*way, 5, 6, draw(st.integers(-1, 1)), draw(st.integers(0, 7))])
        early.extend(window)
    moving, m = some(draw, cells)
    return [
        several(draw, st.integers(2000, 2100), cells, "H"),
        several(draw, st.integers(2000, 2100), rows, "H"),
        several(draw, st.integers(0, rows - 1), cells),
        array("b", [0] * (rows * buffers.TRACE_LEN)),
        bands,
        early,
        array("i", [1000 * k for k in range(buffers.CLOCK + 1)]),
        bytearray(cells),
        array("i", [0, 0, 0]),
        state,
        array("h", [0] * (2 * buffers.TRACE_LEN)),
        moving,
        bytearray(cells),
        bytearray([1, 0]),
        array("i", [min(m, cells // 2), draw(st.integers(0, 2)), 0, 120, 30_000]),
        several(draw, st.integers(0, 2), cells),
        several(draw, st.integers(-99, 99), cells, "i"),
        several(draw, st.integers(-(1 << 20), 1 << 20), cells, "i"),
        several(draw, st.integers(-99, 99), cells, "h"),
    ]


def burst(draw: Draw) -> tuple[Any, ...]:
    cells, rows, frames = draw(st.integers(1, 6)), draw(st.integers(1, 3)), 4
    no = draw(st.integers(0, 5000))
    slots = cells + rows
    places = draw(st.permutations(range(slots)))
    reading = st.integers(2020, 2080) if draw(st.booleans()) else st.integers(1900, 2200)
    raw = several(draw, reading, frames * slots, "H")
    mine = (raw, bytearray(places[:cells]), bytearray(places[cells:]))
    senses = tuple(some_buffers(draw, cells, rows, no))
    slot, n = draw(st.integers(0, frames - 1)), draw(st.integers(0, frames))
    return mine, senses, slot, slots, frames, n, no, 60_000, 1_000


def start_motion(draw: Draw) -> tuple[Any, ...]:
    cells, no = 6, draw(st.integers(buffers.RUN, 5000))
    senses = some_buffers(draw, cells, 2, no)
    senses[7][:] = bytes(draw(st.permutations(range(cells))))
    senses[14][buffers.MOVING] = 0
    return tuple(senses), draw(st.integers(0, cells)), no, 1_000_000


def ranks(draw: Draw) -> tuple[Any, ...]:
    cells, n = some(draw, 6)
    return cells, several(draw, st.integers(0, 1), 6), n


def share(draw: Draw) -> tuple[Any, ...]:
    cells = 6
    of = draw(st.integers(0, cells - 1))
    near = bytearray([9, 9, 3])
    for _ in range(3):
        near.extend([draw(st.integers(0, cells - 1)) - of & 255, draw(st.integers(0, 2))])
    small = st.integers(-700, 700)
    zeros = tuple(several(draw, small, cells, kind) for kind in "iihh")
    bands = array("i", [-30, 30, 0, 0] * cells)
    bands[1] = 1 << 20
    rest = bands, several(draw, small, cells, "i"), several(draw, small, cells, "i")
    shares = several(draw, small, 3, "i")
    marks = bytearray(cells)
    return of, 2, draw(small), 19, draw(small), near, shares, zeros, (*rest, marks)


MASK, CLOCK = buffers.MASK, buffers.CLOCK
reading = st.integers(-4095, 4095)


def way(draw: Draw) -> tuple[array[int], int, int]:
    """A trace, and the first and last frame of a way in it, across the ring's end or not."""
    base = draw(reading)
    near = st.integers(max(base - 60, -4095), min(base + 60, 4095))
    some_of = draw(st.lists(near | reading, min_size=1, max_size=40))
    trace = array("h", (some_of * (buffers.TRACE_LEN // len(some_of) + 1))[: buffers.TRACE_LEN])
    first = draw(st.integers(0, 5000))
    return trace, first, first + draw(st.integers(0, 60) | st.just(buffers.TRACE_LEN - 1))


def reference(draw: Draw) -> array[int]:
    ground = several(draw, st.integers(-128, 127), 32, "b")
    return ground * (2 * buffers.TRACE_LEN // 32)


def walk(draw: Draw) -> tuple[Any, ...]:
    trace, first, last = way(draw)
    low, high = sorted((draw(reading), draw(reading)))
    within = draw(st.booleans())
    if draw(st.booleans()):
        return trace, first, last + 1, 1, low, high, within
    return trace, last, first - 1, -1, low, high, within


def rest_sums(draw: Draw) -> tuple[Any, ...]:
    return *way(draw), array("i", [7] * 11)


def ground_sums(draw: Draw) -> tuple[Any, ...]:
    trace, first, last = way(draw)
    at = draw(st.sampled_from((0, buffers.TRACE_LEN)))
    middle = draw(st.integers(first, last))
    return trace, reference(draw), at, first, middle, last, array("i", [7] * 11)


def take_off(draw: Draw) -> tuple[Any, ...]:
    trace, first, last = way(draw)
    at = draw(st.sampled_from((0, buffers.TRACE_LEN)))
    return trace, reference(draw), at, first, last, draw(st.integers(-128, 127))


def clocked(draw: Draw, first: int, us: int) -> array[int]:
    """Times that grow by so many µs a frame from frame `first` on, from anywhere."""
    began = draw(st.integers(0, 1 << 29))
    times = array("i", [0] * (CLOCK + 1))
    for k in range(CLOCK + 1):
        times[first + k & CLOCK] = began + us * k
    return times


def line_sums(draw: Draw) -> tuple[Any, ...]:
    first, n = draw(st.integers(0, 5000)), draw(st.integers(0, contact.FITTED))
    times = clocked(draw, first, draw(st.integers(100, 2_000)))
    own, zero = draw(st.integers(60, 4000)), draw(st.integers(-90, 90))
    sign = draw(st.sampled_from((-1, 1)))
    low = own + 3 >> 2
    trace = array("h", bytes(2 * buffers.TRACE_LEN))
    for no in range(first, first + n):
        trace[no & MASK] = zero + sign * draw(st.integers(low, own - low))
    origin = times[first & CLOCK] + draw(st.integers(-500_000, 500_000))
    half_um = draw(st.integers(500, 3_900))
    end = first + n
    sums = array("i", [7] * 11)
    return trace, times, contact.HEIGHT, first, end, zero, sign * own, half_um, origin, sums


def curve_sums(draw: Draw) -> tuple[Any, ...]:
    trace, first, end = way(draw)
    us = draw(st.sampled_from((0, 300, 1_000, 20_000)))
    times = clocked(draw, first, us)
    for no in range(first, end + 1):
        times[no & CLOCK] = times[first & CLOCK] + us * (no - first)
    met = times[end & CLOCK] + draw(st.integers(0, 3_000) | st.integers(0, 1 << 29))
    settled = draw(st.integers(-4095, -1) | st.integers(1, 4095))
    way_us = draw(st.integers(1, 60_000) | st.integers(1, 1 << 29))
    sums = array("i", [7] * 11)
    shares = contact.SHARE
    return trace, times, shares, first, end, draw(reading), settled << 4, met, way_us, sums


ARGUMENTS: dict[str, Callable[[Draw], tuple[Any, ...]]] = {
    made.__name__: made
    for made in (
        *(watch, note, earliest, spread, start_all, sink, gather, scatter, follow),
        *(burst, start_motion, ranks, share),
        *(walk, rest_sums, ground_sums, take_off, line_sums, curve_sums),
        *(glow, scale, beat, chase, beyond, used),
        *(crc16, stuff, unstuff),
    )
}


def test_every_kernel_has_its_twin_and_its_trial() -> None:
    assert sorted(PLAIN) == sorted(kernels.__all__)
    assert sorted(COMPILED) == sorted(kernels.__all__)
    assert sorted(ARGUMENTS) == sorted(kernels.__all__)


@each("name", sorted(ARGUMENTS))
def test_a_twin_takes_the_same_arguments(name: str) -> None:
    plain = list(signature(PLAIN[name]).parameters)
    assert list(signature(COMPILED[name]).parameters) == plain


@pytest.mark.one_case
@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_a_twin_gives_the_same_numbers(name: str) -> None:
    plain, twin = PLAIN[name], COMPILED[name]

    @settings(max_examples=examples(60))
    @given(st.data())
    def run(data: Any) -> None:
        mine = ARGUMENTS[name](data.draw)
        other = deepcopy(mine)
        got = twin(*other)
        assert got == plain(*mine)
        if name == "curve_sums" and got == 0:
            mine[-1][:] = other[-1]  # of no frames: they say nothing
        assert other == mine

    run()


def test_the_chips_constants_are_those_of_the_buffers() -> None:
    named = {
        n[1:]: value
        for made in (VIPER, THUMB)
        for n, value in vars(made).items()
        if n[1:].isupper()
    }
    least = buffers.HALF_SCALE - buffers.REFERENCE_OFF
    assert (vars(THUMB)["_words"][25], vars(THUMB)["_words"][27]) == (least, buffers.TRACE_LEN)
    assert named.pop("SIGN") == 1 << 15
    ways = {n: named.pop(n) for n in ("CURVE_FRAMES", "CURVE_HEIGHT", "FAR_OFF", "MAX_GONE_US")}
    assert ways == {n: getattr(kernels_plain, n) for n in ways}
    assert named == {n: getattr(buffers, n) for n in named}
    assert len(named) > 10
    assert buffers.NO_PIECE == wire.EMPTY


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
    assert made.watch is kernels_plain.watch
