"""A game of one's own: loaded from its file, played, changed, and told clearly what is wrong."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from lumiban import games, i18n
from lumiban.errors import GameError
from lumiban.games import BLACK, WHITE, Kind, Wrong
from lumiban.games.registry import RuleFault
from lumiban.search import jit
from lumiban.search.perft import perft
from own_games import SNORT, Written, clean, own, written

__all__ = ["clean", "written"]


def played(game: games.Game, *texts: str) -> games.Position:
    position = game.start()
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position


def test_a_stone_of_snort_keeps_the_enemy_away_and_says_why() -> None:
    game = games.load(SNORT, size=3)
    position = played(game, "c3")
    refusal = game.why_not(position, BLACK, game.parse(position, "c4"))
    assert refusal is not None
    assert [game.grid.names[cell] for cell in refusal.cells] == ["c3"]
    assert i18n.text(refusal.text_id, "en") == "An enemy stone stands next to this cell."
    assert i18n.text(refusal.text_id, "ja") == "このマスの隣に敵の石があります。"
    listed = {str(move) for move in game.moves(position, BLACK)}
    assert listed == set(game.grid.names) - {"c3", "b2", "b3", "c2", "c4", "d2", "d3"}


def test_a_rule_that_says_board_and_near_is_read_as_it_was_written(written: Written) -> None:
    text = Path(SNORT).read_text("utf-8")
    old = text.replace("GridView", "Board").replace(".neighbours(", ".near(")
    assert "board.near(" in old
    assert ": Board," in old
    position = played(games.load(written(old, head=""), size=3), "c3")
    listed = {str(move) for move in games.load(SNORT, size=3).moves(position, BLACK)}
    game = games.load(written(old, "other.py", head=""), size=3)
    assert {str(move) for move in game.moves(position, BLACK)} == listed


def test_a_game_is_loaded_by_any_way_to_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(Path(SNORT).parent)
    monkeypatch.setenv("HOME", str(Path(SNORT).parent))
    slugs = {games.load(way).slug for way in ("snort.py", "./snort.py", "~/snort.py", SNORT)}
    assert slugs == {SNORT}


def test_a_game_that_never_ends_is_drawn_by_its_length(written: Written) -> None:
    path = written(
        """
        class Mine(SimpleGame):
            sizes = (2,)
            longest = 9
            def opening(self):
                return {"a1": WHITE, "c1": BLACK}
            def may_place(self, board, side, cell):
                return False
            def slides(self, board, side, start):
                return board.touching(start, EMPTY)
        """
    )
    game = games.load(path)
    position = game.start()
    while game.movers(position):
        position = game.play(position, game.moves(position, game.movers(position)[0])[0])
    assert game.outcome(position) == games.Outcome(None, "simple.too-long")
    assert len(position.history) == 9


def test_what_the_rule_leaves_unsaid_has_a_refusal_of_its_own(written: Written) -> None:
    game = games.load(written("class Mine(SimpleGame):\n    sizes = (2,)\n"))
    position = played(game, "a1")
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("a1")] = Kind.EMPTY
    reading = game.read(position, sensed)
    assert isinstance(reading, Wrong)
    assert reading.refusal.rule == "simple.no-lift"
    wrong = {
        "a1": "simple.occupied",
        "a1-a2": "simple.not-yours",
        "xb2": "simple.empty-cell",
        "block b2": "simple.no-block",
    }
    for text, rule in wrong.items():
        refusal = game.why_not(position, BLACK, game.parse(position, text))
        assert refusal is not None
        assert refusal.rule == rule
        assert i18n.text(refusal.text_id, "ja")


# The file.


def test_a_changed_file_is_another_game_and_the_old_one_plays_on(written: Written) -> None:
    path = written("class Mine(SimpleGame):\n    sizes = (2,)\n")
    old = games.load(path)
    assert games.load(path) == old
    written("class Mine(SimpleGame):\n    sizes = (3, 2)\n")
    new = games.load(path)
    assert new.digest != old.digest
    assert new != old
    assert (len(new.grid), len(old.grid)) == (19, 7)
    assert old.play(old.start(), old.parse(old.start(), "a1"))


def test_games_and_positions_from_files_travel_by_pickle() -> None:
    game = games.load(SNORT, size=3)
    position = played(game, "c3", "a1")
    assert pickle.loads(pickle.dumps((game, position))) == (game, position)


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("class Mine(SimpleGame)\n    pass\n", 4, "expected ':'"),
        ("x = 1\nimport no_such_module_at_all\n", 5, "ModuleNotFoundError: No module named"),
        ("x = 1 / 0\n", 4, "ZeroDivisionError: division by zero"),
        ("raise SystemExit('bye')\n", 4, "SystemExit: bye"),
    ],
)
def test_a_file_that_cannot_be_run_is_told_by_its_line(
    written: Written, body: str, line: int, said: str
) -> None:
    path = written(body)
    with pytest.raises(RuleFault, match=said) as caught:
        games.load(path)
    assert caught.value.line == line
    assert f"{path}, line {line}:" in str(caught.value)


def test_a_file_without_a_game_or_with_several_is_told(written: Written) -> None:
    with pytest.raises(GameError, match="no game in it: it needs a class"):
        games.load(written("x = 1\n"))
    two = "class Mine(SimpleGame):\n    pass\nclass Other(SimpleGame):\n    pass\n"
    with pytest.raises(GameError, match=r"several games in it \(Mine, Other\)"):
        games.load(written(two))
    heirs = ("_Base(SimpleGame)", "Half(_Base)", "Mine(Half)")
    path = written("".join(f"class {heir}:\n    pass\n" for heir in heirs))
    assert type(games.load(path)).__name__ == "Mine"
    with pytest.raises(GameError, match=r"no-such\.py cannot be read: No such file"):
        games.load(own("no-such.py"))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"refusl.x": "Typo"}, "there is no text 'refusl.x'"),
        ({"refusal": "No rule"}, "there is no text 'refusal'"),
        ({"name": 7}, "the text 'name' is no text: 7"),
        ({"side.white": "Snow"}, "side.white.* is lumiban's own"),
    ],
)
def test_a_text_that_cannot_be_used_is_told(
    written: Written, texts: dict[str, str], said: str
) -> None:
    path = written(f"class Mine(SimpleGame):\n    texts = Texts(en={texts!r})\n")
    with pytest.raises(GameError, match=said):
        games.load(path)


FAILS = """
class Mine(SimpleGame):
    sizes = (3,)
    def may_place(self, board, side, cell):
        if board.played == 2 and cell == 4:
            return [][cell]
        return True
