"""How the bot thinks in Rengi: what can be built and fired by beams, which of it gains in the duel.

The same position is thought through again and again, each time with beams twice as wide, until
the level's bound, the playouts or the time are used up. What a view hides is guessed several
times over, and each hand is weighed by all guesses.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumiban.games.api import Move, Position
from lumiban.games.kernel import hash_table
from lumiban.games.rengi import RengiState
from lumiban.games.rengi.plan import (
    ENDED,
    FREE,
    MOVER,
    PAIRS,
    PASS,
    RNG,
    SUPPLY,
)
from lumiban.games.rengi.supply import completed
from lumiban.search.rengi_duel import SCALE, Duel, Reading, ended
from lumiban.search.rengi_levels import STRENGTHS, RengiStrength
from lumiban.search.rengi_plans import Beams, Late, Plans
from lumiban.search.think import Thought

if TYPE_CHECKING:
    from lumiban.games.rengi import Rengi

FIELDS_A_PLAYOUT = 20
"""A budget is told in playouts; so many fields tried take about as long."""
NARROWEST, WIDEST = 4, 2048
_FULL = "strong"
_DUE_BUILDS = 8
"""First hands that are held against each other when ojama fall after this one."""
_AHEAD, _SHALLOW = 3, 7
"""Hands looked ahead in quiet answers, and at most where the supply is free or hidden."""
_GROWS = 2.3
"""How many times as long the next round takes."""
_LOST_LEVEL = 1_500
"""What it costs a first hand to be given up a level earlier."""
_FORESIGHT = 0.35
"""How much the worth far ahead counts beside the worth after the answer."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """What came of a round: the hand, its value, the hands expected."""

    code: int
    value: float
    line: tuple[int, ...]


def think_rengi(
    game: Rengi,
    position: Position,
    level: str,
    seed: int,
    *,
    playouts: int | None = None,
    longest_us: int | None = None,
    compiled: bool = True,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
    strength: RengiStrength | None = None,
) -> Thought:
    """The hand or pass to make in a `game.view`, as this level plays.

    With `playouts` it tries at most about 20 fields for each of them, however long that lasts, and
    the same seed gives the same thought, plain and compiled; `longest_us` takes the place of the
    level's time, and full strength then widens its beams as long as there is time. `stop()` is
    asked every few milliseconds and ends the thought with what it has. `strength` plays otherwise
    than the level says. The mover must have a hand.
    """
    how = strength or STRENGTHS[level]
    moves = game.moves(position, position.state[MOVER])
    if len(moves) == 1:
        return Thought(moves[0], 0.5, 0, 0, (moves[0],))
    chance = random.Random(f"rengi {seed} {len(position.history)}")
    if chance.random() < how.slips:
        slip = chance.choice([move for move in moves if move.code != PASS])
        return Thought(slip, 0.5, 0, 0, (slip,))
    open_end = level == _FULL and strength is None and (playouts or longest_us) is not None
    thinker = _Thinker(game, position, how, seed, compiled, stop, progress)
    return thinker.think(
        budget=None if playouts is None else playouts * FIELDS_A_PLAYOUT,
        longest_us=(longest_us or how.longest_us) if playouts is None else None,
        widest=WIDEST if open_end else how.width,
    )


class _Thinker:
    def __init__(
        self,
        game: Rengi,
        position: Position,
        how: RengiStrength,
        seed: int,
        compiled: bool,
        stop: Callable[[], bool] | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._game, self._position, self._how = game, position, how
        self._stop, self._progress = stop, progress
        self._deadline: int | None = None
        self._total = 0
        self._states = _guesses(game, position, how.samples, seed)
        plan = self._states[0].plan
        self._beams = Beams(plan, seed=seed, compiled=compiled, late=self._late)
        self._duels = [Duel(state, self._beams, compiled) for state in self._states]
        self._legal = [move.code for move in game.moves(position, position.state[MOVER])]
        self._free = bool(plan[FREE])
        # Of what is guessed, or can be chosen, less is gained by looking far.
        shallow = self._free or len(self._states) > 1
        self._depth = min(how.depth, _SHALLOW) if shallow else how.depth

    def think(self, budget: int | None, longest_us: int | None, widest: int) -> Thought:
        began = _now_us()
        self._deadline = None if longest_us is None else began + longest_us
        self._total = budget or (longest_us or 0)
        found: _Judged | None = None
        width, exchanges = NARROWEST, 0
        while True:
            round_began, tried = _now_us(), self._beams.tried
            width = min(width, widest)
            try:
                found = self._round(width, exchanges)
            except Late:
                break
            now = _now_us()
            reads_all = exchanges >= self._how.exchanges
            if reads_all and width >= widest:
                break
            if budget is not None:
                round_tried = self._beams.tried - tried
                if self._beams.tried + _GROWS * round_tried > budget:
                    break
            elif self._deadline is not None and now + _GROWS * (now - round_began) > self._deadline:
                break
            if reads_all:
                width *= 2
            exchanges = self._how.exchanges
        if found is None:
            found = self._hasty()
        return self._thought(found)

    def _late(self) -> bool:
        now = _now_us()
        if self._progress is not None and self._total:
            self._progress(self._beams.tried // FIELDS_A_PLAYOUT, self._total)
        if self._stop is not None and self._stop():
            return True
        return self._deadline is not None and now >= self._deadline

    def _round(self, width: int, exchanges: int) -> _Judged:
        """Judge what may be done, with beams of this width."""
        how = self._how
        reading = Reading(
            width=width,
            depth=self._depth,
            answers=max(3, width // 5),
            ahead=min(self._depth, _AHEAD),
            builds=how.builds,
            exchanges=exchanges,
        )
        side = int(self._states[0].board[MOVER])
        found = [
            duel.plans(duel.root, side, width, duel.window(duel.root, self._depth))
            for duel in self._duels
        ]
        foresight = self._foresight(found)
        # A chain is fired for what comes of it, not for what could be built on it.
        firing = {shot.hands for plans in found for shot in plans.shots if len(shot.hands) == 1}
        judged = []
        for hands in self._candidates(found, foresight):
            value = 0.0
            line: tuple[int, ...] = ()
            for duel in self._duels:
                worth, line = self._held(duel, hands, reading)
                value += worth / len(self._duels)
            behind = foresight.get(hands[0])
            if behind is not None and len(hands) == 1 and hands not in firing:
                value -= _FORESIGHT * min(1.0, behind / SCALE)
            judged.append(_Judged(hands[0], value, (*hands, *line)))
        return max(judged, key=lambda one: one.value)

    def _foresight(self, found: list[Plans]) -> dict[int, float]:
        """By first hand that builds, how far it stays behind the best, over all guesses."""
        behind: dict[int, float] = {}
        for plans in found:
            if not plans.roots:
                continue
            top = plans.roots[0]
            for root in plans.roots:
                lost = _LOST_LEVEL * (top.level - root.level) + max(0, top.worth - root.worth)
                behind[root.hand] = behind.get(root.hand, 0.0) + lost / len(found)
        return behind

    def _candidates(self, found: list[Plans], foresight: dict[int, float]) -> list[tuple[int, ...]]:
        """What is held against the answers: hands to build with, chains to fire, a pass."""
        how = self._how
        duel = self._duels[0]
        running = duel.window(duel.root, 99) < 99
        builds = max(how.builds, _DUE_BUILDS) if running and how.exchanges else how.builds
        ranked = sorted(foresight, key=lambda hand: (foresight[hand], hand))
        chosen: list[tuple[int, ...]] = []
        chosen += [(hand,) for hand in ranked if hand in self._legal][:builds]
        for plans in found[:1] if self._free else found:
            for shot in plans.shots:
                if len(shot.hands) == 1 or (running and how.exchanges):
                    chosen.append(shot.hands)
        if self._legal[-1] == PASS and duel.under_fire(duel.root):
            chosen.append((PASS,))
        kept = list(dict.fromkeys(hands for hands in chosen if hands[0] in self._legal))
        return kept or [(self._legal[0],)]

    def _held(
        self, duel: Duel, hands: tuple[int, ...], reading: Reading
    ) -> tuple[float, tuple[int, ...]]:
        """What these hands in a row are worth for the mover, against the best answer read."""
        state = duel.root
        side = int(state.board[MOVER])
        after, _ = duel.play(state, hands)
        if int(after.board[ENDED]) != 0:
            return ended(int(after.board[ENDED]), side, 0), ()
        value, line = duel.value(after, reading, reading.exchanges, 1)
        return (value if int(after.board[MOVER]) == side else 1.0 - value), line

    def _hasty(self) -> _Judged:
        """When there was no time for a round: the hand that leaves the best field of those seen."""
        state = self._states[0]
        duel = self._duels[0]
        side = int(state.board[MOVER])
        best = (-1.0, self._legal[0])
        for code in self._legal[:22]:
            after, _ = duel.play(duel.root, (code,))
            end = int(after.board[ENDED])
            value = ended(end, side, 0) if end else duel.weighed(after, side)
            if value > best[0]:
                best = value, code
            if self._late():
                break
        return _Judged(best[1], best[0], (best[1],))

    def _thought(self, found: _Judged) -> Thought:
        game, now = self._game, self._position
        pv: list[Move] = []
        for code in found.line:
            if game.outcome(now) is not None:
                break
            move = game.move_of(now, code)
            if game.why_not(now, move.side, move) is not None:
                break
            pv.append(move)
            now = game.play(now, move)
            if self._hidden:
                break
        if not pv:
            pv = [game.move_of(self._position, found.code)]
        tried = self._beams.tried // FIELDS_A_PLAYOUT
        return Thought(pv[0], min(1.0, max(0.0, found.value)), tried, tried, tuple(pv))

    @property
    def _hidden(self) -> bool:
        return len(self._states) > 1


def _guesses(game: Rengi, position: Position, count: int, seed: int) -> list[RengiState]:
    """States for a view: one where nothing is hidden, else as many guesses at what is."""
    first = game.state(position)
    pairs = int(first.plan[PAIRS])
    given = position.state[len(position.state) - 2 * pairs :] if pairs else ()
    known = tuple(zip(given[::2], given[1::2], strict=True))
    hidden = (0, 0) in known
    if not hidden and position.state[RNG] != 0:
        return [first]
    states = []
    if hidden:
        known = known[: known.index((0, 0))]
    for number in range(count):
        state = game.state(position)
        if hidden:
            guess = completed(known, pairs, hash_table(2, seed)[1] + number)
            state.plan[SUPPLY:] = [colour for pair in guess for colour in pair]
        state.board[RNG] = hash_table(1, 1000 * seed + number)[0] | 1
        states.append(state)
    return states


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def warm(game: Rengi) -> None:
    """Compile all that a thought needs, or read it from the cache, by a very short thought."""
    think_rengi(game, game.start(), _FULL, 0, playouts=1)
