"""A view as a page has it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from lumiban.table.view_fields import TableView


def as_page_has_it(view: TableView) -> dict[str, Any]:
    """The view's JSON, read again, without its `type`."""
    told: dict[str, Any] = json.loads(msgspec.json.encode(view))
    del told["type"]
    return told
