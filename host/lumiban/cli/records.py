"""`lumiban records`: finished games found again, who played them, results, ratings, export."""

from __future__ import annotations

import shlex
import time
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from lumiban import games
from lumiban.arguments import Json, Port, Rules, prose, to_write
from lumiban.errors import UsageError
from lumiban.games.registry import loading
from lumiban.i18n import terminal_language, text
from lumiban.invocation import start_word
from lumiban.library.export import FORMATS, exported, tables
from lumiban.library.library import Library, opened
from lumiban.library.link import keep, link_of, read, read_file
from lumiban.system.paths import state_folder
from lumiban.system.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from lumiban.library.library import LibraryGame

Find = Annotated[
    str, Parameter(help="Only games with these words: players, game, day (20261123), moves.")
]
CSV, ALL, PAGE = "csv", "all", 500
MAX_SHOWN = 60
"""Letters of words that were not found."""
Limit = Annotated[int, Parameter(validator=Number(gte=1, lte=500), help="Largest number of games.")]


def listed(*, find: Find = "", limit: Limit = 20, json: Json = False) -> None:
    """List finished games, the last one first; with words, only those that have them.

    `{lumiban} replay NAME` replays one. Of a game of your own the result is what its record tells,
    since a record starts no program: `{lumiban} replay NAME --rules mine.py` checks it.
    """
    with _library() as library:
        games = library.games(find, limit=limit)
        if json:
            print_json({"games": [asdict(game) for game in games], "all": library.count()})
            return
        if not games:
            shown = find if len(find) <= MAX_SHOWN else f"{find[:MAX_SHOWN]}…"
            say("records.none" if not library.count() else "records.none-found", find=shown)
            return
        for game in games:
            print(_one_line(game))
        own = next((game for game in games if game.is_own and not game.fault), None)
        if own is not None:
            file = shlex.quote(own.slug) if own.slug.isprintable() else "FILE"
            say("records.own", name=shlex.quote(own.name), file=file)


def _one_line(game: LibraryGame) -> str:
    language = terminal_language()
    names = " – ".join(
        player or text(f"records.seat.{seat}", language) if seat == "human" else player or seat
        for seat, player in zip(game.seats, game.players, strict=True)
    )
    if game.fault:
        result = text("records.fault", language, fault=game.fault)
    elif game.winner is None:
        result = text("records.draw", language)
    else:
        side = ("records.side.first", "records.side.second")[game.winner]
        result = text("records.won", language, side=text(side, language))
    rated = ""
    if game.verdict == "rated":
        rated = "  " + " ".join(f"{points:+d}" for points in game.gained)
    return f"{game.name}  {names}  {result}  {game.moves}{rated}"


def players(*, json: Json = False) -> None:
    """List players: their ratings, and what they won, lost and drew, game by game."""
    with _library() as library:
        standings = library.players()
    if json:
        print_json({"players": [asdict(one) for one in standings]})
        return
    if not standings:
        say("records.no-players")
    for one in standings:
        say(
            "records.player",
            player=one.player,
            game=text(f"game.{one.slug}.name", terminal_language()),
            rating=one.rating,
            rated=one.rated_games,
            won=one.won,
            lost=one.lost,
            drawn=one.drawn,
        )


def power(*, limit: Limit = 20, json: Json = False) -> None:
    """List chain-power tests, the last one first: score, longest chain, points, time used."""
    with _library() as library:
        tests = library.power_tests(limit)
    if json:
        print_json({"tests": [asdict(one) for one in tests]})
        return
    if not tests:
        say("records.no-power")
        return
    language = terminal_language()
    for one in tests:
        result = one.power or {}
        say(
            "records.power",
            name=one.name,
            player=one.players[0] or text("records.seat.human", language),
            score=result["score"],
            length=result["length"],
            points=result["points"],
            seconds=round(result["seconds"]),
        )
    say("records.suggest", score=(tests[0].power or {})["score"])


def name(
    game: Annotated[
        str, Parameter(help=f"The game, by the name that `{start_word()} records` lists.")
    ],
    /,
    *,
    first: Annotated[str | None, Parameter(help="Who sat on the first side.")] = None,
    second: Annotated[str | None, Parameter(help="Who sat on the second side.")] = None,
) -> None:
    """Say who played a game; ratings follow. A name is of this machine only, there are no accounts.

    For example: {lumiban} records name 20261123-053000-rengi --first Aya --second Ben
    """
    if first is None and second is None:
        raise UsageError("give a name: --first NAME, --second NAME, or both")
    with _library() as library:
        seated = library.seat(game, (first, second))
    print(_one_line(seated))
    say(f"records.verdict.{seated.verdict}")


