"""A running table: board, session, journal, bots and hands put together, and ended again.

`open_table` makes one for a `TableSetup`; `play` serves its page until somebody ends it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.ports import choose, localized
from lumiban.boards.profile import Profile
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import Hello
from lumiban.errors import (
    BoardError,
    GameError,
    JournalError,
    JournalInUse,
    LaterJournal,
    RulesChanged,
    UsageError,
    WrongBoard,
)
from lumiban.flight.file import head_of, of_new, of_resumed
from lumiban.flight.recorder import FOLDER, Recorder, megabytes
from lumiban.games import registry
from lumiban.games.base import Game
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.rule_limits import LIMITS
from lumiban.i18n import terminal_language
from lumiban.maker.health import read_health
from lumiban.runtime import pi_driver
from lumiban.runtime import simulator as simulated
from lumiban.runtime.hands import AssistingHands
from lumiban.runtime.page_hello import Sensors, page_hello
from lumiban.runtime.running_tables import Sign
from lumiban.runtime.simulator import Simulator
from lumiban.runtime.table_host import HostedBoard, TableHost
from lumiban.search.worker import SearchProcess
from lumiban.system.child import Restarts
from lumiban.system.paths import made
from lumiban.table import resume
from lumiban.table.clocks import NONE, RULES, control_for, control_unasked
from lumiban.table.fitting import fit, needs_another_board, profile_for
from lumiban.table.journal import JournalFile, Opener
from lumiban.table.record import keep_missing
from lumiban.table.requests import DeadCellRequest, LessonRequest, NewGameRequest, SeatRequest
from lumiban.table.resume import ResumedGame
from lumiban.table.session import Session
from lumiban.table.setup import SIMULATOR, TableSetup
from lumiban.table.types import Command, Settings, is_seat

if TYPE_CHECKING:
    from lumiban.system.run_log import RunLog


BOARDS = "boards"
"""Folder of the state folder for boards that told what they are."""
RESTARTS = 3
SOUND_S = 20.0
"""More simulators in a row than `RESTARTS`, none of which lived for `SOUND_S`, are too many."""


@dataclass
class RunningTable:
    """A table that is set; `close` clears it."""

    shell: TableHost
    board: SerialBoard
    hello: Hello
    worker: SearchProcess
    simulator: Simulator | None
    resumed: ResumedGame | None
    passed_over: Path | None = None
    """The journal of the same game by other rules: its file has changed since."""
    newer_journal_reason: str = ""
    """Reason why a journal of a later lumiban was passed over."""
    recorder: Recorder | None = None
    driver: pi_driver.Driver | None = None
    """Of a board on the Pi's header."""
    next_setup: TableSetup | None = None
    """The table on another simulated board that comes after this one; None: none does."""
    _beside: list[asyncio.Task[None]] = field(default_factory=list)
    _sign: Sign | None = None

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Let this run until the table is cleared."""
        self._beside.append(asyncio.create_task(work))

    def put_up_sign(self, state: Path, board: str, url: str) -> None:
        """Tell other hosts of this table until it is cleared; a full disk tells nobody."""

        def tell(_: object = None) -> None:
            game = Path(self.shell.session.match.history.game.slug).stem
            with suppress(OSError):
                sign.tell(game, self.board.port, self.shell.journal_name)

        with suppress(OSError):
            self._sign = sign = Sign(state, board, url)
            tell()
            self.shell.watch(tell)

    async def keep_simulator(self, state: Path, profile: str, hands: AssistingHands | None) -> None:
        """Start the simulator again when it has ended: the same board, empty, at another port.

        One that ends again and again stops the table.
        """
        assert self.simulator is not None
        loop = asyncio.get_running_loop()
        restarts = Restarts(0.0, 0.0, sound_s=SOUND_S, most=RESTARTS)
        while True:
            begun_s = loop.time()
            await simulated.end_of(self.simulator)
            await asyncio.sleep(restarts.pause_s(loop.time() - begun_s))
            if restarts.is_over or self.simulator.seed < 0:
                log = state / "simulator.log"
                reason = f"the simulator has ended; {log} says why. Start again: the game goes on"
                self.shell.fail(BoardError(reason))
                return
            self.simulator.end()
            try:
                self.simulator = await simulated.start(state, profile, self.simulator.seed)
            except BoardError as error:
                self.shell.fail(error)
                return
            self.board.move_to(self.simulator.port)
            self.shell.hands_url = self.simulator.hands
            if hands is not None:
                hands.url = self.simulator.hands

    async def watch_driver(self, log: Path) -> None:
        """Stop the table when the driver of the header has ended."""
        assert self.driver is not None
        await self.driver.end_of()
        self.shell.fail(BoardError(localized("gpio.ended", log=log)))

    async def close(self) -> None:
        """Put everything away: hands, board, journal, bot, and what we started for the board."""
        for task in self._beside:
            task.cancel()
        if self._beside:
            await asyncio.wait(self._beside)
        await self.board.close()
        self.shell.close()
        if self.recorder is not None:
            self.recorder.close()
        if self.simulator is not None:
            self.simulator.end()
        if self.driver is not None:
            self.driver.end()
        if self._sign is not None:
            with suppress(OSError):
                self._sign.close()


BoardLender = Callable[[RunningTable, Profile], HostedBoard]
"""Gives a table its board, or something in between."""


class TableBuilder:
    """The steps of setting a table; holds what they share."""

    def __init__(
        self,
        setup: TableSetup,
        settings: Settings,
        state: Path,
        log: RunLog,
        opener: Opener,
        lends: BoardLender | None = None,
    ) -> None:
        self.setup = setup
        self.lends = lends
        self.state = state
        self.journals = state / "journals"
        self.log = log
        self.opener = opener
        LIMITS.folder = state
        registry.read_notes(state)
        self.game: Game = games.load(setup.game, **setup.options)
        self.profile_name = setup.profile or profile_for(
            self.game, on_header=setup.board == pi_driver.HEADER
        )
        self.profile: Profile = profiles.load(self.profile_name).turned(setup.turn)
        fit(self.game, self.profile, terminal_language())
        self.control = control_for(self.game, setup.clock or RULES)
        self.game = self.game.laid_on(self.profile.grid)
        self.passed_over: Path | None = None
        self.newer_journal_reason = ""
        self.settings = replace(settings, check_names=not setup.assists)
        self.fresh = False
        """The board is a simulated one that has just been started: it is empty."""

    async def on_simulator(self) -> RunningTable:
        """On a simulator that nobody holds, else on one of our own."""
        for simulator in simulated.running(self.state, self.profile.name):
            try:
                return await self.on_port(simulator.port, simulator)
            except (BoardError, JournalInUse) as error:
                self.log.info("simulator passed over", port=simulator.port, reason=str(error))
        started = await simulated.start_next(self.state, self.profile_name)
        self.fresh = True
        try:
            return await self.on_port(started.port, started)
        except BaseException:  # whatever it was: nobody else will end it
            started.end()
            raise

    async def on_header(self) -> RunningTable:
        """On the board on this Pi's header, with a driver of our own."""
        driver = await pi_driver.start(self.state, self.profile_name, self.setup.pins)
        try:
            sitting = await self.on_port(driver.port, None)
        except BaseException:  # whatever it was: nobody else will end it
            driver.end()
            raise
        sitting.driver = driver
        sitting.beside(sitting.watch_driver(self.state / pi_driver.LOG))
        return sitting

    async def on_port(self, port: str, simulator: Simulator | None) -> RunningTable:
        """On the board at this port; a real one tells who it is only when it is open."""
        uid = simulator.uid if simulator is not None else None
        back = self.take(uid)
        sitting = await self.open(port, simulator, back)
        if sitting.hello.uid != (back.board_uid if back else uid):
            other = self.unfinished(sitting.hello.uid)
            if (other and other.path) != (back and back.path):
                await sitting.board.close()
                sitting.worker.close()
                if sitting.recorder is not None:
                    sitting.recorder.discard()
                if back is not None:
                    back.close()
                back = self.take(sitting.hello.uid)
                sitting = await self.open(port, simulator, back)
        self.begin(sitting)
        await self.seat(sitting)
        return sitting

    async def open(
        self, port: str, simulator: Simulator | None, back: ResumedGame | None
    ) -> RunningTable:
        """Greet the board, with a session ready to hear it. The journal of `back` goes on with
        the table, or is closed where none comes of it."""
        try:
            return await self._open(port, simulator, back)
        except BaseException:  # whatever it was: the next one shall be able to go on with the game
            if back is not None:
                back.close()
            raise

    async def _open(
        self, port: str, simulator: Simulator | None, back: ResumedGame | None
    ) -> RunningTable:
        worker = SearchProcess()
        now_us = int(asyncio.get_running_loop().time() * 1e6)
        hands = self.setup.assists and simulator is not None
        session = self.session(back, now_us, replace(self.settings, hands=hands))
        session_id = secrets.randbits(32)
        recorder = self.recorder_of(session, back, now_us, session_id)
        shell = TableHost(
            session,
            journals=self.journals,
            log=self.log,
            worker=worker,
            opener=self.opener,
            recorder=recorder,
        )
        sensors = Sensors(self.state, self.profile.grid.names)
        shell.noted, shell.ailing = sensors.noted, lambda: sensors.ailing
        shell.gave_up = sensors.gave_up
        link_resume = back.link_resume if back is not None else None
        board = SerialBoard(
            port,
            self.profile,
            shell.heard,
            resume=link_resume,
            session=session_id,
            witness=recorder,
            by_id=self.state / simulated.BY_ID if simulator is not None else None,
        )
        try:
            hello = await board.open()
            for cell in sorted(read_health(self.state, hello.uid).dead):
                shell.step(Command(DeadCellRequest(cell)))
            if hello.is_injecting:
                await board.close()
                raise BoardError(localized("board.open.injecting", port=port))
        except BaseException:  # whatever it was: its descriptors are ours to give back
            worker.close()
            if recorder is not None:
                recorder.discard()
            raise
        self.log.info("board", hello=hello, port=port, resumes=back.path if back else None)
        passed_over = self.passed_over if back is None else None
        return RunningTable(
            shell,
            board,
            hello,
            worker,
            simulator,
            back,
            passed_over,
            self.newer_journal_reason,
            recorder,
        )

    def recorder_of(
        self, session: Session, back: ResumedGame | None, now_us: int, session_id: int
    ) -> Recorder | None:
        """The flight recorder of a table that begins now; None where none is wanted."""
        room = megabytes()
        if not room:
            return None
        history = session.match.history
        table = (
            of_resumed(back.path)
            if back is not None
            else of_new(
                history.game,
                history.seats,
                session.seed,
                session.journal_name,
                "" if history.control is None else str(history.control),
            )
        )
        head = head_of(
            self.profile_name,
            session.settings,
            now_us=now_us,
            hint=session.hint,
            session=session_id,
            link_resume=back.link_resume if back is not None else None,
            table=table,
            turn=self.profile.turn,
        )
        return Recorder(
            self.state / FOLDER,
            session.journal_name,
            head,
            megabytes=room,
            failed=lambda reason: self.log.warning("flight not recorded", reason=reason),
        )

    def session(self, back: ResumedGame | None, now_us: int, settings: Settings) -> Session:
        """The table of a journal, or a fresh one."""
        setup = self.setup
        if back is not None:
            session = Session.resumed(
                back, self.profile, hint=setup.hint, settings=settings, now_us=now_us
            )
        else:
            session = Session(
                self.game,
                self.profile,
                setup.seats,
                hint=setup.hint,
                seed=setup.seed,
                settings=settings,
                journal_name=_journal_name(self.game),
                now_us=now_us,
                control=self.control,
            )
        if (fault := registry.stopped(session.game)) is not None:
            session.rest(fault)
        return session

    def take(self, uid: str | None) -> ResumedGame | None:
        """Claim the unfinished game of this board, its journal held by this process; None where
        there is none. JournalInUse where another host has it, except while the board is unknown
        (None): then it is no game for this table."""
        while unfinished := self.unfinished(uid):
            try:
                taken = resume.take(unfinished.path, opener=self.opener)
            except JournalInUse:
                if uid is None:
                    return None
                raise
            if self.wants(taken):
                return taken
            taken.close()  # it has just been played to its end elsewhere
        return None

    def unfinished(self, uid: str | None) -> ResumedGame | None:
        """The last game of this board (None: of any board), if it is not over and is wanted."""
        if self.setup.new:
            return None
        last = resume.last(self.journals, uid, passed_over=self._passed_over)
        return last if last is not None and self.wants(last) else None

    def _passed_over(self, path: Path, error: JournalError) -> None:
        self.log.warning("journal passed over", path=path, reason=str(error))
        if isinstance(error, RulesChanged) and error.slug == self.game.slug:
            self.passed_over = self.passed_over or path
        if isinstance(error, LaterJournal):
            self.newer_journal_reason = self.newer_journal_reason or str(error)

    def wants(self, resumed: ResumedGame) -> bool:
        """True if this game is to go on."""
        history = resumed.history
        if resumed.is_over or history.profile != self.profile.name:
            return False
        # Nobody waits for a game among bots whose stones have gone.
        if self.fresh and not history.people:
            return False
        if self.setup.clock and history.control != self.control:
            return False
        # Out of a lesson one comes back to the game before it.
        game = history.game if history.left is None else history.left.game
        return self.setup.resumes_any_game or game == self.game

    def begin(self, sitting: RunningTable) -> None:
        """Let the table run."""
        LIMITS.is_set = True
        if sitting.shell.session.game.digest:
            LIMITS.note()
        back, simulator = sitting.resumed, sitting.simulator
        hands_url = simulator.hands if simulator is not None else None
        profile = replace(self.profile, scan_hz=sitting.hello.scan_hz)
        hands = None
        if self.setup.assists and hands_url is not None:
            hands = AssistingHands(hands_url, seed=self.setup.seed, eager=self.setup.eager)
            sitting.beside(hands.run())
        if simulator is not None and self.setup.board == SIMULATOR:
            sitting.beside(sitting.keep_simulator(self.state, self.profile_name, hands))
        switches = self.setup.board == SIMULATOR and simulator is not None
        if switches:
            sitting.shell.sets_another_board = partial(self.set_another, sitting)
        sitting.shell.start(
            sitting.board if self.lends is None else self.lends(sitting, profile),
            page_hello(
                profile,
                simulated=sitting.hello.is_simulated,
                assisted=hands is not None,
                own=self.game.slug if self.game.digest else "",
                switches_board=switches,
                asks_game=self.setup.asks_game and back is None,
                kept=self.state,
            ),
            journal=back.file if back is not None else None,
            hands=hands,
            hands_url=hands_url,
        )

    def set_another(self, sitting: RunningTable, asked: NewGameRequest | LessonRequest) -> bool:
        """End this table for one on another simulated board, if the game or lesson that a page
        asks for needs one, or has a smaller one of its own; whether it does. What is wrong with
        the request otherwise the session tells."""
        request = as_new_game(asked)
        slug = request.game or ""
        if not slug or request.seats is None:
            return False
        try:
            game = games.load(slug, **request.options)
            if not (needs_another_board(game, self.profile) or self._is_too_large(game, asked)):
                return False
            control_for(game, request.clock or RULES)
        except (GameError, UsageError):
            return False
        if not all(is_seat(who, self.settings.levels) for who in request.seats):
            return False
        sitting.next_setup = replace(
            self.setup,
            asks_game=False,
            game=slug,
            # Out of a lesson one comes to a game of the usual size.
            options={} if isinstance(asked, LessonRequest) else dict(request.options),
            seats=tuple(request.seats),
            clock=request.clock or self._clock_for(game, sitting),
            profile="",
            new=True,
            resumes_any_game=False,
            lesson=asked if isinstance(asked, LessonRequest) else None,
            seed=self.setup.seed + 1,
        )
        # The page is answered before its table ends.
        asyncio.get_running_loop().call_soon(sitting.shell.stop)
        return True

    def _is_too_large(self, game: Game, asked: NewGameRequest | LessonRequest) -> bool:
        """True if a new game usually has a smaller board, where nobody chose this one: its cells
        are a finger wide on a phone. A lesson keeps the board of the game to which it leads
        back."""
        if self.setup.profile or isinstance(asked, LessonRequest):
            return False
        return len(profiles.load(profile_for(game)).cells) < len(self.profile.cells)

    def _clock_for(self, game: Game, sitting: RunningTable) -> str:
        """The clock of a game for which the page names none."""
        history = sitting.shell.session.history
        before = history.left or history
        control = control_unasked(game, before.game, before.control)
        return NONE if control is None else str(control)

    async def seat(self, sitting: RunningTable) -> None:
        """Let those sit down in a resumed game whom the setup names, or a lesson begin."""
        if sitting.resumed is None:
            if self.setup.lesson is not None:
                await sitting.shell.command(self.setup.lesson, "host")
            return
        for side in self.setup.reseats:
            await sitting.shell.command(SeatRequest(side, self.setup.seats[side]), "host")


