"""A table for scripts: a game on a board, followed and played by calls."""

from __future__ import annotations

import select
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from lumiban import games
from lumiban.boards.types import Connected, LightFrame, LinkEvent, Snapshot
from lumiban.errors import BoardError, GameError, UsageError
from lumiban.games import gate
from lumiban.games.base import Game, Outcome, Position
from lumiban.i18n import text
from lumiban.scripting.lit_board import Cell, LitBoard, callback
from lumiban.table import record
from lumiban.table.driver import SessionDriver
from lumiban.table.fitting import fit
from lumiban.table.requests import ConfirmRequest, MoveRequest, TableRequest, TakebackRequest
from lumiban.table.session import Session
from lumiban.table.types import (
    BOT,
    HUMAN,
    Agree,
    AskBot,
    AskCoach,
    BotFailed,
    BotMove,
    Input,
    Refuse,
    Step,
)
from lumiban.table.view_fields import TableView

if TYPE_CHECKING:
    from lumiban.boards.profile import Profile
    from lumiban.search.worker import SearchProcess

THINKING_S = 120.0
"""A bot that has said nothing for so long has failed."""
ASSISTED_S = 30.0
"""Simulated hands need no longer for a move, the board's order included."""
OnMove = TypeVar("OnMove", bound=Callable[["PlayedMove"], object])
OnEnd = TypeVar("OnEnd", bound=Callable[[Outcome], object])


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move as it was played: its number from 1, the side's name, its notation."""

    number: int
    side: str
    text: str

    def __str__(self) -> str:
        return f"{self.number}. {self.side} {self.text}"


