"""An evening of two people whose board has no screen: light tells them, pieces and buttons answer.

A lesson, the PIN for a phone, two games, the power pulled in the second, a cell that dies, off.
What cannot be done or read so stands in FETCHED: the moments at which somebody must open a page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lobby_table import SECOND_US, LobbyTable
from lumiban.boards.profile import load
from lumiban.games.base import Kind
from lumiban_sim.faults import FaultyWorld, Plan, parse
from lumiban_sim.rig import Rig
from virtual_play import moves, on_disk

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
            if step.do == "lift":
                self.take_stone(step.cell)
            else:
                self.set_stone(step.cell, int(step.kind))
            self.rest(SECOND_US)

    def advised(self) -> list[int]:
        """Board cells on which the light shows where to play."""
        board = self.view["game"]["cells"]
        return [board[one["cell"]] for one in self.view["marks"] if one["meaning"] == "advice"]

    def two_people_play(self) -> None:
        """Each plays the first move that the rule allows, until the game is over."""
        while self.view["outcome"] is None:
            match = self.session.match
            side = match.game.to_act(match.position)
            move = next(one for one in match.game.moves(match.position, side) if one.text[0] != "x")
            self.plays(move.text)

    def plays(self, text: str) -> None:
        """The player whose turn it is sets a stone."""
        match = self.session.match
        before = len(moves(self))
        self.place(text, int(Kind.WHITE if match.game.to_act(match.position) == 0 else Kind.BLACK))
        self.run(lambda table: len(moves(table)) > before, 10 * SECOND_US)


def switched_on(**more: object) -> Evening:
    board = load("hex3")
    one = Evening(rig=Rig(board, 1, plan=Plan()), **more)  # type: ignore[arg-type]  # of a dataclass
    one.rest(SECOND_US)
    return one


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
        assert one.view["lesson"]["is_right"], one.view["lesson"]["title"]
        one.presses()
        one.rest(SECOND_US)
    one.fetched.append("word")
    one.follows_the_light()
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
        cells = [board[cell] for cell, _, _ in effects]
        if not shown or cells[0] in shown:
            for cell, _, after in effects:
                if after == Kind.EMPTY:
                    one.take_stone(board[cell])
                else:
                    one.set_stone(board[cell], int(after))
            if all(after == Kind.EMPTY for _, _, after in effects):
                one.presses()
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


def test_two_people_need_a_screen_at_four_moments_of_an_evening(tmp_path: Path) -> None:
    one = switched_on()
    one.touch()
    lesson(one)
    assert the_pin_by_light(one) == PIN
    one.fetched.append("phone")
    one.choose("back", "size", "size/2", "first", "first/human", "second", "second/human", "start")
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
    assert not two.door.is_open
    a_cell_dies(two, "b1")
    two.place("b1", int(Kind.WHITE))
    assert len(moves(two)) == 2
    assert two.view["verdict"]["text"]["id"] == "table.blind"
    assert two.command("move", side=0, text="b1") is None
    two.fetched.append("dead")
    two.two_people_play()
    assert [len(game.finished) for game in (one, two)] == [1, 1]
    two.clear()
    two.leap(25)
    two.choose("care", "off", "off/yes")
    two.leap(4)
    assert two.door.goes_off
    assert set(two.fetched) == set(FETCHED)


def a_cell_dies(one: Evening, name: str) -> None:
    assert one.rig is not None
    world = one.rig.world
    assert isinstance(world, FaultyWorld)
    (fault,) = parse(f"at 0s dead {one.board.grid.names[one.cell(name)]}", one.board).faults
    world.breaks(fault, one.now_us)
    one.rest(2 * SECOND_US)
