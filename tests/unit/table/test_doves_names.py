"""The table's memory of which dove is which, against a world where every dove knows its name.

Hands do what they like: play, brush neighbours off and put them back exchanged, hold several
doves at once, put them anywhere. They only never lie: asked which dove it is, they look. Whenever
the table says that all agrees, its names are the true ones.
"""

from __future__ import annotations

import random

import pytest
from conversations import Conversation
from lumiban.games.base import Move
from lumiban.games.doves.floating import DovesOnBoard
from lumiban.games.doves.notation import LETTERS
from lumiban.table.identities import AUDIT, NAMES
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Agree, Choose, Refuse, Repair, Wait

PATIENCE = 150


class World(Conversation):
    """A table and the true doves on it, in the air and beside it."""

    def __init__(self, seed: int, tray: str) -> None:
        super().__init__(["game", "doves", f"tray={tray}", "repetition=normal"])
        self.chance = random.Random(f"{seed} {tray}")
        self.true = {cell: name for cell, name in enumerate(self.labels()) if name}
        self.beside = sorted(set(LETTERS) - set(self.true.values()))
        self.log: list[str] = []

    @property
    def match(self) -> TurnPlay:
        return self.session.match

    @property
    def game(self) -> DovesOnBoard:
        game = self.match.history.game
        assert isinstance(game, DovesOnBoard)
        return game

    def labels(self) -> tuple[str, ...]:
        return self.session.match.history.game.labels(self.session.match.history.position)

    # Hands.

    def lift(self, cell: int) -> None:
        if cell in self.true:
            self.log.append(f"lift {self.true[cell]} {self.game.grid.name(cell)}")
            self.beside.append(self.true.pop(cell))
            self.sense(cell, 0)

    def put(self, name: str, cell: int) -> None:
        if name in self.beside and cell not in self.true:
            self.log.append(f"put {name} {self.game.grid.name(cell)}")
            self.beside.remove(name)
            self.true[cell] = name
            self.sense(cell, 1 if name.isupper() else 2)

    def cell_of(self, name: str) -> int:
        return next((cell for cell, found in self.true.items() if found == name), -1)

    def plays(self, *, clumsily: bool) -> None:
        """A legal action, perhaps with neighbours brushed off on the way."""
        position = self.match.history.position
        moves = [m for s in self.match.movers for m in self.game.moves(position, s)]
        moves = [move for move in moves if self.game.reaches(position, move)]
        if not moves:
            return
        move = self.chance.choice(moves)
        name = LETTERS[2 * self._kind(move) + move.side]
        start = self.cell_of(name)
        goals = [c for c, _, after in self.game.effects(position, move) if after]
        brushed = self.chance.sample(sorted(self.true), min(2, len(self.true)) * clumsily)
        if start < 0 and name not in self._at_hand():
            return
        if start >= 0:
            self.lift(start)
        for cell in brushed:
            self.lift(cell)
        for cell, other in self._back(brushed, position):
            self.put(other, cell)
        if goals:
            self.put(name, goals[0])

    def _kind(self, move: Move) -> int:
        return LETTERS.upper().index(move.text.lstrip("+-")[0].upper()) // 2

    def _back(self, brushed: list[int], position: object) -> list[tuple[int, str]]:
        """The doves brushed off, on their cells again: exchanged, if they are of one colour."""
        names = [self.labels()[cell] for cell in brushed]
        up = [name for name in names if name in self.beside]
        if len(up) == 2 and up[0].isupper() == up[1].isupper() and self.chance.random() < 0.5:
            up.reverse()
            names = up
        return [pair for pair in zip(brushed, names, strict=True) if pair[1]]

    def fumbles(self) -> None:
        """Lifts some doves and puts some anywhere."""
        for _ in range(self.chance.randint(1, 3)):
            self.lift(self.chance.choice([*self.true, 0]))
        for _ in range(self.chance.randint(0, 3)):
            near = self.chance.choice([*self.true, 40]) + self.chance.choice((-9, -1, 1, 9, 10))
            hand = self._at_hand()
            if hand and 0 <= near < len(self.game.grid):
                self.put(self.chance.choice(hand), near)

    def _at_hand(self) -> list[str]:
        """Doves that a hand may put down. Without a tray nobody can tell when a dove from the
        bowl takes the place of one that is in the air: that alone these hands never do."""
        if self.game.tray:
            return self.beside
        up = [name for name in self.beside if name in self.labels()]
        alike = {name.isupper() for name in up}
        return [name for name in self.beside if name in up or name.isupper() not in alike]

    def asks_the_page(self) -> None:
        self.ask_page(self.chance.choice((["takeback"], ["recentre"], ["recentre", "back"])))

    # An honest person who follows the table.

    def settle(self) -> None:
        for _ in range(PATIENCE):
            verdict = self.match.verdict
            if isinstance(verdict, Agree):
                break
            self._follow(verdict)
        assert isinstance(self.match.verdict, Agree), (self.match.verdict, self.log[-40:])
        names = {cell: name for cell, name in enumerate(self.labels()) if name}
        assert self.true == names, self.log[-40:]

    def _follow(self, verdict: object) -> None:
        if isinstance(verdict, Refuse | Repair):
            step = self.prompt.steps[0]
            if step.do == "lift":
                self.lift(step.cell)
            else:
                self._bring(self.view()["prompt"]["steps"][0]["name"], step.cell)
        elif isinstance(verdict, Choose):
            self._choose(verdict)
        elif isinstance(verdict, Wait) and verdict.why == NAMES:
            self._put_right()
            self.ask_page(["confirm"])
        elif isinstance(verdict, Wait) and verdict.why == AUDIT:
            self.ask_page(["audit", "end"])
        elif isinstance(verdict, Wait) and verdict.until_us is None:
            if verdict.why == "confirm" and self.chance.random() < 0.5:
                self.ask_page(["confirm"])
            else:
                self._put_right()

    def _bring(self, name: str, cell: int) -> None:
        """Put this very dove there, wherever it is now."""
        if name not in self.beside:
            self.lift(self.cell_of(name))
        self.put(name, cell)

    def _put_right(self) -> None:
        """All doves as the table has them: first off what is wrong, then on."""
        names = self.labels()
        for cell in sorted(self.true):
            if names[cell] != self.true[cell]:
                self.lift(cell)
        for cell, name in enumerate(names):
            if name and name in self.beside:
                self.put(name, cell)

    def _choose(self, verdict: Choose) -> None:
        history = self.match.history
        for move in verdict.candidates:
            after = history.game.labels(history.game.play(history.position, move))
            if all(after[cell] == name for cell, name in self.true.items()):
                self.ask_page(["choose", move.text])
                return
        if verdict.back:
            self.ask_page(["choose", "takeback"])
        if isinstance(self.match.verdict, Choose):
            self._put_right()


