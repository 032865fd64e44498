"""Bot of Rengi: search round after round, until its bound, and the choice of its hand.

A round (`Rounds`) holds what may be done against what the other side can do, by beams twice as wide
as in the one before and by a reading of the duel. What a view hides is guessed several times over,
and each hand is weighed by all guesses. The five levels (`RengiStrength`) differ in how far a bot
builds ahead, what it reads of the duel, and how it slips.

`solo` builds a chain alone, hand after hand, from a loop that is known: how long can it get?

In analysis every hand is weighed at first by the field that it leaves; then come rounds with wider
and wider beams, in which a few ways to build, all chains and a pass are held against the answers.
`RengiEngine` is what the rest of the search asks.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lumiban.errors import GameError
from lumiban.games.base import Game, Move, MoveEffect, Position, move_effect
from lumiban.games.kernel import hash_table
from lumiban.games.rengi import Rengi, RengiState
from lumiban.games.rengi.arrays import (
    ENDED,
    FREE,
    GHOST_C,
    MOVER,
    PAIRS,
    PASS,
    PLACEMENTS,
    RNG,
    STAY14,
    SUPPLY,
    completed,
)
from lumiban.games.rengi.field import FIELD_SIZE, OUT_SIZE, is_dead, ojama, place_pair, resolve
from lumiban.search.anytime_analysis import DRAW, LOSS, OPEN, WIN, Looking, Variation
from lumiban.search.engine import Engine, Question, Thought
from lumiban.search.levels import NAMES, name_of, plays_to_lose
from lumiban.search.rengi.duel import SCALE, Beams, Duel, Plans, Reading, Shot, Steps, ended

FIELDS_A_PLAYOUT = 20
"""Number of fields tried that take about as long as a playout, in which a budget is told."""
_FULL = "strong"
_GROWS = 2.3
"""Factor by which the next round takes longer."""
_POOREST_OF = 3
"""Number of hands of which the poorest is played in a game that is given away."""


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
    began = _now_us()
    how = strength or strengths(game)[level]
    moves = game.moves(position, position.state[MOVER])
    if len(moves) == 1:
        return Thought(moves[0], 0.5, 0, 0, (moves[0],))
    chance = random.Random(f"rengi {seed} {len(position.history)}")
    hands = [move for move in moves if move.code != PASS]
    if plays_to_lose(position, how.gives_away):
        some = chance.sample(hands, min(_POOREST_OF, len(hands)))
        poor = _poorest(game, position, how, some)
        return Thought(poor, 0.5, 0, 0, (poor,))
    if chance.random() < how.slips:
        slip = chance.choice(hands)
        return Thought(slip, 0.5, 0, 0, (slip,))
    open_end = level == _FULL and strength is None and (playouts or longest_us) is not None
    budget = None if playouts is None else playouts * FIELDS_A_PLAYOUT
    longest = (longest_us or how.longest_us) if playouts is None else None
    search = Rounds(
        game, position, how, seed, compiled=compiled, widest=WIDEST if open_end else None
    )
    beams = search.beams

    def late() -> bool:
        if progress is not None:
            progress(beams.tried // FIELDS_A_PLAYOUT, max(1, playouts or longest or 0))
        if stop is not None and stop():
            return True
        return longest is not None and _now_us() >= began + longest

    round_began, tried = began, 0
    for whole in search.rounds():
        if late():
            break
        if whole:
            now = _now_us()
            if budget is not None:
                if beams.tried + _GROWS * (beams.tried - tried) > budget:
                    break
            elif longest is not None and now + _GROWS * (now - round_began) > began + longest:
                break
            round_began, tried = now, beams.tried
    if not search.judged:
        # There was no time for a round: the hand that leaves the best field of those seen.
        for _ in search.glance():
            if late():
                break
    return _thought(game, position, search, search.judged[0])


def expected(game: Rengi, position: Position, search: Rounds, judged: Judged) -> tuple[Move, ...]:
    """The moves expected, the judged one first, as far as the rules and what is known allow."""
    first = game.move_of(position, judged.code)
    moves, now = [first], position
    for code in judged.line[1:]:
        now = game.play(now, moves[-1])
        if search.hidden or game.outcome(now) is not None:
            break
        move = game.move_of(now, code)
        if game.why_not(now, move.side, move) is not None:
            break
        moves.append(move)
    return tuple(moves)


def _poorest(game: Rengi, position: Position, how: RengiStrength, hands: list[Move]) -> Move:
    """The one of these hands that leaves the poorest field, in plain Python: they are few."""
    search = Rounds(game, position, how, 0, compiled=False)
    for _ in search.glance([hand.code for hand in hands]):
        pass
    return game.move_of(position, search.judged[-1].code)


def _thought(game: Rengi, position: Position, search: Rounds, best: Judged) -> Thought:
    pv = expected(game, position, search, best)
    tried = search.beams.tried // FIELDS_A_PLAYOUT
    return Thought(pv[0], min(1.0, max(0.0, best.value)), tried, tried, pv)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def warm(game: Rengi) -> None:
    """Compile all that a thought needs, or read it from the cache, by a very short thought."""
    think_rengi(game, game.start(), _FULL, 0, playouts=1)


@dataclass(frozen=True, slots=True)
class RengiStrength:
    """Parameters of one level of Rengi."""

    width: int
    """Fields that its beam keeps at each level, unless time or playouts say otherwise."""
    depth: int
    """Hands that it looks ahead."""
    samples: int
    """Guesses at a hidden supply."""
    builds: int
    """Ways to build on that are held against the opponent's answers."""
    exchanges: int
    """Turns of the duel that it reads; 0 sees no threat."""
    longest_us: int
    """Time that one hand may take at most."""
    slips: float = 0.0
    """Probability of playing just any hand."""
    gives_away: float = 0.0
    """The share of its games in which it plays poor hands, so that the other side wins."""
    races: bool = False
    """True if it builds the chain that buries soonest, where nothing is offset and pairs are
    known."""


