"""`./run` until lumiban is installed; a stub stands in for Python, venv, pip, uv and lumiban."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from lumiban import cli
from places import ROOT

pytestmark = pytest.mark.process
TOOLS = "awk cat cksum cp dirname find grep mkdir mv nice rm sed sh sleep tail tee touch tr uname"
# A function: some shells (busybox-static) have a `uname` of their own, which no file comes before.
ON_SYSTEM = 'uname() { echo "${SYSTEM:-Linux}"; }; . "$0"'
STUB = f"""#!{shutil.which("sh")}
case ${{0##*/}}:$*: in
*fcntl*) exec {sys.executable} "$@" ;;
*__version__*) exit "${{NO_PIP:-0}}" ;;
*:-P?-c*) [ "${{VERSION:-}}" != 3.9 ]; exit ;; *:-V:*) echo "Python $VERSION"; exit ;;
esac
echo "${{0##*/}} $*" >>"$TOLD"
for last; do case $last in *fast.new) mkdir "$last" ;; esac; done
case $*: in
*.venv:) mkdir -p "$5/bin" "$5/lib/python3.12/site-packages" && cp "$0" "$5/bin/python" ;;
*ensurepip:) exit "${{NO_PIP:-0}}" ;;
*"${{REFUSED:-no such lock}}"*) echo "$SAYS"; exit 1 ;;
*install*) [ -z "${{SAYS:-}}" ] || echo "$SAYS"
    while [ -n "${{GATE:-}}" ] && [ -e "$TOLD" ] && [ ! -e "$GATE" ]; do sleep 0.05; done ;;
esac
"""
CASES = """REFUSED=base.lock: SAYS=NewConnectionError: the network does not answer
REFUSED=base.lock: SAYS=No space left: the disk is full
REFUSED=base.lock: SAYS=HASHES DIFFER: the lines above say why
REFUSED=base.lock: SAYS=No matching distribution: BITS=32: this system is a 32-bit one
NO_PIP=1: sudo apt install python3-venv
VERSION=3.9: 3.11 or newer, and python3 is Python 3.9
PYTHON=no such: 3.11 or newer, and no such is missing
SYSTEM=MINGW64_NT-10.0: It runs on Linux"""


@pytest.fixture(params=[name for name in ("dash", "bash", "busybox") if shutil.which(name)])
def at(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A checkout in a folder of many letters; its `bin` has stubs and plain tools alone."""
    folder = tmp_path / "Brett 盤 ž"
    (folder / "bin").mkdir(parents=True)
    for name in ("run", "host", "packaging", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    for name in TOOLS.split():
        found = shutil.which(request.param if name == "sh" else name)
        (folder / "bin" / name).symlink_to(found or "")
    (folder / "bin/python3").write_text(STUB)
    (folder / "bin/python3").chmod(0o755)
    (folder / "bin/getconf").write_text('#!/bin/sh\necho "${BITS:-64}"\n')
    (folder / "bin/getconf").chmod(0o755)
    return folder


def start(at: Path, words: str = "games", **more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [at / "bin/sh", "-c", ON_SYSTEM, at / "run", *words.split()],
        start_new_session=True, text=True,
        env={"PATH": str(at / "bin"), "TOLD": str(at / "told"), **more},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as in a terminal
    )  # fmt: skip


def run(at: Path, words: str = "games", **more: str) -> tuple[str, int]:
    with start(at, words, **more) as process:
        return process.communicate()[0], process.returncode


def asked(at: Path, word: str = "") -> list[str]:
    return [line for at in at.glob("told") for line in at.read_text().splitlines() if word in line]


def test_help_lists_every_command_before_anything_is_installed(at: Path) -> None:
    first, more = (run(at, word)[0].replace(",", " ").split() for word in ("--help", "more"))
    assert set(cli.FIRST) <= set(first)
    assert set(cli.commands()) <= {*first, *more}
    assert asked(at) == []


def test_numba_follows_a_first_start_and_a_later_one_is_silent(at: Path) -> None:
    assert run(at)[0].startswith("lumiban: installing into .venv")
    patience.until((at / ".venv/.stamp-fast").exists)
    assert (len(asked(at, "base.lock")), len(asked(at, "fast.lock"))) == (1, 1)
    assert (run(at), asked(at)[-1]) == (("", 0), "python -P -m lumiban games")
    assert "/host\n" in next(at.glob(".venv/lib/*/*/_lumiban.pth")).read_text("ascii")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_start_cut_short_goes_on_and_writes_its_packages_anew(at: Path, how: int) -> None:
    with start(at, GATE="/no such file") as process:
        patience.until(lambda: asked(at, "base.lock"))
        os.killpg(process.pid, how)
        assert ("continues" in process.communicate()[0]) == (how == signal.SIGINT)
    assert (run(at)[1], len(asked(at, "-m venv"))) == (0, 1)
    assert ["--force-reinstall" in line for line in asked(at, "base.lock")] == [False, True]


def test_an_installation_is_one_line_and_compiles_nothing(at: Path) -> None:
    shown = run(at, SAYS="Collecting a")[0].splitlines()
    assert [line for line in shown if "package" in line] == [shown[0], "run: 1 packages"]
    assert asked(at, "base.lock")[0].endswith("base.lock --no-compile")


def test_of_two_starts_one_installs_and_the_other_waits(at: Path) -> None:
    with start(at, GATE=str(at / "gate")) as first:
        patience.until(lambda: asked(at, "base.lock"))
        with start(at) as second:
            assert "another ./run is installing" in second.stdout.readline()
            (at / "gate").touch()
            assert (second.wait(), first.wait(), len(asked(at, "base.lock"))) == (0, 0, 1)


@pytest.mark.parametrize("case", CASES.splitlines())
def test_what_hinders_a_first_start_is_said(at: Path, case: str) -> None:
    *words, says = case.split(": ")
    told, code = run(at, **dict(word.split("=") for word in words))
    assert (code, says in told.splitlines()[-1]) == (3, True), told
    assert run(at)[1] == 0, "it goes on once that is mended"


def test_uv_then_pip_are_tried_and_without_numba_bots_play_in_plain_python(at: Path) -> None:
    (at / "bin/uv").symlink_to("python3")
    assert "plain Python" in run(at, "bench", REFUSED="fast.lock", SAYS="no wheel")[0]
    assert run(at) == ("", 0), "numba is not asked for each time"
    assert [line.split()[0] for line in asked(at, "lock")] == ["uv", "uv", "python"]


def test_an_extra_is_added_or_the_command_fails(at: Path) -> None:
    assert "added: report lan" in run(at, "add report lan")[0]
    assert [len(asked(at, f"install {word}>=")) for word in ("matplotlib", "zeroconf")] == [1, 1]
    assert run(at, "add flash")[1] == 0
    assert len(asked(at, "flash.lock")) == 1
    assert run(at, "add no-such")[1] == run(at, "add")[1] == 3
    refused = run(at, "add cluster", REFUSED="distributed", SAYS="NewConnectionError")
    assert (refused[1], "the network does not answer" in refused[0]) == (3, True)
