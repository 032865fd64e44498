"""Draws the pictures of the guide: each image in a chapter stands below the command that made it.

    <!-- ./run games picture control --moves "a1" --out docs/pictures/first.svg -->
    ![What is to be seen](../pictures/first.svg)

`./run docs` writes them all; a test draws them again and compares byte by byte.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from lumiban_lab.documents import DOCS, PICTURES, ROOT

PICTURE = re.compile(r"<!-- \./run games picture (.*?) -->\n!\[(.*?)\]\((.*?)\)", re.DOTALL)


def chapters() -> list[Path]:
    """All documents that may hold pictures; chapters in Japanese show those of the English ones."""
    pages = DOCS.rglob("*.md")
    return sorted(path for path in pages if path.parent.name != "ja")


def pictures(chapter: Path) -> Iterator[tuple[list[str], Path]]:
    """(words of the command without `--out`, the file it makes) for each picture of a chapter.

    The text of the image is the picture's title. ValueError when command and image name
    different files.
    """
    for words, title, shown in PICTURE.findall(chapter.read_text("utf-8")):
        given = shlex.split(words)
        at = given.index("--out")
        out = ROOT / given[at + 1]
        if out.resolve() != (chapter.parent / shown).resolve():
            raise ValueError(f"{chapter.name}: {out.name} is made, but {shown} is shown")
        yield ["games", "picture", *given[:at], *given[at + 2 :], "--title", title], out


def main() -> int:
    """Draw them all; the exit code of the first command that failed."""
    from lumiban.cli import run

    PICTURES.mkdir(exist_ok=True)
    for chapter in chapters():
        for words, out in pictures(chapter):
            code = run([*words, "--out", str(out)])
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
