"""The view that a session tells: its keys, its counting, its sentences."""

from __future__ import annotations

import json
import random

import pytest
from lumiban.table.requests import HintRequest
from lumiban.table.types import AskBot, BotMove, Command, Prompt, Publish
from session_bench import Bench, only, view
from shown import as_page_has_it

VIEW_KEYS = {
    "v", "game", "to_move", "seats", "moves", "pieces", "sensed", "marks", "lights", "palette",
    "legal", "verdict", "prompt", "pending", "outcome", "words", "counts", "link", "hint",
    "theme", "stop_offers", "can_takeback", "labels", "hands", "drift", "audit",
    "coach", "turnless",
    "open", "dead", "light",
    "stands", "race", "timeout", "owing", "lit", "reaction_ms", "phase",
}  # fmt: skip


def test_a_view_is_whole_json_with_the_keys_of_the_page() -> None:
    bench = Bench(hint="control")
    bench.connect()
    bench.put("a1", 1)
    seen = view(bench)
    assert set(seen) == VIEW_KEYS
    assert json.loads(json.dumps(seen)) == seen
    assert seen["moves"] == [{"n": 1, "side": 0, "text": "a1", "said": "a1"}]
    assert seen["to_move"] == [1]
    assert len(seen["legal"]["place"]) == 18 - 3
    assert seen["counts"][0] == {"stones": 1, "territory": 3}
    assert seen["can_takeback"] is True
    assert seen["words"] == [["stop", "resign"], ["stop", "resign"]]


def test_the_view_says_stones_of_which_colours_may_be_placed() -> None:
    bench = Bench()
    bench.connect()
    assert view(bench)["legal"]["kinds"] == [1]
    bench.put("a1", 1)
    assert view(bench)["legal"]["kinds"] == [2]
    bench = Bench(opening="pie2")
    bench.connect()
    assert view(bench)["legal"]["kinds"] == [1, 2]


def test_while_pieces_are_put_right_the_headline_says_so_and_not_whose_turn_it_is() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    bench.put("c3", 2)
    assert view(bench)["phase"]["title"] is None
    bench.command("takeback")
    assert view(bench)["phase"]["name"] == "mending"
    assert view(bench)["phase"]["title"]["id"] == "phase.mending"
    bench.put("c3", 0)
    assert view(bench)["phase"]["title"] is None


def test_views_are_counted_and_the_same_one_is_not_told_twice() -> None:
    bench = Bench()
    bench.connect()
    number = view(bench)["v"]
    assert only(Publish, bench.step(Command(HintRequest("legal")))) == []
    bench.put("a1", 1)
    assert view(bench)["v"] == number + 1


@pytest.mark.slow
def test_every_sentence_of_a_view_is_in_the_catalogue() -> None:
    from lumiban.i18n import LANGUAGES, text

    chance = random.Random(11)
    bench = Bench("human", "bot:easy", hint="control")
    bench.connect()
    told, prompt = set(), Prompt(())
    for _ in range(300):
        name, kind = chance.choice(bench.game.grid.names), chance.choice([0, 0, 1, 2, 4])
        if prompt.steps and chance.random() < 0.8:
            step = prompt.steps[0]
            name, kind = bench.game.grid.names[step.cell], step.kind
            kind = kind if step.do == "place" else 0
        out = bench.put(name, kind)
        out += bench.wait(chance.choice([0, 500_000, 3_000_000]))
        for ask in only(AskBot, out):
            move = chance.choice(ask.game.moves(ask.position, ask.side))
            out += bench.step(BotMove(ask.ticket, str(move)))
        prompt = [prompt, *only(Prompt, out)][-1]
        for publish in only(Publish, out):
            sentence = as_page_has_it(publish.view)["verdict"]["text"]
            if sentence is not None:
                told.add(sentence["id"])
                for language in LANGUAGES:
                    assert text(sentence["id"], language, **sentence["params"])
    assert len(told) >= 8
