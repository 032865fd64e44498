"""Identity of a board: its cells, lights and wiring, for a host that never saw its profile.

`identity_bin` makes the file that a board keeps of itself, `Identity` is what IDENTITY and CELLS
told of it, and `profile_text` writes down a profile from that and from `/board.bin`, as a person
would have written it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from lumiban_fw import layout_file, wire
from lumiban_fw.identity import HEAD, MAGIC, VERSION
from lumiban_fw.layout import Layout

from lumiban.boards.messages import message
from lumiban.boards.profile import FIRST_EXPANDER, Profile, load
from lumiban.errors import BoardError
from lumiban.grid import HEXAGON, MAX_HEXAGON, Grid, hexagon, patch, rectangle

SUPPLY_MV = 3300
"""Of sensor and converter, where only their ratio is known."""
GAP_MM = 6.0
"""Magnet to sensor, which no board tells."""
A_STRIP = 15
"""Cells on a strip at most: its mux has a channel for each, and one for the reference."""
SLOWEST_HZ = 50
"""A profile of switches takes no fewer frames a second."""
_CellRow = tuple[int, int, int, int, int, bytes]
"""What CELLS repeats: q, r, light, x, y, name."""


@dataclass(frozen=True, slots=True)
class IdentityCell:
    """One cell as CELLS tells it; its place in µm from the board's middle, y down."""

    name: str
    q: int
    r: int
    light: int
    x_um: int
    y_um: int


@dataclass(frozen=True, slots=True)
class Identity:
    """A board as IDENTITY and CELLS tell it; `chip` is what its firmware runs on, in words."""

    model: str
    is_hex: bool
    pitch_um: int
    lights: int
    capabilities: int
    chip: str
    cells: tuple[IdentityCell, ...]


def identity_bin(profile: Profile) -> bytes:
    """The bytes of `/identity.bin` for this board."""
    head = struct.pack(
        HEAD,
        MAGIC,
        VERSION,
        wire.HEXAGONS if profile.grid.is_hex else wire.SQUARES,
        round(profile.pitch_mm * 1000),
        len(profile.cells),
        profile.lights,
        profile.name.encode("ascii"),
    )
    rows = [
        (
            cell.q,
            cell.r,
            cell.light,
            round(cell.x_mm * 1000 / wire.PLACE_STEP_UM),
            round(cell.y_mm * 1000 / wire.PLACE_STEP_UM),
            name.encode("ascii"),
        )
        for cell, name in zip(profile.cells, profile.grid.names, strict=True)
    ]
    cells = message(wire.B_CELLS)
    most = wire.PLACES_A_FRAME
    parts = [cells.pack([0], rows[at : at + most])[1:] for at in range(0, len(rows), most)]
    data = head + b"".join(parts)
    return data + struct.pack("<H", wire.crc16(data))


def read_identity(identity: bytes, cells: Iterable[bytes]) -> Identity:
    """Identity in the payloads of IDENTITY and of all CELLS, in order; ValueError when they are no
    whole board's, or of one without an identity."""
    head = message(wire.B_IDENTITY).unpack(identity)
    grid, count = head.number("grid"), head.number("cells")
    if grid not in (wire.HEXAGONS, wire.SQUARES):
        raise ValueError("the board was not told what it is")
    described = []
    for payload in cells:
        rows = cast("tuple[_CellRow, ...]", message(wire.B_CELLS).unpack(payload).tail)
        for q, r, light, x, y, name in rows:
            x_um, y_um = x * wire.PLACE_STEP_UM, y * wire.PLACE_STEP_UM
            described.append(IdentityCell(_text(name), q, r, light, x_um, y_um))
    if len(described) != count:
        raise ValueError(f"{len(described)} cells were told of {count}")
    return Identity(
        model=_text(cast("bytes", head.values["model"])),
        is_hex=grid == wire.HEXAGONS,
        pitch_um=head.number("pitch_um"),
        lights=head.number("lights"),
        capabilities=head.number("capabilities"),
        chip=bytes(head.column).decode("ascii", "replace"),
        cells=tuple(described),
    )


