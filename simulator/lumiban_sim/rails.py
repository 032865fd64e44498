"""The board's supply as time goes by: who has power, when, and at what voltage.

    supply → fuse, guard → 5 V (supervisor, Pico) → switch → 5VL → a strip's 3.3 V → its sensors

The switch is GP18's: what a strip consists of (sensors, reference, multiplexer, lights) is without
power until the firmware raises it. Voltages are straight lines over time between a few events, so
that nothing has to run: a question about a time is answered with its voltage, and a steady rail
costs one comparison. Coarse on purpose: it knows what is up, when, and whether it lasts, not what
an oscilloscope would show. Times are µs of the world, voltages mV.
"""

from __future__ import annotations

from dataclasses import dataclass

from lumiban.boards import limits
from lumiban.boards.limits import FET_MOHM

FOREVER = 1 << 62
"""A time that never comes."""
SUPERVISED_MV = limits.GOOD_MV
"""Below this the supervisor (APX803S-46) says bad, at once …"""
GOOD_AFTER_US = 200_000
"""… and good only when the rail has been above it for so long."""
GATE_US = 1_000 * limits.GATE_MS
"""From GP18 to the first current through the switch: its gate is charged through a resistor."""
RAMP_US = 1_000 * limits.RAMP_MS
"""The strips' 5 V from nothing to all, while the Miller capacitor holds the switch's slope."""
STEP_US = 60
"""The same through a switch that has neither gate resistor nor Miller capacitor."""
REFILL_US = 1_000
"""So long the supply takes to refill the base board's capacitor after such a step."""
HOLD_US = 1_000 * limits.HOLD_MS
"""From GP18 low until the switch opens: its gate is let go through a resistor."""
FADE_US = 1_000 * limits.FADE_MS
"""The strips' 5 V from all to nothing after that: sensors drain the capacitors."""
SUPPLY_US = 2_000
"""A supply that comes, goes or changes takes so long for it."""
BASE_UF, STRIPS_UF, A_STRIP_UF = (
    round(1e6 * farads) for farads in (limits.BASE_F, limits.SWITCHED_F, limits.STRIP_F)
)
"""Capacitors before the switch, behind it, and of each strip."""
REGULATOR_MV = 3_500
"""With less a strip's 3.3 V regulator cannot hold its output …"""
SENSES_MV = 2_400
"""… and with less its sensors and multiplexer read nothing."""
LIGHTS_MV = 3_500
"""With less the lights understand no picture …"""
FORGET_MV = 2_500
"""… and with less they forget the one they show."""
SURGE_MV = 6_500
"""With more the surge diode conducts until the fuse blows."""
PHANTOM = 64
"""Reading of a strip without power, as one part in this number of what it would read."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Feed of a board: its supply at its own terminals, and the parts on the way.

    `gentle` is a switch with gate resistor and Miller capacitor; without them the first board's.
    `most_mv` is the voltage above which the base's protection keeps the supply off the board; 0 is
    none, or one that has failed.
    """

    supply_mv: int = 5_000
    cable_mohm: float = 0.0
    gentle: bool = True
    most_mv: int = sum(limits.REFUSE_MV) // 2


@dataclass(frozen=True, slots=True)
class _Slope:
    """A voltage that goes from one level to another: flat before and after; with `back_mv` it is
    there again at the end."""

    begin_us: int
    end_us: int
    from_mv: float
    to_mv: float
    back_mv: float | None = None

    @property
    def last_mv(self) -> float:
        return self.to_mv if self.back_mv is None else self.back_mv

    def at(self, t_us: int) -> float:
        if t_us >= self.end_us:
            return self.last_mv
        if t_us <= self.begin_us:
            return self.from_mv
        done = (t_us - self.begin_us) / (self.end_us - self.begin_us)
        return self.from_mv + done * (self.to_mv - self.from_mv)