STRENGTHS = {
    "gentle": RengiStrength(4, 3, 1, 1, 0, 100_000, slips=0.16, gives_away=0.44),
    "easy": RengiStrength(4, 3, 1, 1, 0, 200_000, slips=0.15),
    "medium": RengiStrength(8, 5, 2, 2, 1, 400_000, slips=0.12),
    "hard": RengiStrength(16, 8, 2, 3, 2, 700_000, slips=0.03),
    "strong": RengiStrength(96, 14, 2, 4, 2, 1_000_000, races=True),
}
"""The levels by name, from weak to strong, where pairs come from a loop."""

IN_FREE_SUPPLY = {
    **STRENGTHS,
    "easy": replace(STRENGTHS["easy"], slips=0.08),
    "medium": replace(STRENGTHS["medium"], slips=0.2),
    "hard": replace(STRENGTHS["hard"], slips=0.06),
}
"""Strength where players choose their colours: looking two hands further is worth more, so it slips
more."""


def strengths(game: Game) -> dict[str, RengiStrength]:
    """The levels of Rengi in the mode of this game.

    >>> from lumiban import games
    >>> modes = [strengths(games.load("rengi", mode=mode)) for mode in ("open", "free")]
    >>> [levels["medium"].slips for levels in modes]
    [0.12, 0.2]
    """
    return IN_FREE_SUPPLY if game.options["supply"] == "free" else STRENGTHS


