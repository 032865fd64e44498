"""What is written to a terminal: sentences, JSON by the line, a line that shows progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from lumiban.i18n import terminal_language, text


def say(id: str, *, indent: int = 0, **params: object) -> None:
    """A sentence of the catalogue on stdout, in the terminal's language."""
    print(" " * indent + text(id, terminal_language(), **params), flush=True)


def say_if_plain() -> None:
    """A note on stderr when numba is there but could not be used."""
    from lumiban.search.jit import broken

    reason = broken()
    if reason:
        print(text("cli.plain", terminal_language(), reason=reason), file=sys.stderr)


def print_json(data: Mapping[str, Any]) -> None:
    """One line of JSON on stdout, told at once: who reads a pipe may wait for it."""
    print(json.dumps(data, ensure_ascii=False), flush=True)


class Progress:
    """One line on stderr that is written over, only where a person watches."""

    def __init__(self) -> None:
        self._shown = 0
        self._live = sys.stderr.isatty()

    def show(self, line: str) -> None:
        """Replace the line."""
        if self._live:
            sys.stderr.write("\r" + line.ljust(self._shown))
            sys.stderr.flush()
            self._shown = len(line)

    def clear(self) -> None:
        """Take the line away."""
        if self._live and self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
            self._shown = 0
