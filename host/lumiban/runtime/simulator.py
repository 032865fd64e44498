"""The simulator as the commands use it: found running or started; the host's door to lumiban_sim.

The board may be an emulated chip: its image, its start, and its time. A second of such a chip takes
half a minute. Link, table and hands count seconds by their asyncio loop; in `BoardTimeLoop` they
count the chip's, so that nothing is too late that is not late for the chip.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from binascii import crc32
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lumiban import bounded, process_id
from lumiban.boards.ports import localized
from lumiban.errors import BoardError, UsageError
from lumiban.other_process import ProcessPatience, first_line
from lumiban.terminal import Progress, say

if TYPE_CHECKING:
    from lumiban_sim.built_board import BuiltBoard as BuiltBoard
    from lumiban_sim.desk import Desk as Desk
    from lumiban_sim.experiments import KindReport as KindReport
    from lumiban_sim.experiments import Race as Race
    from lumiban_sim.faults import Plan as Plan
    from lumiban_sim.faults import Spoiler as Spoiler
    from lumiban_sim.hands import Errand as Errand
    from lumiban_sim.hands import Tempo
    from lumiban_sim.joints import Joints as Joints
    from lumiban_sim.rig import Rig as Rig
    from lumiban_sim.rp2040.board import Booted as Booted

    from lumiban.boards.profile import Profile as Profile
    from lumiban.maker.firstlight import Curves as Curves
    from lumiban.maker.health import Figures as Figures


BY_ID = "by-id"
"""In the state folder: links to the ports of simulators, by their boards' numbers."""
LOOK_S = 2.0
"""Between two looks at a simulator that is not ours."""
START_S = 20.0
"""A simulator that has slept for so long and said nothing will not start any more …"""
CHIP_START_S = 180.0
"""… and an emulated chip, whose program is compiled first …"""
START_WORK_S = 900.0
"""… and what has worked for so long turns in a circle."""


@dataclass(frozen=True, slots=True)
class Simulator:
    """A running simulator: its serial port, address for hands, profile and the board's uid.

    `process` is set when we started it; `seed` makes the same board again (−1: unknown).
    """

    port: str
    hands: str
    profile: str
    uid: str
    pid: int = 0
    seed: int = -1
    jig: str = ""
    """The port of its jig, where it has one."""
    clock: str = ""
    """The file that tells its time, where it is an emulated chip's (`board_time`)."""
    process: subprocess.Popen[bytes] | None = None

    def end(self) -> None:
        """End it, if it is ours."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()


def running(state: Path, profile: str) -> list[Simulator]:
    """The simulators of this profile that run now; what dead ones left behind is ignored."""
    return [found for found in _all(state) if found.profile == profile]


def at(state: Path, port: str) -> Simulator | None:
    """The running simulator behind this serial port, None when it is a board's or unknown."""
    place = Path(port).resolve()
    return next((found for found in _all(state) if Path(found.port).resolve() == place), None)


def _all(state: Path) -> list[Simulator]:
    from lumiban_sim import descriptor

    found = descriptor.running(state) if state.is_dir() else []
    return [
        Simulator(one.port, one.hands, one.profile, one.uid, one.pid, one.seed, clock=one.clock)
        for one in found
    ]


async def end_of(simulator: Simulator) -> None:
    """Wait until a simulator has ended, ours or another's."""
    if simulator.process is not None:
        await asyncio.to_thread(simulator.process.wait)
        return
    while process_id.runs(simulator.pid):
        await asyncio.sleep(LOOK_S)


async def start_anew(state: Path, profile: str) -> Simulator:
    """Start a simulator that is the same board as last time: unfinished games go on there.

    While that one runs, in use by another table, it is the next one. BoardError.
    """
    taken = {found.uid for found in _all(state)}
    for number in itertools.count(len(taken)):
        found = await start(state, profile, crc32(profile.encode()) + number)
        if found.uid not in taken:
            return found
        found.end()
    raise AssertionError("unreachable: numbers do not end")


