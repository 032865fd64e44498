"""Evening's options: presets, the family's names, boards of any patch of hex cells."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from each import each
from lumiban import games
from lumiban.arguments import options
from lumiban.errors import GameError, UsageError
from lumiban.games import registry
from lumiban.games.evening import Evening


def test_presets_are_the_options_they_stand_for() -> None:
    assert Evening(preset="evening") == Evening()
    assert Evening(preset="evening-odd-even") == Evening(tie="odd-even")
    assert Evening(preset="ludii") == Evening(tie="odd-even", turns="trailing")
    interleave = Evening(preset="interleave")
    assert interleave == Evening(sees="sight", wins="cascade", tie="even", opening="pie", size=4)
    assert "preset" not in interleave.options
    assert Evening(**interleave.options) == interleave


def test_what_is_given_by_itself_goes_before_the_preset() -> None:
    assert Evening(preset="interleave", size=5).options["size"] == 5
    with pytest.raises(GameError, match="no preset 'article': its presets are evening,"):
        Evening(preset="article")


def test_members_of_the_family_load_by_their_names() -> None:
    for name, slug in registry._NAMED.items():
        assert name in games.game_class(slug).presets
        assert games.load(name) == games.load(name.title()) == games.load(slug, preset=name)
    assert games.load("interleave", size=3).options["sees"] == "sight"
    assert games.load("evening") == Evening()
    with pytest.raises(GameError, match="interleave is a preset itself: load evening"):
        games.load("interleave", preset="evening")


def test_the_command_line_reads_the_cells_of_a_board_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "three"
    path.write_text("# a patch\n0 0\n1 0\n0 1\n", "utf-8")
    read = options([f"cells={path}", "turns=trailing"])
    assert games.load("evening", **read).grid.names == ("b1", "b2", "a1")
    assert options(["cells=0,0 1,0"])["cells"] == "0,0 1,0"
    assert options(["cells=hexagon"])["cells"] == "hexagon"
    with pytest.raises(UsageError, match=r"missing\.txt cannot be read"):
        options([f"cells={tmp_path / 'missing.txt'}"])


def test_any_patch_of_hex_cells_is_a_board() -> None:
    boards = [
        Evening(cells="0,0 1,0 0,1"),
        Evening(cells="[[0, 1], [0, 0], [1, 0]]"),
        Evening(cells="# three cells\n0 1\n1 0\n0 0  # the corner\n"),
        Evening(cells="1,0; 0,0; 0,1"),
    ]
    assert len(set(boards)) == 1
    assert boards[0].options["cells"] == "0,0 1,0 0,1"
    assert boards[0].grid.names == ("b1", "b2", "a1")
    assert pickle.loads(pickle.dumps(boards[0])) == boards[0]


@each(
    ("cells", "said"),
    [
        ("square", "squares and triangles alternate like a chessboard's"),
        ("triangular", "squares and triangles alternate"),
        ("0,0 1,0,0", "1,0,0 is no hex cell: write hexagon, or cells as two axial numbers"),
        ("[[0, 0], [1, 0, 0]]", "is no hex cell"),
        ("[[0, 0", "is no list of pairs"),
        ("[[0, true]]", "is no hex cell"),
        ("0,0 0,0", "twice"),
        ("[]", "at least one cell"),
        ("a1 a2", "is no hex cell"),
        (" ".join(f"0,{r}" for r in range(27)), "more than 26 rows"),
        (" ".join(f"{q},0" for q in range(300)), "300 cells are more than 217"),
    ],
)
def test_what_is_no_patch_is_refused_with_the_reason(cells: str, said: str) -> None:
    with pytest.raises(GameError, match=said) as caught:
        Evening(cells=cells)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("grid", ["square", "triangle"])
def test_other_grids_are_refused_with_the_reason(grid: str) -> None:
    with pytest.raises(GameError, match="evening needs hex cells"):
        Evening(grid=grid)
