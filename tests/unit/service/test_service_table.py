"""The page's table as a service has it: with its board's lobby."""

from __future__ import annotations

from typing import Any, cast

from lumiban.service.service_table import NO_BOARD, ServiceTable
from lumiban.table.requests import HintRequest, LobbyRequest


class Told:
    """A table or a lobby: it notes each call, and answers by name."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.told = answers, cast("list[Any]", [])

    def __getattr__(self, name: str) -> Any:
        def call(*words: Any) -> Any:
            self.told.append((name, *words))
            return self.answers.get(name)

        return call


class Table(Told):
    async def command(self, request: Any, role: str) -> Any:
        self.told.append((request, role))
        return self.answers.get("command")


async def test_what_a_page_asks_goes_to_the_table_or_its_lobby_which_hears_what_was_done() -> None:
    lobby = Told(choose=NO_BOARD, dress="dressed")
    table = Table(hello={"languages": ["en"]}, view="bare", watch=str, watch_buttons=str)
    served, shown = ServiceTable(), cast("list[Any]", [])
    served.watch(shown.append)
    served.put(cast("Any", table))
    assert served.hello() == {"languages": ["en"], "service": True}
    served.language = "ja"
    assert served.hello() == {"languages": ["en"], "service": True, "language": "ja"}
    table.told.clear()
    choice, hint = LobbyRequest("open"), HintRequest("none")
    for request in (choice, hint):
        assert await served.command(request, "seat 0") is None
    assert table.told == [(choice, "seat 0"), (hint, "seat 0")]
    served.put(cast("Any", table), cast("Any", lobby))
    lobby.changed()
    assert shown == ["bare", "dressed", "dressed"]
    lobby.told.clear()
    for refused in (None, NO_BOARD):
        table.answers["command"] = refused
        assert await served.command(hint, "host") == refused
    assert await served.command(choice, "host") == NO_BOARD
    assert lobby.told == [("followed_request", hint), ("choose", choice)]