def declare(
    player: Annotated[str, Parameter(help="The player's name.")],
    game: Annotated[str, Parameter(help=f"The game; `{start_word()} games` lists them.")],
    rating: Annotated[int, Parameter(help="The first rating, 0 to 3000; a beginner's is 0.")],
    /,
) -> None:
    """Declare a player's first rating in a game, before the first rated game.

    For example: {lumiban} records declare Aya rengi 800
    """
    slug = games.game_class(game).slug
    with _library() as library:
        library.declare(player, slug, rating)
    say("records.declared", player=player, rating=rating)


def export(
    game: Annotated[
        str,
        Parameter(
            help=f"The game, by the name that `{start_word()} records` lists; `all` as .csv."
        ),
    ],
    file: Annotated[
        Path, Parameter(help="The file to write: .json, .txt (notation), .svg or .csv.")
    ],
    /,
    *,
    move: Annotated[
        int | None, Parameter(help="Of a picture: the moves played before it; else all.")
    ] = None,
    rules: Rules = "",
) -> None:
    """Export a game: the whole record as JSON, plain notation, or a picture of a position.

    For example: {lumiban} records export 20261123-053000-rengi final.svg

    As CSV, for a spreadsheet or pandas, there are two files: `{lumiban} records export all g.csv`
    writes a row a game into g.csv, and a row a move into g-moves.csv.
    """
    form = file.suffix.removeprefix(".")
    if form not in (*FORMATS, CSV):
        raise UsageError(
            f"{file} ends in none of {', '.join(f'.{one}' for one in (*FORMATS, CSV))}"
        )
    if game == ALL and form != CSV:
        raise UsageError(f"all games are exported as .{CSV}, not as .{form}")
    files = {file: ""}
    to_write(file, "the file")
    with _library() as library:
        if form == CSV:
            names = _all_names(library) if game == ALL else [game]
            known = map(library.game, names)
            rows = tables((one, {} if one.fault else library.document(one.name)) for one in known)
            files = dict(zip((file, file.with_stem(f"{file.stem}-moves")), rows, strict=True))
        else:
            document = library.document(game)
            players, load = library.game(game).players, loading(rules)
            files[file] = exported(document, form, players=players, at=move, load=load)
    for path, content in files.items():
        try:
            path.write_text(content, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None
        say("records.exported", file=path)


def _all_names(library: Library) -> list[str]:
    """The names of all games, the first one first."""
    names: list[str] = []
    before: int | None = None
    while games := library.games(limit=PAGE, before=before):
        names += (one.name for one in games)
        before = games[-1].serial
    return names[::-1]


def link(
    game: Annotated[
        str, Parameter(help=f"The game, by the name that `{start_word()} records` lists.")
    ],
    /,
    *,
    port: Port = 8700,
) -> None:
    """Print an address that holds a whole game, without the players' names.

    Opened where lumiban runs it shows the game move by move, and can be kept. For example:
    {lumiban} records link 20261123-053000-rengi
    """
    with _library() as library:
        print(f"http://localhost:{port}/library#{link_of(game, library.document(game))}")


def import_game(
    source: Annotated[str, Parameter(help="A link, or a file (.json) that `export` wrote.")], /
) -> None:
    """Put a game from a link or a file among the finished games; one that is there stays.

    For example: {lumiban} records import final.json
    """
    linked = read_file(Path(source)) if source.endswith(".json") else read(source)
    with _library():
        name = keep(state_folder(), linked)
    say("records.link.kept", name=name)


def rebuild(*, json: Json = False) -> None:
    """Rebuild the library from all records, playing every move again."""
    progress = Progress()
    began = time.monotonic()
    with _library(follows=False) as library:  # else a fresh one would be built twice
        count = library.rebuild(
            lambda done, of: progress.show(
                text("records.rebuilding", terminal_language(), done=done, of=of)
            )
        )
        progress.clear()
        broken = [game.name for game in library.games(limit=500) if game.fault]
        notes = [str(note) for note in library.notes]
    seconds = time.monotonic() - began
    if json:
        print_json({"games": count, "seconds": seconds, "faults": broken, "notes": notes})
        return
    say("records.rebuilt", games=count, seconds=f"{seconds:.1f}", broken=len(broken))


def _library(*, follows: bool = True) -> AbstractContextManager[Library]:
    """The library of this machine, with all that was played since unless told otherwise; what was
    damaged is told as it closes."""

    @contextmanager
    def reading() -> Iterator[Library]:
        state = state_folder()
        with opened(state) if follows else closing(Library(state)) as library:
            yield library
            for note in library.notes:
                print(text(note.id, terminal_language(), **note.params))

    return reading()


app = App(name="records", help=prose(listed), help_epilogue="", help_format="plaintext")
app.default(listed)
app.command(players, help=prose(players))
app.command(power, help=prose(power))
app.command(name, help=prose(name))
app.command(declare, help=prose(declare))
app.command(export, help=prose(export))
app.command(link, help=prose(link))
app.command(import_game, name="import", help=prose(import_game))
app.command(rebuild, help=prose(rebuild))
