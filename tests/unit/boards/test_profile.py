"""Board profiles: the built-in ones fit the hardware, and every fault in a file is pointed at."""

from __future__ import annotations

from pathlib import Path

import pytest
from each import each
from lumiban.boards.profile import Profile, drawn, load, names, read
from lumiban.errors import LumibanError, ProfileError
from lumiban_fw import layout_file

GOOD = """\
name = "trial"
revision = 2

[board]
geometry = "hexagon"
size = 2
pitch_mm = 25.0

[wiring]
strips = "rows"
lights = "serpentine"

[[cell]]
name = "b2"
channel = 7

[[edge]]
name = "white"
lights = [7, 8]
strip = 2

[current]
limit_ma = 500
strip_limit_ma = 250

[sensing]
scan_hz = 1000
supply_mv = 3300
sensor_mv_per_mt = 15.0
gap_mm = 6.0
off_mt = 4.5
on_mt = 6.0
strong_mt = 19.0
foreign_mt = 55.0
still_mt = 1.0
settle_ms = 30.0
strong_height_um = 2180
weak_height_um = 1930
"""
NO_CELL = 'name = "b2"\nchannel = 7'


def changed(old: str, new: str) -> Profile:
    assert GOOD.count(old) == 1, old
    return read(GOOD.replace(old, new), "trial.toml")


@each("name", names())
def test_the_firmware_reads_what_the_profile_writes(name: str) -> None:
    board = load(name)
    fw = layout_file.read(board.board_bin())
    assert bytes(fw.model).rstrip(b"\0").decode() == name[:8] == board.model
    assert (fw.cells, fw.lights, fw.rows) == (len(board.cells), board.lights, board.rows)
    assert list(fw.row) == [c.row for c in board.cells]
    assert list(fw.channel) == [c.channel for c in board.cells]
    assert list(fw.light) == [c.light for c in board.cells]
    assert list(fw.strip) == list(board.strips)
    assert set(fw.baseline) == {0}
    assert (fw.gain_q16, fw.settle_us, fw.strong_um) == (
        board.gain_q16, board.settle_us, board.strong_um,
    )  # fmt: skip
    assert (fw.off_ut, fw.on_ut, fw.strong_ut, fw.foreign_ut, fw.still_ut) == (
        board.off_ut, board.on_ut, board.strong_ut, board.foreign_ut, board.still_ut,
    )  # fmt: skip


def test_lights_run_in_serpentines_or_all_one_way() -> None:
    snake = read(GOOD, "trial.toml")
    assert [c.light for c in snake.cells] == [0, 1, 4, 3, 2, 5, 6]
    for way, lights in (
        ("left-to-right", [0, 1, 2, 3, 4, 5, 6]),
        ("right-to-left", [1, 0, 4, 3, 2, 6, 5]),
        ("serpentine-from-right", [1, 0, 2, 3, 4, 6, 5]),
    ):
        rows = changed('lights = "serpentine"', f'lights = "{way}"')
        assert [c.light for c in rows.cells] == lights, way


def test_channels_may_run_from_the_right() -> None:
    board = changed('strips = "rows"', 'strips = "rows"\nchannels = "right-to-left"')
    assert [c.channel for c in board.cells] == [1, 0, 2, 7, 0, 1, 0]


def test_strips_may_be_listed_cell_by_cell() -> None:
    board = changed('"rows"', '[["b1", "c1", "c2"], ["b2", "b3", "a1", "a2"]]')
    assert board.rows == 3  # the edge's strip counts
    at = board.grid.cell
    assert (board.cells[at("c2")].row, board.cells[at("c2")].channel) == (0, 2)
    assert board.cells[at("a2")].light == 3  # the second strip's lights run back


def test_edge_lights_belong_to_their_strip() -> None:
    board = read(GOOD, "trial.toml")
    assert board.edges == (("white", (7, 8)),)
    assert board.lights == 9
    assert board.strips[7:] == (2, 2)


