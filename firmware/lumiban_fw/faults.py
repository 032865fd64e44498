"""What is wrong with the board: told to the host there is, and again to one that comes later."""

from lumiban_fw import wire

RAIL_LOW_MV = 4_500
RAIL_BACK_MV = 4_650
RAIL_NONE_MV = 1_800
"""With less a Pico's own regulator fails: USB feeds this chip, and the strips' supply is still off,
which is no sag."""
WAITING = 32
"""Faults that wait for a host; what holds is told anew to each that comes."""


class Faults:
    """`waiting` are (code, where) that no host was told; `rail_low` says that the supply sags."""

    def __init__(self) -> None:
        self.waiting: "list[tuple[int, int]]" = []
        self.rail_low = False
        self._holds: "list[tuple[int, int]]" = []

    def look_at_rail(self, rail_mv: int) -> bool:
        """Take in the supply's voltage (0: not measured); whether it became low or good."""
        low = RAIL_NONE_MV < rail_mv < (RAIL_BACK_MV if self.rail_low else RAIL_LOW_MV)
        if low == self.rail_low:
            return False
        self.rail_low = low
        self.note(wire.FAULT_RAIL if low else wire.FAULT_RAIL | wire.FAULT_GONE, rail_mv // 100)
        return True

    def note(self, what: int, where: int) -> None:
        """Something went wrong, or is right again (GONE)."""
        code = what & ~wire.FAULT_GONE
        # A rail is at another voltage when it is back.
        self._holds = [
            held
            for held in self._holds
            if held[0] != code or (held[1] != where and code != wire.FAULT_RAIL)
        ]
        if not what & wire.FAULT_GONE and len(self._holds) < WAITING:
            self._holds.append((what, where))
        if len(self.waiting) < WAITING:
            self.waiting.append((what, where))

    def tell_again(self) -> None:
        """A new host: it has not heard what still holds."""
        for fault in self._holds:
            if fault not in self.waiting:
                self.waiting.append(fault)
