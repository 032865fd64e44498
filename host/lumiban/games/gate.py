"""The gate: the one place where the file of a game is run, and who has said yes to it.

Such a file is a program. It runs when a person has named it on this command line or in a script of
their own (`name`), or when it is one to which the owner of this machine has said yes before. That
yes is kept by digest, where no backup reaches it: a setting, a journal, a record or a page may name
any file, and runs none that is new or has changed. What ran because a person named it has their
yes, so that a table with a game from a file goes on after a power cut.

A file that was shared is another author's, whatever its name ends in: naming it is no yes yet.
"""

from __future__ import annotations

import codecs
import hashlib
import linecache
import os
import sys
from contextlib import suppress
from importlib.util import decode_source
from pathlib import Path
from types import ModuleType

from lumiban.errors import GameError, LumibanError
from lumiban.games.shared_file import SUFFIX, SharedGame, is_shared, shared_game
from lumiban.invocation import start_word
from lumiban.system import size_limits
from lumiban.system.disk import DISK
from lumiban.system.paths import made, state_folder

NAMED = "LUMIBAN_NAMED"
"""Environment variable, for the processes that we start: the files that a person has named."""
ACCEPTED = "accepted-games.txt"
"""In the state folder: a line for each digest to which the owner said yes, the newest last."""
MAX_ACCEPTED = 1000
"""Digests that are kept: each save of a game that is being written is one."""


class NotAccepted(GameError):
    """A file to which nobody has said yes on this machine; `shared` says what it is, where it is
    one that was handed on."""

    def __init__(self, text: str, shared: SharedGame | None = None) -> None:
        super().__init__(text)
        self.shared = shared


def is_file(game: str) -> bool:
    """True if a game is asked for by its file, one's own or a shared one."""
    return game.lower().endswith((".py", SUFFIX))


def name(game: str) -> None:
    """Say that a person has named this game, whose file may be run then; other games may be so
    anyway."""
    if not is_file(game):
        return
    os.environ[NAMED] = "\n".join({*_named(), str(path_of(game))})


def path_of(file: str) -> Path:
    """The path of a game's file as a person writes it."""
    return Path(file).expanduser().resolve()


def accept(sha256: str) -> None:
    """Keep the owner's yes to a content; OSError, UsageError."""
    known = _accepted()
    if sha256 in known:
        return
    path = made(state_folder()) / ACCEPTED
    DISK.put_whole(path, "\n".join([*known[1 - MAX_ACCEPTED :], sha256, ""]).encode())


def is_accepted(file: str) -> bool:
    """True if this file would be run because its owner has said yes before."""
    try:
        path = path_of(file)
        return _digest_of(path, size_limits.read(path))[0] in _accepted()
    except (OSError, RuntimeError, ValueError, GameError):
        return False


def read(file: str) -> tuple[Path, bytes]:
    """The path and the content of a game's file, by anybody's leave; GameError."""
    path = None
    try:
        path = path_of(file)
        return path, size_limits.read(path)
    except (OSError, RuntimeError, ValueError) as error:
        if str(path) not in _named():  # others do not learn what there is
            raise _refusal(file) from None
        reason = error.strerror if isinstance(error, OSError) else error
        raise GameError(f"the game's file {path} cannot be read: {reason}") from error


def run(path: Path, source: bytes, name: str) -> ModuleType:
    """The module of this name that a file's content makes; NotAccepted, or whatever it raises."""
    _check(path, source)
    if is_shared(source):  # its first line is not what was said yes to
        source = b"\n" + source.partition(b"\n")[2]
    code = compile(source, str(path), "exec", dont_inherit=True)
    # Code that quotes or compiles its text later has what runs, not what stands there by then.
    lines = decode_source(source).splitlines(keepends=True)
    linecache.cache[str(path)] = (len(source), None, lines, str(path))
    module = ModuleType(name)
    module.__file__ = str(path)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:  # whatever ends it: half a module is nobody's
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        raise
    return module


def _check(path: Path, source: bytes) -> None:
    """NotAccepted, unless a person has said yes to this content."""
    digest, shared = _digest_of(path, source)
    if shared is None and str(path) in _named():
        with suppress(OSError, RuntimeError, LumibanError):  # it runs without being remembered
            accept(digest)
    elif digest not in _accepted():
        raise _refusal(str(path), shared)


def _refusal(file: str, shared: SharedGame | None = None) -> NotAccepted:
    by = " by somebody else" if shared else ""
    return NotAccepted(
        f"{file} is a program{by}, and nobody has said yes to it on this machine: run it once"
        f" yourself, in a terminal ({start_word()} play {Path(file).name}), if you trust it",
        shared,
    )


def _digest_of(path: Path, source: bytes) -> tuple[str, SharedGame | None]:
    """The digest of a content, and what it says of itself where it was shared; GameError."""
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise GameError(f"{path} is in UTF-16, which Python does not read: save it as UTF-8")
    if path.suffix.lower() == SUFFIX or is_shared(source):
        shared = shared_game(source, path)
        return shared.sha256, shared
    return hashlib.sha256(source).hexdigest(), None


def _named() -> list[str]:
    return os.environ.get(NAMED, "").split("\n")


def _accepted() -> list[str]:
    with suppress(OSError, RuntimeError, ValueError):
        return size_limits.text(state_folder() / ACCEPTED).split()
    return []
