"""A stranger's backup is restored and every program started: none of its own programs is run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import patience
import pytest
from journals import lines
from library_games import game_document
from lumiban import games
from lumiban.library import backup
from lumiban.system import service_socket
from lumiban.table.history import GameHistory
from lumiban.table.record import SUFFIX
from msgspec import to_builtins

pytestmark = pytest.mark.process
PROGRAM = """
from pathlib import Path
from lumiban.games.simple import SimpleGame
Path(__file__).with_suffix(".ran").touch()

class Mine(SimpleGame):
    sizes = (2, 3)
"""
WATCH = """
import os, sys
def listen(event, args):
    file = str(getattr(args[0], "co_filename", "")) if event == "exec" else ""
    if file.startswith(os.environ["STRANGE"]):
        with open(os.environ["HEARD"], "a") as heard:
            heard.write(f"{file}\\n")
sys.addaudithook(listen)
"""


class House:
    """A state into which a backup comes, and an ear for whatever of it is run in any process."""

    def __init__(self, root: Path) -> None:
        self.state, self.heard = root / "home", root / "heard"
        (root / "ear").mkdir()
        (root / "ear/sitecustomize.py").write_text(WATCH)
        self.env = {
            **os.environ, "LUMIBAN_HOME": str(self.state), "LUMIBAN_LANG": "en",
            "PYTHONPATH": str(root / "ear"), "STRANGE": str(root), "HEARD": str(self.heard),
        }  # fmt: skip
        self.state.mkdir()
        (self.state / "settings.toml").write_text('[board]\nwhere = "sim"\nprofile = "hex3"\n')
        self.files = [self.state / "records" / name for name in ("x.py", "X.PY", "y.lumiban")]
        self.files.append(self.state / "journals/z.py")

    def make(self, out: Path) -> None:
        """A backup of a stranger who knows where this house stands."""
        theirs = out.with_suffix("")
        for file in self.files:
            place = theirs / file.relative_to(self.state)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(PROGRAM)
        fresh = GameHistory(games.load("control", size=3), ["human", "human"], profile="hex3")
        own = to_builtins(fresh.head())
        for number, file in enumerate(self.files):
            head = {**own, "game": str(file), "options": {}, "digest": "0" * 20}
            lesson = {**own, "lesson": "control", "left": {"head": head, "records": []}}
            for kind, one in enumerate((head, lesson)):
                path = theirs / f"journals/2099010{number}-00000{kind}-mine.journal"
                path.write_bytes(lines([one, {"t": "board", "uid": "u", "boot": 7}]))
        document = {**game_document(3), "game": str(self.files[0]), "digest": "0" * 20}
        (theirs / f"records/20990101-000000-x{SUFFIX}").write_text(json.dumps(document))
        (theirs / "settings.toml").write_text(
            f'[game]\nname = "{self.files[0]}"\nhint = "none"\n[page]\nnetwork = "auto"\n'
        )
        backup.back_up(theirs, out)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return patience.run([sys.executable, "-m", "lumiban", *words], env=self.env)

    @contextmanager
    def open(self, *words: str) -> Iterator[None]:
        with subprocess.Popen(
            [sys.executable, "-m", "lumiban", *words], env=self.env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            told = ""
            while "page: http" not in told:
                line = process.stdout.readline()
                assert line, told
                told += line
            yield
            process.send_signal(signal.SIGTERM)
            process.stdout.read()

    def ran(self) -> list[str]:
        made = [str(one) for one in self.state.rglob("*.ran")]
        return made + (self.heard.read_text().split() if self.heard.exists() else [])


def test_what_comes_by_a_backup_is_run_by_no_program(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.make(tmp_path / "strange.tar.gz")
    done = house.run("restore", str(tmp_path / "strange.tar.gz"))
    assert done.returncode == 0, done.stderr
    assert 'game.hint = "none"' in done.stdout, "what is taken is told"
    assert "x.py" not in (house.state / "settings.toml").read_text()
    assert all(one.exists() for one in house.files)
    journal, name = "journals/20990100-000000-mine.journal", "20990101-000000-x"
    for words in (
        ("records",), ("replay", name), ("analyse", str(house.state / journal)), ("games",),
        ("records", "export", name, str(tmp_path / "x.svg")),
    ):  # fmt: skip
        house.run(*words)
    # What somebody's hand, or a page, writes into the settings comes to the same gate.
    path = house.state / "settings.toml"
    for file in ("", *map(str, house.files)):
        path.write_text(f'[game]\nname = "{file}"\n' * bool(file) + path.read_text("utf-8"))
        with house.open("serve"):
            patience.until(
                lambda: (
                    service_socket.ask(house.state, {"do": "status"})["tables"][0]["state"]
                    == "playing"
                )
            )
            assert house.run("status").returncode == 0
        path.write_text('[board]\nwhere = "sim"\nprofile = "hex3"\n')
        if file:
            continue
        for words in (("play", "control", "-o", "size=3"), ("demo", "-o", "size=3"), ("demo",)):
            with house.open(*words, "--no-browser", "--port", "0"):
                pass
    assert house.ran() == []
    assert house.run("games", str(house.files[0])).returncode == 0, "a person names it"
    assert house.ran(), "the ear hears"
