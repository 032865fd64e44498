"""Images that a broken select line makes never count as stones where there are no turns."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent
from lumiban.table.images import Images
from lumiban.table.order import UNKNOWN_US
from lumiban.table.turnless import IMAGE
from lumiban.table.turnless_match import TurnlessMatch
from lumiban_fw import wire
from lumiban_sim.faults_plan import parse
from lumiban_sim.rig import Rig

sys.path.insert(0, str(Path(__file__).parent))
from virtual_table import VirtualTable

BOARD = load("hex8")
ROW = 7
LONG = {cell.channel: n for n, cell in enumerate(BOARD.cells) if cell.row == ROW}
SCAN_US = 1_000_000 // BOARD.scan_hz
W, B = 1, 2


def event(number: int, channel: int, kind: int, t_us: int, unsure_us: int = 400) -> BoardEvent:
    return BoardEvent(number, LONG[channel], kind, t_us, unsure_us)


def doubted(*batches: list[BoardEvent]) -> list[int]:
    """The numbers of the events that may be images, each batch judged after the one before."""
    images, found = Images(BOARD), list[int]()
    for batch in batches:
        found += images.among(batch, ())
        images.judged(batch)
    return sorted(found)


def test_of_a_stone_and_its_image_neither_counts_though_they_are_of_two_batches() -> None:
    stone, image = event(0, 1, W, 50_000), event(1, 9, W, 51_500)
    assert doubted([stone, image]) == [0, 1]
    images = Images(BOARD)
    assert images.among([stone], [image])[0].other == image.cell
    images.judged([stone])
    assert images.among([image], [])[1].other == stone.cell


@given(
    st.sampled_from(sorted(LONG)), st.sampled_from(sorted(LONG)), st.integers(0, 30_000),
    st.integers(0, 255), st.integers(0, 255),
)  # fmt: skip
def test_two_hands_of_opponents_are_never_taken_for_a_stone_and_its_image(
    one: int, other: int, apart_us: int, unsure: int, also: int
) -> None:
    steps = wire.UNSURE_STEP_US
    assert not doubted(
        [event(0, one, W, 50_000, unsure * steps)],
        [event(1, other, B, 50_000 + apart_us, also * steps)],
    )


@given(st.integers(0, 12_700), st.integers(0, 12_700), st.integers(1, 40_000))
def test_stones_of_one_side_are_taken_for_images_within_what_is_unsure_and_a_scan_only(
    unsure_us: int, also_us: int, apart_us: int
) -> None:
    pair = [event(0, 1, W, 50_000, unsure_us), event(1, 9, W, 50_000 + apart_us, also_us)]
    within = apart_us <= min(unsure_us + also_us + SCAN_US, 10_000)
    if wire.unsure(SCAN_US) * wire.UNSURE_STEP_US not in (unsure_us, also_us):
        assert doubted(pair) == ([0, 1] if within else [])
    # Channels that differ in two lines are no pair, whatever their times.
    assert not doubted([event(0, 1, W, 50_000, unsure_us), event(1, 10, W, 50_000, also_us)])


def test_a_line_that_makes_two_cells_differ_is_whole_and_both_stones_count() -> None:
    assert not doubted(
        [event(0, 2, B, 1_000_000)],
        [event(1, 1, W, 2_000_000), event(2, 9, W, 2_000_300)],
    )


def test_images_of_what_stood_do_not_count_and_stones_set_beside_their_likes_do() -> None:
    stood = [event(0, 1, W, 1_000_000)], [event(1, 2, B, 2_000_000)]
    breaks = [event(2, 9, W, 3_000_000, SCAN_US), event(3, 10, B, 3_000_000, SCAN_US)]
    assert doubted(*stood, breaks) == [2, 3]
    never_sure = [event(2, 9, W, 3_000_000, UNKNOWN_US), event(3, 10, B, 3_008_000, UNKNOWN_US)]
    assert doubted(*stood, never_sure) == [2, 3]
    assert not doubted(stood[0], [event(2, 9, W, 3_000_000, 400)])


def evening(plan: str) -> tuple[VirtualTable, TurnlessMatch]:
    table = VirtualTable(
        profile="hex8",
        game="evening",
        options={"size": 8},
        rig=Rig(BOARD, 1, plan=parse(plan, BOARD)),
    )
    match = table.session.match
    assert isinstance(match, TurnlessMatch)
    table.rest(1_500_000)
    return table, match


def hand(table: VirtualTable, channel: int, kind: int) -> None:
    assert table.rig is not None
    if kind:
        table.rig.hands.place(LONG[channel], kind)
    else:
        table.rig.hands.lift(LONG[channel])
    table.rest(1_500_000)


def rules(match: TurnlessMatch) -> set[str]:
    return {refusal.rule for refusal in match.ground.dead.values()}


def test_no_image_is_played_the_next_pair_stops_play_and_once_mended_a_stone_counts() -> None:
    table, match = evening(f"at 1s for 9s select line S3 of row {ROW}")
    hand(table, 1, W)
    assert not match.course.moves
    assert len(match.ground.dead) == 2
    assert rules(match) == {IMAGE}
    assert table.view["verdict"]["text"]["id"] == f"refusal.{IMAGE}"
    assert match.time_out is None
    hand(table, 1, 0)
    assert not match.ground.dead
    hand(table, 1, W)
    assert match.time_out is not None
    assert match.time_out.why == "unread"
    line = {"line": "S3", "socket": ROW + 1}
    assert table.view["timeout"]["text"] == {"id": "table.time-out-line", "params": line}
    assert not table.prompt.steps  # nobody is sent to lift an image
    table.rest(5_000_000)  # the cable is mended, and the image goes
    assert list(match.ground.dead) == [match.placing.game[LONG[1]]]
    hand(table, 1, 0)
    for side in (0, 1):
        table.command("confirm", side=side)
    table.rest(3_500_000)
    hand(table, 1, W)
    assert [str(move) for move in match.course.moves] == ["w" + BOARD.grid.name(LONG[1])]
    assert not match.ground.dead
    assert match.time_out is None


def test_an_image_of_what_stood_is_not_played_and_the_other_side_plays_on() -> None:
    table, match = evening(f"at 4s select line S3 of row {ROW}")
    hand(table, 1, W)
    hand(table, 2, B)
    played = [str(move) for move in match.course.moves]
    assert len(played) == 2
    table.rest(1_500_000)
    assert [str(move) for move in match.course.moves] == played
    assert {match.placing.board[cell] for cell in match.ground.dead} == {LONG[9], LONG[10]}
    assert rules(match) == {IMAGE}


def test_stones_that_a_broken_line_cuts_off_stop_play_and_the_line_is_named() -> None:
    table, match = evening(f"at 6s for 6s select line S3 of row {ROW}")
    hand(table, 9, W)
    hand(table, 10, B)
    table.rest(7_000_000 - table.now_us)
    assert match.time_out is not None
    assert match.time_out.why == "swept"
    line = {"line": "S3", "socket": ROW + 1}
    assert table.view["timeout"]["text"] == {"id": "table.time-out-cut", "params": line}
    assert table.command("confirm", side=0) is not None
    hand(table, 3, W)  # its image tells the line
    assert table.view["timeout"]["text"] == {"id": "table.time-out-line", "params": line}
    assert all(step.do != "lift" for step in table.prompt.steps)
    table.rest(12_500_000 - table.now_us)  # mended: the stone set meanwhile is still to be lifted
    assert [step.do for step in table.prompt.steps] == ["lift"]
    hand(table, 3, 0)
    assert table.view["timeout"]["text"]["id"] == "table.time-out-ready"
    assert len(match.course.moves) == 2


def test_stones_that_hands_sweep_off_name_no_line() -> None:
    table, match = evening("")
    hand(table, 9, W)
    hand(table, 10, B)
    for channel in (9, 10):
        hand(table, channel, 0)
    assert match.time_out is not None
    assert table.view["timeout"]["text"] == {"id": "table.time-out-swept", "params": {}}
