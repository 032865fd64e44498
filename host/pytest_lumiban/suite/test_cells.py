"""Every cell: what happens on it is told of it, at its time, alike each time, and by STATE too."""

from __future__ import annotations

import pytest
from lumiban_fw import wire

from pytest_lumiban import stimuli
from pytest_lumiban.board import PIECES, BoardUnderTest, Told
from pytest_lumiban.claims import Broken, claim, require
from pytest_lumiban.hands import Hands, InjectedHands
from pytest_lumiban.plain_host import word

MAX_UNSURE_US = 12_000
STRAY_US = 20
"""EVENTS tell times in steps of 10 µs from another base each."""
A_WALK = 24
"""Cells whose pieces are set before one waits for what is told."""
AGAIN_S = 0.2
"""Within this a board tells what is not acknowledged once more: after 50 ms, then 100."""


@claim("The belief includes all *released* events with numbers below `event`", "CAN_INJECT")
@pytest.mark.lumiban_needs("inject")
def test_what_happens_on_a_cell_is_told_of_this_cell_and_believed(board: BoardUnderTest) -> None:
    host, cells = stimuli.switch_on(board.host), list(board.cells)
    board.dice.shuffle(cells)
    host.acknowledging = False
    for at, cell in enumerate(cells):
        piece = ("white", "black")[at % 2]
        event = _given(board, cell, stimuli.reading(board.profile, PIECES[piece], 0.0))
        # A board of switches may read an injected field all the same.
        require(
            event.cell == cell and event.piece in (piece, board.piece(piece)),
            f"{cell} was given a {piece} piece, and the board told: {event}",
        )
        require(not event.late, f"{event} carries LATE, though nothing else moved")
        _check_uncertainty(board, str(event), host.events[at].uncertainty_us)
        _check_belief(board, cell, event.piece)
    for cell in cells:
        event = _given(board, cell, stimuli.MIDDLE)
        require(
            (event.cell, event.piece) == (cell, "empty"),
            f"the piece on {cell} was taken off, and the board told: {event}",
        )
        _check_belief(board, cell, "empty")
    board.wait(AGAIN_S)
    _check_tellings(board)
    _check_states(board)


def _given(board: BoardUnderTest, cell: str, count: int) -> Told:
    """What is told when a cell reads this count from now on; now and then it is acknowledged."""
    known = len(board.events)
    if known % A_WALK == A_WALK - 1:
        board.wait(AGAIN_S)
        board.host.acknowledge()
    stimuli.hold(board.host, board.number(cell), count)
    return board.wait_for_events(known + 1)[known]


def _check_uncertainty(board: BoardUnderTest, sentence: str, unsure_us: int) -> None:
    require(unsure_us > 0, f"{sentence}: an uncertainty of 0; no board times a piece exactly")
    period_us = 1_000_000 // max(board.hello.scan_hz, 1)
    most_us = max(MAX_UNSURE_US, 12 * period_us)
    require(unsure_us <= most_us, f"{sentence}: an uncertainty of {unsure_us / 1000:g} ms")


def _check_belief(board: BoardUnderTest, cell: str, expected: str) -> None:
    state = board.ask_state()
    got = state.get(cell, "empty")
    require(got == expected, f"{cell} holds {expected} by EVENTS, and {got} by STATE")


def _check_tellings(board: BoardUnderTest) -> None:
    """An event that is told again is told alike."""
    for number, tellings in sorted(board.host.tellings.items()):
        one, *others = sorted(tellings)
        for other in others:
            if other[1:] != one[1:] or other.t_us - one.t_us > STRAY_US:
                raise Broken(
                    f"event {number} ({board.name(one.cell)}) was told twice and not alike: first"
                    f" {one}, then {other}"
                )


def _check_states(board: BoardUnderTest) -> None:
    """Each STATE that came is the sum of the events before it."""
    host = board.host
    for state in host.states:
        if state.event < host.first:
            continue
        kinds = [wire.EMPTY] * len(board.cells)
        for event in host.events[: state.event - host.first]:
            if event.cell < len(kinds):
                kinds[event.cell] = event.kind
        for cell, kind, told in zip(board.cells, kinds, state.kinds, strict=False):
            before = f"the {state.event} events before it say {word(kind)}"
            require(told == kind, f"STATE says {word(told)} on {cell}; {before}")


