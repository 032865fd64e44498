"""Japanese texts call things as the games' authors do (docs/terms.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from each import each
from lumiban.games.registry import OURS_BY_NAME
from places import ROOT
from terms import ALL, GAMES, Term, read_terms

TABLE = (ROOT / "docs" / "terms.md").read_text("utf-8")
TERMS = read_terms(TABLE)
TEXTS = sorted(
    [
        *(ROOT / "host" / "lumiban" / "catalogue" / "ja").glob("*.toml"),
        *(ROOT / "docs" / "ja").glob("*.md"),
        *(ROOT / "docs" / "answers" / "ja").glob("*.md"),
        ROOT / "docs" / "answers" / "README.ja.md",
        ROOT / "docs" / "maker" / "ja.md",
        ROOT / "README.ja.md",
    ]
)
RENGI = {"rengi.toml", "chain.toml", "chain_power.toml", "rengi.md"}
"""Texts about Rengi alone: elsewhere a pair of games is a pair too, and a step is a step."""


def binds(term: Term, path: Path) -> bool:
    """Whether a text speaks of what this term is about."""
    return term.games != ("rengi",) or path.name in RENGI


@each("path", TEXTS)
def test_no_text_uses_a_word_that_an_author_does_not(path: Path) -> None:
    text = re.sub(r"<!--.*?-->", "", path.read_text("utf-8"))
    found = [
        f"{path.name}:{number}: {word}, not {'、'.join(term.words)}"
        for number, line in enumerate(text.splitlines(), 1)
        for term in TERMS
        if binds(term, path)
        for word in term.faults(line)
    ]
    assert found == []


def test_every_authors_word_is_used() -> None:
    everything = "".join(path.read_text("utf-8") for path in TEXTS)
    assert [
        word for term in TERMS for word in term.words if word.rstrip("す") not in everything
    ] == []


def test_every_game_has_terms_and_a_table_with_a_missing_row_is_refused() -> None:
    # Relatives are other designers' games, who define no Japanese words.
    assert set(GAMES) == set(OURS_BY_NAME)
    lines = TABLE.splitlines()
    without = "\n".join(line for line in lines if not line.startswith("| doves"))
    with pytest.raises(ValueError, match="no term of doves"):
        read_terms(without)
    with pytest.raises(ValueError, match="needs game"):
        read_terms(f"{TABLE}\n| control | 駒 |\n")
    assert any(ALL in term.games for term in TERMS)


def test_a_refused_word_is_found_and_an_allowed_compound_is_not() -> None:
    [stone] = [term for term in TERMS if term.words == ("駒",)]
    assert list(stone.faults("磁石の石")) == ["石"]
    assert list(stone.faults("磁石と駒")) == []
