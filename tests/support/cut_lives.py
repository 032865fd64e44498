"""A service on a card, the power cut again and again, and all that it promised remembered outside.

    unshare --mount python cut_lives.py CUTS [SEED]

cuts so often, with a line for each, and prints figures at the end. A promise is what hands are
asked for (a machine's move, which is on the card by then with all before it) or what was answered
(a setting), each with how far the disk's log had come by then; the card is read after every flush
with journal lines of our own. The next life begins on what the cut left, and with the stones: a
move that was seen and not yet written lies on the board.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import patience
from cut_disk import CutDisk
from hands_line import put_stone
from killed_lives import journals
from lumiban import games
from lumiban.boards.mapping import place_grid
from lumiban.boards.profile import load
from lumiban.errors import LumibanError
from lumiban.system import service_socket
from websockets.sync.client import connect

PROFILE, GAME, OPTIONS = "hex3", "control", {"size": 3}
MOST_MOVES = 6
"""Of a life."""
BRIGHTNESS = "light.brightness"


@dataclass
class Promises:
    """What people know, and since which position of the disk's log."""

    games: list[tuple[int, list[list[str]]]] = field(default_factory=list)
    """All games so far with their moves."""
    set_before: frozenset[int] = frozenset({100})
    """Values of the setting one of which this life began with."""
    set_to: list[tuple[int, int, int]] = field(default_factory=list)
    """Each value, since when it was asked for and since when it was promised."""

    def wrong(self, card: Path, at: int) -> list[str]:
        """What a card does not hold of what was promised until a position of the log."""
        found = []
        wanted = max((one for one in self.games if one[0] <= at), default=(0, []))[1]
        kept = [moves for moves, _ in journals(card / "state" / "journals")]
        for moves in wanted:
            there = [one for one in kept if one[: len(moves)] == moves]
            if there:
                kept.remove(there[0])
            else:
                found.append(f"{moves} are in no journal")
        path = card / "state" / "settings.toml"
        told = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
        value = told.get("light", {}).get("brightness", 100)
        if value not in self.settings(at):
            found.append(f"brightness {value}, promised one of {self.settings(at)}")
        return found

    def settings(self, at: int) -> frozenset[int]:
        """Values that the setting may have: the last one promised, or one that was on its way."""
        promised = [value for value, _, since in self.set_to if since <= at]
        coming = {value for value, asked, since in self.set_to if asked <= at < since}
        return frozenset(promised[-1:] or self.set_before) | coming


@dataclass
class Cut:
    """One life and its end."""

    moves: int
    """That were promised, in this and all lives before."""
    flushes: int
    loose: int
    """Writes that were not flushed when the power went."""
    left: int
    """Of how many of them a part is there."""
    states: int
    """Cards read, one for each flush and part."""


