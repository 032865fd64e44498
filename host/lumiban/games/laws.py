"""The laws of a game: what table, search and studies rely on, asked at one position.

A law raises `Broken` with what is wrong. Those of the public side (moves, refusals, pictures,
texts) follow from the API (`games.base`) and from the promises that the table builds on. Those of
the kernel hold it against the public side: a State must say of every position what that says
(moves, mover, outcome), and its random playouts must be games. `lumiban.study.check` asks them all
along random games.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from random import Random
from typing import Any, TypeVar

from lumiban import i18n
from lumiban.errors import GameError
from lumiban.games import mark_kinds
from lumiban.games.base import (
    HINT_LEVELS,
    Complete,
    Effect,
    Game,
    IllegalMove,
    Kind,
    Move,
    Outcome,
    Position,
    Refusal,
)
from lumiban.games.kernel import hash_table
from lumiban.games.registry import text_key
from lumiban.games.shapes import turn_of

Copied = TypeVar("Copied")

TRIED = 8
"""Listed moves that are played at each position, and pairs of changes that are looked at."""


class Broken(Exception):
    """A law does not hold; `move` is the move it fails with."""

    def __init__(self, text: str, move: Move | None = None) -> None:
        super().__init__(text)
        self.move = move


class NoText(Broken):
    """A sentence that people should read is not there, whichever law came upon it."""


@dataclass(frozen=True)
class CheckedPosition:
    """A position of a game and what the laws share about it."""

    game: Game
    position: Position
    chance: Random
    listed: Mapping[int, tuple[Move, ...]]
    """The listed moves of each side."""

    @staticmethod
    def at(game: Game, position: Position, chance: Random) -> CheckedPosition:
        """With the moves that the game lists there."""
        sides = range(len(game.sides))
        listed = {side: tuple(game.moves(position, side)) for side in sides}
        return CheckedPosition(game, position, chance, listed)

    @property
    def moves(self) -> tuple[Move, ...]:
        """All listed moves."""
        return tuple(move for moves in self.listed.values() for move in moves)

    @property
    def some(self) -> list[Move]:
        """A few of them."""
        moves = self.moves
        return list(moves) if len(moves) <= TRIED else self.chance.sample(moves, TRIED)


def notation(here: CheckedPosition) -> None:
    """Every listed move is read back from its notation."""
    for move in here.moves:
        try:
            read = here.game.parse(here.position, str(move), move.side)
        except IllegalMove as error:
            raise Broken(f"its notation is not read: {error}", move) from error
        if read != move:
            raise Broken(f"its notation is read as {read!r}, not {move!r}", move)
    texts = [(move.side, move.text) for move in here.moves]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None and len(texts) < 500:
        raise Broken(f"two listed moves of side {twice[0]} are both noted {twice[1]}")


def allowed(here: CheckedPosition) -> None:
    """No listed move is refused, neither by `why_not` nor by `play`."""
    for move in here.moves:
        refusal = here.game.why_not(here.position, move.side, move)
        if refusal is not None:
            raise Broken(f"it is listed, but why_not says {refusal.rule}", move)
    for move in here.some:
        try:
            after = here.game.play(here.position, move)
        except IllegalMove as error:
            raise Broken(f"it is listed, but play refuses it: {error}", move) from error
        if len(after.history) != len(here.position.history) + 1 or after.history[-1] != move:
            raise Broken("the position after it does not hold it as the last of its history", move)


def forbidden(here: CheckedPosition) -> None:
    """Checks that every change a hand may make and `why_not` does not refuse is a listed move;
    `play` agrees."""
    game, position = here.game, here.position
    if position.phase != "play":
        return
    for changes in _hands(here):
        meant = game.looks_like(position, changes)
        if meant is None or meant.is_word:
            continue
        listed = any(meant.text == move.text for move in here.listed.get(meant.side, ()))
        refusal = game.why_not(position, meant.side, meant)
        if listed and refusal is not None:
            raise Broken(f"it is listed, but why_not says {refusal.rule}", meant)
        if not listed and refusal is None:
            raise Broken("why_not allows it, but it is not listed", meant)
        if refusal is not None:
            refusal_has_texts(game, refusal)
            outside = [cell for cell in refusal.cells if not 0 <= cell < len(game.grid)]
            if outside:
                raise Broken(f"the refusal {refusal.rule} names the cells {outside}", meant)
            if here.chance.random() < 0.1:
                _refused(here, meant)


def _refused(here: CheckedPosition, move: Move) -> None:
    try:
        here.game.play(here.position, move)
    except IllegalMove:
        return
    raise Broken("why_not refuses it, but play plays it", move)


def _hands(here: CheckedPosition) -> Iterator[dict[int, int]]:
    """Changes of one cell, all of them, and some of two: a piece gone and a like one come."""
    pieces = here.game.pieces(here.position)
    kinds = (Kind.EMPTY, Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)
    for cell, now in enumerate(pieces):
        for kind in kinds:
            if kind != now and Kind.EMPTY in (kind, now):
                yield {cell: kind}
    full = [cell for cell, kind in enumerate(pieces) if kind != Kind.EMPTY]
    empty = [cell for cell, kind in enumerate(pieces) if kind == Kind.EMPTY]
    if full and empty:
        for _ in range(TRIED):
            gone = here.chance.choice(full)
            yield {gone: Kind.EMPTY, here.chance.choice(empty): pieces[gone]}


def effects(here: CheckedPosition) -> None:
    """Checks that the `effects` of a move are the difference that it makes to the pieces."""
    game, before = here.game, here.game.pieces(here.position)
    for move in here.some:
        after = game.play(here.position, move)
        should = {
            cell: (Kind(was), Kind(now))
            for cell, (was, now) in enumerate(
                zip(before, _unshifted(here, move, after), strict=True)
            )
            if was != now
        }
        reported = {c: (Kind(was), Kind(now)) for c, was, now in game.effects(here.position, move)}
        if reported != should:
            raise Broken(f"effects says {_cells(game, reported)}, but {_cells(game, should)}", move)


def _unshifted(here: CheckedPosition, move: Move, after: Position) -> tuple[Kind, ...]:
    """The pieces after a move, on the cells as they were before it where a game's frame moves."""
    game, pieces = here.game, here.game.pieces(after)
    shift: Callable[[Position, Move], tuple[int, int]] | None = getattr(game, "shift", None)
    if shift is None:
        return pieces
    columns, rows = shift(here.position, move)
    moved = [game.grid.find(q + columns, r + rows) for q, r in game.grid.cells]
    return tuple(Kind.EMPTY if cell < 0 else pieces[cell] for cell in moved)


