"""`./run`, the entry point: what it prints and does until lumiban is installed.

A stub stands in for Python, venv, pip and lumiban, so that nothing is downloaded; the folder's name
has spaces and letters of many alphabets in it, as a user's may.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path

import patience
import pytest
from places import ROOT

pytestmark = pytest.mark.process


TOOLS = (
    *("sh", "cat", "cksum", "cp", "cut", "date", "dirname", "du", "env", "find", "grep", "ls"),
    *(
        "chmod",
        "mkdir",
        "mv",
        "nice",
        "rm",
        "sed",
        "sleep",
        "sort",
        "tail",
        "touch",
        "tty",
        "uname",
    ),
)

STUB = """#!{sh}
# A Python: of the version VERSION, whose pip takes until GATE is there.
[ "$1" != -c ] || case $2 in
*version_info\\[:3\\]*) echo "${{VERSION:-3.12.1}}"; exit 0 ;;
*pip.__version__*) exit "${{PIP_IS_OLD:-0}}" ;;
'import pip') [ -e "${{0%/*}}/pip" ]; exit ;;
*version_info*) case ${{VERSION:-3.12.1}} in 3.[0-9].* | 3.10.*) exit 1 ;; esac; exit 0 ;;
*fcntl*) exec {python} "$@" ;;
'') exit 0 ;;
esac
echo "$*" >>"$TOLD"
case $1:$2 in
-m:venv)
    [ -z "${{VENV_SAYS:-}}" ] || {{ echo "$VENV_SAYS"; exit 1; }}
    without=
    [ "$3" != --without-pip ] || {{ without=1; shift; }}
    mkdir -p "$3/bin" "$3/lib/python3.12/site-packages"
    echo "executable = $0" >"$3/pyvenv.cfg"
    cp "$0" "$3/bin/python"
    [ -n "$without" ] || : >"$3/bin/pip"
    ;;
-m:ensurepip)
    : >"${{0%/*}}/pip"
    while [ -n "${{PIP_GATE:-}}" ] && [ ! -e "$PIP_GATE" ]; do sleep 0.05; done
    ;;
-m:pip)
    for word in "$@"; do
        case $word in *fast.new) mkdir -p "$word"; GATE=${{FAST_GATE:-${{GATE:-}}}} ;; esac
    done
    echo "Collecting anyio==4.16.0 (from -r requirements.lock (line 1))"
    while [ -n "${{GATE:-}}" ] && [ ! -e "$GATE" ]; do sleep 0.05; done
    case "$*" in *"${{PIP_REFUSES:-nothing}}"*) echo "$PIP_SAYS"; exit 1 ;; esac
    ;;
-m:lumiban)
    echo "lumiban $3 in $PWD"
    ;;
