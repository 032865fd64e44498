"""A game without turns on one board: every stone counts by itself, in the order of board time.

While the game is not yet free (a pie is being set) it is a match like any other.

`FreePlayBoard` is the board as far as it was judged. A piece that was refused, or that nobody saw
come, is dead until it is lifted: it never becomes a move by lying there. The position says which
stones should stand; some of them may be in light only.

In a time out both sides stop, the board is mended, both confirm, and play goes on after three
beats.

A bot acts at a person's pace, so that every hand gets its turn. It places no sooner than its
reaction time after the last stone, and two stones in a row no quicker than the other side places;
it holds still while a hand is at work above the board. One that leads places at most one stone for
each of the other's. Times are board µs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from msgspec import Struct

from lumiban.boards.types import BoardEvent
from lumiban.games.base import Game, Kind, Move, Position, Refusal
from lumiban.table import types
from lumiban.table.board_view import UP
from lumiban.table.event_order import (
    EventQueue,
    TimedInput,
    ranked,
)
from lumiban.table.history import BY_BOARD, BY_CLOCK, BY_LIGHT, US_A_MS
from lumiban.table.journal import JournalRecord, RaceRecord
from lumiban.table.limits import BEAT_US, SHINES_US
from lumiban.table.photo_finish import (
    CountedStone,
    PhotoFinishes,
)
from lumiban.table.referee import BLIND, STRANGE_RULES
from lumiban.table.turn_play import NEVER_US, TurnPlay
from lumiban.table.types import Agree, BotTurn, Refuse, Repair, Step, Verdict

TOLD_UNSURE_US = 2_000
"""Half width of the board time that the host gives a stone in light or a word."""
GONE = 2
"""So many accepted stones gone make a time out; one does not stop play for the others."""


REACTION_US = {
    "gentle": 1_800_000,
    "easy": 1_300_000,
    "medium": 1_000_000,
    "hard": 700_000,
    "strong": 450_000,
}
"""Reaction times by level, where nothing else is set."""
MIN_REACTION_US, MAX_REACTION_US = 250_000, 10_000_000
"""Bounds of a reaction time: nobody is quicker than the first."""
JITTER = (80, 130)
"""Random range of a reaction, in hundredths of the time set."""
WATCHED_US = 1_200_000
"""Two bots by themselves take at least as long, so that one can follow."""
PRESSES = frozenset({"medium", "hard", "strong"})
"""Levels that also place while they lead, where that is worth it."""
GAPS_US = (800_000, 4_000_000)
"""Bounds of a person's time between stones, as it is counted."""
SUPPOSED_US = 1_500_000
"""Time between stones that is assumed before enough stones are known."""
LOOKED_AT = 9
"""Number of a side's latest stones from which its pace is taken."""
AT_REST_US = 400_000
"""Time since its last sign within which a hand counts as at work."""
HOLD_US = 3_000_000
"""Longest time that a bot holds still for one hand."""


