"""Runs the recipes and draws their pictures: what the simulated lamps show at each one's end.

    <!-- picture: docs/pictures/recipe-lamp.svg -->
    ```python
    ...
    ```

`./run docs` writes them all; a test runs each recipe and compares its picture byte by byte. A
recipe may draw its picture itself, into the variable `picture`, before a table is cleared.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lumiban import Simulator

from lumiban_lab.documents import DOCS, ROOT

PAGE = DOCS / "recipes.md"
_RECIPE = re.compile(
    r"^## (?P<name>.+?)$(?:(?!^## ).)*?"
    r"(?:<!-- picture: (?P<picture>\S+) -->\n)?```python\n(?P<code>.*?)```"
    r"(?:\n!\[(?P<title>.*?)\]\((?P<shown>.*?)\))?",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One recipe of the page; `picture` is the file that it draws, None for none."""

    name: str
    code: str
    picture: Path | None
    title: str


def recipes(page: Path = PAGE) -> Iterator[Recipe]:
    """Read all recipes of the page; ValueError where picture and image name different files."""
    for match in _RECIPE.finditer(page.read_text("utf-8")):
        out = None
        if match["picture"]:
            out = ROOT / match["picture"]
            if match["shown"] is None or out.resolve() != (page.parent / match["shown"]).resolve():
                raise ValueError(f"{match['name']}: {out.name} is made, but another one is shown")
        yield Recipe(match["name"], match["code"], out, match["title"] or "")


def run(recipe: Recipe) -> tuple[str, str]:
    """Run a recipe in the repository's folder; (what it printed, its picture as SVG)."""
    names: dict[str, object] = {}
    printed = io.StringIO()
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(recipe.code, f"recipe: {recipe.name}", "exec"), names)
    finally:
        os.chdir(before)
    board = names["board"]
    if not isinstance(board, Simulator):
        raise TypeError(f"{recipe.name}: `board` is to be a Simulator, which is drawn")
    svg = str(names.get("picture") or board.picture())
    return printed.getvalue(), svg.replace(
        "\n<style>", f"\n<title>{escape(recipe.title)}</title>\n<style>", 1
    )


def main() -> int:
    """Draw them all."""
    for recipe in recipes():
        _, svg = run(recipe)
        if recipe.picture is not None:
            recipe.picture.write_text(svg, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
