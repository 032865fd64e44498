"""Games that there are: ours by name, installed ones by entry point, anybody's by a file's path.

Nothing is imported before a game is asked for; installed packages (entry point group
`lumiban.games`) are looked through only for a name that is not ours, or when all are listed.

The slug of a game from a file is the file's absolute path. Read again after a change, the file
gives a new class with another `digest`; games that were loaded before keep the old one. When its
rule fails, one line says which line of the file it was, and in which position.

A user's own game is a program. Who may have it run is `gate`'s to say.
"""

from __future__ import annotations

import hashlib
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import unwrap
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lumiban import i18n
from lumiban.errors import GameError, LumibanError, RuleError
from lumiban.games import gate
from lumiban.games.base import Game, Position, load_by
from lumiban.games.gate import NotAccepted, is_file
from lumiban.games.grid_view import LOOKS
from lumiban.games.rule_limits import LIMITS, NOTE, SET, TakesTooLong
from lumiban.invocation import start_word
from lumiban.system import processes

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


GROUP = "lumiban.games"
"""The entry point group by which a package offers games: `slug = "module:GameClass"`."""

_OURS = {
    "control": "lumiban.games.control:Control",
    "evening": "lumiban.games.evening:Evening",
    "trivia": "lumiban.games.trivia:Trivia",
    "doves": "lumiban.games.doves:Doves",
    "rengi": "lumiban.games.rengi:Rengi",
}

OURS_BY_NAME = tuple(_OURS)
"""The slugs of our own games."""

_RELATIVES = {
    "stigmergy": "lumiban.games.relatives.stigmergy:Stigmergy",
    "tumpletore": "lumiban.games.relatives.stigmergy:Tumpletore",
    "tumbleweed": "lumiban.games.relatives.tumbleweed:Tumbleweed",
    "strands": "lumiban.games.relatives.strands:Strands",
}

RELATIVES = tuple(_RELATIVES)
"""Games by other designers that ours are akin to."""

BUILT_IN = (*_OURS, *_RELATIVES)
"""The slugs of our own games and of their relatives by other designers."""

_SOLO = {"chain-power": "lumiban.games.rengi.chain_power:ChainPower"}
"""Games for one, which no bot plays and no list of opponents names: they load by name."""

_NAMED = {"evening-odd-even": "evening", "interleave": "evening"}
"""Presets that load by their own names: members of a family that people know as games."""


def available() -> tuple[str, ...]:
    """The slugs of all games, ours first, then their relatives; no game is imported for it.

    >>> available()[0]
    'control'
    """
    others = sorted({point.name for point in _offered()} - {*_OURS, *_RELATIVES})
    return (*_OURS, *_RELATIVES, *others)


def _plain(slug: str) -> str:
    """One of our names, however its letters are written; other names as they are.

    >>> _plain("Control"), _plain("Mine.py")
    ('control', 'Mine.py')
    """
    lowered = slug.lower()
    return (
        lowered if any(lowered in names for names in (_OURS, _RELATIVES, _SOLO, _NAMED)) else slug
    )


def is_known(slug: str) -> bool:
    """True if a game has this name, or if this is a file to which the owner of this machine has
    said yes; no game is imported for it.

    >>> is_known("interleave"), is_known("stranger.py"), is_known("contrl")
    (True, False, False)
    """
    slug = _plain(slug)
    known = any(slug in names for names in (_OURS, _RELATIVES, _SOLO, _NAMED))
    return known or (gate.is_accepted(slug) if is_file(slug) else slug in available())


def game_class(slug: str) -> type[Game]:
    """The class of the game with this slug, or in this file (`.py`); GameError names the game
    that was meant and all there are, or what is wrong with the file.

    >>> [option.name for option in game_class("control").accepts]
    ['size', 'opening', 'scoring', 'sees']
    """
    if is_file(slug):
        return class_from(slug)
    slug = _plain(slug)
    slug = _NAMED.get(slug, slug)
    place = _OURS.get(slug) or _RELATIVES.get(slug) or _SOLO.get(slug)
    if place is not None:
        module, name = place.split(":")
        ours: type[Game] = getattr(import_module(module), name)
        return ours
    for point in _offered():
        if point.name == slug:
            return _class_from(point)
    raise GameError(_unknown(slug))


