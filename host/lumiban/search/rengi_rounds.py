"""A position of Rengi thought through in rounds, each with beams twice as wide as the one before.

A round holds what may be done against what the other side can do, by beams and by a reading of
the duel. What a view hides is guessed several times over, and each hand is weighed by all guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lumiban.games.base import Position
from lumiban.games.kernel import hash_table
from lumiban.games.rengi import RengiState
from lumiban.games.rengi.rules import ENDED, FREE, MOVER, PAIRS, PASS, RNG, SUPPLY, completed
from lumiban.search.rengi_duel import SCALE, Duel, Reading, ended
from lumiban.search.rengi_levels import RengiStrength
from lumiban.search.rengi_plans import Beams, Plans, Shot, Steps

if TYPE_CHECKING:
    from lumiban.games.rengi import Rengi

NARROWEST, WIDEST = 4, 2048
_DUE_BUILDS = 8
"""First hands that are held against each other when ojama fall after this one."""
_AHEAD, _SHALLOW = 3, 7
"""Hands looked ahead in quiet answers, and at most where the supply is free or hidden."""
_LOST_LEVEL = 1_500
"""What it costs a first hand to be given up a level earlier."""
_NO_BURIAL = 3_000
"""What it costs a first hand not to lead to the chain that buries soonest."""
_FORESIGHT = 0.35
"""How much the worth far ahead counts beside the worth after the answer."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a round for one hand: its value, the hands expected from it on."""

    code: int
    value: float
    line: tuple[int, ...]
    looked: int = 0
    """Fields on which the value rests."""
    end: int = 0
    """What ENDED says where the game is over by it."""
    aim: Shot | None = None
    """The best chain that is in sight this way, if it is not fired at once."""


