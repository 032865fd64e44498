"""Control, Evening and Trivia a second time, from the rules alone: judges of what a table accepted.

    ./run bench soak --judge tests/support/by_the_rules.py

`judge` gives the judge of one game, or None for games that have none here. Nothing of lumiban is
imported: cells are places by their names, and every question is answered by counting afresh.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Place = tuple[int, int]
Said = tuple[int, str]
"""A side and what it played."""

WHITE, BLACK, RED = "white", "black", "red"
COLOURS = (WHITE, BLACK)
HEX = ((2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1))
SQUARE = ((1, 0), (0, 1), (-1, 0), (0, -1))
_NAME = re.compile(r"([a-z]+)(\d+)")


class Against(Exception):
    """A move that the rules do not have; the text says which rule."""


def _split(name: str) -> tuple[int, int]:
    found = _NAME.fullmatch(name)
    if found is None:
        raise Against(f"{name!r} is no cell")
    row = 0
    for letter in found[1]:
        row = 26 * row + ord(letter) - ord("a") + 1
    return row, int(found[2])


def hexes(names: Sequence[str]) -> dict[str, Place]:
    """Where each cell of a hexagon lies: half steps to the right of the middle line, rows up."""
    length: dict[int, int] = {}
    for name in names:
        row, number = _split(name)
        length[row] = max(length.get(row, 0), number)
    return {
        name: (2 * number - length[row] - 1, row)
        for name in names
        for row, number in [_split(name)]
    }


def squares(names: Sequence[str]) -> dict[str, Place]:
    """Where each square lies: columns to the right, rows up."""
    return {name: _split(name) for name in names}


@dataclass
class Board:
    """Stones by place."""

    places: dict[str, Place]
    steps: Sequence[Place]
    stones: dict[Place, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.all = set(self.places.values())

    def at(self, name: str) -> Place:
        if name not in self.places:
            raise Against(f"there is no cell {name}")
        return self.places[name]

    def beside(self, place: Place) -> list[Place]:
        x, y = place
        return [(x + dx, y + dy) for dx, dy in self.steps if (x + dx, y + dy) in self.all]

    def sees(self, place: Place, *, far: bool) -> list[Place]:
        """The stones next to a place, or the nearest along each line."""
        found = []
        for dx, dy in self.steps:
            x, y = place[0] + dx, place[1] + dy
            while far and (x, y) in self.all and (x, y) not in self.stones:
                x, y = x + dx, y + dy
            if (x, y) in self.stones:
                found.append((x, y))
        return found

    def group(self, place: Place) -> frozenset[Place]:
        group, edge = {place}, [place]
        while edge:
            for other in self.beside(edge.pop()):
                if other not in group and self.stones.get(other) == self.stones[place]:
                    group.add(other)
                    edge.append(other)
        return frozenset(group)

    def sizes(self, colour: str) -> list[int]:
        groups = {self.group(place) for place, stone in self.stones.items() if stone == colour}
        return sorted((len(group) for group in groups), reverse=True)

    def put(self, name: str, colour: str) -> None:
        place = self.at(name)
        if place in self.stones:
            raise Against(f"{name} is not empty")
        self.stones[place] = colour

    def cascade(self) -> str | None:
        """Whose groups are larger; None when they are equal."""
        ours, theirs = self.sizes(WHITE), self.sizes(BLACK)
        return None if ours == theirs else WHITE if ours > theirs else BLACK


class Rules(Protocol):
    """The rules of one game, and how far it has come."""

    def play(self, side: int, text: str) -> None:
        """Follow a move; Against."""

    def lost_by(self) -> int | None:
        """The side that has lost by the rules, if one has."""


class Control:
    """Control with the opening on the perimeter, or free."""

    def __init__(self, options: Mapping[str, int | str], names: Sequence[str]) -> None:
        self.board = Board(hexes(names), HEX)
        self.free = options["opening"] == "free"
        self.far = options["sees"] == "sight"
        self.turn = 0

    def rules(self, place: Place) -> str | None:
        """Who controls a cell."""
        seen = [self.board.stones[at] for at in self.board.sees(place, far=self.far)]
        white, black = seen.count(WHITE), seen.count(BLACK)
        return None if white == black else WHITE if white > black else BLACK

    def play(self, side: int, text: str) -> None:
        if text in ("stop", "resign"):
            return
        if side != self.turn % 2:
            raise Against(f"it is not the turn of {COLOURS[side]}")
        own, board = COLOURS[side], self.board
        if text.startswith("x"):
            place = board.at(text[1:])
            if board.stones.get(place) != COLOURS[1 - side]:
                raise Against(f"no enemy stands on {text[1:]}")
            if self.rules(place) != own:
                raise Against(f"{own} does not control {text[1:]}")
            del board.stones[place]
        else:
            place = board.at(text)
            if self.turn == 0 and not self.free and len(board.beside(place)) == len(HEX):
                raise Against("the first stone goes on the perimeter")
            if self.turn and self.rules(place) == COLOURS[1 - side]:
                raise Against(f"the other side controls {text}")
            board.put(text, own)
        self.turn += 1

    def may_move(self) -> bool:
        own, other = COLOURS[self.turn % 2], COLOURS[1 - self.turn % 2]
        return any(
            self.rules(place) != other
            if place not in self.board.stones
            else self.board.stones[place] == other and self.rules(place) == own
            for place in self.board.all
        )

    def lost_by(self) -> int | None:
        """The side that has no move and so has lost."""
        return None if self.turn == 0 or self.may_move() else self.turn % 2


class Evening:
    """Evening without turns, with its family's ways to see and both openings."""

    def __init__(self, options: Mapping[str, int | str], names: Sequence[str]) -> None:
        self.board = Board(hexes(names), HEX)
        self.sees = options["sees"]
        self.pie = "set" if options["opening"] == "pie" else ""
        self.stands: set[str] = set()

    def weight(self, place: Place, colour: str) -> int:
        near = self.board.sees(place, far=self.sees == "sight")
        near = [at for at in near if self.board.stones[at] == colour]
        if self.sees != "groups":
            return len(near)
        return sum(len(group) for group in {self.board.group(at) for at in near})

    def open_to(self, place: Place, colour: str) -> bool:
        if place in self.board.stones:
            return False
        if not self.board.stones:
            return colour == WHITE
        other = BLACK if colour == WHITE else WHITE
        return self.weight(place, colour) < self.weight(place, other)

    def standing(self, colour: str) -> bool:
        return colour in self.stands or not any(
            self.open_to(place, colour) for place in self.board.all
        )

    def play(self, side: int, text: str) -> None:
        word, _, rest = text.partition(" ")
        if word in ("stop", "resign"):
            return
        if self.pie:
            self.bake(side, word, rest)
            return
        if all(self.standing(colour) for colour in COLOURS) and self.board.stones:
            raise Against("both stand: the game is over")
        own = COLOURS[side]
        if word == "stand":
            if rest != own[0]:
                raise Against(f"{own} stands for the other")
            self.stands.add(own)
            return
        if text[0] != own[0]:
            raise Against(f"{own} plays a stone of the other")
        if not self.open_to(self.board.at(text[1:]), own):
            raise Against(f"{text[1:]} is not open to {own}")
        self.board.put(text[1:], own)
        self.stands.clear()

    def bake(self, side: int, word: str, rest: str) -> None:
        board = self.board
        if side != (0 if self.pie == "set" else 1):
            raise Against("the pie is the other's now")
        if word == "put" and self.pie == "set":
            board.put(rest[1:], WHITE if rest[0] == "w" else BLACK)
        elif word == "lift" and self.pie == "set":
            if board.stones.pop(board.at(rest), None) is None:
                raise Against(f"nothing stands on {rest}")
        elif word == "done" and self.pie == "set" and WHITE in board.stones.values():
            self.pie = "choose"
        elif word == "take" and self.pie == "choose" and rest in COLOURS:
            self.pie = ""
        else:
            raise Against(f"{word} {rest} is not for now")

    def lost_by(self) -> int | None:
        return None


