"""What players are told in games at random, position by position, is what it was when it was kept.

All that a table, a page and a coach ask of a game is asked here: what may be done and said, what a
hand's change means or why it is refused, what is marked, counted and explained, how it ended. What
was answered stands as lines in golden/told.txt.xz. Who changes an answer on purpose looks at the
difference, then keeps it: `python tests/games/test_told_games.py`.
"""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from lumiban import games
from lumiban.games import Complete, Game, IllegalMove, Kind, Position
from lumiban.games.base import (
    HINT_LEVELS,
    Ambiguous,
    Mark,
    Move,
    Partial,
    Refusal,
    Wrong,
    explain_move,
)
from lumiban.games.light_game import LightGame
from lumiban.grid import rectangle
from places import TESTS

KEPT = TESTS / "golden" / "told.txt.xz"
CASES: tuple[tuple[str, dict[str, int | str], tuple[int, int]], ...] = (
    ("control", {"size": 3, "opening": "12*"}, (0, 0)),
    ("control", {"size": 3, "opening": "pie2", "sees": "sight", "scoring": "territory"}, (0, 0)),
    ("trivia", {"size": 4}, (0, 0)),
    ("trivia", {"size": 3, "cells": "hexagons"}, (0, 0)),
    ("evening", {"size": 3}, (0, 0)),
    ("evening", {"size": 3, "turns": "trailing", "tie": "odd-even", "wins": "stones"}, (0, 0)),
    ("evening", {"preset": "interleave", "size": 3}, (0, 0)),
    ("evening", {"size": 3, "sees": "adjacent", "turns": "trailing", "tie": "odd-even"}, (0, 0)),
    ("doves", {"repetition": "weak", "initial": "allowed"}, (0, 0)),
    ("doves", {}, (9, 9)),
    ("doves", {"both": "draw", "tray": "off"}, (7, 6)),
    ("rengi", {"mode": "free", "show_hands_left": "on", "show_chain_forecast": "on"}, (0, 0)),
    ("rengi", {"mode": "open", "rate": 10, "ojama_unit": 1}, (0, 0)),
    ("rengi", {"mode": "tsu", "next2_shown": "as-tsu", "ojama_order": "random"}, (0, 0)),
    ("stigmergy", {"size": 3, "opening": "komi"}, (0, 0)),
    ("tumpletore", {"size": 3, "komi": 3}, (0, 0)),
    ("tumbleweed", {"size": 3, "neutral": "free", "delay": "on", "quiet": 20}, (0, 0)),
    ("strands", {"size": 3, "layout": "rings", "cover": "up-to"}, (0, 0)),
)
PLIES = 45
LOOKS = 5
"""Positions of a game that are looked at: some on the way, and the last."""
TEXTS = (
    *("c3", "xb2", "red a1", "wb1", "put wa1", "lift a1", "done", "take white", "stop", "pass"),
    *("stand", "+Ab3", "Bb4-b3", "-A", "+TN1E1", "RB3.1", "RB6.1", "komi 2", "nonsense"),
)
SENSED = (Kind.EMPTY, Kind.WHITE, Kind.BLACK, Kind.NEUTRAL, Kind.STACKED, Kind.MASKED)


def played(game: Game, chance: random.Random) -> list[Position]:
    """A game at random, longer chains preferred, words seldom where there are moves."""
    positions = [game.start(chance.randrange(1000))]
    for _ in range(PLIES):
        now = positions[-1]
        if game.outcome(now) is not None:
            break
        moves = [move for side in game.movers(now) for move in game.moves(now, side)]
        if not moves or chance.random() < 0.1:
            said = [(side, word) for side in (0, 1) for word in game.words(now, side)]
            kinds = sorted({word.split()[0] for _, word in said if word != "resign"})
            if kinds:
                kind = chance.choice(kinds)
                side, word = chance.choice([one for one in said if one[1].startswith(kind)])
                moves = [game.parse(now, word, side)]
        if not moves:
            break
        tried = chance.sample(moves, min(len(moves), 3))
        positions.append(game.play(now, max(tried, key=lambda move: fires(game, now, move))))
    return positions


def fires(game: Any, position: Position, move: Move) -> Any:
    return game.chain(position, move).points if hasattr(game, "chain") else 0


