"""Finished games on the page: listed, read, drawn, taken away, and at the table again."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from asked_app import answered, error, post
from library_games import fill, game_document
from lumiban.library.library import opened
from lumiban.library.link import link_of
from lumiban.table import record
from lumiban.table.requests import HOST, NewGameRequest, ReviewRequest
from lumiban.web.app import create_app_of


class Asked:
    """A table that keeps what it was asked for, and refuses what `refusal` says."""

    refusal: dict[str, Any] | None = None

    def __init__(self) -> None:
        self.heard: list[tuple[Any, str]] = []

    async def command(self, request: Any, role: str) -> dict[str, Any] | None:
        self.heard.append((request, role))
        return self.refusal


@pytest.fixture
def table() -> Asked:
    return Asked()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    names = fill(tmp_path, 3)
    with opened(tmp_path) as library:
        library.seat(names[0], ("Aya", "Ben"))
    return tmp_path


def app(state: Path, table: Any = None) -> Any:
    return create_app_of(cast("Any", table or SimpleNamespace()), state=state)


def got(state: Path, path: str) -> Any:
    status, headers, body = answered(app(state), "GET", f"/api/library{path}")
    assert status == 200, (status, body)
    assert headers["cache-control"]
    return json.loads(body) if headers["content-type"].startswith("application/json") else body


NAMES = [f"20261123-{number:06d}-control" for number in (2, 1, 0)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", NAMES),
        ("?limit=2", NAMES[:2]),
        ("?limit=x", NAMES),
        ("?limit=-1", NAMES),
        ("?limit=99999999999", NAMES),
        ("?find=ben", NAMES[2:]),
        ("?find=nobody", []),
    ],
)
def test_the_list_is_searched_and_parted(state: Path, query: str, names: list[str]) -> None:
    told = got(state, query)
    assert [one["name"] for one in told["games"]] == names
    assert (told["all"], told["notes"]) == (3, [])
    assert all(one["sides"] == ["white", "black"] for one in told["games"])


def test_a_game_is_told_with_its_moves_and_players_with_their_results(state: Path) -> None:
    told = got(state, f"/game/{NAMES[2]}")
    document = game_document(0)
    assert told["game"]["players"] == ["Aya", "Ben"]
    assert [one["side"] for one in told["moves"]] == [one["side"] for one in document["moves"]]
    assert [one["text"] for one in told["moves"]] == [one["text"] for one in document["moves"]]
    assert told["sides"] == ["white", "black"]
    told = got(state, "/players")
    results = {one["player"]: (one["won"], one["lost"]) for one in told["players"]}
    winner = document["result"]["winner"]
    assert results == {"Aya": (1 - winner, winner), "Ben": (winner, 1 - winner)}
    assert set(told["rated"]) >= {"control", "rengi"}
    assert told["tests"] == []


def test_a_damaged_record_is_told_without_moves_and_a_missing_one_is_a_sentence(
    state: Path,
) -> None:
    (state / "records" / "20261124-damaged.json").write_text("{", "utf-8")
    told = got(state, "/game/20261124-damaged")
    assert told["game"]["fault"]
    assert told["moves"] == []
    status, _, body = answered(app(state), "GET", "/api/library/game/nothing")
    assert (status, b"there is no game" in body) == (409, True)


def test_a_game_is_taken_away_as_a_file(state: Path) -> None:
    for form, kind in (("json", "application/json"), ("txt", "text/plain"), ("svg", "image/svg")):
        path = f"/api/library/file/{NAMES[2]}.{form}"
        status, headers, body = answered(app(state), "GET", path)
        assert status == 200
        assert headers["content-type"].startswith(kind)
        assert headers["content-disposition"] == f'attachment; filename="{NAMES[2]}.{form}"'
        if form == "json":
            assert json.loads(body) == record.read(state / "records" / f"{NAMES[2]}.json")
        if form == "txt":
            assert b"White: Aya" in body
    assert answered(app(state), "GET", f"/api/library/file/{NAMES[2]}.exe")[0] == 404
    first, second = (got(state, f"/game/{NAMES[2]}/{at}.svg") for at in (0, 1))
    assert first.startswith(b"<svg")
    assert first != second
    path = f"/api/library/game/{NAMES[2]}/999.svg"
    assert answered(app(state), "GET", path)[0] == 409


def asked(state: Path, table: Asked, path: str, body: str = "", **more: Any) -> Any:
    return post(app(state, table), body.encode(), path=f"/api/library{path}", **more)


@pytest.mark.parametrize("is_linked", [False, True])
def test_a_kept_or_linked_game_is_gone_through_or_goes_on_at_the_table(
    state: Path, table: Asked, is_linked: bool
) -> None:
    document = game_document(0)
    path, link = ("/link", link_of(NAMES[2], document)) if is_linked else (f"/game/{NAMES[2]}", "")
    for end in ("/review", "/continue/2"):
        status, told = asked(state, table, path + end, link)
        assert (status, told) == (200, {"name": NAMES[2]})
    (review, role), (new, _) = table.heard
    assert role == HOST
    assert isinstance(review, ReviewRequest)
    assert isinstance(new, NewGameRequest)
    assert (review.name, new.after) == (NAMES[2], 2)
    assert review.course == new.course
    course = review.course
    assert course is not None
    assert (course.game, course.seed) == ("control", document["seed"])
    assert [[*move] for move in course.moves] == [
        [move["side"], move["text"]] for move in document["moves"]
    ]
    assert course.winner == document["result"]["winner"]
    assert dict(course.options) == document["options"]


def test_what_the_table_refuses_or_nobody_may_ask_is_said(state: Path, table: Asked) -> None:
    path = f"/game/{NAMES[2]}/review"
    assert error(asked(state, table, path, origin="")) == (403, "page.error.viewer")
    assert error(asked(state, table, "/game/nothing/review"))[0] == 409
    assert error(asked(state, table, "/link/review", "x" * 100_000)) == (400, "link.too-long")
    assert table.heard == []
    table.refusal = {"id": "table.nothing-to-confirm", "params": {}}
    assert error(asked(state, table, path)) == (409, "table.nothing-to-confirm")
    (state / "records" / f"{NAMES[2]}.json").write_text("{}", "utf-8")
    assert asked(state, table, path)[0] == 409
    assert len(table.heard) == 1
