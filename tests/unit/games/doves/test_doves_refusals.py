"""What Tokyo Doves refuses, with its proof: the frame, reach, walls."""

from __future__ import annotations

from doves_lines import FREE, at, played, refused
from each import each
from lumiban.games.doves import Doves
from lumiban.games.doves.game import RED


@each(
    ("board", "text", "rule", "proof"),
    [
        ("b./BA", "+Tc5", "beside-enemy-boss", {"b5"}),
        ("b./BA", "+Ta6", "touches-no-own", {"b4", "c4"}),
        ("b./BA", "+Tc4", "occupied", {"c4"}),
        ("b./BA", "+Ad3", "not-in-hand", {"c4"}),
        ("b./BA", "+Bd3", "not-in-hand", {"b4"}),
        ("b./BA", "Ac4-c4", "no-action", {"c4"}),
        ("b./BA", "Ae4", "not-its-way", {"c4"}),
        ("b./BA", "Td3", "not-on-board", set()),
        ("b./BA", "-T", "not-on-board", set()),
        ("b./BA", "-B", "boss-stays", {"b4"}),
        ("b./BA", "Ac4-b4", "occupied", {"b4"}),
        ("b./BA", "Ad3", "alone", {"d3"}),
        ("b../BAT", "TS1E1", "not-its-way", {"d4"}),
        ("b.../BATy", "TE4", "blocked", {"e4"}),
        ("b.../BA../..T.", "AN1", "occupied", {"b5"}),
        ("bB./..A/..T", "AE1", "left-alone", {"d3"}),
        ("bB./..A/..T", "-A", "left-alone", {"d3"}),
        ("b.../BA../..T./...Y", "YS2E4", "too-wide", {"b5", "b4"}),
        ("b.../BA../..T./...Y", "+HS3E3", "too-wide", {f"{c}1" for c in "abcdef"}),
        ("b.../BA../..T.", "YS2E4", "not-on-board", set()),
        ("bBA", "TS1", "not-on-board", set()),
        ("b./BA", "AS2E1", "not-its-way", {"c4"}),
    ],
)
def test_a_forbidden_action_is_refused_with_its_proof(
    board: str, text: str, rule: str, proof: set[str]
) -> None:
    game = Doves(**FREE)
    assert refused(game, at(game, board), text) == (rule, proof)


def test_a_totsu_takes_its_wall_along_and_slides_four_cells() -> None:
    game = Doves(**FREE)
    position = at(game, "T.../.bBA")
    assert game.scores(position)[RED][1] == 2
    after = played(game, position, "TN1E2")
    assert game.board_text(after) == "...T/bBA."