def _text(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("ascii", "replace")


def profile_text(identity: Identity, description: bytes) -> str:
    """The profile of a board as TOML, from its identity and the bytes of `/board.bin`; of a board
    that keeps none (b""), with the wiring and the thresholds of ours.

    BoardError when the two do not belong together, or no board can be so.
    """
    try:
        layout = layout_file.read(description or _usual(identity))
        grid, geometry = _grid(identity)
    except ValueError as error:
        raise BoardError(f"the board tells nothing whole of itself: {error}") from None
    if (layout.cells, layout.lights) != (len(identity.cells), identity.lights):
        raise BoardError(
            f"the board tells of {len(identity.cells)} cells and {identity.lights} lights, its "
            f"description of {layout.cells} and {layout.lights}"
        )
    lines = [
        f'name = "{identity.model}"',
        f"revision = {layout.revision}",
        "",
        "[board]",
        *geometry,
        f"pitch_mm = {identity.pitch_um / 1000}",
        "",
        "[wiring]",
        f"strips = {_listed(_strips(identity, layout))}",
        "",
        "[current]",
        f"limit_ma = {layout.limit_ma}",
        f"strip_limit_ma = {layout.strip_limit_ma}",
        "",
        *(_switches(layout) if identity.capabilities & wire.PRESENCE_ONLY else _sensing(layout)),
    ]
    for cell, entry in enumerate(identity.cells):
        lines += [
            "",
            "[[cell]]",
            f'name = "{grid.name(cell)}"',
            f"strip = {layout.row[cell]}",
            f"channel = {layout.channel[cell]}",
            f"light = {entry.light}",
        ]
    under = {entry.light for entry in identity.cells}
    for light in range(identity.lights):
        if light not in under:
            lines += [
                "",
                "[[edge]]",
                f'name = "light {light}"',
                f"lights = [{light}]",
                f"strip = {layout.strip[light]}",
            ]
    return "\n".join(lines) + "\n"


def _usual(identity: Identity) -> bytes:
    """`/board.bin` of our boards with these cells, fifteen on a strip."""
    usual = load("hex3")
    cells = [(n // A_STRIP, n % A_STRIP, cell.light, 0) for n, cell in enumerate(identity.cells)]
    strips = [0] * identity.lights
    for row, _, light, _ in cells:
        strips[light] = row
    return layout_file.pack_board(
        identity.model.encode("ascii")[:8],
        usual.revision,
        cells[-1][0] + 1,
        usual.scan_hz,
        usual.limit_ma,
        usual.strip_limit_ma,
        usual.off_ut,
        usual.on_ut,
        usual.strong_ut,
        usual.foreign_ut,
        usual.still_ut,
        usual.settle_us,
        usual.strong_um,
        usual.weak_um,
        usual.gain_q16,
        cells,
        strips,
    )


def _sensing(layout: Layout) -> list[str]:
    """The section of a board whose sensors measure."""
    return [
        "[sensing]",
        f"scan_hz = {layout.scan_hz}",
        f"supply_mv = {SUPPLY_MV}",
        f"sensor_mv_per_mt = {_sensitivity(layout.gain_q16)}",
        f"gap_mm = {GAP_MM}",
        *(
            f"{name}_mt = {getattr(layout, name + '_ut') / 1000}"
            for name in ("off", "on", "strong", "foreign", "still")
        ),
        f"settle_ms = {layout.settle_us / 1000}",
        f"strong_height_um = {layout.strong_um}",
        f"weak_height_um = {layout.weak_um}",
    ]


def _switches(layout: Layout) -> list[str]:
    """The section of a board whose sensors are switches."""
    return [
        "[switches]",
        *(_wiring(layout) or ['wiring = "board"']),
        f"scan_hz = {max(layout.scan_hz, SLOWEST_HZ)}",
        f"settle_ms = {layout.settle_us / 1000}",
    ]


def _wiring(layout: Layout) -> list[str]:
    """Order in which the chip reads its switches, where its description gives one."""
    wiring = layout.wiring
    if not wiring:
        return []
    lines, inputs = list(wiring[3 : 3 + wiring[2]]), wiring[3 + wiring[2] :]
    pins = inputs[1::2]
    columns = dict(zip(layout.channel, pins, strict=True))
    sense = [columns[column] for column in sorted(columns)]
    head = ['on = "pico"']
    if len(set(pins)) == 1 < layout.cells and wiring[0] == layout_file.SWITCH_ROWS and not lines:
        return [*head, 'wiring = "none"']
    if wiring[0] == layout_file.SWITCH_CHAIN:
        return [*head, 'wiring = "74hc165"', f"load = {lines[0]}"]
    if wiring[0] == layout_file.SWITCH_EXPANDERS:
        addresses = [FIRST_EXPANDER + chip for chip in lines[2:]]  # behind data and clock
        return [*head, 'wiring = "mcp23017"', f"addresses = {addresses}"]
    if wiring[0] == layout_file.SWITCH_SHIFTED_ROWS:
        return [*head, 'wiring = "74hc595"', f"sense = {sense}"]
    if not lines:
        return [*head, 'wiring = "direct"', f"sense = {list(pins)}"]
    return [*head, 'wiring = "matrix"', f"drive = {lines}", f"sense = {sense}"]


def _grid(identity: Identity) -> tuple[Grid, list[str]]:
    """The grid of these cells, and how `[board]` says it; ValueError when there is none."""
    places = tuple((cell.q, cell.r) for cell in identity.cells)
    if not identity.is_hex:
        columns, rows = (max(part) + 1 for part in zip(*places, strict=True))
        if rectangle(columns, rows).cells == places:
            return rectangle(columns, rows), [
                'geometry = "rectangle"',
                f"size = [{columns}, {rows}]",
            ]
        raise ValueError("its squares are no rectangle")
    side = max(q for q, _ in places) + 1
    if 2 <= side <= MAX_HEXAGON and hexagon(side).cells == places:
        return hexagon(side), [f'geometry = "{HEXAGON}"', f"size = {side}"]
    grid = patch(places)
    if grid.cells != places:
        raise ValueError("its cells are not in the order of rows")
    listed = ", ".join(f"[{q}, {r}]" for q, r in places)
    return grid, ['geometry = "patch"', f"cells = [{listed}]"]


def _strips(identity: Identity, layout: Layout) -> Sequence[Sequence[str]]:
    """The cells of each strip by name, in the order of their channels."""
    rows: list[list[int]] = [[] for _ in range(layout.rows)]
    for cell in range(layout.cells):
        rows[layout.row[cell]].append(cell)
    return [
        [identity.cells[cell].name for cell in sorted(row, key=lambda c: layout.channel[c])]
        for row in rows
    ]


def _listed(strips: Sequence[Sequence[str]]) -> str:
    inner = (", ".join(f'"{name}"' for name in strip) for strip in strips)
    return "[" + ", ".join(f"[{names}]" for names in inner) + "]"


def _sensitivity(gain_q16: int) -> float:
    """mV a mT of a sensor whose gain rounds to this; see `Profile.gain_q16`."""
    return SUPPLY_MV * 1000 * 65536 / (wire.FULL_SCALE + 1) / gain_q16
