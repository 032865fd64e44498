"""Write the types that the page's scripts are checked against, from what the host declares.

    python .ci/page_types.py OUT

`OUT/messages.d.ts` has the view, `hello` and everything a page may say, from the declarations that
docs/page.schema.json is made of; `OUT/ids.d.ts` has the elements of the pages by their ids. So a
field that is renamed in the host, or an id that no page has, fails `./run lint`.
"""

from __future__ import annotations

import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
from lumiban.table.view_fields import TableView
from lumiban.web.hello import Hello
from lumiban.web.messages import AnyPageRequest

STATIC = Path(__file__).resolve().parent.parent / "host" / "lumiban" / "web" / "static"
ELEMENTS = {
    "a": "HTMLAnchorElement",
    "button": "HTMLButtonElement",
    "canvas": "HTMLCanvasElement",
    "dialog": "HTMLDialogElement",
    "form": "HTMLFormElement",
    "img": "HTMLImageElement",
    "input": "HTMLInputElement",
    "select": "HTMLSelectElement",
    "svg": "SVGSVGElement",
    "table": "HTMLTableElement",
    "textarea": "HTMLTextAreaElement",
}
OURS = {"Text": "SaidText"}
"""Names of declarations that browsers have for something else."""
PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}


def type_of(schema: dict[str, Any]) -> str:
    """A JSON schema as a TypeScript type."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return OURS.get(name, name)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(map(type_of, schema["anyOf"])))
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(map(type_of, schema['prefixItems']))}]"
        return f"Array<{type_of(schema.get('items', {}))}>"
    if kind == "object":
        if "properties" in schema:
            return record(schema)
        more = schema.get("additionalProperties")
        return f"Record<string, {type_of(more) if isinstance(more, dict) else 'any'}>"
    return PLAIN.get(str(kind), "null" if kind == "null" else "any")


def record(schema: dict[str, Any]) -> str:
    """An object's fields, one a line."""
    required = schema.get("required", [])
    fields = (
        f"  {json.dumps(name)}{'' if name in required else '?'}: {type_of(of)};\n"
        for name, of in schema["properties"].items()
    )
    return "{\n" + "".join(fields) + "}"


def message_types() -> str:
    """Declarations of all messages that the host declares."""
    (_, said, _), parts = msgspec.json.schema_components([TableView, AnyPageRequest, Hello])
    types = [f"type {OURS.get(name, name)} = {type_of(part)};\n" for name, part in parts.items()]
    return "".join([*types, f"type PageRequest = {type_of(said)};\n"])


class Ids(HTMLParser):
    """The class of each element that has an id; `HTMLElement` where two pages differ."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if name := dict(attrs).get("id"):
            kind = ELEMENTS.get(tag, "HTMLElement")
            self.found[name] = kind if self.found.get(name, kind) == kind else "HTMLElement"


def id_types() -> str:
    """Elements of all pages by id."""
    ids = Ids()
    for page in sorted(STATIC.glob("*.html")):
        ids.feed(page.read_text("utf-8"))
    rows = (f"  {json.dumps(name)}: {kind};\n" for name, kind in sorted(ids.found.items()))
    return "interface PageIds {\n" + "".join(rows) + "}\n"


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    (out / "messages.d.ts").write_text(message_types(), "utf-8")
    (out / "ids.d.ts").write_text(id_types(), "utf-8")
