"""A power cut takes stones, the host ends, in all orders: what was accepted stays accepted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.boards.mapping import place_grid
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed, Connected, Hello, Lost, Snapshot
from lumiban.games.base import Game, Move
from lumiban.table.free_play import FreePlay
from lumiban.table.identities import NAMES
from lumiban.table.journal import Record, lines
from lumiban.table.referee import AIR, CONFIRM
from lumiban.table.referee import mending_steps as wrong
from lumiban.table.requests import ChoiceRequest, ConfirmRequest, MoveRequest, TakebackRequest
from lumiban.table.resume import resume
from lumiban.table.session import Session
from lumiban.table.types import (
    Acknowledge,
    Agree,
    Append,
    AskBot,
    BotMove,
    Choose,
    Command,
    Durable,
    Refuse,
    Repair,
    Wait,
)
from lumiban_lab.soak_laws import taken_back_by_nobody

CUT, HID, KILL, DARK_KILL = "cut", "hid", "kill", "kill in the cut"
"""The board's power fails: stones of the last moves are gone; or they are seen again after it. The
host ends, while the board is there or while it has no power."""


class World:
    """A board with pieces on it, its events, and a host that can be killed."""

    def __init__(self, folder: Path, profile: str, game: Game, seats: Sequence[str]) -> None:
        self.folder = folder
        self.profile = load(profile)
        self.game = game.laid_on(self.profile.grid)
        self.placing = place_grid(self.game.grid, self.profile)
        self.boot = 1
        self.now_us = 1_000_000
        self.kinds = [0] * len(self.profile.cells)
        self.events: list[BoardEvent] = []
        self.next_event = 0
        self.journal: list[Record] = []
        self.session = Session(self.game, self.profile, seats, seed=3)
        for cell, kind in enumerate(self.game.pieces(self.session.match.history.position)):
            self.kinds[self.placing.board[cell]] = int(kind)
        self.connect()

    # The host.

    def step(self, *inputs: Any) -> None:
        waiting = list(inputs)
        while waiting:
            out = self.session.step(self.now_us, waiting)
            written = [o for o in out if isinstance(o, Append)]
            self.journal += [append.record for append in written]
            waiting = [Durable(written[-1].number)] if written else []
            waiting += [
                BotMove(o.ticket, str(self.game.moves(o.position, o.side)[0]))
                for o in out
                if isinstance(o, AskBot)
            ]
            for output in out:
                if isinstance(output, Acknowledge):
                    self.events = [e for e in self.events if e.number >= output.next_event]

    def connect(self) -> None:
        cells = len(self.kinds)
        hello = Hello("test", 1, cells, cells, 1, "uid", self.boot, self.now_us, 1000, 0, 0)
        self.step(Connected(hello))
        known = self.session.board.next_event
        if known is not None:
            told = [event for event in self.events if event.number >= known]
            self.step(*([Changed(tuple(told))] if told else []))
        shown = Snapshot(tuple(self.kinds), self.next_event, self.now_us, False, False)
        self.step(shown)
        self.rest()

    def rest(self) -> None:
        self.now_us += 600_000
        self.step(BoardTime(self.now_us, self.now_us, False))

    def kill(self, kept: int) -> None:
        """The host ends with so many records of its journal on disk; another goes on from it."""
        self.journal = self.journal[:kept]
        path = self.folder / "game.journal"
        path.write_bytes(lines(self.journal))
        back = resume(path)
        self.session = Session.resumed(back, self.profile, now_us=self.now_us)
        live = self.session.match.history
        assert [str(m) for m in live.moves] == [str(m) for m in back.history.moves]

    # The board and hands.

    def sense(self, cell: int, kind: int) -> None:
        self.now_us += 300_000
        board = self.placing.board[cell]
        event = BoardEvent(self.next_event, board, kind, self.now_us)
        self.kinds[board] = kind
        self.next_event += 1
        self.events.append(event)
        self.now_us += 50_000
        self.step(BoardTime(self.now_us, self.now_us, False), Changed((event,)))
        self.rest()

    def power_cut(self, kinds: Sequence[int]) -> None:
        self.boot += 1
        self.events, self.next_event = [], 0
        self.kinds = list(kinds)

    def do(self, move: Move) -> None:
        effects = self.game.effects(self.position, move)
        for cell in (cell for cell, before, _ in effects if before):
            self.sense(cell, 0)
        for cell, after in ((cell, after) for cell, _, after in effects if after):
            self.sense(cell, after)
        if isinstance(self.session.match.verdict, Choose):
            self.step(Command(ChoiceRequest(move.text), 1))

    @property
    def position(self) -> Any:
        return self.session.match.history.position

    @property
    def moves(self) -> list[str]:
        return [str(move) for move in self.session.match.history.moves]

    def mend(self) -> None:
        """Hands do what the table asks for, until it agrees."""
        for _ in range(60):
            match = self.session.match
            plan = match.verdict.plan if isinstance(match.verdict, Repair | Refuse) else ()
            if isinstance(match.verdict, Wait) and match.verdict.why == NAMES:
                self.step(Command(ConfirmRequest(), 1))
            if isinstance(match, FreePlay) and match.is_free:
                plan = match.misplaced
            if isinstance(match.verdict, Wait) and match.verdict.why in (AIR, CONFIRM):
                plan = wrong(match.sensed.kinds, self.game.pieces(self.position))
            if not plan:
                break
            self.sense(plan[0].cell, plan[0].kind if plan[0].do == "place" else 0)
        assert isinstance(self.session.match.verdict, Agree), self.session.match.verdict


PEOPLE = ("human", "human")
KINDS: dict[str, tuple[str, str, dict[str, int | str], tuple[str, ...], int, int]] = {
    "turns": ("hex3", "control", {"size": 3}, PEOPLE, 3, 1),
    "a bot's answer": ("hex3", "control", {"size": 3}, ("human", "bot:easy"), 2, 2),
    "turnless": ("hex3", "evening", {"size": 3}, PEOPLE, 3, 2),
    "a pie": ("hex3", "evening", {"size": 3, "opening": "pie"}, PEOPLE, 2, 1),
    "captures": ("grid9x9", "trivia", {"size": 5}, PEOPLE, 4, 1),
    "light": ("grid13x14", "rengi", {}, PEOPLE, 2, 0),
    "tray": ("grid9x9", "doves", {"tray": "on", "initial": "allowed"}, PEOPLE, 4, 1),
    "no tray": ("grid9x9", "doves", {"tray": "off", "initial": "allowed"}, PEOPLE, 4, 1),
    "two doves": ("grid9x9", "doves", {"tray": "off", "initial": "allowed"}, PEOPLE, 4, 2),
}
"""Board, game, options, seats, moves to be played; and of how many the power cut takes the
pieces."""


def played(folder: Path, kind: str) -> World:
    """A table of this kind at which some moves were played; its bot's last one is on the board."""
    profile, slug, options, seats, count, _ = KINDS[kind]
    world = World(folder, profile, games.load(slug, **options), seats)
    for _ in range(2 * count):
        if len(world.moves) == count:
            break
        match = world.session.match
        if match.machine is not None:
            world.do(match.machine.move)
            continue
        side = match.movers[len(world.moves) % len(match.movers)]
        legal = world.game.moves(world.position, side)
        # A pie is set by words, which lay pieces too.
        move = legal[len(legal) // 2] if legal else putting(world, side)[len(world.moves)]
        if match.is_in_light:
            world.step(Command(MoveRequest(side, move.text), 1))
            world.rest()
        else:
            world.do(move)
    assert len(world.moves) == count, world.session.match.verdict
    return world


def putting(world: World, side: int) -> list[Move]:
    words = world.game.words(world.position, side)
    return [world.game.parse(world.position, w, side) for w in words if w.startswith("put ")]


def undone(world: World, moves: int) -> list[int]:
    """The board without the pieces that the last moves set, and with those they took away."""
    history = world.session.match.history
    kinds = list(world.kinds)
    before, now = (world.game.pieces(history.positions[n]) for n in (-1 - moves, -1))
    for cell, kind in enumerate(before):
        if kind != now[cell]:
            kinds[world.placing.board[cell]] = int(kind)
    return kinds


def laws(world: World) -> list[str]:
    return taken_back_by_nobody(world.journal, world.profile)


def orders() -> Iterator[tuple[str, ...]]:
    for length in (1, 2, 3):
        for order in itertools.product((CUT, HID, KILL, DARK_KILL), repeat=length):
            if KILL in order or DARK_KILL in order:
                yield order


def test_all_orders_are_tried() -> None:
    found = list(orders())
    assert len(found) == (4 - 2) + (16 - 4) + (64 - 8)
    assert (CUT, KILL) in found


@pytest.mark.parametrize("kind", KINDS)
def test_no_order_of_power_cuts_and_deaths_takes_a_move_back(tmp_path: Path, kind: str) -> None:
    for order in orders():
        first = played(tmp_path, kind)
        accepted, whole, bare = first.moves, list(first.kinds), undone(first, KINDS[kind][-1])
        # However much of what was written after the last move the disk has kept.
        for spared in range(3 if len(order) < 3 else 1):
            world = played(tmp_path, kind) if spared else first
            sure = len(world.journal)
            for what in order:
                if what in (CUT, HID, DARK_KILL):
                    world.power_cut(whole if what == HID else bare)
                if what in (CUT, HID):
                    world.step(Lost("closed"))
                else:
                    world.kill(max(sure, len(world.journal) - spared))
                world.connect()
                assert world.moves == accepted, f"{order}, {spared} lines lost"
            world.mend()
            assert world.moves == accepted, f"{order}, {spared} lines lost: mended"
            assert laws(world) == []


def test_whoever_lifts_a_stone_after_all_that_takes_it_back(tmp_path: Path) -> None:
    world = played(tmp_path, "turns")
    *_, last = world.moves
    world.power_cut(undone(world, 1))
    world.kill(len(world.journal))
    world.connect()
    world.mend()
    world.sense(world.game.grid.cell(last), 0)
    assert len(world.moves) == 2
    assert laws(world) == []


def test_a_stone_in_hand_when_the_power_fails_is_taken_back(tmp_path: Path) -> None:
    """Of two moves to be undone one stone is up already: nobody asks to put it back."""
    world = played(tmp_path, "a bot's answer")
    own, answer = (world.game.grid.cell(move) for move in world.moves)
    world.sense(answer, 0)
    assert len(world.moves) == 2
    world.power_cut(world.kinds)
    world.kill(len(world.journal))
    world.connect()
    world.sense(own, 0)
    assert world.moves == []
    assert laws(world) == []


def test_what_lies_to_be_cleared_away_is_no_move_after_a_death(tmp_path: Path) -> None:
    world = played(tmp_path, "turns")
    world.step(Command(TakebackRequest(), 1))
    assert len(world.moves) == 2
    world.kill(len(world.journal))
    world.connect()
    assert len(world.moves) == 2
    assert isinstance(world.session.match.verdict, Repair)
    world.mend()
    assert laws(world) == []


@pytest.mark.parametrize("kind", ["turns", "captures", "tray", "no tray"])
def test_the_law_finds_a_takeback_that_nobody_made(tmp_path: Path, kind: str) -> None:
    world = played(tmp_path, kind)
    world.power_cut(undone(world, 1))
    world.step(Lost("closed"))
    world.connect()
    assert laws(world) == []
    world.journal.append({"t": "back", "moves": 1, "by": "board"})
    assert len(laws(world)) == 1
    world.journal[-1] = {"t": "back", "moves": 1, "by": "page"}
    assert laws(world) == []
