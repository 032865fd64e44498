"""The simulator as the commands use it: found running, or started."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from binascii import crc32
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from lumiban.boards import profile as profiles
from lumiban.errors import BoardError, UsageError
from lumiban.invocation import start_word
from lumiban.system import processes, size_limits
from lumiban.system.processes import RunningSimulator

if TYPE_CHECKING:
    from lumiban_sim.desk import Desk as Desk
    from lumiban_sim.faults import Plan as Plan
    from lumiban_sim.joints import Joints as Joints

    from lumiban.boards.profile import Profile as Profile
    from lumiban.maker.firstlight import Curves as Curves
    from lumiban.maker.health import Figures as Figures


BY_ID = "by-id"
"""In the state folder: links to the ports of simulators, by their boards' numbers."""
LOOK_S = 2.0
"""Between two looks at a simulator that is not ours."""
END_S = 10.0


@dataclass(frozen=True, slots=True)
class Simulator(RunningSimulator):
    """A running simulator; `own` is set when it is ours."""

    own: _Own | None = None

    def end(self) -> None:
        """End it, if it is ours."""
        if self.own is not None:
            self.own.end()


class _Own:
    """A simulated board in a thread of this process, with a loop of its own: met at its port and
    its address as any other, and gone with the process."""

    def __init__(self, state: Path, profile: str, seed: int) -> None:
        self.runs: Future[tuple[RunningSimulator, Desk, asyncio.AbstractEventLoop]] = Future()
        served = self._serve(state, profile, seed)
        self.thread = Thread(target=self._run, args=(served,), name="simulator", daemon=True)
        self.thread.start()

    def _run(self, served: Coroutine[None, None, None]) -> None:
        try:
            asyncio.run(served)
        except Exception as error:  # noqa: BLE001  # whatever it was: it is told, or written down
            if self.runs.done():
                self.runs.result()[1].fail({"exception": error})
            else:
                self.runs.set_exception(error)

    async def _serve(self, state: Path, profile: str, seed: int) -> None:
        from lumiban_sim.desk import Desk

        desk = Desk(profiles.load(profile), seed=seed, state=state, by_id=state / BY_ID)
        loop = asyncio.get_running_loop()
        await desk.serve(lambda about: self.runs.set_result((about, desk, loop)))

    def end(self) -> None:
        """End it."""
        with suppress(Exception):  # it has not begun, or has ended
            _, desk, loop = self.runs.result()
            loop.call_soon_threadsafe(desk.stop)
        self.thread.join(END_S)


def running(state: Path, profile: str) -> list[Simulator]:
    """The simulators of this profile that run now; what dead ones left behind is ignored."""
    return [one for one in found(state) if one.profile == profile]


def at(state: Path, port: str) -> Simulator | None:
    """The running simulator behind this serial port, None when it is a board's or unknown."""
    place = Path(port).resolve()
    return next((one for one in found(state) if Path(one.port).resolve() == place), None)


def found(state: Path) -> list[Simulator]:
    """All simulators that run now."""
    from lumiban_sim import descriptor

    return [Simulator(**asdict(one)) for one in descriptor.running(state)]


async def end_of(simulator: Simulator) -> None:
    """Wait until a simulator has ended, ours or another's."""
    if simulator.own is not None:
        await asyncio.to_thread(simulator.own.thread.join)
        return
    while processes.runs(simulator.pid):
        await asyncio.sleep(LOOK_S)


async def start_next(state: Path, profile: str) -> Simulator:
    """Start a simulator that is the same board as last time: unfinished games go on there.

    While that one runs, in use by another table, it is the next one. BoardError.
    """
    taken = {simulator.uid for simulator in found(state)}
    for number in itertools.count(len(taken)):
        simulator = await start(state, profile, crc32(profile.encode()) + number)
        if simulator.uid not in taken:
            return simulator
        simulator.end()
    raise AssertionError("unreachable: numbers do not end")


