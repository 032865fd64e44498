"""Contents of a board profile's TOML file, section by section, and errors that point at its lines.

`profile.read` makes a board of it.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, NoReturn

import msgspec
from msgspec import Meta, Struct

from lumiban.errors import ProfileError
from lumiban.system import size_limits

Byte = Annotated[int, Meta(ge=0, le=255)]
Channel = Annotated[int, Meta(ge=0, le=14)]
StripNumber = Annotated[int, Meta(ge=0, le=15)]
Millitesla = Annotated[float, Meta(gt=0, le=65)]
Gp = Annotated[int, Meta(ge=0, le=28)]
Bcm = Annotated[int, Meta(ge=2, le=27)]
AnyPin = Annotated[int, Meta(ge=0, le=28)]
Height = Annotated[int, Meta(ge=0, le=20000)]
Name = Annotated[str, Meta(pattern="^[a-z][a-z0-9-]{0,11}$")]


class BoardPart(Struct, forbid_unknown_fields=True, frozen=True):
    """`[board]`: which cells there are."""

    geometry: Literal["hexagon", "rectangle", "patch"]
    pitch_mm: Annotated[float, Meta(ge=3, le=60)]
    """At least MIN_PITCH_MM where pieces stand."""
    size: int | tuple[int, int] | None = None
    cells: tuple[tuple[int, int], ...] | None = None


class WiringPart(Struct, forbid_unknown_fields=True, frozen=True):
    """`[wiring]`: strips, mux channels and the order of lights, by rule or by name."""

    strips: Literal["rows"] | tuple[tuple[str, ...], ...] = "rows"
    channels: Literal["left-to-right", "right-to-left"] = "left-to-right"
    lights: Literal[
        "serpentine", "left-to-right", "serpentine-from-right", "right-to-left", "none"
    ] = "serpentine"
    """Whence the first row of lights runs, and whether the second runs back. `none`: the board has
    no lights, and the page is its light."""


class CellPart(Struct, forbid_unknown_fields=True, frozen=True):
    """`[[cell]]`: what differs from the rule at one cell."""

    name: str
    strip: StripNumber | None = None
    channel: Annotated[int, Meta(ge=0, le=15)] | None = None
    light: Byte | None = None


class EdgePart(Struct, forbid_unknown_fields=True, frozen=True):
    """`[[edge]]`: lights without a cell."""

    name: Annotated[str, Meta(min_length=1)]
    lights: Annotated[tuple[Byte, ...], Meta(min_length=1)]
    strip: StripNumber


class CurrentPart(Struct, forbid_unknown_fields=True, frozen=True):
    """`[current]`: what the supply and one strip may give."""

    limit_ma: Annotated[int, Meta(ge=50, le=10000)]
    strip_limit_ma: Annotated[int, Meta(ge=50, le=5000)]


class SensingPart(Struct, forbid_unknown_fields=True, frozen=True):
    """`[sensing]`: rate, sensor, magnets and thresholds."""

    scan_hz: Annotated[int, Meta(ge=50, le=5000)]
    supply_mv: Annotated[int, Meta(ge=1000, le=5500)]
    sensor_mv_per_mt: Annotated[float, Meta(ge=1, le=200)]
    gap_mm: Annotated[float, Meta(ge=1, le=20)]
    off_mt: Millitesla
    on_mt: Millitesla
    strong_mt: Millitesla
    foreign_mt: Millitesla
    still_mt: Millitesla
    settle_ms: Annotated[float, Meta(ge=1, le=1000)]
    strong_height_um: Height
    weak_height_um: Height


HALL_PARTS = {
    "DRV5033AJ": (2_500, 38_000, 35),
    "DRV5023AJ": (2_500, 38_000, 35),
    "A3144": (4_500, 24_000, 10),
}
"""Hall switches by name: the least and the most supply in mV, and how many µs they take to wake
(data sheets of Texas Instruments and Allegro). The first closes for either pole of a magnet, the
others for the south pole alone."""
ROW_MV = 3_300
"""The supply of a row that a 74HC595 switches by a PNP transistor: from more, no output of 3.3 V
could switch it off."""


class Switches(Struct, forbid_unknown_fields=True, frozen=True):
    """`[switches]`: sensors that only tell whether a piece stands there, on a Pi's header or a
    Pico's pins.

    Pins are BCM numbers, or GP numbers on a Pico. A row is a strip of `[wiring]`, a column a
    channel of it; registers and expanders count the cells strip by strip, each strip by its
    channels.
    """

    wiring: Literal["matrix", "74hc595", "74hc165", "mcp23017", "direct", "board", "none"]
    """A matrix driven by pins or by a 74HC595, a chain of 74HC165, expanders on I²C, or a pin a
    cell; `board`: a chip of the board's own reads them, and tells by the wire; `none`: there are no
    switches, and the page is played on."""
    on: Literal["header", "pico"] = "header"
    """Owner of their pins: a Raspberry Pi's header, or a Pico with the board's program."""
    sensor: Literal["reed", "hall"] = "reed"
    part: str = ""
    """Type of the Hall switch, of `HALL_PARTS`: its supply is then held against the wiring's."""
    supply_mv: Annotated[int, Meta(ge=1800, le=24000)] = ROW_MV
    """Supply voltage of Hall switches in mV; their open outputs may be pulled up to another
    voltage."""
    diodes: bool = True
    """True if each switch of a matrix has a diode; a Hall switch needs none."""
    drive: tuple[AnyPin, ...] = ()
    """Of a matrix: a pin a row, low while the row is read."""
    sense: tuple[AnyPin, ...] = ()
    """Of a matrix: a pin a column; direct: a pin a cell."""
    load: AnyPin | None = None
    """74HC165: low makes them take over what stands at their inputs. (A 74HC595 takes over at the
    end of a transfer, by SPI1's first select line.)"""
    addresses: tuple[Annotated[int, Meta(ge=0x20, le=0x27)], ...] = ()
    """Of the expanders."""
    scan_hz: Annotated[int, Meta(ge=50, le=1000)] = 200
    settle_ms: Annotated[float, Meta(ge=1, le=200)] = 10.0
    """A contact has bounced its last when it has rested for so long."""
    gap_mm: Annotated[float, Meta(ge=1, le=20)] = 6.0
    """Magnet face to switch when a piece is seated."""
    closes_mt: Millitesla = 5.0
    opens_mt: Millitesla = 3.0

    @property
    def is_matrix(self) -> bool:
        """True if rows are read one after the other, by common columns."""
        return self.wiring in ("matrix", "74hc595")