"""


def test_an_exception_in_the_rule_tells_line_and_position(written: Written) -> None:
    path = written(FAILS)
    game = games.load(path)
    position = played(game, "c3")
    with pytest.raises(RuleFault, match="IndexError: list index out of range") as caught:
        game.moves(game.play(position, game.parse(position, "a1")), WHITE)
    assert f"{path}, line 9, in may_place:" in str(caught.value)
    assert "after c3 a1" in str(caught.value)


def test_an_exception_below_the_search_tells_the_board(written: Written) -> None:
    game = games.load(written(FAILS))
    with pytest.raises(RuleFault, match=r"line 9.*White .*; Black .*; White to move"):
        perft(game, 3)


@pytest.mark.jit
def test_a_file_with_a_compiled_state_counts_the_same_with_and_without_numba(
    written: Written,
) -> None:
    path = written(
        """
        from typing import Any, NamedTuple

        class PileState(NamedTuple):
            board: Any
            def assign(self, other: Any) -> None:
                self.board[:] = other.board[:]
            def mover(self) -> int:
                return self.board[1]
            def moves(self, out: Any) -> int:
                n = min(3, self.board[0])
                for i in range(n):
                    out[i] = i + 1
                return n
            def play(self, move: int) -> None:
                self.board[0] -= move
                self.board[1] = 1 - self.board[1]
            def outcome(self) -> int:
                return -1 if self.board[0] > 0 else 2 - self.board[1]
            def playout(self, rng: Any, trace: Any) -> int:
                return 1
            def key(self) -> int:
                return 2 * self.board[0] + self.board[1]

        class Pile(SimpleGame):
            sizes = (2,)
            def state(self, position):
                return PileState([9, position.state[-2]])
        """
    )
    game = games.load(path)
    assert jit.fits(game.state(game.start())) == jit.available()
    assert perft(game, 6, compiled=True) == perft(game, 6, compiled=False)


# Elsewhere.


def lumiban(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return patience.run(
        [sys.executable, "-m", "lumiban", *arguments],
        env={**os.environ, "LUMIBAN_LANG": "en", **environment},
    )


@pytest.mark.process
def test_a_users_mistake_shows_no_traceback_unless_it_is_wanted(written: Written) -> None:
    path = written(FAILS)
    ran = lumiban("study", "perft", path, "-d", "3")
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "line 9, in may_place: IndexError" in ran.stderr
    assert "Traceback" in lumiban("study", "perft", path, "-d", "3", LUMIBAN_DEBUG="1").stderr


@pytest.mark.process
def test_a_numba_that_is_broken_leaves_plain_python_and_a_note(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text(
        "raise ImportError('numba needs another numpy')"
    )
    ran = lumiban(
        *("study", "perft", "control", "-d", "2", "-o", "size=3", "--json"),
        PYTHONPATH=str(tmp_path),
        LUMIBAN_CACHE=str(tmp_path),  # with a library nobody would ask for numba
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["nodes"] == [12, 174]
    assert "numba needs another numpy" in ran.stderr
    assert "plain Python" in ran.stderr


@pytest.mark.parametrize(
    ("name", "encoding", "said"),
    [("mine.py.txt", "utf-8", "ends in .py: rename .*mine.py.txt, for example to mine.py"),
     ("mine.py", "utf-16", "is in UTF-16, which Python does not read: save it as UTF-8")],
)  # fmt: skip
def test_a_file_that_an_editor_saved_otherwise_is_told_apart(
    name: str, encoding: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("x = 1\n", encoding)
    with pytest.raises(GameError, match=said):
        games.load(own(tmp_path / name))


def test_a_file_in_capitals_is_a_game_s_and_its_texts_are_no_templates(written: Written) -> None:
    named = '    texts = Texts(en={"name": "{0.__class__} {lumiban!r} {x"})\n'
    path = written("class Mine(SimpleGame):\n    sizes = (2,)\n" + named, name="GAME.PY")
    slug = games.load(path).slug
    assert i18n.text(f"game.{slug}.name", "en") == "{0.__class__} {lumiban!r} {x"
