"""Rengi by the letter: two players, turns by ticks, forecasts A and B, the end.

Times are in half ticks, so that the second player's 0.5 is 1. Whatever is due before a hand is
done before it; what is due at the same moment goes in the order of the rule's sentences: a step
is credited, a chain ends, its owner's ojama fall, a window closes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from rengi_by_the_paper import (
    Fall,
    Field,
    Step,
    count,
    empty,
    fall_amount,
    fall_columns,
    is_bare,
    is_dead,
    land,
    place,
    run_chain,
    to_text,
)
from rengi_by_the_paper_reach import hands

HAND_TABLES = {
    "A": (1, 2, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 25, 27),
    "B": (2, 3, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28),
    "C": tuple(range(1, 20)),
    "D": tuple(range(2, 21)),
}
HAND = 2
ALL_CLEAR = 2100


@dataclass
class Rules:
    """The options of one game; free mode's defaults."""

    pairs: list[str] | None = None
    row14: str = "vanish"
    rate: int = 70
    offset: bool = True
    interrupt: bool = True
    ghost_ojama: str = "B"
    wall_cross: int = 1
    quick_turn: bool = True
    hand_table: str = "B"
    pass_plan: int = 2
    chain_pass: bool = True
    normal_pass: bool = False
    all_clear: bool = False
    fall: Fall = field(default_factory=Fall)
    otsuri: bool = False
    carry_remainder: bool = False
    repetition: int = 4
    pass_draw: int = 5
    mirror_limit: int = 8
    komi: int = 0

    def hands_of(self, steps: int) -> int:
        """T(n): the hands an opponent gets while n steps run."""
        return HAND_TABLES[self.hand_table][steps - 1]


@dataclass
class Chain:
    """A chain under way; when its steps are credited and when it frees its owner."""

    steps: list[Step]
    credits: list[int]
    release: int
    bin: str
    points: int = 0
    sent: int = 0
    done: int = 0

    @property
    def is_credited(self) -> bool:
        return self.done == len(self.steps)


@dataclass
class Side:
    """One player: the field, what waits against it, its time."""

    clock: int
    field: Field = field(default_factory=empty)
    index: int = 0
    a: int = 0
    b: int = 0
    score: int = 0
    carried: int = 0
    all_clear_due: bool = False
    chain: Chain | None = None
    passed_in_window: bool = False
    blocks_in: int = 0
    blocks_gone: int = 0
    ojama_fallen: int = 0
    ojama_sent: int = 0
    ojama_cancelled: int = 0

    @property
    def waiting(self) -> int:
        return self.a + self.b


