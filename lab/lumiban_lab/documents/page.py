"""Writes the tables of docs/page.md, docs/link.md and docs/guide/times.md, and the schema of the
page, from declarations.

`./run docs` writes them; a test makes them again and compares.
"""

from __future__ import annotations

import ast
import json
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from lumiban.flight.lines import line_table
from lumiban.table import limits, view_fields
from lumiban.web.messages import PAGE_REQUESTS, AnyPageRequest

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
    rows = ["| time | name | why |", "|---|---|---|"]
    for named, told in _described(ast.parse(Path(limits.__file__).read_text("utf-8")).body):
        assert isinstance(named, ast.Assign)
        name = ast.unparse(named.targets[0])
        seconds = ast.literal_eval(named.value) / (1e6 if name.endswith("_US") else 1)
        rows.append(f"| {seconds:.3g} s | `{name}` | {told} |")
    return "\n".join(rows) + "\n"


def view_table() -> str:
    """The fields of the view, as `lumiban.table.view_fields` declares them."""
    rows = ["| key | what |", "|---|---|"]
    rows += [f"| `{name}` | {_cell(told)} |" for name, told in _view_fields().items()]
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _view_fields() -> dict[str, str]:
    """The fields of the view, and what each is."""
    [view] = (
        one
        for one in ast.parse(Path(view_fields.__file__).read_text("utf-8")).body
        if isinstance(one, ast.ClassDef) and one.name == "TableView"
    )
    return {
        ast.unparse(field.target): told
        for field, told in _described(view.body)
        if isinstance(field, ast.AnnAssign)
    }


def _described(body: list[ast.stmt]) -> list[tuple[ast.stmt, str]]:
    """Each declaration of a module or class that a string follows, and that string."""
    return [
        (named, " ".join(str(said.value.value).split()))
        for named, said in pairwise(body)
        if isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant)
    ]


def written(text: str) -> str:
    """A document with those of its tables that are declared made again."""
    tables = {VIEW: view_table, SAID: message_table, LINES: line_table, LIMITS: limit_table}
    for begin, table in tables.items():
        if begin not in text:
            continue
        before, rest = text.split(begin)
        _, after = rest.split(END, 1)
        text = before + begin + "\n" + table() + "\n" + END + after
    return text


def message_table() -> str:
    """Return the table of all messages of a page, as docs/page.md has it."""
    rows = ["| do | fields | what | viewer | seat |", "|---|---|---|---|---|"]
    for one in PAGE_REQUESTS:
        config = one.__struct_config__
        fields = ", ".join(_field(field) for field in msgspec.structs.fields(one))
        about = " ".join((one.__doc__ or "").split())
        may = f"{one.viewer.value} | {one.seat.value}"
        row = f"| `{config.tag}` | {fields} | {about} | {may} |"
        rows.append(row.replace("|  |", "| |"))
    return "\n".join(rows) + "\n"


def _field(field: msgspec.structs.FieldInfo) -> str:
    """A field's name; those that may be left out in brackets."""
    return f"`{field.encode_name}`" if field.required else f"[`{field.encode_name}`]"


def schema() -> dict[str, Any]:
    """The JSON schema of the view and of all that pages may say."""
    (view, request), components = msgspec.json.schema_components(
        [view_fields.TableView, AnyPageRequest], ref_template="#/$defs/{name}"
    )
    _unindent(components)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What lumiban's page and host say to each other",
        "view": view,
        "said": request,
        "$defs": dict(components),
    }


def _unindent(schema: Any) -> None:
    """Take the indentation out of all descriptions: they are docstrings, indented before 3.13."""
    for value in schema.values():
        if isinstance(value, dict):
            if isinstance(about := value.get("description"), str):
                value["description"] = cleandoc(about)
            _unindent(value)


def schema_text() -> str:
    """The schema as its file has it."""
    told = schema()
    view = told["$defs"]["TableView"]["properties"]
    for name, what in _view_fields().items():
        view[name] = {"description": what, **view[name]}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for document in (PAGE, LINK, TIMES):
        document.write_text(written(document.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")
