"""Draws the path of one stone and the table of rooms for docs/architecture.md.

The path is a trace: a stone is placed on a simulated board in a game of Control, and every file of
ours in which a function is called until its light shines is noted, in order. Who imports whom is
read from the sources. `./run docs` writes both; a test draws them again in a process of its
own (what is cached by then would leave the trace) and compares.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import FrameType

from lumiban_lab.documents import DOCS, PICTURES, ROOT

PAGE = DOCS / "architecture.md"
PICTURE = PICTURES / "stone-way.svg"
PACKAGES = {
    "lumiban": ROOT / "host" / "lumiban",
    "lumiban_fw": ROOT / "firmware" / "lumiban_fw",
    "lumiban_hw": ROOT / "hardware" / "lumiban_hw",
    "lumiban_sim": ROOT / "simulator" / "lumiban_sim",
}
STAGES = (
    ("simulator", "a hand, a magnet, its field"),
    ("firmware", "readings become a settled, timed piece; frames"),
    ("boards", "numbered events, in order"),
    ("table", "what does the board's state mean?"),
    ("games", "which legal move gives this picture?"),
    ("scene", "meanings become light"),
)
"""Rooms in the order in which a stone first reaches them, and what happens there."""
_ABOUT = dict(STAGES)


def room_of(file: Path) -> str | None:
    """Room of a source file, None for a file that is not ours."""
    for package, folder in PACKAGES.items():
        if file.is_relative_to(folder):
            if package != "lumiban":
                return {"_fw": "firmware", "_hw": "hardware", "_sim": "simulator"}[package[7:]]
            parts = file.relative_to(folder).parts
            return parts[0] if len(parts) > 1 else parts[0].removesuffix(".py")
    return None


def way() -> list[tuple[str, str]]:
    """(room, file) pairs that one stone passes through, by first call, without `scripting`."""
    from lumiban import Simulator

    files: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.setdefault(frame.f_code.co_filename)

    seen: dict[str, None] = {}
    with Simulator("hex3") as board, board.play("control", size=3) as table:
        board.hand.place(table.cell("a1"), "white")
        board.wait(2.0)
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            board.hand.place(table.cell("c3"), "black")
            board.wait(0.2)
        finally:
            sys.setprofile(before)
        if len(table.moves) != 2:
            raise AssertionError("the stone was not played")
    for name in seen:
        file = Path(name)
        room = room_of(file) if file.is_absolute() else None
        if room in _ABOUT and file.suffix == ".py" and file.name != "__init__.py":
            files.setdefault((room, file.relative_to(_folder(room)).as_posix()))
    return list(files)


def _folder(room: str) -> Path:
    other = {"firmware": "lumiban_fw", "simulator": "lumiban_sim"}.get(room)
    return PACKAGES[other] if other else PACKAGES["lumiban"] / room


def picture(steps: list[tuple[str, str]]) -> str:
    """The path as SVG: a box for each room, its files in the order of their first call."""
    width, pad, line, head = 760, 16, 19, 30
    parts, top = [], 10
    for number, (room, about) in enumerate(STAGES):
        rows = list(_wrapped([file for place, file in steps if place == room], 88))
        height = head + line * len(rows) + 10
        if number:
            parts.append(f'<path d="M{width / 2} {top}v18" class="a"/>')
            parts.append(f'<path d="M{width / 2 - 6} {top + 14}l6 9 6-9z" class="t"/>')
            top += 24
        parts.append(f'<rect x="10" y="{top}" width="{width - 20}" height="{height}" rx="10"/>')
        title = f"{escape(room)}<tspan class='s'>  {escape(about)}</tspan>"
        parts.append(f'<text x="{10 + pad}" y="{top + 21}" class="h">{title}</text>')
        for row, text in enumerate(rows):
            y = top + head + line * row + 12
            parts.append(f'<text x="{10 + pad}" y="{y}">{escape(text)}</text>')
        top += height
    style = (
        "rect{fill:#2b211a;stroke:#6a5747}text{font:13px ui-monospace,monospace;fill:#cbbfab}"
        ".h{font:700 15px system-ui,sans-serif;fill:#ffd9a0}.s{font-weight:400;fill:#cbbfab}"
        ".a{stroke:#c0a785;stroke-width:2}.t{fill:#c0a785}"
    )
    about = "The path of one stone through the rooms, with the files that it passes"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + 10}" '
        f'width="{width}" height="{top + 10}" role="img"><title>{about}</title>'
        f"<style>{style}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _wrapped(names: list[str], most: int) -> Iterator[str]:
    row = ""
    for name in names:
        if row and len(row) + 3 + len(name) > most:
            yield row
            row = ""
        row = f"{row} · {name}" if row else name
    if row:
        yield row


def imports() -> dict[str, set[str]]:
    """For each room the rooms that it imports, without imports for types alone."""
    by_room: dict[str, set[str]] = {}
    for folder in PACKAGES.values():
        for file in folder.rglob("*.py"):
            room = room_of(file)
            if room is None or room.startswith("__"):
                continue
            for target in _imported(ast.parse(file.read_text("utf-8"))):
                other = _room_of_module(target)
                if other not in (None, room):
                    by_room.setdefault(room, set()).add(str(other))
            by_room.setdefault(room, set())
    return by_room


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from _imported(node)


def _room_of_module(name: str) -> str | None:
    package, _, rest = name.partition(".")
    if package not in PACKAGES:
        return None
    if package != "lumiban":
        return {"_fw": "firmware", "_hw": "hardware", "_sim": "simulator"}[package[7:]]
    room = rest.split(".")[0]
    return room if room and not room.startswith("__") and room.islower() else None


def table() -> str:
    """Table of imports between rooms, as Markdown; rooms that import least come first."""
    by_room = imports()
    depth: dict[str, int] = {}

    def reach(room: str, seen: frozenset[str] = frozenset()) -> int:
        if room not in depth:
            below = by_room.get(room, set()) - seen
            depth[room] = 1 + max((reach(one, seen | {room}) for one in sorted(below)), default=0)
        return depth[room]

    # Where rooms import each other the first asked counts as the upper one: always the same.
    rooms = sorted(sorted(by_room), key=lambda room: (reach(room), room))
    rows = [f"| `{room}` | {', '.join(sorted(by_room[room])) or '–'} |" for room in rooms]
    return "\n".join(["| room | imports |", "|---|---|", *rows])


def text() -> str:
    """The page with its current figures and table."""
    steps = way()
    page = PAGE.read_text("utf-8")
    page = re.sub(
        r"(<!-- rooms -->\n).*?(\n<!-- end -->)",
        lambda match: match[1] + table() + match[2],
        page,
        flags=re.DOTALL,
    )
    return re.sub(r"\*\*\d+ files\*\*", f"**{len(steps)} files**", page)


def main(words: list[str]) -> int:
    """Write picture and page. With `--check` only report whether they are up to date."""
    if "--check" in words:
        drawn = PICTURE.read_text("utf-8") == picture(way()), PAGE.read_text("utf-8") == text()
        if all(drawn):
            return 0
        print("docs/architecture.md has changed with the code: ./run docs", file=sys.stderr)
        return 1
    PICTURE.write_text(picture(way()), "utf-8", newline="\n")
    PAGE.write_text(text(), "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
