"""Control of a game's clock: it counts only while the side to move may think and act.

It starts at the first move, for which no time is charged, and stands in each phase of the table in
which time does not count (`phase.PHASES`) and until a board that came shows the game. A bot is
charged for its thinking alone, not for the disk, nor for what its process takes beyond the time
that it was given.

The time of the running turn is journalled at intervals, so that it survives a crash of the host;
time without a host is charged to no side.
"""

from __future__ import annotations

from collections.abc import Callable

from lumiban.table.clocks import GameClock
from lumiban.table.history import US_A_MS
from lumiban.table.journal import JournalRecord
from lumiban.table.questions import Bots
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Agree, Pending

KEPT_EVERY_US = 5_000_000
"""Interval at which a running clock is journalled: a crash gives back no more than this."""


class ClockWatch:
    """Runs and stops the clock of one game; `keep` takes the records of it. Times are board µs."""

    def __init__(self, match: TurnPlay, bots: Bots, keep: Callable[[JournalRecord], None]) -> None:
        self._match = match
        self._bots = bots
        self._keep = keep
        self._has_agreed = False
        """True once the board has shown the game since it came."""
        self._kept_us = 0
        self._told: Pending | None = None
        self._asked: tuple[int, int] = (0, 0)
        """The ticket of the bot's question, and since when it is open."""
        self._shown: object = None

    @property
    def _clock(self) -> GameClock | None:
        return None if self._match.outcome is not None else self._match.history.clock

    def board_came(self) -> None:
        """A board is there (again): it has yet to show the game."""
        self._has_agreed = False

    def stop(self, at_us: int) -> None:
        """Stop counting time."""
        stood = self._match.history.stop_clock(at_us)
        if stood is not None:
            self._keep(stood)

    def follow(self, at_us: int, *, counts: bool) -> bool:
        """Run or stop as the table is at this board time; whether what people see has changed.

        `counts`: in this phase of the table time counts (`phase.PHASES`).
        """
        clock = self._clock
        if clock is None:
            return False
        match = self._match
        self._has_agreed |= isinstance(match.verdict, Agree) or match.is_free or match.is_in_light
        if not (counts and self._is_on_turn(clock)):
            self.stop(at_us)
        elif (ends_us := self._bot_until_us()) is not None and at_us >= ends_us:
            self.stop(ends_us)
        elif not clock.is_running:
            clock.run(at_us // US_A_MS)
            self._kept_us = at_us
        elif at_us >= self._kept_us + KEPT_EVERY_US:
            self._kept_us = at_us
            self._keep(clock.note(clock.spent_at(at_us // US_A_MS)))
        self._hold(clock, at_us)
        number = self.number
        reading = None if number is None else clock.reading(number, True, at_us // US_A_MS)
        stage = reading and (reading.stage, reading.periods, reading.left_ms > 0)
        shown = (clock.is_running, clock.is_held, number, stage)
        has_changed, self._shown = shown != self._shown, shown
        return has_changed

    @property
    def number(self) -> int | None:
        """The clock that counts when one does, None where no single side is to move."""
        clock, side = self._match.history.clock, self._match.history.clock_side
        if clock is None:
            return None
        return 0 if clock.is_shared else side

    def _is_on_turn(self, clock: GameClock) -> bool:
        """True if the board has shown the game since it came, and a person or a bot that was asked
        is at its turn; where one clock counts for all, if each stone counts by itself."""
        history = self._match.history
        if not self._has_agreed or not history.played:
            return False
        if clock.is_shared:
            return self._match.is_free
        side, question = history.clock_side, self._bots.question
        if side is None or history.bot_level(side) is None:
            return side is not None
        return question is not None and question.side == side

    def _bot_until_us(self) -> int | None:
        """Board time until which a bot's thinking is charged to its clock; None for people."""
        question = self._bots.question
        side = self._match.history.clock_side
        if question is None or side != question.side or question.within_us is None:
            return None
        if self._asked[0] != question.ticket:
            return None
        return self._asked[1] + question.within_us

    def start_bot_time(self, ticket: int, at_us: int) -> None:
        """A bot was asked: its time runs."""
        self._asked = ticket, at_us

    def _hold(self, clock: GameClock, at_us: int) -> None:
        """A turn is over when its move was told by page, or its lift began to count down: the time
        of hands and table from then on is charged to no side."""
        match = self._match
        pending, lift = match.told, match.lift
        if pending is not self._told:
            self._told = pending
            clock.let_go()
        if pending is not None:
            clock.hold(at_us // US_A_MS)
        elif lift is not None and lift.due_us is not None:
            since_us = lift.due_us - (match.settings.confirm_us or 0)
            clock.hold(since_us // US_A_MS)
        else:
            clock.let_go()

    def thinking_us(self, side: int, at_us: int) -> int | None:
        """Return how long a bot may think now at most, board µs; None without a clock."""
        clock = self._clock
        if clock is None:
            return None
        number, at_ms = clock.of(side), at_us // US_A_MS
        if clock.is_shared:
            falls_ms = clock.falls_at_ms(number)
            return None if falls_ms is None else max(1, falls_ms - at_ms) * US_A_MS
        spent_ms = clock.spent_at(at_ms) if self._match.history.clock_side == side else 0
        return max(1, clock.control.thinking_ms(clock.left[number], spent_ms)) * US_A_MS

    def due_us(self, now_us: int, watermark_us: int) -> int | None:
        """Board time at which `follow`, or a look whether time is up, has something to do.

        The end of a side's time is judged once the board has sent all earlier events: its message
        then leads on, so no deadline is needed.
        """
        clock, number = self._clock, self.number
        if clock is None or number is None or not clock.is_running:
            return None
        times = [self._kept_us + KEPT_EVERY_US]
        falls_ms = clock.falls_at_ms(number)
        if falls_ms is not None and not now_us >= falls_ms * US_A_MS > watermark_us:
            times.append(falls_ms * US_A_MS)
        changes_ms = clock.changes_at_ms(number, now_us // US_A_MS)
        if changes_ms is not None:
            times.append(changes_ms * US_A_MS)
        ends_us = self._bot_until_us()
        if ends_us is not None:
            times.append(ends_us)
        return min(times)