class Game:
    """A whole game in the alternating modes, from the first hand to the end."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.sides = [Side(clock=0), Side(clock=1)]
        self.sides[1].carried = rules.komi
        self.over: tuple[int | None, str] | None = None
        self.history: list[tuple[int, str]] = []
        self.ordinary_passes = 0
        self.mirrored = 0
        self.told: Callable[[str, int], None] = lambda event, who: None
        self.faced: Counter[tuple[object, ...]] = Counter()
        self.settle()

    # -- what may be done --

    @property
    def mover(self) -> int:
        return min((0, 1), key=lambda who: (self.sides[who].clock, who))

    def pair_now(self, who: int) -> str | None:
        if self.rules.pairs is None:
            return None
        return self.rules.pairs[self.sides[who].index % len(self.rules.pairs)]

    def hands(self) -> list[str]:
        """The hands of the player to move, without words."""
        if self.over:
            return []
        who = self.mover
        rules = self.rules
        field, pair = self.sides[who].field, self.pair_now(who)
        listed = hands(field, pair, rules.wall_cross, rules.quick_turn)
        if who == 1 and self.mirrored >= rules.mirror_limit:
            listed = [hand for hand in listed if not self.is_copy(hand)]
        return listed

    def is_copy(self, hand: str) -> bool:
        return bool(self.history) and self.history[-1] == (0, hand)

    def may_pass(self) -> bool:
        if self.over:
            return False
        return self.rules.normal_pass or (self.rules.chain_pass and self.is_window(self.mover))

    def is_window(self, who: int) -> bool:
        """Whether the opponent's chain runs while this player is to move."""
        chain = self.sides[1 - who].chain
        return chain is not None and chain.release > self.sides[who].clock

    # -- a hand --

    def play(self, hand: str) -> None:
        who = self.mover
        side = self.sides[who]
        if hand == "resign":
            self.over = (1 - who, "resignation")
            return
        if hand == "pass":
            self.play_pass(who)
        else:
            self.play_pair(who, hand)
        self.history.append((who, hand))
        if not self.over and side.chain is None:
            self.after_hand(who)
        self.settle()

    def play_pass(self, who: int) -> None:
        if self.is_window(who):
            self.sides[who].passed_in_window = True
        else:
            self.ordinary_passes += 1
            if self.ordinary_passes >= self.rules.pass_draw:
                self.over = (None, "passes")
        self.sides[who].clock += HAND

    def play_pair(self, who: int, hand: str) -> None:
        side, rules = self.sides[who], self.rules
        self.ordinary_passes = 0
        if who == 1:
            self.mirrored = self.mirrored + 1 if self.is_copy(hand) else 0
        pair, column, rotation = hand[:2], int(hand[2]), int(hand[4])
        vanished = place(side.field, pair, column, rotation, rules.row14)
        side.blocks_in += 2 - vanished
        side.index += 1
        standing = count(side.field)
        steps = run_chain(side.field, rules.ghost_ojama)
        side.blocks_gone += standing - count(side.field)
        if steps:
            self.fire(who, steps)
        else:
            side.clock += HAND
            self.test_death(who)

    def fire(self, who: int, steps: list[Step]) -> None:
        """A chain begins: its times and its bin are settled now."""
        side, hands_of = self.sides[who], self.rules.hands_of
        delays = [hands_of(k) - hands_of(1) for k in range(1, len(steps) + 1)]
        times = [side.clock + HAND * delay for delay in delays]
        side.clock += HAND * hands_of(len(steps))
        bin_ = "B" if self.sides[1 - who].waiting else "A"
        side.chain = Chain(steps, times, side.clock, bin_)
        self.told("fires", who)

    def after_hand(self, who: int) -> None:
        """A hand without erasure is done: a window it ends is closed, then ojama fall."""
        side = self.sides[who]
        chain = self.sides[1 - who].chain
        closes = chain is not None and chain.release < side.clock
        if closes:
            self.end_chain(1 - who)
        self.fall_on(who)
        if closes:
            self.thank_for_passing(who)

    def thank_for_passing(self, who: int) -> None:
        """Plan 2: whoever passed in the window gets one more hand, in no time."""
        side = self.sides[who]
        if side.passed_in_window and self.rules.pass_plan == 2:
            side.clock -= HAND
        side.passed_in_window = False

    # -- time passes --

    def settle(self) -> None:
        """Do all that is due before the next hand, then look whether the state comes back."""
        while not self.over:
            now = self.sides[self.mover].clock
            due = [(chain.credits[chain.done], who) for who, chain in self.running()]
            due = [(time, who) for time, who in due if time <= now]
            ends = [
                (side.chain.release, who)
                for who, side in enumerate(self.sides)
                if side.chain and side.chain.is_credited and side.chain.release <= now
            ]
            if due and (not ends or min(due) <= min(ends)):
                self.credit(min(due)[1])
            elif ends:
                self.release(min(ends)[1])
            else:
                break
        self.look_back()

    def running(self) -> list[tuple[int, Chain]]:
        """Chains with steps still to be credited."""
        both = [(who, side.chain) for who, side in enumerate(self.sides)]
        return [(who, chain) for who, chain in both if chain and not chain.is_credited]

    def credit(self, who: int) -> None:
        """One step's points and ojama; after the last one the chain has run out."""
        side = self.sides[who]
        chain = side.chain
        assert chain is not None
        points = chain.steps[chain.done].points
        if chain.done == 0:
            chain.points = side.carried
            side.carried = 0
            if side.all_clear_due:
                points += ALL_CLEAR
                side.all_clear_due = False
        chain.done += 1
        chain.points += points
        side.score += points
        ojama = chain.points // self.rules.rate - chain.sent
        chain.sent += ojama
        side.ojama_sent += ojama
        self.send(who, ojama)
        self.told("step", who)
        if chain.is_credited:
            self.chain_has_run_out(who)

    def send(self, who: int, ojama: int) -> None:
        """Cancel what waits against oneself, then send the rest across."""
        mine, theirs = self.sides[who], self.sides[1 - who]
        chain = mine.chain
        assert chain is not None
        if self.rules.offset:
            for name in "ba" if self.rules.interrupt else "ab":
                cancelled = min(ojama, getattr(mine, name))
                setattr(mine, name, getattr(mine, name) - cancelled)
                mine.ojama_cancelled += cancelled
                ojama -= cancelled
        if chain.bin == "A":
            theirs.a += ojama
        else:
            theirs.b += ojama

    def chain_has_run_out(self, who: int) -> None:
        side, chain = self.sides[who], self.sides[who].chain
        assert chain is not None
        if self.rules.carry_remainder:
            side.carried = chain.points % self.rules.rate
        if self.rules.all_clear and is_bare(side.field):
            side.all_clear_due = True
        self.test_death(who)
        if not self.over:
            self.fall_on(who)

    def end_chain(self, attacker: int) -> None:
        """The attacker's chain is over: B joins A."""
        receiver = self.sides[1 - attacker]
        receiver.a, receiver.b = receiver.a + receiver.b, 0
        self.sides[attacker].chain = None

    def release(self, attacker: int) -> None:
        """The attacker is free again while the receiver's own chain still holds it."""
        who = 1 - attacker
        receiver = self.sides[who]
        self.end_chain(attacker)
        if receiver.chain is not None and receiver.chain.is_credited:
            self.fall_on(who)
        self.thank_for_passing(who)

    def fall_on(self, who: int) -> None:
        """What waits in A falls, unless the chain that fills it still runs."""
        chain = self.sides[1 - who].chain
        if chain is None or chain.bin == "B":
            self.let_ojama_fall(who)

    def let_ojama_fall(self, who: int) -> None:
        side, fall = self.sides[who], self.rules.fall
        amount = fall_amount(side.a, fall)
        unit = fall.unit
        side.a -= amount
        landed = land(side.field, fall_columns(amount, 1 if unit == 1 else 3))
        if self.rules.otsuri:
            side.a += len(landed.vanished)
        side.ojama_fallen += amount
        side.blocks_in += landed.stood
        if amount:
            self.told("fall", who)
        self.test_death(who)

    # -- the end --

    def test_death(self, who: int) -> None:
        if is_dead(self.sides[who].field) and not self.over:
            self.over = (1 - who, "death")

    def look_back(self) -> None:
        """The same full state for the fourth time is a draw."""
        if self.over:
            return
        state = self.state()
        self.faced[state] += 1
        if self.faced[state] >= self.rules.repetition:
            self.over = (None, "repetition")

    def state(self) -> tuple[object, ...]:
        """All that the future depends on, times counted from now."""
        now = self.sides[self.mover].clock
        told: list[object] = [self.mover, self.ordinary_passes]
        for side in self.sides:
            length = len(self.rules.pairs) if self.rules.pairs else 1
            told += [to_text(side.field), side.clock - now, side.index % length]
            told += [side.a, side.b, side.carried, side.all_clear_due, side.passed_in_window]
            chain = side.chain
            if chain:
                told += [chain.release - now, chain.done, len(chain.steps), chain.bin]
        return tuple(told)