def load(slug: str, **options: int | str) -> Game:
    """The game with this slug and these options; GameError names what is accepted.

    A preset that is known as a game loads by its name too; what comes is the game it belongs to.

    >>> load("control", size="3").options["size"]
    3
    >>> load("interleave") == load("evening", preset="interleave")
    True
    """
    slug = _plain(slug)
    if slug in _NAMED:
        if "preset" in options:
            raise GameError(f"{slug} is a preset itself: load {_NAMED[slug]} with another one")
        options = {"preset": slug, **options}
    kind = game_class(slug)
    if kind.digest:
        return made(kind, options)
    return kind(**options)


load_by.append(load)


def _unknown(slug: str) -> str:
    """Message for a name that is no game's: the one that was probably meant, and all there are."""
    stem, is_python, _ = Path(slug).name.partition(".py")
    if is_python:  # mine.py.txt
        return f"the name of a game's file ends in .py: rename {slug}, for example to {stem}.py"
    known = available()
    # A file's name without its suffix was meant as the file.
    near = [f"{slug}.py"] if Path(f"{slug}.py").expanduser().is_file() else []
    near = near or get_close_matches(slug.lower(), (*known, *_NAMED, *_SOLO))
    meant = f"; did you mean {near[0]}? The games are" if near else ": the games are"
    return (
        f"there is no game {slug!r}{meant} {', '.join(known)}, or name the file of your own"
        " (mine.py)"
    )


def _offered() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # it takes as long as all of ours together

    return list(entry_points(group=GROUP))


def _class_from(point: EntryPoint) -> type[Game]:
    try:
        loaded = point.load()
    except (ImportError, AttributeError, SyntaxError) as reason:
        raise GameError(
            f"the game {point.name!r} ({point.value}) cannot be loaded: {reason}"
        ) from reason
    if not (isinstance(loaded, type) and issubclass(loaded, Game)):
        raise GameError(f"the game {point.name!r} ({point.value}) is no subclass of Game")
    if loaded.texts.en or loaded.texts.ja:
        add_texts(loaded)
    return loaded


_loaded: dict[Path, type[Game]] = {}
_stopped: dict[str, RuleTakesTooLong] = {}
"""By the digest of a file, how its rules have ended a process."""
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in (.+)$', re.MULTILINE)
_RULES = (
    "start", "movers", "moves", "words", "parse", "play", "why_not", "outcome", "pieces", "read",
    "effects", "looks_like", "offers", "swapped", "scores", "view", "setup", "marks", "state",
    "move_of", "explain", "pieces_owed", "numbers", "final_counts", "final_steps", "pie_follows",
)  # fmt: skip
"""Methods of a game that the table and the tools call; an exception in one of them names its
position."""
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


def class_from(slug: str) -> type[Game]:
    """The game that stands in this file (`~` is known); GameError tells what keeps it away.

    RuleFault, a GameError with the line, when the file itself cannot be run; NotAccepted for one
    to which nobody has said yes (`gate`).
    """
    path, source = gate.read(slug)
    digest = _digest(source)
    LIMITS.note()
    if digest in _stopped and _stopped[digest].is_unset:
        raise _stopped.pop(digest)  # the next try is made
    known = _loaded.get(path)
    if known is None or known.digest != digest:
        known = _class_in(_run(path, source), path)
        _only_looks(source, path)
        known.slug = str(path)
        known.digest = digest
        for name in _RULES:
            setattr(known, name, _faults_located(getattr(known, name)))
        _loaded[path] = known
    add_texts(known)
    return known


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:20]


def made(kind: type[Game], options: Mapping[str, int | str]) -> Game:
    """The game of a file's class with these options; RuleFault when its own making fails."""
    is_limited = LIMITS.begin()
    try:
        return kind(**options)
    except RuleError as error:
        raise _broken(error, kind.slug, kind) from error
    except GameError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # that ends a program as well
        raise _broken(error, kind.slug, kind) from error
    finally:
        if is_limited:
            LIMITS.end()


