"""Games that were recorded once, set-ups and words of a pie among them: rules and readers may be
written anew, but each of these games is still the same, ply by ply."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from lumiban.games import Game, Position
from lumiban.table import record
from lumiban.table.resume import resume
from places import TESTS


def kept() -> Iterator[Any]:
    """Record, journal and what could be done and seen at each ply of every game."""
    with lzma.open(TESTS / "golden" / "played.jsonl.xz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            game = json.loads(line)
            told = [game["record"]["game"], *map(str, game["record"]["options"].values())]
            yield pytest.param(game, id=f"{number}-{'-'.join(told)}")


def sum_of(texts: list[str]) -> int:
    return crc32(" ".join(sorted(texts)).encode())


def ply(game: Game, position: Position) -> list[Any]:
    """Movers; how many moves, and which; which words; counts; what stands."""
    movers = game.movers(position)
    moves = [str(move) for side in movers for move in game.moves(position, side)]
    words = [word for side in (0, 1) for word in game.words(position, side)]
    counts = [list(one) for one in game.scores(position)]
    stands = crc32(bytes(map(int, game.pieces(position))))
    return [list(movers), len(moves), sum_of(moves), sum_of(words), counts, stands]


@pytest.mark.one_case
@pytest.mark.parametrize("told", list(kept()))
def test_a_game_that_was_recorded_is_the_same_today(told: Any, tmp_path: Path) -> None:
    game, positions = record.replay(told["record"])
    assert [ply(game, position) for position in positions] == told["plies"]
    outcome = game.outcome(positions[-1])
    assert outcome is not None
    result = {"winner": outcome.winner, "reason": outcome.reason}
    assert result == told["record"]["result"]
    journal = tmp_path / "game.journal"
    journal.write_text(told["journal"], "utf-8")
    again = resume(journal)
    assert (again.is_over, again.notes) == (True, ())
    assert again.history.positions == positions