BAD = [
    # (what is replaced, by what, field that is named, a piece of the sentence)
    ('strips = "rows"', 'strips = [["c1", "c2", "b1", "b2", "b3", "a1"]]', "wiring.strips", "a2"),
    ('strips = "rows"', 'strips = [["c1", "c1"]]', "wiring.strips", "c1 is listed twice"),
    ('strips = "rows"', 'strips = [["z9"]]', "wiring.strips", "'z9' is outside"),
    ('strips = "rows"', 'strips = "columns"', "wiring.strips", "columns"),
    ("channel = 7", "light = 0", "cell[0].light", "light 0 is used twice: by cell c1 and"),
    ("channel = 7", "light = 8", "edge[0].lights", "by cell b2 and edge white"),
    ("lights = [7, 8]", "lights = [7, 7]", "edge[0].lights", "light 7 is used twice"),
    ("lights = [7, 8]", "lights = [3]", "edge[0].lights", "light 3 is used twice"),
    ("lights = [7, 8]", "lights = [255]", "wiring.lights", "256 lights"),
    ("lights = [7, 8]", "lights = [300]", "edge[0].lights[0]", "<= 255"),
    ("channel = 7", "channel = 0", "cell[0].channel", "strip 1, mux channel 0 is used twice"),
    ("channel = 7", "channel = 15", "cell[0].channel", "15 is the strip's reference"),
    ("channel = 7", "channel = 16", "cell[0].channel", "<= 15"),
    ("channel = 7", "channel = 7\nstrip = 16", "cell[0].strip", "<= 15"),
    ('name = "b2"', 'name = "d1"', "cell[0].name", "'d1' is outside the board of 7 cells"),
    (NO_CELL, NO_CELL + '\n[[cell]]\nname = "b2"\nlight = 3', "cell[1].name", "two entries"),
    ("limit_ma = 500", "limit_ma = 50000", "current.limit_ma", "<= 10000"),
    ("strip_limit_ma = 250", "strip_limit_ma = 0", "current.strip_limit_ma", ">= 50"),
    ("strip_limit_ma = 250", "", "current.strip_limit_ma", "missing"),
    ("limit_ma = 500", 'limit_ma = "much"', "current.limit_ma", "expected int, got str"),
    ("limit_ma = 500", "limit_ma = 500.5", "current.limit_ma", "expected int, got float"),
    ("scan_hz = 1000", "scan_hz = 1000\nwarp = 9", "sensing.warp", "unknown key"),
    ("revision = 2", "revison = 2", "revison", "unknown key"),
    ("revision = 2", "revision = 256", "revision", "<= 255"),
    ('name = "trial"', 'name = "much-too-long"', "name", "1 to 12 of a to z"),
    ("size = 2", "size = 13", "board.size", "2 to 12 cells a side"),
    ("size = 2", "size = 10", "board.size", "271 cells; a board has 239 at most"),
    ("size = 2", "size = [2, 2]", "board.size", "cells along an edge"),
    ("size = 2", "", "board.size", "cells along an edge"),
    ("size = 2", "size = 2\ncells = [[0, 0]]", "board.cells", "a hexagon has no cells"),
    ('"hexagon"', '"triangle"', "board.geometry", "triangle"),
    ('"hexagon"', '"rectangle"', "board.size", "size = [columns, rows]"),
    ("pitch_mm = 25.0", "pitch_mm = 2.5", "board.pitch_mm", ">= 3"),
    ("pitch_mm = 25.0", "pitch_mm = 15", "board.pitch_mm", "22 or more"),
    ("[sensing]", "[pins]\ndata = 15\n[sensing]", "pins.dark", "GP15 is used twice: by data"),
    ("[sensing]", "[pins]\nbuttons = [0, 0]\n[sensing]", "pins.buttons", "GP0 is used twice"),
    ("[sensing]", "[pins]\ndata = 29\n[sensing]", "pins.data", "<= 28"),
    ("[sensing]", "[pins]\ndata = 24\n[sensing]", "pins.data", "not on a Pico's edge"),
    ("[sensing]", "[pins]\nrail = 20\n[sensing]", "pins.rail", "only 26, 27 and 28"),
    ("[sensing]", "[pins]\ncolumns = [3, 2, 4, 5]\n[sensing]", "pins.columns", "in a row"),
    ("[sensing]", "[tolerances]\ngap_mm = 9\n[sensing]", "tolerances.gap_mm", "<= 3"),
    ("on_mt = 6.0", "on_mt = 4.0", "sensing.on_mt", "more than off_mt = 4.5"),
    ("strong_mt = 19.0", "strong_mt = 60.0", "sensing.foreign_mt", "more than strong_mt"),
    ("foreign_mt = 55.0", "foreign_mt = 66.0", "sensing.foreign_mt", "<= 65"),
]  # fmt: skip


