"""Rules that do not return, or end their program: the line is told, by `check` and at a table."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import patience
import pytest
from command_line import environment
from lumiban.games import registry
from lumiban.games.registry import RuleFault
from lumiban.system.child import python
from own_games import HEAD, RULE, Written, clean, written
from websockets.sync.client import connect

__all__ = ["clean", "written"]


@pytest.mark.process
@pytest.mark.parametrize(
    ("does", "said"),
    [("sum(range(10**13))", "it does not return"),
     ("import ctypes; ctypes.string_at(0)", "it ends the program")],
)  # fmt: skip
def test_a_step_that_hears_no_exception_is_broken_and_a_table_is_set_anew(
    does: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + RULE.format(does=does), "utf-8")
    env = {**environment(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}
    line = [sys.executable, "-m", "lumiban"]
    checked = patience.run([*line, "games", "check", str(file)], env=env)
    assert (checked.returncode, checked.stderr) == (1, "")
    assert f"BROKEN  {file}, line 9, in may_place: {said}: {does}" in checked.stdout
    with board(tmp_path / "home"), played([*line, "play", str(file)], env) as told:
        url = told()
        patience.until(lambda: view(url)["link"] == "up")
        with connect(f"{url}ws?tab=test".replace("http", "ws"), proxy=None, max_size=None) as page:
            page.send(json.dumps({"do": "move", "side": 0, "text": "b1"}))
            url = told()  # of the table that is set anew
        patience.until(lambda: view(url)["verdict"]["text"])
        reason = view(url)["verdict"]["text"]["params"]["reason"]
        assert f"mine.py, line 9, in may_place: {said}" in reason
        file.write_text(HEAD + RULE.format(does="pass"), "utf-8")
        patience.until(lambda: [one["text"] for one in view(url)["moves"]] == ["b1"])


ENDS = """
from lumiban.games import gate, registry, rule_limits
rule_limits.LIMIT_S, rule_limits.HARD_S = 0.05, 0.05
rule_limits.LIMITS.folder = pathlib.Path({folder!r})
rule_limits.LIMITS.is_set = {is_set}
registry.read_notes(rule_limits.LIMITS.folder)
{named}
game = registry.load({file!r})
game.moves(game.play(game.start(), game.moves(game.start(), 0)[0]), 1)
"""


@pytest.mark.process
def test_a_rule_that_a_journal_named_is_told_by_the_next_process_until_its_file_is_saved(
    written: Written, tmp_path: Path
) -> None:
    path = written(RULE.format(does="sum(range(10**13))"), name="手.py")

    def ended(is_set: bool, named: str = "") -> int:
        more = {"folder": str(tmp_path), "file": path, "named": named, "is_set": is_set}
        code = f"import pathlib{ENDS.format(**more)}"
        return subprocess.run([sys.executable, "-c", code], check=False).returncode

    assert ended(True, f"gate.name({path!r})") == -signal.SIGVTALRM
    (fault,) = registry.read_notes(tmp_path)
    assert str(fault).startswith(f"{path}, line 9, in may_place: it does not return: sum(")
    assert registry.stopped(registry.load(path)) is fault, "with which a table can be set"
    assert ended(False) == -signal.SIGVTALRM
    assert registry.read_notes(tmp_path)
    with pytest.raises(RuleFault, match="line 9, in may_place"):
        registry.load(path)
    game = registry.load(path)  # whoever tries once more does so
    assert ended(True) == -signal.SIGVTALRM
    os.utime(path)
    assert registry.read_notes(tmp_path) == [], "the file has been saved since"
    assert registry.stopped(game) is None


def view(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}api/view") as answer:
        told: dict[str, Any] = json.load(answer)
        return told


@contextmanager
def board(home: Path) -> Iterator[None]:
    """One that stays when its table ends, as a real one does."""
    words = python("lumiban_sim", "--profile", "hex3", "--state", str(home))
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        try:
            yield
        finally:
            process.terminate()


@contextmanager
def played(line: list[str], env: dict[str, str]) -> Iterator[Any]:
    """Calls give the next address that the table tells."""
    more = ["--profile", "hex3", "--first", "human", "--second", "human"]
    more += ["--no-browser", "--port", "0"]
    with subprocess.Popen([*line, *more], env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        try:
            yield lambda: next(one.split()[1] for one in lines if "page: http" in one)
        finally:
            os.kill(process.pid, signal.SIGTERM)
