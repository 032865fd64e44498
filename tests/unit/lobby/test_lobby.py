"""The lobby's screens: choices by stones and pages, a way back from everywhere, hands that slip."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

import pytest
from each import each
from hello_of import hello_of
from hypothesis import given, settings
from hypothesis import strategies as st
from lobby_table import BOARDS
from lumiban.boards.profile import load
from lumiban.boards.types import LightFrame
from lumiban.i18n import LANGUAGES, text
from lumiban.lobby.choices import (
    BACK,
    BRIGHTNESS,
    BRIGHTNESSES,
    CARE,
    CLOCK,
    FIRST,
    GAME,
    HOME,
    LANGUAGE,
    NONE,
    OFF,
    OFF_YES,
    SECOND,
    SIZE,
    START,
    Offers,
    Situation,
    choices,
    chosen,
    offers_of,
)
from lumiban.lobby.lights import (
    CHOSEN,
    EXPLAINED,
    GOES_BACK,
    HOLDS_NOW,
    LIES,
    MAY_CHOOSE,
    SHAPE,
    TAKE_OFF,
    Ideas,
    dimmed,
    frame,
    stones_in,
)
from lumiban.lobby.lobby import (
    FORGOTTEN_S,
    IDEA_S,
    MIN_STAY_S,
    OFF_S,
    Begin,
    Lobby,
    PowerOff,
    Resume,
)
from lumiban.lobby.places import Places, has_room
from lumiban.scene import themes
from lumiban.scene.grammar import FLASHES_LIMIT, Pattern
from lumiban.scene.themes import THEMES, palette, share
from lumiban.service.settings import BY_NAME
from lumiban.table.requests import LessonRequest, NewGameRequest
from lumiban.table.setup import TableSetup
from lumiban_fw.effects import FRAME_US, LEVELS
from thorough import examples

PIN = "402917"
LOOKS = {
    "may choose": MAY_CHOOSE,
    "holds now": HOLDS_NOW,
    "goes back": GOES_BACK,
    "explained": EXPLAINED,
    "chosen": CHOSEN,
    "take off": TAKE_OFF,
    "lies": LIES,
}
"""What the lobby may show at once."""


@cache
def offers(board: str) -> Offers:
    return offers_of(hello_of(load(board)), can_power_off=True)


def opened(
    board: str = "hex3", *, resumes: bool = False, ended: bool = False, **wish: object
) -> Lobby:
    found = offers(board)
    wishes = TableSetup(str(wish.get("slug", found.games[0].slug)))
    lobby = Lobby(load(board), found, wishes)
    lobby.begin(0.0, (), Situation(resumes, ended, PIN), wishes)
    return lobby


class Hand:
    """Sets and lifts stones, a second after each other, and keeps the lobby's time."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.now_s = 0.0
        self.stones: set[int] = set()

    def wait(self, seconds: float = 1.0) -> None:
        self.now_s += seconds
        self.lobby.look(self.now_s)

    def set(self, *cells: int, after_s: float = 1.0) -> None:
        self.wait(after_s)
        self.stones |= set(cells)
        self.lobby.hear(self.stones, self.now_s)

    def lift(self, *cells: int, after_s: float = 1.0) -> None:
        self.wait(after_s)
        self.stones -= set(cells)
        self.lobby.hear(self.stones, self.now_s)

    def choose(self, *choices: str) -> None:
        for choice in choices:
            cell = self.lobby.cells[choice]
            self.set(cell)
            self.lift(cell)

    def dark_cell(self) -> int:
        """A cell that means nothing now."""
        cells = range(len(load("hex3").cells))
        return next(one for one in cells if one not in {*self.lobby.cells.values(), *self.stones})


def says(lobby: Lobby) -> str:
    told = lobby.shown().says
    return "" if told is None else told.id


def test_game_size_seats_and_clock_are_chosen_and_begun() -> None:
    lobby = opened()
    hand = Hand(lobby)
    hand.choose(GAME, "game/trivia", SIZE, "size/2", FIRST, "first/bot:hard")
    hand.choose("second", "second/human", CLOCK, "clock/5+3", START)
    options = {"size": 2, "cells": "hexagons"}
    wanted = NewGameRequest("trivia", options, ("bot:hard", "human"), "5+3")
    assert lobby.take() == [Begin(wanted)]
    assert lobby.take() == []


