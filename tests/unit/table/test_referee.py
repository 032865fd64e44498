"""The referee: what a picture of the board means in a position."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from lumiban import games
from lumiban.games.base import BLACK, WHITE, Complete, Game, Kind, Mark, Position
from lumiban.table.referee import AIR, BLIND, CONFIRM, LIFT, MACHINE, PAGE, judge, mending_steps
from lumiban.table.types import (
    Agree,
    Choose,
    Commit,
    Pending,
    RefereeContext,
    Refuse,
    Repair,
    Sensed,
    Step,
    Takeback,
    Verdict,
    Wait,
)
from msgspec.structs import replace
from own_games import own
from places import ROOT

GAME = games.load("control", size=3)
W, B = Kind.WHITE, Kind.BLACK
STRANGE = (Kind.STACKED, Kind.FOREIGN)


def after(*texts: str, game: Game = GAME) -> list[Position]:
    """The positions of a game so far, the first one included."""
    positions = [game.start()]
    for text in texts:
        positions.append(game.play(positions[-1], game.parse(positions[-1], text)))
    return positions


def picture(position: Position, **changes: int) -> Sensed:
    """What the board shows: the position, but for some cells."""
    kinds = [int(kind) for kind in GAME.pieces(position)]
    for name, kind in changes.items():
        kinds[GAME.grid.cell(name)] = kind
    return Sensed(tuple(kinds))


def cell(name: str) -> int:
    return GAME.grid.cell(name)


def said(
    positions: list[Position],
    pending: Pending | None = None,
    trail: RefereeContext | None = None,
    now_us: int = 1_000_000,
    **changes: int,
) -> Verdict:
    """The verdict on a board that shows the last position but for some cells."""
    trail = trail or RefereeContext(
        past=tuple(positions[:-1]), backs=(1,) if len(positions) > 1 else ()
    )
    return judge(GAME, positions[-1], picture(positions[-1], **changes), pending, trail, now_us)


# c3 is the middle. After these Black, to move, controls no stone of White's; White's b2 is next
# to a1, and White controls a2 and b1.
OPENING = ("a1", "e3", "b2", "d4")


def removable() -> list[Position]:
    """White to move may take the black stone on a2, which sees two white ones."""
    positions = after("a1", "e3", "b2", "d4")
    game = GAME.setup({"a1": WHITE, "b2": WHITE, "a2": BLACK, "e3": BLACK}, to_move=WHITE)
    assert GAME.why_not(game, WHITE, GAME.parse(game, "xa2")) is None
    return [*positions[:1], game]


def test_a_board_that_shows_the_position_agrees() -> None:
    assert said(after(*OPENING)) == Agree()


def test_the_picture_after_a_legal_move_commits_it() -> None:
    positions = after(*OPENING)
    verdict = said(positions, c3=W)
    assert verdict == Commit((GAME.parse(positions[-1], "c3"),))


def test_a_stone_on_an_enemy_cell_is_refused_with_rule_proof_and_mending() -> None:
    positions = after("a1", "e3", "b2", "d3")
    # e2 and d4 see two black stones and no white one.
    verdict = said(positions, d4=W)
    assert isinstance(verdict, Refuse)
    assert verdict.refusal.rule == "control.enemy-cell"
    assert set(verdict.refusal.cells) == {cell("e3"), cell("d3")}
    assert verdict.plan == (Step("lift", cell("d4"), W),)


def test_a_stone_out_of_turn_is_refused() -> None:
    verdict = said(after(*OPENING), c3=B)
    assert isinstance(verdict, Refuse)
    assert verdict.refusal.rule == "control.not-your-turn"


def test_an_enemy_stone_lifted_from_a_cell_one_does_not_control_is_to_be_put_back() -> None:
    verdict = said(after(*OPENING), e3=0)
    assert isinstance(verdict, Refuse)
    assert verdict.plan == (Step("place", cell("e3"), B),)


def test_a_lift_waits_and_is_cancelled_by_putting_it_back() -> None:
    positions = removable()
    move = GAME.parse(positions[-1], "xa2")
    verdict = said(positions, trail=RefereeContext(), a2=0)
    assert verdict == Wait(CONFIRM, None, move)
    assert said(positions, Pending(move, LIFT), RefereeContext()) == Agree()


def test_a_lift_against_a_machine_counts_down_in_board_time() -> None:
    positions = removable()
    move = GAME.parse(positions[-1], "xa2")
    trail = RefereeContext(people=(WHITE,), countdown_us=2_000_000)
    verdict = said(positions, trail=trail, a2=0)
    assert verdict == Wait(CONFIRM, 3_000_000, move)
    pending = Pending(move, LIFT, 3_000_000)
    assert said(positions, pending, trail, 2_999_999, a2=0) == verdict
    assert said(positions, pending, trail, 3_000_000, a2=0) == Commit((move,))


def test_a_lift_is_played_by_its_button() -> None:
    positions = removable()
    move = GAME.parse(positions[-1], "xa2")
    assert said(positions, Pending(move, LIFT, None, True), RefereeContext(), a2=0) == Commit(
        (move,)
    )


def test_the_opponents_next_legal_move_plays_a_lift_and_itself() -> None:
    positions = removable()
    lift = GAME.parse(positions[-1], "xa2")
    verdict = said(positions, Pending(lift, LIFT), RefereeContext(), a2=0, d3=B)
    assert isinstance(verdict, Commit)
    assert [str(move) for move in verdict.moves] == ["xa2", "d3"]


def test_without_the_lift_seen_first_the_opponents_stone_plays_nothing() -> None:
    verdict = said(removable(), None, RefereeContext(), a2=0, d3=B)
    assert isinstance(verdict, Repair)


def test_the_opponents_illegal_answer_is_refused_and_the_lift_goes_on_waiting() -> None:
    positions = removable()
    lift = GAME.parse(positions[-1], "xa2")
    verdict = said(positions, Pending(lift, LIFT), RefereeContext(), a2=B, b1=B)
    assert not isinstance(verdict, Commit)
    verdict = said(positions, Pending(lift, LIFT), RefereeContext(), a2=0, b1=B)
    assert isinstance(verdict, Refuse)
    assert verdict.refusal.rule == "control.enemy-cell"
    assert verdict.plan == (Step("lift", cell("b1"), B),)


def test_while_a_machines_move_is_pending_only_that_is_accepted() -> None:
    positions = after("a1")
    move = GAME.parse(positions[-1], "e3")
    pending, trail = Pending(move, MACHINE), RefereeContext(people=(WHITE,))
    assert said(positions, pending, trail) == Wait(MACHINE, pending=move)
    assert said(positions, pending, trail, e3=B) == Commit((move,))
    for changes in ({"d3": B}, {"d3": W}, {"e3": W}, {"a1": 0}):
        verdict = said(positions, pending, trail, **changes)
        assert isinstance(verdict, Repair), changes
        assert verdict.why is not None
        assert verdict.why.rule == "table.machine-first"
    both = said(positions, pending, trail, e3=B, d3=W)
    assert isinstance(both, Repair)
    assert both.plan == (Step("lift", cell("d3"), W),)


def test_a_piece_that_a_machine_puts_in_place_of_another_may_be_lifted_first() -> None:
    stigmergy = games.load("stigmergy", size=3)
    board = {"c3": BLACK, "b2": WHITE, "c2": WHITE, "d3": WHITE, "c4": WHITE, "a1": BLACK}
    position = stigmergy.setup(board)
    move = stigmergy.parse(position, "xc3")
    pending, trail = Pending(move, MACHINE), RefereeContext(people=(BLACK,))

    def shown(**changes: int) -> Verdict:
        kinds = [int(kind) for kind in stigmergy.pieces(position)]
        for name, kind in changes.items():
            kinds[stigmergy.grid.cell(name)] = kind
        return judge(stigmergy, position, Sensed(tuple(kinds)), pending, trail, 1_000_000)

    assert shown(c3=0) == Wait(MACHINE, pending=move)
    assert shown(c3=W) == Commit((move,))
    assert isinstance(shown(a1=0, c3=0), Repair), "that one stays"


def test_the_stone_placed_last_may_be_exchanged_at_once_or_taken_back() -> None:
    tumbleweed = games.load("tumbleweed", size=3, opening="fixed")
    texts = ("c2", "d4", "d2", "b4", "b1", "e2", "a1", "c4", "d1", "+d4", "b3")
    positions = after(*texts, game=tumbleweed)
    exchange = tumbleweed.parse(positions[-1], "xb3")
    trail = RefereeContext(past=tuple(positions[:-1]), backs=(1,), grace_until_us=500_000)

    def shown(kind: int, now_us: int) -> Verdict:
        kinds = [int(kind) for kind in tumbleweed.pieces(positions[-1])]
        kinds[tumbleweed.grid.cell("b3")] = kind
        return judge(tumbleweed, positions[-1], Sensed(tuple(kinds)), None, trail, now_us)

    assert shown(0, 400_000) == Takeback(1)
    lifted = shown(0, 1_000_000)
    assert isinstance(lifted, Choose)
    assert (lifted.candidates, lifted.back) == ((exchange,), 1)
    assert shown(B, 1_000_000) == Commit((exchange,))


def undone(game: Game, texts: Sequence[str], chance: random.Random) -> list[Verdict]:
    """Verdicts while the last move is undone by hand, cell by cell in an order by chance: what it
    set is lifted, then what stood there before is set."""
    positions = after(*texts, game=game)
    before, should = (game.kinds_on(position) for position in positions[-2:])
    own = [cell for cell, kind in enumerate(before) if kind != should[cell]]
    chance.shuffle(own)
    trail = RefereeContext(past=tuple(positions[:-1]), backs=(1,), grace_until_us=500_000)
    kinds, verdicts = [int(kind) for kind in should], []
    for cell in own:
        for kind in dict.fromkeys((0, int(before[cell]))):
            kinds[cell] = kind
            sensed = Sensed(tuple(kinds))
            verdicts.append(judge(game, positions[-1], sensed, None, trail, 1_000_000))
    return verdicts


def test_an_exchange_is_taken_back_by_lifting_it_and_setting_what_stood_there() -> None:
    tumpletore = games.load("tumpletore", size=3)
    first, last = undone(tumpletore, ("e1", "d3", "e2", "c5", "xd3"), random.Random(1))
    up = (Mark(tumpletore.grid.cell("d3"), "lift-target"),)
    assert (first, last) == (Wait(AIR, marks=up), Takeback(1))


@pytest.mark.parametrize("seed", range(4))
def test_stones_that_were_turned_are_turned_back_in_any_order(seed: int) -> None:
    flips = games.load(own(ROOT / "examples" / "reversi.py"))
    position, texts, changed = flips.start(), list[str](), 0
    while changed < 3:  # the stone set, and two turned
        move = min(flips.moves(position, flips.movers(position)[0]), key=str)
        changed = len(flips.effects(position, move))
        position = flips.play(position, move)
        texts.append(str(move))
    *way, last = undone(flips, texts, random.Random(seed))
    assert last == Takeback(1)
    assert all(isinstance(verdict, Wait) for verdict in way)


def test_nobody_plays_for_a_machine_that_has_not_answered() -> None:
    verdict = said(after("a1"), None, RefereeContext(people=(WHITE,)), e3=B)
    assert isinstance(verdict, Refuse)
    assert verdict.refusal.rule == "table.machines-turn"


def test_a_move_told_by_page_is_played_when_the_board_shows_it_and_another_one_too() -> None:
    positions = after("a1")
    move = GAME.parse(positions[-1], "e3")
    assert said(positions, Pending(move, PAGE)) == Agree()
    assert said(positions, Pending(move, PAGE), e3=B) == Commit((move,))
    assert said(positions, Pending(move, PAGE), d3=B) == Commit((GAME.parse(positions[-1], "d3"),))


def test_a_lift_told_by_page_needs_no_second_word() -> None:
    positions = removable()
    move = GAME.parse(positions[-1], "xa2")
    assert said(positions, Pending(move, PAGE), RefereeContext(), a2=0) == Commit((move,))


def test_lifting_ones_last_stone_takes_the_move_back() -> None:
    assert said(after(*OPENING), d4=0) == Takeback(1)


def test_a_last_stone_swept_off_among_others_is_put_back_and_takes_nothing_back() -> None:
    positions = after(*OPENING)
    trail = RefereeContext(past=tuple(positions[:-1]), backs=(1,), to_mend=frozenset({cell("d4")}))
    verdict = said(positions, None, trail, d4=0)
    assert isinstance(verdict, Repair)
    assert verdict.plan == (Step("place", cell("d4"), B),)


def test_a_move_that_the_game_forbids_is_refused_however_a_game_reads_the_board() -> None:
    class Lenient(type(GAME)):  # type: ignore[misc]  # whatever game it is
        """A game whose reading lets everything pass."""

        def read(self, position: Position, sensed: Sequence[int]) -> Complete:
            return Complete(GAME.parse(position, "d4"))

    positions = after("a1", "e3", "b2", "d3")
    seen = picture(positions[-1], d4=W)
    verdict = judge(Lenient(size=3), positions[-1], seen, None, RefereeContext(), 1_000_000)
    assert isinstance(verdict, Refuse)
    assert verdict.refusal.rule == "control.enemy-cell"


def test_lifting_an_older_stone_does_not() -> None:
    assert isinstance(said(after(*OPENING), b2=0), Refuse)


def test_the_last_stone_may_go_on_to_another_cell_in_one_picture() -> None:
    positions = after(*OPENING)
    verdict = said(positions, d4=0, c4=B)
    assert verdict == Takeback(1, (GAME.parse(positions[-2], "c4"),))
    assert isinstance(said(positions, d4=0, a2=B), Repair), "a2 is White's"


@pytest.mark.parametrize("answer", [{}, {"e3": 0}])
def test_against_a_bot_undoing_ones_own_move_takes_both_back_in_any_order(
    answer: dict[str, int],
) -> None:
    positions = after("a1", "e3")
    trail = RefereeContext(past=tuple(positions[:-1]), backs=(2,), people=(WHITE,))
    assert said(positions, None, trail, a1=0, **answer) == Takeback(2)


def test_lifting_only_the_bots_stone_takes_nothing_back() -> None:
    positions = after("a1", "e3")
    trail = RefereeContext(past=tuple(positions[:-1]), backs=(2,), people=(WHITE,))
    assert isinstance(said(positions, None, trail, e3=0), Refuse)


def test_an_answer_on_the_cell_of_a_removal_is_refused_and_undoes_nothing() -> None:
    start = removable()[-1]
    taken = GAME.play(start, GAME.parse(start, "xa2"))
    trail = RefereeContext(past=(start,), backs=(1,), grace_until_us=500_000)
    verdict = judge(GAME, taken, picture(taken, a2=B), None, trail, 1_000_000)
    assert isinstance(verdict, Refuse)
    assert verdict.refusal.rule == "control.enemy-cell"
    assert judge(GAME, taken, picture(taken, a2=B), None, trail, 400_000) == Takeback(1)


@pytest.mark.parametrize("kind", STRANGE)
def test_a_piece_that_cannot_be_told_is_to_be_mended(kind: Kind) -> None:
    verdict = said(after(*OPENING), c3=kind)
    assert isinstance(verdict, Repair)
    assert verdict.why is not None
    assert verdict.why.cells == (cell("c3"),)
    assert verdict.plan == (Step("lift", cell("c3"), kind),)


def test_a_change_of_kind_without_a_lift_is_never_a_move() -> None:
    positions = after(*OPENING)
    seen = replace(picture(positions[-1], a1=Kind.NEUTRAL), turned=frozenset({cell("a1")}))
    verdict = judge(GAME, positions[-1], seen, None, RefereeContext(), 0)
    assert isinstance(verdict, Repair)
    assert verdict.why is not None
    assert verdict.why.rule == "table.kind-changed"


@pytest.mark.parametrize("blind", BLIND)
def test_a_cell_that_cannot_be_read_shows_what_it_should(blind: Kind) -> None:
    positions = after(*OPENING)
    assert said(positions, a1=blind, c3=blind) == Agree()
    move = GAME.parse(positions[-1], "c3")
    assert said(positions, Pending(move, PAGE), c3=blind) == Commit((move,))
    masked = Pending(move, MACHINE)
    assert said(positions, masked, c3=blind) == Wait(MACHINE, pending=move)
    assert said(positions, replace(masked, confirmed=True), c3=blind) == Commit((move,))


def test_what_was_to_be_mended_never_becomes_a_move_by_lying_there() -> None:
    """A black stone set out of turn stays dead when its turn comes."""
    positions = after(*OPENING)
    positions.append(GAME.play(positions[-1], GAME.parse(positions[-1], "c3")))
    legal = GAME.parse(positions[-1], "c4")
    assert GAME.why_not(positions[-1], BLACK, legal) is None
    trail = RefereeContext(to_mend=frozenset({cell("c4")}))
    verdict = said(positions, None, trail, c4=B)
    assert isinstance(verdict, Repair)
    assert verdict.plan == (Step("lift", cell("c4"), B),)
    assert said(positions, None, RefereeContext(), c4=B) == Commit((legal,))


def test_a_dead_stone_must_go_before_a_legal_one_counts_and_that_one_may_stay() -> None:
    positions = after(*OPENING)
    verdict = said(positions, None, RefereeContext(to_mend=frozenset({cell("b1")})), b1=B, c3=W)
    assert isinstance(verdict, Repair)
    assert verdict.plan == (Step("lift", cell("b1"), B),)


def test_a_plan_lifts_first_and_then_places() -> None:
    steps = mending_steps((1, 0, 2, 0), (0, 1, 1, 0))
    assert [(step.do, step.cell) for step in steps] == [
        ("lift", 0),
        ("lift", 2),
        ("place", 1),
        ("place", 2),
    ]
