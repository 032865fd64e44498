"""Standing of each default of Rengi: decided, provisional or open in its author's paper, or ours.

The golden file holds the author's answers (`status`); a test compares all of them with what
`remarks` prints. An option is told only for the modes that have a use for it: free mode has no
loop, a mode by frames no hand table.
"""

from __future__ import annotations

from typing import NamedTuple

from lumiban.games.rengi.options import ACCEPTS, BY_MODE, DEFAULTS, MODES
from lumiban.i18n import text

DECIDED, PROVISIONAL, OPEN, OURS, EXAMPLE = "decided", "provisional", "open", "ours", "example"
"""Standings that the paper gives a default; EXAMPLE is a number that it gives as an example."""

_ALL = MODES
_FRAMES = ("tsu", "shodai")
_TSU = ("tsu",)
_SHODAI = ("shodai",)
_NOT_SHODAI = ("open", "free", "tsu", "free-shodai", "open-shodai")
_TURNS = ("open", "free", "free-shodai", "open-shodai")
_LOOPS = ("open", "open-shodai")
_NO_OFFSET = ("shodai", "free-shodai", "open-shodai")


class Standing(NamedTuple):
    """Standing of a default in some modes."""

    modes: tuple[str, ...]
    firmness: str
    """One of DECIDED, PROVISIONAL, OPEN, OURS, EXAMPLE."""
    note: str = ""
    """The last part of a text id under `game.rengi.standing.note`, or ""."""


_AFTER_ORIGINAL = Standing(_SHODAI, OURS, "original")
"""Of shodai the paper has one line, an idea, and two on otsuri: all else is ours."""

STANDINGS: dict[str, tuple[Standing, ...]] = {
    "turn": (Standing(_NOT_SHODAI, DECIDED), _AFTER_ORIGINAL),
    "supply": (Standing(_NOT_SHODAI, DECIDED), _AFTER_ORIGINAL),
    "loop": (Standing(_LOOPS, OPEN), Standing(_FRAMES, OURS, "original")),
    "visible_next": (Standing((*_LOOPS, *_TSU), DECIDED), _AFTER_ORIGINAL),
    "wall_cross": (Standing(_TURNS, PROVISIONAL), Standing(_TSU, DECIDED), _AFTER_ORIGINAL),
    # The quick turn is the second way over a column in the paper's plan 1, and as firm as that.
    "quick_turn": (
        Standing(_TURNS, PROVISIONAL, "plan"),
        Standing(("tsu",), DECIDED, "plan"),
        Standing(("shodai",), OURS),
    ),
    "ghost_ojama": (Standing(_ALL, OPEN),),
    "row14": (
        Standing(_TURNS, DECIDED),
        Standing(_TSU, DECIDED, "row14"),
        Standing(_SHODAI, OURS, "row14"),
    ),
    "otsuri": (Standing(_NO_OFFSET, PROVISIONAL),),
    "offset": (
        Standing(("open", "free", "tsu"), DECIDED),
        Standing(_NO_OFFSET, PROVISIONAL, "idea"),
    ),
    # Without offset nothing is left to interrupt.
    "interrupt": (Standing(("open", "free", "tsu"), PROVISIONAL),),
    "all_clear": (Standing(_NOT_SHODAI, DECIDED), _AFTER_ORIGINAL),
    "ojama_unit": (
        Standing(_TURNS, PROVISIONAL),
        Standing(_TSU, DECIDED, "rows"),
        _AFTER_ORIGINAL,
    ),
    "ojama_order": (
        Standing(_TURNS, DECIDED, "order"),
        Standing(_TSU, DECIDED),
        _AFTER_ORIGINAL,
    ),
    "carry_remainder": (Standing(_TURNS, OURS), Standing(_FRAMES, OURS, "original")),
    "margin": (
        Standing(_TURNS, OPEN),
        Standing(_FRAMES, OURS, "original"),
    ),
    "chain_pass": (Standing(_NOT_SHODAI, DECIDED), _AFTER_ORIGINAL),
    "normal_pass": (Standing(_TURNS, OPEN), Standing(_TSU, DECIDED), _AFTER_ORIGINAL),
    "clock": (Standing(_NOT_SHODAI, PROVISIONAL), Standing(_SHODAI, OURS)),
    "list": (Standing(_LOOPS, DECIDED, "list"),),
    "next2_shown": (Standing(("tsu",), OPEN),),
    "begins": (Standing(_ALL, DECIDED, "begins"),),
    "komi": (Standing(_ALL, OPEN),),
    "mirror_limit": (Standing(_TURNS, OPEN, "candidate"), Standing(_FRAMES, OURS, "absent")),
    "hand_table": (Standing(_TURNS, PROVISIONAL),),
    "pass_plan": (Standing(_TURNS, OPEN),),
    "rate": (Standing(_ALL, DECIDED),),
    "margin_pace": (Standing(_TURNS, OURS),),
    "mixed_from": (Standing(_TURNS, OPEN),),
    "cap_rows": (Standing(_ALL, DECIDED),),
    "repetition": (Standing(_ALL, OURS),),
    "pass_draw": (Standing(_ALL, EXAMPLE),),
    "calculator": (Standing(_ALL, PROVISIONAL, "calculator"),),
    "show_hands_left": (Standing(_TURNS, PROVISIONAL),),
    "show_chain_forecast": (Standing(_ALL, PROVISIONAL),),
}
"""Every option but the mode itself; modes that are missing have no use for it."""


def standing(name: str, mode: str) -> Standing | None:
    """Standing of an option's default in a mode; None where the mode has no use for the option.

    >>> standing("wall_cross", "open").firmness, standing("wall_cross", "tsu").firmness
    ('provisional', 'decided')
    >>> standing("loop", "free")
    """
    return next((one for one in STANDINGS[name] if mode in one.modes), None)


def remarks(language: str) -> tuple[str, ...]:
    """A headline, then a paragraph for each option: modes, their default, how firm it is.

    >>> next(line for line in remarks("en") if line.startswith("interrupt"))
    'interrupt = on (open, free, tsu; provisional)'
    """
    lines = [text("game.rengi.standing", language)]
    for option in ACCEPTS:
        if option.name == "mode":
            continue
        groups: dict[tuple[int | str, Standing], list[str]] = {}
        for mode in MODES:
            firm = standing(option.name, mode)
            if firm is None:
                continue
            default = option.default
            if default == BY_MODE:
                default = DEFAULTS[mode][option.name]
            groups.setdefault((default, firm), []).append(mode)
        defaults = [
            f"{default} ({_modes(modes, language)}; {_firmness(firm, language)})"
            for (default, firm), modes in groups.items()
        ]
        lines.append(f"{option.name} = {', '.join(defaults)}")
    return tuple(lines)


def _firmness(firm: Standing, language: str) -> str:
    words = text(f"game.rengi.standing.{firm.firmness}", language)
    if not firm.note:
        return words
    note = text(f"game.rengi.standing.note.{firm.note}", language)
    return f"{words}: {note}"


def _modes(modes: list[str], language: str) -> str:
    return (
        text("game.rengi.standing.all", language) if len(modes) == len(MODES) else ", ".join(modes)
    )
