"""State machine of the lobby, without I/O: screens of choices, each made by placing and lifting one
stone.

A stone on a lit cell shows what the choice means, one idea a second; lifted again it has chosen.
What says nothing is dead until it is lifted, and stops nobody: a stone on a dark cell, a second one
beside the first, one that lay there before, one that was forgotten. Only a stone that covers a
choice hides it, and blinks until it is taken off. The page makes the same choices by their ids.

Times are seconds of one clock; cells are the board's. `take` gives what was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from lumiban.boards.profile import Profile
from lumiban.lobby.choices import (
    ABOVE,
    BACK,
    BRIGHTNESS,
    CARE,
    HOME,
    LANGUAGE,
    LESSON,
    OFF,
    PHONE,
    REMATCH,
    RESUME,
    START,
    Choice,
    Offers,
    Situation,
    choices,
    chosen,
    new_game,
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
    Light,
)
from lumiban.lobby.places import Places
from lumiban.scene.grammar import Pattern
from lumiban.table.limits import FORGOTTEN_S, MIN_STAY_S, OFF_S, TOGETHER_S
from lumiban.table.requests import (
    OFF_YES,
    ErrorText,
    LessonRequest,
    NewGameRequest,
    TableRequest,
)
from lumiban.table.setup import TableSetup
from lumiban.table.view_fields import LobbyChoiceShown, LobbyShown, Text

IDEA_S = 1.0
"""One idea a second."""
PAUSE_S = 6.0
"""Between two rounds in which a screen explains itself."""
MAX_BLINKING = 2
"""Stones that ask at once to be taken off; a handful would light the whole board."""

SAYS = {
    "dark": "lobby.says.dark",
    "two": "lobby.says.two",
    "longer": "lobby.says.longer",
    "forgotten": "lobby.says.forgotten",
    "covered": "lobby.says.covered",
    "phone": "lobby.says.phone",
    "no-network": "lobby.says.no-network",
    "stopped": "lobby.says.stopped",
    "clear-first": "lobby.says.clear-first",
}
"""Sentences about what hands did last."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Request to the table, with which the lobby closes."""

    request: TableRequest


@dataclass(frozen=True, slots=True)
class Resume:
    """Request to continue the waiting game, with which the lobby closes."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Request to keep the value of a setting."""

    name: str
    value: int | str


@dataclass(frozen=True, slots=True)
class PowerOff:
    """Request to turn the machine off."""


Demand = Begin | Resume | Keep | PowerOff


@dataclass(frozen=True, slots=True)
class Held:
    """The one stone that may choose, and the time at which it was placed."""

    choice: str
    cell: int
    since_s: float