class Header(Struct, forbid_unknown_fields=True, frozen=True):
    """`[header]`: what else hangs on a Pi's header, by BCM numbers; −1 is not wired."""

    led: Annotated[int, Meta(ge=2, le=27)] = 10
    buttons: tuple[Bcm, ...] = ()
    power: Annotated[int, Meta(ge=-1, le=27)] = -1
    good: Annotated[int, Meta(ge=-1, le=27)] = -1
    dark: Annotated[int, Meta(ge=-1, le=27)] = -1


class Pins(Struct, forbid_unknown_fields=True, frozen=True):
    """`[pins]`: the Pico's GP numbers; unless told those of the base board, revision 1."""

    columns: tuple[Gp, Gp, Gp, Gp] = (2, 3, 4, 5)
    """The address of the strips' multiplexers, its lowest bit first."""
    rows: tuple[Gp, Gp, Gp, Gp] = (6, 7, 8, 9)
    """The address of the base's multiplexer, which chooses the strip."""
    data: Gp = 14
    """To the chain of lights."""
    dark: Gp = 15
    """High switches the chain's driver off."""
    back: Gp = 16
    """Pin at which the end of the chain is read back."""
    good: Gp = 17
    """Low while the 5 V supply is too weak."""
    power: Gp = 18
    """High gives the strips their 5 V."""
    reading: Gp = 26
    """The converter's input: the chosen sensor."""
    rail: Gp = 27
    """Half of the 5 V supply."""
    buttons: tuple[Gp, ...] = (0, 1, 19, 22)


