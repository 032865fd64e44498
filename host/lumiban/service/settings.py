"""Settings of the service: one commented TOML file, edited by hand or by the page.

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
from typing import Any, TypeGuard

import msgspec

from lumiban.errors import LumibanError, UsageError, why_unread
from lumiban.invocation import typed
from lumiban.system import size_limits
from lumiban.system.disk import DISK, Disk
from lumiban.table.setup import TableSetup

FILE = "settings.toml"
"""In the state folder; LUMIBAN_SETTINGS names another file."""
MAX_FILE_BYTES = 100_000
BROKEN = "serve.settings.broken"
"""Complaint of a file that cannot be read."""

Value = int | str
"""Of a setting."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, by its name (`section.key`); `settings.toml` beside this module describes the
    fields."""

    name: str
    usual: Value
    comment: str
    offered: tuple[Value, ...] = ()
    between: tuple[int, int] | None = None
    like: str = ""
    kind: str = ""
    fills: str = ""
    is_free: bool = False
    is_makers: bool = False

    def takes(self, value: object) -> TypeGuard[Value]:
        """True if the setting accepts this value."""
        if type(value) is not type(self.usual):
            return False
        if value == self.usual:
            return True
        if self.between is not None:
            low, high = self.between
            return isinstance(value, int) and low <= value <= high
        if not isinstance(value, str) or not (self.like or self.kind):
            return value in self.offered
        return _KINDS[self.kind](value) if self.kind else bool(re.fullmatch(self.like, value, re.A))

    def names_file(self, value: object) -> bool:
        """True if the value names a game's file, which is a program."""
        from lumiban.games import gate

        return self.kind == "game" and isinstance(value, str) and gate.is_file(value)


# What games know is asked only of values that are not the usual ones: it takes memory that the
# service does not have for it.


def _is_line(value: str) -> bool:
    return len(value) <= 200 and value.isprintable()


def _is_ip(value: str) -> bool:
    try:
        return bool(ip_address(value))
    except ValueError:
        return False


def _is_game(value: str) -> bool:
    from lumiban.games import registry

    return _is_line(value) and registry.is_known(value)


def _is_seat(value: str) -> bool:
    from lumiban.search.levels import NAMES
    from lumiban.table.types import is_seat

    return is_seat(value, NAMES)


def _is_clock(value: str) -> bool:
    from lumiban.table.clocks import NONE, control_of

    try:
        return value == NONE or bool(control_of(value))
    except LumibanError:
        return False


