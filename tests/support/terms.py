"""The authors' terms (docs/terms.md), as a table that texts can be held to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

COLUMNS = 4
GAMES = ("control", "evening", "trivia", "doves", "rengi")
ALL = "all"
BRACKETED = re.compile(r"\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Term:
    """What an author calls a thing, and what nobody else may call it."""

    games: tuple[str, ...]
    words: tuple[str, ...]
    english: str
    refused: tuple[str, ...]
    allowed: tuple[str, ...]
    """Longer words that hold a refused one and mean something else."""

    def faults(self, text: str) -> Iterator[str]:
        """Each refused word that a text uses."""
        for compound in self.allowed:
            text = text.replace(compound, "")
        for word in self.refused:
            if word in text:
                yield word


def read_terms(text: str) -> tuple[Term, ...]:
    """The rows of the table; ValueError says which row is not whole, or which game has none."""
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    found = []
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) != COLUMNS or not all(cells[:3]):
            raise ValueError(f"a term needs game, author's word and English word: {row}")
        games, words, english, refused = cells
        allowed = tuple(one for group in BRACKETED.findall(refused) for one in group.split("、"))
        found.append(
            Term(
                tuple(games.split(", ")),
                tuple(re.split("[、・]", words)),
                english,
                tuple(filter(None, BRACKETED.sub("", refused).split("、"))),
                allowed,
            )
        )
    missing = [game for game in (*GAMES, ALL) if all(game not in one.games for one in found)]
    if missing:
        raise ValueError(f"no term of {', '.join(missing)}")
    return tuple(found)
