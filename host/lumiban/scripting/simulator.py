"""A simulated board for scripts, with a hand over it: the firmware in a world of magnets.

Everything runs in this process and in virtual time: time goes on only while something waits, so
a script that waits an hour for a bot takes no hour, and the same seed gives the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lumiban.boards.transport import ByteLine
from lumiban.errors import BoardError, UsageError
from lumiban.scene.themes import GAMMA
from lumiban.scripting.board import Board
from lumiban.scripting.colours import OFF
from lumiban.scripting.lit_board import KINDS, Cell

if TYPE_CHECKING:
    from lumiban_sim.hands import Errand, Hands
    from lumiban_sim.rig import Rig

    from lumiban.scene.svg import Shown
    from lumiban.table.types import Step

FOREVER_S = 3600.0
"""Virtual time after which a wait without a time out is given up: nothing will happen any more."""
ERRAND_S = 30.0
SETTLE_S = 0.6
"""Time in seconds that the board may take to report a piece that lies still."""
RHYTHM_S, GLANCE_S = 1.5, 0.03
"""Longer than any effect's period, and how often a picture looks at the lamps meanwhile."""
REASONS = {
    "taken": "a piece lies there",
    "empty": "nothing lies there",
    "held": "another hand holds that piece",
}


class SimulatorTimeout(BoardError):
    """A wait without a time out at a simulated board where nothing happens any more."""


class RigLine(ByteLine):
    """The line to a simulated board: reading lets its world's time go on."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    @property
    def now_us(self) -> int:
        """The world's time."""
        return self._rig.now_us

    def write(self, data: bytes) -> None:
        """Send to the board."""
        self._rig.from_host(data)

    def read(self, until_us: int) -> bytes:
        """Let time go on to `until_us`, or until bytes came; those."""
        self._rig.run(max(until_us, self._rig.now_us))
        return self._rig.to_host()


class Hand:
    """A simulated hand: it places, lifts and slides real pieces in the simulated field.

    Each call returns when the board has noticed. BoardError says why the hand could not do it.
    """

    def __init__(self, board: Simulator) -> None:
        self._board = board

    def place(self, cell: str | Cell, piece: str) -> None:
        """Place a white, black or neutral piece on an empty cell, and wait until it stands.

        UsageError for another piece or a cell that the board has not; BoardError where the hand
        cannot, as on a cell that is taken.
        """
        if piece not in KINDS:
            raise UsageError(f"no piece {piece!r}: place one of {', '.join(KINDS)}")
        number = self._number(cell)
        self._do(lambda hands: hands.place(number, KINDS[piece], hand="script"))

    def lift(self, cell: str | Cell) -> None:
        """Lift the piece off a cell; BoardError where there is none."""
        number = self._number(cell)
        self._do(lambda hands: hands.lift(number, hand="script"))

    def slide(self, cell: str | Cell, to: str | Cell) -> None:
        """Push the piece to another cell without lifting it; BoardError where it cannot."""
        source, target = self._number(cell), self._number(to)
        self._do(lambda hands: hands.slide(source, target, hand="script"))

    def press(self, button: int = 0) -> None:
        """Press a button and let it go: 0 and 1 confirm for the first and second side."""
        world = self._board._rig.world
        for is_down in (True, False):
            with self._board._lock:
                world.press(button, is_down)
            self._board.wait(0.1)

    def _number(self, cell: str | Cell) -> int:
        return cell.number if isinstance(cell, Cell) else self._board[cell].number

    def _do(self, wish: Callable[[Hands], Errand]) -> None:
        """Have the hand do something, one thing at a time whatever thread asks."""
        from lumiban_sim.hands import DONE, RECALLED, REFUSED

        board = self._board
        with board._lock:
            errand = wish(board._rig.hands)
        board._wait_until(lambda: errand.state in (DONE, REFUSED, RECALLED), ERRAND_S)
        if errand.state != DONE:
            name = board._cells[errand.cell].name
            why = REASONS.get(errand.reason, errand.reason or "the hand is busy")
            raise BoardError(f"the hand cannot {errand.what} at {name}: {why}")
        board._wait_until(board._shows_truth, SETTLE_S)


class Film:
    """Pictures of a simulated board while time goes on in a `with` block."""

    def __init__(self, board: Simulator, frame_s: float) -> None:
        self._board = board
        self._frame_s = frame_s
        self._frames: list[Shown] = []
        self.next_us = 0

    def __enter__(self) -> Film:
        self.next_us = self._board._line.now_us
        self._board._film = self
        return self

    def __exit__(self, *error: object) -> None:
        self._board._film = None

    def look(self) -> None:
        """Take one picture."""
        from lumiban.scene.svg import Shown

        board = self._board
        self.next_us += round(self._frame_s * 1e6)
        lamps = [_seen(colour) for colour in board.lamps.values()]
        kinds = [int(kind) for kind in board._rig.kinds]
        self._frames.append(Shown(board.profile.grid, kinds, lamps=lamps))

    def svg(self, title: str = "") -> str:
        """Draw the film as one animated SVG document, over again for ever."""
        from lumiban.scene.svg import film

        return film(self._frames, self._frame_s, title=title)


