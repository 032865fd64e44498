"""Plays each level against the one below, and the first against chance; goes on where it ended.

    .venv/bin/python tests/support/levels_study.py trivia --games 100 --keep levels.jsonl
    .venv/bin/python tests/support/levels_study.py rengi -o mode=tsu --games 100 --keep levels.jsonl

A level keeps its number of random games and has no bound of time, so the same seed gives the same
score on every machine. Without games named, all five are played, and without `--first` all steps.
With `--early` a step ends as soon as the interval lies within 60 to 85 of 100, or beside that.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import astuple, replace
from pathlib import Path
from unittest.mock import patch

from lumiban import games
from lumiban.search.levels import Level
from lumiban.search.registry import engine_class
from lumiban.search.rengi import bot
from lumiban.study.match import Score, play, player, wilson

PAIRS = (
    ("gentle", "random"),
    ("easy", "gentle"),
    ("medium", "easy"),
    ("hard", "medium"),
    ("strong", "hard"),
)
OPTIONS: dict[str, dict[str, str]] = {"evening": {"turns": "trailing"}}
MIN_SHARE, MAX_SHARE = 0.6, 0.85
"""The share of points that a level should have against the one below."""
MIN_GAMES = 20
SEED = 7
ENDLESS_US = 10**12


def match(
    slug: str, a: str, b: str, count: int, keep: Path, *, early: bool = False, **options: int | str
) -> Score:
    """`count` games of A against B, those in `keep` counted; colours alternate.

    With `early` it ends before that where enough is known.
    """
    game = games.load(slug, **{**OPTIONS.get(slug, {}), **options})
    kind = engine_class(type(game))
    five = kind.levels
    own = bot.strengths(game) if slug == "rengi" else {}
    about = {
        "game": slug, **game.options, "a": a, "b": b, "seed": SEED,
        "budgets": [
            list(astuple(own[name])) if own else _budget(five[name])
            for name in (a, b)
            if name in five
        ],
    }  # fmt: skip
    lines = keep.read_text("utf-8").splitlines() if keep.exists() else []
    known = [json.loads(line) for line in lines]
    known = [one for one in known if one["about"] == about]
    endless = {name: replace(level, longest_us=ENDLESS_US) for name, level in five.items()}
    players = player(a), player(b)
    score = Score()
    owns = {name: replace(one, longest_us=ENDLESS_US) for name, one in own.items()}
    with (
        patch.object(kind, "levels", endless),
        patch.dict(own, owns),
    ):
        for number in range(count):
            if number < len(known):
                one = known[number]
            else:
                began = time.process_time()
                first = number % 2
                pair = (players[first], players[1 - first])
                result = play(game, pair, number, SEED)
                spent = round(time.process_time() - began, 2)
                one = {
                    "about": about, "winner": result.winner, "plies": result.plies,
                    "finished": result.reason != "unfinished", "seconds": spent,
                }  # fmt: skip
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(one) + "\n")
            score.add(one["winner"], number % 2, one["plies"], finished=one["finished"])
            if early and b != "random" and settled(score):
                break
    return score


def settled(score: Score) -> bool:
    """Whether a step is surely as it should be, or surely not."""
    low, high = wilson(score.points, score.games)
    within = low >= MIN_SHARE and high <= MAX_SHARE
    return score.games >= MIN_GAMES and (within or low > MAX_SHARE or high < MIN_SHARE)


def _budget(level: Level) -> list[float]:
    return [level.playouts, level.overlooks, level.gives_away]


def main() -> None:
    """Print a row a pair."""
    parser = argparse.ArgumentParser()
    parser.add_argument("slugs", nargs="*")
    parser.add_argument(
        "-o", "--option", action="append", default=[], help="NAME=VALUE of the game"
    )
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--early", action="store_true")
    parser.add_argument("--first", action="append", default=[], help="only steps of this level")
    asked = parser.parse_args()
    options = dict(option.split("=", 1) for option in asked.option)
    for slug in asked.slugs or ["control", "evening", "trivia", "doves", "rengi"]:
        for a, b in PAIRS:
            if asked.first and a not in asked.first:
                continue
            score = match(slug, a, b, asked.games, asked.keep, early=asked.early, **options)
            found = score.as_json()
            low, high = found["interval"]
            share = f"{found['share']:.0%} ({low:.0%} to {high:.0%})"
            print(f"{slug}: {a} against {b}: {share} of {found['games']}", flush=True)


if __name__ == "__main__":
    main()
