"""Real hosts killed by SIGKILL at any moment, and every accepted move remembered outside them.

    python killed_lives.py KILLS MOVES [SEED]

kills so many hosts and more until so many moves were accepted, with progress, and prints figures.
The memory is fed by the page's WebSocket alone; journals are read here with eight lines of our own.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lumiban_sim import descriptor
from places import SUPPORT
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

HOST = SUPPORT / "killed_host.py"
MOST_VIEWS = 30
"""After at most so many views of the table its host is killed."""


@dataclass
class Memory:
    """The moves of each game as they were told to a page, across all deaths of the host."""

    folder: Path
    """Of journals, read only where a game ended between two lives."""
    games: list[list[str]] = field(default_factory=list)
    is_over: bool = True
    short: int = 0
    """Views that told fewer moves than were accepted, as the board has not spoken yet."""

    @property
    def accepted(self) -> int:
        return sum(map(len, self.games))

    def hear(self, view: dict[str, Any]) -> None:
        """A view of the table; AssertionError when a move is missing, doubled or another one."""
        told = [f"{move['side']} {move['text']}" for move in view["moves"]]
        known = self.games[-1] if self.games else []
        over = view["outcome"] is not None
        if self.games and told[: len(known)] == known and (told or not self.is_over):
            self.games[-1], self.is_over = told, over
        elif self.games and told == known[: len(told)] and not over and view["link"] != "up":
            self.short += 1
        else:
            assert self.is_over or not self.games or self._ended(known), (
                f"{known} were accepted, {told} came back"
            )
            self.games.append(told)
            self.is_over = over

    def _ended(self, known: list[str]) -> bool:
        """Whether the game with these moves ended, which nobody told any more."""
        found = [moves for moves, ended in journals(self.folder) if ended]
        whole = [moves for moves in found if moves[: len(known)] == known]
        if whole:
            self.games[-1] = whole[-1]
        return bool(whole)

    def compare(self) -> list[str]:
        """What differs between the memory and what the journals hold in the end; [] for nothing.

        Each game is remembered once and kept once; a move more may be kept than was ever told.
        """
        kept = [moves for moves, _ in journals(self.folder)]
        wrong = []
        for moves in self.games:
            found = [one for one in kept if one[: len(moves)] == moves]
            if not found:
                wrong.append(f"{moves} are in no journal")
            else:
                kept.remove(found[0])
        return wrong + [f"{moves} were never told" for moves in kept if moves]


def journals(folder: Path) -> list[tuple[list[str], bool]]:
    """The moves of each journal and whether its game ended; oldest first."""
    found = []
    for path in sorted(folder.glob("*.journal"), key=lambda one: one.stat().st_ino):
        moves: list[str] = []
        ended = False
        for line in path.read_bytes().split(b"\n")[:-1]:
            record = json.loads(line[line.index(b"{") :])
            if record["t"] == "move":
                moves.append(f"{record['side']} {record['text']}")
            elif record["t"] == "back":
                del moves[-record["moves"] :]
            ended = ended or record["t"] == "end"
        found.append((moves, ended))
    return found


class Lives:
    """One host after the other in a state folder of its own, each killed."""

    def __init__(self, state: Path, seed: int) -> None:
        self.state = state
        self.memory = Memory(state / "journals")
        self.kills = 0
        self.early = 0
        """Hosts killed before they had a page."""
        self.chance = random.Random(seed)
        self._seed = seed

    def live(self) -> None:
        """Start a host, watch it, and kill it at a random moment."""
        words = [sys.executable, str(HOST), str(self._seed)]
        home = {**os.environ, "LUMIBAN_HOME": str(self.state), "PYTHONUNBUFFERED": "1"}
        home["LUMIBAN_PLAIN"] = "1"  # who is killed within seconds compiles nothing
        with (
            (self.state / "killed.log").open("ab") as log,
            subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, env=home) as host,
        ):
            try:
                if self.chance.random() < 0.1:
                    time.sleep(self.chance.random())
                    self.early += 1
                else:
                    self._watch(host)
            finally:
                assert host.poll() is None, (self.state / "killed.log").read_text("utf-8")
                host.send_signal(signal.SIGKILL)
                self.kills += 1

    def _watch(self, host: subprocess.Popen[bytes]) -> None:
        assert host.stdout is not None
        url = ""
        while not url:
            line = host.stdout.readline()
            assert line, (self.state / "killed.log").read_text("utf-8")
            url = "".join(re.findall(rb"http://(\S+?)/?\n".decode(), line.decode()))
        with connect(f"ws://{url}/ws", max_size=None) as page:
            for _ in range(self.chance.randint(1, MOST_VIEWS)):
                self._hear(page)
            time.sleep(self.chance.random() * 0.05)

    def _hear(self, page: ClientConnection) -> None:
        while True:
            message = json.loads(page.recv())
            if message["type"] == "view":
                return self.memory.hear(message)

    def end(self) -> None:
        """End the simulator, which outlives its hosts."""
        for found in descriptor.running(self.state):
            os.kill(found.pid, signal.SIGTERM)


def run(
    state: Path,
    kills: int,
    moves: int,
    seed: int = 1,
    progress: Callable[[Lives], None] = lambda lives: None,
) -> Lives:
    """Kill so many hosts, and more until so many moves were accepted; AssertionError at a loss."""
    lives = Lives(state, seed)
    try:
        while lives.kills < kills or lives.memory.accepted < moves:
            lives.live()
            progress(lives)
    finally:
        lives.end()
    return lives


def main(kills: int, moves: int, seed: int = 1) -> None:
    begun = time.monotonic()

    def progress(lives: Lives) -> None:
        if lives.kills % 10 == 0:
            told = f"{lives.kills} kills, {lives.memory.accepted} moves"
            print(f"{told}, {time.monotonic() - begun:.0f} s", flush=True)

    with tempfile.TemporaryDirectory(prefix="lumiban-kills-") as folder:
        lives = run(Path(folder), kills, moves, seed, progress)
        wrong = lives.memory.compare()
    figures = {
        "kills": lives.kills,
        "early": lives.early,
        "moves": lives.memory.accepted,
        "games": len(lives.memory.games),
        "short": lives.memory.short,
        "seconds": round(time.monotonic() - begun),
        "wrong": wrong,
    }
    print(json.dumps(figures))
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    try:
        main(*map(int, sys.argv[1:]))
    except WebSocketException as error:
        raise SystemExit(f"the page broke off: {error}") from None