def test_another_game_forgets_the_size_and_the_clock_of_the_one_before() -> None:
    lobby = opened()
    hand = Hand(lobby)
    hand.choose(SIZE, "size/2", CLOCK, "clock/5+3", GAME, "game/evening", START)
    [asked] = lobby.take()
    assert isinstance(asked, Begin)
    assert asked.request == NewGameRequest("evening", {"size": 3}, ("human", "bot:medium"), "none")


def test_a_game_that_waits_is_resumed_and_one_that_ended_is_played_again() -> None:
    waiting = opened(resumes=True)
    assert "rematch" not in waiting.cells
    Hand(waiting).choose("resume")
    assert waiting.take() == [Resume()]
    ended = opened(ended=True)
    Hand(ended).choose("rematch")
    assert ended.take() == [Begin(NewGameRequest())]


@pytest.mark.parametrize("board", BOARDS)
def test_each_choice_of_each_screen_has_words_of_its_own_and_one_of_a_list_holds_now(
    board: str,
) -> None:
    found, setup = offers(board), TableSetup(offers(board).games[0].slug)
    assert setup.brightness == max(BRIGHTNESSES) == 100, "the usual light is the brightest"
    lists = [FIRST, SECOND, BRIGHTNESS, *([GAME] if len(found.games) > 1 else [])]
    for screen in (HOME, CARE, OFF, GAME, SIZE, FIRST, SECOND, CLOCK, LANGUAGE, BRIGHTNESS):
        shown = choices(screen, setup, found, Situation(True, False, PIN))
        for language in LANGUAGES:
            said = []
            for one in shown:
                params = {
                    name: text(word, language)
                    if str(word).startswith(("game.", "level."))
                    else word
                    for name, word in one.params.items()
                }
                said.append(text(one.text_id, language, **params))
            assert len(set(said)) == len(said)
            assert not any("{" in one or "lobby.choice" in one for one in said)
            for one, words in zip(shown, said, strict=True):
                if "bot:" in one.id:
                    assert text(f"level.{one.id.rpartition(':')[2]}", language) in words
        if screen in lists:
            assert sum(one.is_now for one in shown) == 1


