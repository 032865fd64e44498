"""The measures of the house (.ci/measure_house.py): each finds what it counts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from places import ROOT
from scripts import module_of


@pytest.fixture(scope="module")
def house() -> ModuleType:
    return module_of(ROOT / ".ci/measure_house.py")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A house of four files with one fault of each kind."""
    for name, text in {
        "table/session.py": '"""A session."""\nfrom lumiban.table import view\nHEIGHT_MM = 3\n',
        "table/view.py": (
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from lumiban.table.session import HEIGHT_MM\n"
            "def told() -> int:\n"
            '    """Return a height in mm."""\n'
            "    return 3  # why\n"
        ),
        "search/bot.py": 'def is_doves(slug):\n    return slug == "doves"\n',
        "study/match.py": "import lumiban.table.view\n\nKEPT = 1\n",
    }.items():
        file = tmp_path / "host/lumiban" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_each_measure_counts_the_fault_that_was_put_there(house: ModuleType, small: Path) -> None:
    known = house.sources(small)
    graph = {name: house.imports(name, file, known) for name, file in known.items()}
    assert house.circles(graph) == [["lumiban.table.session", "lumiban.table.view"]]
    trees = {
        file.relative_to(small).as_posix(): house.ast.parse(file.read_text())
        for file in known.values()
    }
    words = [one.name for path, tree in trees.items() for one in house.homonyms(path, tree)]
    assert sorted(words) == ["KEPT", "told"]
    games = [one.name for path, tree in trees.items() for one in house.slugs(path, tree)]
    assert games == ["'doves'"]


@pytest.mark.slow
def test_this_house_has_one_meaning_a_word_and_no_game_by_name_in_search(
    house: ModuleType,
) -> None:
    trees = {
        file.relative_to(ROOT).as_posix(): house.ast.parse(file.read_text("utf-8"))
        for file in house.sources(ROOT).values()
    }
    assert len(trees) > 400
    assert [str(one) for path, tree in trees.items() for one in house.homonyms(path, tree)] == []
    assert [str(one) for path, tree in trees.items() for one in house.slugs(path, tree)] == []


def test_code_comments_and_docstrings_are_told_apart(house: ModuleType) -> None:
    text = '"""About\nit."""\n\n# why\nA = """two\nlines"""  # unit\n'
    assert house.lines(text) == (2, 2, 2)


def test_a_folder_that_is_no_house_is_refused(
    house: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        house.main([str(tmp_path)])
    assert "has no host/lumiban" in capsys.readouterr().err


def test_a_second_name_for_what_users_wrote_is_no_second_meaning(house: ModuleType) -> None:
    path = "host/lumiban/games/simple.py"

    def words(text: str) -> list[str]:
        return [one.name for one in house.homonyms(path, house.ast.parse(text))]

    assert words("class GridView: ...\nBoard = GridView") == []
    assert words("class GridView: ...\nclass Board(GridView): ...") == ["Board"]
    assert words("from a import GridView\nBoard = GridView") == ["Board"]
    assert words("Board = 3") == ["Board"]


def test_a_game_as_its_document_is_a_record_in_the_table_and_for_scripts(
    house: ModuleType,
) -> None:
    """`Table.record` is the very document that table/record.py makes and `replay` reads."""
    tree = house.ast.parse("def record(self): ...")
    assert house.homonyms("host/lumiban/scripting/table.py", tree) == []
    assert [one.name for one in house.homonyms("host/lumiban/boards/link.py", tree)] == ["record"]


def test_booleans_that_others_see_are_counted_and_private_ones_are_not(house: ModuleType) -> None:
    tree = house.ast.parse(
        "class A:\n"
        "    torn: bool\n"
        "    size: int\n"
        "    def is_up(self, dry: bool, *, n: int) -> bool: ...\n"
        "    def _quiet(self) -> bool: ...\n"
    )
    assert sorted(one.name for one in house.booleans(tree)) == ["dry", "is_up", "torn"]


def test_nouns_are_told_from_what_asks_says_a_state_or_acts(house: ModuleType) -> None:
    tree = house.ast.parse(
        "class A:\n"
        "    empty: bool\n"
        "    browser: bool\n"
        "    feed: bool\n"
        "    came_early: bool\n"
        "    def is_up(self, wait: bool, compiled: bool) -> bool: ...\n"
        "    def take_snapshot(self) -> bool: ...\n"
        "    def fits(self) -> bool: ...\n"
        "    def room(self) -> bool: ...\n"
    )
    forms = {one.name: one.form for one in house.booleans(tree)}
    assert {name for name, form in forms.items() if form == "question"} == {"is_up"}
    assert {name for name, form in forms.items() if form == "act"} == {"take_snapshot"}
    assert {name for name, form in forms.items() if not form} == {"browser", "feed", "room", "wait"}
