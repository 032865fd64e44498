"""Time in Rengi's alternating modes: hand tables, credits, releases, windows, passes, margin."""

from __future__ import annotations

import json

import pytest
from each import each
from lumiban.games import Position
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import HAND_TABLES
from lumiban.games.rengi.game import Assists
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
ROW = "......"
ONE = f"{'/'.join([ROW] * 12)}/RRR..."
"""RY4.0 fires one step."""
FOUR_THEN_SIX = (
    "....../...G../...R.Y/..GR.Y/..GR.Y/..GB.G/..YB.G/..RYYY/..RRGG/..GYBB/.YRYRY/YGGBYG/YGBBGG"
)
"""YG1.1 fires four steps, then BY2.1 six."""
CHAINS = {1: (ONE, "RY4.0"), 4: (FOUR_THEN_SIX, "YG1.1")}
FIRST, SECOND = 0, 1


def fired(game: Rengi, steps: int) -> tuple[Position, Position]:
    """A position, and the one after the first player has fired a chain of so many steps."""
    if steps == 6:
        _, position = fired(game, 4)
        field = "/".join(
            "".join(".RBYGO"[colour] for colour in row)
            for row in reversed(game.field(position, FIRST)[:13])
        )
        text = "BY2.1"
    else:
        field, text = CHAINS[steps]
    position = game.setup(fields=(field, ""))
    return position, game.play(position, game.parse(position, text))


def harmless(game: Rengi, position: Position) -> str:
    """A hand that erases nothing: two columns of alternating colours."""
    return ("RB1.0", "YG6.0")[len(position.history) % 2]


def hands_until_first(game: Rengi, position: Position, *, passes: bool = False) -> int:
    """How often the second player acts before the first one does."""
    acted = 0
    while game.movers(position) == (SECOND,):
        may = passes and "pass" in game.words(position, SECOND)
        text = "pass" if may else harmless(game, position)
        position = game.play(position, game.parse(position, text))
        acted += 1
    return acted


def test_the_hand_tables_are_those_of_the_golden_file() -> None:
    assert {name: list(table) for name, table in HAND_TABLES.items()} == GOLDEN["hand_tables"]


@each("table", "ABCD")
@each("steps", [1, 4, 6])
def test_a_lone_chain_gives_the_opponent_exactly_the_hands_of_the_table(
    table: str, steps: int
) -> None:
    game = Rengi(mode="free", hand_table=table)
    hands = GOLDEN["hand_tables"][table][steps - 1]
    _, position = fired(game, steps)
    assert game.hands_left(position, SECOND) == hands
    assert hands_until_first(game, position) == hands


def test_the_same_position_for_the_fourth_time_is_a_draw() -> None:
    game = Rengi(mode="free", normal_pass="on", pass_draw=10)
    position = game.start()
    for _ in range(6):
        assert game.outcome(position) is None
        position = game.play(position, game.parse(position, "pass"))
    outcome = game.outcome(position)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, "repetition")


@pytest.mark.parametrize(("made", "rate"), [(9, 70), (10, 52), (12, 34), (26, 1)])
def test_margin_time_by_hands_counts_hands_as_seconds(made: int, rate: int) -> None:
    game = Rengi(mode="free", margin="hands", margin_pace=10)
    position = game.setup(fields=(ONE, ""), made=(made, 0), bonus=(660, 0))
    position = game.play(position, game.parse(position, "RY4.0"))
    assert sum(game.forecast(position, SECOND)) == 700 // rate


def test_margin_time_by_seconds_becomes_one_by_hands_where_turns_alternate() -> None:
    assert Rengi(mode="open", margin="seconds").options["margin"] == "hands"


def test_a_copy_is_told_by_what_stands_where() -> None:
    game = Rengi(mode="open", list="RB,YG,BR,GY", mirror_limit=0)
    position = game.start()
    position = game.play(position, game.parse(position, "RB1.0"))
    refusal = game.why_not(position, SECOND, game.parse(position, "RB1.0"))
    assert refusal is not None
    assert refusal.rule == "rengi.mirror"
    assert Rengi(mode="open", mirror_limit="off").options["mirror_limit"] == "off"


def test_assists_are_told_by_their_switches_only() -> None:
    off, on = Rengi(mode="free"), Rengi(mode="free", show_hands_left="on", show_chain_forecast="on")
    _, position = fired(off, 4)
    assert off.assists(position, SECOND) == Assists(True, None, None)
    # Of 32 ojama the first step has made none; after a tick two steps have made five.
    assert on.assists(position, SECOND) == Assists(True, 5, 32)
    position = on.play(position, on.parse(position, "RB1.0"))
    assert on.forecast(position, SECOND) == (5, 0)
    assert on.assists(position, SECOND) == Assists(True, 4, 27)
    assert on.assists(position, FIRST) == Assists(True, None, 0)
    assert not Rengi(calculator="off").assists(position, FIRST).calculator
