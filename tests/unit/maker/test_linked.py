"""The program as the chip gets it, in one module with short names, does what the sources do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from lumiban.boards.messages import packed
from lumiban.boards.profile import load
from lumiban.maker.bundle.constants import inline_constants, tree_shake
from lumiban.maker.bundle.link import (
    Bundle,
    Unlinkable,
    bundle,
)
from lumiban.maker.program import PACKAGE_FOLDER, one_module, sources
from lumiban_fw import wire
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_sim.rig import Rig

HEX3 = load("hex3")
START = """
from lumiban_fw.board import Board
def run(hal): return Board(hal)
def tick(board, now_us): return board.tick(now_us)
"""


class Named:
    """What every backend offers, under the names that the linked program knows: another name of
    the simulator's may have the same short one."""

    def __init__(self, hal: Hal, names: dict[str, str]) -> None:
        for name in dir(Hal):
            if not name.startswith("_"):
                setattr(self, names.get(name, name), getattr(hal, name))


class Body:
    """The linked program in place of a board's."""

    def __init__(self, hal: Hal, start: ModuleType, names: dict[str, str]) -> None:
        self._start = start
        self._board = start.run(Named(hal, names))

    def tick(self, now_us: int) -> int:
        told: int = self._start.tick(self._board, now_us)
        return told


@pytest.fixture(scope="module")
def linked() -> Bundle:
    """The program, with plain kernels in place of the chip's."""
    read = {
        name: text
        for name, text in sources().items()
        if not name.startswith(("hal_", "pio_", "kernels_"))
    }
    read |= {
        path.stem: path.read_text("utf-8") for path in PACKAGE_FOLDER.glob("kernels_plain*.py")
    }
    read["pico_main"] = START
    return one_module(read, "run()\ntick()")


@pytest.fixture(scope="module")
def plain() -> bytes:
    """What the sources say, run frame by frame as the linked program is: the simulator's own way
    of leaving out quiet frames knows the sources' class only."""
    return _session(Rig(HEX3, 4, body=lambda hal: Board(hal)))


@pytest.fixture
def start(plain: bytes, linked: Bundle) -> Iterator[ModuleType]:
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if "lumiban_fw" in name}
    try:
        package = sys.modules["lumiban_fw"] = ModuleType("lumiban_fw")
        package.__path__ = []
        for name in ("pico_main", *(set(linked.files) - {"pico_main", "__init__"})):
            module = sys.modules[f"lumiban_fw.{name}"] = ModuleType(f"lumiban_fw.{name}")
            exec(compile(linked.files[name], name, "exec"), module.__dict__)
        yield sys.modules["lumiban_fw.pico_main"]
    finally:
        for name in [name for name in sys.modules if "lumiban_fw" in name]:
            del sys.modules[name]
        sys.modules.update(before)


def _session(rig: Rig) -> bytes:
    """What a board says to a host that greets, lights, asks, injects and sends a file."""
    heard = b""
    seq = 0

    def send(kind: int, payload: bytes = b"", *, reliable: bool = False) -> None:
        nonlocal seq
        rig.from_host(wire.frame(kind, payload, wire.RELIABLE if reliable else 0, seq % 256))
        seq += reliable

    send(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 5))
    for at, (cell, kind) in enumerate(((3, 1), (9, 2), (12, 3), (3, 0))):
        if kind:
            rig.hands.place(cell, kind, hand=("left", "right")[at % 2])
        else:
            rig.hands.lift(cell)
        end = rig.now_us + 900_000
        send(wire.H_CLOCK, packed(wire.H_CLOCK, at))
        send(wire.H_LAYER, packed(wire.H_LAYER, 0, at, tail=[(1, wire.PULSE)]), reliable=True)
        send(wire.H_COMMIT, packed(wire.H_COMMIT, 0), reliable=True)
        while rig.now_us < end:
            rig.run(end)
            heard += rig.to_host()
    send(wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1), reliable=True)
    send(wire.H_INJECT, packed(wire.H_INJECT, 0, 0, 4, tail=[2900]), reliable=True)
    send(wire.H_GET_FIELD, packed(wire.H_GET_FIELD, 0, 3, 0))
    send(wire.H_GET_STATE)
    send(wire.H_FILE_READ, packed(wire.H_FILE_READ, wire.FILE_BOARD, 0))
    goal = bytes(32)
    send(wire.H_FILE_BEGIN, packed(wire.H_FILE_BEGIN, 0, 4, goal, tail=b"x.mpy"), reliable=True)
    send(wire.H_FILE_DATA, packed(wire.H_FILE_DATA, 0, tail=b"1234"), reliable=True)
    send(wire.H_FILE_END, b"", reliable=True)
    end = rig.now_us + 1_500_000
    while rig.now_us < end:
        rig.run(end)
        heard += rig.to_host()
    return heard + rig.light


