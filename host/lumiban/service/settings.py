"""Settings of the service: one TOML file with comments, changed by hand or by page.

A file that is broken stops nothing: what cannot be read counts as the usual value, and a sentence
says what and where. A change rewrites the one line that it is about; comments stay.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lumiban.errors import LumibanError, UsageError, why_unread
from lumiban.i18n import LANGUAGES
from lumiban.invocation import start_word, typed
from lumiban.system import size_limits
from lumiban.system.disk import DISK, Disk
from lumiban.table.setup import TableSetup

FILE = "settings.toml"
"""In the state folder; LUMIBAN_SETTINGS names another file."""
MOST_BYTES = 100_000

Value = int | str
"""Of a setting."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name (`section.key`), its usual value, which values are right, and what it
    is, as its comment says.

    `offered` are the values of its menu on the page; `is_free` if others can be typed there. Those
    of a `maker` stand apart."""

    name: str
    usual: Value
    is_right: Callable[[Value], bool]
    comment: str
    offered: tuple[Value, ...] = ()
    is_free: bool = False
    is_makers: bool = False


def _between(low: int, high: int) -> Callable[[Value], bool]:
    return lambda value: isinstance(value, int) and low <= value <= high


def _is_turn(value: Value) -> bool:
    return isinstance(value, int) and value in range(0, 360, 60)


def _like(pattern: str) -> Callable[[Value], bool]:
    known = re.compile(pattern, re.ASCII)
    return lambda value: isinstance(value, str) and known.fullmatch(value) is not None


def _is_line(value: Value) -> bool:
    return isinstance(value, str) and len(value) <= 200 and value.isprintable()


def _is_ip(value: Value) -> bool:
    try:
        return isinstance(value, str) and bool(ip_address(value))
    except ValueError:
        return False


# What games know is asked only of values that are not the usual ones: it takes their import.


def _is_game(value: Value) -> bool:
    from lumiban.games import registry

    return isinstance(value, str) and _is_line(value) and registry.is_known(value)


def _names_file(setting: Setting, value: object) -> bool:
    """True if a setting's game is asked for by its file, a program."""
    from lumiban.games import gate

    return setting.is_right is _is_game and isinstance(value, str) and gate.is_file(value)


def _is_seat(value: Value) -> bool:
    from lumiban.search.levels import NAMES
    from lumiban.table.types import is_seat

    return is_seat(value, NAMES)


def _is_clock(value: Value) -> bool:
    from lumiban.table.clocks import NONE, control_of

    try:
        return isinstance(value, str) and (value == NONE or bool(control_of(value)))
    except LumibanError:
        return False


def _is_hint(value: Value) -> bool:
    from lumiban.games.base import HINT_LEVELS

    return value in HINT_LEVELS


