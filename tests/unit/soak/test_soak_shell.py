"""The shell in the soak: a whole line in virtual time, and red where one of its laws is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lumiban.boards import port_line
from lumiban.boards.link import Link
from lumiban.boards.port_line import PortLine
from lumiban.boards.reconnecting import SerialBoard
from lumiban.errors import CheckFailed
from lumiban_lab import soak_shell
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_shell import PORTS
from lumiban_lab.soak_table import SoakTable

S = 1_000_000


@contextmanager
def table(folder: Path, port: str) -> Iterator[SoakTable]:
    """A table at a port of this kind, which has met its board."""
    rig = faulty_rig("hex3", 4, "")
    seats = ("human", "human")
    one = SoakTable(rig, "control", {"size": 3}, seats, seed=4, folder=folder, port=port)
    try:
        one.rest(2 * S)
        yield one
    finally:
        one.line.close()


def goes_on(one: SoakTable, trouble: str = "", us: int = 12 * S) -> None:
    """Time passes, and this befalls the table, or these at once; the board is there at its end."""
    if trouble:
        one.universe.add([f"at 1ms for {what}" for what in trouble.split("; ")], one.now_us)
    one.rest(us)
    one.universe.end_all()
    assert one.until(lambda: one.session.board.link == "up", 15 * S)
    one.line.judge()


@pytest.mark.parametrize(
    ("port", "lasting"), list(zip(PORTS, ("mute", "held", "gone", "mute"), strict=True))
)
def test_a_board_that_nothing_befalls_is_never_lost_beside_one_whose_cable_breaks_for_good(
    port: str, lasting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak_shell, "LASTING", (lasting,))
    monkeypatch.setattr(soak_shell, "BREAKS_US", (3 * S, 3 * S + 1))
    with table(tmp_path, port) as one:
        goes_on(one, us=40 * S)
        assert one.losses == 0
        assert one.line.lasting == [f"another board {lasting} for good"]


@pytest.mark.parametrize("trouble", ["held bytes", "slow line", "stalled process"])
def test_a_board_that_is_late_within_its_patience_is_not_lost(trouble: str, tmp_path: Path) -> None:
    port = "simulated" if trouble == "stalled process" else "numbered"
    lasts_ms = {"stalled process": 20_000, "held bytes": 900}.get(trouble, 6_000)
    with table(tmp_path, port) as one:
        goes_on(one, f"{lasts_ms}ms {trouble}", 25 * S)
        assert one.losses == 0


@pytest.mark.parametrize("trouble", ["hang-up", "renumbered", "held port"])
def test_a_board_that_went_is_lost_and_comes_back(trouble: str, tmp_path: Path) -> None:
    with table(tmp_path, "numbered") as one:
        goes_on(one, f"6000ms {trouble}")
        assert one.losses >= 1


# What it looks for, made to happen.


def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that says nothing for 0.3 s is given up."""
    real = SerialBoard._plug_in

    def plug_in(board: SerialBoard, patience_us: int) -> None:
        board.link.silence_us = 300_000
        real(board, patience_us)

    monkeypatch.setattr(SerialBoard, "_plug_in", plug_in)


def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that stood takes its stand for the board's silence."""
    monkeypatch.setattr(Link, "_excuse", lambda link, now_us: None)


def by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was stopped is given up as one that sleeps."""
    monkeypatch.setattr(PortLine, "had_chance", lambda line: True)


def deaf_to_a_second_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to read is taken for a hang-up."""
    monkeypatch.setattr(PortLine, "_is_hung_up", lambda line, fd: True)


def forward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is plugged in is asked whether it is the board."""
    monkeypatch.setattr(PortLine, "_rank", lambda line, port, is_old: port_line.NEW)


@pytest.mark.parametrize(
    ("mutant", "port", "trouble", "says"),
    [
        (hasty, "numbered", "400ms held bytes", "a frame arrived|sound board was lost"),
        (strict, "numbered", "2000ms frozen host; 3000ms held bytes", "a frame arrived"),
        (by_the_clock, "simulated", "6000ms stalled process", "no chance to speak"),
        (deaf_to_a_second_reader, "numbered", "6000ms second reader", "never hung up"),
        (forward, "numbered", "6000ms renumbered", "opened a port of nobody"),
        (forward, "unnumbered", "6000ms stranger", "opened a port of"),
        (forward, "numbered", "6000ms hang-up", "opened a port of another table"),
    ],
)
def test_a_broken_law_is_noticed(
    mutant: Callable[[pytest.MonkeyPatch], None],
    port: str,
    trouble: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mutant(monkeypatch)
    with pytest.raises(CheckFailed, match=says), table(tmp_path, port) as one:
        goes_on(one, trouble)
