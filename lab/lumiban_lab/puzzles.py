"""Looks for puzzles: positions with exactly one action that does it.

    ./run python -m lumiban_lab.puzzles

In Control and Evening that action wins, however the game goes on; in Tokyo Doves it wins as soon as
can be; in Rengi it sets off a chain of given length. Writes the file from which tables take them,
each game's easier ones first; what is found comes from the seed alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from lumiban import games
from lumiban.games import puzzles
from lumiban.games.base import Game, Position
from lumiban.games.doves import Doves
from lumiban.games.rengi.arrays import PLACEMENTS
from lumiban.games.rengi.field import (
    COLUMNS,
    OUT_SIZE,
    colour_at,
    height,
    place_pair,
    printed,
    resolve,
)
from lumiban.games.rengi.kernel import build, field_of
from lumiban.games.rengi.notation import code_of, pair_text, text_of
from lumiban.games.rengi.placements import placements
from lumiban.search.doves.mate import Puzzles
from lumiban.search.solve import solve
from lumiban.system.terminal import Progress

COUNT = 20
"""Number of Control's puzzles, and of Evening's."""
DOVES = {1: 9, 3: 11, 5: 8, 7: 5, 9: 3}
"""Number of puzzles by the plies within which they are won."""
CHAINS = {3: 8, 4: 8, 5: 5, 6: 3}
TRIES = 40
"""Looks of a chain with other blocks around it."""
HIGHEST = 9
"""Blocks in a column at most: nothing is close to the top."""

"""Number of Rengi's puzzles by the steps of the chain."""
MAX_NODES = 12_000
"""Positions of a proof at most, so that plain code can repeat it."""
SEED = 20


def proven(game: Game, left: range, least_moves: int, rng: Random) -> Iterator[tuple[int, Any]]:
    """(positions looked at, puzzle), as many as are wanted, of games that play themselves until
    this number of cells is `left`."""
    known = set()
    while True:
        position = game.start()
        until = rng.choice(left)
        while game.outcome(position) is None and empty(game, position) > until:
            side = game.to_act(position)
            position = game.play(position, rng.choice(game.moves(position, side)))
        if game.outcome(position) is not None:
            continue
        side = game.to_act(position)
        moves = game.moves(position, side)
        stones = game.stones_of(position)
        if len(moves) < least_moves or len(set(stones.values())) < 2:
            continue
        wins, nodes = [], 0
        for move in moves:
            after = game.play(position, move)
            found = solve(game, after)
            nodes += found.nodes
            wins += [move] if found.winner == side else []
            if len(wins) > 1 or nodes > MAX_NODES:
                break
        key = form(game, position)
        if len(wins) != 1 or nodes > MAX_NODES or key in known:
            continue
        if game.outcome(game.play(position, wins[0])) is not None:
            continue
        known.add(key)
        yield nodes, {"stones": stones, "to_move": side, "first": [wins[0].text]}


def empty(game: Game, position: Position) -> int:
    """Number of empty cells."""
    return game.kinds_on(position).count(0)


def form(game: Game, position: Position) -> tuple[Any, ...]:
    """The position however turned."""
    kinds = game.kinds_on(position)
    return min(tuple(kinds[turn[c]] for c in range(len(kinds))) for turn in game.symmetries)


def mates(progress: Progress) -> Iterator[dict[str, Any]]:
    """The puzzles of Tokyo Doves."""
    game = Doves()
    for plies, count in DOVES.items():
        progress.show(f"doves, {plies} plies")
        for one in Puzzles(game, plies, SEED).search(count):
            yield {
                "board": one.board,
                "to_move": game.sides.index(one.to_move),
                "first": [one.first],
                "within": (plies + 1) // 2,
            }


def chains(rng: Random) -> tuple[list[Any], str]:
    """The puzzles of Rengi, and the list of their pairs."""
    found: list[Any] = []
    pairs: list[str] = []
    for steps, count in CHAINS.items():
        had = len(found)
        while len(found) < had + count:
            whole = build(steps, rng.randrange(1 << 30))
            made = next(filter(None, (unfired(whole, rng) for _ in range(TRIES))), None)
            if made is None:
                continue
            columns, pair = made
            ways = lengths(field_of(columns), pair)
            right = [code for code, length in ways.items() if length == steps]
            if max(ways.values(), default=0) != steps or len(right) != 1:
                continue
            found.append(
                {
                    "field": printed(field_of(columns)),
                    "made": len(pairs),
                    "to_move": 0,
                    "first": [text_of(right[0])],
                    "steps": steps,
                }
            )
            pairs.append(pair_text(pair))
    return found, ",".join(pairs)


def unfired(whole: list[int], rng: Random) -> tuple[list[list[int]], tuple[int, int]] | None:
    """Columns that wait for a pair, with blocks on them that belong to nothing, and the pair; None
    where this makes no puzzle."""
    columns = [
        [colour_at(whole, 0, column, row) for row in range(1, height(whole, 0, column) + 1)]
        for column in range(COLUMNS)
    ]
    taken = []
    stand = [column for column in columns if column]
    if len(stand) < 2:
        return None
    for column in rng.sample(stand, 2):
        taken.append(column.pop())
    for _ in range(rng.randint(4, 10)):
        rng.choice(columns).append(rng.randint(1, 4))
    if taken[0] == taken[1] or max(map(len, columns)) > HIGHEST:
        return None
    if resolve(field_of(columns), 0, 0, [0] * OUT_SIZE):
        return None
    return columns, (taken[0], taken[1])


def lengths(field: list[int], pair: tuple[int, int]) -> dict[int, int]:
    """The steps of the chain that each placement of the pair sets off, by its number."""
    out = [0] * PLACEMENTS
    found = {}
    for at in out[: placements(field, 0, 1, 1, out)]:
        after = list(field)
        column, rotation = at // 4, at % 4
        place_pair(after, 0, *pair, column, rotation, 0)
        found[code_of(pair, column, rotation)] = resolve(after, 0, 0, [0] * OUT_SIZE)
    return found


def main() -> None:
    """Write the file."""
    progress = Progress()
    sets: dict[str, Any] = {}
    for slug, options, left, least, of_each in (
        ("control", {"size": 3}, range(9, 15), 6, 1),
        ("evening", {"size": 3, "turns": "trailing"}, range(9, 16), 4, 3),
    ):
        # Of those that are much alike the one that takes most to prove.
        progress.show(slug)
        found = list(
            islice(proven(games.load(slug, **options), left, least, Random(SEED)), COUNT * of_each)
        )
        found.sort(key=lambda one: one[0])
        chosen = [puzzle for _, puzzle in found[of_each - 1 :: of_each]]
        sets[slug] = {"options": options, "puzzles": chosen}
    sets["doves"] = {"options": {}, "puzzles": list(mates(progress))}
    fired, pairs = chains(Random(SEED))
    sets["rengi"] = {
        "options": {"mode": "open", "list": pairs, "begins": "first"},
        "puzzles": fired,
    }
    Path(puzzles.__file__).with_name(puzzles.FILE).write_text(printed_sets(sets), "utf-8")
    progress.clear()


def printed_sets(sets: dict[str, Any]) -> str:
    """The file, one puzzle a line."""
    parts = [
        f'{json.dumps(slug)}: {{"options": {json.dumps(one["options"])}, "puzzles": [\n'
        + ",\n".join(map(json.dumps, one["puzzles"]))
        + "\n]}"
        for slug, one in sets.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
