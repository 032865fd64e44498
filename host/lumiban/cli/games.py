"""`lumiban games`, its commands and `new-game`: which games there are, and what they are like.

`games` lists them and their options; `rules`, `picture` and `warm` take one; `new-game`
writes the file that an author starts from.
"""

from __future__ import annotations

import re
import shlex
import shutil
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lumiban import games
from lumiban import games as shelf
from lumiban.arguments import NAMES_GAME, GameName, Json, Options, options, to_write
from lumiban.cli.positions import begin, changes_in, played_on
from lumiban.errors import LumibanError, UsageError
from lumiban.games import shared_file
from lumiban.games.base import HINT_LEVELS
from lumiban.games.registry import RELATIVES
from lumiban.games.start_file import class_name, start_text
from lumiban.i18n import LANGUAGES, terminal_language, text, texts
from lumiban.search.kernel_notes import say_if_plain
from lumiban.system.terminal import Progress, columns_of, print_json, say

if TYPE_CHECKING:
    from lumiban.games.base import Game


MAX_LISTED_OPTIONS = 8
"""Number of options named in the list of all games."""


def games_command(
    *only: Annotated[
        str,
        NAMES_GAME,
        Parameter(help="Only these games; name a game of your own by its file."),
    ],
    json: Json = False,
) -> None:
    """List the games; with a name: its options, their values, and how much each level thinks.

    For example: {lumiban} games control
    """
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
        if not only and slug == RELATIVES[0]:
            print(text("cli.games.relatives", language))
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
            facts = _level(level, slug)
            about = text(f"level.{level}.about", language)
            budget = text(f"level.budget.{facts['budget']}", language, **facts)
            name = text(f"level.{level}", language)
            print(f"  bot:{level}  {name}: {about} ({budget})")
    if not only:
        print(text("cli.games.more", language))


def _level(name: str, slug: str) -> dict[str, Any]:
    """Budget of a level in a game: `budget` names its unit."""
    from lumiban.search.registry import engine_of

    engine = engine_of(games.load(slug))
    return {"name": name, "number": engine.level(name).number, **engine.budget(name)}


WIDEST = 88


def rules_command(
    game: GameName,
    /,
    *,
    lang: Annotated[
        str | None,
        Parameter(help="en or ja; by default the terminal's language (LUMIBAN_LANG, LANG)."),
    ] = None,
    option: Options = None,
) -> None:
    """Print the rules of a game; with options, also what those you chose make of it.

    For example: {lumiban} games rules control -o size=3
    """
    language = lang or terminal_language()
    if language not in LANGUAGES:
        raise UsageError(f"no texts in {language!r}; available: {', '.join(LANGUAGES)}")
    chosen = options(option)
    played = games.load(game, **chosen)
    slug = played.slug
    name = text(f"game.{slug}.name", language)
    width = min(shutil.get_terminal_size().columns, WIDEST)
    print(name)
    if (credit := f"game.{slug}.credit") in texts(language):
        print(folded(text(credit, language), width, language))
    print()
    for paragraph in text(f"rules.{slug}", language).strip().split("\n\n"):
        print(folded(paragraph, width, language), end="\n\n")
    for remark in played.remarks(language):
        print(folded(remark, width, language))
    if chosen:
        print(text("cli.games.chosen", language))
    for name in chosen if "preset" not in chosen else played.options:
        value = played.options[name]
        print(f"  -o {name}={value}  {text(f'game.{slug}.option.{name}', language)}")


def folded(paragraph: str, width: int, language: str) -> str:
    """A paragraph in lines of about `width` columns; Japanese breaks between any two letters, but
    no line ends with an opening bracket.

    >>> folded("一手多く指せます(案2)。", 18, "ja").splitlines()
    ['一手多く指せます', '(案2)。']
    """
    if language != "ja":
        return textwrap.fill(paragraph, width, break_on_hyphens=False)
    lines, line, used = [], "", 0
    for piece in re.findall(r"[(「（]?(?:[!-~]+ ?|.)", paragraph):
        wide = columns_of(piece)
        if used + wide > width and piece[0] not in "、。」）)":
            lines.append(line.rstrip())
            line, used = "", 0
        line += piece
        used += wide
    return "\n".join([*lines, line.rstrip()])


def new_game_command(
    name: Annotated[str, Parameter(help="The game's name; its file is NAME.py, in this folder.")],
    /,
    *,
    like: Annotated[
        str, Parameter(help="Game to start from: placement, hex (connection) or reversi (flips).")
    ] = "placement",
    geometry: Annotated[
        str, Parameter(help="Shape of the cells: hex (hexagons, the usual one) or square.")
    ] = "",
) -> None:
    """Write a small working game to a file, to change into your own.

    For example: {lumiban} new-game mine, then {lumiban} play mine.py
    """
    if not name or name.endswith(("/", ".")):
        raise UsageError(f"{name!r} names no file: give the game's name, for example mine")
    path = Path(name if name.endswith(".py") else f"{name}.py").expanduser()
    if path.exists():
        raise UsageError(f"{path} already exists and was left as it is; choose another name")
    typed = shlex.quote(str(path))
    text = start_text(class_name(path.stem), shlex.quote(path.name), geometry, like)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    say("cli.new-game.written", path=path)
    for line in ("play", "check", "rules", "perft"):
        say(f"cli.new-game.{line}", indent=2, path=typed)


