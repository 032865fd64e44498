"""When nobody plays, so that what takes long may be done."""

CALM_US = 400_000
"""After a motion nobody plays for so long, so that garbage may be collected …"""
TIDY_US = 10_000_000
"""… and so often while nothing moves: a heap that is full in play would be at a worse moment."""
WRAP = (1 << 30) - 1


class IdleMoments:
    """Moments to collect garbage at; times are µs modulo 2³⁰.

    >>> calm = IdleMoments()
    >>> calm.come(0, False), calm.come(300_000, False), calm.come(400_000, False)
    (False, False, True)
    >>> calm.begin(400_000)
    >>> calm.come(500_000, False), calm.come(10_400_000, False)
    (False, True)
    """

    def __init__(self) -> None:
        self._due_us = -1
        """-1 before the first turn: then all cells are about to settle."""

    def come(self, now_us: int, playing: bool) -> bool:
        """Whether such a moment has come; ask once a turn, and say whether somebody plays."""
        if playing or self._due_us < 0:
            self._due_us = (now_us + CALM_US) & WRAP
        else:
            return (now_us - self._due_us) & WRAP <= WRAP >> 1
        return False

    def begin(self, now_us: int) -> None:
        """Garbage is collected now."""
        self._due_us = (now_us + TIDY_US) & WRAP
