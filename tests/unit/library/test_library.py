"""The library: found games, named players, results, and that it is built again to the row."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import resource
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import patience
import pytest
from killed import killings
from library_games import fill, game_document
from lumiban import games
from lumiban.cli import run
from lumiban.errors import JournalError, UsageError
from lumiban.games.start_file import start_text
from lumiban.library.database import NAME, OLD_NAMES, remove
from lumiban.library.library import Library, LibraryGame, PlayerResults, opened
from lumiban.library.rows import columns
from lumiban.table import record
from lumiban.table.history import GameHistory
from own_games import own


def named(state: Path, names: list[str]) -> None:
    """Aya and Ben, who declared 200 before the first game, play these games in turn."""
    with opened(state) as library:
        if not library.players():
            library.declare("Ben", "control", 200)
        for number, name in enumerate(names):
            library.seat(name, ("Aya", "Ben") if number % 2 else ("Ben", "Aya"))


def told(library: Library) -> tuple[list[LibraryGame], list[PlayerResults]]:
    """All that a library tells, the first game first."""
    return library.games(limit=500)[::-1], library.players()


def library_of(state: Path) -> tuple[list[LibraryGame], list[PlayerResults]]:
    with opened(state) as library:
        assert library.notes == []
        return told(library)


def test_finished_games_are_listed_last_first_and_found_by_words(tmp_path: Path) -> None:
    names = fill(tmp_path, 6)
    record.keep(tmp_path / "records", "20261124-000000-trivia", game_document(9, "trivia", size=2))
    named(tmp_path, names[:2])
    with opened(tmp_path) as library:
        found = [game.name for game in library.games()]
        assert found == ["20261124-000000-trivia", *reversed(names)]
        assert [game.name for game in library.games("aya")] == [names[1], names[0]]
        assert [game.name for game in library.games("AYA 000001")] == [names[1]]
        assert [game.name for game in library.games("trivia")] == found[:1]
        assert library.games("nobody") == []
        assert [game.name for game in library.games(limit=2)] == found[:2]
        before = library.games(limit=2)[-1].serial
        assert [game.name for game in library.games(limit=2, before=before)] == found[2:4]
        # What has a meaning in SQL is a letter like others.
        assert library.games("%") == library.games("_") == library.games("' OR 1=1 --") == []


@pytest.mark.parametrize("slug", ["rengi", "control"])
def test_a_resignation_is_rated_as_a_loss(tmp_path: Path, slug: str) -> None:
    """Ben (200) resigns against Aya (0): 10^(200/400) = 3.16228; 1 − 1/4.16228 = 0.75975;
    × 32 = 24.31."""
    game = games.load(slug, begins="first") if slug == "rengi" else games.load(slug)
    history = GameHistory(game, ["human", "human"])
    history.play(game.moves(history.position, 0)[0], 0, "page")
    history.play(game.parse(history.position, "resign", 1), 1, "page")
    assert history.outcome is not None
    record.keep(tmp_path / "records", "resigned", record.make(history, history.outcome))
    with opened(tmp_path) as library:
        library.declare("Ben", slug, 200)
        (resigned,) = library.games()
        assert (resigned.winner, resigned.reason) == (0, "resigned")
        resigned = library.seat("resigned", ("Aya", "Ben"))
        assert (resigned.verdict, resigned.before) == ("rated", (0, 200))
        assert resigned.gained == (24, -24)
        told = [(one.player, one.won, one.lost, one.rating) for one in library.players()]
        assert told == [("Ben", 0, 1, 176), ("Aya", 1, 0, 24)]
        record.keep(tmp_path / "records", "resumed", record.make(history, history.outcome))
        assert library.seat("resumed", ("Aya", "Ben")).before == (24, 176)


def test_a_disk_that_takes_no_more_is_a_sentence_and_later_all_is_there(tmp_path: Path) -> None:
    library_of(tmp_path)
    fill(tmp_path, 40)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with closing(Library(tmp_path)) as library:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, limits[1]))
        try:
            told = rf"the library {library.path} cannot be used: .*; see to the disk"
            with pytest.raises(JournalError, match=told):
                library.follow()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert library.count() == 0
        library.follow()
        assert library.count() == 40


def test_nobody_is_seated_where_a_machine_sat_or_in_a_game_that_is_not_there(
    tmp_path: Path,
) -> None:
    record.keep(tmp_path / "records", "one", game_document(5, seats=("bot:easy", "human")))
    with opened(tmp_path) as library:
        with pytest.raises(UsageError, match="there is no game 'none' in the library"):
            library.seat("none", ("Aya", None))
        with pytest.raises(UsageError, match="bot:easy sat on side 1"):
            library.seat("one", ("Aya", "Ben"))
        with pytest.raises(UsageError, match="nobody is rated in it"):
            library.declare("Aya", "chain-power", 100)
        assert library.players() == []
        assert library.seat("one", (None, "Ben")).players == (None, "Ben")


def test_a_row_tells_what_its_record_holds_and_takes_nothing_else_for_it() -> None:
    move = {"side": 0, "text": "a1", "by": "page"}
    moves = [{**move, "text": f"a{n}", "at_us": 5_000_000 + 2_500_000 * n} for n in range(8)]
    whole = {
        "game": "control", "options": {"size": 3}, "seats": ["human", "bot:easy"], "moves": moves,
        "result": {"winner": 1, "reason": "points"},
    }  # fmt: skip
    row = columns(whole)
    assert row == {
        "slug": "control", "options": '{"size": 3}', "seat0": "human", "seat1": "bot:easy",
        "winner": 1, "reason": "points", "moves": 8, "seconds": 17.5,
        "opening": "a0 a1 a2 a3 a4 a5", "is_set_up": 0, "has_assists": 0,
    }  # fmt: skip
    for part, value, told in (
        ("setup", {}, {"is_set_up": 1}),
        ("moves", [{**move, "by": "continued"}],
         {"is_set_up": 1, "moves": 1, "seconds": 0.0, "opening": "a1"}),
        ("moves", moves[::-1], {"seconds": 0.0, "opening": "a7 a6 a5 a4 a3 a2"}),  # a clock reset
        ("moves", [None, move, 7], {"moves": 1, "seconds": 0.0, "opening": "a1"}),
        ("moves", "a1", {"moves": 0, "seconds": 0.0, "opening": ""}),
        ("options", {"show_hands_left": "on"},
         {"options": '{"show_hands_left": "on"}', "has_assists": 1}),
        ("options", {"show_chain_forecast": "on"},
         {"options": '{"show_chain_forecast": "on"}', "has_assists": 1}),
        ("options", {"show_hands_left": "off"}, {"options": '{"show_hands_left": "off"}'}),
        ("options", [1], {"options": "{}"}),
        ("seats", ["human"], {"seat1": "?"}),
        ("seats", 5, {"seat0": "?", "seat1": "?"}),
        ("seats", ["x" * 99, None], {"seat0": "x" * 40, "seat1": "None"}),
        ("result", {"winner": True}, {"winner": None, "reason": ""}),
        ("result", {"winner": 2, "reason": "x" * 99}, {"winner": None, "reason": "x" * 80}),
        ("result", 1, {"winner": None, "reason": ""}),
        ("game", "/" + "x" * 5000, {"slug": "x" * 4096}),
    ):  # fmt: skip
        assert columns({**whole, part: value}) == {**row, **told}, (part, value)


@pytest.mark.process
@pytest.mark.parametrize("is_there", [False, True], ids=["from-nothing", "over-a-library"])
def test_killed_at_any_call_a_rebuild_ends_equal_row_by_row(tmp_path: Path, is_there: bool) -> None:
    names = fill(tmp_path, 12)
    named(tmp_path, names[:4])
    before = library_of(tmp_path)
    whole = (tmp_path / NAME).read_bytes()
    killed = 0
    for at in killings(tmp_path, "records", "rebuild", every=9):
        killed += 1
        assert library_of(tmp_path) == before, at
        for suffix in ("", "-wal", "-shm"):
            (tmp_path / (NAME + suffix)).unlink(missing_ok=True)
        if is_there:
            (tmp_path / NAME).write_bytes(whole)
    assert killed >= 4
    assert library_of(tmp_path) == before


@pytest.mark.parametrize("harm", ["text", "middle", "cut", "rating", "game"])
def test_a_damaged_library_is_built_again_and_told(tmp_path: Path, harm: str) -> None:
    fill(tmp_path, 8)
    before = library_of(tmp_path)
    path = tmp_path / NAME
    if harm == "text":
        path.write_bytes(b"this is no database" * 400)
    elif harm == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    elif harm == "middle":
        data = bytearray(path.read_bytes())
        data[4096:] = b"\xa5" * (len(data) - 4096)
        path.write_bytes(data)
    else:
        with sqlite3.connect(path) as db:
            db.execute(f"DROP TABLE {harm}")
        db.close()
        os.utime(tmp_path / "records", ns=(1, 1))  # it is looked into again
    with opened(tmp_path) as library:
        games = library.games(limit=500)
        library.players()
        assert [note.id for note in library.notes] == ["library.damaged"]
        assert told(library) == before
    assert len(games) == 8
    assert library_of(tmp_path) == before  # told once


def test_a_library_that_is_damaged_while_it_is_open_answers_all_the_same(tmp_path: Path) -> None:
    names = fill(tmp_path, 2)
    with opened(tmp_path) as library:
        with closing(sqlite3.connect(tmp_path / NAME)) as db:
            db.execute("DROP TABLE game")
        assert [game.name for game in library.games()] == names[::-1]
        assert [note.id for note in library.notes] == ["library.damaged"]


def test_a_state_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(JournalError, match=rf"the library {tmp_path}/file/state/.* be used"):
        Library(tmp_path / "file" / "state")


def test_a_library_is_removed_with_all_that_sqlite_keeps_beside_it(tmp_path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        (tmp_path / (NAME + end)).write_bytes(b"x")
    remove(tmp_path / NAME)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", [0, 99])
def test_a_library_of_another_version_is_built_again(tmp_path: Path, version: int) -> None:
    named(tmp_path, fill(tmp_path, 3))
    before = library_of(tmp_path)
    (tmp_path / OLD_NAMES[0]).write_bytes(b"of another lumiban")
    with closing(sqlite3.connect(tmp_path / NAME)) as db:
        db.executescript(f"DROP TABLE player; DROP TABLE game; PRAGMA user_version = {version};")
    assert library_of(tmp_path) == before
    assert not (tmp_path / OLD_NAMES[0]).exists()


def own_game(state: Path) -> tuple[str, str]:
    """The name of a finished game of somebody's own, and its file; Black won by points."""
    file = state / ("x" * 90) / ("y" * 120) / "mine.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "from lumiban.games.simple import SimpleGame\n\n\n"
        "class Mine(SimpleGame):\n    sizes = (2,)\n\n"
        "    def points(self, board):\n        return board.count(0), 2 * board.count(1)\n\n"
        "    def stuck(self, board):\n        return self.by_points(board)\n"
    )
    record.keep(state / "records", "20261125-000000-mine", game_document(3, own(file), size=2))
    return "20261125-000000-mine", str(file)


