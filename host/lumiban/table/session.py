"""A game being played at a table, as a machine without I/O.

`step` takes what came from the board, the bots, the journal and the page, and gives what they
should do; `next_deadline` says when to call again if nothing comes. Light answers at once; bots
wait until the journal is on disk; the board may forget its events only then (`JournalNumbers` knows
what of it is there). After each step a session shows light on the board, the step for hands, and
the view (`View`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import UnsetType, to_builtins

from lumiban.boards.faults import REFERENCE
from lumiban.boards.profile import Profile
from lumiban.boards.types import (
    BoardEvent,
    BoardTime,
    Changed,
    Connected,
    Faulty,
    Lost,
    Snapshot,
)
from lumiban.games.base import Game
from lumiban.games.light_game import LightGame
from lumiban.games.registry import RuleFault
from lumiban.table import commands, ending, guidance, record
from lumiban.table.board_view import UP, BoardView
from lumiban.table.clock_watch import ClockWatch
from lumiban.table.clocks import TimeControl
from lumiban.table.course import course_of, plain_game
from lumiban.table.free_play import FreePlay
from lumiban.table.history import BY_LIGHT, BY_MACHINE, GameHistory
from lumiban.table.journal import (
    SUFFIX,
    BeliefRecord,
    BoardRecord,
    EventsRecord,
    JournalRecord,
)
from lumiban.table.journal_numbers import JournalNumbers
from lumiban.table.lesson_play import LessonPlay
from lumiban.table.light_play import LightPlay
from lumiban.table.limits import HUNG_SAID_US
from lumiban.table.phase import PHASES, phase_of
from lumiban.table.questions import COACH, LEVELS, Bots, Coach
from lumiban.table.requests import ErrorText, LessonRequest, NewGameRequest, RulesRequest
from lumiban.table.resume import ResumedGame
from lumiban.table.review import Reviewer
from lumiban.table.standstill import StandstillWatch
from lumiban.table.state import Table
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import (
    Advice,
    BotFailed,
    BotMove,
    Command,
    Durable,
    Finished,
    Hung,
    Input,
    NoRoom,
    Output,
    Prompt,
    Reply,
    Settings,
    Show,
)
from lumiban.table.view import View, clocks_shown
from lumiban.table.view_fields import ClocksShown, Text

BUTTONS_A_KIND = 2
"""Buttons 0 and 1 confirm for the first and second side, 2 and 3 turn the hints."""


LEADS_ON = (RulesRequest, NewGameRequest, LessonRequest)
"""Requests that may end that a table's own rules have failed."""