class Trivia:
    """Trivia, stone by stone."""

    def __init__(self, options: Mapping[str, int | str], names: Sequence[str]) -> None:
        on_hexagons = options.get("cells") == "hexagons"
        self.board = Board(hexes(names), HEX) if on_hexagons else Board(squares(names), SQUARE)
        self.turn = 0
        self.left = [WHITE]

    def play(self, side: int, text: str) -> None:
        if text in ("stop", "resign"):
            return
        if len(self.board.stones) == len(self.board.all):
            raise Against("the board is full: the game is over")
        if side != self.turn % 2:
            raise Against(f"it is not the turn of {COLOURS[side]}")
        colour, name = (RED, text[4:]) if text.startswith("red ") else (COLOURS[side], text)
        if colour not in self.left:
            raise Against(f"no {colour} stone is left in this turn")
        self.board.put(name, colour)
        self.left.remove(colour)
        if not self.left:
            self.turn += 1
            own = COLOURS[self.turn % 2]
            room = len(self.board.all) - len(self.board.stones)
            self.left = [own, own, RED] if room > 2 else [own] * room

    def lost_by(self) -> int | None:
        if len(self.board.stones) < len(self.board.all):
            return None
        winner = self.board.cascade()
        return None if winner is None else 1 - COLOURS.index(winner)


GAMES: dict[str, Callable[[Mapping[str, int | str], Sequence[str]], Rules]] = {
    "control": Control,
    "evening": Evening,
    "trivia": Trivia,
}


class Judge:
    """Judges the moves of one game as they become more; starts anew when some are taken back."""

    def __init__(self, slug: str, options: Mapping[str, int | str], names: Sequence[str]) -> None:
        self._begin: Callable[[], Rules] = lambda: GAMES[slug](options, names)
        self._game = self._begin()
        self._played: list[Said] = []

    def why_not(self, moves: Sequence[Said]) -> str:
        """What is against the rules in the moves of a game so far; "" when nothing is."""
        if list(moves[: len(self._played)]) != self._played:
            self._game, self._played = self._begin(), []
        for number in range(len(self._played), len(moves)):
            side, text = moves[number]
            try:
                self._game.play(side, text)
            except Against as error:
                self._game, self._played = self._begin(), []
                return f"move {number + 1}, {text}: {error}"
            self._played.append((side, text))
        return ""

    def why_not_won(self, moves: Sequence[Said], winner: int | None) -> str:
        """What is against the rules in how a game ended; "" when nothing is, or words ended it."""
        against = self.why_not(moves)
        if against or any(text.split()[0] in ("stop", "resign") for _, text in moves):
            return against
        loser = self._game.lost_by()
        if loser is not None and winner != 1 - loser:
            return f"side {loser} has lost, and {winner} is told as the winner"
        return ""


def judge(slug: str, options: Mapping[str, int | str], names: Sequence[str]) -> Judge | None:
    """The judge of a game with these options on these cells; None for a game without one."""
    known = slug in GAMES and options.get("opening") not in ("pie2", "12*")
    return Judge(slug, options, names) if known else None
