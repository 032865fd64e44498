"""Words of a rule in plain Python: one that is meant, is taken or says what it cannot is told at
once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from lumiban.errors import RuleError
from lumiban.games.base import Kind
from lumiban.games.grid_view import GridView
from lumiban.games.shapes import GEOMETRIES, SYMMETRY
from lumiban.games.types import Texts

_BESIDE = ("texts", "engine", "accepts", "presets", "sides")
"""Words of every game."""


def _counts(value: Any) -> bool:
    return isinstance(value, int) and value >= 0


def _sizes(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(type(n) is int and n > 0 for n in value)


def _words(value: Any) -> bool:
    taken = ("", "pass", "resign", "stop")
    return isinstance(value, tuple) and all(isinstance(w, str) and w not in taken for w in value)


def _numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(n, int) for n in value.values())


def _signs(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(n, int) and isinstance(sign, str) and len(sign) < 3 for n, sign in value.items()
    )


_COUNT = (_counts, "a whole number, 0 or more")
_NUMBERS = (_numbers, 'a dict of numbers, {"name": 0} for example')
_VALUES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "sizes": (_sizes, "a tuple of whole numbers, (4, 3, 5) or (4,) with the comma"),
    "geometry": (lambda value: value in GEOMETRIES, "'hex' or 'square'"),
    "symmetry": (
        lambda value: value in SYMMETRY,
        " or ".join((", ".join(map(repr, SYMMETRY[:-1])), repr(SYMMETRY[-1]))),
    ),
    "repetition": (lambda value: value in ("", "draw", "forbidden"), "'', 'draw' or 'forbidden'"),
    "pie": (
        lambda value: _counts(value) or isinstance(value, str),
        "a whole number, 0 or more, or a word of spoken",
    ),
    "sets_up": _COUNT,
    "longest": _COUNT,
    "passes_to_end": _COUNT,
    "keeps_last": (lambda value: isinstance(value, bool), "True or False"),
    "spoken": (
        _words,
        "a tuple of words, ('button',) with the comma, and none of pass, resign and stop",
    ),
    "memory": _NUMBERS,
    "cell_memory": _NUMBERS,
    "signs": (_signs, 'a dict of numbers and signs of one or two letters, {1: "K"}'),
    "kinds": (
        lambda value: bool(value) and all(isinstance(kind, Kind) for kind in value),
        "a tuple of Kind.WHITE, Kind.BLACK and Kind.NEUTRAL",
    ),
    "texts": (lambda value: isinstance(value, Texts), 'Texts(en={"name": "…"}, ja={"name": "…"})'),
}
"""What the words that are no methods may say."""


def check_names(kind: Any, base: Any) -> None:
    """RuleError for a word of a game's class that cannot be; `base` has all that there are."""
    for name, value in vars(kind).items():
        _must_be_a_word(kind, base, name)
        _must_say(kind, base, name, value)
    for where in ("cell_memory", "memory"):
        for name in getattr(kind, where):
            if not name.isidentifier() or name in GridView.members() or name.startswith("_"):
                raise RuleError(
                    f"{kind.__name__} cannot remember {name!r}, which is no name or one that a"
                    " board has: choose another name",
                    word=f"{kind.__name__}.{where}",
                )
    if isinstance(kind.pie, str) and kind.pie not in kind.spoken:
        told = f"{kind.__name__}.pie is {kind.pie!r}: it is a whole number or a word of spoken"
        raise RuleError(told, word=f"{kind.__name__}.pie")
    if kind.shows and kind.shows not in kind.cell_memory:
        known = ", ".join(kind.cell_memory) or "there is none"
        raise RuleError(
            f"{kind.__name__}.shows is {kind.shows!r}: it names one of cell_memory ({known})",
            word=f"{kind.__name__}.shows",
        )


def _must_say(kind: Any, base: Any, name: str, value: Any) -> None:
    """RuleError for a value that its word cannot have, and a method that takes something else."""
    word = f"{kind.__name__}.{name}"
    if name in _VALUES and not hasattr(value, "__get__"):
        is_right, said = _VALUES[name]
        if not is_right(value):
            raise RuleError(f"{word} is {value!r}: it is {said}", word=word)
    method = vars(base.__mro__[1]).get(name)  # what a rule says; how it is played is the base's
    if name.startswith("_") or not isinstance(method, FunctionType):
        return
    if not hasattr(value, "__get__"):
        head = _head(name, method)
        raise RuleError(f"{word} is {value!r}: it is a method, def {head}", word=word)
    if isinstance(value, FunctionType):
        try:
            signature(value).bind(*signature(method).parameters)
        except TypeError:
            told = f"{_head(word, value)}: it is {_head(name, method)}"
            raise RuleError(told, word=word) from None


def _head(name: str, method: FunctionType) -> str:
    """A method's name and what it takes, as one writes it."""
    taken = signature(method).parameters.values()
    plain = [str(one.replace(annotation=Parameter.empty)) for one in taken]
    return f"{name}({', '.join(plain)})"


def _must_be_a_word(kind: Any, base: Any, name: str) -> None:
    """RuleError for a name that is nearly one of the base's: it was meant to be that one."""
    word = f"{kind.__name__}.{name}"
    if name.startswith("_") and not name.startswith("__") and hasattr(base, name):
        raise RuleError(f"{word} is SimpleGame's own: choose another name", word=word)
    if name.startswith("_") or hasattr(base, name):
        return
    words = {*_BESIDE, *(one for part in base.__mro__[:2] for one in vars(part))}
    near = get_close_matches(name, [one for one in words if one[0] != "_"], n=1, cutoff=0.86)
    if near:
        raise RuleError(
            f"{word} is no word of SimpleGame: did you mean {near[0]}? Begin the name of something"
            f" of your own with an underscore (_{name})",
            word=word,
        )