async def start(
    state: Path,
    profile: str,
    seed: int | None = None,
    *,
    image: str = "",
    progress: Callable[[float], None] = lambda part: None,
) -> Simulator:
    """Start a simulator in a process of its own, which outlives this one for a while.

    A host that was killed finds it again. The same seed is the same board (uid), else a random
    one. With an `image` its firmware runs on an emulated chip; `progress` hears which part of its
    start is over. BoardError says why it did not start.
    """
    log = state / "simulator.log"
    words = ["--profile", profile, "--state", str(state), "--lifetime-of", str(os.getpid())]
    words += ["--by-id", str(state / BY_ID)]
    if seed is not None:
        words += ["--seed", str(seed)]
    if image:
        words += ["--chip", image]
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "lumiban_sim", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    assert process.stdout is not None
    patience = ProcessPatience(process.pid, CHIP_START_S if image else START_S, START_WORK_S)
    told = b""
    try:
        while not told.startswith(b"{"):
            told = await first_line(process, patience)
            if not told:
                break
            if not told.startswith(b"{"):
                progress(float(told))
    except TimeoutError:
        told = b""
    if not told:
        process.kill()
        process.wait()
        process.stdout.close()
        raise BoardError(f"the simulator did not start; see {log}")
    import json

    found = json.loads(told)
    return Simulator(
        found["port"],
        found["hands"],
        found["profile"],
        found["uid"],
        found["pid"],
        found["seed"],
        clock=found["clock"],
        process=process,
    )


async def foreground(
    state: Path,
    profile: str,
    seed: int | None,
    hands_port: int,
    say: Callable[[Simulator], None],
    figures: str = "",
    *,
    faults: str = "",
    parts: int | None = None,
    jig: bool = False,
    chips: Booted | None = None,
    tcp: int | None = None,
) -> None:
    """Be a simulator until SIGINT or SIGTERM; `say` is called once it runs.

    With a file of `figures` its board is like the one that they were measured of, with a seed of
    `parts` one of parts within their tolerances; a file of `faults` says what goes wrong with it.
    With `jig` a jig stands over it; with `chips` its firmware runs on one of them (`emulated`).
    With `tcp` its port is a socket of that number.
    ProfileError for a bad profile, UsageError for bad figures or faults, BoardError when port or
    pty cannot be had.
    """
    from lumiban_sim.built_board import built

    from lumiban.boards import profile as profiles
    from lumiban.maker import health as measures

    board = profiles.load(profile)
    told = measures.read_figures(figures) if figures else None
    if told is not None:
        measures.check(told, figures, board.name, len(board.cells), board.rows)
    made = None if parts is None else built(board, parts)
    common: dict[str, Any] = {
        "seed": secrets.randbits(32) if seed is None else seed,
        "state": state,
        "hands_port": hands_port,
        "by_id": state / BY_ID,
        "plan": _read_fault_plan(faults, board) if faults else None,
        "jig": jig,
        "tcp": tcp,
    }
    try:
        desk = _desk(board, told, made, chips, common)
    except OSError as error:
        raise BoardError(
            f"the simulator cannot listen on port {tcp}: {error.strerror}; choose another --tcp"
        ) from None
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(name, desk.stop)
    serving = asyncio.create_task(desk.run())
    ready = asyncio.create_task(desk.ready.wait())
    await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if desk.ready.is_set() and desk.descriptor is not None:
        found = desk.descriptor
        own = desk.jig_line.path if desk.jig_line is not None else ""
        say(
            Simulator(found.port, found.hands, found.profile, found.uid, jig=own, clock=found.clock)
        )
    try:
        await serving
    except OSError as error:
        raise BoardError(
            f"the simulator cannot start: {error.strerror or error}; "
            "choose another --hands-port, or leave it out"
        ) from error


def _desk(
    board: Profile,
    told: Figures | None,
    made: BuiltBoard | None,
    chips: Booted | None,
    common: Mapping[str, Any],
) -> Desk:
    """The desk that these wishes ask for."""
    from lumiban_sim.built_board import measured
    from lumiban_sim.desk import Desk
    from lumiban_sim.world import NOISE_UT

    if chips is not None:
        from lumiban_sim.rp2040.desk import ChipDesk

        return ChipDesk(chips, **common)
    return Desk(
        board,
        board=measured(board, told) if told is not None else made,
        noise_ut=told.number("noise_ut", NOISE_UT) if told is not None else NOISE_UT,
        **common,
    )


def _read_fault_plan(file: str, board: Profile) -> Plan:
    """The fault plan in a file, of faults that a board on a real port can have; UsageError."""
    from lumiban_sim.faults import OF_HOST, OF_PIPE, parse

    try:
        text = bounded.text(Path(file))
    except OSError as error:
        raise UsageError(f"the fault plan {file} cannot be read: {error.strerror}") from None
    except bounded.TooMuch as much:
        raise UsageError(
            f"the fault plan {file} {much}: a plan is a few lines long; see docs/faults.md"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"the fault plan {file} is not UTF-8 text") from None
    plan = parse(text, board, file)
    plan.refuse(OF_PIPE, "a real port cannot do this; use `lumiban bench soak`", file)
    plan.refuse(OF_HOST, "a simulated board does not end its host: end it yourself", file)
    return plan


