"""Each view that a test of the table makes has the declared fields, and no others."""

from __future__ import annotations

import msgspec
import pytest
from lumiban.table.state import TableState
from lumiban.table.types import Output, Publish
from lumiban.table.view import View
from lumiban.table.view_fields import TableView


@pytest.fixture(autouse=True)
def declared_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views are held against the declared types of their fields while they are made."""
    changes = View.changes

    def checked(view: View, table: TableState, *, may_hands_act: bool) -> list[Output]:
        outputs = changes(view, table, may_hands_act=may_hands_act)
        for output in outputs:
            if isinstance(output, Publish):
                raw = msgspec.json.encode(output.view)
                assert msgspec.json.encode(msgspec.json.decode(raw, type=TableView)) == raw
        return outputs

    monkeypatch.setattr(View, "changes", checked)
