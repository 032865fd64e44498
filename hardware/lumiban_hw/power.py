"""The power budget of a board: who draws what, and whether fuses, wires and supply bear it.

The lights' limits are the firmware's: they are read from `/board.bin` and tried on its own code.
Figures of parts are from data sheets, as far as known; nothing was measured yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lumiban.boards.limits import FET_MOHM, GUARD_MOHM, SPINE_MOHM, WAY_MOHM, fuse_mohm, wire_mohm
from lumiban.boards.profile import Profile
from lumiban_fw import layout_file, wire
from lumiban_fw.layout import Layout
from lumiban_fw.lights import Lights

from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.parts import FUSE_2A, FUSE_3A, FUSE_4A, FUSE_7A5, Part
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pcb.strip import PLUG_NETS
from lumiban_hw.svg import Bars

STATES = ("quiet", "usual", "limit", "unlimited")
"""Dark; all lights white as bright as at power-on; all at full under the firmware's limits, with
sensors at their most; and the same if nothing limited the lights."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of parts: mA, mV, mΩ, °C as the names say."""

    sensor_ma: tuple[float, float] = (6.0, 10.0)
    """A DRV5055, typically and at most."""
    strip_ma: float = 0.5
    """A strip's regulator, multiplexer and reference, besides what they feed."""
    pico_ma: tuple[float, float] = (50.0, 95.0)
    """The Pico, typically and with both cores and USB busy."""
    base_ma: float = 10.0
    """Driver, supervisor and dividers of the base board."""
    fuses: tuple[tuple[Part, int], ...] = (
        (FUSE_2A, 2000), (FUSE_3A, 3000), (FUSE_4A, 4000), (FUSE_7A5, 7500),
    )  # fmt: skip
    fuse_share: float = 0.8
    """Share of its rating that a fuse carries for ever."""
    polyfuse_ma: int = 850
    """Current that a 1206L110 holds at 50 °C; at 20 °C it is 1100."""
    polyfuse_mohm: float = 210.0
    """The most that it has after soldering."""
    way_ma: int = 1000
    """One way of a ribbon with AWG 28 wires and its contacts."""
    ribbon_mohm: float = WAY_MOHM
    spine_mohm: float = SPINE_MOHM
    fet_mohm: float = FET_MOHM
    guard_mohm: float = GUARD_MOHM
    fet_ma: int = 8_000
    """At 70 °C."""
    terminal_ma: int = 12_000
    regulator_ma: int = 600
    regulator_k_w: float = 187.0
    regulator_most_c: float = 110.0
    """15 K under what it bears."""
    room_c: float = 40.0
    wires: tuple[tuple[float, int], ...] = ((0.5, 3000), (0.75, 6000), (1.0, 10_000), (1.5, 16_000))
    """Cross-sections of flexible wire in mm², what each bears; the terminal takes up to 1.5."""
    wire_m: float = 1.0
    """From the supply to the board, one way."""
    wire_mv: float = 120.0
    """The most that is lost on it, there and back."""
    supplies_ma: tuple[int, ...] = (2000, 3000, 4000, 6000, 8000, 10_000)
    supply_most: float = 1.2
    """At how much of its rating a supply limits its current at the latest."""
    supply_share: float = 0.8
    """Largest share of a supply's rating that is used."""
    supply_mv: int = 5000
    usb_ma: int = 500
    """Current of a port for a strip on a bench."""
    good_mv: int = 4700
    """The most at which the supervisor calls the supply too weak: it says 4.63 V."""
    light_mv: int = 4200
    """With less, blue and green fade."""


RATINGS = Ratings()
FEEDS = tuple(PLUG_NETS.values()).count("5V")
RETURNS = tuple(PLUG_NETS.values()).count("GND")


