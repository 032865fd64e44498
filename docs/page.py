"""Writes the fields of docs/page.md and its schema, docs/page.schema.json, from their declarations.

`./run docs` writes them; a test makes them anew and compares.
"""

from __future__ import annotations

import json
from pathlib import Path

from lumiban.table.view_fields import view_table
from lumiban.web.messages import message_table, schema

PAGE = Path(__file__).resolve().parent / "page.md"
SCHEMA = PAGE.with_name("page.schema.json")
VIEW, SAID, END = (
    "<!-- view, by docs/page.py -->\n",
    "<!-- said, by docs/page.py -->\n",
    "<!-- end -->\n",
)


def written(text: str) -> str:
    """The page with its tables made anew."""
    for begin, table in ((VIEW, view_table()), (SAID, message_table())):
        before, rest = text.split(begin)
        _, after = rest.split(END, 1)
        text = before + begin + "\n" + table + "\n" + END + after
    return text


def schema_text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")
