"""Commands that documents print: found in their order, and run as they stand in a fresh clone.

A command stands in a block or between backquotes and begins with `./run`. Where one cannot be run
a comment says why, before its block or behind it, once for all documents:

    <!-- not run: long -->

What needs no comment: a word in capitals (NAME) or dots stand for something of the reader's, and a
command that looks for a board (`--port auto`) finds none; both must still be understood.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cyclopts import MissingArgumentError
from lumiban import cli
from places import ROOT

REASONS = {
    "long": "takes minutes or hours",
    "network": "downloads something",
    "machine": "changes this machine, or asks its owner",
    "tests": "runs these tests",
    "made": "needs what an earlier evening has left: a game, a recording, a profile",
    "board": "needs a board that is plugged in",
}
"""What a comment may say."""
OWN = ("add", "docs", "lint", "package", "python", "test")
"""Words that the script `run` follows itself."""
STAYS = ("play", "demo", "serve", "sim")
"""Commands that end when they are told to."""
LIMIT_S = 1200.0
FINDS = ("board doctor", "board firstlight", "status", "stop")
"""Commands that may find something wrong here: then they end with 1."""
_PIECE = re.compile(
    r"^```(?P<kind>\w*)\n(?P<fenced>.*?)^```|(?P<indented>(?:^ {4}\S[^\n]*\n)+)"
    r"|(?<!`)`(?P<inline>\./run [^`\n]*)`(?!`)",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"<!-- not run: (\w+) -->")
_THEIRS = re.compile(r"\b[A-Z]{2,}[A-Z0-9]*\b|…|\.\.\.|<")


@dataclass(frozen=True)
class Printed:
    """One command, where it is printed, and the comment that says why it is not run."""

    file: Path
    line: int
    text: str
    is_block: bool
    mark: str

    @property
    def words(self) -> list[str]:
        """What follows `./run`."""
        return shlex.split(self.text)[1:]


@cache
def documents() -> list[Path]:
    """Every document that tells people what to type, in an order that stays."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name and name != "CHANGELOG.md"]
    return [
        path for path in sorted(paths) if path.is_file() and "./run " in path.read_text("utf-8")
    ]


@cache
def printed(path: Path) -> tuple[Printed, ...]:
    """The commands of a document, in its order."""
    found: list[Printed] = []
    text = path.read_text("utf-8")
    for piece in _PIECE.finditer(text):
        if piece["kind"] not in (None, "", "sh"):
            continue
        is_block = piece["inline"] is None
        before = text[: piece.start()].rstrip().rpartition("\n")[2]
        mark = _MARK.search(before) if is_block else _MARK.match(text, piece.end())
        inside = piece["inline"] or piece["fenced"] or piece["indented"] or ""
        first = text.count("\n", 0, piece.start()) + (2 if piece["fenced"] else 1)
        for number, line in enumerate(inside.splitlines()):
            command = re.sub(r"\s+# .*", "", line).strip()
            if command.startswith("./run "):
                reason = mark[1] if mark else ""
                found.append(Printed(path, first + number, command, is_block, reason))
    return tuple(found)


@cache
def marks() -> dict[str, str]:
    """Commands that a comment keeps from being run, and what it says."""
    return {one.text: one.mark for path in documents() for one in printed(path) if one.mark}


def reason(command: Printed) -> str:
    """Why a command is not run; empty where it is. What cannot be understood is raised."""
    if command.text in marks():
        return marks()[command.text]
    words = command.words
    if command.file.name == "report.md":
        return "long"  # made by `study report`, which writes no comments
    try:
        bound = understood(words)
    except MissingArgumentError:
        if command.is_block:
            raise
        return "named"  # a sentence about it
    if any(_THEIRS.search(word) for word in words):
        return "theirs"
    named = {*words, bound.get("port"), bound.get("board")}
    if named & {"auto", "serial:auto", "gpio"} and words[:2] != ["board", "gpio"]:
        return "board"
    drives = words[:2] == ["board", "gpio"] and not {"--wiring", "--svg"} & set(words)
    return "board" if drives else ""