@dataclass(frozen=True)
class Budget:
    """Currents of one board, by consumer and state; `check` names the parts that do not bear
    them."""

    profile: Profile
    ratings: Ratings = RATINGS

    @property
    def alone(self) -> bool:
        """True if this is one strip on a bench, fed by a Pico's USB, without a base board."""
        return self.profile.rows == 1

    @cached_property
    def _strips(self) -> tuple[tuple[int, int], ...]:
        """(cells, lights) by strip."""
        cells = Counter(cell.row for cell in self.profile.cells)
        lights = Counter(self.profile.strips)
        return tuple((cells[row], lights[row]) for row in range(self.profile.rows))

    @cached_property
    def firmware_layout(self) -> Layout:
        """The board as the firmware knows it."""
        return layout_file.read(self.profile.board_bin())

    @cached_property
    def lights_ma(self) -> dict[str, float]:
        """Current of the lights in each state."""
        every = sum(lights for _, lights in self._strips)
        full = every * (3.0 * wire.FULL_MA + wire.IDLE_MA)
        return {
            "quiet": every * float(wire.IDLE_MA),
            "usual": white(self.firmware_layout, wire.BRIGHTNESS)[0],
            "limit": min(float(self.firmware_layout.limit_ma), full),
            "unlimited": full,
        }

    @cached_property
    def strips_ma(self) -> tuple[float, ...]:
        """Current of each strip's lights when they alone are asked for white at full."""
        rows = range(self.profile.rows)
        return tuple(white(self.firmware_layout, 255, row)[1][row] for row in rows)

    @cached_property
    def limited(self) -> int:
        """The part in % of full white everywhere that the firmware's limits leave."""
        return _limited_light(self.firmware_layout, 255)[1]

    def rows(self) -> dict[str, dict[str, float]]:
        """mA by consumer and state."""
        r, cells = self.ratings, len(self.profile.cells)
        strips = self.profile.rows
        rows: dict[str, dict[str, float]] = {}
        for state in STATES:
            most = state in STATES[2:]
            rows[state] = {
                "sensors": cells * r.sensor_ma[most],
                "strips": strips * r.strip_ma,
                "pico": r.pico_ma[most],
                "base": 0.0 if self.alone else r.base_ma,
                "lights": self.lights_ma[state],
            }
        names = rows[STATES[0]]
        return {name: {state: rows[state][name] for state in STATES} for name in names}

    def total_ma(self, state: str) -> float:
        """All that the board draws from its supply."""
        return sum(row[state] for row in self.rows().values())

    @cached_property
    def strip_ma(self) -> float:
        """Current through the plug of the strip that draws most, when it alone is lit."""
        r = self.ratings
        return max(
            lights + cells * r.sensor_ma[1] + r.strip_ma
            for (cells, _), lights in zip(self._strips, self.strips_ma, strict=True)
        )

    @property
    def fuse(self) -> tuple[Part, int]:
        """The smallest fuse that carries the board for ever, else the largest there is; mA."""
        total, r = self.total_ma("limit"), self.ratings
        fit = [fuse for fuse in r.fuses if total <= fuse[1] * r.fuse_share]
        return fit[0] if fit else r.fuses[-1]

    @property
    def supply_ma(self) -> int:
        """The smallest supply that is enough, else 0; of a strip alone what a USB port gives."""
        r = self.ratings
        if self.alone:
            return r.usb_ma
        total = self.total_ma("limit")
        return next((ma for ma in r.supplies_ma if total <= ma * r.supply_share), 0)

    @property
    def wire_mm2(self) -> float:
        """The thinnest wire that bears the fuse and loses little, else the thickest there is."""
        r = self.ratings
        fit = [a for a, bears in r.wires if bears >= self.fuse[1] and self._wire(a) <= r.wire_mv]
        return fit[0] if fit else r.wires[-1][0]

    def _wire(self, mm2: float) -> float:
        return self.total_ma("limit") * wire_mohm(mm2, self.ratings.wire_m) / 1000

    def drops_mv(self) -> dict[str, float]:
        """Voltage drops at the limit, piece by piece from the supply to the far end of the strip
        that draws most."""
        r, total, strip = self.ratings, self.total_ma("limit"), self.strip_ma
        cells = max(cells for cells, _ in self._strips)
        on_strip = {
            "ribbon": strip * r.ribbon_mohm * (1 / FEEDS + 1 / RETURNS) / 1000,
            "strip": strip * r.spine_mohm * cells / 2 / 1000,
        }
        if self.alone:
            return on_strip
        switched = total - r.pico_ma[1] - r.base_ma
        return {
            "wire": self._wire(self.wire_mm2),
            "fuse": total * fuse_mohm(self.fuse[1]) / 1000,
            "guard": total * r.guard_mohm / 1000,
            "switch": switched * r.fet_mohm / 1000,
            "polyfuse": strip * r.polyfuse_mohm / 1000,
            **on_strip,
        }

    @property
    def to_base_mv(self) -> float:
        """Voltage drop up to the supervisor."""
        return sum(mv for at, mv in self.drops_mv().items() if at in ("wire", "fuse", "guard"))

    @property
    def least_mv(self) -> float:
        """Least voltage of the supply at its own terminals under load."""
        return self.ratings.good_mv + self.to_base_mv

    @property
    def far_mv(self) -> float:
        """Voltage at the last light while the supervisor still calls the supply good; of a strip
        alone, with the least that a USB port may have."""
        beyond = sum(self.drops_mv().values()) - self.to_base_mv
        return self.ratings.good_mv - beyond

    @property
    def regulator_c(self) -> float:
        """Temperature of the warmest strip's regulator in a warm room."""
        r = self.ratings
        ma = max(cells for cells, _ in self._strips) * r.sensor_ma[1] + r.strip_ma
        return r.room_c + ma * (r.supply_mv + 100 - 3300) / 1e6 * r.regulator_k_w

    def figures(self) -> dict[str, float]:
        """Figures that people ask for first."""
        figures: dict[str, float] = {f"{state}_ma": round(self.total_ma(state)) for state in STATES}
        figures |= {"white_percent": self.limited, "strip_ma": round(self.strip_ma)}
        if not self.alone:
            figures |= {"fuse_ma": self.fuse[1], "wire_mm2": self.wire_mm2}
            figures["least_mv"] = round(self.least_mv)
        return {**figures, "supply_ma": self.supply_ma, "far_mv": round(self.far_mv)}


