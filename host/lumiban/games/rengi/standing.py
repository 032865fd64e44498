"""What `lumiban games rules rengi` prints of its options: each mode's default, how firm it is."""

from __future__ import annotations

from lumiban.catalogue import text
from lumiban.games.rengi.options import ACCEPTS, BY_MODE, DEFAULTS, MODES, standing


def remarks(language: str) -> tuple[str, ...]:
    """A headline, then a paragraph for each option: modes, their default, its standing.

    >>> next(line for line in remarks("en") if line.startswith("interrupt"))
    'interrupt = on (all modes; provisional)'
    """
    lines = [text("game.rengi.standing", language)]
    for option in ACCEPTS:
        if option.name == "mode":
            continue
        groups: dict[tuple[int | str, str], list[str]] = {}
        for mode in MODES:
            default = option.default
            if default == BY_MODE:
                default = DEFAULTS[mode][option.name]
            groups.setdefault((default, standing(option.name, mode)), []).append(mode)
        told = [
            f"{default} ({_modes(modes, language)}; {text('game.rengi.standing.' + how, language)})"
            for (default, how), modes in groups.items()
        ]
        lines.append(f"{option.name} = {', '.join(told)}")
    return tuple(lines)


def _modes(modes: list[str], language: str) -> str:
    return (
        text("game.rengi.standing.all", language) if len(modes) == len(MODES) else ", ".join(modes)
    )
