"""The plain reference of Rengi meets every number of the golden file it is written for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from each import each
from places import TESTS
from rengi_by_the_paper import (
    CHAIN_BONUS,
    COLOUR_BONUS,
    DEATH,
    MARGIN,
    ONES,
    Fall,
    Field,
    Step,
    connection_bonus,
    count,
    empty,
    fall_amount,
    fall_columns,
    from_rows,
    land,
    let_fall,
    list_faults,
    margin_rate,
    ojama_of_steps,
    place,
    put,
    run_chain,
    step_points,
)
from rengi_by_the_paper_game import ALL_CLEAR, Game
from rengi_by_the_paper_reach import hands, placements
from rengi_by_the_paper_sides import HAND_TABLES, Rules

GOLDEN: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
SINGLE, DOUBLE = [4], [4, 4]
FIGURES = sorted(GOLDEN["wall_cross"])


def steps_of(*sizes: list[int]) -> list[Step]:
    """Steps as a field would give them: each size a colour of its own."""
    return [Step(s, len(s), 0, step_points(k, s, len(s))) for k, s in enumerate(sizes, 1)]


def skyline(heights: list[int]) -> Field:
    made = empty()
    for column, height in enumerate(heights, 1):
        for row in range(1, height + 1):
            put(made, (column, row), "O")
    return made


# -- points --


def test_bonuses() -> None:
    golden = GOLDEN["bonus"]
    assert list(CHAIN_BONUS) == golden["chain"]
    assert {str(k): v for k, v in COLOUR_BONUS.items()} == golden["color"]
    for size, bonus in golden["connect"].items():
        assert connection_bonus(int(size.rstrip("+"))) == bonus
    assert connection_bonus(30) == golden["connect"]["11+"]


@each("row", GOLDEN["chain_table"])
def test_the_table_of_plain_chains(row: dict[str, Any]) -> None:
    n = row["n"]
    plain = [step.points for step in steps_of(*[SINGLE] * n)]
    assert (plain[-1], sum(plain), 4 * n) == (row["added"], row["total"], row["blocks"])
    assert sum(ojama_of_steps(plain, 70)) == row["ojama70"]
    if row["double_at_last"] is not None:
        double = [step.points for step in steps_of(*[SINGLE] * (n - 1), DOUBLE)]
        assert sum(double) == row["double_at_last"]
        assert sum(ojama_of_steps(double, 70)) == row["double_ojama70"]


def test_the_worked_example() -> None:
    points = [
        step_points(s["step"], s["groups"], s["colors"]) for s in GOLDEN["worked_example"]["steps"]
    ]
    assert points == [s["score"] for s in GOLDEN["worked_example"]["steps"]]
    assert sum(points) == GOLDEN["worked_example"]["total"] == 4060


def test_the_remainder_of_one_chain_goes_into_the_next_only_where_it_is_carried() -> None:
    assert ojama_of_steps([40, 320], 70) == [0, 5]
    assert ojama_of_steps([40], 70, carried=10) == [0]
    assert ojama_of_steps([40], 70, carried=30) == [1]


# -- fields --


@pytest.mark.parametrize("given", GOLDEN["nineteen_chain_fields"], ids=["first", "second"])
def test_nineteen_chains(given: dict[str, Any]) -> None:
    letters = given["url"].translate(str.maketrans("014567", ".ORBYG"))
    field = from_rows(*[letters[at : at + 6] for at in range(0, 78, 6)])
    steps = run_chain(field)
    assert len(steps) == given["chains"] == 19
    assert sum(step.points for step in steps) == given["score"]


def test_colours_in_the_ghost_row_never_count() -> None:
    case = GOLDEN["ghost"]["colour_case"]
    field = from_rows(*case["before"], *["OOOOOO"] * 10)
    steps = run_chain(field)
    assert (len(steps), sum(step.points for step in steps)) == (case["chains"], case["score"])
    wanted = ["".join(row) for row in reversed(field[10:13])]
    assert wanted == case["after"]


@pytest.mark.parametrize(
    ("option", "figure"), [("B", "figure_B_tsu_chronicle"), ("C", "figure_C_tetris_esports")]
)
def test_ojama_in_the_ghost_row(option: str, figure: str) -> None:
    case = GOLDEN["ghost"]["ojama_case"]
    field = from_rows(*case["figure_A"], *["OOOOOO"] * 10)
    run_chain(field, option)
    assert ["".join(row) for row in reversed(field[10:13])] == case[figure]


def test_ojama_beside_go_with_it() -> None:
    figure = GOLDEN["ojama_clear_figure"]
    field = from_rows(*figure["before"])
    (step,) = run_chain(field)
    assert field == from_rows(*figure["after"])
    assert step.ojama == 3


def test_row_14_vanishes_or_stays() -> None:
    field = skyline([0, 0, 12, 0, 0, 0])
    assert place(field, "RB", 3, 0) == 1
    assert count(field) == 13
    field = skyline([0, 0, 12, 0, 0, 0])
    assert place(field, "RB", 3, 0, row14="stay") == 0
    put(field, (3, 13), ".")
    let_fall(field)
    assert field[13][2] == "B"


# -- hands --


@each("plan", [1, 2, 3])
@each("name", FIGURES)
def test_wall_crossing(name: str, plan: int) -> None:
    figure = GOLDEN["wall_cross"][name]
    reached = placements(skyline(figure["heights_assumed"]), plan)
    assert [list(way) for way in reached] == figure["placements"][f"plan{plan}"]
    assert any(column == 6 for column, _ in reached) == figure["col6_reachable"][f"plan{plan}"]


def test_a_quick_turn_lifts_and_can_be_forbidden() -> None:
    field = skyline([0, 12, 0, 12, 0, 0])
    assert {column for column, _ in placements(field)} == {1, 2, 3, 4, 5, 6}
    assert {column for column, _ in placements(field, quick_turn=False)} == {3}


def test_hands_at_the_start() -> None:
    golden = GOLDEN["move_count"]
    same = hands(empty(), "RR")
    mixed = hands(empty(), "RB")
    assert golden["same"] == [4, len(same), 4 * len(same)]
    assert golden["mixed_correct"] == [6, len(mixed), 6 * len(mixed)]
    free = hands(empty(), None)
    assert len(free) == len(set(free)) == golden["total_correct"]
    assert golden["ordered_colour_pairs_x_shapes"] == [16, len(same), len(free)]


# -- ojama come down --


def test_orders_of_falling() -> None:
    golden = GOLDEN["ojama_drop"]
    assert fall_columns(6, 1) == list(ONES) == golden["unit1_order"]
    ranks = [fall_columns(6, 1).index(column) + 1 for column in range(1, 7)]
    assert ranks == golden["unit1_rank_by_column"]
    assert [fall_columns(6, 3)[:3], fall_columns(6, 3)[3:]] == golden["unit3_order"]
    assert fall_amount(999, Fall()) == golden["cap_blocks"] == 6 * golden["cap_rows"]


def test_thirteen_rows_fall_as_five_five_three() -> None:
    waiting, rows = 13 * 6, []
    while waiting:
        amount = fall_amount(waiting, Fall(unit=6))
        waiting -= amount
        rows.append(amount // 6)
    assert rows == GOLDEN["ojama_drop"]["example_13_rows"]


@each(
    ("unit", "waiting", "falls"),
    [
        *[(1, 7, 7), (1, 31, 30), (3, 2, 0), (3, 7, 6), (6, 5, 0), (6, 11, 6)],
        *[("mixed", 17, 15), ("mixed", 18, 18), ("mixed", 23, 18), ("mixed", 24, 24)],
        ("mixed", 95, 30),
    ],
)
def test_units_are_floored(unit: int | str, waiting: int, falls: int) -> None:
    assert fall_amount(waiting, Fall(unit=unit)) == falls


def test_ojama_above_row_13_do_not_stand() -> None:
    field = skyline([13, 12, 0, 0, 0, 0])
    landed = land(field, fall_columns(12, 3))
    assert sorted(landed.vanished) == [1, 1, 2]
    assert landed.stood == 9


# -- the trace: two bins, offset, interrupt --


def row_of_trace(game: Game, event: str, who: int) -> dict[str, int]:
    """What the paper prints after an event; a chain that has run out is told as 0."""
    told = {}
    for number, side in enumerate(game.sides):
        chain = side.chain
        tell = chain and (not chain.is_credited or (event, who) == ("step", number))
        told[f"p{number + 1}_score"] = chain.points if chain and tell else 0
        told[f"p{number + 1}_ojama"] = chain.sent if chain and tell else 0
    return told | {"A": game.sides[1].a, "B": game.sides[1].b}


def fire(game: Game, who: int, steps: list[Step]) -> None:
    """A chain with these steps, whatever the field is."""
    assert game.mover == who
    game.sides[who].fallen_this_turn = 0
    bare = empty()
    game.begin(who, steps, game.times(who, bare, bare, (1, 0), len(steps)))
    game.until_somebody_moves()


def still(game: Game) -> None:
    """A hand that erases nothing, on a field made bare for it."""
    game.sides[game.mover].field = empty()
    game.play("RB1.0")


@pytest.mark.parametrize("table", sorted(HAND_TABLES))
def test_the_trace_row_by_row(table: str) -> None:
    trace = GOLDEN["offset_interrupt"]
    game = Game(Rules(hand_table=table, fall=Fall(unit=1)))
    seen: list[dict[str, int]] = []
    game.told = lambda event, who: seen.append(row_of_trace(game, event, who))
    attack = steps_of(SINGLE, SINGLE, SINGLE, SINGLE)
    answer = steps_of(SINGLE, SINGLE, SINGLE, DOUBLE)
    second = steps_of(SINGLE, DOUBLE, DOUBLE, SINGLE, SINGLE, SINGLE)
    p2 = game.sides[1]
    fire(game, 0, attack)
    for _ in range(game.rules.hands_of(4) - 1):
        still(game)
    fire(game, 1, answer)
    fire(game, 0, second)
    between = 0
    assert p2.ojama_fallen == trace["final"]["first_fall"]
    while p2.ojama_fallen == 12:
        still(game)
        between += 1
    golden = GOLDEN["tick_model"]["trace_check"][table]
    assert (between, 12) == (golden["p2_hands_between"], golden["first_fall"])
    batches = [p2.ojama_fallen - 12]
    while p2.waiting:
        assert game.over is None
        before = p2.ojama_fallen
        still(game)
        if p2.ojama_fallen > before:
            batches.append(p2.ojama_fallen - before)
    assert batches == trace["final"]["cap30_batches_of_110"]
    assert sum(batches) == golden["second_fall"] == trace["final"]["second_fall"]
    *rows, last = [{name: row[name] or 0 for name in seen[0]} for row in trace["rows"]]
    assert seen[: len(rows)] == rows
    assert seen[-1] == last


# -- tables --


def test_all_clear_and_death() -> None:
    assert GOLDEN["all_clear"]["points"] == ALL_CLEAR
    assert GOLDEN["all_clear"]["ojama70"] == ALL_CLEAR // 70
    assert list(DEATH) == GOLDEN["recommended_defaults"]["free"]["death"]


def test_hand_tables() -> None:
    assert {name: list(table) for name, table in HAND_TABLES.items()} == GOLDEN["hand_tables"]


def test_margin() -> None:
    golden = GOLDEN["margin"]
    assert [list(column) for column in zip(*MARGIN, strict=True)] == [
        golden["seconds"],
        golden["rate"],
    ]
    assert [margin_rate(s) for s in (0, 95.9, 96, 111, 112, 1000)] == [70, 70, 52, 52, 34, 1]


def test_the_example_of_a_loop() -> None:
    golden = GOLDEN["open_supply"]
    symbols = sorted(set(golden["example_top"]))
    letters = str.maketrans("".join(symbols), "RBYG")
    top, bottom = (golden[name].translate(letters) for name in ("example_top", "example_bottom"))
    pairs = [axis + child for axis, child in zip(top, bottom, strict=True)]
    assert len(pairs) == golden["hands_seed_example"]
    assert "".join(pairs).count("R") == golden["blocks_per_colour"]
    assert list_faults(pairs, golden["first2_max_colours"]) == []
    assert list_faults(["RB", "YG"]) == ["more than three colours in the first two pairs"]