NARROWEST, WIDEST = 4, 2048
_DUE_BUILDS = 8
"""First hands that are held against each other when ojama fall after this one."""
_AHEAD, _SHALLOW = 3, 7
"""Hands looked ahead in quiet answers, and at most where the supply is free or hidden."""
_LOST_LEVEL = 1_500
"""Price for a first hand that is given up a level earlier."""
_NO_BURIAL = 3_000
"""Price for a first hand that does not lead to the chain that buries soonest."""
_FORESIGHT = 0.35
"""Weight of the worth far ahead beside the worth after the answer."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Result of a round for one hand: its value, the hands expected from it on."""

    code: int
    value: float
    line: tuple[int, ...]
    looked: int = 0
    """Fields on which the value rests."""
    end: int = 0
    """Value of ENDED where the game is over by it."""
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
        """Results of the last whole round, the best first."""

    def glance(self, codes: Sequence[int] = ()) -> Iterator[None]:
        """Judge these hands, or all that are legal, by the field that each leaves; in place of a
        first round."""
        duel = self._duels[0]
        found = []
        for code in codes or self.legal:
            while self.beams.until is not None and not self.beams.fields_to_try:
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
        """Candidates to hold against the answers: hands to build with, chains to fire, a pass."""
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
        if self.legal[-1] == PASS:
            chosen.append((PASS,))
        kept = list(dict.fromkeys(hands for hands in chosen if hands[0] in self.legal))
        return kept or [(self.legal[0],)]

    def _held(
        self, duel: Duel, hands: tuple[int, ...], reading: Reading
    ) -> Steps[tuple[int, float, tuple[int, ...]]]:
        """Outcome of the game by these hands in a row, if they end it; their worth for the mover,
        against the best answer read; and that answer."""
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


WORTH_ENDING = 6
"""Steps of a chain that ends a solo; a shorter one was in the way."""
WIDTH, DEPTH = 700, 16


@dataclass(frozen=True, slots=True)
class Solo:
    """Result of one solo."""

    steps: int
    """Of its longest chain."""
    points: int
    hand: int
    """The hand that fired it, from 1."""
    seconds: tuple[float, ...]
    """CPU time of each hand."""


