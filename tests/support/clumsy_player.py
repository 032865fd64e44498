"""A person who clicks wrong, twice, and too early, at a `ClumsyTable`; and the law for the table.

After each act, within `PATIENCE_US` something moves, or the table says one thing that is true and
that a person can do. What is true is read here from the pieces that lie there, from the moves that
the table has told, and from rules written a second time (`by_the_rules`, `doves_by_the_book`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from by_the_rules import HEX, SQUARE, Board, hexes, squares
from clumsy_table import SECOND_US, ClumsyTable
from lumiban.games.builtin_lessons import LESSONS
from lumiban.table.commands import objection_in
from lumiban.table.requests import (
    NewGameRequest,
    TakebackRequest,
    WordRequest,
    objection,
    request_of,
    seat,
)
from lumiban.table.view_fields import TableView

PATIENCE_US = 3 * SECOND_US
RESTLESS_US = 120 * SECOND_US
"""A table that has not come to rest after so long does the same again and again."""
PEOPLE = ("human", "human")
MACHINE = ("human", "bot:easy")
KINDS = {1: "white", 2: "black", 3: "red"}


@dataclass
class Breach(AssertionError):
    """The law was broken: how, and by which acts."""

    what: str
    acts: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.what}\nafter " + " · ".join(self.acts[-14:])


class ClumsyPlayer:
    """`role` is `host`, or that of a seat: a phone that asks and never touches the board."""

    def __init__(
        self,
        slug: str,
        seats: Sequence[str],
        seed: int,
        *,
        lesson: bool = False,
        has_hands: bool = True,
    ) -> None:
        self.chance = random.Random(f"{slug} {seats} {seed} {lesson}")
        self.table = ClumsyTable(
            slug, seats, seed=seed, lesson=lesson, has_hands=has_hands, options=_options(slug)
        )
        self.slug = slug
        self.role = "host"
        self.acts: list[str] = []
        self.count = 0
        self._refused: set[int] = set()
        self._refused_once: set[int] = set()
        self._ways: list[tuple[int, Callable[[], str]]] = [
            (30, self._click_sensibly),
            (16, self._click_anywhere),
            (6, self._other_sides_piece),
            (5, self._click_twice),
            (8, self._lift_something),
            (4, self._change_of_mind),
            (5, self._confirm),
            (4, self._take_back),
            (4, self._choose),
            (3, self._word),
            (3, self._put_back),
            (2, self._phone),
            (1, self._sit),
            (1, self._new_game),
            (7 if lesson else 1, self._lesson),
        ]
        if not has_hands:
            self._ways.append((12, self._tidy))
        if slug == "doves" and not has_hands:
            self._ways.append((6, self._second_choice))

    def play(self, acts: int) -> None:
        """Do so many acts; Breach."""
        weights = [weight for weight, _ in self._ways]
        for _ in range(acts):
            way = self.chance.choices(self._ways, weights)[0][1]
            if self.table.view.outcome is not None and self.chance.random() < 0.5:
                way = self._new_game if self.table.session.lesson is None else self._lesson
            self.count += 1
            self.acts = [*self.acts[-40:], way() or way.__name__]
            self.table.moved_us = self.table.now_us
            self._note_refused()
            if self.chance.random() < 0.55:
                self.table.wait(self.chance.randrange(1_500_000))
            else:
                self._rest()
            self._note_refused()
        self._rest()

    def _rest(self) -> None:
        table = self.table
        if not table.stand(PATIENCE_US, RESTLESS_US):
            if not any(seat.who == "human" for seat in table.view.seats):
                return  # two machines play on
            raise Breach(f"it never comes to rest: {_told(table.view)}", self.acts)
        self._note_refused()
        taken = [cell for cell in table.taken if cell not in self._refused_once]
        table.taken.clear()
        if taken and not view_named(table.view):
            raise Breach(f"hands took away early stones of {taken}", self.acts)
        if table.hung:
            raise Breach(f"it hung: {table.hung}", self.acts)
        why = breach(table, self._refused)
        if why:
            raise Breach(f"{why}: {_told(table.view)}; lies {table.lying()}", self.acts)

    def _note_refused(self) -> None:
        """Cells whose piece was refused: it becomes no move by lying there."""
        table = self.table
        lying = table.lying()
        self._refused = {cell for cell in self._refused if cell < len(lying) and lying[cell]}
        view = table.view
        if view.verdict.kind in ("refuse", "repair"):
            self._refused |= {c for c, kind in enumerate(lying) if kind != view.pieces[c] and kind}
        if view.verdict.kind == "refuse" or not self._refused:
            self._refused_once = set(self._refused)

    # What they do.

    def _cells(self) -> int:
        return len(self.table.session.game.grid)

    def _kind(self, cell: int) -> int:
        """What a tap means there, as the page has it."""
        view = self.table.view
        step = next((s for s in view.prompt.steps if s.do == "place" and s.cell == cell), None)
        if step is not None:
            return step.kind
        if view.owing:
            return view.owing[0][0]
        movers = [side for side in view.to_move if view.seats[side].who == "human"]
        return (self.chance.choice(movers) if movers else self.chance.randrange(2)) + 1

    def _tap(self, cell: int, kind: int = 0) -> str:
        lies = self.table.lying()
        name = self.table.session.game.grid.name(cell)
        if lies[cell]:
            self.table.lift(cell)
            return f"lifts {name}"
        kind = kind or self._kind(cell)
        self.table.place(cell, kind)
        return f"sets {KINDS[kind]} on {name}"

    def _click_sensibly(self) -> str:
        view = self.table.view
        steps = view.prompt.steps
        if steps and self.chance.random() < 0.6:
            return self._tap(steps[0].cell)
        moves = self._legal()
        if moves:
            return self._by_hand(self.chance.choice(moves))
        open_cells = [c for cells in view.open or [] for c in cells]
        cells = [*view.legal.place, *view.legal.lift, *open_cells]
        return self._tap(self.chance.choice(cells)) if cells else self._click_anywhere()

    def _legal(self) -> list[tuple[tuple[int, int], ...]]:
        """The changes of legal moves of people, where a move is more than one stone."""
        session = self.table.session
        game, position = session.game, session.match.position
        if session.match.is_in_light or not game.lifts_by_button:
            return []
        people = [s for s in game.movers(position) if session.history.seats[s] == "human"]
        found = [move for side in people for move in game.moves(position, side)]
        self.chance.shuffle(found)
        return [
            tuple((cell, int(after)) for cell, _, after in game.effects(position, move))
            for move in found[:1]
        ]

    def _by_hand(self, changes: tuple[tuple[int, int], ...]) -> str:
        for cell, after in sorted(changes, key=lambda one: one[1]):
            if self.chance.random() < 0.85:
                self._tap(cell, after)
                self.table.wait(self.chance.randrange(200_000))
        return f"moves {changes}"

    def _click_anywhere(self) -> str:
        return self._tap(self.chance.randrange(self._cells()))

    def _other_sides_piece(self) -> str:
        kinds = [int(kind) for kind in self.table.session.game.kinds]
        return self._tap(self.chance.randrange(self._cells()), self.chance.choice(kinds))

    def _click_twice(self) -> str:
        cell = self.chance.randrange(self._cells())
        first = self._tap(cell)
        self.table.wait(self.chance.choice((1_000, 60_000, 300_000)))
        return f"{first}, {self._tap(cell)}"

    def _lift_something(self) -> str:
        lying = [cell for cell, kind in enumerate(self.table.lying()) if kind]
        return self._tap(self.chance.choice(lying)) if lying else self._click_anywhere()

    def _change_of_mind(self) -> str:
        """Take a piece, put it elsewhere, and then another one."""
        done = [self._lift_something()]
        self.table.wait(self.chance.randrange(400_000))
        done.append(
            self._lift_something() if self.chance.random() < 0.5 else self._click_anywhere()
        )
        return ", ".join(done)

    def _tidy(self) -> str:
        """Do what the table asks, step for step, as nobody else does it here."""
        done = []
        for _ in range(self._cells()):
            steps = self.table.view.prompt.steps
            if not steps or self.chance.random() < 0.02:
                break
            done.append(self._tap(steps[0].cell))
            self.table.wait(300_000)
        return ", ".join(["tidies", *done[-3:]])

    def _second_choice(self) -> str:
        """Take up a dove, then the one that is to move, and set both: only people know which is
        which."""
        lies = self.table.lying()
        for changes in self._legal():
            up = [cell for cell, after in changes if not after]
            put = [(cell, after) for cell, after in changes if after]
            alike = [c for c, kind in enumerate(lies) if put and kind == put[0][1] and c not in up]
            if up and alike:
                first = self.chance.choice(alike)
                for cell in (first, *up):
                    self.table.lift(cell)
                    self.table.wait(self.chance.randrange(200_000))
                for cell, kind in (*put, (first, put[0][1])):
                    self.table.place(cell, kind)
                    self.table.wait(self.chance.randrange(200_000))
                return f"lifts {first}, then moves {changes}, and sets the first"
        return self._lift_something()

    def _ask(self, do: str, **fields: object) -> str:
        if self.role != "host":
            self.role = "host"
        refused = self.table.ask(do, **fields)
        return f"asks {do} {fields}" + (f" ({refused['id']})" if refused else "")

    def _confirm(self) -> str:
        before = self.table.view
        known = len(before.moves)
        named = before.pending.said if before.pending is not None else ""
        told = before.verdict.text
        done = self._ask("confirm", **({"side": 0} if before.turnless else {}))
        after = self.table.view.moves
        if len(after) > known and not before.turnless and before.game.slug != "rengi":
            texts = [named, *(map(str, told.params.values()) if told else [])]
            if not any(move.said in texts for move in after[known:]):
                what = f"Confirm played {after[known].said}, which nothing named: {_told(before)}"
                raise Breach(what, [*self.acts, done])
        return done

    def _take_back(self) -> str:
        return self._ask("takeback")

    def _choose(self) -> str:
        choices = self.table.view.verdict.choices
        return self._ask("choose", text=self.chance.choice(choices) if choices else "a1")

    def _word(self) -> str:
        side = self.chance.randrange(2)
        words = self.table.view.words[side] if side < len(self.table.view.words) else []
        words = [word for word in words if word != "resign" or self.chance.random() < 0.1]
        return self._ask("word", side=side, word=self.chance.choice(words)) if words else ""

    def _put_back(self) -> str:
        return self._ask("put-back")

    def _phone(self) -> str:
        """A phone asks for what may be the other's, or everybody's; then it is closed."""
        match = self.table.session.match
        side = self.chance.randrange(2)
        asked = self.chance.choice(
            [NewGameRequest(), WordRequest(1 - side, "resign"), request_of("put-back", {})]
        )
        if objection(asked, seat(side)) is None:
            raise Breach(f"seat {side} may ask {asked}", self.acts)
        mine = objection_in(match, TakebackRequest(), seat(side)) is None
        return self._take_back() if mine and self.chance.random() < 0.3 else "closes the phone"

    def _sit(self) -> str:
        who = self.chance.choice(("human", "bot:easy", "human"))
        side = self.chance.randrange(2)
        other = self.table.view.seats[1 - side].who
        return self._ask("seat", side=side, who="human" if other != "human" else who)

    def _new_game(self) -> str:
        return self._fresh(self._ask("new"))

    def _fresh(self, done: str) -> str:
        """What lies there of the game before is no move of this one."""
        view = self.table.view
        if view.moves:
            raise Breach(f"{view.moves} was played by stones of before", [*self.acts, done])
        return done

    def _lesson(self) -> str:
        if self.table.session.lesson is None:
            return self._ask("lesson", go="begin") if self.slug in LESSONS else ""
        go = self.chance.choice(("next", "next", "next", "back", "again", "begin", "leave"))
        done = self._ask("lesson", go=go)
        return done if go == "leave" or "(" in done else self._fresh(done)


def _options(slug: str) -> Mapping[str, int | str] | None:
    small: dict[str, Mapping[str, int | str]] = {
        "control": {"size": 3}, "evening": {"size": 3}, "trivia": {"size": 3},
    }  # fmt: skip
    return small.get(slug)


def _told(view: TableView) -> str:
    text = view.verdict.text
    said = f"{text.id} {text.params}" if text is not None else "nothing"
    steps = [(s.do, view.game.names[s.cell]) for s in view.prompt.steps]
    return f"{view.verdict.kind}, says {said}, asks {steps}, to move {view.to_move}"


# The law.


def view_named(view: TableView) -> bool:
    """Whether pieces have names here: then a piece taken and put is one move."""
    return bool(view.labels)


def breach(table: ClumsyTable, refused: set[int]) -> str:
    """What a table at rest leaves a person without, "" where one knows what to do."""
    view = table.view
    people = [seat.side for seat in view.seats if seat.who == "human"]
    to_move = [side for side in view.to_move if side in people]
    if view.outcome is not None:
        return ""
    if view.lit is not None:
        return _breach_in_light(table, to_move)
    lying = table.lying()
    apart = [
        cell
        for cell, kind in enumerate(lying)
        if kind != view.pieces[cell] and not (cell in view.light and not kind)
    ]
    if view.prompt.steps:
        return _untrue_step(view, lying) or _needless(view, lying, apart, to_move, refused)
    if view.verdict.kind == "choose":
        return "" if view.verdict.choices else "nothing to choose from"
    text = view.verdict.text
    if text is not None and text.id in ("table.names-check", "table.names-move"):
        return _misnamed(view, lying, str(text.params["pieces"]))
    if view.pending is not None or view.timeout is not None:
        return ""
    return _left_alone(view, apart) or _nobody(view, people, to_move)


def _untrue_step(view: TableView, lying: Sequence[int]) -> str:
    """What is wrong with the step that is asked for."""
    step, should = view.prompt.steps[0], view.pieces
    lies = lying[step.cell]
    wants = 0 if step.do == "lift" else step.kind
    is_right = lies == should[step.cell] if step.do == "lift" else wants != should[step.cell]
    untrue = {
        "a step is asked for that is done": lies == wants,
        "a piece is asked for where another one lies": step.do == "place" and bool(lies),
        "hands were asked and did nothing": view.prompt.by == "hands",
        "a step is asked for that mends nothing": view.prompt.wait == "mend" and is_right,
    }
    return next((why for why, holds in untrue.items() if holds), "")


def _needless(
    view: TableView,
    lying: Sequence[int],
    apart: Sequence[int],
    to_move: Sequence[int],
    refused: set[int],
) -> str:
    is_lift = view.prompt.steps[0].do == "lift"
    if is_lift and _is_own_next(view, lying, apart, to_move, refused):
        return "a stone that is legal now is to be lifted"
    told = view.verdict.text is not None or view.verdict.kind in ("wait", "repair")
    return "" if told else "no sentence"


def _misnamed(view: TableView, lying: Sequence[int], pieces: str) -> str:
    """A question about pieces names each where something lies."""
    for named in pieces.split(", "):
        name, _, where = named.partition(" ")
        if not where or not lying[view.game.names.index(where)]:
            return f"the question names {name} on {where}, where nothing lies"
    return ""


def _left_alone(view: TableView, apart: Sequence[int]) -> str:
    """Pieces that lie wrong with nothing asked; a spare one beside the field says nothing."""
    if view.verdict.kind == "wait" and apart:
        lit = [mark for mark in view.marks if mark.meaning in ("lift-target", "may-place", "mend")]
        return "" if lit else "a piece is in the air and nothing is lit"
    on_field = [c for c in apart if not any(c in tray for tray in view.game.trays)]
    return "pieces lie wrong and nothing is asked" if on_field else ""


def _nobody(view: TableView, people: Sequence[int], to_move: Sequence[int]) -> str:
    if not to_move:
        return "nobody who plays is to move" if people else ""
    return "" if _may_move(view, to_move) else "nobody can move, and nothing is asked"


def _breach_in_light(table: ClumsyTable, to_move: Sequence[int]) -> str:
    view = table.view
    if view.verdict.kind == "refuse":
        return "" if view.verdict.text is not None else "a refusal without a reason"
    return "" if to_move or view.pending is not None else "nobody who plays is to move"


def _is_own_next(
    view: TableView, lying: Sequence[int], apart: Sequence[int], to_move: Sequence[int],
    refused: set[int],
) -> bool:  # fmt: skip
    """Whether the one thing that lies wrong is a stone that whoever is to move may set there, by
    rules written a second time, and that nobody has refused before."""
    if len(apart) != 1 or view.turnless or not to_move or apart[0] in refused:
        return False
    cell = apart[0]
    return not view.pieces[cell] and _may_set(view, lying[cell], cell, to_move[0])


def _board(view: TableView) -> Board:
    names = view.game.names
    on_hexes = view.game.slug in ("control", "evening")
    board = Board(hexes(names), HEX) if on_hexes else Board(squares(names), SQUARE)
    for cell, kind in enumerate(view.pieces):
        if kind:
            board.stones[board.places[names[cell]]] = KINDS[kind]
    return board


def _may_set(view: TableView, kind: int, cell: int, side: int) -> bool:
    """Whether this stone is legal there by the rules alone (Control and Trivia)."""
    board, name = _board(view), view.game.names[cell]
    place = board.places[name]
    if view.game.slug == "trivia":
        return any(owed == kind and count for owed, count in view.owing)
    if view.game.slug != "control" or kind != side + 1:
        return False
    if not view.moves and not board.stones and len(board.beside(place)) == len(HEX):
        return False
    near = [board.stones[at] for at in board.sees(place, far=False)]
    return near.count(KINDS[side + 1]) >= near.count(KINDS[2 - side])


def _may_move(view: TableView, to_move: Sequence[int]) -> bool:
    """Whether somebody who is to move has a move or a word, by the rules where they are here."""
    if view.game.slug in ("control", "trivia"):
        for side in to_move:
            kinds = [kind for kind, _ in view.owing] or [side + 1]
            for cell, kind in enumerate(view.pieces):
                if not kind and any(_may_set(view, one, cell, side) for one in kinds):
                    return True
    return any(view.words[side] for side in to_move)