PLAYERS = ("human", "bot:gentle", "bot:easy", "bot:medium", "bot:hard", "bot:strong")
"""Those of the menus. Games, levels and hints stand here by name: what knows them takes memory that
the service does not have for it."""
SETTINGS = (
    Setting(
        "page.port",
        8700,
        _between(1024, 65000),
        "Port of the first table's page; further tables take the next ones.",
        is_free=True,
        is_makers=True,
    ),
    Setting(
        "page.network",
        "off",
        _is_line,
        'Who reaches the page: "off": this machine alone; "auto": the network that it is on; or '
        "one of its addresses.",
        offered=("off", "auto"),
        is_free=True,
    ),
    Setting(
        "page.pin",
        "",
        _like("([0-9]{6})?"),
        f'Six digits with which phones come in; "": others at every start ({start_word()} status).',
        offered=("",),
        is_free=True,
    ),
    Setting(
        "page.language",
        "",
        _like("(en|ja)?"),
        'Language of the page, as the board\'s own menu sets it; "": what the browser wishes.',
        offered=("", *LANGUAGES),
    ),
    Setting(
        "page.name",
        "",
        _like(r"(https?://[a-z0-9]([a-z0-9.-]{0,98}[a-z0-9])?(:[1-9][0-9]{0,4})?)?"),
        "Address under which a proxy of yours serves the page, such as https://table.example.org; "
        '"": none does.',
        is_free=True,
        is_makers=True,
    ),
    Setting(
        "page.proxy",
        "127.0.0.1",
        _is_ip,
        "Where that proxy runs: the address that its connections come from.",
        is_free=True,
        is_makers=True,
    ),
    Setting(
        "page.proxy_header",
        "",
        _like("([A-Za-z][A-Za-z0-9-]{0,40})?"),
        "Header in which that proxy names the visitor's address, such as X-Forwarded-For; "
        '"": none, and all its visitors count as one.',
        is_free=True,
        is_makers=True,
    ),
    Setting(
        "board.where",
        "auto",
        _is_line,
        'Where boards are: "auto": whatever is plugged in by USB, a table each; "gpio": on this '
        "Pi's header; a port such as /dev/ttyACM0; "
        '"sim": a simulated one.',
        offered=("auto", "gpio", "sim"),
        is_free=True,
    ),
    Setting(
        "board.profile",
        "",
        _is_line,
        'The board\'s profile; "": what it says it is.',
        is_free=True,
        is_makers=True,
    ),
    Setting(
        "board.pins",
        "",
        _is_line,
        "Pins of a board on the header, as --pins takes them.",
        is_free=True,
        is_makers=True,
    ),
    Setting(
        "board.turn",
        0,
        _is_turn,
        "Degrees, clockwise, by which games, menus and PIN are turned on the board, for whoever "
        "sits elsewhere than at its near side: 0, 60, 120, 180, 240 or 300 on hexagons, 180 on "
        "squares. For the next start; not in the middle of a game.",
        offered=(0, 60, 120, 180, 240, 300),
    ),
    Setting(
        "game.name",
        "control",
        _is_game,
        "The game that a board begins with.",
        offered=(
            *("control", "evening", "trivia", "doves", "rengi"),
            *("stigmergy", "tumpletore", "tumbleweed", "strands"),
        ),
    ),
    Setting("game.first", "human", _is_seat, "Who plays the first side.", offered=PLAYERS),
    Setting("game.second", "bot:medium", _is_seat, "And the second.", offered=PLAYERS),
    Setting(
        "game.clock",
        "",
        _is_clock,
        'How time is counted, as --clock takes it; "": not.',
        offered=("", "sudden:10m", "5+3", "10+5", "move:30s"),
        is_free=True,
    ),
    Setting(
        "game.lobby",
        "on",
        _like("on|off"),
        'Whether a board asks by light what is to be played: "on", or "off": the game above begins '
        "at once.",
        offered=("on", "off"),
    ),
    Setting(
        "game.hint",
        "legal",
        _is_hint,
        "How much the light tells.",
        offered=("none", "legal", "control", "coach"),
    ),
    Setting(
        "light.rest_after_s",
        120,
        _between(0, 86400),
        "Seconds without a hand, while no game is on, after which the board only breathes; 0: "
        "never.",
        offered=(60, 120, 300, 900, 0),
    ),
    Setting(
        "light.night",
        "",
        _like("(([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9])?"),
        'When a resting board is dark, "22:30-07:00"; "": never. A touch wakes it.',
        offered=("", "21:00-07:00", "22:00-07:00", "23:00-08:00"),
        is_free=True,
    ),
    Setting(
        "light.attract_after_s",
        60,
        _between(0, 86400),
        "Seconds after which a resting board shows kept games and rules in light, 0: never.",
        offered=(0, 60, 300, 900),
    ),
    Setting(
        "light.brightness",
        100,
        _between(40, 100),
        "Percent of the usual light; the board's own menu sets it too.",
        offered=(40, 65, 100),
    ),
    Setting(
        "care.update_board",
        "ask",
        _like("ask|never"),
        "What to do when a board's program is another than this version's: ask on /service, or "
        "nothing.",
        offered=("ask", "never"),
    ),
    Setting(
        "care.memory_mb",
        600,
        _between(100, 100_000),
        "Memory of one table with all its programs after which it begins anew; its game goes on.",
        offered=(400, 600, 1000),
        is_makers=True,
    ),
)
LIVE = frozenset({"light.brightness", "page.language"})
"""Settings that running tables follow, and may change themselves."""
BY_NAME: Mapping[str, Setting] = MappingProxyType({one.name: one for one in SETTINGS})
HEAD = """\
# Settings of the lumiban service. The page (/service) changes them too; comments stay.
# What is wrong here counts as its usual value, and `{lumiban} status` says so.
"""


@dataclass(frozen=True, slots=True)
class Complaint:
    """Fault of the file: a sentence of the catalogue."""

    id: str
    params: Mapping[str, str | int]


@dataclass(frozen=True, kw_only=True)
class TableOrder(TableSetup):
    """Order to a table's process: its number, its setup (board "": none is known yet), and how
    the service keeps it."""

    number: int
    listening: int
    """The socket of its page, by descriptor."""
    has_lobby: bool = True
    attract_after_s: float = 0
    can_power_off: bool = False
    rest_after_s: float = 120
    night: str = ""
    network: str = ""
    """An address or `auto`; "" for none."""
    pin: str = ""
    name: str = ""
    """Address under which a proxy serves the page; where that proxy is, and how it names
    visitors."""
    proxy: str = ""
    proxy_header: str = ""
    asks_update: bool = True


