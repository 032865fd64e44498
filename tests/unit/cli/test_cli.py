"""How a command line is read: start, help, version, and what is not understood."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from command_line import Run, refused
from lumiban import __version__, cli
from lumiban.errors import UsageError
from lumiban.invocation import Command
from lumiban.system.terminal import print_json


def modules_after(code: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(shown.stdout.split())


# Start, help, version.


@pytest.mark.process
def test_nothing_heavy_is_imported_before_a_command_runs() -> None:
    loaded = modules_after("from lumiban import cli; cli._app()")
    heavy = {"numpy", "numba", "rich.console", "uvicorn", "starlette", "serial"}
    assert not loaded & (heavy | {"lumiban.games", "lumiban.search", "lumiban_sim"})


@pytest.mark.process
@pytest.mark.parametrize(
    ("language", "says"), [("en", "does not run on Windows"), ("ja", "動きません")]
)
def test_on_windows_a_sentence_says_where_lumiban_runs(language: str, says: str) -> None:
    """Before anything is imported that is not there."""
    code = (
        "import sys; sys.platform = 'win32'; sys.modules['termios'] = sys.modules['fcntl'] = None\n"
    )
    code += "import runpy; runpy.run_module('lumiban', run_name='__main__')"
    done = patience.run([sys.executable, "-c", code], env={**os.environ, "LUMIBAN_LANG": language})
    assert (done.returncode, done.stdout) == (1, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.process
def test_the_version_needs_not_even_the_parser() -> None:
    code = "from lumiban import cli; assert cli.run(['--version']) == 0"
    assert "cyclopts" not in modules_after(code)


def test_the_version_is_told(run: Run) -> None:
    assert run("--version") == (0, f"lumiban {__version__}\n", "")


def test_help_lists_every_command(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in cli.FIRST)


def test_no_words_at_all_are_answered_by_the_help(run: Run) -> None:
    assert run()[1] == run("--help")[1]


def test_eight_commands_are_shown_first_and_the_others_behind_a_word(run: Run) -> None:
    assert len(cli.FIRST) == 8
    assert len(run("--help")[1].splitlines()) <= 24
    told = run("more")[1].splitlines()
    assert {line.split()[0] for line in told[:-2]} == set(cli.commands()) - set(cli.FIRST)


def test_a_command_that_is_not_installed_is_told_where_it_is(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.system.entry_points.offered", lambda group: {})
    cli.commands.cache_clear()
    try:
        assert "pip install lumiban-hardware" in refused(run, "hardware", "power", "hex3")
        assert "clone its source" in refused(run, "bench")
        assert "the commands are" in refused(run, "study")
    finally:
        cli.commands.cache_clear()


def test_a_package_brings_a_command_and_one_of_a_group(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Point:
        def load(self) -> Command:
            return Command("platform:node", "Tell this machine's name.")

    class Broken:
        def load(self) -> Command:
            raise ImportError

    points = {"where": Point(), "games.where": Point(), "broken": Broken()}
    monkeypatch.setattr("lumiban.system.entry_points.offered", lambda group: points)
    cli.commands.cache_clear()
    try:
        assert "where  Tell this machine's name." in " ".join(run("more")[1].split("   "))
        assert "where" in run("games", "--help")[1]
        assert "broken" not in cli.commands()
    finally:
        cli.commands.cache_clear()


INNER = [f"{group} {name}" for group, one in cli.commands().items() for name in one.inner]


@pytest.mark.one_case
@pytest.mark.parametrize("name", [*cli.commands(), *INNER])
def test_every_command_explains_itself(run: Run, name: str) -> None:
    code, out, err = run(*name.split(), "--help")
    assert code == 0
    assert err == ""
    assert out.startswith(f"Usage: lumiban {name}")
    assert len(out.splitlines()) > 5


@pytest.mark.one_case
@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1"])
@pytest.mark.parametrize(
    "words", ["", *cli.commands(), *INNER, "games rules rengi", "plya Ω", "games 火"]
)
def test_a_terminal_without_our_letters_shows_others_and_every_command_works(
    words: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = words.split()
    asked = [*given, "--help"] if words in ("", *cli.commands(), *INNER) else given
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.setenv("LUMIBAN_LANG", "ja")
    monkeypatch.setattr(sys, "argv", ["lumiban", *asked])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # `main` sets its own
    written = {name: io.BytesIO() for name in ("stdout", "stderr")}
    for name, target in written.items():
        monkeypatch.setattr(sys, name, io.TextIOWrapper(target, encoding, write_through=True))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = {name: target.getvalue().decode(encoding) for name, target in written.items()}
    assert ended.value.code == (2 if "Ω" in words or "火" in words else 0), told
    assert ("Usage: lumiban" in told["stdout"]) == (asked != given)


def test_data_for_such_a_terminal_loses_no_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"name": "連火 Ω"}
    for encoding in ("ascii", "utf-8"):
        target = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(target, encoding, errors="replace"))
        print_json(data)
        assert json.loads(target.getvalue().decode(encoding)) == data


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.EIO, "Input/output error", "/state/x"), "/state/x: Input/output error: see"),
        (OSError(errno.ENOSPC, "No space left on device"), "a file cannot be written: No space"),
        (OSError(errno.EMFILE, "Too many open files"), "too many files are open"),
        (MemoryError(), "there is not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "there is not enough memory"),
        (RuntimeError("can't start new thread"), "there is not enough memory"),
    ],
)
def test_trouble_of_the_machine_is_no_fault_of_ours(
    error: BaseException, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cli._last_word(type(error), error, None)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"lumiban: {told}")
    assert line.endswith("then start again; nothing is lost")


# What is not understood.


def test_a_command_of_a_group_is_answered_by_where_it_stands(run: Run) -> None:
    assert "there is no command 'perft'; did you mean study perft?" in refused(run, "perft")
    assert "did you mean board flash?" in refused(run, "flash", "--yes")


def test_an_unknown_command_is_answered_by_the_nearest(run: Run) -> None:
    line = refused(run, "gmaes")
    assert "did you mean games?" in line
    assert "lumiban --help" in line


def test_an_unknown_option_of_a_command_names_its_help(run: Run) -> None:
    assert "lumiban study perft --help" in refused(
        run, "study", "perft", "control", "-d", "2", "--nope"
    )


def test_an_unknown_option_before_any_command_is_one_line_too(run: Run) -> None:
    assert "--nope" in refused(run, "--nope")


def test_a_word_too_many_is_named(run: Run) -> None:
    assert "'extra'" in refused(run, "games", "extra")


@pytest.mark.parametrize("command", ["play", "games rules", "study solve"])
def test_an_unknown_game_is_answered_by_the_list(run: Run, command: str) -> None:
    assert "control" in refused(run, *command.split(), "chess")


def test_a_missing_game_is_asked_for(run: Run) -> None:
    assert "GAME" in refused(run, "study", "perft", "-d", "2")


def test_a_depth_that_is_no_number_is_refused(run: Run) -> None:
    assert "'x'" in refused(run, "study", "perft", "control", "-d", "x")


def test_a_depth_of_nothing_is_refused(run: Run) -> None:
    assert "Must be >= 1" in refused(run, "study", "perft", "control", "-d", "0")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("sise=3", "size, opening, scoring, sees"),
        ("size=13", "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
        ("size", "key=value"),
        ("=3", "key=value"),
        ("size=", "key=value"),
    ],
)
def test_a_bad_option_is_answered_by_what_is_accepted(run: Run, option: str, says: str) -> None:
    assert says in refused(run, "study", "perft", "control", "-d", "1", "-o", option)


def test_an_option_given_twice_is_refused(run: Run) -> None:
    assert "twice" in refused(
        run, "study", "perft", "control", "-d", "1", "-o", "size=2", "-o", "size=3"
    )


def test_a_strange_seat_is_answered_by_those_there_are(run: Run) -> None:
    assert "human, bot:gentle" in refused(run, "play", "control", "--first", "dog")
    assert "bot:strong" in refused(run, "play", "control", "--second", "bot:god")


def test_assist_is_auto_or_off(run: Run) -> None:
    assert "auto nor off" in refused(run, "play", "control", "--assist", "maybe")


def test_seats_and_options_are_read_as_people_write_them() -> None:
    from lumiban.arguments import options, seat

    assert options(["size=3", " opening = 12* ", "depth=-1"]) == {
        "size": 3,
        "opening": "12*",
        "depth": -1,
    }
    assert options(None) == {}
    assert seat("bot") == "bot:medium"
    with pytest.raises(UsageError):
        seat("human:easy")
