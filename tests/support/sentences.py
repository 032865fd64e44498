"""What is said to people, asked for by its id in the catalogue: no test holds a sentence's words.

A sentence that is rephrased turns no test red but those of the texts; one whose id is gone, or
that lost a parameter, turns red all that ask for it.
"""

from __future__ import annotations

import re
import string
from typing import Any

from lumiban import i18n
from lumiban.table import phase
from lumiban.table.view_fields import PhaseName, Text
from msgspec import to_builtins

ANYTHING = r"(?s:.+?)"


def sentence(id: str, language: str = "en", **params: object) -> str:
    """The sentence of this id as it is said; KeyError for an id or parameter that is not there."""
    return i18n.text(id, language, **params)


def waits(name: PhaseName, **texts: str) -> dict[str, Any]:
    """A phase that takes no move, as a view has it; `title` and `says` by their ids."""
    given = {key: Text(id, {}) for key, id in texts.items()}
    shown: dict[str, Any] = to_builtins(phase.shown(name, **given))
    return shown


def says(told: str, id: str, language: str = "en", **params: object) -> bool:
    """Whether a text has the sentence of this id in it, with these parameters; the others may be
    anything. Lines may be broken anywhere between two words. KeyError for an id that is not there,
    or a parameter that the sentence has not."""
    pattern, left = "", set(params)
    for before, name, form, conversion in string.Formatter().parse(i18n.texts(language)[id]):
        pattern += _words(before)
        if name is None:
            continue
        left.discard(name)
        field = (
            "{"
            + name
            + (f"!{conversion}" if conversion else "")
            + (f":{form}" if form else "")
            + "}"
        )
        pattern += _words(field.format(**params)) if name in params else ANYTHING
    if left:
        raise KeyError(f"{id} has no {', '.join(sorted(left))}")
    return re.search(pattern, told) is not None


def _words(text: str) -> str:
    return re.sub(r"(?:\\[ \n])+", r"\\s+", re.escape(text))
