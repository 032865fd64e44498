"""An evening of two people whose board has no screen: light tells them, pieces and buttons answer.

First light (`./run package --try` unpacks), choosing by stones, a lesson, a phone that comes in by
the PIN that light counts, two games, the power pulled in the second, a cell that dies, off. What
cannot be done or read so stands in FETCHED: the moments at which somebody must open a page.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from command_line import Run
from lobby_table import SECOND_US, LobbyTable
from lumiban.boards.profile import load
from lumiban.games.base import Kind
from lumiban_sim.faults import FaultyWorld, Plan, parse
from lumiban_sim.rig import Rig
from msgspec import to_builtins
from network_bench import SeatedTable, networked
from virtual_play import moves, on_disk
from web_client import greeted, say

PIN = "214365"
FETCHED = {
    "idea": "a lesson's idea is a sentence of the page; after two tries the light shows where",
    "word": "to stop, as the last step of Control's lesson wants, is a word of the page",
    "dead": "a move on a cell that does not answer any more is entered there",
    "phone": "the table's address is typed on the phone; its PIN is counted out in light",
}


@dataclass
class Evening(LobbyTable):
    """Two people at a small board with buttons."""

    profile: str = "hex3"
    hint: str = "legal"
    assists: tuple[str, ...] = ()
    fetched: list[str] = field(default_factory=list)
    pin = PIN

    def presses(self) -> None:
        """A hand presses the board's first button."""
        assert self.rig is not None
        for is_down in (True, False):
            self.rig.world.press(0, is_down)
            self.rest(200_000)

    def follows_the_light(self) -> None:
        """Hands do what the board asks for, one step after the other, until it asks no more."""
        self.rest(SECOND_US)
        while self.prompt.steps:
            step = self.prompt.steps[0]
            cell = self.view["game"]["cells"][step.cell]
            if step.do == "lift":
                self.take_stone(cell)
            else:
                self.set_stone(cell, int(step.kind))
            self.rest(SECOND_US)

    def advised(self) -> list[int]:
        """Board cells on which the light shows where to play."""
        board = self.view["game"]["cells"]
        return [board[one["cell"]] for one in self.view["marks"] if one["meaning"] == "advice"]

    def two_people_play(self) -> None:
        """Each plays the first move that the rule allows, until the game is over."""
        while self.view["outcome"] is None:
            names = self.view["game"]["names"]
            self.plays(names[self.view["legal"]["place"][0]])

    def plays(self, text: str) -> None:
        """The player whose turn it is sets a stone."""
        before = len(moves(self))
        self.place(text, int((Kind.WHITE, Kind.BLACK)[before % 2]))
        self.run(lambda table: len(moves(table)) > before, 10 * SECOND_US)


class Page(SeatedTable):
    """The evening's table as its page has it, in the test's own time."""

    def __init__(self, evening: Evening) -> None:
        super().__init__()
        self.evening = evening

    def view(self) -> Any:
        return self.evening.page()

    async def command(self, request: Any, role: str) -> Any:
        return self.evening.command(**to_builtins(request))


async def a_phone_plays_black(one: Evening, pin: str) -> None:
    """With the digits that were counted it comes in, takes Black's seat and answers one move: the
    board asks for its stone."""
    async with networked(Page(one), pin=PIN) as lan:
        phone = lan.phone()
        assert (await phone.join("enter", pin=pin)).status == 200
        assert (await phone.join("sit", side=1)).json["side"] == 1
        async with phone.tab() as tab:
            assert await greeted(tab) == "seat"
            one.plays("a1")
            await say(tab, do="move", side=1, text="c2")
            while not one.prompt.steps:
                await asyncio.sleep(0)
                one.rest(SECOND_US // 10)
    one.follows_the_light()
    assert moves(one) == ["a1", "c2"]


def lesson(one: Evening) -> None:
    """By light and stones: what a step wants is tried twice beside it, then shown, then done."""
    one.choose("lesson")
    while not one.view["lesson"]["words"]:
        for _ in range(4):
            one.follows_the_light()
            if one.view["lesson"]["is_right"]:
                break
            tries(one, one.advised())
            one.rest(SECOND_US)
            if not one.advised() and not one.view["lesson"]["is_right"]:
                one.fetched.append("idea")
        assert one.view["lesson"]["is_right"]
        one.presses()
        one.rest(SECOND_US)
    one.fetched.append("word")
    one.clear()
    one.leap(61)
    assert one.door.is_open, "a lesson whose board is cleared is left"


def tries(one: Evening, shown: list[int]) -> None:
    """A learner sets a stone where the light shows it, else on the first free cell allowed."""
    match = one.session.match
    board = one.view["game"]["cells"]
    side = match.game.to_act(match.position)
    for move in match.game.moves(match.position, side):
        effects = match.game.effects(match.position, move)
        if not shown or board[effects[0][0]] in shown:
            for cell, _, after in effects:
                if after == Kind.EMPTY:
                    one.take_stone(board[cell])
                    one.presses()
                else:
                    one.set_stone(board[cell], int(after))
            return


def the_pin_by_light(one: Evening) -> str:
    """The digits that a person counts who leaves a stone on the PIN's cell."""
    one.choose("care")
    cell, back = (one.door.lobby.cells[name] for name in ("phone", "back"))
    one.set_stone(cell)
    one.leap(1.1)  # what the cell means
    digits: list[str] = []
    was_dark = True
    while len(digits) < len(PIN):
        one.leap(0.5)
        lit = sum(one.is_lit(n) for n in range(len(one.board.cells)) if n not in (cell, back))
        if lit and was_dark:
            digits.append(str(lit))
        was_dark = not lit
    one.take_stone(cell)
    return "".join(digits)


def test_two_people_need_a_screen_at_four_moments_of_an_evening(run: Run, tmp_path: Path) -> None:
    said = run("board", "firstlight", "--board", "sim", "--profile", "hex3")[1]
    assert said.count("✓") == 6, said
    one = Evening(rig=Rig(load("hex3"), 1, plan=Plan()))
    one.rest(SECOND_US)
    assert any(map(one.is_lit, range(len(one.board.cells)))), "the board invites a hand"
    one.touch()
    lesson(one)
    pin = the_pin_by_light(one)
    one.fetched.append("phone")
    one.choose("back", "size", "size/2", "first", "first/human", "second", "second/human", "start")
    asyncio.run(a_phone_plays_black(one, pin))
    one.two_people_play()
    one.clear()
    one.leap(25)
    one.choose("rematch")
    for cell in ("a1", "c2"):
        one.plays(cell)
    # The power goes; the stones stay where they are.
    two = Evening(rig=one.rig, back=on_disk(one, tmp_path), fetched=one.fetched)
    two.rest(2 * SECOND_US)
    assert moves(two) == ["a1", "c2"]
    a_cell_dies(two, "b1")
    two.place("b1", int(Kind.WHITE))
    assert two.view["verdict"]["text"]["id"] == "table.blind"
    assert two.command("move", side=0, text="b1") is None
    two.fetched.append("dead")
    two.two_people_play()
    assert one.finished
    assert two.finished
    two.clear()
    two.leap(25)
    two.choose("care", "off", "off/yes")
    two.leap(4)
    assert two.door.goes_off
    assert set(two.fetched) == set(FETCHED)


def a_cell_dies(one: Evening, name: str) -> None:
    world = one.rig and one.rig.world
    assert isinstance(world, FaultyWorld)
    (fault,) = parse(f"at 0s dead {one.board.grid.names[one.cell(name)]}", one.board).faults
    world.breaks(fault, one.now_us)
    one.rest(2_000_000)
