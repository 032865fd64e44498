"""Time in Rengi's modes by frames: what each action costs, and whose clock is earlier."""

from __future__ import annotations

import json

import pytest
from each import each
from lumiban.games import Position
from lumiban.games.rengi import Rengi, clock
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
COSTS = GOLDEN["tsu_frames"]
ROW = "......"
FIRST, SECOND = 0, 1


def by_frames(**more: int | str) -> Rengi:
    return Rengi(mode="tsu", supply="free", **more)


def lowest(*rows: str) -> str:
    return "/".join([ROW] * (13 - len(rows)) + list(rows))


def cost(field: str, text: str) -> int:
    """Frames from a hand to the next one of the same player."""
    game = by_frames()
    position = game.setup(fields=(field, ""))
    return game.clock(game.play(position, game.parse(position, text)), FIRST)


def test_the_costs_are_those_of_the_golden_file() -> None:
    assert list(clock.DROP) == COSTS["drop"]
    assert list(clock.DROP_FAST) == COSTS["drop_fast"]
    assert list(clock.SIDEWAYS) == COSTS["horizontal"]
    assert (COSTS["prepare_next"], COSTS["grounding"]) == (clock.PREPARE_NEXT, clock.GROUNDING)
    assert (COSTS["vanish"], COSTS["kabegoe_penalty"]) == (clock.VANISH, clock.LIFTED)
    assert (COSTS["fps"], COSTS["next2_delay"]) == (clock.SECOND, clock.NEXT2_DELAY)
    few = clock.OJAMA_FEW, clock.OJAMA_SOME, clock.OJAMA_MANY
    assert few == tuple(COSTS["ojama_ground"][rest] for rest in ("1-3", "4-18", "19+"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("RB3.0", 24 + 20 + 12),
        ("RB1.0", 6 + 24 + 20 + 12),
        ("RB6.0", 8 + 24 + 20 + 12),
        ("RB3.1", 24 + 20 + 12),
    ],
)
def test_a_pair_moves_falls_rests_and_the_next_one_comes(text: str, wanted: int) -> None:
    assert cost("", text) == wanted


def test_a_child_below_shortens_the_way_by_a_row() -> None:
    game = Rengi(mode="tsu", list="RB,YG")
    position = game.start()
    position = game.play(position, game.parse(position, "RB3.2"))
    assert game.clock(position, FIRST) == 22 + 20 + 12


def test_a_split_block_falls_on_and_rests_again() -> None:
    field = lowest("..R...", "..B...", "..R...")
    assert cost(field, "YG3.1") == 2 * 9 + 20 + COSTS["drop"][3] + 20 + 12


def test_an_axis_lifted_over_a_wall_costs_more() -> None:
    high = lowest(*["....B.", "....R."] * 6)
    game = by_frames(wall_cross=2)
    position = game.setup(fields=(high, ""))
    position = game.play(position, game.parse(position, "RB5.0"))
    assert game.clock(position, FIRST) == COSTS["horizontal"][2] + 6 + 20 + 12


def test_a_step_vanishes_and_what_it_loosens_falls_and_rests() -> None:
    top = lowest("....RB", ".RRRYB")
    flat = lowest(".RRR..")
    pair = COSTS["horizontal"][2] + 24 + 20
    assert cost(flat, "RY5.0") == pair + 50 + COSTS["drop"][1] + 20 + 12
    assert cost(top, "RY1.0") == pair + 50 + COSTS["drop"][1] + 20 + 12


def test_a_step_that_loosens_nothing_only_vanishes() -> None:
    flat = lowest("RRR...")
    assert cost(flat, "RY4.1") == COSTS["horizontal"][1] + 24 + 20 + 50 + 12


