"""Coverage-guided fuzzing of all that reads what others wrote: see fuzz/loop.py, fuzz/targets.py.

The inputs in fuzz/corpus are real ones, small; `found` in a target's folder holds what once broke
it. A run is so many inputs, not so many seconds: the same ones each time.
"""

from __future__ import annotations

import json
import os

import pytest
from fuzz import loop
from fuzz.loop import Found, TooLong, fuzz
from fuzz.targets import TARGETS, WORDS
from places import TESTS

CORPUS = TESTS / "fuzz" / "corpus"
RUNS = {
    "board": 40,
    "link": 250,
    "decoder": 300,
    "board_bin": 600,
    "profile": 1000,
    "plan": 2000,
    "journal": 700,
    "record": 1500,
    "flight": 300,
    "flight_bytes": 600,
}
"""In the standard run; together about ten seconds."""
LONGER = int(os.environ.get("LUMIBAN_FUZZ", "16"))
"""So many times as many with --all; a night takes more."""


def seeds(name: str) -> list[bytes]:
    found = sorted(path for path in (CORPUS / name).rglob("*") if path.is_file())
    return [path.read_bytes() for path in found]


def told(name: str, found: Found) -> str:
    return "\n".join(f"{name}: {error!r} by {data!r}" for data, error in found.failures)


def test_every_target_has_a_corpus_and_small_files() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS) == set(RUNS)
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) < 8_000


@pytest.mark.parametrize("name", list(TARGETS))
def test_whatever_is_read_is_taken_or_refused(name: str) -> None:
    found = fuzz(TARGETS[name], seeds(name), seed=1, runs=RUNS[name], words=WORDS.get(name, ()))
    assert found.failures == [], told(name, found)
    assert len(found.corpus) > len(seeds(name)), "no mutation reached anything new"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("name", list(TARGETS))
def test_whatever_is_read_is_taken_or_refused_at_length(name: str, seed: int) -> None:
    runs = LONGER * RUNS[name]
    found = fuzz(TARGETS[name], seeds(name), seed=seed, runs=runs, words=WORDS.get(name, ()))
    assert found.failures == [], told(name, found)


# The fuzzer itself.


def test_the_loop_finds_what_lies_behind_several_turns() -> None:
    """Each step of the way is a new line: without coverage 3 in 10^9 inputs get there."""

    def target(data: bytes) -> None:
        from lumiban.table.journal import Chain

        record, _, _ = Chain().follow(data)  # our code, whose lines count
        if record is not None and data:
            raise ZeroDivisionError

    body = json.dumps({"a": 1}).encode()
    from binascii import crc32

    nearly = b"%08x %d %s" % (crc32(body), len(body) + 1, body)
    found = fuzz(target, [nearly], seed=1, runs=3000)
    assert [type(error) for _, error in found.failures] == [ZeroDivisionError]


def test_the_same_seed_breeds_the_same_corpus() -> None:
    one, other = (
        fuzz(TARGETS["plan"], seeds("plan"), seed=3, runs=200, words=WORDS["plan"])
        for _ in range(2)
    )
    assert one.corpus == other.corpus
    assert one.edges == other.edges > 50


def test_an_input_that_never_ends_is_a_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "MAX_EVENTS", 50_000)

    def target(data: bytes) -> None:
        from lumiban.table.journal import _parse

        while True:
            _parse(b"x\n" * 10)

    found = fuzz(target, [b""], seed=1, runs=0)
    assert isinstance(found.failures[0][1], TooLong)


def test_errors_of_one_line_are_told_once() -> None:
    def target(data: bytes) -> None:
        raise ValueError(data)

    assert len(fuzz(target, [b"a", b"b"], seed=1, runs=50).failures) == 1
