"""Writes the tables of docs/page.md and docs/link.md, and docs/page.schema.json, from declarations.

`./run docs` writes them; a test makes them anew and compares.
"""

from __future__ import annotations

import json

from lumiban.flight.lines import line_table
from lumiban.table.view_fields import view_table
from lumiban.web.messages import message_table, schema

from lumiban_lab.documents import DOCS

PAGE = DOCS / "page.md"
LINK = PAGE.with_name("link.md")
SCHEMA = PAGE.with_name("page.schema.json")
VIEW, SAID, LINES, END = (
    "<!-- view, by ./run docs -->\n",
    "<!-- said, by ./run docs -->\n",
    "<!-- lines, by ./run docs -->\n",
    "<!-- end -->\n",
)


def written(text: str) -> str:
    """A document with those of its tables that are declared made anew."""
    for begin, table in ((VIEW, view_table()), (SAID, message_table()), (LINES, line_table())):
        if begin not in text:
            continue
        before, rest = text.split(begin)
        _, after = rest.split(END, 1)
        text = before + begin + "\n" + table + "\n" + END + after
    return text


def schema_text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for document in (PAGE, LINK):
        document.write_text(written(document.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")