class Table:
    """A game being played on a board; made by `board.play`.

    The table has the board's light until it is closed. It keeps no journal: for an evening that
    must survive a power cut there is the command `lumiban play`.
    """

    def __init__(
        self,
        board: LitBoard,
        game: str | Game,
        seats: Sequence[str],
        *,
        hint: str,
        seed: int | None,
        options: Mapping[str, int | str],
    ) -> None:
        if isinstance(game, str):
            gate.name(game)  # by the script, which is a person's own
            game = games.load(game, **options)
        elif options:
            raise GameError("options go with the name of a game; this game is already made")
        try:
            fit(game, board.profile)
        except BoardError as error:
            raise BoardError(f"{error}{_size_that_fits(game, board.profile)}") from None
        self.board = board
        self._on_move: list[Callable[[PlayedMove], object]] = []
        self._on_end: list[Callable[[Outcome], object]] = []
        self._told = 0
        """Moves that callbacks have heard of."""
        self._waited = 0
        """Moves that the script has played, or waited for."""
        self._has_agreed = False
        """True once board and game have agreed."""
        self._is_over_told = False
        self._is_closed = False
        link = board._link
        with board._lock:
            session = Session(
                game.laid_on(board.profile.grid),
                board.profile,
                _checked(seats),
                hint=hint,
                seed=seed or 0,
                now_us=board._line.now_us,
            )
            self._driver = _Driver(board, session)
            assert link.hello is not None
            assert link.resume is not None
            board._table = self
            now_us = link.board_now(board._line.now_us)
            picture = Snapshot(tuple(board._kinds or ()), link.resume[1], now_us, False, False)
            self._step([Connected(link.hello), picture])

    def __repr__(self) -> str:
        return f"<Table {self.game.slug}: {len(self.moves)} moves, {self.result or 'in play'}>"

    # The game.

    @property
    def game(self) -> Game:
        """The game, laid on the board."""
        return self._driver.session.match.history.game

    @property
    def position(self) -> Position:
        """The position now; `table.game` says what may be done in it."""
        return self._driver.session.match.history.position

    @property
    def moves(self) -> tuple[PlayedMove, ...]:
        """All moves that were played and not taken back."""
        history = self._driver.session.match.history
        sides = history.game.sides
        return tuple(
            PlayedMove(number, sides[move.side], move.text)
            for number, move in enumerate(history.moves, 1)
        )

    @property
    def to_move(self) -> tuple[str, ...]:
        """The sides that may move now; all of them in a game without turns, none at the end."""
        return tuple(self.game.sides[side] for side in self._driver.session.match.movers)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """Legal moves now, in notation."""
        game, position = self.game, self.position
        return tuple(
            move.text
            for side in self._driver.session.match.movers
            for move in game.listed_moves(position, side)
        )

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the game; None while it goes on."""
        return self._driver.session.match.outcome

    @property
    def winner(self) -> str | None:
        """The side that has won; None while the game goes on, and after a draw."""
        outcome = self.outcome
        if outcome is None or outcome.winner is None:
            return None
        return self.game.sides[outcome.winner]

    @property
    def result(self) -> str:
        """Result of the game, as a sentence; "" while it goes on."""
        outcome = self.outcome
        if outcome is None:
            return ""
        why = text(outcome.text_id, "en", **outcome.params(self.game.sides))
        return f"{self.winner} wins: {why}" if self.winner else why

    @property
    def record(self) -> dict[str, Any]:
        """The game so far as one JSON document, as `lumiban replay` reads it."""
        history = self._driver.session.match.history
        return record.make(history, self.outcome or Outcome(None, "unfinished"))

    # The board.

    def cell(self, name: str) -> Cell:
        """The board's cell of a cell of the game, which may lie in its middle by other names."""
        at = self._driver.session.match.placing.board[self.game.grid.cell(name)]
        return self.board._cells[at]

    @property
    def sentence(self) -> str:
        """Sentence that the table says to the people at it now; "" when there is none."""
        view = self._driver.view
        sentence = None if view is None else view.verdict.text
        return "" if sentence is None else text(sentence.id, "en", **sentence.params)

    @property
    def asks(self) -> tuple[tuple[str, str], ...]:
        """Tasks for hands: ("place" or "lift", cell of the game), one step at a time."""
        names = self.game.grid.names
        return tuple((step.do, names[step.cell]) for step in self._steps)

    # What a script does.

    def on_move(self, call: OnMove) -> OnMove:
        """Register a function that gets each later `PlayedMove`; also a decorator.

        UsageError for what is no function of one argument or none.
        """
        checked = callback(call)
        assert checked is not None
        self._on_move.append(checked)
        return call

    def on_end(self, call: OnEnd) -> OnEnd:
        """Register a function that gets the `Outcome` when the game ends; also a decorator.

        UsageError for what is no function of one argument or none.
        """
        checked = callback(call)
        assert checked is not None
        self._on_end.append(checked)
        return call

    def play(self, move: str) -> None:
        """Announce a move, in notation, for the person to move; hands then set its pieces.

        GameError says why it is not legal. With simulated hands that assist it is on the board
        when this returns.

        >>> from lumiban import Simulator
        >>> with Simulator("hex3").play("control", size=2) as table:
        ...     table.play("a1")
        ...     len(table.moves), table.to_move
        (1, ('black',))
        """
        movers = self._driver.session.match.movers
        if not movers:
            raise GameError("the game is over")
        known = len(self.moves)
        self._command(MoveRequest(movers[0], move))
        if self.board._assists:
            self.board._wait_until(lambda: len(self.moves) > known, ASSISTED_S)
            self._waited = known + 1

    def confirm(self) -> None:
        """Confirm a pending move, such as a removal; GameError where none is pending."""
        self._command(ConfirmRequest())

    def take_back(self) -> None:
        """Take back the last move of a person; GameError where there is none."""
        self._command(TakebackRequest())

    def wait(self, timeout: float | None = None) -> Outcome | None:
        """Outcome of the game once it is over, or None after `timeout` seconds."""
        self.board._wait_until(lambda: self.outcome is not None, timeout)
        return self.outcome

    def wait_for_move(self, timeout: float | None = None) -> PlayedMove | None:
        """Next move after the one that this returned last, or `play` made.

        It may have been played while the script did something else. None after `timeout` seconds
        without one, or at the end of the game.
        """
        known = min(self._waited, len(self.moves))
        self.board._wait_until(lambda: len(self.moves) > known or self.outcome is not None, timeout)
        moves = self.moves
        self._waited = min(known + 1, len(moves))
        return moves[known] if len(moves) > known else None

    def close(self) -> None:
        """Give the board its own light back."""
        if self._is_closed:
            return
        self._is_closed = True
        with self.board._lock:
            self.board._table = None
            self._driver.close()
            self.board._relight()

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *why: object) -> None:
        self.close()

    # Inside.

    def _command(self, request: TableRequest) -> None:
        if self._is_closed:
            raise UsageError("this table is closed")
        with self.board._lock:
            error = self._driver.answer_to(request)
            self._after_step()
        if error is not None:
            raise GameError(text(str(error["id"]), "en", **error["params"]))

    def _deadline(self, until_us: int) -> int:
        """Latest time in µs at which the session, or a simulated hand, has something to do."""
        due = self._driver.session.next_deadline()
        return until_us if due is None else min(due, until_us)

    def _step(self, events: Sequence[LinkEvent]) -> None:
        """Let the session follow these and all that comes of them."""
        self._driver.step(*events, *self._driver.answers())
        self._after_step()

    def _after_step(self) -> None:
        """Call back for what is new, and have simulated hands do what is asked."""
        self._has_agreed = self._has_agreed or isinstance(self._driver.session.match.verdict, Agree)
        self._tell()
        if self._steps and not self._is_persons_to_mend:
            step = self._steps[0]
            self.board._assist(step, self._driver.session.match.placing.board[step.cell])

    def _tell(self) -> None:
        moves = self.moves
        self._told = min(self._told, len(moves))
        while self._told < len(moves):
            self._told += 1
            for call in tuple(self._on_move):
                self.board._call(call, moves[self._told - 1])
        outcome = self.outcome
        if outcome is not None and not self._is_over_told:
            self._is_over_told = True
            for end in tuple(self._on_end):
                self.board._call(end, outcome)

    @property
    def _steps(self) -> tuple[Step, ...]:
        return self._driver.prompt.steps

    @property
    def _is_persons_to_mend(self) -> bool:
        """True if a hand broke a rule: that hand puts it right.

        What lay on the board before the game began is nobody's move.
        """
        return self._has_agreed and isinstance(self._driver.session.match.verdict, Refuse)


