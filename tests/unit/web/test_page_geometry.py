"""How the page lays a board out: its own geometry, asked in Node without a browser."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from typing import Any

import patience
import pytest
from lumiban.boards import profile as profiles

PHONES = [(360, 640), (375, 667), (390, 844), (430, 932)]
TALL_PX, SAID_ABOVE_PX, SAID_ABOVE_SHORT_PX = 780, 304, 170
"""What style.css leaves of a window's height to the board, on a tall and on a short phone."""
ASKS = """
const source = process.argv[1];
const geometry = await import("data:text/javascript," + encodeURIComponent(source));
const asked = JSON.parse(process.argv[2]);
const plans = asked.rooms.map(([name, width, height, bowls]) =>
    geometry.layOut(asked.profiles[name], { width, height }, { count: bowls, small: true }));
const lying = plans[0].profile;
console.log(JSON.stringify({
    px: plans.map((plan) => plan.profile.pitch_mm / plan.unit),
    share: plans.map((plan, i) => 2 * plan.halfY / plan.unit / asked.rooms[i][2]),
    box: plans.map((plan) => plan.box.map((mm) => mm / plan.unit)),
    bowl: plans.map((plan) => 2 * plan.radius / plan.unit),
    turned: plans.map((plan) => plan.profile.turn !== 0),
    cells: plans.map((plan) => plan.profile.cells.map(({ x, y }) => [x, y])),
    there: lying.cells.map((cell) => geometry.meant(lying.turn, cell)).map(({ x, y }) => [x, y]),
    trays: [[360, 470], [557, 390], [704, 704]].map(([width, height]) => {
        const bowls = { count: 2, small: true, empty: true, short: true };
        const plan = geometry.layOut(asked.profiles.grid9x9, { width, height }, bowls);
        return plan.profile.pitch_mm / plan.unit;
    }),
}));
"""


def seen(name: str) -> dict[str, Any]:
    profile = profiles.load(name)
    return {
        "geometry": profile.grid.shape,
        "pitch_mm": profile.pitch_mm,
        "cells": [{"q": c.q, "r": c.r, "x": c.x_mm, "y": c.y_mm} for c in profile.cells],
        "edges": {},
    }


def left_to_the_board(width: int, height: int) -> tuple[float, float]:
    above = SAID_ABOVE_PX if height > TALL_PX else SAID_ABOVE_SHORT_PX
    return width, min(1.44 * width, height - above)


ROOMS = [
    *(("hex5", *left_to_the_board(*phone), 2) for phone in PHONES),
    ("hex3", 704, 704, 2),
    ("hex5", 704, 704, 2),
    *((name, *left_to_the_board(360, 640), 2) for name in ("hex3", "grid9x9")),
]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    source = (files("lumiban.web") / "static" / "geometry.js").read_text("utf-8")
    asked = {"profiles": {n: seen(n) for n in ("hex3", "hex5", "grid9x9")}, "rooms": ROOMS}
    command = [node, "--input-type=module", "-e", ASKS, source, json.dumps(asked)]
    done = patience.run(command)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.process
def test_a_finger_finds_every_cell_of_the_large_board_on_a_phone(told: dict[str, Any]) -> None:
    phones = slice(0, len(PHONES))
    assert min(told["px"][phones]) >= 44
    assert all(told["turned"][phones])


@pytest.mark.process
def test_no_cell_and_no_bowl_lies_beyond_the_window(told: dict[str, Any]) -> None:
    for i, (name, width, height, _) in enumerate(ROOMS):
        left, top, wide, high = told["box"][i]
        assert wide <= width + 0.5, name
        assert high <= height + 0.5, name
        reach = told["px"][i] * (0.5 if name.startswith("grid") else 0.577)
        for x, y in told["cells"][i]:
            px = told["px"][i] / 25
            assert left <= x * px - reach, name
            assert x * px + reach <= left + wide, name
            assert top <= y * px - reach, name
        assert told["bowl"][i] >= 44, name


@pytest.mark.process
def test_beside_the_columns_a_small_board_takes_its_room_and_lies_as_on_the_table(
    told: dict[str, Any],
) -> None:
    small, large = len(PHONES), len(PHONES) + 1
    # Of the window at 1280 x 800, of which the stage has 704.
    assert told["share"][small] * 704 / 800 >= 0.77
    assert not told["turned"][small]
    assert not told["turned"][large]


@pytest.mark.process
def test_a_board_with_trays_is_laid_out_in_every_window(told: dict[str, Any]) -> None:
    assert min(told["trays"]) >= 30


@pytest.mark.process
def test_what_is_seen_on_a_turned_board_is_meant_where_it_lies(told: dict[str, Any]) -> None:
    lying = [(cell["x"], cell["y"]) for cell in seen("hex5")["cells"]]
    assert [pytest.approx(place, abs=1e-6) for place in told["there"]] == lying
