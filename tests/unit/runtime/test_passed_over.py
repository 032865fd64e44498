"""What people read when the bots' compiled code is there and does not serve: once, a sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import patience
import pytest
from lumiban import i18n
from lumiban.search import libraries, processor

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
    log = tmp_path / "home" / "serve.log"

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
