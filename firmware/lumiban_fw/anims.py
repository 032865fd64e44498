"""Effects with a beginning and an end of their own, in slots, over what the layers show."""

from lumiban_fw import wire
from lumiban_fw.effects import FRAME_US, LEVELS
from lumiban_fw.events import NEVER

STEADY_US = 1_000_000
"""The period of an effect that does not move."""
STEP_US = 10_000


class Anim:
    """One slot."""

    def __init__(self) -> None:
        self.on = False
        self.layer = 0
        self.palette = 0
        self.effect = 0
        self.start_us = 0
        self.period_us = 0
        self.count = 0
        self.step_us = 0
        self.lights = bytearray()

    def end_us(self) -> int:
        """When the last light is done."""
        if self.count == 0:
            return NEVER
        steps = self.step_us * max(len(self.lights) - 1, 0)
        return self.start_us + steps + self.count * self.period_us


class Anims:
    """All slots of a board; times in µs."""

    def __init__(self, lights: int) -> None:
        self._lights = lights
        self._slots = [Anim() for _ in range(wire.ANIMS)]
        self.running = 0
        """How many slots are in use."""

    def take(self, payload: bytes, start_us: int) -> bool:
        """Begin what ANIM says; False when slot or layer do not exist."""
        slot, layer, palette, effect, _, period_ms, count, step, bits = wire.unpack_anim(payload)
        if slot >= wire.ANIMS or layer >= wire.LAYERS:
            return False
        lights = bytearray()
        for i in range(min(self._lights, 8 * len(bits))):
            if bits[i >> 3] >> (i & 7) & 1:
                lights.append(i)
        self.start(slot, layer, palette, effect, start_us, period_ms, count, step, lights)
        return True

    def start(
        self,
        slot: int,
        layer: int,
        palette: int,
        effect: int,
        start_us: int,
        period_ms: int,
        count: int,
        step: int,
        lights: bytearray,
    ) -> None:
        """Begin an effect on some lights."""
        anim = self._slots[slot]
        anim.layer = layer
        anim.palette = palette if palette < wire.PALETTE_SIZE else 0
        anim.effect = effect if effect < wire.EFFECTS else wire.STEADY
        own = len(LEVELS[anim.effect]) * FRAME_US if anim.effect else STEADY_US
        asked = period_ms * 1000
        # A steady light may be short: it does not flash by itself.
        anim.period_us = asked if asked > own or (asked and not anim.effect) else own
        anim.start_us = start_us
        anim.count = count
        anim.step_us = step * STEP_US
        anim.lights = lights
        anim.on = True
        self._count()

    def stop(self, slot: int) -> None:
        """End the effect of a slot, or of all (255)."""
        for k in range(wire.ANIMS):
            if slot == k or slot == 255:
                self._slots[k].on = False
        self._count()

    def _count(self) -> None:
        self.running = 0
        for anim in self._slots:
            if anim.on:
                self.running += 1

    def next_us(self, now_us: int, frame_us: int) -> int:
        """When something changes: with the next frame at `frame_us`, or when one begins."""
        out = NEVER
        for anim in self._slots:
            if anim.on:
                due = frame_us if anim.start_us <= now_us else anim.start_us
                if due < out:
                    out = due
        return out

    def lay(self, now_us: int, top: bytearray, indices: bytearray, levels: bytearray) -> None:
        """Put what runs at `now_us` over a picture; `top` is the layer that each light shows."""
        over = False
        for anim in self._slots:
            if not anim.on or now_us < anim.start_us:
                continue
            if now_us >= anim.end_us():
                anim.on = False
                over = True
                continue
            table = LEVELS[anim.effect]
            t_us = now_us - anim.start_us
            for light in anim.lights:
                if t_us < 0:
                    break  # it and all after it have not begun
                if anim.count == 0 or t_us < anim.count * anim.period_us:
                    if top[light] <= anim.layer:
                        indices[light] = anim.palette
                        place = t_us % anim.period_us * len(table) // anim.period_us
                        levels[light] = table[place]
                t_us -= anim.step_us
        if over:
            self._count()

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for anim in self._slots:
            if anim.on:
                anim.start_us -= by_us
                if anim.count == 0 and anim.start_us < 0:
                    anim.start_us %= anim.period_us  # the same place in a later period
                    anim.start_us -= anim.period_us
