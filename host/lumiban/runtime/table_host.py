"""The host of a session: it joins board, journal, bots, simulated hands and page.

Everything happens in one asyncio loop and in callbacks of it: bytes of the board lead to the
light's write() without another task in between. Nothing polls: between inputs the process sleeps
until the session's deadline. What goes to the thinking process and comes back is put into the
session's words here.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from msgspec.structs import replace

from lumiban.boards.faults import MIRROR
from lumiban.boards.select_lines import LINES
from lumiban.boards.types import BoardTime, Changed, Connected, Faulty, LightFrame, LinkEvent, Lost
from lumiban.errors import DiskFull, JournalError, LumibanError
from lumiban.flight.recorder import Notes
from lumiban.games.registry import RuleFault
from lumiban.runtime.hands import LAY, AssistingHands, Errand
from lumiban.runtime.idle_collector import IdleCollector
from lumiban.runtime.thinker import Thinker
from lumiban.search.worker_messages import Answer
from lumiban.system.disk import DISK
from lumiban.table import record
from lumiban.table.commands import objection_in
from lumiban.table.driver import SessionDriver
from lumiban.table.guidance import HANDS, MEND
from lumiban.table.journal import SUFFIX, JournalFile, JournalWriter, Opener, Record, begin
from lumiban.table.past import position_after
from lumiban.table.requests import (
    ErrorText,
    LessonRequest,
    Line,
    NewGameRequest,
    TableRequest,
    UnknownRequest,
    fields_of,
)
from lumiban.table.session import Session
from lumiban.table.types import (
    Advice,
    AskBot,
    AskCoach,
    BotFailed,
    BotMove,
    Durable,
    Finished,
    Input,
    NoRoom,
    Output,
    Ponder,
    Prompt,
    Refuse,
    Repair,
)
from lumiban.table.view_fields import TableView, Text

if TYPE_CHECKING:
    from lumiban.search.worker import SearchProcess
    from lumiban.system.run_log import RunLog
    from lumiban.web.hello import Hello


MOVE_LOOK_S = 0.3
"""Time that simulated hands look at the light before they set a bot's stone."""
MEND_LOOK_S = (0.6, 1.2)
"""And before they mend: among bots, and where a person's hand may still be about it."""
SWITCH_S = 0.0005
"""Time for which another thread (the journal's, which writes a whole record at the end) may hold
Python up while a stone waits; usual are 5 ms."""
MAX_IN_HANDS = 2
"""More stones than that astray are no person's move: a board to be set up, say."""


def _agrees(view: TableView) -> bool:
    """True if the board shows the position; a stone in light is shown without a piece."""
    pairs = enumerate(zip(view.sensed, view.pieces, strict=True))
    return all(seen == should or cell in view.light for cell, (seen, should) in pairs)


def laid(session: Session, *, is_settled: bool) -> dict[int, int]:
    """Pieces that hands set up at once, a kind by board cell, 0 for none; {} where one after the
    other is brought. `is_settled`: board and game have agreed since the game began.

    While people play nobody waits for a board to be set up, nor for the machines' next game. A
    takeback's stone and a machine's a hand brings, so that one sees who acts.
    """
    match, history = session.match, session.match.history
    verdict = match.verdict
    if not isinstance(verdict, Repair | Refuse):
        return {}
    sets_up = not is_settled or match.is_putting_back
    sets_up = sets_up or (session.lesson is not None and not history.played)
    is_much = len(verdict.plan) > MAX_IN_HANDS
    if not (sets_up or is_much if history.people else is_much and not history.played):
        return {}
    return {
        match.placing.board[step.cell]: step.kind if step.do == "place" else 0
        for step in verdict.plan
    }


class HostedBoard(Protocol):
    """Interface that the host needs of a board: SerialBoard, or another shell around the link
    machine."""

    def show(self, frame: LightFrame) -> None:
        """Let the board show this."""

    def acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""


