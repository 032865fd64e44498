"""What a table starts: by which words, what its first report makes of it, how it is ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import Mock

import patience
import pytest
from lumiban.boards.gpio import pins
from lumiban.boards.profile import load
from lumiban.boards.types import Hello
from lumiban.errors import BoardError, ProfileError, UsageError
from lumiban.maker.calibration import PlacePrompt
from lumiban.maker.firstlight import FirstLight
from lumiban.runtime import open_board, open_table, pi_driver, simulator
from lumiban.runtime.open_board import OpenBoard, SimulatedHands, line_at
from lumiban.runtime.simulator import Simulator
from lumiban.system import processes
from lumiban.system.child import python
from lumiban.system.processes import RunningSimulator
from lumiban_sim import firstlight_page
from lumiban_sim.rig import Rig
from rig_line import RigLine
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

SIMULATED = {"port": "/dev/pts/9", "hands": "ws://h", "profile": "hex3", "uid": "u", "seed": 5}


class Child:
    """A process that reports once, or ends without a word."""

    report: Any = None
    fails: Exception | None = None
    made: list[Child]

    def __init__(self, words: list[str], **about: Any) -> None:
        if isinstance(self.fails, OSError):
            raise self.fails
        self.words, self.about, self.ends = words, about, list[str]()
        self.made.append(self)

    def first(self, *seconds: float) -> Any:
        if self.fails is not None:
            raise self.fails
        return self.report

    def terminate(self) -> None:
        self.ends.append("terminate")

    def end(self, *seconds: float) -> None:
        self.ends.append("end")

    def wait(self) -> None:
        self.ends.append("wait")


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> type[Child]:
    class Here(Child):
        """Those of one test."""

    Here.made = []
    monkeypatch.setattr(pi_driver, "Child", Here)
    return Here


async def test_a_header_s_driver_is_started_for_its_board_and_reports_its_port(
    child: type[Child], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[object] = []
    monkeypatch.setattr(pins, "look", lambda: "this machine")
    monkeypatch.setattr(pins, "must_be_pi", seen.append)
    child.report = {"port": "/dev/pts/3", "uid": "abc", "scan_hz": 60}
    driver = await pi_driver.start(tmp_path, "hex5", "power=22")
    assert seen == ["this machine"]
    (made,) = child.made
    words = ["--profile", "hex5", "--pins", "power=22", "--state", str(tmp_path)]
    assert made.words == [*python("lumiban.boards.gpio.process"), *words, "--while-stdin"]
    assert made.about["errors"] == tmp_path / "header.log"
    assert (driver.port, driver.uid, driver.scan_hz) == ("/dev/pts/3", "abc", 60)
    await driver.end_of()
    driver.end()
    assert made.ends == ["wait", "end"]
    with pytest.raises(UsageError):
        await pi_driver.start(tmp_path, "hex5", "power=nowhere")


@pytest.mark.parametrize(
    ("report", "told"), [(None, r"header\.log"), ({"error": "no strip on GPIO 10"}, "no strip on")]
)
async def test_a_driver_that_cannot_drive_is_ended_and_says_why(
    child: type[Child], tmp_path: Path, report: object, told: str
) -> None:
    child.report = report
    with pytest.raises(BoardError, match=told):
        await pi_driver.started(["driver"], tmp_path / "header.log")
    assert child.made[0].ends == ["end"]


async def test_what_goes_wrong_while_it_starts_leaves_none_behind(
    child: type[Child], tmp_path: Path
) -> None:
    child.fails = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await pi_driver.started(["driver"], tmp_path)
    assert [made.ends for made in child.made] == [["terminate"]]


async def test_the_simulator_of_another_is_waited_for_as_long_as_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(simulator, "LOOK_S", 0)
    lives, looks = [True, True, False], list[int]()

    def runs(pid: int) -> bool:
        looks.append(pid)
        return lives.pop(0)

    monkeypatch.setattr(processes, "runs", runs)
    await simulator.end_of(Simulator("/dev/pts/9", "ws://h", "hex3", "u", 7))
    assert looks == [7, 7, 7]


async def test_a_board_of_our_own_is_the_next_one_where_others_play_on_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = [RunningSimulator(**SIMULATED, pid=8)]
    monkeypatch.setattr("lumiban_sim.descriptor.running", lambda _: there)
    assert [one.pid for one in simulator.running(tmp_path, "hex3")] == [8]
    assert simulator.running(tmp_path, "hex5") == []
    found = simulator.at(tmp_path, "/dev/pts/../pts/9")
    assert found is not None
    assert found.hands == "ws://h"
    assert simulator.at(tmp_path, "/dev/ttyACM0") is None
    started: list[Simulator] = []

    async def start(_: Path, profile: str, seed: int) -> Simulator:
        uid = "u" if len(started) < 2 else "next"
        started.append(Simulator("", "", profile, uid, 9, seed, own=Mock()))
        return started[-1]

    monkeypatch.setattr(simulator, "start", start)
    assert await simulator.start_next(tmp_path, "hex3") is started[-1]
    assert started[-1].uid == "next"
    ends = [own.end.call_count for own in map(attrgetter("own"), started)]
    assert ends == [1, 1, 0]
    seeds = [one.seed for one in started]
    assert seeds == list(range(seeds[0], seeds[0] + 3))


async def test_a_simulator_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="hex99"):
        await simulator.start(tmp_path, "hex99", 5)
    (tmp_path / simulator.BY_ID).write_text("in its way")
    with pytest.raises(BoardError, match=r"cannot be started .*exists"):
        await simulator.start(tmp_path, "hex3", 5)
    assert simulator.found(tmp_path) == []


# A simulator in front.


@pytest.fixture
def desks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Those that were made, none of which is served."""
    made: list[Any] = []

    class OurDesk:
        def __init__(self, profile: Any, **how: Any) -> None:
            made.append(SimpleNamespace(profile=profile, **how))

    async def serve(desk: Any, say: Any) -> None:
        say(made[-1])

    monkeypatch.setattr("lumiban_sim.desk.Desk", OurDesk)
    monkeypatch.setattr("lumiban_sim.__main__.serve", serve)
    return made


