"""The line on a terminal that shows progress."""

from __future__ import annotations

import io
import sys
import threading

import pytest
from lumiban.system.terminal import Progress, columns_of

WAITS = "対局を準備中。初めてのときはボットのコンパイルに数分かかります"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as stderr. Not a fixture: pytest sets stderr between setup and test."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


@pytest.mark.parametrize(
    ("columns", "seen"), [("40", "対局を準備中。初めてのときはボットのコ…"), ("80", WAITS)]
)
def test_a_line_never_goes_on_below(
    monkeypatch: pytest.MonkeyPatch, columns: str, seen: str
) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setenv("COLUMNS", columns)
    progress = Progress()
    progress.show(WAITS)
    written = terminal.getvalue()
    assert written == f"\r{seen}"
    assert columns_of(written.lstrip("\r")) < int(columns)
    progress.show("1")
    # All of what stood there is covered.
    assert terminal.getvalue().removeprefix(written) == "\r1" + " " * (columns_of(seen) - 1)


def test_nothing_is_shown_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    others = set(threading.enumerate())
    progress = Progress(every_s=0.001)
    progress.wait("compiling …")
    progress.show("1 of 2 games")
    progress.clear()
    assert (file.getvalue(), counting(others)) == ("", False)


def counting(others: set[threading.Thread]) -> bool:
    """True if a thread still counts that is none of the others, which other tests began."""
    return any("_count" in one.name for one in set(threading.enumerate()) - others)
