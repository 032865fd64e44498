"""`lumiban board selftest`: a board tests itself, without hands."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.cli.maker import BoardPort, ProfileWish, bench, documents, tell
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.maker.doctor import BAD, worst
from lumiban.terminal import Progress, print_json, say


def command(
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
    figures: Annotated[
        Path | None,
        Parameter(help="Write assumed and measured figures to this TOML file; sim --figures runs."),
    ] = None,
    json: Json = False,
) -> int:
    """Test the board: scan rate, references, each sensor, noise, supply, answers, lights.

    For example: lumiban board selftest --figures board.toml

    Nobody needs to touch the board. Pieces may stay on it: their strength is then shown too.
    The exit code is 1 when something is bad, 3 when there is no board. The state of each sensor
    is kept for `lumiban board doctor`.
    """
    from lumiban.maker import health
    from lumiban.maker.selftest import SelfTest
    from lumiban.paths import made, state_folder

    with bench(port, profile) as board:
        line = Progress()
        language = terminal_language()

        def show(step: str, done: int, of: int) -> None:
            line.show(text(f"selftest.step.{step}", language, done=done, of=of))

        test = SelfTest(board.driver)
        try:
            findings = test.run(show, lights=lights)
            if walk:
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
        say("selftest.board", model=board.hello.model, uid=board.hello.uid, port=board.port)
        tell(findings)
        if figures is not None:
            say("maker.written", path=figures)
    return 1 if worst(findings) == BAD else 0
