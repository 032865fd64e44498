"""Records of finished games: files that are whole or not there, and played again to the letter."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from journals import lines
from lumiban import games
from lumiban.cli import run
from lumiban.errors import GameError, UsageError
from lumiban.games.registry import OURS
from lumiban.system.disk import Disk
from lumiban.table import record
from lumiban.table.event_order import coin
from lumiban.table.history import GameHistory
from lumiban.table.journal import CoinRecord
from lumiban.table.record import keep, keep_missing, read

GAMES = (
    ("control", {"size": 3}),
    ("evening", {"size": 3, "turns": "trailing"}),
    ("evening", {"size": 2}),
    ("interleave", {"size": 2}),
    ("trivia", {"size": 3}),
    ("doves", {}),
    ("rengi", {"mode": "open"}),
    ("rengi", {"mode": "tsu"}),
    ("rengi", {"mode": "shodai"}),
)


def played(slug: str, options: dict[str, Any], seed: int) -> dict[str, Any]:
    """The record of a random game; after 60 moves somebody resigns."""
    chance = random.Random(seed)
    game = games.load(slug, **options)
    history = GameHistory(game, ["human", "human"], seed=seed)
    while (outcome := history.outcome) is None:
        side = chance.choice(game.movers(history.position))
        moves = game.moves(history.position, side)
        words = [w for w in game.words(history.position, side) if not w.startswith("resign")]
        if len(history.played) < 60 and (moves or words):
            move = chance.choice(
                moves or [game.parse(history.position, chance.choice(words), side)]
            )
        else:
            move = game.parse(history.position, "resign", side)
        history.play(move, 1000 * len(history.played), "page")
    return record.make(history, outcome)


@pytest.mark.one_case
@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_a_record_of_every_game_goes_through_json_and_replays(
    slug: str, options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(3):
        document = played(slug, options, seed)
        path = keep(tmp_path / "records", f"{slug}-{seed}", document)
        assert json.loads(path.read_text("utf-8")) == document
        assert run(["replay", str(path), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["moves"] == [move["text"] for move in document["moves"]]
        assert told["reason"] == document["result"]["reason"]
    assert run(["replay", str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(told["moves"]) + 2


def test_without_a_file_the_game_that_ended_last_is_replayed_and_its_place_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    assert run(["replay"]) == 2
    assert "no game has ended yet" in capsys.readouterr().err
    # A game that began first may end last: the time of the file counts, not its name.
    for name, ended in (("2-late", 1), ("1-early", 2)):
        path = keep(tmp_path / "records", name, played("control", {"size": 2}, ended))
        os.utime(path, (ended, ended))
    assert run(["replay"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == str(path)


def journal_of(history: GameHistory, *, ended: bool = True) -> bytes:
    """A journal of these moves."""
    outcome = history.outcome
    assert outcome is not None
    moves = [
        {"t": "move", "side": p.move.side, "text": p.move.text, "at": p.at_us, "by": p.by}
        for p in history.played
    ]
    end = {"t": "end", "winner": outcome.winner, "reason": outcome.reason}
    return lines([history.head(), *moves, *([end] if ended else [])])


def resigned(seed: int) -> GameHistory:
    history = GameHistory(games.load("control", size=2), ["human", "human"], seed=seed)
    history.play(history.game.parse(history.position, "resign", 0), 7, "page")
    return history


def test_a_game_whose_host_was_killed_before_its_record_was_written_gets_it(tmp_path: Path) -> None:
    journals, folder = tmp_path / "journals", tmp_path / "records"
    journals.mkdir()
    for seed, name in enumerate(("killed", "kept")):
        (journals / f"{name}.journal").write_bytes(journal_of(resigned(seed)))
    (journals / "goes-on.journal").write_bytes(journal_of(resigned(2), ended=False))
    (journals / "strange.journal").write_bytes(b'no journal, "t":"end"')
    theirs = keep(folder, "kept", {"as": "it was"})
    told: list[str] = []
    made = keep_missing(journals, folder, OURS, lambda path, reason: told.append(path.stem))
    assert made == [folder / "killed.json"]
    history = resigned(0)
    assert history.outcome is not None
    assert json.loads(made[0].read_text("utf-8")) == record.make(history, history.outcome)
    assert json.loads(theirs.read_text("utf-8")) == {"as": "it was"}
    assert told == ["strange"]
    assert sorted(path.name for path in folder.iterdir()) == ["kept.json", "killed.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"format": "chess"}', b"{}"])
def test_a_file_that_is_no_record_is_refused_in_one_line(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(content)
    assert run(["replay", str(path)]) in (1, 2)
    assert capsys.readouterr().err.count("\n") == 1
    assert run(["replay", str(tmp_path / "nowhere.json")]) == 2


def test_a_record_is_on_the_disk_before_it_takes_its_place_and_its_place_after(
    tmp_path: Path,
) -> None:
    done: list[str] = []

    class Noted(Disk):
        def sync(self, file: int) -> None:
            assert self.read(file, 1 << 20).endswith(b"}\n")
            super().sync(file)
            done.append("file")

        def rename(self, old: Path, new: Path) -> None:
            super().rename(old, new)
            done.append("rename")

        def sync_folder(self, folder: Path) -> None:
            super().sync_folder(folder)
            if folder == tmp_path:
                done.append("folder")

    keep(tmp_path, "game", {"format": "one"}, Noted())
    assert done == ["file", "rename", "folder"]


def test_a_file_too_large_for_a_record_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(tmp_path, "game", {"format": "one"})
    monkeypatch.setattr(record, "MAX_BYTES", path.stat().st_size)
    assert read(path) == {"format": "one"}
    monkeypatch.setattr(record, "MAX_BYTES", path.stat().st_size - 1)
    with pytest.raises(UsageError, match="has more than"):
        read(path)


def test_a_record_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    first = keep(tmp_path, "game", {"format": "one"})
    with pytest.raises(TypeError):
        keep(tmp_path, "game", {"format": object()})
    assert json.loads(first.read_text("utf-8")) == {"format": "one"}
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_a_coin_in_a_record_must_have_fallen_as_the_seed_lets_it() -> None:
    history = GameHistory(games.load("evening", size=3), ["human", "bot:easy"], seed=11)
    for numbers in ((3, 4), (7, 8, 9)):
        fell = coin(11, numbers)
        history.tosses.append(CoinRecord(numbers, fell, fell))
    history.play(history.game.parse(history.position, "wb2", 0), 5, "board")
    history.play(history.game.parse(history.position, "resign", 0), 9, "page")
    outcome = history.outcome
    assert outcome is not None
    document = json.loads(json.dumps(record.make(history, outcome)))
    assert record.verify(document) == outcome
    fair, other = document["coins"]
    wrong: list[tuple[Any, str]] = [
        ({**other, "fell": other["fell"][::-1]}, "does not follow from the game's seed"),
        ({**other, "numbers": [7, 8]}, "does not follow from the game's seed"),
        ({"numbers": [7, 8, 9]}, "damaged coin toss"),
        ({**other, "fell": 3}, "damaged coin toss"),
        ("heads", "damaged coin toss"),
    ]
    for toss, why in wrong:
        with pytest.raises(GameError, match=why):
            record.verify({**document, "coins": [fair, toss]})
    with pytest.raises(GameError, match="the record says"):
        record.verify({**document, "result": {"winner": 0, "reason": outcome.reason}})
    with pytest.raises(GameError, match="move 2 of the record cannot be played"):
        record.verify({**document, "moves": document["moves"][:1] * 2})
    with pytest.raises(GameError, match="do not end the game"):
        record.verify({**document, "moves": document["moves"][:1]})
    assert [record.is_of_machines(document | {"seats": seats, "moves": moves}) for seats, moves in (
        (["bot:easy", "bot:hard"], [{"by": "machine"}]),
        (["bot:easy", "human"], [{"by": "machine"}]),
        (["bot:easy", "bot:hard"], [{"by": "machine"}, {"by": "board"}]),
    )] == [True, False, False]  # fmt: skip
