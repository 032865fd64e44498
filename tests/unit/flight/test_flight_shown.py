"""A recording for a reader, and for a logic analyser: what passed, when, and which way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from each import each
from lumiban.boards.profile import load
from lumiban.errors import UsageError
from lumiban.flight.file import Flight, FlightFile, in_lines
from lumiban.flight.replay import passed, shown_lines
from lumiban.flight.trace import FRAME_US, LineTrace, vcd
from lumiban_fw import wire

HEAD: Any = {"at": "2026-01-01T00:00:00Z", "profile": "hex3"}
ASKED = wire.frame(wire.H_GET_STATE)
SENT = wire.frame(wire.H_COMMIT, b"", flags=wire.RELIABLE, seq=7)


@each(
    ("line", "shown"),
    [
        (["o", 5, 9], ["0.000005  port opened"]),
        (["p", 1_500_000], []),
        (["wait", 7], []),
        (["c", "unplugged"], ["0.000000  port broke: unplugged"]),
        (["h", "busy", "ttyACM0"], ["0.000000  port refused: busy ttyACM0"]),
        (["full"], ["0.000000  no more room: the recording ends"]),
        (["w", ASKED.hex()], ["0.000000  > GET_STATE"]),
        (["w", SENT.hex()], ["0.000000  > COMMIT 7"]),
        (["r", 3, ASKED.hex()], ["0.000003  < GET_STATE"]),
        (["r", 3, (b"garbage\x00" + ASKED).hex()],
         ["0.000003  < GET_STATE", "0.000003  < 1 broken"]),
        (["s", 2, [4, ["Durable", 1]], [["Show", 9], ["Stop", 3]], {"agree": 1}],
         ['0.000002  told ["Durable",1]', '0.000002  verdict {"agree":1}', "0.000002  Stop [3]"]),
    ],
)  # fmt: skip
def test_each_line_is_shown_at_its_time(line: list[Any], shown: list[str]) -> None:
    head, *rest = shown_lines(HEAD, [line])
    assert head == "recorded at 2026-01-01T00:00:00Z on hex3"
    assert [text.strip() for text in rest] == shown


def test_times_add_up_over_every_line_that_has_one() -> None:
    lines = [["o", 5, 9], ["p", 10], ["wait", 20], ["s", 40, [], [], None], ["r", 80, "41"]]
    (_, last) = (*passed([*lines[:-1], ["r", 1, "40"]]),), [*passed(lines)]
    assert last == [(155, False, b"A")]
    (shown,) = [text for text in shown_lines(HEAD, [*lines[:-1], ["c", "x"]]) if "broke" in text]
    assert shown.split()[0] == "0.000075"


def test_bytes_from_and_to_the_board_are_told_apart() -> None:
    told = list(passed([["o", 5, 9], ["w", "41"], ["r", 7, "4243"], ["w", "44"]]))
    assert told == [(5, True, b"A"), (12, False, b"BC"), (12, True, b"D")]
    with pytest.raises(UsageError, match="line 2 is garbled"):
        list(passed([["w", "4"]]))


def test_a_journal_that_is_too_long_for_a_line_comes_back_whole(tmp_path: Path) -> None:
    journal = "a line of a journal\n" * 20_000
    head: Any = {**HEAD, "flight": 1, "journal": journal}
    lines = in_lines(head)
    assert len(lines) > 2
    file = FlightFile(tmp_path / "long.flight")
    for line in (*lines, ["p", 5]):
        file.write([line])
    file.close()
    flight = Flight(tmp_path / "long.flight")
    assert flight.head == head
    assert list(flight.lines()) == [["p", 5]]
    assert in_lines(HEAD) == [HEAD]


def test_a_trace_has_each_frame_on_the_line_that_it_took_and_the_pieces_it_told() -> None:
    trace = LineTrace(load("hex3"))
    trace.to_board(100, ASKED + SENT)
    kinds = bytes([wire.WHITE, wire.EMPTY, wire.BLACK, *[wire.EMPTY] * 16])
    trace.to_host(200, wire.frame(wire.B_STATE, wire.pack_state(1, 2, 3, 0, 0, 1, kinds)))
    assert trace.changes[:2] == [
        (100, "to_board", wire.H_GET_STATE),
        (100 + FRAME_US, "to_board", 0),
    ]
    second = [at for at, name, value in trace.changes if name == "to_board" and value][1]
    assert second > 100 + FRAME_US, "behind the first"
    assert (200, "to_host", wire.B_STATE) in trace.changes
    names = load("hex3").grid.names
    lie = {(name, value) for _, name, value in trace.changes if name[:5] == "cell_" and value}
    assert lie == {(f"cell_{names[0]}", wire.WHITE), (f"cell_{names[2]}", wire.BLACK)}
    assert {name for _, name, value in trace.changes if name[:3] == "on_" and value} == {
        f"on_{names[0]}",
        f"on_{names[2]}",
    }
    drawn = re.findall(r"wire (\d) \d+ (\S+)", "".join(vcd(trace.changes, trace.signals)))
    assert {("8", "to_board"), ("1", "host_COMMIT"), ("4", "cell_a1")} <= set(drawn)
    assert sum(name.startswith("on_") for _, name in drawn) == 19


def test_the_file_for_an_analyser_tells_changes_only_in_order_of_time() -> None:
    text = "".join(vcd([(9, "a", 0), (5, "a", 1), (5, "cell_a1", 10), (7, "a", 1)]))
    head, _, body = text.rpartition("$end\n")
    assert re.findall(r"\$var wire (\d) (\S) (\w+)(?: \[3:0\])? \$end", head) == [
        ("1", "0", "a"),
        ("4", "1", "cell_a1"),
    ]
    assert body.split("\n") == ["#5", "10", "b1010 1", "#9", "00", ""]
    assert text.count("$timescale 1 us $end") == 1
