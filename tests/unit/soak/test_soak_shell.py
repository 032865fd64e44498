"""The shell in the soak: a whole line in virtual time, and red where one of its laws is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.boards import port_line
from lumiban.boards.link import Link
from lumiban.boards.port_line import PortLine
from lumiban.boards.reconnecting import SerialBoard
from lumiban.errors import CheckFailed
from lumiban_fw import wire
from lumiban_lab import soak, soak_shell
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_shell import LASTING, PORTS, Shell, Way
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


@pytest.mark.parametrize("trouble", ["held bytes", "slow line", "stopped process"])
def test_a_board_that_is_late_within_its_patience_is_not_lost(trouble: str, tmp_path: Path) -> None:
    port = "simulated" if trouble == "stopped process" else "numbered"
    lasts_ms = {"stopped process": 20_000, "held bytes": 900}.get(trouble, 6_000)
    with table(tmp_path, port) as one:
        goes_on(one, f"{lasts_ms}ms {trouble}", 25 * S)
        assert one.losses == 0


@pytest.mark.parametrize("trouble", ["hang-up", "renumbered", "held port", "sleeping process"])
def test_a_board_that_went_is_lost_and_comes_back(trouble: str, tmp_path: Path) -> None:
    port = "simulated" if trouble == "sleeping process" else "numbered"
    with table(tmp_path, port) as one:
        goes_on(one, f"6000ms {trouble}")
        assert one.losses >= 1


def test_a_frame_that_arrives_while_the_host_stands_is_as_old_as_its_stand(tmp_path: Path) -> None:
    with table(tmp_path, "numbered") as one:
        one.rest(2 * S)
        shell = one.line
        assert isinstance(shell, Shell)
        awake_us, before_us = shell._awake_us, shell._ear.answered_us
        shell.stand(one.now_us + 2 * S)  # the board beats twice a second
        assert before_us < shell._ear.answered_us <= awake_us + wire.BEAT_US


@pytest.mark.parametrize(("stood_us", "counts_us"), [(400_000, 400_000), (2 * S, wire.BEAT_US)])
def test_a_stand_counts_as_silence_as_long_as_a_host_may_wait_for_its_next_beat(
    stood_us: int, counts_us: int, tmp_path: Path
) -> None:
    with table(tmp_path, "numbered") as one:
        shell = one.line
        assert isinstance(shell, Shell)
        for _ in range(2):
            awake_us, until_us = shell._awake_us, one.now_us + stood_us
            shell.stand(one.now_us + stood_us // 3)
            shell.stand(until_us)
            assert shell._awake_us == awake_us + counts_us
            one.rest(1)


def test_a_full_line_and_a_short_stand_are_no_reason_to_accuse_the_link() -> None:
    plan = "at 12737ms for 6000ms full line\nat 14171ms for 400ms frozen host"
    assert soak.sit(0, 0.4, plans=(plan,)).failures == []


def test_a_sitting_at_a_port_is_the_same_each_time() -> None:
    plans = ("at 5000ms for 2000ms second reader\nat 9000ms for 3000ms renumbered",)
    one, other = (replace(soak.sit(13, 0.4, plans=plans), cpu_s=0.0) for _ in range(2))
    assert one == other
    assert one.losses > 0


def test_bytes_on_a_slow_way_arrive_a_few_at_a_time_and_on_a_held_one_all_at_once() -> None:
    way = Way()
    way.rate = 100
    way.put(bytes(50))
    assert [len(way.take(at * S // 10, 99)) for at in range(1, 8)] == [10] * 5 + [0, 0]
    way.rate, way.is_held = 0, True
    way.put(b"abc")
    assert (way.take(9 * S, 99), way.waits) == (b"", False)
    way.is_held = False
    assert (way.take(9 * S, 2), way.take(9 * S, 2)) == (b"ab", b"c")


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


def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that never answers is tried again at once, for ever."""
    monkeypatch.setattr(port_line, "MOST_REST_S", 0.1)


@pytest.mark.parametrize(
    ("mutant", "port", "trouble", "says"),
    [
        (hasty, "numbered", "400ms held bytes", "a frame arrived|sound board was lost"),
        (strict, "numbered", "2000ms frozen host; 3000ms held bytes", "a frame arrived"),
        (by_the_clock, "simulated", "6000ms stopped process", "no chance to speak"),
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


def test_a_board_that_is_tried_without_rest_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak_shell, "BREAKS_US", (S, S + 1))
    monkeypatch.setattr(soak_shell, "LASTING", ("mute",))
    restless(monkeypatch)
    with table(tmp_path, "numbered") as one:
        one.rest(40 * S)
        one.universe.end_all()
        with pytest.raises(CheckFailed, match="was opened"):
            one.rest(S)


def test_what_is_written_to_a_stranger_is_noticed(tmp_path: Path) -> None:
    with table(tmp_path, "numbered") as one:
        assert isinstance(one.line, Shell)
        stranger = one.line._stranger("ttyUSB7")
        Path(stranger.path).write_bytes(b"hello")
        with pytest.raises(CheckFailed, match="hello"):
            one.rest(S)


def test_every_lasting_fault_is_drawn() -> None:
    import random

    assert {random.Random(f"neighbour {seed}").choice(LASTING) for seed in range(20)} == {*LASTING}
