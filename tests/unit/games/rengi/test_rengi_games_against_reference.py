"""Whole games of Rengi with random options, driven in the product and in the plain reference."""

from __future__ import annotations

import random

import pytest
from lumiban.games.base import Position
from lumiban.games.kernel import randint_below
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import RNG
from lumiban.games.rengi.options import MODES
from rengi_at_random import nearly_bare, random_options, unripe
from rengi_by_the_paper import (
    Fall,
    Field,
    copied,
    fall_columns,
    is_bare,
    place,
    run_chain,
    to_text,
)
from rengi_by_the_paper_frames import FrameGame
from rengi_by_the_paper_game import Game
from rengi_by_the_paper_sides import Rules

LETTERS = ".RBYGO"
REASONS = {"death": "rengi.dead", "repetition": "repetition", "passes": "rengi.passes"}
TELLS = {"fired": "fires", "credited": "step", "fell": "fall"}
"""The product's names of events, and the reference's."""


def rules_of(game: Rengi, position: Position) -> Rules:
    """The same options for the reference."""
    pairs = [LETTERS[a] + LETTERS[c] for a, c in shown_pairs(game, position)]
    limit = game.options["mirror_limit"]
    unit = str(game.options["ojama_unit"])
    return Rules(
        pairs=pairs or None,
        row14=str(game.options["row14"]),
        rate=game.rule("rate"),
        margin=str(game.options["margin"]),
        margin_pace=game.rule("margin_pace"),
        offset=game.on("offset"),
        interrupt=game.on("interrupt"),
        ghost_ojama=str(game.options["ghost_ojama"]),
        wall_cross=game.rule("wall_cross"),
        quick_turn=game.on("quick_turn"),
        hand_table=str(game.options["hand_table"]),
        pass_plan=game.rule("pass_plan"),
        chain_pass=game.on("chain_pass"),
        normal_pass=game.on("normal_pass"),
        all_clear=game.on("all_clear"),
        fall=Fall(
            unit if unit == "mixed" else int(unit), game.rule("mixed_from"), game.rule("cap_rows")
        ),
        random_columns=game.options["ojama_order"] == "random",
        otsuri=game.on("otsuri"),
        carry_remainder=game.on("carry_remainder"),
        repetition=game.rule("repetition"),
        pass_draw=game.rule("pass_draw"),
        mirror_limit=10**6 if limit == "off" else int(limit),
        komi=game.rule("komi"),
    )


def shown_pairs(game: Rengi, position: Position) -> list[tuple[int, int]]:
    """The whole list, a hidden one too: what the position keeps behind its fields."""
    if game.options["supply"] == "free":
        return []
    plan = game.state(position).plan
    given = plan[len(plan) - 2 * game.rule("loop") :]
    return list(zip(given[::2], given[1::2], strict=True))


def letters(game: Rengi, position: Position, side: int) -> Field:
    return [[LETTERS[colour] for colour in row] for row in game.field(position, side)]