esac
exit 0
"""

DONE = "lumiban games in {}\n"


@dataclass
class Checkout:
    """A checkout with `run` and its locks, and a PATH with this stub and plain tools alone."""

    folder: Path
    bin: Path
    told: Path
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.bin / "sh", self.folder / "run", *(words or ("games",))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder.parent,
            env={"PATH": str(self.bin), "TOLD": str(self.told), **environment},
            start_new_session=True,
            # Of what a shell begins in the background, interrupts are ignored; no terminal does so.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, *words: str, **environment: str) -> tuple[int, str, str]:
        with self.start(*words, **environment) as process:
            out, err = patience.finish(process)
        return process.returncode, out, err

    @property
    def asked(self) -> list[str]:
        """What was asked of Python so far."""
        return self.told.read_text().splitlines() if self.told.exists() else []

    def pips(self) -> list[str]:
        return [line for line in self.asked if line.startswith("-m pip")]

    def has_numba(self) -> bool:
        """Whether what is installed in the background is there, and its lock let go."""
        return (self.folder / ".venv/.stamp-fast").exists()

    @property
    def done(self) -> str:
        return DONE.format(self.folder.parent)


def shells() -> list[str]:
    return [name for name in ("dash", "bash", "busybox") if shutil.which(name)] or ["sh"]


@pytest.fixture(params=shells())
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Checkout:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in TOOLS:
        found = shutil.which(request.param if tool == "sh" else tool)
        assert found is not None
        (tools / tool).symlink_to(found)
    folder = tmp_path / "mein Brett 盤 ☗ ž" / "lumi ban"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "run", folder)
    (folder / "pyproject.toml").write_text("")
    (folder / "host/lumiban").mkdir(parents=True)
    (folder / "host/lumiban/__init__.py").write_text('__version__ = "7.8"\n')
    for name in ("", "-fast", "-dev", "-flash"):
        (folder / f"requirements{name}.lock").write_text("anyio==4.16.0\nclick==8\n")
    checkout = Checkout(folder, tools, tmp_path / "told")
    stub(checkout, "python3")
    return checkout


def stub(checkout: Checkout, name: str) -> Path:
    path = checkout.bin / name
    path.write_text(STUB.format(sh=shutil.which("sh"), python=sys.executable))
    path.chmod(0o755)
    return path


def hear(process: subprocess.Popen[str], words: str) -> str:
    """The next line of stderr with these words."""
    assert process.stderr is not None
    with patience.killed_if_hung(process):
        for line in process.stderr:
            if words in line:
                return line
    raise AssertionError(f"it never said {words!r}")


def test_the_first_start_installs_step_by_step_and_a_later_one_says_nothing(
    checkout: Checkout,
) -> None:
    code, out, err = checkout.run()
    assert (code, out) == (0, checkout.done)
    said = err.splitlines()
    assert said[0].startswith("lumiban: installing into .venv")
    assert said[1] == "lumiban: environment of Python 3.12.1 ..."
    assert "lumiban: 2 packages for lumiban ..." in said
    assert any("packages for lumiban: done in" in line for line in said)
    assert any(line.endswith("MB added to .venv") for line in said)
    assert "in the background" in said[-1]
    patience.until(checkout.has_numba)
    assert [line.split()[-1] for line in checkout.pips()] == [
        "requirements.lock", "requirements-fast.lock",
    ]  # fmt: skip
    before = len(checkout.asked)
    assert checkout.run() == (0, checkout.done, "")
    assert checkout.asked[before:] == ["-m lumiban games"]


def test_nobody_waits_for_numba_but_what_takes_long_without_it(
    checkout: Checkout, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    assert checkout.run(FAST_GATE=str(gate))[:2] == (0, checkout.done)
    patience.until(lambda: len(checkout.pips()) == 2)
    code, out, err = checkout.run()
    assert (code, out) == (0, checkout.done), "it is being installed once, and not waited for"
    assert err == "", "what goes on in the background is said once"
    with checkout.start("bench", "search") as bench:
        hear(bench, "is installing here")
        assert not checkout.has_numba()
        assert not (checkout.folder / ".venv/fast").exists(), "no bot meets half of it"
        gate.touch()
        assert patience.finish(bench)[0] == f"lumiban bench in {checkout.folder.parent}\n"
    assert len(checkout.pips()) == 2
    assert (checkout.folder / ".venv/fast").is_dir()


@pytest.mark.parametrize("old", ["0", "1"])
def test_a_pip_of_its_own_comes_first_only_where_no_other_can_install(
    checkout: Checkout, old: str
) -> None:
    checkout.run(PIP_IS_OLD=old)
    patience.until(checkout.has_numba)
    made, packages = (line.split() for line in checkout.asked[:2])
    assert ("--without-pip" in made, "--python" in packages) == (old == "0", old == "0")
    assert (checkout.folder / ".venv/bin/pip").exists()


def test_it_speaks_before_it_does_anything_slow(checkout: Checkout, tmp_path: Path) -> None:
    slow = checkout.bin / "python3"
    gate = tmp_path / "gate"
    slow.write_text(f"#!/bin/sh\nwhile [ ! -e {gate} ]; do sleep 0.05; done\nexit 1\n")
    with checkout.start() as process:
        assert hear(process, "installing into .venv")
        gate.touch()
        patience.finish(process)


def test_a_long_step_tells_how_far_it_is(checkout: Checkout, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with checkout.start(GATE=str(gate)) as process:
        assert "1 of 2, anyio (" in hear(process, "packages for lumiban: ")
        gate.touch()
        assert patience.finish(process)[0] == checkout.done


def test_two_at_once_wait_for_each_other_and_install_once(
    checkout: Checkout, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    with checkout.start(GATE=str(gate)) as first:
        hear(first, "packages for lumiban ...")
        with checkout.start() as second:
            assert f"another ./run (process {first.pid})" in hear(second, "is installing here")
            gate.touch()
            assert patience.finish(first)[0] == patience.finish(second)[0] == checkout.done
    patience.until(checkout.has_numba)
    assert [line.split()[-1] for line in checkout.pips()] == [
        "requirements.lock", "requirements-fast.lock",
    ]  # fmt: skip


def test_one_that_waits_for_another_shows_for_how_long_and_its_interruption_ends_only_itself(
    checkout: Checkout, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    with checkout.start(GATE=str(gate)) as first:
        hear(first, "packages for lumiban ...")
        with checkout.start() as second:
            assert hear(second, "lumiban: waiting for the other ./run (").endswith(" s)\n")
            os.killpg(second.pid, signal.SIGTERM)
            assert "interrupted while waiting" in patience.finish(second)[1]
        gate.touch()
        assert patience.finish(first)[0] == checkout.done


def test_what_a_killed_one_left_at_work_is_waited_for_and_done_again_whole(
    checkout: Checkout, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    with checkout.start(GATE=str(gate)) as first:
        hear(first, "packages for lumiban ...")
        patience.until(checkout.pips)
        os.kill(first.pid, signal.SIGKILL)
        with checkout.start() as second:
            hear(second, "is installing here")
            gate.touch()
            assert patience.finish(second)[0] == checkout.done


def test_the_dead_hold_nobody_up(checkout: Checkout) -> None:
    with subprocess.Popen([checkout.bin / "sh", "-c", ":"]) as gone:
        patience.finish(gone)
    (checkout.folder / ".venv.lock").write_text(f"{gone.pid}\n")
    code, out, err = checkout.run()
    assert (code, out) == (0, checkout.done)
    assert "is installing here" not in err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_installation_says_so_and_goes_on_at_the_next_start(
    checkout: Checkout, tmp_path: Path, how: signal.Signals
) -> None:
    with checkout.start(GATE=str(tmp_path / "gate")) as process:
        hear(process, "packages for lumiban ...")
        patience.until(checkout.pips)
        os.killpg(process.pid, how)  # as a terminal does
        _, err = patience.finish(process)
    assert process.returncode in (130, -signal.SIGTERM)
    assert "interrupted while installing; the next ./run continues" in err
    code, out, _ = checkout.run()
    assert (code, out) == (0, checkout.done)
    assert [line for line in checkout.asked if line.startswith("-m venv")] == [
        f"-m venv --without-pip {checkout.folder}/.venv"
    ], "the environment was whole"
    assert "--ignore-installed" in checkout.pips()[1], "half a package is written anew"


def test_half_a_pip_is_no_pip(checkout: Checkout, tmp_path: Path) -> None:
    """It imports, and then fails at whatever it is asked."""

    def own_pips() -> list[str]:
        return [line for line in checkout.asked if line.startswith("-m ensurepip")]

    half = checkout.folder / ".venv/lib/python3.12/site-packages/pip"
    with checkout.start("bench", PIP_GATE=str(tmp_path / "gate")) as process:
        patience.until(own_pips)
        (half / "_internal").mkdir(parents=True)
        os.killpg(process.pid, signal.SIGKILL)
        patience.finish(process)
    assert checkout.run("bench")[0] == 0
    assert len(own_pips()) == 2, "it is made anew"
    assert not half.exists()
    assert "-m pip --python" in checkout.pips()[0] or "-m pip --python" in checkout.pips()[-1]


def test_an_environment_that_was_cut_short_is_made_anew(checkout: Checkout) -> None:
    half = checkout.folder / ".venv" / "bin"
    half.mkdir(parents=True)
    shutil.copy(checkout.bin / "python3", half / "python")
    assert checkout.run()[1] == checkout.done
    assert any(line.startswith("-m venv") for line in checkout.asked)


def test_a_folder_that_cannot_be_written_is_told_with_the_reason(checkout: Checkout) -> None:
    (checkout.folder / ".venv.lock").mkdir()  # a user to whom nothing is forbidden runs this too
    code, _, err = checkout.run()
    assert code == 3
    assert "this folder cannot be written (Is a directory)" in err
    assert str(checkout.folder) in err
    assert checkout.asked == []


@pytest.mark.parametrize(
    ("says", "advice"),
    [
        ("OSError: [Errno 5] Input/output error: '/x'", ".venv could not be created"),
        ("Error: ensurepip is not available", "sudo apt install python3-venv"),
    ],
)
def test_a_venv_that_fails_is_told_in_its_own_words(
    checkout: Checkout, says: str, advice: str
) -> None:
    code, _, err = checkout.run(VENV_SAYS=says)
    assert code == 3
    assert says in err
    assert advice in err.splitlines()[-1]
    assert ("python3-venv" in err) == ("ensurepip" in says)
    assert not (checkout.folder / ".venv").exists()


OFFLINE = "WARNING: Retrying after NewConnectionError: Temporary failure in name resolution"


def test_without_a_network_it_says_what_is_missing_and_goes_on_later(checkout: Checkout) -> None:
    code, out, err = checkout.run(PIP_REFUSES="requirements.lock", PIP_SAYS=OFFLINE)
    assert (code, out) == (3, "")
    assert "the network does not answer" in err
    assert "Retrying" not in err
    assert checkout.run()[1] == checkout.done


def test_a_package_that_is_refused_is_told_in_pips_words(checkout: Checkout) -> None:
    says = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
    code, _, err = checkout.run(PIP_REFUSES="requirements.lock", PIP_SAYS=says)
    assert code == 3
    assert says in err
    assert "requirements.lock could not be installed" in err.splitlines()[-1]


def test_a_machine_without_numba_is_told_once(checkout: Checkout) -> None:
    says = "ERROR: No matching distribution found for numba"
    code, out, err = checkout.run("perft", PIP_REFUSES="fast.lock", PIP_SAYS=says)
    assert (code, out) == (0, checkout.done.replace("games", "perft"))
    assert "there is no numba for this machine" in err
    assert says in (checkout.folder / ".venv/fast.log").read_text()
    assert checkout.run() == (0, checkout.done, "")


def test_numba_that_could_not_be_fetched_is_tried_again_an_hour_later(checkout: Checkout) -> None:
    _, _, err = checkout.run("perft", PIP_REFUSES="fast.lock", PIP_SAYS=OFFLINE)
    assert "plain Python for now" in err
    assert checkout.run() == (0, checkout.done, "")
    os.utime(checkout.folder / ".venv/.later-fast", (0, 0))
    assert "packages for faster bots: done" in checkout.run("perft")[2]


@pytest.mark.parametrize(
    ("have", "environment", "says"),
    [
        (False, {}, "needs Python 3.11 or newer, and there is no python3. Install one"),
        (True, {"VERSION": "3.9.2"}, "3.11 or newer; python3 is 3.9.2. Install one"),
        (True, {"PYTHON": "no such"}, "there is no PYTHON=no such"),
        (True, {"PYTHON": "python3", "VERSION": "3.10.1"}, "and PYTHON=python3 is 3.10.1"),
        (True, {"PYTHON": "cat"}, "and PYTHON=cat is no Python that starts"),
    ],
)
def test_a_python_that_is_missing_or_old_is_named(
    checkout: Checkout, have: bool, environment: dict[str, str], says: str
) -> None:
    if not have:
        (checkout.bin / "python3").unlink()
    code, _, err = checkout.run(**environment)
    assert code == 3
    assert says in err
    assert not (checkout.folder / ".venv").exists()


def test_a_python_is_named_by_a_path_with_blanks(checkout: Checkout) -> None:
    (checkout.bin / "python3").rename(checkout.folder / "my python")
    assert checkout.run(PYTHON=str(checkout.folder / "my python"))[1] == checkout.done


@pytest.mark.parametrize("system", ["MINGW64_NT-10.0-22631", "MSYS_NT-10.0", "CYGWIN_NT-10.0"])
def test_on_windows_it_says_where_lumiban_runs(checkout: Checkout, system: str) -> None:
    (checkout.bin / "uname").unlink()
    (checkout.bin / "uname").write_text(f"#!/bin/sh\necho {system}\n")
    (checkout.bin / "uname").chmod(0o755)
    code, out, err = checkout.run()
    assert (code, out) == (3, "")
    assert err.startswith("run: lumiban does not run on Windows. It runs on Linux")
    assert err.count("\n") == 1


def test_lumiban_is_named_to_python_to_pip_and_as_a_command(checkout: Checkout) -> None:
    """In ASCII: Python reads it in the locale's letters, and does not start where it cannot."""
    checkout.run()
    packages = checkout.folder / ".venv/lib/python3.12/site-packages"
    rooms = (packages / "_lumiban.pth").read_text("ascii").split()
    assert [(packages / room).resolve() for room in rooms] == [
        *(
            checkout.folder / name
            for name in ("bench", "firmware", "hardware", "host", "simulator")
        ),
        checkout.folder / ".venv/fast",
    ]
    (known,) = distributions(name="lumiban", path=[str(packages)])
    assert known.version == "7.8"
    assert all(known.locate_file(file).exists() for file in known.files or ())
    done = patience.run(
        [checkout.folder / ".venv/bin/lumiban", "games"],
        env={"PATH": str(checkout.bin), "TOLD": str(checkout.told)},
        cwd=checkout.folder.parent,
    )
    assert done.stdout == checkout.done


