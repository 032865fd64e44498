"""A board's trace is a VCD file that other people's tools read."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from random import Random

import patience
import pytest
from contract import benches
from lumiban.boards.profile import load
from lumiban.flight.trace import vcd
from lumiban_fw import wire
from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.hands import SimulatedHands
from pytest_lumiban.simulated import SimulatedBench
from pytest_lumiban.trace import Traced

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def stone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of one white stone on c3, and of a red light there."""
    bench = SimulatedBench("sim", load("hex3"), 1, cold=True)
    traced = Traced(bench)
    board = BoardUnderTest(traced, Random(1))
    SimulatedHands(board, bench).place("c3", "white")
    board.show({"c3": (255, 0, 0)})
    board.wait(0.2)
    path = tmp_path_factory.mktemp("trace") / "stone.vcd"
    traced.save(path, "one stone")
    return path


def read(path: Path) -> dict[str, list[tuple[int, int]]]:
    """The changes of each signal, read by IEEE 1364's own words and nothing of ours."""
    head, _, body = path.read_text("ascii").partition("$enddefinitions $end")
    ids = dict(re.findall(r"\$var wire \d+ (\S+) (\S+)(?: \[\d+:0\])? \$end", head))
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in ids.values()}
    now = 0
    for line in body.split("\n"):
        if line.startswith("#"):
            assert int(line[1:]) >= now
            now = int(line[1:])
        elif line.startswith("b"):
            value, id = line[1:].split()
            found[ids[id]].append((now, int(value, 2)))
        elif line and line[0] in "01":
            found[ids[line[1:]]].append((now, int(line[0])))
    return found


def test_one_stone_and_its_light_stand_in_the_trace(stone: Path) -> None:
    told = read(stone)
    assert [value for _, value in told["cell_c3"]] == [wire.EMPTY, wire.WHITE]
    assert [value for _, value in told["cell_a3"]] == [wire.EMPTY]
    set_us = told["cell_c3"][1][0]
    assert any(at == set_us and kind == wire.B_EVENTS for at, kind in told["to_host"])
    lit_us = next(at for at, rgb in told["light_c3"] if rgb >> 16 and not rgb & 0xFFFF)
    assert set_us <= lit_us  # the bench looks at its lamps when time has gone on
    assert [value for _, value in told["on_c3"]] == [0, 1]
    assert told["lit_c3"][-1][1] == 1
    kinds = {kind for _, kind in told["to_board"]}
    assert kinds >= {0, wire.H_HELLO, wire.H_LAYER, wire.H_PALETTE, wire.H_COMMIT}
    scans = [at for at, value in told["scan"] if value]
    assert len(scans) > 100


def test_rows_of_a_simulated_header_stand_in_its_trace(tmp_path: Path) -> None:
    with benches.bench("gpio", load("breadboard8"), 1) as bench:
        traced = Traced(bench)
        traced.read(traced.now_us + 50_000)
        rows = bench.rig.chip.body.pi.pins.drive  # type: ignore[attr-defined]
        traced.save(tmp_path / "header.vcd", "a header")
    told = read(tmp_path / "header.vcd")
    drawn = [pin for pin in rows if [level for _, level in told[f"gpio_{pin}"]][-2:] == [0, 1]]
    assert drawn == list(rows), "each drawn low, and let go"


@pytest.mark.process
def test_each_test_has_a_trace_of_its_own_whatever_its_name(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.parametrize('at', ['c3/d4', 'c3 d4', 'c3_d4', '左', '右'])\n"
        "def test_it(lumiban_bench, at): pass\n"
    )
    words = ("-p", "pytest_lumiban.plugin", "--lumiban-trace", "traces")
    pytester.runpytest_subprocess(*words).assert_outcomes(passed=5)
    traces = [path.read_text("ascii") for path in pytester.path.glob("traces/*.vcd")]
    assert len({trace.partition("$end")[0] for trace in traces}) == 5


def test_many_signals_have_names_of_their_own() -> None:
    signals = [f"signal{n}" for n in range(9_000)]
    names = re.findall(r"\$var wire 1 (\S+) ", "".join(vcd([], signals)))
    assert len(set(names)) == 9_000


def tool(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail(f"no {name}: install {package}")
        pytest.skip(f"no {name}: install {package}")
    return found


@pytest.mark.process
def test_gtkwave_reads_it(stone: Path) -> None:
    out = stone.with_suffix(".fst")
    done = patience.run([tool("vcd2fst", "gtkwave"), str(stone), str(out)])
    assert done.returncode == 0, done.stderr
    back = patience.run([tool("fst2vcd", "gtkwave"), str(out)])
    again = stone.with_name("again.vcd")
    again.write_text(back.stdout)
    ours, theirs = read(stone), read(again)
    for name in ("cell_c3", "to_host", "light_c3"):
        assert theirs[name][-1] == ours[name][-1]


@pytest.mark.process
def test_sigrok_reads_it(stone: Path) -> None:
    words = [tool("sigrok-cli", "sigrok-cli"), "-I", "vcd", "-i", str(stone), "--show"]
    done = patience.run(words)
    assert done.returncode == 0, done.stderr
    assert "scan" in done.stdout
    for name in ("host_COMMIT", "board_EVENTS", "on_c3", "lit_c3"):
        assert f"- {name}: logic" in done.stdout