class _Driver(SessionDriver):
    """The session of a table, with its board and its bots; without a journal."""

    def __init__(self, board: LitBoard, session: Session) -> None:
        self._board = board
        self.view: TableView | None = None
        self._worker: SearchProcess | None = None
        self._asked: set[int] = set()
        self.begin(session)

    def host_us(self) -> int:
        return self._board._line.now_us

    def on_show(self, frame: LightFrame) -> None:
        self._board._show(frame)

    def on_acknowledge(self, next_event: int) -> None:
        self._board._link.acknowledge(next_event)

    def on_publish(self, view: TableView) -> None:
        self.view = view

    def on_stop_bot(self, ticket: int) -> None:
        self._asked.discard(ticket)
        if self._worker is not None:
            self._worker.stop(ticket)

    def close(self) -> None:
        """End the bots."""
        if self._worker is not None:
            self._worker.close()

    def on_ask(self, question: AskBot | AskCoach) -> None:
        """Have a bot think; there is no coach here."""
        if isinstance(question, AskCoach):
            return
        if self._worker is None:
            from lumiban.search.worker import SearchProcess

            self._worker = SearchProcess()
        game = question.game
        self._asked.add(question.ticket)
        self._worker.ask(
            question.ticket,
            game.slug,
            dict(game.options),
            question.position,
            question.level,
            question.seed,
            game.digest,
            question.within_us,
        )

    def answers(self) -> list[Input]:
        """Answers of bots; where time is the simulator's it stands still for them."""
        if self._worker is None:
            return []
        if self._asked and not self._board._is_real_time:
            select.select([self._worker.fileno()], [], [], THINKING_S)
        inputs: list[Input] = []
        for answer in self._worker.answers():
            if answer.ticket not in self._asked:
                continue
            self._asked.discard(answer.ticket)
            if answer.failed:
                inputs.append(BotFailed(answer.ticket, answer.reason))
            else:
                inputs.append(BotMove(answer.ticket, answer.text, answer.value, answer.visits))
        return inputs


def _size_that_fits(game: Game, profile: Profile) -> str:
    """The end of a refusal: the largest size of this game that fits a board; "" for none."""
    for option in game.accepts:
        if option.name != "size":
            continue
        for size in sorted((one for one in option.values if isinstance(one, int)), reverse=True):
            try:
                fit(type(game)(**{**game.options, "size": size}), profile)
            except (BoardError, GameError):
                continue
            return f"; or play it smaller: size={size} fits this board"
    return ""


def _checked(seats: Sequence[str]) -> list[str]:
    from lumiban.search.levels import name_of

    checked = []
    for seat in seats:
        if seat.startswith(BOT):
            seat = BOT + name_of(seat.removeprefix(BOT))
        elif seat != HUMAN:
            raise UsageError(f"no seat {seat!r}: human, or bot:LEVEL (bot:strong)")
        checked.append(seat)
    return checked
