"""The course of one game: its positions and moves, what was taken back, set up or said.

Live play and a journal read again go through the same methods: each gives, or takes, one record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

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
from lumiban.table.event_order import Toss
from lumiban.table.journal import (
    VERSION,
    BackRecord,
    HeadRecord,
    LessonRecord,
    MoveRecord,
    Record,
    SetRecord,
    Setup,
    Stored,
)
from lumiban.table.photo_finish import Race
from lumiban.table.types import BOT, HUMAN, differing

BY_BOARD, BY_PAGE, BY_MACHINE, BY_LIGHT = "board", "page", "machine", "light"
"""Ways in which a move came to be played; by light: no piece need stand where it was placed."""
BY_CONTINUED = "continued"
"""Word for a move that was played in the game which this one continues."""
BY_CLOCK = "clock"
"""Word of no side that ends a game without turns when its clock has run out."""


US_A_MS = 1_000


@dataclass(frozen=True, slots=True)
class Played:
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
        self.setup: Setup | None = None
        self.chosen: Move | None = None
        self.sliding = ""
        self.gesture: Gesture | None = None
        """In a game in light: what markers said since the last move; None when it is unknown."""
        self.tosses: list[Toss] = []
        """Coin tosses for events whose order is unknown."""
        self.races: list[Race] = []
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

    def back_to_own_turn(self) -> int:
        """Return the number of moves back to a person's own last turn; 0 when no person has moved.

        Against a bot that is its answer and the person's move before it. Words are no turn.
        """
        for count, move in enumerate(reversed(self.moves), 1):
            if self.seats[move.side] == HUMAN and not move.is_word:
                return count
        return 0

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
        head = {
            "t": "head",
            "version": VERSION,
            "game": self.game.slug,
            "options": dict(self.game.options),
            **told_of(self.game),
            "seats": self.first_seats,
            "seed": self.seed,
            "profile": self.profile,
            "board": self.board,
            **({"laid": list(self.game.grid.size)} if is_floating(self.game) else {}),
            **({} if self.clock is None else {"clock": str(self.clock.control)}),
            **({"lesson": self.lesson} if self.lesson else {}),
        }
        if self.left is not None:
            head["left"] = {"head": self.left.head(), "records": self.left.retold()}
        return cast("HeadRecord", head)

    def retold(self) -> list[Record]:
        """Return the records that a journal begun now keeps after its head, so that it leads here
        too."""
        kept: list[Record] = []
        if self.lesson_step:
            kept.append({"t": "lesson", "step": self.lesson_step})
        if self.setup is not None:
            kept.append({"t": "set", **self.setup})
        kept += map(self._record_of, self.played)
        if self.game.swapped(self.position) != self.game.swapped(self.positions[0]):
            # The head tells who sits where now; the pie among these moves changes their places.
            for side, who in enumerate(self.seats):
                kept.append({"t": "seat", "side": side, "who": who})
        if self.clock is not None and kept:
            kept.append({"t": "clock", "spent": self.clock.kept_ms})
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
    ) -> Record:
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
        kept: MoveRecord = {
            "t": "move",
            "side": played.move.side,
            "text": played.move.text,
            "at": played.at_us,
            "by": played.by,
        }
        if self.clock is not None:
            kept["spent"] = played.spent_ms
        if played.unsure_us:
            kept["unsure"] = played.unsure_us
        return kept

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

    def note_time(self, at_us: int) -> Record:
        """Record the time that the turn has taken so far: a crash of the host loses only what comes
        later. A move that the board saw earlier still takes less."""
        assert self.clock is not None
        self.clock.kept_ms = self.clock.spent_at(at_us // US_A_MS)
        return {"t": "clock", "spent": self.clock.kept_ms}

    def stop_clock(self, at_us: int) -> Record | None:
        """Stop counting time; return the record of what the turn has taken, None where that is
        recorded already."""
        clock = self.clock
        if clock is None:
            return None
        clock.stop(at_us // US_A_MS)
        if clock.spent_ms == clock.kept_ms:
            return None
        clock.kept_ms = clock.spent_ms
        return {"t": "clock", "spent": clock.spent_ms}

    def put_clock_back(self, state: ClockState) -> Record:
        """Restore the clocks, which stand, after pieces were only touched and their moves taken
        back."""
        assert self.clock is not None
        self.clock.left, self.clock.spent_ms = state.left, state.spent_ms
        self.clock.kept_ms = state.spent_ms
        return {"t": "clock", "spent": state.spent_ms}

    def time_is_up(self, clock: int, at_us: int) -> Record:
        """The time of this clock is used up: its side has lost, or the game is over."""
        assert self.clock is not None
        spent_ms = self.clock.control.until_fall_ms(self.clock.left[clock])
        self.clock.stop(at_us // US_A_MS)
        self.clock.spent_ms = spent_ms
        self.fallen = clock
        self.chosen = None
        return {"t": "flag", "clock": clock, "spent": spent_ms, "at": at_us}

    def take_back(
        self, count: int, by: str = BY_BOARD, seen: Sequence[int] | None = None
    ) -> Record:
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
        kept: BackRecord = {"t": "back", "moves": count, "by": by}
        if self.to_mend:
            kept["owed"] = sorted(self.to_mend)
        return kept

    def ask_to_mend(self, cells: Iterable[int]) -> Record:
        """Hands are asked to mend these cells, and no others."""
        self.to_mend = frozenset(cells)
        return {"t": "owed", "cells": sorted(self.to_mend)}

    def _change_sides(self, before: Position) -> bool:
        """Move the seats with the players where these changed sides; return True if they did."""
        changed = self.game.swapped(before) != self.game.swapped(self.position)
        if changed:
            self.seats.reverse()
        return changed

    def begin_slide(self, how: str) -> Record:
        """The pieces are on their way to the middle (`to`), or back from it (`back`)."""
        self.sliding = how
        return {"t": "sliding", "how": how}

    def end_slide(self, way: Shift) -> Record:
        """Shift all pieces by this much, and the past positions with them, so that moves can be
        taken back."""
        assert is_floating(self.game)
        self.sliding = ""
        self.to_mend = frozenset()
        self.positions = [self.game.relaid(position, way) for position in self.positions]
        return {"t": "slide", "way": list(way)}

    def set_up(self, stones: Mapping[str, Any], to_move: int, light: Iterable[int] = ()) -> Record:
        """Go on from this position, some of it in light; GameError when it is impossible."""
        position = self.game.setup(stones, to_move=to_move)
        self.setup = {"stones": dict(stones), "to_move": to_move}
        self._set_in_light = frozenset(light)
        if self._set_in_light:
            self.setup["light"] = sorted(self._set_in_light)
        self.positions = [position]
        if self.clock is not None:
            self.clock.begin_anew()
            self.clock.kept_ms = 0
        self.gesture = None
        self.to_mend = frozenset()
        self.played = []
        self.chosen = None
        kept: SetRecord = {"t": "set", **self.setup}
        return kept

    def teach(self, step: int, light: Iterable[int] = (), to_mend: Iterable[int] = ()) -> Record:
        """Go on with this step of the lesson; IndexError where it has none. Its stones on the
        cells in `light` shine; hands are asked to mend those `to_mend`."""
        position = position_of(self.game, lesson_of(self.lesson).steps[step])
        self.lesson_step = step
        self.positions, self.played, self.setup = [position], [], None
        self.chosen = self.gesture = self.stopped = None
        self.to_mend, self._set_in_light = frozenset(to_mend), frozenset(light)
        kept: LessonRecord = {"t": "lesson", "step": step}
        if self._set_in_light:
            kept["light"] = sorted(self._set_in_light)
        if self.to_mend:
            kept["owed"] = sorted(self.to_mend)
        return kept

    def step_pieces(self, step: int) -> tuple[int, ...]:
        """Return the pieces on each cell in this step of the lesson; IndexError where it has
        none."""
        return tuple(
            map(int, self.game.pieces(position_of(self.game, lesson_of(self.lesson).steps[step])))
        )

    def sit(self, side: int, who: str) -> Record:
        """Somebody takes a seat."""
        self.seats[side] = who
        return {"t": "seat", "side": side, "who": who}

    def choose(self, move: Move, value: float, visits: int) -> Record:
        """A bot chose a move; it is played when the board shows it."""
        self.chosen = move
        return {
            "t": "chosen",
            "side": move.side,
            "text": move.text,
            "value": round(value, 4),
            "visits": visits,
        }

    def hold(self, gesture: Gesture) -> Record:
        """Record what the markers say now."""
        self.gesture = gesture
        stones = [[cell, kind] for cell, kind in enumerate(gesture.kinds) if kind]
        return {
            "t": "markers",
            "stones": stones,
            "dead": sorted(gesture.dead),
            "said": list(gesture.said),
        }

    def toss(self, toss: Toss) -> Record:
        """Record the coin toss that put these events in order."""
        self.tosses.append(toss)
        return {
            "t": "coin",
            "numbers": list(toss.numbers),
            "fell": list(toss.fell),
            "order": list(toss.order),
        }

    def race(self, race: Race) -> Record:
        """Record a race of two hands."""
        self.races.append(race)
        return {
            "t": "race",
            "cell": race.cell,
            "winner": race.winner,
            "by_us": race.by_us,
            "uncertainty_us": race.uncertainty_us,
            "is_tie": race.is_tie,
            "came_early": race.came_early,
        }

    def stop(self, why: str, at_us: int) -> Record:
        """Play stands still for both sides."""
        self.stopped = why
        return {"t": "stop", "why": why, "at": at_us}

    def go(self, at_us: int) -> Record:
        """Play goes on after a time out."""
        self.stopped = None
        return {"t": "go", "at": at_us}

    def drop(self) -> Record:
        """A bot's chosen move is void."""
        self.chosen = None
        return {"t": "dropped"}

    def apply(self, record: Stored) -> None:
        """Follow a record that one of these methods gave; others are passed over.

        JournalError when it does not fit the game so far.
        """
        try:
            self._apply(record)
        except (LumibanError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise JournalError(
                f"the journal does not fit its game at {dict(record)!r}: {error}"
            ) from error

    def _apply(self, record: Stored) -> None:
        kind = record.get("t")
        if kind == "move":
            unsure_us, spent_ms = int(record.get("unsure", 0)), int(record.get("spent", 0))
            move, at_us = self._read(record), int(record["at"])
            self.play(move, at_us, str(record["by"]), unsure_us, spent_ms)
        elif kind == "chosen":
            self.chosen = self._read(record)
        elif kind == "dropped":
            self.chosen = None
        elif kind == "back":
            count = int(record["moves"])
            if not 0 < count <= len(self.played):
                raise ValueError("more moves back than were played")
            self.take_back(count, str(record.get("by", BY_BOARD)))
            self.ask_to_mend(map(int, record.get("owed", ())))
        elif kind == "owed":
            self.ask_to_mend(map(int, record["cells"]))
        elif kind == "belief":
            self.ask_to_mend(map(int, record.get("owed", ())))
        elif kind == "set":
            self.set_up(record["stones"], int(record["to_move"]), record.get("light", ()))
        elif kind == "lesson":
            if int(record["step"]) < 0:
                raise ValueError("a lesson begins with its first step")
            light, to_mend = record.get("light", ()), record.get("owed", ())
            self.teach(int(record["step"]), map(int, light), map(int, to_mend))
        elif kind == "sliding":
            self.begin_slide(str(record["how"]))
        elif kind == "slide":
            if not is_floating(self.game):
                raise ValueError(f"the pieces of {self.game.slug} stay where they are")
            columns, rows = record["way"]
            self.end_slide((int(columns), int(rows)))
        elif kind == "seat":
            self.sit(int(record["side"]), str(record["who"]))
        elif kind == "markers":
            stones = dict(record["stones"])
            kinds = tuple(int(stones.get(cell, 0)) for cell in range(len(self.game.grid)))
            said = tuple(map(int, record["said"]))
            self.gesture = Gesture(kinds, frozenset(map(int, record["dead"])), said)
        else:
            self._apply_time(kind, record)
            self._apply_free_play(kind, record)

    def _apply_time(self, kind: object, record: Stored) -> None:
        """Apply a record that is written only where time is counted."""
        if kind == "clock" and self.clock is not None:
            self.clock.spent_ms = self.clock.kept_ms = max(0, int(record["spent"]))
        elif kind == "flag" and self.clock is not None:
            self.time_is_up(int(record["clock"]), int(record["at"]))

    def _apply_free_play(self, kind: object, record: Stored) -> None:
        """Apply a record that is written only where there are no turns."""
        if kind == "coin":
            self.toss(Toss(*(tuple(record[name]) for name in Toss.__slots__)))
        elif kind == "race":
            self.race(Race(**{name: record[name] for name in Race.__slots__}))
        elif kind == "stop":
            self.stop(str(record["why"]), int(record["at"]))
        elif kind == "go":
            self.go(int(record["at"]))

    def _read(self, record: Stored) -> Move:
        return self.game.parse(self.position, str(record["text"]), int(record["side"]))


def told_of(game: Game) -> dict[str, str]:
    """Return what journals and records keep of a game from a file: its digest."""
    return {"digest": game.digest} if game.digest else {}


def from_head(head: Stored, load: Loader = games.load) -> GameHistory:
    """The course at its beginning, from a journal's first record; JournalError.

    RulesChanged when the game's file is not the one it was begun with; NotAccepted by a `load` of
    strangers' documents.
    """
    try:
        game = load(str(head["game"]), **head["options"])
        if game.digest != head.get("digest", ""):
            raise RulesChanged(f"{game.slug} has changed since this game was begun", slug=game.slug)
        if "laid" in head:
            columns, rows = head["laid"]
            game = game.laid_on(rectangle(columns, rows))
        return GameHistory(
            game,
            [str(who) for who in head["seats"]],
            seed=int(head["seed"]),
            profile=str(head["profile"]),
            board=str(head["board"]),
            control=None if "clock" not in head else control_of(str(head["clock"])),
            lesson=str(head.get("lesson", "")),
            left=None if "left" not in head else _left_game(head["left"], load),
        )
    except (RulesChanged, NotAccepted):
        raise
    except (LumibanError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise JournalError(f"the journal's first record does not start a game: {error}") from error


def is_floating(game: Game) -> TypeGuard[FloatingGame]:
    """True if a game floats: its cells move about on the board."""
    return isinstance(game, FloatingGame)


def _left_game(left: Mapping[str, Any], load: Loader) -> GameHistory:
    """The game that was left for a lesson, as the lesson's head keeps it."""
    history = from_head(left["head"], load)
    for record in left["records"]:
        history.apply(record)
    return history