class Simulator(Board):
    """A simulated board of a profile (`hex3`, `hex5`, `grid9x9` ... or a TOML file).

    It takes every line that `Board` takes, and has a `hand`. With `assist` simulated hands set
    the pieces of bots, and bring the board in order for a new game. ProfileError for a bad file.

    >>> from lumiban import Simulator
    >>> with Simulator("hex3") as board:
    ...     board["c3"].when_placed = lambda event: print(event)
    ...     board.hand.place("c3", "white")
    ...     board.pieces
    white on c3
    {'c3': 'white'}
    """

    hand: Hand
    """The hand over this board."""

    def __init__(self, profile: str = "hex5", *, seed: int = 0, assist: bool = True) -> None:
        from lumiban_sim.hands import BRISK
        from lumiban_sim.rig import Rig

        from lumiban.boards.profile import load

        loaded = load(profile)
        self._rig: Rig = Rig(loaded, seed, tempo=BRISK)
        self._assists = assist
        self._errand: Errand | None = None
        self._film: Film | None = None
        self.hand = Hand(self)
        self._begin(loaded, RigLine(self._rig), "the simulator")

    @property
    def lamps(self) -> dict[str, tuple[int, int, int]]:
        """The light that the lamps really give, by cell: red, green and blue from 0 to 255."""
        with self._lock:
            light = self._rig.light
        return {
            cell.name: (light[3 * at], light[3 * at + 1], light[3 * at + 2])
            for cell, at in ((c, self.profile.cells[c.number].light) for c in self)
        }

    def picture(self, title: str = "") -> str:
        """Draw the board as it lies and shines now, as one SVG document.

        A still picture has no rhythm: each lamp is drawn as bright as it gets within a second.
        """
        from lumiban.scene.svg import Shown, svg

        brightest = [OFF] * len(self)
        for _ in range(round(RHYTHM_S / GLANCE_S)):
            self.wait(GLANCE_S)
            now = self.lamps.values()
            brightest = [max(both) for both in zip(brightest, now, strict=True)]
        kinds = [int(kind) for kind in self._rig.kinds]
        lamps = [_seen(colour) for colour in brightest]
        return svg(Shown(self.profile.grid, kinds, lamps=lamps), title=title)

    def film(self, *, frame: float = 0.1) -> Film:
        """Film the board in a `with` block, a picture each `frame` seconds; `Film.svg` draws it.

        with board.film() as film:
            board.hand.place("c3", "white")
        Path("placed.svg").write_text(film.svg())
        """
        return Film(self, frame)

    # Inside.

    _is_real_time = False

    def _turn(self, until_us: int) -> None:
        # Its world goes on in whatever thread waits: in one at a time.
        with self._lock:
            film = self._film
            if film is not None:
                until_us = min(until_us, film.next_us)
            super()._turn(until_us)
            if film is not None and self._line.now_us >= film.next_us:
                film.look()

    def _assist(self, step: Step, cell: int) -> None:
        """Do a step of a table."""
        from lumiban_sim.hands import DONE, RECALLED, REFUSED

        if not self._assists:
            return
        if self._errand is not None and self._errand.state not in (DONE, REFUSED, RECALLED):
            return
        lies = self._rig.kinds[cell]
        if step.do == "place" and not lies:
            self._errand = self._rig.hands.place(cell, step.kind)
        elif lies and (step.do == "lift" or lies != step.kind):
            self._errand = self._rig.hands.lift(cell)

    def _wait_until(self, done: Callable[[], bool], timeout: float | None) -> bool:
        held = super()._wait_until(done, FOREVER_S if timeout is None else timeout)
        if not held and timeout is None:
            raise SimulatorTimeout(
                f"nothing happened on the simulated board for {FOREVER_S:.0f} seconds of its time:"
                " let its hand do something, or wait with a time out"
            )
        return held

    def _shows_truth(self) -> bool:
        return tuple(self._kinds or ()) == self._rig.kinds and not self._events


def _seen(light: tuple[int, int, int]) -> tuple[int, int, int]:
    """The colour on a screen of a lamp's light: its share of full light, by the board's gamma."""
    red, green, blue = (round(255 * (part / 255) ** (1 / GAMMA)) for part in light)
    return red, green, blue