def _run(path: Path, source: bytes) -> ModuleType:
    """The module that the file makes. Its name is the same in every process, for pickles."""
    name = f"lumiban_file_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    is_limited = LIMITS.begin()
    try:
        return gate.run(path, source, name)
    except (NotAccepted, KeyboardInterrupt):
        raise
    except BaseException as error:  # that ends a program as well
        raise _broken(error, str(path)) from error
    finally:
        if is_limited:
            LIMITS.end()


def _only_looks(source: bytes, path: Path) -> None:
    """RuleFault for a method that sets something of its board, whose own account that is."""
    import ast

    methods = (
        part
        for kind in ast.walk(ast.parse(source))
        if isinstance(kind, ast.ClassDef)
        for part in kind.body
        if isinstance(part, ast.FunctionDef)
    )
    for method in methods:
        boards = {
            one.arg
            for one in method.args.args
            if one.arg == "board" or getattr(one.annotation, "id", "") == "GridView"
        }
        for node in ast.walk(method):
            owner = getattr(node, "value", None)
            is_set = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
            if is_set and isinstance(owner, ast.Name) and owner.id in boards:
                line = owner.lineno
                raise RuleFault(f"{path}, line {line}: {LOOKS}", path=str(path), line=line)


def _broken(error: BaseException, path: str, kind: type[Game] | None = None) -> RuleFault:
    if isinstance(error, SyntaxError) and error.filename == path:
        code = f": {error.text.strip()}" if error.text else ""
        line = error.lineno or 0
        return RuleFault(f"{path}, line {line}: {error.msg}{code}", path=path, line=line)
    line, _ = line_of(error, path)
    if isinstance(error, RuleError) and error.word:
        line = _line_of_word(error.word, path) or line
    if not line and kind is not None:
        line, _ = _word_of(error, kind, path)
    place = f"{path}, line {line}" if line else path
    kinds = RuleTakesTooLong if isinstance(error, TakesTooLong) else RuleFault
    return kinds(
        f"{place}: {exception_text(error)}{_code_at(error, path, line)}", path=path, line=line
    )


def _line_of_word(word: str, path: str) -> int:
    """The line on which a class of this file says a word (`Mine.sizes`), 0 where none does."""
    import ast  # for a mistake only

    owner, _, name = word.partition(".")
    tree = ast.parse(Path(path).read_bytes())
    kinds = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for kind in sorted(kinds, key=lambda node: node.name != owner):
        for part in kind.body:
            targets = getattr(part, "targets", None) or [getattr(part, "target", part)]
            if any(getattr(one, "id", getattr(one, "name", "")) == name for one in targets):
                return part.lineno
    return 0


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
            f" {start_word()} new-game NAME writes a file to start from"
        )
    if len(set(games)) > 1:
        names = ", ".join(dict.fromkeys(kind.__name__ for kind in games))
        raise GameError(
            f"{path} has several games in it ({names}): one file is one game; begin the names of"
            " the others with an underscore, or move them to files of their own"
        )
    return games[0]


