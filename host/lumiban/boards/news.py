"""Which of a link's events are news for a table, while a lost board is looked for again."""

from __future__ import annotations

from collections.abc import Iterable

from lumiban.boards.types import Connected, LinkEvent, Lost

HINDRANCES = ("wrong-major", "wrong-board", "other-board", "busy", "forbidden")
"""Why a lost board does not come back though something is plugged in: worth telling."""


class News:
    """Keeps repeated losses back: a board that was tried in vain is as lost as before.

    >>> news = News()
    >>> tries = [Lost("closed"), Lost("silent"), Lost("busy"), Lost("busy")]
    >>> [event.reason for event in news.of(tries)]
    ['closed', 'busy']
    """

    def __init__(self) -> None:
        self._lost = ""

    def of(self, events: Iterable[LinkEvent]) -> list[LinkEvent]:
        """Those of these events that are news."""
        told: list[LinkEvent] = []
        for event in events:
            if isinstance(event, Lost):
                if self._lost and (event.reason == self._lost or event.reason not in HINDRANCES):
                    continue
                self._lost = event.reason
            elif isinstance(event, Connected):
                self._lost = ""
            told.append(event)
        return told