def test_the_tools_for_tests_come_when_they_are_first_wanted(checkout: Checkout) -> None:
    _, _, err = checkout.run("test", "--version")
    assert "2 packages for tests ..." in err
    before = len(checkout.pips())
    assert checkout.run("test", "--version") == (0, "", "")
    assert len(checkout.pips()) == before
    assert checkout.asked[-1] == "-m pytest --version"


def cores(checkout: Checkout, count: int) -> None:
    nproc = checkout.bin / "nproc"
    nproc.write_text(f"#!/bin/sh\necho {count}\n")
    nproc.chmod(0o755)


@pytest.mark.parametrize(
    ("words", "of_all", "told"),
    [
        ((), "some 4900 unit tests, about 2 minutes of processor time on a desktop computer;", ""),
        (("-x", "-v"), "some 4900 unit tests, about 2 minutes", " -x -v"),
        (("--ci",), "some 6300 tests, about 30 minutes of processor time on a desktop", " --ci"),
        (("--all",), "a desktop computer, and the slow suites, which take hours;", " --all"),
    ],
)
def test_all_tests_run_on_all_cores_and_what_they_take_is_told_first(
    checkout: Checkout, words: tuple[str, ...], of_all: str, told: str
) -> None:
    (checkout.folder / "tests").mkdir()
    (checkout.folder / "tests/takes.txt").write_text("unit 4870 2\nci 6251 30\n")
    kind = words[0].removeprefix("--") if words and words[0].startswith("--") else "unit"
    unit, every = ("-m unit ", " (every test: ./run test --ci)") if kind == "unit" else ("", "")
    cores(checkout, 4)
    said = checkout.run("test", *words)[2].splitlines()
    assert said[0].startswith("lumiban: ")
    assert of_all in said[0]
    assert said[0].endswith(f"; 4 at a time{every}")
    assert "installing into .venv" in said[1]
    assert checkout.asked[-1] == f"-m pytest {unit}-n 4 --dist worksteal{told}"
    cores(checkout, 1)
    assert checkout.run("test", *words)[2].endswith(f"; 1 at a time{every}\n")
    assert checkout.asked[-1] == f"-m pytest {unit}{told.strip()}".rstrip()
    cache = checkout.folder / ".pytest_cache/d/lumiban"
    cache.mkdir(parents=True)
    (cache / f"takes-{kind}").write_text("6432 71\n")
    what = "unit tests" if kind == "unit" else "tests"
    _, _, err = checkout.run("test", *words)
    assert f"some 6400 {what}, about 71 minutes of processor time in the last run here; 1" in err


