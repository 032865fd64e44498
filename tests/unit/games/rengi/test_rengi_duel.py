"""Rengi's two-player game: the author's trace of offset and interrupt, played hand by hand."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from lumiban.games import Position
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.kernel import Event
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
FIRST, SECOND = 0, 1

FOUR_THEN_SIX = (
    "....../...G../...R.Y/..GR.Y/..GR.Y/..GB.G/..YB.G/..RYYY/..RRGG/..GYBB/.YRYRY/YGGBYG/YGBBGG"
)
"""YG1.1 fires four single groups; then BY2.1 six steps, of which 2 and 3 are double."""
FOUR = "....../.R.R../.R.GB./.R.GB./.Y.GR./.B.RB./.R.YG./.Y.RG./.B.YG./.G.RY./.B.RY./.BYRY./.BYYG."
"""BY6.0 fires four steps, the last double. What stays are walls in columns 2 and 4, with three
blocks of a colour at the heights where column 3 needs digging out later."""
HARMLESS = ("RB1.0", "YG6.0", "BR1.0", "GY6.0", "RB5.0", "YG4.0", "BR5.0", "GY4.0")


class Played:
    """A game played hand by hand, with all that happened in it."""

    def __init__(self, game: Rengi, position: Position) -> None:
        self.game, self.position = game, position
        self.events: list[Event] = []

    @property
    def mover(self) -> int | None:
        return next(iter(self.game.movers(self.position)), None)

    def play(self, text: str) -> None:
        move = self.game.parse(self.position, text)
        self.events += self.game.story(self.position, move)
        self.position = self.game.play(self.position, move)

    def fallen(self, side: int) -> list[int]:
        return [event.ojama for event in self.events if event.kind == "fell" and event.side == side]


def play_trace(game: Rengi, waits: Callable[[Played], str]) -> Played:
    """The trace's game up to the end of the first player's second chain; `waits` says what the
    second player does between the two falls."""
    played = Played(game, game.setup(fields=(FOUR_THEN_SIX, FOUR)))
    chains = iter(("YG1.1", "BY2.1"))
    while played.mover is not None:
        if played.mover == FIRST:
            hand = next(chains, None)
            if hand is None:
                break
            played.play(hand)
        elif played.fallen(SECOND):
            if game.hands_left(played.position, SECOND) is None:
                break
            played.play(waits(played))
        else:
            last = game.hands_left(played.position, SECOND) == 1
            played.play("BY6.0" if last else "pass")
    return played


Row = dict[str, int]


def rows_of(events: list[Event]) -> list[Row]:
    """The golden file's rows: points and ojama of both players' chains, forecast of the second.

    A chain's figures are gone in the row after its last step.
    """
    rows = []
    points, ojama, steps = [0, 0], [0, 0], [0, 0]
    for event in events:
        side = event.side
        if event.kind == "fired":
            steps[side] = event.steps
        elif event.kind == "credited":
            points[side] += event.points
            ojama[side] += event.ojama
        elif event.kind != "fell":
            continue
        a, b = event.forecast[SECOND]
        row = {"p1_score": points[0], "p1_ojama": ojama[0], "p2_score": points[1]}
        rows.append({**row, "p2_ojama": ojama[1], "A": a, "B": b})
        if event.kind == "credited" and event.steps == steps[side]:
            points[side] = ojama[side] = 0
    return rows


def golden_rows() -> list[Row]:
    names = ("p1_score", "p1_ojama", "p2_score", "p2_ojama", "A", "B")
    return [{name: row[name] or 0 for name in names} for row in GOLDEN["offset_interrupt"]["rows"]]


def by_ticks(table: str, **more: int | str) -> Rengi:
    return Rengi(mode="free", hand_table=table, ojama_unit=1, pass_plan=1, wall_cross=3, **more)


@pytest.mark.parametrize("table", "ABCD")
def test_the_trace_comes_out_row_by_row_under_every_hand_table(table: str) -> None:
    check = GOLDEN["tick_model"]["trace_check"][table]
    hands = []

    def waits(played: Played) -> str:
        hands.append(played.game.clock(played.position, SECOND))
        return "pass"

    played = play_trace(by_ticks(table), waits)
    rows, wanted = rows_of(played.events), golden_rows()
    assert len(rows) == len(wanted) == 19
    first, then = played.fallen(SECOND)
    # The trace lets all 110 fall at once, where the rules let 30 fall and 80 wait.
    rows[18]["A"] -= 110 - then
    for number, (row, right) in enumerate(zip(rows, wanted, strict=True), 1):
        assert row == right, f"row {number}"
    assert (first, then) == (check["first_fall"], 30)
    assert then + sum(played.game.forecast(played.position, SECOND)) == check["second_fall"]
    assert len(hands) == check["p2_hands_between"]


def test_the_trace_comes_out_by_frames_too() -> None:
    """Here the second player passes often, 32 frames each, before the answer is fired."""
    game = Rengi(mode="tsu", supply="free", margin="off", carry_remainder="off", wall_cross=3)
    played = Played(game, game.setup(fields=(FOUR_THEN_SIX, FOUR)))
    chains = iter(("YG1.1", "BY2.1", *HARMLESS))
    waits = iter(["pass"] * 10 + ["BY6.0"])
    while len(played.fallen(SECOND)) < 2:
        played.play(next(chains) if played.mover == FIRST else next(waits, "pass"))
    rows, wanted = rows_of(played.events), golden_rows()
    assert played.fallen(SECOND) == [12, 30]
    rows[18]["A"] -= 80
    assert rows == wanted
