"""Every sentence that lumiban says to people, by id and language.

The texts stand in `<language>/<area>.toml` as flat quoted keys; `{name}` marks a parameter, and
`{lumiban}` how people here start this program.
Rooms name texts by id only; page, terminal and tests look them up here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

from lumiban.invocation import typed

LANGUAGES = ("en", "ja")
"""The languages that have texts; the first is the one to fall back on."""

_added: dict[str, dict[str, str]] = {}
"""By language the sentences that games from files and packages brought with them."""


def text(id: str, language: str = "en", **params: object) -> str:
    """The sentence of this id, with its parameters filled in.

    A parameter that is an id itself becomes that sentence, filled from the same parameters, as on
    the page.

    KeyError carries the id when no language file has it, or the parameter that is missing.

    >>> text("cli.games.default", "en", value=5)
    'default 5'
    """
    sentence = _sentence(id, language)
    if sentence is None:
        raise KeyError(id)
    for name, value in params.items():
        if isinstance(value, str) and "." in value and _sentence(value, language) is not None:
            others = {other: param for other, param in params.items() if other != name}
            params[name] = text(value, language, **others)
    if id not in _table(language):
        return _filled(sentence, params)
    return sentence.format(**params)


def _filled(sentence: str, params: Mapping[str, object]) -> str:
    """A sentence of somebody's game with its parameters in place of their names, as the page has
    it. It is a sentence, no template that reaches into what it is given; what it names besides
    stays as it stands."""
    return re.sub(r"\{(\w+)\}", lambda name: str(params.get(name[1], name[0])), sentence)


def has(id: str) -> bool:
    """True if there is a sentence of this id; the files are not parsed for it, as a stone waits."""
    return id in _ids() or id in _added.get(LANGUAGES[0], {})


def _sentence(id: str, language: str) -> str | None:
    """The sentence of this id, parameters unfilled; None where there is none."""
    table = _table(language)
    return table[id] if id in table else _added.get(language, {}).get(id)


def texts(language: str) -> dict[str, str]:
    """All sentences of a language, by id, parameters unfilled; KeyError for a strange language."""
    return {**_added.get(language, {}), **_table(language)}


def add(language: str, sentences: Mapping[str, str]) -> None:
    """Bring a game's own sentences; those of the same id that were added before are replaced.

    KeyError carries an id that is ours already, or a strange language.
    """
    ours = _table(language)
    for id in sentences:
        if id in ours:
            raise KeyError(id)
    _added.setdefault(language, {}).update(sentences)


def added() -> dict[str, dict[str, str]]:
    """By language the sentences that were added, for a process that does not know the games."""
    return {language: dict(sentences) for language, sentences in _added.items()}


def areas(language: str) -> dict[str, dict[str, str]]:
    """The sentences of a language as they stand in its files: area, then id."""
    import tomllib

    return {area: tomllib.loads(text) for area, text in _files(language).items()}


def _files(language: str) -> dict[str, str]:
    """The texts of a language's files by area; KeyError for a strange language."""
    if language not in LANGUAGES:
        raise KeyError(language)
    from importlib.resources import files

    entries = sorted(
        (files("lumiban") / "catalogue" / language).iterdir(), key=lambda one: one.name
    )
    return {
        entry.name.removesuffix(".toml"): entry.read_text("utf-8")
        for entry in entries
        if entry.name.endswith(".toml")
    }


@cache
def _ids() -> frozenset[str]:
    """The ids of our own sentences, each of which stands on a line of its own."""
    told = _files(LANGUAGES[0]).values()
    return frozenset(id for text in told for id in re.findall(r'(?m)^"([^"]+)" *=', text))


def terminal_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language for the terminal: LUMIBAN_LANG, else the locale's, else English.

    >>> terminal_language({"LANG": "ja_JP.UTF-8"})
    'ja'
    >>> terminal_language({"LANG": "ja_JP.UTF-8", "LUMIBAN_LANG": "en"})
    'en'
    """
    for name in ("LUMIBAN_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        wish = environment.get(name, "")
        if wish:
            language = wish.replace("-", "_").split("_")[0].split(".")[0].lower()
            return language if language in LANGUAGES else LANGUAGES[0]
    return LANGUAGES[0]


@cache
def _table(language: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for sentences in areas(language).values():
        table.update(sentences)
    return {id: typed(sentence) for id, sentence in table.items()}