class Lives:
    """One service after the other, on one card, each ended by a cut."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.disk = CutDisk(folder)
        self.cuts: list[Cut] = []
        self.wrong: list[str] = []
        self._seed = seed
        self._known: list[list[str]] = []
        """Moves of each game, as promised."""
        self._played: list[str] = []
        """Moves of the last game that lie on the board, the last of them maybe there alone."""
        self._has_lifted = False
        """Whether the last of them only took stones away."""
        self._set_to = Promises.set_before
        self.resumed_with: list[int] = []
        """Moves of the last game after each start that followed a cut."""
        self._by_id = folder / "by-id"
        game = games.load(GAME, **OPTIONS)
        board = load(PROFILE)
        self._game = game.laid_on(board.grid)
        self._on_board = place_grid(self._game.grid, board).board
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = min(free.getsockname()[1], 64000)

    @contextmanager
    def _board(self) -> Iterator[str]:
        """A board that keeps its stones, and the address of its hands."""
        words = [sys.executable, "-m", "lumiban_sim", "--profile", PROFILE]
        words += ["--seed", str(self._seed), "--state", str(self.folder)]
        words += ["--by-id", str(self._by_id)]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as board:
            try:
                yield json.loads(board.stdout.readline())["hands"]
            finally:
                board.send_signal(signal.SIGTERM)
                board.communicate()

    def run(self, cuts: int) -> None:
        """Cut so often; what was lost is in `wrong`."""
        with self._board() as hands:
            for _ in range(cuts):
                self.cuts.append(self._live(hands))
                print(json.dumps(asdict(self.cuts[-1])), flush=True)
            with self.disk.mounted() as card, self._service(card) as state:
                self._begin(state, Promises())

    @contextmanager
    def _service(self, card: Path) -> Iterator[Path]:
        """A service whose state is on the card; it is killed with all its processes."""
        state = card / "state"
        state.mkdir(exist_ok=True)
        if not (state / "settings.toml").exists():
            seats = 'first = "human"\nsecond = "bot:gentle"\nlobby = "off"\n'
            told = f'[page]\nport = {self._port}\n[game]\nname = "{GAME}"\n{seats}'
            (state / "settings.toml").write_text(told)
            os.sync()
        home = {**os.environ, "LUMIBAN_HOME": str(state), "LUMIBAN_BY_ID": str(self._by_id)}
        home |= {"LUMIBAN_PLAIN": "1", "RUNTIME_DIRECTORY": str(self.folder)}
        log = (self.folder / "service.log").open("ab")
        with log, subprocess.Popen([sys.executable, "-m", "lumiban", "serve"], env=home,
            stdout=log, stderr=log) as service:  # fmt: skip
            try:
                yield state
            finally:
                patience.until(lambda: not _killed(card))
                service.wait()

    def _begin(self, state: Path, promises: Promises) -> str:
        """Wait for the table; its page. What was promised in earlier lives is there."""

        def is_up() -> bool:
            with suppress(LumibanError):
                [table] = service_socket.ask(self.folder, {"do": "status"})["tables"]
                return bool(table["state"] == "playing")
            return False

        patience.until(is_up, every_s=0.1)
        url = f"http://127.0.0.1:{self._port}/"
        wanted = self._played

        def is_back() -> bool:
            view = _view(url)
            told = _moves(view)
            # A stone that is no more there plays nothing: it is asked for, and lifted again.
            is_asked = self._has_lifted and told == wanted[:-1] and view["prompt"]["wait"] == "mend"
            return told[: len(wanted)] == wanted or is_asked or _has_ended(state, wanted)

        try:
            patience.until(is_back, every_s=0.1)
        except TimeoutError as hung:
            raise AssertionError(
                f"life {len(self.cuts) + 1}: {_moves(_view(url))} came back, {wanted} were played,"
                f" {self._known[-1:]} promised: {self._scene(url, state)}"
            ) from hung
        if self.cuts:
            self.resumed_with.append(len(_moves(_view(url))))
        return url

    def _scene(self, url: str, state: Path) -> str:
        """What stands where a life does not go on, for whoever reads a failure."""
        told = _view(url)
        shown = {name: told[name] for name in ("link", "verdict", "prompt", "pieces", "sensed")}
        log = (self.folder / "service.log").read_text("utf-8", "replace")[-1500:]
        return f"{shown}, journals {journals(state / 'journals')}, log {log}"

    def _hear(self, told: dict[str, Any], promises: Promises) -> None:
        """Remember what a page was told; a machine's move is on the card when hands are asked."""
        at = self.disk.position()
        moves = _moves(told)
        if told["prompt"]["wait"] != "machine":
            return
        if self._known and moves[: len(self._known[-1])] == self._known[-1]:
            self._known[-1] = moves
        else:
            self._known.append(moves)
        promises.games.append((at, [list(one) for one in self._known]))

    def _live(self, hands: str) -> Cut:
        promises = Promises()
        # What earlier lives promised holds from the first moment on.
        promises.games.append((0, [list(one) for one in self._known]))
        promises.set_before = self._set_to
        with self.disk.mounted() as card, self._service(card) as state:
            url = self._begin(state, promises)
            for _ in range(self.chance.randint(2, MOST_MOVES)):
                self._move(url, hands, promises)
                # Until it counts a look still shows their turn: hands would move twice.
                patience.until(lambda: _moves(_view(url)) == self._played, every_s=0.05)
                if self.chance.random() < 0.3:
                    value = self.chance.randrange(40, 101)
                    asked = self.disk.position()
                    service_socket.ask(
                        self.folder, {"do": "set", "name": BRIGHTNESS, "value": value}
                    )
                    promises.set_to.append((value, asked, self.disk.position()))
            # The power goes at some moment after one more stone lies there: the log has them all.
            self._move(url, hands, promises)
            first = self.disk.position()
            patience.until(lambda: _view(url)["prompt"]["steps"] or _view(url)["outcome"])
            told = [one.end for one in self.disk.log(self.disk.position()) if one.end > first]
        at = self.chance.choice([first, *told])
        states = 0
        for moment, there in self.disk.states(at, self.chance):
            states += 1
            self.wrong += [f"life {len(self.cuts) + 1}: {w}" for w in promises.wrong(there, moment)]
        self._known = max(one for one in promises.games if one[0] <= at)[1]
        self._set_to = promises.settings(at)
        flushes = sum(one.is_flush for one in self.disk.log(at))
        loose, left = self.disk.cut(at, self.chance)
        return Cut(sum(map(len, self._known)), flushes, loose, left, states)

    def _move(self, url: str, hands: str, promises: Promises) -> None:
        """Hands do what they are asked for, until it is their turn; then they make a move."""
        while True:
            told = _view(url)
            self._hear(told, promises)
            steps = told["prompt"]["steps"]
            if told["outcome"] is not None:
                for cell, kind in enumerate(_kinds(hands)):
                    if kind:
                        put_stone(hands, cell, 0)
                _say(url, do="new")
                patience.until(lambda: _view(url)["outcome"] is None, every_s=0.1)
            elif steps:
                kind = steps[0]["kind"] if steps[0]["do"] == "place" else 0
                put_stone(hands, self._on_board[steps[0]["cell"]], kind)
                patience.until(partial(_asks_otherwise, url, steps), every_s=0.05)
            elif told["to_move"] == [0] and told["verdict"]["kind"] == "agree":
                break
        game = self._game
        position = game.start()
        for one in told["moves"]:
            position = game.play(position, game.parse(position, one["text"], one["side"]))
        move = self.chance.choice(game.moves(position, 0))
        self._played = [*_moves(told), f"0 {move}"]
        changes = list(game.effects(position, move))
        self._has_lifted = all(after == 0 for _, _, after in changes)
        for cell, _, after in changes:
            put_stone(hands, self._on_board[cell], int(after))