def cells(game: Game, numbers: Iterable[int]) -> str:
    return ",".join(game.grid.name(cell) if cell >= 0 else "-" for cell in numbers)


def lit(game: Game, marks: Iterable[Mark]) -> str:
    return " ".join(
        f"{mark.meaning}:{cells(game, [mark.cell])}{'' if mark.side is None else mark.side}"
        for mark in marks
    )


def why(game: Game, refusal: Refusal | None) -> str:
    if refusal is None:
        return "allowed"
    return f"{refusal.rule}({cells(game, refusal.cells)}){dict(refusal.params) or ''}"


def meaning(game: Game, position: Position, sensed: Sequence[int]) -> str:
    """What a picture is read as."""
    match game.read(position, sensed):
        case Complete(move, confirm, marks):
            return f"{move}{'?' if confirm else ''} {lit(game, marks)}"
        case Ambiguous(moves):
            return " or ".join(map(str, moves))
        case Partial(marks):
            return f"begun {lit(game, marks)}"
        case Wrong(refusal, whole):
            return f"{why(game, refusal)}{' whole' if whole else ''}"
        case other:
            return type(other).__name__


def hands(game: Game, position: Position, chance: random.Random) -> Iterator[dict[int, int]]:
    """Changes that hands make: one cell, two, and all that a move changes."""
    for _ in range(12):
        one, two = (chance.randrange(len(game.grid)) for _ in "12")
        yield {one: chance.choice(SENSED)}
        yield {one: Kind.EMPTY, two: chance.choice(SENSED[:4])}
    for side in game.movers(position):
        moves = game.moves(position, side)
        for move in chance.sample(moves, min(len(moves), 3)):
            yield {cell: after for cell, _, after in game.effects(position, move)}


def told(game: Game, position: Position, chance: random.Random) -> Iterator[str]:
    """All that is told of a position, a line each."""
    sides = range(len(game.sides))
    over = game.outcome(position)
    yield f"after {' '.join(map(str, position.history[-1:]))}: {position.phase}, {over}"
    yield f"{game.movers(position)} {game.offers(position)} {game.pieces_owed(position)}"
    yield f"{game.pie_follows(position)} {game.swapped(position)} {game.scores(position)}"
    yield "".join(str(int(kind)) for kind in game.pieces(position))
    yield f"{game.stones_of(position)} {game.in_hand(position)}"
    yield f"{''.join(game.labels(position))} {' '.join(game.numbers(position))}"
    yield f"{game.final_counts(position)} {game.final_groups(position)}"
    yield " / ".join(lit(game, step) for step in game.final_steps(position))
    for level in HINT_LEVELS:
        yield f"{level}: {lit(game, game.marks(position, level))}"
    for side in sides:
        moves = game.moves(position, side)
        yield f"{side}: {' '.join(map(str, moves))} | {' '.join(game.words(position, side))}"
        seen = game.view(position, side)
        yield f"sees {seen.seed} {sum(n * at for at, n in enumerate(seen.state))}"
        for move in chance.sample(moves, min(len(moves), 4)):
            said = [f"{w.what}({cells(game, w.cells)}){dict(w.params)}" for w in
                    explain_move(game, position, move)]  # fmt: skip
            yield f"{game.display_text(position, move)} {game.effects(position, move)} {said}"
            yield f"aims {cells(game, game.aims(position, move))}"
        for text in TEXTS:
            try:
                move = game.parse(position, text, side)
                yield f"{side} {text}: {move} {why(game, game.why_not(position, side, move))}"
            except IllegalMove as error:
                yield f"{side} {text}: {why(game, error.refusal)}"
        yield f"{game.declined_to_move(position)} {game.button_word(position, side)}"
        asked = game.bot_position(position, side) if game.turnless else None
        yield f"{asked and (asked[0].options, asked[1].state, asked[0].movers(asked[1]))}"
    for changes in hands(game, position, chance):
        there = list(map(int, game.pieces(position)))
        for cell, kind in changes.items():
            there[cell] = kind
        what = " ".join(f"{game.grid.name(cell)}={int(kind)}" for cell, kind in changes.items())
        yield f"{what}: {game.looks_like(position, changes)} {meaning(game, position, there)}"
    state, out = game.state(position), [0] * (game.capacity[0] + 1)
    yield f"{state.outcome()} {state.mover()} {sorted(out[: state.moves(out)])}"
    searched = game.search_state(position)
    noted = [str(game.move_of(position, code)) for code in out[: searched.moves(out)]]
    yield f"{searched.mover()} {sorted(noted)} {game.stones_at} {len(game.zobrist_keys)}"
    hints = game.search_hints(position)
    yield f"{hints.search} {hints.codes} {hints.sides[:2]} {hints.commutes}"
    if hasattr(game, "targets"):
        yield " / ".join(lit(game, game.targets(position, at)) for at in range(len(game.grid)))
    if isinstance(game, LightGame):
        yield from told_in_light(game, position, chance)


