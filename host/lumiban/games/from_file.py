"""A game from one file of somebody's own: found, run, and told clearly what is wrong with it.

The game's slug is the file's absolute path. Read again after a change, the file gives a new class
with another `digest`; games that were loaded before keep the old one.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from string import Formatter
from types import ModuleType
from typing import Any

from lumiban import catalogue
from lumiban.errors import GameError
from lumiban.games.api import Game, Position
from lumiban.games.faults import RuleFault, line_of, telling, told

SUFFIX = ".py"

_loaded: dict[Path, type[Game]] = {}
_RULES = (
    "start", "movers", "moves", "words", "parse", "play", "why_not", "outcome", "pieces", "read",
    "effects", "looks_like", "offers", "swapped", "counts", "view", "setup", "marks", "state",
    "move_of",
)  # fmt: skip
"""What the table and the tools ask of a game; an exception in one of them tells its position."""
_AREAS = {
    "name": "game.{slug}.name",
    "rule": "game.{slug}.rule",
    "rules": "rules.{slug}",
    "option": "game.{slug}.option.{rest}",
    "refusal": "refusal.{slug}.{rest}",
    "outcome": "outcome.{slug}.{rest}",
    "word": "word.{slug}.{rest}",
    "said": "said.{slug}.{rest}",
    "side": "side.{rest}",
}
"""The keys of `Texts` and the ids that they get in the catalogue."""


def is_file(slug: str) -> bool:
    """Whether a game is asked for by its file."""
    return slug.endswith(SUFFIX)


def class_from(slug: str) -> type[Game]:
    """The game that stands in this file (`~` is known); GameError tells what keeps it away.

    RuleFault, a GameError with the line, when the file itself cannot be run.
    """
    path = Path(slug).expanduser().resolve()
    try:
        source = path.read_bytes()
    except OSError as error:
        raise GameError(f"the game's file {path} cannot be read: {error.strerror}") from error
    digest = hashlib.sha256(source).hexdigest()[:20]
    known = _loaded.get(path)
    if known is None or known.digest != digest:
        known = _class_in(_run(path, source), path)
        known.slug = str(path)
        known.digest = digest
        for name in _RULES:
            setattr(known, name, _told(getattr(known, name)))
        _loaded[path] = known
    add_texts(known)
    return known


def made(kind: type[Game], options: Mapping[str, int | str]) -> Game:
    """The game of a file's class with these options; RuleFault when its own making fails."""
    try:
        return kind(**options)
    except GameError:
        raise
    except Exception as error:
        raise _broken(error, kind.slug) from error


def _run(path: Path, source: bytes) -> ModuleType:
    """The module that the file makes. Its name is the same in every process, for pickles."""
    module = ModuleType(f"lumiban_file_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}")
    module.__file__ = str(path)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        sys.modules.pop(module.__name__)
        if before is not None:
            sys.modules[module.__name__] = before
        raise _broken(error, str(path)) from error
    return module


def _broken(error: BaseException, path: str) -> RuleFault:
    if isinstance(error, SyntaxError) and error.filename == path:
        code = f": {error.text.strip()}" if error.text else ""
        line = error.lineno or 0
        return RuleFault(f"{path}, line {line}: {error.msg}{code}", path=path, line=line)
    line, _ = line_of(error, path)
    place = f"{path}, line {line}" if line else path
    return RuleFault(f"{place}: {told(error)}", path=path, line=line)


def _class_in(module: ModuleType, path: Path) -> type[Game]:
    """The one game of a module: classes that others build on, or `_named` so, do not count."""
    own = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Game)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]
    games = [kind for kind in own if not any(kind in other.__mro__[1:] for other in own)]
    if not games:
        raise GameError(
            f"{path} has no game in it: it needs a class that inherits SimpleGame (or Game);"
            " lumiban new-game NAME writes a file to start from"
        )
    if len(set(games)) > 1:
        names = ", ".join(dict.fromkeys(kind.__name__ for kind in games))
        raise GameError(
            f"{path} has several games in it ({names}): one file is one game; begin the names of"
            " the others with an underscore, or move them to files of their own"
        )
    return games[0]


def _told(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with its exceptions told as faults of the rule at the position it was given."""

    @wraps(method)
    def asked(self: Game, *given: Any, **named: Any) -> Any:
        first = given[0] if given else named.get("position")
        at = first if isinstance(first, Position) else f"in {method.__name__}"
        with telling(self, at):
            return method(self, *given, **named)

    return asked


def add_texts(kind: type[Game]) -> None:
    """Bring the sentences of a game that is not ours to the catalogue.

    GameError names one that cannot be used. What is missing comes from the other language, and
    name and rule at least from the class itself.
    """
    for language in catalogue.LANGUAGES:
        said = _said(kind, language)
        sentences = {_id(kind.slug, key): _whole(kind, key, text) for key, text in said.items()}
        try:
            catalogue.add(language, sentences)
        except KeyError as error:
            raise GameError(f"{kind.slug}: the text {error} is lumiban's own") from error


def _said(kind: type[Game], language: str) -> dict[str, str]:
    """All texts of a game in one language, by their keys; a docstring counts as English."""
    doc = (kind.__doc__ or "").strip()
    rules = "\n\n".join(" ".join(part.split()) for part in doc.split("\n\n"))
    english = {"rule": rules.partition("\n\n")[0], "rules": rules} if doc else {}
    english |= kind.texts.en
    japanese = dict(kind.texts.ja)
    name = kind.__name__
    least = {"name": name, "rule": name, "rules": name}
    least |= {f"option.{option.name}": option.name for option in kind.accepts}
    said = {**least, **japanese, **english}
    if language == "ja":
        said |= japanese
    if "rules" not in {**japanese, **english}:
        said["rules"] = said["rule"]
    for key in said:
        area, _, rest = key.partition(".")
        if area not in _AREAS or ("{rest}" in _AREAS[area]) != bool(rest):
            known = ", ".join(a + ".…" * ("{rest}" in _AREAS[a]) for a in _AREAS)
            raise GameError(f"{kind.slug}: there is no text {key!r}; texts are {known}")
    return said


def _id(slug: str, key: str) -> str:
    area, _, rest = key.partition(".")
    return _AREAS[area].format(slug=slug, rest=rest)


def _whole(kind: type[Game], key: str, text: str) -> str:
    try:
        list(Formatter().parse(text))
    except (ValueError, TypeError) as error:
        raise GameError(f"{kind.slug}: the text {key!r} cannot be used: {error}") from error
    return " ".join(text.split()) if key != "rules" else text