class Session(Table):
    """One table. `seats` are `human` or `bot:<level>`, one a side; times are host µs; `own` is the
    file of the own game that the table was laid for, "" for none.

    With `back` the game in that journal goes on instead (its course, seats and board); the
    writer then goes on with `back.path`. BoardError when the game does not fit the profile.
    """

    def __init__(
        self,
        game: Game,
        profile: Profile,
        seats: Sequence[str],
        *,
        hint: str = "legal",
        seed: int = 0,
        settings: Settings | None = None,
        journal_name: str = "game",
        now_us: int = 0,
        back: ResumedGame | None = None,
        control: TimeControl | None = None,
    ) -> None:
        self.profile = profile
        self._style = guidance.LightStyle(hint, "standard")
        self.seed = seed if back is None else back.history.seed
        self.settings = settings or Settings()
        self.journal_name = journal_name
        self.own = game.slug if game.digest else ""
        self.rules: Text | None = None
        self.fault: RuleFault | None = None
        """Failure of own rules, for which play stands still; None while they work."""
        self.games = 0
        self.board = (BoardView() if back is None else back.board).on(profile)
        self.bots = Bots()
        self.coach = Coach()
        self.review = Reviewer()
        self._aliased: frozenset[int] = frozenset()
        self._ledger = JournalNumbers() if back is None else JournalNumbers(back.written)
        self._now = now_us
        self._out: list[Output] = []
        self.shown: View = View()
        self._watch = StandstillWatch()
        self.hung_us = -HUNG_SAID_US
        self.no_room = ""
        """The folder on whose full disk nothing can be kept: play stands still; "" for none."""
        self._waiting: list[Input] = []
        self._dirty = True
        history = GameHistory(
            game.laid_on(profile.grid), seats, seed=seed, profile=profile.name, control=control
        )
        self._begin(history if back is None else back.history)
        if self.lesson is not None:
            self.hint = self.lesson.step.hint
        if back is not None:
            self._finished = back.is_over
            if not back.is_over:
                # The record of the end may be missing from the journal.
                self.match.keep_end()

    @classmethod
    def resumed(
        cls,
        back: ResumedGame,
        profile: Profile,
        *,
        hint: str = "legal",
        settings: Settings | None = None,
        now_us: int = 0,
    ) -> Session:
        """The table whose journal `back` was read from, ready to meet its board again."""
        return cls(
            back.history.game,
            profile,
            back.history.seats,
            hint=hint,
            settings=settings,
            journal_name=back.path.name.removesuffix(SUFFIX),
            now_us=now_us,
            back=back,
        )

    def _begin(self, history: GameHistory) -> None:
        kind = LightPlay if isinstance(history.game, LightGame) else TurnPlay
        self.match: TurnPlay = (FreePlay if history.game.turnless else kind)(
            history, self.profile, self.board, self.settings, self.keep, self._voided,
            self._keep_events,
        )  # fmt: skip
        self.clocks = ClockWatch(self.match, self.bots, self.keep)
        self._chosen_record = -1
        self.lesson = LessonPlay(self.match, self._style.hint) if history.lesson else None
        self._finished = False
        self.shown.view = None
        self.rules = None
        self._over_at_us = self._now
        self._dirty = True

    @property
    def hint(self) -> str:
        """Level of the light's hints now; another level is shown as soon as `LightStyle` allows."""
        return self._style.hint

    @hint.setter
    def hint(self, level: str) -> None:
        self._style.wish(self._now, hint=level)

    @property
    def theme(self) -> str:
        """Colours of the light now; others are shown as soon as `LightStyle` allows."""
        return self._style.theme

    @theme.setter
    def theme(self, name: str) -> None:
        self._style.wish(self._now, theme=name)

    # The machine.

    def step(self, now_us: int, inputs: Iterable[Input] = ()) -> list[Output]:
        """Follow what came in, and the time; what board, bots, journal and page should do."""
        was, self._now = self._now, max(now_us, self._now)
        over = self._over_at_us
        self._dirty |= self._finished and ending.is_new_step(was - over, self._now - over)
        waiting = deque(self._while_kept(inputs))
        item = None
        try:
            if self.fault is not None:
                self._mend_rules(waiting)
            if self.no_room:
                self._follow_clock(self.board_now())
                self._tell()
            elif self.fault is None:
                while waiting:
                    item = waiting.popleft()
                    self._take(item)
                item = None
                self._go_on()
        except RuleFault as fault:
            self.rest(fault, [item, *waiting] if item is not None else waiting)
        out, self._out = self._out, []
        return out

    def _go_on(self) -> None:
        """Do what is due after the inputs of a step, and show what has changed."""
        self._follow_time()
        if self.lesson is not None:
            self._dirty |= self.lesson.follow(self.board_now())
        self._follow_clock(self.board_now())
        self._finish()
        self._ask_bots()
        self._ask_coach()
        self._dirty |= self._give(*self.review.follow(self.match))
        self._tell()
        hung = self._watch.look(self, self._now)
        if hung:
            self.restart_turn(hung)
        elif self._watch.asks_again(self, self._now):
            self._out.append(self.shown.prompt)

    def rest(self, fault: RuleFault, unfollowed: Iterable[Input] = ()) -> None:
        """Suspend play: own rules have failed, and no more is asked of them until the
        file is mended or another game begins. What could not be followed waits."""
        self.fault = fault
        self.clocks.stop(self.board_now())
        self._voided()
        for item in unfollowed:
            if isinstance(item, Command):
                self._out.append(Reply(item.reply_to, _as_error(self._failed())))
            else:
                self._waiting.append(item)
        self._out += self.shown.resting(self, self._failed())

    def _failed(self) -> Text:
        """Sentence about the rules that have failed."""
        reason = str(self.fault).replace(self.own, Path(self.own).name)
        return Text("table.rules-failed", {"reason": reason})

    def _mend_rules(self, asked: deque[Input]) -> None:
        """Follow requests by which rules that have failed leave the table; what waited for that is
        followed then."""
        while asked and self.fault is not None:
            item = asked.popleft()
            assert isinstance(item, Command)
            self._out.append(Reply(item.reply_to, commands.follow(self, item)))
            if self.fault is not None:
                self._out += self.shown.resting(self, self._failed())
        if self.fault is None:
            asked.extendleft(reversed(self._waiting))
            self._waiting.clear()
            self._watch.stood(self._now)

    def _while_kept(self, inputs: Iterable[Input]) -> list[Input]:
        """Return what may be followed now: while nothing can be kept the rest waits, and is
        followed in its order once there is room."""
        ready: list[Input] = []
        for item in inputs:
            may_mend = isinstance(item, Command) and isinstance(item.request, LEADS_ON)
            if isinstance(item, NoRoom):
                self.no_room, self._dirty = item.folder, True
                if not self.no_room and self.fault is None:
                    ready += self._waiting
                    self._waiting.clear()
                    self._watch.stood(self._now)
            elif not self.no_room and (self.fault is None or may_mend):
                ready.append(item)
            elif isinstance(item, Durable):
                self._on_disk(item.record)
            elif isinstance(item, Command):
                full = Text("table.no-room", {"folder": self.no_room})
                why = _as_error(full if self.no_room else self._failed())
                self._out.append(Reply(item.reply_to, why))
            else:
                times = [type(one) is BoardTime for one in (*self._waiting[-1:], item)]
                if times == [True, True]:  # a quiet board tells its time for as long as it takes
                    self._waiting.pop()
                self._waiting.append(item)
        # What came in the same step before the disk was found full waits as well.
        if self.no_room:
            self._waiting[:0] = ready
        return ready

    def next_deadline(self) -> int | None:
        """Host time at which `step` has something to do though nothing comes; None for never."""
        if self.no_room or self.fault is not None:
            return None
        board, explains = self.board, ending.due_us(self.match, self.hint, self.since_end_us)
        by_board = self.match.due_us(), self.clocks.due_us(self.board_now(), board.watermark_us)
        by_host = (
            self.bots_due_us(),
            self._rematch_us(),
            self._style.due_us,
            None if explains is None else self._over_at_us + explains,
        )
        times = [board.host_time(at) for at in by_board if at is not None]
        times += [at for at in by_host if at is not None]
        return max(min(times), self._now) if times else None

    def _take(self, item: Input) -> None:
        match item:
            case Changed(events):
                self._see_events(events)
            case BoardTime(board_us, watermark_us, is_moving):
                self.board.tell_time(board_us, self._now)
                if is_moving:
                    self.board.note_hand_activity(board_us)
                self.board.advance_watermark(watermark_us, self._now)
                self._heed_aliases()
            case Durable(number):
                self._on_disk(number)
            case Snapshot():
                self._see_all(item)
            case BotMove():
                self._hear_bot(item)
            case BotFailed(ticket, reason):
                if self.bots.is_asked(ticket):
                    self.bots.failed(reason, self._now)
                    self._dirty = True
            case Advice():
                self._dirty |= self.review.hear(item) or self.coach.hear(item, self.match)
            case Command():
                self._follow(item)
            case Connected():
                self._meet(item)
            case Lost(reason, detail):
                # Time after the board's last message is charged to no side.
                self.clocks.stop(self.board.watermark_us)
                self.board.lost(reason, detail)
                self.match.lift = None
                self._dirty = True
            case Faulty():
                self._hear_fault(item)

    # The board.

    def _meet(self, item: Connected) -> None:
        self.clocks.stop(self.board.watermark_us)
        self.clocks.board_came()
        if self.board.connected(item.hello, self._now):
            self.match.naming.is_audit_advised = bool(self.history.played)
            self.match.new_clock()
            self._ledger.new_boot()
        if not item.hello.has_fair_order:
            self.profile = replace(self.profile, scan_hz=item.hello.scan_hz)
        self.match.is_ordered = item.hello.has_fair_order
        if not self._ledger.is_open:
            self.history.board = item.hello.uid
            self._open_journal()
        else:
            self._keep_board()
        self._dirty = True

    def _hear_fault(self, item: Faulty) -> None:
        if self.board.faults.hear(item.what, item.where, self._now):
            if item.what == REFERENCE:
                row = [n for n, cell in enumerate(self.profile.cells) if cell.row == item.where]
                self.match.row_unread(row, self.board_now())
            self._blind()

    def _blind(self) -> None:
        """Follow cells that can no longer be read, or can be read again: what they hold is
        judged again."""
        blind = self.board.faults.blind(self.profile) | self.board.dead
        self._dirty = True
        if blind != self.board.blind:
            self.board.blind = blind
            self.match.consider(self.board_now())

    def _see_events(self, events: tuple[BoardEvent, ...]) -> None:
        news = [event for event in events if self.board.is_news(event)]
        if not news:
            return
        free = self.match.is_free
        if not free:
            self._keep_events(news)
        for event in news:
            if not free:
                self.match.look_at_clock(event.t_us)
            self.board.take(event)
            button = event.pressed
            if button is not None and button >= BUTTONS_A_KIND:
                self.hint = guidance.next_hint(self._style.wished_hint)
            if free:
                self.match.hear(event)
            elif button is not None and button < BUTTONS_A_KIND:
                self._press(button, event.t_us)
            elif event.button is None:
                self.match.consider(event.t_us)
            if not free:
                self._follow_clock(event.t_us)
        self._heed_aliases()
        self._dirty = True

    def _heed_aliases(self) -> None:
        """Pause, or play on, when it is beyond doubt where the board shows its pieces."""
        if self.board.aliased != self._aliased:
            self._aliased = self.board.aliased
            self.match.consider(self.board_now())
            self._dirty = True

    def _keep_events(self, events: Sequence[BoardEvent]) -> None:
        """Keep these; what they mean is kept with them, or follows from them."""
        kept = [(e.number, e.cell, e.kind, e.t_us, e.uncertainty_us) for e in events]
        next_event = events[-1].number + 1
        self.keep(EventsRecord(next_event, kept, [e.number for e in events if e.is_late]))
        self._ledger.holds(next_event)

    def _see_all(self, item: Snapshot) -> None:
        first = self.board.kinds is None
        news = self.board.take_snapshot(item, self._now)
        if first:
            self.board.powered_on(self.match.on_board, self._now)
        self.match.see_all()
        if news:
            self._keep_belief(item.t_us)
            self._ledger.holds(item.next_event)
        self._aliased = self.board.aliased
        self.match.consider(item.t_us)
        self._dirty = True

    def _press(self, button: int, t_us: int) -> None:
        lift = self.match.lift
        if lift is None and self.lesson is not None and self.lesson.is_right:
            commands.go_on(self)
        elif lift is None or lift.move.side == button:
            self.match.confirm(t_us)

    # Games.

    def start(self, history: GameHistory) -> None:
        """Play another game at this table."""
        if self.fault is None:
            self.match.flush()
        self.fault = None
        self._voided()
        self.review.leave()
        self.board.new_game()
        ordered = self.match.is_ordered
        self._begin(history)
        self.match.is_ordered = ordered
        self.games += 1
        self._ledger.is_open = False
        if self.board.boot_id is not None:
            self._open_journal()
        # What lies there of the game before is no move of this one.
        self.match.ask_to_mend_all()
        self.match.consider(self.board_now())

    def restart_turn(self, why: str) -> None:
        """End a hang: the bot's choice is taken back and asked for again, what was under way is
        given up, and the table is judged and told again from the course of its game."""
        old, over = self.match, (self._finished, self._over_at_us)
        old.flush()
        self.clocks.stop(self.board_now())
        self._voided()
        if old.machine is not None:
            self.keep(old.history.drop())
        self._begin(old.history)
        self._finished, self._over_at_us = over
        self.match.is_ordered = old.is_ordered
        self.match.ask_to_mend_all()
        self.match.consider(self.board_now())
        self._watch.stood(self._now)
        self.hung_us = self._now
        self.shown.frame, self.shown.prompt = None, Prompt(())
        self._out.append(Hung(why))
        self._ask_bots()
        self._tell()

    def _voided(self) -> None:
        """Void the question to a bot, and forget its past failures, which do not matter here."""
        self.stop_bot()
        self.bots.forgive()
        self._dirty = True

    def stop_bot(self) -> None:
        """Withdraw the question to a bot: no answer is needed."""
        self._give(self.bots.stop())

    def _give(self, *outputs: Output | None) -> bool:
        """Put out those that there are; return True if there is one."""
        given = [output for output in outputs if output is not None]
        self._out += given
        return bool(given)

    def _finish(self) -> None:
        """Tell of the end of a game once."""
        outcome = self.match.outcome
        if outcome is None or self._finished or self.lesson is not None:
            return
        self._finished = True
        self._over_at_us = self._now
        self._out.append(Finished(record.make(self.match.history, outcome), outcome))
        if self.hint == COACH and self.history.people:
            self.review.begin("", course_of(self.history), plain_game(self.history))

    # Bots and the coach.

    def _ask_bots(self) -> None:
        """Put the question to the bot whose turn it is, or let it say its word."""
        match = self.match
        self._ponder()
        if match.is_free and self.bots.question is not None and self.bots.is_stale(match.history):
            self.stop_bot()
        waits = self._bot_turn()
        if waits is None or self._now < self.bots.after_us or self.board_now() < waits.at_us:
            return
        if waits.says is not None:
            match.tell_at(waits.says, self.board_now(), BY_MACHINE)
            match.consider(self.board_now())
        else:
            now_us = self.board_now()
            most_us = self.clocks.thinking_us(waits.side, now_us)
            asks = self.bots.ask(match.history, waits, now_us, most_us)
            self.clocks.start_bot_time(asks.ticket, now_us)
            self._out.append(asks)
            self._follow_clock(now_us)
        self._dirty = True

    def _hear_bot(self, item: BotMove) -> None:
        """A bot's move is to be set on the board, its word or its stone in light counts at once;
        in free play both when its time has come."""
        match = self.match
        if not self.bots.is_asked(item.ticket):
            return
        self._dirty = True
        self._look_at_clock(self.board_now())
        if match.outcome is not None:
            return
        if match.is_free and self.bots.is_stale(match.history):
            self.stop_bot()
            return
        move = self.bots.move_in(item, match.history, self._now)
        if move is None:
            return
        if match.is_free:
            self.bots.forgive()
            match.intend(move)
            return
        if match.is_in_light or (move.is_word and not match.changed_by(move)):
            by = BY_MACHINE if move.is_word else BY_LIGHT
            match.play(move, self.board_now(), by)
        else:
            match.choose(move, item.value, item.visits)
            # Hands may set it once it is on disk.
            self._chosen_record = self._ledger.written
        match.consider(self.board_now())

    def _ponder(self) -> None:
        """Let a bot think on the opponent's time: once a turn of a person's, until anything has
        changed.

        In free play a bot thinks at any time anyway, so that there is nothing to begin.
        """
        match, history = self.match, self.history
        on = self.settings.ponder and not match.is_free and self.connection == UP
        if self.bots.pondering is not None and not (on and self.bots.ponders_about(history)):
            self._give(self.bots.stop_pondering())
        busy = self.bots.question is not None or match.machine is not None
        if not on or busy or not history.played:
            return
        people, movers = history.people, match.movers
        if len(movers) != 1 or movers[0] not in people or self.bots.has_pondered(history):
            return
        for side in range(len(history.seats)):
            if history.bot_level(side) in LEVELS:
                self._out.append(self.bots.ponder(history, side))
                return

    def _ask_coach(self) -> None:
        """Put the question to the coach where one is due; take it back where it is void."""
        stop, asks = self.coach.follow(self.match, self.connection, self.hint)
        # A question ends what is thought about on a person's time: told again, it goes on after the
        # answer.
        again = None if asks is None else self.bots.pondering
        self._dirty |= self._give(stop, asks, again)

    def clocks_shown(self, now_us: int) -> ClocksShown | UnsetType:
        """The view's field `clock` at this host time."""
        return clocks_shown(self.history, self.board.board_time(now_us))

    # Commands.

    def _follow(self, command: Command) -> None:
        self._look_at_clock(self.board_now())
        self._out.append(Reply(command.reply_to, commands.follow(self, command)))
        self._follow_clock(self.board_now())
        self._dirty = True

    # Time.

    def _look_at_clock(self, now_us: int) -> None:
        """Count what a bot has thought, and end the game where its turn's time is used up now."""
        self._follow_clock(now_us)
        self._dirty |= self.match.look_at_clock(now_us)

    def _follow_clock(self, at_us: int) -> None:
        if self.history.clock is not None:
            self._dirty |= self.clocks.follow(at_us, counts=PHASES[phase_of(self)].counts)

    def _follow_time(self) -> None:
        self._dirty |= self._style.follow(self._now)
        if self.board.faults.forget(self._now):
            self._blind()
        due = self.match.due_us()
        if due is not None and self.board_now() >= due:
            self.match.consider(self.board_now())
            self._dirty = True
        # Moves made in time are judged first: the board has sent all events up to then.
        told_us = min(self.board_now(), self.board.watermark_us, self.match.unjudged_us())
        self._dirty |= self.match.look_at_clock(told_us)
        rematch = self._rematch_us()
        if rematch is not None and self._now >= rematch:
            old = self.match.history
            self.start(old.another(old.game, seed=old.seed + 1))

    def _rematch_us(self) -> int | None:
        """Return when two bots begin another game, host µs; None when they do not."""
        wait = self.settings.rematch_us
        if wait is None or not self._finished or self.history.people:
            return None
        return self._over_at_us + wait

    # The journal.

    def _open_journal(self) -> None:
        """Begin the journal of this game; it holds all that is needed to come back."""
        name = self.journal_name if self.games == 0 else f"{self.journal_name}-{self.games + 1}"
        self._out.append(self._ledger.open(name))
        self.keep(self.history.head())
        for kept in self.history.retold():
            self.keep(kept)
        self._keep_board()
        if self.board.kinds is not None:
            self._keep_belief(self.board_now())

    def keep(self, record: JournalRecord) -> None:
        """Append a record to the journal (before the first board there is none)."""
        if self._ledger.is_open:
            self._out.append(self._ledger.add(to_builtins(record)))

    def _keep_board(self) -> None:
        self.keep(BoardRecord(self.board.uid, self.board.boot_id))

    def _keep_belief(self, at_us: int) -> None:
        kinds = "".join(map(str, self.board.kinds or ()))
        to_mend = sorted(self.history.to_mend)
        self.keep(BeliefRecord(self.board.next_event, at_us, kinds, to_mend))

    def _on_disk(self, number: int) -> None:
        self._give(self._ledger.on_disk(number))
        if self.match.machine is not None:
            self._dirty = True

    # What is shown.

    def _tell(self) -> None:
        if self._dirty:
            self._dirty = False
            durable = self._ledger.durable >= self._chosen_record
            shown = self.shown.changes(self, may_hands_act=durable)
            lights = [output for output in shown if isinstance(output, Show)]
            self._out = lights + self._out + [o for o in shown if not isinstance(o, Show)]


def _as_error(text: Text) -> ErrorText:
    return ErrorText(id=text.id, params=dict(text.params))
