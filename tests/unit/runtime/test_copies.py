"""Processes of a table that begin as copies of its first one."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lumiban import copies
from lumiban.boards.profile import load
from lumiban.games.registry import OURS_BY_NAME
from lumiban.runtime.offers import offers_for
from patience import line, run, until

pytestmark = pytest.mark.process

TOLD = """
import json, os, sys

def main(words):
    if words[0] == "ends":
        sys.exit(7)
    if words[0] == "fails":
        raise ValueError("as it should")
    passed = int(words[1])
    print(json.dumps({
        "words": words,
        "heard": sys.stdin.readline(),
        "passed": os.read(passed, 9).decode(),
        "files": [fd for fd in range(99) if os.path.lexists(f"/proc/self/fd/{fd}")],
        "leads": os.getsid(0) == os.getpid(),
        "name": open("/proc/self/comm").read().strip(),
        "wish": os.environ.get("WISH"),
        "parent": os.getppid(),
    }), flush=True)
    sys.stdin.readline()
"""
FIRST = """
import json, os, subprocess, sys
from lumiban import copies

copies.prepare(3)
with open(sys.argv[1], "rb") as passed, open(sys.argv[2], "wb") as errors:
    os.environ["WISH"] = "two"
    child = copies.start(
        "told", ["tells", str(passed.fileno())], name="page", stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=[passed.fileno()],
    )
    child.stdin.write(b"hello\\n")
    child.stdin.flush()
    told = json.loads(child.stdout.readline())
    told["passed as"] = passed.fileno()
    told["copy"] = isinstance(child, copies.Copy)
    told["owner"] = os.getpid()
    told["while it runs"] = child.poll()
    try:
        child.wait(0.01)
    except subprocess.TimeoutExpired:
        told["waited"] = True
    child.terminate()
    told["terminated"] = child.wait()
    told["for good"] = (child.wait(), child.poll(), child.kill())
    told["ends"] = copies.start("told", ["ends"], name="sim", stderr=errors).wait()
    told["fails"] = copies.start("told", ["fails"], name="sim", stderr=errors).wait()
    again = copies.start("told", ["ends"], name="sim", stderr=errors)
    told["none left"] = isinstance(again, subprocess.Popen)
    again.wait()
print(json.dumps(told))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "told.py").write_text(TOLD, "utf-8")
    (tmp_path / "passed").write_text("through", "utf-8")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "WISH": "one"}


def test_a_copy_is_what_it_is_told_to_be_with_the_files_that_it_is_given(folder: Path) -> None:
    words = [sys.executable, "-c", FIRST, str(folder / "passed"), str(folder / "errors")]
    ran = run(words, env=environment(folder))
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["copy"]
    assert told["words"] == ["tells", str(told["passed as"])]
    assert (told["heard"], told["passed"]) == ("hello\n", "through")
    assert told["files"] == [0, 1, 2, told["passed as"]], "no other file of the first one's"
    assert told["leads"], "Ctrl-C is not for it"
    assert told["name"] == f"{copies.NAMES}page"
    assert told["wish"] == "two", "the environment is that of the moment"
    assert told["parent"] == told["owner"]
    assert (told["while it runs"], told["waited"]) == (None, True)
    assert told["terminated"] == -signal.SIGTERM
    assert told["for good"] == [-signal.SIGTERM, -signal.SIGTERM, None]
    assert (told["ends"], told["fails"]) == (7, 1)
    assert "ValueError: as it should" in (folder / "errors").read_text("utf-8")
    assert told["none left"], "where none waits a process begins anew"


LEAVES_NOTHING = """
import json, sys
from pathlib import Path
from lumiban import copies
copies.prepare(4)
from lumiban.cli.table_words import order
words = ["--no-browser", "--port", "8712", "--first", "bot:easy", "-o", "size=2"]
found = order(["play", "control", *words])
print(found.wish.options, found.wish.seats, found.port, found.opens_browser)
print(order(["play", "control", "--port", "x"]), flush=True)
from lumiban.boards.profile import load
from lumiban.runtime.offers import KeptOffers
fits, unfit = KeptOffers(Path(sys.argv[1])).games(load("hex5"))
print([one["slug"] for one in fits], [one["slug"] for one in unfit])
heavy = ("cyclopts", "lumiban.cli.play", "lumiban.games.doves", "lumiban.games.control")
print([name for name in heavy if name in sys.modules], len(copies._waiting))
print(order(["play", "--help"]))
print(copies.answer("told", ["fails"], name="words")[0])
print(copies.answer("told", name="words"))
"""


