"""All errors that lumiban raises on purpose; each says what is wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class LumibanError(Exception):
    """The root: its text is one line that may be shown to a user as it stands."""

    exit_code = 1


class UsageError(LumibanError):
    """A command, option or message that was not understood."""

    exit_code = 2


class GameError(LumibanError):
    """An unknown game, a bad option or an impossible position."""

    exit_code = 2


class RuleError(GameError):
    """A player's own rule does or answers what no rule may; `word` is what is wrong in its
    class, `Mine.sizes`."""

    def __init__(self, text: str, *, word: str = "") -> None:
        super().__init__(text)
        self.word = word


class CheckFailed(LumibanError):
    """Failure of a check."""


class BoardError(LumibanError):
    """Something about the board or the way to it."""

    exit_code = 3


class LinkLost(BoardError):
    """The line to the board broke or fell silent."""


class WrongMajor(BoardError):
    """The board speaks another major version of the wire protocol."""


class WrongBoard(BoardError):
    """The board that answers is another than the one that was expected."""


class NotABoard(BoardError):
    """The port exists, but what answers (or does not) is no lumiban board."""


class ProfileError(LumibanError):
    """A board profile with a fault: `path`, `line` (0 when unknown) and `field` say where."""

    exit_code = 3

    def __init__(self, text: str, *, path: str = "", line: int = 0, field: str = "") -> None:
        super().__init__(text)
        self.path = path
        self.line = line
        self.field = field


class JournalError(LumibanError):
    """A journal that cannot be read or written."""


class DiskFull(JournalError):
    """No room is left for a journal on the disk of this `folder`, that of all that is kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"no space is left on the disk of {folder}, so nothing can be kept there: make room,"
            f" for example by deleting {folder / 'flight'} and old games in {folder / 'journals'}"
        )
        self.folder = folder


class JournalInUse(JournalError):
    """A journal (`path`) that another host has open."""

    exit_code = 3

    def __init__(self, text: str, *, path: Path) -> None:
        super().__init__(text)
        self.path = path


class LaterJournal(JournalError):
    """A journal that a later lumiban wrote."""


class RulesChanged(JournalError):
    """A journal of a game from a file (`slug`) that has changed since it was begun."""

    def __init__(self, text: str, *, slug: str) -> None:
        super().__init__(text)
        self.slug = slug


def why_unread(error: Exception) -> str:
    """The reason why a file cannot be read or written, as the end of a sentence about it.

    >>> why_unread(IsADirectoryError(21, "Is a directory", "games"))
    'Is a directory'
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
