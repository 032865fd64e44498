"""Rengi a second time, from the text of the rules: a scorekeeper that follows a game by events.

Written from rules/rengi.md and the golden tables, not from the product and not from the first
reference (`rengi_by_the_paper*.py`), and built otherwise: a field is six strings from below, and
the keeper does not decide *when* things happen. The text leaves open how the costs of frames are
put together, so times come from the game that is being checked; the keeper checks that nobody
overtakes, and works out by itself all that the text decides: which placements a pair has, what a
hand erases and is worth, into which bin ojama go, what is cancelled, how many fall and how they may
lie, who is dead, what is paid for an empty field, and when a position has come four times.

Which random columns ojama take it only bounds; that offset takes bin B first is the golden trace's
to show (test_rengi_duel.py), since two bins are rarely filled at once here.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from places import TESTS

GOLDEN: dict[str, Any] = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
CHAIN: list[int] = GOLDEN["bonus"]["chain"]
SECONDS: list[int] = GOLDEN["margin"]["seconds"]
RATES: list[int] = GOLDEN["margin"]["rate"]
ALL_CLEAR: int = GOLDEN["all_clear"]["points"]
CAP = GOLDEN["ojama_drop"]["cap_blocks"]
EMPTY = ("",) * 6
Columns = tuple[str, ...]
"""Six texts, each a column from below; '-' is a gap below a block that hangs in row 14."""


def connection(size: int) -> int:
    table: dict[str, int] = GOLDEN["bonus"]["connect"]
    return table["11+"] if size > 10 else table[str(size)]


def height(column: str) -> int:
    return len(column.rstrip("-")[:13].rstrip("-"))


def fallen(column: str) -> str:
    """A column after gravity: what is in row 14 stays where it is."""
    below = column[:13].replace("-", "")
    return below.ljust(13, "-") + column[13] if len(column) > 13 else below


def dropped(column: str, block: str, keeps14: bool) -> str:
    """A column with one more block on it, if it finds room."""
    high = height(column)
    if high < 13:
        rest = column[13:]
        return (column[:high] + block).ljust(13, "-") + rest if rest else column[:high] + block
    if keeps14 and len(column) == 13:
        return column + block
    return column


def groups(of: Columns) -> list[list[tuple[int, int]]]:
    """The groups of four and more in rows 1 to 12."""
    todo = {(c, r) for c in range(6) for r, block in enumerate(of[c][:12]) if block in "RBYG"}
    found = []
    while todo:
        first = todo.pop()
        group, edge = [first], [first]
        while edge:
            c, r = edge.pop()
            for near in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)):
                if near in todo and of[near[0]][near[1]] == of[c][r]:
                    todo.remove(near)
                    group.append(near)
                    edge.append(near)
        if len(group) >= 4:
            found.append(group)
    return found


def chain(of: Columns, ghost_goes: bool = False) -> tuple[Columns, list[int]]:
    """What is left of a field, and the points of each step."""
    points: list[int] = []
    while ripe := groups(of):
        gone = {cell for group in ripe for cell in group}
        colours = {of[group[0][0]][group[0][1]] for group in ripe}
        for c, r in list(gone):
            for x, y in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)):
                seen = 13 if ghost_goes else 12
                if 0 <= x < 6 and 0 <= y < min(len(of[x]), seen) and of[x][y] == "O":
                    gone.add((x, y))
        bonus = CHAIN[min(len(points), 18)] + sum(connection(len(group)) for group in ripe)
        bonus += GOLDEN["bonus"]["color"][str(len(colours))]
        points.append(10 * sum(map(len, ripe)) * max(1, bonus))
        of = tuple(
            fallen("".join("-" if (c, r) in gone else b for r, b in enumerate(of[c])))
            for c in range(6)
        )
    return of, points


def placements(of: Columns, quick_turn: bool) -> set[tuple[int, int]]:
    """(column from 1, rotation) that a pair can have under wall plan 1."""
    high = [height(column) for column in of]

    def reach(most: int) -> set[int]:
        found = set()
        for way in (1, -1):
            c = 2
            while 0 <= c < 6 and high[c] <= most:
                found.add(c)
                c += way
        return found

    low = reach(11)
    # Between two walls a pair comes in upright and turns only by a quick turn. The text does not
    # say so; without it nobody could see how the child gets below, or lifts the axis.
    is_stuck = low == {2} and not quick_turn
    by_floor = any(high[c] == 11 for c in low) and not is_stuck
    lifted = by_floor or (quick_turn and high[1] >= 12 and high[3] >= 12)
    free = reach(12) if lifted else low
    # The column of the spawn itself is where a pair comes in, at row 12 and 13.
    found = set()
    for c in free:
        # Nor does it say what becomes of a child that finds row 14 taken: it does not go there.
        if high[c] + 1 <= 13 and not (high[c] == 12 and len(of[c]) > 13):
            found.add((c + 1, 0))
        if high[c] + 2 <= 13 and not is_stuck:
            found.add((c + 1, 2))
        for beside, rotation in ((c + 1, 1), (c - 1, 3)):
            if beside in free:
                found.add((c + 1, rotation))
    return found


@dataclass
class Player:
    """What the rules keep of one player."""

    field: Columns = EMPTY
    a: int = 0
    b: int = 0
    made: int = 0
    bonus: int = 0
    """Points that wait for the next erasure."""
    carried: int = 0
    score: int = 0
    steps: list[int] = dataclasses.field(default_factory=list)
    """Points of the steps of the running chain that are still to come."""
    earned: int = 0
    sent: int = 0
    rate: int = 70
    bin: str = ""
    fell: int = 0
    """Ojama since its last turn."""
    is_falling: bool = False
    """Its last move was a hand: until it acts again the pair may still be on its way."""


def unripe(rng: random.Random) -> Columns:
    """The lower rows of a golden field of 19 steps, a block taken of each group that would go."""
    digits = rng.choice(GOLDEN["nineteen_chain_fields"])["url"].zfill(78)
    rows = [digits[at : at + 6] for at in range(0, 78, 6)][::-1][: rng.randint(3, 10)]
    letters = str.maketrans("014567", "-ORBYG")
    of = tuple(fallen("".join(row[c] for row in rows).translate(letters)) for c in range(6))
    while ripe := groups(of):
        column, row = rng.choice(sorted(ripe[0]))
        of = (*of[:column], fallen(of[column][:row] + of[column][row + 1 :]), *of[column + 1 :])
    return of


def nearly_bare(axis: str, child: str) -> Columns:
    """A field that this pair can clear."""
    if axis == child:
        return (axis, axis, "", "", "", "")
    return (axis + child, axis + child, axis + child, "", "", "")


def in_rows(of: Columns) -> str:
    """A field as a set-up takes it, the top row first."""
    rows = ["".join(column[r : r + 1] or "." for column in of) for r in range(13)]
    return "/".join(rows[::-1]).replace("-", ".")


class Wrong(AssertionError):
    """The game and the rules' text part ways."""


