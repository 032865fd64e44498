"""The options of a game: what it accepts, what was given, and presets that name several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lumiban.errors import GameError


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: `values` are the accepted ones, the first is not special."""

    name: str
    default: int | str
    values: tuple[int | str, ...]
    """All accepted values, in the order in which they are listed to people."""
    free: bool = False
    """Whether any other text is taken too, which the game itself reads and may refuse."""


def unfold_preset(
    slug: str,
    presets: Mapping[str, Mapping[str, int | str]],
    given: Mapping[str, int | str],
) -> Mapping[str, int | str]:
    """The options given, with those of the `preset` among them for the rest; GameError.

    >>> unfold_preset("dots", {"small": {"size": 3, "pie": "no"}}, {"preset": "small", "size": 4})
    {'size': 4, 'pie': 'no'}
    """
    if not presets or "preset" not in given:
        return given
    name = given["preset"]
    if not isinstance(name, str) or name not in presets:
        raise GameError(f"{slug} has no preset {name!r}: its presets are {', '.join(presets)}")
    rest = {option: value for option, value in given.items() if option != "preset"}
    return {**presets[name], **rest}


def resolve_options(
    slug: str, accepts: Sequence[Option], given: Mapping[str, int | str]
) -> dict[str, int | str]:
    """A value for every option, in the order of `accepts`; numbers may be given as strings.

    GameError names the option or value that is not accepted, and those that are.

    >>> resolve_options("dots", (Option("size", 5, (3, 5)),), {"size": "3"})
    {'size': 3}
    """
    known = [option.name for option in accepts]
    for name in given:
        if name not in known:
            has = f"its options are {', '.join(known)}" if known else "it has no options"
            raise GameError(f"{slug} has no option {name!r}: {has}")
    resolved: dict[str, int | str] = {}
    for option in accepts:
        value = given.get(option.name, option.default)
        spelled = {str(accepted): accepted for accepted in option.values}
        if option.free and isinstance(value, str) and value not in spelled:
            resolved[option.name] = value
            continue
        if isinstance(value, bool) or str(value) not in spelled:
            listed = ", ".join(spelled)
            raise GameError(f"{slug} option {option.name} is one of {listed}, not {value!r}")
        resolved[option.name] = spelled[str(value)]
    return resolved
