"""What a player reads at the table speaks of the game, never of what is inside the board."""

from __future__ import annotations

import re

import pytest
from lumiban.i18n import areas

INSIDE = {
    "en": re.compile(r"\b(sensor|cable|select line|socket|multiplexer|channel)", re.I),
    "ja": re.compile("センサー|ケーブル|選択線|ソケット|マルチプレクサ|チャンネル"),
}
"""Words of makers; "field" is also Rengi's."""


@pytest.mark.parametrize("language", sorted(INSIDE))
def test_no_sentence_at_the_table_speaks_of_what_is_inside_the_board(language: str) -> None:
    found = areas(language)
    games = ("control", "evening", "trivia", "doves", "rengi", "games", "simple", "said")
    texts = {id: text for area in ("table", *games) for id, text in found[area].items()}
    assert len(texts) > 300
    assert [id for id, text in texts.items() if INSIDE[language].search(text)] == []


def test_the_words_of_makers_are_known_by_this_test() -> None:
    maker = areas("en")["maker"]
    assert any(INSIDE["en"].search(text) for text in maker.values())
