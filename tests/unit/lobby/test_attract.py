"""What a resting board shows: the moment that decided most, a rule in light, how a game begins."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from hello_of import hello_of
from library_games import fill, game_document
from lumiban import i18n
from lumiban.boards.profile import load
from lumiban.lobby.attract import AFTER, BEFORE, Attract
from lumiban.lobby.choices import offers_of
from lumiban.lobby.lights import Light, picture_of
from lumiban.table import record

HEX3 = load("hex3")
OFFERS = offers_of(hello_of(HEX3))


def film(attract: Attract, pictures: int) -> list[Light]:
    """The next pictures, each when it is due."""
    out, now_s = [], attract.next_due_s(0.0)
    for _ in range(pictures):
        out.append(dict(attract.light(now_s)))
        now_s = attract.next_due_s(now_s)
    return out


def test_the_move_of_a_kept_game_that_changed_most_is_shown_with_those_around_it(
    tmp_path: Path,
) -> None:
    records = tmp_path / "records"
    document = game_document(4, size=3)
    record.keep(records, "20261126-120000-control", document)
    # Neither a damaged file nor a game of another board is in the way.
    (records / "20261127-000000-control.json").write_text("{", "utf-8")
    large = game_document(1, size=5)
    record.keep(records, "20261128-000000-control", large)
    game, positions = record.replay(document)
    shown = [picture_of(game, one, range(19)) for one in positions]
    seen = film(Attract(HEX3, OFFERS, records), BEFORE + AFTER + 1)
    kinds = [game.kinds_on(one) for one in positions]
    changed = [sum(was != now for was, now in zip(*pair, strict=True)) for pair in pairwise(kinds)]
    # Of several that changed as much, the last.
    best = max(n for n, cells in enumerate(changed, 1) if cells == max(changed))
    around = shown[best - BEFORE : best + AFTER + 1]
    assert seen[: len(around)] == around


def test_each_film_has_its_game_and_its_words_in_every_language(tmp_path: Path) -> None:
    records = tmp_path / "records"
    record.keep(records, "20261126-120000-control", game_document(4, size=3))
    attract, now_s, told = Attract(HEX3, OFFERS, records), 0.0, set()
    for _ in range(400):
        attract.light(now_s)
        now_s = attract.next_due_s(now_s)
        film = attract.told
        assert film is not None
        for said in filter(None, (film.title, film.text)):
            told.add(said.id)
            assert all(said.id in i18n.texts(language) for language in i18n.LANGUAGES), said.id
    assert {"lobby.shows.moment", "lobby.shows.game", "lobby.rule.control.equal"} <= told


def test_a_kept_game_is_nothing_to_a_board_that_cannot_hold_it(tmp_path: Path) -> None:
    fill(tmp_path, 2)
    for path in (tmp_path / "records").iterdir():
        document = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({**document, "game": "nothing-of-ours"}), "utf-8")
    assert film(Attract(HEX3, OFFERS, tmp_path / "records"), 3) == film(Attract(HEX3, OFFERS), 3)
