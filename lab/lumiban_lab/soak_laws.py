"""Laws that hold at every table whatever it suffers, each a function that raises CheckFailed.

Moves are remembered here from what the table publishes, outside of it and across every death of
its host: `Remembered` is a list and nothing of the product.

The law of acknowledgement (the board may forget an event only when the journal on disk holds it) is
watched by `AckInvariant` as the session writes; the law over whole journals is that no accepted
move goes back unless a hand or a command took it back (`taken_back_by_nobody`). That events come
once and in order is watched in soak_table.py, what holds of a table at rest in soak_check.py; that
somebody is always waited for is `table.standstill`, whose `Hung` the soak takes for a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from lumiban.boards.mapping import place_grid
from lumiban.boards.profile import Profile
from lumiban.errors import CheckFailed
from lumiban.games.light_game import LightGame
from lumiban.table.history import BY_PAGE, GameHistory, from_head
from lumiban.table.journal import Record
from lumiban.table.types import Acknowledge, Append, Output
from lumiban_fw.wire import FIRST_BUTTON, FULL_MA, IDLE_MA

SidedMove = tuple[int, str]
"""A side and the text of what it played."""
SLACK_MA = 1.0
"""Current in mA that rounding to whole light values may add."""


class Judge(Protocol):
    """Knows the rules of one game by itself."""

    def why_not(self, moves: Sequence[SidedMove]) -> str:
        """Violation of the rules in these moves from the start; "" when there is none."""

    def why_not_won(self, moves: Sequence[SidedMove], winner: int | None) -> str:
        """The same of how the game ended."""


class Judges(Protocol):
    """Source of the judges: None for a game that has none."""

    def __call__(
        self, slug: str, options: Mapping[str, int | str], names: Sequence[str]
    ) -> Judge | None:
        """A judge of this game; `names` are those of its cells."""


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
        """The journal of this number has this many bytes now: they hold what was published."""
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


def starts_with(moves: Sequence[object], first: Sequence[object]) -> bool:
    """True if all of `first` begin `moves`."""
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


LATELY = 64
"""Records that are remembered: what is acknowledged was written just before."""


class AckInvariant:
    """Events of the board that a session wrote, and how far that is `on_disk` (its record's
    number); `boot` is the one that a journal gone on with was written in."""

    def __init__(self, boot: int | None = None) -> None:
        self.on_disk = -1
        self._boot = boot
        self._records: list[tuple[int, int | None, int]] = []

    def follow(self, output: Output, boot: int | None) -> None:
        """Follows the outputs of the session while the board is in this boot.

        CheckFailed when the board is told to forget what is not on disk.
        """
        if isinstance(output, Append):
            record = output.record
            if record["t"] == "board":
                self._boot = record["boot"]
            elif (record["t"] == "events" or record["t"] == "belief") and record[
                "next"
            ] is not None:
                self._records.append((output.number, self._boot, record["next"]))
                del self._records[:-LATELY]
        elif isinstance(output, Acknowledge):
            safe = [n for at, of, n in self._records if of == boot and at <= self.on_disk]
            if not safe or output.next_event > safe[-1]:
                raise CheckFailed(
                    f"events below {output.next_event} are acknowledged before they are on disk"
                )


def taken_back_by_nobody(
    records: Sequence[Record], profile: Profile, history: GameHistory | None = None
) -> list[str]:
    """The takebacks in a journal that nobody made, in words; [] as it should be.

    Somebody made one where a page says so, or where the board told by an event, after the move was
    played, of a change on a cell of that move; a whole picture that differs (after a power cut, or
    when events were lost) is no hand. In a game in light any marker since the move is one.
    `history` is the game before the first record, for journals of games from files.
    """
    history = history or from_head(records[0])
    hands = _Hands(place_grid(history.game.grid, profile).board)
    violations = []
    for number, record in enumerate(records):
        hands.see(record)
        if record.get("t") == "back" and record.get("by") != BY_PAGE:
            cells = _changed(history, int(record["moves"]))
            if not hands.were_at(cells, anywhere=isinstance(history.game, LightGame)):
                moves = ", ".join(str(m) for m in history.moves[-int(record["moves"]) :])
                violations.append(f"record {number} takes back {moves}, which nobody did")
        history.apply(record)
        if record.get("t") in ("move", "set", "back"):
            hands.rest()
    return violations


def _changed(history: GameHistory, count: int) -> frozenset[int]:
    """The cells of the game that its last `count` moves changed."""
    before, after = (history.game.pieces(history.positions[n]) for n in (-1 - count, -1))
    return frozenset(cell for cell, kind in enumerate(before) if kind != after[cell])


class _Hands:
    """Cells on which events reported changes since the last move; `board` maps cells of the
    game."""

    def __init__(self, board: Sequence[int]) -> None:
        self._board = board
        self._kinds: Mapping[int, int] = {}
        self._at: set[int] = set()

    def see(self, record: Record) -> None:
        """Takes a record's report on the board."""
        if record.get("t") == "belief":
            kinds = dict(enumerate(map(int, record["kinds"])))
            # What changed unseen was changed by no hand that anybody knows of.
            self._at -= {cell for cell, kind in kinds.items() if self._kinds.get(cell) != kind}
            self._kinds = kinds
        elif record.get("t") == "events":
            changed = {event[1]: event[2] for event in record["events"] if event[1] < FIRST_BUTTON}
            self._kinds = {**self._kinds, **changed}
            self._at.update(changed)

    def were_at(self, cells: Iterable[int], *, anywhere: bool) -> bool:
        """True if a hand changed one of these cells of the game, or any at all."""
        return bool(self._at) and (anywhere or any(self._board[cell] in self._at for cell in cells))

    def rest(self) -> None:
        """A move was played: what hands did up to then is done."""
        self._at.clear()