class FreePlay(TurnPlay):
    """Free play, where each stone counts by itself."""

    def _prepare(self) -> None:
        self.ground = FreePlayBoard(len(self.game.grid))
        self.queue = EventQueue()
        self.time_out = None if self.history.stopped is None else TimeOut(self.history.stopped)
        self.finishes = PhotoFinishes()
        self.intents: dict[int, Intent] = {}
        """Intended move of each side's bot, where it has one."""
        self.last_us = 0
        """Board time of the last stone that counted, 0 for long ago."""
        self.now_us = 0
        self._behind: list[BoardEvent] = []
        self._told = len(self.history.played)
        self._told_refusal: Refusal | None = None
        self._closed_until_us = 0
        self._lit_until_us = 0
        if self.board.kinds is not None:
            self._adopt()

    # What is.

    @property
    def is_free(self) -> bool:
        """True if each stone counts by itself now."""
        return self.game.is_free_play(self.position)

    @property
    def light(self) -> tuple[int, ...]:
        """Cells whose stone is in light only: no piece fills it in."""
        should = self.should
        return tuple(c for c in sorted(self.history.light) if self.ground.seen[c] != should[c])

    @property
    def misplaced(self) -> tuple[Step, ...]:
        """Steps that make the board show the position: pieces to lift or put back."""
        return self.ground.mending_steps(self.should, self.history.light)

    @property
    def shown(self) -> tuple[int, ...]:
        """The picture sensed, with the stones in light on their cells."""
        light, should = self.history.light, self.should
        return tuple(
            should[cell] if kind == Kind.EMPTY and cell in light else kind
            for cell, kind in enumerate(super().shown)
        )

    @property
    def is_lit_by_beat(self) -> bool:
        """True if the board is lit by a beat at the end of a time out."""
        if self.time_out is not None:
            return self.time_out.shines(self.now_us)
        return self.now_us < self._lit_until_us

    def can_take_back(self) -> int:
        """Nothing is taken back in free play: the other hand has gone on from it."""
        return 0 if self.is_free else super().can_take_back()

    # What comes.

    def hear(self, event: BoardEvent) -> None:
        """A board event: it is judged once no other can tie with it."""
        cell = next(iter(self.on_game(event.cell)), -1)
        button = event.pressed
        if button is not None and button >= len(self.game.sides):
            button = None
        t_us, unsure_us = event.t_us, event.uncertainty_us
        self.queue.add(
            TimedInput(
                event.number, t_us, unsure_us, event.cell, event, cell, event.kind, press=button
            )
        )

    def intend(self, move: Move) -> None:
        """A bot means to do this as long as nothing changes."""
        self.intents[move.side] = Intent(self.position, move)

    def tell_at(self, move: Move, at_us: int, by: str) -> None:
        """A move told by page or bot at this board time; a stone is set in light."""
        self._told += 1
        self.intents.pop(move.side, None)
        item = TimedInput(
            -self._told,
            at_us,
            TOLD_UNSURE_US,
            ("told", move.side),
            told=move,
            by=by if move.is_word else BY_LIGHT,
        )
        self.queue.add(item)
        self._told_refusal = None

    def see_all(self) -> None:
        """The whole picture was seen: what no event has told is as it is found."""
        self.sensed = self.board.sensed(self.placing)
        if not self.is_free:
            super().see_all()
            return
        if self.queue.folded(self.ground.seen) != self.sensed.kinds:
            self.flush()
            self._adopt()

    def _adopt(self) -> None:
        """Take the pieces on the board now as they are found."""
        self.sensed = self.board.sensed(self.placing)
        self.ground.adopt(self.sensed.kinds, self.should)

    def flush(self) -> None:
        """Judge all that waits, whatever may come."""
        while batch := self.queue.take_anyway():
            self._judge(batch)

    def unjudged_us(self) -> int:
        """Board time of the first thing that waits for its order."""
        return min((item.t_us for item in self.queue.items), default=NEVER_US)

    def new_clock(self) -> None:
        """Judge what waits, as the board's clock was reset: it belongs to the old one."""
        self.flush()
        super().new_clock()
        self.finishes.forget()
        self.last_us = self._closed_until_us = self._lit_until_us = 0
        if self.time_out is not None:
            self.time_out.recall()

    def row_unread(self, cells: Sequence[int], at_us: int) -> None:
        """The board cannot read these board cells: play stands still if the game uses one."""
        if self.is_free and self.on_game(*cells) and self.outcome is None:
            self._stop(UNREAD, at_us)

    def confirm_side(self, side: int, at_us: int) -> bool:
        """A side is ready after a time out; False while something is still to be mended. At a
        paused table it says that the board is mended."""
        if self.paused:
            self.mended(at_us)
            return True
        if self.time_out is None or self.misplaced or self.unread():
            return False
        self.time_out.confirm(side, at_us, sides=self.history.people)
        return True

    # Judging.

    def consider(self, at_us: int) -> None:
        """Judge what nothing can tie with any more, and follow the time."""
        self.now_us = max(at_us, 0)
        if not self.is_free:
            super().consider(at_us)
            return
        self.sensed = self.board.sensed(self.placing)
        if self.board.kinds is not None and self.board.link == UP:
            while batch := self.queue.take(self.board.watermark_us, at_us):
                self._judge(batch)
            if self.paused and self.time_out is None and self.outcome is None:
                self._stop(UNREAD, at_us)
            self._watch(at_us)
            self._follow_beats(at_us)
        self.verdict = self._unjudged_verdict()
        self.is_putting_back = self.is_putting_back and bool(self.repair_steps())

    def _judge(self, batch: list[TimedInput]) -> None:
        order, toss = ranked(batch, self.history.seed)
        if toss is not None:
            self.history.apply(toss)
            self._keep(toss)
        events = [item.event for item in batch if item.event is not None]
        for item in order:
            self._follow_beats(item.t_us)
            self.look_at_clock(item.t_us)
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

    def _follow_piece(self, item: TimedInput) -> None:
        ground, history = self.ground, self.history
        if self.outcome is not None:
            ground.seen[item.cell] = item.kind
            return
        was_dead = item.cell in ground.dead
        move = ground.take(
            history.game,
            history.position,
            item.cell,
            item.kind,
            people=history.people,
            closed=self._closed(item.t_us),
        )
        if move is not None:
            self._count(move, item, BY_BOARD)
        elif item.cell in ground.dead and not was_dead:
            wanted = history.game.looks_like(history.position, {item.cell: item.kind})
            if wanted is not None:
                self._look_for_race(item, wanted, item.cell)
        self._watch(item.t_us)

    def _follow_press(self, item: TimedInput, side: int) -> None:
        if self.history.seats[side] != types.HUMAN or self.outcome is not None:
            return
        if self.time_out is not None:
            self.confirm_side(side, item.t_us)
            return
        word = self.game.button_word(self.position, side)
        if word is not None:
            self._count(self.game.parse(self.position, word, side), item, BY_BOARD)

    def _follow_told(self, item: TimedInput, move: Move) -> None:
        refusal = self.game.why_not(self.position, move.side, move)
        if refusal is None and not move.is_word:
            refusal = self._closed(item.t_us)
        if refusal is None:
            self._count(move, item, item.by)
            return
        if self.history.seats[move.side] == types.HUMAN and self.outcome is None:
            self._told_refusal = refusal
        if not move.is_word:
            self._look_for_race(item, move, next(iter(self.changed_by(move)), -1))

    def on_game(self, *cells: int) -> tuple[int, ...]:
        """Those of these board cells that the game uses, as its own."""
        of = self.placing.game
        return tuple(of[cell] for cell in cells if cell < len(of) and of[cell] >= 0)

    def _count(self, move: Move, item: TimedInput, by: str) -> None:
        """A move counts, at the board time when it came."""
        history, before = self.history, self.history.position
        self._keep(history.play(move, item.t_us, by, item.uncertainty_us))
        self.ground.accept(self.should)
        self._run_clock(item.t_us)
        self._told_refusal = None
        if not move.is_word:
            self.last_us = item.t_us
            entry = CountedStone(item, move.side, before, history.position)
            self._keep_race(self.finishes.counted(history.game, entry))
        self._look_for_end()
        if self.outcome is not None:
            self.time_out = None
            self._voided()

    def _look_for_race(self, item: TimedInput, move: Move, cell: int) -> None:
        self._keep_race(self.finishes.refused(self.history.game, item, move, cell))

    def _keep_race(self, race: RaceRecord | None) -> None:
        if race is not None:
            self.history.apply(race)
            self._keep(race)

    def _unjudged_verdict(self) -> Verdict:
        """Return what is wrong on the board now; in free play it stops nobody."""
        if self.outcome is not None:
            return Agree()
        steps = self.repair_steps()
        if self.time_out is None:
            if self._told_refusal is not None:
                return Refuse(self._told_refusal, steps)
            if self.ground.dead:
                latest = next(reversed(self.ground.dead.values()))
                is_unseen = latest.rule == FOUND_STONE
                return Repair(steps, latest) if is_unseen else Refuse(latest, steps)
        return Repair(steps) if steps else Agree()

    # Time out.

    def _closed(self, t_us: int) -> Refusal | None:
        """Return why nobody may place at this board time, None when one may."""
        if self.is_ordered and self.time_out is None and t_us >= self._closed_until_us:
            return None
        return Refusal("table.time-out")

    def _watch(self, at_us: int) -> None:
        """Stop play when stones are gone, and the beats when something is wrong again."""
        if self.outcome is not None:
            return
        missing = self.ground.missing(self.should, self.history.light)
        if self.time_out is None:
            if len(missing) >= GONE:
                self._stop(SWEPT, at_us)
        elif self.time_out.confirmed and (missing or self.ground.slipped(self.should)):
            self.time_out.recall()

    def _stop(self, why: str, at_us: int) -> None:
        if self.time_out is None or self.time_out.why != why == UNREAD:
            stood = self.history.stop_clock(at_us)
            if stood is not None:
                self._keep(stood)
            self.time_out = TimeOut(why)
            self._keep(self.history.stop(why, at_us))
        else:
            self.time_out.recall()

    def _follow_beats(self, at_us: int) -> None:
        pause = self.time_out
        if pause is None:
            return
        if pause.go_us is None:
            if not self.history.people:
                self.confirm_side(0, at_us)
        elif at_us >= pause.go_us:
            self._keep(self.history.go(pause.go_us))
            self._closed_until_us = pause.go_us
            self._lit_until_us = pause.go_us + SHINES_US
            self.time_out = None
            self._run_clock(pause.go_us)

    def _run_clock(self, at_us: int) -> None:
        """The game's clock counts from this board time on, once a stone has counted."""
        clock = self.history.clock
        if clock is not None and self.history.played and self.is_free:
            clock.run(at_us // US_A_MS)

    def _run_out(self, clock: int, at_us: int) -> None:
        """The game's time is used up: both stand, and its rules say who has won."""
        self._keep(self.history.time_is_up(clock, at_us))
        for side in range(len(self.history.seats)):
            word = self.game.button_word(self.position, side)
            if word is not None:
                last_word = self.game.parse(self.position, word, side)
                self._keep(self.history.play(last_word, at_us, BY_CLOCK))
        self.time_out = None
        self.intents.clear()
        self.void()
        self._look_for_end()

    # Changes from outside.

    def play(self, move: Move, at_us: int, by: str, spent_ms: int | None = None) -> None:
        """Play a move or word of a game that is not free yet; it may become so by it."""
        super().play(move, at_us, by, spent_ms)
        if self.is_free:
            self.sensed = self.board.sensed(self.placing)
            self._adopt()

    def set_up(self, stones: Mapping[str, int], to_move: int) -> None:
        """Go on from these pieces; GameError when they make no position."""
        self.flush()
        light = [
            cell
            for cell, kind in enumerate(self.ground.seen)
            if kind == Kind.EMPTY and self.cell_name(cell) in stones
        ]
        self._restart(self.history.set_up(stones, to_move, light))

    def steps_back(self) -> tuple[Step, ...]:
        """Return the steps that mend the board, in free play too."""
        return self.repair_steps() if self.is_free else super().steps_back()

    def put_back(self, at_us: int) -> None:
        """Let hands make the board show the position."""
        self.flush()
        self._told_refusal = None
        super().put_back(at_us)

    def teach(self, step: int) -> None:
        """Go on with this step of the lesson: what is missing shines in light."""
        self.flush()
        seen = self.ground.seen
        stones = enumerate(self.history.step_pieces(step))
        kept = self.history.teach(step, [c for c, kind in stones if kind and not seen[c]])
        self.time_out = None
        self._restart(kept)

    def _restart(self, kept: JournalRecord) -> None:
        """Go on from a position that was set."""
        self.void()
        self._keep(kept)
        self._adopt()
        self.finishes.forget()
        self._look_for_end()

    def take_back_try(self, count: int) -> None:
        """Undo moves that do not show the idea of a lesson: their stones are to be lifted."""
        super().take_back_try(count)
        self._adopt()

    # Bots and time.

    def bot_turn(self) -> BotTurn | None:
        """Return what a bot thinks about, places or says next."""
        return self._turn() if self.is_free else super().bot_turn()

    def due_us(self) -> int | None:
        """Board time at which something is to be judged or lit, None for never."""
        if not self.is_free:
            return super().due_us()
        if self.board.link != UP:
            return None
        times = [self.queue.due_us(self.board.watermark_us)]
        if self.time_out is not None:
            times.append(self.time_out.due_us(self.now_us))
        elif self.now_us < self._lit_until_us:
            times.append(self._lit_until_us)
        return min((at for at in times if at is not None), default=None)

    # What is amiss.

    def repair_steps(self) -> tuple[Step, ...]:
        """Return the steps that people can be asked for: none while the board shows pieces where
        none lie."""
        return () if self.paused else self.misplaced

    def unread(self) -> bool:
        """True if the board cannot read a row of the game at all."""
        return bool(self.on_game(*self.board.faults.unread(self.profile)))

    # How soon a bot acts.

    def reaction_us(self, side: int) -> int:
        """Return the reaction time of this bot now, µs; the game's seed and its ply vary the time
        set."""
        history = self.history
        level = history.bot_level(side) or ""
        base = self.settings.reaction_us or REACTION_US.get(level, SUPPOSED_US)
        if not history.people:
            base = max(base, WATCHED_US)
        chance = types.thought_seed(2 * history.seed + side, len(history.played)) >> 31
        low, high = JITTER
        spread = (chance % 1000 + (chance >> 12) % 1000) * (high - low) // 1998
        return max(MIN_REACTION_US, base * (low + spread) // 100)

    def _place_us(self, side: int) -> int:
        """Return when this bot places at the soonest, if nothing else happens, board µs."""
        stones = self._stones()
        if not stones:
            return self.last_us
        takes = self.reaction_us(side)
        last = stones[0][0]
        due = last + takes
        own = next((at for at, whose in stones if whose == side), None)
        if stones[0][1] == side:
            due = last + max(takes, self._pace_us(1 - side))
        elif self.history.people:
            # Stones that follow each other closely put a bot off no further than this.
            since = [at for at, whose in stones if own is None or at > own]
            due = max(min(due, since[-1] + 2 * takes), last + MIN_REACTION_US)
            if own is not None:
                due = max(due, own + takes)
        return max(due, self._hand_free_us())

    def _hand_free_us(self) -> int:
        """Board time until which a hand seen after the last stone counts as at work."""
        board = self.board
        if board.hand_us <= self.last_us:
            return 0
        return min(board.hand_us + AT_REST_US, max(board.hand_since_us, self.last_us) + HOLD_US)

    def _pace_us(self, side: int) -> int:
        """Return the time from a stone of this side to its own next one: the median of the last,
        µs."""
        stones = self._stones()
        gaps = [at - before for (at, whose), (before, _) in pairwise(stones) if whose == side]
        low, high = GAPS_US
        known = [min(max(gap, low), high) for gap in gaps[:LOOKED_AT]]
        return int(median([*known, *[SUPPOSED_US] * max(1, 3 - len(known))]))

    def _stones(self) -> list[tuple[int, int]]:
        """Board time and side of the stones that counted, the latest first, as far back as the
        board's clock has run without a break."""
        stones: list[tuple[int, int]] = []
        if self.last_us == 0:
            return stones
        for played in reversed(self.history.played):
            if played.move.is_word:
                continue
            if played.at_us > (stones[-1][0] if stones else self.last_us):
                break
            stones.append((played.at_us, played.move.side))
            if len(stones) == 4 * LOOKED_AT:
                break
        return stones

    # Whether a bot places, stands or waits, and when.

    def _turn(self) -> BotTurn | None:
        """Return what a bot does next, and from which board time on: think, place or stand.

        A bot thinks as soon as anything has changed, and places what it found when its time has
        come. One that would lose now places; one that leads is asked too, where it may press. One
        that does better to wait stands once no stone has come for a while, or soon if the other
        side stands. None while a stone or word of a bot is still to be judged, and while play
        stands still.
        """
        if self.outcome is not None or self.time_out is not None or not self.is_ordered:
            return None
        bots = [side for side in range(len(self.history.seats)) if self.history.bot_level(side)]
        if any(item.told is not None and item.told.side in bots for item in self.queue.items):
            return None
        turns = [turn for side in bots if (turn := self._turn_of(side)) is not None]
        # The bot that must place is asked first, then the one that may.
        return min(turns, key=lambda turn: (turn.at_us, turn.spare), default=None)

    def _turn_of(self, side: int) -> BotTurn | None:
        game, position = self.history.game, self.history.position
        if side in game.declined_to_move(position):
            return None
        intent = self.intents.get(side)
        if intent is not None and intent.about is position:
            at_us = self._stand_us(side) if intent.move.is_word else self._place_us(side)
            return BotTurn(side, at_us, says=intent.move)
        asked = game.bot_position(position, side)
        spare = (
            asked is not None
            and 1 - side not in game.declined_to_move(position)
            and asked[0].button_word(asked[1], side) is not None
        )
        # One that leads may press where the other side's stone came last.
        stones, level = self._stones(), self.history.bot_level(side)
        presses = level in PRESSES and bool(stones) and stones[0][1] != side
        if asked is not None and (not spare or presses):
            due_us = self._place_us(side)
            return BotTurn(side, self.last_us, asked, until_us=due_us, spare=spare)
        word = game.button_word(position, side)
        if word is None:
            return None
        return BotTurn(side, self._stand_us(side), says=game.parse(position, word, side))

    def _stand_us(self, side: int) -> int:
        """Return when a bot stands, board µs: soon after the other side has stood, else when all is
        quiet."""
        quiet_us = self.last_us + self.settings.stand_us
        if 1 - side not in self.game.declined_to_move(self.position) or not self.history.played:
            return quiet_us
        said_us = max(self.history.played[-1].at_us, self.last_us)
        return min(quiet_us, said_us + self.reaction_us(side))


FOUND_STONE = "table.found-stone"
"""Refusal of a stone whose arrival no event told."""


class FreePlayBoard:
    """The kinds `seen` on the game's cells by all events judged so far, and the `dead` pieces,
    each with the rule that refused it, latest last."""

    def __init__(self, cells: int) -> None:
        self.seen = [int(Kind.EMPTY)] * cells
        self.dead: dict[int, Refusal] = {}

    def take(
        self,
        game: Game,
        position: Position,
        cell: int,
        kind: int,
        *,
        people: Collection[int],
        closed: Refusal | None = None,
    ) -> Move | None:
        """Fold in that `cell` holds `kind` now; the move to play, if a piece that came is one.

        `people` are the sides that play by hand; `closed` says why nobody may place now. A kind
        that changes without a lift is no piece that came: it corrects what was read before.
        """
        before, self.seen[cell] = self.seen[cell], kind
        should = int(game.pieces(position)[cell])
        if kind in (Kind.EMPTY, should) or kind in BLIND:
            # Lifted, put back, filled in, put right, or no longer readable.
            if kind not in BLIND:
                self.dead.pop(cell, None)
            return None
        if before != Kind.EMPTY:
            if should == Kind.EMPTY and cell not in self.dead:
                self._kill(cell, Refusal(FOUND_STONE, (cell,)))
            return None
        move = game.looks_like(position, {cell: kind})
        if move is None:
            refusal: Refusal | None = Refusal(
                STRANGE_RULES.get(Kind(kind), "table.unknown-piece"), (cell,)
            )
        elif move.side not in people:
            refusal = Refusal("table.machines-stone", (cell,))
        else:
            refusal = game.why_not(position, move.side, move) or closed
        if refusal is None:
            return move
        self._kill(cell, refusal)
        return None

    def _kill(self, cell: int, refusal: Refusal) -> None:
        self.dead.pop(cell, None)
        self.dead[cell] = refusal

    def accept(self, should: Sequence[int]) -> None:
        """A piece that a move told by page or machine wants where it lies is refused no more."""
        for cell in [cell for cell in self.dead if self.seen[cell] == should[cell]]:
            del self.dead[cell]

    def adopt(self, kinds: Sequence[int], should: Sequence[int]) -> None:
        """Take the board as it is found: what lies where it should not is dead."""
        for cell, kind in enumerate(kinds):
            changed = kind != self.seen[cell]
            self.seen[cell] = int(kind)
            if kind == Kind.EMPTY or kind == should[cell]:
                self.dead.pop(cell, None)
            elif kind not in BLIND and (changed or should[cell] == Kind.EMPTY):
                self.dead.setdefault(cell, Refusal(FOUND_STONE, (cell,)))

    def missing(self, should: Sequence[int], light: Collection[int]) -> tuple[int, ...]:
        """Cells whose accepted stone is gone, but for those in light."""
        return tuple(
            cell
            for cell, kind in enumerate(should)
            if kind != Kind.EMPTY
            and cell not in light
            and (self.seen[cell] == Kind.EMPTY or (cell in self.dead and self.seen[cell] != kind))
        )

    def slipped(self, should: Sequence[int]) -> tuple[int, ...]:
        """Cells whose accepted stone reads as something else, though nobody lifted it."""
        return tuple(
            cell
            for cell, kind in enumerate(should)
            if kind != Kind.EMPTY
            and cell not in self.dead
            and self.seen[cell] not in (Kind.EMPTY, kind, *BLIND)
        )

    def mending_steps(self, should: Sequence[int], light: Collection[int]) -> tuple[Step, ...]:
        """The steps that make the board show the position: lift what is dead, the latest first,
        put back what is missing, set right what slipped."""
        lifts = [*reversed(self.dead), *self.slipped(should)]
        places = [*self.missing(should, light), *self.slipped(should)]
        return (
            *(Step("lift", cell, self.seen[cell]) for cell in lifts),
            *(Step("place", cell, int(should[cell])) for cell in places),
        )


BEATS = 3
SWEPT, UNREAD = "swept", "unread"
"""Reasons of a time out: accepted stones are gone, or a row of the board cannot be read."""


class TimeOut:
    """Play stands still; `go_us` is the board time at which it goes on, None before both are ready.

    >>> pause = TimeOut(SWEPT)
    >>> pause.confirm(0, 5_000_000, sides=(0, 1)), pause.confirm(1, 6_000_000, sides=(0, 1))
    (False, True)
    >>> pause.go_us, pause.beats(7_500_000)
    (9000000, (8000000, 9000000))
    """

    def __init__(self, why: str) -> None:
        self.why = why
        self.confirmed: set[int] = set()
        self.go_us: int | None = None

    def confirm(self, side: int, at_us: int, *, sides: Iterable[int]) -> bool:
        """This side is ready; whether all are, so that the beats begin."""
        if self.go_us is not None:
            return False
        self.confirmed.add(side)
        if not self.confirmed.issuperset(sides):
            return False
        self.go_us = at_us + BEATS * BEAT_US
        return True

    def recall(self) -> None:
        """Drop every confirmation: something is wrong again."""
        self.confirmed.clear()
        self.go_us = None

    def _times(self) -> list[int]:
        """Board times of all beats; [] before both are ready."""
        return (
            [] if self.go_us is None else [self.go_us - k * BEAT_US for k in reversed(range(BEATS))]
        )

    def beats(self, now_us: int) -> tuple[int, ...]:
        """The beats to come, board µs; () before both are ready."""
        return tuple(at for at in self._times() if at > now_us)

    def shines(self, now_us: int) -> bool:
        """True if the board is lit by a beat now."""
        return any(0 <= now_us - at < SHINES_US for at in self._times())

    def due_us(self, now_us: int) -> int | None:
        """Return when its light changes next, board µs; None when it waits for people."""
        if self.go_us is None:
            return None
        times = [at + late for at in self._times() for late in (0, SHINES_US)]
        return min((at for at in times if now_us < at <= self.go_us), default=self.go_us)


class Intent(Struct, frozen=True):
    """Move that a bot intends to make in this position."""

    about: Position
    move: Move
