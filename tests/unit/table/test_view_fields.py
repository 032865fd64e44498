"""The declared fields of the view are all that it has: what is more, less or other is found."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from each import each
from lumiban import games
from lumiban.boards.profile import load
from lumiban.table.session import Session
from lumiban.table.view_fields import TableView
from places import ROOT
from shown import as_page_has_it

BOARDS = {
    "control": "hex5",
    "evening": "hex5",
    "trivia": "grid9x9",
    "doves": "grid9x9",
    "rengi": "grid13x14",
}


def view(slug: str) -> dict[str, Any]:
    """The first view of a table, before its board."""
    game = games.load(slug)
    profile = load(
        {"control": "hex5", "evening": "hex5", "rengi": "grid13x14"}.get(slug, "grid9x9")
    )
    session = Session(game, profile, ["human"] * len(game.sides))
    session.step(0)
    assert session.shown.view is not None
    return as_page_has_it(session.shown.view)


@each("slug", BOARDS)
def test_every_games_view_has_the_declared_fields(slug: str) -> None:
    told = msgspec.convert(view(slug), TableView)
    assert told.game.slug == slug
    assert as_page_has_it(told) == view(slug)


def _without(view: dict[str, Any]) -> None:
    del view["drift"]


def _with_more(view: dict[str, Any]) -> None:
    view["extra"] = 1


def _of_another_type(view: dict[str, Any]) -> None:
    view["seats"][0]["thinking"] = "no"


def _with_an_unknown_word(view: dict[str, Any]) -> None:
    view["verdict"]["kind"] = "shrug"


@pytest.mark.parametrize("change", [_without, _with_more, _of_another_type, _with_an_unknown_word])
def test_a_view_with_other_fields_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    told = view("control")
    change(told)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(told, TableView)


def test_views_of_before_they_were_declared_are_the_same_to_the_byte() -> None:
    """108 views of five games, as tables told them when a view was a mapping."""
    recorded = lzma.decompress((ROOT / "tests/golden/views.jsonl.xz").read_bytes()).splitlines()
    assert len({msgspec.json.decode(line)["game"]["slug"] for line in recorded}) == len(BOARDS)
    for line in recorded:
        assert msgspec.json.encode(msgspec.json.decode(line, type=TableView)) == line
