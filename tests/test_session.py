"""The session machine: what goes in and comes out, in which order, and how fast."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from lumiban import games
from lumiban.boards.profile import load
from lumiban.boards.types import (
    BoardEvent,
    BoardTime,
    Changed,
    Connected,
    Faulty,
    Hello,
    Lost,
    Snapshot,
)
from lumiban.errors import BoardError, GameError
from lumiban.scene.effects import Effect
from lumiban.scene.types import DARK
from lumiban.table import record
from lumiban.table.session import Session
from lumiban.table.settings import Settings
from lumiban.table.types import (
    Acknowledge,
    Agree,
    Append,
    AskBot,
    BotFailed,
    BotMove,
    Command,
    Durable,
    Finished,
    NewJournal,
    Output,
    Prompt,
    Publish,
    Reply,
    Show,
    StopBot,
)

HEX3 = load("hex3")
T = TypeVar("T")


class Bench:
    """A session, a scripted board and a journal that gets durable when the test says so."""

    def __init__(self, *seats: str, profile: str = "hex3", size: int = 3, **more: Any) -> None:
        self.profile = load(profile)
        self.game = games.load("control", size=size, opening=more.pop("opening", "perimeter"))
        self.session = Session(self.game, self.profile, seats or ("human", "human"), **more)
        self.now_us = 0
        self.next_event = 0
        self.out: list[Output] = []

    @property
    def match(self):  # type: ignore[no-untyped-def]  # short for tests
        return self.session.match

    def step(self, *inputs: Any, durable: bool = True) -> list[Output]:
        """One step; then all that was written is durable, until nothing more is written."""
        out = self.session.step(self.now_us, inputs)
        if durable:
            fresh = out
            while written := [o.number for o in fresh if isinstance(o, Append)]:
                fresh = self.session.step(self.now_us, [Durable(written[-1])])
                out = out + fresh
        self.out = out
        return out

    def connect(self, boot: int = 5, kinds: Sequence[int] | None = None, **more: Any) -> None:
        cells = len(self.profile.cells)
        hello = Hello("test", 1, cells, cells, 1, "uid", boot, self.now_us, 1000, 0, 0)
        shown = tuple(kinds) if kinds is not None else (0,) * cells
        self.step(
            Connected(hello), Snapshot(shown, self.next_event, self.now_us, False, False), **more
        )

    def event(self, name: str, kind: int) -> BoardEvent:
        self.now_us += 50_000
        cell = self.match.placing.board[self.game.grid.cell(name)]
        event = BoardEvent(self.next_event, cell, kind, self.now_us)
        self.next_event += 1
        return event

    def put(self, name: str, kind: int, **more: Any) -> list[Output]:
        event = self.event(name, kind)
        time_now = BoardTime(self.now_us, self.now_us, False)
        return self.step(time_now, Changed((event,)), **more)

    def wait(self, us: int) -> list[Output]:
        self.now_us += us
        return self.step()

    def command(self, do: str, **args: Any) -> Any:
        (reply,) = only(Reply, self.step(Command(do, args, 9)))
        assert reply.to == 9
        return reply.error

    @property
    def moves(self) -> list[str]:
        return [str(move) for move in self.match.course.moves]


def only(kind: type[T], out: Sequence[object]) -> list[T]:
    return [o for o in out if isinstance(o, kind)]


def records(out: Sequence[object]) -> list[str]:
    return [str(append.record["t"]) for append in only(Append, out)]


def view(bench: Bench) -> Any:
    return only(Publish, bench.out)[-1].view


# The journal, acknowledging, and who waits for what.


def test_a_game_begins_its_journal_when_it_meets_its_board() -> None:
    bench = Bench()
    assert only(Append, bench.step()) == []
    bench.connect()
    assert only(NewJournal, bench.out)[0].name == "game"
    assert records(bench.out) == ["head", "board", "belief"]
    head = only(Append, bench.out)[0].record
    assert {k: head[k] for k in ("version", "game", "seats", "profile", "board")} == {
        "version": 1,
        "game": "control",
        "seats": ["human", "human"],
        "profile": "hex3",
        "board": "uid",
    }
    assert json.loads(json.dumps(head)) == head


def test_light_answers_at_once_and_the_board_forgets_only_what_is_on_disk() -> None:
    bench = Bench()
    bench.connect()
    out = bench.put("a1", 1, durable=False)
    assert isinstance(out[0], Show)
    assert records(out) == ["events", "move"]
    assert only(Acknowledge, out) == []
    first, second = (append.number for append in only(Append, out))
    assert second == first + 1
    assert bench.step(Durable(first - 1), durable=False) == []
    assert bench.step(Durable(first), durable=False) == [Acknowledge(1)]
    assert bench.step(Durable(second), durable=False) == []


def test_events_that_come_again_are_not_taken_again() -> None:
    bench = Bench()
    bench.connect()
    event = bench.event("a1", 1)
    bench.step(Changed((event,)))
    assert bench.step(Changed((event,))) == []
    assert bench.moves == ["a1"]


def test_several_moves_in_one_frame_are_played_in_order() -> None:
    bench = Bench()
    bench.connect()
    bench.step(Changed((bench.event("a1", 1), bench.event("c3", 2), bench.event("e3", 1))))
    assert bench.moves == ["a1", "c3", "e3"]


def test_a_bot_is_asked_only_when_all_is_on_disk_and_the_grace_is_over() -> None:
    bench = Bench("human", "bot:easy")
    bench.connect()
    out = bench.put("a1", 1, durable=False)
    assert only(AskBot, out) == []
    written = only(Append, out)[-1].number
    assert bench.session.next_deadline() is None
    assert only(AskBot, bench.step(Durable(written), durable=False)) == []
    assert bench.session.next_deadline() == bench.now_us + 400_000
    bench.now_us += 399_999
    assert only(AskBot, bench.step()) == []
    bench.now_us += 1
    (ask,) = only(AskBot, bench.step())
    assert (ask.side, ask.level, ask.position) == (1, "easy", bench.match.course.position)
    assert view(bench)["seats"][1]["thinking"] is True


def asked(bench: Bench) -> AskBot:
    """White has played a1 and the bot is asked."""
    bench.connect()
    bench.put("a1", 1)
    (ask,) = only(AskBot, bench.wait(400_000))
    return ask


def test_hands_are_asked_for_a_bots_stone_when_its_choice_is_on_disk() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    out = bench.step(BotMove(ask.ticket, "c3", 0.7, 90), durable=False)
    assert records(out) == ["chosen"]
    assert isinstance(out[0], Show), "eyes do not wait"
    assert only(Prompt, out) == []
    (prompt,) = only(Prompt, bench.step(Durable(only(Append, out)[0].number)))
    (step,) = prompt.steps
    assert (prompt.wait, step.do, bench.game.grid.name(step.cell)) == ("machine", "place", "c3")
    out = bench.put("c3", 2)
    assert bench.moves == ["a1", "c3"]
    assert only(Prompt, out) == [Prompt(())]


def test_an_answer_to_a_question_that_is_void_is_passed_over() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    assert only(StopBot, bench.put("a1", 0)) == [StopBot(ask.ticket)]
    assert bench.step(BotMove(ask.ticket, "c3")) == []
    assert bench.moves == []


def test_a_bot_that_fails_is_asked_again_and_in_the_end_a_person_may_take_its_seat() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    for attempt in range(3):
        bench.step(BotFailed(ask.ticket, "worker died"))
        assert view(bench)["verdict"]["text"]["id"] == "table.bot-failed"
        due = bench.session.next_deadline()
        if attempt == 2:
            break
        assert due == bench.now_us + 1_000_000
        bench.now_us = due
        (ask,) = only(AskBot, bench.step())
    assert due is None
    assert bench.command("seat", side=1, who="human") is None
    bench.put("c3", 2)
    assert bench.moves == ["a1", "c3"]


def test_the_same_seed_asks_with_the_same_seed() -> None:
    seeds = [asked(Bench("human", "bot:easy", seed=s)).seed for s in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]


# Seats and words.


def test_a_person_who_takes_a_seat_stops_the_bot_and_drops_its_move() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    bench.step(BotMove(ask.ticket, "c3"))
    assert view(bench)["pending"] == {"move": "c3", "said": "c3", "due_ms": None}
    assert bench.command("seat", side=1, who="human") is None
    assert records(bench.out) == ["dropped", "seat"]
    assert view(bench)["pending"] is None
    bench.put("d3", 2)
    assert bench.moves == ["a1", "d3"]


def test_a_bot_does_not_stop_unless_it_wins_by_it() -> None:
    bench = Bench("human", "bot:easy")
    asked(bench)
    before = bench.moves
    error = bench.command("word", side=0, word="stop")
    assert error == {"id": "table.bot-plays-on", "params": {}}
    assert bench.moves == before
    lost = Bench("bot:easy", "human")
    lost.connect()
    (ask,) = only(AskBot, lost.out)
    lost.step(BotMove(ask.ticket, "a1"))
    lost.put("a1", 1)
    assert lost.command("word", side=1, word="stop") is None
    assert lost.match.outcome is not None
    assert lost.match.outcome.winner == 0


def test_both_people_must_agree_to_stop() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    assert bench.command("word", side=1, word="stop") is None
    assert view(bench)["stop_offers"] == [1]
    bench.put("c3", 2)
    assert view(bench)["stop_offers"] == []


def test_resigning_finishes_the_game_with_a_record_that_replays() -> None:
    bench = Bench()
    bench.connect()
    for name, kind in (("a1", 1), ("c3", 2), ("b1", 1)):
        bench.put(name, kind)
    assert bench.command("word", side=1, word="resign") is None
    (finished,) = only(Finished, bench.out)
    document = json.loads(json.dumps(finished.record))
    assert document["result"] == {"winner": 0, "reason": "resigned"}
    assert [move["text"] for move in document["moves"]] == ["a1", "c3", "b1", "resign"]
    assert record.verify(document) == finished.outcome
    assert "end" in records(bench.out)
    assert view(bench)["outcome"]["winner"] == 0
    assert view(bench)["to_move"] == []
    with pytest.raises(GameError, match="the record tells"):
        record.verify({**document, "result": {"winner": 1, "reason": "resigned"}})
    with pytest.raises(GameError, match="move 2"):
        record.verify({**document, "moves": [document["moves"][0]] * 2})


@pytest.mark.parametrize(
    ("do", "args", "id"),
    [
        ("dance", {}, "table.strange-command"),
        ("seat", {"side": 2, "who": "human"}, "table.no-such-side"),
        ("seat", {"side": True, "who": "human"}, "table.no-such-side"),
        ("seat", {"side": 0, "who": "bot:divine"}, "table.no-such-seat"),
        ("seat", {"side": 0}, "table.missing"),
        ("word", {"side": 0, "word": "abracadabra"}, "table.no-such-word"),
        ("word", {"side": 1, "word": "resign"}, "table.not-a-person"),
        ("move", {"side": 0, "text": "d3"}, "refusal.control.opening-perimeter"),
        ("move", {"side": 1, "text": "a1"}, "table.not-a-person"),
        ("takeback", {}, "table.nothing-to-take-back"),
        ("confirm", {}, "table.nothing-to-confirm"),
        ("choose", {"text": "a1"}, "table.nothing-to-choose"),
        ("accept-board", {}, "table.board-agrees"),
        ("hint", {"level": "cheat"}, "table.no-such-hint"),
        ("theme", {"name": "neon"}, "table.no-such-theme"),
        ("new", {"game": "chess"}, "table.no-such-game"),
        ("new", {"game": "control", "options": {"size": 9}}, "table.no-such-game"),
        ("new", {"game": "control", "options": {"size": 8}}, "table.no-such-game"),
        ("new", {"game": "control", "seats": ["human"]}, "table.seats-count"),
        ("new", {"game": "control", "seats": ["human", "dog"]}, "table.no-such-seat"),
        ("new", {"game": 3}, "table.missing"),
    ],
)
def test_what_cannot_be_done_is_declined_and_changes_nothing(
    do: str, args: dict[str, Any], id: str
) -> None:
    bench = Bench("human", "bot:easy")
    bench.connect()
    error = bench.command(do, **args)
    assert error["id"] == id
    assert only(Append, bench.out) == []
    assert only(Publish, bench.out) == []


def test_without_a_board_nothing_is_played() -> None:
    bench = Bench()
    assert bench.command("move", side=0, text="a1")["id"] == "table.no-board"
    assert view(bench)["link"] == "connecting"


# Board and position apart.


def test_the_board_as_it_stands_can_be_taken_for_the_position() -> None:
    bench = Bench()
    bench.connect()
    kinds = [0] * 19
    for name, kind in (("a1", 1), ("e3", 2), ("b2", 1), ("d4", 2)):
        kinds[bench.game.grid.cell(name)] = kind
    bench.step(Snapshot(tuple(kinds), 0, 0, False, True))
    assert view(bench)["verdict"]["kind"] == "repair"
    assert bench.command("accept-board") is None
    assert records(bench.out) == ["set"]
    assert view(bench)["verdict"]["kind"] == "agree"
    bench.put("c3", 1)
    assert bench.moves == ["c3"]
    bench.command("word", side=1, word="resign")
    (finished,) = only(Finished, bench.out)
    record.verify(json.loads(json.dumps(finished.record)))


def test_an_impossible_board_is_not_taken() -> None:
    bench = Bench()
    bench.connect()
    bench.step(Snapshot((1,) * 19, 0, 0, False, True))
    assert bench.command("accept-board")["id"] == "table.board-impossible"
    bench.step(Snapshot((5,) * 19, 0, 0, False, True))
    assert bench.command("accept-board")["id"] == "table.board-strange"


def test_a_new_game_asks_to_clear_the_board_one_piece_at_a_time() -> None:
    bench = Bench()
    bench.connect()
    for name, kind in (("a1", 1), ("c3", 2)):
        bench.put(name, kind)
    assert bench.command("new", options={"size": 3}, seats=["human", "human"]) is None
    assert [o.name for o in only(NewJournal, bench.out)] == ["game-2"]
    assert records(bench.out) == ["head", "board", "belief"]
    (prompt,) = only(Prompt, bench.out)
    assert (prompt.wait, len(prompt.steps)) == ("mend", 1)
    bench.put("a1", 0)
    bench.put("c3", 0)
    assert view(bench)["verdict"]["kind"] == "agree"
    assert bench.moves == []


def test_only_the_cell_of_the_step_blinks() -> None:
    bench = Bench(hint="control")
    bench.connect()
    bench.put("a1", 1)
    bench.put("c3", 2)
    bench.command("new")
    (show,) = only(Show, bench.out)
    fast = [i for i, (_, effect) in enumerate(show.frame.lights) if effect == Effect.FAST_BLINK]
    assert len(fast) == 1


def test_between_two_bots_another_game_begins_after_a_while() -> None:
    bench = Bench("bot:easy", "bot:easy", settings=Settings(rematch_us=5_000_000))
    bench.connect()
    (ask,) = only(AskBot, bench.out)
    bench.step(BotMove(ask.ticket, "resign"))
    assert bench.moves == ["resign"]
    assert bench.session.next_deadline() == bench.now_us + 5_000_000
    out = bench.wait(5_000_000)
    assert only(NewJournal, out) == [NewJournal("game-2")]
    assert bench.moves == []
    assert len(only(AskBot, out)) == 1


def test_a_smaller_game_lies_in_the_middle_of_a_larger_board() -> None:
    bench = Bench(profile="hex5", size=3)
    bench.connect()
    board = load("hex5").grid
    outside = board.cell("a1")
    bench.step(Changed((BoardEvent(0, outside, 1, 10),)))
    assert bench.match.verdict == Agree(), "unused cells are ignored"
    assert bench.moves == []
    (show,) = only(Show, bench.step(Command("theme", {"name": "monochrome"})))
    dark = (DARK.palette, DARK.effect)
    assert show.frame.lights[load("hex5").cells[outside].light] == dark
    bench.next_event = 1
    bench.put("a1", 1)
    assert bench.moves == ["a1"]


def test_a_game_that_does_not_fit_is_told() -> None:
    with pytest.raises(BoardError, match="hex5"):
        Session(games.load("control", size=5), HEX3, ["human", "human"])


# Buttons, time and the link.


def test_a_lift_and_its_button_are_ordered_among_the_stones() -> None:
    bench = Bench()
    bench.connect()
    texts = (("a1", 1), ("c3", 2), ("b2", 1), ("e3", 2), ("c2", 1), ("d4", 2))
    for name, kind in texts:
        bench.put(name, kind)
    lift = bench.event("c3", 0)
    press = BoardEvent(bench.next_event, 240, 8, bench.now_us + 10)
    release = BoardEvent(bench.next_event + 1, 240, 9, bench.now_us + 20)
    bench.next_event += 2
    bench.step(Changed((lift, press, release)))
    assert bench.moves[-1] == "xc3"


def test_the_hint_button_turns_the_hints() -> None:
    bench = Bench(hint="legal")
    bench.connect()
    for wanted in ("control", "coach", "none", "legal"):
        bench.step(Changed((BoardEvent(bench.next_event, 242, 8, 5),)))
        bench.next_event += 1
        assert view(bench)["hint"] == wanted


def test_a_lost_link_pauses_everything_and_what_was_missed_is_made_up() -> None:
    bench = Bench("human", "bot:easy")
    ask = asked(bench)
    bench.step(Lost("silent"))
    assert view(bench)["link"] == "lost"
    assert view(bench)["verdict"]["text"]["id"] == "table.board-lost"
    (show,) = only(Show, bench.out)
    assert {effect for _, effect in show.frame.lights} == {Effect.BREATHE}
    bench.step(BotMove(ask.ticket, "c3"))
    assert only(Prompt, bench.out) == []
    kinds = [0] * 19
    kinds[bench.game.grid.cell("a1")] = 1
    bench.connect(kinds=kinds)
    assert view(bench)["link"] == "up"
    assert only(Prompt, bench.out)[-1].wait == "machine"


def test_after_a_reconnect_the_events_of_the_same_boot_are_judged_one_by_one() -> None:
    bench = Bench()
    bench.connect()
    bench.step(Lost("closed"))
    first, second = bench.event("a1", 1), bench.event("c3", 2)
    hello = Hello("test", 1, 19, 19, 1, "uid", 5, bench.now_us, 1000, 0, 0)
    bench.step(Connected(hello), Changed((first, second)))
    assert bench.moves == ["a1", "c3"]


def test_a_board_that_restarted_counts_its_events_anew() -> None:
    bench = Bench()
    bench.connect()
    bench.put("a1", 1)
    bench.step(Lost("closed"))
    bench.next_event = 0
    kinds = [0] * 19
    kinds[bench.game.grid.cell("a1")] = 1
    bench.connect(boot=6, kinds=kinds)
    bench.put("c3", 2)
    assert bench.moves == ["a1", "c3"]


def test_a_countdown_does_not_run_while_the_board_is_away() -> None:
    bench = Bench("human", "bot:easy")
    bench.connect()
    for name, kind, answer in (("a1", 1, "c3"), ("b2", 1, "e3"), ("c2", 1, "d4")):
        bench.put(name, kind)
        (ask,) = only(AskBot, bench.wait(500_000))
        bench.step(BotMove(ask.ticket, answer))
        bench.put(answer, 2)
    bench.put("c3", 0)
    assert view(bench)["pending"] == {"move": "xc3", "said": "xc3", "due_ms": 2000}
    bench.step(Lost("silent"))
    assert bench.session.next_deadline() is None
    bench.wait(10_000_000)
    assert bench.moves[-1] == "d4"
    kinds = [int(kind) for kind in bench.game.pieces(bench.match.course.position)]
    kinds[bench.game.grid.cell("c3")] = 0
    bench.connect(kinds=kinds)
    assert bench.moves[-1] == "d4"
    bench.wait(2_000_000)
    assert bench.moves[-1] == "xc3"


def test_a_fault_of_the_board_stops_nobody() -> None:
    bench = Bench()
    bench.connect()
    assert records(bench.step(Faulty(1, 2))) == []
    bench.put("a1", 1)
    assert bench.moves == ["a1"]


# The view.

VIEW_KEYS = {
    "v", "game", "to_move", "seats", "moves", "pieces", "sensed", "marks", "lights", "palette",
    "legal", "verdict", "prompt", "pending", "outcome", "words", "counts", "link", "hint",
    "theme", "stop_offers", "can_takeback", "labels", "hands", "drift", "audit",
    "coach", "turnless",
    "open", "dead", "light",
    "stands", "race", "timeout", "owing", "lit", "reaction_ms",
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


def test_views_are_counted_and_the_same_one_is_not_told_twice() -> None:
    bench = Bench()
    bench.connect()
    number = view(bench)["v"]
    assert only(Publish, bench.step(Command("hint", {"level": "legal"}))) == []
    bench.put("a1", 1)
    assert view(bench)["v"] == number + 1


def test_every_sentence_of_a_view_is_in_the_catalogue() -> None:
    from lumiban.catalogue import LANGUAGES, text

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
            sentence = publish.view["verdict"]["text"]
            if sentence is not None:
                told.add(sentence["id"])
                for language in LANGUAGES:
                    assert text(sentence["id"], language, **sentence["params"])
    assert len(told) >= 8


def test_a_step_from_event_to_light_takes_less_than_two_milliseconds() -> None:
    chance = random.Random(3)
    bench = Bench(profile="hex5", size=5, hint="control")
    bench.connect()
    took = []
    while bench.match.outcome is None:
        side = bench.match.movers[0]
        move = chance.choice(bench.game.moves(bench.match.course.position, side))
        ((cell, _, kind),) = bench.game.effects(bench.match.course.position, move)
        event = bench.event(bench.game.grid.name(cell), int(kind))
        begin = time.process_time_ns()
        out = bench.session.step(bench.now_us, [Changed((event,))])
        took.append(time.process_time_ns() - begin)
        assert isinstance(out[0], Show)
        if kind == 0:
            bench.command("confirm")
    assert sorted(took)[len(took) // 2] < 2_000_000