async def start(state: Path, profile: str, seed: int) -> Simulator:
    """Start a simulator in this process, with which it ends.

    The same seed is the same board (uid). ProfileError, and BoardError, say why it did not start.
    """
    own = _Own(state, profile, seed)
    try:
        about, *_ = await asyncio.to_thread(own.runs.result)
    except OSError as error:
        raise BoardError(
            f"the simulator cannot be started ({error.strerror or error}); see to that, then start"
            " again"
        ) from None
    except BaseException:  # whatever it was: nobody else will end it
        own.end()
        raise
    return Simulator(**asdict(about), own=own)


async def foreground(
    state: Path,
    profile: str,
    seed: int | None,
    hands_port: int,
    say: Callable[[RunningSimulator], None],
    figures: str = "",
    *,
    faults: str = "",
    parts: int | None = None,
) -> None:
    """Be a simulator until SIGINT or SIGTERM; `say` is called once it runs.

    With a file of `figures` its board is like the one that they were measured of, with a seed of
    `parts` one of parts within their tolerances; a file of `faults` says what goes wrong with it.
    ProfileError for a bad profile, UsageError for bad figures or faults, BoardError when port or
    pty cannot be had.
    """
    from lumiban_sim.__main__ import serve
    from lumiban_sim.built_board import built, measured
    from lumiban_sim.desk import Desk
    from lumiban_sim.world import NOISE_UT

    from lumiban.maker import health as measures

    board = profiles.load(profile)
    made, noise_ut = None if parts is None else built(board, parts), float(NOISE_UT)
    if figures:
        found = measures.read_figures(figures)
        measures.check(found, figures, board.name, len(board.cells), board.rows)
        made, noise_ut = measured(board, found), found.number("noise_ut", NOISE_UT)
    plan = _read_fault_plan(faults, board) if faults else None
    try:
        desk = Desk(
            board,
            board=made,
            noise_ut=noise_ut,
            seed=secrets.randbits(32) if seed is None else seed,
            state=state,
            hands_port=hands_port,
            by_id=state / BY_ID,
            plan=plan,
        )
        await serve(desk, say)
    except OSError as error:
        reason = error.strerror or error
        raise BoardError(
            f"the simulator cannot start; choose another --hands-port, or leave it out ({reason})"
        ) from error


def _read_fault_plan(file: str, board: Profile) -> Plan:
    """The fault plan in a file, of faults that a board on a real port can have; UsageError."""
    from lumiban_sim.faults import OF_HOST, OF_PIPE, parse

    try:
        text = size_limits.text(Path(file))
    except OSError as error:
        raise UsageError(f"the fault plan {file} cannot be read: {error.strerror}") from None
    except size_limits.Unreadable as error:
        raise UsageError(
            f"the fault plan {file} {error}: a plan is a few lines of text; see docs/faults.md"
        ) from None
    plan = parse(text, board, file)
    plan.refuse(OF_PIPE, f"a real port cannot do this; use `{start_word()} bench soak`", file)
    plan.refuse(OF_HOST, "a simulated board does not end its host: end it yourself", file)
    return plan


# --- A new board's joints, for `lumiban board firstlight` ---


def wrong_joints() -> tuple[str, ...]:
    """Return the names of the faults that a simulated board's joints can have."""
    from lumiban_sim.joints import KINDS

    return KINDS


def new_board(profile: Profile, wrong: str = "", seed: int = 1) -> Joints:
    """A board that has never had power, sound or with one wrong joint (of `wrong_joints`)."""
    from lumiban_sim.joints import Joints, wrongs

    return Joints(profile, seed, wrongs(profile, wrong, seed) if wrong else None)


def firstlight_report(
    curves: Curves,
    profile: Profile,
    title: str,
    findings: Sequence[tuple[str, str]],
    words: Callable[[str], str],
    lang: str,
) -> dict[str, str]:
    """The files of a report on a board's first power, by name: pictures and a page."""
    from lumiban_sim import firstlight_page

    pictures = firstlight_page.drawn(curves, firstlight_page.expected(profile), words)
    files = {f"{name}.svg": svg for name, svg in pictures.items()}
    return files | {"index.html": firstlight_page.page(title, findings, pictures, lang)}
