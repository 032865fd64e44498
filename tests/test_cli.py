"""The commands as a user meets them: what they print, what they refuse, their exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
import time
import tty
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lumiban import __version__, cli
from lumiban.cli import hosting, rules
from lumiban.errors import UsageError

Run = Callable[..., tuple[int, str, str]]

SIZE_3 = {"size": 3, "opening": "perimeter", "scoring": "empty", "sees": "adjacent"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command line; gives its exit code, stdout and stderr."""
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUMIBAN_LANG", "en")

    def run_one(*words: str) -> tuple[int, str, str]:
        code = cli.run(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run_one


def environment(home: Path) -> dict[str, str]:
    """What a user has, and who leaves a file open is heard."""
    ours = {"LUMIBAN_HOME": str(home), "LUMIBAN_LANG": "en", "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **ours, "PYTHONWARNINGS": "error::ResourceWarning"}


def modules_after(code: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(shown.stdout.split())


def refused(run: Run, *words: str, code: int = 2) -> str:
    """The one line that a command line is refused with."""
    got, out, err = run(*words)
    assert got == code, err
    assert out == ""
    assert err.startswith("lumiban: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


# Start, help, version.


def test_nothing_heavy_is_imported_before_a_command_runs() -> None:
    loaded = modules_after("from lumiban import cli; cli._app()")
    heavy = {"numpy", "numba", "rich.console", "uvicorn", "starlette", "structlog", "serial"}
    assert not loaded & (heavy | {"lumiban.games", "lumiban.search", "lumiban_sim"})


def test_the_version_needs_not_even_the_parser() -> None:
    code = "from lumiban import cli; assert cli.run(['--version']) == 0"
    assert "cyclopts" not in modules_after(code)


def test_the_version_is_told(run: Run) -> None:
    assert run("--version") == (0, f"lumiban {__version__}\n", "")


def test_help_lists_every_command(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in cli.COMMANDS)


def test_no_words_at_all_are_answered_by_the_help(run: Run) -> None:
    assert run()[1] == run("--help")[1]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself(run: Run, name: str) -> None:
    code, out, err = run(name, "--help")
    assert code == 0
    assert err == ""
    assert out.startswith(f"Usage: lumiban {name}")
    assert len(out.splitlines()) > 5


# What is not understood.


def test_an_unknown_command_is_answered_by_the_nearest(run: Run) -> None:
    line = refused(run, "gmaes")
    assert "did you mean games?" in line
    assert "demo" in line


def test_an_unknown_option_of_a_command_names_its_help(run: Run) -> None:
    assert "lumiban perft --help" in refused(run, "perft", "control", "-d", "2", "--nope")


def test_an_unknown_option_before_any_command_is_one_line_too(run: Run) -> None:
    assert "--nope" in refused(run, "--nope")


def test_a_word_too_many_is_named(run: Run) -> None:
    assert "'extra'" in refused(run, "games", "extra")


@pytest.mark.parametrize("command", ["play", "rules", "solve"])
def test_an_unknown_game_is_answered_by_the_list(run: Run, command: str) -> None:
    assert "control" in refused(run, command, "chess")


def test_a_missing_game_is_asked_for(run: Run) -> None:
    assert "GAME" in refused(run, "perft", "-d", "2")


def test_a_depth_that_is_no_number_is_refused(run: Run) -> None:
    assert "'x'" in refused(run, "perft", "control", "-d", "x")


def test_a_depth_of_nothing_is_refused(run: Run) -> None:
    assert "Must be >= 1" in refused(run, "perft", "control", "-d", "0")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("sise=3", "size, opening, scoring, sees"),
        ("size=9", "2, 3, 4, 5, 6, 7, 8"),
        ("size", "key=value"),
        ("=3", "key=value"),
        ("size=", "key=value"),
    ],
)
def test_a_bad_option_is_answered_by_what_is_accepted(run: Run, option: str, says: str) -> None:
    assert says in refused(run, "perft", "control", "-d", "1", "-o", option)


def test_an_option_given_twice_is_refused(run: Run) -> None:
    assert "twice" in refused(run, "perft", "control", "-d", "1", "-o", "size=2", "-o", "size=3")


def test_a_strange_seat_is_answered_by_those_there_are(run: Run) -> None:
    assert "human, bot:gentle" in refused(run, "play", "control", "--first", "dog")
    assert "bot:strong" in refused(run, "play", "control", "--black", "bot:god")


def test_assist_is_auto_or_off(run: Run) -> None:
    assert "auto nor off" in refused(run, "play", "control", "--assist", "maybe")


# Boards that are not there.


def test_an_absent_port_is_told_with_those_there_are(run: Run) -> None:
    line = refused(run, "play", "control", "--board", "/dev/ttyNowhere", code=3)
    assert "/dev/ttyNowhere" in line


def test_a_file_is_no_serial_port(run: Run, tmp_path: Path) -> None:
    (tmp_path / "port").write_text("no port")
    assert str(tmp_path) in refused(
        run, "play", "control", "--board", str(tmp_path / "port"), code=3
    )


def test_a_port_that_answers_nothing_is_no_lumiban_board(run: Run) -> None:
    line, port = pty.openpty()
    tty.setraw(port)
    try:
        words = ("play", "control", "--board", os.ttyname(port), "--no-browser")
        assert "not a lumiban board" in refused(run, *words, code=3)
    finally:
        os.close(line)
        os.close(port)


def test_a_port_that_another_program_holds_is_busy(run: Run) -> None:
    from serial import Serial

    line, port = pty.openpty()
    tty.setraw(port)
    try:
        with Serial(os.ttyname(port), exclusive=True):
            words = ("play", "control", "--board", os.ttyname(port), "--no-browser")
            assert "Another program" in refused(run, *words, code=3)
    finally:
        os.close(line)
        os.close(port)


def test_an_unknown_profile_is_answered_by_those_there_are(run: Run) -> None:
    assert "hex3, hex5" in refused(run, "play", "control", "--profile", "hex9", code=3)


def test_a_game_too_large_for_its_board_is_refused_before_anything_starts(
    run: Run, tmp_path: Path
) -> None:
    line = refused(run, "play", "control", "-o", "size=5", "--profile", "hex3", code=3)
    assert "hex5" in line
    assert not list((tmp_path / "home").glob("simulator-*"))


def test_a_state_folder_that_cannot_be_made_names_the_way_out(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "file" / "below"))
    assert "LUMIBAN_HOME" in refused(run, "play", "control", "--no-browser")


# Commands that tell something.


def test_games_are_listed_with_options_and_defaults(run: Run) -> None:
    code, out, _ = run("games")
    assert code == 0
    assert out.startswith("control  Control\n")
    assert "-o size=2, 3, 4, 5, 6, 7, 8  (default 5)  Board size" in out


def test_games_are_data_too(run: Run) -> None:
    _, out, _ = run("games", "--json")
    (control,) = (game for game in json.loads(out)["games"] if game["slug"] == "control")
    assert control["options"][0] == {"name": "size", "default": 5, "values": [2, 3, 4, 5, 6, 7, 8]}


def test_rules_are_told_in_both_languages(run: Run) -> None:
    english, japanese = run("rules", "control")[1], run("rules", "control", "--lang", "ja")[1]
    assert "There is no passing." in english
    assert "支配" in japanese
    assert max(map(len, english.splitlines())) <= rules.WIDEST


def test_a_language_without_texts_is_refused(run: Run) -> None:
    assert "en, ja" in refused(run, "rules", "control", "--lang", "tlh")


def test_japanese_lines_break_between_letters_but_not_in_a_latin_word() -> None:
    assert rules.folded("マスの数は control で決まる。", 12, "ja").splitlines() == [
        "マスの数は",
        "control で決",
        "まる。",
    ]


def test_perft_prints_exactly_this_json(run: Run) -> None:
    code, out, _ = run("perft", "control", "-d", "3", "-o", "size=3", "--json")
    assert code == 0
    assert (
        out == json.dumps({"game": "control", "options": SIZE_3, "nodes": [12, 174, 2274]}) + "\n"
    )


def test_perft_prints_a_table_for_people(run: Run) -> None:
    _, out, _ = run("perft", "control", "-d", "2", "-o", "size=3")
    assert [line.split()[1] for line in out.splitlines()[:2]] == ["12", "174"]


def test_the_small_board_is_solved_for_white(run: Run) -> None:
    code, out, _ = run("solve", "control", "-o", "size=2", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["winner"] == "white"
    assert set(told["openings"].values()) == {"white"}
    assert len(told["openings"]) == 6


def test_what_cannot_be_solved_is_refused_with_the_reason(run: Run) -> None:
    assert "61 cells is too large" in refused(run, "solve", "control")
    assert "choose a smaller one" in refused(run, "solve", "control")
    assert "choose a smaller one" not in refused(run, "solve", "doves")
    line = refused(run, "solve", "control", "-o", "size=2", "-o", "sees=sight")
    assert "positions can come again" in line


def test_the_search_is_measured(run: Run) -> None:
    _, out, _ = run("bench", "search", "control", "-o", "size=2", "--seconds", "0.02", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert [row["what"] for row in told] == ["playouts", "uct", "grave"]
    assert all(row["rate"] > 0 and row["plain_rate"] > 0 for row in told)
    assert all(row["options"]["size"] == 2 for row in told)


def test_options_of_no_game_are_refused_by_the_bench(run: Run) -> None:
    assert "--option needs a game" in refused(run, "bench", "search", "-o", "size=2")


def test_a_measurement_of_nothing_is_refused(run: Run) -> None:
    assert "--events 1" in refused(run, "bench", "latency", "--events", "1")
    assert "--seconds" in refused(run, "bench", "search", "--seconds", "0")


def test_the_latency_of_the_host_is_measured_over_a_real_line(run: Run) -> None:
    code, out, _ = run("bench", "latency", "--events", "40", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["events"] >= 40
    assert told["unanswered"] == 0
    assert 0 < told["median_us"] <= told["p99_us"] <= told["worst_us"]
    assert {"with_bot_p99_us", "fsync_p99_us"} <= told.keys()


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed in /proc")
def test_a_measurement_is_interrupted_without_a_word(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban", "bench", "latency", "--without-bot"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
        start_new_session=True,
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not any(
            b"bench_board" in Path(f"/proc/{child}/cmdline").read_bytes()
            for child in children.read_text().split()
        ):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "\n")


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m lumiban rules control | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Control\n", "")


def test_a_fault_of_ours_is_one_line_and_a_file(tmp_path: Path) -> None:
    code = (
        "import lumiban.cli as cli, lumiban.games as games\n"
        "games.available = lambda: 1 / 0\n"
        "import sys; sys.argv = ['lumiban', 'games']\n"
        "cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**environment(tmp_path), "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "ZeroDivisionError" in done.stderr
    (kept,) = tmp_path.glob("lumiban-fault-*.txt")
    assert str(kept) in done.stderr
    assert "Traceback" in kept.read_text()


def test_an_interruption_while_still_loading_is_no_fault(tmp_path: Path) -> None:
    code = (
        "import sys, lumiban.cli as cli\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'cyclopts': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv = ['lumiban', 'games']\n"
        "cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**environment(tmp_path), "TMPDIR": str(tmp_path)},
        check=False,
    )
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
    _, err = process.communicate(timeout=20)
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
        url = said(process, "page:")
        with urllib.request.urlopen(url + "api/view", timeout=10) as answer:
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
            move = first_move(url)
            host.kill()
        with staying(tmp_path, *words) as host:
            url = said(host, "page:")
            # Eyes do not wait for the disk: killed at once, the journal may not hold the move yet.
            # The board then tells of its stone again, and the move is there all the same.
            told = said(host, "The game that was cut short")
            assert told.startswith(("goes on after move 0", "goes on after move 1"))
            assert first_move(url) == move
            assert ended(host, signal.SIGTERM) == (0, "")
        with staying(tmp_path, *words, "--new") as host:
            assert said(host, "Ctrl-C") == "ends it; nothing is lost."
            assert ended(host, signal.SIGTERM) == (0, "")
    assert len(list((tmp_path / "journals").glob("*.journal"))) == 2


def first_move(url: str) -> dict[str, Any]:
    """The first move of the game at this page, waited for."""

    async def watch() -> dict[str, Any]:
        from websockets.asyncio.client import connect

        async with asyncio.timeout(20), connect(url.replace("http", "ws") + "ws") as line:
            async for message in line:
                view = json.loads(message)
                if view.get("moves"):
                    move: dict[str, Any] = view["moves"][0]
                    return move
        raise AssertionError("the page's line closed")

    return asyncio.run(watch())


def test_the_smoke_run_is_one_line(run: Run) -> None:
    began = time.monotonic()
    code, out, err = run("demo", "--smoke")
    assert (code, err) == (0, "")
    assert out.startswith("smoke: ")
    assert out.count("\n") == 1
    assert time.monotonic() - began < 60


def test_a_browser_is_opened_only_where_somebody_sees_it() -> None:
    assert hosting.has_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert hosting.has_display({}, "darwin")
    assert not hosting.has_display({}, "linux")
    assert not hosting.has_display({"DISPLAY": ":0", "SSH_TTY": "/dev/pts/0"}, "linux")


def test_seats_and_options_are_read_as_people_write_them() -> None:
    from lumiban.cli.arguments import options, seat

    assert options(["size=3", " opening = 12* ", "depth=-1"]) == {
        "size": 3,
        "opening": "12*",
        "depth": -1,
    }
    assert options(None) == {}
    assert seat("bot") == "bot:medium"
    with pytest.raises(UsageError):
        seat("human:easy")
