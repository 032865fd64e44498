"""Every net of base and strip: who drives it, from what supply, and what if it fails.

`./run docs` writes docs/guide/nets.md. Nets are read from the drawings; the sentences
of a net (or of a family, such as LED1 to LED15) are in nets.toml, and a net without one stops the
generator.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from lumiban.boards.profile import load
from lumiban.boards.profile_file import Pins
from lumiban_hw.electronics import base_parts, strip_parts
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.plans import strips

from lumiban_lab.documents import DOCS

PAGE = DOCS / "guide" / "nets.md"
SENTENCES = Path(__file__).with_name("nets.toml")
Said = Mapping[str, Sequence[str]]
"""By pattern of nets: who drives them when and at what voltage; unpowered: what then; short, open,
late."""


def table(board: Board, sentences: Said) -> list[str]:
    """Rows of a board; KeyError for a net of which nothing is said."""
    families: dict[str, list[str]] = {}
    for net in dict.fromkeys(net for placed in board.parts for net in placed.nets.values()):
        pattern = next((one for one in sentences if re.fullmatch(one, net)), None)
        if pattern is None:
            raise KeyError(f"{board.name}: nothing is said of net {net}")
        families.setdefault(pattern, []).append(net)
    lines = ["| net | who drives it | what is unpowered | short, open, late |",
             "| --- | --- | --- | --- |"]  # fmt: skip
    for pattern in sentences:
        nets = families.get(pattern, [])
        if not nets:
            raise KeyError(f"{board.name}: there is no net {pattern}")
        nets.sort(key=lambda net: (len(net), net))
        name = nets[0] if len(nets) == 1 else f"{nets[0]} to {nets[-1]}"
        lines.append(f"| {name} | {' | '.join(sentences[pattern])} |")
    return lines


def page() -> str:
    """The document."""
    sentences = tomllib.loads(SENTENCES.read_text("utf-8"))
    strip = strip_parts(strips(load("strip5"))[0])
    return "\n".join([
        "# Every net asked",
        "",
        "Who drives it, when, at what voltage, while what is unpowered; what if it is short, open, "
        "late? Made by `./run docs` from the drawings. "
        "*Told* is what selftest or play says; *simulated* a scene of "
        "[hardware](../hardware.md#electrical-simulation).",
        "",
        "Found by asking, and mended: references that had not settled (10 kΩ), a switch that "
        "conducted while a supply was plugged in (no C25), lights' data that floated while the "
        "driver was off (no R10). Found and left: the supervisor relies on the Pico's pull-up; "
        "the firmware must keep the lights' driver off while strips are off.",
        "",
        "## Base board", "", *table(base_parts(Pins()), sentences["base"]), "",
        "## Strip (`strip5`)", "", *table(strip, sentences["strip"]), "",
    ])  # fmt: skip


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