def white(
    layout: Layout, brightness: int, only: int | None = None
) -> tuple[float, tuple[float, ...]]:
    """mA of the firmware's lights, all and by strip, when a host asks for white on all strips, or
    on this one only.

    >>> from lumiban.boards.profile import load
    >>> 1450 < white(layout_file.read(load("hex5").board_bin()), 255)[0] <= 1500
    True
    """
    rgb, _ = _limited_light(layout, brightness, only)
    by_strip = [0.0] * layout.rows
    for light, strip in enumerate(layout.strip):
        by_strip[strip] += wire.IDLE_MA + sum(rgb[3 * light : 3 * light + 3]) / 255 * wire.FULL_MA
    return sum(by_strip), tuple(by_strip)


def _limited_light(layout: Layout, brightness: int, only: int | None = None) -> tuple[bytes, int]:
    """Values of the LEDs, and the part in % that the limits left."""
    lights = Lights(layout)
    lights.brightness(brightness)
    lights.palette(1, [(255, 255, 255)])
    lights.stage(0, [(int(only in (None, s)), wire.STEADY) for s in layout.strip])
    lights.commit()
    return bytes(lights.tick(0) or b""), lights.limited


def check(profile: Profile, ratings: Ratings = RATINGS) -> list[Finding]:
    """All that does not bear what the board may draw."""
    return list(_findings(Budget(profile, ratings)))