@pytest.mark.slow
def test_one_module_says_byte_for_byte_what_the_sources_say(
    plain: bytes, linked: Bundle, start: ModuleType
) -> None:
    def body(hal: Hal) -> Body:
        return Body(hal, start, linked.attributes)

    kinds = {frame[0] for frame in wire.Decoder().feed(plain)}
    assert {wire.B_EVENTS, wire.B_STATE, wire.B_FILE, wire.B_FILE_PART, wire.B_FIELD} <= kinds
    assert _session(Rig(HEX3, 4, body=body)) == plain


SHAPES = """
import sys as _sys
from math import (sqrt as root, floor)
LIMIT, _STEP = 3, 2
TABLE = {"a": LIMIT, "b": _STEP}
class Shape:
    sides = 0
    scale: "SIZE"
    label: str = "shape"
    kinds = ("s", label)
    def __init__(self, size, *, extra=1):
        self.size, self.extra = size, extra
        self._area = None
    def area(self):
        if self._area is None:
            self._area = self.measure(LIMIT)
        return self._area
    def measure(self, factor): return factor * self.size
    def grow(self, by=2):
        self.size += by
        return self
class Square(Shape):
    sides = LIMIT + 1
    def measure(self, factor, *more): return self.size ** 2 * self.extra + sum(more)
    def twice(self): return [self.measure(2, 1), super().measure(2)]
def make(kind: "KIND", size: "SIZE") -> "SHAPE": return kind(size, extra=2)
def hypotenuse(a, b): return floor(root(a * a + b * b))
def platform(): return isinstance(_sys.maxsize, int)
"""
HELP = """
from lumiban_fw.shapes import LIMIT as MOST, make
COUNT = MOST * 2 + 1
def size(number): return number + COUNT
rank = 5
def ranks():
    found = [rank for rank in (1, 2)], {rank for rank in (3,)}, {rank: 0 for rank in (4,)}
    return found, list(rank for rank in (6,)), (lambda rank: rank)(7), (lambda: rank)(), rank
def local():
    class Inner:
        rank = 1
    return Inner.rank + rank
def counted(*things, **named): return len(things) + len(named)
def never(): return "nobody calls this"
try:
    from lumiban_fw.missing import speed
except ImportError:
    def speed(): return "plain"
"""
LATE = """
from lumiban_fw.shapes import LIMIT
from lumiban_fw.help import size
ONCE = [n * n for n in range(LIMIT)]
def seldom(value, *, by=LIMIT): return ONCE[-1] + size(value) * by
"""
GO = """
from lumiban_fw import help, shapes
from lumiban_fw.help import size, speed
from lumiban_fw.shapes import Shape, Square, hypotenuse
factor = 10
number = 7
def run():
    out = []
    square = shapes.make(Square, 4)
    out += [square.area(), square.grow().size, square.grow(by=1).size, square.twice()]
    out += [Shape(2).area(), Square.sides, Shape.sides, Shape.label, Shape.kinds]
    out += [[number * n for n in range(3)], {number for number in (1, 2)}, number]
    out += [{factor: size(factor) for factor in (1, 2)}, sum(number for number in range(4)), factor]
    double = lambda number, factor=factor: number * factor + help.COUNT
    out += [double(3), double(3, 2), (lambda: number)(), sorted((3, 1), key=lambda size: -size)]
    def inner(amount):
        nonlocal square
        square = amount
        return help.size(amount) + number
    out += [inner(5), square]
    try:
        raise ValueError("told")
    except ValueError as error:
        out.append(str(error))
    for number_ in (1, 2):
        out.append(number_)
    out += [hypotenuse(3, 4), hypotenuse(b=5, a=12), shapes.platform(), speed()]
    out += [help.counted(1, 2, name=3), shapes.TABLE["a"], shapes.LIMIT, f"{number}:{size_of(2)}"]
    out += [help.ranks(), help.local()]
    from lumiban_fw.late import ONCE, seldom as rarely
    out += [rarely(1), rarely(1, by=2), ONCE]
    return out
def size_of(shapes):
    help = shapes + 1
    return help
def changed():
    global number
    number += 1
    return number
"""
PROGRAM = {"shapes": SHAPES, "help": HELP, "late": LATE, "go": GO}