def _cells(game: Game, changes: Mapping[int, tuple[Kind, Kind]]) -> str:
    parts = [
        f"{game.grid.names[cell]} {was.name.lower()} to {now.name.lower()}"
        for cell, (was, now) in sorted(changes.items())
    ]
    return ", ".join(parts) or "nothing changes"


def values(here: CheckedPosition) -> None:
    """Positions and games are equal to their copies, hash alike, and travel by pickle."""
    position, game = here.position, here.game
    copy = _through_pickle(position, "position")
    if copy != position or hash(copy) != hash(position) or copy.history != position.history:
        raise Broken("the position is not equal to itself after pickling")
    again = _through_pickle(game, "game")
    if again != game or hash(again) != hash(game):
        raise Broken("the game is not equal to itself after pickling")
    if len(game.pieces(position)) != len(game.grid):
        raise Broken("pieces does not give one kind for each cell")


def _through_pickle(value: Copied, what: str) -> Copied:
    """The copy that another process gets of a value; Broken says why it gets none."""
    try:
        copy: Copied = pickle.loads(pickle.dumps(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Broken(f"the {what} cannot be pickled for the bots' process: {error}") from error
    return copy


def views(here: CheckedPosition) -> None:
    """A view shows no more when looked at again, and its owner can move by it."""
    game, position = here.game, here.position
    for side in (*range(len(game.sides)), None):
        seen = game.view(position, side)
        if game.view(seen, side) != seen:
            raise Broken(f"the view of side {side} changes when it is looked at again")
        if game.view(seen, None) != game.view(position, None):
            raise Broken(f"a spectator of side {side}'s view does not see what a spectator sees")
        if side is not None and tuple(game.moves(seen, side)) != here.listed[side]:
            raise Broken(f"side {side} has other moves in its own view")


def turns(here: CheckedPosition) -> None:
    """Only movers have moves; once the game is over nobody has moves or words."""
    game, position = here.game, here.position
    over, movers = game.outcome(position), game.movers(position)
    for side, moves in here.listed.items():
        if moves and side not in movers:
            raise Broken(f"side {side} has moves but is not to move", moves[0])
        if any(move.side != side for move in moves):
            raise Broken(f"a listed move of side {side} belongs to another", moves[0])
    if len(here.moves) > len(game.sides) * game.capacity[0]:
        raise Broken(f"there are {len(here.moves)} moves, more than capacity allows")
    if over is None:
        if not movers:
            raise Broken("the game is not over, but nobody may act")
        return
    outcome_has_texts(game, over)
    if movers or here.moves or any(game.words(position, side) for side in here.listed):
        raise Broken(f"the game is over ({over.reason}), but somebody may still act")


def words(here: CheckedPosition) -> None:
    """Every word that may be said is read, allowed and played."""
    for side in here.listed:
        for word in here.game.words(here.position, side):
            move = here.game.parse(here.position, word, side)
            refusal = here.game.why_not(here.position, side, move)
            if refusal is not None:
                raise Broken(f"the word may be said, but why_not says {refusal.rule}", move)
            here.game.play(here.position, move)


def marks(here: CheckedPosition) -> None:
    """Marks have meanings that light knows, lie on cells, and give no hint where none is wished;
    what is itself light (a block) may show at every level."""
    for level in HINT_LEVELS:
        shown = here.game.marks(here.position, level)
        for mark in shown:
            if mark.meaning not in mark_kinds.MEANINGS:
                raise Broken(f"at level {level} a mark means {mark.meaning!r}: no light does")
            if not 0 <= mark.cell < len(here.game.grid):
                raise Broken(f"at level {level} a mark lies on cell {mark.cell}")
        hints = ", ".join(sorted({mark.meaning for mark in shown} & mark_kinds.HINTS))
        if level == "none" and hints:
            raise Broken(f"at level none there are hints: {hints}")
        if level == "legal" and hints and here.game.outcome(here.position) is not None:
            raise Broken(f"the game is over, but marks hint at moves: {hints}")
    for mark in chain.from_iterable(here.game.final_steps(here.position)):
        if not 0 <= mark.cell < len(here.game.grid):
            raise Broken(f"what decided is shown on cell {mark.cell}")


def setups(here: CheckedPosition) -> None:
    """A position of play can be set up from its stones."""
    game, position = here.game, here.position
    if position.phase != "play" or position.over is not None or not any(game.pieces(position)):
        return
    movers = game.movers(position)
    to_move = movers[0] if movers else int(game.state(position).mover())
    try:
        again = game.setup(game.stones_of(position), to_move=to_move)
    except NotImplementedError:
        raise Broken("setup is not written") from None
    except GameError as error:
        raise Broken(f"setup refuses a position that was reached: {error}") from error
    if game.pieces(again) != game.pieces(position):
        raise Broken("setup makes another position of the same stones")


def texts(here: CheckedPosition) -> None:
    """The game, its options, sides and ends have their texts in every language."""
    game = here.game
    ids = [f"game.{game.slug}.name", f"game.{game.slug}.rule", f"rules.{game.slug}"]
    ids += [f"game.{game.slug}.option.{option.name}" for option in game.accepts]
    ids += [f"side.{side}" for side in game.sides]
    for id in ids:
        _in_all(game, id, {})


def refusal_has_texts(game: Game, refusal: Refusal) -> None:
    """The refusal has its text in every language."""
    _in_all(game, refusal.text_id, dict(refusal.params))


def outcome_has_texts(game: Game, outcome: Outcome) -> None:
    """The outcome has its text in every language, and a winner that plays."""
    _in_all(game, outcome.text_id, {})
    if outcome.winner is not None and not 0 <= outcome.winner < len(game.sides):
        raise Broken(f"the winner is side {outcome.winner}")


def _in_all(game: Game, id: str, params: Mapping[str, object]) -> None:
    for language in i18n.LANGUAGES:
        try:
            i18n.text(id, language, **params)
        except (KeyError, IndexError, ValueError) as error:
            key = text_key(type(game), id)
            missing = error.args[0] if isinstance(error, KeyError) else ""
            if missing == id and key:
                near = get_close_matches(key, {**game.texts.en, **game.texts.ja})
                meant = f": did you mean {near[0]!r}?" if near else ""
                raise NoText(f"texts have no {key!r}{meant}") from error
            if missing and key:
                raise NoText(f"the text {key!r} needs {{{missing}}}, and gets none") from error
            raise NoText(f"the text {id} cannot be said in {language!r}: {error}") from error


LAWS: Mapping[str, Callable[[CheckedPosition], None]] = {
    "notation": notation,
    "allowed": allowed,
    "forbidden": forbidden,
    "effects": effects,
    "turns": turns,
    "words": words,
    "marks": marks,
    "values": values,
    "views": views,
    "setup": setups,
    "texts": texts,
}
"""The laws of a position, by name."""


PLAYED = 4
"""Kernel moves that are followed at each position."""


def state(here: CheckedPosition) -> None:
    """The State tells the moves, the mover and the outcome that the public side tells."""
    game, position = here.game, here.position
    if position.phase != "play" or position.over is not None:
        return
    now = game.state(position)
    codes = _agrees(here, now, position)
    for code in here.chance.sample(codes, min(PLAYED, len(codes))):
        move = game.move_of(position, code)
        after = _chosen(game, game.play(position, move))
        played, fresh = game.state(position), game.state(after)
        played.play(code)
        _alike(game, played, fresh, move)
        copy = game.state(game.start())
        copy.assign(played)
        if (copy.key(), copy.mover()) != (played.key(), played.mover()):
            raise Broken("assign does not make a State equal to the other", move)
        if len(after.state) > 0 and after.over is None:
            _agrees(CheckedPosition.at(game, after, here.chance), fresh, after)


def _chosen(game: Game, position: Position) -> Position:
    """The position in which play goes on, where a move asks for a choice in words (a pie): that
    leaves the kernel's position as it is."""
    while position.phase != "play" and (movers := game.movers(position)):
        word = game.words(position, movers[0])[0]
        position = game.play(position, game.parse(position, word, movers[0]))
    return position


def _agrees(here: CheckedPosition, now: Any, position: Position) -> list[int]:
    """The codes of the State's moves, after a look whether it says what the game says."""
    game = here.game
    over, code = game.outcome(position), int(now.outcome())
    should = -1 if over is None else 0 if over.winner is None else over.winner + 1
    if code != should and position.over is None:
        raise Broken(f"the State's outcome is {code}, the game's is {should}")
    if over is not None:
        return []
    side, movers = int(now.mover()), game.movers(position)
    if side not in movers:
        raise Broken(f"the State says that side {side} moves, the game says {list(movers)}")
    out = [0] * (game.capacity[0] + 1)
    codes = [int(number) for number in out[: _moves(now, out)]]
    moves = [game.move_of(position, number) for number in codes]
    texts = sorted(move.text for move in moves if not move.is_word)
    listed = sorted(move.text for move in here.listed[side])
    if texts != listed:
        odd = sorted(set(texts) ^ set(listed))
        raise Broken(f"State and game do not list the same moves: {', '.join(odd) or 'twice'}")
    return codes


def _moves(now: Any, out: list[int]) -> int:
    try:
        return int(now.moves(out))
    except IndexError as error:
        raise Broken("a position has more moves than capacity allows") from error


def _alike(game: Game, played: Any, fresh: Any, move: Move) -> None:
    if played.key() != fresh.key():
        raise Broken("the State after it has another key than that of the position after it", move)
    if played.outcome() != fresh.outcome():
        raise Broken("the State after it has another outcome than the position after it", move)
    one, other = [0] * (game.capacity[0] + 1), [0] * (game.capacity[0] + 1)
    count, same = _moves(played, one), _moves(fresh, other)
    if played.outcome() == -1 and sorted(one[:count]) != sorted(other[:same]):
        raise Broken("the State after it has other moves than the position after it", move)


def playout(here: CheckedPosition) -> None:
    """A random playout ends, within capacity, and its moves can be played."""
    game, position = here.game, here.position
    if position.phase != "play" or position.over is not None:
        return
    trace = [0] * (game.capacity[1] + 2)
    now = game.state(position)
    try:
        code = int(now.playout(hash_table(1, here.chance.getrandbits(30)), trace))
    except IndexError as error:
        raise Broken("a playout is longer than capacity allows") from error
    if code not in (0, 1, 2) and not (code == -2 and game.may_repeat):
        raise Broken(f"a playout ended with the code {code}")
    for number in trace[1 : trace[0] + 1]:
        move = game.move_of(position, number)
        try:
            position = _chosen(game, game.play(position, move))
        except GameError as error:
            raise Broken(f"a playout made a move that cannot be played: {error}", move) from error
    over = game.outcome(position)
    if code == -2:
        return
    if over is None:
        raise Broken(f"a playout said {code}, but its moves do not end the game")
    if code != (0 if over.winner is None else over.winner + 1):
        raise Broken(f"a playout said {code}, but its moves end with {over}")


def floats(game: Game) -> bool:
    """True if the game's frame moves over the board with the pieces (Tokyo Doves)."""
    return hasattr(game, "shift")


def retraced(here: CheckedPosition, before: Position) -> Move | None:
    """A move whose picture is that of the last move undone: the table has to ask which is meant."""
    game = here.game
    if floats(game):
        return None  # the frame has moved: the two pictures lie on different cells
    reading = game.read(here.position, [int(kind) for kind in game.pieces(before)])
    return reading.move if isinstance(reading, Complete) else None


KERNEL_LAWS: Mapping[str, Callable[[CheckedPosition], None]] = {
    "state": state,
    "playout": playout,
}
"""The laws between State and position, by name."""


_Known = tuple[int, tuple[Effect, ...], tuple[str, ...]]
_NAMES = re.compile("([A-Za-z]+[0-9]+)")


class Mirror:
    """The same game played turned or reflected, beside the game itself."""

    def __init__(self, game: Game, position: Position, cells: tuple[int, ...]) -> None:
        self.game = game
        self.cells = cells
        self.position = position

    def holds(self, here: CheckedPosition) -> None:
        """The mirrored position has the mirrored moves."""
        ours = {self._known(here.position, move, turned=True): move for move in here.moves}
        mine = CheckedPosition.at(self.game, self.position, here.chance).moves
        theirs = {self._known(self.position, move): move for move in mine}
        lost = {self._named(ours[one].text): ours[one] for one in ours if one not in theirs}
        more = [theirs[one].text for one in theirs if one not in ours]
        changed = [text for text in more if text in lost]
        if changed:
            odd = f"{lost[changed[0]].text} turned is {changed[0]}, which changes other cells"
        elif lost:
            text, move = next(iter(lost.items()))
            odd = f"{move.text} turned is {text}, which may not be done"
        elif more:
            odd = f"{more[0]} may be done, which is no move turned"
        else:
            return
        raise Broken(f"{self._way()}, the position has other moves: {odd}")

    def follow(self, position: Position, move: Move) -> bool:
        """Play the mirrored move too; whether there is one."""
        if move.is_word:
            parsed = self.game.parse(self.position, self._named(move.text), move.side)
            self.position = self.game.play(self.position, parsed)
            return True
        wanted = self._known(position, move, turned=True)
        for other in self.game.moves(self.position, move.side):
            if self._known(self.position, other) == wanted:
                self.position = self.game.play(self.position, other)
                return True
        return False

    def _way(self) -> str:
        """What is done to the board, in words."""
        grid = self.game.grid
        turn = turn_of(grid, self.cells)
        degrees = 360 * turn // len(grid.directions)
        return f"turned by {degrees} degrees" if turn >= 0 else "reflected"

    def _named(self, text: str) -> str:
        """A notation or a spoken word with the cells that it names (c4, wc4) mirrored."""
        return _NAMES.sub(lambda found: self._cell(found[0]), text)

    def _cell(self, word: str) -> str:
        names = self.game.grid.names
        for colour in ("", word[:1]):
            name = word.removeprefix(colour)
            if name in names:
                return colour + names[self.cells[names.index(name)]]
        return word

    def _known(self, position: Position, move: Move, *, turned: bool = False) -> _Known:
        """What a move is known by: its effects, and the parts of its notation, which a game may
        note in another order. Two acts may change the same cells."""
        done, text = list(self.game.effects(position, move)), move.text
        if turned:
            done = [(self.cells[cell], was, now) for cell, was, now in done]
            text = self._named(text)
        return move.side, tuple(sorted(done)), tuple(sorted(_NAMES.split(text)))
