"""Settings of the service: a broken file stops nothing, a change keeps comments, is never half."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban import games
from lumiban.errors import UsageError
from lumiban.games.base import HINT_LEVELS
from lumiban.i18n import LANGUAGES, text
from lumiban.search.levels import NAMES
from lumiban.service import settings
from lumiban.service.settings import FILE, SETTINGS, USUAL, change, parsed, read, template
from lumiban.table.types import BOT, HUMAN
from lumiban_lab.soak_disk import CrashDisk, crashes


def test_the_file_that_is_written_first_says_the_usual_values_and_nothing_wrong(
    tmp_path: Path,
) -> None:
    settings.ensure(tmp_path / FILE)
    found = read(tmp_path / FILE)
    assert (dict(found.values), found.complaints) == (dict(USUAL.values), ())
    text = (tmp_path / FILE).read_text("utf-8")
    assert all(f"# {one.comment}" in text for one in SETTINGS)


def test_every_menu_offers_what_is_right_and_says_it_in_both_languages() -> None:
    for one in SETTINGS:
        assert all(one.takes(value) for value in one.offered), one.name
        assert one.offered or one.is_free, one.name
        group = "makers" if one.is_makers else one.name.partition(".")[0]
        for language in LANGUAGES:
            for id in (f"serve.setting.{one.name}", f"serve.group.{group}"):
                assert text(id, language) != id
    offered = {one.name: one.offered for one in SETTINGS}
    assert offered["game.name"] == games.available()
    assert offered["game.second"] == (HUMAN, *(BOT + level for level in NAMES))
    assert offered["game.hint"] == tuple(HINT_LEVELS)


@each(
    ("text", "id"),
    [
        ("[page\nport = 1", "serve.settings.broken"),
        ("[page]\nport = 99", "serve.settings.wrong"),
        ("[page]\nport = true", "serve.settings.wrong"),
        ('[game]\nfirst = "nobody"', "serve.settings.wrong"),
        ('[game]\nsecond = "bot:huge"', "serve.settings.wrong"),
        ('[game]\nname = "contrl"', "serve.settings.wrong"),
        ('[game]\nclock = "soon"', "serve.settings.wrong"),
        ('[game]\nhint = "all-of-it"', "serve.settings.wrong"),
        ("[page]\ncolour = 1", "serve.settings.unknown"),
        ("port = 8700", "serve.settings.unknown"),
        ("[page]\nport = " + "9" * 299, "serve.settings.wrong"),
        ("[page]\nport = " + "9" * 5000, "serve.settings.broken"),
        ("a = " + "[" * 5000, "serve.settings.broken"),
    ],
)
def test_what_is_wrong_counts_as_usual_and_is_a_sentence(text: str, id: str) -> None:
    found = parsed(text, Path("settings.toml"))
    assert dict(found.values) == dict(USUAL.values)
    assert [one.id for one in found.complaints] == [id]


def test_a_file_that_breaks_while_the_service_runs_changes_nothing_and_is_a_sentence() -> None:
    before = parsed("[page]\nport = 9000", Path("s.toml"))
    kept = settings.followed(parsed("[page\n", Path("s.toml")), before)
    assert kept.values == before.values
    assert [one.id for one in kept.complaints] == ["serve.settings.kept"]
    mended = parsed("[page]\nport = 9001", Path("s.toml"))
    assert settings.followed(mended, kept) is mended


def test_the_value_that_counts_instead_is_named_also_where_it_is_empty() -> None:
    (wrong,) = parsed('[light]\nnight = "x"', Path("s.toml")).complaints
    assert text(wrong.id, "en", **wrong.params) == (
        's.toml: the value of light.night is not valid, so "" is used.'
    )


def test_games_seats_and_clocks_that_there_are_count() -> None:
    wished = {
        "name": "interleave",
        "first": "bot:gentle",
        "second": "human",
        "clock": "5+3",
        "hint": "coach",
    }
    lines = [f'{key} = "{value}"' for key, value in wished.items()]
    found = parsed("\n".join(["[game]", *lines]), Path("settings.toml"))
    assert found.complaints == ()
    assert {key: found.text(f"game.{key}") for key in wished} == wished
    assert parsed('[game]\nclock = "none"', Path("settings.toml")).complaints == ()


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe[page]", b"\0" * 100, b"#" * 10_000_000, b"[page]\nport = " + b"9" * 5000],
    ids=["no text", "NUL", "10 MB", "5,000 digits"],
)
def test_a_file_that_cannot_be_read_is_told_and_each_is_kept_when_a_setting_is_changed(
    data: bytes, tmp_path: Path
) -> None:
    path = tmp_path / FILE
    for kept in (".broken", ".broken2"):
        path.write_bytes(data)
        (complaint,) = read(path).complaints
        assert complaint.id == "serve.settings.broken"
        assert len(text(complaint.id, "en", **complaint.params)) < 300
        changed = change(path, "page.port", 9000)
        assert (changed.number("page.port"), changed.complaints) == (9000, ())
        assert (tmp_path / (FILE + kept)).read_bytes() == data
    assert (tmp_path / (FILE + ".broken")).read_bytes() == data


def test_an_empty_file_is_the_usual_values_and_takes_a_change(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"")
    settings.ensure(path)
    assert (path.read_bytes(), read(path)) == (b"", USUAL)
    assert change(path, "page.port", 9000).complaints == ()
    assert path.read_text() == "\n[page]\nport = 9000\n"


def test_a_change_keeps_comments_and_all_other_lines(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text('# mine\n[page] # here\n  port = 8701  # why\n[game]\nname = "evening"\n')
    change(path, "page.port", 8800)
    change(path, "light.night", "22:00-06:30")
    change(path, "page.pin", "012345")
    assert path.read_text() == (
        '# mine\n[page] # here\nport = 8800\npin = "012345"\n[game]\nname = "evening"\n\n'
        '[light]\nnight = "22:00-06:30"\n'
    )


def test_a_value_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for name, value in (("page.port", "8700"), ("page.pin", "12"), ("no.such", 1)):
        with pytest.raises(UsageError):
            change(tmp_path / FILE, name, value)
    assert not (tmp_path / FILE).exists()


LINES = st.text(max_size=30) | st.text("aé碁🎲", min_size=195, max_size=205)


@given(st.sampled_from(["board.profile", "board.pins", "page.network"]), LINES)
def test_a_line_is_read_back_as_it_was_given_and_what_is_none_is_refused(
    name: str, value: str
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, FILE)
        settings.ensure(path)
        if len(value) > 200 or not value.isprintable():
            with pytest.raises(UsageError):
                change(path, name, value)
            assert read(path).values == USUAL.values
            return
        change(path, name, value)
        found = read(path)
        assert (dict(found.values), found.complaints) == ({**USUAL.values, name: value}, ())
        assert value in path.read_text("utf-8") or {'"', "\\"} & set(value), "as it is read"


def test_after_any_crash_the_file_is_the_one_before_or_the_new_one(tmp_path: Path) -> None:
    before = template().encode()
    (tmp_path / "disk").mkdir()
    disk = CrashDisk(tmp_path / "disk").begins_with({FILE: before})
    path = tmp_path / "disk" / FILE
    begun = len(disk.log) - 1
    change(path, "page.port", 9000, disk)
    disk.say("changed")
    after = path.read_bytes()
    states = 0
    for crash in crashes(disk.log, since=begun):
        for tree in crash.trees:
            states += 1
            assert tree[FILE] in ((after,) if crash.said else (before, after)), crash.at
    assert states > 10
    assert json.dumps(9000).encode() in after