def understood(words: list[str]) -> dict[str, object]:
    """A command line's parameters; AssertionError or an error of cyclopts where it is not one."""
    if words[0] in OWN or words[-1] in ("--help", "--version"):
        return {}
    assert words[0] in cli.commands(), words
    if _is_study_file(words):
        words = ["study", "run", *words[1:]]
    command, bound, unused = cli._app(*words[:2]).parse_args(
        words, exit_on_error=False, print_error=False
    )[:3]
    assert callable(command)
    assert not unused, words
    defaults = {one.name: one.default for one in bound.signature.parameters.values()}
    return {**defaults, **bound.arguments}


def _is_study_file(words: list[str]) -> bool:
    return words[0] == "study" and len(words) > 1 and words[1].endswith(".toml")


@dataclass(frozen=True)
class Done:
    """How a command ended: its exit code, what it printed, and how long it took."""

    code: int
    out: str
    took_s: float


class Clone:
    """A fresh clone with the sources as they stand here, installed and with a home of its own.

    What `./run` installs is this checkout's: nothing is downloaded.
    """

    def __init__(self, folder: Path, language: str = "en") -> None:
        self.folder = folder / "clone"
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        told = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, told.decode().split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        subprocess.run(["git", "add", "."], cwd=self.folder, check=True)
        self._install()
        path = f"{self.folder}/.venv/bin{os.pathsep}{os.environ['PATH']}"
        self.environment = {
            **{name: told for name, told in os.environ.items() if not name.startswith("PYTEST")},
            "HOME": str(folder), "LUMIBAN_HOME": str(folder / "home"), "LUMIBAN_LANG": language,
            "BROWSER": "true", "PYTHONUNBUFFERED": "1", "PATH": path,
        }  # fmt: skip
        del self.environment["LUMIBAN_RUN"]

    def _install(self) -> None:
        """Make .venv as `./run` leaves it."""
        venv = self.folder / ".venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        site = next(venv.glob("lib/python*/site-packages"))
        own = ("firmware", "hardware", "host", "lab", "simulator")
        there = Path(sys.executable).parents[1]
        installed = next(there.glob("lib/python*/site-packages"))
        lines = [*(str(self.folder / name) for name in own), str(installed), str(there / "fast")]
        (site / "_lumiban.pth").write_text("\n".join(lines) + "\n")
        said = (self.folder / "run").read_text("utf-8")
        known = "\n".join(re.findall(r"^(?:folders=|stamp\(\)).*$", said, re.MULTILINE))
        stamps = 'for lock in base dev fast flash; do stamp $lock >"$here/.venv/.stamp-$lock"; done'
        script = f"here={shlex.quote(str(self.folder))}\n{known}\n{stamps}"
        subprocess.run(["sh", "-euc", script], check=True)
        for name in ("venv", "pip"):
            (venv / f".stamp-{name}").touch()

    def strays(self) -> list[str]:
        """Files that git would not ignore in the clone, but for those that people named."""
        wanted = (
            "mine.py",
            "mine.lumiban",
            "squares.py",
            "bridges.py",
            "flips.py",
            ".svg",
            ".toml",
        )
        done = subprocess.run(
            ["git", "ls-files", "--others", "--exclude-standard"],
            cwd=self.folder, capture_output=True, check=True, text=True,
        )  # fmt: skip
        return [name for name in done.stdout.splitlines() if not name.endswith(wanted)]

    def run(self, command: str) -> Done:
        """What a command does here; one that stays is ended as soon as it says how."""
        started, out = time.monotonic(), ""
        with subprocess.Popen(
            ["sh", "-c", f"exec {command}"], cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            alarm = threading.Timer(LIMIT_S, process.kill)
            alarm.start()
            assert process.stdout is not None
            for line in process.stdout:
                out += line
                if "Ctrl-C" in line and shlex.split(command)[1] in STAYS:
                    process.send_signal(signal.SIGINT)
            code = process.wait()
            alarm.cancel()
        return Done(code, out, time.monotonic() - started)
