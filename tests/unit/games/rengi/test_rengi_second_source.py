"""Rengi by frames against a second source, written from the text of the rules alone."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.field import LETTERS
from rengi_second_source import (
    Columns,
    Keeper,
    Wrong,
    in_rows,
    nearly_bare,
    placements,
    unripe,
)

CASES = (
    {"mode": "tsu"},
    {"mode": "shodai"},
    {"mode": "tsu", "quick_turn": "off"},
    {"mode": "tsu", "row14": "stay"},
    {"mode": "shodai", "row14": "stay", "quick_turn": "on"},
    {"mode": "tsu", "ghost_ojama": "C", "carry_remainder": "off"},
)
PASSES = {"mode": "tsu", "pass_draw": 10, "repetition": 3}


def columns(game: Rengi, position: object, side: int) -> Columns:
    rows = game.field(position, side)  # type: ignore[arg-type]
    told = [
        "".join(LETTERS[row[c]] for row in rows).replace(".", "-").rstrip("-") for c in range(6)
    ]
    return tuple(told)


def shapes(placed: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Placements of two equal blocks: upright as rotation 0, flat from the left one."""
    return {(c - (r == 3), r % 2) for c, r in placed}


class Checked:
    """One game and its keeper, in step."""

    def __init__(self, options: dict[str, int | str], seed: int) -> None:
        self.rng = random.Random(f"{sorted(options.items())} {seed}")
        self.game = Rengi(**options)
        self.keeper = Keeper(self.game.options)
        self.position = self.game.start(seed)
        self.pairs = self.game.rule("loop")
        if seed % 3:
            self.plant()
        self.look()

    def plant(self) -> None:
        """Begin with long chains or a bare field at hand, and ojama on their way."""
        rng, game = self.rng, self.game
        axis, child = (LETTERS[c] for c in game.next_pairs(self.position, 0)[0])
        fields = [nearly_bare(axis, child) if rng.random() < 0.3 else unripe(rng) for _ in "12"]
        waiting = [rng.choice((0, 0, 7, 45)) for _ in fields]
        self.position = game.setup(
            to_move=self.side,
            fields=[in_rows(of) for of in fields],
            waiting=waiting,
            time=60 * rng.choice((0, 90, 230)),
            seed=self.position.seed,
        )
        for own, of, ojama in zip(self.keeper.players, fields, waiting, strict=True):
            own.field, own.a = of, ojama

    @property
    def side(self) -> int:
        return self.game.movers(self.position)[0]

    def look(self) -> None:
        game, position, keeper = self.game, self.position, self.keeper
        mover = (game.movers(position) or (None,))[0]
        keeper.settle(mover, (game.clock(position, 0), game.clock(position, 1)), self.pairs)
        outcome = game.outcome(position)
        told = outcome and (outcome.winner, outcome.reason)
        if told == (None, "repetition"):
            keeper.must(keeper.may_repeat, "the game says repetition, the rules do not")
        elif told is None or told[1] != "rengi.passes":
            keeper.must(told == keeper.over, f"the game says {told}, the rules {keeper.over}")
            keeper.must(bool(told) or not keeper.must_repeat, "the rules say repetition")
        for side, own in enumerate(keeper.players):
            keeper.must(columns(game, position, side) == own.field, f"field of side {side}")
            keeper.must(game.forecast(position, side) == (own.a, own.b), f"forecast of {side}")
            keeper.must(game.points(position, side) == own.score, f"points of {side}")
        if mover is None or outcome is not None:
            return
        listed = {
            (int(move.text[2]), int(move.text[4]))
            for move in game.moves(position, mover)
            if move.text != "pass"
        }
        wanted = placements(keeper.players[mover].field, game.on("quick_turn"))
        pair = game.next_pairs(position, mover)[0]
        if pair[0] == pair[1]:  # of two ways to lay the same blocks in the same cells one is listed
            listed, wanted = shapes(listed), shapes(wanted)
        more, less = sorted(listed - wanted), sorted(wanted - listed)
        at = keeper.players[mover].field
        keeper.must(not (more or less), f"placements more {more}, less {less}, of {pair} on {at}")

    def ply(self, passes: float) -> None:
        game, side, keeper = self.game, self.side, self.keeper
        moves = game.moves(self.position, side)
        hands = [move for move in moves if move.text != "pass"]
        move = moves[-1] if self.rng.random() < passes and moves[-1].text == "pass" else None
        if move is None:
            most = self.rng.choice((1, 4, 22))
            tried = self.rng.sample(hands or moves, min(len(hands or moves), most))
            move = max(
                tried,
                key=lambda m: 0 if m.text == "pass" else game.chain(self.position, m).points,
            )
        story = game.story(self.position, move)
        after = game.play(self.position, move)
        if move.text != "pass":
            keeper.hand(side, move.text[:2], int(move.text[2]), int(move.text[4]))
        falls = [event for event in story if event.kind == "fell"]
        for event in story:
            keeper.event(event.kind, event.side, event.time, event.ojama, event.points)
            if event.kind == "fell":
                assert sum(one.side == event.side for one in falls) == 1
                told = columns(game, after, event.side)
                lost = keeper.fall(event.side, event.ojama, told)
                if game.on("otsuri"):
                    keeper.players[event.side].a += lost
            first, second = keeper.players
            keeper.must(
                event.forecast == ((first.a, first.b), (second.a, second.b)),
                f"forecast after {event.kind}",
            )
        self.position = after
        self.look()


def played(options: dict[str, int | str], plies: int, passes: float = 0.1) -> Counter[str]:
    """So many plies of random games against the keeper; what happened in them."""
    found: Counter[str] = Counter()
    seed = 0
    while found["plies"] < plies:
        seed += 1
        one = Checked(options, seed)
        moves = []
        try:
            while one.game.outcome(one.position) is None and found["plies"] < plies:
                one.ply(passes)
                moves.append(one.position.history[-1].text)
                found["plies"] += 1
        except Wrong as wrong:
            raise AssertionError(
                f"{options}, seed {seed}, after {' '.join(moves)}: {wrong}"
            ) from None
        found += one.keeper.found
        outcome = one.game.outcome(one.position)
        found[outcome.reason if outcome else "cut"] += 1
    return found


@pytest.mark.parametrize("options", CASES, ids=lambda options: " ".join(map(str, options.values())))
def test_games_by_frames_go_as_the_text_of_the_rules_says(options: dict[str, int | str]) -> None:
    assert played(options, 45)["chains"] > 5


def test_a_position_that_comes_three_times_is_a_draw_as_the_text_says() -> None:
    found = played(PASSES, 150, passes=0.95)
    assert found["repetition"] > 2


@pytest.mark.long
@pytest.mark.parametrize("options", CASES, ids=lambda options: " ".join(map(str, options.values())))
def test_five_thousand_plies_go_as_the_text_of_the_rules_says(
    options: dict[str, int | str],
) -> None:
    found = played(options, 5000 // len(CASES) + 1)
    assert found["rengi.dead"] > 3
