"""Fault plans as people write them: what they say, and where they are wrong."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban_sim.faults import FOREVER, FORMS, OF_SWITCHES, Fault, PlanError, parse

BOARD = load("hex3")
SWITCHES = load("breadboard8")


def only(text: str) -> Fault:
    (fault,) = parse(text, BOARD).faults
    return fault


def test_a_line_says_when_for_how_long_what_and_where() -> None:
    fault = only("at 12s for 3s stuck c3")
    assert (fault.at_us, fault.until_us, fault.name) == (12_000_000, 15_000_000, "stuck")
    assert fault.cell == BOARD.grid.cell("c3")


@each(
    ("told", "us"),
    [("0s", 0), ("5us", 5), ("1.5ms", 1500), ("2s", 2_000_000), ("1min", 60_000_000),
     ("0.5h", 1_800_000_000)],
)  # fmt: skip
def test_times_have_units(told: str, us: int) -> None:
    assert only(f"at {told} reset").at_us == us


def test_comments_and_empty_lines_say_nothing_and_faults_are_in_order_of_time() -> None:
    plan = parse("# two\n\nat 9s reset  # late\n  at 3s hang\n", BOARD)
    assert [(fault.name, fault.line) for fault in plan.faults] == [("hang", 4), ("reset", 3)]


def test_without_an_end_a_fault_stays() -> None:
    assert only("at 1s dead a1").until_us == FOREVER


def test_a_select_line_breaks_for_all_rows_or_for_one() -> None:
    assert only("at 1s select line S2").args == (2,)
    assert only("at 1s select line S2 of row 4").args == (2, 4)


EXAMPLES = {
    "CELL": "c3", "ROW": "1", "LINE": "S0", "KIND": "white", "MILLIVOLTS": "4200mV",
    "OHMS": "0.8ohm", "MILLITESLA": "20mT", "RATE": "30/s", "KELVIN": "-5K",
    "MILLIMETRES": "5mm", "PERCENT": "60%", "COUNT": "30",
}  # fmt: skip


@each("form", FORMS)
def test_every_form_can_be_written(form: object) -> None:
    words = " ".join(EXAMPLES.get(word, word) for word in form.words.split())  # type: ignore[attr-defined]
    lasts = "" if form.time == "once" else "for 1s "  # type: ignore[attr-defined]
    board = SWITCHES if form.name in OF_SWITCHES else BOARD  # type: ignore[attr-defined]
    (fault,) = parse(f"at 1s {lasts}{words}", board).faults
    assert fault.text == words


def test_a_fault_of_switches_is_none_of_sensors_that_measure() -> None:
    with pytest.raises(PlanError, match="closed is a fault of switches; hex3 measures fields"):
        only("at 1s closed c3")


@each(
    ("text", "line", "word", "says"),
    [
        ("stuck c3", 1, 1, "begins with `at`"),
        ("at", 1, 2, "a time is missing"),
        ("at 12 stuck c3", 1, 2, "a number and one of us, ms, s, min, h"),
        ("at -1s reset", 1, 2, "a number and one of"),
        ("at 12s for", 1, 4, "a time is missing"),
        ("at 12s", 1, 3, "no such fault"),
        ("\nat 12s sticky c3", 2, 3, "no such fault; there are: stuck, dead"),
        ("at 12s stuck", 1, 4, "CELL (the fault is written: stuck CELL) is missing"),
        ("at 12s stuck z9", 1, 4, "no cell 'z9' here"),
        ("at 12s stuck c3 c4", 1, 5, "nothing was expected here"),
        ("at 12s cable row 3", 1, 4, "'of' was expected"),
        ("at 12s cable of row 99", 1, 6, "from 0 to 4"),
        ("at 12s select line S7", 1, 5, "from 0 to 3"),
        ("at 12s stacked c3 red", 1, 5, "one of white, black, neutral"),
        ("at 12s for 1s brown-out to 4V", 1, 7, "from 2000 to 5200 mV was expected, as in 4200mV"),
        ("at 12s weak c3 to 200%", 1, 6, "from 0 to 100 %"),
        ("at 12s for 3s reset", 1, 5, "happens once"),
        ("at 12s unplug", 1, 3, "must end"),
        ("# fine\nat 1s reset\nat 2s for 1s stall now", 3, 6, "nothing was expected"),
    ],
)
def test_an_error_names_line_and_word(text: str, line: int, word: int, says: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse(text, BOARD, "my.plan")
    assert (caught.value.line, caught.value.word) == (line, word)
    assert str(caught.value).startswith(f"my.plan, line {line}, word {word}: ")
    assert says in str(caught.value)


WORDS = st.sampled_from(
    ["at", "for", "1s", "2ms", "c3", "row", "of", "to", "by", "line", "S1", "50%", "white", "#",
     "9999999999999s", "1e9s", "\n", "٣s", "", *(form.name for form in FORMS)]
)  # fmt: skip


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_any_text_is_a_plan_or_is_told_where_it_is_not(text: str) -> None:
    try:
        plan = parse(text, BOARD)
    except PlanError as error:
        line = error.line
    else:
        line = 1
        assert all(fault.at_us <= fault.until_us for fault in plan.faults)
    assert 1 <= line <= text.count("\n") + 1


def sim(state: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lumiban", "sim", "--profile", "hex3", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LUMIBAN_HOME": str(state)},
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("at 1s stuck z9", "line 1, word 4"),
        ("at 1s for 1s stall", "a real port cannot do this"),
        ("at 1s for 1s kill host", "does not end its host"),
    ],
)
def test_sim_refuses_a_plan_that_it_cannot_make_happen(
    line: str, says: str, tmp_path: Path
) -> None:
    plan = tmp_path / "my.plan"
    plan.write_text(line)
    process = sim(tmp_path, "--faults", str(plan))
    _, errors = process.communicate()
    assert process.returncode == 2
    assert says in errors
    assert "Traceback" not in errors


def hangs_up(port: str) -> bool:
    """Read a port, as its host does, until its cable is out; the time is the simulator's."""
    try:
        line = os.open(port, os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return True  # it was out already
    try:
        while True:
            patience.until(lambda: select.select([line], [], [], 0)[0])
            if not os.read(line, 4096):
                return True
    except OSError as error:
        return error.errno == errno.EIO
    finally:
        os.close(line)


@pytest.mark.process
def test_sim_runs_with_a_plan_that_unplugs_a_board_of_parts(tmp_path: Path) -> None:
    plan = tmp_path / "my.plan"
    plan.write_text("at 0s stuck c3\nat 0s reset\nat 100ms for 1h unplug\n")
    process = sim(tmp_path, "--faults", str(plan), "--parts", "3")
    try:
        told = json.loads(process.stdout.readline())
        assert told["profile"] == "hex3"
        assert hangs_up(told["port"])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == 0
