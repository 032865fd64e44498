"""The law that no running table stands still: who is waited for, and how long for a bot or hands.

`stall_reason` looks at one moment of a session: what was shown last, and what is. Its clauses hold
at every table that has come to rest for `RESTS_US`: with the board there and the game not over,

- what is sensed differs from the game: something blinks, and a sentence says what to do (a piece
  in the air has its goals lit; what stops nobody in a game in light only blinks);
- a machine's move is owed: hands have a step, or people a sentence with a command that leads on;
- somebody is waited for.

`StandstillWatch` holds a running table against it, and against standing still while only machines
are waited for: a bot that gives no answer within `MACHINE_TIMEOUT_US` is begun anew. What it finds
is no player's fault: the session begins anew from its course (`Session.restart_turn`).
"""

from __future__ import annotations

from lumiban.games.base import Idle, Kind
from lumiban.scene.light import Effect
from lumiban.table import guidance, types
from lumiban.table.board_view import UP
from lumiban.table.free_play import FreePlay
from lumiban.table.identities import AUDIT, NAMES
from lumiban.table.light_play import LightPlay
from lumiban.table.referee import AIR, BLIND, CONFIRM, PAUSED
from lumiban.table.state import TableState
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Agree, Choose, Refuse, Repair, Wait

RESTS_US = 6_000_000
"""Time without change after which a table counts as at rest."""
MACHINE_TIMEOUT_US = 24_000_000
"""Longest wait for a machine, be it a bot or simulated hands. (A disk is: that it is full has a
sentence of its own.) Each further time without progress in between is twice as long: a bot's
process begins anew, and a busy computer may need longer than this to start one."""
MOST_DOUBLINGS = 3
HANDS_US = 3_000_000
"""Time after which a simulated hand that has not begun is asked again."""
LOOKS_US = 500_000
"""Interval between two looks at a running table."""
SLEPT_US = 4_000_000
"""Gap between two looks after which the host was asleep: such a gap is no waiting."""
SAID_US = 60_000_000
"""Time for which the table asks for a report."""

PEOPLE, HANDS, BOT, DISK, CLOCK, BOARD, OVER = (
    "people", "hands", "bot", "disk", "clock", "board", "over",
)  # fmt: skip
"""Parties that a table may wait for; the last two mean that nothing happens by itself."""

UNLIT = "what is sensed differs from the game and nothing blinks"
UNTOLD = "what is sensed differs from the game and no sentence says what to do"
OWED = "a machine's move is owed and nobody has a step"
NOBODY = "nobody is waited for"
STILL = "nothing happens, and only machines are waited for: "


def blocked_on(table: TableState) -> frozenset[str]:
    """Return the parties whose act may bring the table on; an empty set is an error."""
    match, board = table.match, table.board
    parties = set[str]()
    if match.outcome is not None:
        parties.add(OVER)
    if board.link != UP or board.kinds is None:
        parties.add(BOARD)
    if table.bots.question is not None:
        parties.add(BOT)
    if not table.all_durable:
        parties.add(DISK)
    if match.due_us() is not None or table.bots_due_us() is not None:
        parties.add(CLOCK)
    if table.hand_steps:
        parties.add(_whose_hands(table))
    if _asks_people(table):
        parties.add(PEOPLE)
    return frozenset(parties)


def stall_reason(table: TableState) -> str:
    """The clause that a table at rest breaks, "" when none is."""
    match, board = table.match, table.board
    waits = blocked_on(table)
    if not waits:
        return NOBODY
    if BOARD in waits or OVER in waits:
        return ""
    text = _sentence(table)
    if differs(match):
        in_air = isinstance(match.verdict, Wait) and match.verdict.why == AIR
        if not _lights(table, steady=in_air):
            return UNLIT
        if not (text or in_air or match.is_in_light):
            return UNTOLD
    if match.machine is not None and not match.paused and not table.hand_steps:
        effects = match.game.effects(match.position, match.machine.move)
        unseen = all(before == after for _, before, after in effects) or any(
            match.sensed.kinds[cell] in BLIND and match.placing.board[cell] in board.blind
            for cell, _, _ in effects
        )
        asked = isinstance(match.verdict, Wait) and match.verdict.why in (NAMES, AUDIT)
        if DISK not in waits and not (text and (unseen or asked)):
            return OWED
    return ""


