"""Sentences at the board name cells as the game does, where a game is laid on a larger board."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.boards.mapping import place_grid
from lumiban.boards.profile import Profile, load
from lumiban.boards.types import Faulty
from lumiban.table.session import Session
from lumiban.table.types import Input, Output, Publish, Reply
from lumiban_fw import wire
from lumiban_lab.soak import TROUBLE
from lumiban_lab.soak_people import People
from lumiban_lab.soak_table import SoakTable
from lumiban_sim.faults import parse
from lumiban_sim.hands import BRISK
from lumiban_sim.rig import Rig
from session_bench import Bench
from shown import as_page_has_it

MARK = "board-"
"""Before each name of the board's own cells: no game has such a name."""
GAMES = (
    ("control", {"size": 3}, "hex5"),
    ("evening", {"size": 3}, "hex5"),
    ("trivia", {"size": 3}, "grid9x9"),
)


def marked(name: str) -> Profile:
    board = load(name)
    names = tuple(MARK + cell for cell in board.grid.names)
    return dataclasses.replace(board, grid=dataclasses.replace(board.grid, names=names))


def told(outputs: list[Output]) -> Iterator[Mapping[str, Any]]:
    for output in outputs:
        if isinstance(output, Publish):
            yield {
                key: value for key, value in as_page_has_it(output.view).items() if key != "game"
            }
        elif isinstance(output, Reply):
            yield {"error": output.error}


class Listening(Session):
    """A session whose every word is kept."""

    def step(self, now_us: int, inputs: Any = ()) -> list[Output]:
        out = super().step(now_us, inputs)
        heard.update(json.dumps(one, default=str) for one in told(out))
        return out


heard: set[str] = set()


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "options", "board"), GAMES)
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
def test_no_word_of_a_table_in_trouble_names_a_cell_of_the_board(
    slug: str, options: dict[str, int | str], board: str, seed: int, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    heard.clear()
    monkeypatch.setattr("lumiban_lab.soak_table.Session", Listening)
    profile = marked(board)
    used = place_grid(games.load(slug, **options).laid_on(profile.grid).grid, profile).board
    middle, other = (profile.grid.names[used[len(used) // 2 + more]] for more in (0, 1))
    row = profile.cells[used[0]].row
    plans = [
        f"at {4 * n + 3}s for 3s "
        + words.format(
            cell=middle, next=other, piece=other, row=row, line="S1", mv=3400, ohm=1, mt=20, rate=5,
            kelvin=15, kind="black", mm=5, percent=20, count=10, noise=1,
        )
        for n, (_, words) in enumerate(TROUBLE)
        if words.split()[0] in ("stuck", "dead", "cable", "stacked", "between", "displaced",
                                "flipped", "weak", "foreign") and "{" in words
    ]  # fmt: skip
    rig = Rig(profile, seed, tempo=BRISK, plan=parse("\n".join(plans), profile))
    table = SoakTable(rig, slug, options, ("human", "human"), seed=seed, folder=tmp_path)
    people = People(table, clumsy=0.2)
    while table.now_us < 60_000_000:
        people.act()
    assert len(heard) > 20
    assert any('"table.blind"' in one for one in heard)
    assert [one for one in heard if MARK in one] == []


@pytest.mark.parametrize("what", [wire.FAULT_DRIFT, wire.FAULT_STUCK])
def test_a_sensor_that_the_board_complains_of_is_told_by_the_game_s_name_or_not_at_all(
    what: int,
) -> None:
    for cell in range(61):
        bench = Bench(profile="hex5", size=3)
        bench.session.profile = bench.profile = marked("hex5")
        bench.connect()
        told_before = len(bench.out)
        fault: Input = Faulty(what, cell)
        views = [as_page_has_it(one.view) for one in bench.step(fault) if isinstance(one, Publish)]
        assert told_before
        on_game = bench.match.placing.game[cell]
        texts = [one["verdict"]["text"] for one in views if one["verdict"]["text"]]
        if on_game < 0:
            assert not texts
            continue
        params = texts[-1]["params"]
        assert params.get("cell", params.get("cells")) == bench.game.grid.name(on_game)
