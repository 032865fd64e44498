"""Writes the messages of docs/wire.md from their table, `lumiban.boards.messages`.

`./run docs` writes them; a test makes them again and compares.
"""

from __future__ import annotations

from lumiban.boards.messages import MESSAGES, markdown

from lumiban_lab.documents import DOCS

PAGE = DOCS / "wire.md"
BEGIN, END = "<!-- made by ./run docs -->\n", "<!-- end -->\n"


def made() -> str:
    """Both directions, as the page has them."""
    asked = markdown(one for one in MESSAGES if not one.is_from_board)
    reported = markdown(one for one in MESSAGES if one.is_from_board)
    return f"## Host to board\n\n{asked}\n\n## Board to host\n\n{reported}\n"


def written(text: str) -> str:
    """The page with its messages made again."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + made() + END + after


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
