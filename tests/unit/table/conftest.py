"""Each view that a test of the table makes has the declared fields, and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from lumiban.boards.types import LightFrame
from lumiban.games.base import Mark
from lumiban.table.session import Session
from lumiban.table.types import Prompt
from lumiban.table.view import View
from lumiban.table.view_fields import TableView


@pytest.fixture(autouse=True)
def declared_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views are held against the declared fields while they are made."""
    after = View.after

    def checked(
        view: View, session: Session, marks: Sequence[Mark], frame: LightFrame, prompt: Prompt
    ) -> Mapping[str, Any] | None:
        told = after(view, session, marks, frame, prompt)
        if told is not None:
            msgspec.convert(told, TableView)
        return told

    monkeypatch.setattr(View, "after", checked)
