"""`lumiban games rules`: the rules of a game, in the player's language."""

from __future__ import annotations

import re
import shutil
import textwrap
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import GameName
from lumiban.errors import UsageError

WIDEST = 88


def command(
    game: GameName,
    /,
    *,
    lang: Annotated[
        str | None,
        Parameter(help="en or ja; by default the terminal's language (LUMIBAN_LANG, LANG)."),
    ] = None,
) -> None:
    """Print the rules of a game."""
    from lumiban import games
    from lumiban.i18n import LANGUAGES, terminal_language, text, texts

    language = lang or terminal_language()
    if language not in LANGUAGES:
        raise UsageError(f"no texts in {language!r}; available: {', '.join(LANGUAGES)}")
    slug = games.game_class(game).slug
    name = text(f"game.{slug}.name", language)
    width = min(shutil.get_terminal_size().columns, WIDEST)
    print(name)
    if (credit := f"game.{slug}.credit") in texts(language):
        print(folded(text(credit, language), width, language))
    print()
    for paragraph in text(f"rules.{slug}", language).strip().split("\n\n"):
        print(folded(paragraph, width, language), end="\n\n")
    for remark in games.game_class(game).remarks(language):
        print(folded(remark, width, language))


def folded(paragraph: str, width: int, language: str) -> str:
    """A paragraph in lines of about `width` columns; Japanese breaks between any two letters."""
    if language != "ja":
        return textwrap.fill(paragraph, width)
    from unicodedata import east_asian_width

    lines, line, used = [], "", 0
    for piece in re.findall(r"[!-~]+ ?|.", paragraph):
        wide = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in piece)
        if used + wide > width and piece not in "、。」）)":
            lines.append(line.rstrip())
            line, used = "", 0
        line += piece
        used += wide
    return "\n".join([*lines, line.rstrip()])
