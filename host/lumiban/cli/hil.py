"""`lumiban board hil`: tell the report of a hardware run, and what changed since an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.maker.hil import (
    EXIT_CODES,
    FAILED,
    INCONCLUSIVE,
    OUTCOMES,
    changes,
    checks,
    page,
    plain,
    read,
)
from lumiban.terminal import print_json, say


def command(
    report: Annotated[Path, Parameter(help="A report.json written by a hardware run.")],
    /,
    *,
    against: Annotated[
        Path | None, Parameter(help="An earlier report.json: show what changed.")
    ] = None,
    html: Annotated[Path | None, Parameter(help="Write the page to this file.")] = None,
    json: Json = False,
) -> int:
    """Print the report of a hardware run.

    For example: lumiban board hil build/hil/report.json --against good/report.json

    To make one: ./run test --board serial --port PORT. The exit code is 1 when a test failed, 3
    when none did but some are inconclusive.
    """
    told = read(report)
    differences = None if against is None else changes(read(against), told)
    language = terminal_language()
    if html is not None:
        try:
            html.write_text(page(told, differences, language), "utf-8")
        except OSError as error:
            raise UsageError(
                text("maker.unwritable", language, path=html, reason=error.strerror)
            ) from None
    counts = {name: told.count(name) for name in OUTCOMES}
    if json:
        print_json(
            {
                "good": told.good,
                "verdict": told.verdict,
                "board": told.board,
                **counts,
                "changes": None
                if differences is None
                else [
                    {"kind": one.kind, "name": one.name, "before": one.before, "now": one.now}
                    for one in differences
                ],
            }
        )
    else:
        say("hil.title", model=told.board.get("model", "?"))
        say("hil.counts", **counts)
        for test in told.tests:
            if test.outcome in (FAILED, INCONCLUSIVE):
                print(f"{'✗' if test.outcome == FAILED else '?'} {plain(test.name)}")
                for line in (test.sentence, checks(test.name, language)):
                    if line:
                        print(f"  {line}")
        for one in differences or ():
            print(f"· {one.sentence(language)}")
        if html is not None:
            say("maker.written", path=html)
    return EXIT_CODES[told.verdict]