def test_a_copy_reads_the_words_and_tries_the_games_and_the_table_keeps_nothing_of_it(
    folder: Path,
) -> None:
    words = [sys.executable, "-c", LEAVES_NOTHING, str(folder / "offers.json")]
    ran = run(words, env=environment(folder))
    assert ran.stdout.splitlines() == [
        "{'size': 2} ('bot:easy', None) 8712 False",
        "2",
        "['control', 'evening', 'trivia'] ['doves', 'rengi']",
        "[] 1",
        "None",
        "1",
        "None",
    ], ran.stderr
    assert ran.stderr.splitlines()[0] == (
        "lumiban: --port 'x' is not a whole number. See: lumiban play --help"
    )
    kept = json.loads((folder / "offers.json").read_text("utf-8"))["boards"]
    [told] = kept.values()
    assert told == json.loads(json.dumps(offers_for(load("hex5"), OURS_BY_NAME)))


WAITS = """
import sys
from lumiban import copies

copies.prepare(2)
print(*(pid for pid, _ in copies._waiting), flush=True)
sys.stdin.readline()
copies.dismiss()
print("dismissed", flush=True)
sys.stdin.readline()
"""


def lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("end", ["dismissed", "killed"])
def test_copies_that_nobody_asks_end_when_they_are_dismissed_or_their_owner_is_killed(
    end: str,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdin is not None
        waiting = line(first).split()
        assert len(waiting) == 2
        assert all(map(lives, waiting))
        if end == "killed":
            first.kill()
        else:
            first.stdin.write("\n")
            first.stdin.flush()
            assert line(first) == "dismissed\n"
            assert not any(Path("/proc", pid).exists() for pid in waiting), "they are reaped"
        until(lambda: not any(map(lives, waiting)))
        first.kill()


def test_one_that_was_ended_while_it_waited_is_passed_over(folder: Path) -> None:
    code = """
import os, signal
from lumiban import copies
copies.prepare(2)
first, second = (pid for pid, _ in copies._waiting)
os.kill(first, signal.SIGKILL)
os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
child = copies.start("told", ["ends"], name="sim")
print(child.pid == second, child.wait())
"""
    ran = run([sys.executable, "-c", code], env=environment(folder))
    assert ran.stdout == "True 7\n", ran.stderr


@pytest.mark.parametrize(
    "moves",
    [
        {200: 201, 201: 202, 202: 200},
        {201: 200, 200: 201, 203: 202},
        {202: 201, 201: 200, 205: 203},
        {200: 200, 203: 201},
    ],
)
def test_files_get_their_numbers_though_others_stand_there(
    moves: dict[int, int], tmp_path: Path
) -> None:
    for number in moves.values():
        held = os.open(tmp_path / str(number), os.O_CREAT)
        assert fcntl.fcntl(held, fcntl.F_DUPFD_CLOEXEC, number) == number, "it was free"
        os.close(held)
    copies._place(dict(moves))
    placed = {number: Path(f"/proc/self/fd/{number}").readlink().name for number in moves}
    for number in moves:
        os.close(number)
    assert placed == {number: str(fd) for number, fd in moves.items()}
    left = [number for number in moves.values() if os.path.lexists(f"/proc/self/fd/{number}")]
    assert not left


def test_ended_children_that_the_system_forgets_are_ended(folder: Path) -> None:
    code = """
import signal
from lumiban import copies
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as a shell with `trap '' CHLD` hands it on
copies.prepare(2)
child = copies.start("told", ["ends"], name="sim")
assert isinstance(child, copies.Copy)
print(child.wait(), child.poll())
copies.dismiss()
"""
    ran = run([sys.executable, "-c", code], env=environment(folder))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "0 0\n", "")