def test_a_room_s_tests_are_run_by_its_name(checkout: Checkout) -> None:
    checkout.run("test", "--version")
    for folder in ("unit/table", "unit/games/rengi", "unit/firmware", "games", "e2e/page"):
        (checkout.folder / "tests" / folder).mkdir(parents=True)
    for folder in ("firmware", "host"):
        (checkout.folder / folder).mkdir(exist_ok=True)
    for words, asked, said in (
        ("table", "tests/unit/table -m unit", "unit tests of table (every test of it: ./run test"),
        ("rengi -x", "tests/unit/games/rengi -m unit -x", "unit tests of rengi"),
        ("games", "tests/games tests/unit/games -m unit", "unit tests of games"),
        ("page -x", "tests/e2e/page -x", ""),
        ("firmware", "tests/unit/firmware -m unit", "unit tests of firmware"),
        ("host", "host", ""),
        ("tests/unit/table", "tests/unit/table", ""),
    ):
        _, _, err = checkout.run("test", *words.split())
        assert checkout.asked[-1] == f"-m pytest {asked}"
        assert (said in err) if said else not err, words


def test_a_room_of_many_files_is_run_on_four_cores_at_most(checkout: Checkout) -> None:
    room = checkout.folder / "tests/unit/table"
    room.mkdir(parents=True)
    for k in range(12):
        (room / f"test_{k}.py").touch()
    cores(checkout, 8)
    plain = "-m pytest tests/unit/table -m unit"
    checkout.run("test", "table")
    assert checkout.asked[-1] == plain
    (room / "test_13.py").touch()
    checkout.run("test", "table", "-x")
    assert checkout.asked[-1] == f"{plain} -n 4 --dist worksteal -x"
    checkout.run("test", "table", "-k", "one")
    assert checkout.asked[-1] == f"{plain} -k one"
    cores(checkout, 2)
    checkout.run("test", "table")
    assert checkout.asked[-1] == f"{plain} -n 2 --dist worksteal"
    cores(checkout, 1)
    checkout.run("test", "table")
    assert checkout.asked[-1] == plain


def test_what_is_no_room_is_told_with_the_rooms_there_are(checkout: Checkout) -> None:
    (checkout.folder / "tests/unit/table").mkdir(parents=True)
    code, _, err = checkout.run("test", "tabel")
    assert code == 3
    assert "there is no file and no room 'tabel'; rooms of tests: table" in err


def test_some_tests_are_left_to_pytest(checkout: Checkout) -> None:
    cores(checkout, 4)
    checkout.run("test", "--version")
    for words in (
        "tests/unit/house/test_run.py", "-k run", "-n 0", "--board gpio", "--mutants", "--version",
        "--collect-only", "-m long --all", "--lf",
    ):  # fmt: skip
        assert checkout.run("test", *words.split())[1:] == ("", ""), words
        assert checkout.asked[-1] == f"-m pytest {words}"