class TableHost(SessionDriver):
    """One table in play; it is the page's `Table`.

    `heard` goes to the board when it is opened; what it tells before `start` is kept until then.
    `opener` opens journal files; `recorder` notes the session's steps.
    """

    def __init__(
        self,
        session: Session,
        *,
        journals: Path,
        log: RunLog,
        worker: SearchProcess,
        opener: Opener = JournalFile,
        recorder: Notes | None = None,
    ) -> None:
        self.begin(session)
        self.hands_url: str | None = None
        self.noted: Callable[[Connected | Faulty], None] | None = None
        """Hears who the board is and what it reports; set before `start`."""
        self.gave_up: Callable[[frozenset[int]], None] = lambda cells: None
        """Hears of board cells that a person has said do not answer."""
        self.ailing: Callable[[], Sequence[Mapping[str, Any]]] = tuple
        """Callback that gives the sensors that need a look, as texts for the page."""
        self.sets_another_board: Callable[[NewGameRequest | LessonRequest], bool] | None = None
        """Ends this table for one on another simulated board, where the game that is asked for
        needs one; whether it does. None: there is no other board to be had."""
        self.gate: Callable[[list[LinkEvent]], list[LinkEvent]] | None = None
        """Says what of the board's news the session hears; None: all of it."""
        self.hung: Callable[[str], None] | None = None
        """Hears of each hang that was ended."""
        self.failed: Callable[[str], None] = lambda reason: None
        """Called with each failure of a player's own rules."""
        self.ended: Callable[[Finished], None] = lambda end: None
        """Hears of each game that ended."""
        self._fault = session.fault
        self.lost: JournalError | None = None
        """The reason why the last of the game was not kept: also one of the time after `run`."""
        self._board: HostedBoard | None = None
        self._hands: AssistingHands | None = None
        self._hands_rest = False
        self._errand: Errand | None = None
        """Last step that the hands were asked for."""
        self._greeting = cast("Hello", {})
        self._journals = journals
        self._game_name = ""
        self._looped = ""
        """The game that bots played in a loop before this one."""
        self._log = log
        self._is_board_lost = False
        self._worker = worker
        self._opener = opener
        self._recorder = recorder
        self._loop = asyncio.get_running_loop()
        self._aliased = session.board.aliased
        self._dead = session.board.dead
        self._usual_switch_s = sys.getswitchinterval()
        self._thinker = Thinker(worker, self._loop.call_later)
        self._collector = IdleCollector(self._loop.call_later, self._loop.time)
        self._writer: JournalWriter | None = None
        self._view: TableView | None = None
        self._settled = False
        """True once board and game have agreed since this game began or was resumed."""
        self._watchers: list[Callable[[TableView], None]] = []
        self._button_watchers: list[Callable[[], None]] = []
        self._early: list[LinkEvent] = []
        """Events of the board from before `start`."""
        self._started = False
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_us: int | None = None
        self._end: asyncio.Future[None] = self._loop.create_future()

    # Life.

    def start(
        self,
        board: HostedBoard,
        greeting: Hello,
        *,
        journal: JournalFile | None = None,
        hands: AssistingHands | None = None,
        hands_url: str | None = None,
    ) -> None:
        """Begin with this board, going on with `journal` where the session comes from one; it is
        the shell's from now on.

        `greeting` is the page's hello; `hands` set what the table asks for.
        """
        self._board = board
        self._greeting = greeting
        self._hands = hands
        self.hands_url = hands_url
        self._tidy()
        self._writer = JournalWriter(self._on_durable, self._on_failed, self._on_disk_full)
        if journal is not None:
            self._open(journal)
        self._loop.add_reader(self._worker.fileno(), self._answered)
        self._started = True
        early, self._early = self._early, []
        self.step(*self._gated(early))

    async def run(self) -> None:
        """Serve the table until `stop`; JournalError when nothing can be kept any more."""
        await self._end

    def stop(self) -> None:
        """End `run`."""
        if not self._end.done():
            self._end.set_result(None)

    def attend(self) -> None:
        """The page answers: from now on a bot that sits may have its process, and what was made
        until now is not looked through for garbage any more."""
        self._collector.start()
        sys.setswitchinterval(SWITCH_S)
        self._thinker.attend(self.session.match.history)

    def fail(self, error: LumibanError) -> None:
        """End `run` with this error, unless it has ended."""
        self._log.error("stopped", reason=str(error))
        if not self._end.done():
            self._end.set_exception(error)

    def close(self) -> None:
        """Keep what is still to be kept, end the bot, and do nothing more."""
        self._started = False
        self._collector.stop()
        sys.setswitchinterval(self._usual_switch_s)
        if self._alarm is not None:
            self._alarm.cancel()
        self._loop.remove_reader(self._worker.fileno())
        if self._writer is not None:
            self._writer.close()
        self._thinker.close()

    # What comes in.

    def heard(self, events: list[LinkEvent]) -> None:
        """The board's link tells something."""
        for event in events:
            if not isinstance(event, BoardTime):
                self._log.debug("board", told=event)
            if isinstance(event, Lost) and not self._is_board_lost:
                self._is_board_lost = True
                self._log.warning("board lost", reason=event.reason, detail=event.detail)
            elif isinstance(event, Connected) and self._is_board_lost:
                self._is_board_lost = False
                self._log.info("board back", uid=event.hello.uid)
            if self.noted is not None and isinstance(event, Connected | Faulty):
                self.noted(event)
            if isinstance(event, Changed) and any(e.pressed is not None for e in event.events):
                for pressed in tuple(self._button_watchers):
                    pressed()
        if self._started:
            self.step(*self._gated(events))
        else:
            self._early += events

    def _gated(self, events: list[LinkEvent]) -> list[LinkEvent]:
        return events if self.gate is None else self.gate(events)

    def _answered(self) -> None:
        answers = inputs(self._worker.answers())
        for answer in answers:
            self._log.info("thought", answer=answer)
        if answers:
            self.step(*answers)

    def _on_durable(self, number: int) -> None:
        self._from_thread(self.step, Durable(number))

    def _on_failed(self, error: JournalError) -> None:
        self.lost = error
        self._from_thread(self.fail, error)

    def _on_disk_full(self, error: DiskFull | None) -> None:
        """In the writer's thread: play stands still until all that was accepted is kept."""
        if error is not None:
            self._log.error("disk full", reason=str(error))
        self._from_thread(self.step, NoRoom("" if error is None else str(error.folder)))

    def _from_thread(self, call: Callable[..., None], argument: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, argument)

    def _alarmed(self) -> None:
        self._alarm = self._alarm_us = None
        self.step()

    def step(self, *inputs: Input) -> None:
        """Let the session follow these inputs and do what it says, and set its alarm; nothing
        before `start` and after `close`."""
        if self._is_stepping or not self._started:
            self._inbox += inputs
            return
        whole = False
        try:
            super().step(*inputs)
            self._set_alarm()
            self._collector.stepped()
            whole = True
        except RuleFault as fault:
            # Somebody's own rules failed: no fault of ours, and the line says where.
            self._log.error("rules failed", exc_info=fault)
            self._started, whole = False, True
            self.fail(fault)
        finally:
            if not whole:
                # A fault of ours: the loop logs it; a half-followed step is not to be played on.
                self._started = False
                self.fail(LumibanError("an internal error of lumiban; see the log: host.log"))

    def on_stepped(self, now_us: int, taken: Sequence[Input], outputs: Sequence[Output]) -> None:
        """Note a step in the flight recording, and broken select lines in the log."""
        if self.session.board.aliased != self._aliased:
            self._aliased = self.session.board.aliased
            self._log_lines()
        if self.session.board.dead != self._dead:
            self.gave_up(self.session.board.dead - self._dead)
            self._dead = self.session.board.dead
        if self.session.fault is not self._fault:
            self._fault = self.session.fault
            if self._fault is not None:
                self._log.error("rules failed", exc_info=self._fault)
                self.failed(str(self._fault))
        if self._recorder is not None:
            self._recorder.step(now_us, taken, outputs, self.session.match.verdict)

    def on_hung(self, why: str) -> None:
        """End a hang: the session has begun its move again, and so do the bot's process and the
        hands. The recording shows how it came to it."""
        flight = None if self._recorder is None else getattr(self._recorder, "path", None)
        self._log.error("the table hung", why=why, flight=str(flight))
        self._worker.restart()
        if self._hands is not None:
            self._hands.ask(None)
        if self.hung is not None:
            self.hung(why)

    def _log_lines(self) -> None:
        """Log which select lines are broken: people at play read only that play is paused."""
        held = sorted(self.session.board.faults.held)
        broken = [(f"S{w % LINES}", w // LINES + 1) for code, w in held if code == MIRROR]
        self._log.warning("select lines broken: (line, socket)", found=broken)

    def host_us(self) -> int:
        """Return the loop's time, µs."""
        return int(self._loop.time() * 1e6)

    def _set_alarm(self) -> None:
        due = self.session.next_deadline()
        if due == self._alarm_us and (due is None or self._alarm is not None):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_us = due
        # A microsecond more: the loop's clock is a float and must not come a hair too early.
        self._alarm = None if due is None else self._loop.call_at(due / 1e6 + 1e-6, self._alarmed)

    # What goes out.

    def on_show(self, frame: LightFrame) -> None:
        """Let the board show this."""
        assert self._board is not None
        self._board.show(frame)

    def on_acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""
        assert self._board is not None
        self._board.acknowledge(next_event)

    def on_append(self, number: int, record: Record) -> None:
        """Have the journal's thread write this record."""
        assert self._writer is not None
        self._writer.append(number, record)

    def on_written(self, number: int) -> None:
        """Nothing: the journal's thread says when it is on disk."""

    def on_publish(self, view: TableView) -> None:
        """Tell the page, and all other watchers."""
        view = replace(view, sensors=self._ailing())
        self._view = view
        self._settled = self._settled or (view.link == "up" and _agrees(view))
        for callback in tuple(self._watchers):
            callback(view)
        self._thinker.follow(self.session.match.history)

    def on_prompt(self, prompt: Prompt) -> None:
        """Ask the simulated hands, where they are ours."""
        self._ask_hands(prompt)

    def on_ask(self, question: AskBot | AskCoach) -> None:
        """Have the bot's process think."""
        self._log.info("ask", ticket=question.ticket, side=question.side)
        put(self._worker, question)

    def on_ponder(self, about: Ponder) -> None:
        """Have it think on a person's time."""
        ponder(self._worker, about)

    def on_stop_bot(self, ticket: int) -> None:
        """Void a question."""
        self._worker.stop(ticket)

    def on_new_journal(self, name: str) -> None:
        """Begin the journal of another game."""
        self._begin_journal(name)
        self._collector.game_ended()
        self._settled = False
        self._tidy()

    def on_finished(self, end: Finished) -> None:
        """Keep the record of a game that ended."""
        self._keep(end)
        self.ended(end)

    def _ailing(self) -> list[Text]:
        """Return the known faults of sensors under this game's cells, by their names in the
        game."""
        names, match = self.session.profile.grid.names, self.session.match
        own = match.history.game.grid.names
        game = {
            name: own[cell]
            for name, cell in zip(names, match.placing.game, strict=True)
            if cell >= 0
        }
        return [
            Text(one["id"], {**one["params"], "cell": game[one["params"]["cell"]]})
            for one in self.ailing()
            if one["params"].get("cell") in game
        ]

    def rest_hands(self, rests: bool) -> None:
        """Let simulated hands leave the board alone, or do again what they are asked."""
        self._hands_rest = rests
        self._ask_hands(self.prompt)

    def _ask_hands(self, prompt: Prompt) -> None:
        if self._hands is None:
            return
        if self._hands_rest:
            self._hands.ask(None)
            self._errand = None
            return
        errand = None
        if prompt.steps and prompt.by == HANDS:
            step = prompt.steps[0]
            cell = self.session.match.placing.board[step.cell]
            people = bool(self.session.match.history.people)
            look_s = MOVE_LOOK_S if prompt.wait != MEND else self._mending_look_s(people)
            errand = Errand(step.do, cell, step.kind, look_s)
            if prompt.wait == MEND and (pieces := laid(self.session, is_settled=self._settled)):
                errand = Errand(LAY, cell, 0, 0.0, tuple(sorted(pieces.items())))
        # On its way to the middle a piece stands where the position does not have it yet.
        self._hands.ask(errand, void=prompt.wait != MEND and not self._stands(self._errand))
        self._errand = errand

    def _stands(self, errand: Errand | None) -> bool:
        """True if the position has the piece that a hand was asked to set."""
        if errand is None or errand.do != "place":
            return True
        match = self.session.match
        if errand.cell not in match.placing.board:
            return False
        pieces = match.history.game.pieces(match.history.position)
        return int(pieces[match.placing.board.index(errand.cell)]) == errand.kind

    def _tidy(self) -> None:
        """Let simulated hands clear the board cells that are no cells of this game."""
        if self._hands is not None:
            used = set(self.session.match.placing.board)
            cells = range(len(self.session.profile.cells))
            self._hands.tidy([cell for cell in cells if cell not in used])

    def _mending_look_s(self, people: bool) -> float:
        verdict = self.session.match.verdict
        if not self._settled or (isinstance(verdict, Repair) and len(verdict.plan) > MAX_IN_HANDS):
            return MOVE_LOOK_S
        return MEND_LOOK_S[people]

    def _begin_journal(self, name: str) -> None:
        try:
            self._open(begin(self._journals, name, self._opener))
        except JournalError as error:
            self.fail(error)

    @property
    def journal_name(self) -> str:
        """The file name of the journal of the game that is played; "" before there is one."""
        return self._game_name and self._game_name + SUFFIX

    def _open(self, journal: JournalFile) -> None:
        assert self._writer is not None
        self._game_name = journal.path.name.removesuffix(SUFFIX)
        self._writer.open(journal)

    def _keep(self, end: Finished) -> None:
        """Write the record of a game that ended, once the journal holds all of it."""
        assert self._writer is not None
        self._writer.then(partial(self._write_record, self._game_name, end))

    def _write_record(self, name: str, end: Finished) -> None:
        """In the writer's thread. What fails here the next start makes good (`keep_missing`)."""
        try:
            path = record.keep(self._journals.parent / "records", name, end.record)
        except OSError as reason:
            self._log.error("record not written", name=name, reason=str(reason))
        else:
            self._log.info("finished", outcome=end.outcome, record=str(path))
            is_loop = self.session.settings.rematch_us is not None
            if not is_loop or not record.is_of_machines(end.record):
                self._looped = "" if self._looped == name else self._looped
                self._enter(name)
            else:
                self._replace_loop_game(name)

    def _replace_loop_game(self, name: str) -> None:
        """A game that bots play in a loop takes the place of the one before it; the ledger has it
        when somebody looks at the library."""
        before, self._looped = self._looped, name
        if not before or before == name:
            return
        try:
            # The journal first: of one without its record a record would be made again.
            DISK.remove(self._journals / (before + SUFFIX))
            DISK.remove(self._journals.parent / "records" / (before + record.SUFFIX))
        except OSError as reason:
            self._log.warning("game of a loop not removed", name=before, reason=str(reason))

    def _enter(self, name: str) -> None:
        """Enter a game in the ledger, so that the library has it in the order played."""
        from lumiban.library.ledger import Ledger

        try:
            Ledger(self._journals.parent).append([{"t": "game", "name": name}])
        except LumibanError as reason:
            self._log.warning("game not entered", name=name, reason=str(reason))

    # The page's Table.

    def hello(self) -> Hello:
        """Return the greeting that the page needs once."""
        return self._greeting

    def view(self) -> TableView:
        """The table as it was last published, and what its line to the board has counted."""
        line = getattr(self._board, "statistics", None)
        assert self._view is not None, "a session publishes in its first step"
        # Time has gone on since it was published.
        view = self._view
        if self.session.fault is None:
            view = replace(view, clock=self.session.clocks_shown(self.host_us()))
        return view if line is None else replace(view, line=line.as_json())

    def look(self, n: int, line: Line | None = None) -> Mapping[str, Any] | None:
        """The position after `n` moves of this game, or to which a line leads from there; None
        when it has fewer moves, or its rules have failed."""
        if self.session.fault is not None:
            return None
        return position_after(self.session, n, line)

    async def command(self, request: TableRequest | UnknownRequest, role: str) -> ErrorText | None:
        """Follow a request of the page: None when done, else a text id with parameters."""
        if not self._started:
            return {"id": "table.changes-board", "params": {}}
        do, asked = fields_of(request)
        self._log.info("command", do=do, role=role, **asked)
        rests = self.session.fault is not None
        refused = None if rests else objection_in(self.session.match, request, role)
        if refused is not None:
            return refused
        another = self.sets_another_board
        if (
            another is not None
            and isinstance(request, NewGameRequest | LessonRequest)
            and getattr(request, "after", None) is None
            and another(request)
        ):
            return None
        return self.answer_to(request)

    def watch(self, callback: Callable[[TableView], None]) -> Callable[[], None]:
        """Call back with each new view; the result ends that."""
        return join(self._watchers, callback)

    def watch_buttons(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when a button of the board goes down; the result ends that."""
        return join(self._button_watchers, callback)


_Callback = TypeVar("_Callback")


def join(watchers: list[_Callback], callback: _Callback) -> Callable[[], None]:
    """Let a callback be among the watchers until the function that this returns is called."""
    watchers.append(callback)

    def leave() -> None:
        if callback in watchers:
            watchers.remove(callback)

    return leave


COACH_LEVEL = "strong"
"""The level at which the coach thinks; its time is its own."""
COACH_MOVES = 3


def put(worker: SearchProcess, question: AskBot | AskCoach) -> None:
    """Hand a bot's or the coach's question to the process."""
    game = question.game
    coach = isinstance(question, AskCoach)
    worker.ask(
        question.ticket,
        game.slug,
        dict(game.options),
        question.position,
        question.level if isinstance(question, AskBot) else COACH_LEVEL,
        question.seed,
        game.digest,
        question.within_us,
        COACH_MOVES if coach else 0,
    )


def ponder(worker: SearchProcess, about: Ponder) -> None:
    """Let the process think on a person's time."""
    game = about.game
    options = dict(game.options)
    worker.ponder(
        about.ticket, game.slug, options, about.position, about.level, about.seed, game.digest
    )


def inputs(answers: Iterable[Answer]) -> list[Input]:
    """The answers for the session; those to the coach have tickets below 0."""
    converted: list[Input] = []
    for answer in answers:
        if answer.ticket < 0:
            values = (tuple(answer.lines), answer.looked, answer.unit, answer.done, answer.reason)
            converted.append(Advice(answer.ticket, *values))
        elif answer.failed:
            converted.append(BotFailed(answer.ticket, answer.reason))
        else:
            converted.append(BotMove(answer.ticket, answer.text, answer.value, answer.visits))
    return converted