def test_a_game_of_ones_own_is_listed_as_its_record_tells_and_counts_for_no_player(
    tmp_path: Path,
) -> None:
    name, file = own_game(tmp_path)
    with opened(tmp_path) as library:
        library.seat(name, ("Aya", "Ben"))
        (game,) = library.games("mine")
        assert (game.slug, game.fault, game.is_own, game.winner) == (file, "", True, 1)
        assert (game.verdict, game.players) == ("own", ("Aya", "Ben"))
        assert library.players() == []


def _at_once(state: str, number: int) -> None:
    with opened(Path(state)) as library:
        library.seat(library.games()[0].name, (f"Player {number}", None))
        library.rebuild()


@pytest.mark.process
def test_two_hosts_on_one_library_lose_nothing(tmp_path: Path) -> None:
    fill(tmp_path, 12)
    spawn = multiprocessing.get_context("spawn")
    hosts = [spawn.Process(target=_at_once, args=(str(tmp_path), n)) for n in range(3)]
    for host in hosts:
        host.start()
    patience.until(lambda: not any(host.is_alive() for host in hosts))
    assert [host.exitcode for host in hosts] == [0, 0, 0]
    before = library_of(tmp_path)
    with opened(tmp_path) as library:
        assert sorted(library.player(f"Player {n}") for n in range(3)) == [1, 2, 3]
        assert library.player("Player 3") == 4
    assert len(before[0]) == 12
    (tmp_path / NAME).unlink()
    assert library_of(tmp_path) == before