def _faults_located(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with its exceptions told as faults of the rule at the position it was given."""

    @wraps(method)
    def located(self: Game, *given: Any, **named: Any) -> Any:
        first = given[0] if given else named.get("position")
        at = first if isinstance(first, Position) else f"in {method.__name__}"
        with telling(self, at, is_limited=True):
            return method(self, *given, **named)

    return located


def add_texts(kind: type[Game]) -> None:
    """Bring the sentences of a game that is not ours to the catalogue.

    GameError names one that cannot be used. What is missing comes from the other language, and
    name and rule at least from the class itself.
    """
    for language in i18n.LANGUAGES:
        texts = _texts_in(kind, language)
        sentences = {_id(kind.slug, key): _whole(kind, key, text) for key, text in texts.items()}
        try:
            i18n.add(language, sentences)
        except KeyError as error:
            raise GameError(f"{kind.slug}: the text {error} is lumiban's own") from error


def _texts_in(kind: type[Game], language: str) -> dict[str, str]:
    """All texts of a game in one language, by their keys; a docstring counts as English."""
    doc = (kind.__doc__ or "").strip()
    rules = "\n\n".join(" ".join(part.split()) for part in doc.split("\n\n"))
    english = {"rule": rules.partition("\n\n")[0], "rules": rules} if doc else {}
    english |= kind.texts.en
    japanese = dict(kind.texts.ja)
    name = kind.__name__
    least = {"name": name, "rule": name, "rules": name}
    least |= {f"option.{option.name}": option.name for option in kind.accepts}
    texts = {**least, **japanese, **english}
    if language == "ja":
        texts |= japanese
    if "rules" not in {**japanese, **english}:
        texts["rules"] = texts["rule"]
    for key in texts:
        area, _, rest = key.partition(".")
        if area not in _AREAS or ("{rest}" in _AREAS[area]) != bool(rest):
            known = ", ".join(a + ".…" * ("{rest}" in _AREAS[a]) for a in _AREAS)
            raise GameError(f"{kind.slug}: there is no text {key!r}; texts are {known}")
    return texts


def _id(slug: str, key: str) -> str:
    area, _, rest = key.partition(".")
    return _AREAS[area].format(slug=slug, rest=rest)


def text_key(kind: type[Game], id: str) -> str:
    """The key in a game's own `texts` of a sentence's id, "" where it is none of this game's.

    >>> text_key(game_class("stigmergy"), "outcome.stigmergy.joined")
    'outcome.joined'
    """
    area, _, rest = id.partition(".")
    name = rest.removeprefix(f"{kind.slug}.")
    return f"{area}.{name}" if area in _AREAS and name != rest else ""


def _whole(kind: type[Game], key: str, text: object) -> str:
    if not isinstance(text, str):
        raise GameError(f"{kind.slug}: the text {key!r} is no text: {text!r}")
    return " ".join(text.split()) if key != "rules" else text


class RuleFault(GameError):
    """An exception in a user's rules; `line` is that of their file, 0 when it is not there."""

    exit_code = 1

    def __init__(self, text: str, *, path: str = "", line: int = 0) -> None:
        super().__init__(text)
        self.path = path
        self.line = line


class RuleTakesTooLong(RuleFault):
    """A rule that goes on and on was ended."""

    is_unset = False
    """True if a table cannot be set with it, as it stopped while that was tried."""


class telling:  # noqa: N801  # reads as a statement: with telling(game, position)
    """Turns what a game from a file raises into a RuleFault that tells line and position.

    Errors of lumiban's own kinds pass, and so does everything from games that are no file's.
    `is_limited`: time and memory are limited (`rule_limits`), for what is one call of a rule.
    """

    __slots__ = ("_at", "_game", "_is_limited")

    def __init__(self, game: Game, at: object, *, is_limited: bool = False) -> None:
        self._game = game
        self._at = at
        self._is_limited = is_limited

    def __enter__(self) -> None:
        self._is_limited = self._is_limited and bool(self._game.digest) and LIMITS.begin()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._is_limited:
            LIMITS.end()
        if error is None or not self._game.digest:
            return
        if isinstance(error, LumibanError) and not isinstance(error, RuleError):
            return
        if not isinstance(error, KeyboardInterrupt):
            raise fault(error, type(self._game), self._at) from error


def try_start(game: Game, position: Position | None = None) -> None:
    """Ask a game what a table asks at the start, or in this position: a RuleFault now ends nothing
    yet."""
    position = game.start() if position is None else position
    game.marks(position, "control")
    for side in game.movers(position):
        game.moves(position, side)


def fault(error: BaseException, kind: type[Game], at: object) -> RuleFault:
    """The error as a RuleFault; `at` is a Position, or whatever can say where it was."""
    path = source_of(kind)
    line, where = line_of(error, path)
    if not line:
        line, where = _word_of(error, kind, path)
    place = f"line {line}, in {where}" if line else "outside its own file"
    where_at = position_text(at) if isinstance(at, Position) else str(at)
    kinds = RuleTakesTooLong if isinstance(error, TakesTooLong) else RuleFault
    told = f"{path}: " if isinstance(error, RuleError) and not line else f"{path}, {place}: "
    said = f"{exception_text(error)}{_code_at(error, path, line)}"
    return kinds(f"{told}{said} (position: {where_at})", path=path, line=line)


def _code_at(error: BaseException, path: str, line: int) -> str:
    """The text of the line that a call which does not return has come to."""
    code = linecache.getline(path, line).strip() if line else ""
    return f": {code}" if code and isinstance(error, TakesTooLong) else ""


def read_notes(folder: Path) -> list[RuleFault]:
    """The faults of rules that have ended a process, as the notes in this folder tell; they go."""
    faults: list[RuleFault] = []
    for note in folder.glob(f"{NOTE}*.txt"):
        with suppress(OSError, ValueError, GameError):
            if processes.runs(int(note.stem.removeprefix(NOTE))):
                continue
            told, noted_ns = note.read_text("utf-8", "replace"), note.stat().st_mtime_ns
            note.unlink()
            for file, line, where in _FRAME.findall(told):  # the innermost stands first
                path = file.encode().decode("unicode_escape")
                if not (is_file(path) and gate.is_accepted(path)):
                    continue
                if Path(path).stat().st_mtime_ns < noted_ns:
                    does = "ends the program" if "Fatal Python error" in told else "does not return"
                    code = linecache.getline(path, int(line)).strip()
                    said = f"{path}, line {line}, in {where}: it {does}: {code}"
                    fault = RuleTakesTooLong(said, path=path, line=int(line))
                    fault.is_unset = where == "<module>" or not told.startswith(SET)
                    _stopped[_digest(gate.read(path)[1])] = fault
                    faults.append(fault)
                break
    return faults


def stopped(game: Game) -> RuleFault | None:
    """The fault by which the rules of this game have ended a process, None where they have not."""
    return _stopped.get(game.digest)


def source_of(kind: type[Game]) -> str:
    """The file of a game's class."""
    return str(getattr(sys.modules.get(kind.__module__), "__file__", "") or kind.slug)


def line_of(error: BaseException, path: str) -> tuple[int, str]:
    """The innermost line of this file that the error came through, and the function; (0, "")."""
    ours = [one for one in traceback.extract_tb(error.__traceback__) if one.filename == path]
    if not ours:
        return 0, ""
    # A comprehension or a lambda stands in a function that has a name.
    named = [one.name for one in ours if one.name[0] != "<"] or [ours[-1].name]
    return ours[-1].lineno or 0, named[-1]


def _word_of(error: BaseException, kind: type[Game], path: str) -> tuple[int, str]:
    """The line and the name of the method whose answer lumiban could not use: the innermost of
    our lines that names one of this file; (0, "")."""
    texts = [str(error)] if isinstance(error, RuleError) else []
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        lines = range(frame.lineno or 0, (frame.end_lineno or frame.lineno or 0) + 1)
        texts.append("".join(linecache.getline(frame.filename, line) for line in lines))
    for ours in texts:
        for name in re.findall(r"[a-z_]+", ours):
            code = getattr(unwrap(getattr(kind, name, len)), "__code__", None)
            if code is not None and code.co_filename == path and name not in _RULES:
                return code.co_firstlineno, name
    return 0, ""


def exception_text(error: BaseException) -> str:
    """An exception in words: its kind and its text, on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, AttributeError):
        from lumiban.games.grid_view import GridView  # which users' own games alone need

        if isinstance(error.obj, GridView):
            text = error.obj.has_no(error.name or "")
    if isinstance(error, TakesTooLong | GameError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def position_text(position: Position) -> str:
    """The moves that led to a position."""
    moves = " ".join(move.text for move in position.history)
    return f"after {moves}" if moves else "before any move"


Loader = Callable[..., Game]
"""Gives a game by its slug and options, as `games.load` does."""


def loading(rules: str = "") -> Loader:
    """Loader of the games of documents from anybody.

    A user's own game comes from the file `rules`, wherever the document says that it lies;
    NotAccepted when that is "".

    >>> loading()("control", size=3).options["size"]
    3
    >>> loading()("games/mine.py")
    Traceback (most recent call last):
    lumiban.games.gate.NotAccepted: it is of a game of its own, 'games/mine.py', which is a \
program: name the file to run, if you trust it (--rules FILE)
    """

    def trusted(slug: str, **options: int | str) -> Game:
        if not is_file(slug):
            return load(slug, **options)
        if not rules:
            raise NotAccepted(
                f"it is of a game of its own, {slug!r}, which is a program: name the file to run,"
                " if you trust it (--rules FILE)"
            )
        return load(rules, **options)

    return trusted


OURS = loading()
"""Loads games by name only."""