def _killed(card: Path) -> bool:
    """Kill who has something of the card open, or stands in it; whether there was anybody."""
    found = False
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            links = [process / "cwd", *(process / "fd").iterdir()]
            maps = (process / "environ").read_bytes()
            if os.fsencode(card) in maps or any(card in link.readlink().parents for link in links):
                os.kill(int(process.name), signal.SIGKILL)
                found = True
    return found


def _view(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url + "api/view") as answer:
        told: dict[str, Any] = json.load(answer)
        return told


def _asks_otherwise(url: str, steps: list[Any]) -> bool:
    return bool(_view(url)["prompt"]["steps"] != steps)


def _moves(told: dict[str, Any]) -> list[str]:
    return [f"{move['side']} {move['text']}" for move in told["moves"]]


def _kinds(hands: str) -> list[int]:
    with connect(hands, proxy=None) as line:
        for message in line:
            told = json.loads(message)
            if told["type"] == "world":
                kinds: list[int] = told["kinds"]
                return kinds
    raise AssertionError


def _say(url: str, **message: Any) -> None:
    with connect(url.replace("http", "ws") + "ws?tab=cut", proxy=None, max_size=None) as line:
        line.send(json.dumps(message))
        line.send(json.dumps({"do": "look", "n": 0}))
        for raw in line:
            if json.loads(raw)["type"] == "past":
                return


def _has_ended(state: Path, moves: list[str]) -> bool:
    """Whether a game that began so has ended: the next one is on the table."""
    found = journals(state / "journals")
    return any(ended and told[: len(moves)] == moves for told, ended in found)


def main(words: Sequence[str]) -> int:
    """Cut so often; the exit code is 1 where something was lost."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lumiban-cuts-") as folder:
        lives = Lives(Path(folder), int(words[1]) if len(words) > 1 else 1)
        lives.run(int(words[0]))
    figures = {
        "cuts": len(lives.cuts),
        "moves": lives.cuts[-1].moves,
        "resumed with": lives.resumed_with,
        "flushes": sum(cut.flushes for cut in lives.cuts),
        "cards read": sum(cut.states for cut in lives.cuts),
        "seconds": round(time.monotonic() - begun),
        "wrong": lives.wrong,
    }
    print(json.dumps(figures))
    return int(bool(lives.wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
