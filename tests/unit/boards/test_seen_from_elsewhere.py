"""A board on which everything is turned for whoever sits at another side: they see what whoever
sits at the near side would see."""

from __future__ import annotations

import pytest
from each import each
from lumiban import games
from lumiban.boards.profile import Profile, load
from lumiban.flight.file import FlightHead, head_of, of_new, profile_of
from lumiban.table.fitting import fit
from lumiban.table.types import Settings

CASES = [
    (game, board, turn)
    for game, board in (
        ("control", "hex3"),
        ("evening", "hex5"),
        ("trivia", "grid9x9"),
        ("doves", "grid9x9"),
        ("rengi", "grid13x14"),
    )
    for turn in (range(60, 360, 60) if board.startswith("hex") else (180,))
]


def laid(slug: str, profile: Profile) -> tuple[int, ...]:
    game = games.load(slug, **({"size": 3} if profile.name == "hex3" else {}))
    return fit(game, profile).board


@each(("slug", "board", "turn"), CASES)
def test_who_sits_there_sees_each_cell_of_a_game_where_it_lies_at_the_near_side(
    slug: str, board: str, turn: int
) -> None:
    straight = load(board)
    turned = straight.turned(turn)
    before = [straight.seen_mm[cell] for cell in laid(slug, straight)]
    now = [turned.seen_mm[cell] for cell in laid(slug, turned)]
    assert now == [pytest.approx(place, abs=0.01) for place in before]
    assert laid(slug, turned) != laid(slug, straight)
    assert turned.cells == straight.cells, "how it is wired is another thing"


def test_angles_that_cells_do_not_allow_count_as_the_nearest() -> None:
    assert [load("hex5").turned(n).turn for n in (0, 31, 90, 330, 359)] == [0, 60, 120, 0, 0]
    assert [load("grid9x9").turned(n).turn for n in (60, 120, 180, 300)] == [0, 180, 180, 0]


def test_a_recording_knows_by_how_much_its_board_was_turned() -> None:
    game = games.load("rengi")
    for turn in (0, 180):
        head: FlightHead = head_of(
            "grid13x14",
            Settings(),
            now_us=0,
            hint="legal",
            session=1,
            link_resume=None,
            table=of_new(game, ("human", "human"), 1, "a"),
            turn=turn,
        )
        assert profile_of(head).turn == turn
        assert ("turn" in head) == bool(turn)
