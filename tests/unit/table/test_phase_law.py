"""The law of phases, over random walks of clumsy hands, a page, a phone and a lobby.

Where the table takes no move, nothing says that one may; where it takes one, a stone on a mark is a
move; and where the board differs from the game something burns and a sentence says what to do.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, get_args

import pytest
from clumsy_table import SECOND_US, ClumsyTable
from lumiban.boards.profile import load
from lumiban.boards.types import BoardTime, Changed, Connected, Faulty, Hello, Lost, Snapshot
from lumiban.games.base import Kind
from lumiban.i18n import LANGUAGES, text
from lumiban.lobby.choices import Offers, offers_of
from lumiban.lobby.idle_screen import IdleScreen
from lumiban.runtime.playable_games import offers_for
from lumiban.scene.light import Effect
from lumiban.table.commands import objection_in
from lumiban.table.phase import PHASES, shown
from lumiban.table.requests import LobbyRequest, objection, request_of, seat
from lumiban.table.setup import TableSetup
from lumiban.table.types import Input
from lumiban.table.view_fields import PhaseName, TableView

FROM_LINK = (BoardTime, Changed, Connected, Faulty, Lost, Snapshot)
PLACES = {"may-place", "may-place-neutral", "lift-target"}
INVITES = PLACES | {"removable", "advice", "advice-also", "touch"}
PEOPLE, MACHINE = ("human", "human"), ("human", "bot:easy")
NEUTRAL = 3
UNREAD = (Kind.MASKED, Kind.UNKNOWN)
RESTS_US = 6_000_000
UNLIT = "what is sensed differs from the game and nothing blinks"
UNTOLD = "what is sensed differs from the game and no sentence says what to do"
OWED = "a machine's move is owed and nobody has a step"
COUNTED = ("wait", "choose")
"""Verdicts that take a stone for a move, or ask which one it was."""


@cache
def offers_on(profile: str, slug: str) -> Offers:
    """What the lobby of a board offers of one game: the same for all walks."""
    listed, _ = offers_for(load(profile), [slug])
    hello = {"games": listed, "levels": ["gentle", "easy"], "languages": list(LANGUAGES)}
    return offers_of(hello, can_power_off=True)


class Evening(ClumsyTable):
    """A table with its lobby, which rests after 20 seconds and shows films 5 later."""

    door: IdleScreen | None = None

    def step(self, *inputs: Input) -> None:
        if self.door is None:
            offers = offers_on(self.profile.name, self.session.game.slug)
            setup = TableSetup(self.session.game.slug)
            self.door = IdleScreen(
                self.profile,
                offers,
                setup,
                rest_after_s=20.0,
                attract_after_s=5.0,
                asks_first=False,
            )
        told = [one for one in inputs if isinstance(one, FROM_LINK)]
        passed = self.door.pass_on(told, self.now_us / 1e6)
        super().step(*passed, *(one for one in inputs if not isinstance(one, FROM_LINK)))
        self._tend()

    def on_publish(self, view: TableView) -> None:
        super().on_publish(view)
        assert self.door is not None
        self.door.heard(view, self.now_us / 1e6)

    def _tend(self) -> None:
        assert self.door is not None
        request = self.door.request(self.now_us / 1e6)
        if request is not None:
            refused = self.answer_to(request)
            if refused is not None:
                self.door.refused(refused, self.now_us / 1e6)
        if self.views:
            self.door.frame(self.now_us / 1e6)

    def choose(self, choice: str) -> None:
        """A choice of the lobby, by the page."""
        assert self.door is not None
        self.door.choose(LobbyRequest(choice), self.now_us / 1e6)
        self.step()

    def ask(self, do: str, **fields: Any) -> Any:
        """A request of the page; whoever plays needs no lobby."""
        refused = super().ask(do, **fields)
        if refused is None and self.door is not None:
            self.door.followed_request(request_of(do, fields), self.now_us / 1e6)
        self.step()
        return refused

    @property
    def page(self) -> TableView:
        """The view as a page has it."""
        assert self.door is not None
        return self.door.dress(self.view)


class Walk:
    """A random walk through a table's phases; `counted` says how often each was met."""

    def __init__(self, slug: str, seats: tuple[str, str], seed: int, **more: Any) -> None:
        self.table = Evening(slug, seats, seed=seed, **more)
        self.chance = self.table.chance
        self.counted: Counter[str] = Counter()
        self.trail: list[str] = []
        self.moves = 0

    def go(self, steps: int) -> Walk:
        """Do so many steps, and hold the law after each."""
        acts = [
            self.stone, self.stray, self.lift, self.tidy, self.page, self.phone, self.lobby,
            self.cable,
        ]  # fmt: skip
        for _ in range(steps):
            act = self.chance.choices(acts, (80, 20, 20, 40, 20, 10, 10, 3))[0]
            if self.table.page.lobby and self.chance.random() < 0.6:
                act = self.play
            self.trail = [*self.trail[-12:], act.__name__]
            act()
            self.holds()
            wait_us = self.chance.choice((200_000, 800_000, 2_000_000, 3_000_000, 14_000_000))
            self.table.wait(wait_us)
            self.holds()
            if wait_us > RESTS_US and self.table.now_us - self.table.moved_us >= RESTS_US:
                self.rests()
        return self

    def holds(self) -> None:
        view = self.table.page
        phase = view.phase
        assert phase
        self.counted[phase.name] += 1
        told = (phase.name, self.trail, view.verdict, view.prompt)
        if not phase.takes:
            assert not view.legal.place, told
            assert not view.legal.lift, told
            assert not any(view.open or ()), told
            marks = {mark.meaning for mark in view.marks} & INVITES
            assert not marks, (marks, told)
        texts = [one for one in (phase.title, phase.says, view.verdict.text) if one]
        for one in texts:
            assert all(text(one.id, language, **one.params) for language in LANGUAGES)
        if view.prompt.steps:
            # A piece in the air has its goals lit.
            assert texts or view.timeout or view.verdict.kind == "wait", told
            assert any(colour for colour, _ in view.lights), told
        assert not self.table.hung, (self.table.hung, told)

    def rests(self) -> None:
        """At rest what differs from the game blinks and a sentence says what to do, and a machine's
        move has somebody who brings it."""
        view = self.table.page
        phase = view.phase
        assert phase
        if view.link != "up" or view.outcome or view.lobby:
            return
        beside = {cell for tray in view.game.trays for cell in tray} | set(view.light)
        kinds = zip(view.sensed, view.pieces, strict=True)
        wrong = [c for c, (seen, due) in enumerate(kinds) if seen != due and seen not in UNREAD]
        if view.lit is not None:
            wrong = list(self.table.session.match.strays)
        in_air = view.verdict.kind == "wait"
        said = phase.says or phase.title or view.verdict.text or view.timeout or in_air
        told = (phase, wrong, self.trail, view.verdict, view.prompt)
        if not set(wrong) <= beside:
            moves = [
                effect != Effect.STEADY or (in_air and colour) for colour, effect in view.lights
            ]
            assert any(moves), (UNLIT, told)
            assert said or view.lit is not None, (UNTOLD, told)
        if phase.name == "bringing":
            assert view.prompt.steps, (OWED, told)
        self.counted["at rest"] += 1

    # What hands do.

    def stone(self) -> None:
        """A stone on a mark, which is a move; or a piece into the air, and down on a mark."""
        view, table = self.table.page, self.table
        if not view.phase or not view.phase.takes or view.prompt.steps:
            return
        lying = table.lying()
        if view.labels:
            self.lift()
            view = self.table.page
            lying = table.lying()
        marks = [m for m in view.marks if m.meaning in PLACES and not lying[m.cell]]
        up = [kind for c, kind in enumerate(view.pieces) if kind and not lying[c]]
        if view.labels and len(up) != 1:
            return  # a piece that moves is in a hand, and no other one
        cells = [(m.cell, up[0] if view.labels else self.kind(view, m)) for m in marks]
        for seated, free in zip(view.seats, view.open or (), strict=False):
            if seated.who == "human":
                cells += [(cell, seated.side + 1) for cell in free if not lying[cell]]
        if not cells:
            return
        cell, kind = self.chance.choice(cells)
        before = len(view.moves)
        table.place(cell, kind)
        table.wait(SECOND_US)
        now = table.page
        self.moves += 1
        is_move = len(now.moves) > before or now.verdict.kind in COUNTED or bool(now.pending)
        is_home = bool(view.labels) and now.pieces[cell] == kind and now.verdict.kind == "agree"
        is_tried = bool(now.lesson and now.lesson.said)  # it was one, and is taken back
        is_marker = now.lit is not None and cell not in table.session.match.strays
        told = (view.game.names[cell], kind, self.trail, now.verdict, view.marks)
        assert is_move or is_home or is_tried or is_marker or now.outcome, told

    def kind(self, view: TableView, mark: Any) -> int:
        if mark.meaning == "may-place-neutral":
            return NEUTRAL
        return int((view.to_move[0] if mark.side is None else mark.side) + 1)

    def stray(self) -> None:
        """Any piece anywhere."""
        kinds = self.table.view.game.kinds
        self.table.place(self.chance.randrange(len(self.table.lying())), self.chance.choice(kinds))

    def lift(self) -> None:
        lying = [cell for cell, kind in enumerate(self.table.lying()) if kind]
        may = self.table.page.legal.lift
        if lying:
            self.table.lift(self.chance.choice(may or lying))

    def tidy(self) -> None:
        """The board is made to show the game."""
        table, view = self.table, self.table.view
        should = [0 if c in view.light else kind for c, kind in enumerate(view.pieces)]
        for cell, kind in enumerate(table.lying()):
            if kind and kind != should[cell]:
                table.lift(cell)
        for cell, kind in enumerate(should):
            if kind:
                table.place(cell, kind)

    # What a page and a phone ask for.

    def page(self) -> None:
        do: dict[str, Any] = self.chance.choice(
            [
                {"do": "new"}, {"do": "takeback"}, {"do": "confirm"},
                {"do": "hint", "level": "legal"},
                {"do": "hint", "level": "coach"}, {"do": "lesson", "go": "begin"},
                {"do": "lesson", "go": "leave"}, {"do": "lesson", "go": "next"},
                {"do": "lesson", "go": "begin", "game": "control/puzzles"},
                {"do": "put-back"}, {"do": "accept-board"},
                {"do": "seat", "side": 1, "who": self.chance.choice(["human", "bot:easy"])},
                {"do": "word", "side": 0, "word": "resign"}, {"do": "coach"},
            ]
        )  # fmt: skip
        self.table.ask(do.pop("do"), **do)

    def phone(self) -> None:
        """A phone that plays one side asks what its seat may."""
        side = self.chance.randrange(2)
        view = self.table.page
        if view.legal.place:
            name = view.game.names[self.chance.choice(view.legal.place)]
            request = request_of("move", {"side": side, "text": name})
        else:
            request = request_of("confirm", {"side": side})
        match, role = self.table.session.match, seat(side)
        if objection(request, role) is None and objection_in(match, request, role) is None:
            self.table.answer_to(request)

    def play(self) -> None:
        """Somebody has seen enough of the lobby."""
        self.table.ask("hint", level="legal")
        self.table.ask("new")
        self.tidy()

    def cable(self) -> None:
        """The board is unplugged, and is there again."""
        table = self.table
        table.step(Lost("cable", ""))
        self.holds()
        cells = len(table.lies)
        table.step(Connected(Hello("test", 1, cells, cells, 1, "uid", 5, 0, table.now_us, 0, 0)))
        self.holds()
        table.see_all()

    def lobby(self) -> None:
        self.table.choose(self.chance.choice(["open", "start", "resume", "game", "back"]))


