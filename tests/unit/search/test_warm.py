"""Warm: what is compiled ahead is all that a bot needs, and is found again."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from lumiban import games
from lumiban.cli.games import warm_command
from lumiban.search import jit, kernel_package, processor, warm_process
from lumiban.search import warm as warm_room
from lumiban.search.bot import think
from lumiban.search.levels import NAMES
from lumiban.search.tree_searches import TreeReuse
from lumiban.search.warm import NOTE, parts, ready, rest, warm
from lumiban.search.warm_process import warm_apart
from lumiban.terminal import say_if_plain

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

PLAYED: list[tuple[str, dict[str, int | str]]] = [
    ("control", {"size": 3}),
    ("evening", {"size": 3, "turns": "trailing"}),
    ("trivia", {"size": 4}),
    ("doves", {}),
    ("rengi", {}),
]


def compiled_for() -> dict[str, list[Any]]:
    """By function, the types of arguments that it has been compiled for in this process."""
    entries: dict[Any, Any] = jit._entries
    return {str(name): list(entry.signatures) for name, entry in entries.items()}


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize(
    ("slug", "options"),
    [
        pytest.param(*one, marks=[] if one[0] in ("control", "doves") else pytest.mark.long)
        for one in PLAYED
    ],
)
def test_a_warm_bot_compiles_nothing_more_whatever_its_level(
    slug: str, options: dict[str, int | str]
) -> None:
    game = games.load(slug, **options)
    assert ready(game)
    for part in rest(game):
        part()
    compiled = compiled_for()
    position, kept = game.start(), TreeReuse()
    for seed, level in enumerate(NAMES):
        thought = think(game, position, level, seed, playouts=40, threads=2, kept=kept)
        position = game.play(position, thought.move)
    assert compiled_for() == compiled


def scripted_parts(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """Parts that only leave a file in the cache, here `folder`; the names of those that ran."""
    ran: list[str] = []

    def part(name: str) -> object:
        def run(_: games.Game) -> None:
            ran.append(name)
            (folder / f"{name}.kernel").write_bytes(b"code")

        return run

    monkeypatch.setattr(jit, "cache_folder", lambda _: folder)
    monkeypatch.setattr(warm_room, "parts", lambda _: {name: part(name) for name in names})
    return ran


@needs_numba
def test_what_was_compiled_ahead_is_told_apart_from_what_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = scripted_parts(tmp_path, monkeypatch, "uct", "own")
    game = games.load("control", size=2)
    assert [one.part for one in warm(game)] == ["uct", "own"]
    assert ran == ["uct", "own"]
    assert [one.was_there for one in warm(game)] == [True, True]
    assert ran == ["uct", "own"]
    (tmp_path / "own.kernel").write_bytes(b"")
    list(warm(game))
    assert len(ran) == 4
    (tmp_path / NOTE).write_text("not a note", "utf-8")
    list(warm(game))
    assert len(ran) == 6


@needs_numba
def test_of_what_was_compiled_before_only_the_first_answers_part_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = scripted_parts(tmp_path, monkeypatch, "uct", "grave", "kept", "perft")
    game = games.load("control", size=2)
    assert ready(game)
    assert ran == ["uct", "grave", "kept"]
    ran.clear()
    assert ready(game)
    assert ran == ["grave"]
    for run in rest(game):
        run()
    assert ran == ["grave", "uct", "kept"]
    (tmp_path / "kept.kernel").unlink()
    ran.clear()
    assert ready(game)
    assert ran == ["uct", "grave", "kept"]


def test_every_game_has_parts_and_without_numba_none_is_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {slug: [*parts(games.load(slug, **options))] for slug, options in PLAYED}
    assert found == {
        "control": ["grave", "uct", "kept", "perft"],
        "evening": ["uct", "kept", "perft"],
        "trivia": ["grave", "uct", "kept", "perft"],
        "doves": ["uct", "own", "perft"],
        "rengi": ["own", "perft"],
    }
    monkeypatch.setenv("LUMIBAN_NO_NUMBA", "1")
    warm_command("control", json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "game": "control", "part": "all", "seconds": 0.0, "was_there": False, "compiled": False,
    }  # fmt: skip
    warm_command("control")
    assert "Python" in capsys.readouterr().out


SCRIPTED = """
import os, sys
from lumiban.games.kernel import randint_below
from lumiban.search import jit, warm, warm_process

def part(name):
    def run(game):
        one = lambda rng: randint_below(rng, 6)
        one.__name__ = one.__qualname__ = name
        jit.compiled(one, type(game.state(game.start())))(jit.ints([1]))
    return run

warm.parts = lambda game: {name: part(name) for name in ("uct", "grave", "kept")}
warm_process.is_full = lambda: bool(os.environ.get("ALWAYS_FULL"))
warm_process.main(sys.argv[1], sys.argv[2:])
"""
"""A process that compiles as ours does, but only a small function a part."""


@pytest.mark.process
@pytest.mark.long
@needs_numba
def test_what_a_killed_process_had_compiled_is_there_and_full_ones_follow_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("uct", "grave", "kept")
    started: list[tuple[str, ...]] = []

    def start(_: str, *words: str) -> subprocess.Popen[str]:
        started.append(words)
        command = [sys.executable, "-c", SCRIPTED, *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    monkeypatch.setenv("LUMIBAN_CACHE", str(tmp_path))
    jit.cache_folder.cache_clear()
    monkeypatch.setattr(warm_process, "_started", start)
    monkeypatch.setattr(warm_process, "parts", lambda _: dict.fromkeys(names))
    monkeypatch.setattr(warm_room, "parts", lambda _: dict.fromkeys(names))
    try:
        with start("", "control", *names) as killed:
            assert killed.stdout is not None
            assert json.loads(killed.stdout.readline())["part"] == "uct"
            killed.kill()
        monkeypatch.setenv("ALWAYS_FULL", "1")
        told = [(part.part, part.was_there) for part in warm_apart("control")]
        assert [part for part, _ in told] == [*names]
        assert told[0] == ("uct", True)
        # The last one had nothing left to compile.
        assert started[-1] == ("control", "kept")
        before = len(started)
        assert [part.was_there for part in warm_apart("control")] == [True] * 3
        assert len(started) == before
    finally:
        jit.cache_folder.cache_clear()


@needs_numba
def test_kernels_that_a_package_brought_serve_only_its_own_processors_and_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warm_for(family: str, name: str, root: Path, _: object) -> Path:
        folder = root / family / f"{name} {family}"
        folder.mkdir(parents=True)
        (folder / "code.kernel").write_bytes(b"code")
        return folder

    monkeypatch.setattr(kernel_package, "warm_for", warm_for)
    package, wheel = kernel_package.make(
        ["aarch64", processor.V2], ["control", "doves"], tmp_path, lambda _: None
    )
    with zipfile.ZipFile(wheel) as archive:
        named = archive.namelist()
        record = archive.read(next(name for name in named if name.endswith("RECORD"))).decode()
    assert f"{package.name}/aarch64/doves aarch64/code.kernel" in named
    assert [line.split(",")[0] for line in record.splitlines()] == named
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    said = []
    for family in (processor.V2, processor.V3):
        monkeypatch.setenv(processor.NAMED, family)
        said.append(jit.unfit_package())
    assert said == ["", "processor"]
    monkeypatch.setenv(processor.NAMED, "aarch64")
    assert jit.unfit_package() == ""
    (package / "aarch64" / jit.MADE_FOR).write_text("other sources", "utf-8")
    say_if_plain()
    assert "another version" in capsys.readouterr().err
