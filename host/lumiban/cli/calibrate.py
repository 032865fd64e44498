"""`lumiban board calibrate`: an empty board, then a stone on each cell, led by its own lights."""

from __future__ import annotations

import json as documents_of
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.cli.maker import Bench, BoardPort, ProfileWish, bench, documents, tell
from lumiban.errors import BoardError, UsageError
from lumiban.i18n import terminal_language, text
from lumiban.maker.doctor import BAD, worst
from lumiban.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from lumiban.maker.calibration import PlacePrompt


def command(
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

    For example: lumiban board calibrate

    Take all stones off: a blinking cell is not empty. Then carry one white stone from cell to
    cell: put it on the glowing cell; a steady green cell has been measured. At the end put one
    neutral stone on the cell that glows amber. A button on the board skips a cell. No screen is
    needed. If interrupted, run it again and it continues. The board keeps the result, and
    this computer a copy. The exit code is 1 when a cell is weak, 3 when there is no board.
    """
    from lumiban.maker import calibration, health
    from lumiban.paths import made, state_folder

    state = made(state_folder())
    with bench(port, profile) as board, ExitStack() as stack:
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
        hands = stack.enter_context(_hands(board)) if assist else None
        line = Progress()

        def show(step: str, cell: int, done: int, of: int) -> None:
            name = board.profile.grid.name(cell) if cell >= 0 else ""
            said = text(f"calibrate.step.{step}", terminal_language(), cell=name, done=done, of=of)
            line.show(said)

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
        _keep(copy, data)
        path.unlink(missing_ok=True)
        known = health.read_health(state, board.hello.uid)
        known.model = board.hello.model
        seen = calibration.looks(board.profile, taken, date.today().isoformat())
        for cell, look in seen.items():
            known.calibrated(cell, look)
        health.keep(state, known)
        found = calibration.findings(board.profile, taken)
    if json:
        print_json(
            {
                "good": worst(found) != BAD,
                "profile": board.profile.name,
                "uid": board.hello.uid,
                "cells": {board.profile.grid.name(c): s for c, s in taken.strengths.items()},
                "copy": str(copy),
                "findings": documents(found),
            }
        )
    else:
        tell(found)
        say("calibrate.kept", path=copy)
    return 1 if worst(found) == BAD else 0


def _copied(copy: Path) -> bytes:
    try:
        return copy.read_bytes()
    except OSError:
        raise UsageError(text("calibrate.no-copy", terminal_language(), path=copy)) from None


def _keep(copy: Path, data: bytes) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    draft = copy.with_suffix(".new")
    draft.write_bytes(data)
    draft.replace(copy)


class _hands:  # noqa: N801  # a context manager by name
    """The simulator's own hands, over its `/hands`; BoardError on a real board."""

    def __init__(self, board: Bench) -> None:
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
        """What the simulator tells is not needed, but must be read."""
        for _ in self._line:
            pass

    def _ask(self, ask: PlacePrompt) -> None:
        said: dict[str, int | str] = {"do": "place" if ask.do == "set" else "lift"}
        said["cell"] = ask.cell
        if ask.do == "set":
            said["kind"] = ask.kind
        self._line.send(documents_of.dumps(said))
