"""The bots' compiled code at a table: who loads it; what is said where it does not serve."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import patience
import pytest
from lumiban import i18n
from lumiban.games.control.kernel import ControlState
from lumiban.search import jit, libraries, numba_available, processor

pytestmark = pytest.mark.process

FAMILY = "x86-64-v2"
SAID = {"en": "is for another version of lumiban", "ja": "は別の版の lumiban 用です"}


def environment(folder: Path, language: str = "en") -> dict[str, str]:
    """That of a machine where a package has brought another version's library."""
    package = folder / "packages" / libraries.BROUGHT / FAMILY
    package.mkdir(parents=True, exist_ok=True)
    table = {"family": FAMILY, "made_of": "another", "sum": "", "entries": {}}
    (package / "kernels.json").write_text(json.dumps(table), "utf-8")
    return os.environ | {
        "PYTHONPATH": str(folder / "packages"),
        "LUMIBAN_HOME": str(folder / "home"),
        "LUMIBAN_BY_ID": str(folder / "by-id"),
        "LUMIBAN_LANG": language,
        processor.NAMED: FAMILY,
    }


def complained(folder: Path, *words: str, until: Callable[[str], bool]) -> str:
    """What a command writes on stderr that runs until it is ended: once it is on its way."""
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(folder),
    ) as process:
        assert process.stdout is not None
        told = ""
        while not until(told):
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            told += line
        process.send_signal(signal.SIGTERM)
        return process.communicate()[1]


def test_play_says_it_once(tmp_path: Path) -> None:
    words = ("control", "-o", "size=3", "--profile", "hex3", "--second", "human")
    words = ("play", *words, "--no-browser", "--port", "0")
    err = complained(tmp_path, *words, until=lambda told: "Ctrl-C" in told)
    assert err.count("\n") == err.count(SAID["en"]) == 1
    assert str(tmp_path / "packages") in err


def test_the_service_says_it_once_on_a_terminal_and_in_its_log(tmp_path: Path) -> None:
    log = tmp_path / "home" / "host.log"

    def runs(_: str) -> bool:
        patience.until(lambda: log.exists() and '"service"' in log.read_text("utf-8"))
        return True

    err = complained(tmp_path, "serve", until=runs)
    assert err.count("\n") == err.count(SAID["en"]) == 1
    lines = log.read_text("utf-8").splitlines()
    told = [one for one in map(json.loads, lines) if one["event"] == "bots"]
    assert [SAID["en"] in one["reason"] for one in told] == [True]


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_the_doctor_says_it(language: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lumiban", "board", "doctor"]
    done = patience.run(command, env=environment(tmp_path, language))
    assert done.stdout.count(SAID[language]) == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def libraries_mapped(home: Path) -> dict[int, set[str]]:
    """Of each process of a table its files that the system has mapped, by their paths."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(f"LUMIBAN_HOME={home}\0") in (folder / "environ").read_bytes():
                maps = (folder / "maps").read_text("utf-8", "replace")
                found[int(folder.name)] = set(re.findall(r" (/.*\.so\S*)$", maps, re.MULTILINE))
        except OSError:  # it has ended, or is another user's
            continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
@pytest.mark.skipif(not numba_available.has_numba(), reason="numba is not installed")
def test_no_process_of_a_table_loads_a_compiler(tmp_path: Path) -> None:
    if not (processor.family() and jit.has_kernels(ControlState)):
        pytest.skip("this machine makes no library")
    made = jit.cache_folder(ControlState) / "control.so"
    if not made.exists():
        pytest.skip("this machine makes no library")
    package = tmp_path / "packages" / libraries.BROUGHT / processor.family()
    package.mkdir(parents=True)
    for path in (made, made.with_suffix(".json")):
        shutil.copy(path, package)
    home = tmp_path / "home"
    words = ("-o", "size=3", "--profile", "hex3", "--first", "bot:easy", "--second", "bot:easy")
    more = {"PYTHONPATH": str(tmp_path / "packages"), "LUMIBAN_HOME": str(home),
            "LUMIBAN_CACHE": str(tmp_path / "cache"), "PYTHONUNBUFFERED": "1"}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban", "play", "control", *words, "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | more,
    ) as process:
        try:
            assert process.stdout is not None
            url = next(line.split()[-1] for line in process.stdout if "http" in line)

            def moves() -> int:
                with urllib.request.urlopen(f"{url}api/view") as answer:
                    return len(json.load(answer)["moves"])

            patience.until(lambda: moves() >= 2)
            mapped = libraries_mapped(home)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()
    assert len(mapped) >= 3, "table with its simulated board, bot, page"
    compilers = re.compile("numba|llvm|numpy", re.IGNORECASE)
    assert {
        pid: [path for path in one if compilers.search(path)] for pid, one in mapped.items()
    } == {pid: [] for pid in mapped}
    assert [path for one in mapped.values() for path in one if path.startswith(str(package))]
    assert not list((tmp_path / "cache").rglob("*.so")), "a library was made"
