"""What holds at every table whatever it suffers: laws, each a function that raises CheckFailed.

Moves are remembered here from what the table publishes, outside of it and across every death of
its host: `Remembered` is a list and nothing of the product. The laws of one event (events come once
and in order, the board forgets only what is on disk) and those of a table at rest (its journal
leads to it, its belief is what lies there) are in soak_table.py, soak_kept.py and soak_check.py;
that somebody is always waited for is `table.liveness`, whose `Hung` the soak takes for a failure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lumiban_fw.wire import FULL_MA, IDLE_MA

from lumiban.boards.profile import Profile
from lumiban.errors import CheckFailed

SidedMove = tuple[int, str]
"""A side and the text of what it played."""
SLACK_MA = 1.0
"""What rounding to whole light values may add."""


class Judge(Protocol):
    """Knows the rules of one game by itself."""

    def why_not(self, moves: Sequence[SidedMove]) -> str:
        """What is against the rules in these moves from the start; "" when nothing is."""

    def why_not_won(self, moves: Sequence[SidedMove], winner: int | None) -> str:
        """The same of how the game ended."""


class Judges(Protocol):
    """Where judges come from: None for a game that has none."""

    def __call__(
        self, slug: str, options: Mapping[str, int | str], names: Sequence[str]
    ) -> Judge | None: ...


class Remembered:
    """The moves that were accepted, by what was published; `life` begins with each host.

    `cause` is what may take the last move back, since it was accepted: "" for nothing.
    """

    def __init__(self, judges: Judges | None = None) -> None:
        self.moves: list[SidedMove] = []
        self.cause = ""
        self.accepted = 0
        self.judged = 0
        self.lost_with_disk = 0
        """Moves that were gone with bytes that a disk had called safe, or had not taken."""
        self._judges = judges
        self._judge: Judge | None = None
        self._game: object = None
        self._marks: list[tuple[int, int, list[SidedMove]]] = []
        self._expected: tuple[list[SidedMove], list[SidedMove], bool] | None = None

    def published(self, view: Mapping[str, Any]) -> None:
        """Another view. CheckFailed for one that breaks a law."""
        moves = [(int(move["side"]), str(move["text"])) for move in view["moves"]]
        before, self.moves = self.moves, moves
        game = view["game"]
        if game is not self._game:
            self._game = game
            self._judge = None
            if self._judges is not None:
                self._judge = self._judges(game["slug"], game["options"], game["names"])
        if self._expected is not None:
            least, most, may_lose = self._expected
            self._expected = None
            if not may_lose:
                nothing_lost(least, most, moves)
            elif not starts_with(moves, least):
                self.lost_with_disk += max(len(least) - len(moves), 1)
        else:
            nothing_taken_back(before, moves, self.cause)
        nothing_doubled(view["moves"])
        if moves != before:
            self.cause = ""
        more = max(len(moves) - len(before), 0)
        self.accepted += more
        if self._judge is not None:
            self.judged += more
            legal(self._judge, moves, view["outcome"])

    def may_change(self, cause: str) -> None:
        """Something happened that may take a move back: a lift, a command, a button."""
        self.cause = cause

    def new_game(self) -> None:
        """Another game begins at the table."""
        self.moves = []

    def wrote(self, journal: int, length: int) -> None:
        """So many bytes are in the journal of this number now: they hold what was published."""
        self._marks.append((journal, length, list(self.moves)))
        del self._marks[:-4_000]

    def died(self, journal: int, cut: int, *, may_lose: bool) -> None:
        """The host died, and `cut` bytes of its last journal are left.

        `may_lose`: the disk has lost what it called safe, so the game may be an earlier one.
        """
        least: list[SidedMove] = []
        most: list[SidedMove] = []
        marks = [mark for mark in self._marks if mark[0] == journal]
        for _, length, moves in marks:
            most = moves
            if length > cut:
                break
            least = moves
        self._marks.clear()
        self._expected = (list(self.moves) if may_lose else least, most, may_lose)


def starts_with(moves: Sequence[SidedMove], first: Sequence[SidedMove]) -> bool:
    """Whether all of `first` begin `moves`."""
    return list(moves[: len(first)]) == list(first)


# The laws.


def nothing_lost(
    least: Sequence[SidedMove], most: Sequence[SidedMove], moves: Sequence[SidedMove]
) -> None:
    """A host that comes back has all moves whose bytes were there: at least those of the last whole
    step, at most those of the step that was being written."""
    shorter, longer = sorted((least, most), key=len)
    grew = starts_with(longer, shorter)
    fits = starts_with(moves, shorter) and starts_with(longer, moves)
    if not fits and (grew or not (starts_with(least, moves) or starts_with(most, moves))):
        raise CheckFailed(
            f"accepted moves are lost: {_moves_text(least)} were on disk, "
            f"{_moves_text(moves)} came back"
        )


def nothing_taken_back(before: Sequence[SidedMove], moves: Sequence[SidedMove], cause: str) -> None:
    """An accepted move goes only after a lift, a button or a command."""
    if not starts_with(moves, before) and not cause:
        raise CheckFailed(
            f"a move was taken back without a lift or a command: {_moves_text(before)} became "
            f"{_moves_text(moves)}"
        )


def nothing_doubled(moves: Sequence[Mapping[str, Any]]) -> None:
    """Each move stands once, and they are numbered in turn."""
    numbers = [move["n"] for move in moves]
    if numbers != list(range(1, len(moves) + 1)):
        raise CheckFailed(f"moves are doubled or lost: they are numbered {numbers}")


def legal(judge: Judge, moves: Sequence[SidedMove], outcome: Mapping[str, Any] | None) -> None:
    """Every accepted move is legal by rules that were written a second time, and so is the end."""
    against = judge.why_not(moves)
    if not against and outcome is not None:
        against = judge.why_not_won(moves, outcome["winner"])
    if against:
        raise CheckFailed(f"accepted against the rules: {against} (of {_moves_text(moves)})")


def in_order(records: Sequence[Mapping[str, Any]], slack_us: int = 0) -> None:
    """The events of one boot stand in a journal in order of number, each once, and of board time,
    as far as the board was sure of it and but for those that it called late."""
    number, at_us, unsure = -1, 0, 0
    for record in records:
        if record["t"] in ("board", "belief"):
            number, at_us = -1, 0
        if record["t"] != "events":
            continue
        for one, _, _, t_us, uncertainty in record["events"]:
            if 0 <= number != one - 1:
                raise CheckFailed(f"event {one} stands after event {number} in the journal")
            number = one
            if one in record.get("late", ()):
                continue
            if t_us + uncertainty + slack_us < at_us - unsure:
                raise CheckFailed(
                    f"event {one} of {t_us} µs stands after one of {at_us} µs in the journal"
                )
            at_us, unsure = t_us, uncertainty


def within_current(profile: Profile, rgb: bytes) -> None:
    """The light draws no more than the board's limit and each strip's allow."""
    drawn = [
        IDLE_MA + FULL_MA * sum(rgb[3 * light : 3 * light + 3]) / 255
        for light in range(profile.lights)
    ]
    if sum(drawn) > max(profile.limit_ma, IDLE_MA * len(drawn)) + SLACK_MA:
        raise CheckFailed(f"the lights draw {sum(drawn):.0f} mA, {profile.limit_ma} are allowed")
    for strip in set(profile.strips):
        own = [ma for ma, of in zip(drawn, profile.strips, strict=True) if of == strip]
        if sum(own) > max(profile.strip_limit_ma, IDLE_MA * len(own)) + SLACK_MA:
            raise CheckFailed(
                f"strip {strip} draws {sum(own):.0f} mA, {profile.strip_limit_ma} are allowed"
            )


def _moves_text(moves: Sequence[SidedMove]) -> str:
    shown = ", ".join(text for _, text in moves[-6:])
    return f"{len(moves)} ({shown})" if moves else "none"
