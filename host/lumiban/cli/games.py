"""`lumiban games`: which games there are, and their options."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.terminal import print_json

MAX_LISTED_OPTIONS = 8
"""So many options are named in the list of all games."""


def command(
    *only: Annotated[str, Parameter(help="Only these games; name a game of your own by its file.")],
    json: Json = False,
) -> None:
    """List the games; with a name: its options, their values, and how much each level thinks.

    For example: lumiban games control
    """
    from lumiban import games
    from lumiban.i18n import terminal_language, text
    from lumiban.search.levels import NAMES

    classes = [games.game_class(name) for name in only or games.available()]
    kinds = {kind.slug: kind for kind in classes}
    if json:
        listed = [
            {
                "slug": slug,
                "sides": list(kind.sides),
                "options": [
                    {"name": o.name, "default": o.default, "values": list(o.values)}
                    for o in kind.accepts
                ],
                "presets": {name: dict(preset) for name, preset in kind.presets.items()},
                "levels": [_level(level, slug) for level in NAMES],
            }
            for slug, kind in kinds.items()
        ]
        print_json({"games": listed})
        return
    language = terminal_language()
    for slug, kind in kinds.items():
        print(f"{slug}  {text(f'game.{slug}.name', language)}")
        print(f"  {text(f'game.{slug}.rule', language)}")
        if not only:
            names = [option.name for option in kind.accepts]
            first = ", ".join(names[:MAX_LISTED_OPTIONS]) + (
                ", …" if len(names) > MAX_LISTED_OPTIONS else ""
            )
            print("  " + text("cli.games.options", language, options=first))
            continue
        for option in kind.accepts:
            values = ", ".join(str(value) for value in option.values)
            if option.free:
                values += ", …"
            label = text(f"game.{slug}.option.{option.name}", language)
            default = text("cli.games.default", language, value=option.default)
            print(f"  -o {option.name}={values}  ({default})  {label}")
        if kind.presets:
            label = text("cli.games.preset", language)
            print(f"  -o preset={', '.join(kind.presets)}  {label}")
        for level in NAMES:
            told = _level(level, slug)
            about = text(f"level.{level}.about", language)
            budget = text(f"level.budget.{told['budget']}", language, **told)
            name = text(f"level.{level}", language)
            print(f"  bot:{told['number']} bot:{level}  {name}: {about} ({budget})")
    if not only:
        print(text("cli.games.more", language))


def _level(name: str, slug: str) -> dict[str, Any]:
    """What a level gets to think in a game: `budget` says in what the bound is told."""
    from lumiban import games
    from lumiban.search.registry import engine_of

    engine = engine_of(games.load(slug))
    return {"name": name, "number": engine.level(name).number, **engine.budget(name)}