async def test_a_simulator_in_front_is_made_as_it_is_wished_for(
    desks: list[Any], tmp_path: Path
) -> None:
    plan = tmp_path / "plan"
    plan.write_text("at 3s stuck e3\n")
    said: list[Any] = []
    await simulator.foreground(tmp_path, "hex3", 7, 81, said.append, faults=str(plan))
    (desk,) = desks
    assert said == [desk]
    assert (desk.profile.name, desk.seed, desk.hands_port) == ("hex3", 7, 81)
    assert (desk.state, desk.by_id, desk.board) == (tmp_path, tmp_path / simulator.BY_ID, None)
    assert desk.plan is not None
    for parts in (5, 6):
        await simulator.foreground(tmp_path, "hex3", None, 0, said.append, parts=parts)
    assert len({desk.seed for desk in desks}) == 3, "another one each time"
    assert desks[1].board is not None
    assert desks[1].board != desks[2].board
    assert desks[1].plan is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe\x00", "a plan is a few lines of text"),
        (b"at 3s for 1s stall", "bench soak"),
        (b"at 3s for 1s kill host", "end it yourself"),
    ],
)
async def test_a_plan_that_no_simulator_in_front_can_follow_is_a_sentence(
    text: bytes | None, says: str, desks: list[Any], tmp_path: Path
) -> None:
    plan = tmp_path / "plan"
    if text is not None:
        plan.write_bytes(text)
    with pytest.raises(UsageError, match=says):
        await simulator.foreground(tmp_path, "hex3", 7, 0, print, faults=str(plan))
    assert desks == []


