"""pytest's plugin: `--lumiban-board`, its fixtures, and the hooks by which others add boards, eyes
and relays.

    def test_a_white_stone_is_told(lumiban_board, lumiban_hands):
        assert lumiban_hands.place("c3", "white").piece == "white"
        assert lumiban_board.pieces == {"c3": "white"}

`lumiban_board` is greeted, dark and at rest. `lumiban_hands` move pieces: simulated ones, a
person's with `--lumiban-hands`, else readings are injected; a test that is about sensors is marked
`lumiban_hands`. `lumiban_light` sees what shines, `lumiban_power` cuts it, `lumiban_faults` spoil
the line. `short` has them by short names. What a board cannot do, or nobody can see of it, is
skipped and said so.

All names of this plugin begin with `lumiban`. It is loaded in every run of pytest, so it imports
nothing before a board is asked for.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, cast

import pytest

if TYPE_CHECKING:
    from pytest_lumiban.bench import Backend, Bench
    from pytest_lumiban.board import BoardUnderTest
    from pytest_lumiban.hands import Hands
    from pytest_lumiban.probe import Probe

SIMULATED_PROFILE = "hex3"


class Eyes(Protocol):
    """Sensors of light on some cells: a sensor on one cell is enough."""

    cells: tuple[str, ...]
    """Names of the cells that are seen."""

    def look(self, cell: str) -> tuple[int, int, int]:
        """Red, green and blue of this cell now, 0 to 255; a sensor without colours gives three
        equal numbers."""


class Relay(Protocol):
    """What cuts a board's supply: a relay, a switched socket, a laboratory supply."""

    def cut(self) -> None:
        """Cut the power and give it back: the board restarts, with its pieces standing."""


class BoardHooks:
    """Hooks of this plugin, for a conftest.py."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_backend(self, config: pytest.Config, name: str) -> Backend | None:
        """Return the way to the board that `--lumiban-board name` asks for; None: not ours."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_boards(self, config: pytest.Config) -> list[str] | None:
        """Return the names of the boards to test on where `--lumiban-board` says nothing."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_eyes(self, config: pytest.Config, board: BoardUnderTest) -> Eyes | None:
        """Return what sees the board's light."""

    @pytest.hookspec(firstresult=True)
    def pytest_lumiban_power(self, config: pytest.Config, board: BoardUnderTest) -> Relay | None:
        """Return what cuts the board's power."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the hooks known."""
    pluginmanager.add_hookspecs(BoardHooks)