def test_another_host_that_writes_is_waited_for_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, 1)
    library_of(tmp_path)
    monkeypatch.setattr("lumiban.library.database.BUSY_TIMEOUT_S", 0.05)
    other = sqlite3.connect(tmp_path / NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with opened(tmp_path) as library:
        assert library.count() == 1  # who reads is not held up
        with pytest.raises(JournalError, match="another lumiban has been writing"):
            library.player("Aya")
    other.rollback()
    other.close()


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 41, "x" * 10_000, "a\x00b", "a\x1b[31mb", "‮evil"]
)
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    [game] = fill(tmp_path, 1)
    with opened(tmp_path) as library, pytest.raises(UsageError, match="name"):
        library.seat(game, (name, None))
    assert library_of(tmp_path)[1] == []


def test_a_name_with_markup_is_a_name(tmp_path: Path) -> None:
    [game] = fill(tmp_path, 1)
    with opened(tmp_path) as library:
        seated = library.seat(game, ("<script>alert(1)</script>", "Robert'); DROP TABLE game"))
        assert seated.players == ("<script>alert(1)</script>", "Robert'); DROP TABLE game")
        assert library.count() == 1


def test_a_strangers_record_runs_no_code_and_stays_in_the_list_with_its_fault(
    tmp_path: Path,
) -> None:
    good = game_document(1)
    proof = tmp_path / "ran"
    mine = tmp_path / "mine.py"
    mine.write_text(start_text("Mine", "mine.py", "hex") + f"\nopen({str(proof)!r}, 'w')\n")
    strange = {
        "a-file": {**good, "game": str(mine)},
        "a-lie": {**good, "game": str(mine), "result": {"winner": True}},
        "b-moves": {**good, "moves": [{"side": 0, "text": "a1"}] * 3},
        "c-result": {**good, "result": {"winner": 1 - good["result"]["winner"], "reason": "x"}},
        "d-shape": {"format": "lumiban-game", "version": 1, "seats": 5, "moves": {"a": 1}},
        "e-other": {"format": "chess"},
        "f-types": {**good, "moves": [None, 7, "c"], "options": [1], "seats": [None, {}]},
        "g-huge": {**good, "game": "x" * 100_000, "seats": ["y" * 100_000, "z"]},
    }
    for name, document in strange.items():
        record.keep(tmp_path / "records", name, document)
    (tmp_path / "records" / "h-text.json").write_text("{ not JSON")
    (tmp_path / "records" / "i-deep.json").write_text("[" * 5000 + "]" * 5000)
    record.keep(tmp_path / "records", "j-good", good)
    os.mkfifo(tmp_path / "records" / "k-pipe.json")  # opened, it would wait for a writer
    with opened(tmp_path) as library:
        found = {game.name: game for game in library.games()}
        assert {name for name, game in found.items() if not game.fault} == {"a-file", "j-good"}
        assert (found["a-file"].is_own, found["a-file"].verdict) == (True, "own")
        assert len(found) == 12
        assert {game.verdict for game in found.values() if game.fault} == {"unsound"}
        for name in ("../ledger", "/etc/passwd", "j-good/../j-good"):
            with pytest.raises(UsageError, match="there is no game"):
                library.document(name)
    assert not proof.exists()


