"""Writes the tables of docs/page.md, docs/link.md and docs/guide/times.md, and the schema of the
page, from declarations.

`./run docs` writes them; a test makes them anew and compares.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

from lumiban.flight.lines import line_table
from lumiban.table import limits
from lumiban.table.view_fields import view_table
from lumiban.web.messages import message_table, schema

from lumiban_lab.documents import DOCS

PAGE = DOCS / "page.md"
LINK = PAGE.with_name("link.md")
TIMES = DOCS / "guide" / "times.md"
SCHEMA = PAGE.with_name("page.schema.json")
VIEW, SAID, LINES, LIMITS, END = (
    "<!-- view, by ./run docs -->\n",
    "<!-- said, by ./run docs -->\n",
    "<!-- lines, by ./run docs -->\n",
    "<!-- limits, by ./run docs -->\n",
    "<!-- end -->\n",
)


def limit_table() -> str:
    """The times that people meet, as `lumiban.table.limits` declares them."""
    body = ast.parse(Path(limits.__file__).read_text("utf-8")).body[1:]
    rows = ["| time | name | why |", "|---|---|---|"]
    for named, said in zip(body[::2], body[1::2], strict=True):
        assert isinstance(named, ast.Assign)
        assert isinstance(said, ast.Expr)
        name = ast.unparse(named.targets[0])
        seconds = ast.literal_eval(named.value) / (1e6 if name.endswith("_US") else 1)
        told = " ".join(str(ast.literal_eval(said.value)).split())
        rows.append(f"| {seconds:.3g} s | `{name}` | {told} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """A document with those of its tables that are declared made anew."""
    tables = {VIEW: view_table, SAID: message_table, LINES: line_table, LIMITS: limit_table}
    for begin, table in tables.items():
        if begin not in text:
            continue
        before, rest = text.split(begin)
        _, after = rest.split(END, 1)
        text = before + begin + "\n" + table() + "\n" + END + after
    return text


def schema_text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for document in (PAGE, LINK, TIMES):
        document.write_text(written(document.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")
