"""A schematic as KiCad's own files: sheets with symbols, wires and names, from the board's nets.

A `Page` says where parts stand and which pins a wire joins; which net a pin is on is always the
drawing's (`Board`), so that a wire can be drawn wrong but never say something else in silence: a
page whose wires do not agree with the copper is refused (`SheetError`). Pins that no wire reaches
get a short one with the net's name. Lengths are steps of 1.27 mm, y down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lumiban_hw.pcb.board_file import identity, num, quoted
from lumiban_hw.pcb.drawing import REVISION, Board, Placed
from lumiban_hw.pcb.symbols import (
    FLAG,
    GROUND,
    STEP_MM,
    TOWARDS,
    Out,
    Spot,
    Symbol,
    kind,
    power_text,
    symbol_text,
)

FORMAT = "20250114"
"""The format's version that KiCad 9 writes."""
SUPPLIES = ("5V", "5VL", "3V3", GROUND)
"""Nets with a symbol of their own; other names are labels."""
_PAPER_MM = {"A4": (297, 210), "A3": (420, 297), "A2": (594, 420)}
_LABEL = {"R": (0, "left"), "L": (180, "right"), "U": (90, "left"), "D": (270, "right")}
Waypoint = str | tuple[float | None, float | None]
"""A pin such as `U1.5`, or a place; None keeps the coordinate of the place before."""


class SheetError(ValueError):
    """A page does not agree with the drawing; a mistake in its layout."""


@dataclass(frozen=True, slots=True)
class Tag:
    """The name of a net at a place, reading or standing to that side."""

    net: str
    x: float
    y: float
    side: Out = "R"


@dataclass
class Page:
    """One sheet: where each part stands, and wires; parts by keys, which `Sheet.parts` explains."""

    file: str
    title: str
    at: dict[str, tuple[Symbol, float, float]] = field(default_factory=dict)
    wires: list[tuple[Waypoint, ...]] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    notes: list[tuple[str, float, float]] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    paper: str = "A4"

    def put(self, key: str, symbol: Symbol, x: float, y: float) -> None:
        """Stand a part at a place."""
        self.at[key] = (symbol, x, y)

    def wire(self, *way: Waypoint) -> None:
        """A wire along pins and places; corners go level first."""
        self.wires.append(way)

    def tag(self, net: str, x: float, y: float, side: Out = "R") -> None:
        """A net's name at the end of a wire."""
        self.tags.append(Tag(net, x, y, side))


@dataclass
class Sheet:
    """A page in use: the box that stands for it on the page above."""

    name: str
    page: Page
    parts: Mapping[str, Placed]
    """The page's keys, and the part each is here."""
    ports: Mapping[str, str] = field(default_factory=dict)
    """The page's names for nets that go through the box, and the net each is here."""
    x: float = 0
    y: float = 0
    wide: float = 16
    high: float = 10
    pins: Mapping[str, tuple[Out, float]] = field(default_factory=dict)
    """Place of each port: a side of the box, and steps along it."""

    def pin_at(self, port: str) -> tuple[float, float, Out]:
        """A port's place on the page above."""
        side, along = self.pins[port]
        x = {"L": self.x, "R": self.x + self.wide}.get(side, self.x + along)
        y = {"U": self.y, "D": self.y + self.high}.get(side, self.y + along)
        return x, y, side


@dataclass(frozen=True)
class Design:
    """All sheets of a board."""

    board: Board
    root: Sheet

    def files(self) -> dict[str, str]:
        """Each `.kicad_sch` by its file name; SheetError."""
        uses: dict[str, list[tuple[Sheet, str]]] = {}
        for sheet, path in self._walk(self.root, ""):
            uses.setdefault(sheet.page.file, []).append((sheet, path))
        numbers = {path: str(n) for n, (_, path) in enumerate(self._walk(self.root, ""), 1)}
        return {
            file: "\n".join(_PageWriter(self.board, used, numbers).lines()) + "\n"
            for file, used in uses.items()
        }

    def symbols(self) -> dict[str, str]:
        """The path of each part's symbol, as the board names it."""
        paths = {}
        for sheet, path in self._walk(self.root, ""):
            for key, placed in sheet.parts.items():
                paths[placed.ref] = f"{path}/{_symbol_id(self.board, sheet.page, key)}"
        return paths

    def missing(self) -> set[str]:
        """Parts of the board that stand on no sheet."""
        here = {p.ref for sheet, _ in self._walk(self.root, "") for p in sheet.parts.values()}
        return {p.ref for p in self.board.parts if p.part.number} - here

    def sheets(self) -> list[tuple[str, str]]:
        """Identity and name of each sheet, for the project."""
        top = (identity(self.board.name, "page", self.root.page.file), "Root")
        others = [
            (path.rsplit("/", 1)[1], sheet.name)
            for sheet, path in self._walk(self.root, "")
            if path
        ]
        return [top, *others]

    def _walk(self, sheet: Sheet, path: str) -> Iterator[tuple[Sheet, str]]:
        """Every sheet in use with its path of identities below the root."""
        yield sheet, path
        for below in sheet.page.sheets:
            step = identity(self.board.name, "sheet", sheet.page.file, below.name)
            yield from self._walk(below, f"{path}/{step}")


