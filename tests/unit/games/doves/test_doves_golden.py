"""Tokyo Doves against the published data: positions, their actions, counts and bans."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from each import each
from lumiban.games import Position
from lumiban.games.doves import Doves
from lumiban.games.doves.kernel import (
    ENDED,
    MAX_ACTIONS,
    adjacent_cells,
    board_of,
    key_of,
    places_in,
)
from lumiban.games.doves.notation import action, board_text
from lumiban.search import jit
from lumiban.search.perft import perft
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "doves.json").read_text("utf-8"))
POSITIONS = GOLDEN["positions"] + GOLDEN["positions_both_from_bf"]
STATUS = ("none", "red", "green", "both")
FREE = {"repetition": "off", "initial": "allowed"}

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")


def set_up(golden: dict[str, Any]) -> tuple[Doves, Position]:
    game = Doves(**FREE)
    return game, game.setup(board=golden["board"], to_move=golden["to_move"])


@each("golden", POSITIONS)
def test_a_published_position_has_its_actions_and_what_comes_of_them(
    golden: dict[str, Any],
) -> None:
    game, position = set_up(golden)
    state = game.state(position)
    assert STATUS[state.board[ENDED]] == golden["status"]
    state.board[ENDED] = 0  # the published list goes on after the end
    out = [0] * MAX_ACTIONS
    found = {}
    for code in out[: state.moves(out)]:
        after = game.state(position)
        after.play(code)
        act, kind, cell = action(code)
        letter = "BAYMTH"[kind] if position.state[0] == 0 else "baymth"[kind]
        to = None if cell < 0 else (cell // 6 - 1, cell % 6 - 1)
        found[act, letter, to] = (
            game.move_of(position, code).text,
            board_text(places_in(after.board)),
            STATUS[after.board[ENDED]],
        )
    wanted = {
        (a["t"], a["d"], None if a["to"] is None else tuple(a["to"])): a for a in golden["actions"]
    }
    assert len(found) == golden["n_actions"]
    assert found.keys() == wanted.keys()
    for key, (text, board, status) in found.items():
        assert text == wanted[key].get("ssn", text)
        assert (board, status) == (wanted[key]["after"], wanted[key]["status"])


@each("golden", GOLDEN["positions"])
def test_a_published_position_has_its_doves_its_air_and_its_key(golden: dict[str, Any]) -> None:
    game, position = set_up(golden)
    (red, red_air), (green, green_air) = game.scores(position)
    assert red + green == golden["n"]
    assert (red_air, green_air) == (golden["liberty_red"], golden["liberty_green"])
    assert game.board_text(position) == golden["board"]
    doves = list(game.places(position))
    if golden["to_move"] == "green":
        # The published key swaps the colours so that the mover is Red; ours never does.
        doves = [doves[dove ^ 1] for dove in range(12)]
    assert key_of(board_of(doves, 0), 0, True) == int(golden["invariant_u64_hex"], 16)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("remove", "listed"),
    [("on", GOLDEN["perft"]["with_remove"]), ("off", GOLDEN["perft"]["no_remove"])],
)
def test_sequences_by_their_last_action_and_its_end(
    remove: str, listed: list[dict[str, int]]
) -> None:
    game = Doves(**FREE, remove=remove)
    depths = len(listed) if jit.available() else 3
    assert perft(game, depths) == [row["nodes"] for row in listed[:depths]]
    states = [game.state(game.start()) for _ in range(4)]
    outs = [[0] * MAX_ACTIONS for _ in range(4)]
    rows = [dict.fromkeys(listed[0], 0) for _ in range(3)]

    def walk(ply: int) -> None:
        row = rows[ply]
        for code in outs[ply][: states[ply].moves(outs[ply])]:
            states[ply + 1].assign(states[ply])
            states[ply + 1].play(code)
            row["nodes"] += 1
            row[action(code)[0]] += 1
            if ply + 1 < len(rows):
                walk(ply + 1)

    walk(0)
    for row, wanted in zip(rows, listed, strict=False):
        assert row == {**wanted, "depth": 0}


def tally(states: Any, outs: Any, ended: Any) -> int:
    """Play all sequences of four actions; how often each `ENDED` comes after the fourth."""
    total = 0
    for i in range(states[0].moves(outs[0])):
        states[1].assign(states[0])
        states[1].play(outs[0][i])
        for j in range(states[1].moves(outs[1])):
            states[2].assign(states[1])
            states[2].play(outs[1][j])
            for k in range(states[2].moves(outs[2])):
                states[3].assign(states[2])
                states[3].play(outs[2][k])
                for n in range(states[3].moves(outs[3])):
                    states[4].assign(states[3])
                    states[4].play(outs[3][n])
                    ended[states[4].board[ENDED]] += 1
                    total += 1
    return total


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize("remove", ["on", "off"])
def test_the_fourth_action_wins_and_loses_as_often_as_published(remove: str) -> None:
    game = Doves(**FREE, remove=remove)
    wanted = GOLDEN["perft"]["with_remove" if remove == "on" else "no_remove"][3]
    states = tuple(jit.compiled_state(game.state(game.start())) for _ in range(5))
    outs = tuple(jit.zeros(MAX_ACTIONS) for _ in range(4))
    ended = jit.zeros(4)
    assert jit.compiled(tally, type(states[0]))(states, outs, ended) == wanted["nodes"]
    # Green acts fourth.
    assert list(ended[1:]) == [wanted["mover_wins"], wanted["mover_suicide"], wanted["both"]]


BANS = [
    (name.split("+")[0].replace("none", "off"), "+initban" in name, nodes)
    for name, nodes in GOLDEN["perft_ban"].items()
]


@pytest.mark.jit
@pytest.mark.parametrize(("repetition", "initban", "nodes"), BANS)
def test_the_bans_leave_as_many_sequences_as_published(
    repetition: str, initban: bool, nodes: list[int]
) -> None:
    game = Doves(repetition=repetition, initial="forbidden" if initban else "allowed")
    depth = 4 if jit.available() else 3
    assert perft(game, depth) == nodes[:depth]
    assert perft(game, 3, compiled=False) == nodes[:3]


@pytest.mark.parametrize("count", [2, 3, 4, pytest.param(5, marks=pytest.mark.long)])
def test_there_are_as_many_boards_of_so_many_doves_as_published(count: int) -> None:
    """Counted for one choice of doves: surrounding does not ask which others stand around."""
    cells = [8 * (r + 1) + c + 1 for r in range(4) for c in range(4)]
    live: dict[int, bool] = {}
    for placed in itertools.permutations(cells, count):
        word = sum(1 << place for place in placed)
        if word & ~adjacent_cells(word):
            continue
        board = board_of([*placed, *[-1] * (12 - count)], 0)
        live[key_of(board, 0, True)] = board[ENDED] == 0
    choices = len(list(itertools.combinations(range(10), count - 2)))
    wanted = GOLDEN["static_counts"][str(count)]
    assert len(live) * choices == wanted["all"]
    assert sum(live.values()) * choices == wanted["non_terminal"]
