"""`lumiban games warm`: compile the bots ahead, so that not even their first game begins slowly."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import Parameter

from lumiban.cli.arguments import Json
from lumiban.terminal import Progress, print_json, say, say_if_plain


def command(
    *games: Annotated[str, Parameter(help="Games, by name or file: mine.py. By default all.")],
    json: Json = False,
) -> None:
    """Compile the bots of all games that are not compiled yet.

    Without this a bot runs in plain Python until its code has been compiled in the background,
    once per game. Compiled code is kept in the user's cache folder, or in LUMIBAN_CACHE; code
    from outdated sources is removed.
    """
    from lumiban import games as shelf
    from lumiban.errors import LumibanError
    from lumiban.games.registry import telling
    from lumiban.search import jit
    from lumiban.search.warm import warm

    progress = Progress()
    began = time.perf_counter()
    done = there = 0
    loaded = [shelf.load(name) for name in games or shelf.available()]
    try:
        for game in loaded:
            with telling(game, game.start()):
                for part in warm(game, progress.show):
                    progress.clear()
                    done += part.compiled
                    there += part.compiled and part.was_there
                    if json:
                        print_json(part.as_json())
                        continue
                    how = "there" if part.was_there else "compiled" if part.compiled else "plain"
                    say(
                        f"cli.warm.{how}",
                        game=part.game,
                        part=part.part,
                        seconds=f"{part.seconds:.1f}",
                    )
    finally:
        progress.clear()
    if jit.unkept:
        raise LumibanError(
            f"compiled code cannot be saved in {jit.unkept[0]}, so it is compiled again at each"
            " start: make room there, or set LUMIBAN_CACHE to another folder"
        )
    gone = jit.prune(jit.cache_root())
    say_if_plain()
    if not json:
        took = f"{time.perf_counter() - began:.1f}"
        say("cli.warm.done", there=there, made=done - there, gone=gone, seconds=took)
