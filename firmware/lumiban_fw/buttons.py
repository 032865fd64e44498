"""Buttons as cells 240 and up: presses take their place among the stones' events."""

from lumiban_fw.wire import DOWN, FIRST_BUTTON, UP

BOUNCE_US = 5_000
"""A contact counts once it has been steady for so long; its time is that of the first touch."""
BUTTONS = 16
_NONE: "list[tuple[int, int, int, int]]" = []


class Buttons:
    """Debounces the board's buttons."""

    def __init__(self) -> None:
        self._steady = 0
        self._last = 0
        self._since = [0] * BUTTONS
        self.held_us = -1
        """Since when a contact has been unsteady, -1 when none is: holds the watermark."""

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for i in range(BUTTONS):
            self._since[i] -= by_us
        if self.held_us >= 0:
            self.held_us = max(self.held_us - by_us, 0)

    def look(self, down: int, now_us: int) -> "list[tuple[int, int, int, int]]":
        """Take in which buttons are down (one bit each); the events that are certain now."""
        if down == self._steady and self.held_us < 0:
            return _NONE
        out = []
        held = -1
        bounced = down ^ self._last
        self._last = down
        for i in range(BUTTONS):
            bit = 1 << i
            if not (down ^ self._steady) & bit:
                continue
            if bounced & bit:
                self._since[i] = now_us
            since = self._since[i]
            if now_us - since >= BOUNCE_US:
                self._steady ^= bit
                out.append((since, FIRST_BUTTON + i, DOWN if down & bit else UP, BOUNCE_US // 10))
            elif held < 0 or since < held:
                held = since
        self.held_us = held
        return out
