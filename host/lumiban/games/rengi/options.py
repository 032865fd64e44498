"""The options of Rengi: what each mode sets by default.

`DEFAULTS` holds what differs from mode to mode, `GENERAL` what all share. `resolved` gives every
option a value; a value `by-mode` stands for what the mode says. `standing.py` tells how firm each
default is.
"""

from __future__ import annotations

from collections.abc import Mapping

from lumiban.errors import GameError
from lumiban.games.base import Option, resolve_options
from lumiban.games.rengi.arrays import read_list
from lumiban.games.rengi.clock import PRESETS

BY_MODE = "by-mode"
ON, OFF = "on", "off"
MODES = ("open", "free", "tsu", "shodai", "free-shodai", "open-shodai")
LOOPS = (*range(12, 66, 2), 128)
"""Pairs in a loop: an even number, so that the four colours come equally often."""

_FREE: dict[str, int | str] = {
    "turn": "alternate",
    "supply": "free",
    "loop": 12,
    "visible_next": "all",
    "wall_cross": 1,
    "quick_turn": ON,
    "ghost_ojama": "B",
    "row14": "vanish",
    "otsuri": OFF,
    "offset": ON,
    "interrupt": ON,
    "all_clear": OFF,
    "ojama_unit": "3",
    "ojama_order": "fixed",
    "carry_remainder": OFF,
    "margin": OFF,
    "chain_pass": ON,
    "normal_pass": OFF,
    "clock": "standard-1",
}
_OPEN = {**_FREE, "supply": "loop", "all_clear": ON}
_TSU = {
    **_FREE,
    "turn": "frame",
    "supply": "loop",
    "loop": 128,
    "visible_next": 2,
    "all_clear": ON,
    "ojama_unit": "1",
    "ojama_order": "random",
    "carry_remainder": ON,
    "margin": "seconds",
    "normal_pass": ON,
    "clock": "short-2",
}
DEFAULTS: dict[str, dict[str, int | str]] = {
    "open": _OPEN,
    "free": _FREE,
    "tsu": _TSU,
    "shodai": {
        **_TSU,
        "offset": OFF,
        "all_clear": OFF,
        "visible_next": 1,
        "margin": OFF,
        "quick_turn": OFF,
    },
    "free-shodai": {**_FREE, "offset": OFF},
    "open-shodai": {**_OPEN, "offset": OFF},
}
"""Settings of each mode where an option says `by-mode`."""

_CHOICES: dict[str, tuple[int | str, ...]] = {
    "turn": ("alternate", "frame"),
    "supply": ("free", "loop"),
    "loop": LOOPS,
    "visible_next": ("all", 1, 2),
    "wall_cross": (1, 2, 3),
    "quick_turn": (ON, OFF),
    "ghost_ojama": ("B", "C"),
    "row14": ("vanish", "stay"),
    "otsuri": (ON, OFF),
    "offset": (ON, OFF),
    "interrupt": (ON, OFF),
    "all_clear": (ON, OFF),
    "ojama_unit": ("1", "3", "6", "mixed"),
    "ojama_order": ("fixed", "random"),
    "carry_remainder": (ON, OFF),
    "margin": (OFF, "seconds", "hands"),
    "chain_pass": (ON, OFF),
    "normal_pass": (ON, OFF),
    "clock": ("none", *PRESETS),
}

GENERAL = (
    Option("list", "none", ("none",), free=True),
    Option("next2_shown", "at-draw", ("at-draw", "as-tsu")),
    Option("begins", "random", ("first", "second", "random")),
    Option("komi", "0", ("0",), free=True),
    Option("mirror_limit", "8", ("8", OFF), free=True),
    Option("hand_table", "B", ("A", "B", "C", "D")),
    Option("pass_plan", 2, (1, 2)),
    Option("rate", "70", ("70",), free=True),
    Option("margin_pace", 2, (1, 2, 3, 4, 5, 6, 8, 10)),
    Option("mixed_from", 18, (18, 60)),
    Option("cap_rows", 5, tuple(range(1, 14))),
    Option("repetition", 4, (2, 3, 4, 5)),
    Option("pass_draw", 5, (2, 3, 4, 5, 6, 8, 10)),
    Option("calculator", ON, (ON, OFF)),
    Option("show_hands_left", OFF, (ON, OFF)),
    Option("show_chain_forecast", OFF, (ON, OFF)),
)

ACCEPTS = (
    Option("mode", "open", MODES),
    *(Option(name, BY_MODE, (BY_MODE, *values)) for name, values in _CHOICES.items()),
    *GENERAL,
)
"""All options of Rengi."""


def resolved(given: Mapping[str, int | str]) -> dict[str, int | str]:
    """A value for every option, none of them `by-mode`; GameError says what is not accepted.

    A given list is a loop. Where turns alternate nobody counts seconds, and margin time by seconds
    becomes margin time by hands.

    >>> resolved({"mode": "tsu"})["ojama_order"], resolved({"mode": "tsu", "loop": 12})["loop"]
    ('random', 12)
    """
    choices = dict(given)
    for name in ("komi", "mirror_limit", "rate"):
        if isinstance(choices.get(name), int) and not isinstance(choices[name], bool):
            choices[name] = str(choices[name])
    if str(choices.get("loop", BY_MODE)).isdigit() and int(choices["loop"]) % 2:
        raise GameError(
            f"rengi option loop is an even number of pairs, 12 to 64 or 128, not {choices['loop']}:"
            " only then do the four colours come equally often"
        )
    options = resolve_options("rengi", ACCEPTS, choices)
    defaults = DEFAULTS[str(options["mode"])]
    if options["list"] != "none":
        read_list(str(options["list"]))
        if options["supply"] == "free":
            raise GameError("rengi with supply=free takes no list: leave one of them out")
        options["supply"] = "loop"
    for name, value in defaults.items():
        if options[name] == BY_MODE:
            options[name] = value
    if options["margin"] == "seconds" and options["turn"] != "frame":
        options["margin"] = "hands"
    _check(options)
    return options


def _check(options: Mapping[str, int | str]) -> None:
    """GameError where a number is none, or a komi would send nothing."""
    rate = _number(options, "rate", 1)
    komi = _number(options, "komi", 0)
    if 0 < komi < rate:
        raise GameError(
            f"rengi option komi is 0 or at least the rate, {rate} points: {komi} would send nothing"
        )
    if options["mirror_limit"] != OFF:
        _number(options, "mirror_limit", 0)


def _number(options: Mapping[str, int | str], name: str, least: int) -> int:
    value = str(options[name])
    if not value.isascii() or not value.isdigit() or not least <= int(value) <= 9999:
        raise GameError(f"rengi option {name} is a number from {least} to 9999, not {value!r}")
    return int(value)
