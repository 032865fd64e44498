"""`lumiban board`: doctor, firstlight, selftest, calibrate, link; how findings are printed.

`flash` is in flash.py, `gpio` in play.py. A board is met by `runtime.open_board`; what is found
out about it, or about this machine, comes from `maker`.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lumiban.arguments import Json, Port
from lumiban.boards.ports import choose
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.invocation import start_word
from lumiban.maker import health
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding, worst
from lumiban.maker.health import ailing_sensors
from lumiban.search.kernel_notes import what_is_passed_over
from lumiban.system import size_limits
from lumiban.system.disk import DISK
from lumiban.system.paths import made, state_folder
from lumiban.system.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from lumiban.boards.client import BoardClient
    from lumiban.boards.profile import Profile
    from lumiban.maker.calibration import PlacePrompt
    from lumiban.maker.switch_test import Ask
    from lumiban.runtime.open_board import OpenBoard


BoardPort = Annotated[
    str,
    Parameter(
        name=("--port", "--board"),
        help="auto: the board that is plugged in; sim: a simulated board of --profile, started for"
        " this; or the board's port.",
    ),
]
ProfileWish = Annotated[
    str,
    Parameter(
        name="--profile",
        help="The board's profile, by name or TOML file; by default the one the board reports.",
    ),
]
LOOK_US = 50_000
PRESSED_US = 1_000_000
"""After so long without another one, presses of a button are an answer."""
MARKS = {GOOD: "✓", NOTE: "·", BAD: "✗"}


def sentence(finding: Finding) -> str:
    """A finding in the terminal's language."""
    return text(finding.id, terminal_language(), **finding.said)


def tell(findings: Sequence[Finding]) -> None:
    """Each finding on a line, with the command that mends it below."""
    for finding in findings:
        print(f"{MARKS[finding.level]} {sentence(finding)}")
        if finding.command and finding.level != GOOD:
            print(f"    {finding.command}")
    bad = sum(finding.level == BAD for finding in findings)
    notes = sum(finding.level == NOTE for finding in findings)
    say("maker.end.bad" if bad else "maker.end.good", bad=bad, notes=notes)
    sys.stdout.flush()