def _symbol_id(board: Board, page: Page, key: str) -> str:
    return identity(board.name, "symbol", page.file, key)


class _PageWriter:
    """Lines of one file; a page that is used several times is drawn after its first use."""

    def __init__(
        self, board: Board, uses: Sequence[tuple[Sheet, str]], numbers: Mapping[str, str]
    ) -> None:
        self.board, self.uses, self.numbers = board, uses, numbers
        self.sheet = uses[0][0]
        self.page = self.sheet.page
        self.ports = {net: port for port, net in self.sheet.ports.items()}
        self._count = 0
        self.pieces: list[tuple[Spot, Spot, str]] = []
        self.tags: list[Tag] = []
        self.dead_ends: list[Spot] = []

    def lines(self) -> Iterator[str]:
        page = self.page
        self._draw()
        self._agree()
        me = identity(self.board.name, "page", page.file)
        yield f'(kicad_sch (version {FORMAT}) (generator "lumiban") (generator_version "9.0")'
        yield f'(uuid "{me}") (paper "{page.paper}")'
        yield (
            f'(title_block (title {quoted(page.title)}) (rev "{REVISION}") (company "lumiban")'
            f" (comment 1 {quoted('generated from the profile, as the copper is')}))"
        )
        yield "(lib_symbols"
        yield from self._library()
        yield ")"
        for spot in self._junctions():
            yield f"(junction (at {_at(*spot)}) (diameter 0) (color 0 0 0 0) {self._id()})"
        for x, y in self.dead_ends:
            yield f"(no_connect (at {_at(x, y)}) {self._id()})"
        for a, b in self._split():
            yield self._wire(a, b)
        for words, x, y in page.notes:
            yield (
                f"(text {quoted(words)} (exclude_from_sim no) (at {_at(x, y)} 0)"
                f" (effects (font (size 1.5 1.5)) (justify left top)) {self._id()})"
            )
        for tag in self.tags:
            if not self._is_power(tag):
                yield self._label(tag)
        for n, tag in enumerate([t for t in self.tags if self._is_power(t)], 1):
            yield from self._power(tag.net, tag.x, tag.y, n)
        for n, (net, x, y) in enumerate(self._flags(), 1):
            yield from self._flag(net, x, y, n)
        for key, (symbol, x, y) in page.at.items():
            yield from self._symbol(key, symbol, x, y)
        for below in page.sheets:
            yield from self._box(below)
        if len(self.uses) == 1 and not self.uses[0][1]:
            yield '(sheet_instances (path "/" (page "1")))'
        yield "(embedded_fonts no))"

    # The drawing: pieces of wire with their net, and names at their ends.

    def _draw(self) -> None:
        reached = set()
        for way in self.page.wires:
            places, pins = self._places(way)
            nets = {self._net(key) for key in pins} - {""}
            nets |= {tag.net for tag in self.page.tags if (tag.x, tag.y) in places}
            if len(nets) != 1:
                raise SheetError(f"{self.page.file}: a wire {way} joins {sorted(nets)}")
            net = nets.pop()
            reached |= set(pins)
            self.pieces += [(a, b, net) for a, b in pairwise(places) if a != b]
        self.tags = list(self.page.tags)
        touched = {spot for a, b, _ in self.pieces for spot in (a, b)}
        for key in self._keys():
            x, y, out = self._pin(key)
            if key in reached or (x, y) in touched:
                continue
            net = self._net(key)
            if not net:
                self.dead_ends.append((x, y))
                continue
            dx, dy = TOWARDS[out]
            short = 1 if net in SUPPLIES and out in "UD" else 2
            end = (x + short * dx, y + short * dy)
            self.pieces.append(((x, y), end, net))
            self.tags.append(Tag(net, *end, out))

    def _places(self, way: Sequence[Waypoint]) -> tuple[list[Spot], list[str]]:
        """The corners of a wire, and the pins it names."""
        places: list[Spot] = []
        pins = []
        for step in way:
            if isinstance(step, str):
                pins.append(step)
                spot = self._pin(step)[:2]
            else:
                x, y = step
                spot = (places[-1][0] if x is None else x, places[-1][1] if y is None else y)
            if places and places[-1][0] != spot[0] and places[-1][1] != spot[1]:
                places.append((spot[0], places[-1][1]))
            places.append(spot)
        return places, pins

    def _keys(self) -> Iterator[str]:
        """All pins of the page, as wires name them."""
        for key, (symbol, _, _) in self.page.at.items():
            seen = set()
            for pin in symbol.pins:
                if not pin.hidden and (pin.x, pin.y) not in seen:
                    seen.add((pin.x, pin.y))
                    yield f"{key}.{pin.number}"
        for below in self.page.sheets:
            for port in below.pins:
                yield f"{below.name}.{port}"

    def _pin(self, key: str) -> tuple[float, float, Out]:
        name, number = key.rsplit(".", 1)
        if name in self.page.at:
            symbol, x, y = self.page.at[name]
            pin = symbol.pin(number)
            return x + pin.x, y + pin.y, pin.out
        return next(one for one in self.page.sheets if one.name == name).pin_at(number)

    def _net(self, key: str) -> str:
        name, number = key.rsplit(".", 1)
        if name in self.sheet.parts:
            return self.sheet.parts[name].nets.get(number, "")
        return next(one for one in self.page.sheets if one.name == name).ports[number]

    def _agree(self) -> None:
        """Every wire's net is that of the pins and names it touches, and it is named."""
        spots: dict[Spot, set[str]] = {}
        for key in self._keys():
            x, y, _ = self._pin(key)
            spots.setdefault((x, y), set()).add(self._net(key) or f"nothing ({key})")
        for tag in self.tags:
            spots.setdefault((tag.x, tag.y), set()).add(tag.net)
        for a, b, net in self.pieces:
            for end in (a, b):
                spots.setdefault(end, set()).add(net)
        for spot, nets in spots.items():
            here = nets | {net for a, b, net in self.pieces if _on(spot, a, b)}
            if len(here) > 1:
                raise SheetError(f"{self.page.file}: {sorted(here)} meet at {spot}")
        for one, (a, b, net) in enumerate(self.pieces):
            for c, d, other in self.pieces[:one]:
                if net != other and _overlap(a, b, c, d):
                    raise SheetError(f"{self.page.file}: {net} lies on {other} at {a}")
        self._named()

    def _named(self) -> None:
        """Each run of wire has a name on it, or stands under its net's only sheet pins."""
        left = list(range(len(self.pieces)))
        while left:
            group = {left.pop()}
            grown = True
            while grown:
                near = {
                    k
                    for k in left
                    for m in group
                    if self.pieces[k][2] == self.pieces[m][2]
                    and _touch(self.pieces[k], self.pieces[m])
                }
                left = [k for k in left if k not in near]
                grown = bool(near)
                group |= near
            net = self.pieces[next(iter(group))][2]
            if not any(
                tag.net == net and any(_on((tag.x, tag.y), *self.pieces[k][:2]) for k in group)
                for tag in self.tags
            ):
                raise SheetError(f"{self.page.file}: a wire of {net} has no name")

    def _spots(self) -> dict[Spot, int]:
        """Number of ends of wires and pins that meet at each place where any does."""
        count: dict[Spot, int] = {}
        ends = [self._pin(key)[:2] for key in self._keys()]
        ends += [spot for a, b in self._split() for spot in (a, b)]
        for spot in ends:
            count[spot] = count.get(spot, 0) + 1
        return count

    def _junctions(self) -> list[Spot]:
        wired = {spot for a, b in self._split() for spot in (a, b)}
        return sorted(spot for spot, n in self._spots().items() if n > 2 and spot in wired)

    def _split(self) -> list[tuple[Spot, Spot]]:
        """Pieces of wire, cut wherever an end, a pin or a name of theirs lies; each once."""
        points = {spot for a, b, _ in self.pieces for spot in (a, b)}
        points |= {self._pin(key)[:2] for key in self._keys()}
        points |= {(tag.x, tag.y) for tag in self.tags}
        segments = set()
        for a, b, _ in self.pieces:
            on = sorted(spot for spot in points if _on(spot, a, b))
            segments |= set(pairwise(on))
        return sorted(segments)

    # Lines of the file.

    def _id(self) -> str:
        self._count += 1
        return f'(uuid "{identity(self.board.name, self.page.file, str(self._count))}")'

    def _wire(self, a: Spot, b: Spot) -> str:
        return (
            f"(wire (pts (xy {_at(*a)}) (xy {_at(*b)})) (stroke (width 0) (type default))"
            f" {self._id()})"
        )

    def _is_power(self, tag: Tag) -> bool:
        return tag.net in SUPPLIES and tag.side == ("D" if tag.net == GROUND else "U")

    def _label(self, tag: Tag) -> str:
        angle, justify = _LABEL[tag.side]
        port = self.ports.get(tag.net)
        kind = "hierarchical_label" if port else "global_label"
        return (
            f"({kind} {quoted(port or tag.net)} (shape passive) (at {_at(tag.x, tag.y)} {angle})"
            f" (fields_autoplaced yes) (effects (font (size 1.27 1.27)) (justify {justify}))"
            f" {self._id()})"
        )

    def _library(self) -> Iterator[str]:
        known: dict[str, tuple[Symbol, Placed]] = {}
        for key, (symbol, _, _) in self.page.at.items():
            known.setdefault(symbol.name, (symbol, self.sheet.parts[key]))
        for symbol, placed in known.values():
            yield symbol_text(symbol, placed.part, placed.ref.rstrip("0123456789"))
        nets = {tag.net for tag in self.tags if self._is_power(tag)}
        flags = list(self._flags())
        if flags:
            nets.add(FLAG)
        for net in sorted(nets):
            yield power_text(net)

    def _instances(self, refs: Iterable[str]) -> str:
        """Part that a symbol is, use by use."""
        paths = " ".join(
            f"(path {quoted(self._whole(path))} (reference {quoted(ref)}) (unit 1))"
            for (_, path), ref in zip(self.uses, refs, strict=True)
        )
        return f"(instances (project {quoted(self.board.name)} {paths}))"

    def _whole(self, path: str) -> str:
        root = identity(self.board.name, "page", f"{self.board.name}.kicad_sch")
        return f"/{root}{path}"

    def _symbol(self, key: str, symbol: Symbol, x: float, y: float) -> Iterator[str]:
        placed = self.sheet.parts[key]
        part = placed.part
        yield (
            f"(symbol (lib_id {quoted('lumiban:' + symbol.name)}) (at {_at(x, y)} 0) (unit 1)"
            " (exclude_from_sim no) (in_bom yes) (on_board yes) (dnp no)"
            f' (uuid "{_symbol_id(self.board, self.page, key)}")'
        )
        justify = " (justify left)" if symbol.justify == "left" else ""
        texts = (
            ("Reference", placed.ref, symbol.ref_at), ("Value", part.value, symbol.value_at),
            ("Footprint", f"lumiban:{placed.land.name}", None), ("Datasheet", "", None),
            ("Description", "", None), ("MPN", part.number, None),
        )  # fmt: skip
        for name, words, spot in texts:
            dx, dy = spot or (0, 0)
            hide = "" if spot else " (hide yes)"
            yield (
                f'(property "{name}" {quoted(words)} (at {_at(x + dx, y + dy)} 0)'
                f" (effects (font (size 1.27 1.27)){justify}{hide}))"
            )
        for pin in symbol.pins:
            yield f"(pin {quoted(pin.number)} {self._id()})"
        yield self._instances(sheet.parts[key].ref for sheet, _ in self.uses)
        yield ")"

    def _power(self, net: str, x: float, y: float, n: int) -> Iterator[str]:
        down = 2.8 if net == GROUND else -2.4 if net != FLAG else -2.8
        mark = "#FLG" if net == FLAG else "#PWR"
        page = [int(self.numbers[path]) for _, path in self.uses]
        yield (
            f"(symbol (lib_id {quoted('lumiban:power_' + net)}) (at {_at(x, y)} 0) (unit 1)"
            f" (exclude_from_sim no) (in_bom no) (on_board yes) (dnp no) {self._id()}"
        )
        for name, words, dy, hide in (
            ("Reference", f"{mark}{page[0]:02}{n:02}", 0.0, " (hide yes)"),
            ("Value", net, down, ""),
            ("Footprint", "", 0.0, " (hide yes)"), ("Datasheet", "", 0.0, " (hide yes)"),
            ("Description", "", 0.0, " (hide yes)"),
        ):  # fmt: skip
            yield (
                f'(property "{name}" {quoted(words)} (at {_at(x, y + dy)} 0)'
                f" (effects (font (size 1 1)){hide}))"
            )
        yield f'(pin "1" {self._id()})'
        yield self._instances(f"{mark}{k:02}{n:02}" for k in page)
        yield ")"

    def _flags(self) -> Iterator[tuple[str, float, float]]:
        """Nets whose supply comes in through a plug or a passive part; on the root alone."""
        if self.uses[0][1]:
            return
        needs, gives = set(), set()
        for placed in self.board.parts:
            for number, net in placed.nets.items():
                name = placed.part.pins.get(number, ("", ""))[0]
                does = kind(placed.part, number, name)
                if does == "power_in":
                    needs.add(net)
                elif does == "power_out":
                    gives.add(net)
        needs |= gives | (set(SUPPLIES) & set(self.board.nets()))
        high = _PAPER_MM[self.page.paper][1]
        for n, net in enumerate(sorted(needs - gives)):
            yield net, round(30 / STEP_MM) + 8 * n, round((high - 35) / STEP_MM)

    def _flag(self, net: str, x: float, y: float, n: int) -> Iterator[str]:
        """A flag over the name of a net that has a supply."""
        yield from self._power(FLAG, x, y, n)
        yield self._wire((x, y), (x, y + 1))
        yield self._label(Tag(net, x, y + 1, "D"))

    def _box(self, sheet: Sheet) -> Iterator[str]:
        path = self.uses[0][1]
        own = identity(self.board.name, "sheet", self.page.file, sheet.name)
        yield (
            f"(sheet (at {_at(sheet.x, sheet.y)}) (size {_at(sheet.wide, sheet.high)})"
            " (exclude_from_sim no) (in_bom yes) (on_board yes) (dnp no)"
            " (stroke (width 0.2) (type solid)) (fill (color 255 255 240 1.0))"
            f' (uuid "{own}")'
        )
        yield (
            f'(property "Sheetname" {quoted(sheet.name)} (at {_at(sheet.x, sheet.y - 0.6)} 0)'
            " (effects (font (size 1.5 1.5)) (justify left bottom)))"
        )
        yield (
            f'(property "Sheetfile" {quoted(sheet.page.file)}'
            f" (at {_at(sheet.x, sheet.y + sheet.high + 0.6)} 0)"
            " (effects (font (size 1 1)) (justify left top) (hide yes)))"
        )
        for port in sheet.pins:
            x, y, side = sheet.pin_at(port)
            angle = {"R": 0, "U": 90, "L": 180, "D": 270}[side]
            justify = "left" if side in "LD" else "right"
            yield (
                f"(pin {quoted(port)} passive (at {_at(x, y)} {angle}) {self._id()}"
                f" (effects (font (size 1.27 1.27)) (justify {justify})))"
            )
        page = self.numbers[f"{path}/{own}"]
        yield (
            f"(instances (project {quoted(self.board.name)}"
            f" (path {quoted(self._whole(path))} (page {quoted(page)})))))"
        )


def _at(x: float, y: float) -> str:
    return f"{num(x * STEP_MM)} {num(y * STEP_MM)}"


def _on(spot: Spot, a: Spot, b: Spot) -> bool:
    """True if a place lies on a level or upright piece, its ends included."""
    return min(a[0], b[0]) <= spot[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= spot[1] <= max(
        a[1], b[1]
    )


def _overlap(a: Spot, b: Spot, c: Spot, d: Spot) -> bool:
    """True if two pieces run along each other."""
    for k in (0, 1):
        if a[k] == b[k] == c[k] == d[k]:
            low, high = sorted((a[1 - k], b[1 - k]))
            least, most = sorted((c[1 - k], d[1 - k]))
            return max(low, least) <= min(high, most)
    return False


def _touch(one: tuple[Spot, Spot, str], other: tuple[Spot, Spot, str]) -> bool:
    a, b, _ = one
    c, d, _ = other
    return _on(a, c, d) or _on(b, c, d) or _on(c, a, b) or _on(d, a, b)
