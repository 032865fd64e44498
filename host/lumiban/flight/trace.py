"""A board's line as a VCD file, for GTKWave, PulseView and sigrok.

    lumiban flight trace --to table.vcd           # of what a table wrote down of its board

Times are µs. `to_board` and `to_host` are types of frames (`lumiban_fw.wire`), 0 between them;
`cell_…` is the kind that the board tells of a cell. For tools that read single bits only, as
sigrok, `host_…` and `board_…` pulse with each frame of a type, and `on_…` says whether a piece
stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lumiban_fw import wire

from lumiban.boards.messages import BY_NUMBER, unpack_events, unpack_state
from lumiban.boards.profile import Profile

FRAME_US = 40
"""A type stands for so long on its line."""
WIDTHS = {"to": 8, "cell": 4, "light": 24}
"""Bits of signals by what their names begin with; all others have one."""
Change = tuple[int, str, int]
"""Change of a signal: the time, the signal, and its value from then on."""


def vcd(
    changes: Iterable[Change], signals: Iterable[str] = (), *, comment: str = ""
) -> Iterator[str]:
    """Lines of a VCD file of these changes, whatever their order; all signals are 0 at first, and
    `signals` are in it also where they never change.

    >>> print("".join(vcd([(5, "scan", 1)])).rpartition("$end")[2].split())
    ['#5', '10']
    """
    ordered = sorted(changes)
    names = dict.fromkeys([*signals, *sorted({name for _, name, _ in ordered})])
    ids = {name: str(at) for at, name in enumerate(names)}
    widths = {name: WIDTHS.get(name.partition("_")[0], 1) for name in names}
    yield f"$comment {comment or 'lumiban'} $end\n$timescale 1 us $end\n$scope module board $end\n"
    for name, width in widths.items():
        bits = f" [{width - 1}:0]" if width > 1 else ""
        yield f"$var wire {width} {ids[name]} {name}{bits} $end\n"
    yield "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n"
    for name, width in widths.items():
        yield _value(0, width, ids[name])
    yield "$end\n"
    now, held = 0, dict.fromkeys(names, 0)
    for at_us, name, value in ordered:
        if held[name] == value:
            continue
        held[name] = value
        if at_us > now:
            now = at_us
            yield f"#{now}\n"
        yield _value(value, widths[name], ids[name])


def _frame_name(kind: int) -> str:
    """A type of frame in words: host_HELLO, board_STATE.

    >>> _frame_name(wire.H_COMMIT), _frame_name(0x7F)
    ('host_COMMIT', 'host_7F')
    """
    side = "board" if kind & wire.FROM_BOARD else "host"
    return f"{side}_{BY_NUMBER[kind].name if kind in BY_NUMBER else f'{kind:02X}'}"


def _value(value: int, width: int, id: str) -> str:
    return f"{value}{id}\n" if width == 1 else f"b{value:b} {id}\n"


class LineTrace:
    """What a board's line tells, from the bytes that pass it: frames, and the pieces on cells."""

    def __init__(self, profile: Profile) -> None:
        self._names = profile.grid.names
        self._down, self._up = wire.Decoder(), wire.Decoder()
        self.changes: list[Change] = []
        self._free_us = {"to_board": 0, "to_host": 0}
        self.signals = [f"{sort}_{name}" for sort in ("cell", "on") for name in self._names]
        """What is in its file also where nothing happens."""

    def to_board(self, at_us: int, data: bytes) -> None:
        """Bytes that the board got then."""
        for kind, *_ in self._down.feed(data):
            self._frame("to_board", kind, at_us)

    def to_host(self, at_us: int, data: bytes) -> None:
        """Bytes that it sent."""
        for kind, _, _, _, payload in self._up.feed(data):
            behind_us = self._frame("to_host", kind, at_us)
            try:
                if kind == wire.B_EVENTS:
                    for cell, event_kind, _, _ in unpack_events(payload)[3]:
                        self._cell(behind_us, cell, event_kind & wire.KIND)
                elif kind == wire.B_STATE:
                    *_, part, _, kinds = unpack_state(payload)
                    for cell, told in enumerate(kinds, part * wire.CELLS_A_STATE):
                        self._cell(behind_us, cell, told)
            except ValueError:
                continue  # a garbled payload tells of no cell; its frame stands

    def _cell(self, at_us: int, cell: int, kind: int) -> None:
        if cell < len(self._names):
            name = self._names[cell]
            self.changes.append((at_us, f"cell_{name}", kind))
            self.changes.append((at_us, f"on_{name}", int(kind != wire.EMPTY)))

    def _frame(self, line: str, kind: int, now_us: int) -> int:
        """Note a frame behind those that stand on its line already; when it is told."""
        at_us = max(now_us, self._free_us[line])
        for signal, value in ((line, kind), (_frame_name(kind), 1)):
            self.changes += [(at_us, signal, value), (at_us + FRAME_US, signal, 0)]
        self._free_us[line] = at_us + FRAME_US + 10
        return at_us