def documents(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings as data."""
    return [
        {
            "id": finding.id,
            "level": finding.level,
            "said": {
                name: value if isinstance(value, int | float) else str(value)
                for name, value in finding.said.items()
            },
            "text": sentence(finding),
            "command": finding.command,
        }
        for finding in findings
    ]


def doctor_command(*, json: Json = False) -> int:
    """Check this machine: Pi, Python, disk, supply, ports, groups, SPI, bots' compiled code.

    Nothing is changed and no port is opened. Each finding is followed by the command that fixes
    it. The service is looked at too, where one is installed or runs, and sensors that have become
    weak or noisy or have drifted are listed, as seen by `{lumiban} board selftest` and
    `{lumiban} board calibrate`. The exit code is 1 when something must be fixed.
    """
    from lumiban.maker.doctor import examine, this_machine
    from lumiban.service.checkup import examine_service

    machine = this_machine()
    state = state_folder()
    findings = [*examine(machine), *examine_service(state), *ailing_sensors(state)]
    findings += [Finding(id, NOTE, params) for id, params in what_is_passed_over()]
    if json:
        print_json(
            {
                "good": worst(findings) != BAD,
                "pi": machine.pi,
                "generation": machine.header.generation,
                "findings": documents(findings),
            }
        )
    else:
        tell(findings)
    return 1 if worst(findings) == BAD else 0


def firstlight_command(
    *,
    port: BoardPort = "auto",
    profile: Annotated[str, Parameter(name="--profile", help="The board's profile.")] = "hex5",
    report: Annotated[
        Path | None,
        Parameter(help="Write a page with measured and simulated curves into this folder."),
    ] = None,
    wrong: Annotated[
        str, Parameter(help="With --port sim: a board on which this joint is wrong.")
    ] = "",
    json: Json = False,
) -> int:
    """Guide a new board's first power: measure supply, ramp, channels, settling and lights.

    For example: {lumiban} board firstlight --profile hex5 --report firstlight

    The Pico needs MicroPython and no firmware: it is the oscilloscope. Leave the board empty. What
    is measured is compared with a simulated board, and a wrong joint is named as it is printed on
    the boards. With --port sim a rehearsal. The exit code is 1 when a joint is wrong, 3 when there
    is no Pico.
    """
    from lumiban.boards.port_line import PortLine
    from lumiban.boards.profile import load
    from lumiban.maker.firstlight import FirstLight, PicoScope, Scope
    from lumiban.maker.flash import Prompt
    from lumiban.runtime import simulator

    board = load(profile)
    language = terminal_language()
    kinds = simulator.wrong_joints()
    if wrong and wrong not in kinds:
        raise UsageError(text("firstlight.wrong", language, kinds=", ".join(kinds)))
    if wrong and port != "sim":
        raise UsageError(text("firstlight.wrong.sim", language))
    line = Progress()

    def show(step: str, done: int, of: int) -> None:
        line.show(text("firstlight.step", language, step=step, done=done + 1, of=of))

    def ask_for_stone(cell: int, stands: bool) -> None:
        line.clear()
        id = "firstlight.set" if stands else "firstlight.take"
        input(text(id, language, cell=board.grid.name(cell)) + " ")

    hands = ask_for_stone if sys.stdin.isatty() and not json else None
    prompt: Prompt | None = None
    try:
        if port == "sim":
            joints = simulator.new_board(board, wrong)
            scope: Scope = joints
            hands = joints.set_stone
        else:
            prompt = Prompt(PortLine(choose(port), gone_us=0).lend())
            scope = PicoScope(prompt, board)
        test = FirstLight(scope, board, hands)
        findings = test.run(show)
    finally:
        line.clear()
        if prompt is not None:
            prompt.close()
    if report is not None:
        title = text("firstlight.title", language, board=board.name)
        files = simulator.firstlight_report(
            test.curves,
            board,
            title,
            [
                (finding.level, f"{MARKS[finding.level]} {sentence(finding)}")
                for finding in findings
            ],
            lambda name: text(f"firstlight.page.{name}", language),
            language,
        )
        try:
            report.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (report / name).write_text(content, "utf-8")
        except OSError as error:
            message = text("maker.unwritable", language, path=report, reason=error.strerror)
            raise UsageError(message) from None
    if json:
        print_json(
            {
                "good": worst(findings) != BAD,
                "profile": board.name,
                "findings": documents(findings),
            }
        )
    else:
        tell(findings)
        if report is not None:
            say("maker.written", path=report / "index.html")
    return 1 if worst(findings) == BAD else 0


def selftest_command(
    *,
    port: BoardPort = "auto",
    profile: ProfileWish = "",
    lights: Annotated[
        bool, Parameter(negative="--no-lights", help="Sweep the lights too; watch them.")
    ] = True,
    walk: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Then place a stone on each cell yourself, following the glowing cell.",
        ),
    ] = False,
    row: Annotated[
        list[int] | None,
        Parameter(
            negative="",
            show_default=False,
            help="Of a board of switches: test only this row, counted from the farthest; may be "
            "repeated.",
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        Parameter(help="Write assumed and measured figures to this TOML file; sim --figures runs."),
    ] = None,
    json: Json = False,
) -> int:
    """Test the board: scan rate, references, each sensor, noise, supply, answers, lights.

    For example: {lumiban} board selftest --figures board.toml

    A board of switches is tested with you: put a piece on each cell that glows; a button of the
    board skips it. Test each row as you have wired it: {lumiban} board selftest --row 1

    Nobody needs to touch another board; in a terminal you are asked what glows. Pieces may stay on
    it: their strength is then shown too.
    The exit code is 1 when something is bad, 3 when there is no board. The state of each sensor
    is kept for `{lumiban} board doctor`.
    """
    from lumiban.maker.selftest import SelfTest
    from lumiban.maker.switch_test import look_first
    from lumiban.runtime import open_board

    with open_board.board_at(port, profile) as board:
        line = Progress()
        language = terminal_language()

        def show(step: str, done: int, of: int) -> None:
            line.show(text(f"selftest.step.{step}", language, done=done, of=of))

        ask = None
        if board.simulator is None and sys.stdin.isatty() and not json:
            ask = partial(ask_at_board, board.driver)
            say("selftest.look.pressed")
        if board.profile.is_of_switches:
            return _test_switches(board, row, show, line, ask, as_json=json)
        if row:
            raise UsageError(text("selftest.row.no-switches", language, model=board.profile.name))
        test = SelfTest(board.driver)
        findings, glows = look_first(board.driver, ask if lights else None)
        try:
            if glows:
                findings = [*findings, *test.run(show, tests_lights=lights)]
            if glows and walk:
                findings = [*findings, test.walk_by_hand(show)]
        finally:
            line.clear()
        names = [board.profile.grid.name(cell) for cell in range(len(board.profile.cells))]
        state = made(state_folder())
        known = health.read_health(state, board.hello.uid)
        known.model = board.hello.model
        for cell, look in test.looks(date.today().isoformat()).items():
            known.saw(cell, look)
        health.keep(state, known)
        findings = [*findings, *known.ailing(names, date.today())]
    if figures is not None:
        try:
            figures.write_text(test.figures.text(), "utf-8")
        except OSError as error:
            raise UsageError(
                text("maker.unwritable", language, path=figures, reason=error.strerror)
            ) from None
    if json:
        print_json(
            {
                "good": worst(findings) != BAD,
                "profile": board.profile.name,
                "uid": board.hello.uid,
                "firmware": board.hello.firmware,
                "findings": documents(findings),
                "figures": {
                    name: {"assumed": test.figures.assumed.get(name), "measured": value}
                    for name, value in test.figures.measured.items()
                    if isinstance(value, int | float)
                },
            }
        )
    else:
        say("selftest.board", model=board.profile.name, uid=board.hello.uid, port=board.port)
        tell(findings)
        if figures is not None:
            say("maker.written", path=figures)
    return 1 if worst(findings) == BAD else 0


def _test_switches(
    board: OpenBoard,
    rows: list[int] | None,
    show: Callable[[str, int, int], None],
    line: Progress,
    ask: Ask | None,
    *,
    as_json: bool,
) -> int:
    """Test a board of switches with its builder; the exit code."""
    from lumiban.maker.calibration import nobody
    from lumiban.maker.switch_test import SwitchTest, ask_about_panel
    from lumiban.runtime import open_board

    if wrong := [row for row in rows or () if not 1 <= row <= board.profile.rows]:
        raise UsageError(
            text("selftest.row.none", terminal_language(), row=wrong[0], rows=board.profile.rows)
        )
    with ExitStack() as stack:
        stack.callback(line.clear)
        hands = (
            nobody
            if board.simulator is None
            else stack.enter_context(open_board.SimulatedHands(board))
        )
        if board.simulator is None and not board.profile.has_lights and not as_json:
            hands = partial(_say_what_to_do, board.profile)
        if board.profile.has_sensors:
            test = SwitchTest(board.driver, hands, ask=ask)
            findings = test.run(show, [row - 1 for row in rows] if rows else None)
            state = made(state_folder())
            known = health.read_health(state, board.hello.uid)
            if back := known.dead & test.good:
                known.dead -= back
                health.keep(state, known)
                names = ", ".join(board.profile.grid.name(cell) for cell in sorted(back))
                findings.append(Finding("selftest.switch.back", GOOD, {"cells": names}))
        elif ask is not None:
            findings = ask_about_panel(board.driver, ask)
        else:
            findings = [Finding("selftest.panel.unasked", NOTE)]
    if as_json:
        good = worst(findings) != BAD
        document = {"good": good, "profile": board.profile.name, "findings": documents(findings)}
        print_json({**document, "uid": board.hello.uid, "firmware": board.hello.firmware})
    else:
        say("selftest.board", model=board.profile.name, uid=board.hello.uid, port=board.port)
        tell(findings)
    return 1 if worst(findings) == BAD else 0


def _say_what_to_do(profile: Profile, ask: PlacePrompt) -> None:
    """Tell the builder of a board without lights what to do with its next piece."""
    say(f"selftest.switch.please-{ask.do}", cell=profile.grid.name(ask.cell))


def ask_at_board(
    driver: BoardClient, question: str, choices: Sequence[str] = ("yes", "no"), **said: object
) -> str:
    """Choice of the builder about the lights: by a key and Enter, or by as many presses of a
    button of the board. The board's line is kept up meanwhile."""
    language = terminal_language()
    words = [text(f"selftest.choice.{choice}", language) for choice in choices]
    keys = ", ".join(f"{number}: {word}" for number, word in enumerate(words, 1))
    print(f"{text(f'selftest.look.ask-{question}', language, **said)} [{keys}]", flush=True)
    presses = still = 0
    while True:
        known = len(driver.events)
        driver.run(LOOK_US)
        new = sum(event.pressed is not None for event in driver.events[known:])
        presses, still = presses + new, 0 if new else still + 1
        numbers = [presses - 1] if presses and still * LOOK_US >= PRESSED_US else []
        if select.select([sys.stdin], [], [], 0)[0]:
            reply = sys.stdin.readline()
            if not reply:
                raise UsageError(text("selftest.look.ended", language))
            reply = reply.strip().lower()
            numbers += [
                number
                for number, word in enumerate(words)
                if reply and (reply == str(number + 1) or word.lower().startswith(reply))
            ]
        if numbers and numbers[0] < len(choices):
            return choices[numbers[0]]
        presses = 0 if numbers else presses


def dead_command(
    cells: Annotated[list[str] | None, Parameter(help="Cells by their names, such as d4.")] = None,
    /,
    *,
    port: BoardPort = "auto",
    profile: ProfileWish = "",
    works: Annotated[
        bool, Parameter(negative="", show_default=False, help="They answer again.")
    ] = False,
) -> None:
    """Play cells that do not answer any more on the page; without cells list those that are.

    For example: {lumiban} board dead d4

    Tables on this board then no longer wait for these cells: a stone there is told on the page, and
    the light shows where it goes. The setting is kept by the board's number, and holds from a
    table's next start. `{lumiban} board selftest` lifts it where a cell answers again.
    """
    from lumiban.runtime import open_board

    with open_board.board_at(port, profile) as board:
        grid, uid = board.profile.grid, board.hello.uid
    if unknown := [name for name in cells or () if name not in grid.names]:
        last = grid.names[-1]
        raise UsageError(
            text("board.dead.unknown", terminal_language(), cell=unknown[0], last=last)
        )
    state = made(state_folder())
    known = health.read_health(state, uid)
    named = {grid.cell(name) for name in cells or ()}
    known.dead = known.dead - named if works else known.dead | named
    if named:
        health.keep(state, known)
    names = ", ".join(grid.name(cell) for cell in sorted(known.dead))
    say("board.dead" if names else "board.dead.none", cells=names)


def calibrate_command(
    *,
    port: BoardPort = "auto",
    profile: ProfileWish = "",
    new: Annotated[
        bool, Parameter(negative="", show_default=False, help="Start over instead of continuing.")
    ] = False,
    neutral: Annotated[
        bool, Parameter(negative="--no-neutral", help="Ask for a neutral stone too, on one cell.")
    ] = True,
    restore: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="Restore the copy kept on this computer to the board; measure nothing.",
        ),
    ] = False,
    assist: Annotated[
        bool,
        Parameter(
            negative="",
            show_default=False,
            help="On a simulated board: simulated hands do what is asked.",
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Calibrate the board's sensors, guided by its own lights.

    For example: {lumiban} board calibrate

    Take all stones off: a blinking cell is not empty. Then carry one white stone from cell to
    cell: put it on the glowing cell; a steady green cell has been measured. At the end put one
    neutral stone on the cell that glows amber. A button on the board skips a cell. No screen is
    needed. If interrupted, run it again and it continues. The board keeps the result, and
    this computer a copy. The exit code is 1 when a cell is weak, 3 when there is no board.
    """
    from lumiban.maker import calibration, health
    from lumiban.runtime import open_board

    state = made(state_folder())
    with open_board.board_at(port, profile) as board, ExitStack() as stack:
        path = calibration.folder(state) / f"{board.hello.uid}.part.json"
        copy = calibration.folder(state) / f"{board.hello.uid}.bin"
        if restore:
            calibration.send(board.driver, _copied(copy))
            say("calibrate.restored", path=copy)
            return 0
        if new:
            path.unlink(missing_ok=True)
        cells = len(board.profile.cells)
        taken = calibration.begun(path, board.hello.uid, board.profile.model, cells)
        if taken.strengths and not json:
            say("calibrate.goes-on", done=len(taken.strengths), of=cells)
        hands = stack.enter_context(open_board.SimulatedHands(board)) if assist else None
        line = Progress()

        def show(step: str, cell: int, done: int, of: int) -> None:
            name = board.profile.grid.name(cell) if cell >= 0 else ""
            message = text(
                f"calibrate.step.{step}", terminal_language(), cell=name, done=done, of=of
            )
            line.show(message)

        work = calibration.Calibrating(board.driver, taken, path, show, hands or (lambda _: None))
        try:
            data = work.run(neutral=neutral)
            calibration.send(board.driver, data)
        except KeyboardInterrupt:
            line.clear()
            say("calibrate.broken-off", done=len(taken.strengths), of=cells)
            raise
        finally:
            line.clear()
        DISK.put_whole(copy, data)
        path.unlink(missing_ok=True)
        known = health.read_health(state, board.hello.uid)
        known.model = board.hello.model
        seen = calibration.looks(board.profile, taken, date.today().isoformat())
        for cell, look in seen.items():
            known.calibrated(cell, look)
        health.keep(state, known)
        findings = calibration.findings(board.profile, taken)
    if json:
        print_json(
            {
                "good": worst(findings) != BAD,
                "profile": board.profile.name,
                "uid": board.hello.uid,
                "cells": {board.profile.grid.name(c): s for c, s in taken.strengths.items()},
                "copy": str(copy),
                "findings": documents(findings),
            }
        )
    else:
        tell(findings)
        say("calibrate.kept", path=copy)
    return 1 if worst(findings) == BAD else 0


def _copied(copy: Path) -> bytes:
    try:
        return copy.read_bytes()
    except OSError:
        raise UsageError(text("calibrate.no-copy", terminal_language(), path=copy)) from None


PATIENCE_S = 5.0


def link_command(*, port: Port = 8700, json: Json = False) -> None:
    """Show the statistics of a running table's board link.

    Frames and bytes both ways, what was broken, came twice or was sent again, round trips, and
    what the board says of itself: its worst gap between two scans, broken frames, drops, free
    memory, supply, light left by its current limit. docs/link.md explains each figure.
    """
    statistics = _fetch_statistics(port)
    line: dict[str, Any] = statistics.get("line") or {}
    if json:
        print_json({"link": statistics.get("link"), **line})
        return
    say(f"link.{statistics.get('link')}")
    for name, value in line.items():
        if isinstance(value, dict):
            for part, figure in value.items():
                print(f"{name + ' ' + part:<24} {figure:>14,}")
        else:
            print(f"{name:<24} {value:>14,}")


def _fetch_statistics(port: int) -> dict[str, Any]:
    import urllib.request

    url = f"http://127.0.0.1:{port}/api/view"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=PATIENCE_S) as answer:
            statistics = size_limits.from_json(answer.read())
    except (OSError, ValueError):
        statistics = None
    if not isinstance(statistics, dict) or "link" not in statistics:
        raise UsageError(
            f"no lumiban table is running on port {port}: start one ({start_word()} play control), "
            "or name its port with --port"
        )
    return statistics
