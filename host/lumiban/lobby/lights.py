"""Light of a lobby: its palette of looks, and pictures of each choice.

A picture is a look for each cell. What a choice means is a few pictures, one idea a second: a size
lights its cells, a clock's hand goes round, a game plays its first moves by itself. No look means
anything by its colour alone: strength and rhythm tell them apart, and each choice has its place.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.games.base import Game, Kind, Position
from lumiban.games.light_game import LightGame
from lumiban.games.registry import OURS_BY_NAME
from lumiban.lobby.choices import (
    BACK,
    BRIGHTNESS,
    BRIGHTNESSES,
    CARE,
    CLOCK,
    FIRST,
    GAME,
    LANGUAGE,
    LESSON,
    OFF,
    REMATCH,
    RESUME,
    SECOND,
    SIZE,
    START,
    GameOffer,
    Offers,
    options_of,
    size_of,
)
from lumiban.lobby.places import Places
from lumiban.scene.grammar import Pattern, Strength, pattern
from lumiban.scene.light import Effect
from lumiban.scene.themes import GAMMA, INDEX, palette
from lumiban.table.clocks import NONE
from lumiban.table.fitting import fit
from lumiban.table.setup import TableSetup
from lumiban.table.types import BOT, HUMAN

Light = Mapping[int, Pattern]
"""A look for each lit cell of the board."""

MAY_CHOOSE = Pattern("legal", Strength.DIM, Effect.STEADY)
"""A stone here chooses."""
HOLDS_NOW = Pattern("legal", Strength.MID, Effect.BREATHE)
"""The choice that holds at present; a stone here leaves it so."""
GOES_BACK = Pattern("legal", Strength.DIM, Effect.BLINK)
"""A stone here goes back."""
EXPLAINED = Pattern("legal", Strength.BRIGHT, Effect.PULSE)
"""The choice that the rest of the picture is about."""
CHOSEN = Pattern("legal", Strength.BRIGHT, Effect.STEADY)
"""A stone stands here; lifted it has chosen."""
TAKE_OFF = Pattern("error", Strength.BRIGHT, Effect.FAST_BLINK)
"""This stone says nothing here: take it off."""
LIES = Pattern("error", Strength.FAINT, Effect.BREATHE)
"""So does this one, when the others are gone."""

SHAPE = Pattern("white", Strength.MID, Effect.STEADY)
"""Cells of a field, a hand of a clock, dots that are counted."""
STONES = {
    Kind.WHITE: Pattern("white", Strength.BRIGHT, Effect.STEADY),
    Kind.BLACK: Pattern("black", Strength.DIM, Effect.PULSE_B),
}
STONE = Pattern("legal", Strength.DIM, Effect.PULSE)
"""A stone of nobody's."""
PERSON = Pattern("white", Strength.MID, Effect.BREATHE)
MACHINE = Pattern("white", Strength.MID, Effect.CHASE)
TAUGHT = Pattern("warn", Strength.BRIGHT, Effect.PROOF)
BREATHING = Pattern("white", Strength.FAINT, Effect.BREATHE)
"""A board at rest, on every cell."""

OPENING_MOVES = 6
IN_A_ROW = 3
"""Cells of a row that count a digit: nine are three rows."""
MAX_DIGIT = 9
DIGIT_IDEAS = 3
"""Ideas for which a digit is shown."""


def frame(light: Light, profile: Profile, stones: Collection[int], theme: str) -> LightFrame:
    """Picture as a board shows it: brighter under stones."""
    lights = [(0, 0)] * profile.lights
    for cell, look in light.items():
        index = INDEX[look.role, look.strength, cell in stones]
        lights[profile.cells[cell].light] = (index, int(look.effect))
    return LightFrame(tuple(lights), palette(theme))


@lru_cache(maxsize=16)
def dimmed(frame: LightFrame, percent: int) -> LightFrame:
    """Picture scaled to this share of its light; a lit cell stays lit."""
    if percent >= 100:
        return frame
    part = (percent / 100) ** (1 / GAMMA)
    colours = tuple(
        (round(red * part), round(green * part), round(blue * part))
        for red, green, blue in frame.palette
    )
    return replace(frame, palette=colours)


def stones_in(kinds: Sequence[int]) -> dict[int, Pattern]:
    """Stones drawn in light for the kinds of a game's cells, by game cell."""
    return {cell: STONES.get(Kind(kind), STONE) for cell, kind in enumerate(kinds) if kind}