@dataclass(frozen=True)
class ServiceSettings:
    """All settings, by name, and what was wrong with the file."""

    values: Mapping[str, Value]
    complaints: tuple[Complaint, ...] = ()

    def text(self, name: str) -> str:
        """A setting that is a text."""
        return str(self.values[name])

    def number(self, name: str) -> int:
        """A setting that is a number."""
        return int(self.values[name])

    def order(self, number: int, listening: int, board: str) -> TableOrder:
        """The order for the table of this number, its page at this descriptor."""
        network = self.text("page.network")
        return TableOrder(
            number=number,
            listening=listening,
            board=board,
            profile=self.text("board.profile"),
            pins=self.text("board.pins"),
            turn=self.number("board.turn"),
            game=self.text("game.name"),
            seats=(self.text("game.first"), self.text("game.second")),
            clock=self.text("game.clock"),
            hint=self.text("game.hint"),
            resumes_any_game=True,
            brightness=self.number("light.brightness"),
            language=self.text("page.language"),
            has_lobby=self.text("game.lobby") == "on",
            attract_after_s=self.number("light.attract_after_s"),
            can_power_off=bool(os.environ.get("RUNTIME_DIRECTORY")),
            rest_after_s=self.number("light.rest_after_s"),
            night=self.text("light.night"),
            network="" if network == "off" else network,
            pin=self.text("page.pin"),
            name=self.text("page.name"),
            proxy=self.text("page.proxy"),
            proxy_header=self.text("page.proxy_header"),
            asks_update=self.text("care.update_board") == "ask",
        )


USUAL = ServiceSettings(MappingProxyType({one.name: one.usual for one in SETTINGS}))


def settings_path(state: Path) -> Path:
    """Return the path of the settings file."""
    given = os.environ.get("LUMIBAN_SETTINGS")
    return Path(given) if given else state / FILE


def read(path: Path) -> ServiceSettings:
    """The settings in a file; the usual ones where it is missing or broken.

    >>> read(Path("/nowhere/settings.toml")).number("page.port")
    8700
    """
    try:
        text = size_limits.text(path, most=MOST_BYTES)
    except FileNotFoundError:
        return USUAL
    except (OSError, size_limits.Unreadable) as error:
        return _broken(path, why_unread(error))
    return parsed(text, path)


def followed(latest: ServiceSettings, before: ServiceSettings) -> ServiceSettings:
    """Settings that a running service follows when its file has changed: the earlier ones where the
    file cannot be read, so that no slip of a pen moves the page or restarts a table."""
    broken = [one for one in latest.complaints if one.id == "serve.settings.broken"]
    if not broken:
        return latest
    return ServiceSettings(before.values, (Complaint("serve.settings.kept", broken[0].params),))


def _broken(path: Path, reason: str) -> ServiceSettings:
    params = {"path": str(path), "reason": reason}
    return ServiceSettings(USUAL.values, (Complaint("serve.settings.broken", params),))


def parsed(text: str, path: Path) -> ServiceSettings:
    r"""The settings in a text.

    >>> found = parsed('[page]\nport = "x"\nprot = 1', Path("s.toml"))
    >>> found.number("page.port"), [one.id for one in found.complaints]
    (8700, ['serve.settings.wrong', 'serve.settings.unknown'])
    """
    try:
        document = size_limits.from_toml(text)
    except size_limits.Unreadable as error:
        return _broken(path, str(error))
    values = dict(USUAL.values)
    complaints = []
    for section, entries in document.items():
        pairs = entries.items() if isinstance(entries, dict) else [("", entries)]
        for key, value in pairs:
            name = f"{section}.{key}" if key else section
            setting = BY_NAME.get(name)
            if setting is None:
                params = {"path": str(path), "name": name[:60]}
                complaints.append(Complaint("serve.settings.unknown", params))
            elif not _fits(setting, value):
                params = {"path": str(path), "name": name, "usual": _written(setting.usual)}
                kind = "wrong"
                if _names_file(setting, value):
                    kind, params = "not-accepted", {**params, "file": value}
                complaints.append(Complaint(f"serve.settings.{kind}", params))
            else:
                values[name] = value
    return ServiceSettings(MappingProxyType(values), tuple(complaints))


def _fits(setting: Setting, value: object) -> bool:
    of_kind = type(value) is type(setting.usual)
    return (
        of_kind
        and isinstance(value, int | str)
        and (value == setting.usual or setting.is_right(value))
    )


