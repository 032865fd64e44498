"""Watch that no running table stands still: who is waited for, and how long for a bot or hands.

`StandstillWatch` looks at a running table: at rest somebody must be waited for, and a machine that
is waited for must not stand still. A bot that gives no answer within `MACHINE_TIMEOUT_US` is
restarted. What it finds is no player's fault: the session restarts from its course
(`Session.restart_turn`).
"""

from __future__ import annotations

from lumiban.table import guidance
from lumiban.table.limits import HANDS_US, MACHINE_TIMEOUT_US, PICTURE_STILL_US
from lumiban.table.phase import BOARD, BOT, HANDS, OVER, PEOPLE, moment
from lumiban.table.state import TableState

MAX_DOUBLINGS = 3
LOOKS_US = 500_000
"""Interval between two looks at a running table."""
SLEPT_US = 4_000_000
"""Gap between two looks after which the host was asleep: such a gap is no waiting."""

DISK, CLOCK = "disk", "clock"
"""Parties that a table may wait for beside those of its phase."""

NOBODY = "nobody is waited for"
STILL = "nothing happens, and only machines are waited for: "


def blocked_on(table: TableState) -> frozenset[str]:
    """Return the parties whose act may bring the table on; an empty set is an error."""
    match = table.match
    waits = moment(table).waits
    parties = {waits} if waits in (PEOPLE, BOARD, OVER) else set[str]()
    if table.bots.question is not None:
        parties.add(BOT)
    if not table.all_durable:
        parties.add(DISK)
    if match.due_us() is not None or table.bots_due_us() is not None:
        parties.add(CLOCK)
    if table.shown.prompt.steps:
        parties.add(HANDS if table.shown.prompt.by == guidance.HANDS else PEOPLE)
    if table.bots.is_exhausted:
        parties.add(PEOPLE)  # a person may take its seat, which the sentence says
    return frozenset(parties)


class StandstillWatch:
    """Looks at a session after each of its steps; times are host µs."""

    def __init__(self) -> None:
        self._looked_us = -LOOKS_US
        self._shown: tuple[object, ...] = ()
        self._since_us = 0
        self._looked = False
        self._course: tuple[object, ...] = ()
        self._least = 1 << 30
        self._moved_us = 0
        self._timeouts = 0
        """Hangs since the last progress."""
        self._asked_us = 0

    def look(self, table: TableState, now_us: int) -> str:
        """Return what is wrong beyond a passing moment, "" where nothing is."""
        gone_us = now_us - self._looked_us
        if gone_us < LOOKS_US:
            return ""
        self._looked_us = now_us
        if gone_us > SLEPT_US:
            self._since_us += gone_us
            self._moved_us += gone_us
        view = table.shown.view
        shown = (view and view.v, table.shown.prompt, table.shown.frame)
        if shown != self._shown:
            self._shown, self._since_us, self._looked = shown, now_us, False
        waits = blocked_on(table)
        self._follow_progress(table, now_us, waits)
        if not self._looked and now_us - self._since_us >= PICTURE_STILL_US:
            self._looked = True
            if not waits:
                return NOBODY
        if now_us - self._moved_us >= MACHINE_TIMEOUT_US << min(self._timeouts, MAX_DOUBLINGS):
            self._moved_us = now_us
            if waits:
                self._timeouts += 1
                return STILL + ", ".join(sorted(waits))
        return ""

    def asks_again(self, table: TableState, now_us: int) -> bool:
        """True if simulated hands are to be told their step once more; call after `look`."""
        since_us = max(self._since_us, self._asked_us)
        if table.shown.prompt.by != guidance.HANDS or now_us - since_us < HANDS_US:
            return False
        self._asked_us = now_us
        return True

    def stood(self, now_us: int) -> None:
        """Play stood still on purpose up to now, or restarts."""
        self._moved_us = self._since_us = now_us
        self._looked = False

    def _follow_progress(self, table: TableState, now_us: int, waits: frozenset[str]) -> None:
        """Note progress: a move, another game, or one misplaced piece less; and that somebody is
        waited for who may take any time."""
        match = table.match
        history = (id(match.history), id(match.position), tuple(match.history.seats))
        if history != self._course or not waits.isdisjoint((PEOPLE, BOARD, OVER, DISK)):
            self._course, self._least, self._moved_us = history, 1 << 30, now_us
            self._timeouts = 0
        misplaced = len(match.to_come())
        if misplaced < self._least:
            self._least, self._moved_us = misplaced, now_us