def test_a_ledger_edited_by_hand_is_told_and_the_other_lines_count(tmp_path: Path) -> None:
    names = fill(tmp_path, 4)
    named(tmp_path, names)
    path = tmp_path / "ledger"
    text = path.read_text("utf-8")
    assert '"rating":200' in text
    path.write_text(text.replace('"rating":200', '"rating":2900') + "garbage\n\n12345678 9 {}")
    with opened(tmp_path) as library:
        library.rebuild()
        assert [note.id for note in library.notes] == ["ledger.line"] * 3
        told = {one.player: one for one in library.players()}
        assert told["Ben"].rating < 100  # nobody became a master by an editor
        assert told["Ben"].rated_games == 4
        # What comes after it is an entry of its own.
        library.player("Cleo")
    with opened(tmp_path) as library:
        library.rebuild()
        assert library.player("Cleo") == 3
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], *lines[3:]]) + "\n", "utf-8")
    with opened(tmp_path) as library:
        library.rebuild()
        assert "ledger.missing" in [note.id for note in library.notes]


def test_the_command_lists_names_rates_and_exports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    assert run(["records"]) == 0
    assert capsys.readouterr().out == "No game has ended yet.\n"
    names = fill(tmp_path, 2)
    assert run(["records", "declare", "Aya", "control", "120"]) == 0
    assert run(["records", "name", names[0], "--first", "Aya", "--second", "Ben"]) == 0
    assert "The game is rated." in capsys.readouterr().out
    assert run(["replay", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [names[1], names[0]]
    assert "Aya – Ben" in lines[1]
    assert run(["records", "players", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["players"]
    assert sum(one["rating"] for one in told) == 120
    assert run(["replay", names[0]]) == 0
    moves = len(capsys.readouterr().out.splitlines()) - 2
    for form in ("json", "txt", "svg"):
        out = tmp_path / f"game.{form}"
        assert run(["records", "export", names[0], str(out)]) == 0
        text = out.read_text("utf-8")
        if form == "json":
            assert record.verify(json.loads(text)).winner in (0, 1)
        elif form == "txt":
            assert "Aya" in text
            assert f"{moves}. " in text
        else:
            assert text.startswith("<svg ")
    out = tmp_path / "all.csv"
    assert run(["records", "export", "all", str(out)]) == 0
    rows = list(csv.DictReader(out.open()))
    assert [row["name"] for row in rows] == names
    assert (rows[0]["first_player"], rows[0]["option_size"]) == ("Aya", "2")
    played = list(csv.DictReader((tmp_path / "all-moves.csv").open()))
    assert len(played) == sum(int(row["moves"]) for row in rows)
    assert played[1] == {
        "name": names[0], "number": "2", "side": "1", "text": played[1]["text"],
        "at_us": "1000000", "by": "page",
    }  # fmt: skip
    assert run(["records", "export", names[1], str(tmp_path / "one.csv")]) == 0
    assert len(list(csv.DictReader((tmp_path / "one.csv").open()))) == 1
    capsys.readouterr()
    for words, said in (
        (["export", names[0], str(tmp_path / "game.exe")], "ends in none of"),
        (["export", "all", str(tmp_path / "all.txt")], "all games are exported as .csv"),
        (["export", "none", str(tmp_path / "game.txt")], "there is no game 'none'"),
        (["export", names[0], str(tmp_path / "x.svg"), "--move", "999"], "there is no move 999"),
        (["name", names[0]], "give a name"),
        (["declare", "Aya", "control", "3001"], "0 to 3000"),
        (["declare", "Aya", "chess", "1"], "there is no game 'chess'"),
    ):
        assert run(["records", *words]) == 2
        assert said in capsys.readouterr().err
    assert run(["records", "rebuild", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2
    shutil.rmtree(tmp_path / "records")
    assert run(["records", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["all"] == 0


def test_chain_power_tests_have_a_history_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    assert run(["records", "power"]) == 0
    assert "No chain-power test" in capsys.readouterr().out
    document = game_document(2, "chain-power", day="20261123")
    document = {**document, "moves": document["moves"][:-1]}  # without the resignation
    game, positions = record.replay(document)
    position = positions[-1]
    while (outcome := game.outcome(position)) is None:
        at_us = 1_000_000 * len(document["moves"])
        document["moves"].append({"side": 0, "text": "next", "at_us": at_us, "by": "page"})
        position = game.play(position, game.parse(position, "next"))
    document["result"] = {"winner": outcome.winner, "reason": outcome.reason}
    record.keep(tmp_path / "records", "20261123-100000-chain-power", document)
    broken = {**document, "moves": [{**move, "at_us": "soon"} for move in document["moves"]]}
    record.keep(tmp_path / "records", "20261123-110000-chain-power", broken)
    fill(tmp_path, 2)
    assert run(["records", "name", "20261123-100000-chain-power", "--first", "Aya"]) == 0
    assert "no rating changes" in capsys.readouterr().out
    assert run(["records", "power", "--json"]) == 0
    [test] = json.loads(capsys.readouterr().out)["tests"]
    assert test["players"] == ["Aya", None]
    assert test["power"]["day"] == "20261123"
    assert sum(one["hands"] for one in test["power"]["lists"]) == 40
    assert test["power"]["score"] == sum(one["score"] for one in test["power"]["lists"]) // 5
    with opened(tmp_path) as library:
        assert library.players() == []  # nobody was beaten
        assert [game.name for game in library.games() if game.fault] == [
            "20261123-110000-chain-power"
        ]
