"""Drawing: which meaning a cell shows, what is quiet while something is guided, edges."""

from __future__ import annotations

from each import each
from lumiban.games import mark_kinds
from lumiban.games.base import Mark
from lumiban.grid import hexagon
from lumiban.scene.draw import NO_CELL, advised, draw, side_cells
from lumiban.scene.grammar import PRIORITY, Strength, pattern
from lumiban.scene.light import DARK, Effect, LightState, Picture
from lumiban.scene.themes import ENTRIES, INDEX

GRID = hexagon(3)
CALM = {Effect.STEADY, Effect.BREATHE}


def shown(marks: list[Mark], covered: frozenset[int] = frozenset(), **more: object) -> Picture:
    return draw(marks, grid=GRID, theme="standard", covered=covered, **more)  # type: ignore[arg-type]  # edges only


def glow(meaning: str, side: int | None = None, covered: bool = False) -> LightState:
    look = pattern(meaning, side)
    return LightState(INDEX[look.role, look.strength, covered], look.effect)


def strength(lit: LightState) -> Strength:
    return ENTRIES[lit.palette - 1][1]


@each(
    ("upper", "lower"),
    [
        (mark_kinds.MEND, mark_kinds.MACHINE_TO),
        (mark_kinds.PROOF, mark_kinds.MACHINE_TO),
        (mark_kinds.MACHINE_TO, mark_kinds.MAY_PLACE),
        (mark_kinds.MACHINE_FROM, mark_kinds.LAST),
        (mark_kinds.REMOVABLE, mark_kinds.OWNED),
        (mark_kinds.MAY_PLACE, mark_kinds.OWNED),
        (mark_kinds.LAST, mark_kinds.OWNED),
    ],
)
def test_a_cell_shows_its_most_urgent_meaning(upper: str, lower: str) -> None:
    assert PRIORITY.index(upper) < PRIORITY.index(lower)
    for marks in ([Mark(4, upper), Mark(4, lower)], [Mark(4, lower), Mark(4, upper)]):
        assert shown(marks).cells[4].effect == pattern(upper, None).effect


def test_unmarked_cells_are_dark() -> None:
    picture = shown([Mark(4, mark_kinds.MAY_PLACE, 0)])
    assert [cell for cell, lit in enumerate(picture.cells) if lit != DARK] == [4]


def test_only_what_is_to_be_mended_blinks() -> None:
    marks = [
        Mark(0, mark_kinds.MEND),
        Mark(1, mark_kinds.PROOF),
        Mark(2, mark_kinds.OWNED, 0),
        Mark(3, mark_kinds.OWNED, 1),
        Mark(4, mark_kinds.REMOVABLE, 0),
        Mark(5, mark_kinds.MAY_PLACE, 0),
        Mark(6, mark_kinds.LAST, 0),
        Mark(7, mark_kinds.MACHINE_TO, 1),
        Mark(NO_CELL, mark_kinds.WAITING, 0),
    ]
    picture = shown(marks)
    assert picture.cells[0] == glow(mark_kinds.MEND)
    assert picture.cells[1] == glow(mark_kinds.PROOF)
    for lit in picture.cells[2:]:
        assert lit == DARK or (lit.effect in CALM and strength(lit) == Strength.FAINT)
    effects = [picture.cells[cell].effect for cell in (2, 3)]
    assert effects == [Effect.STEADY, Effect.BREATHE], "what breathed goes on"


def test_while_the_machines_move_is_to_be_placed_only_its_cells_pulse() -> None:
    marks = [
        Mark(0, mark_kinds.MACHINE_TO, 1),
        Mark(9, mark_kinds.MACHINE_FROM, 1),
        Mark(1, mark_kinds.MAY_PLACE, 1),
        Mark(2, mark_kinds.REMOVABLE, 1),
        Mark(3, mark_kinds.OWNED, 0),
    ]
    picture = shown(marks)
    assert picture.cells[0].effect == Effect.PULSE
    assert picture.cells[9].effect == Effect.PULSE_B
    assert picture.cells[1] == picture.cells[2] == DARK
    assert picture.cells[3] == glow(mark_kinds.OWNED, 0)


def test_with_a_piece_in_hand_only_its_targets_burn_bright() -> None:
    marks = [
        Mark(1, mark_kinds.LIFT_TARGET, 0),
        Mark(2, mark_kinds.MAY_PLACE, 0),
        Mark(3, mark_kinds.LAST, 1),
    ]
    picture = shown(marks)
    assert strength(picture.cells[1]) == Strength.BRIGHT
    assert picture.cells[2] == picture.cells[3] == DARK


def test_waiting_breathes_on_the_edge_lights_of_its_side() -> None:
    picture = shown([Mark(NO_CELL, mark_kinds.WAITING, 1)], edges=("near", "far"))
    assert picture.edges == (("far", glow(mark_kinds.WAITING, 1)),)
    assert set(picture.cells) == {DARK}


def test_without_edge_lights_the_outermost_free_cells_wait_but_legal_marks_win() -> None:
    near = side_cells(GRID, 0)
    legal, taken, *free = near
    marks = [Mark(NO_CELL, mark_kinds.WAITING, 0), Mark(legal, mark_kinds.MAY_PLACE, 0)]
    picture = shown(marks, frozenset({taken}))
    assert picture.cells[legal] == glow(mark_kinds.MAY_PLACE, 0)
    assert picture.cells[taken] == DARK
    assert free
    for cell in free:
        assert picture.cells[cell] == glow(mark_kinds.WAITING, 0)


def test_the_winners_edge_lights_no_piece_that_has_not_won() -> None:
    own, other, *free = side_cells(GRID, 0)
    marks = [Mark(own, mark_kinds.WON, 0), Mark(NO_CELL, mark_kinds.WON, 0)]
    picture = shown(marks, frozenset({own, other}))
    assert picture.cells[own] == glow(mark_kinds.WON, 0, covered=True)
    assert picture.cells[other] == DARK
    for cell in free:
        assert picture.cells[cell] == glow(mark_kinds.WON, 0)


def test_the_sides_sit_opposite() -> None:
    assert [GRID.name(cell) for cell in side_cells(GRID, 0)] == ["a1", "a2", "a3"]
    assert [GRID.name(cell) for cell in side_cells(GRID, 1)] == ["e1", "e2", "e3"]


def test_a_lost_board_breathes_all_over_and_shows_nothing_else() -> None:
    marks = [Mark(cell, mark_kinds.LOST) for cell in (*range(len(GRID)), NO_CELL)]
    picture = shown([*marks, Mark(3, mark_kinds.MEND)])
    assert set(picture.cells) == {glow(mark_kinds.LOST)}


def test_the_best_of_three_moves_stands_out_and_a_cell_belongs_to_the_best() -> None:
    marks = advised(1, [(4, 7), (4, 5), (6,), (9,)])
    assert [(mark.cell, mark.meaning, mark.side) for mark in marks] == [
        (4, "advice", 1),
        (7, "advice", 1),
        (5, "advice-also", 1),
        (6, "advice-also", 1),
    ]
    assert advised(0, []) == []
