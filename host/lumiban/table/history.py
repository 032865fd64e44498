"""The course of one game: its positions and moves, what was taken back, set up or said.

Live play and a journal read again go through the same methods: each gives, or takes, one record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from msgspec import Struct

from lumiban import games
from lumiban.errors import JournalError, LumibanError, RulesChanged
from lumiban.games.base import Game, Move, Outcome, Position
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.floating_game import FloatingGame, Shift
from lumiban.games.gate import NotAccepted
from lumiban.games.lessons import position_of
from lumiban.games.light_game import Gesture
from lumiban.games.registry import Loader, RuleFault
from lumiban.games.types import TIME
from lumiban.grid import rectangle
from lumiban.table.clocks import ClockState, GameClock, TimeControl, control_of
from lumiban.table.journal import (
    VERSION,
    BackRecord,
    BeliefRecord,
    ChosenRecord,
    ClockRecord,
    CoinRecord,
    DroppedRecord,
    FlagRecord,
    GoRecord,
    HeadRecord,
    JournalRecord,
    LeftGame,
    LessonRecord,
    MarkersRecord,
    MoveRecord,
    OwedRecord,
    RaceRecord,
    Record,
    SeatRecord,
    SetRecord,
    SlideRecord,
    SlidingRecord,
    StopRecord,
    record_of,
)
from lumiban.table.types import BOT, HUMAN, differing

BY_BOARD, BY_PAGE, BY_MACHINE, BY_LIGHT = "board", "page", "machine", "light"
"""Ways in which a move came to be played; by light: no piece need stand where it was placed."""
BY_CONTINUED = "continued"
"""Word for a move that was played in the game which this one continues."""
BY_CLOCK = "clock"
"""Word of no side that ends a game without turns when its clock has run out."""


US_A_MS = 1_000


class Played(Struct, frozen=True):
    """A move of the game's main line, the board time when it was played (± `unsure_us`), and
    how."""

    move: Move
    at_us: int
    by: str
    unsure_us: int = 0
    spent_ms: int = 0
    """Time that its turn had taken by then, where time is counted."""


class GameHistory:
    """One game under way; every change gives the record that the journal keeps of it."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[str],
        *,
        seed: int = 0,
        profile: str = "",
        board: str = "",
        control: TimeControl | None = None,
        lesson: str = "",
        left: GameHistory | None = None,
        start: Position | None = None,
    ) -> None:
        self.game = game
        self.seats = list(seats)
        self.seed = seed
        self.profile = profile
        self.board = board
        # Drawing a loop of Rengi takes a tenth of a replay, so a caller that has drawn it passes it
        # on.
        self.positions: list[Position] = [game.start(seed) if start is None else start]
        self.played: list[Played] = []
        self.setup: SetRecord | None = None
        self.chosen: Move | None = None
        self.sliding = ""
        self.gesture: Gesture | None = None
        """In a game in light: what markers said since the last move; None when it is unknown."""
        self.tosses: list[CoinRecord] = []
        """Coin tosses for events whose order is unknown."""
        self.races: list[RaceRecord] = []
        self.to_mend: frozenset[int] = frozenset()
        """Cells that hands were asked to mend: lying so they are neither a move nor a takeback."""
        self.stopped: str | None = None
        """Reason for which play stands still for both sides (a time out), None while it runs."""
        self.clock: GameClock | None = None
        """Clocks of the players, None where time is not counted."""
        if control is not None:
            self.clock = GameClock(control, len(game.sides), is_shared=game.turnless)
        self.fallen: int | None = None
        """The clock whose time is up: the side that lost by it, or the game's own."""
        self._set_in_light: frozenset[int] = frozenset()
        self._movers: tuple[Position | None, tuple[int, ...]] = (None, ())
        self.lesson = lesson
        """The slug of the lesson that this is, "" for a game: a lesson has no end and no record."""
        self.lesson_step = 0
        self.left = left
        """The game that was left for the lesson."""
        if lesson:
            self.teach(0)

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def people(self) -> tuple[int, ...]:
        """The sides that persons play."""
        return tuple(side for side, who in enumerate(self.seats) if who == HUMAN)

    def bot_level(self, side: int) -> str | None:
        """The level of the bot that plays this side, None for a person."""
        who = self.seats[side]
        return who.removeprefix(BOT) if who.startswith(BOT) else None

    @property
    def past(self) -> tuple[Position, ...]:
        """The positions before the last moves, latest last: as many as a takeback may need."""
        return tuple(self.positions[-9:-1])

    @property
    def moves(self) -> list[Move]:
        """The moves of the main line."""
        return [played.move for played in self.played]

    @property
    def light(self) -> frozenset[int]:
        """Cells whose stone was played in light: a piece may stand there or not."""
        cells = set(self._set_in_light)
        for before, played in zip(self.positions, self.played, strict=False):
            if played.by == BY_LIGHT:
                cells.update(cell for cell, _, _ in self.game.effects(before, played.move))
        return frozenset(cells)

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the game, or None; by the rules sooner than by the clock."""
        ended = self.game.outcome(self.position)
        if ended is not None or self.fallen is None or self.clock is None:
            return ended
        return Outcome(None if self.clock.is_shared else 1 - self.fallen, TIME)

    @property
    def control(self) -> TimeControl | None:
        """Time control of the game, None where time is not counted."""
        return None if self.clock is None else self.clock.control

    @property
    def clock_side(self) -> int | None:
        """The side whose turn the clocks count, None where several may act, or nobody."""
        movers = self._movers_of(self.position)
        return movers[0] if len(movers) == 1 else None

    def _movers_of(self, position: Position) -> tuple[int, ...]:
        """Return who may act there; remembered, since clocks ask for it before and after each
        move."""
        if self._movers[0] is not position:
            self._movers = (position, self.game.movers(position))
        return self._movers[1]

    @property
    def first_seats(self) -> list[str]:
        """Who plays each side, as they sat before the moves: players may have changed sides."""
        changed = self.game.swapped(self.positions[0]) != self.game.swapped(self.position)
        return self.seats[::-1] if changed else list(self.seats)

    def another(self, game: Game, seats: Sequence[str] = (), **other: Any) -> GameHistory:
        """Another game on this board; players, seed and time control as here, unless `other` has
        them."""
        names = ("seed", "profile", "board", "control")
        kept = {name: getattr(self, name) for name in names}
        return GameHistory(game, seats or self.seats, **(kept | other))

    def by_rules(self, game: Game) -> GameHistory | None:
        """The same game by other rules, its clocks as they are; None where a move does not fit
        them. RuleFault where these rules fail."""
        try:
            other = self.another(game, self.first_seats)
            for record in self.retold():
                other._apply(record)
        except RuleFault:
            raise
        except (LumibanError, LookupError, ValueError):
            return None
        return other

    def head(self) -> HeadRecord:
        """The first record: what is played, by whom, on what."""
        left = self.left
        return HeadRecord(
            version=VERSION,
            game=self.game.slug,
            options=dict(self.game.options),
            digest=self.game.digest,
            seats=self.first_seats,
            seed=self.seed,
            profile=self.profile,
            board=self.board,
            laid=self.game.grid.size if is_floating(self.game) else None,
            clock="" if self.clock is None else str(self.clock.control),
            lesson=self.lesson,
            left=None if left is None else LeftGame(left.head(), left.retold()),
        )

    def retold(self) -> list[JournalRecord]:
        """Return the records that a journal begun now keeps after its head, so that it leads here
        too."""
        kept: list[JournalRecord] = []
        if self.lesson_step:
            kept.append(LessonRecord(self.lesson_step))
        if self.setup is not None:
            kept.append(self.setup)
        kept += map(self._record_of, self.played)
        if is_floating(self.game) and kept:
            told = self.another(self.game, self.first_seats, lesson=self.lesson)
            for one in kept:
                told._apply(one)
            (left, top), corner = self.game.corner(told.position), self.game.corner(self.position)
            if (left, top) != corner:  # pieces that went to the middle are there still
                kept.append(SlideRecord((corner[0] - left, corner[1] - top)))
        if self.game.swapped(self.position) != self.game.swapped(self.positions[0]):
            # The head tells who sits where now; the pie among these moves changes their places.
            kept += [SeatRecord(side, who) for side, who in enumerate(self.seats)]
        if self.clock is not None and kept:
            kept.append(ClockRecord(self.clock.kept_ms))
        return kept

    def play(
        self,
        move: Move,
        at_us: int,
        by: str,
        unsure_us: int = 0,
        spent_ms: int | None = None,
        *,
        after: Position | None = None,
    ) -> JournalRecord:
        """Play a move; IllegalMove when the game forbids it.

        `spent_ms` is what its turn had taken by then; None: what the clock says at `at_us`.
        `after` is the position after the move, where that is known already.
        """
        self.positions.append(self.game.play(self.position, move) if after is None else after)
        spent_ms = self._press_clock(move, at_us, spent_ms)
        if self._change_sides(self.positions[-2]) and self.clock is not None:
            self.clock.swap()
        self.played.append(Played(move, at_us, by, unsure_us, spent_ms))
        self.chosen = None
        self.gesture = None
        self.to_mend = frozenset()
        return self._record_of(self.played[-1])

    def _record_of(self, played: Played) -> MoveRecord:
        move, spent = played.move, None if self.clock is None else played.spent_ms
        return MoveRecord(move.side, move.text, played.at_us, played.by, spent, played.unsure_us)

    def _press_clock(self, move: Move, at_us: int, spent_ms: int | None) -> int:
        """Count the time of the move just played; what its turn had taken by then, ms.

        A turn of several pieces ends with its last one. A word does not end a turn that goes on
        after it, nor does it end the other side's turn.
        """
        clock = self.clock
        if clock is None:
            return 0
        at_ms = at_us // US_A_MS
        spent_ms = clock.spent_at(at_ms) if spent_ms is None else spent_ms
        before = self._movers_of(self.positions[-2])
        goes_on = move.side in self._movers_of(self.position) and (
            move.is_word or bool(self.game.pieces_owed(self.position))
        )
        ends_turn = before == (move.side,) and not goes_on
        clock.move(clock.of(move.side), spent_ms, at_ms, ends_turn=ends_turn)
        clock.kept_ms = clock.spent_ms
        return spent_ms

    def stop_clock(self, at_us: int) -> JournalRecord | None:
        """Stop counting time; return the record of what the turn has taken, None where that is
        recorded already."""
        clock = self.clock
        if clock is None:
            return None
        clock.stop(at_us // US_A_MS)
        if clock.spent_ms == clock.kept_ms:
            return None
        return clock.note(clock.spent_ms)

    def put_clock_back(self, state: ClockState) -> JournalRecord:
        """Restore the clocks, which stand, after pieces were only touched and their moves taken
        back."""
        assert self.clock is not None
        self.clock.left, self.clock.spent_ms = state.left, state.spent_ms
        return self.clock.note(state.spent_ms)

    def time_is_up(self, clock: int, at_us: int) -> JournalRecord:
        """The time of this clock is used up: its side has lost, or the game is over."""
        assert self.clock is not None
        spent_ms = self.clock.control.until_fall_ms(self.clock.left[clock])
        self.clock.stop(at_us // US_A_MS)
        self.clock.spent_ms = spent_ms
        self.fallen = clock
        self.chosen = None
        return FlagRecord(clock, spent_ms, at_us)

    def take_back(
        self, count: int, by: str = BY_BOARD, seen: Sequence[int] | None = None
    ) -> JournalRecord:
        """Go back by `count` moves; pieces that `seen` shows elsewhere then are to be mended."""
        before = self.position
        if self.clock is not None:
            self.clock.take_back(count)
            self.clock.kept_ms = self.clock.spent_ms
        del self.positions[-count:]
        self._change_sides(before)
        del self.played[-count:]
        self.chosen = None
        self.gesture = None
        if is_floating(self.game):
            self.positions[-1] = self.game.settled(self.position)
        should = self.game.pieces(self.position)
        seen = should if seen is None else seen
        self.to_mend = frozenset(differing(seen, should))
        return BackRecord(count, by, sorted(self.to_mend))

    def ask_to_mend(self, cells: Iterable[int]) -> JournalRecord:
        """Hands are asked to mend these cells, and no others."""
        self.to_mend = frozenset(cells)
        return OwedRecord(sorted(self.to_mend))

    def _change_sides(self, before: Position) -> bool:
        """Move the seats with the players where these changed sides; return True if they did."""
        changed = self.game.swapped(before) != self.game.swapped(self.position)
        if changed:
            self.seats.reverse()
        return changed

    def begin_slide(self, how: str) -> JournalRecord:
        """The pieces are on their way to the middle (`to`), or back from it (`back`)."""
        self.sliding = how
        return SlidingRecord(how)

    def end_slide(self, way: Shift) -> JournalRecord:
        """Shift all pieces by this much, and the past positions with them, so that moves can be
        taken back."""
        assert is_floating(self.game)
        self.sliding = ""
        self.to_mend = frozenset()
        self.positions = [self.game.relaid(position, way) for position in self.positions]
        return SlideRecord(way)

    def set_up(
        self, stones: Mapping[str, Any], to_move: int, light: Iterable[int] = ()
    ) -> JournalRecord:
        """Go on from this position, some of it in light; GameError when it is impossible."""
        position = self.game.setup(stones, to_move=to_move)
        self._set_in_light = frozenset(light)
        self.setup = SetRecord(dict(stones), to_move, sorted(self._set_in_light))
        self.positions = [position]
        if self.clock is not None:
            self.clock.restart()
            self.clock.kept_ms = 0
        self.gesture = None
        self.to_mend = frozenset()
        self.played = []
        self.chosen = None
        return self.setup

    def teach(
        self, step: int, light: Iterable[int] = (), to_mend: Iterable[int] = ()
    ) -> JournalRecord:
        """Go on with this step of the lesson; IndexError where it has none. Its stones on the
        cells in `light` shine; hands are asked to mend those `to_mend`."""
        position = position_of(self.game, lesson_of(self.lesson).steps[step])
        self.lesson_step = step
        self.positions, self.played, self.setup = [position], [], None
        self.chosen = self.gesture = self.stopped = None
        self.to_mend, self._set_in_light = frozenset(to_mend), frozenset(light)
        return LessonRecord(step, sorted(self._set_in_light), sorted(self.to_mend))

    def step_pieces(self, step: int) -> tuple[int, ...]:
        """Return the pieces on each cell in this step of the lesson; IndexError where it has
        none."""
        return tuple(
            map(int, self.game.pieces(position_of(self.game, lesson_of(self.lesson).steps[step])))
        )

    def sit(self, side: int, who: str) -> JournalRecord:
        """Somebody takes a seat."""
        self.seats[side] = who
        return SeatRecord(side, who)

    def choose(self, move: Move, value: float, visits: int) -> JournalRecord:
        """A bot chose a move; it is played when the board shows it."""
        self.chosen = move
        return ChosenRecord(move.side, move.text, round(value, 4), visits)

    def hold(self, gesture: Gesture) -> JournalRecord:
        """Record what the markers say now."""
        self.gesture = gesture
        stones = [(cell, kind) for cell, kind in enumerate(gesture.kinds) if kind]
        return MarkersRecord(stones, sorted(gesture.dead), list(gesture.said))

    def stop(self, why: str, at_us: int) -> JournalRecord:
        """Play stands still for both sides."""
        self.stopped = why
        return StopRecord(why, at_us)

    def go(self, at_us: int) -> JournalRecord:
        """Play goes on after a time out."""
        self.stopped = None
        return GoRecord(at_us)

    def drop(self) -> JournalRecord:
        """A bot's chosen move is void."""
        self.chosen = None
        return DroppedRecord()

    def apply(self, record: Record | JournalRecord) -> None:
        """Follow a record that one of these methods gave; others are passed over.

        JournalError when it does not fit the game so far.
        """
        try:
            self._apply(record_of(record))
        except JournalError:
            raise
        except (LumibanError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise JournalError(
                f"the journal does not fit its game at {record!r}: {error}"
            ) from error

    def _apply(self, record: JournalRecord | None) -> None:
        match record:
            case MoveRecord(_, _, at_us, by, spent_ms, unsure_us):
                self.play(self._read(record), at_us, by, unsure_us, spent_ms or 0)
            case ChosenRecord():
                self.chosen = self._read(record)
            case BackRecord(count, by, owed):
                if not 0 < count <= len(self.played):
                    raise ValueError("more moves back than were played")
                self.take_back(count, by)
                self.ask_to_mend(owed)
            case OwedRecord(cells) | BeliefRecord(owed=cells):
                self.ask_to_mend(cells)
            case SetRecord(stones, to_move, light):
                self.set_up(stones, to_move, light)
            case LessonRecord(step, light, owed):
                if step < 0:
                    raise ValueError("a lesson begins with its first step")
                self.teach(step, light, owed)
            case SlideRecord(way):
                if not is_floating(self.game):
                    raise ValueError(f"the pieces of {self.game.slug} stay where they are")
                self.end_slide(way)
            case SeatRecord(side, who):
                self.sit(side, who)
            case MarkersRecord(stones, dead, said):
                there = dict(stones)
                kinds = tuple(there.get(cell, 0) for cell in range(len(self.game.grid)))
                self.gesture = Gesture(kinds, frozenset(dead), tuple(said))
            case _:
                self._apply_beside(record)

    def _apply_beside(self, record: JournalRecord | None) -> None:
        """Apply a record that changes neither position nor players."""
        match record:
            case DroppedRecord():
                self.chosen = None
            case SlidingRecord(how):
                self.begin_slide(how)
            case ClockRecord(spent) if self.clock is not None:
                self.clock.spent_ms = self.clock.kept_ms = max(0, spent)
            case FlagRecord(clock, _, at_us) if self.clock is not None:
                self.time_is_up(clock, at_us)
            case CoinRecord():
                self.tosses.append(record)
            case RaceRecord():
                self.races.append(record)
            case StopRecord(why, at_us):
                self.stop(why, at_us)
            case GoRecord(at_us):
                self.go(at_us)

    def _read(self, record: MoveRecord | ChosenRecord) -> Move:
        return self.game.parse(self.position, record.text, record.side)


def from_head(first: Record | JournalRecord, load: Loader = games.load) -> GameHistory:
    """The course at its beginning, from a journal's first record; JournalError.

    RulesChanged when the game's file is not the one it was begun with; NotAccepted by a `load` of
    strangers' documents.
    """
    try:
        head = record_of(first)
        if not isinstance(head, HeadRecord):
            raise TypeError("it is no head")
        game = load(head.game, **head.options)
        if game.digest != head.digest:
            raise RulesChanged(f"{game.slug} has changed since this game was begun", slug=game.slug)
        if head.laid is not None:
            game = game.laid_on(rectangle(*head.laid))
        return GameHistory(
            game,
            head.seats,
            seed=head.seed,
            profile=head.profile,
            board=head.board,
            control=control_of(head.clock) if head.clock else None,
            lesson=head.lesson,
            left=None if head.left is None else _left_game(head.left, load),
        )
    except (RulesChanged, NotAccepted):
        raise
    except (LumibanError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise JournalError(f"the journal's first record does not start a game: {error}") from error


def is_floating(game: Game) -> TypeGuard[FloatingGame]:
    """True if a game floats: its cells move about on the board."""
    return isinstance(game, FloatingGame)


def _left_game(left: LeftGame, load: Loader) -> GameHistory:
    """The game that was left for a lesson, as the lesson's head keeps it."""
    history = from_head(left.head, load)
    for record in left.records:
        history.apply(record)
    return history