@pytest.mark.parametrize("board", ["hex5", "hex3"])
def test_what_is_longer_stronger_or_later_in_a_list_lights_more(board: str) -> None:
    found, profile = offers(board), load(board)
    setup = TableSetup(found.games[0].slug)
    ideas = Ideas(profile, Places(profile), found)

    def lit(choice: str) -> list[int]:
        return [len(picture) for picture in ideas.of(choice, setup, {})]

    clocks = [one for one in found.game(setup.game).clocks if one != NONE]
    hands = [lit(f"{CLOCK}/{clock}") for clock in clocks]
    assert all(hand == sorted(hand) for hand in hands), "it goes round"
    ends = [hand[-1] for hand in hands]
    assert ends == sorted(set(ends)), "further, the longer it is"
    (face,) = lit(f"{CLOCK}/{NONE}")
    assert ends[-1] == face
    for side in (FIRST, SECOND):
        strong = [lit(f"{side}/bot:{level}") for level in found.levels]
        assert strong == [[n] for n in range(1, len(found.levels) + 1)]
    assert [lit(f"{LANGUAGE}/{one}") for one in found.languages] == [
        [n] for n in range(1, len(found.languages) + 1)
    ]
    assert (lit(LANGUAGE), lit(BRIGHTNESS), lit(CARE)) == ([2], [1, 2, 3], [1, 2, 3])
    assert [lit(f"{BRIGHTNESS}/{one}") for one in BRIGHTNESSES] == [[len(profile.cells)]] * 3
    rows = [len(row) for row in Places(profile).rows]
    assert lit(OFF) == [sum(rows[: len(rows) * part // 3]) for part in (3, 2, 1, 0)]


@each("board", BOARDS)
def test_a_choice_changes_what_its_screen_is_about_and_its_picture_can_be_shown(board: str) -> None:
    found, profile = offers(board), load(board)
    setup = TableSetup(found.games[0].slug, {SIZE: 0}, ("human", "human"), "none", language="x")
    ideas = Ideas(profile, Places(profile), found)
    about = {
        GAME: lambda one: one.game, SIZE: lambda one: str(one.options[SIZE]),
        FIRST: lambda one: one.seats[0], SECOND: lambda one: one.seats[1],
        CLOCK: lambda one: one.clock, LANGUAGE: lambda one: one.language,
        BRIGHTNESS: lambda one: str(one.brightness),
    }  # fmt: skip
    for screen in (HOME, CARE, OFF, *about):
        for choice in choices(screen, setup, found, Situation(True, False, PIN)):
            name, _, value = choice.id.partition("/")
            after = chosen(setup, choice.id)
            if name not in about or not value:
                assert after == setup, choice.id
            elif after != setup:
                assert about[name](after) == value
                others = [read for one, read in about.items() if one not in (name, SIZE, CLOCK)]
                assert name == GAME or all(read(after) == read(setup) for read in others)
            if choice.id not in ("phone", OFF_YES):
                for picture in ideas.of(choice.id, setup, {}):
                    shown = frame(picture, profile, set(picture), "standard")
                    assert sum(entry != 0 for entry, _ in shown.lights) == len(picture)
    assert chosen(setup, "language/ja").language == "ja"
    assert chosen(setup, "second/bot:easy").seats == ("human", "bot:easy")


CARES = "brightness language phone off back"
PLAYERS = "human bot:gentle bot:easy bot:medium bot:hard bot:strong"


def test_each_screen_lists_what_this_table_has_in_its_order() -> None:
    found = offers("hex3")
    control, one_game = TableSetup("control"), replace(found, games=found.games[:1])
    untaught = replace(found.games[0], has_lesson=False, sizes=(), clocks=(NONE,))
    least = replace(found, games=(untaught,), can_power_off=False)
    usual = Situation(pin=PIN)
    for screen, offered, situation, listed in (
        (HOME, found, usual, "start game size first second clock lesson care"),
        (HOME, found, Situation(resumes=True, has_ended=True),
         "start resume game size first second clock lesson care"),
        (HOME, found, Situation(has_ended=True),
         "start rematch game size first second clock lesson care"),
        (HOME, one_game, usual, "start size first second clock lesson care"),
        (HOME, least, usual, "start first second care"),
        (CARE, found, usual, CARES),
        (CARE, found, Situation(pin=""), CARES),
        (CARE, least, Situation(), "brightness language back"),
        (OFF, found, usual, "off/yes back"),
        (SIZE, found, usual, "size/2 size/3 back"),
        (FIRST, found, usual, " ".join(f"first/{one}" for one in PLAYERS.split()) + " back"),
        (SECOND, found, usual, " ".join(f"second/{one}" for one in PLAYERS.split()) + " back"),
        (CLOCK, found, usual,
         "clock/none clock/sudden:10m clock/5+3 clock/10+5 clock/move:30s back"),
        (LANGUAGE, found, usual, "language/en language/ja back"),
        (BRIGHTNESS, found, usual, "brightness/40 brightness/65 brightness/100 back"),
    ):  # fmt: skip
        shown = choices(screen, control, offered, situation)
        assert " ".join(one.id for one in shown) == listed, (screen, situation)
    assert [one.slug for one in found.games if one.has_lesson] == ["control", "evening", "trivia"]
    fits = {one.slug: (one.sizes, one.size, one.options) for one in offers("grid13x14").games}
    assert fits == {
        "trivia": (tuple(range(2, 14)), 9, {}), "doves": ((), 0, {}), "rengi": ((), 0, {}),
    }  # fmt: skip
    assert offers("hex3").game("evening").clocks == ("none", "sudden:10m", "sudden:30m")
    assert offers("grid13x14").game("rengi").clocks == ("rules", "none")
    held = {one.id: one for one in choices(HOME, TableSetup("evening"), found, usual)}
    assert {id for id, one in held.items() if one.params == {"game": "game.evening.name"}} == {
        START, GAME, "lesson",
    }  # fmt: skip
    gone = TableSetup("control", {SIZE: 77}, clock="sudden:7m")
    for screen, now in ((SIZE, "size/3"), (CLOCK, "clock/none")):
        assert [one.id for one in choices(screen, gone, found, usual) if one.is_now] == [now]


def test_a_board_without_room_for_one_of_the_lists_has_no_lobby() -> None:
    found = offers("hex3")
    many = tuple(map(str, range(19)))
    game = found.games[0]
    for wide in (
        replace(found, games=tuple(replace(game, slug=one) for one in many)),
        replace(found, games=(replace(game, sizes=tuple(range(19))),)),
        replace(found, games=(replace(game, clocks=("none", *(f"{n}+1" for n in range(1, 19)))),)),
        replace(found, levels=many),
        replace(found, languages=many),
    ):
        with pytest.raises(ValueError, match="no room"):
            Lobby(load("hex3"), wide, TableSetup("control"))
    hex3 = load("hex3")
    assert [has_room(replace(hex3, cells=hex3.cells[:count])) for count in (15, 16)] == [
        False,
        True,
    ]


def test_the_board_offers_what_the_settings_page_offers() -> None:
    assert BY_NAME["light.brightness"].offered == BRIGHTNESSES
    clocks = BY_NAME["game.clock"].offered
    assert set(offers("hex3").game("control").clocks) == {one or NONE for one in clocks}


def test_what_was_set_on_the_page_holds_at_the_board() -> None:
    lobby = opened()
    lobby.with_setting("light.brightness", 65)
    lobby.with_setting("page.language", "ja")
    lobby.with_setting("page.port", 8800)
    assert (lobby.setup.brightness, lobby.setup.language, lobby.brightness) == (65, "ja", 65)
    hand = Hand(lobby)
    for screen, now in ((BRIGHTNESS, "brightness/65"), (LANGUAGE, "language/ja")):
        hand.choose(CARE, screen)
        assert [one.id for one in lobby.choices if one.is_now] == [now]
        hand.wait(len(lobby.choices) * IDEA_S + 1)
        light = lobby.light(hand.now_s)
        assert light[lobby.cells[now]] == HOLDS_NOW
        assert light[lobby.cells[BACK]] == GOES_BACK
        others = {cell for one, cell in lobby.cells.items() if one not in (now, BACK)}
        assert {light[cell] for cell in others} == {MAY_CHOOSE}
        hand.choose(BACK, BACK)


def test_it_teaches_the_game_that_is_wished() -> None:
    lobby = opened()
    Hand(lobby).choose(GAME, "game/evening", "lesson")
    assert lobby.take() == [Begin(LessonRequest("begin", "evening"))]


def test_the_light_goes_out_row_by_row_before_the_machine_and_any_touch_stops_it() -> None:
    lobby = opened()
    hand = Hand(lobby)
    hand.choose("care", OFF, OFF_YES)
    lit = len(lobby.light(hand.now_s))
    hand.wait(OFF_S / 2)
    assert 0 < len(lobby.light(hand.now_s)) < lit
    hand.set(hand.dark_cell(), after_s=0.1)
    assert not lobby.is_going_off
    assert says(lobby) == "lobby.says.stopped"
    hand.lift(*hand.stones)
    hand.choose("care", OFF, OFF_YES)
    hand.wait(OFF_S)
    assert lobby.take() == [PowerOff()]


def test_who_insists_begins_though_a_stone_lies_there() -> None:
    # A cell whose sensor sees a stone for ever keeps nobody from playing.
    lobby = opened()
    hand = Hand(lobby)
    hand.set(hand.dark_cell())
    hand.choose(START)
    assert lobby.take() == []
    hand.choose(START)
    assert len(lobby.take()) == 1


def test_two_hands_at_once_choose_nothing() -> None:
    for apart_s in (0.0, 0.1):
        lobby = opened()
        hand = Hand(lobby)
        cells = lobby.cells[GAME], lobby.cells[SIZE]
        if apart_s:
            hand.set(cells[0])
            hand.set(cells[1], after_s=apart_s)
        else:
            hand.set(*cells)
        assert says(lobby) == "lobby.says.two"
        assert {lobby.light(hand.now_s)[cell] for cell in cells} == {TAKE_OFF}
        hand.lift(cells[0])
        hand.lift(cells[1])
        assert lobby.screen == HOME
        hand.choose(GAME)
        assert lobby.screen == GAME


def test_back_takes_a_choice_away_while_its_stone_still_stands() -> None:
    lobby = opened()
    hand = Hand(lobby)
    hand.choose(GAME)
    wrong = lobby.cells["game/evening"]
    hand.set(wrong)
    hand.choose(BACK)
    assert lobby.screen == HOME
    assert lobby.setup.game == "control"
    hand.lift(wrong)
    assert lobby.setup.game == "control"


def test_a_stone_that_was_forgotten_chooses_nothing_when_somebody_clears_the_board() -> None:
    lobby = opened()
    hand = Hand(lobby)
    cell = lobby.cells[START]
    hand.set(cell)
    hand.wait(FORGOTTEN_S)
    assert says(lobby) == "lobby.says.forgotten"
    assert lobby.light(hand.now_s)[cell] == TAKE_OFF
    hand.lift(cell)
    assert lobby.take() == []
    hand.choose(START)
    assert len(lobby.take()) == 1


def test_a_stone_on_a_choice_is_to_be_taken_off_before_those_beside_it() -> None:
    lobby = Lobby(load("hex3"), offers("hex3"), TableSetup("control"))
    covered = max(lobby.cells.values())
    beside = set(range(covered)) - set(lobby.cells.values())
    lobby.begin(0.0, {*beside, covered}, Situation(), TableSetup("control"))
    assert lobby.shown().take_off[0] == covered


def test_the_page_makes_the_same_choices_and_is_told_what_is_there() -> None:
    lobby = opened()
    shown = lobby.shown()
    assert [one.cell for one in shown.choices] == [lobby.cells[one.id] for one in shown.choices]
    assert lobby.choose(GAME, 1.0) is None
    assert lobby.choose("game/evening", 2.0) is None
    assert lobby.choose(START, 3.0) is None
    [asked] = lobby.take()
    assert isinstance(asked, Begin)
    gone = lobby.choose("size/77", 4.0)
    assert gone is not None
    assert gone["id"] == "lobby.error.gone"


def test_buttons_confirm_and_go_back_where_a_board_has_some() -> None:
    lobby = opened()
    hand = Hand(lobby)
    lobby.press(0, 0.5)
    assert lobby.screen == HOME, "nothing is held"
    hand.set(lobby.cells[GAME])
    lobby.press(1, 2.0)
    assert lobby.screen == GAME
    lobby.press(2, 3.0)
    assert lobby.screen == HOME
    assert lobby.dead == hand.stones, "what stands there has said its word"


def counted_out(hand: Hand) -> str:
    """The digits that somebody reads who sets a stone on the PIN's cell and counts, second by
    second: what is lit beside the stone and the way back, a ring as 0, a digit ended by the dark.
    """
    lobby, read = hand.lobby, ""
    cell, back = lobby.cells["phone"], lobby.cells[BACK]
    ring = {*lobby._places.ring} - {cell, back}
    hand.set(cell)
    hand.wait(1.5)
    seen: list[set[int]] = []
    while len(read) < len(PIN):
        lit = {one for one, look in lobby.light(hand.now_s).items() if look == SHAPE}
        if lit:
            seen.append(lit)
        else:
            assert len(seen) == 3
            assert seen[0] == seen[1] == seen[2]
            read += "0" if seen[0] == ring else str(len(seen[0]))
            seen = []
        hand.wait(IDEA_S)
    assert lobby.held is not None, "read before the stone is forgotten"
    hand.lift(cell)
    return read


@pytest.mark.one_case
@pytest.mark.parametrize("board", BOARDS)
def test_a_phone_s_pin_is_counted_out_in_light(board: str) -> None:
    lobby = opened(board)
    hand = Hand(lobby)
    hand.choose("care")
    assert counted_out(hand) == PIN
    assert (lobby.screen, says(lobby), lobby.take()) == ("care", "lobby.says.phone", [])
    lobby.situation = Situation(pin="135680")
    assert counted_out(hand) == "135680"


def test_without_a_network_the_light_leads_back_and_the_page_says_why() -> None:
    lobby = opened()
    hand = Hand(lobby)
    lobby.situation = Situation(pin="")
    hand.choose("care")
    cell = lobby.cells["phone"]
    hand.set(cell)
    hand.wait(1.5)
    assert set(lobby.light(hand.now_s)) == {lobby.cells[BACK], cell}
    hand.lift(cell)
    assert says(lobby) == "lobby.says.no-network"
    unwanted = choices("care", lobby.setup, lobby.offers, Situation(pin=None))
    assert "phone" not in [one.id for one in unwanted]


def test_a_page_that_mirrors_the_board_shows_no_digit_of_the_pin() -> None:
    lobby = opened()
    hand = Hand(lobby)
    hand.choose("care")
    at_rest, screens = set(), []
    for pin in ("111111", "902735"):
        lobby.situation = Situation(pin=pin)
        hand.set(lobby.cells["phone"])
        for _ in range(25):
            hand.wait(IDEA_S)
            at_rest.add(frozenset(lobby.light_at_rest()))
        assert pin not in repr(lobby.shown())
        hand.lift(lobby.cells["phone"])
        screens.append([lobby.light(hand.now_s + second) for second in range(12)])
    assert len(at_rest) == 1
    assert screens[0] == screens[1], "nor does the board, while no stone asks"


# Laws.


@st.composite
def walks(draw: st.DrawFn) -> tuple[Hand, str]:
    """A lobby after some choices and some slips of hands."""
    board = draw(st.sampled_from(BOARDS))
    lobby = opened(board, resumes=draw(st.booleans()), ended=draw(st.booleans()))
    hand = Hand(lobby)
    cells = range(len(load(board).cells))
    for _ in range(draw(st.integers(0, 8))):
        act = draw(st.sampled_from(("choose", "choose", "set", "lift", "wait")))
        after_s = draw(st.sampled_from((0.1, 1.0)))
        if act == "choose":
            free = [one for one, cell in lobby.cells.items() if cell not in hand.stones]
            if free:
                hand.choose(draw(st.sampled_from(free)))
        elif act == "wait":
            hand.wait(draw(st.sampled_from((0.5, FORGOTTEN_S))))
        elif act == "set":
            hand.set(*draw(st.sets(st.sampled_from(cells), max_size=3)), after_s=after_s)
        elif hand.stones:
            hand.lift(draw(st.sampled_from(sorted(hand.stones))), after_s=after_s)
    return hand, board


def follow_the_light(hand: Hand) -> None:
    """Take off what blinks, one stone after the other."""
    lobby = hand.lobby
    hand.wait(OFF_S)
    for _ in range(200):
        light = lobby.light(hand.now_s)
        blinking = [cell for cell in sorted(hand.stones) if light.get(cell) == TAKE_OFF]
        held = [cell for cell in sorted(hand.stones) if light.get(cell) == CHOSEN]
        if not blinking and not held:
            return
        hand.lift((blinking or held)[0])
    raise AssertionError("it blinks for ever")


@settings(max_examples=examples(20))
@given(walks())
def test_from_everywhere_there_is_a_way_back_by_following_the_light(
    walk: tuple[Hand, str],
) -> None:
    hand, _ = walk
    lobby = hand.lobby
    follow_the_light(hand)
    assert not hand.stones, "nothing lies there that nobody asks for"
    for _ in range(3):
        if lobby.screen == HOME:
            break
        assert lobby.light(hand.now_s)[lobby.cells[BACK]] in (GOES_BACK, EXPLAINED)
        hand.choose(BACK)
    assert lobby.screen == HOME
    lobby.take()
    hand.choose(START)
    assert len(lobby.take()) == 1


@settings(max_examples=examples(20))
@given(walks())
def test_each_lit_choice_can_be_chosen_and_has_a_place_of_its_own(walk: tuple[Hand, str]) -> None:
    hand, board = walk
    lobby = hand.lobby
    follow_the_light(hand)
    cells = lobby.cells
    assert len(set(cells.values())) == len(cells), "told apart by place"
    assert set(cells.values()) <= set(range(len(load(board).cells)))
    light = lobby.light(hand.now_s)
    for choice, cell in cells.items():
        assert cell in light, choice
        hand.set(cell)
        assert lobby.held is not None
        assert lobby.held.choice == choice
        # A stone beside, and both go: nothing is chosen, and the next one is tried.
        hand.lift(cell, after_s=MIN_STAY_S / 2)


@settings(max_examples=examples(20))
@given(walks())
def test_no_state_waits_for_nobody(walk: tuple[Hand, str]) -> None:
    hand, _ = walk
    lobby = hand.lobby
    assert lobby.next_due_s(hand.now_s) > hand.now_s
    light = lobby.light(hand.now_s)
    waits = {look for look in light.values() if look in (MAY_CHOOSE, EXPLAINED, TAKE_OFF, CHOSEN)}
    assert waits or lobby.is_going_off, "somebody is asked to do something"
    assert EXPLAINED not in lobby.light_at_rest().values()
    shown = lobby.shown()
    for told in (shown.title, shown.says, *(one.text for one in shown.choices)):
        for language in LANGUAGES:
            assert told is None or text(told.id, language, **told.params)


@settings(max_examples=examples(20))
@given(walks(), st.sampled_from(sorted(THEMES)))
def test_a_stone_that_is_wrong_is_told_without_colour(walk: tuple[Hand, str], theme: str) -> None:
    hand, board = walk
    light = hand.lobby.light(hand.now_s)
    shown = frame(light, load(board), hand.stones, theme)
    assert isinstance(shown, LightFrame)
    rhythms = {look.effect for cell, look in light.items() if look == TAKE_OFF}
    others = {look.effect for cell, look in light.items() if look != TAKE_OFF}
    assert not rhythms & others


def burns(look: Pattern, covered: bool) -> tuple[float, ...]:
    """How bright a light is in each frame of ten seconds, as an eye without colours sees it."""
    levels = LEVELS[look.effect]
    seen = share(look.strength, covered) * (1 - themes.HIDDEN if covered else 1)
    return tuple(round(levels[k % len(levels)] / 255 * seen, 4) for k in range(600))


@each("covered", [False, True])
def test_stones_in_light_are_told_apart_without_colour(covered: bool) -> None:
    white, black, other = stones_in([0, 1, 2, 3]).values()
    assert (white.role, black.role, other.role) == ("white", "black", "legal")
    assert len({burns(one, covered) for one in (white, black, other)}) == 3
    assert (list(stones_in([0, 1, 2, 0])), stones_in([0, 0])) == ([1, 2], {})


@pytest.mark.parametrize("covered", [False, True])
def test_what_the_lobby_shows_at_once_differs_in_more_than_colour(covered: bool) -> None:
    for (name, look), (other_name, other) in combinations(LOOKS.items(), 2):
        assert (look.strength, look.effect) != (other.strength, other.effect), (name, other_name)
        assert burns(look, covered) != burns(other, covered), (name, other_name)


def test_nothing_in_the_lobby_flashes_more_than_three_times_a_second() -> None:
    second = 1_000_000 // FRAME_US
    for name, look in LOOKS.items():
        levels = list(LEVELS[look.effect]) * 20
        rises = [int(a < 128 <= b) for a, b in pairwise(levels)]
        most = max(sum(rises[k : k + second]) for k in range(3 * second))
        assert most <= FLASHES_LIMIT, name
    assert IDEA_S >= 1 / FLASHES_LIMIT


@each("percent", BRIGHTNESSES)
@each("theme", THEMES)
def test_at_each_brightness_whatever_burns_is_seen(theme: str, percent: int) -> None:
    from lumiban_fw.gamma import GAMMA
    from lumiban_fw.wire import BRIGHTNESS

    gamma = array("H", GAMMA)
    shown = dimmed(LightFrame((), palette(theme)), percent)
    for (role, strength, covered), colour in zip(themes.ENTRIES, shown.palette[1:], strict=True):
        if role in themes.OF_MARKS:
            drive = max((gamma[value] * BRIGHTNESS + 32767) // 65535 for value in colour)
            assert drive >= 1, (role, strength, covered)


def test_a_cell_that_cannot_be_read_stands_for_nothing() -> None:
    board = load("hex3")
    usual = Lobby(board, offers("hex3"), TableSetup("control"))
    blind = {usual.cells[START], Places(board).back}
    lobby = Lobby(board, offers("hex3"), TableSetup("control"))
    lobby.avoid(blind)
    hand = Hand(lobby)
    assert not blind & set(lobby.cells.values())
    hand.choose(GAME)
    assert not blind & set(lobby.cells.values())


def test_a_board_that_can_read_hardly_a_cell_keeps_its_places_for_the_page() -> None:
    lobby = opened()
    places = lobby.cells
    lobby.avoid(range(15))
    assert lobby.cells == places
