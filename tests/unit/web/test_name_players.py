"""Names from page and phone: each names what it may, and nothing else is written."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from asked_app import HERE, error, post
from library_games import fill, game_document
from lumiban.library.library import opened
from lumiban.table import record
from lumiban.table.requests import HOST, VIEWER, seat, side_of
from lumiban.web.access import Access, Secrets
from lumiban.web.admission import Admission
from lumiban.web.app import create_app_of
from lumiban.web.feed import Feed
from lumiban.web.network import create_network_app
from lumiban.web.tabs import Tabs
from starlette.types import ASGIApp


def shows(name: str, state: Path, *, over: bool = True) -> Feed:
    """A feed that shows the game of a record."""
    document = record.read(state / "records" / f"{name}.json")
    view = {
        "type": "view",
        "game": {"slug": document["game"]},
        "moves": [{**move, "said": move["text"]} for move in document["moves"]],
        "outcome": {"winner": 0} if over else None,
    }

    async def whole() -> str:
        return json.dumps(view)

    # As in the page's own process: what was published last may come without its moves.
    return cast(
        "Feed", SimpleNamespace(latest=lambda: json.dumps(view | {"moves": []}), view=whole)
    )


def test_the_page_names_the_game_at_the_table_and_any_of_the_library(tmp_path: Path) -> None:
    names = fill(tmp_path, 3)
    app = create_app_of(shows(names[1], tmp_path), state=tmp_path)
    assert post(app, {"side": 0, "name": " Aya  Ito "})[1]["game"]["name"] == names[1]
    status, told = post(app, {"side": 1, "name": "Ben"})
    assert (status, told["game"]["players"]) == (200, ["Aya Ito", "Ben"])
    assert told["game"]["verdict"] in ("rated", "drawn")
    assert post(app, {"side": 1, "name": "Chie", "game": names[0]})[0] == 200
    with opened(tmp_path) as library:
        assert [game.players for game in library.games()] == [
            (None, None),
            ("Aya Ito", "Ben"),
            (None, "Chie"),
        ]


def test_what_cannot_be_written_down_is_told_and_leaves_no_trace(tmp_path: Path) -> None:
    names = fill(tmp_path, 1)
    over = create_app_of(shows(names[0], tmp_path), state=tmp_path)
    for body, answer in (
        ({"side": 0, "name": "x" * 41}, (400, "page.sign.bad-name")),
        ({"side": 0, "name": "x" * 10_000}, (413, "page.sign.bad-name")),
        ({"side": 0, "name": " \t"}, (400, "page.sign.bad-name")),
        ({"side": 0, "name": "a\u202eb"}, (400, "page.sign.bad-name")),
        ({"side": 2, "name": "Aya"}, (400, "page.error.message")),
        ({"side": 0, "name": "Aya", "rating": 3000}, (400, "page.error.message")),
        (b"[" * 3000, (400, "page.error.message")),
        ({"side": 0, "name": "Aya", "game": "../../etc/passwd"}, (409, "page.error.plain")),
    ):
        assert error(post(over, body)) == answer
    assert error(post(over, {"side": 0, "name": "Aya"}, origin="")) == (403, "page.error.viewer")
    assert post(over, {"side": 0, "name": "Aya"}, origin="http://evil.example")[0] == 403
    running = create_app_of(shows(names[0], tmp_path, over=False), state=tmp_path)
    assert error(post(running, {"side": 0, "name": "Aya"})) == (409, "page.sign.not-over")
    other = tmp_path / "other"
    record.keep(other / "records", "later", game_document(9))
    unkept = create_app_of(shows("later", other), state=tmp_path)
    assert error(post(unkept, {"side": 0, "name": "Aya"})) == (409, "page.sign.not-kept")
    with opened(tmp_path) as library:
        assert library.games()[0].players == (None, None)
        assert library.players() == []


def test_the_tables_own_game_is_found_among_others_as_soon_as_it_is_kept(tmp_path: Path) -> None:
    names, state = fill(tmp_path, 3), tmp_path / "other"

    def last(name: str, *, over: bool = True) -> tuple[int, dict[str, Any]]:
        app = create_app_of(shows(name, tmp_path, over=over), state=state)
        return post(app, b"", path="/api/library/last", method="GET", origin="")

    assert error(last(names[1], over=False)) == (409, "page.sign.not-over")
    for name in names:
        assert error(last(name)) == (409, "page.sign.not-kept")
        record.keep(state / "records", name, record.read(tmp_path / "records" / f"{name}.json"))
        assert last(name) == (200, {"game": name})
    assert last(names[0]) == (200, {"game": names[0]})


@pytest.mark.parametrize(
    ("role", "side", "answer"),
    [
        (seat(0), 0, 200),
        (seat(0), 1, 403),
        (HOST, 1, 200),
        (VIEWER, 0, 403),
        ("", 0, 401),
    ],
)
def test_a_phone_names_the_side_it_plays_and_who_leads_the_table_both(
    role: str, side: int, answer: int, tmp_path: Path
) -> None:
    names = fill(tmp_path, 1)
    feed = shows(names[0], tmp_path)
    access = Access(Secrets("master", "123456"))
    door = Admission(access, Tabs(8), feed, url=f"http://{HERE}/")
    cookie = ""
    if role:
        entry, secret = access.come_in("watch")
        entry.leads, entry.side = role == HOST, side_of(role)
        cookie = f"{door.cookie}={secret}"
    app = create_network_app(door, names={"127.0.0.1"}, state=tmp_path)
    assert post(app, {"side": side, "name": "Aya"}, cookie=cookie)[0] == answer
    # No phone names games that were played by others.
    older = post(app, {"side": side, "name": "Aya", "game": names[0]}, cookie=cookie)
    assert older[0] == (401 if not role else 403)


def declare(app: ASGIApp, body: Any, **how: Any) -> tuple[int, dict[str, Any]]:
    """Ask to declare a first rating; (status, the answer)."""
    return post(app, body, path="/api/first-rating", **how)


def test_a_first_rating_is_declared_on_the_page_until_the_first_rated_game(tmp_path: Path) -> None:
    names = fill(tmp_path, 1)
    app = create_app_of(shows(names[0], tmp_path), state=tmp_path)
    aya = {"player": " Aya ", "game": "control", "rating": 800}
    assert declare(app, aya)[0] == 200
    assert declare(app, {**aya, "rating": 700})[0] == 200  # said again
    with opened(tmp_path) as library:
        assert [(one.player, one.rating) for one in library.players()] == [("Aya", 700)]
        library.declare("Ben", "control", 600)
        assert library.seat(names[0], ("Aya", "Ben")).verdict == "rated"
    late = declare(app, aya)
    assert error(late) == (409, "page.first-rating.late")
    assert late[1]["error"]["params"] == {"games": 1}
    assert declare(app, {**aya, "game": "rengi"})[0] == 200  # each game for itself


def test_a_first_rating_that_is_none_leaves_no_trace(tmp_path: Path) -> None:
    names = fill(tmp_path, 1)
    app = create_app_of(shows(names[0], tmp_path), state=tmp_path)
    aya = {"player": "Aya", "game": "control", "rating": 800}
    for body, answer in (
        ({**aya, "rating": 3001}, (400, "page.first-rating.range")),
        ({**aya, "rating": -1}, (400, "page.first-rating.range")),
        ({**aya, "rating": 1.5}, (400, "page.error.message")),
        ({**aya, "rating": "800"}, (400, "page.error.message")),
        ({**aya, "rating": 10**30}, (400, "page.first-rating.range")),
        ({**aya, "game": "chain-power"}, (400, "page.first-rating.range")),
        ({**aya, "game": "../ledger"}, (400, "page.first-rating.range")),
        ({**aya, "player": "x" * 41}, (400, "page.sign.bad-name")),
        ({**aya, "player": "x" * 10_000}, (413, "page.sign.bad-name")),
        ({**aya, "more": 1}, (400, "page.error.message")),
    ):
        assert error(declare(app, body)) == answer
    assert error(declare(app, aya, origin="")) == (403, "page.error.viewer")
    assert declare(app, aya, origin="http://evil.example")[0] == 403
    access = Access(Secrets("master", "123456"))
    door = Admission(access, Tabs(8), shows(names[0], tmp_path), url=f"http://{HERE}/")
    entry, secret = access.come_in("watch")
    entry.leads = True
    network = create_network_app(door, names={"127.0.0.1"}, state=tmp_path)
    assert declare(network, aya, cookie=f"{door.cookie}={secret}")[0] == 404
    with opened(tmp_path) as library:
        assert library.players() == []
        assert library.player("Ben") == 1  # nobody was entered