class Ideas:
    """Pictures that explain each choice of a board's lobby, one second each."""

    def __init__(self, profile: Profile, places: Places, offers: Offers) -> None:
        self._profile = profile
        self._places = places
        self._offers = offers
        self._field = cache(self._field_of)
        self._opening = cache(self._opening_of)

    def of(self, choice: str, setup: TableSetup, waiting: Light) -> tuple[Light, ...]:
        """Pictures of a choice; `waiting` is the position of the game that can be resumed."""
        head, _, value = choice.partition("/")
        offer = self._offers.game(setup.game)
        if choice in (START, REMATCH):
            return (self._shape(self._field(offer.slug, size_of(setup))),)
        if choice == RESUME:
            return (waiting or self._shape(self._field(offer.slug, size_of(setup))),)
        if head == GAME:
            return self._opening(value or offer.slug)
        if head == SIZE:
            return (self._shape(self._field(offer.slug, int(value) if value else size_of(setup))),)
        if head in (FIRST, SECOND):
            side = (FIRST, SECOND).index(head)
            return self._player(side, value or setup.seats[side])
        if head == CLOCK:
            return self._clock(offer, value or offer.clock(setup))
        if head == LANGUAGE:
            languages = self._offers.languages
            return (self._dots(languages.index(value) + 1 if value else len(languages)),)
        if head == BRIGHTNESS:
            return self._brightness(value)
        others: Mapping[str, tuple[Light, ...]] = {
            LESSON: (dict.fromkeys(self._places.of(LESSON, ["a", "b", "c"]).values(), TAUGHT),),
            CARE: tuple(self._dots(n) for n in (1, 2, 3)),
            OFF: self._going_out(),
            BACK: ({self._places.back: EXPLAINED},),
        }
        return others[head]

    def digits(self, pin: str, stone: int) -> tuple[Light, ...]:
        """PIN counted out digit by digit around the cell on which a stone asks for it: three
        seconds a digit, then a dark picture. The first and the last picture, and each at which the
        sequence may stop, light as many cells as there are digits. Without a network all is dark,
        except the way back."""
        if not pin:
            return ({},)
        taken = (stone, self._places.back)
        rows = [[cell for cell in row if cell != self._places.back] for row in self._places.rows]
        around = [row for row in rows if stone not in row and len(row) >= IN_A_ROW]
        middle = (len(around) - 1) / 2
        nearest = sorted(range(len(around)), key=lambda n: (abs(n - middle), n))[:IN_A_ROW]
        square = [
            cell
            for n in sorted(nearest)
            for cell in around[n][(len(around[n]) - IN_A_ROW) // 2 :][:IN_A_ROW]
        ]
        if len(square) < MAX_DIGIT:  # hardly a row beside the stone's
            square = [cell for row in rows for cell in row if cell != stone]
        ring = [one for one in self._places.ring if one not in taken]
        still = self._dots(len(pin))
        pictures = [still]
        for digit in map(int, pin):
            pictures += [self._shape(square[:digit] if digit else ring)] * DIGIT_IDEAS
            pictures.append({})
        return (*pictures, still)

    def _shape(self, cells: Collection[int]) -> Light:
        return dict.fromkeys(cells, SHAPE)

    def _dots(self, count: int) -> Light:
        """Line of this number of lit cells, to be counted."""
        names = [str(n) for n in range(count)]
        return self._shape(self._places.of(CARE, names).values())

    def _player(self, side: int, who: str) -> tuple[Light, ...]:
        """Side of a player: all of it breathes for a person; for a machine the number of lit cells
        is its strength."""
        if who == HUMAN:
            return (dict.fromkeys(self._places.side(side), PERSON),)
        levels = self._offers.levels
        level = who.removeprefix(BOT)
        strong = levels.index(level) + 1 if level in levels else 1
        rows = self._places.rows if side else self._places.rows[::-1]
        cells = [cell for row in rows for cell in row]
        return (dict.fromkeys(cells[:strong], MACHINE),)

    def _clock(self, offer: GameOffer, notation: str) -> tuple[Light, ...]:
        """Clock hand that turns as far as the clock is long in the list; without a clock it stands
        still."""
        ring = tuple(dict.fromkeys(self._places.ring))
        if notation == NONE:
            return (self._shape(ring),)
        far = (offer.clocks.index(notation) + 1) / len(offer.clocks)
        return tuple(self._shape(ring[: max(1, round(len(ring) * far * n / 3))]) for n in (1, 2, 3))

    def _brightness(self, value: str) -> tuple[Light, ...]:
        """All cells lit, at the value that is looked at; the table dims what is shown."""
        everywhere = self._shape(range(len(self._profile.cells)))
        if value:
            return (everywhere,)
        return tuple(self._dots(n + 1) for n in range(len(BRIGHTNESSES)))

    def _going_out(self) -> tuple[Light, ...]:
        """Board that goes dark row by row."""
        rows = self._places.rows
        parts = (len(rows), len(rows) * 2 // 3, len(rows) // 3, 0)
        return tuple(self._shape([cell for row in rows[:n] for cell in row]) for n in parts)

    # What a game looks like.

    def _on_board(self, slug: str, size: int) -> tuple[Game, tuple[int, ...]]:
        game = games.load(slug, **options_of(self._offers.game(slug), size))
        placing = fit(game, self._profile)
        return game.laid_on(self._profile.grid), placing.board

    def _field_of(self, slug: str, size: int) -> tuple[int, ...]:
        """Board cells on which a game is played."""
        return self._on_board(slug, size)[1]

    def _opening_of(self, slug: str) -> tuple[Light, ...]:
        """Random opening moves of a game, always the same ones."""
        game, board = self._on_board(slug, 0)
        if slug not in OURS_BY_NAME:  # rules from a file are run only to be played
            return (self._shape(board),)
        rng = random.Random(slug)
        position = game.start()
        pictures = []
        for number in range(OPENING_MOVES):
            movers = game.movers(position)
            if not movers:
                break
            side = movers[number % len(movers)]
            moves = [move for move in game.moves(position, side) if not move.is_word]
            if not moves:
                continue
            position = game.play(position, rng.choice(moves))
            pictures.append(picture_of(game, position, board))
        return tuple(pictures) or (self._shape(board),)


def picture_of(game: Game, position: Position, board: Sequence[int]) -> Light:
    """Position in light, on the board's cells."""
    if isinstance(game, LightGame):
        marks = game.scene(position)
        return {board[mark.cell]: pattern(mark.meaning, mark.side) for mark in marks}
    stones = stones_in(game.pieces(position))
    return {board[cell]: look for cell, look in stones.items()}
