"""The way of one stone at odd moments, through the whole stack: openings, resets, early words."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.games.api import Complete, Kind
from lumiban.table.resume import Resumed, resume
from lumiban.table.settings import Settings
from lumiban.table.types import Acknowledge, Agree, Output
from lumiban_sim.rig import Rig

sys.path.insert(0, str(Path(__file__).parent))
from virtual_table import VirtualTable

PIE = {"size": 3, "opening": "pie2"}
SECOND_US = 1_000_000
WRAP_US = 1 << 32


def moves(table: VirtualTable) -> list[str]:
    return [str(move) for move in table.session.match.course.moves]


def seats(table: VirtualTable) -> list[str]:
    return [seat["who"] for seat in table.view["seats"]]


def play(table: VirtualTable, *stones: tuple[str, int]) -> None:
    for name, kind in stones:
        table.place(name, kind)


def on_disk(table: VirtualTable, folder: Path) -> Resumed:
    table.rest(3 * SECOND_US)
    path = folder / "back.journal"
    path.write_bytes(bytes(table.journals[-1]))
    return resume(path)


# Openings at the table.


def test_a_pie_is_set_by_hand_and_who_takes_white_changes_seats(tmp_path: Path) -> None:
    table = VirtualTable(seats=("human", "bot:easy"), options=PIE, seed=2)
    assert table.command("word", side=0, word="done")["id"] == "table.no-such-word"  # type: ignore[index]  # an error
    play(table, ("c3", 1), ("c2", 2))
    # A stone of the pie may still go elsewhere.
    table.lift("c2")
    assert table.view["verdict"]["kind"] == "wait"
    table.place("c4", 2)
    assert moves(table) == ["put wc3", "put bc2", "put bc4"]
    assert table.command("word", side=0, word="done") is None
    table.run(lambda t: t.session.match.course.position.phase == "play")
    taken = moves(table)[-1]
    table.rest(5 * SECOND_US)
    if taken == "take white":
        assert seats(table) == ["bot:easy", "human"]
        assert len(moves(table)) == 6, "the bot is White now and has moved"
    else:
        assert seats(table) == ["human", "bot:easy"]
        assert len(moves(table)) == 5
    back = on_disk(table, tmp_path)
    assert back.course.seats == seats(table)
    assert [str(move) for move in back.course.moves] == moves(table)


@pytest.mark.parametrize("word", ["take white", "take black"])
def test_a_person_chooses_a_bots_pie_and_plays_the_side_that_was_taken(
    word: str, tmp_path: Path
) -> None:
    table = VirtualTable(seats=("bot:easy", "human"), options=PIE, seed=3)
    table.run(lambda t: t.session.match.course.position.phase == "choose")
    # The bot's stones were asked for one by one and stand there.
    assert table.session.match.sensed.kinds == table.session.match.course.game.pieces(
        table.session.match.course.position
    )
    *puts, done = moves(table)
    assert all(text.startswith("put ") for text in puts)
    assert done == "done"
    said = len(moves(table)) + 1
    assert table.command("word", side=1, word=word) is None
    swapped = word == "take white"
    assert seats(table) == (["human", "bot:easy"] if swapped else ["bot:easy", "human"])
    assert on_disk(table, tmp_path).course.seats == seats(table)
    if swapped:
        table.place(cell_for_white(table), 1)
        assert len(moves(table)) == said + 1
    else:
        table.run(lambda t: len(moves(t)) == said + 1)
    # Whoever sits where, a bot answers a person and the game goes on.
    table.run(lambda t: len(moves(t)) >= said + 2 or t.view["to_move"] == [1])


def cell_for_white(table: VirtualTable) -> str:
    course = table.session.match.course
    return next(str(m) for m in course.game.moves(course.position, 0) if not str(m).startswith("x"))


def test_taking_back_beyond_a_pies_choice_gives_the_seats_back() -> None:
    from lumiban import games
    from lumiban.table.course import Course

    course = Course(games.load("control", **PIE), ["human", "bot:easy"])
    for side, text in ((0, "put wc3"), (0, "put bc4"), (0, "done"), (1, "take white")):
        course.play(course.game.parse(course.position, text, side), 0, "page")
    assert course.seats == ["bot:easy", "human"]
    course.take_back(1)
    assert course.seats == ["human", "bot:easy"]


@pytest.mark.parametrize("seed", range(3))
def test_two_bots_set_a_pie_and_play_it_to_the_end(seed: int) -> None:
    table = VirtualTable(seats=("bot:easy", "bot:easy"), options=PIE, seed=seed)
    table.run(lambda t: bool(t.finished))
    assert len(moves(table)) > 6


def test_a_word_that_sets_a_stone_is_guided_onto_the_board() -> None:
    table = VirtualTable(options=PIE, assists=("told",))
    table.rest()
    assert table.command("word", side=0, word="put wc3") is None
    assert moves(table) == []
    assert table.view["prompt"]["wait"] == "told"
    table.run(lambda t: moves(t) == ["put wc3"])
    assert table.view["verdict"]["kind"] == "agree"


def test_a_turn_of_two_actions_is_played_by_hands_and_each_counts() -> None:
    table = VirtualTable(options={"size": 3, "opening": "12*"})
    play(table, ("c3", 1), ("a1", 2))
    assert table.view["to_move"] == [1]
    table.place("e3", 1)
    assert table.view["verdict"]["text"]["id"] == "refusal.control.not-your-turn"
    table.lift("e3")
    table.place("b1", 2)
    assert moves(table) == ["c3", "a1", "b1"]
    assert table.view["to_move"] == [0]
    # Only the last action is undone by undoing it.
    table.lift("b1")
    assert moves(table) == ["c3", "a1"]
    assert table.view["to_move"] == [1]


# What is lifted, swept off and put back.


def test_a_swept_board_is_mended_without_taking_a_move_back() -> None:
    table = VirtualTable()
    play(table, ("e3", 1), ("c3", 2), ("e2", 1), ("a1", 2))
    before = moves(table)
    assert len(before) == 4
    rig = table.rig
    assert rig is not None
    # Swept off together: the last stone's lift is told last.
    for late, name in enumerate(("e3", "c3", "e2", "a1")):
        rig.hands.lift(table.cell(name), hand=name, touch_us=table.now_us + 400_000 + 9_000 * late)
    table.run(lambda t: rig.hands.idle)
    table.rest(SECOND_US)
    names = table.session.match.course.game.grid.names
    while table.prompt.steps:
        step = table.prompt.steps[0]
        table.place(names[step.cell], step.kind)
        assert moves(table) == before
    assert table.view["verdict"]["kind"] == "agree"


def removable(seats: Sequence[str] = ("human", "human"), **more: Any) -> VirtualTable:
    """White, to move, may take the black stone on c3."""
    table = VirtualTable(seats=("human", "human"), **more)
    stones = (("a1", 1), ("c3", 2), ("b2", 1), ("e3", 2), ("c2", 1), ("d4", 2))
    play(table, *stones)
    assert len(moves(table)) == 6
    for side, who in enumerate(seats):
        if who != "human":
            assert table.command("seat", side=side, who=who) is None
    return table


def test_a_countdown_stops_while_something_is_to_be_mended_and_begins_anew() -> None:
    table = removable(("human", "bot:easy"))
    table.lift("c3")
    assert table.view["pending"]["move"] == "xc3"
    table.place("c5", 2)
    assert table.view["verdict"]["kind"] == "refuse"
    assert table.session.next_deadline() is None, "nothing may keep the host busy meanwhile"
    table.rest(4 * SECOND_US)
    assert "xc3" not in moves(table)
    table.lift("c5")
    assert table.view["pending"]["move"] == "xc3"
    assert moves(table)[-1] == "d4"
    table.rest(2 * SECOND_US)
    assert moves(table)[6] == "xc3"


def test_a_confirmation_during_a_refusal_is_not_one_for_later() -> None:
    table = removable()
    table.lift("c3")
    table.place("b1", 2)
    assert table.view["verdict"]["kind"] == "refuse"
    error = table.command("confirm")
    assert error is not None
    assert error["id"] == "table.nothing-to-confirm"
    table.lift("b1")
    table.rest(SECOND_US)
    assert moves(table)[-1] == "d4"
    assert table.command("confirm") is None
    assert moves(table)[-1] == "xc3"


def test_resigning_while_a_machines_stone_is_awaited_ends_the_game(tmp_path: Path) -> None:
    table = VirtualTable(seats=("human", "bot:easy"), assists=())
    table.place("a1", 1)
    table.run(lambda t: t.prompt.wait == "machine")
    assert table.command("word", side=0, word="resign") is None
    assert table.view["outcome"]["winner"] == 1
    assert table.view["prompt"]["steps"] == []
    back = on_disk(table, tmp_path)
    assert back.ended
    assert back.course.chosen is None


def test_a_takeback_while_a_machines_stone_is_awaited_voids_it(tmp_path: Path) -> None:
    table = VirtualTable(seats=("human", "bot:easy"), assists=())
    table.place("a1", 1)
    table.run(lambda t: t.prompt.wait == "machine")
    assert table.command("takeback") is None
    assert moves(table) == []
    assert table.view["prompt"]["wait"] == "mend"
    table.lift("a1")
    assert table.view["verdict"]["kind"] == "agree"
    assert on_disk(table, tmp_path).course.chosen is None
    table.place("a2", 1)
    table.run(lambda t: t.prompt.wait == "machine")


def test_a_bot_is_not_led_to_stop_by_writing_the_word_as_a_move() -> None:
    table = VirtualTable(options={"size": 3, "opening": "free"})
    play(table, ("c3", 1), ("a1", 2))
    assert table.command("seat", side=1, who="bot:easy") is None
    for do, args in (("word", {"word": "stop"}), ("move", {"text": "stop"})):
        error = table.command(do, side=0, **args)
        assert error is not None
        assert error["id"] == "table.bot-plays-on"
    assert moves(table) == ["c3", "a1"]


def test_after_the_end_the_board_is_left_alone_until_a_new_game_asks_to_clear_it() -> None:
    table = VirtualTable()
    play(table, ("a1", 1), ("c3", 2))
    assert table.command("word", side=0, word="resign") is None
    table.lift("c3")
    table.place("c5", 1)
    assert table.view["prompt"]["steps"] == []
    assert table.command("takeback") is not None
    assert moves(table) == ["a1", "c3", "resign"]
    assert table.command("new") is None
    names = table.session.match.course.game.grid.names
    for _ in range(2):
        (step,) = table.prompt.steps
        assert step.do == "lift"
        table.lift(names[step.cell])
    assert table.view["verdict"]["kind"] == "agree"
    assert moves(table) == []


def test_an_end_that_the_journal_did_not_hold_is_kept_on_coming_back(tmp_path: Path) -> None:
    table = VirtualTable()
    play(table, ("a1", 1), ("c3", 2))
    assert table.command("word", side=0, word="resign") is None
    whole = bytes(table.journals[-1])
    path = tmp_path / "cut.journal"
    path.write_bytes(whole[: whole.rindex(b"\n", 0, len(whole) - 1) + 1])
    back = resume(path)
    assert moves(table)[-1] == str(back.course.moves[-1]) == "resign"
    assert not back.ended
    again = VirtualTable(rig=table.rig, back=back)
    assert len(again.finished) == 1
    assert on_disk(again, tmp_path).ended


# Boards that are reset, old, or half blind.


def test_a_bot_is_asked_soon_after_a_board_that_was_on_for_an_hour_is_reset() -> None:
    rig = Rig(load("hex3"), 5)
    rig.chip.epoch_us -= 3_600 * SECOND_US
    table = VirtualTable(seats=("human", "bot:easy"), rig=rig)
    rig.hands.place(table.cell("a1"), 1, hand="person")
    table.run(lambda t: moves(t) == ["a1"])
    rig.reset()
    table.run(lambda t: len(moves(t)) == 2, 20 * SECOND_US)


def test_a_lift_on_a_board_that_is_reset_counts_down_on_the_new_clock() -> None:
    rig = Rig(load("hex3"), 1)
    rig.chip.epoch_us -= 3_600 * SECOND_US
    table = removable(("human", "bot:easy"), rig=rig)
    table.lift("c3")
    assert table.view["pending"]["move"] == "xc3"
    rig.reset()
    table.run(lambda t: "xc3" in moves(t), 20 * SECOND_US)


class SlowDisk(VirtualTable):
    """Notes what was acknowledged, and in which boot of the board."""

    def _follow(self, output: Output) -> None:
        super()._follow(output)
        if isinstance(output, Acknowledge):
            self.acks.append((self.session.sight.boot_id, output.next_event))

    @property
    def acks(self) -> list[tuple[int | None, int]]:
        return self.__dict__.setdefault("_acks", [])


def test_what_was_written_of_one_boot_acknowledges_nothing_of_the_next() -> None:
    table = SlowDisk(fsync_us=2_500_000)
    rig = table.rig
    assert rig is not None
    table.rest(4 * SECOND_US)
    old = table.session.sight.boot_id
    play(table, ("a1", 1), ("c3", 2))
    rig.reset()
    table.run(lambda t: t.session.sight.boot_id != old)
    table.rest(300_000)
    play(table, ("e3", 1), ("d4", 2))
    assert table.session.sight.next_event == 2
    assert [next_event for boot, next_event in table.acks if boot != old] == []
    assert rig.chip.board.ring.first == 0
    table.rest(6 * SECOND_US)
    assert rig.chip.board.ring.first == 2


@pytest.mark.parametrize("before_us", [SECOND_US, 5 * SECOND_US, 7 * SECOND_US])
def test_a_game_goes_on_while_the_boards_clock_passes_32_bits(before_us: int) -> None:
    rig = Rig(load("hex3"), 9)
    rig.chip.epoch_us -= WRAP_US - before_us
    table = VirtualTable(seats=("bot:easy", "bot:easy"), rig=rig, seed=9)
    table.run(lambda t: bool(t.finished))
    times = [played.at_us for played in table.session.match.course.played]
    assert times == sorted(times)
    assert WRAP_US - before_us < times[0] < times[-1] < WRAP_US + 40 * SECOND_US
    assert times[-1] > WRAP_US
    assert table.link.statistics.connects == 1


def test_a_stone_set_while_the_cable_is_out_over_the_wrap_has_its_time() -> None:
    rig = Rig(load("hex3"), 4)
    rig.chip.epoch_us -= WRAP_US - 3 * SECOND_US
    table = VirtualTable(rig=rig)
    table.rest(SECOND_US)
    rig.pipe.unplugged = True
    errand = rig.hands.place(table.cell("a1"), 1)
    table.rest(5 * SECOND_US)
    rig.pipe.unplugged = False
    table.run(lambda t: moves(t) == ["a1"])
    (played,) = table.session.match.course.played
    assert played.at_us == pytest.approx(errand.touch_us - rig.chip.epoch_us, abs=30_000)


def test_a_board_with_a_row_that_cannot_be_read_is_played_on_by_page() -> None:
    rig = Rig(load("hex3"), 6)
    whole = rig.world.sample

    def half_blind(frame: int, t_us: int, counts: list[int], references: list[int]) -> None:
        whole(frame, t_us, counts, references)
        references[0] = 0

    rig.world.sample = half_blind  # type: ignore[method-assign]  # a strip's cable is out
    table = VirtualTable(rig=rig, assists=("told",))
    table.rest(2 * SECOND_US)
    blind = [
        name
        for cell, name in enumerate(table.session.match.course.game.grid.names)
        if table.session.match.sensed.kinds[cell] == Kind.UNKNOWN
    ]
    assert 3 <= len(blind) <= 5
    assert table.view["verdict"]["kind"] == "agree"
    assert table.view["verdict"]["text"]["id"] == "table.blind"
    assert table.prompt.steps == ()
    assert table.command("move", side=0, text=blind[0]) is None
    table.rest()
    assert moves(table) == [blind[0]]
    table.place("c3", 2)
    assert moves(table) == [blind[0], "c3"]


# What the issue says must be shown, each through the whole stack.


def test_size_three_on_a_larger_board_plays_in_the_middle_and_there_alone() -> None:
    table = VirtualTable(profile="hex5")
    board = table.board.grid
    middle = board.cell("e5")
    assert table.session.match.placing.game[middle] == 9
    inner = [cell for cell in table.session.match.placing.board if cell in board.neighbours[middle]]
    assert len(inner) == 6
    rig = table.rig
    assert rig is not None
    outside = [c for c, own in enumerate(table.session.match.placing.game) if own < 0]
    for cell, kind in zip(random.Random(1).sample(outside, 4), (1, 2, 3, 1), strict=True):
        rig.hands.place(cell, kind, hand="person")
    table.run(lambda t: rig.hands.idle)
    table.rest(SECOND_US)
    assert moves(table) == []
    assert table.session.match.verdict == Agree()
    play(table, ("a1", 1), ("c3", 2))
    assert moves(table) == ["a1", "c3"]
    assert rig.kinds[middle] == 2
    for _, show in table.shows:
        assert all(show.frame.lights[table.board.cells[cell].light][0] == 0 for cell in outside)


@pytest.mark.parametrize("second", ["human", "bot:easy"])
def test_an_enemy_stone_lifted_and_put_back_in_time_plays_nothing(second: str) -> None:
    table = removable(("human", second))
    before = moves(table)
    for name in ("c3", "e3"):
        table.lift(name)
        assert table.session.match.verdict != Agree()
        table.place(name, 2)
        assert table.session.match.verdict == Agree()
        table.rest(3 * SECOND_US)
        assert moves(table) == before


@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (0, {"size": 3}),
        (1, {"size": 3, "opening": "free"}),
        (2, {"size": 3, "opening": "12*"}),
        (3, {"size": 2}),
        (4, {"size": 3, "opening": "12*"}),
    ],
)
def test_undoing_the_last_move_by_hand_is_never_a_move(seed: int, options: dict[str, Any]) -> None:
    """After each move a hand undoes it: it is taken back, and what was put back plays again."""
    chance = random.Random(seed)
    table = VirtualTable(options=options, settings=Settings(grace_us=60 * SECOND_US))
    while table.session.match.outcome is None and len(moves(table)) < 9:
        course = table.session.match.course
        side = course.game.movers(course.position)[0]
        move = chance.choice(course.game.moves(course.position, side))
        before = moves(table)
        ((cell, _, kind),) = course.game.effects(course.position, move)
        name = course.game.grid.name(cell)
        old = int(course.game.pieces(course.position)[cell])
        for _ in range(2):
            if kind:
                table.place(name, int(kind))
            else:
                table.lift(name)
                assert table.command("confirm") is None
            assert moves(table) == [*before, str(move)]
            if table.session.match.outcome is not None:
                return
            undone = course.game.pieces(course.positions[-2])
            assert not isinstance(course.game.read(course.position, undone), Complete)
            if kind:
                table.lift(name)
            else:
                table.place(name, old)
            assert moves(table) == before
            assert table.view["verdict"]["kind"] == "agree"
        (table.place if kind else table.lift)(name, *([int(kind)] if kind else []))
        if not kind:
            table.command("confirm")
        assert moves(table) == [*before, str(move)]