class Lobby:
    """Lobby for one board; ValueError where the board has no room for its screens."""

    def __init__(self, profile: Profile, offers: Offers, setup: TableSetup) -> None:
        self._profile = profile
        self.offers = offers
        self.setup = setup
        self.screen = HOME
        self.situation = Situation()
        self.waiting: Light = {}
        """The position of the game that can be resumed."""
        self.stones: frozenset[int] = frozenset()
        self.dead: frozenset[int] = frozenset()
        """Stones that choose nothing until they are lifted."""
        self.held: Held | None = None
        self._entered_s = 0.0
        self._off_s: float | None = None
        """Time in seconds at which the machine is asked to go off."""
        self._pending: Begin | None = None
        """Request that waits until no stone lies on a cell where it would count as the first
        move."""
        self._says: Text | None = None
        self._asked: list[Demand] = []
        self._blind: frozenset[int] = frozenset()
        self._places, self._ideas = self._laid(())

    def avoid(self, blind: Collection[int]) -> None:
        """Keep choices off cells that cannot be read, where there is room without them."""
        if frozenset(blind) != self._blind:
            self._blind = frozenset(blind)
            with suppress(ValueError):
                self._places, self._ideas = self._laid(blind)

    def _laid(self, blind: Collection[int]) -> tuple[Places, Ideas]:
        """Places of all screens; ValueError where there is no room for one."""
        places = Places(self._profile, blind)
        for screen in SCREENS:
            places.of(screen, [one.id for one in self._on(screen)])
        return places, Ideas(self._profile, places, self.offers)

    def begin(
        self,
        now_s: float,
        stones: Collection[int],
        situation: Situation,
        setup: TableSetup,
        waiting: Light | None = None,
    ) -> None:
        """Open at the first screen; pieces already on the board choose nothing. `waiting` shows the
        game that can be resumed."""
        self.situation, self.setup, self.waiting = situation, setup, waiting or {}
        self.stones = frozenset(stones)
        self._says = self._pending = None
        self._enter(HOME, now_s)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Choices on the current screen."""
        return self._on(self.screen)

    @property
    def cells(self) -> dict[str, int]:
        """Cell of each choice on the current screen."""
        return self._places.of(self.screen, [one.id for one in self.choices])

    @property
    def is_going_off(self) -> bool:
        """True while the light goes out before the machine turns off."""
        return self._off_s is not None

    @property
    def brightness(self) -> int:
        """Brightness to show, in percent of the usual light: the value being tried, else the kept
        one."""
        head, _, value = (self.held.choice if self.held else "").partition("/")
        return int(value) if head == BRIGHTNESS and value else self.setup.brightness

    # What comes in.

    def hear(self, stones: Collection[int], now_s: float) -> None:
        """Follow the cells that now hold a piece of any kind."""
        now = frozenset(stones)
        new, gone = sorted(now - self.stones), self.stones - now
        self.stones = now
        self.dead &= now
        if (new or gone) and self.is_going_off:
            self._stop_going(now_s)
            return
        held = self.held
        if held is not None and held.cell in gone:
            self.held = None
            if now_s - held.since_s < MIN_STAY_S:
                self._tell("longer")
            else:
                self._choose(held.choice, now_s)
                new = []  # what came with it lies there before the next screen
        if len(new) > 1:
            self._kill(new, "two")
        elif new:
            self._set(new[0], now_s)
        if self._pending is not None and not self.stones:
            self._asked.append(self._pending)
            self._pending = None

    def press(self, button: int, now_s: float) -> None:
        """Follow a button press: confirming buttons choose the held choice, the others go back."""
        if self.is_going_off:
            self._stop_going(now_s)
        elif button >= CONFIRMING:
            if self.screen != HOME:
                self._choose(BACK, now_s)
        elif self.held is not None:
            choice = self.held.choice
            self._choose(choice, now_s)

    def choose(self, choice: str, now_s: float) -> ErrorText | None:
        """Make a choice from the page; returns why it is refused, None when done."""
        if self.is_going_off:
            self._stop_going(now_s)
            return None
        if choice not in [one.id for one in self.choices]:
            return ErrorText(id="lobby.error.gone", params={})
        self._choose(choice, now_s)
        return None

    def look(self, now_s: float) -> None:
        """Advance to this time."""
        if self._off_s is not None and now_s >= self._off_s:
            self._off_s = None
            self._asked.append(PowerOff())
            self._enter(HOME, now_s)
        held = self.held
        if held is not None and now_s >= held.since_s + FORGOTTEN_S:
            self.held = None
            self._kill([held.cell], "forgotten")

    def tell(self, text: Text) -> None:
        """Show a sentence on the page until the next one."""
        self._says = text

    def take(self) -> list[Demand]:
        """Requests since the last call, each handed out once."""
        asked, self._asked = self._asked, []
        return asked

    # What goes out.

    def next_due_s(self, now_s: float) -> float:
        """Time in seconds at which the picture or the state changes without an event."""
        if self._off_s is not None:
            return min(self._off_s, _next(now_s, self._off_s - OFF_S))
        if self.held is not None:
            due = _next(now_s, self.held.since_s)
            return min(due, self.held.since_s + FORGOTTEN_S)
        return _next(now_s, self._entered_s)

    def light(self, now_s: float) -> Light:
        """Picture shown at this moment."""
        if self._off_s is not None:
            return self._going_out(now_s)
        cells = self.cells
        shown: dict[int, Pattern] = {}
        if self.held is not None:
            ideas = self._meant(self.held.choice)
            number = _ideas_since(now_s, self.held.since_s)
            shown.update(ideas[number % len(ideas)])
            if BACK in cells:
                shown[cells[BACK]] = GOES_BACK
        else:
            explained = self.explained(now_s)
            if explained:
                shown.update(self._meant(explained)[-1])
            for one in self.choices:
                shown[cells[one.id]] = _look(one, one.id == explained)
        for cell in self.dead:
            shown[cell] = LIES
        for cell in self._blinking(cells.values()):
            shown[cell] = TAKE_OFF
        if self.held is not None:
            shown[self.held.cell] = CHOSEN
        return shown

    def light_at_rest(self) -> Light:
        """Picture without the animated explanation."""
        if self.held is not None:
            return self.light(self.held.since_s)
        return self.light(self._entered_s + (len(self.choices) + 0.5) * IDEA_S)

    def explained(self, now_s: float) -> str:
        """Choice that the screen explains now, "" for none: each for a second, then a pause."""
        if self.held is not None or len(self.dead) > MAX_BLINKING:
            return ""
        if self._pending is not None:
            return START
        listed = self.choices
        number = _ideas_since(now_s, self._entered_s) % (len(listed) + int(PAUSE_S / IDEA_S))
        return listed[number].id if number < len(listed) else ""

    def shown(self) -> LobbyShown:
        """Lobby in words, for the page."""
        cells = self.cells
        held = None if self.held is None else self.held.choice
        return LobbyShown(
            is_lit=True,
            screen=self.screen,
            title=Text(f"lobby.screen.{'going-off' if self.is_going_off else self.screen}", {}),
            says=self._says,
            choices=[
                LobbyChoiceShown(
                    id=one.id,
                    text=Text(one.text_id, dict(one.params)),
                    cell=cells[one.id],
                    is_now=one.is_now,
                    is_held=one.id == held,
                )
                for one in self.choices
            ],
            take_off=self._blinking(cells.values()),
            film=None,
        )

    # Inside.

    def _on(self, screen: str) -> tuple[Choice, ...]:
        return choices(screen, self.setup, self.offers, self.situation)

    def _meant(self, choice: str) -> Sequence[Light]:
        """Pictures of a choice, one second each."""
        if choice == PHONE:
            return self._ideas.digits(self.situation.pin or "", self.cells[PHONE])
        return self._ideas.of(choice, self.setup, self.waiting)

    def _set(self, cell: int, now_s: float) -> None:
        """Follow a placed stone: it may choose, or means nothing."""
        at = {place: choice for choice, place in self.cells.items()}
        held = self.held
        if held is None:
            if cell in at:
                self.held, self._says = Held(at[cell], cell, now_s), None
            else:
                self._kill([cell], "dark")
        elif at.get(cell) == BACK:
            # The choice is seen, and not wanted.
            self.dead |= {held.cell}
            self.held, self._says = Held(BACK, cell, now_s), None
        elif now_s - held.since_s < TOGETHER_S:
            self.held = None
            self._kill([held.cell, cell], "two")
        else:
            self._kill([cell], "two")

    def _kill(self, cells: Collection[int], why: str) -> None:
        self.dead |= frozenset(cells)
        self._tell(why)

    def _tell(self, why: str) -> None:
        self._says = Text(SAYS[why], {})

    def _blinking(self, cells: Collection[int]) -> list[int]:
        """Stones to be taken off first because they hide a choice."""
        return sorted(self.dead, key=lambda cell: (cell not in cells, cell))[:MAX_BLINKING]

    def _enter(self, screen: str, now_s: float) -> None:
        self.screen, self._entered_s = screen, now_s
        self.held, self._off_s = None, None
        self.dead = self.stones
        if self.stones & set(self.cells.values()):
            self._tell("covered")

    def _choose(self, choice: str, now_s: float) -> None:
        self._says = None
        pending, self._pending = self._pending, None
        above = ABOVE.get(self.screen, HOME)
        if choice == BACK:
            self._enter(above, now_s)
        elif choice == PHONE:  # it is read while a stone stands there
            self._enter(CARE, now_s)
            self._tell("phone" if self.situation.pin else "no-network")
        elif choice == OFF_YES:
            self._enter(OFF, now_s)
            self._off_s = now_s + OFF_S
        elif "/" in choice:
            self.setup = chosen(self.setup, choice)
            head, _, value = choice.partition("/")
            if head == BRIGHTNESS:
                self._asked.append(Keep("light.brightness", int(value)))
            elif head == LANGUAGE:
                self._asked.append(Keep("page.language", value))
            self._enter(above, now_s)
        else:
            begins: dict[str, TableRequest] = {
                START: new_game(self.setup, self.offers),
                REMATCH: NewGameRequest(),
                LESSON: LessonRequest("begin", self.offers.game(self.setup.game).slug),
            }
            self._enter(HOME if choice in (*begins, RESUME) else choice, now_s)
            if choice == RESUME:
                self._asked.append(Resume())
            elif choice in begins:
                begin = Begin(begins[choice])
                if self.stones and begin != pending:
                    self._pending = begin
                    self._tell("clear-first")
                else:  # an empty board, or somebody who insists
                    self._asked.append(begin)

    def _stop_going(self, now_s: float) -> None:
        self._enter(HOME, now_s)
        self._tell("stopped")

    def _going_out(self, now_s: float) -> Light:
        """Board that goes dark row by row, the last row with the machine."""
        assert self._off_s is not None
        rows = self._places.rows
        left = (self._off_s - now_s) / OFF_S
        lit = [cell for row in rows[: round(left * len(rows))] for cell in row]
        return dict.fromkeys(lit, SHAPE)

    def with_setting(self, name: str, value: int | str) -> None:
        """Apply the new value of a setting."""
        if name == "light.brightness":
            self.setup = replace(self.setup, brightness=int(value))
        elif name == "page.language":
            self.setup = replace(self.setup, language=str(value))


SCREENS = ("home", "game", "size", "first", "second", "clock", "language")
"""Screens that each board must have room for; the others have fewer choices than home."""
CONFIRMING = 2
"""Buttons 0 and 1 confirm, those after them go back."""


def _ideas_since(now_s: float, since_s: float) -> int:
    """Number of whole pictures since an instant; times are floats."""
    return int((now_s - since_s) / IDEA_S + 1e-6)


def _next(now_s: float, since_s: float) -> float:
    """Time in seconds at which the next picture begins, counted from an instant."""
    return since_s + (_ideas_since(now_s, since_s) + 1) * IDEA_S


def _look(choice: Choice, is_explained: bool) -> Pattern:
    if is_explained:
        return EXPLAINED
    if choice.id == BACK:
        return GOES_BACK
    return HOLDS_NOW if choice.is_now else MAY_CHOOSE