def answers(profile: str, seed: int, count: int) -> list[tuple[int, int]]:
    """(heard, lit) of so many placements in virtual time, µs after contact; see
    `lumiban_sim.experiments`. ProfileError for a bad profile."""
    from lumiban_sim.experiments import answers as answered

    from lumiban.boards import profile as profiles

    found = answered(profiles.load(profile), seed, count)
    return [(one.heard_us, one.lit_us) for one in found]


def races(
    profile: str,
    strong: tuple[bool, bool],
    speeds: tuple[float, float],
    apart_us: int,
    seed: int,
    count: int,
    *,
    rough: bool = False,
) -> list[Race]:
    """Let two simulated hands race on a simulated board; see `lumiban_sim.experiments.heat`.

    `strong` and `speeds` (m/s) are of the two pieces. ProfileError for a bad profile.
    """
    from lumiban_sim.experiments import Runner, heat

    from lumiban.boards import profile as profiles

    one, other = (Runner(*runner) for runner in zip(strong, speeds, strict=True))
    return heat(profiles.load(profile), (one, other), apart_us, seed, count, rough=rough)


def crowded_boards(profile: str, seed: int, count: int) -> list[KindReport]:
    """Random boards full of pieces, powered on; see `lumiban_sim.experiments`. ProfileError."""
    from lumiban_sim.experiments import random_board

    from lumiban.boards import profile as profiles

    board = profiles.load(profile)
    return [random_board(board, seed + number) for number in range(count)]


def worst_boards(profile: str, kind: int, around: int, seed: int, count: int) -> list[KindReport]:
    """Boards on which one piece stands amid 18 neighbours of a kind, with the worst lids.

    See `lumiban_sim.experiments`; ProfileError.
    """
    from lumiban_sim.experiments import worst_board

    from lumiban.boards import profile as profiles

    board = profiles.load(profile)
    return [worst_board(board, kind, around, seed + number) for number in range(count)]


def chip_figures(
    profile: str, ms: int, phases: Sequence[str], seed: int, progress: Callable[[str], None]
) -> Iterator[tuple[str, dict[str, float]]] | str:
    """Figures of the firmware on an emulated chip, each phase as it ends, or what is missing for
    it; see `lumiban_sim.rp2040.bench`. ProfileError for a bad profile, UsageError for a phase
    that there is not.

    `phases` () are all; power-on and the host's first picture come before any other.
    """
    from lumiban_sim import rp2040
    from lumiban_sim.rp2040.bench import PHASES, measure

    from lumiban.boards import profile as profiles

    board = profiles.load(profile)
    for phase in phases:
        if phase not in PHASES:
            raise UsageError(f"there is no phase {phase}; phases are {', '.join(PHASES)}")
    lacking = rp2040.lacking()
    if lacking is not None:
        return lacking
    wanted = set(phases or PHASES)
    wanted |= set(PHASES[:2]) if wanted - {PHASES[0]} else set()
    played = [phase for phase in PHASES if phase in wanted]
    return measure(Path(os.environ[rp2040.IMAGE]), board, ms, played, seed, progress)


def faulty_rig(
    profile: str, seed: int, plan: str, *, parts: int | None = None, tempo: Tempo | None = None
) -> Rig:
    """World, hands and firmware in virtual time, with a fault plan; `parts` is the seed of a board
    of parts within their tolerances, `tempo` that of the hands. PlanError, ProfileError."""
    from lumiban_sim.built_board import built
    from lumiban_sim.faults import parse
    from lumiban_sim.hands import BRISK
    from lumiban_sim.rig import Rig

    from lumiban.boards import profile as profiles

    board = profiles.load(profile)
    made = None if parts is None else built(board, parts)
    return Rig(board, seed, tempo=tempo or BRISK, board=made, plan=parse(plan, board))


def plan_more(rig: Rig, plan: str) -> None:
    """Let these faults happen too; their times count from now. PlanError."""
    from dataclasses import replace

    from lumiban_sim.faults import FOREVER, parse

    assert rig.faults is not None
    now = rig.now_us
    for fault in parse(plan, rig.profile).faults:
        until = FOREVER if fault.until_us == FOREVER else fault.until_us + now
        rig.faults.add(replace(fault, at_us=fault.at_us + now, until_us=until))


def forger(seed: int, odds: float) -> Spoiler:
    """What changes this share of a line's frames, their checksums with them."""
    from lumiban_sim.faults import Forger

    return Forger(seed, odds)


def plan_forms() -> list[tuple[str, str, str]]:
    """(how it is written, `once`, `lasts` or `ends`, what it does) of every fault of a plan."""
    from lumiban_sim.faults import FORMS

    return [(form.words, form.time, form.what) for form in FORMS]


