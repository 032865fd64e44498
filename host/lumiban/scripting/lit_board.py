"""Board as a script sees it, before games: cells that shine, pieces that come and go."""

from __future__ import annotations

import contextlib
import inspect
import os
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lumiban.boards.types import (
    BoardEvent,
    Changed,
    Connected,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban.errors import BoardError, LinkLost, UsageError
from lumiban.games.base import Kind
from lumiban.scene.light import Effect
from lumiban.scene.themes import GAMMA
from lumiban.scripting.colours import OFF, Colour, colour_of

if TYPE_CHECKING:
    from lumiban.boards.profile import Profile
    from lumiban.boards.transport import ByteLine
    from lumiban.table.types import Step

Callback = Callable[..., object]
"""Called with the `PieceEvent`, or with nothing if it takes no argument."""
_C = TypeVar("_C", bound="LitBoard")

OPENING_US = 5_000_000
"""Time in µs that a board may take to send its first picture."""
TURN_US = 50_000
"""The longest that a real board's thread waits before it looks after a bot's answer."""
MAX_COLOURS = 63
"""Palette entries of the board beside the dark one."""
EFFECTS = {
    "steady": Effect.STEADY,
    "blink": Effect.BLINK,
    "fast-blink": Effect.FAST_BLINK,
    "breathe": Effect.BREATHE,
    "pulse": Effect.PULSE,
}
"""Effects of a lit cell."""


@dataclass(frozen=True, slots=True)
class PieceEvent:
    """A piece that was placed on a cell or lifted from it.

    `time` is the board's, in seconds since it was switched on; `uncertainty` its half width.
    """

    cell: Cell
    piece: str
    placed: bool
    time: float
    uncertainty: float = 0.0

    def __str__(self) -> str:
        return f"{self.piece} {'on' if self.placed else 'off'} {self.cell.name}"


class _Strict:
    """Attributes that are misspelt are an error, not a new attribute."""

    def __setattr__(self, name: str, value: object) -> None:
        kind = type(self)
        declared = any(name in inspect.get_annotations(base) for base in kind.__mro__)
        if not (name.startswith("_") or declared or hasattr(kind, name)):
            known = sorted(key for key in dir(self) if not key.startswith("_"))
            near = get_close_matches(name, known)
            meant = f"; did you mean {near[0]}?" if near else f": there are {', '.join(known)}"
            raise AttributeError(f"{type(self).__name__} has no {name!r}{meant}")
        super().__setattr__(name, value)


class _Watched(_Strict):
    """Callbacks for pieces that come or go: of a cell, or of a whole board."""

    _when_placed: Callback | None = None
    _when_lifted: Callback | None = None

    @property
    def when_placed(self) -> Callback | None:
        """Function called when a piece is placed on this cell, or anywhere on this board."""
        return self._when_placed

    @when_placed.setter
    def when_placed(self, call: Callback | None) -> None:
        self._when_placed = callback(call)

    @property
    def when_lifted(self) -> Callback | None:
        """Function called when a piece is lifted from this cell, or anywhere from this board."""
        return self._when_lifted

    @when_lifted.setter
    def when_lifted(self, call: Callback | None) -> None:
        self._when_lifted = callback(call)


class Cell(_Watched):
    """One cell of a board: what lies there, its light, and what to call when a piece comes or goes.

    Cells come from a board: `board["c3"]`.
    """

    number: int
    """Its number on the board."""
    name: str
    """Its name, as c3."""

    def __init__(self, board: LitBoard, number: int, name: str) -> None:
        self._board = board
        self._colour: Colour = OFF
        self._effect = "steady"
        self.number = number
        self.name = name

    def __repr__(self) -> str:
        return f"<Cell {self.name}: {self.piece or 'empty'}>"

    @property
    def piece(self) -> str | None:
        """The piece that lies here: white, black or neutral; None when the cell is empty.

        A board can also find one that it cannot name: unknown, stacked or foreign.
        """
        return self._board._piece(self.number)

    @property
    def light(self) -> Colour:
        """The colour that this cell shines in; set it to a name, "#rrggbb", three numbers or None.

        UsageError for no colour, more than 63 at a time, and a board that is closed.

        >>> from lumiban import Simulator
        >>> with Simulator("hex3") as board:
        ...     board["c3"].light = "red"
        ...     board["c3"].light
        (255, 40, 40)
        """
        return self._colour

    @light.setter
    def light(self, wish: str | Sequence[int] | None) -> None:
        with self._board._lock:
            self._board._check_open()
            self._colour = colour_of(wish)
            self._board._relight()

    @property
    def effect(self) -> str:
        """Effect of the cell's light: steady, blink, fast-blink, breathe or pulse."""
        return self._effect

    @effect.setter
    def effect(self, wish: str) -> None:
        if wish not in EFFECTS:
            raise UsageError(f"no effect {wish!r}: choose one of {', '.join(EFFECTS)}")
        with self._board._lock:
            self._board._check_open()
            self._effect = wish
            self._board._relight()

    @property
    def neighbours(self) -> tuple[Cell, ...]:
        """The cells that touch this one."""
        board = self._board
        return tuple(board._cells[one] for one in board.profile.grid.neighbours[self.number])

    def wait_for_piece(self, timeout: float | None = None) -> PieceEvent | None:
        """Event of the next piece that is placed here; None after `timeout` seconds without one.

        UsageError where the board is closed; BoardError and LinkLost come from its line.
        """
        return self._board._wait_for_event(lambda e: e.placed and e.cell is self, timeout)

    def wait_for_lift(self, timeout: float | None = None) -> PieceEvent | None:
        """Event of the next lift from here; None after `timeout` seconds without one. Raises as
        `wait_for_piece` does."""
        return self._board._wait_for_event(lambda e: not e.placed and e.cell is self, timeout)


class LaidTable(Protocol):
    """Interface of a table that is laid on a board: a part in each turn of the wheel."""

    def _step(self, events: Sequence[LinkEvent]) -> None: ...

    def _deadline(self, until_us: int) -> int: ...

    def close(self) -> None:
        """Give the light back to the board."""


class LitBoard(_Watched):
    """A board whose cells are lit and watched: its line, its light, its time.

    `Board` and `Simulator` say how one is met, and lay games on it. BoardError and LinkLost come
    from its line, UsageError from what was asked of it.
    """

    profile: Profile
    """Profile of the board: its cells, lights and wiring."""
    port: str
    """Port of the board."""

    _pump: threading.Thread | None = None
    """The thread of a real board's line."""
    _calls: SimpleQueue[Callable[[], object] | None] | None = None
    """What its thread of callbacks is to call next; None ends it."""
    _caller: threading.Thread | None = None
    _when_pressed: Callback | None = None
    _when_lost: Callback | None = None
    _brightness = 1.0
    _is_there = True
    _close_line: Callable[[], None] = staticmethod(lambda: None)

    def _begin(self, profile: Profile, line: ByteLine, port: str) -> None:
        from lumiban.boards.link import Link

        self.profile = profile
        self.port = port
        self._line = line
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._link = Link(profile, int.from_bytes(os.urandom(4), "little"))
        self._kinds: list[int] | None = None
        self._events: deque[PieceEvent] = deque()
        self._watchers: list[Callable[[PieceEvent], None]] = []
        self._table: LaidTable | None = None
        self._trouble: BaseException | None = None
        self._is_closed = False
        self._light_is_due = False
        names = profile.grid.names
        self._cells = tuple(Cell(self, number, name) for number, name in enumerate(names))
        self._link.opened(line.now_us)
        end = line.now_us + OPENING_US
        while self._kinds is None:
            if line.now_us >= end:
                raise LinkLost(f"the board on {port} answers but sends no picture: unplug it once")
            self._turn(end)
        self._relight()

    @property
    def is_connected(self) -> bool:
        """True while the board answers; False while it is unplugged, and after `close`."""
        return self._is_there and not self._is_closed

    @property
    def when_lost(self) -> Callback | None:
        """Callback that gets the reason when the board falls silent; it is looked for then."""
        return self._when_lost

    @when_lost.setter
    def when_lost(self, call: Callback | None) -> None:
        self._when_lost = callback(call)

    @property
    def when_pressed(self) -> Callback | None:
        """Callback that gets the number of a button, from 0, when it is pressed."""
        return self._when_pressed

    @when_pressed.setter
    def when_pressed(self, call: Callback | None) -> None:
        self._when_pressed = callback(call)

    @property
    def brightness(self) -> float:
        """Share of full light that the cells' own light has, 0 to 1; a table keeps its own."""
        return self._brightness

    @brightness.setter
    def brightness(self, share: float) -> None:
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise UsageError(f"no brightness {share!r}: a number from 0 to 1, as 0.5")
        with self._lock:
            self._check_open()
            self._brightness = float(share)
            self._relight()

    # Cells and pieces.

    def __contains__(self, cell: object) -> bool:
        """True for the name of a cell of this board, and for the cell itself."""
        if isinstance(cell, Cell):
            return cell._board is self
        return isinstance(cell, str) and cell in self.profile.grid.names

    def __getitem__(self, name: str) -> Cell:
        """The cell of this name; UsageError when the board has none."""
        if not isinstance(name, str) or name not in self.profile.grid.names:
            names = self.profile.grid.names
            lower = str(name).lower()
            near = f"; did you mean {lower}?" if lower in names else ""
            raise UsageError(
                f"no cell {name!r}{near or ':'} this board ({self.profile.name}) has"
                f" {len(names)} cells, for example {names[-1]}, {names[len(names) // 2]},"
                f" {names[0]}"
            )
        return self._cells[self.profile.grid.cell(name)]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.profile.name}: {len(self.pieces)} pieces>"

    @property
    def pieces(self) -> dict[str, str]:
        """Pieces on the board, by the cell's name."""
        with self._lock:
            return {cell.name: piece for cell in self._cells if (piece := cell.piece) is not None}

    @property
    def time(self) -> float:
        """The board's time now, in seconds since it was switched on."""
        with self._lock:
            return self._link.board_now(self._line.now_us) / 1e6

    def clear(self) -> None:
        """Put out all lights."""
        with self._lock:
            self._check_open()
            for cell in self._cells:
                cell._colour, cell._effect = OFF, "steady"
            self._relight()

    # Time.

    def wait(self, seconds: float | None = None) -> None:
        """Run callbacks for this many `seconds`; without it until Ctrl-C.

        UsageError where the board is closed; BoardError and LinkLost come from its line.

        >>> from lumiban import Simulator
        >>> board = Simulator("hex3")
        >>> start = board.time
        >>> board.wait(2)
        >>> board.time - start >= 2
        True
        """
        with (
            contextlib.suppress(KeyboardInterrupt) if seconds is None else contextlib.nullcontext()
        ):
            self._wait_until(lambda: False, seconds)

    def wait_for_piece(self, timeout: float | None = None) -> PieceEvent | None:
        """Event of the next piece that is placed anywhere; None after `timeout` seconds."""
        return self._wait_for_event(lambda event: event.placed, timeout)

    def wait_for_lift(self, timeout: float | None = None) -> PieceEvent | None:
        """Event of the next lift anywhere; None after `timeout` seconds without one."""
        return self._wait_for_event(lambda event: not event.placed, timeout)

    # Life.

    def close(self) -> None:
        """Put out the lights and let go of the port.

        UsageError is what lighting a cell, waiting or playing then ends with; what the board saw
        last can still be read. A callback that still runs may finish.
        """
        if self._is_closed:
            return
        if self._table is not None:
            self._table.close()
        with contextlib.suppress(LinkLost):
            self.clear()
        with self._lock:
            self._is_closed = True
            self._changed.notify_all()
        if self._calls is not None:
            self._calls.put(None)
        for thread in (self._pump, self._caller):
            if thread is not None and thread is not threading.current_thread():
                thread.join(2.0)
        self._close_line()
        self._raise_trouble()

    def __enter__(self: _C) -> _C:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._trouble = None  # the first exception is the one to be seen
        self.close()

    # Inside: what a simulated board does otherwise.

    _is_real_time = True

    _assists = False
    """True if simulated hands do what a table asks."""

    def _assist(self, step: Step, cell: int) -> None:
        """Let simulated hands do this step of a table, at this cell of the board."""

    # Inside: one turn of the wheel.

    def _run(self) -> None:
        """Keep the line alive until `close`: the work of a real board's thread."""
        while not self._is_closed:
            try:
                self._turn(self._line.now_us + TURN_US)
            except Exception as error:  # noqa: BLE001  # a script's own: raised where it waits
                with self._lock:
                    self._trouble = error
                    self._changed.notify_all()
                if isinstance(error, LinkLost):
                    self._lose(str(error))
                    return

    def _turn(self, until_us: int) -> None:
        """Send what is to be sent, let time go on until something comes, and follow that."""
        with self._lock:
            self._send()
            due = self._next_deadline(until_us)
        data = self._line.read(due)
        with self._lock:
            now = self._line.now_us
            events = self._link.receive(data, now) + self._link.poll(now)
            for event in events:
                self._follow(event, now)
            if self._table is not None:
                self._table._step(events)
            self._dispatch()
            self._send()
            self._changed.notify_all()

    def _next_deadline(self, until_us: int) -> int:
        due = [until_us]
        linked = self._link.next_deadline()
        if linked is not None:
            due.append(linked)
        if self._table is not None:
            due.append(self._table._deadline(until_us))
        return max(min(due), self._line.now_us)

    def _send(self) -> None:
        if self._light_is_due:
            self._light_is_due = False
            self._link.show(self._frame())
        out = self._link.take_output()
        if out:
            self._line.write(out)

    def _follow(self, event: LinkEvent, now: int) -> None:
        if isinstance(event, Snapshot):
            self._see_all(event)
        elif isinstance(event, Changed):
            for one in event.events:
                self._see(one)
            if self._table is None:
                self._link.acknowledge(event.events[-1].number + 1)
        elif isinstance(event, Connected):
            self._is_there = True
        elif isinstance(event, Lost):
            self._lose(event.reason)
            if event.reason not in ("silent", "closed", "not-a-board"):
                raise BoardError(
                    f"the board on {self.port} was replaced by another: {event.detail}"
                )
            self._line.lost(event.reason)
            self._link.opened(now)

    def _see_all(self, picture: Snapshot) -> None:
        before, self._kinds = self._kinds, list(picture.kinds)
        if before is None:
            return
        for cell, (old, new) in enumerate(zip(before, picture.kinds, strict=True)):
            self._note(cell, old, new, picture.t_us, 0)

    def _lose(self, reason: str) -> None:
        if self._is_there:
            self._is_there = False
            self._call(self._when_lost, reason)

    def _see(self, event: BoardEvent) -> None:
        if event.pressed is not None:
            self._call(self._when_pressed, event.pressed)
        if self._kinds is None or event.cell >= len(self._kinds):
            return
        before, self._kinds[event.cell] = self._kinds[event.cell], event.kind
        self._note(event.cell, before, event.kind, event.t_us, event.uncertainty_us)

    def _note(self, cell: int, before: int, now: int, t_us: int, half_us: int) -> None:
        if before == now:
            return
        piece = _name(now if now != Kind.EMPTY else before)
        event = PieceEvent(
            self._cells[cell], piece or "unknown", now != Kind.EMPTY, t_us / 1e6, half_us / 1e6
        )
        self._events.append(event)

    def _dispatch(self) -> None:
        """Call what is to be called, event by event; a callback may wait for others."""
        while self._events:
            event = self._events.popleft()
            for watcher in tuple(self._watchers):
                watcher(event)
            cell = event.cell
            for call in (
                (cell.when_placed, self._when_placed)
                if event.placed
                else (cell.when_lifted, self._when_lifted)
            ):
                self._call(call, event)

    def _call(self, call: Callback | None, *values: object) -> None:
        """Call a script's function: of a real board in a thread of its own, where it may sleep."""
        if call is None:
            return
        if self._calls is None:
            call(*values)
        else:
            self._calls.put(partial(call, *values))

    def _run_calls(self, calls: SimpleQueue[Callable[[], object] | None]) -> None:
        """Call one after the other until None: the work of the thread of callbacks."""
        while (call := calls.get()) is not None:
            try:
                call()
            except Exception:  # noqa: BLE001  # a script's own: shown, and the board goes on
                traceback.print_exc()

    def _wait_for_event(
        self, wanted: Callable[[PieceEvent], bool], timeout: float | None
    ) -> PieceEvent | None:
        seen: list[PieceEvent] = []

        def watch(event: PieceEvent) -> None:
            if not seen and wanted(event):
                seen.append(event)

        with self._lock:
            self._watchers.append(watch)
        try:
            self._wait_until(lambda: bool(seen), timeout)
        finally:
            with self._lock:
                self._watchers.remove(watch)
        return seen[0] if seen else None

    def _wait_until(self, done: Callable[[], bool], timeout: float | None) -> bool:
        """Let time go by until something holds; whether it does within `timeout` seconds."""
        self._check_open()
        if self._pump is None or threading.current_thread() is self._pump:
            return self._turn_until(done, timeout)
        with self._lock:
            self._changed.wait_for(
                lambda: done() or self._trouble is not None or self._is_closed, timeout
            )
            self._raise_trouble()
            held = done()
        if not held:
            self._check_open()
        return held

    def _check_open(self) -> None:
        # A callback cannot know that the script's end came while it ran.
        if self._is_closed and threading.current_thread() is not self._pump:
            raise UsageError(
                "this board is closed: use it before close(), or inside its `with` block"
            )

    def _turn_until(self, done: Callable[[], bool], timeout: float | None) -> bool:
        end = None if timeout is None else self._line.now_us + round(timeout * 1e6)
        while not done():
            now = self._line.now_us
            if end is not None and now >= end:
                return False
            self._turn(now + 1_000_000 if end is None else end)
        return True

    def _raise_trouble(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble

    # Inside: light.

    def _piece(self, cell: int) -> str | None:
        with self._lock:
            return None if self._kinds is None else _name(self._kinds[cell])

    def _relight(self) -> None:
        """Show the cells' own light, unless a table has the board's."""
        if self._table is None:
            self._frame()  # too many colours are an error where they were set
            self._light_is_due = True
            if not self._is_closed:
                self._send()

    def _frame(self) -> LightFrame:
        lights = [(0, int(Effect.STEADY))] * self.profile.lights
        palette = {OFF: 0}
        for cell, place in zip(self._cells, self.profile.cells, strict=True):
            entry = palette.setdefault(_dimmed(cell._colour, self._brightness), len(palette))
            lights[place.light] = (entry, int(EFFECTS[cell._effect]) if entry else 0)
        if len(palette) > MAX_COLOURS + 1:
            raise UsageError(f"a board shows at most {MAX_COLOURS} colours at a time")
        return LightFrame(tuple(lights), tuple(palette))

    def _show(self, frame: LightFrame) -> None:
        """Show a table's picture."""
        self._light_is_due = False
        self._link.show(frame)


_NAMES = {
    Kind.WHITE: "white",
    Kind.BLACK: "black",
    Kind.NEUTRAL: "neutral",
    Kind.UNKNOWN: "unknown",
    Kind.STACKED: "stacked",
    Kind.FOREIGN: "foreign",
}
KINDS = {name: int(kind) for kind, name in _NAMES.items() if kind <= Kind.NEUTRAL}
"""Kinds of pieces that a hand may place, by name."""


def _name(kind: int) -> str | None:
    return _NAMES.get(Kind(kind))


def _dimmed(colour: Colour, share: float) -> Colour:
    """The colour on a screen that has this share of another's light."""
    red, green, blue = (round(part * share ** (1 / GAMMA)) for part in colour)
    return red, green, blue


def callback(call: Callback | None) -> Callback | None:
    """The same, to be called with one thing whatever it takes; UsageError for what cannot be.

    >>> callback(lambda: "called")("an event")
    'called'
    """
    if call is None:
        return None
    if not callable(call):
        raise UsageError(f"a callback is a function, not {call!r}; write it without ()")
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(
        getattr(call, "__call__", None)  # noqa: B004  # of an object with an async __call__
    ):
        raise UsageError("a callback is a plain function: write def in place of async def")
    try:
        signature = inspect.signature(call)
    except ValueError:  # some built-in functions tell nothing of what they take
        return call
    # Which of the two it takes is seen by trying to bind.
    with contextlib.suppress(TypeError):
        signature.bind()
        takes_one = any(
            parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD,
                               parameter.VAR_POSITIONAL)
            for parameter in signature.parameters.values()
        )  # fmt: skip
        wanted: Any = call
        return call if takes_one else lambda value: wanted()
    try:
        signature.bind(None)
    except TypeError:
        name = getattr(call, "__name__", repr(call))
        raise UsageError(
            f"a callback takes what happened, or nothing: {name}{signature} needs something else"
        ) from None
    return call
