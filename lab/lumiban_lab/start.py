"""Cost of a start, and of the table that comes of it: CPU time, imports, memory, and rest.

Real processes with a state folder of their own: `lumiban play` on a simulated board, its page
asked for once. Seconds are of CPU, since what else runs on the machine must not show.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from lumiban import games
from lumiban.errors import LumibanError
from lumiban.games.registry import OURS_BY_NAME
from lumiban.system.child import python
from lumiban.table.fitting import profile_for

from lumiban_lab.process_tree import Taken, are_ready, by_role, shares, taken

START_S = 120.0
SETTLED_S = 6.0
"""From the page to a table at rest."""
LOADED_S = 200.0
"""A bot that has loaded no compiled code after so long compiles it; that is another bench."""
LOOK_S, SLEEPS = 0.2, 40
"""So often in a row all must be found asleep."""
IMPORTS = {
    "host": "lumiban.cli, lumiban.cli.play, lumiban.runtime.play",
    "page": "lumiban.web.page_process, lumiban.web.app, lumiban.web.serve; "
    "lumiban.web.serve._without_command_line(); import uvicorn",
    "thinker": "lumiban.search.process_start, lumiban.search.worker_process",
}
"""Imports of each process before it serves."""


@dataclass(frozen=True)
class Started:
    """A table that runs: its host, and its page."""

    process: subprocess.Popen[bytes]
    url: str

    @property
    def pid(self) -> int:
        """The host's number."""
        return self.process.pid

    def let_pass(self, seconds: float) -> None:
        """Let real time pass at the table; LumibanError when its host ends meanwhile."""
        with suppress(subprocess.TimeoutExpired):
            ended = self.process.wait(seconds)
            raise LumibanError(f"the table that was to be measured ended with {ended}: try again")


@contextmanager
def started(*words: str, environment: dict[str, str] | None = None) -> Iterator[Started]:
    """A `lumiban` with these words, its state in a folder of its own, until its page answers."""
    with tempfile.TemporaryDirectory(prefix="bench-start-") as folder:
        process = subprocess.Popen(
            python("lumiban", *words, "--no-browser", "--port", "0"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LUMIBAN_HOME": folder, "LUMIBAN_LANG": "en", **(environment or {})},
            start_new_session=True,
        )
        try:
            yield Started(process, _url_of(process))
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()


@contextmanager
def _real_board(game: str) -> Iterator[str]:
    """The port of a board that is not in the table's process."""
    words = "--profile", profile_for(games.load(game))
    with (
        tempfile.TemporaryDirectory(prefix="bench-board-") as folder,
        subprocess.Popen(
            python("lumiban_sim", *words, "--state", folder), stdout=subprocess.PIPE
        ) as board,
    ):
        try:
            assert board.stdout is not None
            yield json.loads(board.stdout.readline())["port"]
        finally:
            board.terminate()


def _url_of(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    printed = b""
    for line in process.stdout:
        printed += line
        match = re.search(rb"http://\S+", line)
        if match:
            url = match.group().decode()
            with urllib.request.urlopen(url + "api/view", timeout=START_S) as answer:
                answer.read()
            return url
    raise LumibanError(f"the table did not start: {printed.decode(errors='replace').strip()}")


def imports(role: str) -> dict[str, Any]:
    """Of a process's imports: CPU, and how many modules."""
    listed = IMPORTS[role]
    ran = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-c", f"import {listed}"],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = len(re.findall(r"^import time:\s+\d", ran.stderr, re.MULTILINE))
    return {"cpu_s": _cpu_of(f"import {listed}"), "modules": modules}


def _cpu_of(code: str) -> float:
    """CPU seconds of the quickest of three."""
    script = f"import time; began = time.process_time(); {code}; print(time.process_time() - began)"
    runs = [
        float(
            subprocess.run(
                [sys.executable, "-P", "-c", script], capture_output=True, check=True
            ).stdout
        )
        for _ in range(3)
    ]
    return round(min(runs), 3)


def measure(
    game: str, *, idle_s: float, progress: Callable[[str], None] = lambda what: None
) -> dict[str, Any]:
    """Figures by name: CPU seconds to the page, warm and without bytecode; PSS by process with two
    people, on a real board too, and with a bot for every game; percent of a core at rest;
    imports."""
    figures: dict[str, Any] = {}
    people = ("play", game, "--first", "human", "--second", "human", "--new")
    progress("a start without bytecode …")
    with (
        tempfile.TemporaryDirectory(prefix="bench-pycache-") as cache,
        started(*people, environment={"PYTHONPYCACHEPREFIX": cache}) as table,
    ):
        figures["cold_cpu_s"] = by_role(taken(table.pid), "cpu_s")["sum"]
    progress("a start …")
    with started(*people) as table:
        figures["warm_cpu_s"] = by_role(taken(table.pid), "cpu_s")
        progress("two people at rest …")
        table.let_pass(SETTLED_S)
        before, began = taken(table.pid), time.monotonic()
        table.let_pass(idle_s)
        after = taken(table.pid)
        figures["idle_percent"] = shares(before, after, time.monotonic() - began)
        figures["people_pss_mb"] = by_role(after, "pss_mb")
    progress("two people at a real board …")
    with _real_board(game) as port, started(*people, "--board", port) as table:
        figures["real_board_pss_mb"] = by_role(_at_rest(table), "pss_mb")
    figures["bot_pss_mb"] = {}
    for one in OURS_BY_NAME:
        progress(f"a bot at the table of {one} …")
        with started("play", one, "--first", "human", "--second", "bot:easy", "--new") as table:
            figures["bot_pss_mb"][one] = by_role(_at_rest(table), "pss_mb")
    for role in IMPORTS:
        progress(f"imports of the {role} …")
        figures[f"imports_{role}"] = imports(role)
    return figures


def _at_rest(table: Started) -> list[Taken]:
    """Use by each process once all of them sleep. One that waits for a core, which others have,
    does not sleep."""
    ends, slept = time.monotonic() + LOADED_S, 0
    while slept < SLEEPS and time.monotonic() < ends:
        table.let_pass(LOOK_S)
        slept = 0 if are_ready(table.pid) else slept + 1
    return taken(table.pid)