class Tolerances(Struct, forbid_unknown_fields=True, frozen=True):
    """`[tolerances]`: how far a built board may be off; margins are reckoned with them."""

    gap_mm: Annotated[float, Meta(ge=0, le=3)] = 0.5
    aside_mm: Annotated[float, Meta(ge=0, le=5)] = 1.0
    """Largest distance in mm between a piece and the middle of its recess."""
    magnet_percent: Annotated[float, Meta(ge=0, le=20)] = 2.1
    sensor_percent: Annotated[float, Meta(ge=0, le=20)] = 2.0
    offset_mt: Annotated[float, Meta(ge=0, le=5)] = 0.5


class ProfileFile(Struct, forbid_unknown_fields=True, frozen=True):
    """A whole profile as its file says it."""

    name: Name
    board: BoardPart
    current: CurrentPart
    sensing: SensingPart | None = None
    switches: Switches | None = None
    header: Header = Header()
    wiring: WiringPart = WiringPart()
    revision: Byte = 0
    kit: bool = True
    """True if our own circuit boards can make it, where it is not of switches."""
    cell: tuple[CellPart, ...] = ()
    edge: tuple[EdgePart, ...] = ()
    pins: Pins = Pins()
    tolerances: Tolerances = Tolerances()


class Source:
    """A profile's text and where it came from: makes errors that say path, line and field."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path

    def refuse(self, field: str, what: str, line: int | None = None) -> NoReturn:
        """Raise a ProfileError about a field such as `board.size` or `cell[1].light`."""
        if line is None:
            line = self.line_number(field)
        place = f"{self.path}, line {line}" if line else self.path
        subject = f"{field}: " if field else ""
        raise ProfileError(f"{place}: {subject}{what}", path=self.path, line=line, field=field)

    def line_number(self, field: str) -> int:
        r"""The line a field stands in, else the line of its table, else 0.

        >>> Source('[a]\nx = 1\n[[b]]\ny = 2\n[[b]]\ny = 3\n', "p").line_number("b[1].y")
        6
        """
        wanted = re.split(r"\.", field)
        best, here = 0, ""
        count: dict[str, int] = {}
        for number, line in enumerate(self.text.splitlines(), 1):
            head = re.match(r"\s*(\[{1,2})\s*([\w.\-]+)\s*\]", line)
            if head:
                here = head[2]
                if head[1] == "[[":
                    count[here] = count.get(here, -1) + 1
                    here = f"{here}[{count[here]}]"
                if here == wanted[0]:
                    best = number
                continue
            key = re.match(r"\s*\"?([\w.\-]+)\"?\s*=", line)
            if not key:
                continue
            full = f"{here}.{key[1]}" if here else key[1]
            if full == re.sub(r"(\[\d+\])+$", "", field):
                return number
        return best

    def parse(self) -> ProfileFile:
        """The file's content with types, ranges and keys checked; ProfileError."""
        try:
            raw = size_limits.from_toml(self.text)
        except size_limits.Unreadable as error:
            self.refuse("", re.sub(r" \(at .*\)$", "", str(error)), error.line or 1)
        try:
            return msgspec.convert(raw, ProfileFile)
        except msgspec.ValidationError as error:
            what, _, place = str(error).partition(" - at `$")
            field = place.rstrip("`").lstrip(".").replace("[...]", "")
            self._explain(field, what)

    def _explain(self, field: str, what: str) -> NoReturn:
        unknown = re.match(r"Object contains unknown field `(.*)`", what)
        missing = re.match(r"Object missing required field `(.*)`", what)
        name = unknown or missing
        if name:
            field = f"{field}.{name[1]}" if field else name[1]
        if unknown:
            self.refuse(field, "unknown key")
        if missing:
            self.refuse(field, "missing")
        if "matching regex" in what:
            self.refuse(field, "must be 1 to 12 of a to z, 0 to 9 and -, a letter first")
        self.refuse(field, what[:1].lower() + what[1:].replace("`", ""))
