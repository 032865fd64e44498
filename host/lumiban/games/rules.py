"""The rules of a game as table and search ask for them, and what a picture of the board means.

A picture is compared with what should stand there; the differences are compared with the effects of
the moves: which listed move makes it, or on the way to which it is. Nothing is played for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from lumiban.games import marks as means
from lumiban.games.types import (
    WHITE,
    Ambiguous,
    Complete,
    Effect,
    Idle,
    IllegalMove,
    Kind,
    Mark,
    Move,
    Outcome,
    Partial,
    Position,
    Reading,
    Refusal,
    Wrong,
)
from lumiban.grid import Grid
from lumiban.i18n import text

_KNOWN = 4
"""Positions whose pieces a game remembers: the present one, the one before, what a move makes."""


class Rules(Protocol):
    """What may be done, what comes of it, and how it stands on a board."""

    slug: ClassVar[str]
    sides: ClassVar[tuple[str, ...]] = ("white", "black")
    confirms_lifts: ClassVar[bool] = True
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.WHITE, Kind.BLACK)
    """The kinds of pieces that are played with: one bowl or box each."""
    lifts_by_button: ClassVar[bool] = False
    """A lift that could be a move is played by a button only, never by time or the next move."""

    options: Mapping[str, int | str]
    grid: Grid
    _known: tuple[tuple[Position, tuple[int, ...]], ...] = ()

    def start(self, seed: int = 0) -> Position:
        """The first position; chance, where a game has any, comes from `seed`."""
        raise NotImplementedError

    def movers(self, position: Position) -> tuple[int, ...]:
        """Sides that may act now; () when the game is over."""
        raise NotImplementedError

    def moves(self, position: Position, side: int) -> list[Move]:
        """All moves with pieces that `side` may make now (words are not listed)."""
        raise NotImplementedError

    def words(self, position: Position, side: int) -> tuple[str, ...]:
        """Words that `side` may say now: such as resign or stop."""
        raise NotImplementedError

    def parse(self, position: Position, text: str, side: int | None = None) -> Move:
        """The move that `text` notes, for `side` (default: the first mover); IllegalMove."""
        raise NotImplementedError

    def play(self, position: Position, move: Move) -> Position:
        """The position after `move`; IllegalMove when the rules forbid it."""
        raise NotImplementedError

    def why_not(self, position: Position, side: int, move: Move) -> Refusal | None:
        """Why `side` may not make `move`, or None when it may."""
        raise NotImplementedError

    def must_allow(self, position: Position, move: Move) -> None:
        """IllegalMove with the rule's sentence where `why_not` forbids the move."""
        refusal = self.why_not(position, move.side, move)
        if refusal is not None:
            said = text(refusal.text_id, "en", **dict(refusal.params))
            raise IllegalMove(f"{move}: {said}", refusal)

    def outcome(self, position: Position) -> Outcome | None:
        """How the game ended, or None while it runs."""
        raise NotImplementedError

    def pieces(self, position: Position) -> tuple[Kind, ...]:
        """What should stand on each cell of the grid."""
        raise NotImplementedError

    def kinds_on(self, position: Position) -> tuple[int, ...]:
        """The numbers of `pieces`. A table asks for the same few positions two dozen times a move,
        so those of the last ones are remembered."""
        for known, kinds in self._known:
            if known is position:
                return kinds
        kinds = tuple(map(int, self.pieces(position)))
        self._known = ((position, kinds), *self._known[: _KNOWN - 1])
        return kinds

    def labels(self, position: Position) -> tuple[str, ...]:
        """A name for the piece that stands on each cell, "" for none; () if pieces of a kind are
        all alike."""
        return ()

    def in_hand(self, position: Position) -> tuple[tuple[str, ...], ...]:
        """The names of the pieces that each side has in hand; () if pieces are all alike."""
        return ()

    def display_text(self, position: Position, move: Move) -> str:
        """A move as people say it at this board; what is stored is `str(move)`."""
        return move.text

    def read(self, position: Position, sensed: Sequence[int]) -> Reading:
        """What `sensed` (a kind for each cell of the grid) means: by default, which listed move
        makes this picture."""
        return read_picture(self, position, sensed)

    def effects(self, position: Position, move: Move) -> tuple[Effect, ...]:
        """(cell, kind before, kind after) for each cell that a legal `move` changes.

        A game with many moves says this without playing them: `read` asks for all of them.
        """
        before = self.pieces(position)
        after = self.pieces(self.play(position, move))
        return tuple(
            (cell, before[cell], after[cell])
            for cell in range(len(before))
            if before[cell] != after[cell]
        )

    def looks_like(self, position: Position, changes: Mapping[int, int]) -> Move | None:
        """The move that a hand probably meant by these changes (cell -> kind sensed), legal or
        not, so that `why_not` can explain it; None when they look like nothing."""
        return None

    def setup(self, stones: Mapping[str, int], *, to_move: int = WHITE, **more: Any) -> Position:
        """Any possible position, by cell names; GameError says why one is impossible."""
        raise NotImplementedError

    def stones_of(self, position: Position) -> dict[str, Any]:
        """What stands on the board, by cell names, as `setup` takes it."""
        kinds = enumerate(self.pieces(position))
        return {self.grid.names[cell]: int(kind) - 1 for cell, kind in kinds if kind != Kind.EMPTY}

    def view(self, position: Position, side: int | None) -> Position:
        """What `side` (None: a spectator) may know of the position."""
        return position

    def offers(self, position: Position) -> tuple[int, ...]:
        """Sides that have offered to stop and wait for the other's word."""
        return ()

    def pieces_owed(self, position: Position) -> tuple[tuple[Kind, int], ...]:
        """What a turn of several pieces still takes, (kind, how many); () where it takes one."""
        return ()

    def swapped(self, position: Position) -> bool:
        """Whether the two players have changed sides since the start (a pie's choice)."""
        return False


