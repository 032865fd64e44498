"""The view that a session tells: its keys, its counting, its sentences."""

from __future__ import annotations

import random

import pytest
from lumiban.table.requests import HintRequest
from lumiban.table.types import AskBot, BotMove, Command, Prompt, Publish
from session_bench import Bench, only, view
from shown import as_page_has_it


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
