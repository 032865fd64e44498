"""What a broken select line makes of a strip is no move, and no move taken back, in games with
turns; and hands at play are not taken for one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed
from lumiban.games.api import Kind
from lumiban.scene import types as means
from lumiban.table.guidance import marks
from lumiban.table.types import Agree
from lumiban_sim.faults_plan import parse
from lumiban_sim.rig import Rig

sys.path.insert(0, str(Path(__file__).parent))
from session_bench import Bench, view
from virtual_table import VirtualTable

BOARD = load("hex8")
ROW = 7
LONG = {cell.channel: n for n, cell in enumerate(BOARD.cells) if cell.row == ROW}
NAMES = {channel: BOARD.grid.name(cell) for channel, cell in LONG.items()}
ELSEWHERE = [f"{row}{column}" for row in "acln" for column in (1, 3, 5, 7)]
SCAN_US = 1_000_000 // BOARD.scan_hz
W, B = 1, 2


class Strip(Bench):
    """A game on hex8 with these stones on the long strip, and on others as many as make a position;
    the strip's line breaks and is mended."""

    def __init__(self, stones: dict[int, int], *, to_move: int = 0) -> None:
        super().__init__(profile="hex8", size=8, opening="free")
        self.connect()
        lie = {LONG[channel]: kind for channel, kind in stones.items()}
        more = list(stones.values()).count(W) - list(stones.values()).count(B) - to_move
        for name in ELSEWHERE[: abs(more)]:
            lie[BOARD.grid.cell(name)] = B if more > 0 else W
        if lie:
            self.match.set_up({BOARD.grid.name(c): kind - 1 for c, kind in lie.items()}, to_move)
        self.kinds = [0] * len(BOARD.cells)
        for cell, kind in lie.items():
            self.change({cell: kind})
            self.now_us += 1_000_000
        self.later()
        assert isinstance(self.match.verdict, Agree)

    def change(self, cells: dict[int, int], unsure_us: int = 400, apart_us: int = 0) -> None:
        """These cells hold that from now on."""
        self.now_us += 50_000
        events = []
        for place, (cell, kind) in enumerate(cells.items()):
            t_us = self.now_us + place * apart_us
            events.append(BoardEvent(self.next_event, cell, kind, t_us, unsure_us))
            self.kinds[cell] = kind
            self.next_event += 1
        frames = [Changed(tuple(events[at : at + 8])) for at in range(0, len(events), 8)]
        self.step(*frames)

    def later(self) -> None:
        self.now_us += 500_000
        self.step(BoardTime(self.now_us, self.now_us - 20_000, False))

    def shows(self, lie: Sequence[int], line: int | None, order: Any) -> None:
        """The strip shows this from one scan to the next."""
        seen = {ch: lie[LONG[ch & ~(1 << line)] if line is not None else LONG[ch]] for ch in LONG}
        news = [(LONG[ch], kind) for ch, kind in seen.items() if self.kinds[LONG[ch]] != kind]
        if news:
            self.change(dict(order.sample(news, len(news))), SCAN_US)
        self.later()


strips = st.dictionaries(
    st.sampled_from(sorted(LONG)), st.sampled_from((W, B)), min_size=1, max_size=9
)


@settings(max_examples=12, deadline=None)
@given(strips, st.integers(0, 3), st.integers(0, 1), st.randoms(use_true_random=False))
def test_a_line_that_breaks_plays_nothing_takes_nothing_back_and_once_mended_all_agrees(
    stones: dict[int, int], line: int, to_move: int, order: Any
) -> None:
    bench = Strip(stones, to_move=to_move)
    moves = [m for m in bench.match.marks("legal") if m.meaning == means.MAY_PLACE]
    if moves:
        bench.change({bench.match.placing.board[moves[0].cell]: to_move + 1})
        bench.later()
    played, lie = bench.moves, bench.kinds[:]
    bench.shows(lie, line, order)
    assert bench.moves == played
    # A piece that seems to have changed its kind is to be set right; that is no move.
    turned = any(one and other not in (0, one) for one, other in zip(lie, bench.kinds, strict=True))
    assert turned or isinstance(bench.match.verdict, Agree)
    bench.shows(lie, None, order)
    assert bench.moves == played
    assert bench.kinds == lie
    assert isinstance(bench.match.verdict, Agree)
    assert not bench.match.held