_KINDS: Mapping[str, Callable[[str], bool]] = {
    "line": _is_line,
    "ip": _is_ip,
    "game": _is_game,
    "seat": _is_seat,
    "clock": _is_clock,
}
_TABLE = size_limits.from_toml(size_limits.text(Path(__file__).with_suffix(".toml")))
SETTINGS = tuple(
    msgspec.convert({"name": name, **about, "comment": typed(about["comment"])}, Setting)
    for name, about in _TABLE.items()
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
    """Order to a table's process: its number, its setup (board "": not known yet), and its
    settings."""

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
    """All settings by name, and the faults of the file."""

    values: Mapping[str, Value]
    complaints: tuple[Complaint, ...] = ()

    @property
    def is_broken(self) -> bool:
        """True if the file could not be parsed."""
        return any(one.id == BROKEN for one in self.complaints)

    def text(self, name: str) -> str:
        """Value of a text setting."""
        return str(self.values[name])

    def number(self, name: str) -> int:
        """Value of a numeric setting."""
        return int(self.values[name])

    def order(self, number: int, listening: int, board: str) -> TableOrder:
        """Order for the table of this number, with its page at this descriptor."""
        network = self.text("page.network")
        filled: dict[str, Any] = {one.fills: self.values[one.name] for one in SETTINGS if one.fills}
        return TableOrder(
            number=number,
            listening=listening,
            board=board,
            seats=(self.text("game.first"), self.text("game.second")),
            resumes_any_game=True,
            has_lobby=self.text("game.lobby") == "on",
            can_power_off=bool(os.environ.get("RUNTIME_DIRECTORY")),
            network="" if network == "off" else network,
            asks_update=self.text("care.update_board") == "ask",
            **filled,
        )


USUAL = ServiceSettings(MappingProxyType({one.name: one.usual for one in SETTINGS}))


def settings_path(state: Path) -> Path:
    """Path of the settings file."""
    given = os.environ.get("LUMIBAN_SETTINGS")
    return Path(given) if given else state / FILE


def read(path: Path) -> ServiceSettings:
    """Settings in a file; the defaults where it is missing or broken.

    >>> read(Path("/nowhere/settings.toml")).number("page.port")
    8700
    """
    try:
        text = size_limits.text(path, most=MAX_FILE_BYTES)
    except FileNotFoundError:
        return USUAL
    except (OSError, size_limits.Unreadable) as error:
        return _broken(path, why_unread(error))
    return parsed(text, path)


def followed(latest: ServiceSettings, before: ServiceSettings) -> ServiceSettings:
    """Settings that a running service takes over when its file has changed: the earlier ones where
    the file cannot be parsed, so that a typing error neither moves the page nor restarts a
    table."""
    if not latest.is_broken:
        return latest
    kept = Complaint("serve.settings.kept", latest.complaints[0].params)
    return ServiceSettings(before.values, (kept,))


def _broken(path: Path, reason: str) -> ServiceSettings:
    params = {"path": str(path), "reason": reason}
    return ServiceSettings(USUAL.values, (Complaint(BROKEN, params),))


def parsed(text: str, path: Path) -> ServiceSettings:
    r"""Settings in a text.

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
            elif not setting.takes(value):
                params = {"path": str(path), "name": name, "usual": _written(setting.usual)}
                kind = "wrong"
                if setting.names_file(value):
                    kind, params = "not-accepted", {**params, "file": value}
                complaints.append(Complaint(f"serve.settings.{kind}", params))
            else:
                values[name] = value
    return ServiceSettings(MappingProxyType(values), tuple(complaints))


def template(values: Mapping[str, Value] = USUAL.values) -> str:
    """Settings file with these values, each under its comment."""
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
    """Text of the file with the play and appearance settings of another file; returns also the
    changes as `name = value`, and the names of the other settings that differ.

    None is taken that names a file, whose program would be run. Where this file is missing or
    broken it begins with usual values."""
    own, wished = read(path), parsed(other, path)
    differ = {name: value for name, value in wished.values.items() if value != own.values[name]}
    taken = {
        name: value
        for name, value in differ.items()
        if name.startswith(PLAY) and not BY_NAME[name].names_file(value)
    }
    told = tuple(f"{name} = {_written(value)}" for name, value in sorted(taken.items()))
    left = sorted(
        name for name in differ.keys() - taken.keys() if differ[name] != USUAL.values[name]
    )
    return _with(path, own, taken)[0], told, tuple(left)


def _with(path: Path, own: ServiceSettings, changed: Mapping[str, Value]) -> tuple[str, bool]:
    """Text of the file with these values, and whether it replaces the file: a broken one, or one
    that cannot be edited line by line, is replaced."""
    wanted = {**own.values, **changed}
    if path.exists() and not own.is_broken:
        text = size_limits.text(path)
        for name, value in changed.items():
            text = _replaced(text, name, value)
        if dict(parsed(text, path).values) == wanted:
            return text, False
    return template(wanted), True


def ensure(path: Path, disk: Disk = DISK) -> None:
    """Write the file with the defaults where there is none; OSError."""
    if not path.exists():
        disk.put_whole(path, template().encode())


def change(path: Path, name: str, value: object, disk: Disk = DISK) -> ServiceSettings:
    """Change one setting in the file; UsageError for an invalid value, OSError.

    A file that is broken is kept beside (`.broken`, `.broken2`, …) and replaced by one with the
    usual values.
    """
    setting = BY_NAME.get(name)
    if setting is None:
        raise UsageError(f"there is no setting {name[:60]!r}")
    if not setting.takes(value):
        raise UsageError(f"{value!r} is no value for {name}: {setting.comment}")
    text, is_new = _with(path, read(path), {name: value})
    if is_new and path.exists():  # none of it is lost
        disk.rename(path, _free(path))
    disk.put_whole(path, text.encode())
    return parsed(text, path)


def _free(path: Path) -> Path:
    """Unused name under which a broken file is kept."""
    names = chain([".broken"], (f".broken{number}" for number in count(2)))
    paths = (path.with_name(path.name + name) for name in names)
    return next(one for one in paths if not one.exists())


def _replaced(text: str, name: str, value: Value) -> str:
    """Text with one line changed, or added to its section."""
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


def as_json(settings: ServiceSettings) -> list[dict[str, Any]]:
    """Settings as the page lists them."""
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