def as_new_game(asked: NewGameRequest | LessonRequest) -> NewGameRequest:
    """A lesson as the game that would be asked for, with which its board comes."""
    if isinstance(asked, NewGameRequest):
        return asked
    if asked.go != "begin" or asked.game is None:
        return NewGameRequest()
    try:
        lesson = lesson_of(asked.game)
    except GameError:
        return NewGameRequest()
    return NewGameRequest(lesson.slug, dict(lesson.options), ("human", "bot:gentle"))


async def open_table(
    setup: TableSetup,
    state: Path,
    log: RunLog,
    *,
    settings: Settings | None = None,
    opener: Opener = JournalFile,
    lends: BoardLender | None = None,
) -> RunningTable:
    """Set a table, with state and journals in `state`; `lends` may put something between
    the table and its board.

    GameError, ProfileError or BoardError say what cannot be had.
    """
    settings = settings or Settings()
    builder = TableBuilder(setup, settings, state, log, opener, lends)
    for record in keep_missing(
        builder.journals,
        state / "records",
        games.load,
        lambda path, reason: log.warning("no record", journal=path, reason=reason),
    ):
        log.info("record written late", record=record)
    if setup.board == SIMULATOR:
        return await builder.on_simulator()
    if setup.board == pi_driver.HEADER:
        return await builder.on_header()
    there = simulated.at(state, setup.board)
    try:
        return await builder.on_port(setup.board, there)
    except WrongBoard:
        if setup.profile:
            raise
    # Nobody has said which board it is, so it is asked itself.
    profile = await asyncio.to_thread(profile_at, setup.board, state)
    setup = replace(setup, profile=profile)
    builder = TableBuilder(setup, settings, state, log, opener, lends)
    return await builder.on_port(setup.board, there)


def profile_at(port: str, state: Path) -> str:
    """The profile of the board at a port: the name of a built-in one, or the file in the state
    folder in which what the board tells of itself was written down. BoardError, ProfileError."""
    from lumiban.boards.client import BoardClient
    from lumiban.boards.port_line import PortLine

    line = PortLine(choose(port), gone_us=0)
    try:
        client = BoardClient(None, line, port=port)
        client.greet()
        profile = client.fit()
        if profile.name in profiles.names() and profiles.load(profile.name) == profile:
            return profile.name
        path = state / BOARDS / f"{profile.name}.toml"
        made(path.parent)
        path.write_text(profile.source.text, "utf-8")
        return str(path)
    finally:
        line.close()


def _journal_name(game: Game) -> str:
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{Path(game.slug).stem}"
