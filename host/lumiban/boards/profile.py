"""Board profiles: which cells a board has, how they are wired, and what it may draw.

It is read from a TOML file; `profile_file` says what may stand there. From it comes too what a
piece adds to the fields of the cells around it, for the board's own compensation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import resources
from math import hypot
from pathlib import Path

from lumiban_fw import layout_file, wire

from lumiban.boards.profile_file import (
    HALL_PARTS,
    ROW_MV,
    BoardPart,
    Header,
    Pins,
    ProfileFile,
    SensingPart,
    Source,
    Switches,
    Tolerances,
)
from lumiban.errors import GameError, ProfileError
from lumiban.grid import Grid, hexagon, patch, rectangle
from lumiban.system import size_limits

MAX_CELLS = wire.FIRST_BUTTON - 1
"""Cell numbers from there on are buttons."""
MAX_STRIPS = 15
MIN_PITCH_MM = 22
"""Nearer than this two magnets push each other about."""
CELLS_A_STRIP = 15
"""Channel 15 of each strip's mux is the reference."""
FIRST_ANALOG = 26
NO_PINS = range(23, FIRST_ANALOG)
"""GP numbers that a Pico keeps to itself."""
SWITCH_UT = 12_000
"""The field for which a closed switch stands: of a neutral piece, in the middle of its range."""
PICO_PINS = frozenset((*range(2, 14), 16, 17, 20, 21, 26, 27, 28))
"""GP numbers of a Pico that are free for switches: light comes from GP14, buttons are on GP0, 1, 19
and 22, GP15 and 18 may switch the light's signal and supply."""
FIRST_EXPANDER = 0x20
"""The address of an MCP23017 whose address pins are low."""
PICO_BUS = {
    "clock": 10, "out": 11, "in": 12, "first": 13, "i2c-data": 10, "i2c-clock": 11,
}  # fmt: skip
"""A Pico's pins to registers (CLK or SRCLK, SER, QH, RCLK) and to expanders."""
NOTHING_ON = 28
"""The pin that a Pico looks at where there are no switches."""
ON_PICO = ("matrix", "74hc595", "74hc165", "mcp23017", "direct", "none")
"""Wirings that a Pico reads itself."""


@dataclass(frozen=True, slots=True)
class ProfileCell:
    """One cell: its place (mm from the board's middle, y down) and its wiring."""

    q: int
    r: int
    x_mm: float
    y_mm: float
    row: int
    channel: int
    light: int