class Keeper:
    """Keeps score of one game by frames, event by event."""

    def __init__(self, options: dict[str, int | str]) -> None:
        self.options = options
        self.players = [Player(), Player()]
        self.seen: Counter[object] = Counter()
        self.over: tuple[int | None, str] | None = None
        self.now = 0
        self.begins: int | None = None
        self.may_repeat = self.must_repeat = False
        self.found: Counter[str] = Counter()

    def on(self, name: str) -> bool:
        return self.options[name] == "on"

    def must(self, holds: bool, what: str) -> None:
        if not holds:
            raise Wrong(what)

    def hand(self, side: int, colours: str, column: int, rotation: int) -> None:
        """A pair is placed and its chain found; it is fired when it lands."""
        own = self.players[side]
        keeps = self.options["row14"] == "stay"
        beside = column - 1 + (0, 1, 0, -1)[rotation]
        blocks = [(column - 1, colours[0]), (beside, colours[1])]
        if rotation == 2:
            blocks.reverse()
        columns = list(own.field)
        for at, block in blocks:
            columns[at] = dropped(columns[at], block, keeps)
        own.field, own.steps = chain(tuple(columns), self.options["ghost_ojama"] == "C")
        own.made += 1
        own.fell = 0
        own.is_falling = True
        self.found["hands"] += 1
        self.found["chains"] += bool(own.steps)
        self.found["row14"] += any(len(c) > 13 for c in own.field)

    def event(self, kind: str, side: int, time: int, ojama: int, points: int) -> None:
        """Something happens to `side`."""
        own, enemy = self.players[side], self.players[1 - side]
        self.must(time >= self.now or kind in ("placed", "erased", "passed"), "somebody overtakes")
        self.now = max(self.now, time)
        if kind == "passed":
            own.is_falling = False
            own.fell = 0  # a pass is a turn too
        elif kind == "fired":
            own.bin = "a" if enemy.a + enemy.b == 0 else "b"
            own.rate = self.rate(time)
            own.earned, own.sent, own.carried = own.carried, 0, 0
            if own.bonus:
                own.steps[0] += own.bonus
                own.bonus = 0
            if self.on("all_clear") and not any(own.field):
                own.bonus = ALL_CLEAR
                self.found["all clear"] += 1
        elif kind == "credited":
            worth = own.steps.pop(0)
            self.must(worth == points, f"a step is worth {worth}, not {points}")
            own.earned += worth
            own.score += worth
            new = own.earned // own.rate - own.sent
            self.must(new == ojama, f"a step makes {new} ojama, not {ojama}")
            own.sent += new
            if self.on("offset"):
                for bin in ("b", "a"):
                    cancelled = min(new, getattr(own, bin))
                    setattr(own, bin, getattr(own, bin) - cancelled)
                    new -= cancelled
                    self.found["offset"] += cancelled
            setattr(enemy, own.bin, getattr(enemy, own.bin) + new)
            if not own.steps and self.on("carry_remainder"):
                own.carried = own.earned % own.rate
        elif kind == "died":
            self.must(self.is_dead(side), f"side {side} is not dead")
            self.over = (1 - side, "rengi.dead")
        elif kind == "chain-over":
            self.must(not own.steps, "a chain ends before its last step")
            enemy.a, enemy.b, own.bin = enemy.a + enemy.b, 0, ""
            own.is_falling = False
        elif kind == "fell":
            due = 0 if enemy.bin == "a" else min(own.a, CAP - own.fell)
            self.must(ojama == due, f"{due} ojama fall, not {ojama}")
            own.a -= ojama
            own.fell += ojama
            own.is_falling = False
            self.found["fell"] += ojama

    def is_dead(self, side: int) -> bool:
        """Whether row 12 of column 3 is filled."""
        return self.players[side].field[2][11:12] not in ("", "-")

    def rate(self, time: int) -> int:
        if self.options["margin"] != "seconds":
            return 70
        return RATES[max(i for i, since in enumerate(SECONDS) if since <= time / 60)]

    def fall(self, side: int, count: int, told: Columns) -> int:
        """Take the field after a fall as told, if it is one that the rules allow: whole rows, the
        rest in columns of which none comes twice. Returns how many found no room."""
        own = self.players[side]
        rows, rest = divmod(count, 6)
        columns, lost, odd, forced = [], 0, 0, 0
        for before, after in zip(own.field, told, strict=True):
            for more in (rows, rows + 1):
                column = before
                for _ in range(more):
                    column = dropped(column, "O", False)
                if more == rows:
                    plain = column
                    lost += more - column.count("O") + before.count("O")
            self.must(after in (plain, column), f"{before} became {after}")
            odd += after == column != plain
            forced += plain == column
            columns.append(after)
        # In a full column nobody sees whether one more came.
        self.must(odd <= rest <= odd + forced, f"{odd} columns have one more, not {rest}")
        own.field = tuple(columns)
        return lost + rest - odd

    def settle(self, mover: int | None, clocks: tuple[int, int], pairs: int) -> None:
        """Nothing more happens until somebody acts: is somebody dead, was all this there before?"""
        if mover is not None and self.is_dead(mover):
            # Its chain has run out and ojama have fallen, or it would not be its turn.
            self.over = (1 - mover, "rengi.dead")
        if self.over:
            return
        # Whose clock is earlier acts; of two that are equal the player who began.
        if self.begins is None:
            self.begins = mover
        earlier = min((0, 1), key=lambda side: (clocks[side], side != self.begins))
        self.must(mover in (earlier, None), "the later clock acts")
        first, second = self.players
        mover = earlier
        state = tuple(
            (p.field, p.a, p.b, p.bonus, p.carried, p.made % pairs if pairs else 0, p.bin,
             tuple(p.steps), p.earned - p.sent * p.rate, clocks[i] - clocks[mover],
             p.is_falling and i != mover)
            for i, p in enumerate((first, second))
        )  # fmt: skip
        # Whether a hand has landed is known only where a chain or a fall followed it: counted are
        # the times that all was surely the same, and those that it may have been.
        bare = tuple(own[:-1] for own in state)
        self.seen[mover, state] += 1
        self.seen["bare", mover, bare] += 1
        times = int(self.options["repetition"])
        self.found["repeated"] += self.seen[mover, state] > 1
        self.must_repeat = self.seen[mover, state] >= times
        self.may_repeat = self.seen["bare", mover, bare] >= times
