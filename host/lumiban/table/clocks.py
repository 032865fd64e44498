"""Clocks of a game: time controls as people write them, and a clock that counts by them.

A machine without I/O: its caller passes the time, in whole milliseconds of one monotonic clock.
Five controls, in their field's customary notation:

    5+3                     Fischer: 5 minutes, and 3 seconds before each move
    sudden:10m              sudden death: 10 minutes for all moves
    byo:10m+5x30s           byoyomi: 10 minutes, then 5 periods of 30 seconds
    canadian:10m+15/5m      Canadian: 10 minutes, then 5 minutes for each 15 moves
    move:30s                30 seconds a move; seconds alone mean it too
    hand:10m+30s+5m         Rengi's: 10 minutes, then 30 seconds a hand, then 5 minutes once in a
                            game; a second of grace

A period in which a move was made is full again for the next move; one that has run out is lost.
Time is up at the instant at which all of it is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from lumiban.errors import UsageError
from lumiban.games.base import Game
from lumiban.table.journal import ClockRecord
from lumiban.table.view_fields import ClockShown, ClockStage

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
MAX_PART_MS = 24 * HOUR_MS
"""No part of a control is longer."""
MIN_PERIOD_MS = SECOND_MS
"""And no period is shorter: a hand has to reach the board."""
MAX_PERIODS = 99
"""Byoyomi periods, and moves of a Canadian one."""

FISCHER, SUDDEN, BYOYOMI, CANADIAN, MOVE, HAND = (
    "fischer", "sudden", "byo", "canadian", "move", "hand",
)  # fmt: skip
MAIN: ClockStage = "main"
PERIOD: ClockStage = "period"
RESERVE: ClockStage = "reserve"
"""Stages of a clock: main time, a period (byoyomi, Canadian, a move's or a hand's own), or time
that is used once in a game."""
HAND_GRACE_MS = SECOND_MS
"""Grace of a hand with Rengi's clock once all time is used, ms."""

NONE = "none"
"""The notation of no clock at all."""
RULES = "rules"
"""The notation of the clock that the game's own options name, where they name one."""

EXAMPLES = "5+3, sudden:10m, byo:10m+5x30s, canadian:10m+15/5m, move:30s or hand:10m+30s+5m"


class TimeLeft(Struct, frozen=True):
    """Time that one clock has left at the beginning of a turn.

    `periods` counts the byoyomi periods, `period_ms` and `moves` are what is left of a Canadian
    one, `reserve_ms` of what is used once in a game.
    """

    main_ms: int
    periods: int = 0
    period_ms: int = 0
    moves: int = 0
    reserve_ms: int = 0


