"""The catalogue: every language says everything, once, with the same parameters."""

from __future__ import annotations

import re
from string import Formatter

import pytest
from each import each
from lumiban import i18n
from places import ROOT

HOST = ROOT / "host" / "lumiban"
OTHERS = [language for language in i18n.LANGUAGES if language != "en"]


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def shipped(language: str) -> dict[str, str]:
    """The sentences in lumiban's files alone, not those that a game loaded by a test brought."""
    return {
        id: sentence
        for sentences in i18n.areas(language).values()
        for id, sentence in sentences.items()
    }


def slugs_in_source(pattern: str) -> set[str]:
    found: set[str] = set()
    for path in HOST.rglob("*.py"):
        found |= set(re.findall(pattern, path.read_text("utf-8")))
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_sentences(language: str) -> None:
    assert i18n.areas(language).keys() == i18n.areas("en").keys()
    assert shipped(language).keys() == shipped("en").keys()


@pytest.mark.parametrize("language", OTHERS)
def test_a_sentence_takes_the_same_parameters_in_every_language(language: str) -> None:
    theirs = shipped(language)
    for id, english in shipped("en").items():
        assert placeholders(theirs[id]) == placeholders(english), id


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_no_sentence_stands_in_two_files(language: str) -> None:
    ids = [id for sentences in i18n.areas(language).values() for id in sentences]
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_sentences_are_one_line_and_not_empty(language: str) -> None:
    for id, sentence in shipped(language).items():
        assert sentence.strip() == sentence, id
        assert sentence, id
        if not id.startswith("rules."):  # told in paragraphs
            assert "\n" not in sentence, id


def test_a_sentence_is_there_or_not_by_its_id() -> None:
    assert all(map(i18n.has, i18n.texts("en")))
    assert not i18n.has("refusal.control")


def test_japanese_is_not_english_left_over() -> None:
    english, japanese = shipped("en"), shipped("ja")
    words = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}")
    for id, sentence in japanese.items():
        if words.search(english[id]):
            assert sentence != english[id], id


def test_every_refusal_in_the_code_has_a_sentence() -> None:
    slugs = slugs_in_source(r"Refusal\(\s*(?:rule=)?\"([a-z0-9.-]+)\"")
    assert {"refusal." + slug for slug in slugs} <= shipped("en").keys()


def test_every_outcome_in_the_code_has_a_sentence() -> None:
    slugs = slugs_in_source(r"Outcome\([^()]*?\"([a-z0-9.-]+)\"\s*\)")
    assert {"outcome." + slug for slug in slugs} <= shipped("en").keys()


def test_a_missing_sentence_names_its_id() -> None:
    with pytest.raises(KeyError, match=r"no\.such\.text"):
        i18n.text("no.such.text")


def test_a_strange_language_is_an_error_and_not_english() -> None:
    with pytest.raises(KeyError, match="tlh"):
        i18n.texts("tlh")


@each(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja"}, "ja"),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "ja_JP.UTF-8"}, "en"),
        ({"LUMIBAN_LANG": "ja-JP", "LANG": "en_US.UTF-8"}, "ja"),
    ],
)
def test_the_terminal_speaks_the_language_of_its_environment(
    environment: dict[str, str], language: str
) -> None:
    assert i18n.terminal_language(environment) == language


def test_commands_are_named_as_people_type_them_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for start in ("./run", "lumiban"):
        monkeypatch.setenv("LUMIBAN_RUN", start)
        i18n._table.cache_clear()
        for language in i18n.LANGUAGES:
            said = i18n.texts(language)
            assert f"{start} games GAME" in said["cli.games.more"]
            typed = f"{start} play"
            assert not [id for id, text in said.items() if id[:5] == "page." and typed in text]
            assert not [id for id, sentence in said.items() if "{lumiban}" in sentence]
    monkeypatch.undo()
    i18n._table.cache_clear()
