"""The board's 5 V: whether the strips may have it, and whether light must save it.

The supervisor's "good" is the fault line: while it is low the supply is low, whatever its voltage
was measured to be. The voltage says how low, and whether the strips can be read or would be harmed.
A strip without power reads nothing, so nothing is sensed until the supply was switched through and
every reference reads half scale.
"""

from lumiban_fw import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.events import Faults

LOOK_US = 40_000
"""Time in µs between two looks at the supply: a sag is reported within 0.1 s."""
SUPERVISOR_US = 300_000
"""A supply that has just come is called good by the supervisor after 0.2 s."""
RAIL_LOW_MV = 4_500
"""Low, where no supervisor says so."""
RAIL_BACK_MV = 4_800
"""Good again. Halved light alone lifts a weak supply above the supervisor's 4.63 V: it would come
and go with the light."""
STRIPS_LEAST_MV, STRIPS_BACK_MV = 3_800, 4_000
"""A strip's own regulator fails at 3.5 V."""
STRIPS_MAX_MV, STRIPS_DOWN_MV = 5_500, 5_420
"""Too high, and no longer. The base board itself refuses a supply somewhere between 5.21 and 5.32 V
(lights bear 5.3 V): this is for one whose refusal has failed. The rail may be read 3.6 % too high,
so a supply of 5.21 V as 5.40 V, and no sound board may lose its light by that."""
AGAIN_MV = 500
"""Change in mV after which a supply already reported as low or high is reported again as worse."""
CALM_US = 10_000_000
"""Time in µs after which a voltage that is not measured counts as good again: the supervisor was
content for so long."""


class Supply:
    """Limits by the supply; `low` halves the light, `usable` lets the strips have power."""

    def __init__(self, faults: "Faults") -> None:
        self.low = False
        self.usable = False
        self._high = False
        self._told_off_mv = 0
        self._faults = faults
        self._was_good = False
        self._since_us = -1
        """Since when it has been what it is: without a good word at the start, or good again."""

    def look(self, rail_mv: int, good: bool, now_us: int) -> bool:
        """Take in the voltage (0: none, or not measured) and the supervisor's word; whether
        anything has changed."""
        if self._since_us < 0:
            self._since_us = now_us
        self._high = rail_mv > (STRIPS_DOWN_MV if self._high else STRIPS_MAX_MV)
        sound = good and not self._high
        if sound:
            self._was_good = True
        elif not self._was_good and now_us - self._since_us < SUPERVISOR_US:
            return False
        low = not sound or 0 < rail_mv < RAIL_LOW_MV
        if low:
            self._since_us = now_us
        elif self.low:
            low = rail_mv < RAIL_BACK_MV if rail_mv else now_us - self._since_us < CALM_US
        least = STRIPS_LEAST_MV if self.usable else STRIPS_BACK_MV
        usable = not self._high and (rail_mv >= least or (good and rail_mv == 0))
        was_low, was_usable = self.low, self.usable
        self.low, self.usable = low, usable
        off_mv = abs(rail_mv - 5_000)
        if low != was_low or (low and off_mv - self._told_off_mv >= AGAIN_MV):
            self._told_off_mv = off_mv
            code = wire.FAULT_RAIL if low else wire.FAULT_RAIL | wire.FAULT_GONE
            self._faults.note(code, rail_mv // 100)
            return True
        return usable != was_usable

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        self._since_us = max(self._since_us - by_us, 0)