class Rails:
    """The voltages of one board. Steady and switched on from the beginning, until `power_up` has it
    begin as a real one does: without power, GP18 low."""

    def __init__(self, feed: Feed | None = None, strips: int = 1) -> None:
        self.feed = feed or Feed()
        self.strips = strips
        self.on = True
        """GP18."""
        self.switched = False
        """True if the firmware has to switch the strips on: else they always are."""
        self.blown = False
        """The fuse."""
        self.steady_us = 0
        """From then on nothing changes unless somebody changes it."""
        self.sound = True
        """True if all strips can be read then."""
        self.extra_mohm = 0.0
        self._supply_mv = 0
        self._give(self.feed.supply_mv)
        self._load_ma = 0.0
        level = float(self._steady_mv())
        self._base = _Slope(0, 0, level, level)
        self._strip = _Slope(0, 0, level, level)
        self._good_us = 0
        self._low_us = FOREVER
        self._note(level, level, 0, 0)
        self._settle(0)

    # What is there.

    @property
    def level_mv(self) -> int:
        """The 5 V of the base board once it is steady."""
        return round(self._base.last_mv)

    def rail_mv(self, t_us: int) -> int:
        """The 5 V of the base board, before the switch."""
        return round(self._base.at(t_us))

    def strips_mv(self, t_us: int) -> int:
        """The 5 V behind the switch."""
        return round(min(self._strip.at(t_us), self._base.at(t_us)))

    def good(self, t_us: int) -> bool:
        """Signal of the supervisor (GP17)."""
        return self._good_us <= t_us < self._low_us

    def share(self, t_us: int) -> float:
        """A strip's 3.3 V as a part of what it should be; 0 where nothing can be read."""
        mv = self.strips_mv(t_us)
        return 0.0 if mv < SENSES_MV else min(1.0, mv / REGULATOR_MV)

    def lights_listen(self, t_us: int) -> bool:
        """True if a picture that is sent now is shown."""
        return self.strips_mv(t_us) >= LIGHTS_MV

    def lights_keep(self) -> bool:
        """True if the picture on the lights stays, as things are going."""
        return self._strip.last_mv >= FORGET_MV and self._base.last_mv >= FORGET_MV

    # What happens.

    def power_up(self, now_us: int) -> None:
        """Begin without power: the supply comes on now, and GP18 is low."""
        self.switched = True
        self.on = False
        self._strip = _Slope(now_us, now_us, 0.0, 0.0)
        self._base = _Slope(now_us, now_us, 0.0, 0.0)
        self._good_us, self._low_us = FOREVER, FOREVER
        self._rise(now_us, SUPPLY_US)

    def wire(self, now_us: int) -> None:
        """The strips have a supply of their own, and no switch."""
        self.on, self.switched = True, False
        level = float(self._steady_mv())
        self._base = self._strip = _Slope(now_us, now_us, level, level)
        self._good_us, self._low_us = now_us, FOREVER
        self._note(level, level, now_us, 0)
        self._settle(now_us)

    def restart(self, now_us: int) -> None:
        """The chip is reset while the supply stays: GP18 falls."""
        self.switch(False, now_us)

    def switch(self, on: bool, now_us: int) -> None:
        """GP18 goes up or down."""
        if on == self.on or not self.switched:
            return
        self.on = on
        here = float(self.strips_mv(now_us))
        level = self._steady_mv()
        if not on:
            begin = now_us + (HOLD_US if self.feed.gentle else 0)
            self._strip = _Slope(begin, begin + FADE_US, here, 0.0)
        elif self.feed.gentle:
            begin = now_us + GATE_US
            self._strip = _Slope(begin, begin + RAMP_US, here, level)
            drop = self._way_mohm() * limits.SWITCHED_A
            lowest = max(level - drop, 0.0)
            self._base = _Slope(begin, begin + RAMP_US, level, lowest, back_mv=level)
            self._note(lowest, level, begin, RAMP_US)
        else:
            self._strip = _Slope(now_us, now_us + STEP_US, here, level)
            shared = level * BASE_UF / (BASE_UF + self._strips_uf())
            self._sags(now_us, REFILL_US, shared, level)
        self._settle(now_us)

    def supply(self, mv: int, now_us: int) -> None:
        """The supply gives so much from now on; 0 is none."""
        if mv != self._supply_mv:
            self._give(mv)
            self._rise(now_us, SUPPLY_US)

    def mend(self) -> None:
        """A new fuse."""
        self.blown = False

    def draw(self, ma: float, now_us: int, extra_mohm: float = 0.0) -> None:
        """Lights draw so much from now on, through so much more resistance than planned."""
        if ma == self._load_ma and extra_mohm == self.extra_mohm:
            return
        self._load_ma, self.extra_mohm = ma, extra_mohm
        if self._steady_mv() != self._base.last_mv:
            self._rise(now_us, 0)

    def plug(self, now_us: int) -> None:
        """A strip is plugged in while all are on: its empty capacitors are filled from the others,
        and from the base board through its own fuse's resistance."""
        if self.on and self.strips_mv(now_us) > 0:
            level = self._steady_mv()
            here = (
                level * (BASE_UF + self._strips_uf()) / (BASE_UF + self._strips_uf() + A_STRIP_UF)
            )
            self._sags(now_us, REFILL_US, here, level)
            self._settle(now_us)

    # Inside.

    def _give(self, mv: int) -> None:
        self._supply_mv = mv
        if mv >= SURGE_MV and not 0 < self.feed.most_mv < mv:
            self.blown = True

    def _way_mohm(self) -> float:
        return self.feed.cable_mohm + self.extra_mohm + FET_MOHM

    def _strips_uf(self) -> float:
        return STRIPS_UF + A_STRIP_UF * self.strips

    def _steady_mv(self) -> int:
        given = self._supply_mv
        if self.blown or 0 < self.feed.most_mv < given:
            return 0
        lost = self._load_ma * (self.feed.cable_mohm + self.extra_mohm) / 1000
        return max(given - round(lost), 0)

    def _rise(self, now_us: int, within_us: int) -> None:
        """The base board's rail goes to its new level, and the strips' with it."""
        level = float(self._steady_mv())
        base, strips = self._base.at(now_us), float(self.strips_mv(now_us))
        before = self._strip
        self._base = _Slope(now_us, now_us + within_us, base, level)
        if self.on:
            # A switch that is still opening goes on to do so.
            end = max(now_us + within_us, before.end_us)
            self._strip = _Slope(now_us, end, strips, level)
        self._note(base, level, now_us, within_us)
        self._settle(now_us)

    def _sags(self, now_us: int, within_us: int, to_mv: float, level: float) -> None:
        self._base = _Slope(now_us, now_us + within_us, to_mv, level)
        self._note(to_mv, level, now_us, within_us)

    def _note(self, from_mv: float, to_mv: float, now_us: int, within_us: int) -> None:
        """Takes note of a slope for the supervisor."""
        if to_mv < SUPERVISED_MV:
            left = from_mv - SUPERVISED_MV
            share = left / (from_mv - to_mv) if left > 0 else 0.0
            self._low_us = min(self._low_us, now_us + round(share * within_us))
        elif from_mv < SUPERVISED_MV:
            share = (SUPERVISED_MV - from_mv) / (to_mv - from_mv)
            self._good_us = now_us + round(share * within_us) + GOOD_AFTER_US
            self._low_us = FOREVER
        elif self._low_us != FOREVER:  # it was about to fall, and does not
            if self._low_us <= now_us:
                self._good_us = now_us + GOOD_AFTER_US
            self._low_us = FOREVER

    def _settle(self, now_us: int) -> None:
        last = max(now_us, self._base.end_us, self._strip.end_us)
        if now_us < self._good_us < FOREVER:
            last = max(last, self._good_us)
        self.steady_us = last
        self.sound = min(self._strip.last_mv, self._base.last_mv) >= REGULATOR_MV
