"""A whole table in virtual time: hands, world, firmware, link, session, journal, bots; no threads.

    table = VirtualTable(seats=["human", "bot:easy"], seed=1)
    table.place("a1", 1)
    table.run(lambda table: bool(table.finished))

One clock, the world's. Bots answer at once with a fixed number of playouts; the journal becomes
durable `fsync_us` after each step that wrote something. The same seed gives the same game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumiban import games
from lumiban.boards.link import Link
from lumiban.boards.profile import Profile, load
from lumiban.boards.types import LightFrame, LinkEvent, Lost
from lumiban.search.bot import think
from lumiban.table.clocks import control_of
from lumiban.table.driver import SessionDriver
from lumiban.table.journal import Chain, Record, read
from lumiban.table.requests import ErrorText, request_of
from lumiban.table.resume import ResumedGame
from lumiban.table.session import Session
from lumiban.table.types import (
    AskBot,
    AskCoach,
    BotMove,
    Command,
    Durable,
    Finished,
    Input,
    Reply,
    Settings,
    Show,
    Step,
)
from lumiban.table.view_fields import TableView
from lumiban_sim.hands import DONE, HUMAN, RECALLED, REFUSED, Errand, Tempo
from lumiban_sim.rig import Rig
from shown import as_page_has_it

FOREVER = 1 << 60
PLAYOUTS = 20


@dataclass
class VirtualTable(SessionDriver):
    """A table that plays as fast as it can be computed; times are µs of the world."""

    profile: str = "hex3"
    game: str = "control"
    seats: Sequence[str] = ("human", "human")
    options: Mapping[str, int | str] = field(default_factory=lambda: {"size": 3})
    seed: int = 1
    settings: Settings = field(default_factory=Settings)
    hint: str = "control"
    assists: Sequence[str] = ("machine",)
    """Which prompts the hands obey."""
    fsync_us: int = 2_000
    playouts: int = PLAYOUTS
    tempo: Tempo = HUMAN
    rig: Rig | None = None
    back: ResumedGame | None = None
    clock: str = ""
    """How time is counted, "" for not at all."""

    def __post_init__(self) -> None:
        self.board: Profile = load(self.profile)
        self.rig = self.rig or Rig(self.board, self.seed, tempo=self.tempo)
        resume = None if self.back is None else self.back.link_resume
        self.link = self._make_link(resume)
        now = self.rig.now_us
        if self.back is None:
            session = Session(
                games.load(self.game, **self.options),
                self.board,
                self.seats,
                hint=self.hint,
                seed=self.seed,
                settings=self.settings,
                now_us=now,
                control=control_of(self.clock) if self.clock else None,
            )
        else:
            session = Session.resumed(
                self.back, self.board, hint=self.hint, settings=self.settings, now_us=now
            )
        self.begin(session)
        self.journals: list[bytearray] = []
        self.safe = 0
        """Bytes of the last journal that are on disk."""
        if self.back is not None:
            self.journals.append(bytearray(self.back.path.read_bytes()))
            self.safe = len(self.journals[0])
            self._end = read(self.back.path).end
        self.records: list[tuple[int, Mapping[str, Any]]] = []
        self.shows: list[tuple[int, Show]] = []
        self.views: list[Mapping[str, Any]] = []
        self.replies: list[Reply] = []
        self.finished: list[Finished] = []
        self.acknowledged = 0
        self._errand: Errand | None = None
        self._asked: tuple[Step, ...] = ()
        self._durable: list[tuple[int, int, int]] = []
        self._inputs: list[Input] = []
        self._set()
        self.link.opened(now)
        self.step()

    def _make_link(self, resumes: tuple[int, int] | None) -> Link:
        return Link(self.board, self.seed, resume=resumes)

    @property
    def now_us(self) -> int:
        assert self.rig is not None
        return self.rig.now_us

    @property
    def view(self) -> Mapping[str, Any]:
        return self.views[-1]

    def cell(self, name: str) -> int:
        """The board cell of a game cell's name."""
        match = self.session.match
        return match.placing.board[match.history.game.grid.cell(name)]

    def place(self, name: str, kind: int) -> Errand:
        """A hand puts a piece down, and all settles."""
        assert self.rig is not None
        return self._wait_for(self.rig.hands.place(self.cell(name), kind, hand="person"))

    def lift(self, name: str) -> Errand:
        """A hand takes a piece away, and all settles."""
        assert self.rig is not None
        return self._wait_for(self.rig.hands.lift(self.cell(name), hand="person"))

    def command(self, do: str, **args: Any) -> Mapping[str, Any] | None:
        """Ask something of the table; the error, or None when it was done."""
        self._inputs.append(Command(request_of(do, args), len(self.replies) + 1))
        self._turn(self.now_us)
        return self.replies[-1].error

    def rest(self, us: int = 200_000) -> None:
        """Let time go by."""
        end = self.now_us + us
        while self.now_us < end:
            self._turn(end)

    def run(self, until: Callable[[VirtualTable], bool], limit_us: int = 600_000_000) -> None:
        """Let time go by until something holds; AssertionError after `limit_us`."""
        end = self.now_us + limit_us
        while not until(self):
            assert self.now_us < end, f"nothing after {limit_us} µs: {self.view['verdict']}"
            self._turn(end)

    def _wait_for(self, errand: Errand) -> Errand:
        self.run(lambda _: errand.state in (DONE, REFUSED), 20_000_000)
        self.rest(300_000)
        return errand

    def _turn(self, until_us: int) -> None:
        """One turn of the wheel: the world goes on until somebody has something to do."""
        rig = self.rig
        assert rig is not None
        out = self.link.take_output()
        if out:
            rig.from_host(out)
        due = [until_us, self.link.next_deadline() or FOREVER]
        deadline = self.session.next_deadline()
        if deadline is not None:
            due.append(deadline)
        if self._durable:
            due.append(self._durable[0][0])
        if self._inputs:
            due.append(rig.now_us)
        rig.run(max(min(due), rig.now_us))
        now = rig.now_us
        events = self.link.receive(rig.to_host(), now) + self.link.poll(now)
        self._heard(events)
        if any(isinstance(event, Lost) for event in events):
            self.link.opened(now)
        ready = []
        while self._durable and self._durable[0][0] <= now:
            _, number, self.safe = self._durable.pop(0)
            ready.append(number)
            self._became_durable(number)
        given, self._inputs = self._inputs, []
        self.step(*events, *(Durable(number) for number in ready[-1:]), *given)

    def _set(self) -> None:
        """For tests that look at the table before anything happens."""

    def _heard(self, events: list[LinkEvent]) -> None:
        """For tests that look at what the link told."""

    def _became_durable(self, number: int) -> None:
        """For tests that look at what is on disk."""

    def host_us(self) -> int:
        return self.now_us

    def step(self, *inputs: Input) -> None:
        super().step(*inputs)
        self._assist()

    def on_show(self, frame: LightFrame) -> None:
        self.shows.append((self.now_us, Show(frame)))
        self.link.show(frame)

    def on_new_journal(self, name: str) -> None:
        self.journals.append(bytearray())
        self._end = Chain()
        self.safe = 0
        # What becomes durable from now on of the journal before is no part of this one.
        self._durable = [(due, number, 0) for due, number, _ in self._durable]

    def on_append(self, number: int, record: Record) -> None:
        self.records.append((number, record))
        if self.journals:
            line, self._end = self._end.next_line(record)
            self.journals[-1] += line

    def on_written(self, number: int) -> None:
        self._durable.append((self.now_us + self.fsync_us, number, len(self.journals[-1])))

    def on_acknowledge(self, next_event: int) -> None:
        self.acknowledged = next_event
        self.link.acknowledge(next_event)

    def on_ask(self, question: AskBot | AskCoach) -> None:
        if isinstance(question, AskBot):
            self._think(question)

    def on_publish(self, view: TableView) -> None:
        self.views.append(as_page_has_it(view))

    def on_reply(self, to: int, error: ErrorText | None) -> None:
        self.replies.append(Reply(to, error))

    def on_hung(self, why: str) -> None:
        raise AssertionError(f"the table hung: {why}")

    def on_finished(self, end: Finished) -> None:
        self.finished.append(end)

    def _think(self, question: AskBot) -> None:
        thought = think(
            question.game,
            question.position,
            question.level,
            question.seed,
            playouts=self.playouts,
            compiled=False,
        )
        self._inputs.append(
            BotMove(question.ticket, thought.move.text, thought.value, thought.visits)
        )

    def _assist(self) -> None:
        """The bots' hand does what is asked, one step after the other."""
        rig, prompt = self.rig, self.prompt
        assert rig is not None
        if self._errand is not None and self._errand.state not in (DONE, REFUSED, RECALLED):
            if prompt.steps != self._asked and not self._stands(self._errand):
                rig.hands.recall("bot")
            return
        if not prompt.steps or prompt.wait not in self.assists:
            return
        step, self._asked = prompt.steps[0], prompt.steps
        cell = self.session.match.placing.board[step.cell]
        lies = rig.kinds[cell]
        if step.do == "place" and lies == 0:
            self._errand = rig.hands.place(cell, step.kind, hand="bot")
        elif lies and (step.do == "lift" or lies != step.kind):
            self._errand = rig.hands.lift(cell, hand="bot")

    def _stands(self, errand: Errand) -> bool:
        """Whether the position has the piece that the bots' hand is bringing."""
        match = self.session.match
        pieces = match.history.game.pieces(match.history.position)
        at = match.placing.board.index(errand.cell)
        return errand.what != "place" or int(pieces[at]) == errand.kind