def differs(match: TurnPlay) -> bool:
    """True if the board shows other pieces than the game has, on cells that it can read."""
    if match.board.kinds is None:
        return False
    if isinstance(match, LightPlay):
        return bool(match.gesture.dead)
    if isinstance(match, FreePlay) and match.is_free:
        return bool(match.misplaced) and not match.paused
    pieces = match.game.kinds_on(match.position)
    seen = match.judged_kinds
    apart = any(kind != pieces[cell] and kind not in BLIND for cell, kind in enumerate(seen))
    if apart and isinstance(match.verdict, Agree):
        # Pieces beside the field mean nothing, on a tray for example.
        return not isinstance(match.game.read(match.position, match.shown), Idle)
    return apart


def _whose_hands(table: TableState) -> str:
    return HANDS if table.shown.prompt.by == guidance.HANDS else PEOPLE


def _asks_people(table: TableState) -> bool:
    """True if it is up to a person: to move, to answer, to confirm, or to take a bot's seat."""
    match, history = table.match, table.history
    if match.outcome is not None:
        return True
    if table.bots.is_exhausted:
        return bool(_sentence(table))
    if match.paused:
        return True
    if isinstance(match, FreePlay) and match.is_free:
        if not match.is_ordered:
            return True
        return bool(history.people)
    verdict = match.verdict
    if isinstance(verdict, Choose):
        return True
    if isinstance(verdict, Wait) and verdict.why in (CONFIRM, NAMES, AUDIT, PAUSED):
        return True
    if isinstance(verdict, Refuse | Repair):
        return match.is_in_light
    if match.waiting is not None:
        # Only a sentence that asks for a confirmation leads on where there is no step.
        return bool(_sentence(table)) and not table.hand_steps
    return any(history.seats[side] == types.HUMAN for side in match.movers)


def _sentence(table: TableState) -> str:
    """The text that people read now, "" where there is none."""
    view = table.shown.view
    if view is None:
        return ""
    if view.verdict.text is not None:
        return view.verdict.text.id
    return "" if view.timeout is None else view.timeout.text.id


def _lights(table: TableState, *, steady: bool) -> bool:
    """True if some light of the board moves (or with `steady` burns at all)."""
    frame = table.shown.frame
    if frame is None:
        return False
    return any(effect != Effect.STEADY or (steady and colour) for colour, effect in frame.lights)


class StandstillWatch:
    """Looks at a session after each of its steps; times are host µs."""

    def __init__(self) -> None:
        self.said_us = -SAID_US
        """Time at which the table was last found hung."""
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
        self._follow_progress(table, now_us)
        if not self._looked and now_us - self._since_us >= RESTS_US:
            self._looked = True
            reason = stall_reason(table)
            if reason:
                return reason
        if now_us - self._moved_us >= MACHINE_TIMEOUT_US << min(self._timeouts, MOST_DOUBLINGS):
            self._moved_us = now_us
            waits = blocked_on(table)
            if waits and waits.isdisjoint((PEOPLE, BOARD, OVER, DISK)):
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

    def restarted(self, now_us: int) -> None:
        """The table begins anew."""
        self.said_us = self._moved_us = self._since_us = now_us
        self._looked = False

    def stood(self, now_us: int) -> None:
        """Play stood still on purpose up to now."""
        self._moved_us = self._since_us = now_us
        self._looked = False

    def _follow_progress(self, table: TableState, now_us: int) -> None:
        """Note progress: a move, another game, or one misplaced piece less."""
        match = table.match
        people = not blocked_on(table).isdisjoint((PEOPLE, BOARD, OVER, DISK))
        history = (id(match.history), id(match.position), tuple(match.history.seats))
        if history != self._course or people:
            self._course, self._least, self._moved_us = history, 1 << 30, now_us
            self._timeouts = 0
        misplaced = _misplaced(match)
        if misplaced < self._least:
            self._least, self._moved_us = misplaced, now_us


def _misplaced(match: TurnPlay) -> int:
    """Count the cells that show another piece than the game has."""
    pieces = match.game.kinds_on(match.position)
    return sum(
        kind != pieces[cell] and kind != Kind.UNKNOWN
        for cell, kind in enumerate(match.sensed.kinds)
    )
