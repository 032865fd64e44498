"""How commands end: interrupted, unread, at fault, and those that stay until a signal."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
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
from command_line import Run, environment, refused, view_after
from journals import lines
from lumiban.runtime import play, running_tables
from lumiban.table.journal import read
from places import ROOT

pytestmark = pytest.mark.process


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed in /proc")
def test_a_measurement_is_interrupted_without_a_word(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban", "bench", "latency", "--without-bot"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
        start_new_session=True,
        # What a shell starts in the background ignores interrupts, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def has_its_board() -> bool:
            assert process.poll() is None
            return any(
                b"lumiban_lab.bench_board" in Path(f"/proc/{child}/cmdline").read_bytes()
                for child in children.read_text().split()
            )

        patience.until(has_its_board)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "\n")


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m lumiban games rules control | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Control\n", "")


def games_after(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    """The command `games` in a process in which this was done before."""
    code += "\nimport sys, lumiban.cli as cli; sys.argv = ['lumiban', 'games']; cli.main()"
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**environment(home), "TMPDIR": str(home)},
        check=False,
    )


BREAKS = "import lumiban.games as games; games.available = lambda: 1 / 0\n"


def test_the_file_of_a_fault_follows_no_link_that_lies_in_wait(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("untouched")
    lay = f"import os; os.symlink({str(theirs)!r}, f'{tmp_path}/lumiban-fault-{{os.getpid()}}.txt')"
    done = games_after(f"{BREAKS}{lay}", tmp_path)
    assert done.returncode == 1
    assert theirs.read_text() == "untouched"
    kept = [one for one in tmp_path.glob("lumiban-fault-*.txt") if not one.is_symlink()]
    assert len(kept) == 1
    assert kept[0].stat().st_mode & 0o077 == 0


def test_a_fault_is_told_in_one_line_where_no_file_can_be_written(tmp_path: Path) -> None:
    full = (
        "import tempfile\ndef mkstemp(**_): raise OSError(28, 'full')\ntempfile.mkstemp = mkstemp"
    )
    done = games_after(f"{BREAKS}{full}", tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "ZeroDivisionError: division by zero" in done.stderr


def test_an_interruption_while_still_loading_is_no_fault(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'cyclopts': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())"
    )
    done = games_after(code, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\n")


# Commands that stay.


@contextmanager
def staying(home: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(home),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str], start: str) -> str:
    """The rest of the line that starts like this."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().startswith(start):
            return line.strip().removeprefix(start).strip()
    assert process.stderr is not None
    raise AssertionError(f"it never said {start!r}: {process.stderr.read()}")


def ended(process: subprocess.Popen[str], by: signal.Signals) -> tuple[int, str]:
    """Exit code and stderr after this signal."""
    process.send_signal(by)
    _, err = process.communicate()
    return process.returncode, err


def test_the_simulator_tells_port_and_hands_and_ends_quietly(tmp_path: Path) -> None:
    with staying(tmp_path, "sim", "--profile", "hex3") as process:
        assert said(process, "port:").startswith("/dev/")
        assert said(process, "hands:").startswith("ws://127.0.0.1:")
        assert ended(process, signal.SIGINT) == (0, "")
    assert not list(tmp_path.glob("simulator-*"))


def test_a_bad_profile_of_the_simulator_is_told(run: Run) -> None:
    assert "nowhere.toml" in refused(run, "sim", "--profile", "nowhere.toml", code=3)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_demo_prints_its_link_serves_and_ends_quietly(
    tmp_path: Path, by: signal.Signals
) -> None:
    with staying(tmp_path, "demo", "--no-browser", "-o", "size=2", "--port", "8790") as process:
        said(process, "Two bots play Control")
        url = said(process, "page:")
        with urllib.request.urlopen(url + "api/view") as answer:
            view: dict[str, Any] = json.load(answer)
        assert view["game"]["slug"] == "control"
        assert [seat["who"] for seat in view["seats"]] == ["bot:easy", "bot:medium"]
        assert ended(process, by) == (0, "")
    assert not list(tmp_path.glob("simulator-*")), "the simulator that it started has ended"