def template(values: Mapping[str, Value] = USUAL.values) -> str:
    """The file with these values, each under its comment."""
    lines = [typed(HEAD)]
    section = ""
    for one in SETTINGS:
        own, _, key = one.name.partition(".")
        if own != section:
            section = own
            lines.append(f"[{section}]\n")
        lines.append(f"# {one.comment}\n{key} = {_written(values[one.name])}\n")
    return "\n".join(lines)


def _written(value: Value) -> str:
    # A JSON string of printable letters is one of TOML.
    return json.dumps(value, ensure_ascii=False)


PLAY = ("game.", "light.", "page.language")
"""Beginnings of the settings that are about play and looks, not about one machine."""


def with_play(path: Path, other: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Text of the file with another file's settings of play and looks, and what that one says: each
    that is taken as `name = value`, and the names of what else it sets otherwise.

    None is taken that names a file, whose program would be run. Where this file is missing or
    broken it begins with usual values."""
    own, wished = read(path), parsed(other, path)
    text = template(own.values)
    if path.exists() and all(one.id != "serve.settings.broken" for one in own.complaints):
        text = size_limits.text(path, most=MOST_BYTES)
    differ = {name: value for name, value in wished.values.items() if value != own.values[name]}
    taken = {
        name: value
        for name, value in differ.items()
        if name.startswith(PLAY) and not _names_file(BY_NAME[name], value)
    }
    for name, value in taken.items():
        text = _replaced(text, name, value)
    wanted = {**own.values, **taken}
    if dict(parsed(text, path).values) != wanted:
        text = template(wanted)
    left = differ.keys() - taken.keys()
    told = tuple(f"{name} = {_written(value)}" for name, value in sorted(taken.items()))
    return text, told, tuple(sorted(name for name in left if differ[name] != BY_NAME[name].usual))


def ensure(path: Path, disk: Disk = DISK) -> None:
    """Write the file with its usual values where there is none; OSError."""
    if not path.exists():
        _put(path, template(), disk)


def change(path: Path, name: str, value: object, disk: Disk = DISK) -> ServiceSettings:
    """Set one setting in the file; UsageError for a value that is none, OSError.

    A file that is broken is kept beside (`.broken`, `.broken2`, …) and written anew with the usual
    values.
    """
    setting = BY_NAME.get(name)
    if setting is None:
        raise UsageError(f"there is no setting {name[:60]!r}")
    if not _fits(setting, value) or not isinstance(value, int | str):
        raise UsageError(f"{value!r} is no value for {name}: {setting.comment}")
    before = read(path)
    wanted = {**before.values, name: value}
    is_readable = all(one.id != "serve.settings.broken" for one in before.complaints)
    changed = ""
    if is_readable:
        text = size_limits.text(path, most=MOST_BYTES) if path.exists() else template()
        changed = _replaced(text, name, value)
    if not is_readable or dict(parsed(changed, path).values) != wanted:
        # What stood there cannot be kept as it is: none of it is lost, and all is anew.
        if path.exists():
            disk.rename(path, _free(path))
        changed = template(wanted)
    _put(path, changed, disk)
    return parsed(changed, path)


def _free(path: Path) -> Path:
    """The name under which a broken file is kept."""
    names = chain([".broken"], (f".broken{number}" for number in count(2)))
    paths = (path.with_name(path.name + name) for name in names)
    return next(one for one in paths if not one.exists())


def _replaced(text: str, name: str, value: Value) -> str:
    """The text with one line changed, or added to its section."""
    section, _, key = name.partition(".")
    lines = text.splitlines()
    here = ""
    last = -1
    entry = f"{key} = {_written(value)}"
    for number, line in enumerate(lines):
        head = re.fullmatch(r"\s*\[\s*([\w-]+)\s*\]\s*(#.*)?", line)
        if head is not None:
            here = head[1]
        if here == section:
            last = number if line.strip() else last
            match = re.match(rf"\s*{re.escape(key)}\s*=", line)
            if match is not None:
                lines[number] = entry
                return "\n".join(lines) + "\n"
    if last < 0:
        lines += ["", f"[{section}]", entry]
    else:
        lines.insert(last + 1, entry)
    return "\n".join(lines) + "\n"


def _put(path: Path, text: str, disk: Disk) -> None:
    """Write the file whole: a power cut leaves the one before or this one."""
    disk.make_folder(path.parent)
    beside = path.with_name(path.name + ".new")
    disk.put(beside, text.encode())
    disk.rename(beside, path)
    disk.sync_folder(path.parent)


def as_json(settings: ServiceSettings) -> list[dict[str, Any]]:
    """The settings as the page lists them."""
    return [
        {
            "name": one.name,
            "value": settings.values[one.name],
            "usual": one.usual,
            "offered": one.offered,
            "free": one.is_free,
            "maker": one.is_makers,
        }
        for one in SETTINGS
    ]
