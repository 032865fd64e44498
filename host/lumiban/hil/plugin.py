"""pytest's plugin: `--board`, its fixtures, and the hooks by which others add boards and eyes.

    def test_a_white_stone_is_told(board, hands):
        assert hands.place("c3", "white").piece == "white"
        assert board.pieces == {"c3": "white"}

`board` is greeted, dark and at rest. `hands` move pieces: simulated ones, a person's with
`--board-hands`, else readings are injected; a test that is about sensors is marked `hands`. `light`
sees what shines, `power` cuts it, `faults` spoil the line. What a board cannot do, or nobody can
see of it, is skipped and said so. Loaded in every run of pytest: it imports nothing before a board
is asked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from lumiban.hil.bench import Backend, Bench
    from lumiban.hil.board import BoardUnderTest
    from lumiban.hil.hands import Hands
    from lumiban.hil.probe import Probe

FIXTURES = ("board", "probe", "hands", "light", "power", "faults")
DEFAULT_SEED = "1"
SIMULATED_PROFILE = "hex3"


class Eyes(Protocol):
    """Sensors of light on some cells: a sensor on one cell is enough."""

    cells: tuple[str, ...]
    """Names of the cells that are seen."""

    def look(self, cell: str) -> tuple[int, int, int]:
        """Red, green and blue of this cell now, 0 to 255; a sensor without colours gives three
        equal numbers."""


class BoardHooks:
    """Hooks of this plugin, for a conftest.py."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_backend(self, config: pytest.Config, name: str) -> Backend | None:
        """Return the way to the board that `--board name` asks for; None: not ours."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_boards(self, config: pytest.Config) -> list[str] | None:
        """Return the names of the boards to test on where `--board` says nothing."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_eyes(self, config: pytest.Config, board: BoardUnderTest) -> Eyes | None:
        """Return what sees the board's light."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the hooks known."""
    pluginmanager.add_hookspecs(BoardHooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what chooses and reports a board."""
    group = parser.getgroup("lumiban", "a board under test")
    group.addoption(
        "--board",
        default="",
        help="sim, serial:PORT (serial:auto), tcp:HOST:PORT, a URL of pyserial, gpio, or a name of"
        " boards.toml; several with commas. Without it: sim",
    )
    group.addoption(
        "--board-profile", default="", help="profile of a board that does not tell what it is"
    )
    group.addoption("--board-hands", action="store_true", help="ask a person to move pieces")
    group.addoption(
        "--board-seed", default=DEFAULT_SEED, help="a number, or random; the run prints it"
    )
    group.addoption("--board-trace", default="", help="folder for a VCD file of each test")
    group.addoption("--against", default="", help="JUnit file of an earlier run: tell what changed")
    group.addoption("--wrong", default="", help="a board of lumiban.hil.zoo: wrong in one thing")
    group.addoption(
        "--flaky-fails", action="store_true", help="a test that failed first has failed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks known; meet a real board, and report on it."""
    for line in (
        "hands: needs moved magnets: simulated hands, or a person's (--board-hands)",
        "needs(what): for boards that can do that: hands, light, power, kinds, inject",
        "claim(sentence, capabilities): holds a sentence of docs/wire.md",
    ):
        config.addinivalue_line("markers", line)
    names, wrong = config.getoption("--board"), config.getoption("--wrong")
    earlier = config.getoption("--against")
    if not (names or wrong or earlier):
        return
    from lumiban.errors import LumibanError
    from lumiban.hil import run, zoo
    from lumiban.hil.against import Against

    try:
        if wrong:
            zoo.chosen(wrong)
        if earlier:
            config.pluginmanager.register(Against(Path(earlier)), "lumiban-against")
        run.begin(config, [name for name in names.split(",") if name])
    except (LumibanError, OSError) as error:
        pytest.exit(f"lumiban: {error}", returncode=getattr(error, "exit_code", 2))


@pytest.hookimpl(trylast=True)
def pytest_lumiban_boards(config: pytest.Config) -> list[str]:
    """Return the simulated board, where nobody names another."""
    return ["sim"]


@pytest.hookimpl(trylast=True)
def pytest_lumiban_backend(config: pytest.Config, name: str) -> Backend | None:
    """The simulated board."""
    if name != "sim":
        return None
    from lumiban.hil.simulated import backend

    return backend(config.getoption("--board-profile") or SIMULATED_PROFILE)


def _backend(config: pytest.Config, name: str) -> Backend:
    backend: Backend | None = config.hook.pytest_lumiban_backend(config=config, name=name)
    if backend is None:
        raise pytest.UsageError(
            f"no board {name!r}: sim, serial:PORT, tcp:HOST:PORT, a URL of pyserial, gpio, or a"
            " name of boards.toml"
        )
    return backend


def seed_of(config: pytest.Config) -> int:
    """The run's seed; a random one is drawn once."""
    seed: str = config.getoption("--board-seed")
    if seed == "random":
        seed = config.option.board_seed = str(int.from_bytes(os.urandom(4), "little"))
    try:
        return int(seed)
    except ValueError:
        raise pytest.UsageError(f"--board-seed {seed}: a number, or random") from None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of a board on each board that is asked for."""
    if "lumiban_backend" not in metafunc.fixturenames:
        return
    board_option = metafunc.config.getoption("--board")
    names = (
        board_option.split(",")
        if board_option
        else metafunc.config.hook.pytest_lumiban_boards(config=metafunc.config)
    )
    params = []
    for name in names:
        backend = _backend(metafunc.config, name)
        params.append(pytest.param(backend, id=name))
    metafunc.parametrize("lumiban_backend", params, scope="session", indirect=True)


def _of(item: pytest.Item) -> Backend | None:
    spec = getattr(item, "callspec", None)
    return spec.params.get("lumiban_backend") if spec else None


def lacking(item: pytest.Item) -> tuple[Backend | None, list[str]]:
    """The board of a test, and what the test needs of it that it cannot do."""
    backend = _of(item)
    if backend is None:
        return None, []
    needs = [str(word) for mark in item.iter_markers("needs") for word in mark.args]
    needs += ["hands"] * bool(item.get_closest_marker("hands"))
    fixtures = getattr(item, "fixturenames", ())
    needs += [name for name in ("power",) if name in fixtures]
    if "hands" in fixtures and "hands" not in needs and "hands" not in backend.can:
        needs.append("inject")
    return backend, [need for need in needs if need not in backend.can]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what a simulated board is not made for; of a real one it is skipped, and told."""
    unable = []
    for item in items:
        backend, lacks = lacking(item)
        if not lacks or backend is None:
            continue
        if backend.is_real:
            item.add_marker(pytest.mark.skip(reason=WHY[lacks[0]]))
        else:
            unable.append(item)
    if unable:
        config.hook.pytest_deselected(items=unable)
        items[:] = [item for item in items if item not in unable]


WHY = {
    "hands": "untested: it needs real pieces; add --board-hands and be asked",
    "light": "unseen: nobody sees this board's lights; a sensor on a cell can (docs/testing.md)",
    "power": "untested: nobody cuts this board's power",
    "kinds": "untested: this board's sensors tell no kinds of pieces",
    "inject": "untested: this board takes no readings from its host (CAN_INJECT)",
}


def pytest_report_header(config: pytest.Config) -> str | None:
    """The board and the seed."""
    board = config.getoption("--board")
    if not board:
        return None
    wrong = config.getoption("--wrong")
    return f"board: {board}{wrong and f', wrong: {wrong}'}, seed {seed_of(config)}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Report the command that repeats a failure."""
    report = yield
    backend = _of(item)
    if report.failed and backend is not None:
        words = f"pytest --board {backend.name} --board-seed {seed_of(item.config)}"
        for option in ("--board-profile", "--wrong"):
            if value := item.config.getoption(option):
                words += f" {option} {value}"
        report.sections.append(("again", f"{words} '{item.nodeid}'"))
    return report


# --- Fixtures ---


@pytest.fixture(scope="session")
def lumiban_backend(request: pytest.FixtureRequest) -> Backend:
    """The way to the board of this test."""
    backend: Backend = request.param
    return backend


@pytest.fixture
def lumiban_bench(lumiban_backend: Backend, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The board's line, with the fault of `--wrong` in it."""
    if lumiban_backend.lacking:
        pytest.skip(lumiban_backend.lacking)
    config = request.config
    with lumiban_backend.begin(config.getoption("--board-profile"), seed_of(config)) as bench:
        wrong = config.getoption("--wrong")
        if wrong:
            from lumiban.hil.zoo import Relay, chosen

            bench = Relay(bench, chosen(wrong))
        folder = config.getoption("--board-trace")
        if not folder:
            yield bench
            return
        from lumiban.hil.trace import Traced

        traced = Traced(bench)
        yield traced
        name = re.sub(r"[^A-Za-z0-9]+", "_", request.node.name).strip("_")
        traced.write(Path(folder) / f"{name}.vcd", request.node.nodeid)


@pytest.fixture
def board(lumiban_bench: Bench, request: pytest.FixtureRequest) -> Iterator[BoardUnderTest]:
    """The board: greeted, dark and at rest."""
    from lumiban.hil.board import BoardUnderTest

    name = getattr(request.node, "originalname", request.node.name)
    made = BoardUnderTest(lumiban_bench, Random(f"{seed_of(request.config)} {name}"))
    yield made
    if "faults" not in request.fixturenames:
        from lumiban.hil.claims import check_frames

        check_frames(made.host.probe)
    made.leave()


@pytest.fixture
def probe(lumiban_bench: Bench, request: pytest.FixtureRequest) -> Iterator[Probe]:
    """Single frames to the board and from it; the test greets."""
    from lumiban_fw import wire

    from lumiban.hil.bench import BenchLine
    from lumiban.hil.claims import check_frames
    from lumiban.hil.probe import Probe

    made = Probe(BenchLine(lumiban_bench))
    able = made.greet().unpacked.number("capabilities")
    for mark in request.node.iter_markers("claim"):
        for name in mark.args[1:]:
            if not able & getattr(wire, name):
                pytest.skip(f"untested: the board has no {name}")
    yield made
    check_frames(made)
    if able & wire.CAN_INJECT:
        # What this test injected, and the events of it, are no other's.
        made.beats = True
        hello = made.greet().unpacked
        if hello.number("capabilities") & wire.INJECTING:
            from lumiban.hil.injecting import end_injecting

            end_injecting(made)


@pytest.fixture
def hands(board: BoardUnderTest, lumiban_backend: Backend, request: pytest.FixtureRequest) -> Hands:
    """Whoever moves the pieces."""
    from lumiban.hil import hands as some

    bench: Any = board.bench
    if "hands" in bench.can and hasattr(bench, "rig"):
        return some.SimulatedHands(board, bench)
    if request.config.getoption("--board-hands"):
        run: Any = request.config.pluginmanager.get_plugin("lumiban-board-run")
        return some.AskedHands(board, run and run.tell)
    return some.InjectedHands(board)


class _SimulatedEyes:
    """The lamps of a simulated board."""

    def __init__(self, board: BoardUnderTest) -> None:
        self._board = board
        self.cells = board.cells

    def look(self, cell: str) -> tuple[int, int, int]:
        """Red, green and blue of this cell now."""
        bench: Any = self._board.bench
        at = 3 * self._board.profile.cells[self._board.number(cell)].light
        red, green, blue = bench.light()[at : at + 3]
        return red, green, blue


@pytest.fixture
def light(board: BoardUnderTest, request: pytest.FixtureRequest) -> Eyes:
    """Eyes that see the board's light; the test is skipped where nobody sees it."""
    config = request.config
    eyes: Eyes | None = config.hook.pytest_lumiban_eyes(config=config, board=board)
    if eyes is not None:
        return eyes
    if "light" in board.bench.can:
        return _SimulatedEyes(board)
    pytest.skip(WHY["light"])


class Power:
    """The supply of a simulated board."""

    def __init__(self, bench: Any) -> None:
        self._bench = bench

    def cut(self) -> None:
        """Cut the power and give it back: the board starts anew, with its pieces standing."""
        self._bench.cut()


@pytest.fixture
def power(board: BoardUnderTest) -> Power:
    """The board's supply."""
    return Power(board.bench)


class Faults:
    """A line that is worse than it should be; mended when the test ends."""

    def __init__(self, board: BoardUnderTest) -> None:
        self._bench: Any = board.bench
        self._sound = (self._bench.send, self._bench.take)
        self._dice = board.dice

    def spoil(self, odds: float) -> None:
        """Lose, double and change bytes both ways, each with these odds a byte."""
        from lumiban.hil.simulated import line_faults

        to_board, to_host = (line_faults(self._dice.getrandbits(30), odds) for _ in range(2))
        send, take = self._sound
        self._bench.send = lambda data: send(to_board.spoil(data))
        self._bench.take = lambda: to_host.spoil(take())

    def unplug(self) -> None:
        """Let nothing through, either way."""
        _, take = self._sound
        self._bench.send = lambda data: None
        self._bench.take = lambda: take()[:0]

    def mend(self) -> None:
        """Let all through again."""
        self._bench.send, self._bench.take = self._sound


@pytest.fixture
def faults(board: BoardUnderTest) -> Iterator[Faults]:
    """The board's line, to be spoilt."""
    made = Faults(board)
    with ExitStack() as stack:
        stack.callback(made.mend)
        yield made
