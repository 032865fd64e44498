"""Each view that a test of the table makes has the declared fields, and no others."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from lumiban.table.view import View
from lumiban.table.view_fields import TableView


@pytest.fixture(autouse=True)
def declared_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views are held against the declared types of their fields while they are made."""
    after = View.after

    def checked(view: View, *shown: Any) -> TableView | None:
        told = after(view, *shown)
        if told is not None:
            raw = msgspec.json.encode(told)
            assert msgspec.json.encode(msgspec.json.decode(raw, type=TableView)) == raw
        return told

    monkeypatch.setattr(View, "after", checked)
