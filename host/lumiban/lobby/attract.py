"""Films of a resting board, in light: the decisive moment of a kept game, one rule of a lesson, and
the opening of a random game, in turn.

No bot's process is needed for any of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path

from lumiban import games
from lumiban.boards.profile import Profile
from lumiban.errors import LumibanError
from lumiban.games.base import Game, Position
from lumiban.games.builtin_lessons import LESSONS
from lumiban.games.lessons import Step, position_of
from lumiban.games.light_game import LightGame
from lumiban.games.mark_kinds import OWNED, REMOVABLE
from lumiban.games.registry import OURS_BY_NAME
from lumiban.lobby.choices import Offers, options_of
from lumiban.lobby.lights import Light, picture_of
from lumiban.scene.grammar import pattern
from lumiban.table import record
from lumiban.table.fitting import fit
from lumiban.table.view_fields import Text

MOVE_S = 2.0
RULE_S = 4.0
"""So long what a rule allows is to be seen, before a move follows it."""
END_S = 6.0
"""So long the end of a film is to be seen."""
MAX_MOVES = 24
"""Of a game by chance: its beginning."""
KEPT = 8
"""So many of the last games are looked at for their best moments."""
BEFORE, AFTER = 4, 2
"""Moves that are shown before the one that changed most, and after it."""

Film = Iterator[tuple[Light, float]]
"""Pictures, each with its time in seconds."""


@dataclass(frozen=True, slots=True)
class Told:
    """Caption of a film: the game, its headline and, where there is more to say, a sentence."""

    game: str
    title: Text
    text: Text | None = None


class Attract:
    """Endless sequence of films for one board; times are in seconds. `records` is the folder of
    kept games, None for none."""

    def __init__(
        self, profile: Profile, offers: Offers, records: Path | None = None, seed: int = 0
    ) -> None:
        self._profile = profile
        self._games = [one for one in offers.games if one.slug in OURS_BY_NAME]
        self._records = records
        self._rng = random.Random(seed)
        self._kinds: tuple[Callable[[], Film], ...] = (self._moment, self._rule, self._game)
        self._film: Film = iter(())
        self._number = self._told = self._played = -1
        self._due_s = 0.0
        self.shown: Light = {}
        """The picture that was shown last."""
        self.told: Told | None = None
        """The film that it belongs to, in words."""

    def next_due_s(self, now_s: float) -> float:
        """Time in seconds at which the next picture is shown."""
        return max(self._due_s, now_s)

    def light(self, now_s: float) -> Light:
        """Picture shown at this moment."""
        if now_s >= self._due_s:
            self.shown, lasts_s = self._next()
            self._due_s = now_s + lasts_s
        return self.shown

    def _next(self) -> tuple[Light, float]:
        """Next picture of the film; after its end, or where a film is empty, the first picture of
        the next film."""
        for _ in range(len(self._kinds) + 1):
            picture = next(self._film, None)
            if picture is not None:
                return picture
            self._number = (self._number + 1) % len(self._kinds)
            self._film = self._kinds[self._number]()
        return {}, END_S

    # The films.

    def _moment(self) -> Film:
        """Move of a kept game that changed most, with the moves around it."""
        for name in self._rng.sample(names := self._kept(), len(names)):
            try:
                document = record.read(name)
                game, positions = record.replay(document)
                board = fit(game, self._profile).board
            except LumibanError:  # of another board, or damaged: another one is shown
                continue
            if len(positions) <= BEFORE:
                continue
            shown = game.laid_on(self._profile.grid)
            best = max(range(1, len(positions)), key=lambda n: (_changed(game, positions, n), n))
            side = f"side.{game.sides[int(document['moves'][best - 1]['side'])]}"
            self.told = Told(
                game.slug,
                Text("lobby.shows.moment", {"side": side}),
                Text("lobby.shows.moment.where", {"n": best}),
            )
            film = positions[max(best - BEFORE, 0) : best + AFTER + 1]
            for position in film[:-1]:
                yield picture_of(shown, position, board), MOVE_S
            yield picture_of(shown, film[-1], board), END_S
            return

    def _kept(self) -> list[Path]:
        """Most recent kept games."""
        if self._records is None or not self._records.is_dir():
            return []
        return nlargest(KEPT, self._records.glob("*" + record.SUFFIX))

    def _rule(self) -> Film:
        """One step of a lesson: the position, the legal moves, and a move that shows the rule."""
        lessons = [LESSONS[one.slug] for one in self._games if one.slug in LESSONS]
        rules = [(lesson, step) for lesson in lessons for step in lesson.steps if step.stones]
        if not rules:
            return
        self._told = (self._told + 1) % len(rules)
        lesson, step = rules[self._told]
        game = games.load(lesson.slug, **lesson.options)
        try:
            board = fit(game, self._profile).board
            position = position_of(game, step)
        except LumibanError:  # a lesson's board may be larger than this one
            return
        if isinstance(game, LightGame):
            return
        stones = picture_of(game, position, board)
        said = Text(f"lobby.rule.{lesson.slug}.{step.idea}", {})
        self.told = Told(
            lesson.slug, Text(lesson.text_id(lesson.steps.index(step), "title"), {}), said
        )
        yield stones, MOVE_S
        # Whose a cell is says more than that one may place there; a stone to be taken shows that.
        marks = sorted(game.marks(position, step.hint), key=lambda mark: mark.meaning == OWNED)
        allowed = {board[mark.cell]: pattern(mark.meaning, mark.side) for mark in marks}
        taken = {
            board[mark.cell]: pattern(mark.meaning, mark.side)
            for mark in marks
            if mark.meaning == REMOVABLE
        }
        yield {**allowed, **stones, **taken}, RULE_S
        after = _shown_by(game, position, step)
        if after is not None:
            yield picture_of(game, after, board), END_S

    def _game(self) -> Film:
        """Opening of the next built-in game, played at random."""
        if not self._games:
            return
        self._played = (self._played + 1) % len(self._games)
        offer = self._games[self._played]
        own = games.load(offer.slug, **options_of(offer))
        board = fit(own, self._profile).board
        game = own.laid_on(self._profile.grid)
        position = game.start()
        name = f"game.{offer.slug}.name"
        self.told = Told(offer.slug, Text("lobby.shows.game", {"game": name}))
        for number in range(MAX_MOVES):
            yield picture_of(game, position, board), MOVE_S
            movers = game.movers(position)
            if not movers:
                break
            listed = game.moves(position, movers[number % len(movers)])
            moves = [move for move in listed if not move.is_word] or listed
            if moves:
                position = game.play(position, self._rng.choice(moves))
        yield picture_of(game, position, board), END_S


def _changed(game: Game, positions: Sequence[Position], n: int) -> int:
    """Cells changed by this move."""
    before, after = game.kinds_on(positions[n - 1]), game.kinds_on(positions[n])
    return sum(one != other for one, other in zip(before, after, strict=True))


def _shown_by(game: Game, position: Position, step: Step) -> Position | None:
    """Position after the first single move that shows the idea; None where there is no such
    move."""
    for side in game.movers(position):
        for move in game.moves(position, side):
            if step.shows([move]):
                return game.play(position, move)
    return None