WALKS = [
    pytest.param(slug, seats, lesson, marks=() if usual in (slug, seats) else pytest.mark.slow)
    for slug in ("control", "evening", "trivia", "doves", "rengi")
    for seats, lesson, usual in (
        (PEOPLE, False, PEOPLE),
        (MACHINE, False, "control"),
        (PEOPLE, True, "trivia"),
    )
]
"""Of the unit tests: two people at each game, a machine and a lesson at one."""


@pytest.mark.parametrize(("slug", "seats", "lesson"), WALKS)
def test_where_no_move_is_taken_nothing_invites_one(
    slug: str, seats: tuple[str, str], lesson: bool
) -> None:
    Walk(slug, seats, 5, lesson=lesson).go(9)


@pytest.mark.long
@pytest.mark.parametrize(("slug", "seats", "lesson"), WALKS)
def test_ten_thousand_steps_break_the_law_nowhere(
    slug: str, seats: tuple[str, str], lesson: bool
) -> None:
    walk = Walk(slug, seats, 1, lesson=lesson, has_hands=lesson).go(700)
    print(slug, seats, lesson, walk.moves, dict(walk.counted))


def test_each_phase_has_what_people_read_in_both_languages() -> None:
    assert set(PHASES) == set(get_args(PhaseName))
    for name, row in PHASES.items():
        told = shown(name)
        assert [one and one.id for one in (told.title, told.says)] == [
            id or None for id in (row.title, row.says)
        ]
        for one in filter(None, (told.title, told.says)):
            assert all(text(one.id, language, **one.params) for language in LANGUAGES), name
