"""What a person sets counts at once; where a board is broken beyond doubt play is paused, with one
sentence in the words of the game, and goes on once it is mended, switched on anew or confirmed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed
from lumiban.games import mark_kinds
from lumiban.i18n import text
from lumiban.table.free_play import FreePlay
from lumiban.table.guidance import marks
from lumiban.table.phase import moment
from lumiban.table.types import Agree, Output, Publish, Refuse, Repair
from lumiban_sim.faults import parse
from lumiban_sim.rig import Rig
from session_bench import Bench
from shown import as_page_has_it
from thorough import examples
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

    def step(self, *inputs: Any, durable: bool = True) -> list[Output]:
        """One step, and the view is kept."""
        out = super().step(*inputs, durable=durable)
        for one in out:
            if isinstance(one, Publish):
                self.view = as_page_has_it(one.view)
        return out

    def mend(self) -> None:
        """A hand does what is asked until the board shows the position."""
        for _ in range(9):
            verdict = self.match.verdict
            if isinstance(verdict, Agree):
                return
            assert isinstance(verdict, Refuse | Repair)
            step = verdict.plan[0]
            kind = step.kind if step.do == "place" else 0
            self.change({self.match.placing.board[step.cell]: kind})
        raise AssertionError(self.match.verdict)

    def change(self, cells: dict[int, int], unsure_us: int = 400, apart_us: int = 0) -> None:
        """These cells hold that from now on."""
        self.now_us += 50_000
        events = []
        for place, (cell, kind) in enumerate(cells.items()):
            t_us = self.now_us + place * apart_us
            events.append(BoardEvent(self.next_event, cell, kind, t_us, unsure_us))
            if cell < len(self.kinds):
                self.kinds[cell] = kind
            self.next_event += 1
        frames = [Changed(tuple(events[at : at + 8])) for at in range(0, len(events), 8)]
        self.step(*frames)

    def later(self) -> None:
        self.now_us += 500_000
        self.step(BoardTime(self.now_us, self.now_us - 20_000, False))

    def fresh(self, channel: int, kind: int, *, alias: bool) -> None:
        """A piece is set, with its alias on the channel that S3 makes like it; both are lifted."""
        cells = (LONG[channel], LONG[channel + 8]) if alias else (LONG[channel],)
        self.change(dict.fromkeys(cells, kind), apart_us=130)
        self.later()
        self.change(dict.fromkeys(cells, 0), apart_us=130)
        self.later()

    def breaks(self, *channels: int) -> None:
        """S3 is found broken: six pieces came with an alias."""
        for channel in channels or (0, 1, 0, 1, 0, 2):
            assert not self.match.paused
            self.fresh(channel, W, alias=True)
        assert self.match.paused


@pytest.mark.parametrize("unsure_us", [50, 400, SCAN_US, 12_750])
def test_a_stone_counts_at_once_beside_its_like_and_however_unsure_its_time(unsure_us: int) -> None:
    bench = Strip({1: W})
    bench.change({LONG[9]: W}, unsure_us)
    assert bench.moves == [NAMES[9]]
    assert bench.view["verdict"]["text"] is None


@given(
    st.dictionaries(st.sampled_from(sorted(LONG)), st.sampled_from((W, B)), min_size=1, max_size=9),
    st.integers(0, 255),
    st.randoms(use_true_random=False),
)
@settings(max_examples=examples(12))
def test_whatever_stands_there_a_legal_stone_is_played_at_once(
    stones: dict[int, int], unsure: int, order: Any
) -> None:
    bench = Strip(stones)
    places = [m.cell for m in bench.match.marks("legal") if m.meaning == mark_kinds.MAY_PLACE]
    if places:
        cell = bench.match.placing.board[order.choice(places)]
        bench.change({cell: W}, unsure * 50)
        assert bench.moves == [BOARD.grid.name(cell)]


def test_a_broken_board_pauses_play_with_one_sentence_and_no_step_for_hands() -> None:
    bench = Strip({})
    bench.breaks()
    told = bench.view["verdict"]
    assert told["kind"] == "wait"
    assert told["text"] == {"id": "table.paused", "params": {}}
    assert bench.view["prompt"]["steps"] == []
    for language in ("en", "ja"):
        said = text("table.paused", language).lower()
        assert not any(word in said for word in ("select", "socket", "strip", "sensor", "選択線"))
    moves = bench.moves
    bench.change({LONG[5]: W, LONG[13]: W}, apart_us=130)
    bench.later()
    assert bench.moves == moves
    lit = {
        mark.cell
        for mark in marks(bench.session, moment(bench.session))
        if mark.meaning == mark_kinds.LOST
    }
    assert lit == set(bench.match.paused)


def test_once_two_cells_differ_play_goes_on_and_what_lies_there_is_mended_not_played() -> None:
    bench = Strip({})
    bench.breaks()
    moves = bench.moves
    bench.change({LONG[5]: W})
    bench.later()
    assert not bench.match.paused
    assert bench.moves == moves
    assert bench.view["verdict"]["text"]["id"] == "table.mend-lift"
    bench.mend()
    assert bench.kinds[LONG[5]] == 0
    bench.change({LONG[5]: B})
    assert bench.moves == [*moves, NAMES[5]]


def test_a_board_switched_on_anew_plays_on() -> None:
    bench = Strip({})
    bench.breaks()
    bench.connect(boot=6, kinds=bench.kinds)
    assert not bench.match.paused
    bench.mend()
    bench.change({LONG[5]: B})
    assert bench.moves[-1] == NAMES[5]


def test_a_paused_table_plays_on_when_confirmed_and_is_paused_again_by_as_many_pieces() -> None:
    bench = Strip({})
    bench.breaks()
    assert bench.command("confirm") is None
    assert not bench.match.paused
    bench.mend()
    bench.breaks(0, 1, 0, 1, 0, 3)


def test_a_button_confirms_too() -> None:
    bench = Strip({})
    bench.breaks()
    bench.change({240: 8})
    assert not bench.match.paused


def test_a_board_that_shows_stones_elsewhere_at_power_on_is_paused_from_the_beginning() -> None:
    bench = Strip({0: W, 1: B, 2: W, 3: B, 4: W})
    shown = bench.kinds[:]
    for channel in range(8, max(LONG) + 1):
        shown[LONG[channel]] = bench.kinds[LONG[channel - 8]]
    moves = bench.moves
    bench.connect(boot=6, kinds=shown)
    assert bench.view["verdict"]["text"]["id"] == "table.paused"
    bench.later()
    bench.connect(boot=7, kinds=bench.kinds)
    assert isinstance(bench.match.verdict, Agree)
    assert bench.moves == moves


def test_a_line_broken_elsewhere_than_the_game_pauses_nothing() -> None:
    bench = Bench(profile="hex8", size=3, opening="free")
    bench.connect()
    bench.session.board.aliased = frozenset(
        n for n in range(len(BOARD.cells)) if bench.match.placing.game[n] < 0
    )
    assert not bench.match.paused
    bench.put("a1", W)
    assert bench.moves == ["a1"]


def hand(table: VirtualTable, channel: int, kind: int) -> None:
    assert table.rig is not None
    if kind:
        table.rig.hands.place(LONG[channel], kind)
    else:
        table.rig.hands.lift(LONG[channel])
    table.rest(1_500_000)


def obey(table: VirtualTable) -> None:
    """A hand does what is asked until nothing is."""
    assert table.rig is not None
    for _ in range(20):
        if not table.prompt.steps:
            break
        step = table.prompt.steps[0]
        cell = table.session.match.placing.board[step.cell]
        if step.do == "lift":
            table.rig.hands.lift(cell)
        else:
            table.rig.hands.place(cell, step.kind)
        table.rest(1_500_000)


@pytest.mark.slow
def test_with_a_simulated_board_play_is_paused_and_goes_on_once_the_line_is_mended() -> None:
    table = VirtualTable(
        profile="hex8",
        options={"size": 8, "opening": "free"},
        rig=Rig(BOARD, 1, plan=parse(f"at 1s for 25s select line S3 of row {ROW}", BOARD)),
    )
    table.rest(1_200_000)
    tries = 0
    while not table.session.match.paused:
        hand(table, tries % 3, W)
        hand(table, tries % 3, 0)
        tries += 1
        assert tries < 9
    hand(table, 0, W)
    moves = [str(move) for move in table.session.match.history.moves]
    assert table.view["verdict"]["text"]["id"] == "table.paused"
    table.rest(27_000_000 - table.now_us)  # the alias goes
    assert not table.session.match.paused
    assert [str(move) for move in table.session.match.history.moves] == moves
    obey(table)
    assert isinstance(table.session.match.verdict, Agree)
    hand(table, 5, table.session.match.movers[0] + 1)
    assert len(table.session.match.history.moves) == len(moves) + 1


# Without turns.


def evening(plan: str) -> tuple[VirtualTable, FreePlay]:
    table = VirtualTable(
        profile="hex8",
        game="evening",
        options={"size": 8, "sees": "sight"},
        rig=Rig(BOARD, 1, plan=parse(plan, BOARD)),
    )
    match = table.session.match
    assert isinstance(match, FreePlay)
    table.rest(1_500_000)
    return table, match


@pytest.mark.slow
def test_without_turns_a_stone_counts_at_once_beside_its_like_however_unsure_its_time() -> None:
    table, match = evening("")
    assert table.rig is not None
    hand(table, 1, W)
    hand(table, 2, B)
    table.rig.world.stand(W, LONG[9], table.now_us)  # from one scan to the next
    table.rest(1_500_000)
    assert [str(move) for move in match.history.moves][-1] == "w" + NAMES[9]
    assert not match.ground.dead


@pytest.mark.slow
def test_without_turns_play_stops_and_goes_on_once_it_is_mended_and_both_confirm() -> None:
    table, match = evening(f"at 1s for 26s select line S3 of row {ROW}")
    tries = 0
    while not match.paused:
        hand(table, tries % 3, W)
        if not match.paused:
            hand(table, tries % 3, 0)
        tries += 1
        assert tries < 9
    assert match.time_out is not None
    assert table.view["timeout"]["text"] == {"id": "table.paused", "params": {}}
    assert not table.prompt.steps
    table.rest(28_000_000 - table.now_us)
    assert not match.paused
    obey(table)
    assert table.view["timeout"]["text"]["id"] == "table.time-out-ready"
    for side in (0, 1):
        assert table.command("confirm", side=side) is None
    table.rest(3_500_000)
    before = len(match.history.moves)
    hand(table, 5, B)
    assert len(match.history.moves) == before + 1


@pytest.mark.slow
def test_without_turns_one_person_s_word_is_enough_to_play_on_at_a_paused_table() -> None:
    table, match = evening(f"at 1s select line S3 of row {ROW}")
    tries = 0
    while not match.paused:
        hand(table, tries % 3, W)
        if not match.paused:
            hand(table, tries % 3, 0)
        tries += 1
    assert table.command("confirm", side=0) is None
    assert not match.paused
    assert table.view["timeout"]["text"]["id"] != "table.paused"
