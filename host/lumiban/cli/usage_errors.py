"""Errors of the command line for words that it does not understand: one line, and where to look."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from lumiban.invocation import start_word

WHAT = {"int": "a whole number", "float": "a number"}
"""Types of Python in words."""


def unknown(
    word: str, commands: Sequence[str], groups: Mapping[str, Collection[str]] | None = None
) -> str:
    """A first word that is no command; `groups` have commands of their own.

    >>> unknown("analize", ["analyse", "play"])
    "there is no command 'analize'; did you mean analyse? All of them: lumiban --help"
    >>> unknown("perft", ["play", "study"], {"study": ["perft"]})
    "there is no command 'perft'; did you mean study perft? All of them: lumiban --help"
    """
    near = [f"{group} {word}" for group, names in (groups or {}).items() if word in names]
    near = near or get_close_matches(word, commands, n=1)
    if near:
        meant = f"did you mean {near[0]}? All of them: {start_word()} --help"
    else:
        meant = f"the commands are {', '.join(commands)}"
    return f"there is no command {word!r}; {meant}"


def usage(error: CycloptsError) -> str:
    """An error of cyclopts in our words, ended by where to look."""
    line = _sentence(error)
    if not line.endswith((".", "?", "!")):
        line += "."
    return f"{line} See: {' '.join((start_word(), *(error.command_chain or ())))} --help"


def _sentence(error: CycloptsError) -> str:
    match error:
        case UnusedCliTokensError(unused_tokens=[word, *_]):
            return _one_too_many(word, error)
        case MissingArgumentError(argument=argument) if argument is not None:
            name = error.keyword or argument.name
            tokens = [token.keyword for token in argument.tokens if token.keyword]
            if error.keyword or tokens:
                return f"{error.keyword or tokens[-1]} needs a value"
            return f"{name} is missing"
        case CoercionError(token=token, target_type=kind) if token is not None:
            what = WHAT.get(getattr(kind, "__name__", ""))
            name = token.keyword or (error.argument.name if error.argument else "")
            if what:
                return f"{name} {token.value!r} is not {what}"
        case UnknownOptionError(token=token):
            return _unknown_option(token.keyword or token.value, error)
    line = " ".join(str(error).split()).replace('"', "'")
    return line[:1].lower() + line[1:]


def _one_too_many(word: str, error: CycloptsError) -> str:
    """A word behind a group of commands was meant as one of them."""
    names = [] if error.app is None else [name for name in error.app if not name.startswith("-")]
    if not names:
        return f"{word!r} is one word too many"
    chain = " ".join(error.command_chain or ())
    return f"there is no {chain} {word!r}: there are {', '.join(names)}"


def _unknown_option(word: str, error: UnknownOptionError) -> str:
    name = word.split("=", 1)[0]
    known: list[str] = [own for argument in _arguments(error) for own in argument.names]
    near = get_close_matches(name, [own for own in known if own.startswith("--")], n=1, cutoff=0.7)
    if near:
        return f"there is no option {name}; did you mean {near[0]}?"
    if "-o" in known and name.startswith("--"):
        return (
            f"there is no option {name}; options of a game are told as -o {name.lstrip('-')}=VALUE"
        )
    return f"there is no option {name}"


def _arguments(error: UnknownOptionError) -> list[Any]:
    return list(error.argument_collection)


def default(value: object) -> str | None:
    """A default as the help shows it: nothing where it is empty or off.

    >>> default("auto"), default(""), default(False), default(20)
    ('auto', None, None, '20')
    """
    return None if value in ("", None) or value is False else str(value)
