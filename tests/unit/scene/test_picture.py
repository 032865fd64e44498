"""Pictures of positions: self-contained, the same everywhere, each meaning by its shape."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from math import cos, dist, hypot, pi
from pathlib import Path
from xml.etree import ElementTree

import pytest
from each import each
from lumiban import games
from lumiban.cli import run
from lumiban.errors import UsageError
from lumiban.games.base import Kind, Mark
from lumiban.grid import Grid, hexagon, rectangle
from lumiban.scene.grammar import GRAMMAR
from lumiban.scene.svg import Shown, dove, film, mark, middles, ring_around, stone, svg
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


SVG = "{http://www.w3.org/2000/svg}"
AT = re.compile(r"translate\((\S+) (\S+)\)")


def at(node: ElementTree.Element) -> tuple[float, float]:
    """Where an element is drawn."""
    moved = AT.match(node.get("transform", ""))
    assert moved is not None
    return float(moved[1]), float(moved[2])


def near(places: Sequence[tuple[float, float]], place: tuple[float, float]) -> int:
    """The cell whose middle is the nearest."""
    return min(range(len(places)), key=lambda cell: dist(places[cell], place))


@pytest.mark.parametrize("grid", [hexagon(3), rectangle(4, 3)], ids=["hexagons", "squares"])
def test_cells_lie_as_on_the_board_with_their_names_beside_them(grid: Grid) -> None:
    root = ElementTree.fromstring(svg(Shown(grid, [0] * len(grid))))
    drawn = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}path") is not None]
    places = [at(group) for group in drawn]
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert middles(grid) == [
        (pytest.approx(x - left, abs=0.02), pytest.approx(y - top, abs=0.02)) for x, y in places
    ]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    for low, high, start, size in (
        (min(xs), max(xs), left, width),
        (min(ys), max(ys), top, height),
    ):
        assert (low - start, start + size - high) == pytest.approx((34, 34), abs=0.02)
    for one, (q, r) in enumerate(grid.cells):
        for other, (q2, r2) in enumerate(grid.cells):
            dx, dy = places[other][0] - places[one][0], places[other][1] - places[one][1]
            if grid.is_hex:  # axial coordinates: 60 degrees between q and r
                a, b = q2 - q, r2 - r
                assert dx**2 + dy**2 == pytest.approx(1600 * (a * a + a * b + b * b), abs=2)
                assert (dy > 0) == (b > 0)
            else:
                assert (dx, dy) == (40 * (q2 - q), 40 * (r2 - r))
    (path,) = {group[0].get("d", "") for group in drawn}
    if grid.is_hex:
        corners = [tuple(map(float, one.split())) for one in re.split("[MLZ]", path) if one]
        assert [hypot(*corner) for corner in corners] == pytest.approx(
            [19.2 / cos(pi / 6)] * 6, 0.01
        )
    else:
        assert path == "M-19.2 -19.2H19.2V19.2H-19.2Z"
    named: dict[str, int] = {}
    for text in root.iter(f"{SVG}text"):
        place = float(text.attrib["x"]), float(text.attrib["y"])
        cell = near(places, place)
        assert str(text.text) in grid.names[cell]
        assert 20 < dist(place, places[cell]) < 28
        named[str(text.text)] = named.get(str(text.text), 0) + 1
    letters = {name[0] for name in grid.names}
    assert named == dict.fromkeys({*letters, *(name[1:] for name in grid.names)}, 1)


def test_pieces_numbers_marks_and_hands_stand_where_they_belong() -> None:
    grid = hexagon(2)
    pieces = [1, 2, 3, int(Kind.MASKED), 0, int(Kind.UNKNOWN), 0]
    marks = [
        Mark(4, "may-place", 0), Mark(4, "may-place-neutral", 0), Mark(6, "may-place-neutral", 0),
        Mark(0, "last", 0), Mark(1, "wall"), Mark(2, "proof"), Mark(-1, "waiting", 0),
    ]  # fmt: skip
    look = Shown(
        grid, pieces, marks, {0: "B", 2: "a"}, (("Red", "AY"), ("<G>", "t")), ((), (4, 6)), {5: 7}
    )
    text = svg(look, title="all")
    root = ElementTree.fromstring(text)
    cells = [at(g) for g in root.iter(f"{SVG}g") if g[0].get("class") == "cell"]
    stood = {
        near(cells, at(group)): kind
        for group in root.iter(f"{SVG}g")
        for kind in ("dove-red", "dove-green", "rim-terracotta", "rim-strange")
        if group.get("transform") and any(one.get("class") == kind for one in group)
        and at(group) in cells
    }  # fmt: skip
    assert stood == {0: "dove-red", 1: "dove-green", 2: "rim-terracotta", 5: "rim-strange"}
    order = [text.index(one) for one in (mark("wall"), dove("B", red=True), ring_around())]
    assert order == sorted(order), "walls lie under pieces, other marks over them"
    assert mark("last") not in text, "a dove's face stays free"
    assert text.count(mark("may-place-neutral")) == 1
    assert f"translate({cells[2][0] + 14:g} {cells[2][1] - 14:g}) scale(.7)" in text
    (disc,) = [g for g in root.iter(f"{SVG}g") if g[0].get("r") == "7.6"]
    assert at(disc) == (cells[5][0] + 12, pytest.approx(cells[5][1] - 12, abs=0.01))
    assert disc[1].text == "7"
    (tray,) = [one for one in root.iter(f"{SVG}rect") if one.get("class") == "tray"]
    xs = [cells[cell][0] for cell in (4, 6)]
    assert float(tray.attrib["x"]) == pytest.approx(min(xs) - 20, abs=0.01)
    assert float(tray.attrib["width"]) == pytest.approx(max(xs) - min(xs) + 40, abs=0.01)
    sides = [one for one in root.iter(f"{SVG}text") if one.get("class") == "side"]
    assert [one.text for one in sides] == ["Red", "<G>"]
    held = [g for g in root.iter(f"{SVG}g") if "scale(0.72)" in g.get("transform", "")]
    assert [g[-1].text for g in held] == ["A", "Y", "t"]
    assert [at(g)[1] for g in held] == [float(sides[n].attrib["y"]) for n in (0, 0, 1)]
    assert at(held[1])[0] - at(held[0])[0] == pytest.approx(40 * 0.72 * 1.1, abs=0.02)
    assert at(held[2])[0] == at(held[0])[0]
    bottom = sum(map(float, root.attrib["viewBox"].split()[1::2]))
    assert max(y for _, y in cells) + 34 < float(sides[0].attrib["y"]) < bottom - 20


def test_a_film_shows_each_frame_in_its_time() -> None:
    grid = hexagon(2)
    red, dark = (255, 0, 0), (0, 0, 0)
    frames = [
        Shown(grid, [kind, 0, 3, 0, 0, 0, 0], lamps=[lamp, *[dark] * 6])
        for kind, lamp in ((1, red), (1, dark), (2, dark), (1, red))
    ]
    root = ElementTree.fromstring(film(frames, 0.25, title="four"))

    def seen(node: ElementTree.Element, attribute: str, first: str) -> list[str]:
        """The values of an attribute in the middle of each frame."""
        animate = node.find(f"{SVG}animate")
        if animate is None:
            return [first] * 4
        assert animate.attrib.items() >= {
            "attributeName": attribute, "calcMode": "discrete", "dur": "1s",
            "repeatCount": "indefinite",
        }.items()  # fmt: skip
        times = [float(one) for one in animate.attrib["keyTimes"].split(";")]
        values = animate.attrib["values"].split(";")
        return [values[bisect(times, (n + 0.5) / 4) - 1] for n in range(4)]

    cells = [one for one in root.iter(f"{SVG}path") if one.get("class") == "cell"]
    fills = [seen(one, "fill", one.attrib["style"].split(":")[1]) for one in cells]
    assert fills[1:] == [["#3a2f27"] * 4] * 6
    assert fills[0] == [fills[0][0], "#3a2f27", "#3a2f27", fills[0][0]]
    assert fills[0][0] == "#eb0504", "nine tenths of the lamp on the cell's brown"
    stones = [one for one in root.iter(f"{SVG}g") if one.get("visibility")]
    assert [
        (at(one) == at(cells[cell]), seen(one, "visibility", one.attrib["visibility"]))
        for one, cell in zip(stones, (0, 0, 2), strict=True)
    ] == [
        (True, ["visible", "visible", "hidden", "visible"]),
        (True, ["hidden", "hidden", "visible", "hidden"]),
        (True, ["visible"] * 4),
    ]
    for wrong in ([], [Shown(grid, [0] * 7)]):
        with pytest.raises(ValueError, match="lamps"):
            film(wrong, 1)


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
