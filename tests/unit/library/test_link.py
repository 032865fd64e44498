"""Games as links: each comes back whole, and whatever is none says so in a sentence."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from library_games import fill, game_document
from lumiban import games
from lumiban.cli import run
from lumiban.games.registry import OURS_BY_NAME
from lumiban.games.start_file import start_text
from lumiban.library.export import FORMATS, exported
from lumiban.library.library import opened
from lumiban.library.link import (
    BEGINS,
    BadLink,
    keep,
    kept,
    link_of,
    listed,
    read,
    read_file,
)
from lumiban.table import record
from lumiban.table.history import GameHistory
from own_games import own

NAME = "20261123-053000-control"
OPTIONS: dict[str, dict[str, Any]] = {
    "control": {"size": 3},
    "evening": {"size": 3},
    "trivia": {"size": 5},
    "doves": {"initial": "allowed"},
    "rengi": {"mode": "open"},
}
GAME = game_document(5)
LINK = link_of(NAME, GAME)


def forged(document: Any) -> str:
    """A link with the right check, whatever the document holds."""
    return packed(json.dumps(document).encode())


def packed(data: bytes) -> str:
    return f"game={NAME}." + urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


def refusal(link: str) -> str:
    with pytest.raises(BadLink) as refused:
        read(link)
    assert str(refused.value).count("\n") == 0
    return refused.value.id


@pytest.mark.parametrize("slug", OURS_BY_NAME)
def test_a_game_comes_back_whole_from_its_link(slug: str, tmp_path: Path) -> None:
    document = game_document(7, slug, ("human", "bot:easy"), **OPTIONS[slug])
    name = f"20261123-053000-{slug}"
    linked = read("http://localhost:8700/library#" + link_of(name, document))
    assert (linked.name, linked.document) == (name, document)
    assert record.replay(linked.document)[1] == record.replay(document)[1]
    kept_as = keep(tmp_path, linked)
    with opened(tmp_path) as library:
        assert library.document(kept_as) == document
        there, shown = library.game(kept_as), listed(linked)
    assert there.fault == ""
    assert replace(there, serial=0, name=name) == shown


def test_a_game_is_kept_once_and_replaces_no_other(tmp_path: Path) -> None:
    [own] = fill(tmp_path, 1)
    with opened(tmp_path) as library:
        mine = library.document(own)
    # A link that goes back to where it is from finds its game there.
    assert (
        kept(tmp_path, read(link_of(own, mine))) == keep(tmp_path, read(link_of(own, mine))) == own
    )
    # Others of the same name get names that no table gives.
    other, third = read(link_of(own, GAME)), read(link_of(own, game_document(6)))
    assert kept(tmp_path, other) == ""
    assert [keep(tmp_path, one) for one in (other, third, other, third)] == [
        f"{own}-shared",
        f"{own}-shared-2",
    ] * 2
    again = read(link_of(f"{own}-shared-2", third.document))
    assert kept(tmp_path, again) == f"{own}-shared-2"
    with opened(tmp_path) as library:
        assert library.document(own) == mine
        assert library.count() == 3


def test_a_link_that_lost_letters_is_refused_wherever_it_was_cut() -> None:
    for end in range(len(LINK)):
        assert refusal(LINK[:end]) in ("link.none", "link.cut")


@given(st.integers(len(f"game={NAME}."), len(LINK) - 1), st.sampled_from("Aaz09-_"))
def test_a_link_with_a_changed_letter_is_refused_or_the_same_game(at: int, letter: str) -> None:
    try:
        linked = read(LINK[:at] + letter + LINK[at + 1 :])
    except BadLink:
        return
    assert linked.document == GAME


def test_line_breaks_of_mail_are_no_harm() -> None:
    assert read("\n ".join(LINK[at : at + 76] for at in range(0, len(LINK), 76))).document == GAME


def test_a_forged_game_is_played_before_it_counts(tmp_path: Path) -> None:
    result = {"winner": 1 - (GAME["result"]["winner"] or 0), "reason": GAME["result"]["reason"]}
    moves = [*GAME["moves"][:1], *GAME["moves"]]
    for change in (
        {"result": result},
        {"moves": moves},
        {"moves": GAME["moves"][:-1]},
        {"format": "other"},
        {"seats": 2},
        {"version": 99},
    ):
        assert refusal(forged(GAME | change)) == "link.faulty"
    assert not (tmp_path / "records").exists()


@given(
    st.sampled_from([*sorted(GAME), "clock", "clock_left", "coins", "flag", "setup"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
        ),
        max_leaves=4,
    ),
)
def test_whatever_stands_in_a_part_of_a_record_ends_in_a_sentence(part: str, value: Any) -> None:
    try:
        linked = read(forged(GAME | {part: value}))
    except BadLink:
        return
    assert listed(linked).moves == len(GAME["moves"])
    assert all(exported(linked.document, form) for form in FORMATS)


def test_a_game_of_somebodys_own_runs_no_program_and_tells_no_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(start_text("Mine", "mine.py", "hex"))
    game = games.load(own(file))
    history = GameHistory(game, ["human", "human"])
    history.play(game.parse(history.position, "resign", 0), 0, "page")
    outcome = history.outcome
    assert outcome is not None
    document = record.make(history, outcome)
    assert document["digest"]
    file.write_text("raise SystemExit('ran')")
    with pytest.raises(BadLink, match=r"not installed here \(mine\.py\)") as refused:
        read(forged(document))
    assert str(tmp_path) not in str(refused.value)


def test_commands_print_a_link_and_import_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    [name] = fill(here, 1)
    monkeypatch.setenv("LUMIBAN_HOME", str(here))
    assert run(["records", "link", name]) == 0
    address = capsys.readouterr().out.strip()
    assert run(["records", "export", name, str(tmp_path / f"{name}.json")]) == 0
    monkeypatch.setenv("LUMIBAN_HOME", str(there))
    assert run(["records", "import", address]) == 0
    assert run(["records", "import", str(tmp_path / f"{name}.json")]) == 0
    assert run(["records", "import", address[:-9]]) == 2
    assert "Traceback" not in capsys.readouterr().err
    with opened(there) as library, opened(here) as origin:
        assert library.count() == 1
        assert library.document(f"{name}-shared") == origin.document(name)


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        ("20261123-053000-rengi", "20261123-053000-rengi"),
        ("a game", "a_game"),
        ("../../etc/passwd", "______etc_passwd"),
        ("Spiel für zwei", "Spiel_f_r_zwei"),
        ("--help", "help"),
    ],
)
def test_a_name_from_elsewhere_becomes_one_that_every_file_may_have(
    name: str, becomes: str, tmp_path: Path
) -> None:
    assert read(link_of(name, game_document(1))).name == becomes
    file = tmp_path / f"{name.replace('/', '_')}.json"
    file.write_text(json.dumps(game_document(1)), "utf-8")
    found = read_file(file)
    assert found.document == game_document(1)
    assert not found.name.startswith("-")
    assert set(found.name) <= set("abcdefghijklmnopqrstuvwxyzS0123456789_-.")


def raw(data: bytes) -> str:
    return BEGINS + "x." + urlsafe_b64encode(data).decode().rstrip("=")


@each(
    ("link", "id"),
    [
        (raw(zlib.compress(b"{}") + b"more"), "link.damaged"),
        (raw(zlib.compress(b"[1]")), "link.damaged"),
        (raw(zlib.compress(b"{")), "link.damaged"),
        (raw(b"no zlib"), "link.damaged"),
        (raw(zlib.compress(b'{"game": "control"}')[:-5]), "link.cut"),
        (raw(zlib.compress(b" " * 10_000_000)), "link.too-long"),
        (raw(zlib.compress(b'{"game": "control"}')), "link.faulty"),
        (raw(zlib.compress(b'{"game": "chess"}')), "link.other-game"),
        (raw(zlib.compress(b'{"game": "/home/anna/mine.py"}')), "link.other-game"),
        (BEGINS + "x.A", "link.cut"),
        (BEGINS + "x.AAAAAAAA", "link.damaged"),
        (raw(zlib.compress(b"[" * 100_000)), "link.damaged"),
        (BEGINS + "../../x.AAAA", "link.none"),
        (raw(zlib.compress(b"{}")), "link.other-game"),
        ("nothing", "link.none"),
        ("", "link.none"),
        (BEGINS + "x." + "A" * 100_000, "link.too-long"),
    ],
)
def test_what_is_wrong_with_a_link_is_told_by_its_kind(link: str, id: str) -> None:
    with pytest.raises(BadLink) as told:
        read("https://example.org/library#" + link)
    assert told.value.id == id
    assert "anna" not in str(told.value)