class Rounds:
    """Thinks one position through; the mover must have a hand."""

    def __init__(
        self,
        game: Rengi,
        position: Position,
        how: RengiStrength,
        seed: int,
        *,
        compiled: bool = True,
        widest: int | None = None,
        apart: bool = False,
    ) -> None:
        """With `apart` each way to build gets a beam of its own, so that all are judged alike: an
        analysis tells them side by side, a bot only wants the best."""
        self._how, self._widest, self._apart = how, widest or how.width, apart
        states = guesses(game, position, how.samples, seed)
        plan = states[0].plan
        self.beams = Beams(plan, seed=seed, compiled=compiled)
        self._duels = [Duel(state, self.beams, compiled) for state in states]
        self._side = int(position.state[MOVER])
        self.legal = [move.code for move in game.moves(position, self._side)]
        self._free = bool(plan[FREE])
        self.hidden = len(states) > 1
        # Of what is guessed, or can be chosen, less is gained by looking far.
        shallow = self._free or self.hidden
        self._depth = min(how.depth, _SHALLOW) if shallow else how.depth
        self.judged: tuple[Judged, ...] = ()
        """What came of the last whole round, the best first."""

    def glance(self, codes: Sequence[int] = ()) -> Iterator[None]:
        """Judge these hands, or all that are legal, by the field that each leaves; in place of a
        first round."""
        duel = self._duels[0]
        found = []
        for code in codes or self.legal:
            while self.beams.until is not None and not self.beams.left:
                yield
            after, _ = duel.play(duel.root, (code,))
            self.beams.tried += 1
            end = int(after.board[ENDED])
            value = ended(end, self._side, 0) if end else duel.weighed(after, self._side)
            found.append(Judged(code, value, (code,), 1, end))
            self.judged = _ranked(found)
            yield

    def rounds(self) -> Iterator[bool]:
        """Go on to the widest beam: True after a whole round, False between slices."""
        width, exchanges = NARROWEST, 0
        while True:
            width = min(width, self._widest)
            steps = self._round(width, exchanges)
            while True:
                try:
                    next(steps)
                except StopIteration as end:
                    self.judged = _ranked(end.value)
                    break
                yield False
            reads_all = exchanges >= self._how.exchanges
            if reads_all and width >= self._widest:
                return
            yield True
            if reads_all:
                width *= 2
            exchanges = self._how.exchanges

    def _round(self, width: int, exchanges: int) -> Steps[list[Judged]]:
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
        found: list[Plans] = []
        for duel in self._duels:
            window = duel.window(duel.root, self._depth)
            found.append((yield from duel.plans(duel.root, self._side, width, window)))
        # Of a supply that is guessed too little is known for a race.
        races = how.races and not self.hidden
        burials = [
            duel.burial(duel.root, plans) if races else None
            for duel, plans in zip(self._duels, found, strict=True)
        ]
        foresight = _foresight(found, burials)
        # A chain is fired for what comes of it, not for what could be built on it.
        firing = {shot.hands for plans in found for shot in plans.shots if len(shot.hands) == 1}
        looked = sum(plans.tried for plans in found)
        chosen = self._candidates(found, foresight)
        aims = {hands: _aim(found[0], hands) for hands in chosen}
        if self._apart:
            building = [hands for hands in chosen if len(hands) == 1 and hands not in firing]
            foresight = yield from self._built_on(building, width, aims)
        judged = []
        for hands in chosen:
            value = 0.0
            line: tuple[int, ...] = ()
            before = sum(duel.used for duel in self._duels)
            for duel in self._duels:
                end, worth, line = yield from self._held(duel, hands, reading)
                value += worth / len(self._duels)
            behind = foresight.get(hands[0])
            if behind is not None and len(hands) == 1 and hands not in firing:
                value -= _FORESIGHT * min(1.0, behind / SCALE)
            used = looked + sum(duel.used for duel in self._duels) - before
            judged.append(Judged(hands[0], value, (*hands, *line), used, end, aims[hands]))
        return judged

    def _built_on(
        self,
        building: Sequence[tuple[int, ...]],
        width: int,
        aims: dict[tuple[int, ...], Shot | None],
    ) -> Steps[dict[int, float]]:
        """By hand that builds, how far it stays behind the best when each is built on by a beam
        of its own; the best chain of each goes into `aims`."""
        behind: dict[int, float] = {}
        for duel in self._duels:
            worths: dict[int, float] = {}
            for hands in building:
                after, _ = duel.play(duel.root, hands)
                if int(after.board[ENDED]) != 0 or hands == (PASS,):
                    continue
                window = duel.window(duel.root, self._depth) - 1
                if window < 1:
                    continue
                plans = yield from duel.plans(after, self._side, width, window)
                worths[hands[0]] = plans.worth if plans.lead else -2.0 * SCALE
                shot = max(plans.shots, key=lambda shot: shot.points, default=None)
                if duel is self._duels[0] and shot is not None:
                    aims[hands] = replace(shot, hands=(*hands, *shot.hands))
            top = max(worths.values(), default=0.0)
            for hand, worth in worths.items():
                behind[hand] = behind.get(hand, 0.0) + (top - worth) / len(self._duels)
        return behind

    def _candidates(self, found: list[Plans], foresight: dict[int, float]) -> list[tuple[int, ...]]:
        """What is held against the answers: hands to build with, chains to fire, a pass."""
        how = self._how
        duel = self._duels[0]
        running = duel.window(duel.root, 99) < 99
        builds = max(how.builds, _DUE_BUILDS) if running and how.exchanges else how.builds
        ranked = sorted(foresight, key=lambda hand: (foresight[hand], hand))
        chosen: list[tuple[int, ...]] = []
        chosen += [(hand,) for hand in ranked if hand in self.legal][:builds]
        for plans in found[:1] if self._free else found:
            for shot in plans.shots:
                if len(shot.hands) == 1 or (running and how.exchanges):
                    chosen.append(shot.hands)
        if self.legal[-1] == PASS and duel.under_fire(duel.root):
            chosen.append((PASS,))
        kept = list(dict.fromkeys(hands for hands in chosen if hands[0] in self.legal))
        return kept or [(self.legal[0],)]

    def _held(
        self, duel: Duel, hands: tuple[int, ...], reading: Reading
    ) -> Steps[tuple[int, float, tuple[int, ...]]]:
        """How the game ends by these hands in a row, if it does; what they are worth for the
        mover, against the best answer read; and that answer."""
        after, played = duel.play(duel.root, hands)
        end = int(after.board[ENDED])
        if end != 0:
            return (end if played == 1 else 0), ended(end, self._side, 0), ()
        value, line = yield from duel.value(after, reading, reading.exchanges, 1)
        return 0, (value if int(after.board[MOVER]) == self._side else 1.0 - value), line


def _ranked(judged: list[Judged]) -> tuple[Judged, ...]:
    """The best way of each hand, the best hand first."""
    best: dict[int, Judged] = {}
    for one in sorted(judged, key=lambda one: -one.value):
        best.setdefault(one.code, one)
    return tuple(best.values())


def _foresight(found: Sequence[Plans], burials: Sequence[Shot | None]) -> dict[int, float]:
    """By first hand that builds, how far it stays behind the best, over all guesses.

    Where a burial is in sight all hands but its first are behind it: without offset who is buried
    first has lost, and a longer chain comes too late.
    """
    behind: dict[int, float] = {}
    for plans, burial in zip(found, burials, strict=True):
        if not plans.roots:
            continue
        top = plans.roots[0]
        for root in plans.roots:
            lost = _LOST_LEVEL * (top.level - root.level) + max(0, top.worth - root.worth)
            if burial is not None:
                lost = 0 if root.hand == burial.hands[0] else lost + _NO_BURIAL
            behind[root.hand] = behind.get(root.hand, 0.0) + lost / len(found)
    return behind


def _aim(plans: Plans, hands: tuple[int, ...]) -> Shot | None:
    """The chain of most points that begins with these hands and takes more than one."""
    shots = [s for s in plans.shots if len(s.hands) > 1 and s.hands[: len(hands)] == hands]
    return max(shots, key=lambda shot: shot.points, default=None)


def guesses(game: Rengi, position: Position, count: int, seed: int) -> list[RengiState]:
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
