"""A game without turns on one board: every stone counts by itself, in the order of board time.

While the game is not yet free (a pie is being set) it is a match like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent
from lumiban.games.base import Kind, Move, Refusal
from lumiban.table import seats, timeout, turnless_bots
from lumiban.table.bots import BotTurn
from lumiban.table.course import BY_BOARD, BY_LIGHT, Course
from lumiban.table.journal import Record
from lumiban.table.match import Match
from lumiban.table.order import ranked
from lumiban.table.race import Entry, Finishes, Race
from lumiban.table.settings import Settings
from lumiban.table.sight import UP, Sight
from lumiban.table.timeout import SHINES_US, SWEPT, UNREAD, TimeOut
from lumiban.table.turnless import FOUND, Ground
from lumiban.table.types import Agree, Refuse, Repair, Step, Verdict
from lumiban.table.waiting import Happening, Waiting, heard

TOLD_UNSURE_US = 2_000
"""How well the host knows the board's clock when it stamps a stone in light or a word."""
GONE = 2
"""So many accepted stones gone make a time out; one does not stop play for the others."""


class TurnlessMatch(Match):
    """`judged` hears of board events once what they mean is kept, none before that."""

    def __init__(
        self,
        course: Course,
        profile: Profile,
        sight: Sight,
        settings: Settings,
        keep: Callable[[Record], None],
        voided: Callable[[], None],
        judged: Callable[[Sequence[BoardEvent]], None],
    ) -> None:
        super().__init__(course, profile, sight, settings, keep, voided)
        self.ground = Ground(len(course.game.grid))
        self.queue = Waiting()
        self.time_out = None if course.stopped is None else TimeOut(course.stopped)
        self.finishes = Finishes()
        self.intents: dict[int, turnless_bots.Intent] = {}
        """By side what its bot means to do, as far as it has made up its mind."""
        self.last_us = 0
        """Board time of the last stone that counted, 0 for long ago."""
        self.now_us = 0
        self.profile = profile
        self._judged = judged
        self._behind: list[BoardEvent] = []
        self._told = len(course.played)
        self._told_refusal: Refusal | None = None
        self._closed_until_us = 0
        self._lit_until_us = 0
        if sight.kinds is not None:
            self._adopt()

    # What is.

    @property
    def free(self) -> bool:
        """Whether each stone counts by itself now."""
        return self.course.game.free(self.course.position)

    @property
    def should(self) -> tuple[int, ...]:
        """The kind of each cell as the position says."""
        return tuple(map(int, self.course.game.pieces(self.course.position)))

    @property
    def light(self) -> tuple[int, ...]:
        """Cells whose stone is in light only: no piece fills it in."""
        should = self.should
        return tuple(c for c in sorted(self.course.light) if self.ground.seen[c] != should[c])

    @property
    def astray(self) -> tuple[Step, ...]:
        """What is to be lifted or put back so that the board shows the position."""
        return self.ground.plan(self.should, self.course.light)

    @property
    def shown(self) -> tuple[int, ...]:
        """The picture sensed, with the stones in light on their cells."""
        light, should = self.course.light, self.should
        return tuple(
            should[cell] if kind == Kind.EMPTY and cell in light else kind
            for cell, kind in enumerate(super().shown)
        )

    @property
    def beat(self) -> bool:
        """Whether the board is lit by a beat at the end of a time out."""
        if self.time_out is not None:
            return self.time_out.shines(self.now_us)
        return self.now_us < self._lit_until_us

    def can_take_back(self) -> int:
        """Nothing is taken back in free play: the other hand has gone on from it."""
        return 0 if self.free else super().can_take_back()

    # What comes.

    def hear(self, event: BoardEvent) -> None:
        """A board event: it is judged once no other can tie with it."""
        cell = next(iter(self.on_game(event.cell)), -1)
        button = event.pressed
        if button is not None and button >= len(self.course.game.sides):
            button = None
        self.queue.add(heard(event, cell, button))

    def intend(self, move: Move) -> None:
        """A bot means to do this as long as nothing changes."""
        self.intents[move.side] = turnless_bots.Intent(self.course.position, move)

    def tell_at(self, move: Move, at_us: int, by: str) -> None:
        """A move told by page or bot at this board time; a stone is set in light."""
        self._told += 1
        self.intents.pop(move.side, None)
        told = Happening(
            -self._told,
            at_us,
            TOLD_UNSURE_US,
            ("told", move.side),
            told=move,
            by=by if move.is_word else BY_LIGHT,
        )
        self.queue.add(told)
        self._told_refusal = None

    def see_all(self) -> None:
        """The whole picture was seen: what no event has told is as it is found."""
        self.sensed = self.sight.sensed(self.placing)
        if not self.free:
            super().see_all()
            return
        if self.queue.folded(self.ground.seen) != self.sensed.kinds:
            self.flush()
            self._adopt()

    def _adopt(self) -> None:
        """What lies on the board is taken as it is found."""
        self.ground.adopt(self.sensed.kinds, self.should)

    def flush(self) -> None:
        """Judge all that waits, whatever may come."""
        while batch := self.queue.take_anyway():
            self._judge(batch)

    def new_clock(self) -> None:
        """The board's clock began anew: what waits belongs to the old one."""
        self.flush()
        super().new_clock()
        self.finishes.forget()
        self.last_us = self._closed_until_us = self._lit_until_us = 0
        if self.time_out is not None:
            self.time_out.recall()

    def row_unread(self, cells: Sequence[int], at_us: int) -> None:
        """The board cannot read these board cells: play stands still if the game uses one."""
        if self.free and self.on_game(*cells) and self.outcome is None:
            self._stop(UNREAD, at_us)

    def confirm_side(self, side: int, at_us: int) -> bool:
        """A side is ready after a time out; False while something is still to be mended. At a
        paused table it says that the board is mended."""
        if self.paused:
            self.mended(at_us)
            return True
        if self.time_out is None or self.astray or timeout.unread(self):
            return False
        self.time_out.confirm(side, at_us, sides=seats.people(self.course.seats))
        return True

    # Judging.

    def consider(self, at_us: int) -> None:
        """Judge what nothing can tie with any more, and follow the time."""
        self.now_us = max(at_us, 0)
        if not self.free:
            super().consider(at_us)
            return
        self.sensed = self.sight.sensed(self.placing)
        if self.sight.kinds is not None and self.sight.link == UP:
            while batch := self.queue.take(self.sight.watermark_us, at_us):
                self._judge(batch)
            if self.paused and self.time_out is None and self.outcome is None:
                self._stop(UNREAD, at_us)
            self._watch(at_us)
            self._follow_beats(at_us)
        self.verdict = self._found()

    def _judge(self, batch: list[Happening]) -> None:
        order, toss = ranked(batch, self.course.seed)
        if toss is not None:
            self._keep(self.course.toss(toss))
        events = [item.event for item in batch if item.event is not None]
        for item in order:
            self._follow_beats(item.t_us)
            if item.told is not None:
                self._follow_told(item, item.told)
            elif item.press is not None:
                self._follow_press(item, item.press)
            elif item.cell >= 0:
                self._follow_piece(item)
        self._behind += events
        self._keep_judged()

    def _keep_judged(self) -> None:
        """Tell of judged events as far as no earlier number still waits, so that after a crash
        the board sends again what was not judged."""
        queued = [item.number for item in self.queue.items if item.event is not None]
        first = min(queued, default=None)
        done = [e for e in self._behind if first is None or e.number < first]
        if done:
            self._behind = [e for e in self._behind if first is not None and e.number >= first]
            self._judged(sorted(done, key=lambda event: event.number))

    def _follow_piece(self, item: Happening) -> None:
        ground, course = self.ground, self.course
        if self.outcome is not None:
            ground.seen[item.cell] = item.kind
            return
        was_dead = item.cell in ground.dead
        move = ground.take(
            course.game,
            course.position,
            item.cell,
            item.kind,
            people=seats.people(course.seats),
            closed=self._closed(item.t_us),
        )
        if move is not None:
            self._count(move, item, BY_BOARD)
        elif item.cell in ground.dead and not was_dead:
            wanted = course.game.looks_like(course.position, {item.cell: item.kind})
            if wanted is not None:
                self._look_for_race(item, wanted, item.cell)
        self._watch(item.t_us)

    def _follow_press(self, item: Happening, side: int) -> None:
        course = self.course
        if course.seats[side] != seats.HUMAN or self.outcome is not None:
            return
        if self.time_out is not None:
            self.confirm_side(side, item.t_us)
            return
        word = course.game.pressed(course.position, side)
        if word is not None:
            self._count(course.game.parse(course.position, word, side), item, BY_BOARD)

    def _follow_told(self, item: Happening, move: Move) -> None:
        course = self.course
        refusal = course.game.why_not(course.position, move.side, move)
        if refusal is None and not move.is_word:
            refusal = self._closed(item.t_us)
        if refusal is None:
            self._count(move, item, item.by)
            return
        if course.seats[move.side] == seats.HUMAN and self.outcome is None:
            self._told_refusal = refusal
        if not move.is_word:
            self._look_for_race(item, move, next(iter(self.changed_by(move)), -1))

    def on_game(self, *cells: int) -> tuple[int, ...]:
        """Those of these board cells that the game uses, as its own."""
        of = self.placing.game
        return tuple(of[cell] for cell in cells if cell < len(of) and of[cell] >= 0)

    def _count(self, move: Move, item: Happening, by: str) -> None:
        """A move counts, at the board time when it came."""
        course, before = self.course, self.course.position
        self._keep(course.play(move, item.t_us, by, item.uncertainty_us))
        self._told_refusal = None
        if not move.is_word:
            self.last_us = item.t_us
            t_us, unsure_us = item.t_us, item.uncertainty_us
            entry = Entry(item.number, t_us, unsure_us, move.side, before, course.position)
            self._keep_race(self.finishes.counted(course.game, entry))
        self._look_for_end()
        if self.outcome is not None:
            self.time_out = None
            self._voided()

    def _look_for_race(self, item: Happening, move: Move, cell: int) -> None:
        self._keep_race(self.finishes.refused(self.course.game, item, move, cell))

    def _keep_race(self, race: Race | None) -> None:
        if race is not None:
            self._keep(self.course.race(race))

    def _found(self) -> Verdict:
        """What is amiss now; in free play it stops nobody."""
        if self.outcome is not None:
            return Agree()
        steps = timeout.asked(self)
        if self.time_out is None:
            if self._told_refusal is not None:
                return Refuse(self._told_refusal, steps)
            if self.ground.dead:
                latest = next(reversed(self.ground.dead.values()))
                found = latest.rule == FOUND
                return Repair(steps, latest) if found else Refuse(latest, steps)
        return Repair(steps) if steps else Agree()

    # Time out.

    def _closed(self, t_us: int) -> Refusal | None:
        """Why nobody may place at this board time, None when one may."""
        if self.ordered and self.time_out is None and t_us >= self._closed_until_us:
            return None
        return Refusal("table.time-out")

    def _watch(self, at_us: int) -> None:
        """Stop play when stones are gone, and the beats when something is amiss again."""
        if self.outcome is not None:
            return
        missing = self.ground.missing(self.should, self.course.light)
        if self.time_out is None:
            if len(missing) >= GONE:
                self._stop(SWEPT, at_us)
        elif self.time_out.confirmed and (missing or self.ground.slipped(self.should)):
            self.time_out.recall()

    def _stop(self, why: str, at_us: int) -> None:
        if self.time_out is None or self.time_out.why != why == UNREAD:
            self.time_out = TimeOut(why)
            self._keep(self.course.stop(why, at_us))
        else:
            self.time_out.recall()

    def _follow_beats(self, at_us: int) -> None:
        pause = self.time_out
        if pause is None:
            return
        if pause.go_us is None:
            if not seats.people(self.course.seats):
                self.confirm_side(0, at_us)
        elif at_us >= pause.go_us:
            self._keep(self.course.go(pause.go_us))
            self._closed_until_us = pause.go_us
            self._lit_until_us = pause.go_us + SHINES_US
            self.time_out = None

    # Changes from outside.

    def play(self, move: Move, at_us: int, by: str) -> None:
        """Play a move or word of a game that is not free yet; it may become so by it."""
        super().play(move, at_us, by)
        if self.free:
            self.sensed = self.sight.sensed(self.placing)
            self._adopt()

    def set_up(self, stones: Mapping[str, int], to_move: int) -> None:
        """Go on from these pieces; GameError when they make no position."""
        self.flush()
        light = [
            cell
            for cell, kind in enumerate(self.ground.seen)
            if kind == Kind.EMPTY and self.course.game.grid.name(cell) in stones
        ]
        kept = self.course.set_up(stones, to_move, light)
        self.void()
        self._keep(kept)
        self._adopt()
        self.finishes.forget()
        self._look_for_end()

    # Bots and time.

    def bot_turn(self) -> BotTurn | None:
        """What a bot thinks about, places or says next."""
        return turnless_bots.turn(self) if self.free else super().bot_turn()

    def due_us(self) -> int | None:
        """Board time at which something is to be judged or lit, None for never."""
        if not self.free:
            return super().due_us()
        if self.sight.link != UP:
            return None
        times = [self.queue.due_us(self.sight.watermark_us)]
        if self.time_out is not None:
            times.append(self.time_out.due_us(self.now_us))
        elif self.now_us < self._lit_until_us:
            times.append(self._lit_until_us)
        return min((at for at in times if at is not None), default=None)
