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
from lumiban.service.settings import (
    FILE,
    SETTINGS,
    USUAL,
    Complaint,
    ServiceSettings,
    change,
    parsed,
    read,
    template,
)
from lumiban.table.types import BOT, HUMAN
from lumiban_lab.soak_disk import CrashDisk, crashes


def test_every_menu_offers_what_is_right_and_says_it_in_both_languages() -> None:
    for one in SETTINGS:
        assert all(one.takes(value) for value in one.offered), one.name
        assert one.offered or one.is_free, one.name
        group = "makers" if one.is_makers else one.name.partition(".")[0]
        for language in LANGUAGES:
            for id in (f"serve.setting.{one.name}", f"serve.group.{group}"):
                assert text(id, language) != id
    listed = {
        one["name"]: one
        for one in settings.as_json(ServiceSettings({**USUAL.values, "page.port": 9000}))
    }
    assert listed["page.port"] == {
        "name": "page.port",
        "value": 9000,
        "usual": 8700,
        "offered": (),
        "free": True,
        "maker": True,
    }
    assert (listed["game.lobby"]["free"], listed["game.lobby"]["maker"]) == (False, False)
    offered = {name: one["offered"] for name, one in listed.items()}
    assert offered["game.name"] == games.available()
    assert offered["game.second"] == (HUMAN, *(BOT + level for level in NAMES))
    assert offered["game.hint"] == tuple(HINT_LEVELS)


def said(one: Complaint) -> str:
    """A complaint as it is read: all that it names is there."""
    sentence = text(one.id, "en", **one.params)
    assert "{" not in sentence
    return sentence


@each(
    ("text", "id"),
    [
        ("[page\nport = 1", "serve.settings.broken"),
        ("[page]\nport = true", "serve.settings.wrong"),
        ('[game]\nfirst = "nobody"', "serve.settings.wrong"),
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
    assert "settings.toml" in said(found.complaints[0])


@each(
    ("name", "right", "wrong"),
    [
        ("page.port", (1024, 65000), (1023, 65001, True)),
        ("page.network", ("auto", "192.168.1.5", "x" * 200), ("x" * 201, "a\nb")),
        ("page.pin", ("000000", "987654"), ("12345", "1234567", "12345x", "１２３４５６")),
        ("page.language", ("en", "ja"), ("de", "EN")),
        ("page.name", ("https://a.org", "http://b:8080"), ("a.org", "https://a.org/", "https://")),
        ("page.proxy", ("10.0.0.1", "::1"), ("10.0.0", "proxy.local", "")),
        ("page.proxy_header", ("X-Forwarded-For", "A"), ("-A", "1", "A b")),
        ("board.turn", (60, 300), (30, 360)),
        ("game.name", ("interleave", "stigmergy"), ("contrl", "stranger.py")),
        ("game.first", ("human", "bot:strong"), ("dog", "bot:god")),
        ("game.clock", ("none", "5+3", "move:30s"), ("soon", "5+")),
        ("game.lobby", ("on", "off"), ("On", "")),
        ("game.hint", ("none", "coach"), ("all",)),
        ("light.rest_after_s", (0, 86400), (-1, 86401)),
        ("light.night", ("22:30-07:00", "00:00-23:59"), ("24:00-07:00", "22:60-07:00", "22:30")),
        ("light.brightness", (40, 100), (39, 101)),
        ("care.update_board", ("never",), ("always",)),
    ],
)
def test_of_each_setting_the_values_that_there_are_count_and_no_others(
    name: str, right: tuple[object, ...], wrong: tuple[object, ...]
) -> None:
    section, _, key = name.partition(".")
    for value in (*right, *wrong):
        found = parsed(f"[{section}]\n{key} = {json.dumps(value, ensure_ascii=False)}", Path("s"))
        is_right = value in right
        assert (found.complaints == (), found.values[name] == value) == (is_right,) * 2, value


def test_a_table_is_begun_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    said = {
        "page.network": ("auto", "network"), "page.pin": ("012345", "pin"),
        "page.language": ("ja", "language"), "page.name": ("https://a.org", "name"),
        "page.proxy": ("10.0.0.1", "proxy"), "page.proxy_header": ("X-Real-IP", "proxy_header"),
        "board.profile": ("hex3", "profile"), "board.pins": ("rows=4", "pins"),
        "board.turn": (60, "turn"), "game.name": ("trivia", "game"),
        "game.clock": ("5+3", "clock"), "game.hint": ("none", "hint"),
        "light.rest_after_s": (300, "rest_after_s"), "light.night": ("22:00-07:00", "night"),
        "light.attract_after_s": (0, "attract_after_s"), "light.brightness": (65, "brightness"),
    }  # fmt: skip
    values = {**USUAL.values, **{name: value for name, (value, _) in said.items()}}
    values |= {"game.first": "bot:easy", "game.second": "human", "game.lobby": "off"}
    order = ServiceSettings({**values, "care.update_board": "never"}).order(3, 7, "/dev/b")
    assert {name: (getattr(order, field), field) for name, (_, field) in said.items()} == said
    assert (order.number, order.listening, order.board) == (3, 7, "/dev/b")
    assert order.seats == ("bot:easy", "human")
    assert order.resumes_any_game
    assert not any((order.has_lobby, order.asks_update, order.can_power_off))
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/lumiban")
    usual = USUAL.order(1, 7, "")
    assert all((usual.has_lobby, usual.asks_update, usual.can_power_off))
    assert usual.network == "", "this machine alone"


def test_of_another_s_settings_play_and_looks_are_taken_and_no_program_nor_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / FILE
    path.write_text("# mine\n[page]\nport = 9000\n[light]\nbrightness = 65\n")
    other = (
        '[page]\nport = 9001\nlanguage = "ja"\npin = "000111"\n[board]\nwhere = "sim"\n'
        '[game]\nname = "evening"\n[light]\nnight = "22:00-07:00"\n'
    )
    text, told, left = settings.with_play(path, other)
    assert text.startswith('# mine\n[page]\nport = 9000\nlanguage = "ja"\n[light]\n')
    assert told == (
        'game.name = "evening"', "light.brightness = 100", 'light.night = "22:00-07:00"',
        'page.language = "ja"',
    )  # fmt: skip
    assert left == ("board.where", "page.pin", "page.port")
    wished = parsed(text, path)
    assert (wished.text("page.pin"), wished.number("light.brightness")) == ("", 100)
    own = tmp_path / "mine.py"
    own.touch()
    monkeypatch.setattr("lumiban.games.gate.is_accepted", lambda file: True)
    _, told, left = settings.with_play(path, f'[game]\nname = "{own}"\n[light]\nbrightness = 65')
    assert (told, left) == ((), ("game.name",)), "it is a program"


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe[page]", b"\0" * 100, b"#" * 100_001, b"[page]\nport = " + b"9" * 5000],
    ids=["no text", "NUL", "over 100 kB", "5,000 digits"],
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
