"""Board opened for one maker's command: met at its port, or simulated while the command runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

from lumiban.boards.client import BoardClient
from lumiban.boards.port_line import PortLine
from lumiban.boards.ports import choose
from lumiban.boards.profile import load
from lumiban.errors import BoardError
from lumiban.i18n import terminal_language, text
from lumiban.system.paths import made, state_folder

if TYPE_CHECKING:
    from lumiban.boards.profile import Profile
    from lumiban.boards.types import Hello
    from lumiban.maker.calibration import PlacePrompt
    from lumiban.runtime.simulator import Simulator


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """A board that was met, and the driver that speaks to it."""

    driver: BoardClient
    profile: Profile
    hello: Hello
    port: str
    simulator: Simulator | None


@contextmanager
def line_at(port: str, profile: str = "") -> Iterator[PortLine]:
    """The line to whatever is at a port (auto, sim or a path), let go of at the end.

    `profile` is that of a simulated board that is started for this. BoardError.
    """
    from lumiban.runtime import simulator

    started: Simulator | None = None
    if port == "sim":
        if profile:
            load(profile)  # what is wrong with it is told here and not in the simulator's log
        state = made(state_folder())
        started = asyncio.run(simulator.start_next(state, profile or "hex5"))
        port = started.port
    try:
        line = PortLine(choose(port))
        try:
            yield line
        finally:
            line.close()
    finally:
        if started is not None:
            started.end()


@contextmanager
def board_at(port: str, profile: str = "") -> Iterator[OpenBoard]:
    """Meet the board at a port (auto, sim or a path) and open it; let go of it at the end.

    BoardError says why there is none.
    """
    from lumiban.runtime import simulator

    with line_at(port, profile) as line:
        driver = BoardClient(None, line, port=port)
        simulated = simulator.at(state_folder(), line.port)
        driver.greet()
        fits = driver.fit(profile)
        driver.until(lambda: bool(driver.snapshots))
        yield OpenBoard(driver, fits, driver.hello, line.port, simulated)


class SimulatedHands:
    """The simulator's own hands, over its `/hands`, to do what a guide asks for.

    BoardError on a real board, which has none.
    """

    def __init__(self, board: OpenBoard) -> None:
        if board.simulator is None:
            raise BoardError(text("calibrate.no-hands", terminal_language()))
        self._url = board.simulator.hands

    def __enter__(self) -> Callable[[PlacePrompt], None]:
        from websockets.sync.client import connect

        self._line = connect(self._url, compression=None, proxy=None, ping_interval=None)
        Thread(target=self._drain, daemon=True).start()
        return self._ask

    def __exit__(self, *_: object) -> None:
        self._line.close()

    def _drain(self) -> None:
        """Read and drop the simulator's output, which would otherwise fill its pipe."""
        for _ in self._line:
            pass

    def _ask(self, ask: PlacePrompt) -> None:
        message: dict[str, int | str] = {"do": "place" if ask.do == "set" else "lift"}
        message["cell"] = ask.cell
        if ask.do == "set":
            message["kind"] = ask.kind
        self._line.send(json.dumps(message))
