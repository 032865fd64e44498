"""Parameters that several commands share: game options, seats, and the language and form of
output."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from inspect import cleandoc
from pathlib import Path
from random import SystemRandom
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.errors import UsageError, why_unread
from lumiban.invocation import start_word, typed
from lumiban.system import size_limits


def _name(_: object, value: str | Iterable[str] | None) -> None:
    """Let the files run that stand in a place for games."""
    from lumiban.games import gate

    for word in (value,) if isinstance(value, str) else value or ():
        gate.name(word)


NAMES_GAME = Parameter(validator=_name)
"""Of whatever names a game: a person who names a file there has it run."""
GameName = Annotated[
    str,
    NAMES_GAME,
    Parameter(help=f"The game, by name (`{start_word()} games` lists them) or by file: mine.py."),
]
Options = Annotated[
    list[str] | None,
    Parameter(
        name=("--option", "-o"),
        negative="",
        help=f"A game option, key=value; may be repeated. `{start_word()} games GAME` lists them.",
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json", negative="", show_default=False, help="Print the result as one line of JSON."
    ),
]
PerMove = Annotated[
    str | None,
    Parameter(
        name="--per-move", help="Time limit per move instead of the level's, such as 100ms or 2s."
    ),
]
Playouts = Annotated[
    int | None,
    Parameter(
        validator=Number(gte=1),
        help="Random games per move instead of the level's: the same seed then plays the same.",
    ),
]
Rules = Annotated[
    str,
    NAMES_GAME,
    Parameter(help="The file of the game's rules (mine.py), where they are your own: it is run."),
]
Seed = Annotated[int, Parameter(help="Seed of all random choices.")]
Jobs = Annotated[
    int, Parameter(validator=Number(gte=0), help="Games played in parallel; 0: one per core.")
]
Cluster = Annotated[
    str | None,
    Parameter(help="Address of a Dask scheduler whose workers play: tcp://HOST:8786."),
]
Keep = Annotated[
    Path | None,
    Parameter(help="File that keeps the games: the same command resumes from it."),
]
First = Annotated[
    str,
    Parameter(
        name="--first",
        help="Who sits first (White): human, bot:gentle, bot:easy, bot:medium, bot:hard or"
        " bot:strong.",
    ),
]
Second = Annotated[
    str,
    Parameter(name="--second", help="Who sits second (Black), likewise."),
]
Port = Annotated[
    int,
    Parameter(
        name="--port",
        validator=Number(gte=0, lte=65535),
        help="Port of the page on 127.0.0.1; if it is taken, the next free one is used.",
    ),
]
Pins = Annotated[
    str,
    Parameter(
        name="--pins",
        help="Pins of a board on the Pi's header, where they differ from its profile's: key=value"
        " parted by spaces (docs/gpio.md).",
    ),
]
PinsBy = Annotated[
    str,
    Parameter(
        name="--pins-by",
        show_default=False,
        help="What moves these pins: kernel, or the library rpi-gpio.",
    ),
]
LightsBy = Annotated[
    str,
    Parameter(
        name="--lights-by",
        show_default=False,
        help="What drives the lights on this header: spi, or the library neopixel.",
    ),
]


def moved_by(pins: str, pins_by: str, lights_by: str) -> str:
    """The pins' wish with what moves pins and lights, as the driver takes it."""
    movers = (("pins-by", pins_by), ("lights-by", lights_by))
    return " ".join([*pins.split(), *(f"{name}={by}" for name, by in movers if by)])


NoBrowser = Annotated[
    bool,
    Parameter(
        name="--no-browser",
        negative="",
        show_default=False,
        help="Do not open a browser; only print the link.",
    ),
]
Lan = Annotated[
    list[str] | None,
    Parameter(
        name="--lan",
        negative="",
        consume_multiple=(0, 1),
        show_default=False,
        help="Serve the page on the network too, for phones: on this machine's one address there,"
        " or on the one that follows (docs/network.md).",
    ),
]
Certificate = Annotated[
    Path | None,
    Parameter(
        name="--certificate",
        help="With --lan: serve by TLS with this certificate (PEM), and --key.",
    ),
]
Key = Annotated[Path | None, Parameter(name="--key", help="The certificate's key (PEM).")]
New = Annotated[
    bool,
    Parameter(
        name="--new",
        negative="",
        show_default=False,
        help="Start a new game instead of resuming one.",
    ),
]
Clock = Annotated[
    str,
    Parameter(
        name="--clock",
        help="Play with clocks: 5+3 (minutes, and seconds before each move), sudden:10m,"
        " byo:10m+5x30s, canadian:10m+15/5m (15 moves each 5 minutes), 20s (a move), or none; by"
        " default as the game's options say. In a game without turns one clock counts for all of"
        " it: sudden:10m.",
    ),
]
Assist = Annotated[
    str,
    Parameter(
        name="--assist",
        help="auto: simulated hands place the bots' stones; off: you do, on the page.",
    ),
]


