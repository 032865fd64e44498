"""Time in Rengi's modes by frames: what each action costs, and whose clock is earlier."""

from __future__ import annotations

import json

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


def test_the_costs_are_those_of_the_golden_file() -> None:
    assert list(clock.DROP) == COSTS["drop"]
    assert list(clock.DROP_FAST) == COSTS["drop_fast"]
    assert list(clock.SIDEWAYS) == COSTS["horizontal"]
    assert (COSTS["prepare_next"], COSTS["grounding"]) == (clock.PREPARE_NEXT, clock.GROUNDING)
    assert (COSTS["vanish"], COSTS["kabegoe_penalty"]) == (clock.VANISH, clock.LIFTED)
    assert (COSTS["fps"], COSTS["next2_delay"]) == (clock.SECOND, clock.NEXT2_DELAY)
    few = clock.OJAMA_FEW, clock.OJAMA_SOME, clock.OJAMA_MANY
    assert few == tuple(COSTS["ojama_ground"][rest] for rest in ("1-3", "4-18", "19+"))


def passed(game: Rengi, position: Position) -> Position:
    return game.play(position, game.parse(position, "pass"))


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
