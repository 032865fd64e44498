"""A game brings what thinks about it: ours, a package's, and a game in a file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import patience
import pytest
from lumiban import games
from lumiban.errors import GameError
from lumiban.games.registry import RuleFault, telling
from lumiban.search import registry
from lumiban.search.analysis import analyse
from lumiban.search.bot import think
from lumiban.search.doves.bot import DovesEngine
from lumiban.search.pie import evenest
from lumiban.search.registry import engine_class, engine_of
from lumiban.search.rengi.bot import RengiEngine
from lumiban.search.simple_engine import SimpleEngine
from lumiban.search.worker import SearchProcess
from lumiban.search.worker_messages import Answer
from lumiban.study.match import play_match, player
from lumiban.system.entry_points import of_checkout
from own_games import Written, clean, written
from places import ROOT

__all__ = ["clean", "written"]

PACKAGE = """
from lumiban.games.simple import SimpleGame
from lumiban.search.engine import Engine, Question, Thought
from lumiban.search.levels import five_levels
from lumiban.search.anytime_analysis import Looking, Variation


class Pebbles(SimpleGame):
    "Stones go on any empty cell; who cannot move loses."

    slug = "pebbles"
    sizes = (2, 3)


class LastCell(Engine):
    "Always plays the last cell of all."

    levels = five_levels(7, 7, 7, 7, 77)

    @property
    def search_name(self):
        return "last-cell"

    def search_move(self, question, codes):
        move = self.game.moves(question.position, self.game.movers(question.position)[0])[-1]
        return Thought(move, 0.25, 1, 1, (move,))

    def looking(self, position, seed, budget, **_):
        return Backwards(self.game, position)


class Backwards(Looking):
    "All moves, the last one first."

    unit = "positions"

    def warm(self):
        pass

    def grow(self, portion):
        self.looked += portion
        return portion

    def variations(self):
        moves = self.game.moves(self.position, self.game.movers(self.position)[0])
        return [Variation(move, 0.25, 1, (move,)) for move in reversed(moves)]