def prose(function: Callable[..., object]) -> str:
    """A command's docstring as its help: each paragraph on one line, commands as typed here.

    >>> prose(prose).splitlines()[0]
    "A command's docstring as its help: each paragraph on one line, commands as typed here."
    """
    paragraphs = cleandoc(function.__doc__ or "").split("\n\n")
    return typed("\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs))


def profile_names() -> str:
    """The built-in boards as a help lists them.

    >>> "hex3, hex5, hex8" in profile_names()
    True
    """
    from lumiban.boards.profile import names  # no light import: for the help of those who need it

    return ", ".join(names())


def options(pairs: Iterable[str] | None) -> dict[str, int | str]:
    """The game options of repeated `-o key=value`; whole numbers become ints.

    `cells=FILE` takes the list of cells that stands in the file. UsageError for a pair without a
    key or a value, a key given twice, or a file that cannot be read.

    >>> options(["size=3", "opening=free"])
    {'size': 3, 'opening': 'free'}
    """
    chosen: dict[str, int | str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        key, value = key.strip(), value.strip()
        if not (key and equals and value):
            raise UsageError(
                f"option {pair!r} is not of the form key=value, for example: -o size=3"
            )
        if key in chosen:
            raise UsageError(f"option {key!r} is given twice; give it once")
        if key == "cells":
            value = _cells_in(value)
        chosen[key] = (
            int(value) if value.lstrip("-").isascii() and value.lstrip("-").isdigit() else value
        )
    return chosen


def _cells_in(value: str) -> str:
    """The text of the file that `value` names; a list or a word is taken as it stands."""
    path = Path(value)
    if len(value) > 4096 or not (path.is_file() or path.suffix in (".txt", ".json")):
        return value
    try:
        return size_limits.text(path)
    except (OSError, size_limits.Unreadable) as reason:
        raise UsageError(f"option cells: {value} cannot be read: {why_unread(reason)}") from None


def seat(wish: str) -> str:
    """A seat as the table writes it: `human` or `bot:LEVEL`; UsageError lists what there is.

    >>> seat("bot:easy"), seat("bot:5"), seat("bot"), seat("human")
    ('bot:easy', 'bot:strong', 'bot:medium', 'human')
    """
    from lumiban.search.levels import NAMES, name_of

    who, _, level = wish.partition(":")
    if wish == "human":
        return "human"
    if who == "bot":
        with suppress(UsageError):
            return f"bot:{name_of(level or 'medium')}"
    raise UsageError(
        f"no player called {wish!r}; seats are human, " + ", ".join(f"bot:{name}" for name in NAMES)
    )


def assists(wish: str) -> bool:
    """True if simulated hands are to do what is asked; UsageError for anything but auto and off."""
    if wish not in ("auto", "off"):
        raise UsageError(f"--assist {wish!r} is neither auto nor off")
    return wish == "auto"


def microseconds(wish: str | None, name: str) -> int | None:
    """A length of time such as `100ms` or `2s` in µs; UsageError names the option.

    >>> microseconds("100ms", "--per-move"), microseconds("1.5s", "--per-move")
    (100000, 1500000)
    """
    if wish is None:
        return None
    for unit, factor in (("ms", 1_000), ("us", 1), ("s", 1_000_000)):
        number = wish.strip().removesuffix(unit)
        if number != wish.strip() and number.replace(".", "", 1).isdecimal():
            if float(number) > 0:
                return max(1, round(float(number) * factor))
            break
    raise UsageError(f"{name} {wish!r} is not a length of time; write 100ms or 2s")


def to_write(path: Path, option: str) -> None:
    """UsageError where no file can be written at this path, told before long work and not after.

    >>> to_write(Path("no/such/folder/a.svg"), "--out")
    Traceback (most recent call last):
    lumiban.errors.UsageError: --out no/such/folder/a.svg: there is no folder no/such/folder
    """
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}")


def any_seed() -> int:
    """A seed that differs from run to run: bots shall not play the same game each time."""
    return SystemRandom().getrandbits(31)
