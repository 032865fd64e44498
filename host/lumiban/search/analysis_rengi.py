"""Analysis of Rengi: by the bot's own beams and its reading of the duel, round after round.

At first every hand is weighed by the field that it leaves; then come rounds with wider and wider
beams, in which a few ways to build, all chains and a pass are held against the answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from lumiban.games.base import Game, Position
from lumiban.games.explain import Said, said
from lumiban.games.rengi.field import ojama
from lumiban.search.analysis import DRAW, LOSS, OPEN, WIN, Line, Looking
from lumiban.search.levels import NAMES
from lumiban.search.rengi_levels import STRENGTHS
from lumiban.search.rengi_rounds import WIDEST, Judged, Rounds
from lumiban.search.rengi_think import expected, warm

if TYPE_CHECKING:
    from lumiban.games.rengi import Rengi

BUILDS = 8
"""Ways to build that are held against the answers: more than a bot needs."""
LEAST = 2
"""A chain of so many steps is worth a word."""


class RengiLooking(Looking):
    """The hands of a position; counts fields, as `positions`."""

    unit = "positions"

    def __init__(self, game: Game, position: Position, seed: int, *, compiled: bool = True) -> None:
        super().__init__(game, position)
        self._rengi = cast("Rengi", game)
        self._compiled = compiled
        how = replace(STRENGTHS[NAMES[-1]], builds=BUILDS)
        self._search = Rounds(
            self._rengi, position, how, seed, compiled=compiled, widest=WIDEST, apart=True
        )
        self._steps = (self._search.glance(), self._search.rounds())

    def warm(self) -> None:
        """A very short thought compiles all that is used."""
        if self._compiled:
            warm(self._rengi)

    def grow(self, portion: int) -> int:
        """Try so many fields more."""
        beams = self._search.beams
        before = beams.tried
        beams.until = before + portion
        for steps in self._steps:
            for _ in steps:
                if beams.tried >= beams.until:
                    self.looked = beams.tried
                    return portion
        self.looked = beams.tried
        return beams.tried - before

    @property
    def judged(self) -> tuple[Judged, ...]:
        """What came of the last whole round, the best hand first."""
        return self._search.judged

    def found(self) -> list[Line]:
        """What the last whole round has judged, best first."""
        return [self._line(one) for one in self.judged]

    def lines(self, top: int) -> tuple[Line, ...]:
        """The best `top` moves, with words: a plan changes as one looks on."""
        return tuple(self._told(self._worded(self._line(one)), one) for one in self.judged[:top])

    def _line(self, one: Judged) -> Line:
        side = self._rengi.movers(self.position)[0]
        moves = expected(self._rengi, self.position, self._search, one)
        proof = OPEN
        if one.end:
            proof = DRAW if one.end == 1 else WIN if one.end == side + 2 else LOSS
        value = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}.get(proof, min(1.0, max(0.0, one.value)))
        return Line(moves[0], value, one.looked, moves, proof, int(proof == WIN))

    def _told(self, line: Line, one: Judged) -> Line:
        """The line with what comes of the hand later: a chain in sight, and a chain in answer."""
        if line.proof:
            return line
        words = [word for word in line.does if word.what != "quiet"]
        rate = int(self._rengi.options["rate"])
        if one.aim is not None and one.aim.steps >= LEAST:
            words.append(
                said(
                    "rengi.leads", n=one.aim.steps, hands=len(one.aim.hands),
                    ojama=ojama(one.aim.points, rate, 0),
                )
            )  # fmt: skip
        answer = self._answer(line)
        if answer is not None:
            words.append(answer)
        return replace(line, does=tuple(words) or line.does)

    def _answer(self, line: Line) -> Said | None:
        """The first chain of the other side in the line."""
        now = self.position
        for move in line.moves:
            if move.side != line.move.side and not move.is_word:
                chain = self._rengi.chain(now, move)
                if len(chain.steps) >= LEAST:
                    return said("rengi.lets", n=len(chain.steps), ojama=chain.ojama)
            now = self._rengi.play(now, move)
        return None
