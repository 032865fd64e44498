"""A table in virtual time whose board senses at once: a session, simulated hands, bots, a disk.

Faster than `virtual_table` by a hundred, as no magnet and no line is simulated. `lies` is what
truly lies on each board cell. Hands do what they are told to by prompts that went out, never by
what the session knows: what it tells nobody, nobody does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed, Connected, Hello, Snapshot
from lumiban.games.builtin_lessons import LESSONS
from lumiban.table.driver import SessionDriver
from lumiban.table.fitting import profile_for
from lumiban.table.requests import ErrorText, request_of
from lumiban.table.session import Session
from lumiban.table.types import (
    Advice,
    AskBot,
    AskCoach,
    BotMove,
    Finished,
    Prompt,
    Settings,
    Step,
)
from lumiban.table.view_fields import TableView

SECOND_US = 1_000_000
BEAT_US = 500_000
LOOK_US = {"machine": 300_000, "told": 300_000, "mend": 1_200_000}
"""How long hands look before they act, by what they are asked for."""
REACH_US = 500_000
THINKS_US = 300_000


class ClumsyTable(SessionDriver):
    """`has_hands`: the board is simulated, and its hands do what is asked of them."""

    def __init__(
        self,
        slug: str,
        seats: Sequence[str] = ("human", "human"),
        *,
        seed: int = 1,
        has_hands: bool = True,
        options: Mapping[str, int | str] | None = None,
        profile: str = "",
        lesson: bool = False,
    ) -> None:
        teaches = LESSONS.get(slug) if lesson else None
        if options is None:
            options = teaches.options if teaches is not None else {}
        game = games.load(slug, **options)
        self.profile = load(profile or profile_for(game))
        self.chance = random.Random(seed)
        self.has_hands = has_hands
        session = Session(
            game,
            self.profile,
            seats,
            seed=seed,
            settings=Settings(hands=has_hands, check_names=not has_hands),
        )
        self.begin(session)
        self.now_us = 0
        self.lies = [0] * len(self.profile.cells)
        self.views: list[TableView] = []
        self.hung: list[str] = []
        self.finished = 0
        self.moved_us = 0
        """When anything last changed that people see."""
        self.brought: list[tuple[str, int]] = []
        """What hands did, latest last."""
        self.taken: list[int] = []
        """Cells from which hands took a person's own piece while the machine's move was on its way,
        where that move does not go there."""
        self._left: set[int] = set()
        """Board cells whose piece lay there when this game began, or was gone back to: it is of the
        game before, and no stone set early."""
        self._history: object = self.session.match.history
        self._seen: object = None
        self._events = 0
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._number = 0
        self._beat_us = 0
        self._errand: tuple[int, Step | None] = (0, None)
        self._question = 0
        cells = len(self.lies)
        hello = Hello("test", 1, cells, cells, 1, "uid", 5, 0, 1000, 0, 0)
        self.step(Connected(hello), Snapshot(tuple(self.lies), 0, 0, False, False))
        if lesson:
            self.ask("lesson", go="begin")

    # What people do.

    def place(self, cell: int, kind: int) -> None:
        """A person sets a piece on a game cell; nothing where one lies."""
        board = self.session.match.placing.board[cell]
        if not self.lies[board]:
            self._change(board, kind)

    def lift(self, cell: int) -> None:
        """A person takes the piece off a game cell."""
        board = self.session.match.placing.board[cell]
        if self.lies[board]:
            self._change(board, 0)

    def see_all(self) -> None:
        """The board, there again, tells all that lies on it."""
        self.step(Snapshot(tuple(self.lies), self._events, self.now_us, False, False))

    def ask(self, do: str, **fields: Any) -> ErrorText | None:
        """A request of the page; why it was not followed."""
        return self.answer_to(request_of(do, fields))

    # What is.

    @property
    def view(self) -> TableView:
        """The table as it was told last."""
        return self.views[-1]

    def lying(self) -> list[int]:
        """What lies on the game's cells."""
        return [self.lies[board] for board in self.session.match.placing.board]

    def cell(self, name: str) -> int:
        """The game cell of a name."""
        return self.session.match.game.grid.cell(name)

    # Time.

    def wait(self, us: int) -> None:
        """Let time go by."""
        end = self.now_us + us
        while True:
            times = [end, self._beat_us + BEAT_US, *(at for at, _, _ in self._due[:1])]
            due = self.session.next_deadline()
            if due is not None:
                times.append(max(due, self.now_us + 1))
            self.now_us = max(min(times), self.now_us)
            if self._due and self._due[0][0] <= self.now_us:
                self._due.pop(0)[2]()
            elif self.now_us >= self._beat_us + BEAT_US:
                self._beat_us = self.now_us
                self.step(BoardTime(self.now_us, self.now_us, False))
            elif due is not None and due <= self.now_us:
                self.step()
            if self.now_us >= end and not (self._due and self._due[0][0] <= end):
                return

    def stand(self, still_us: int, limit_us: int) -> bool:
        """Let time go by until nothing has moved for so long; False where that never comes."""
        end = self.now_us + limit_us
        while self.now_us < self.moved_us + still_us:
            if self.now_us >= end:
                return False
            self.wait(max(1, self.moved_us + still_us - self.now_us))
        return True

    def _at(self, us: int, act: Callable[[], None]) -> None:
        self._number += 1
        self._due.append((self.now_us + us, self._number, act))
        self._due.sort(key=lambda one: one[:2])

    # The session.

    def _change(self, board: int, kind: int) -> None:
        self.lies[board] = kind
        self._left.discard(board)
        self.moved_us = self.now_us
        self.now_us += 1_000
        event = BoardEvent(self._events, board, kind, self.now_us)
        self._events += 1
        self._beat_us = self.now_us
        self.step(Changed((event,)), BoardTime(self.now_us, self.now_us, False))

    def host_us(self) -> int:
        return self.now_us

    def on_prompt(self, prompt: Prompt) -> None:
        if self.has_hands:
            self._ask_hands(prompt)

    def on_ask(self, question: AskBot | AskCoach) -> None:
        if isinstance(question, AskBot):
            self._question = question.ticket
            self._at(THINKS_US, lambda: self._answer(question))
        else:
            self._at(THINKS_US, lambda: self.step(Advice(question.ticket)))

    def on_stop_bot(self, ticket: int) -> None:
        self._question = 0

    def on_hung(self, why: str) -> None:
        self.hung.append(why)

    def on_finished(self, end: Finished) -> None:
        self.finished += 1

    def on_publish(self, view: TableView) -> None:
        self.views = [*self.views[-3:], view]
        if self._history is not self.session.match.history:
            self._history = self.session.match.history
            self._left = {board for board, kind in enumerate(self.lies) if kind}
        step = view.prompt.steps[:1]
        lesson = view.lesson
        seen = (
            view.pieces, view.sensed, view.verdict, step, view.to_move, len(view.moves),
            view.seats, view.link, view.game.slug, view.outcome, lesson, view.pending, view.timeout,
        )  # fmt: skip
        if seen != self._seen:
            self._seen, self.moved_us = seen, self.now_us

    def _answer(self, question: AskBot) -> None:
        if question.ticket != self._question:
            return
        game, position = question.game, question.position
        found = list(game.moves(position, question.side))
        if not found:
            words = game.words(position, question.side)
            found = [game.parse(position, word, question.side) for word in words]
        self.step(BotMove(question.ticket, self.chance.choice(found).text, 0.5, 10))

    def _ask_hands(self, prompt: Prompt) -> None:
        number, before = self._errand
        step = prompt.steps[0] if prompt.steps and prompt.by == "hands" else None
        if step == before:
            return
        self._errand = (number + 1, step)
        if step is not None:
            look = round(LOOK_US[prompt.wait] * self.chance.uniform(0.8, 1.4)) + REACH_US
            self._at(look, lambda: self._bring(number + 1, step))

    def _note_taken(self, cell: int, kind: int) -> None:
        view = self.view
        own = [seat.side + 1 for seat in view.seats if seat.who == "human"]
        pending = view.pending.move if view.pending is not None else ""
        name = view.game.names[cell]
        if self.session.match.placing.board[cell] in self._left:
            return
        is_machines = bool(pending) and bool(view.to_move) and view.to_move[0] + 1 not in own
        if is_machines and kind in own and not view.pieces[cell] and name not in pending:
            self.taken.append(cell)

    def _bring(self, number: int, step: Step) -> None:
        if self._errand[0] != number:
            return
        self._errand = (number, None)
        board = self.session.match.placing.board[step.cell]
        lies = self.lies[board]
        self.brought = [*self.brought[-9:], (step.do, step.cell)]
        if lies and (step.do == "lift" or lies != step.kind):
            self._note_taken(step.cell, lies)
            self._change(board, 0)
        elif not lies and step.do == "place":
            self._change(board, step.kind)
        # What is asked next is begun by the next prompt; the same step again is asked by nobody.
        if self.prompt.steps[:1] == (step,) and self.prompt.by == "hands":
            self._ask_hands(self.prompt)