async def test_a_port_that_cannot_be_had_names_the_option_that_chooses_another(
    desks: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def serve(*_: Any) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr("lumiban_sim.__main__.serve", serve)
    with pytest.raises(BoardError, match=r"--hands-port.*\(Address already in use\)"):
        await simulator.foreground(tmp_path, "hex3", 7, 81, print)


# A board for one command.


class Near(RigLine):
    """A simulated board in this process at whatever port."""

    made: ClassVar[list[Near]] = []

    def __init__(self, port: str, gone_us: int = 0) -> None:
        super().__init__(Rig(load("hex3"), 8))
        self.port, self.closed = port, 0
        self.made.append(self)

    def close(self) -> None:
        self.closed += 1


def test_a_board_is_met_at_its_port_and_asked_what_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.setattr(Near, "made", [])
    monkeypatch.setattr(open_board, "PortLine", Near)
    monkeypatch.setattr("lumiban.boards.port_line.PortLine", Near)
    for module in (open_board, open_table):
        monkeypatch.setattr(module, "choose", lambda port: f"/dev/{port}")
    with open_board.board_at("b") as board:
        assert (board.port, board.profile.name, board.hello.model) == ("/dev/b", "hex3", "hex3")
        assert board.driver.snapshots, "what lies there is known"
        assert board.simulator is None
    with pytest.raises(BoardError), open_board.board_at("b", "hex5"):
        pass
    assert open_table.profile_at("b", tmp_path) == "hex3"
    # A board that is not one of ours is written down as it tells of itself.
    monkeypatch.setattr(open_table.profiles, "load", lambda name: load("hex5"))
    path = Path(open_table.profile_at("b", tmp_path))
    assert path.parent == tmp_path / "boards"
    assert load(str(path)).board_bin() == load("hex3").board_bin()
    assert [one.closed for one in Near.made] == [1] * 4


class Port:
    closed = 0

    def __init__(self, port: str) -> None:
        self.port = port

    def close(self) -> None:
        type(self).closed += 1


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type[Port]:
    class Here(Port):
        closed = 0

    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    monkeypatch.setattr(open_board, "PortLine", Here)
    monkeypatch.setattr(open_board, "choose", lambda port: f"chosen {port}")
    return Here


@pytest.mark.parametrize("profile", ["", "hex3"])
def test_a_simulated_board_lives_as_long_as_the_command_that_asked_for_it(
    port: type[Port], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, profile: str
) -> None:
    ends = list[str]()
    own = SimpleNamespace(end=lambda: ends.append("end"))

    async def start_next(state: Path, name: str) -> Simulator:
        assert (state, name) == (tmp_path, profile or "hex5")
        return Simulator("/dev/pts/9", "ws://h", name, "u", own=own)  # type: ignore[arg-type]  # a stand-in

    monkeypatch.setattr(simulator, "start_next", start_next)
    with line_at("sim", profile) as line:
        assert line.port == "chosen /dev/pts/9"
        assert (ends, port.closed) == ([], 0)
    assert (ends, port.closed) == (["end"], 1)
    with pytest.raises(ZeroDivisionError), line_at("sim", profile):
        raise ZeroDivisionError
    assert (len(ends), port.closed) == (2, 2)
    with pytest.raises(ProfileError), line_at("sim", "no-such-board"):
        pass


@contextmanager
def hands() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A simulator's `/hands`, which talks all the time, and what it is told."""
    told: list[dict[str, Any]] = []

    def talk(line: ServerConnection) -> None:
        for message in line:
            line.send('{"type": "world"}')
            told.append(json.loads(message))

    with serve(talk, "127.0.0.1", 0, compression=None) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}/hands", told
        server.shutdown()
        thread.join()


def test_simulated_hands_do_what_a_guide_asks_and_a_real_board_has_none() -> None:
    profile, hello = load("hex3"), Hello("hex3", 1, 19, 19, 1, "u", 5, 0, 50, 0, 0)

    def board(simulated: Simulator | None) -> OpenBoard:
        return OpenBoard(None, profile, hello, "/dev/pts/9", simulated)  # type: ignore[arg-type]

    with hands() as (url, told):
        with SimulatedHands(board(Simulator("/dev/pts/9", url, "hex3", "u"))) as do:
            do(PlacePrompt("set", 4, 2))
            do(PlacePrompt("lift", 4, 2))
            patience.until(lambda: len(told) == 2)
        with pytest.raises(ConnectionClosed):
            do(PlacePrompt("set", 5, 2))
    assert told == [{"do": "place", "cell": 4, "kind": 2}, {"do": "lift", "cell": 4}]
    with pytest.raises(BoardError):
        SimulatedHands(board(None))


def test_a_report_of_first_light_shows_this_board_beside_a_sound_one_and_what_was_found() -> None:
    board = load("hex3")
    [kind, *_] = simulator.wrong_joints()
    test = FirstLight(simulator.new_board(board, kind), board)
    test.run()
    found = [("bad", "a <cold> joint"), ("good", "light 2")]
    files = simulator.firstlight_report(test.curves, board, "First & last", found, str.upper, "ja")
    page = files.pop("index.html")
    sound, drawn = firstlight_page.expected(board), firstlight_page.drawn
    pictures = drawn(test.curves, sound, str.upper)
    assert files == {f"{name}.svg": svg for name, svg in pictures.items()}
    assert pictures not in (drawn(sound, test.curves, str.upper), drawn(sound, sound, str.upper))
    assert all(svg in page for svg in pictures.values())
    assert '<html lang="ja">' in page
    assert page.count("First &amp; last") == 2
    assert page.index('<li class="bad">a &lt;cold&gt; joint') < page.index(
        '<li class="good">light 2'
    )
