"""Switches under a simulated board, and how they are wired to a Pi's header or a Pico.

`Contacts` closes and opens them by the field of the pieces, with bounce and with what breaks: a
reed that sticks, one that is missing. The world gives a chip their states as readings, as the
firmware takes those of a digital scan. `SwitchWiring` is what the header sees of them, known by
pins and bytes alone: in a matrix without diodes three closed switches of a rectangle show a
fourth. `PicoSwitches` is the same for a Pico, which drives the lines to registers bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lumiban.boards.gpio.pins import NONE, Pins, of_profile
from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import PICO_BUS, SWITCH_UT, Profile

BOUNCE_US = 600
"""A reed bounces for so long (data sheets: 0.1 to 1 ms); a Hall switch does not."""
CHATTER_US = 40
"""Number of times that it may open or close again."""
RISE_US = 15
"""A column that was drawn low is high again after so long: 80 kΩ against 200 pF, up to 2 V."""
WAKE_US = 40
"""A Hall switch tells nothing for so long after its power has come (data sheets: 15 to 50 µs)."""
PULL_UPS, PORT_A, REGISTERS = 0x0C, 0x12, 0x16
"""Registers of an MCP23017; they count as far as the third."""


class Contacts:
    """The switches of a board; `look` gives their state, by cell, 1 for closed.

    `stuck` cells are closed whatever stands there, `missing` ones open. Of a `wide` pair the first
    closes for the second's piece too, those of a `joined` pair always together; with `is_bare` the
    matrix has no diodes.

    >>> from lumiban.boards.profile import load
    >>> contacts = Contacts(load("reed-hex3"))
    >>> field = [MIDDLE] * 19
    >>> field[4] += 300
    >>> _ = contacts.look(field, 0)
    >>> [cell for cell, closed in enumerate(contacts.look(field, 1000)) if closed]
    [4]
    """

    def __init__(self, profile: Profile, *, seed: int = 1) -> None:
        switches = profile.switches
        if switches is None:
            raise ValueError(f"{profile.name} is no board of switches")
        a_ut = 65536 / profile.gain_q16
        self._closes = switches.closes_mt * 1000 * a_ut
        self._opens = switches.opens_mt * 1000 * a_ut
        self._bounces = switches.sensor == "reed"
        self._seed = seed
        self._settled = bytearray(len(profile.cells))
        self._changed_us = [-BOUNCE_US] * len(profile.cells)
        self._levels = (MIDDLE, MIDDLE + round(SWITCH_UT * a_ut))
        self.stuck: set[int] = set()
        self.wide: tuple[tuple[int, int], ...] = ()
        self.joined: tuple[tuple[int, int], ...] = ()
        self.is_bare = False
        self._places = [(cell.row, cell.channel) for cell in profile.cells]
        self.missing: set[int] = set() if profile.has_sensors else set(range(len(profile.cells)))

    def look(self, counts: Sequence[int], t_us: int) -> bytearray:
        """The switches in this field (12-bit counts of a linear sensor), at this time."""
        settled, opens, closes = self._settled, self._opens, self._closes
        out = settled[:]
        for cell, count in enumerate(counts):
            field = abs(count - MIDDLE)
            if field < opens if settled[cell] else field >= closes:
                settled[cell] ^= 1
                self._changed_us[cell] = t_us
            out[cell] = settled[cell]
            since = t_us - self._changed_us[cell]
            if self._bounces and since < BOUNCE_US:
                out[cell] = self._chatter(cell, t_us)
        for one, other in self.wide:
            out[one] |= out[other]
        for one, other in self.joined:
            out[one] = out[other] = out[one] | out[other]
        for cell in self.stuck:
            out[cell] = 1
        if self.is_bare:
            out = with_ghosts(self._places, out)
        for cell in self.missing:
            out[cell] = 0
        return out

    def replace(self, t_us: int, counts: list[int], references: list[int]) -> None:
        """Put what a scan of the switches gives in place of the readings of linear sensors."""
        levels = self._levels
        counts[:] = [levels[closed] for closed in self.look(counts, t_us)]
        references[:] = [MIDDLE] * len(references)

    def _chatter(self, cell: int, t_us: int) -> int:
        """Open or closed while it bounces: the same at the same time."""
        word = (t_us // CHATTER_US * 64 + cell + self._seed) * 0x9E3779B97F4A7C15
        return word >> 37 & 1


def with_ghosts(places: Sequence[tuple[int, int]], closed: bytearray) -> bytearray:
    """Picture of a matrix without diodes: cells whose row and column are joined by others appear
    too.

    >>> list(with_ghosts([(0, 0), (0, 1), (1, 0), (1, 1)], bytearray((1, 1, 1, 0))))
    [1, 1, 1, 1]
    """
    joined: list[tuple[set[int], set[int]]] = []
    for (row, column), is_closed in zip(places, closed, strict=True):
        if is_closed:
            rows, columns = {row}, {column}
            for other in [one for one in joined if row in one[0] or column in one[1]]:
                joined.remove(other)
                rows |= other[0]
                columns |= other[1]
            joined.append((rows, columns))
    return bytearray(any(r in rows and c in columns for rows, columns in joined) for r, c in places)


class SwitchWiring:
    """The wiring of a board's switches, asked pin by pin and byte by byte.

    `look` gives the switches now, `level` what the Pi drives a pin to (None: it floats). With a
    clock columns take their time to rise, and Hall switches to wake. `shorts` counts moments at
    which a pin that is driven high was connected to one driven low.
    """

    def __init__(
        self,
        profile: Profile,
        pins: Pins,
        look: Callable[[], Sequence[int]],
        level: Callable[[int], int | None],
        now_us: Callable[[], int] | None = None,
    ) -> None:
        if profile.switches is None:
            raise ValueError(f"{profile.name} is no board of switches")
        self.shorts = 0
        self.has_diodes = profile.switches.diodes or profile.switches.sensor == "hall"
        """True if each switch of the matrix has its diode, in the wires and not on paper alone."""
        self.silent: set[int] = set()
        """Expanders without power, by address."""
        self.is_stuck = False
        """True if something holds I²C's data line low, so that nobody answers."""
        self._now_us = now_us
        self._low_us: dict[int, int] = {}
        """Time in µs at which each column was low last."""
        self._woken_us: dict[int, int] = {}
        """Since when each row of Hall switches has power."""
        self._said = profile.switches
        self._pins = pins
        self._look = look
        self._level = level
        self._at = {(cell.row, cell.channel): n for n, cell in enumerate(profile.cells)}
        self._order = [self._at[place] for place in sorted(self._at)]
        self._rows = profile.rows
        self._columns = 1 + max(cell.channel for cell in profile.cells)
        self._latched = 0
        self._shifted: bytes = b"\xff"
        self._pull_ups = {address: bytes(2) for address in profile.switches.addresses}

    # Pins.

    def read(self, pin: int) -> int | None:
        """The level that the switches draw an input with a pull-up to; None: not theirs."""
        if pin not in self._pins.sense:
            return None
        at = self._pins.sense.index(pin)
        if self._said.wiring == "direct":
            return 1 - self._look()[at]
        if at in self._lows():
            return 0
        if self._now_us is None or at not in self._low_us:
            return 1
        return 0 if 0 <= self._now_us() - self._low_us[at] < RISE_US else 1

    def changes(self) -> None:
        """Prepares a change of the Pi's outputs: columns that are low now begin to rise."""
        if self._now_us is not None and self._said.is_matrix:
            now_us = self._now_us()
            self._low_us.update(dict.fromkeys(self._lows(), now_us))

    def _lows(self) -> set[int]:
        """The columns that are drawn low now."""
        if not self.has_diodes:
            every = range(self._columns)
            return {c for c in every if any(self._drawn(row) == 0 for row in self._reached(c))}
        closed = self._look()
        rows = [row for row in range(self._rows) if self._drawn(row) == 0 and self._is_awake(row)]
        return {c for row in rows for c in range(self._columns) if self._is_closed(closed, row, c)}

    def _is_awake(self, row: int) -> bool:
        """True if the switches of a row that has power report anything yet."""
        if self._now_us is None or self._said.sensor != "hall":
            return True
        since_us = self._now_us() - self._woken_us.get(row, -WAKE_US)
        return not 0 <= since_us < WAKE_US

    def _drawn(self, row: int) -> int | None:
        """Level that a row is driven to."""
        if self._said.wiring == "74hc595":
            return self._shifted[-1 - row // 8] >> row % 8 & 1
        return self._level(self._pins.drive[row])

    def _reached(self, column: int) -> set[int]:
        """The rows to which a current can flow from a column: with diodes its own alone."""
        closed = self._look()
        rows = {r for r in range(self._rows) if self._is_closed(closed, r, column)}
        while True:
            columns = {
                c for r in rows for c in range(self._columns) if self._is_closed(closed, r, c)
            }
            more = {r for c in columns for r in range(self._rows) if self._is_closed(closed, r, c)}
            if more <= rows:
                break
            rows |= more
        levels = {self._drawn(row) for row in rows}
        if {0, 1} <= levels:
            self.shorts += 1
        return rows

    def _is_closed(self, closed: Sequence[int], row: int, column: int) -> bool:
        cell = self._at.get((row, column))
        return cell is not None and bool(closed[cell])

    def out(self, pin: int, level: int) -> None:
        """The Pi drives a pin: a register's load line takes what stands at the inputs."""
        if pin == self._pins.load != NONE and not level:
            self._latched = self._bits()

    def _bits(self) -> int:
        """All switches as registers see them, an open one as 1."""
        closed = self._look()
        return sum((1 - closed[cell]) << at for at, cell in enumerate(self._order))

    # Buses.

    def transfer(self, words: bytes) -> bytes:
        """Bytes that come in on SPI while these go out to the registers."""
        if self._said.wiring == "74hc595":
            self.changes()
            before = [self._drawn(row) for row in range(self._rows)]
            self._shifted = bytes(words)
            for row, level in enumerate(before):
                if level and not self._drawn(row) and self._now_us is not None:
                    self._woken_us[row] = self._now_us()
            return bytes(len(words))
        reply = bytes(self._latched >> 8 * n & 0xFF for n in range(len(words)))
        spare = 8 * ((len(self._order) + 7) // 8) - len(self._order)
        full = len(self._order) // 8
        if spare and full < len(reply):  # inputs without a switch are pulled up
            reply = (
                reply[:full] + bytes((reply[full] | 0xFF << 8 - spare & 0xFF,)) + reply[full + 1 :]
            )
        return reply

    def write(self, address: int, register: int, data: Sequence[int]) -> None:
        """Bytes for an expander; OSError where none answers."""
        self._must_answer(address)
        if register == PULL_UPS and len(data) == 2:
            self._pull_ups[address] = bytes(data)

    def forget(self, address: int) -> None:
        """An expander's supply has dipped, and what was written to it is gone."""
        self._pull_ups[address] = bytes(2)

    def _must_answer(self, address: int) -> None:
        if self.is_stuck or address not in self._pull_ups or address in self.silent:
            raise OSError(121, "Remote I/O error")

    def ask(self, address: int, register: int, length: int) -> list[int]:
        """Bytes of an expander's registers; an open input without its pull-up reads low."""
        self._must_answer(address)
        chip = self._said.addresses.index(address)
        bits = self._bits() >> 16 * chip
        have = max(len(self._order) - 16 * chip, 0)
        if have < 16:
            bits |= 0xFFFF << have & 0xFFFF
        bits &= int.from_bytes(self._pull_ups[address], "little")
        file = bytearray(REGISTERS)
        file[PULL_UPS : PULL_UPS + 2] = self._pull_ups[address]
        file[PORT_A : PORT_A + 2] = bytes((bits & 0xFF, bits >> 8 & 0xFF))
        return list(file[register : register + length])


class PicoSwitches:
    """The wiring of a board's switches at a Pico's pins: `turn` drives a pin or lets go of it,
    `read` is the level of an input with its pull-up.

    >>> from lumiban.boards.profile import load
    >>> closed = bytearray(64)
    >>> closed[9] = 1  # row 2, column 2
    >>> board = PicoSwitches(load("bread8-pico"), lambda: closed)
    >>> board.read(11), board.turn(3, 0), board.read(11), board.read(10)
    (1, None, 0, 1)
    """

    def __init__(
        self,
        profile: Profile,
        look: Callable[[], Sequence[int]],
        now_us: Callable[[], int] | None = None,
    ) -> None:
        pins = of_profile(profile)
        self._levels: dict[int, int] = {}
        self.wiring = SwitchWiring(profile, pins, look, self._levels.get, now_us)
        switches = profile.switches
        self._is_chain = switches is not None and switches.wiring == "74hc165"
        self.is_on_bus = switches is not None and switches.wiring == "mcp23017"
        """True if expanders are asked by I²C, as `wiring` answers."""
        self._load = pins.load
        bytes_ = (profile.rows + 7) // 8 if switches and switches.wiring == "74hc595" else 0
        self._sent = (1 << 8 * bytes_) - 1
        """Bits shifted into the registers of the rows."""
        self._bytes = bytes_
        self._told = b"\xff"
        self._bit = 0
        """The bit that stands at the chain's output."""
        self._length = (len(profile.cells) + 7) // 8
        self.inputs = (PICO_BUS["in"],) if self._is_chain else pins.sense
        self.outputs = pins.drive
        """Pins whose level changes what inputs read."""
        if self._is_chain:
            self.outputs = (pins.load, PICO_BUS["clock"])
        elif bytes_:
            self.outputs = tuple(PICO_BUS[name] for name in ("out", "clock", "first"))

    def turn(self, pin: int, level: int | None) -> None:
        """The Pico drives a pin; None: it lets go."""
        before = self._levels.get(pin)
        if pin in self.outputs and not self._is_chain and not self._bytes:
            self.wiring.changes()
        if level is None:
            self._levels.pop(pin, None)
        else:
            self._levels[pin] = level
        rises = level == 1 and before == 0
        if self._is_chain:
            if pin == self._load and level == 0:
                self.wiring.out(pin, 0)
                self._told = self.wiring.transfer(bytes(self._length))
                self._bit = 0
            elif pin == PICO_BUS["clock"] and rises:
                self._bit += 1
        elif self._bytes and rises:
            if pin == PICO_BUS["clock"]:
                full = (1 << 8 * self._bytes) - 1
                self._sent = (self._sent << 1 | self._levels.get(PICO_BUS["out"], 0)) & full
            elif pin == PICO_BUS["first"]:
                self.wiring.transfer(self._sent.to_bytes(self._bytes, "big"))

    def read(self, pin: int) -> int:
        """The level at an input."""
        if self._is_chain and pin == PICO_BUS["in"]:
            at, bit = divmod(self._bit, 8)
            return self._told[at] >> (7 - bit) & 1 if at < len(self._told) else 0
        drawn = self.wiring.read(pin)
        return 1 if drawn is None else drawn