def told_in_light(game: Any, position: Position, chance: random.Random) -> Iterator[str]:
    """What a game in light shows, and what it makes of markers that are set and lifted."""
    yield str(game.page_figures(position))
    for side in (0, 1):
        yield f"{game.next_pairs(position, side)} {game.pairs_ahead(position, side)}"
        yield f"{game.assists(position, side)} {game.clock(position, side)}"
    if not (movers := game.movers(position)):
        return
    for move in chance.sample(game.moves(position, movers[0]), 3):
        yield f"{move}: {game.chain(position, move)} {game.story(position, move)}"
        yield " / ".join(lit(game, scene) for scene in game.scenes(position, move))
    gesture, middle = game.at_rest((0,) * 182), [13 * row + 6 for row in range(14)]
    for at in range(45):
        lying = [cell for cell, kind in enumerate(gesture.kinds) if kind]
        cell, kind = chance.choice([*middle, *range(182)]), 1 + movers[0]
        if lying and chance.random() < 0.5:
            cell, kind = chance.choice(lying), chance.choice((0, 0, 0, 1, 2))
        elif chance.random() < 0.5:  # beside the last one
            cell = (lying or [chance.randrange(12, 160)])[-1] + chance.choice((-13, -1, 1, 13))
            cell %= 182
        elif chance.random() < 0.2:
            kind = chance.choice((1, 2, 3))
        if gesture.kinds[cell] == kind:
            continue
        heard = game.hear(position, gesture, cell, kind, at, at % 2 == 0)
        gesture = heard.gesture
        meant = game.meant(position, gesture)
        said = why(game, meant) if isinstance(meant, Refusal) else meant
        yield f"{game.grid.name(cell)}={kind}: {heard.move} {heard.undo} {said}"
        yield f"{why(game, heard.refusal)} {game.asking(gesture)} {game.due_us(gesture)}"
        yield lit(game, game.gesture_marks(position, gesture, at % 3 == 0))
        yield lit(game, game.scrolled(game.figures(position), position, gesture))
        if game.due_us(gesture) is not None:
            yield str(game.on_time(position, gesture).move)


def lines_of(number: int) -> list[str]:
    """The lines of a case."""
    slug, options, size = CASES[number]
    game = games.load(slug, **options)
    if any(size):
        game = game.laid_on(rectangle(*size))
    chance = random.Random(f"told {number}")
    positions = played(game, chance)
    found = [f"# {number}", f"{game!r} {game.capacity} {game.may_repeat} {game.time_control}"]
    found.append(f"{len(game.symmetries)} {game.pieces_needed()}")
    found.append(f"counted {game.counted(positions, positions[-1].history)}")
    every = max(1, len(positions) // LOOKS)
    for position in [*positions[:-1:every], positions[-1]]:
        found += told(game, position, chance)
    return found


def kept() -> Mapping[str, list[str]]:
    with lzma.open(KEPT, "rt", encoding="utf-8") as lines:
        found: dict[str, list[str]] = {}
        for line in lines.read().splitlines():
            found.setdefault(line, []) if line.startswith("# ") else None
            found[[*found][-1]].append(line)
    return found


@pytest.fixture(scope="module")
def answers() -> Mapping[str, list[str]]:
    return kept()


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: f"{CASES[n][0]}-{n}")
def test_what_is_told_of_a_game_is_what_was_kept(
    number: int, answers: Mapping[str, list[str]]
) -> None:
    assert lines_of(number) == answers[f"# {number}"]


if __name__ == "__main__":
    with lzma.open(KEPT, "wt", encoding="utf-8") as out:
        for number in range(len(CASES)):
            out.write("\n".join(lines_of(number)) + "\n")