def _findings(budget: Budget) -> Iterator[Finding]:
    profile, r = budget.profile, budget.ratings
    total, strip = budget.total_ma("limit"), budget.strip_ma

    def over(rule: str, what: float, most: float, **more: object) -> Iterator[Finding]:
        if what > most:
            params = {"what": f"{what:.0f}", "most": f"{most:.0f}"}
            params |= {key: str(value) for key, value in more.items()}
            yield Finding(profile.name, f"power.{rule}", params)

    yield from _firmware(budget)
    yield from over("way", strip / FEEDS, r.way_ma)
    yield from over("regulator", budget.regulator_c, r.regulator_most_c)
    fed = max(cells for cells, _ in budget._strips) * r.sensor_ma[1]
    yield from over("regulator-ma", fed, r.regulator_ma)
    yield from over("far", r.light_mv, budget.far_mv)
    if budget.alone:
        yield from over("usb", total, r.usb_ma)
        return
    yield from over("fuse", total, budget.fuse[1] * r.fuse_share, fuse=budget.fuse[0].value)
    yield from over("polyfuse", strip, r.polyfuse_ma)
    yield from over("supply-mv", budget.least_mv, r.supply_mv)
    if not budget.supply_ma:
        yield from over("supply", total, r.supplies_ma[-1] * r.supply_share)
    lost = budget.drops_mv()["wire"]
    yield from over("wire", lost, r.wire_mv, wire=f"{budget.wire_mm2:g}")
    bears = dict(r.wires)[budget.wire_mm2]
    # A supply of little more than the board draws never blows the fuse: it limits itself, and all
    # on the way bears that for ever. A larger one blows it.
    lasting = max(budget.fuse[1], round(budget.supply_ma * r.supply_most))
    for part, most in (("wire", bears), ("terminal", r.terminal_ma)):
        yield from over("weak", lasting, most, part=part)
    yield from over("weak", budget.fuse[1], r.fet_ma, part="FET")


def _firmware(budget: Budget) -> Iterator[Finding]:
    """Findings where the firmware breaks the profile's limits, or can show nothing under them."""
    profile = budget.profile
    limits = [("all", white(budget.firmware_layout, 255)[0], profile.limit_ma)]
    limits += [(f"strip {n}", ma, profile.strip_limit_ma) for n, ma in enumerate(budget.strips_ma)]
    for where, ma, most in limits:
        if ma > most + 1e-6 and budget.limited:
            params = {"where": where, "what": f"{ma:.0f}", "most": str(most)}
            yield Finding(profile.name, "power.firmware", params)
    if not budget.limited:
        params = {"limit": str(profile.limit_ma), "strip": str(profile.strip_limit_ma)}
        yield Finding(profile.name, "power.dark", params)


# A board's power budget in its kit: tables, a diagram, and whether everything bears it.


@dataclass(frozen=True)
class Power:
    """The budget of one board."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}/power"

    def make(self, folder: Path) -> Report:
        """Write `power.csv`, `drops.csv` and `power.svg`; check."""
        budget = Budget(self.profile)
        rows = budget.rows()
        totals = {state: budget.total_ma(state) for state in STATES}
        write_csv(
            folder / "power.csv",
            ("consumer", *(f"{state}_ma" for state in STATES)),
            [
                (name, *(f"{by_state[state]:.1f}" for state in STATES))
                for name, by_state in [*rows.items(), ("all", totals)]
            ],
        )
        write_csv(
            folder / "drops.csv",
            ("from the supply on", "mv"),
            [(at, f"{mv:.1f}") for at, mv in budget.drops_mv().items()],
        )
        (folder / "power.svg").write_text(picture(budget), "utf-8")
        return Report(self.name, tuple(check(self.profile)), budget.figures())


def picture(budget: Budget) -> str:
    """The budget as bars, with what fuse and supply give."""
    rows = budget.rows()
    bars = {
        state: {name: by_state[state] / 1000 for name, by_state in rows.items()}
        for state in STATES
    }  # fmt: skip
    supply = "USB port" if budget.alone else "supply"
    levels = {f"{supply} {budget.supply_ma / 1000:g} A": budget.supply_ma / 1000}
    if not budget.alone:
        carried = budget.fuse[1] * budget.ratings.fuse_share / 1000
        levels[f"fuse {budget.fuse[1] / 1000:g} A carries {carried:g} A"] = carried
    return Bars(f"{budget.profile.name}: current at 5 V", "A", bars, levels).svg()


def items(profile: Profile) -> list[Item]:
    """The one item of a profile."""
    return [Power(profile)]
