"""Lights of the board: palette indices and effects, limited in current.

Pictures are staged and change at once by `commit`. Light values go through gamma 2.2 and the
brightness into what the LED gets, which is linear in light and current. The limit holds whatever
the host asks for.
"""

from array import array

from lumiban_fw import wire
from lumiban_fw.effects import CHASE_STEP, FRAME_US, LEVELS, hold_of
from lumiban_fw.events import NEVER
from lumiban_fw.kernels import beat, beyond, chase, glow, scale, used
from lumiban_fw.layout import Layout
from lumiban_fw.wire import BRIGHTNESS, FULL_MA, IDLE_MA

BEAT_FRAMES = 1440
"""Frames after which every effect is where it was."""
GREETED = 12
"""Cells whose hello light is worked out in one frame: all of a board's take the chip 9 ms."""

LIVE, LOST, HELLO = 0, 1, 2
"""Sources of the picture: the host, "host lost", or the hello light."""


class LedFrame:
    """A palette index and an effect for each light, and the palette."""

    def __init__(self, lights: int) -> None:
        self.indices = bytearray(lights)
        self.effects = bytearray(lights)
        self.palette = bytearray(3 * wire.PALETTE_SIZE)

    def take(self, other: "LedFrame") -> None:
        """Become equal to another picture."""
        self.indices[:] = other.indices
        self.effects[:] = other.effects
        self.palette[:] = other.palette

    def colour(self, index: int, r: int, g: int, b: int) -> None:
        """Set a colour; index 0 stays black."""
        if 0 < index < wire.PALETTE_SIZE:
            self.palette[3 * index] = r
            self.palette[3 * index + 1] = g
            self.palette[3 * index + 2] = b

    def light(self, i: int, index: int, effect: int) -> None:
        """Set a light; what the board does not know is dark, or steady."""
        if i < len(self.indices):
            self.indices[i] = index if index < wire.PALETTE_SIZE else 0
            self.effects[i] = effect if effect < wire.EFFECTS else wire.STEADY


# The hello light: what a cell senses, told by colour and rhythm.
_GREETING = {
    wire.EMPTY: (1, wire.STEADY),
    wire.WHITE: (2, wire.STEADY),
    wire.BLACK: (3, wire.PULSE),
    wire.NEUTRAL: (4, wire.BREATHE),
}
_UNCLEAR = (5, wire.BLINK)
_AMBER = 6


