"""Pictures of positions: self-contained, the same everywhere, each meaning by its shape."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from each import each
from lumiban import games
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.games.base import Kind, Mark
from lumiban.grid import hexagon
from lumiban.scene.grammar import GRAMMAR
from lumiban.scene.svg import Shown, dove, mark, stone, svg
from lumiban.scene.themes import THEMES

ON_CELLS = sorted(set(GRAMMAR) - {"waiting", "thinking", "lost", "owned"})
GAMES = ("control", "evening", "trivia", "doves")


def shown(slug: str, *moves: str, **options: int | str) -> Shown:
    game = games.load(slug, **options)
    position = game.start()
    for text in moves:
        position = game.play(position, game.parse(position, text))
    return Shown(game.grid, game.pieces(position), game.marks(position, "control"))


def without_colours(text: str) -> str:
    return re.sub(r"#[0-9a-f]{6}", "#", text)


@each("slug", GAMES)
@each("theme", THEMES)
def test_a_picture_is_whole_xml_and_needs_nothing_else(slug: str, theme: str) -> None:
    text = svg(shown(slug), theme=theme, title='a < b & "c"')
    root = ElementTree.fromstring(text)
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == 'a < b & "c"'
    assert set(re.findall(r"https?://[^\s\"<)]+", text)) == {"http://www.w3.org/2000/svg"}
    named = set(re.findall(r'id="([\w-]+)"', text))
    assert set(re.findall(r"url\(#([\w-]+)\)", text)) <= named


def test_each_cell_is_drawn_once_and_inside_the_picture() -> None:
    picture = shown("control", "d1", "c3", size=4)
    root = ElementTree.fromstring(svg(picture))
    x, y, width, height = map(float, root.attrib["viewBox"].split())
    cells = [
        group
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        for path in group.findall("{http://www.w3.org/2000/svg}path")
        if path.get("class") == "cell"
    ]
    assert len(cells) == len(picture.grid)
    for cell in cells:
        at = re.fullmatch(r"translate\((\S+) (\S+)\)", cell.attrib["transform"])
        assert at is not None
        assert x < float(at[1]) < x + width
        assert y < float(at[2]) < y + height


@each("meaning", ON_CELLS)
def test_every_meaning_on_a_cell_has_a_shape_of_its_own(meaning: str) -> None:
    others = {mark(other) for other in ON_CELLS if other != meaning}
    assert mark(meaning)
    assert mark(meaning) not in others


def test_the_cells_of_the_sides_differ_by_more_than_colour() -> None:
    grid = hexagon(2)
    one, other = (
        svg(Shown(grid, [0] * 7, [Mark(3, "owned", side)]), theme="monochrome") for side in (0, 1)
    )
    assert without_colours(one) != without_colours(other)


def test_a_place_for_a_neutral_stone_differs_from_one_for_an_own_stone() -> None:
    assert mark("may-place") != mark("may-place-neutral")


def test_stones_differ_by_more_than_colour() -> None:
    kinds = (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL, Kind.UNKNOWN)
    plain = {re.sub(r"ivory|slate|terracotta|strange", "", stone(kind)) for kind in kinds}
    assert len(plain) == len(kinds)


def test_doves_tell_their_kind_and_side_without_letters_and_colours() -> None:
    def outline(letter: str) -> str:
        return re.sub(r"<text.*?</text>|dove-\w+", "", dove(letter))

    assert outline("B") != outline("b")
    kinds = [outline(letter) for letter in "AYMTHB"]
    assert len(set(kinds)) == 6
    assert all(f">{letter}<" in dove(letter) for letter in "BAYMTHbaymth")


@each(
    ("letter", "steps", "far", "leaps"),
    [
        ("B", 8, 0, 0),
        ("A", 8, 0, 0),
        ("Y", 4, 0, 0),
        ("M", 4, 0, 0),
        ("T", 0, 4, 0),
        ("H", 0, 0, 8),
    ],
)
def test_a_dove_has_a_tick_for_each_way_that_it_goes(
    letter: str, steps: int, far: int, leaps: int
) -> None:
    for drawn in (dove(letter), dove(letter.lower())):
        ticks = {
            kind: re.findall(rf'<path d="([^"]*)" class="tick-{kind}"', drawn)
            for kind in ("step", "far")
        }
        assert sum(path.count("M") for path in ticks["step"]) == steps
        assert sum(path.count("M") for path in ticks["far"]) == far
        assert drawn.count('class="tick"') == leaps
        assert ("crown" in drawn) is (letter == "B")


def test_the_board_says_its_names_along_the_edge() -> None:
    names = re.findall(r'class="name"[^>]*>(\w+)<', svg(shown("trivia", size=3)))
    assert sorted(names) == sorted(["1", "2", "3", "a", "b", "c"])


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(UsageError, match="no theme"):
        svg(shown("control"), theme="neon")


# The command.


def drawn(tmp_path: Path, *words: str) -> str:
    out = tmp_path / "picture.svg"
    assert run(["games", "picture", *words, "--out", str(out)]) == 0
    return out.read_text("utf-8")


def test_the_command_draws_the_same_bytes_each_time(tmp_path: Path) -> None:
    words = ("control", "-o", "size=4", "--moves", "d1, c3", "--hint", "legal")
    assert len({drawn(tmp_path, *words) for _ in range(2)}) == 1


def test_more_hints_show_more(tmp_path: Path) -> None:
    words = ("control", "-o", "size=4", "--moves", "d1, c3", "--hint")
    seen = [len(drawn(tmp_path, *words, hint)) for hint in ("none", "legal", "control")]
    assert all(less < more for less, more in pairwise(seen))


def test_a_wrong_stone_is_shown_with_its_proof(tmp_path: Path) -> None:
    words = ("control", "-o", "size=4", "--moves", "d1, c3, d2, c4")
    calm = drawn(tmp_path, *words, "--hint", "none")
    wrong = drawn(tmp_path, *words, "--hint", "none", "--touch", "c5=white")
    assert mark("mend") not in calm
    assert wrong.count(mark("mend")) == 1
    assert wrong.count(mark("proof")) == 1


def test_a_lift_is_shown_waiting(tmp_path: Path) -> None:
    position = ("--position", "c3=white, c4=black, c5=white, d4=black", "--to-move", "white")
    words = ("control", "-o", "size=4", *position)
    assert mark("pending") not in drawn(tmp_path, *words)
    assert drawn(tmp_path, *words, "--touch", "c4=empty").count(mark("pending")) == 1


def test_a_position_is_set_up(tmp_path: Path) -> None:
    trivia = drawn(tmp_path, "trivia", "-o", "size=3", "--position", "b2=white, a1=black, c3=red",
                   "--to-move", "black")  # fmt: skip
    assert trivia.count('class="inlay-terracotta"') == 1
    doves = drawn(tmp_path, "doves", "--position", "b./BA")
    assert ">A</text>" in doves
    assert ">Green</text>" in doves


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("control", "--moves", "z9"), "z9"),
        (("control", "--position", "a1=pink"), "cell=colour"),
        (("control", "--position", "a1=empty"), "empty anyway"),
        (("control", "--to-move", "black"), "--position"),
        (("control", "--position", "a1=white", "--to-move", "red"), "white or black"),
        (("chess",), "there is no game"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_line(
    tmp_path: Path, words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["games", "picture", *words, "--out", str(tmp_path / "x.svg")]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
    assert not (tmp_path / "x.svg").exists()


def test_a_folder_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["games", "picture", "control", "--out", str(tmp_path / "no" / "x.svg")]) == 2
    assert "there is no folder" in capsys.readouterr().err
