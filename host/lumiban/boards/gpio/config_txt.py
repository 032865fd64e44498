"""Settings of a Pi's `config.txt`, as its firmware reads them, and those of a steady clock.

The firmware reads line by line: a section holds until the next of its kind, of a setting that
stands twice the last counts, and `include` puts a file in its place (Raspberry Pi's documentation,
"config.txt", "Conditional filters"). Lights by SPI need a core whose clock does not change with the
load; a Pi 5 makes SPI's clock elsewhere.

Only Python's own library is imported: a card's first start reads this before lumiban is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_OLDER = ("core_freq=250",)
STEADY = {1: _OLDER, 2: _OLDER, 3: _OLDER, 4: ("core_freq=500", "core_freq_min=500")}
"""Lines that make the core's clock steady, by the generation of the Pi."""
CARD_SECTIONS = {"pi0": 1, "pi1": 1, "pi2": 2, "pi3": 3, "pi4": 4}
"""Sections that together cover all models up to the Pi 4, and their generations."""
NESTED = 8
"""Depth of included files that is followed."""
UNSURE = "?"
"""In place of a value that another one may override: its section asks for what is not known here,
such as a pin or a monitor."""


def generation(model: str) -> int:
    """The family of a Pi by the name that its device tree has; 0: unknown.

    >>> generation("Raspberry Pi 4 Model B Rev 1.1"), generation("Raspberry Pi Zero 2 W Rev 1.0")
    (4, 3)
    >>> generation("Raspberry Pi 400 Rev 1.0"), generation("Raspberry Pi Compute Module 5")
    (4, 5)
    """
    if "Zero 2" in model:
        return 3
    if "Zero" in model or "Model" in model.removeprefix("Raspberry Pi ")[:5]:
        return 1
    match = re.search(r"Raspberry Pi (?:Compute Module )?(\d)", model)
    return int(match[1]) if match else 0


def sections_of(model: str) -> frozenset[str]:
    """Names of the model sections that hold on a Pi.

    >>> sorted(sections_of("Raspberry Pi Compute Module 4 Rev 1.0"))
    ['cm4', 'pi4']
    >>> sorted(sections_of("Raspberry Pi Zero 2 W Rev 1.0"))
    ['pi0', 'pi02', 'pi0w']
    """
    if "Zero" in model:
        names = {"pi0"}
        if "Zero W" in model or "Zero 2" in model:
            names.add("pi0w")
        return frozenset(names | ({"pi02"} if "Zero 2" in model else set()))
    names = {f"pi{generation(model)}"}
    if match := re.search(r"Compute Module (\dS?)", model):
        names.add(f"cm{match[1].lower()}")
    if match := re.search(r"Raspberry Pi ([45]00)", model):
        names.add(f"pi{match[1]}")
    if re.search(r"Pi 3 Model \w Plus", model):
        names.add("pi3+")
    return frozenset(names)


def settings(
    text: str, model: str, serial: str = "", included: Callable[[str], str] = lambda _: ""
) -> dict[str, str]:
    r"""Settings that hold on this Pi, by name; `included` gives the text of a file.

    >>> text = "core_freq=500\n[cm5]\ncore_freq_min=500\n[all]\ncore_freq=250\n"
    >>> settings(text, "Raspberry Pi 4 Model B Rev 1.1")
    {'core_freq': '250'}
    """
    mine, number = sections_of(model), serial.lstrip("0")[-8:]
    found: dict[str, str] = {}
    filters: dict[str, bool | None] = {}
    lines = text.splitlines()[::-1]
    depths = [0] * len(lines)
    while lines:
        line, depth = lines.pop().strip(), depths.pop()
        if re.fullmatch(r"\[.*\]", line):
            _enter(line[1:-1], mine, number, filters)
            continue
        if match := re.fullmatch(r"include\s+(\S+)", line):
            if depth < NESTED and False not in filters.values():
                more = included(match[1]).splitlines()[::-1]
                lines += more
                depths += [depth + 1] * len(more)
            continue
        name, equals, value = line.partition("=")
        if not equals or line.startswith("#") or False in filters.values():
            continue
        if None in filters.values() and found.get(name) != value:
            value = UNSURE
        found[name] = value
    return found


def _enter(
    section: str, mine: frozenset[str], serial: str, filters: dict[str, bool | None]
) -> None:
    """Take in a section: one of a kind replaces the last of this kind; None: it may hold."""
    if section == "all":
        filters.clear()
    elif section == "none" or re.fullmatch(r"pi\d+[w+]?|cm\d\w?", section):
        filters["model"] = section in mine
    elif section.startswith("0x"):
        filters["serial"] = section[2:].lower().lstrip("0") == serial.lower()
    else:
        filters[section.partition("=")[0]] = None


def unsteady(generation: int, found: Mapping[str, str]) -> tuple[str, ...]:
    """Lines that are missing for a steady clock; `force_turbo` keeps a Pi 4 at its highest.

    >>> unsteady(4, {"core_freq": "500", "core_freq_min": "200"})
    ('core_freq_min=500',)
    >>> unsteady(4, {"core_freq": "500", "force_turbo": "1"}), unsteady(5, {})
    ((), ())
    """
    missing = []
    for line in STEADY.get(generation, ()):
        name, _, value = line.partition("=")
        is_forced = name == "core_freq_min" and found.get("force_turbo") == "1"
        if found.get(name) != value and not is_forced:
            missing.append(line)
    return tuple(missing)