@settings(max_examples=12, deadline=None)
@given(strips, st.integers(50, 12_700), st.randoms(use_true_random=False))
def test_a_stone_set_by_a_hand_is_played_at_once(
    stones: dict[int, int], unsure_us: int, order: Any
) -> None:
    bench = Strip(stones)
    places = [m.cell for m in bench.match.marks("legal") if m.meaning == means.MAY_PLACE]
    if places and unsure_us // 50 != SCAN_US // 50:
        cell = bench.match.placing.board[order.choice(places)]
        bench.change({cell: W}, unsure_us // 50 * 50)
        assert bench.moves == [BOARD.grid.name(cell)]


def test_what_came_from_one_scan_to_the_next_beside_its_like_counts_when_set_again() -> None:
    bench = Strip({1: W})
    bench.change({LONG[9]: W}, SCAN_US)
    assert not bench.moves
    told = view(bench)["verdict"]
    assert told["kind"] == "agree"
    assert told["text"]["id"] == "table.image"
    assert told["text"]["params"] == {
        "cell": NAMES[9], "other": NAMES[1], "line": "S3", "socket": ROW + 1,
    }  # fmt: skip
    lit = {(mark.cell, mark.meaning) for mark in marks(bench.match, "none", None)}
    game = bench.match.placing.game
    assert {(game[LONG[9]], means.ASTRAY), (game[LONG[1]], means.PROOF)} <= lit
    # Meanwhile other moves count, and the stone counts for none by lying there.
    bench.change({LONG[4]: W})
    assert bench.moves == [NAMES[4]]
    bench.later()
    bench.change({LONG[9]: 0})
    bench.change({LONG[6]: B})
    bench.change({LONG[9]: W})
    assert bench.moves == [NAMES[4], NAMES[6], NAMES[9]]
    assert view(bench)["verdict"]["text"] is None


def test_a_stone_that_is_gone_from_one_scan_to_the_next_is_neither_taken_nor_taken_back() -> None:
    bench = Strip({9: B})
    bench.change({LONG[12]: W})
    bench.later()
    bench.change({LONG[9]: 0, LONG[12]: 0}, SCAN_US)
    assert bench.moves == [NAMES[12]]
    assert view(bench)["verdict"]["text"]["id"] == "table.image-gone"
    bench.change({LONG[9]: B, LONG[12]: W}, SCAN_US)
    assert bench.moves == [NAMES[12]]
    assert isinstance(bench.match.verdict, Agree)
    # Lifted by a hand it is taken back as ever.
    bench.later()
    bench.change({LONG[12]: 0}, 3_000)
    assert bench.moves == []


@pytest.mark.parametrize("image_first", [True, False])
def test_of_a_stone_and_its_image_none_is_a_move_whichever_is_told_first(
    image_first: bool,
) -> None:
    bench = Strip({})
    pair = (LONG[9], LONG[1]) if image_first else (LONG[1], LONG[9])
    bench.change(dict.fromkeys(pair, W), apart_us=130)
    assert not bench.moves
    assert view(bench)["verdict"]["text"]["id"] == "table.image"


def test_images_are_still_held_after_the_cable_was_out_and_gone_ones_are_not() -> None:
    bench = Strip({1: W})
    bench.change({LONG[9]: W}, SCAN_US)
    bench.connect(kinds=bench.kinds)
    assert not bench.moves
    assert [image.cell for image in bench.match.held] == [LONG[9]]
    bench.kinds[LONG[9]] = 0
    bench.connect(boot=6, kinds=bench.kinds)
    assert not bench.match.held
    assert isinstance(bench.match.verdict, Agree)


def test_with_a_simulated_board_a_stone_set_while_the_line_is_broken_counts_once_mended() -> None:
    table = VirtualTable(
        profile="hex8",
        options={"size": 8},
        rig=Rig(BOARD, 1, plan=parse(f"at 5s for 6s select line S3 of row {ROW}", BOARD)),
    )
    table.rest(1_000_000)
    table.place("h1", W)
    table.place("a1", B)
    table.rest(5_500_000 - table.now_us)
    assert [str(move) for move in table.session.match.course.moves] == ["h1", "a1"]
    assert table.view["verdict"]["text"]["id"] == "table.image"
    table.place("h4", W)  # its image tells the line
    assert table.view["verdict"]["text"] == {
        "id": "table.mirrors",
        "params": {"line": "S3", "socket": ROW + 1},
    }
    assert Kind.UNKNOWN in table.session.match.sensed.kinds
    table.rest(12_500_000 - table.now_us)
    assert [str(move) for move in table.session.match.course.moves] == ["h1", "a1", "h4"]
    assert table.view["verdict"]["text"] is None