"""
ENTRIES = """[lumiban.games]
pebbles = pebbles_of_theirs:Pebbles
[lumiban.engines]
pebbles = pebbles_of_theirs:LastCell
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages with one in it that has a game and its engine."""
    folder = tmp_path / "site"
    about = folder / "pebbles_of_theirs-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "pebbles_of_theirs.py").write_text(PACKAGE, "utf-8")
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pebbles-of-theirs\nVersion: 1.0\n", "utf-8"
    )
    (about / "entry_points.txt").write_text(ENTRIES, "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    registry._others.cache_clear()
    yield folder
    sys.modules.pop("pebbles_of_theirs", None)
    registry._others.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_package_of_somebody_elses_brings_a_game_and_what_thinks_about_it() -> None:
    assert "pebbles" in games.available()
    game = games.load("pebbles", size=2)
    assert type(engine_of(game)).__name__ == "LastCell"
    last = game.moves(game.start(), games.WHITE)[-1]
    thought = think(game, game.start(), "strong", 1, playouts=5, compiled=False)
    assert (thought.move, thought.value) == (last, 0.25)
    found = analyse(game, game.start(), budget=3, compiled=False)
    assert (found.lines[0].move, found.unit, found.looked) == (last, "positions", 3)


@pytest.mark.usefixtures("installed")
def test_its_engine_plays_a_match_and_a_named_tree_search_does_without_it() -> None:
    game = games.load("pebbles", size=2)
    one, other = player("strong", playouts=5), player("strong:uct", playouts=5)
    assert [each.search(game) for each in (one, other)] == ["last-cell", "uct"]
    assert play_match(game, "pebbles", one, other, 4).games == 4
    by_tree = think(game, game.start(), "strong", 1, playouts=9, kind="uct", compiled=False)
    assert by_tree.move is not None


@pytest.mark.process
@pytest.mark.usefixtures("installed")
def test_a_table_asks_its_engine_in_the_process_that_thinks() -> None:
    game = games.load("pebbles", size=2)
    worker = SearchProcess()
    try:
        worker.ask(1, "pebbles", game.options, game.start(), "strong", 7)
        answers: list[Answer] = []

        def has_answered() -> bool:
            answers.extend(worker.answers())
            return bool(answers)

        patience.until(has_answered)
    finally:
        worker.close()
    assert [answer.text for answer in answers] == [game.moves(game.start(), games.WHITE)[-1].text]


def test_a_game_in_a_file_names_its_engine_in_its_class_and_passes_it_to_no_other(
    written: Written,
) -> None:
    head = PACKAGE.partition("class Pebbles")[0]
    bot = PACKAGE.partition("sizes = (2, 3)\n")[2].partition("class Backwards")[0]
    bot = bot.partition("    def looking")[0]
    mine = written(bot + "\n\nclass Mine(SimpleGame):\n    engine = LastCell\n", head=head)
    game = games.load(mine, size=2)
    thought = think(game, game.start(), "easy", 1, playouts=5, compiled=False)
    assert thought.move == game.moves(game.start(), games.WHITE)[-1]
    assert engine_of(game).level("easy").playouts == 7

    class Grown(type(game)):  # type: ignore[misc]
        """Built on it, with rules of its own."""

    assert engine_class(Grown) is SimpleEngine


def test_a_game_that_brings_none_is_thought_about_by_trees(written: Written) -> None:
    game = games.load(written("class Mine(SimpleGame):\n    pass\n"))
    assert type(engine_of(game)) is SimpleEngine
    assert engine_of(game).search_name == "grave"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("nowhere.to.be_found:Engine", "cannot be loaded"),
        ("lumiban.search.engine:Missing", "cannot be loaded"),
        ("lumiban.search.engine:Thought", "no subclass"),
    ],
)
def test_an_engine_that_cannot_think_is_named_with_its_reason(
    value: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("control", value, registry.GROUP)
    monkeypatch.setattr(registry, "_ours", lambda: {"control": point})
    with pytest.raises(GameError, match=f"the engine of control .{value}. .*{says}"):
        engine_of(games.load("control"))


def test_an_engine_for_one_game_refuses_another() -> None:
    for engine in (DovesEngine, RengiEngine):
        with pytest.raises(GameError, match="control is not"):
            engine(games.load("control"))


def test_a_checkout_that_is_not_installed_and_one_that_is_name_the_same_engines() -> None:
    named = of_checkout(registry.GROUP, ROOT)
    assert sorted(named) == ["control", "doves", "evening", "rengi", "trivia"]
    assert {slug: point.load() for slug, point in named.items()} == {
        slug: engine_class(games.game_class(slug)) for slug in named
    }
    assert of_checkout(registry.GROUP, ROOT / "docs") == {}


@pytest.mark.process
def test_nobody_loads_an_engine_before_somebody_thinks() -> None:
    code = (
        "import sys, lumiban.games as games; game = games.load('control', size=2);"
        "before = [name for name in sys.modules if name.startswith('lumiban.search')];"
        "from lumiban.search.bot import think;"
        "think(game, game.start(), 'easy', 1, playouts=3, compiled=False);"
        "own = [name for name in sys.modules if name.startswith('lumiban.search.')"
        " and name.endswith(('.doves.bot', '.rengi.bot', '.evening', '.trivia'))];"
        "print(before, own)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"


@pytest.mark.slow
@pytest.mark.parametrize("said", ['SearchHints("greve")', '"grave"', "None"])
def test_hints_for_a_search_that_there_is_not_are_told_with_their_line(
    said: str, written: Written
) -> None:
    """A bot's process tells what its thought raises so; the table has the sentence and goes on."""
    path = written(f"""
        from lumiban.games.base import SearchHints

        class Mine(SimpleGame):
            "Stones anywhere."
            sizes = (2,)

            def search_hints(self, position):
                return {said}
    """)
    game = games.load(path)
    with pytest.raises(RuleFault) as fault, telling(game, game.start()):
        think(game, game.start(), "hard", 1, playouts=20, compiled=False)
    text = Path(path).read_text("utf-8").splitlines()
    line = next(n for n, code in enumerate(text, 1) if "def search_hints" in code)
    assert fault.value.line == line
    assert "search_hints says" in str(fault.value)
    assert "uct or grave" in str(fault.value)


def test_a_set_up_of_several_acts_is_searched_as_a_whole() -> None:
    """Of these set-ups one white stone is not even: as many black ones as white ones are."""
    game = games.load("evening", size=3, opening="pie", turns="trailing")

    def look(end: games.Position, part: float) -> tuple[float, int]:
        stones = [*game.stones_of(end).values()]
        return 0.5 + 0.1 * (stones.count(games.WHITE) - stones.count(games.BLACK)), 1

    for seed in range(8):
        position, acts = game.start(), []
        while game.pie_follows(position):
            act, *_ = evenest(game, position, seed, look)
            acts.append(act.text)
            position = game.play(position, act)
        assert look(position, 1.0)[0] == 0.5, acts
        assert len(acts) <= 9
