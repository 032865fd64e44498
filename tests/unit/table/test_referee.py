"""The referee: what a picture of the board means in a position."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from lumiban import games
from lumiban.games.base import BLACK, WHITE, Complete, Game, Kind, Position
from lumiban.table.referee import BLIND, MACHINE, PAGE, judge
from lumiban.table.types import (
    Agree,
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
