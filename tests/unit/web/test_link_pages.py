"""Links to games over HTTP: only this machine's own page may ask, and nothing is kept unasked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from asked_app import error, post
from library_games import fill, game_document
from lumiban.library.library import opened
from lumiban.library.link import link_of
from lumiban.web.app import create_app_of
from lumiban.web.link_pages import MOST_BODY

LINK = link_of("20261123-053000-control", game_document(5))


def asked(state: Path, path: str, body: str, **more: Any) -> tuple[int, dict[str, Any]]:
    app = create_app_of(cast("Any", SimpleNamespace()), state=state)
    return post(app, body.encode(), path=f"/api/library/link{path}", **more)


def test_a_link_is_shown_without_being_kept_until_somebody_keeps_it(tmp_path: Path) -> None:
    status, told = asked(tmp_path, "", LINK)
    assert (status, told["kept"], told["game"]["slug"]) == (200, "", "control")
    assert len(told["moves"]) == told["game"]["moves"]
    assert asked(tmp_path, "/1.svg", LINK)[0] == 200
    assert list(tmp_path.iterdir()) == []
    status, kept = asked(tmp_path, "/keep", LINK)
    assert status == 200
    assert asked(tmp_path, "", LINK)[1]["kept"] == kept["game"]


def test_nobody_else_keeps_a_game_and_bad_links_are_sentences(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    assert error(asked(tmp_path, "/keep", LINK, origin="")) == (403, "page.error.viewer")
    assert asked(tmp_path, "/keep", LINK, origin="http://evil.example")[0] == 403
    for path in ("", "/keep", "/1.svg"):
        assert error(asked(tmp_path, path, LINK[:-9])) == (400, "link.cut")
        assert error(asked(tmp_path, path, "x" * (MOST_BODY + 1))) == (400, "link.too-long")
    assert error(asked(tmp_path, "/999.svg", LINK)) == (409, "page.error.plain")
    with opened(tmp_path) as library:
        assert library.count() == 1