def ran(files: dict[str, str], order: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """What `go` says when these files are the package's modules."""
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if "lumiban_fw" in name}
    try:
        package = sys.modules["lumiban_fw"] = ModuleType("lumiban_fw")
        package.__path__ = []
        for name in order:
            module = sys.modules[f"lumiban_fw.{name}"] = ModuleType(f"lumiban_fw.{name}")
            setattr(package, name, module)
            exec(compile(files[name], name, "exec"), module.__dict__)
        go = sys.modules["lumiban_fw.go"]
        return go.run(), go.changed(), go.changed()
    finally:
        for name in [name for name in sys.modules if "lumiban_fw" in name]:
            del sys.modules[name]
        sys.modules.update(before)


@pytest.mark.parametrize(("short", "shakes"), [(True, False), (False, False), (True, True)])
def test_a_linked_program_does_what_its_modules_do_however_python_may_say_it(
    *, short: bool, shakes: bool
) -> None:
    read = PROGRAM
    if shakes:  # what is imported late under another name is not known as used
        plain = GO.replace("seldom as rarely", "seldom").replace("rarely(", "seldom(")
        read = tree_shake(inline_constants(PROGRAM | {"go": plain}), "run()\nchanged()")
    told = bundle(read, "go", short=short)
    assert not shakes or "LIMIT" not in "".join(read.values()), "numbers stand where they are used"
    assert set(told.files) == {"__init__", "go", "late"}, "what is imported late stays apart"
    text = "".join(told.files.values())
    assert not any(word in text for word in ("nobody calls this", "KIND", "SIZE", "SHAPE"))
    assert ran(told.files, ("go", "late")) == ran(PROGRAM, tuple(PROGRAM))


def test_no_name_that_stands_in_a_source_is_given_to_another() -> None:
    told = {
        "near": "class Long:\n def __init__(self, a): self.width = a.b\n def area(self, c): pass",
        "go": "from lumiban_fw.near import Long\ndef run(d): return Long(d.e).area(d.f) + d.g",
    }
    made = bundle(told, "go")
    given = {*made.attributes.values(), *made.classes}
    assert {"width", "area"} <= {*made.attributes}
    assert not given & set("abcdefg")


@pytest.mark.parametrize("star", ["", "*, "])
def test_what_a_default_names_comes_along(star: str) -> None:
    told = {
        "near": f"LONG = 3\ndef give({star}given=LONG): return given",
        "go": "from lumiban_fw.near import give\nX = give()",
    }
    there: dict[str, Any] = {}
    exec(bundle(told, "go").files["go"], there)
    assert there["X"] == 3


def test_one_name_for_two_of_micropythons_is_refused() -> None:
    told = {
        "a": "import os as x\nA = x",
        "go": "import gc as x\nfrom lumiban_fw.a import A\nB = x, A",
    }
    with pytest.raises(Unlinkable, match="go: x is 'import os as x' elsewhere"):
        bundle(told, "go")