def solo(
    game: Rengi,
    seed: int,
    *,
    hands: int = 40,
    width: int = WIDTH,
    depth: int = DEPTH,
    compiled: bool = True,
) -> Solo:
    """Build alone with the loop of this seed and fire within a number of hands.

    It builds on as long as a longer chain is in reach than the longest way to a chain found so
    far, and goes that way when it is not, or when there are no more hands to look at.
    """
    plan = game.state(game.start(seed)).plan
    loop = tuple(plan[SUPPLY : SUPPLY + 2 * plan[PAIRS]])
    beams = Beams(plan, seed=seed, compiled=compiled)
    field, out = [0] * FIELD_SIZE, [0] * OUT_SIZE
    best = (0, 0, 0)
    aim: Shot | None = None
    seconds: list[float] = []
    for made in range(hands):
        began = time.process_time()
        at = 2 * (made % plan[PAIRS]) if loop else 0
        ahead = min(depth, hands - made)
        plans = beams.run(field, loop[at:] + loop[:at], 0, width, ahead)
        aim = _better(aim, plans)
        code = _next(aim, plans, hands - made <= depth)
        seconds.append(time.process_time() - began)
        if code is None:
            break
        goes = aim is not None and aim.hands[0] == code and len(aim.hands) > 1
        aim = Shot(aim.hands[1:], aim.points, aim.steps, aim.left) if aim and goes else None
        pair, place = divmod(code, PLACEMENTS)
        place_pair(field, 0, pair // 4 + 1, pair % 4 + 1, place // 4, place % 4, plan[STAY14])
        steps = resolve(field, 0, plan[GHOST_C], out)
        if steps > best[0]:
            best = (steps, out[1], made + 1)
        if steps >= WORTH_ENDING or is_dead(field, 0):
            break
    return Solo(*best, tuple(seconds))


def _better(aim: Shot | None, plans: Plans) -> Shot | None:
    """The longer of the chain that is aimed at and the longest found now."""
    for shot in plans.shots:
        if aim is None or shot.steps > aim.steps:
            aim = shot
    return aim


def _next(aim: Shot | None, plans: Plans, last: bool) -> int | None:
    if aim is not None and (last or not plans.lead or plans.reach < aim.steps):
        return aim.hands[0]
    if plans.lead:
        return plans.lead[0]
    return plans.roots[0].hand if plans.roots else None


BUILDS = 8
"""Ways to build that are held against the answers: more than a bot needs."""
MIN_TOLD_CHAIN = 2
"""Steps of a chain that is worth a word."""


class RengiLooking(Looking):
    """The hands of a position; counts fields, as `positions`."""

    unit = "positions"

    def __init__(
        self, game: Rengi, position: Position, seed: int, *, compiled: bool = True
    ) -> None:
        super().__init__(game, position)
        self._rengi = game
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
        """Try a number of fields more."""
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
        """Results of the last whole round, the best hand first."""
        return self._search.judged

    def variations(self) -> list[Variation]:
        """Variations that the last whole round has judged, best first."""
        return [self._variation(one) for one in self.judged]

    def lines(self, top: int) -> tuple[Variation, ...]:
        """The best `top` moves, with words: a plan changes as one looks on."""
        return tuple(
            self._with_effects(self._worded(self._variation(one)), one) for one in self.judged[:top]
        )

    def _variation(self, one: Judged) -> Variation:
        side = self._rengi.movers(self.position)[0]
        moves = expected(self._rengi, self.position, self._search, one)
        proof = OPEN
        if one.end:
            proof = DRAW if one.end == 1 else WIN if one.end == side + 2 else LOSS
        value = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}.get(proof, min(1.0, max(0.0, one.value)))
        return Variation(moves[0], value, one.looked, moves, proof, int(proof == WIN))

    def _with_effects(self, line: Variation, one: Judged) -> Variation:
        """The line with what comes of the hand later: a chain in sight, and a chain in answer."""
        if line.proof:
            return line
        words = [word for word in line.does if word.what != "quiet"]
        rate = int(self._rengi.options["rate"])
        if one.aim is not None and one.aim.steps >= MIN_TOLD_CHAIN:
            words.append(
                move_effect(
                    "rengi.leads", n=one.aim.steps, hands=len(one.aim.hands),
                    ojama=ojama(one.aim.points, rate, 0),
                )
            )  # fmt: skip
        answer = self._answer(line)
        if answer is not None:
            words.append(answer)
        return replace(line, does=tuple(words) or line.does)

    def _answer(self, line: Variation) -> MoveEffect | None:
        """The first chain of the other side in the line."""
        now = self.position
        for move in line.moves:
            if move.side != line.move.side and not move.is_word:
                chain = self._rengi.chain(now, move)
                if len(chain.steps) >= MIN_TOLD_CHAIN:
                    return move_effect("rengi.lets", n=len(chain.steps), ojama=chain.ojama)
            now = self._rengi.play(now, move)
        return None


class RengiEngine(Engine):
    """Thinks by beams and a reading of the duel; by trees where one is named."""

    units_a_playout = FIELDS_A_PLAYOUT
    grows_trees = keeps_trees = False
    searches_itself = True

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if not isinstance(game, Rengi):
            raise GameError(f"{game.slug} is not Rengi, which this engine thinks about")
        self._rengi = game

    @property
    def search_name(self) -> str:
        """The search that finds its moves."""
        return "beam"

    def strength(self, name: str) -> object:
        """All that this level is given in the mode of this game."""
        return strengths(self.game)[name_of(name)]

    def budget(self, name: str) -> dict[str, Any]:
        """Bound of this level's thought: time."""
        return {"budget": "time", "seconds": STRENGTHS[name_of(name)].longest_us / 1e6}

    def warm(self) -> None:
        """Compile all that a thought needs, or read it from the cache."""
        warm(self._rengi)

    def looking(
        self, position: Position, seed: int, budget: int, *, compiled: bool = True, **_: Any
    ) -> Looking:
        """The hands of a position, by wider and wider beams."""
        return RengiLooking(self._rengi, position, seed, compiled=compiled)

    def choose(self, question: Question) -> Thought:
        """The hand or pass that this level makes."""
        if question.kind is not None:
            return super().choose(question)
        return think_rengi(
            self._rengi, question.position, question.level.name, question.seed,
            playouts=question.playouts, longest_us=question.longest_us,
            compiled=question.compiled, stop=question.stop, progress=question.progress,
        )  # fmt: skip