@claim("the references of all rows come last", "CAN_FIELD", "CAN_INJECT")
@pytest.mark.lumiban_needs("inject", "kinds")
def test_each_cell_s_reading_stands_in_its_own_place_of_field(board: BoardUnderTest) -> None:
    host, cells = stimuli.switch_on(board.host), len(board.cells)
    given = {at: stimuli.MIDDLE + 5 + at for at in range(cells)}
    given |= {wire.FIRST_BUTTON + row: stimuli.MIDDLE - row for row in range(board.profile.rows)}
    for at, value in given.items():
        stimuli.hold(host, at, value)
    board.settle()
    board.wait(0.1)
    known = len(host.frames)
    host.say(wire.H_GET_FIELD, (0, cells, 0))
    host.rest(400_000)
    read: dict[int, int] = {}
    for field in host.of(wire.B_FIELD, known):
        for at, value in enumerate(field.unpacked.column, field["first"]):
            read.setdefault(at, value)
    for at, value in given.items():
        row = at - wire.FIRST_BUTTON
        place = board.name(at) if row < 0 else f"the reference of row {row}"
        require(
            read.get(at) == value,
            f"{place} was given the reading {value}; FIELD has {read.get(at)}",
        )


@claim("Times are those of contact", "CAN_INJECT")
@pytest.mark.lumiban_needs("inject", "kinds")
@pytest.mark.parametrize("piece", ["white", "black", "neutral"])
def test_a_piece_that_comes_and_goes_is_told_with_its_kind_and_times(
    board: BoardUnderTest, piece: str
) -> None:
    hands = InjectedHands(board)
    cell = board.dice.choice(board.cells)
    event = hands.place(cell, piece)
    require(
        (event.cell, event.piece) == (cell, piece), f"a {piece} piece on {cell} is told: {event}"
    )
    _check_time(board, hands, f"a {piece} piece on {cell}")
    event = hands.lift(cell)
    require((event.cell, event.piece) == (cell, "empty"), f"{cell} was left, and told: {event}")
    _check_time(board, hands, f"lifting it from {cell}")


def _check_time(board: BoardUnderTest, hands: InjectedHands, what: str) -> None:
    truth_us = hands.truth_us
    event = board.host.events[-1]
    off_us = event.t_us - truth_us
    allowed_us = event.uncertainty_us + stimuli.STEP_US
    require(
        abs(off_us) <= allowed_us,
        f"{what} is told {off_us / 1000:.1f} ms after it was, ± {event.uncertainty_us / 1000:g} ms",
    )


@claim("Cells from 240 on are buttons.")
@pytest.mark.lumiban_hands
def test_buttons_are_told_down_and_up(board: BoardUnderTest, hands: Hands) -> None:
    down, up = hands.press(1)
    require(
        [str(down), str(up)] == ["button 1 down", "button 1 up"],
        f"button 1 was pressed and let go, and the board told: {down}, {up}",
    )


@pytest.mark.lumiban_hands
@pytest.mark.parametrize("piece", ["white", "black", "neutral"])
def test_a_piece_that_is_set_and_lifted_is_told_as_its_kind(
    board: BoardUnderTest, hands: Hands, piece: str
) -> None:
    for cell in (board.cells[0], board.cells[len(board.cells) // 2], board.cells[-1]):
        for event, expected in (
            (hands.place(cell, piece), board.piece(piece)),
            (hands.lift(cell), "empty"),
        ):
            require(
                (event.cell, event.piece) == (cell, expected),
                f"{expected} on {cell} is told as {event}",
            )
            require(event.uncertainty > 0, f"{event}: an uncertainty of 0")
    require(not board.pieces, f"nothing lies on the board, and it believes {board.pieces}")


@pytest.mark.lumiban_hands
def test_pieces_set_one_after_the_other_are_told_in_order_and_stay(
    board: BoardUnderTest, hands: Hands
) -> None:
    cells = board.dice.sample(board.cells, 3)
    for cell, piece in zip(cells, ("white", "black", "white"), strict=True):
        hands.place(cell, piece)
    times = [one.time for one in board.events]
    require(times == sorted(times), f"the times do not rise: {times}")
    require([one.cell for one in board.events] == cells, f"set: {cells}, told: {board.events}")
    state = board.ask_state()
    require(state == board.pieces, f"EVENTS say {board.pieces}, STATE says {state}")
    for cell in reversed(cells):
        hands.lift(cell)
    require(not board.ask_state(), f"all pieces were lifted, and STATE says {board.state}")
