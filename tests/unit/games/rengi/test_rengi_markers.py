"""Markers of Rengi: whatever hands do with stones, no hand is made that the rules forbid."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from lumiban.games.base import Move, Position, Refusal
from lumiban.games.light_game import Gesture
from lumiban.games.rengi import markers
from lumiban.games.rengi.duel import Role, centre
from lumiban.games.rengi.game import Rengi
from thorough import examples

FREE = Rengi(mode="free", begins="first")
LOOP = Rengi(mode="open", begins="first")


def walled(game: Rengi, high: tuple[int, ...]) -> Position:
    """A position whose first field has these heights, in colours that never erase."""
    rows = [
        "".join("RBYG"[(row + 2 * c) % 4] if row < high[c] else "." for c in range(6))
        for row in range(12, -1, -1)
    ]
    return game.setup(fields=("/".join(rows), "/".join(["......"] * 13)))


def say(game: Rengi, position: Position, *touches: tuple[int, int]) -> tuple[Gesture, list[Move]]:
    """The gesture after these (cell, kind), and the moves that it asked for."""
    gesture, moves = game.at_rest((0,) * 182), []
    for at, (cell, kind) in enumerate(touches):
        heard = game.hear(position, gesture, cell, kind, at, False)
        gesture = heard.gesture
        if heard.move is not None:
            moves.append(heard.move)
    return gesture, moves


CELLS = st.integers(0, 181)
MINE = st.sampled_from([row * 13 + column for row in range(0, 14, 3) for column in range(6)])
MIDDLE = st.sampled_from([row * 13 + 6 for row in range(14)])
TOUCHES = st.lists(
    st.tuples(st.one_of(MINE, MINE, MIDDLE, CELLS), st.sampled_from([0, 0, 1, 1, 1, 2, 3])),
    max_size=40,
)
HIGH = st.tuples(*[st.integers(0, 13)] * 2, st.integers(0, 11), *[st.integers(0, 13)] * 3)


@settings(max_examples=examples(90))
@given(HIGH, TOUCHES, st.sampled_from(["free", "open", "tsu"]))
@example((0,) * 6, [(45, 2)], "tsu")  # who is not to move looks along the loop
def test_no_gesture_asks_for_a_hand_that_the_rules_forbid(
    high: tuple[int, ...], touches: list[tuple[int, int]], mode: str
) -> None:
    game = {"free": FREE, "open": LOOP}.get(mode) or Rengi(mode=mode, begins="first")
    position = walled(game, high)
    if game.outcome(position) is not None:
        return
    gesture = game.at_rest((0,) * 182)
    for at, (cell, kind) in enumerate(touches):
        if gesture.kinds[cell] == kind:
            continue
        heard = game.hear(position, gesture, cell, kind, at, True)
        gesture = heard.gesture
        assert gesture.kinds[cell] == kind
        assert all(gesture.kinds[dead] for dead in gesture.dead)
        if heard.move is not None:
            assert game.why_not(position, 0, heard.move) is None
            return
        said = game.meant(position, gesture)
        if isinstance(said, Move):
            assert game.why_not(position, 0, said) is None
        for mark in game.gesture_marks(position, gesture, True):
            assert 0 <= mark.cell < 182
    # Every stone counts for something that is lit, or blinks until it is lifted.
    lit = {mark.cell for mark in game.gesture_marks(position, gesture, True)}
    assert {cell for cell, kind in enumerate(gesture.kinds) if kind} <= lit


@settings(max_examples=examples(60))
@given(TOUCHES, st.integers(0, 1000))
@example([(45, 2)], 0)  # who is not to move has looked along the loop
def test_from_any_mess_lifting_all_and_setting_two_stones_makes_a_hand(
    touches: list[tuple[int, int]], seed: int
) -> None:
    position = LOOP.start(seed)
    gesture = LOOP.at_rest((0,) * 182)
    for at, (cell, kind) in enumerate(touches):
        if gesture.kinds[cell] != kind:
            heard = LOOP.hear(position, gesture, cell, kind, at, False)
            gesture = heard.gesture
            if heard.move is not None:
                gesture = LOOP.at_rest(gesture.kinds)
    for cell in [cell for cell, kind in enumerate(gesture.kinds) if kind]:
        gesture = LOOP.hear(position, gesture, cell, 0, 50, False).gesture
    assert not any(gesture.kinds)
    assert not gesture.dead
    moves = []
    for cell, kind in ((2, 1), (15, 1), (2, 0), (15, 0)):
        heard = LOOP.hear(position, gesture, cell, kind, 60, False)
        gesture = heard.gesture
        moves += [heard.move] if heard.move else []
    assert len(moves) == 1
    assert not any(gesture.kinds)
    assert not gesture.said


def test_every_listed_hand_of_a_pair_can_be_said_with_two_markers() -> None:
    position = LOOP.start(3)
    said = set()
    for column in range(6):
        for other, above in ((column, -1), (column, 1), (column - 1, 0), (column + 1, 0)):
            if not 0 <= other < 6:
                continue
            axis, child = 5 * 13 + column, (5 + above) * 13 + other
            _, moves = say(LOOP, position, (axis, 1), (child, 1), (axis, 0), (child, 0))
            said |= {move.text for move in moves}
    assert said == {move.text for move in LOOP.moves(position, 0)}


def test_a_hand_that_a_wall_stops_is_told_with_its_column_and_makes_nothing() -> None:
    position = walled(LOOP, (0, 0, 0, 12, 0, 0))
    touches = ((5, 1), (18, 1))
    gesture, _ = say(LOOP, position, *touches)
    said = LOOP.meant(position, gesture)
    assert isinstance(said, Refusal)
    assert (said.rule, dict(said.params)) == ("rengi.unreachable", {"column": 4})
    marks = LOOP.gesture_marks(position, gesture, False)
    proof = {LOOP.grid.name(mark.cell) for mark in marks if mark.meaning == "proof"}
    assert proof == {f"d{row}" for row in range(1, 13)}
    gesture, moves = say(LOOP, position, *touches, (5, 0), (18, 0))
    assert moves == []
    assert not any(gesture.kinds)
    assert not gesture.said


def test_resigning_takes_three_seconds_of_board_time() -> None:
    position, cell = FREE.start(), centre(FREE, Role.RESIGN)
    gesture = FREE.hear(position, FREE.at_rest((0,) * 182), cell, 1, 5_000, False).gesture
    assert FREE.due_us(gesture) == 5_000 + markers.HOLD_US == 3_005_000
    heard = FREE.on_time(position, gesture)
    assert heard.move is not None
    assert heard.move.text == "resign"
    assert heard.gesture.dead == {cell}
