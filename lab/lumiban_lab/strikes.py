"""Real services that are struck at any moment or await, by two laws.

Nothing that was told is lost or doubled: the moves that a page showed are remembered here, across
all deaths, and journals are read by lines of our own. Nothing stands still, and nothing lives on: a
service that was struck is up again, or is gone with all that it had started. And a board keeps its
page.

    strikes(Path(folder), count=40, moments="first")
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lumiban.errors import CheckFailed, LumibanError
from lumiban.system import service_socket
from lumiban_sim import descriptor
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from lumiban_lab.soak_laws import starts_with
from lumiban_lab.struck import ERRORS, STRIKE

MODULES = {
    "service": ("lumiban", ("kill", "term", "hup")),
    "table": ("lumiban.service.table_process", ("kill", "term", "orphan", "full", "broken")),
    "page": ("lumiban.web.page_process", ("kill",)),
}
"""Which processes are struck at their awaits, and by what."""
COUNTED = "all count 0"
"""A life that is not struck, whose steps are counted: so every step may be struck, and is."""
FIRST_S = 3.0
WHOLE_S = 12.0
LIMIT_S = 90.0
"""What has not come about after so long never will."""
END_S = 20.0
"""After which nothing of a service that has ended lives."""
PROFILE = "hex3"
GAMES = ("control", "evening")
UNREACHED: tuple[type[BaseException], ...] = (
    OSError,
    LumibanError,
    WebSocketException,
    TimeoutError,
    EOFError,
    LookupError,  # of a simulator that has ended
)


class Struck(Exception):
    """The strike fell: what was being done is over."""


@dataclass
class Memory:
    """The moves of each game as a page showed them, through all lives of a table."""

    games: list[list[str]] = field(default_factory=list)
    is_open: bool = False
    """Whether the last one may go on."""

    @property
    def moves(self) -> int:
        """Number of moves told."""
        return sum(map(len, self.games))

    def hear(self, view: dict[str, Any]) -> None:
        """A view of the table. CheckFailed for a move that is missing, doubled or another."""
        told = [f"{move['side']} {move['text']}" for move in view["moves"]]
        known = self.games[-1] if self.games else []
        if self.is_open and not starts_with(told, known):
            # What the board has yet to tell again is waited for.
            if view["link"] == "up" or not starts_with(known, told):
                raise CheckFailed(f"{known} were told, {told} came back")
            return
        if not self.is_open and not (known and starts_with(told, known)):
            self.games.append([])  # else the one that was asked for has not come to begin
        self.is_open = view["outcome"] is None
        self.games[-1] = told

    def compare(self, folder: Path) -> None:
        """CheckFailed unless each game is kept once; a move may be kept that nobody was told."""
        kept = journals(folder)
        for moves in filter(None, self.games):
            found = [one for one in kept if starts_with(one, moves)]
            if not found:
                raise CheckFailed(f"{moves} are in no journal")
            kept.remove(min(found, key=len))


def journals(folder: Path) -> list[list[str]]:
    """The moves of each journal."""
    found = []
    for path in sorted(folder.glob("*.journal")):
        moves: list[str] = []
        for line in path.read_bytes().split(b"\n")[:-1]:
            record = json.loads(line[line.index(b"{") :])
            if record["t"] == "move":
                moves.append(f"{record['side']} {record['text']}")
            elif record["t"] == "back":
                del moves[-record["moves"] :]
        found.append(moves)
    return found


def living(home: Path) -> dict[int, str]:
    """Processes that were begun with this state folder, by their command lines."""
    mark = f"LUMIBAN_HOME={home}".encode()
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (path / "environ").read_bytes().split(b"\0"):
                words = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:100]
                if words:  # else it has ended, and is not yet buried
                    found[int(path.name)] = words
    return found


def is_alive(pid: int | None) -> bool:
    """Whether a process lives; one that has ended, and is not yet buried, does not."""
    with suppress(OSError):
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    return False


def until(holds: Callable[[], object], what: str, limit_s: float = LIMIT_S) -> None:
    """Wait until this holds; CheckFailed where it never does."""
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > limit_s:
            raise CheckFailed(f"{what} for {limit_s:.0f} s")
        time.sleep(0.05)  # real processes bring it about


class House:
    """A service in a folder of its own, and what people know of it."""

    def __init__(self, root: Path, seed: int, boards: int = 1) -> None:
        self.home = root / "state"
        self.home.mkdir(parents=True)
        self.root = root
        self.chance = random.Random(f"strikes {seed}")
        self.struck: Counter[str] = Counter()
        self.lives = 0
        self.pages: dict[str, str] = {}
        """The page of each board, by its port."""
        self.memory = Memory()
        self._boards = boards
        self._strikes = root / "struck"
        self._hands = ""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = min(free.getsockname()[1], 64000)
        where = 'where = "sim"\n' if boards == 1 else ""
        (self.home / "settings.toml").write_text(
            f"[page]\nport = {port}\n[board]\n{where}"
            '[game]\nname = "control"\nlobby = "off"\nsecond = "human"\n',
            encoding="utf-8",
        )

    @contextmanager
    def boards(self) -> Iterator[None]:
        """Boards of their own, the last by name plugged in first."""
        with suppress(FileNotFoundError):
            (self.root / "by-id").rmdir()
        (self.root / "by-id").mkdir()
        started = []
        try:
            for seed in range(self._boards if self._boards > 1 else 0):
                state = self.root / f"board-{seed}"
                state.mkdir()
                words = [sys.executable, "-m", "lumiban_sim", "--profile", PROFILE, "--seed"]
                words += [str(7 + seed), "--state", str(state), "--by-id", str(self._by_id)]
                started.append(subprocess.Popen(words, stdout=subprocess.DEVNULL))
                until(lambda at=state: descriptor.running(at), "no board comes")  # type: ignore[misc]
            yield
        finally:
            for one in started:
                one.terminate()
                one.wait()

    @property
    def _by_id(self) -> Path:
        return self.root / "by-id"

    def begin(self, strike: str = "") -> subprocess.Popen[bytes]:
        """Start a service, struck as `struck` has it."""
        self.lives += 1
        self._strikes.unlink(missing_ok=True)
        file = self.root / "steps" if strike == COUNTED else self._strikes
        env = {**os.environ, "LUMIBAN_HOME": str(self.home), "LUMIBAN_PLAIN": "1"}
        if self._boards > 1:
            env["LUMIBAN_BY_ID"] = str(self._by_id)
        module = ["-m", "lumiban"]
        if strike:
            env[STRIKE] = f"{strike} {file}"
            module = ["-m", "lumiban_lab.struck", "lumiban"]
        log = (self.root / "service.log").open("ab")
        with log:
            return subprocess.Popen(
                [sys.executable, *module, "serve"], env=env, stdout=log, stderr=log
            )

    def steps(self) -> dict[str, tuple[int, int]]:
        """By module the most steps, and calls of the disk, of a process in lives that were only
        counted."""
        found: dict[str, tuple[int, int]] = {}
        for line in (self.root / "steps").read_text("utf-8").splitlines():
            module, *counted = line.split()
            found[module] = max(found.get(module, (0, 0)), (int(counted[0]), int(counted[1])))
        return found

    def fell(self) -> tuple[str, int]:
        """The module that the strike fell on, and the process that is to end; ("", 0): not yet."""
        with suppress(OSError, ValueError):
            module, pid = self._strikes.read_text("utf-8").split()
            return module, int(pid)
        return "", 0

    @property
    def has_struck(self) -> bool:
        """Whether the strike fell."""
        return bool(self.fell()[0])

    def tables(self) -> list[dict[str, Any]]:
        """What the service tells of its tables; [] while nobody answers."""
        try:
            tables: list[dict[str, Any]] = service_socket.ask(self.home, {"do": "status"})["tables"]
        except UNREACHED:
            return []
        return tables

    def are_up(self) -> bool:
        """Whether each board has its table, at the page that it had."""
        tables = self.tables()
        if len(tables) < self._boards or any(one.get("state") != "playing" for one in tables):
            return False
        if not all(is_alive(one["pid"]) for one in tables):  # nobody has noticed yet
            return False
        for one in tables:
            board = one["port_wished"]
            if self.pages.setdefault(board, one["url"]) != one["url"]:
                raise CheckFailed(f"{board} was at {self.pages[board]}, and is at {one['url']}")
        return True

    def view(self, url: str) -> dict[str, Any]:
        """The view of a page, remembered."""
        with urllib.request.urlopen(url + "api/view", timeout=20) as answer:
            told: dict[str, Any] = json.load(answer)
        self.memory.hear(told)
        return told

    # What people do there.

    def day(self) -> None:
        """Two games on the first board and the end of the service. Struck when the strike falls."""
        self.wait_for(self.are_up)
        first = min(self.tables(), key=lambda one: int(one["number"]))
        url = first["url"]
        hands = self._hands_of(first["port_wished"])
        self.play(url, hands, self.chance.randint(1, 3))
        # A game that is asked for may have begun, or not, when the strike falls.
        size = self.view(url)["game"]["options"]["size"]
        self.memory.is_open = False
        game, seats = self.chance.choice(GAMES), ["human", "human"]
        self.ask(url, do="new", game=game, options={"size": size}, seats=seats)
        self.wait_for(lambda: not self.view(url)["moves"])
        self.play(url, hands, self.chance.randint(1, 3))

    def wait_for(self, holds: Callable[[], object]) -> None:
        """Wait until this holds; Struck where the strike comes first."""

        def is_so() -> bool:
            if self.has_struck:
                raise Struck
            return bool(holds())

        try:
            until(is_so, "nothing goes on")
        except CheckFailed as error:
            raise CheckFailed(f"{error}: {self._scene()}") from None

    def _scene(self) -> str:
        """How the tables stand, for the reader of a failure."""
        names = ("link", "verdict", "prompt", "moves", "to_move", "outcome", "open")
        told = [str({one: v for one, v in table.items() if one in ("state", "url", "why")})
                for table in self.tables()]  # fmt: skip
        for table in self.tables():
            with suppress(*UNREACHED):
                view = self.view(table["url"])
                told.append(str({name: view[name] for name in names}))
        return "; ".join(told)

    def _hands_of(self, port: str) -> str:
        folders = [self.home, *self.root.glob("board-*")]
        known = [one for folder in folders for one in descriptor.running(folder)]
        place = os.path.realpath(port)
        return next(
            (one.hands for one in known if os.path.realpath(one.port) == place), known[0].hands
        )

    def play(self, url: str, hands: str, moves: int) -> None:
        """Hands do what they are asked for, and make a number of moves."""
        for _ in range(8 * moves):
            told = self.view(url)
            if self.has_struck:
                raise Struck
            if moves <= 0 or told["outcome"] is not None:
                return
            board = told["game"]["cells"]
            if steps := told["prompt"]["steps"]:
                one = steps[0]
                put(hands, board[one["cell"]], one["kind"] if one["do"] == "place" else 0)
                self.wait_for(lambda was=steps: self.view(url)["prompt"]["steps"] != was)  # type: ignore[misc]
                continue
            if told["link"] != "up":
                time.sleep(0.1)
                continue
            sides = told["open"] or [told["legal"]["place"]] * 2
            side = self.chance.randrange(2) if told["open"] else told["to_move"][0]
            if not sides[side]:
                return
            put(hands, board[self.chance.choice(sides[side])], side + 1)
            moves -= 1
            if told["open"]:  # what both sides set at once may have closed the cell meanwhile
                time.sleep(1.0)
                continue
            self.wait_for(lambda was=told: self.view(url)["moves"] != was["moves"])  # type: ignore[misc]

    def ask(self, url: str, **request: Any) -> None:
        """Ask as a page does, and wait until it was heard."""
        with connect(url.replace("http", "ws") + "ws?tab=rig", proxy=None, max_size=None) as line:
            line.send(json.dumps(request))
            line.send(json.dumps({"do": "look", "n": 0}))
            while (told := json.loads(line.recv(timeout=LIMIT_S)))["type"] != "past":
                if told["type"] == "error":
                    raise CheckFailed(f"{request} was refused: {told}")

    # What must hold.

    def live(self, strike: str, after_s: float | None, how: str) -> None:
        """One life of the service: struck at an await, or by the clock, or ended in the end."""
        service = self.begin(strike)
        begun = time.monotonic()
        try:
            try:
                if after_s is None:
                    self.day()
                else:
                    with suppress(*UNREACHED):
                        self._until_then(begun + after_s)
            except CheckFailed:
                raise
            except UNREACHED as error:
                until(lambda: self.has_struck or service.poll() is not None, f"{error!r}", 30.0)
            except Struck:
                pass
            if after_s is not None:
                service.send_signal(getattr(signal, how.upper()))
                how = how.removeprefix("SIG").lower()
            is_hit = self.has_struck or after_s is not None
            self._comes_to_rest(service, how if is_hit else "end", by_clock=after_s is not None)
            whom = strike.split()[0] if strike else "lumiban"
            is_hit |= self.has_struck  # while it closed
            self.struck[f"{whom} {how}" if is_hit else "ended"] += 1
        finally:
            if service.poll() is None:
                service.kill()
            service.wait()
            for pid in living(self.home):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def _until_then(self, at_s: float) -> None:
        """Be at the table until a moment of the clock."""
        while time.monotonic() < at_s:
            if self.are_up():
                url = self.tables()[0]["url"]
                while time.monotonic() < at_s:
                    hands = self._hands_of(self.tables()[0]["port_wished"])
                    self.play(url, hands, 1)
            time.sleep(0.02)  # real processes bring it about

    def _comes_to_rest(self, service: subprocess.Popen[bytes], how: str, *, by_clock: bool) -> None:
        """Who was struck is up again, or gone with all that it had started."""
        module, pid = ("", 0) if by_clock else self.fell()
        until(lambda: not is_alive(pid), f"{module} lives on after {how}")
        if module not in ("", "lumiban") and how != "orphan":
            until(self.are_up, f"no table comes back after {module} {how}")
        if module != "lumiban" and how != "orphan" and not by_clock:
            service.terminate()
        until(lambda: service.poll() is not None, f"the service lives on after {how}")
        left: dict[int, str] = {}

        def is_empty() -> bool:
            left.clear()
            left.update(living(self.home))
            return not left

        try:
            until(is_empty, "", END_S)
        except CheckFailed:
            raise CheckFailed(f"{sorted(left.values())} live on after {module} {how}") from None


def put(hands: str, cell: int, kind: int) -> None:
    """Set a piece, or with kind 0 lift it, and wait until it lies so."""
    what = {"do": "place", "cell": cell, "kind": kind} if kind else {"do": "lift", "cell": cell}
    with connect(hands, proxy=None) as line:
        line.send(json.dumps(what))
        while True:
            told = json.loads(line.recv(timeout=LIMIT_S))
            if told["type"] == "world" and told["kinds"][cell] == kind:
                return


def strikes(
    root: Path,
    count: int,
    *,
    seed: int = 1,
    boards: int = 1,
    at: str = "awaits",
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Strike services so often: at their `awaits`, or by the clock in their `first` seconds or
    `anywhen`. The figures; CheckFailed for what does not hold."""
    house = House(root, seed, boards)
    chance = house.chance
    with house.boards():
        house.live(COUNTED, None, "end")
        house.struck.clear()
        steps = house.steps()
        for number in range(count):
            if at == "awaits":
                who = chance.choice([*MODULES])
                module, hows = MODULES[who]
                how = chance.choice(hows)
                at_most = steps[module][how in ERRORS]
                strike, after_s = f"{module} {how} {chance.randint(1, at_most)}", None
            else:
                how = ("SIGKILL", "SIGTERM")[number % 2]
                strike, after_s = "", chance.uniform(0.0, FIRST_S if at == "first" else WHOLE_S)
            progress(f"{number + 1} of {count}: {strike or how} {after_s or ''}")
            try:
                house.live(strike, after_s, how)
            except CheckFailed as error:
                what = f"strike {number + 1}, {strike or how} {after_s or ''}"
                raise CheckFailed(f"{what}: {error}") from None
        house.live("", None, "end")
        house.memory.compare(house.home / "journals")
    return {
        "strikes": dict(sorted(house.struck.items())),
        "lives": house.lives,
        "steps": {name: list(counted) for name, counted in steps.items()},
        "moves": house.memory.moves,
        "games": len(house.memory.games),
        "pages": len(house.pages),
    }
