"""The guide's chapter on a game of one's own: start files, checks, and what they say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from lumiban import cli, i18n
from lumiban.games.registry import game_class
from lumiban.games.start_file import LIKE, start_text
from own_games import EXAMPLES, clean, own
from places import ROOT

__all__ = ["clean"]

CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_the_commands_told_for_a_new_file_work_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LUMIBAN_RUN", raising=False)
    assert cli.run(["new-game", "my game"]) == 0
    told = [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()[1:]]
    typed = [shlex.split(line) for line in told]
    assert [words[0] for words in typed] == ["lumiban"] * 4
    assert all("my game.py" in words for words in typed)
    assert "lumiban play 'my game.py'" in (tmp_path / "my game.py").read_text("utf-8")
    assert cli.run(typed[2][1:]) == 0  # games rules


@pytest.mark.process
@pytest.mark.parametrize(
    ("geometry", "like"),
    [("hex", "placement"), ("square", "placement"), ("", "hex"), ("", "reversi")],
)
def test_a_start_file_keeps_the_laws_and_is_neat(geometry: str, like: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(start_text("Mine", "mine.py", geometry, like), "utf-8")
    assert cli.run(["games", "check", str(path), "--games", "3", "-o", "size=3"]) == 0
    for tool in (["check"], ["format", "--check"]):  # as `./run lint` does, at the clone's top
        subprocess.run(
            [sys.executable, "-m", "ruff", *tool, "--stdin-filename", ROOT / "mine.py", "-"],
            input=path.read_bytes(), check=True, cwd=ROOT, stdout=subprocess.DEVNULL,
        )  # fmt: skip


@pytest.mark.parametrize("like", LIKE)
def test_a_start_file_is_a_game_of_its_own_name_and_holds_no_path_of_the_machine(
    like: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my game.py"
    assert cli.run(["new-game", str(path), "--like", like]) == 0
    text = path.read_text("utf-8")
    assert str(tmp_path) not in text
    assert "play 'my game.py'\n" in text
    assert game_class(own(path)).__name__ == "MyGame"
    for language in ("en", "ja"):
        assert i18n.text(f"game.{path}.name", language=language) == "MyGame"
    monkeypatch.setenv("LUMIBAN_RUN", str(tmp_path / "lumiban" / "run"))
    assert "\n    ./run play mine.py\n" in start_text("Mine", "mine.py", like=like)


def test_games_to_start_from_are_in_the_installed_package_too() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    placed = built["targets"]["wheel"]["force-include"]
    for like in LIKE[1:]:
        assert placed[f"examples/{like}.py"] == f"lumiban/examples/{like}.py"


@pytest.mark.process
def test_examples_and_start_file_are_fully_typed(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(start_text("Mine", "mine.py", "hex"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, EXAMPLES.glob("*.py")), str(path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_what_the_start_file_shows_in_comments_works_too(tmp_path: Path) -> None:
    """Each commented method, taken alone, is a game that the check can play."""
    text = start_text("Mine", "mine.py", "hex")
    shown = re.findall(r"^    #     (def .*\n(?:    #         .*\n)*)", text, re.MULTILINE)
    assert len(shown) == 6
    for number, method in enumerate(shown):
        body = re.sub(r"^    # {9}", " " * 8, method, flags=re.MULTILINE)
        head = "from lumiban.games import *\nfrom lumiban.games.simple import *\n"
        path = tmp_path / f"shown{number}.py"
        path.write_text(
            f"{head}class Mine(SimpleGame):\n    sizes = (3,)\n    longest = 30\n    {body}",
            "utf-8",
        )
        code = cli.run(["games", "check", str(path), "--games", "2"])
        assert code == 0, method


@pytest.mark.slow
def test_whole_games_in_the_guide_keep_the_laws(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "guide" / "my-rule.md").read_text("utf-8")
    shown = [text for text in CODE.findall(guide) if "(SimpleGame):" in text and "import" in text]
    names = [re.findall(r"^class (\w+)\(SimpleGame\)", text, re.MULTILINE) for text in shown]
    assert names[:2] == [["Crowns"], ["Towers"]]
    for text, (name,) in zip(shown[:2], names[:2], strict=True):
        path = tmp_path / f"{name.lower()}.py"
        path.write_text(text, "utf-8")
        assert cli.run(["games", "check", str(path), "--games", "3", "-o", "size=3"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["new-game", "mine"], "mine.py already exists and was left as it is"),
        (["new-game", "other", "--geometry", "round"], "'round' is neither hex nor square"),
        (["new-game", "other", "--like", "go"], "'go' is none of placement, hex, reversi"),
        (["new-game", "other", "--like", "hex", "--geometry", "square"], "a game on hexagons"),
        (["new-game", "9lives"], "cannot name a game"),
        (["new-game", "nowhere/mine"], "cannot be written: No such file or directory"),
        (["games", "check", "no-such.py"], "no-such.py cannot be read"),
        (["games", "check", "mine.py", "-o", "size=99"], "size is one of"),
    ],
)
def test_mistakes_are_told_in_one_line(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(start_text("Mine", "mine.py", "hex"), "utf-8")
    before = Path("mine.py").read_bytes()
    assert cli.run(words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert Path("mine.py").read_bytes() == before


def test_a_broken_law_is_told_with_its_position_and_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "ja")
    path = tmp_path / "mine.py"
    lopsided = "        if cell == 0:\n            return False\n        own = board.touching"
    text = start_text("Mine", "mine.py", "hex").replace("        own = board.touching", lopsided)
    path.write_text(text, "utf-8")
    assert cli.run(["games", "check", str(path), "--games", "2", "-o", "size=2"]) == 1
    out = capsys.readouterr().out
    assert "BROKEN  symmetry" in out
    assert "at the start" in out
    assert "法則が破られています" in out


def test_a_position_of_a_game_from_a_file_is_drawn(tmp_path: Path) -> None:
    out = tmp_path / "snort.svg"
    words = ["games", "picture", str(EXAMPLES / "snort.py"), "-o", "size=3", "--out", str(out)]
    assert cli.run([*words, "--moves", "c3, a1"]) == 0
    assert "Snort after c3, a1" in out.read_text("utf-8")