class TimeControl(Struct, frozen=True):
    """Control of a game's time; `str` gives its notation."""

    kind: str
    main_ms: int = 0
    increment_ms: int = 0
    """Before each move, the first one included (Fischer)."""
    period_ms: int = 0
    periods: int = 0
    """Number of byoyomi periods."""
    moves: int = 0
    """Number of moves in a Canadian period."""
    reserve_ms: int = 0
    """Used once in a game, after everything else (Rengi's consideration time)."""
    grace_ms: int = 0
    """Time in ms that a move may be late."""

    def __str__(self) -> str:
        main, period = length_text(self.main_ms), length_text(self.period_ms)
        before = f"{main}+" if self.main_ms else ""
        if self.kind == FISCHER:
            return f"{_number(self.main_ms, MINUTE_MS)}+{_number(self.increment_ms, SECOND_MS)}"
        if self.kind == SUDDEN:
            return f"{SUDDEN}:{main}"
        if self.kind == BYOYOMI:
            return f"{BYOYOMI}:{before}{self.periods}x{period}"
        if self.kind == CANADIAN:
            return f"{CANADIAN}:{before}{self.moves}/{period}"
        if self.kind == MOVE:
            return f"{MOVE}:{period}"
        return f"{HAND}:{main}+{period}+{length_text(self.reserve_ms)}"

    def at_start(self) -> TimeLeft:
        """Time of a clock before its first move."""
        return TimeLeft(
            self.main_ms + self.increment_ms,
            self.periods,
            self.period_ms if self.kind == CANADIAN else 0,
            self.moves,
            self.reserve_ms,
        )

    def until_fall_ms(self, left: TimeLeft) -> int:
        """Time in ms that a turn that begins with this may last: at that instant time is up."""
        if self.kind == BYOYOMI:
            return left.main_ms + left.periods * self.period_ms
        if self.kind == CANADIAN:
            return left.main_ms + left.period_ms
        if self.kind in (MOVE, HAND):
            return left.main_ms + self.period_ms + left.reserve_ms + self.grace_ms
        return left.main_ms

    def after_move(self, left: TimeLeft, spent_ms: int) -> TimeLeft:
        """Time left for the next turn when a move took `spent_ms`, before time was up."""
        over = max(0, spent_ms - left.main_ms)
        main_ms = max(0, left.main_ms - spent_ms) + self.increment_ms
        if main_ms != left.main_ms:
            left = replace(left, main_ms=main_ms)
        if self.kind == BYOYOMI:
            return replace(left, periods=left.periods - over // self.period_ms)
        if self.kind == CANADIAN and (over or not left.main_ms):
            if left.moves <= 1:
                return replace(left, period_ms=self.period_ms, moves=self.moves)
            return replace(left, period_ms=left.period_ms - over, moves=left.moves - 1)
        if self.kind == HAND and over > self.period_ms:
            beyond = over - self.period_ms
            return replace(left, reserve_ms=max(0, left.reserve_ms - beyond))
        return left

    def reading(self, left: TimeLeft, spent_ms: int = 0) -> ClockShown:
        """Reading of the clock when `spent_ms` of a turn have gone."""
        main_ms = left.main_ms - spent_ms
        if main_ms > 0:
            extra = self.until_fall_ms(left) - left.main_ms - self.grace_ms
            periods = left.periods if self.kind == BYOYOMI else None
            moves = left.moves if self.kind == CANADIAN else None
            return ClockShown(MAIN, main_ms, extra, periods, moves)
        over = -main_ms
        if self.kind == BYOYOMI:
            whole = min(over // self.period_ms, left.periods)
            periods = left.periods - whole
            shown = self.period_ms - over % self.period_ms if periods else 0
            later_ms = max(0, periods - 1) * self.period_ms
            return ClockShown(PERIOD, shown, later_ms, periods, None)
        if self.kind == CANADIAN:
            return ClockShown(PERIOD, max(0, left.period_ms - over), 0, None, left.moves)
        if self.kind in (MOVE, HAND):
            if over < self.period_ms or self.kind == MOVE:
                left_ms = max(0, self.period_ms - over)
                return ClockShown(PERIOD, left_ms, left.reserve_ms, None, None)
            left_ms = max(0, left.reserve_ms - over + self.period_ms)
            return ClockShown(RESERVE, left_ms, 0, None, None)
        return ClockShown(MAIN, 0, 0, None, None)

    def thinking_ms(self, left: TimeLeft, spent_ms: int = 0) -> int:
        """Longest time in ms that a bot should think: never to the end of its clock.

        A thirtieth of what must last for the game, most of what comes back for each move.
        """
        shown = self.reading(left, spent_ms)
        whole = max(0, self.until_fall_ms(left) - self.grace_ms - spent_ms)
        once = shown.left_ms if shown.stage == MAIN else 0
        wish = once // BOT_MOVES + 4 * self.increment_ms // 5
        if self.kind == CANADIAN:
            share = shown.left_ms if shown.stage == PERIOD else self.period_ms
            wish += 4 * share // (5 * max(1, left.moves))
        elif self.period_ms:
            wish += 4 * (shown.left_ms if shown.stage == PERIOD else self.period_ms) // 5
        return min(wish, max(whole // 2, whole - BOT_MARGIN_MS)) if whole else 0


BOT_MOVES = 30
"""Number of moves over which a bot spreads time that does not come back."""
BOT_MARGIN_MS = 500
"""Reserve that a bot leaves on its clock, or half of the clock where that is less, ms."""


# Notation.

_LENGTH = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)


def length_ms(text: str) -> int | None:
    """A length such as `90s`, `10m` or `1h30m`, ms; None for anything else.

    >>> length_ms("1h30m"), length_ms("90s"), length_ms("10"), length_ms("")
    (5400000, 90000, None, None)
    """
    match = _LENGTH.fullmatch(text) if len(text) <= 12 and text.isascii() else None
    if match is None or not text:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS


def length_text(ms: int) -> str:
    """A length of whole seconds as `length_ms` reads it.

    >>> length_text(5_400_000), length_text(90_000), length_text(0)
    ('1h30m', '1m30s', '0s')
    """
    hours, rest = divmod(ms, HOUR_MS)
    minutes, rest = divmod(rest, MINUTE_MS)
    seconds = rest // SECOND_MS
    parts = ((hours, "h"), (minutes, "m"), (seconds, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"


def digits(ms: int) -> str:
    """A time as a clock shows it, in whole seconds begun.

    >>> digits(300_000), digits(5_400_000), digits(1), digits(0)
    ('5:00', '1:30:00', '0:01', '0:00')
    """
    seconds = -(-ms // SECOND_MS)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def described(control: TimeControl, *, is_shared: bool = False) -> tuple[str, dict[str, str | int]]:
    """The sentence that says how time is counted: a text id and its parameters.

    >>> described(control_of("hand:10m+30s+5m"))[0], described(control_of("byo:5x30s"))[0]
    ('clock.hand', 'clock.byo.only')
    """
    begins = control.main_ms > 0 or control.kind not in (BYOYOMI, CANADIAN, HAND)
    text_id = f"clock.{control.kind}" if begins else f"clock.{control.kind}.only"
    return "clock.game" if is_shared else text_id, {
        "main": digits(control.main_ms),
        "increment": digits(control.increment_ms),
        "period": digits(control.period_ms),
        "periods": control.periods,
        "moves": control.moves,
        "reserve": digits(control.reserve_ms),
    }


def _number(ms: int, unit_ms: int) -> str:
    """A length in a unit without a needless decimal: 5, 0.5."""
    whole, rest = divmod(ms, unit_ms)
    return str(whole) if not rest else f"{ms / unit_ms:g}"


_FISCHER = re.compile(r"(\d{1,4}(?:\.5)?)\+(\d{1,4})", re.ASCII)
"""Minutes, also half ones, and seconds."""
_BYOYOMI = re.compile(r"(?:([^+]+)\+)?(\d{1,3})x(.+)", re.ASCII)
_CANADIAN = re.compile(r"(?:([^+]+)\+)?(\d{1,3})/(.+)", re.ASCII)
_HAND = re.compile(r"([^+]+)\+([^+]+)\+([^+]+)")


def control_of(notation: str) -> TimeControl:
    """The time control that people write so; UsageError says what is wrong and how to write it.

    >>> str(control_of("5+3")), str(control_of("byo:600s+5x30s")), str(control_of("20s"))
    ('5+3', 'byo:10m+5x30s', 'move:20s')
    """
    wish = "".join(notation.lower().split())
    kind, colon, rest = wish.partition(":")
    fischer = _FISCHER.fullmatch(wish)
    if fischer is not None:
        main_ms = int(float(fischer[1]) * MINUTE_MS)
        control = TimeControl(FISCHER, main_ms, increment_ms=int(fischer[2]) * SECOND_MS)
    elif wish.endswith("s") and wish[:-1].isdigit():
        control = TimeControl(MOVE, period_ms=_length(wish, notation))
    elif kind == SUDDEN and colon:
        control = TimeControl(SUDDEN, _length(rest, notation))
    elif kind == MOVE and colon:
        control = TimeControl(MOVE, period_ms=_length(rest, notation))
    elif kind == BYOYOMI and (parts := _BYOYOMI.fullmatch(rest)):
        main_ms, count, period_ms = _with_main(parts.groups(), notation)
        control = TimeControl(BYOYOMI, main_ms, period_ms=period_ms, periods=count)
    elif kind == CANADIAN and (parts := _CANADIAN.fullmatch(rest)):
        main_ms, count, period_ms = _with_main(parts.groups(), notation)
        control = TimeControl(CANADIAN, main_ms, period_ms=period_ms, moves=count)
    elif kind == HAND and (parts := _HAND.fullmatch(rest)):
        lengths = [_length(part, notation) for part in parts.groups()]
        control = TimeControl(
            HAND, lengths[0], period_ms=lengths[1], reserve_ms=lengths[2], grace_ms=HAND_GRACE_MS
        )
    else:
        raise UsageError(f"{notation[:40]!r} is not a clock: write {EXAMPLES}, or none")
    _check(control, notation)
    return control


def _length(text: str, notation: str) -> int:
    length = length_ms(text)
    if length is None:
        raise UsageError(
            f"{text[:20]!r} in the clock {notation[:40]!r} is not a length of time: write 30s, 10m"
            " or 1h30m"
        )
    return length


def _with_main(parts: Sequence[str | None], notation: str) -> tuple[int, int, int]:
    """Main time (0 where none is written), how many, and the period."""
    main, count, period = parts
    main_ms = 0 if main is None else _length(main, notation)
    return main_ms, int(count or 0), _length(period or "", notation)


def _check(control: TimeControl, notation: str) -> None:
    """UsageError for a control by which nobody can play."""
    wrong = ""
    if (
        max(control.main_ms, control.period_ms, control.reserve_ms, control.increment_ms)
        > MAX_PART_MS
    ):
        wrong = "has more than 24 hours in one part"
    elif control.kind in (BYOYOMI, CANADIAN, MOVE, HAND) and control.period_ms < MIN_PERIOD_MS:
        wrong = "has periods without any time"
    elif control.kind in (BYOYOMI, CANADIAN) and not (
        0 < control.periods + control.moves <= MAX_PERIODS
    ):
        counts = "periods" if control.kind == BYOYOMI else "moves a period"
        wrong = f"has not 1 to {MAX_PERIODS} {counts}"
    elif control.main_ms + control.increment_ms + control.period_ms < MIN_PERIOD_MS:
        wrong = "gives nobody any time"
    if wrong:
        raise UsageError(f"the clock {notation[:40]!r} {wrong}")


def control_for(game: Game, wish: str) -> TimeControl | None:
    """Control of time in a game where somebody asks for this one, None for none; UsageError.

    `RULES` is the clock that the game's own options name. A game without turns has one clock for
    all of it, and so sudden death alone.
    """
    notation = game.time_control if wish == RULES else wish
    if notation in (NONE, ""):
        return None
    control = control_of(notation)
    if game.turnless and control.kind != SUDDEN:
        raise UsageError(
            f"{game.slug} has no turns, so that one clock counts for all of it: {notation!r} is"
            " none for it, write sudden:10m"
        )
    return control


def control_unasked(game: Game, before: Game, control: TimeControl | None) -> TimeControl | None:
    """Control of time where nobody asked for one: as in the game before, where that was the same
    one; else by the clock that the game's own options name; without one as before, where that can
    be."""
    own = control_for(game, RULES) if game.slug != before.slug else None
    if own is not None or control is None:
        return own
    try:
        return control_for(game, str(control))
    except UsageError:
        return None


# The clock of a game.


class ClockState(Struct, frozen=True):
    """All clocks at an instant at which none runs: what each has, and what the turn has taken."""

    left: tuple[TimeLeft, ...]
    spent_ms: int = 0


class GameClock:
    """The clocks of one game, by side; with `is_shared` the game has a single one.

    It is stopped until `run`, and again by `stop`; a stop changes no side's time. `hold` gives the
    instant at which the turn is over if the pending move is played: from then on nothing is
    charged, unless that move is taken back (`let_go`). Times are ms of one clock; an instant before
    the last one known counts as that one, so that no time is counted twice or below zero.
    """

    def __init__(self, control: TimeControl, sides: int = 2, *, is_shared: bool = False) -> None:
        self.control = control
        self.is_shared = is_shared
        self.left = (control.at_start(),) * (1 if is_shared else sides)
        self.first = self.left
        """Time of each side when the moves of the main line began."""
        self.past: list[ClockState] = []
        """Before each move of the main line, at the instant when it was made."""
        self.spent_ms = 0
        """Time in ms that the turn had taken when the clock was last stopped or started."""
        self.kept_ms = 0
        """And when it was last written down (`GameHistory`)."""
        self._since_ms: int | None = None
        self._held_ms: int | None = None

    def note(self, spent_ms: int) -> ClockRecord:
        """The record of what the turn has taken."""
        self.kept_ms = spent_ms
        return ClockRecord(spent_ms)

    @property
    def is_running(self) -> bool:
        """True if time is being counted; also of a turn that is held."""
        return self._since_ms is not None

    @property
    def is_held(self) -> bool:
        """True if the turn is over, as far as anybody can tell."""
        return self._held_ms is not None

    def of(self, side: int) -> int:
        """The number of the clock that a side has."""
        return 0 if self.is_shared else side

    def run(self, at_ms: int) -> None:
        """Start counting time."""
        if self._since_ms is None:
            self._since_ms = at_ms

    def stop(self, at_ms: int) -> None:
        """Stop counting time; what was counted stays."""
        if self._since_ms is not None:
            self.spent_ms = self.spent_at(at_ms)
            self._since_ms = self._held_ms = None

    def hold(self, at_ms: int) -> None:
        """Holds the turn: the event that would end it is on its way since then."""
        if self._since_ms is not None and self._held_ms is None:
            self._held_ms = max(at_ms, self._since_ms)

    def let_go(self) -> None:
        """Undo `hold`: the pending move was taken back, and the turn goes on."""
        self._held_ms = None

    def spent_at(self, at_ms: int) -> int:
        """Time in ms that the turn has taken up to an instant."""
        if self._since_ms is None:
            return self.spent_ms
        until = at_ms if self._held_ms is None else min(at_ms, self._held_ms)
        return self.spent_ms + max(0, until - self._since_ms)

    def falls_at_ms(self, clock: int) -> int | None:
        """Return when this clock's time is up if nothing happens, ms; None while it stands or is
        held."""
        if self._since_ms is None or self._held_ms is not None:
            return None
        return self._since_ms - self.spent_ms + self.control.until_fall_ms(self.left[clock])

    def changes_at_ms(self, clock: int, at_ms: int) -> int | None:
        """Return when the stage that this clock counts down at an instant is used up and the next
        begins, ms; None as above, or where nothing is left."""
        if self._since_ms is None or self._held_ms is not None:
            return None
        at_ms = max(at_ms, self._since_ms)
        left_ms = self.control.reading(self.left[clock], self.spent_at(at_ms)).left_ms
        return at_ms + left_ms if left_ms else None

    def move(self, clock: int, spent_ms: int, at_ms: int, *, ends_turn: bool) -> None:
        """A move was made at this instant, for which its turn had taken `spent_ms`; where that ends
        the turn another one begins, and runs if this one ran."""
        self.past.append(ClockState(self.left, spent_ms))
        if self._since_ms is not None:
            self._since_ms = max(at_ms, self._since_ms)
        self._held_ms = None
        self.spent_ms = spent_ms
        if ends_turn and not self.is_shared:
            done = self.control.after_move(self.left[clock], spent_ms)
            self.left = (*self.left[:clock], done, *self.left[clock + 1 :])
            self.spent_ms = 0

    def take_back(self, count: int) -> None:
        """The clocks as they were when the first of the last `count` moves was made; they stand."""
        state = self.past[-count]
        del self.past[-count:]
        self.left, self.spent_ms = state.left, state.spent_ms
        self._since_ms = self._held_ms = None

    def swap(self) -> None:
        """The players change sides, and their clocks go with them."""
        self.left = self.left[::-1]

    def restart(self) -> None:
        """Play goes on from another position: what each has stays, no move can be taken back."""
        self.past.clear()
        self.first = self.left
        self.spent_ms = 0
        self._since_ms = self._held_ms = None

    def reading(self, clock: int, running: bool, at_ms: int) -> ClockShown:
        """Reading of this clock; `running`: the turn is its own."""
        return self.control.reading(self.left[clock], self.spent_at(at_ms) if running else 0)