class Driven:
    """One game in both, kept in step."""

    def __init__(self, rng: random.Random, options: dict[str, int | str]) -> None:
        self.rng = rng
        self.game = Rengi(**options)
        self.position = self.game.start(rng.randrange(10**6))
        rules = rules_of(self.game, self.position)
        kind = FrameGame if self.game.options["turn"] == "frame" else Game
        self.plain = kind(rules, begins=self.game.movers(self.position)[0])
        if rules.random_columns:
            self.plain.columns = self.columns_drawn
        self.moves: list[str] = []
        self.plain.told = lambda event, who: self.seen.append(
            (event, who, self.plain.now, *self.forecasts())
        )
        self.seen: list[tuple[object, ...]] = []
        self.chance = [0]
        if rng.random() < 0.5:
            self.plant()
        self.compare()

    def forecasts(self) -> tuple[tuple[int, int], tuple[int, int]]:
        first, second = self.plain.sides
        return (first.a, first.b), (second.a, second.b)

    def plant(self) -> None:
        """Begin with long chains at hand, and ojama on their way."""
        plain, begins, rng = self.plain, self.plain.begins, self.rng
        pair = plain.rules.pairs[0] if plain.rules.pairs else "RB"
        fields = [nearly_bare(pair) if rng.random() < 0.3 else unripe(rng) for _ in "12"]
        waiting = [rng.choice((0, 0, 7, 45)) for _ in fields]
        second = 60 if self.game.options["turn"] == "frame" else 1
        self.position = self.game.setup(
            to_move=begins,
            fields=[to_text(of) for of in fields],
            waiting=waiting,
            time=rng.choice((0, 90, 230)) * second,
            seed=self.position.seed,
        )
        for who, side in enumerate(plain.sides):
            side.field, side.a = fields[who], waiting[who]
            side.clock = self.game.clock(self.position, who)
        plain.now = plain.sides[begins].clock
        plain.faced.clear()
        plain.look_back()

    def columns_drawn(self, who: int, amount: int) -> list[int]:
        """Full rows, then distinct columns by the product's own chance."""
        left = list(range(1, 7))
        drawn = [left.pop(randint_below(self.chance, len(left))) for _ in range(amount % 6)]
        return [*fall_columns(amount - amount % 6, 3), *drawn]

    def choose(self) -> str:
        """Often a hand that erases much, sometimes any, the opponent's own, or a pass."""
        listed = self.plain.hands()
        copies = [hand for hand in listed if self.plain.is_copy(self.plain.mover, hand)]
        if copies and self.rng.random() < 0.5:
            return copies[0]
        if self.plain.may_pass() and self.rng.random() < 0.25:
            return "pass"
        tried = self.rng.sample(listed, min(len(listed), self.rng.choice((1, 4, 22, 80))))
        side = self.plain.sides[self.plain.mover]

        def worth(hand: str) -> int:
            of = copied(side.field)
            place(of, hand[:2], int(hand[2]), int(hand[4]))
            points = sum(step.points for step in run_chain(of))
            return points + 5000 * is_bare(of) - (of[11][2] == "O")

        return max(tried, key=worth)

    def play(self, hand: str) -> None:
        self.moves.append(hand)
        move = self.game.parse(self.position, hand)
        story = self.game.story(self.position, move)
        self.chance = [self.position.state[RNG]]
        self.position = self.game.play(self.position, move)
        self.seen.clear()
        self.plain.play(hand)
        self.compare()
        told = [(TELLS[e.kind], e.side, e.time, *e.forecast) for e in story if e.kind in TELLS]
        assert told == self.seen, (self.game.options, self.moves)

    def compare(self) -> None:
        game, position, plain = self.game, self.position, self.plain
        where = (game.options, position.seed, self.moves)
        outcome = game.outcome(position)
        told = (outcome.winner, outcome.reason) if outcome else None
        assert told == (plain.over and (plain.over[0], REASONS[plain.over[1]])), where
        if plain.over:
            return
        for who, side in enumerate(plain.sides):
            assert letters(game, position, who) == side.field, where
            assert game.forecast(position, who) == (side.a, side.b), where
            assert game.clock(position, who) == side.clock, where
            assert game.points(position, who) == side.score, where
        assert game.movers(position) == (plain.mover,), where
        passes = ["pass"] if plain.may_pass() else []
        listed = [move.text for move in game.moves(position, plain.mover)]
        assert sorted(listed) == sorted(plain.hands() + passes), where


def drive(mode: str, seed: int, most: int) -> Driven:
    rng = random.Random(f"{mode} {seed}")
    driven = Driven(rng, random_options(rng, mode))
    while driven.plain.over is None and len(driven.moves) < most:
        driven.play(driven.choose())
    return driven


@pytest.mark.parametrize("mode", MODES)
def test_games_go_as_in_the_reference(mode: str) -> None:
    for seed in range(4):
        drive(mode, seed, 10 + 10 * (seed == 0))


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_many_games_go_as_in_the_reference(mode: str) -> None:
    ended = {"death": 0}
    for seed in range(5, 65):
        over = drive(mode, seed, 400).plain.over
        if over:
            ended[over[1]] = ended.get(over[1], 0) + 1
    assert ended["death"] > 40
