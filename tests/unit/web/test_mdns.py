"""The first free name is told to the network; where none can be told, the address serves."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType
from typing import Any

import pytest
from lumiban.web.mdns import named_on

OURS = "192.0.2.5"


def name_on(address: str) -> str:
    async def ask() -> str:
        async with named_on(address, 8700) as name:
            return name

    return asyncio.run(ask())


class Neighbours:
    """zeroconf as far as it is asked, on a network of machines that answer to names."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answers: dict[str, str]) -> None:
        self.heard: list[Any] = []
        heard = self.heard

        class AddressResolver:
            def __init__(self, name: str) -> None:
                self.name = name

            async def async_request(self, zeroconf: object, timeout_ms: float) -> None:
                assert (zeroconf, timeout_ms > 0) == ("sockets", True)

            def parsed_addresses(self) -> list[str]:
                return [answers[self.name]] if self.name in answers else []

        class AsyncZeroconf:
            zeroconf = "sockets"

            def __init__(self, interfaces: list[str]) -> None:
                heard.append(interfaces)

            async def async_register_service(self, info: Any, allow_name_change: bool) -> Any:
                heard.append(info)
                return asyncio.sleep(0, heard.append("told"))

            async def async_close(self) -> None:
                heard.append("closed")

        package, rest = ModuleType("zeroconf"), ModuleType("zeroconf.asyncio")
        vars(package).update(Error=type("Error", (Exception,), {}), AddressResolver=AddressResolver)
        vars(rest).update(
            AsyncZeroconf=AsyncZeroconf,
            AsyncServiceInfo=lambda *words, **fields: {"words": words, **fields},
        )
        monkeypatch.setitem(sys.modules, "zeroconf", package)
        monkeypatch.setitem(sys.modules, "zeroconf.asyncio", rest)


@pytest.mark.parametrize(
    ("taken", "name"),
    [(0, "lumiban.local"), (1, "lumiban-2.local"), (8, "lumiban-9.local"), (9, "")],
)
def test_the_first_name_that_no_other_machine_has_leads_to_the_table(
    taken: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["lumiban.local.", *(f"lumiban-{n}.local." for n in range(2, 10))]
    answers = dict.fromkeys(names[:taken], "192.0.2.77")
    answers.update(dict.fromkeys(names[taken : taken + 1], OURS))  # we were called so before
    network = Neighbours(monkeypatch, answers)
    assert name_on(OURS) == name
    told = {
        "words": ("_http._tcp.local.", "lumiban 8700._http._tcp.local."),
        "addresses": [bytes((192, 0, 2, 5))],
        "port": 8700,
        "server": f"{name}.",
        "properties": {"path": "/join"},
    }
    assert network.heard == [[OURS], *([told, "told"] if name else []), "closed"]


def test_a_table_for_this_machine_alone_is_told_to_no_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Neighbours(monkeypatch, {})
    assert (name_on("127.0.0.1"), network.heard) == ("", [])


def test_without_the_package_there_is_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    assert name_on(OURS) == ""


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(1, "Operation not permitted"),
        OSError(98, "Address already in use"),
        RuntimeError("No adapter found for IP address 192.0.2.5"),
        AssertionError("of zeroconf, about a socket that is not there"),
    ],
)
def test_where_its_socket_is_refused_there_is_no_name(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = Neighbours(monkeypatch, {})

    def refused(**how: Any) -> None:
        network.heard.append(how)
        raise error

    vars(sys.modules["zeroconf.asyncio"])["AsyncZeroconf"] = refused
    assert name_on(OURS) == ""
    assert network.heard == [{"interfaces": [OURS]}]