def live(seed: int, tray: str, actions: int) -> World:
    world = World(seed, tray)
    chance = world.chance
    for _ in range(actions):
        deed = chance.choices(("plays", "clumsy", "fumbles", "page", "waits"), (10, 5, 4, 2, 3))[0]
        if deed == "waits":
            world.wait(1_000_000)
        elif deed == "page":
            world.asks_the_page()
        elif deed == "fumbles":
            world.fumbles()
        elif world.match.outcome is None:
            world.plays(clumsily=deed == "clumsy")
        if world.match.outcome is not None:
            break
        if chance.random() < 0.5:
            world.settle()
    if world.match.outcome is None:
        world.settle()
    world.journal_tells_the_same()
    return world


@pytest.mark.slow
@pytest.mark.parametrize("tray", ["on", "off"])
@pytest.mark.parametrize("seed", range(8))
def test_where_all_agrees_the_tables_names_are_the_true_ones(seed: int, tray: str) -> None:
    live(seed, tray, 40)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "tray"),
    [(129, "off"), (141, "on"), (163, "off"), (195, "off"), (204, "off"), (223, "on")],
)
def test_sittings_that_once_went_wrong(seed: int, tray: str) -> None:
    live(seed, tray, 60)


@pytest.mark.long
@pytest.mark.parametrize("tray", ["on", "off"])
@pytest.mark.parametrize("block", range(10))
def test_where_all_agrees_the_tables_names_are_the_true_ones_for_long(
    block: int, tray: str
) -> None:
    for seed in range(100 + 30 * block, 130 + 30 * block):
        live(seed, tray, 60)