def image(named: str = "") -> str:
    """The MicroPython image that is `named`, or that LUMIBAN_UF2 names; BoardError without one."""
    from lumiban_sim import rp2040

    lacking = rp2040.lacking(named)
    if lacking is not None:
        raise BoardError(f"there is no emulated chip: {lacking}")
    return named or os.environ[rp2040.IMAGE]


def chip(image: str, profile: str, progress: Callable[[float], None]) -> Booted:
    """An emulated chip that has started with this image; `progress` hears which part of that is
    over. BoardError when it does not start, ProfileError for a bad profile."""
    from lumiban_sim.rp2040.desk import starting

    from lumiban.boards import profile as profiles

    board = profiles.load(profile)
    try:
        return starting(Path(image), board, progress)
    except (RuntimeError, TimeoutError, ValueError, OSError) as error:
        line = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise BoardError(f"the firmware does not start with {image}: {line[0]}") from error


async def start_emulated(state: Path, profile: str) -> Simulator:
    """Start a simulator whose firmware runs on an emulated chip; its start is shown on the
    terminal. BoardError when there is no image, or it does not start."""
    named = image()
    say("cli.chip.starts")
    progress = Progress()
    try:
        return await start(state, profile, image=named, progress=shown(progress))
    finally:
        progress.clear()


def shown(progress: Progress) -> Callable[[float], None]:
    """Shows the part of a start that is over.

    >>> shown(Progress())(0.5)
    """
    return lambda part: progress.show(f"{part:.0%}")


def follow_emulated(simulator: Simulator) -> None:
    """Let the running loop go by a simulator's own time; BoardError when it is gone."""
    from lumiban_sim.descriptor import PublishedTime

    try:
        clock = PublishedTime(Path(simulator.clock))
    except (OSError, ValueError):
        raise BoardError(localized("board.chip.ended")) from None
    follow_board_time(clock, lambda: process_id.runs(simulator.pid))


POLL_S = 0.005
"""Between two looks at another's clock."""
ALIVE_S = 1.0
"""Between two looks at whether it still goes."""


class _Selector(selectors.DefaultSelector):
    """Waits as long as it is told, or only until it is time to look at the clock again."""

    polls: Callable[[], bool] = staticmethod(lambda: False)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.polls() and timeout is not None and timeout > 0:
            timeout = POLL_S
        return super().select(timeout)


class BoardTimeLoop(asyncio.SelectorEventLoop):
    """A loop whose clock is the machine's until it is told to `follow` another; never goes back.

    >>> loop = BoardTimeLoop()
    >>> board_us = 5_000_000
    >>> loop.follow(lambda: board_us, lambda: True)
    >>> before = loop.time()
    >>> board_us += 250_000
    >>> round(loop.time() - before, 6)
    0.25
    >>> loop.leave()
    >>> loop.time() - before >= 0.25
    True
    >>> loop.close()
    """

    def __init__(self) -> None:
        self._clock: Callable[[], int] | None = None
        self._ahead = 0.0
        self._alive: Callable[[], bool] = lambda: True
        self._looked = 0.0
        selector = _Selector()
        selector.polls = self._follows
        super().__init__(selector)

    def follow(self, clock: Callable[[], int], alive: Callable[[], bool]) -> None:
        """From now on time goes by as on `clock` (µs), for as long as that is `alive`."""
        now = self.time()
        self._alive, self._looked = alive, time.monotonic()
        self._ahead = now - clock() / 1e6
        self._clock = clock

    def leave(self) -> None:
        """From now on time goes by as everywhere."""
        now = self.time()
        self._clock = None
        self._ahead = now - time.monotonic()

    def time(self) -> float:
        """Seconds, by the clock that is followed."""
        if self._clock is not None:
            return self._clock() / 1e6 + self._ahead
        return time.monotonic() + self._ahead

    def _follows(self) -> bool:
        now = time.monotonic()
        if self._clock is not None and now - self._looked >= ALIVE_S:
            self._looked = now
            if not self._alive():
                self.leave()
        return self._clock is not None


def follow_board_time(clock: Callable[[], int], alive: Callable[[], bool]) -> None:
    """Let the running loop, a `BoardTimeLoop`, follow this clock; TypeError when it is none."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, BoardTimeLoop):
        raise TypeError("this loop's time cannot be a board's")
    loop.follow(clock, alive)


def leave() -> None:
    """Let the running loop follow no board's clock any more, if it did."""
    loop = asyncio.get_running_loop()
    if isinstance(loop, BoardTimeLoop):
        loop.leave()


# --- A new board's joints, for `lumiban board firstlight` ---


def wrong_joints() -> tuple[str, ...]:
    """What may be wrong with a simulated board's joints, by name."""
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
