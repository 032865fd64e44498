"""Rengi by the letter: two players, turns by ticks, forecasts A and B, the end.

Times are in half ticks, so that the second player's 0.5 is 1. Everything that is due has a time;
what is due at the same time goes in this order: a step is credited, a chain is over, ojama fall on
whoever has done its hand, somebody acts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from rengi_by_the_paper import (
    Field,
    Step,
    copied,
    count,
    fall_amount,
    fall_columns,
    is_bare,
    is_dead,
    land,
    margin_rate,
    place,
    run_chain,
)
from rengi_by_the_paper_reach import hands
from rengi_by_the_paper_sides import Chain, Rules, Side, Times

HAND = 2
ALL_CLEAR = 2100


def same_cells(hand: str) -> str:
    """A hand told by what goes where: of two ways round the one with rotation 0 or 1."""
    pair, column, rotation = hand[:2], int(hand[2]), int(hand[4])
    turned = {2: f"{column}.0", 3: f"{column - 1}.1"}.get(rotation)
    return f"{pair[::-1]}{turned}" if turned else hand


class Game:
    """A whole game in the alternating modes, from the first hand to the end."""

    def __init__(self, rules: Rules, begins: int = 0) -> None:
        self.rules = rules
        self.begins = begins
        self.sides = [Side(), Side()]
        self.sides[1 - begins].clock = 1
        self.sides[1 - begins].bonus = rules.komi
        self.now = 0
        self.over: tuple[int | None, str] | None = None
        self.last: tuple[int, str] | None = None
        self.ordinary_passes = 0
        self.faced: Counter[tuple[object, ...]] = Counter()
        self.told: Callable[[str, int], None] = lambda event, who: None
        self.columns: Callable[[int, int], list[int]] = self.columns_in_order
        self.look_back()

    # -- what may be done --

    @property
    def mover(self) -> int:
        return min((0, 1), key=lambda who: (self.sides[who].clock, who != self.begins))

    def hands(self) -> list[str]:
        """The hands of the player to move, without words."""
        if self.over:
            return []
        who, rules = self.mover, self.rules
        side = self.sides[who]
        pair = rules.pairs[side.made % len(rules.pairs)] if rules.pairs else None
        listed = hands(side.field, pair, rules.wall_cross, rules.quick_turn)
        if side.copies >= rules.mirror_limit:
            others = [hand for hand in listed if not self.is_copy(who, hand)]
            return others or listed[:1]
        return listed

    def is_copy(self, who: int, hand: str) -> bool:
        """Whether the second player does what the first has just done."""
        return who != self.begins and self.last == (self.begins, same_cells(hand))

    def opponent_runs(self, who: int) -> bool:
        return self.sides[1 - who].chain is not None

    def may_pass(self) -> bool:
        if self.over:
            return False
        rules = self.rules
        return rules.chain_pass if self.opponent_runs(self.mover) else rules.normal_pass

    # -- a hand --

    def play(self, hand: str) -> None:
        """A hand, a pass, or resigning, and all that happens until somebody is to move."""
        who = self.mover
        if hand == "resign":
            self.over = (1 - who, "resignation")
            return
        self.sides[who].fallen_this_turn = 0
        if hand == "pass":
            self.play_pass(who)
        else:
            self.play_pair(who, hand)
        self.until_somebody_moves()
        if not self.over:
            self.look_back()

    def play_pass(self, who: int) -> None:
        side = self.sides[who]
        side.settles, side.clock = side.clock, self.clock_after_pass(who)
        side.copies = 0
        self.last = None
        if self.opponent_runs(who):
            side.passed = True
            return
        self.ordinary_passes += 1
        if self.ordinary_passes >= self.rules.pass_draw:
            self.over = (None, "passes")

    def clock_after_pass(self, who: int) -> int:
        return self.sides[who].clock + HAND

    def play_pair(self, who: int, hand: str) -> None:
        side = self.sides[who]
        self.ordinary_passes = 0
        side.copies = side.copies + 1 if self.is_copy(who, hand) else 0
        self.last = (who, same_cells(hand))
        pair, column, rotation = hand[:2], int(hand[2]), int(hand[4])
        before = copied(side.field)
        vanished = place(side.field, pair, column, rotation, self.rules.row14)
        placed = copied(side.field)
        side.blocks_in += 2 - vanished
        steps = run_chain(side.field, self.rules.ghost_ojama)
        side.blocks_gone += count(placed) - count(side.field)
        self.begin(who, steps, self.times(who, before, placed, (column, rotation), len(steps)))

    def times(
        self, who: int, before: Field, placed: Field, way: tuple[int, int], steps: int
    ) -> Times:
        """By ticks only the number of steps matters."""
        now, hands_of = self.sides[who].clock, self.rules.hands_of
        if steps == 0:
            return Times([], now, now, now + HAND)
        credits_ = [now + HAND * (hands_of(k) - hands_of(1)) for k in range(1, steps + 1)]
        free = now + HAND * hands_of(steps)
        return Times(credits_, credits_[-1], free, free)

    def begin(self, who: int, steps: list[Step], times: Times) -> None:
        """A hand is done; where it erases, its chain's bin and rate are settled now."""
        side = self.sides[who]
        if steps:
            self.fire(who, steps, times)
        side.settles, side.clock = times.settles, times.clock
        side.made += 1

    def fire(self, who: int, steps: list[Step], times: Times) -> None:
        side = self.sides[who]
        bin_ = "B" if self.sides[1 - who].waiting else "A"
        chain = Chain(steps, times.credits, times.over, bin_, self.rate_now(who))
        chain.points, side.carried = side.carried, 0
        side.chain = chain
        self.told("fires", who)

    def rate_now(self, who: int) -> int:
        """Points for one ojama in a chain fired now."""
        if self.rules.margin == "off":
            return self.rules.rate
        by_hands = self.chain_hand(who) * self.rules.margin_pace
        seconds = by_hands if self.rules.margin == "hands" else self.now // 60
        return min(self.rules.rate, margin_rate(seconds))

    def chain_hand(self, who: int) -> int:
        """How many hands a player had made before the one that fires."""
        return self.sides[who].made

    # -- time passes --

    def until_somebody_moves(self) -> None:
        while not self.over:
            self.now, order, _, who = min(self.due())
            if not self.happens(order, who):
                break

    def happens(self, order: float, who: int) -> bool:
        """What is due now comes to pass; False when it is a player's turn."""
        if order == 0:
            self.credit(who)
        elif order == 1:
            self.end_chain(who)
        elif order == 2:
            self.sides[who].settles = None
            self.fall_on(who)
        return order < 3

    def due(self) -> list[tuple[int, float, bool, int]]:
        """All that is to come: (time, order at that time, who goes second, who)."""
        listed: list[tuple[int, float, bool, int]] = []
        for who, side in enumerate(self.sides):
            later = who != self.begins
            listed.append((side.clock, 3, later, who))
            if side.settles is not None:
                listed.append((side.settles, 2, later, who))
            if side.chain and side.chain.is_credited:
                listed.append((side.chain.over, 1, later, who))
            elif side.chain:
                listed.append((side.chain.credits[side.chain.done], 0, later, who))
        return listed

    def credit(self, who: int) -> None:
        """One step's points and ojama."""
        side = self.sides[who]
        chain = side.chain
        assert chain is not None
        points = chain.steps[chain.done].points
        if chain.done == 0:
            points += side.bonus
            side.bonus = 0
        chain.done += 1
        chain.points += points
        side.score += points
        ojama = chain.points // chain.rate - chain.sent
        chain.sent += ojama
        side.ojama_sent += ojama
        self.send(who, ojama)
        self.told("step", who)
        if chain.is_credited:
            if self.rules.carry_remainder:
                side.carried = chain.points % chain.rate
            if self.rules.all_clear and is_bare(side.field):
                side.bonus = ALL_CLEAR

    def send(self, who: int, ojama: int) -> None:
        """Cancel what waits against oneself, then send the rest across."""
        mine, theirs = self.sides[who], self.sides[1 - who]
        if self.rules.offset:
            for name in "ba" if self.rules.interrupt else "ab":
                cancelled = min(ojama, getattr(mine, name))
                setattr(mine, name, getattr(mine, name) - cancelled)
                mine.ojama_cancelled += cancelled
                ojama -= cancelled
        assert mine.chain is not None
        if mine.chain.bin == "A":
            theirs.a += ojama
        else:
            theirs.b += ojama

    def end_chain(self, attacker: int) -> None:
        """The attacker is free: B joins A, and falls where the receiver's last hand is done."""
        self.sides[attacker].chain = None
        receiver = self.sides[1 - attacker]
        receiver.a, receiver.b = receiver.waiting, 0
        if receiver.settles is None:
            self.fall_on(1 - attacker)
        self.thank_for_passing(1 - attacker)

    def thank_for_passing(self, who: int) -> None:
        """Plan 2: whoever passed in the window gets one more hand: its time comes a tick earlier.

        Where a chain of its own runs that is over a tick earlier, too.
        """
        side = self.sides[who]
        if side.passed and self.rules.pass_plan == 2:
            side.clock -= HAND
            if side.chain:
                side.chain.over -= HAND
        side.passed = False

    def fall_on(self, who: int) -> None:
        """What waits in A falls, unless the chain that fills it still runs."""
        chain = self.sides[1 - who].chain
        self.test_death(who)
        if not self.over and (chain is None or chain.bin == "B"):
            self.let_ojama_fall(who)
            self.test_death(who)

    def let_ojama_fall(self, who: int) -> None:
        """At most 30 between two hands."""
        side = self.sides[who]
        amount = fall_amount(side.a, self.rules.fall, side.fallen_this_turn)
        if not amount:
            return
        side.a -= amount
        side.fallen_this_turn += amount
        landed = land(side.field, self.columns(who, amount))
        if self.rules.otsuri:
            side.a += len(landed.vanished)
        side.ojama_fallen += amount
        side.blocks_in += landed.stood
        self.told("fall", who)

    def columns_in_order(self, who: int, amount: int) -> list[int]:
        return fall_columns(amount, 1 if self.rules.fall.unit == 1 else 3)

    # -- the end --

    def test_death(self, who: int) -> None:
        if is_dead(self.sides[who].field) and not self.over:
            self.over = (1 - who, "death")

    def look_back(self) -> None:
        """The same full state for the fourth time is a draw."""
        state = self.state()
        self.faced[state] += 1
        if self.faced[state] >= self.rules.repetition:
            self.over = (None, "repetition")

    def state(self) -> tuple[object, ...]:
        """All that the future depends on, times counted from now."""
        now = self.sides[self.mover].clock
        told: list[object] = [self.mover]
        for side in self.sides:
            length = len(self.rules.pairs) if self.rules.pairs else 1
            told += ["".join(map("".join, side.field)), side.clock - now, side.made % length]
            told += [side.a, side.b, side.carried, side.bonus, side.passed]
            told.append(None if side.settles is None else side.settles - now)
            chain = side.chain
            if chain:
                told += [chain.over - now, chain.bin, chain.rate, side.fallen_this_turn]
                told += [time - now for time in chain.credits[chain.done :]]
                told += [step.points for step in chain.steps[chain.done :]]
                told.append(chain.points - chain.sent * chain.rate)
        return tuple(told)