@each(("old", "new", "field", "words"), BAD)
def test_a_fault_is_pointed_at(old: str, new: str, field: str, words: str) -> None:
    old = next(line for line in [old, f"\n{old}"] if GOOD.count(line) == 1)
    new = "\n" + new if old.startswith("\n") else new
    text = GOOD.replace(old, new)
    with pytest.raises(ProfileError) as caught:
        read(text, "trial.toml")
    error = caught.value
    assert (error.path, error.field) == ("trial.toml", field)
    assert words in str(error)
    assert str(error).startswith(f"trial.toml, line {error.line}: {field}: ")
    assert "\n" not in str(error)
    key = field.rpartition(".")[2].partition("[")[0]
    stands = text.splitlines()[error.line - 1].strip()
    assert stands.startswith((key, "[")), stands


def test_a_missing_table_is_told_without_a_line() -> None:
    with pytest.raises(ProfileError, match=r"^trial\.toml: board: missing$") as caught:
        read('name = "trial"\n', "trial.toml")
    assert caught.value.line == 0


def test_broken_toml_is_pointed_at() -> None:
    with pytest.raises(ProfileError, match="line 6: is not TOML: ") as caught:
        changed("size = 2", "size = = 2")
    assert caught.value.line == 6


def test_a_board_has_239_cells_at_most() -> None:
    cells = ", ".join(f"[{i % 16}, {i // 16}]" for i in range(240))
    with pytest.raises(ProfileError, match=r"board\.cells: 240 cells; a board has 239 at most"):
        changed('geometry = "hexagon"\nsize = 2', f'geometry = "patch"\ncells = [{cells}]')


def test_a_strip_takes_fifteen_cells_and_a_board_fifteen_strips() -> None:
    row = ", ".join(f"[{i}, 0]" for i in range(16))
    with pytest.raises(ProfileError, match="strip 0 has 16 cells; a mux takes 15"):
        changed('geometry = "hexagon"\nsize = 2', f'geometry = "patch"\ncells = [{row}]')
    column = ", ".join(f"[0, {i}]" for i in range(16))
    with pytest.raises(ProfileError, match="16 strips; a board has 15 at most"):
        changed('geometry = "hexagon"\nsize = 2', f'geometry = "patch"\ncells = [{column}]')


def test_a_patch_needs_its_cells_once() -> None:
    hexagon = 'geometry = "hexagon"\nsize = 2'
    with pytest.raises(ProfileError, match="needs cells"):
        changed(hexagon, 'geometry = "patch"')
    with pytest.raises(ProfileError, match="twice"):
        changed(hexagon, 'geometry = "patch"\ncells = [[0, 0], [0, 0]]')


def test_a_profile_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    assert load(str(path)).name == "trial"
    path.write_text(GOOD.replace("size = 2", "size = 1"), "utf-8")
    with pytest.raises(ProfileError) as caught:
        load(str(path))
    assert (caught.value.path, caught.value.line) == (str(path), 6)


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="No such file"):
        load(str(tmp_path / "absent.toml"))
    with pytest.raises(ProfileError, match="directory"):
        load(str(tmp_path))
    noise = tmp_path / "noise.toml"
    noise.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProfileError, match="UTF-8"):
        load(str(noise))


def test_an_unknown_name_lists_the_profiles() -> None:
    with pytest.raises(ProfileError, match=r"no board profile 'hex99': choose from .*hex3, .*hex5"):
        load("hex99")
    assert issubclass(ProfileError, LumibanError)


def test_each_profile_measures_or_is_of_switches_and_tells_a_name_of_its_own() -> None:
    boards = {name: load(name) for name in names()}
    assert drawn() == tuple(n for n, one in boards.items() if "[sensing]" in one.source.text)
    assert len({(one.model, len(one.cells)) for one in boards.values()}) == len(boards)
    assert boards["hex5"].gain_q16 / 65536 == pytest.approx(53.71, abs=0.01)
