"""How the light tells: hint level and theme, which change a bounded number of times a second.

Each change may turn many lights on or off. Whoever asks for them faster than that, at a page or by
a board's button, gets the last one as soon as it may be shown: no light flashes more than three
times a second by it (a flash is two changes), on the board or on a page.
"""

from __future__ import annotations

from collections import deque

CHANGES_A_WINDOW = 4
"""Changes that are shown in any `WINDOW_US`: two flashes, so that a move meanwhile makes no more
than three of them."""
WINDOW_US = 1_000_000


class LightStyle:
    """Hint level and theme as they are shown, and as they are wished.

    >>> style = LightStyle("legal", "standard")
    >>> for level in ("none", "legal", "control", "coach", "none"): style.wish(0, hint=level)
    >>> style.hint, style.wished_hint, style.due_us
    ('coach', 'none', 1000000)
    >>> style.follow(999_999), style.follow(1_000_000), style.hint, style.due_us
    (False, True, 'none', None)
    """

    def __init__(self, hint: str, theme: str) -> None:
        self.hint, self.theme = hint, theme
        self.wished_hint, self.wished_theme = hint, theme
        self._shown_at: deque[int] = deque(maxlen=CHANGES_A_WINDOW)

    def wish(self, now_us: int, *, hint: str | None = None, theme: str | None = None) -> None:
        """Somebody wants another: at once, or as soon as it may be."""
        self.wished_hint = hint or self.wished_hint
        self.wished_theme = theme or self.wished_theme
        self.follow(now_us)

    def follow(self, now_us: int) -> bool:
        """Show what is wished if it is time; whether anything changed."""
        due = self.due_us
        if due is None or now_us < due:
            return False
        self._shown_at.append(now_us)
        self.hint, self.theme = self.wished_hint, self.wished_theme
        return True

    @property
    def due_us(self) -> int | None:
        """When something else may be shown; None where nothing else is wished."""
        if (self.hint, self.theme) == (self.wished_hint, self.wished_theme):
            return None
        return self._shown_at[0] + WINDOW_US if len(self._shown_at) == CHANGES_A_WINDOW else 0