@pytest.mark.parametrize(("waiting", "rest"), [(2, "1-3"), (6, "4-18"), (18, "4-18"), (24, "19+")])
def test_ojama_take_their_receivers_time(waiting: int, rest: str) -> None:
    game = by_frames()
    bare = game.setup()
    hit = game.setup(waiting=(waiting, 0))
    text = "RB3.0"
    alone = game.clock(game.play(bare, game.parse(bare, text)), FIRST)
    after = game.play(hit, game.parse(hit, text))
    fell = COSTS["drop"][13] + COSTS["ojama_ground"][rest]
    while game.clock(after, FIRST) == alone:
        after = game.play(after, game.parse(after, "pass"))
    assert game.clock(after, FIRST) == alone + fell


def test_whose_clock_is_earlier_acts_and_ties_go_to_who_began() -> None:
    game = by_frames(begins="second")
    position = game.start()
    assert game.movers(position) == (SECOND,)
    position = game.play(position, game.parse(position, "RB3.0"))
    assert game.movers(position) == (FIRST,)
    position = game.play(position, game.parse(position, "RB1.0"))
    assert game.clock(position, FIRST) > game.clock(position, SECOND)
    assert game.movers(position) == (SECOND,)


def test_nobody_overtakes() -> None:
    game = Rengi(mode="tsu")
    for seed in range(4):
        position, now = game.start(seed), 0
        while game.outcome(position) is None and len(position.history) < 60:
            side = game.movers(position)[0]
            assert game.clock(position, side) == min(game.clock(position, s) for s in (0, 1))
            assert game.clock(position, side) >= now
            now = game.clock(position, side)
            moves = game.moves(position, side)
            position = game.play(position, moves[(7 * len(position.history)) % len(moves)])


def passed(game: Rengi, position: Position) -> Position:
    return game.play(position, game.parse(position, "pass"))


def test_an_ordinary_pass_waits_for_the_opponents_next_action() -> None:
    game = by_frames()
    position = game.play(game.start(), game.parse(game.start(), "RB3.0"))
    position = passed(game, position)
    assert game.movers(position) == (FIRST,)
    assert game.clock(position, SECOND) == game.clock(position, FIRST) + 1


def test_a_pass_during_a_chain_lasts_32_frames() -> None:
    game = by_frames()
    position = game.setup(fields=(lowest("RRR..."), ""))
    position = game.play(position, game.parse(position, "RY4.0"))
    position = passed(game, position)
    landed = game.clock(position, SECOND)
    position = passed(game, position)
    assert game.clock(position, SECOND) == landed + 32
    assert game.words(position, SECOND) == ("pass", "resign")


@each(
    ("seconds", "rate"),
    list(zip(GOLDEN["margin"]["seconds"], GOLDEN["margin"]["rate"], strict=True)),
)
def test_margin_time_follows_the_table_by_seconds(seconds: int, rate: int) -> None:
    """The pair lands 48 frames after its hand; the chain's rate is that of this moment."""
    game = by_frames(carry_remainder="off")
    for time, wanted in ((seconds * 60, rate), (seconds * 60 - 49, None)):
        if time < 0:
            continue
        position = game.setup(fields=(lowest("RRR..."), ""), time=time, bonus=(2060, 0))
        position = game.play(position, game.parse(position, "RY4.0"))
        for _ in range(9):
            if sum(game.forecast(position, SECOND)):
                break
            position = passed(game, position)
        sent = sum(game.forecast(position, SECOND))
        if wanted is None:
            earlier = GOLDEN["margin"]["rate"][GOLDEN["margin"]["seconds"].index(seconds) - 1]
            assert sent == 2100 // earlier
        else:
            assert sent == 2100 // wanted


def test_shodai_has_no_offset_no_quick_turn_and_no_margin_time() -> None:
    options = Rengi(mode="shodai").options
    for name, value in GOLDEN["recommended_defaults"]["shodai"].items():
        if name in ("offset", "all_clear", "otsuri", "quick_turn"):
            assert options[name] == ("on" if value else "off")
    assert options["margin"] == "off"
    assert options["visible_next"] == 1
