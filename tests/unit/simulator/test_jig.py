"""The simulated jig refuses what it cannot do, by a word, and does nothing then."""

from __future__ import annotations

import pytest
from lumiban.boards.profile import load
from lumiban_sim.rig import Rig


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"put 19 1 5", b"no 19 is not from 0 to 18"),
        (b"put 1 0 5", b"no 0 is not from 1 to 3"),
        (b"take 1 -5", b"no -5 is not from 0 to 60000000"),
        (b"press 4 0", b"no 4 is not from 0 to 3"),
        (b"go", b"no nothing to do"),
        (b"\xff\x00 put", b"no such line"),
        (b"", b"no such line"),
        (b"x" * 71 + b" put 3 1 0", b"no line of that length"),
    ],
)
def test_what_it_cannot_do_is_refused_with_the_reason(line: bytes, answer: bytes) -> None:
    rig = Rig(load("hex3"), jig=True)
    assert rig.jig is not None
    rig.jig.hear(line + b"\n", 0)
    assert rig.jig.take_answers() == answer + b"\n"
    rig.advance(50_000)
    assert not any(rig.kinds)


def test_a_line_that_comes_in_pieces_is_one_line_and_a_minute_is_not_too_long() -> None:
    rig = Rig(load("hex3"), jig=True)
    assert rig.jig is not None
    for part in (b"pu", b"t 3 1 60000", b"000\nta", b"x" * 75, b" put 3 1 0\ngo", b"\n"):
        rig.jig.hear(part, 0)
    assert rig.jig.take_answers() == b"ok\nno line of that length\nok\n"


def test_what_is_planned_happens_at_its_time_and_clear_drops_it() -> None:
    rig = Rig(load("hex3"), jig=True)
    assert rig.jig is not None
    rig.jig.hear(b"put 3 2 5000\nput 4 1 9000\ngo\nput 5 1 0\ngo\n", 0)
    assert rig.jig.take_answers().split(b"\n") == [
        b"ok",
        b"ok",
        b"ok",
        b"ok",
        b"no still busy",
        b"",
    ]
    rig.advance(4_999)
    assert not any(rig.kinds)
    rig.advance(5_000)
    assert (rig.kinds[3], rig.kinds[4]) == (2, 0)
    rig.jig.hear(b"clear\n", rig.now_us)
    rig.advance(50_000)
    assert not any(rig.kinds)
    assert rig.jig.take_answers() == b"ok\n"