def share_command(
    game: Annotated[str, NAMES_GAME, Parameter(help="The file of your game: mine.py.")],
    /,
    *,
    by: Annotated[str, Parameter(help="Your name, as others shall read it.")] = "",
) -> None:
    """Write a game of your own to one file, NAME.lumiban, which other tables play.

    For example: {lumiban} games share mine.py --by Ann, then {lumiban} play mine.lumiban

    The file is your source under a line with its digest. Another table shows that digest and asks
    its owner once, in the terminal: tell it to them another way than by the file.
    """
    path = Path(game).expanduser()
    if not game.endswith(".py"):
        raise UsageError(f"{game!r} is no file of a game of your own (mine.py)")
    kind = games.game_class(game)
    games.registry.try_start(games.load(game))
    name = text(f"game.{kind.slug}.name", "en")
    content = shared_file.shared_text(path.read_text("utf-8"), name, by, game)
    goal = Path(path.stem + shared_file.SUFFIX)
    try:
        with goal.open("x", encoding="utf-8", newline="\n") as file:
            file.write(content)
    except FileExistsError:
        raise UsageError(f"{goal} already exists and was left as it is") from None
    except OSError as error:
        raise UsageError(f"{goal} cannot be written: {error.strerror}") from error
    shared = shared_file.shared_game(content.encode(), goal)
    say("cli.share.written", path=goal, digest=shared.digest)


def picture_command(
    game: GameName,
    /,
    *,
    out: Annotated[Path, Parameter(name=("--out",), help="The SVG file to write.")],
    option: Options = None,
    moves: Annotated[
        str, Parameter(help="Moves from the start, separated by commas: 'c1, b2, red c3'.")
    ] = "",
    position: Annotated[
        str,
        Parameter(
            help="Starting position instead: 'c1=white, b2=black'; in Doves a board: 'b./BA'; in"
            " Rengi both fields: 'FIELD|FIELD'."
        ),
    ] = "",
    to_move: Annotated[str, Parameter(help="The side to move in that position.")] = "",
    touch: Annotated[
        str,
        Parameter(
            help="What a hand changes, to show the board's answer: 'c4=black' or 'c4=empty'."
        ),
    ] = "",
    board: Annotated[
        str,
        Parameter(
            help="Draw it on the board of this profile, for games that drift over the board."
        ),
    ] = "",
    hint: Annotated[
        str, Parameter(help="What the lights show: none, legal, control, coach.")
    ] = "control",
    theme: Annotated[str, Parameter(help="standard, blue-orange or monochrome.")] = "standard",
    title: Annotated[str, Parameter(help="The picture's description for screen readers.")] = "",
) -> None:
    """Draw a position of a game as one SVG file, lit as the board would light it."""
    from lumiban.boards import profile
    from lumiban.scene.diagram import diagram
    from lumiban.scene.svg import svg

    to_write(out, "--out")
    if hint not in HINT_LEVELS:
        raise UsageError(f"--hint is one of {', '.join(HINT_LEVELS)}, not {hint!r}")
    played = games.load(game, **options(option))
    if board:
        played = played.laid_on(profile.load(board).grid)
    here = played_on(played, begin(played, position, to_move), moves)
    text = svg(
        diagram(played, here, touched(played, touch), hint),
        theme=theme,
        title=title or _title(played.slug, moves),
    )
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"--out {out} cannot be written: {error.strerror}") from None


def touched(game: Game, touch: str) -> dict[int, int]:
    """Cell -> kind of what --touch says that a hand changes."""
    if not touch:
        return {}
    return {game.grid.cell(name): kind for name, kind in changes_in(touch, "--touch", game).items()}


def _title(game: str, moves: str) -> str:

    name = text(f"game.{game}.name", "en")
    return f"{name} after {moves}" if moves else name


def warm_command(
    *games: Annotated[
        str, NAMES_GAME, Parameter(help="Games, by name or file: mine.py. By default all.")
    ],
    json: Json = False,
) -> None:
    """Compile the bots of all games that are not compiled yet.

    Without this a bot runs in plain Python until its code has been compiled in the background,
    once per game. Compiled code is kept in the user's cache folder, or in LUMIBAN_CACHE; code
    from outdated sources is removed.
    """
    from lumiban.search import jit
    from lumiban.search.precompile import warm
    from lumiban.search.rule_kernels import why_plain

    progress = Progress()
    began = time.perf_counter()
    done = there = 0
    try:
        for name in games or tuple(shelf.available()):
            for part in warm(shelf.load(name), progress.show):
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
                if how == "plain" and (why := why_plain(shelf.load(name))):
                    print(why)
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
