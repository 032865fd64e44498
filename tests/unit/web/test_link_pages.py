"""Links to games over HTTP: only this machine's own page may ask, and nothing is kept unasked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote

import pytest
from asked_app import error, post
from library_games import fill, game_document
from lumiban.library.library import opened
from lumiban.library.link import link_of
from lumiban.table import record
from lumiban.web import qr
from lumiban.web.app import create_app_of
from lumiban.web.link_pages import MAX_BODY

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
    app = create_app_of(cast("Any", SimpleNamespace()), state=tmp_path)
    path = f"/api/library/game/{kept['game']}/link"
    again = {"link": link_of(kept["game"], game_document(5))}
    assert post(app, b"", path=path, method="GET") == (200, again)


def test_nobody_else_keeps_a_game_and_bad_links_are_sentences(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    assert error(asked(tmp_path, "/keep", LINK, origin="")) == (403, "page.error.viewer")
    assert asked(tmp_path, "/keep", LINK, origin="http://evil.example")[0] == 403
    for path in ("", "/keep", "/1.svg"):
        assert error(asked(tmp_path, path, LINK[:-9])) == (409, "link.cut")
        assert error(asked(tmp_path, path, "x" * (MAX_BODY + 1))) == (400, "link.too-long")
    assert error(asked(tmp_path, "/999.svg", LINK)) == (409, "page.error.plain")
    with opened(tmp_path) as library:
        assert library.count() == 1


@pytest.mark.parametrize(
    ("slug", "options"),
    [
        ("control", {"size": 3}),
        ("trivia", {"size": 4}),
        ("evening", {"size": 3}),
        ("doves", {"tray": "auto"}),
        ("rengi", {"mode": "open"}),
    ],
)
def test_other_moves_are_tried_in_a_kept_game_and_in_a_linked_one_alike(
    slug: str, options: dict[str, Any], tmp_path: Path
) -> None:
    document = game_document(5, slug, **options)
    record.keep(tmp_path / "records", "20261123-053000", document)
    app = create_app_of(cast("Any", SimpleNamespace()), state=tmp_path)
    link, line = link_of("20261123-053000", document), list[list[Any]]()
    n = len(document["moves"]) // 2
    for _ in range(3):
        path = f"/try/{n}?line={quote(json.dumps(line))}"
        status, told = asked(tmp_path, path, link)
        assert status == 200
        kept = post(app, b"", path=f"/api/library/game/20261123-053000{path}", method="GET")
        assert kept == (200, told)
        assert [[one["side"], one["text"]] for one in told["line"]] == line
        assert told["board"].startswith("<svg ")
        cells = {cell for move in told["may"] for cell in move["cells"]}
        assert cells <= set(range(len(told["places"])))
        move = told["may"][0]
        line.append([move["side"], move["text"]])
    # What the rules do not allow is not tried, nor what follows it; nothing is kept.
    _, told = asked(tmp_path, f"/try/{n}?line={quote(json.dumps([[0, 'z99'], *line]))}", link)
    assert told["line"] == []
    assert post(app, b"", path="/api/library", method="GET")[1]["all"] == 1


@pytest.mark.parametrize("line", ["x", '[["a"]]', "[[9,'a1']]", json.dumps([[0, "a1"]] * 41)])
def test_what_is_no_line_of_moves_is_refused_with_a_sentence(line: str, tmp_path: Path) -> None:
    answer = asked(tmp_path, f"/try/0?line={quote(line)}", LINK)
    assert error(answer) == (409, "page.error.plain")
    assert error(asked(tmp_path, "/try/999", LINK)) == (409, "page.error.plain")


@pytest.mark.parametrize("content", ["http://192.168.1.5:8700/k/abc", "x" * 150])
def test_a_code_in_half_blocks_and_as_a_path_is_the_same_code(content: str) -> None:
    rows = qr.modules(content)
    told = [row for line in qr.lines(content) for row in (
        [sign in "▀█" for sign in line], [sign in "▄█" for sign in line],
    )]  # fmt: skip
    assert told[: len(rows)] == rows
    assert not any(map(any, told[len(rows) :]))
    assert not any(map(any, (*rows[:4], *rows[-4:]))), "readers need quiet around it"
    size, path = qr.path(content)
    drawn = [[False] * size for _ in range(size)]
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", path):
        drawn[int(y)][int(x) : int(x) + int(width)] = [True] * int(width)
    assert drawn == rows