UNREADABLE = {
    Kind.UNKNOWN: "table.unknown-piece",
    Kind.STACKED: "table.stacked-pieces",
    Kind.FOREIGN: "table.foreign-magnet",
}
"""What is said of pieces that no game knows; the table has the sentences."""

NOT_A_MOVE = "reading.not-a-move"
ONE_AT_A_TIME = "reading.one-at-a-time"


def effects(game: Rules, position: Position, move: Move) -> tuple[Effect, ...]:
    """(cell, kind before, kind after) for each cell that a legal `move` changes."""
    return game.effects(position, move)


def differences(game: Rules, position: Position, sensed: Sequence[int]) -> dict[int, int]:
    """The kinds sensed where they are not what should stand there; masked cells never differ."""
    should = game.pieces(position)
    return {
        cell: kind
        for cell, (kind, right) in enumerate(zip(sensed, should, strict=True))
        if kind not in (right, Kind.MASKED)
    }


def read_picture(
    game: Rules,
    position: Position,
    sensed: Sequence[int],
    candidates: Iterable[Move] | None = None,
) -> Reading:
    """What `sensed` (a kind for each cell) means in `position`.

    `candidates` are the moves to look among: by default those that the game lists for all sides
    that may act.
    """
    changes = differences(game, position, sensed)
    if not changes:
        return Idle()
    strange = tuple(cell for cell, kind in changes.items() if kind in UNREADABLE)
    if strange:
        return Wrong(Refusal(UNREADABLE[Kind(changes[strange[0]])], strange))
    if candidates is None:
        candidates = [m for side in game.movers(position) for m in game.moves(position, side)]
    whole: list[tuple[Move, tuple[Effect, ...]]] = []
    begun: list[tuple[Move, tuple[Effect, ...]]] = []
    for move in candidates:
        does = game.effects(position, move)
        if not _covers(does, changes):
            continue
        done = len(changes) == len(does) and all(changes[c] == after for c, _, after in does)
        (whole if done else begun).append((move, does))
    if len(whole) == 1:
        move, does = whole[0]
        lifts = all(after == Kind.EMPTY for _, _, after in does)
        return Complete(move, confirm=lifts and game.confirms_lifts)
    if whole:
        return Ambiguous(tuple(move for move, _ in whole))
    if begun:
        return Partial(_still_to_do(begun, changes))
    return Wrong(_explain(game, position, changes))


def _covers(does: tuple[Effect, ...], changes: Mapping[int, int]) -> bool:
    """Whether the changes may occur while a hand does this: each is done, or lifted for it."""
    if len(changes) > len(does):
        return False
    after_of = {cell: after for cell, _, after in does}
    return all(
        cell in after_of and kind in (after_of[cell], Kind.EMPTY) for cell, kind in changes.items()
    )


def _still_to_do(
    begun: list[tuple[Move, tuple[Effect, ...]]], changes: Mapping[int, int]
) -> tuple[Mark, ...]:
    """Where the pieces in hand may go, each cell once per side."""
    marks = {
        Mark(cell, means.LIFT_TARGET, move.side): None
        for move, does in begun
        for cell, _, after in does
        if after != Kind.EMPTY and changes.get(cell) != after
    }
    return tuple(marks)


def _explain(game: Rules, position: Position, changes: Mapping[int, int]) -> Refusal:
    """The rule that the changes break: taken together, or else the first that breaks one."""
    meant = game.looks_like(position, changes)
    if meant is not None:
        refusal = game.why_not(position, meant.side, meant)
        if refusal is not None:
            return refusal
    cells = tuple(changes)
    if len(cells) == 1:
        return Refusal(NOT_A_MOVE, cells)
    alone_legal = 0
    for cell in cells:
        meant = game.looks_like(position, {cell: changes[cell]})
        if meant is None:
            continue
        refusal = game.why_not(position, meant.side, meant)
        if refusal is not None:
            return refusal
        alone_legal += 1
    return Refusal(ONE_AT_A_TIME if alone_legal == len(cells) else NOT_A_MOVE, cells)
