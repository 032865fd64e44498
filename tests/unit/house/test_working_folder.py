"""Whoever stands in a folder of theirs has none of its files run: by no command, in no process."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import patience
import pytest
from command_line import environment
from lumiban import cli
from places import ROOT

pytestmark = pytest.mark.process
COMMANDS = """
new-game queue
games queue.py
games check queue.py --games 2
games picture control out.svg
replay
records
analyse control
study match control -o size=2 --a random --b random --games 4 --jobs 2
study perft control 1 -o size=2
board profiles
hardware --help
bench --help
python -P -c pass
add
--version
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of the name of every module that could be imported, and of ours."""
    here = tmp_path / "here"
    here.mkdir()
    ours = {"lumiban", "lumiban_sim", "lumiban_fw", "lumiban_hw", "lumiban_lab", "sitecustomize"}
    for name in {*sys.stdlib_module_names, *packages_distributions(), *ours}:
        if name.isidentifier():
            told = f"open({str(tmp_path / 'ran')!r}, 'a').write({name + chr(10)!r})\n"
            (here / f"{name}.py").write_text(f"{told}raise ImportError('a file of theirs')\n")
    (here / "queue.py").unlink()  # that is what `new-game` writes
    return here


def test_no_file_of_the_folder_in_which_one_stands_is_run(folder: Path, tmp_path: Path) -> None:
    words = [line for line in COMMANDS.splitlines() if line]
    named = {line.split()[0] for line in words}
    words += [f"{name} --help" for name in cli.commands() if name not in named]
    smoke = [sys.executable, ROOT / ".ci" / "smoke.py", ROOT / "run"]
    done = patience.run(smoke, cwd=folder, env=environment(tmp_path / "home"))
    assert done.returncode == 0, done.stderr
    told = {}
    for line in words:
        done = patience.run(
            [ROOT / "run", *line.split()], cwd=folder, env=environment(tmp_path / "home"),
        )  # fmt: skip
        told[line] = done.stdout + done.stderr
        assert "Traceback" not in told[line], told[line]
        assert not (tmp_path / "ran").exists(), (line, (tmp_path / "ran").read_text())
    assert "queue.py" in told["new-game queue"]
    assert "All laws hold" in told["games check queue.py --games 2"]
    assert patience.run([sys.executable, "-c", "import queue, json"], cwd=folder).returncode