class Lights:
    """All lights of a board; the LEDs want green before red if `green_first`.

    `next_change_us` is when `tick` must be called next, `limited` the percentage of the wanted
    light that the current limit left in the last frame.
    """

    def __init__(self, layout: Layout, green_first: bool = False) -> None:
        n = layout.lights
        self._green_first = green_first
        self._staged = LedFrame(n)
        self.next_change_us = 0
        self.limited = 100
        self.strip = 255
        """The strip whose limit held the last frame back; 255 for the board's, or none."""
        self.dimmed = False
        """Half the light only: the supply is low."""
        self._frame0 = 0
        self._now = bytearray(wire.EFFECTS)
        self._layout = layout
        self._live = LedFrame(n)
        self._built_in = LedFrame(n)
        for index, (r, g, b) in enumerate(
            (
                (40, 36, 30),
                (255, 217, 160),
                (106, 168, 255),
                (200, 85, 61),
                (255, 90, 90),
                (120, 66, 0),
            )
        ):
            self._colour(self._built_in, index + 1, r, g, b)
        self._kinds = bytearray()
        """Kinds that the hello light greets; those from `_greeted` on are still to be worked
        out."""
        self._greeted = 0
        self._mode = LIVE
        self._used: "list[int]" = []
        self._changed = True
        self._drive = bytearray(256)
        self._levels = bytearray(n)
        self._rgb = bytearray(3 * n)
        self._shown = bytearray(3 * n)
        self._sums = array("i", [0] * (max(layout.strip) + 1 if layout.strip else 0))
        self._strip_lights = [0] * len(self._sums)
        for s in layout.strip:
            self._strip_lights[s] += 1
        # The most light that may shine without a look at the limits, of all and of each strip.
        self._most = _freely(layout.limit_ma - IDLE_MA * n)
        self._most_of = array("i", self._sums)
        for s in range(len(self._sums)):
            self._most_of[s] = _freely(layout.strip_limit_ma - IDLE_MA * self._strip_lights[s])
        self.brightness(BRIGHTNESS)

    def brightness(self, value: int) -> None:
        """Set the brightness, 0 to 255 (linear in light)."""
        from lumiban_fw.gamma import drive

        drive(max(0, min(255, value)), self._drive)
        self._changed = True

    def stage(self, first: int, lights: "list[tuple[int, int]]") -> None:
        """Stage (palette index, effect) for the lights from `first` on."""
        for k in range(len(lights)):
            self._staged.light(first + k, lights[k][0], lights[k][1])

    def palette(self, first: int, colours: "list[tuple[int, int, int]]") -> None:
        """Stage colours from index `first` on."""
        for k in range(len(colours)):
            r, g, b = colours[k]
            self._colour(self._staged, first + k, r, g, b)

    def _colour(self, picture: LedFrame, index: int, r: int, g: int, b: int) -> None:
        if self._green_first:
            picture.colour(index, g, r, b)
        else:
            picture.colour(index, r, g, b)

    def commit(self) -> None:
        """Show what is staged, all at once."""
        self._live.take(self._staged)
        self._changed = True

    def dim(self, on: bool) -> None:
        """Halve all light, or no more."""
        if on != self.dimmed:
            self.dimmed = on
            self._changed = True

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count; a multiple of FRAME_US keeps the beat."""
        self._frame0 = (self._frame0 + by_us // FRAME_US) % BEAT_FRAMES
        if self.next_change_us != NEVER:
            self.next_change_us -= by_us

    def show_live(self) -> None:
        """Show the host's picture."""
        self._switch(LIVE)

    def show_lost(self) -> None:
        """Show that the host is gone: all lights breathe, dim amber."""
        if self._mode != LOST:
            n = len(self._levels)
            self._built_in.indices[:] = bytes([_AMBER]) * n
            self._built_in.effects[:] = bytes([wire.BREATHE]) * n
            self._switch(LOST)

    def show_hello(self, kinds: bytearray) -> None:
        """Show what each cell senses: there was no host yet."""
        n = len(self._levels)
        if self._mode != HELLO:
            self._built_in.indices[:] = bytes(n)
            self._built_in.effects[:] = bytes(n)
        self._kinds = kinds
        self._greeted = 0
        self._switch(HELLO)
        self._changed = True

    def _greet(self) -> None:
        """Work out the hello light of the next cells."""
        end = min(self._greeted + GREETED, len(self._kinds))
        for cell in range(self._greeted, end):
            index, effect = _GREETING.get(self._kinds[cell], _UNCLEAR)
            self._built_in.light(self._layout.light[cell], index, effect)
        self._greeted = end
        self._changed = end < len(self._kinds)

    def _switch(self, mode: int) -> None:
        if self._mode != mode:
            self._mode = mode
            self._changed = True

    def due_us(self) -> int:
        """Time in µs at which `tick` has something to do; -1 for at once."""
        return -1 if self._changed else self.next_change_us

    def tick(self, now_us: int) -> "bytearray | None":
        """The picture for now, as the LEDs get it: r, g, b of each light (g, r, b if green is
        first); None if as before."""
        if not self._changed and now_us < self.next_change_us:
            return None
        picture = self._live if self._mode == LIVE else self._built_in
        if self._changed:
            self._changed = False
            if self._mode == HELLO:
                self._greet()
            self._note_used(picture)
        self._blend(picture, now_us)
        rgb = self._rgb
        if rgb == self._shown:
            return None
        self._rgb = self._shown
        self._shown = rgb
        return rgb

    def shown(self) -> bytearray:
        """The picture that `tick` gave last."""
        return self._shown

    def _note_used(self, picture: LedFrame) -> None:
        bits: int = used(picture.indices, picture.effects)
        self._used = [effect for effect in range(wire.EFFECTS) if bits >> effect & 1]

    def _blend(self, picture: LedFrame, now_us: int) -> None:
        frame = now_us // FRAME_US
        beats = frame + self._frame0
        now = self._now
        hold = 0
        for effect in self._used:
            levels = LEVELS[effect]
            k = beats % len(levels)
            now[effect] = levels[k]
            left = 1 if effect == wire.CHASE else hold_of(effect, k)
            if left and (hold == 0 or left < hold):
                hold = left
        self.next_change_us = (frame + hold) * FRAME_US if hold else NEVER
        levels = self._levels
        beat(picture.effects, now, levels)
        if wire.CHASE in self._used:
            wave = LEVELS[wire.CHASE]
            chase(picture.effects, wire.CHASE, wave, beats % len(wave), CHASE_STEP, levels)
        total = glow(
            picture.indices,
            levels,
            picture.palette,
            self._drive,
            self._layout.strip,
            self._sums,
            self._rgb,
        )
        self._limit(total)

    def _limit(self, total: int) -> None:
        layout = self._layout
        part = 65536
        self.strip = 255
        if total > self._most:
            part = _allowed(total, layout.limit_ma - IDLE_MA * layout.lights)
        if beyond(self._sums, self._most_of):
            for s in range(len(self._sums)):
                left = layout.strip_limit_ma - IDLE_MA * self._strip_lights[s]
                of_strip = _allowed(self._sums[s], left)
                if of_strip < part:
                    part = of_strip
                    self.strip = s
        if self.dimmed:
            part >>= 1
        self.limited = part * 100 >> 16
        if part < 65536:
            scale(self._rgb, part)


def _freely(left_ma: int) -> int:
    """The greatest sum of light values that a current allows as it is."""
    return left_ma * 255 // FULL_MA


def _allowed(total: int, left_ma: int) -> int:
    """The part (of 65536) of a sum of light values that a current allows, rounded down."""
    if total * FULL_MA <= left_ma * 255:
        return 65536
    if left_ma <= 0:
        return 0
    return left_ma * 255 * 65536 // (total * FULL_MA)
