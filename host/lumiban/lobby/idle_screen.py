"""Lobby at a table: when it opens and closes, and which board events reach the table meanwhile.

`IdleScreen` stands between link and table, without I/O. While the lobby is open the table hears of
no stone: it has the board as it was, and learns by a snapshot how it is when play goes on. What was
held back is no move, so the board may forget it (`acknowledge`).

The lobby opens
- at the start, where no game goes on: the board breathes until somebody touches it,
- when a game has ended and its board is cleared, or rests,
- when the board of a game in play is cleared: it can be resumed,
- when a game that was chosen is not begun,
- when the page asks for it.

A resting lobby breathes, is dark at night and, where no stone stands, may show games by itself; a
touch wakes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace as with_fields

from lumiban.boards.faults import ActiveFaults
from lumiban.boards.profile import Profile
from lumiban.boards.types import (
    BoardTime,
    Changed,
    Connected,
    Faulty,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban.games.base import Kind
from lumiban.lobby.attract import Attract
from lumiban.lobby.choices import PHONE, SIZE, Offers, Situation
from lumiban.lobby.lights import BREATHING, Light, dimmed, frame, stones_in
from lumiban.lobby.lobby import Begin, Keep, Lobby, PowerOff, Resume
from lumiban.table.clocks import NONE
from lumiban.table.limits import (
    ABANDONED_S,
    CLEARED_S,
    DESERTED_S,
    LESSON_LEFT_S,
    OVER_S,
    UNBEGUN_S,
)
from lumiban.table.phase import shown as phase_shown
from lumiban.table.requests import (
    CoachRequest,
    ErrorText,
    HintRequest,
    LobbyRequest,
    TableRequest,
    ThemeRequest,
)
from lumiban.table.setup import TableSetup
from lumiban.table.types import HUMAN
from lumiban.table.view import quiet
from lumiban.table.view_fields import FilmShown, LobbyShown, TableView, Text, VerdictShown

OPEN = "open"
"""Request by which a page opens the lobby."""
NIGHT_LOOK_S = 60.0
"""Between two looks at the clock, for the night."""
BESIDE_PLAY = (HintRequest, ThemeRequest, CoachRequest)
"""Requests that leave the lobby open."""


class IdleScreen:
    """Lobby of one table; ValueError where its board has no room for one.

    `rest_after_s` is how long the light stays without a hand (0: for ever), `attract_after_s` how
    long a resting board then waits until it shows games (0: it does not), those of the folder
    `records` among them; `is_dark` tells the
    night, `pin` the digits with which a phone comes in, "" for no network, None for none wanted;
    without `asks_first` the game that is there is played first. Times are seconds of one clock.
    """

    def __init__(
        self,
        profile: Profile,
        offers: Offers,
        setup: TableSetup,
        *,
        rest_after_s: float = 120.0,
        attract_after_s: float = 0.0,
        is_dark: Callable[[], bool] = lambda: False,
        asks_first: bool = True,
        pin: Callable[[], str | None] = lambda: None,
        records: Path | None = None,
    ) -> None:
        self._profile = profile
        self.lobby = Lobby(profile, offers, setup)
        self._rest_after_s = rest_after_s
        self._attract_after_s = attract_after_s
        self._is_dark = is_dark
        self._pin = pin
        self._attract = Attract(profile, offers, records)
        self.is_open = False
        self._rests_since_s: float | None = None
        """Since when an open lobby rests; None: it is lit."""
        self._was_open = not asks_first
        """True once there was a lobby, or a game, since this table began."""
        self._touched_s = 0.0
        self._view: TableView | None = None
        self._is_cleared_s: float | None = None
        self._had_stones = False
        """True if a stone lay on the board since the lobby closed."""
        self._theme = "standard"
        # The board.
        self._faults = ActiveFaults()
        self._boot = -1
        self._kinds: list[int] | None = None
        self._held_back: tuple[int, ...] | None = None
        """The picture that the table believes while the lobby is open."""
        self._next_event = 0
        self._board_us = 0
        self._owes_picture = False
        self.acknowledge = 0
        """Events before this one are nothing to anybody any more."""
        self._requests: list[TableRequest] = []
        self.kept: list[Keep] = []
        """Chosen settings, to be kept by the service."""
        self.goes_off = False
        """True if the machine shall be turned off."""

    # What the board tells, on its way to the table.

    def pass_on(self, events: Sequence[LinkEvent], now_s: float) -> list[LinkEvent]:
        """Events that the table is to receive: those of this batch, and the ones withheld
        before."""
        table_events: list[LinkEvent] = []
        for event in events:
            passed = self._pass(event, now_s)
            if passed is not None:
                table_events.append(passed)
        self._take(now_s)
        if self._owes_picture and not self.is_open and self._kinds is not None:
            self._owes_picture = False
            kinds = tuple(self._kinds)
            table_events.append(Snapshot(kinds, self._next_event, self._board_us, False, True))
        return table_events

    def _pass(self, event: LinkEvent, now_s: float) -> LinkEvent | None:
        if isinstance(event, Faulty):
            self._faults.hear(event.what, event.where, round(now_s * 1e6))
        elif isinstance(event, Connected):
            self._faults.held.clear()  # the board tells it again
            if event.hello.boot_id != self._boot:
                self._boot, self._kinds, self._held_back = event.hello.boot_id, None, None
            self._board_us = event.hello.now_us
        elif isinstance(event, BoardTime):
            self._board_us = max(self._board_us, event.now_us)
        elif isinstance(event, Snapshot):
            return self._see_all(event, now_s)
        elif isinstance(event, Changed):
            return self._see(event, now_s)
        elif isinstance(event, Lost):
            self._is_cleared_s = None
        return event

    def _see_all(self, event: Snapshot, now_s: float) -> Snapshot:
        is_other = self._kinds is not None and list(event.kinds) != self._kinds
        self._kinds, self._next_event = list(event.kinds), event.next_event
        self._board_us = max(self._board_us, event.t_us)
        if not self.is_open:
            return event
        if self._held_back is None:
            self._held_back = event.kinds
        if is_other:
            self._wake(now_s)
        self.lobby.hear(self._stones(), now_s)
        self.acknowledge = self._next_event
        return replace(event, kinds=self._held_back)

    def _see(self, event: Changed, now_s: float) -> Changed | None:
        is_open = self.is_open
        for one in event.events:
            self._next_event = max(self._next_event, one.number + 1)
            self._board_us = max(self._board_us, one.t_us)
            if self._kinds is not None and one.button is None and one.cell < len(self._kinds):
                self._kinds[one.cell] = one.kind
            if not is_open:
                continue
            # What wakes it says nothing else: a stone that came is there before the screen is.
            self._wake(now_s)
            if one.button is None:
                self.lobby.hear(self._stones(), now_s)
            elif one.pressed is not None:
                self.lobby.press(one.pressed, now_s)
        if not is_open:
            self._touched_s = now_s
            return event
        self.acknowledge = self._next_event
        return None

    def _stones(self) -> frozenset[int]:
        """Cells that hold a piece, as far as they can be read."""
        kinds = self._kinds or ()
        standing = frozenset(cell for cell, kind in enumerate(kinds) if kind in STANDING)
        return standing - self._faults.blind(self._profile)

    # What the table tells.

    def heard(self, view: TableView, now_s: float) -> None:
        """Take note of a view that the table has published."""
        self._view, self._theme = view, view.theme
        if view.link != "up" or self._kinds is None or self.is_open:
            return
        self._had_stones = self._had_stones or bool(self._stones())
        if not self._was_open:
            self._was_open = True
            if _is_unbegun(view):
                self._open(now_s)
                self._rests_since_s = now_s
                return
        is_clear = not self._stones() and (self._is_on(view) or view.outcome is not None)
        self._is_cleared_s = (self._is_cleared_s or now_s) if is_clear else None

    def followed_request(self, request: TableRequest, now_s: float) -> None:
        """Take note that the table followed a request from elsewhere: the lobby closes once a game
        is played."""
        if not isinstance(request, BESIDE_PLAY):
            self._was_open = True
            self._touched_s = now_s
            if self.is_open:
                self._close()

    def refused(self, why: ErrorText, now_s: float) -> None:
        """Take note that the table did not begin the chosen game."""
        self._open(now_s)
        self.lobby.tell(Text(why["id"], dict(why["params"])))

    # What people ask.

    def choose(self, request: LobbyRequest, now_s: float) -> ErrorText | None:
        """Make a choice from the page; returns why it is refused, None when done."""
        if self._view is None or self._view.link != "up":
            return ErrorText(id="table.board-lost", params={})
        if request.choose == OPEN:
            if not self.is_open:
                self._open(now_s)
            self._wake(now_s)
            return None
        if not self.is_open:
            return ErrorText(id="lobby.error.closed", params={})
        self._wake(now_s)
        refused = self.lobby.choose(request.choose, now_s)
        self._take(now_s)
        return refused

    @property
    def is_lit(self) -> bool:
        """True if the open lobby shows its screens and does not rest."""
        return self.is_open and self._rests_since_s is None

    @property
    def counts_pin(self) -> bool:
        """True while a piece stands on the cell where the board counts out the PIN."""
        held = self.lobby.held
        return self.is_open and held is not None and held.choice == PHONE

    def touched(self, now_s: float) -> None:
        """Take note of a hand at the board, or a visitor at the page."""
        self._touched_s = now_s

    # What it shows and asks for.

    def frame(self, now_s: float) -> LightFrame | None:
        """Picture that the lobby wants shown; None for the table's own."""
        if not self.is_open:
            return None
        light = self._light(now_s)
        covered = self._stones()
        return self.dim(frame(light, self._profile, covered, self._theme))

    def dim(self, shown: LightFrame) -> LightFrame:
        """Picture at the chosen brightness, whether of the lobby or of the table."""
        return dimmed(shown, self.lobby.brightness)

    def _light(self, now_s: float) -> Light:
        since_s = self._rests_since_s
        if since_s is None:
            return self.lobby.light(now_s)
        if self._is_dark():
            self._attract.told = None
            return {}
        if self._shows_films() and now_s >= since_s + self._attract_after_s:
            return self._attract.light(now_s)
        self._attract.told = None
        return self._resting_light()

    def _shows_films(self) -> bool:
        """True if a film may be shown on this board: none is readable among stones."""
        return bool(self._attract_after_s) and not self._stones()

    def _resting_light(self) -> Light:
        return dict.fromkeys(range(len(self._profile.cells)), BREATHING)

    def request(self, now_s: float) -> TableRequest | None:
        """Next request to the table, handed out once; None when there is none."""
        self._look(now_s)
        return self._requests.pop(0) if self._requests else None

    def next_due_s(self, now_s: float) -> float | None:
        """Time in seconds of the next change without an event; None for never."""
        due: list[float] = []
        since_s = self._rests_since_s
        if self.is_open and since_s is None:
            due.append(self.lobby.next_due_s(now_s))
            if self._rest_after_s:
                due.append(self._touched_s + self._rest_after_s)
        elif since_s is not None:
            due.append(now_s + NIGHT_LOOK_S)
            if self._shows_films() and not self._is_dark():
                begins_s = since_s + self._attract_after_s
                due.append(begins_s if now_s < begins_s else self._attract.next_due_s(now_s))
        elif (opens_s := self._opens_s()) is not None:
            due.append(opens_s)
        return min(due, default=None)

    def dress(self, view: TableView) -> TableView:
        """View as the page receives it: with the lobby in words and in light, while it is open."""
        if not self.is_open or view.link != "up":
            return view
        # Not by the time: a page that would be told each idea would hear of nothing else.
        light = self.lobby.light_at_rest() if self.is_lit else self._resting_light()
        shown = frame(light, self._profile, self._stones(), self._theme)
        lobby = self.in_words()
        if self.is_lit:
            phase = phase_shown("lobby", title=lobby.title, says=lobby.says)
        elif lobby.film is None:
            phase = phase_shown("resting")
        else:
            phase = phase_shown("attract", title=lobby.film.title, says=lobby.film.text)
        return quiet(
            view,
            phase,
            VerdictShown("agree", phase.says, [], []),
            lobby=lobby,
            lights=shown.lights,
            palette=shown.palette,
        )

    def in_words(self) -> LobbyShown:
        """Open lobby as the page tells it; on a resting board, the film that is shown."""
        lobby = self.lobby.shown()
        if self.is_lit:
            return lobby
        told = self._attract.told
        if told is None:
            return with_fields(lobby, is_lit=False)
        lights = frame(self._attract.shown, self._profile, self._stones(), self._theme).lights
        film = FilmShown(told.game, told.title, told.text, list(lights))
        return with_fields(lobby, is_lit=False, film=film)

    def with_setting(self, name: str, value: int | str) -> None:
        """Apply the new value of a setting."""
        self.lobby.with_setting(name, value)

    # Inside.

    def _look(self, now_s: float) -> None:
        if self.is_open:
            if self.lobby.held is None:  # what is being looked at stays
                self.lobby.situation = replace(self.lobby.situation, pin=self._pin())
            self.lobby.look(now_s)
            self._take(now_s)
            if (
                self._rest_after_s
                and self._rests_since_s is None
                and not self.lobby.is_going_off
                and now_s >= self._touched_s + self._rest_after_s
            ):
                self._rests_since_s = now_s
            return
        opens_s = self._opens_s()
        if opens_s is not None and now_s >= opens_s:
            rests = self._is_cleared_s is None
            self._open(now_s)
            self._rests_since_s = now_s if rests else None

    def _opens_s(self) -> float | None:
        """Time in seconds at which a closed lobby opens without an event; None during a game."""
        view = self._view
        if view is None or view.link != "up" or self._kinds is None:
            return None
        due: list[float] = []
        if self._is_cleared_s is not None:
            due.append(self._is_cleared_s + self._patience_s(view))
        idle_s = max(self._rest_after_s, UNBEGUN_S) if _is_unbegun(view) else self._rest_after_s
        if self._rest_after_s and (view.outcome is not None or _is_unbegun(view)):
            due.append(self._touched_s + idle_s)
        is_empty = not self._stones() and view.outcome is None and not _is_unbegun(view)
        if is_empty and view.lesson is UNSET:
            due.append(self._touched_s + DESERTED_S)
        return min(due, default=None)

    def _patience_s(self, view: TableView) -> float:
        """Time in seconds for which a cleared board still belongs to its game."""
        if view.outcome is not None:
            return CLEARED_S if self._had_stones and view.lit is None else OVER_S
        if view.lesson is not UNSET or not self._had_stones:
            # It is being set up, or read about.
            return LESSON_LEFT_S
        return ABANDONED_S

    def _is_on(self, view: TableView) -> bool:
        """True if a game with stones on the board is under way."""
        stand = [cell for cell, kind in enumerate(view.pieces) if kind and cell not in view.light]
        return view.outcome is None and bool(stand) and not _is_unbegun(view)

    def _open(self, now_s: float) -> None:
        view = self._view
        assert view is not None, "a lobby opens once the table was heard"
        resumes = view.outcome is None and not _is_unbegun(view)
        situation = Situation(resumes, view.outcome is not None, self._pin())
        self.is_open, self._rests_since_s = True, None
        self._touched_s = now_s
        self._held_back = None if self._kinds is None else tuple(self._kinds)
        self._is_cleared_s = None
        self.lobby.avoid(self._faults.blind(self._profile))
        setup = self._setup(view)
        waiting = self._waiting(view) if resumes else {}
        self.lobby.begin(now_s, self._stones(), situation, setup, waiting)

    def _setup(self, view: TableView) -> TableSetup:
        """Setup offered first: that of the last game."""
        setup = self.lobby.setup
        offered = [one.slug for one in self.lobby.offers.games]
        if view.game.slug not in offered or view.lesson is not UNSET:
            return setup
        clock = NONE if view.clock is UNSET else view.clock.control
        size = view.game.options.get(SIZE, 0)
        return replace(
            setup,
            game=view.game.slug,
            options={SIZE: size},
            seats=tuple(seat.who for seat in view.seats),
            clock=clock,
        )

    def _waiting(self, view: TableView) -> Light:
        """Position of the game that can be resumed, on the board's cells."""
        stones = stones_in(view.pieces)
        return {view.game.cells[cell]: look for cell, look in stones.items()}

    def _close(self) -> None:
        self.is_open, self._rests_since_s = False, None
        self._owes_picture = True
        self._had_stones = False
        self._is_cleared_s = None

    def _wake(self, now_s: float) -> None:
        self._touched_s = now_s
        if self._rests_since_s is not None:
            self._rests_since_s = None
            lobby = self.lobby
            lobby.avoid(self._faults.blind(self._profile))
            lobby.begin(now_s, self._stones(), lobby.situation, lobby.setup, lobby.waiting)

    def _take(self, now_s: float) -> None:
        for asked in self.lobby.take():
            if isinstance(asked, Begin):
                self._close()
                self._touched_s = now_s
                self._requests.append(asked.request)
            elif isinstance(asked, Resume):
                self._close()
                self._touched_s = now_s
            elif isinstance(asked, Keep):
                self.kept.append(asked)
            elif isinstance(asked, PowerOff):
                self.goes_off = True


STANDING = frozenset(Kind) - {Kind.EMPTY, Kind.UNKNOWN, Kind.MASKED}
"""Kinds of a cell on which something stands, whatever it is."""


def _is_unbegun(view: TableView) -> bool:
    """True if no move has been played and a person is to begin."""
    machines = all(seat.who != HUMAN for seat in view.seats)
    return view.outcome is None and not view.moves and not machines and view.lesson is UNSET
