"""README's figures: each is made here from its source, and no other figure stands there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from lumiban import games
from lumiban.cli.arguments import options, seat
from lumiban.games import registry
from places import ROOT

BLOCK_BYTES = 4096
READMES = ("README.md", "README.ja.md")
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
KANJI = "零一二三四五六七八九十"


def _packages(lock: str) -> set[str]:
    text = (ROOT / "packaging" / "locks" / lock).read_text()
    return set(re.findall(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE))


def _megabytes(packages: set[str]) -> float:
    """What packages take on a disk: their files, bytecode counted as large as its source."""
    total = 0
    for package in packages:
        try:
            files = distribution(package).files or []
        except PackageNotFoundError:
            continue  # one for other systems
        for file in files:
            path = Path(str(file.locate()))
            if path.suffix != ".pyc" and path.is_file():
                blocks = -(-path.stat().st_size // BLOCK_BYTES)
                total += blocks * BLOCK_BYTES * (2 if path.suffix == ".py" else 1)
    return total / 2**20


def _base() -> float:
    return _megabytes(_packages("base.lock"))


def _fast() -> float:
    return _megabytes(_packages("fast.lock"))


def _tools() -> float:
    known = _packages("base.lock") | _packages("fast.lock")
    return _megabytes(_packages("dev.lock") - known)


def _ours() -> int:
    return len(registry._OURS)


def _recipes() -> int:
    return len(re.findall(r"^## ", (ROOT / "docs" / "recipes.md").read_text(), re.MULTILINE))


def _python() -> float:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return float(project["requires-python"].removeprefix(">="))


def _doors(readme: str) -> Callable[[], int]:
    heading = {"README.md": "## Four doors\n", "README.ja.md": "## 四つの入口\n"}[readme]
    text = (ROOT / readme).read_text().partition(heading)[2].partition("\n## ")[0]
    return lambda: len(re.findall(r"^\*\*", text, re.MULTILINE))


NUMBER = r"(\d+(?:\.\d+)?)"
WORD = rf"({'|'.join(WORDS)})"
Figures = list[tuple[str, Callable[[], float], float]]
FIGURES: dict[str, Figures] = {
    # What is said, what it is made of, and how far that may be off, as a part of it.
    "README.md": [
        (rf"Python {NUMBER} or newer", _python, 0),
        (rf"installs {NUMBER} MB", _base, 0.15),
        (rf"{WORD} beautiful games", _ours, 0),
        (rf"## {WORD} doors", _doors("README.md"), 0),
        (rf"{WORD} short programs", _recipes, 0),
    ],
    "README.ja.md": [
        (rf"Python {NUMBER} 以降", _python, 0),
        (rf"\[{NUMBER} MB を入れ", _base, 0.15),
        (rf"([{KANJI}])つのゲーム", _ours, 0),
        (rf"([{KANJI}])つの入口", _doors("README.ja.md"), 0),
        (rf"([{KANJI}])の短いプログラム", _recipes, 0),
    ],
    "docs/guide.md": [
        (rf"demo needs {NUMBER} MB", _base, 0.15),
        (rf"in the background \({NUMBER} MB\)", _fast, 0.15),
    ],
    "docs/ja/guide.md": [
        (rf"要るのは {NUMBER} MB", _base, 0.15),
        (rf"numba（{NUMBER} MB）", _fast, 0.15),
    ],
    "docs/CONTRIBUTING.md": [(rf"another {NUMBER} MB", _tools, 0.15)],
}
NO_FIGURES = (
    r"is one class",
    r"一つのクラス",
    r"Apache-2\.0",
)
"""Numbers in words that count nothing that could change, and names."""


def _prose(readme: str) -> str:
    text = (ROOT / readme).read_text()
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", "", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def _value(said: str) -> float:
    if said.lower() in WORDS:
        return WORDS.index(said.lower())
    return KANJI.index(said) if said in KANJI else float(said)


CASES = [(readme, *figure) for readme in FIGURES for figure in FIGURES[readme]]


@pytest.mark.parametrize(
    ("readme", "pattern", "source", "off"), CASES, ids=[f"{one[0]}-{one[1]}" for one in CASES]
)
def test_a_figure_of_the_readme_is_what_its_source_says(
    readme: str, pattern: str, source: Callable[[], float], off: float
) -> None:
    found = re.findall(pattern, _prose(readme), re.IGNORECASE)
    assert len(found) == 1, f"{readme} says this no longer: the figure leaves this list too"
    assert source() == pytest.approx(_value(found[0]), rel=off or 1e-9)


@pytest.mark.parametrize("readme", READMES)
def test_no_figure_of_the_readme_is_without_a_source(readme: str) -> None:
    left = _prose(readme)
    for pattern in (*(figure[0] for figure in FIGURES[readme]), *NO_FIGURES):
        left = re.sub(pattern, "", left, flags=re.IGNORECASE)
    any_number = rf"\S*\d\S*|\b{WORD}\b|[{KANJI[1:]}](?=つ|の短)"
    assert [found[0] for found in re.finditer(any_number, left, re.IGNORECASE)] == []


@pytest.mark.parametrize("readme", READMES)
def test_the_games_and_seats_that_the_readme_tells_to_type_exist(readme: str) -> None:
    typed = re.findall(r"`\./run play (\w+) -o (\S+) --first (\S+) --second (\S+)`",
                       (ROOT / readme).read_text())  # fmt: skip
    assert typed
    for game, option, first, second in typed:
        assert games.load(game, **options([option]))
        assert seat(first)
        assert seat(second)
