"""What docs/page.md and its schema say of view and messages is what the code declares."""

from __future__ import annotations

import json

from lumiban_lab.documents import page
from places import ROOT

PAGE = ROOT / "docs" / "page.md"


def test_the_tables_of_the_page_are_those_of_the_declarations() -> None:
    for document in (PAGE, PAGE.with_name("link.md"), PAGE.parent / "guide" / "times.md"):
        text = document.read_text("utf-8")
        assert page.written(text) == text
        assert "-->\n\n| " in text


def test_the_schema_is_that_of_the_declarations() -> None:
    text = PAGE.with_name("page.schema.json").read_text("utf-8")
    assert page.schema_text() == text
    told = json.loads(text)
    view = told["$defs"]["TableView"]
    assert view["additionalProperties"] is False
    may_lack = {
        "clock",
        "lesson",
        "sensors",
        "line",
        "counts_as",
        "pie",
        "more",
        "gone",
        "lobby",
        "phase",
        "back_asked",
        "rules",
        "review",
        "numbers",
    }
    assert set(view["required"]) == set(view["properties"]) - may_lack
    assert view["properties"].pop("type") == {"enum": ["view"]}
    assert all("description" in field for field in view["properties"].values())
