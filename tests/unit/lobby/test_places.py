"""Where choices lie on a board: a clock's face, and lines as they are read."""

from __future__ import annotations

import math

from each import each
from lobby_table import BOARDS
from lumiban.boards.profile import load
from lumiban.lobby.choices import HOME, START
from lumiban.lobby.places import Places


@each("board", ["grid9x9", "grid13x14", "grid15x15", "chess8", "hex5", "hex8"])
def test_the_first_screen_is_a_clock_s_face_around_its_beginning(board: str) -> None:
    hours = {
        "resume": 0, "game": 1.5, "size": 3, "first": 4.5, "second": 6, "clock": 7.5, "lesson": 9,
        "care": 10.5,
    }  # fmt: skip
    profile = load(board)
    wide, high = (max(abs(place[axis]) for place in profile.seen_mm) for axis in (0, 1))
    cells = Places(profile).of(HOME, [*hours, START, "rematch"])
    assert cells.pop("rematch") == cells["resume"]
    for choice, cell in cells.items():
        x, y = profile.seen_mm[cell][0] / wide, profile.seen_mm[cell][1] / high
        away = math.hypot(x, y)
        if choice == START:
            assert away < 0.21
            continue
        assert 0.6 < away < 0.95, choice
        off = (math.atan2(x, -y) / math.tau * 12 - hours[choice]) % 12
        assert min(off, 12 - off) < 0.45, choice


@each("board", BOARDS)
@each("turn", [0, 180])
def test_lines_are_read_from_the_far_left_however_the_board_is_turned(
    board: str, turn: int
) -> None:
    profile = load(board).turned(turn)
    places = Places(profile)
    seen = profile.seen_mm
    assert sorted(cell for row in places.rows for cell in row) == list(range(len(profile.cells)))
    for row in places.rows:
        assert len({round(seen[cell][1]) for cell in row}) == 1
        assert [seen[cell][0] for cell in row] == sorted(seen[cell][0] for cell in row)
    far = [seen[row[0]][1] for row in places.rows]
    assert far == sorted(far, reverse=far[0] > far[-1])
    assert (places.side(0), places.side(1)) == (places.rows[-1], places.rows[0])
    assert places.back == places.rows[-1][-1]
    listed = places.of("games", [f"choice {n}" for n in range(5)])
    order = {cell: n for n, cell in enumerate(cell for row in places.rows for cell in row)}
    numbers = [order[cell] for cell in listed.values()]
    assert numbers == sorted(set(numbers)), "a list reads as a page does"
    assert places.back not in listed.values()
    lines = {n for n, row in enumerate(places.rows) if set(row) & set(listed.values())}
    assert abs(sum(lines) / len(lines) - (len(places.rows) - 1) / 2) <= 1, "about the middle"
