"""A virtual table with a lobby before it, and hands that use nothing but light and pieces."""

from __future__ import annotations

from typing import Any

from hello_of import hello_of
from lumiban.boards.types import BoardTime, Changed, Connected, Faulty, LightFrame, Lost, Snapshot
from lumiban.games.base import Kind
from lumiban.lobby.choices import Offers, offers_of
from lumiban.lobby.idle_screen import IdleScreen
from lumiban.scene.light import Effect
from lumiban.table.requests import TableRequest
from lumiban.table.setup import TableSetup
from lumiban.table.types import Command, Input, Output, Publish, Show
from lumiban_sim.hands import DONE, REFUSED
from virtual_table import VirtualTable

FROM_LINK = (BoardTime, Changed, Connected, Faulty, Lost, Snapshot)
SECOND_US = 1_000_000
BOARDS = ("hex3", "hex5", "grid9x9", "grid13x14", "breadboard8")
"""With room for a lobby, of each shape."""


class LobbyTable(VirtualTable):
    """The door is where the service has it: between link and session."""

    door: IdleScreen
    rest_after_s = 120.0
    attract_after_s = 0.0
    dark = False
    can_power_off = True
    pin: str | None = None

    def _set(self) -> None:
        hello = hello_of(self.board)
        self.offers: Offers = offers_of(hello, can_power_off=self.can_power_off)
        self.door = IdleScreen(
            self.board,
            self.offers,
            TableSetup(self.game, seats=tuple(self.seats)),
            rest_after_s=self.rest_after_s,
            attract_after_s=self.attract_after_s,
            is_dark=lambda: self.dark,
            pin=lambda: self.pin,
        )
        self.own_frame: LightFrame | None = None
        self.shown: LightFrame | None = None
        self.asked: list[TableRequest] = []

    leapt_s = 0.0
    """Time that went by for the door alone."""

    @property
    def now_s(self) -> float:
        return self.now_us / 1e6 + self.leapt_s

    def leap(self, seconds: float) -> None:
        """Let time go by for the door; the world, which costs the more, does not notice."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            due = self.door.next_due_s(self.now_s)
            step_s = end_s - self.now_s if due is None else max(due - self.now_s, 0.001)
            self.leapt_s += min(step_s, end_s - self.now_s)
            self._tend()
        self.rest(100_000)

    def _turn(self, until_us: int) -> None:
        due = self.door.next_due_s(self.now_s)
        if due is not None:
            until_us = min(until_us, max(round((due - self.leapt_s) * 1e6) + 1000, self.now_us))
        super()._turn(until_us)
        self._tend()

    def step(self, *inputs: Input) -> None:
        told = [one for one in inputs if isinstance(one, FROM_LINK)]
        passed = self.door.pass_on(told, self.now_s)
        super().step(*passed, *(one for one in inputs if not isinstance(one, FROM_LINK)))
        self._tend()

    def _tend(self) -> None:
        request = self.door.request(self.now_s)
        if request is not None:
            self.asked.append(request)
            self._inputs.append(Command(request, len(self.replies) + 1))
        if self.door.acknowledge > self.acknowledged:
            self.acknowledged = self.door.acknowledge
            self.link.acknowledge(self.acknowledged)
        frame = self.door.frame(self.now_s) or (self.own_frame and self.door.dim(self.own_frame))
        if frame is not None and frame != self.shown:
            self.shown = frame
            self.link.show(frame)

    def _assist(self) -> None:
        if not self.door.is_open:
            super()._assist()

    def do(self, output: Output) -> None:
        if isinstance(output, Show):
            self.own_frame = output.frame
            return
        super().do(output)
        if isinstance(output, Publish):
            self.door.heard(output.view, self.now_s)

    # Hands.

    def set_stone(self, cell: int, kind: int = 1, *, hand: str = "person") -> None:
        """A stone is set on a cell of the board, and the board has noticed."""
        assert self.rig is not None
        errand = self.rig.hands.place(cell, kind, hand=hand)
        self.run(lambda _: errand.state in (DONE, REFUSED), 20 * SECOND_US)
        assert errand.state == DONE, errand.reason
        self.rest(300_000)

    def take_stone(self, cell: int, *, hand: str = "person") -> None:
        """The stone of a cell is lifted, and the board has noticed."""
        assert self.rig is not None
        errand = self.rig.hands.lift(cell, hand=hand)
        self.run(lambda _: errand.state in (DONE, REFUSED), 20 * SECOND_US)
        assert errand.state == DONE, errand.reason
        self.rest(300_000)

    def touch(self, cell: int = 0) -> None:
        self.set_stone(cell)
        self.rest(700_000)
        self.take_stone(cell)

    def choose(self, *choices: str) -> None:
        """A stone is set on the lit cell of each choice and lifted again."""
        for choice in choices:
            cell = self.door.lobby.cells[choice]
            assert self.is_lit(cell), f"{choice} is dark"
            self.set_stone(cell)
            self.rest(700_000)
            self.take_stone(cell)

    def make_a_move(self) -> None:
        """A person plays the first of their moves."""
        match = self.session.match
        move = next(move for move in match.game.moves(match.position, 0))
        for cell, _, after in match.game.effects(match.position, move):
            name = match.game.grid.name(cell)
            if after == Kind.EMPTY:
                self.lift(name)
            else:
                self.place(name, int(after))

    def clear(self) -> None:
        """All pieces are taken off the board."""
        assert self.rig is not None
        for cell, kind in enumerate(self.rig.kinds):
            if kind:
                self.take_stone(cell)

    def look(self, cell: int) -> tuple[int, int]:
        """Palette index and effect of a cell's light."""
        assert self.shown is not None
        return self.shown.lights[self.board.cells[cell].light]

    def is_lit(self, cell: int) -> bool:
        return self.look(cell)[0] != 0

    def blinks(self, cell: int) -> bool:
        """Whether a cell asks for its stone to be taken off."""
        return self.look(cell)[1] == Effect.FAST_BLINK

    @property
    def says(self) -> str:
        """Id of what the page reads about what hands did last; "" for nothing."""
        told = self.door.lobby.shown().says
        return "" if told is None else told.id

    def page(self) -> Any:
        """The view as a page has it."""
        assert self.session.shown.view is not None
        return self.door.dress(self.session.shown.view)
