"""The line on a terminal that shows progress."""

from __future__ import annotations

import io
import sys
import threading

import patience
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


def test_work_that_cannot_tell_how_far_it_is_counts_its_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = watched(monkeypatch)
    times = iter([100.0, 101.0, 102.4])
    progress = Progress(clock=lambda: next(times, 110.0), every_s=0.001)
    progress.wait("compiling …")
    patience.until(lambda: "(10 s)" in terminal.getvalue())
    assert terminal.getvalue().startswith(
        "\rcompiling …\rcompiling … (1 s)\rcompiling … (2 s)\rcompiling … (10 s)"
    )
    progress.show("1 of 2 games")
    assert terminal.getvalue().endswith("\r" + "1 of 2 games".ljust(len("compiling … (10 s)")))


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


@pytest.mark.parametrize("ends", ["show", "clear"])
def test_the_seconds_end_with_the_wait(monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    terminal = watched(monkeypatch)
    others = set(threading.enumerate())
    progress = Progress(every_s=0.001)
    progress.wait("compiling …")
    (progress.clear if ends == "clear" else lambda: progress.show("done"))()
    before = terminal.getvalue()
    patience.until(lambda: not counting(others))
    assert terminal.getvalue() == before


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
