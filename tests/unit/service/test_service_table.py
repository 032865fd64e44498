"""The page's table as a service has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from lumiban.service.service_table import ServiceTable


def test_a_table_that_a_service_keeps_says_so_to_its_pages() -> None:
    def nothing() -> None:
        pass

    table = SimpleNamespace(
        hello=lambda: {"languages": ["en"]},
        view=lambda: None,
        watch=lambda callback: nothing,
        watch_buttons=lambda callback: nothing,
    )
    served = ServiceTable()
    served.put(cast(Any, table))
    assert served.hello() == {"languages": ["en"], "service": True}