def test_a_taken_port_of_the_page_is_passed_over(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ("play", "control", "--no-browser", "--port", str(port), "--profile", "hex3")
        with staying(tmp_path, *words, "-o", "size=2") as process:
            url = said(process, "page:")
            assert int(url.rstrip("/").rpartition(":")[2]) > port
            assert ended(process, signal.SIGINT) == (0, "")


def test_a_game_that_was_cut_short_goes_on_and_new_starts_afresh(tmp_path: Path) -> None:
    with staying(tmp_path, "sim", "--profile", "hex3") as board:
        port = said(board, "port:")
        words = ("play", "control", "-o", "size=3", "--profile", "hex3", "--board", port)
        words += ("--first", "bot:easy", "--second", "human", "--no-browser")
        with staying(tmp_path, *words) as host:
            url = said(host, "page:")
            move = view_after(url, 1)["moves"][0]
            host.kill()
        with staying(tmp_path, *words) as host:
            url = said(host, "page:")
            # Eyes do not wait for the disk: killed at once, the journal may not hold the move yet.
            # The board then tells of its stone again, and the move is there all the same.
            told = said(host, "Resuming the interrupted game of Control")
            assert re.match(r"\(\d{8}-\d{6}-control\.journal\) after move [01];", told)
            assert view_after(url, 1)["moves"][0] == move
            assert ended(host, signal.SIGTERM) == (0, "")
        with staying(tmp_path, *words, "--new") as host:
            assert said(host, "Press Ctrl-C") == "to stop; nothing is lost."
            assert ended(host, signal.SIGTERM) == (0, "")
    assert len(list((tmp_path / "journals").glob("*.journal"))) == 2


def test_a_second_host_says_who_plays_and_where_to_watch_and_touches_nothing(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    with staying(tmp_path, "sim", "--profile", "hex3") as board:
        port = said(board, "port:")
        words = ("play", "control", "-o", "size=3", "--profile", "hex3", "--board", port)
        words += ("--no-browser", "--first", "bot:easy", "--second", "bot:easy")
        with staying(tmp_path, *words) as host:
            url = said(host, "page:")
            view_after(url, 1)
            (journal,) = (tmp_path / "journals").glob("*.journal")
            for more in ((), ("--new",)):
                before = journal.read_bytes()
                line = refused(run, *words, *more, code=3)
                assert f"Another host (process {host.pid}) has been playing control" in line
                assert re.search(rf" since \d\d:\d\d: watch it at {re.escape(url)} ", line)
                assert journal.read_bytes().startswith(before)
            assert [path.name for path in journal.parent.iterdir()] == [journal.name]
            assert len(view_after(url, 2)["moves"]) >= 2, "the first one plays on"
            host.kill()
        with staying(tmp_path, *words) as host:
            told = said(host, "Resuming the interrupted game of Control")
            assert told.startswith(f"({journal.name}) after move")
            assert len(list(tmp_path.glob("table-*.json"))) == 2, "a dead one's sign, and its own"
            assert ended(host, signal.SIGTERM) == (0, "")
    assert read(journal).notes == ()
    assert [found.pid for found in running_tables.running(tmp_path)] == []
    assert not list(tmp_path.glob("table-*.json"))


def test_what_may_be_lost_and_what_a_later_version_wrote_is_told_at_the_start(
    tmp_path: Path,
) -> None:
    (tmp_path / "journals").mkdir()
    later = tmp_path / "journals" / "later.journal"
    later.write_bytes(lines([{"t": "head", "version": 3}]))
    unsynced = (
        "import errno, os, stat, sys\nsync = os.fsync\n"
        "def fsync(file):\n"
        "    if stat.S_ISDIR(os.fstat(file).st_mode): raise OSError(errno.EINVAL, 'no')\n"
        "    sync(file)\n"
        "os.fsync = fsync\n"
        "import lumiban.cli as cli; sys.exit(cli.main())\n"
    )
    words = ("play", "control", "-o", "size=2", "--profile", "hex3", "--no-browser")
    with subprocess.Popen(
        [sys.executable, "-c", unsynced, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
    ) as process:
        told = said(process, "An interrupted game was skipped:")
        assert told.endswith("is of journal version 3, this lumiban reads up to 2: update it")
        assert said(process, "The file system of").startswith(f"{tmp_path.parent} cannot report")
        assert ended(process, signal.SIGTERM) == (0, "")
    assert later.read_bytes() == lines([{"t": "head", "version": 3}])


MAX_BYTES = 300_000_000
"""Of address space, for each process of a table with two bots."""


def on_one_core() -> None:
    """Leave this process, and all that it starts, one core and little memory."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))


@pytest.mark.skipif(sys.platform != "linux", reason="cores and memory are limited by Linux")
def test_on_one_core_with_300_mb_a_game_of_two_bots_is_played_to_its_end(tmp_path: Path) -> None:
    # One arena: each thread would reserve 64 MB for itself, of which it uses hardly any.
    surroundings = {**environment(tmp_path), "MALLOC_ARENA_MAX": "1"}
    words = [sys.executable, ROOT / ".ci" / "smoke.py", sys.executable, "-m", "lumiban"]
    told = patience.run(words, env=surroundings, preexec_fn=on_one_core)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("smoke: ")
    assert told.stdout.count("\n") == 1


def test_a_browser_is_opened_only_where_somebody_sees_it() -> None:
    assert play.has_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert play.has_display({}, "darwin")
    assert not play.has_display({}, "linux")
    assert not play.has_display({"DISPLAY": ":0", "SSH_TTY": "/dev/pts/0"}, "linux")


def test_no_more_than_a_few_reports_of_faults_are_kept(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"lumiban-fault-{number}.txt").touch()
    games_after(BREAKS, tmp_path)
    kept = list(tmp_path.glob("lumiban-fault-*.txt"))
    assert len(kept) == 5
    assert any("ZeroDivisionError" in one.read_text() for one in kept)


def test_a_closed_output_is_nobody_s(tmp_path: Path) -> None:
    for closed in (">&-", "2>&-", ">&- 2>&- <&-"):
        line = f"{sys.executable} -P -m lumiban games {closed}"
        done = subprocess.run(
            ["sh", "-c", line], env=environment(tmp_path), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert (done.returncode, "fault" in done.stderr + done.stdout) == (0, False)
