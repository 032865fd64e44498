"""`lumiban bench`, where there is a checkout: its commands are no part of what is installed.

They stand in lab/lumiban_lab, which needs what tests need; without it one sentence says so.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

from cyclopts import App, Parameter

from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text

COMMANDS = "lumiban_lab.commands"


def refuse_without_checkout(
    *words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)],
) -> None:
    """Measure this machine: in a checkout of the source, by `./run bench`."""
    raise UsageError(text("cli.bench.needs-checkout", terminal_language()))


def _commands() -> App:
    """The commands of the checkout, or the one that says where they are."""
    if find_spec(COMMANDS.partition(".")[0]):
        app: App = import_module(COMMANDS).app
        return app
    app = App(name="bench", help_epilogue="", help_format="plaintext")
    app.default(refuse_without_checkout)
    return app


app = _commands()
