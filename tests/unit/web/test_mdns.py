"""Where the network can be told no name, the table goes on with its address."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType
from typing import Any

import pytest
from lumiban.web.mdns import named_on


def name_on(address: str) -> str:
    async def ask() -> str:
        async with named_on(address, 8700) as name:
            return name

    return asyncio.run(ask())


def test_without_the_package_there_is_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    assert name_on("192.0.2.5") == ""


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(1, "Operation not permitted"),
        OSError(98, "Address already in use"),
        RuntimeError("No adapter found for IP address 192.0.2.5"),
    ],
)
def test_where_its_socket_is_refused_there_is_no_name(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def refused(**how: Any) -> None:
        asked.append(how)
        raise error

    package, rest = ModuleType("zeroconf"), ModuleType("zeroconf.asyncio")
    vars(package)["Error"] = type("Error", (Exception,), {})
    vars(rest)["AsyncZeroconf"] = refused
    monkeypatch.setitem(sys.modules, "zeroconf", package)
    monkeypatch.setitem(sys.modules, "zeroconf.asyncio", rest)
    assert name_on("192.0.2.5") == ""
    assert asked == [{"interfaces": ["192.0.2.5"]}]
