"""Each planned fault in the simulated world: what sensors read, lights show, and lines carry."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban_fw.wire import BLACK, FOREIGN, NEUTRAL, WHITE
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_check import check, check_light
from lumiban_lab.soak_people import People
from lumiban_lab.soak_table import SoakTable
from lumiban_sim.faults import NOTHING, parse
from lumiban_sim.rig import Rig
from unit.simulator.test_rig import Host

BOARD = load("hex3")
ROW = 2
"""c1 to c5."""


def cell(name: str) -> int:
    return BOARD.grid.cell(name)


def rig(plan: str, stones: str = "") -> Rig:
    """A board with white stones on some cells, run until the plan's faults have come."""
    found = Rig(BOARD, 3, noise_ut=0, plan=parse(plan, BOARD), cold=False)
    for name in stones.split():
        found.world.stand(WHITE, cell(name))
    found.advance(500_000)
    return found


def read(found: Rig, at_us: int) -> tuple[list[int], list[int]]:
    found.advance(at_us)
    counts, references = [0] * len(BOARD.cells), [0] * BOARD.rows
    found.world.sample(at_us // 1000, at_us, counts, references)
    return counts, references


def test_a_stuck_sensor_reads_on_what_it_read() -> None:
    found = rig("at 1s for 1s stuck c3", "c3")
    before, _ = read(found, 900_000)
    read(found, 1_100_000)
    piece = found.world.on(cell("c3"))[0]
    found.world.vanish(piece, 1_200_000)
    during, _ = read(found, 1_300_000)
    after, _ = read(found, 2_100_000)
    assert during[cell("c3")] == before[cell("c3")] > 2048 + 300
    assert after[cell("c3")] == 2048


def test_a_dead_sensor_reads_nothing() -> None:
    counts, references = read(rig("at 1s dead c3"), 1_100_000)
    assert counts[cell("c3")] == NOTHING
    assert set(references) == {2048}
    assert sum(count != 2048 for count in counts) == 1


def test_a_cable_takes_its_row_and_reference() -> None:
    found = rig(f"at 1s for 1s cable of row {ROW}")
    counts, references = read(found, 1_100_000)
    gone = [BOARD.grid.name(n) for n, count in enumerate(counts) if count == NOTHING]
    assert gone == ["c1", "c2", "c3", "c4", "c5"]
    assert [r for r, count in enumerate(references) if count == NOTHING] == [ROW]
    assert read(found, 2_100_000) == ([2048] * 19, [2048] * 5)


def test_a_loose_plug_comes_and_goes() -> None:
    found = rig(f"at 1s for 1s loose plug of row {ROW}")
    seen = {read(found, 1_000_000 + 10_000 * k)[1][ROW] for k in range(1, 20)}
    assert seen == {2048, NOTHING}


def test_a_broken_select_line_mirrors_channels() -> None:
    counts, references = read(rig(f"at 1s select line S0 of row {ROW}", "c1 c3"), 1_100_000)
    row = [counts[cell(f"c{number}")] for number in range(1, 6)]
    assert row[1] == row[0] > 2400
    assert row[3] == row[2] > 2400
    assert row[4] < 2400
    assert references[ROW] != 2048
    assert references[ROW - 1] == 2048


def test_a_dark_light_takes_the_rest_of_its_strip_and_gives_it_back() -> None:
    found = rig("at 1s for 1s dark light c2")
    found.world.shine(bytes([200] * 3 * BOARD.lights), 0)
    found.advance(1_100_000)
    lit = [BOARD.grid.name(n) for n, c in enumerate(BOARD.cells) if found.light[3 * c.light]]
    assert "c1" in lit
    assert not {"c2", "c3", "c4", "c5"} & set(lit)
    assert len(lit) == 15


def test_a_brown_out_sags_the_rail_and_below_the_regulators_all_counts() -> None:
    found = rig("at 1s for 1s brown-out to 4200mV\nat 3s for 1s brown-out to 2800mV")
    assert read(found, 1_100_000) == ([2048] * 19, [2048] * 5)
    assert found.world.rail_mv == 4200
    assert read(found, 3_100_000)[1] == [2048 * 2800 // 3500] * 5
    found.advance(4_100_000)
    assert found.world.rail_mv == 5000


def test_a_thin_cable_sags_with_light() -> None:
    found = rig("at 1s thin cable of 2ohm")
    found.advance(1_100_000)
    dim = found.world.rail_mv
    found.world.shine(bytes([255] * 3 * BOARD.lights), 0)
    assert found.world.rail_mv < dim - 1500


def test_spikes_are_single_readings() -> None:
    found = rig("at 1s for 1s spikes of 40mT at 100/s")
    found.advance(1_000_000)
    odd = [sum(count != 2048 for count in read(found, 1_000_000 + 1000 * k)[0]) for k in range(900)]
    assert set(odd) == {0, 1}
    assert 50 < sum(odd) < 150


def test_warmth_shifts_each_sensor_by_its_own() -> None:
    counts, references = read(rig("at 1s warm by 25K"), 1_100_000)
    assert len(set(counts)) > 4
    assert all(abs(count - 2048) < 100 for count in counts)
    assert set(references) == {2048}


def believed(plan: str, stones: str, at_us: int) -> bytes:
    """What a host is told of the board."""
    found = rig(plan, stones)
    host = Host(found)
    host.go(at_us)
    return bytes(host.kinds)


@pytest.mark.parametrize(
    ("plan", "where", "kind"),
    [
        ("at 1s flipped c3", "c3", BLACK),
        ("at 1s weak c3 to 45%", "c3", NEUTRAL),
        ("at 1s weak c3 to 0%", "c3", 0),
        ("at 1s displaced c3 by 5mm", "c3", NEUTRAL),
        ("at 1s foreign c4", "c4", FOREIGN),
        ("at 1s between c4 c5 white", "c4", 0),
        ("at 1s stacked c3 white", "c3", WHITE),
    ],
)
def test_what_the_board_makes_of_a_piece_that_is_not_as_it_should(
    plan: str, where: str, kind: int
) -> None:
    assert believed(plan, "c3", 3_000_000)[cell(where)] == kind
    ended = plan.replace("at 1s", "at 1s for 1s")
    whole = [0] * 19
    whole[cell("c3")] = WHITE
    assert list(believed(ended, "c3", 4_000_000)) == whole


def test_a_fault_of_a_piece_is_none_where_no_piece_lies() -> None:
    for plan in ("flipped c4", "weak c4 to 0%", "displaced c4 by 5mm", "stacked c4 white"):
        assert list(believed(f"at 1s for 1s {plan}", "", 3_000_000)) == [0] * 19


@pytest.mark.parametrize("other", ["stacked c3 neutral", "displaced c3 by 5mm", "weak c3 to 20%"])
@pytest.mark.parametrize("flipped", ["at 2s for 5s", "at 2s for 500ms", "at 900ms for 3s"])
def test_two_faults_of_one_cell_both_end_and_leave_it_as_it_was(other: str, flipped: str) -> None:
    found = rig(f"at 1s for 3s {other}\n{flipped} flipped c3", "c3")
    before = read(found, 800_000)
    during = read(found, 2_200_000)
    assert during != before
    assert read(found, 8_000_000) == before
    assert [piece.kind for piece in found.world.on(cell("c3"))] == [WHITE]


@pytest.mark.slow
def test_a_toddler_sets_all_within_two_seconds_and_sweeps_half_off() -> None:
    found = rig("at 1s toddler with 16 pieces")
    most = 0
    for at_us in range(1_500_000, 4_000_000, 50_000):
        found.advance(at_us)
        most = max(most, sum(kind != 0 for kind in found.kinds))
    found.advance(8_000_000)
    assert most >= 15
    assert sum(kind != 0 for kind in found.kinds) == 8


@pytest.mark.slow
def test_the_same_plan_and_seed_give_the_same_bytes() -> None:
    told = []
    for _ in range(2):
        found = Rig(BOARD, 5, plan=parse("at 1s toddler with 9 pieces\nat 2s hang", BOARD))
        host = Host(found)
        host.go(5_000_000)
        told.append(host.bytes)
    assert told[0] == told[1]


TODDLERS = (
    ("control", "hex3", {"size": 3}, 12),
    ("control", "hex5", {"size": 5}, 30),
    ("trivia", "grid9x9", {"size": 7}, 30),
    ("doves", "grid9x9", {"tray": "on"}, 30),
    ("doves", "grid9x9", {"tray": "off"}, 30),
    ("evening", "hex5", {"size": 5}, 30),
    ("rengi", "grid13x14", {}, 30),
)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "profile", "options", "count"), TODDLERS)
def test_a_toddler_ends_in_agreement_and_never_do_two_steps_of_repair_blink_at_once(
    game: str, profile: str, options: dict[str, int | str], count: int, tmp_path: Path
) -> None:
    found = faulty_rig(profile, 11, f"at 3s toddler with {count} pieces")
    table = SoakTable(found, game, options, ("human", "human"), seed=11, folder=tmp_path)
    people = People(table, clumsy=0.0)
    table.rest(8_500_000)
    assert sum(kind != 0 for kind in found.kinds) >= count // 2
    people.settle()
    check(table)
    assert people.mend()
    people.settle()
    check(table)
    assert table.session.match.verdict.__class__.__name__ == "Agree"
    check_light(table)
    assert max(table.worst_blinking, table.worst_astray) >= 1
    assert len(table.prompt.steps) == 0


def test_a_firmware_that_hangs_is_silent_until_the_watchdog_starts_it_anew() -> None:
    found = rig("at 1s hang", "c3")
    boot = found.chip.boot_id
    frames = []
    for at_us in (1_000_000, 1_100_000, 2_900_000, 3_100_000, 4_000_000):
        found.from_host(b"\0" * 3)
        found.advance(at_us)
        frames.append((found.chip.frames, found.chip.boot_id - boot))
    assert frames[1][1] == frames[2][1] == 0
    assert frames[4][1] == 1
    assert found.chip.reset_cause == 3
    host = Host(found)
    host.go(5_000_000)
    assert host.kinds[cell("c3")] == WHITE