@dataclass(frozen=True)
class Profile:
    """A board as data, read from TOML by `load`.

    >>> board = load("hex5")
    >>> len(board.cells), board.lights, board.cells[board.grid.cell("e5")].x_mm
    (61, 61, 0.0)
    """

    name: str
    grid: Grid
    pitch_mm: float
    cells: tuple[ProfileCell, ...]
    """By cell number of `grid`."""
    rows: int
    lights: int
    strips: tuple[int, ...]
    """Strip of each light, for the current limit."""
    edges: tuple[tuple[str, tuple[int, ...]], ...]
    """Lights without a cell, by name."""
    limit_ma: int
    strip_limit_ma: int
    scan_hz: int
    revision: int
    gap_mm: float
    """Magnet face to Hall element when a piece is seated."""
    off_ut: int
    on_ut: int
    strong_ut: int
    foreign_ut: int
    still_ut: int
    settle_us: int
    strong_um: int
    weak_um: int
    gain_q16: int
    pins: Pins
    tolerances: Tolerances
    header: Header
    """Parts on a Pi's header beside the switches."""
    has_lights: bool
    """True if it can show anything: with sensors alone the page shows everything."""
    switches: Switches | None
    """Wiring of the switches of a board from shop parts; None for one that measures fields."""
    has_kit: bool = field(compare=False)
    """True if our own circuit boards can make it; a board does not tell it."""
    source: Source = field(compare=False, repr=False)
    """Source of the profile, for messages about a board that cannot be built."""
    turn: int = 0
    """Degrees, clockwise, by which everything is turned on it for people who sit elsewhere than at
    its near side: a table's setting, in no file. See `turned`."""

    def turned(self, degrees: int) -> Profile:
        """The same board turned clockwise by `degrees`: sixths on
        hexagons, halves on squares; other angles count as the nearest of these.

        >>> [load(name).turned(120).turn for name in ("hex5", "grid9x9")]
        [120, 180]
        """
        step = 60 if self.grid.is_hex else 180
        return replace(self, turn=(degrees + step // 2) // step * step % 360)

    @property
    def seen_mm(self) -> tuple[tuple[float, float], ...]:
        """The place of each cell as it is seen from where somebody sits, mm, y towards them."""
        angle = math.radians(-self.turn)
        cos, sin = round(math.cos(angle), 9), round(math.sin(angle), 9)
        return tuple(
            (one.x_mm * cos - one.y_mm * sin, one.x_mm * sin + one.y_mm * cos) for one in self.cells
        )

    @property
    def is_of_switches(self) -> bool:
        """True if it senses only that a piece stands somewhere, never which.

        >>> load("hex3").is_of_switches, load("breadboard8").is_of_switches
        (False, True)
        """
        return self.switches is not None

    @property
    def has_sensors(self) -> bool:
        """True if it notices pieces at all: a panel of lights alone shows the moves of the page.

        >>> load("breadboard8").has_sensors, load("panel8").has_sensors
        (True, False)
        """
        return self.switches is None or self.switches.wiring != "none"

    @property
    def is_on_header(self) -> bool:
        """True if its sensors can hang on a Raspberry Pi's header only: no Pico reads them.

        >>> load("breadboard8").is_on_header, load("bread8-pico").is_on_header
        (True, False)
        """
        switches = self.switches
        return switches is not None and switches.on == "header" and switches.wiring != "board"

    @property
    def model(self) -> str:
        """The name as HELLO tells it: its first 8 letters.

        >>> load("grid13x14").model
        'grid13x1'
        """
        return self.name[:8]

    def board_bin(self, baselines: Sequence[int] = ()) -> bytes:
        """The bytes of `/board.bin` for this board.

        `baselines` are by cell the counts above its strip's reference that a sensor reads without
        a piece; without them all are 0.
        """
        zeros = baselines or [0] * len(self.cells)
        shares, near = neighbours([(c.x_mm, c.y_mm) for c in self.cells], self.pitch_mm)
        if self.is_of_switches:  # a switch has no field that its neighbours could add to
            shares, near = [], [[] for _ in self.cells]
        return layout_file.pack_board(
            self.model.encode("ascii"),
            self.revision,
            self.rows,
            self.scan_hz,
            self.limit_ma,
            self.strip_limit_ma,
            self.off_ut,
            self.on_ut,
            self.strong_ut,
            self.foreign_ut,
            self.still_ut,
            self.settle_us,
            self.strong_um,
            self.weak_um,
            self.gain_q16,
            [
                (cell.row, cell.channel, cell.light, zero)
                for cell, zero in zip(self.cells, zeros, strict=True)
            ],
            list(self.strips),
            shares,
            near,
            self._wiring(),
        )

    def _wiring(self) -> bytes:
        """Description of its switches for a Pico; empty where others read them."""
        if self.switches is None or self.switches.on != "pico":
            return b""
        return pico_wiring(self.switches, [(cell.row, cell.channel) for cell in self.cells])


def names() -> tuple[str, ...]:
    """The built-in profiles: our own circuit boards, and boards from shop parts.

    >>> {"hex3", "hex5", "breadboard8"} <= set(names())
    True
    """
    return tuple(sorted(_files()))


def drawn() -> tuple[str, ...]:
    """The built-in profiles that measure fields, as our own circuit boards do.

    >>> "hex5" in drawn(), "breadboard8" in drawn()
    (True, False)
    """
    return tuple(name for name in names() if not load(name).is_of_switches)


@cache
def _files() -> dict[str, str]:
    """Text of each built-in profile."""
    folder = resources.files("lumiban_hw") / "profiles"
    files = (file for file in folder.iterdir() if file.name.endswith(".toml"))
    return {file.name[:-5]: file.read_text(encoding="utf-8") for file in files}


def load(name: str) -> Profile:
    """The built-in profile of this name, or the profile in the TOML file at this path.

    ProfileError says path, line and field of what is wrong.
    """
    if name in names():
        return _built_in(name)
    path = Path(name).expanduser()
    if not (path.suffix == ".toml" or path.exists()):
        raise ProfileError(
            f"no board profile {name!r}: choose from {', '.join(names())}, "
            "or give the path of a .toml file",
            path=name,
        )
    try:
        text = size_limits.text(path)
    except size_limits.Unreadable as error:
        raise ProfileError(
            f"{path}: {error}; a profile is a text file of a few hundred lines", path=str(path)
        ) from None
    except OSError as error:
        raise ProfileError(
            f"{path}: {error.strerror or error}; a profile is one of {', '.join(names())}, "
            "or the path of a .toml file",
            path=str(path),
        ) from None
    return read(text, str(path))


@lru_cache(maxsize=64)
def _built_in(name: str) -> Profile:
    """The built-in profile of this name; its file is read once."""
    return read(_files()[name], f"{name}.toml")


def read(text: str, path: str) -> Profile:
    """The profile that a TOML text describes; `path` is for errors (ProfileError)."""
    source = Source(text, path)
    file = source.parse()
    grid = _grid(file.board, source)
    if file.wiring.lights == "none" and file.switches and file.switches.wiring == "none":
        source.refuse("wiring.lights", "no switches and no lights: nothing is left of the board")
    holds_pieces = file.switches is None or file.switches.wiring != "none"
    if holds_pieces and file.board.pitch_mm < MIN_PITCH_MM:
        source.refuse(
            "board.pitch_mm",
            f"must be {MIN_PITCH_MM} or more: nearer, two magnets push each other about",
        )
    cells, rows = _wire(file, grid, source)
    _check_mux(cells, grid, file, source)
    _check_pins(file.pins, source)
    lights, strips = _chain(cells, grid, file, source)
    switches = _switches(file, cells, rows, source)
    sense = file.sensing or as_sensing(switches or Switches("direct"))
    rising = ("off_mt", "on_mt", "strong_mt", "foreign_mt")
    for low, high in itertools.pairwise(rising):
        if not getattr(sense, low) < getattr(sense, high):
            source.refuse(f"sensing.{high}", f"must be more than {low} = {getattr(sense, low)}")
    return Profile(
        name=file.name,
        grid=grid,
        pitch_mm=file.board.pitch_mm,
        cells=cells,
        rows=rows,
        lights=lights,
        strips=strips,
        edges=tuple((edge.name, edge.lights) for edge in file.edge),
        limit_ma=file.current.limit_ma,
        strip_limit_ma=file.current.strip_limit_ma,
        scan_hz=sense.scan_hz,
        revision=file.revision,
        gap_mm=sense.gap_mm,
        off_ut=round(sense.off_mt * 1000),
        on_ut=round(sense.on_mt * 1000),
        strong_ut=round(sense.strong_mt * 1000),
        foreign_ut=round(sense.foreign_mt * 1000),
        still_ut=round(sense.still_mt * 1000),
        settle_us=round(sense.settle_ms * 1000),
        strong_um=sense.strong_height_um,
        weak_um=sense.weak_height_um,
        gain_q16=round(
            sense.supply_mv * 1000 * 65536 / (wire.FULL_SCALE + 1) / sense.sensor_mv_per_mt
        ),
        pins=file.pins,
        tolerances=file.tolerances,
        header=file.header,
        has_lights=file.wiring.lights != "none",
        switches=switches,
        has_kit=file.kit and switches is None,
        source=source,
    )


def _check_hall(switches: Switches, source: Source) -> None:
    """Checks that the sensors work at their supply voltage."""
    if switches.sensor != "hall":
        if switches.part:
            source.refuse("switches.part", "only Hall switches need a supply; remove this line")
        return
    if switches.wiring == "74hc595" and switches.supply_mv != ROW_MV:
        source.refuse("switches.supply_mv", f"rows of 74HC595 are switched from {ROW_MV} mV")
    if not switches.part:
        return
    if switches.part not in HALL_PARTS:
        known = ", ".join(HALL_PARTS)
        source.refuse("switches.part", f"unknown; known: {known}; another one: leave this out")
    least, most, _ = HALL_PARTS[switches.part]
    if not least <= switches.supply_mv <= most:
        works = [name for name, (low, high, _) in HALL_PARTS.items()
                 if low <= switches.supply_mv <= high]  # fmt: skip
        source.refuse(
            "switches.part",
            f"{switches.part} needs {least} to {most} mV, and this wiring gives"
            f" {switches.supply_mv}; {' or '.join(works)} works",
        )


def _switches(
    file: ProfileFile, cells: tuple[ProfileCell, ...], rows: int, source: Source
) -> Switches | None:
    """Wiring of the switches, checked; None where the board measures fields."""
    switches = file.switches
    if switches is None:
        if file.sensing is None:
            source.refuse("sensing", "missing")
        return None
    if file.sensing is not None:
        source.refuse("sensing", "a board of switches measures no fields: remove this section")
    drive, sense = len(switches.drive), len(switches.sense)
    columns = 1 + max(cell.channel for cell in cells)
    if switches.is_matrix:
        if switches.wiring == "matrix" and drive != rows:
            source.refuse("switches.drive", f"{drive} pins; {rows} rows need one each")
        if sense != columns:
            source.refuse("switches.sense", f"{sense} pins; {columns} columns need one each")
    elif switches.wiring == "direct":
        if sense != len(cells):
            source.refuse("switches.sense", f"{sense} pins; {len(cells)} cells need one each")
    elif switches.wiring == "mcp23017":
        _check_expanders(switches.addresses, len(cells), source)
    if switches.wiring == "74hc165" and switches.load is None:
        source.refuse("switches.load", "missing: the pin that makes the registers take over")
    for key in ("drive", "sense"):
        pins = getattr(switches, key)
        for n, pin in enumerate(pins):
            if pin in pins[:n]:
                source.refuse(f"switches.{key}", f"pin {pin} is listed twice: two switches on it")
            if key == "sense" and pin in switches.drive:
                source.refuse(f"switches.{key}", f"pin {pin} also drives a row")
    _check_hall(switches, source)
    _check_switch_pins(switches, source)
    return switches


def _check_expanders(addresses: Sequence[int], cells: int, source: Source) -> None:
    """The expanders have inputs enough and an address each."""
    room = 16 * len(addresses)
    if cells > room:
        source.refuse("switches.addresses", f"{room} inputs; {cells} cells need one each")
    for n, address in enumerate(addresses):
        if address in addresses[:n]:
            source.refuse("switches.addresses", f"0x{address:02x} is listed twice")


def _check_switch_pins(switches: Switches, source: Source) -> None:
    """Each pin of switches is one that they may have where they hang."""
    on_pico = switches.on == "pico"
    if on_pico and switches.wiring not in ON_PICO:
        choices = ", ".join(ON_PICO)
        source.refuse("switches.wiring", f"a Pico reads {choices}, not {switches.wiring}")
    bus = _pico_bus(switches) if on_pico else ()
    for key in ("drive", "sense", "load"):
        value = getattr(switches, key)
        for pin in value if isinstance(value, tuple) else () if value is None else (value,):
            if not on_pico and not 2 <= pin <= 27:
                source.refuse(f"switches.{key}", f"GPIO{pin} is not on a Pi's header")
            if on_pico and pin not in PICO_PINS:
                source.refuse(f"switches.{key}", f"GP{pin} of a Pico is not free for switches")
            if pin in bus:
                source.refuse(f"switches.{key}", f"GP{pin} leads to the registers")


def _pico_bus(switches: Switches) -> tuple[int, ...]:
    """A Pico's pins to the registers of a wiring."""
    names = {
        "74hc595": ("out", "clock", "first"), "74hc165": ("clock", "in"),
        "mcp23017": ("i2c-data", "i2c-clock"),
    }  # fmt: skip
    return tuple(PICO_BUS[name] for name in names.get(switches.wiring, ()))


def pico_wiring(switches: Switches, places: Sequence[tuple[int, int]]) -> bytes:
    """Wiring of each switch for a Pico, for `/board.bin` (`layout_file.pack_board`).

    `places` are (row, channel) of the cells. `layout_file.read` takes it apart.
    """
    rows = 1 + max(row for row, _ in places)
    lines: tuple[int, ...] = ()
    if switches.wiring == "none":  # a pin that nothing is wired to stays high
        how, words = layout_file.SWITCH_ROWS, 1
        inputs = [(0, NOTHING_ON)] * len(places)
    elif switches.wiring == "direct":
        how, words = layout_file.SWITCH_ROWS, 1
        inputs = [(0, pin) for pin in switches.sense]
    elif switches.wiring == "74hc165":
        how, words = layout_file.SWITCH_CHAIN, (len(places) + 7) // 8 * 8
        lines = (switches.load or 0, PICO_BUS["clock"])
        order = sorted(range(len(places)), key=lambda cell: places[cell])
        # A register gives its input H first.
        inputs = [(order.index(cell) ^ 7, PICO_BUS["in"]) for cell in range(len(places))]
    elif switches.wiring == "mcp23017":
        how, words = layout_file.SWITCH_EXPANDERS, len(switches.addresses)
        lines = (*_pico_bus(switches), *(at - FIRST_EXPANDER for at in switches.addresses))
        order = sorted(range(len(places)), key=lambda cell: places[cell])
        inputs = [divmod(order.index(cell), 16) for cell in range(len(places))]
    else:
        how, words, lines = layout_file.SWITCH_ROWS, rows, switches.drive
        if switches.wiring == "74hc595":
            how, lines = layout_file.SWITCH_SHIFTED_ROWS, _pico_bus(switches)
        inputs = [(row, switches.sense[channel]) for row, channel in places]
    return bytes((how, words, len(lines), *lines, *itertools.chain(*inputs)))


def as_sensing(switches: Switches) -> SensingPart:
    """Sensing of a board's switches for the firmware: a closed one counts as a field of SWITCH_UT,
    far from all thresholds."""
    return SensingPart(
        scan_hz=switches.scan_hz,
        supply_mv=3300,
        sensor_mv_per_mt=15.0,
        gap_mm=switches.gap_mm,
        off_mt=SWITCH_UT / 4000,
        on_mt=SWITCH_UT / 2000,
        strong_mt=SWITCH_UT / 500,
        foreign_mt=60.0,
        still_mt=1.0,
        settle_ms=switches.settle_ms,
        strong_height_um=2000,
        weak_height_um=2000,
    )


def _counted(grid: Grid, field: str, source: Source) -> Grid:
    """The grid, where the wire counts its cells."""
    if len(grid) > MAX_CELLS:
        source.refuse(field, f"{len(grid)} cells; a board has {MAX_CELLS} at most")
    return grid


def _grid(board: BoardPart, source: Source) -> Grid:
    field = "board.cells" if board.geometry == "patch" else "board.size"
    other = "size" if board.geometry == "patch" else "cells"
    if getattr(board, other) is not None:
        source.refuse(f"board.{other}", f"a {board.geometry} has no {other}")
    try:
        if board.geometry == "hexagon":
            if not isinstance(board.size, int):
                source.refuse(field, "a hexagon needs size = cells along an edge")
            return _counted(hexagon(board.size), field, source)
        if board.geometry == "rectangle":
            if not isinstance(board.size, tuple):
                source.refuse(field, "a rectangle needs size = [columns, rows]")
            return _counted(rectangle(*board.size), field, source)
        if not board.cells:
            source.refuse(field, "a patch needs cells = [[q, r], …]")
        return _counted(patch(board.cells), field, source)
    except GameError as error:
        source.refuse(field, str(error))


def _wire(file: ProfileFile, grid: Grid, source: Source) -> tuple[tuple[ProfileCell, ...], int]:
    """Strip, channel and light of each cell: the rule first, then what `[[cell]]` says."""
    strips = _strips(file, grid, source)
    wiring: dict[int, list[int]] = {}
    lights = file.wiring.lights
    from_right = lights in ("serpentine-from-right", "right-to-left")
    first = 0
    for row, strip in enumerate(strips):
        last = len(strip) - 1
        for i, cell in enumerate(strip):
            turns = lights.startswith("serpentine") and row % 2 == 1
            channel = i if file.wiring.channels == "left-to-right" else last - i
            wiring[cell] = [row, channel, first + (last - i if turns != from_right else i)]
        first += len(strip)
    used: set[int] = set()
    for k, part in enumerate(file.cell):
        cell = _named(part.name, grid, source, f"cell[{k}].name")
        if cell in used:
            source.refuse(f"cell[{k}].name", f"cell {part.name} has two entries")
        used.add(cell)
        for slot, value in enumerate((part.strip, part.channel, part.light)):
            if value is not None:
                wiring.setdefault(cell, [-1, -1, -1])[slot] = value
    missing = [i for i in range(len(grid)) if -1 in wiring.get(i, [-1])]
    if missing:
        listed = ", ".join(grid.name(i) for i in missing[:5]) + (" …" if missing[5:] else "")
        source.refuse(
            "wiring.strips",
            f"{len(missing)} of {len(grid)} cells are wired to no strip, channel and light: "
            f"{listed}",
        )
    places = _places(grid, file.board.pitch_mm)
    cells = tuple(ProfileCell(*grid.cells[i], *places[i], *wiring[i]) for i in range(len(grid)))
    rows = 1 + max(max(c.row for c in cells), max((e.strip for e in file.edge), default=0))
    return cells, rows


def _strips(file: ProfileFile, grid: Grid, source: Source) -> list[list[int]]:
    field = "wiring.strips"
    if file.wiring.strips == "rows":
        heights = sorted({r for _, r in grid.cells})
        strips = [[i for i, c in enumerate(grid.cells) if c[1] == r] for r in heights]
    else:
        strips = [[_named(n, grid, source, field) for n in strip] for strip in file.wiring.strips]
    if len(strips) > MAX_STRIPS:
        source.refuse(field, f"{len(strips)} strips; a board has {MAX_STRIPS} at most")
    seen: set[int] = set()
    for row, strip in enumerate(strips):
        if len(strip) > CELLS_A_STRIP:
            source.refuse(
                field,
                f"strip {row} has {len(strip)} cells; a mux takes {CELLS_A_STRIP} "
                "(channel 15 is the reference)",
            )
        for cell in strip:
            if cell in seen:
                source.refuse(field, f"cell {grid.name(cell)} is listed twice in the strips")
            seen.add(cell)
    return strips


def _named(name: str, grid: Grid, source: Source, field: str) -> int:
    try:
        return grid.cell(name)
    except GameError:
        source.refuse(field, f"cell {name!r} is outside the board of {len(grid)} cells")


def _places(grid: Grid, pitch: float) -> list[tuple[float, float]]:
    """Middle of each cell in mm; the middle of the cells' bounding box is (0, 0)."""
    if grid.is_hex:
        raw = [(pitch * (q + r / 2), pitch * math.sqrt(3) / 2 * r) for q, r in grid.cells]
    else:
        raw = [(pitch * q, pitch * r) for q, r in grid.cells]
    x0 = (min(x for x, _ in raw) + max(x for x, _ in raw)) / 2
    y0 = (min(y for _, y in raw) + max(y for _, y in raw)) / 2
    return [(round(x - x0, 4), round(y - y0, 4)) for x, y in raw]


def _check_mux(
    cells: tuple[ProfileCell, ...], grid: Grid, file: ProfileFile, source: Source
) -> None:
    used: dict[tuple[int, int], int] = {}
    for i, cell in enumerate(cells):
        field = _field(grid.name(i), "channel", file)
        if cell.channel >= CELLS_A_STRIP:
            source.refuse(field, f"cell {grid.name(i)}: mux channel 15 is the strip's reference")
        other = used.setdefault((cell.row, cell.channel), i)
        if other != i:
            if field == "wiring.strips":
                field = _field(grid.name(other), "channel", file)
            source.refuse(
                field,
                f"strip {cell.row}, mux channel {cell.channel} is used twice: by cells "
                f"{grid.name(other)} and {grid.name(i)}",
            )


def _check_pins(pins: Pins, source: Source) -> None:
    """Each pin once, the eight of the address in a row, readings at the converter's inputs."""
    user: dict[int, str] = {}
    for key in pins.__struct_fields__:
        value = getattr(pins, key)
        for gp in value if isinstance(value, tuple) else (value,):
            if gp in NO_PINS:
                source.refuse(f"pins.{key}", f"GP{gp} is not on a Pico's edge")
            other = user.setdefault(gp, key)
            if other != key or (isinstance(value, tuple) and value.count(gp) > 1):
                source.refuse(f"pins.{key}", f"GP{gp} is used twice: by {other} and {key}")
            if key in ("reading", "rail") and gp < FIRST_ANALOG:
                source.refuse(f"pins.{key}", f"GP{gp} cannot measure; only 26, 27 and 28 can")
    address = (*pins.columns, *pins.rows)
    if address != tuple(range(address[0], address[0] + 8)):
        source.refuse("pins.columns", "columns and rows must be eight pins in a row, upwards")


def _chain(
    cells: tuple[ProfileCell, ...], grid: Grid, file: ProfileFile, source: Source
) -> tuple[int, tuple[int, ...]]:
    """Number of lights of the chain, and the strip that feeds each."""
    user: dict[int, str] = {}
    strip: dict[int, int] = {}
    for i, cell in enumerate(cells):
        name = f"cell {grid.name(i)}"
        field = _field(grid.name(i), "light", file)
        other = user.setdefault(cell.light, name)
        if other != name:
            if field == "wiring.strips":
                field = _field(other.removeprefix("cell "), "light", file)
            source.refuse(field, f"light {cell.light} is used twice: by {other} and {name}")
        strip[cell.light] = cell.row
    for k, edge in enumerate(file.edge):
        name = f"edge {edge.name}"
        for light in edge.lights:
            if light in user:
                source.refuse(
                    f"edge[{k}].lights", f"light {light} is used twice: by {user[light]} and {name}"
                )
            user[light] = name
            strip[light] = edge.strip
    count = 1 + max(user)
    if count > 255:
        source.refuse("wiring.lights", f"{count} lights; a board has 255 at most")
    # A light that nothing uses stays dark; count its idle current where its neighbour's is.
    strips: list[int] = []
    for light in range(count):
        strips.append(strip.get(light, strips[-1] if strips else 0))
    return count, tuple(strips)


def _field(name: str, key: str, file: ProfileFile) -> str:
    """Entry of the file for a cell's channel or light: its own if it has one."""
    for k, part in enumerate(file.cell):
        if part.name == name and getattr(part, key) is not None:
            return f"cell[{k}].{key}"
    return "wiring.strips"


REACH_PITCHES = 2.1
"""Beyond this a piece changes a cell by less than half a count."""
AT_25_MM = -0.0106
"""The part of a 6×3 magnet's field, 6 mm above a sensor, that a sensor 25 mm beside it feels."""
FALLS = 2.5
"""It falls with this power of the distance (25 to 60 mm; from the magnets' exact field)."""


def share(distance_mm: float) -> float:
    """The part of its own field that a piece adds to a cell at a distance.

    >>> round(share(50), 5)
    -0.00187
    """
    return AT_25_MM * float((25 / distance_mm) ** FALLS)


def neighbours(
    centres: Sequence[tuple[float, float]], pitch_mm: float
) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """(shares in 1/65536, for each cell its (neighbour, which share)) of cells at these centres.

    >>> neighbours([(0, 0), (25, 0), (50, 0)], 25)
    ([-695, -123], [[(1, 0), (2, 1)], [(0, 0), (2, 0)], [(1, 0), (0, 1)]])
    """
    shares: list[int] = []
    near: list[list[tuple[int, int]]] = []
    for x, y in centres:
        far = [(hypot(x - cx, y - cy), cell) for cell, (cx, cy) in enumerate(centres)]
        around = []
        for distance, cell in sorted((round(d, 3), cell) for d, cell in far):
            if 0 < distance <= REACH_PITCHES * pitch_mm:
                part = round(share(distance) * 65536)
                if part not in shares:
                    shares.append(part)
                around.append((cell, shares.index(part)))
        near.append(around)
    return shares, near