OPTIONS: dict[str, dict[str, Any]] = {
    "board": {
        "help": "sim, serial:PORT (serial:auto), tcp:HOST:PORT, a URL of pyserial, gpio, or a name"
        " of boards.toml; several with commas. Without it: sim"
    },
    "profile": {"help": "profile of a board that does not tell what it is"},
    "hands": {"action": "store_true", "help": "ask a person to move pieces"},
    "seed": {"default": "1", "help": "a number, or random; the run prints it"},
    "trace": {"help": "folder for a VCD file of each test"},
    "wrong": {"help": "a board of pytest_lumiban.zoo: wrong in one thing"},
    "flaky-fails": {"action": "store_true", "help": "a test that failed first has failed"},
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what chooses a board."""
    group = parser.getgroup("lumiban", "a lumiban board under test")
    for name, words in OPTIONS.items():
        group.addoption(f"--lumiban-{name}", **{"default": ""} | words)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks known; meet a real board."""
    for line in (
        "lumiban_hands: needs moved magnets: simulated hands, or a person's (--lumiban-hands)",
        "lumiban_needs(what): for boards that can do that: hands, light, power, kinds, inject",
        "lumiban_claim(sentence, capabilities): holds a sentence of docs/wire.md",
    ):
        config.addinivalue_line("markers", line)
    names, wrong = config.getoption("--lumiban-board"), config.getoption("--lumiban-wrong")
    if not (names or wrong):
        return
    from lumiban.errors import LumibanError

    from pytest_lumiban import run, zoo

    try:
        if wrong:
            zoo.chosen(wrong)
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
    from pytest_lumiban.simulated import backend

    return backend(config.getoption("--lumiban-profile") or SIMULATED_PROFILE)


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
    seed: str = config.getoption("--lumiban-seed")
    if seed == "random":
        seed = config.option.lumiban_seed = str(int.from_bytes(os.urandom(4), "little"))
    try:
        return int(seed)
    except ValueError:
        raise pytest.UsageError(f"--lumiban-seed {seed}: a number, or random") from None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of a board on each board that is asked for."""
    if "lumiban_backend" not in metafunc.fixturenames:
        return
    config = metafunc.config
    asked = config.getoption("--lumiban-board")
    names = asked.split(",") if asked else config.hook.pytest_lumiban_boards(config=config)
    params = [pytest.param(_backend(config, name), id=name) for name in names]
    metafunc.parametrize("lumiban_backend", params, scope="session", indirect=True)


def _of(item: pytest.Item) -> Backend | None:
    spec = getattr(item, "callspec", None)
    return spec.params.get("lumiban_backend") if spec else None


def lacking(item: pytest.Item) -> tuple[Backend | None, list[str]]:
    """The board of a test, and what the test needs of it that it cannot do."""
    backend = _of(item)
    if backend is None:
        return None, []
    needs = [str(word) for mark in item.iter_markers("lumiban_needs") for word in mark.args]
    needs += ["hands"] * bool(item.get_closest_marker("lumiban_hands"))
    has_hands = "lumiban_hands" in getattr(item, "fixturenames", ())
    if has_hands and "hands" not in needs and "hands" not in backend.can:
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
    "hands": "untested: it needs real pieces; add --lumiban-hands and be asked",
    "light": "unseen: nobody sees this board's lights; a sensor on a cell can (docs/testing.md)",
    "power": "untested: nobody cuts this board's power; a relay can (docs/testing.md)",
    "kinds": "untested: this board's sensors tell no kinds of pieces",
    "inject": "untested: this board takes no readings from its host (CAN_INJECT)",
}


def pytest_report_header(config: pytest.Config) -> str | None:
    """The board and the seed."""
    board = config.getoption("--lumiban-board")
    if not board:
        return None
    return f"lumiban: {_again(config, board)}"


def _again(config: pytest.Config, board: str) -> str:
    """The options that repeat this run on a board."""
    words = f"--lumiban-board {board} --lumiban-seed {seed_of(config)}"
    for option in ("--lumiban-profile", "--lumiban-wrong"):
        if value := config.getoption(option):
            words += f" {option} {value}"
    return words


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Report the command that repeats a failure."""
    report = yield
    backend = _of(item)
    if report.failed and backend is not None:
        words = f"pytest {_again(item.config, backend.name)} '{item.nodeid}'"
        report.sections.append(("again", words))
    return report


# --- Fixtures ---


@pytest.fixture(scope="session")
def lumiban_backend(request: pytest.FixtureRequest) -> Backend:
    """The way to the board of this test."""
    backend: Backend = request.param
    return backend


@pytest.fixture
def lumiban_bench(lumiban_backend: Backend, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The board's line, with the fault of `--lumiban-wrong` in it."""
    if lumiban_backend.lacking:
        pytest.skip(lumiban_backend.lacking)
    config = request.config
    with lumiban_backend.begin(config.getoption("--lumiban-profile"), seed_of(config)) as bench:
        wrong = config.getoption("--lumiban-wrong")
        if wrong:
            from pytest_lumiban.zoo import WrongBoard, chosen

            bench = WrongBoard(bench, chosen(wrong))
        folder = config.getoption("--lumiban-trace")
        if not folder:
            yield bench
            return
        from pytest_lumiban.trace import Traced

        traced = Traced(bench)
        yield traced
        traced.save(Path(folder) / trace_name(request.node.nodeid), request.node.nodeid)


def trace_name(nodeid: str) -> str:
    """The file of a test's trace: its own, also where two names differ in punctuation alone.

    >>> trace_name("test_a.py::test_b[c-d]")
    'test_a.py_test_b_c-d_1c7dfa.vcd'
    """
    name = re.sub(r"[^\w.-]+", "_", nodeid).strip("_.")
    return f"{name[-60:]}_{hashlib.sha256(nodeid.encode()).hexdigest()[:6]}.vcd"


@pytest.fixture(scope="session")
def lumiban_properties(request: pytest.FixtureRequest) -> Callable[[str, object], None]:
    """Notes a property of the run for `--junitxml`, once."""
    plugins = request.config.pluginmanager
    if not plugins.has_plugin("junitxml"):
        return lambda name, value: None
    note = cache(request.getfixturevalue("record_testsuite_property"))
    note("seed", seed_of(request.config))
    run: Any = plugins.get_plugin("lumiban-board-run")
    for name, value in run.board.figures.measured.items() if run else ():
        note(f"figure.{name}", value)
    return note


@pytest.fixture
def lumiban_board(
    lumiban_bench: Bench,
    request: pytest.FixtureRequest,
    lumiban_properties: Callable[[str, object], None],
) -> Iterator[BoardUnderTest]:
    """The board: greeted, dark and at rest."""
    from pytest_lumiban.board import BoardUnderTest

    name = getattr(request.node, "originalname", request.node.name)
    made = BoardUnderTest(lumiban_bench, Random(f"{seed_of(request.config)} {name}"))
    _meet(request, made.hello.capabilities)
    for name, value in made.about().items():
        lumiban_properties(name, value)
    yield made
    if "lumiban_faults" not in request.fixturenames:
        from pytest_lumiban.claims import check_frames

        check_frames(made.host)
    made.leave()


def _meet(request: pytest.FixtureRequest, capabilities: int) -> None:
    """Skip a test whose claim needs a capability that the board has not."""
    from lumiban_fw import wire

    for mark in request.node.iter_markers("lumiban_claim"):
        for name in mark.args[1:]:
            if not capabilities & getattr(wire, name):
                pytest.skip(f"untested: the board has no {name}")


@pytest.fixture
def lumiban_probe(lumiban_bench: Bench, request: pytest.FixtureRequest) -> Iterator[Probe]:
    """Single frames to the board and from it, which is greeted."""
    from lumiban_fw import wire

    from pytest_lumiban.claims import SETTLED_US, check_frames
    from pytest_lumiban.probe import Probe

    made = Probe(lumiban_bench)
    _meet(request, made.greet()["capabilities"])
    yield made
    check_frames(made)
    made.beats = True
    if made.greet()["capabilities"] & wire.INJECTING:  # what a test injected is no other's
        made.order(wire.H_CFG, (wire.CFG_INJECT, 0))
        made.rest(SETTLED_US)


@pytest.fixture
def lumiban_hands(lumiban_board: BoardUnderTest, request: pytest.FixtureRequest) -> Hands:
    """Hands that move the pieces."""
    from pytest_lumiban import hands

    board, bench = lumiban_board, cast("Any", lumiban_board.bench)
    if "hands" in bench.can and hasattr(bench, "rig"):
        return hands.SimulatedHands(board, bench)
    if request.config.getoption("--lumiban-hands"):
        from pytest_lumiban.run import tell

        return hands.AskedHands(board, partial(tell, request.config))
    return hands.InjectedHands(board)


def _beside(board: BoardUnderTest, config: pytest.Config, name: str, need: str) -> object:
    """What stands beside a board: what the hook of this name brings, or a simulated board's own."""
    hook = getattr(config.hook, f"pytest_lumiban_{name}")
    own = board.bench if need in board.bench.can else None
    return hook(config=config, board=board) or own or pytest.skip(WHY[need])


@pytest.fixture
def lumiban_light(lumiban_board: BoardUnderTest, request: pytest.FixtureRequest) -> Eyes:
    """Eyes that see the board's light; the test is skipped where nobody sees it."""
    return cast("Eyes", _beside(lumiban_board, request.config, "eyes", "light"))


@pytest.fixture
def lumiban_power(lumiban_board: BoardUnderTest, request: pytest.FixtureRequest) -> Relay:
    """The board's supply; the test is skipped where nobody cuts it."""
    return cast("Relay", _beside(lumiban_board, request.config, "power", "power"))


class Faults:
    """A line that is worse than it should be; mended when the test ends."""

    def __init__(self, board: BoardUnderTest) -> None:
        self._bench: Any = board.bench
        self._sound = (self._bench.write, self._bench.read)
        self._dice = board.dice

    def spoil(self, odds: float) -> None:
        """Lose, double and change bytes both ways, each with these odds a byte."""
        from pytest_lumiban.simulated import line_faults

        to_board, to_host = (line_faults(self._dice.getrandbits(30), odds) for _ in range(2))
        write, read = self._sound
        self._bench.write = lambda data: write(to_board.spoil(data))
        self._bench.read = lambda until_us: to_host.spoil(read(until_us))

    def unplug(self) -> None:
        """Let nothing through, either way."""
        _, read = self._sound
        self._bench.write = lambda data: None
        self._bench.read = lambda until_us: read(until_us)[:0]

    def mend(self) -> None:
        """Let all through again."""
        self._bench.write, self._bench.read = self._sound


@pytest.fixture
def lumiban_faults(lumiban_board: BoardUnderTest) -> Iterator[Faults]:
    """The board's line, to be spoilt."""
    made = Faults(lumiban_board)
    yield made
    made.mend()
