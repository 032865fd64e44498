"""A position and its marks as one SVG picture that needs nothing else: for documents and posters.

The light is that of `draw`, as the board would show it. A still picture has no rhythm, so each
meaning, and each colour of the blocks in light, has a shape too, the same one that the page draws:
a picture can be read without its colours. Shapes are drawn around (0, 0), marks and pieces in
shares of the pitch, blocks for cells 40 units wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from lumiban.games import mark_kinds
from lumiban.games.base import Kind, Mark
from lumiban.grid import Grid
from lumiban.scene.draw import NO_CELL, draw
from lumiban.scene.grammar import PRIORITY, RANK, pattern
from lumiban.scene.themes import theme as theme_named

MARGIN = 0.85
"""From the outermost cells' middles to the picture's edge, in pitches, beside the cell itself."""
TRAY_SCALE = 0.72
_CELL = (58, 47, 39)

_STYLE = """
.cell{fill:#3a2f27;stroke:#6a5747;stroke-width:.7}
.case{stroke:#0f0c0a;stroke-opacity:.8}.pit{fill:#0f0c0a;fill-opacity:.6;stroke:none}
.full{fill:currentColor;stroke:#0f0c0a;stroke-opacity:.6;stroke-width:.8}
.marks{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}
.tray{fill:#0f0b08;fill-opacity:.45;stroke:#c0a785;stroke-width:1.4}
.shade{fill:#000;fill-opacity:.45}
.rim-ivory{stroke:#cfc2a6}.rim-slate{stroke:#8d98a5}.rim-terracotta{stroke:#8e3524}
.inlay-ivory{fill:none;stroke:#cdbfa2}.inlay-slate{fill:#111316;stroke:#4b525b}
.inlay-terracotta{fill:none;stroke:#7d2c1c;stroke-width:1.4}
.dove-red{fill:#a3432d;stroke:#f2c9ae;stroke-width:1.2}
.dove-green{fill:#2f6a45;stroke:#cfe8c9;stroke-width:1.2}
.tick{fill:#fff;fill-opacity:.8}.tick-step,.tick-far{fill:none;stroke:#fff;stroke-opacity:.8}
.tick-step{stroke-width:2}.tick-far{stroke-width:1.4}
.crown{fill:#ffd98a}
text{font-family:system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif}
text{text-anchor:middle;dominant-baseline:central}
.name{font-size:10px;fill:#cbbfab}.side{font-size:13px;fill:#f2ead8;text-anchor:start}
.letter{font-size:15px;font-weight:700;fill:#fff;stroke:none}.sign{font-size:14px;fill:#15110d}
"""

_DEFINITIONS = (
    '<radialGradient id="ivory" cx=".36" cy=".3" r=".78"><stop offset="0" stop-color="#fffdf6"/>'
    '<stop offset=".5" stop-color="#f2ead8"/><stop offset="1" stop-color="#b9aa8b"/>'
    '</radialGradient><radialGradient id="slate" cx=".36" cy=".3" r=".78">'
    '<stop offset="0" stop-color="#59616b"/><stop offset=".5" stop-color="#2a2e34"/>'
    '<stop offset="1" stop-color="#15171a"/></radialGradient>'
    '<radialGradient id="terracotta" cx=".36" cy=".3" r=".78">'
    '<stop offset="0" stop-color="#ea9078"/><stop offset=".5" stop-color="#c8553d"/>'
    '<stop offset="1" stop-color="#7d2c1c"/></radialGradient>'
    '<radialGradient id="strange"><stop offset="0" stop-color="#b9b2a6"/>'
    '<stop offset="1" stop-color="#6a645a"/></radialGradient>'
)


@dataclass(frozen=True)
class Shown:
    """Contents of a picture of a position; cells are those of its grid."""

    grid: Grid
    pieces: Sequence[int]
    """A `Kind` for each cell."""
    marks: Sequence[Mark] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    """Letters of the doves on cells."""
    hands: Sequence[tuple[str, str]] = ()
    """(name, letters) of each side's pieces beside the board."""
    trays: Sequence[Sequence[int]] = ()
    """Cells of the board that hold each side's pieces in hand."""
    numbers: Mapping[int, int | str] = field(default_factory=dict)
    """Numbers on cells: the ranks of moves, or what a game shows there."""
    lamps: Sequence[tuple[int, int, int]] = ()
    """The light of each cell (sRGB) as a board gives it, in place of the marks' own."""


def svg(shown: Shown, *, theme: str = "standard", title: str = "") -> str:
    """The picture as one SVG document; UsageError for an unknown theme.

    `title` is what a screen reader says. The same arguments give the same bytes everywhere.

    >>> from lumiban import games
    >>> game = games.load("control", size=2)
    >>> text = svg(Shown(game.grid, game.pieces(game.start())), title="The empty board")
    >>> text.startswith("<svg "), text.count('class="cell"')
    (True, 7)
    """
    grid = shown.grid
    places, left, top, width, board = _frame(grid)
    height = board + (len(shown.hands) * PITCH * TRAY_SCALE * 1.25 + 6 if shown.hands else 0)
    box = " ".join(number(v) for v in (left, top, width, height))
    roles = theme_named(theme).roles
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{number(width)}"'
        f' height="{number(height)}" role="img">',
        f"<title>{escape(title)}</title>" if title else "",
        f"<style>{_STYLE}</style><defs>{_DEFINITIONS}{_hatches(roles)}</defs>",
        f'<rect x="{number(left)}" y="{number(top)}" width="{number(width)}"'
        f' height="{number(height)}" rx="14" fill="#2b211a"/>',
        *_cells(shown, places, theme),
        *_trays(shown.trays, places),
        '<g class="marks">',
        *_marks(shown, places, roles, over=False),
        "</g>",
        *(_piece(shown, cell, at) for cell, at in enumerate(places)),
        '<g class="marks">',
        *_marks(shown, places, roles, over=True),
        "</g>",
        *_numbers(shown.numbers, places),
        *_names(grid, places),
        *_hands(shown.hands, left, top + board),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def middles(grid: Grid) -> list[tuple[float, float]]:
    """The middle of each cell in the picture of this grid, from its upper left corner, in units.

    >>> from lumiban.grid import rectangle
    >>> middles(rectangle(2, 2))[:2]
    [(34.0, 34.0), (74.0, 34.0)]
    """
    places, left, top, _, _ = _frame(grid)
    return [(round(x - left, 2), round(y - top, 2)) for x, y in places]


def _frame(grid: Grid) -> tuple[list[tuple[float, float]], float, float, float, float]:
    """The middles of the cells, and left, top, width and height of the board around them."""
    places = [_place(grid, cell) for cell in range(len(grid))]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    edge = PITCH * MARGIN
    left, top = min(xs) - edge, min(ys) - edge
    return places, left, top, max(xs) - left + edge, max(ys) - top + edge


def _place(grid: Grid, cell: int) -> tuple[float, float]:
    q, r = grid.cells[cell]
    if grid.is_hex:
        return (q + r / 2) * PITCH, r * PITCH * math.sqrt(3) / 2
    return q * PITCH, r * PITCH


def _outline(grid: Grid, gap: float) -> str:
    """The corners of a cell, `gap` pitches within its border."""
    half = (0.5 - gap) * PITCH
    if not grid.is_hex:
        n = number(half)
        return f"M-{n} -{n}H{n}V{n}H-{n}Z"
    reach = half / math.cos(math.pi / 6)
    turns = [math.pi / 6 + k * math.pi / 3 for k in range(6)]
    corners = [f"{number(reach * math.cos(t))} {number(reach * math.sin(t))}" for t in turns]
    return "M" + "L".join(corners) + "Z"


def _hatches(roles: Mapping[str, tuple[int, int, int]]) -> str:
    """Fills of the cells of each side: lines for the first, crossing lines for the second."""
    out = ""
    for role, lines in (("white", "M0 0V8"), ("black", "M0 0V8M0 0H8")):
        out += (
            f'<pattern id="hatch-{role}" width="8" height="8" patternUnits="userSpaceOnUse"'
            f' patternTransform="rotate(45)"><path d="{lines}" stroke="{_css(roles[role])}"'
            ' stroke-width="1.3" fill="none"/></pattern>'
        )
    return out


def _css(colour: Iterable[float]) -> str:
    return "#" + "".join(f"{min(255, max(0, round(v))):02x}" for v in colour)


def _shaded(colour: tuple[int, int, int]) -> str:
    """The colour of a cell under this light."""
    most = max(colour)
    if most == 0:
        return ""
    share = 0.16 + 0.74 * most / 255
    mixed = [c + (v * 255 / most - c) * share for c, v in zip(_CELL, colour, strict=True)]
    return f' style="fill:{_css(mixed)}"'


def _cells(shown: Shown, places: Sequence[tuple[float, float]], theme: str) -> list[str]:
    covered = frozenset(cell for cell, kind in enumerate(shown.pieces) if kind)
    on_cells = [m for m in shown.marks if m.cell != NO_CELL]
    picture = draw(on_cells, grid=shown.grid, theme=theme, covered=covered)
    path = _outline(shown.grid, 0.02)
    owned = {m.cell: m.side for m in shown.marks if m.meaning == mark_kinds.OWNED}
    hatch = _outline(shown.grid, 0.07)
    out = []
    for cell, (x, y) in enumerate(places):
        lamp = shown.lamps[cell] if shown.lamps else picture.palette[picture.cells[cell].palette]
        lit = _shaded(lamp)
        inside = f'<path class="cell" d="{path}"{lit}/>'
        if cell in owned:
            role = "black" if owned[cell] == 1 else "white"
            inside += f'<path d="{hatch}" fill="url(#hatch-{role})" opacity=".7"/>'
        out.append(f'<g transform="translate({number(x)} {number(y)})">{inside}</g>')
    return out


_BELOW = frozenset({mark_kinds.WALL, mark_kinds.SHORT})


def _marks(
    shown: Shown,
    places: Sequence[tuple[float, float]],
    roles: Mapping[str, tuple[int, int, int]],
    *,
    over: bool,
) -> list[str]:
    """The shapes of the marks: those over the pieces, or those under them."""
    out = []
    marks = shown.marks
    own = {item.cell for item in marks if item.meaning == mark_kinds.MAY_PLACE}
    for item in sorted(marks, key=lambda m: (-RANK.get(m.meaning, len(PRIORITY)), m.cell)):
        if item.cell == NO_CELL or (item.meaning in _BELOW) == over:
            continue
        if item.meaning == mark_kinds.MAY_PLACE_NEUTRAL and item.cell in own:
            continue
        # On a dove the letter stays free.
        around = item.meaning == mark_kinds.LAST and bool(shown.labels)
        shape = ring_around() if around else mark(item.meaning)
        if shape:
            x, y = places[item.cell]
            shade = _css(roles[pattern(item.meaning, item.side).role])
            at = f"translate({number(x)} {number(y)})"
            if item.meaning == mark_kinds.PROOF and item.cell in shown.labels:
                at = f"translate({number(x + 14)} {number(y - 14)}) scale(.7)"
            out.append(f'<g transform="{at}" color="{shade}">{shape}</g>')
    return out


def _trays(trays: Sequence[Sequence[int]], places: Sequence[tuple[float, float]]) -> list[str]:
    """A frame around the cells of each tray."""
    out = []
    for cells in filter(None, trays):
        xs = [places[cell][0] for cell in cells]
        ys = [places[cell][1] for cell in cells]
        x, y = min(xs) - PITCH / 2, min(ys) - PITCH / 2
        out.append(
            f'<rect class="tray" x="{number(x)}" y="{number(y)}" rx="8"'
            f' width="{number(max(xs) - min(xs) + PITCH)}"'
            f' height="{number(max(ys) - min(ys) + PITCH)}"/>'
        )
    return out


def _piece(shown: Shown, cell: int, at: tuple[float, float]) -> str:
    kind = shown.pieces[cell]
    if kind in (Kind.EMPTY, Kind.MASKED):
        return ""
    named = bool(shown.labels) and kind in (Kind.WHITE, Kind.BLACK)
    inside = dove(shown.labels.get(cell, ""), kind == Kind.WHITE) if named else stone(kind)
    return f'<g transform="translate({number(at[0])} {number(at[1])})">{inside}</g>'


def _numbers(numbers: Mapping[int, int | str], places: Sequence[tuple[float, float]]) -> list[str]:
    """Each in a small disc at its cell's upper right, so that a piece's face stays free."""
    out = []
    for cell, rank in sorted(numbers.items()):
        x, y = places[cell]
        at = f"translate({number(x + PITCH * 0.3)} {number(y - PITCH * 0.3)})"
        disc = f'<circle r="{number(PITCH * 0.19)}" fill="#f2ead8" stroke="#0f0c0a"/>'
        look = 'font-size="11" font-weight="700" fill="#15110d"'
        out.append(f'<g transform="{at}">{disc}<text {look}>{escape(str(rank))}</text></g>')
    return out


def _names(grid: Grid, places: Sequence[tuple[float, float]]) -> list[str]:
    """Letters and numbers along the board's edge, as on the page."""
    out = []

    def write(x: float, y: float, text: str) -> None:
        out.append(f'<text class="name" x="{number(x)}" y="{number(y)}">{text}</text>')

    for cell, (q, r) in enumerate(grid.cells):
        x, y = places[cell]
        letters = grid.names[cell].rstrip("0123456789")
        digits = grid.names[cell][len(letters) :]
        beside, below = (letters, digits) if grid.is_hex else (digits, letters)
        if grid.find(q - 1, r) < 0:
            write(x - PITCH * (0.63 if grid.is_hex else 0.66), y, beside)
        if grid.find(q, r + 1) < 0:
            if grid.is_hex:
                write(x + PITCH * 0.33, y + PITCH * 0.58, below)
            else:
                write(x, y + PITCH * 0.66, below)
    return out


def _hands(hands: Sequence[tuple[str, str]], left: float, top: float) -> list[str]:
    """A row for each side: its name and what it holds, beside the board."""
    out = []
    step = PITCH * TRAY_SCALE * 1.1
    for row, (name, letters) in enumerate(hands):
        y = top + (row + 0.5) * PITCH * TRAY_SCALE * 1.25
        out.append(
            f'<text class="side" x="{number(left + 16)}" y="{number(y)}">{escape(name)}</text>'
        )
        for i, letter in enumerate(letters):
            x = left + 74 + (i + STONE) * step
            at = f"translate({number(x)} {number(y)}) scale({TRAY_SCALE})"
            out.append(f'<g transform="{at}">{dove(letter)}</g>')
    return out


def film(frames: Sequence[Shown], frame_s: float, *, title: str = "") -> str:
    """Animate pictures of one board, shown `frame_s` seconds each and over again, as one SVG.

    Each frame has `pieces` and `lamps`; marks, names and trays are those of no frame. Only what
    changes is written, so some hundred frames of a board take some ten kilobytes. ValueError
    without a frame or lamps.

    >>> from lumiban.grid import hexagon
    >>> dark, lit = [(0, 0, 0)] * 7, [(255, 0, 0)] + [(0, 0, 0)] * 6
    >>> text = film([Shown(hexagon(2), [0] * 7, lamps=lamps) for lamps in (dark, lit)], 0.5)
    >>> text.count("<animate "), 'dur="1s"' in text
    (1, True)
    """
    if not frames or not all(frame.lamps for frame in frames):
        raise ValueError("a film has at least one frame, and each frame has lamps")
    grid = frames[0].grid
    places, left, top, width, height = _frame(grid)
    box = " ".join(number(v) for v in (left, top, width, height))
    path = _outline(grid, 0.02)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{number(width)}"'
        f' height="{number(height)}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style><defs>{_DEFINITIONS}</defs>",
        f'<rect x="{number(left)}" y="{number(top)}" width="{number(width)}"'
        f' height="{number(height)}" rx="14" fill="#2b211a"/>',
    ]
    for cell, (x, y) in enumerate(places):
        fills = [_fill(frame.lamps[cell]) for frame in frames]
        moves = _changes("fill", fills, frame_s)
        at = f'transform="translate({number(x)} {number(y)})"'
        parts.append(f'<path class="cell" {at} d="{path}" style="fill:{fills[0]}">{moves}</path>')
    for cell, (x, y) in enumerate(places):
        kinds = [frame.pieces[cell] for frame in frames]
        for kind in sorted(set(kinds) - {int(Kind.EMPTY)}):
            seen = ["visible" if one == kind else "hidden" for one in kinds]
            moves = _changes("visibility", seen, frame_s)
            at = f'transform="translate({number(x)} {number(y)})"'
            parts.append(f'<g {at} visibility="{seen[0]}">{stone(kind)}{moves}</g>')
    return "\n".join([*parts, *_names(grid, places), "</svg>"]) + "\n"


def _fill(lamp: tuple[int, int, int]) -> str:
    """A lamp's colour on its cell, the cell's own where the lamp is dark."""
    lit = _shaded(lamp)
    return lit.split(":")[1].rstrip('"') if lit else _css(_CELL)


def _changes(attribute: str, values: Sequence[str], frame_s: float) -> str:
    """The animation of an attribute through its values; "" where they are all alike."""
    keys = [n for n, value in enumerate(values) if n == 0 or value != values[n - 1]]
    if len(keys) == 1:
        return ""
    times = ";".join(_share(n / len(values)) for n in keys)
    return (
        f'<animate attributeName="{attribute}" calcMode="discrete" repeatCount="indefinite"'
        f' dur="{number(len(values) * frame_s)}s" keyTimes="{times}"'
        f' values="{";".join(values[n] for n in keys)}"/>'
    )


def _share(share: float) -> str:
    """A share from 0 to 1 with four digits at most.

    >>> _share(0.0), _share(1 / 3)
    ('0', '0.3333')
    """
    return f"{share:.4f}".rstrip("0").rstrip(".") or "0"


PITCH = 40.0
"""Units from one cell's middle to the next one's."""
STONE = 0.365
"""Radius of a stone, in pitches."""

LETTERS_WALK = {"B": "square", "A": "square", "Y": "plus", "M": "cross", "T": "far", "H": "leap"}
"""Ways in which each dove moves: the ticks around its letter."""
_TURNS = {
    "square": range(0, 360, 45),
    "plus": range(0, 360, 90),
    "far": range(0, 360, 90),
    "cross": range(45, 360, 90),
}


def number(value: float) -> str:
    """A length with two digits at most, the same on every machine.

    >>> number(1.0), number(-0.001), number(2.345)
    ('1', '0', '2.35')
    """
    text = f"{round(value + 1e-9, 2):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _circle(r: float, more: str = "") -> str:
    return f'<circle r="{number(r * PITCH)}"{more}/>'


def _path(points: str, more: str = "") -> str:
    return f'<path d="{points}"{more}/>'


def _path_data(*places: float) -> str:
    """`M x y L x y …` of places in pitches."""
    pairs = zip(places[::2], places[1::2], strict=True)
    return "".join(
        f"{'L' if i else 'M'}{number(x * PITCH)} {number(y * PITCH)}"
        for i, (x, y) in enumerate(pairs)
    )


def _cased(shape: str, width: float = 1.8, dash: str = "") -> str:
    """A line with a dark case below, seen on ivory and slate alike."""
    broken = f' stroke-dasharray="{dash}"' if dash else ""
    case = shape.replace("/>", f' class="case" stroke-width="{number(width + 1.8)}"{broken}/>')
    line = shape.replace("/>", f' stroke-width="{number(width)}"{broken}/>')
    return case + line


def _dot(r: float) -> str:
    return _circle(r + 0.02, ' class="pit"') + _circle(r, ' class="full"')


def _star(reach: float) -> str:
    """Eight points around a cell, seen beside whatever stands there."""
    places = [
        at * (reach if k % 2 else reach * 0.8)
        for k in range(16)
        for at in (math.cos(math.pi / 8 * k), math.sin(math.pi / 8 * k))
    ]
    return _path_data(*places) + "Z"


def ring_around() -> str:
    """The last move on a piece whose face must stay free."""
    return _cased(_circle(0.45), 1.6)


def stone(kind: int) -> str:
    """A stone of this kind: ivory with a ring, slate with a pit, terracotta with a cross."""
    fill = {Kind.WHITE: "ivory", Kind.BLACK: "slate", Kind.NEUTRAL: "terracotta"}.get(
        Kind(kind), "strange"
    )
    body = _circle(STONE + 0.035, ' class="shade"') + _circle(
        STONE, f' fill="url(#{fill})" class="rim-{fill}"'
    )
    if kind == Kind.WHITE:
        return body + _circle(STONE * 0.66, ' class="inlay-ivory"')
    if kind == Kind.BLACK:
        return body + _circle(STONE * 0.2, ' class="inlay-slate"')
    if kind == Kind.NEUTRAL:
        a = STONE * 0.42
        return body + _path(
            _path_data(-a, 0, a, 0) + _path_data(0, -a, 0, a), ' class="inlay-terracotta"'
        )
    return body + '<text class="sign">?</text>'


def dove(letter: str, red: bool | None = None) -> str:
    """A dove: round for Red (capital letter), with eight sides for Green (small letter); around
    the letter ticks for the ways it goes, a crown over the boss.

    Without a letter, one that nobody knows, `red` or not.
    """
    red = letter.isupper() if red is None else red
    if red:
        body = _circle(STONE + 0.035, ' class="shade"') + _circle(STONE + 0.02, ' class="dove-red"')
    else:
        corners = [
            at * (STONE + 0.05)
            for k in range(8)
            for at in (math.cos(math.pi / 8 * (2 * k + 1)), math.sin(math.pi / 8 * (2 * k + 1)))
        ]
        wider = [at * 1.07 for at in corners]
        body = _path(_path_data(*wider) + "Z", ' class="shade"') + _path(
            _path_data(*corners) + "Z", ' class="dove-green"'
        )
    return (
        body
        + _walk(LETTERS_WALK.get(letter.upper(), ""))
        + _crown(letter)
        + f'<text class="letter">{letter or "·"}</text>'
    )


def _walk(how: str) -> str:
    """The ticks around a dove's letter."""
    if how == "leap":
        steps = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
        at = STONE * 0.84 / math.hypot(1, 2) * PITCH
        return "".join(
            f'<circle class="tick" cx="{number(x * at)}" cy="{number(y * at)}" r="1.3"/>'
            for x, y in steps
        )
    ticks = []
    for turn in _TURNS.get(how, ()):
        inner, outer = (0.66, 0.98) if how == "far" else (0.78, 0.94)
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        ticks.append(
            _path_data(c * STONE * inner, s * STONE * inner, c * STONE * outer, s * STONE * outer)
        )
    return _path("".join(ticks), f' class="tick-{"far" if how == "far" else "step"}"')


def _crown(letter: str) -> str:
    if letter.upper() != "B":
        return ""
    return _path(
        _path_data(
            -0.13,
            -0.13,
            -0.16,
            -0.25,
            -0.07,
            -0.19,
            0,
            -0.28,
            0.07,
            -0.19,
            0.16,
            -0.25,
            0.13,
            -0.13,
        )
        + "Z",
        ' class="crown"',
    )


_FORMS = {
    "r": "M0 -8.4L8.4 0L0 8.4L-8.4 0Z",
    "b": "M7 0A7 7 0 1 1 -7 0A7 7 0 1 1 7 0ZM2.8 0A2.8 2.8 0 1 1 -2.8 0A2.8 2.8 0 1 1 2.8 0Z",
    "y": "M0 -8L8 6.4H-8Z",
    "g": "M-2.8 -8H2.8V-2.8H8V2.8H2.8V8H-2.8V2.8H-8V-2.8H-2.8Z",
    "ojama": "M-3.2 0A2 2 0 1 1 -7.2 0A2 2 0 1 1 -3.2 0ZM7.2 0A2 2 0 1 1 3.2 0A2 2 0 1 1 7.2 0Z",
}
_BOX = '<rect x="-16.8" y="-16.8" width="33.6" height="33.6" rx="5.2"'


def _block(form: str, fill: str, line: str) -> str:
    dark = fill == ".78"
    inside = 'fill="#0f0c0a" fill-opacity=".82"' if dark else 'fill="currentColor"'
    return (
        f'{_BOX} fill="currentColor" fill-opacity="{fill}" stroke="currentColor" {line}/>'
        f'<path d="{_FORMS[form]}" fill-rule="evenodd" stroke="none" {inside}/>'
    )


def _bars(count: int) -> str:
    return "".join(
        f'<rect x="{7 * i - 3.5 * count}" y="-8" width="4" height="16" fill="currentColor"'
        ' stroke="none"/>'
        for i in range(count)
    )


_PLUS = _path_data(-0.13, 0, 0.13, 0) + _path_data(0, -0.13, 0, 0.13)
_ROOF = _path_data(-0.11, 0.055, 0, -0.066, 0.11, 0.055)
_CROSS = _path_data(-0.15, -0.15, 0.15, 0.15) + _path_data(0.15, -0.15, -0.15, 0.15)
_WIDE_CROSS = _path_data(-0.2, -0.2, 0.2, 0.2) + _path_data(0.2, -0.2, -0.2, 0.2)
_ARROWHEADS = _path_data(-0.13, -0.02, 0, 0.11, 0.13, -0.02) + _path_data(
    -0.13, -0.15, 0, -0.02, 0.13, -0.15
)
_SQUARE = _path_data(-0.3, -0.3, 0.3, -0.3, 0.3, 0.3, -0.3, 0.3) + "Z"
_DIAMOND = _path_data(-0.45, 0, 0, -0.45, 0.45, 0, 0, 0.45) + "Z"
_SMALL_DIAMOND = _path_data(0, -0.11, 0.11, 0, 0, 0.11, -0.11, 0) + "Z"

SHAPES: dict[str, str] = {
    mark_kinds.MAY_PLACE: _dot(0.06),
    mark_kinds.MAY_PLACE_NEUTRAL: _cased(_path(_PLUS), 1.6),
    mark_kinds.LIFT_TARGET: _cased(_circle(0.27), 1.8) + _dot(0.06),
    mark_kinds.REMOVABLE: _cased(_circle(0.415), 1.6, "5 4"),
    mark_kinds.MACHINE_TO: _cased(_circle(0.415), 1.6) + _cased(_circle(0.22), 1.3),
    mark_kinds.MACHINE_FROM: _cased(_circle(0.415), 1.6, "8 5") + _cased(_path(_ROOF), 1.6),
    mark_kinds.MEND: _cased(_path(_CROSS)),
    mark_kinds.PROOF: _cased(_path(_ARROWHEADS), 2),
    mark_kinds.PENDING: _cased(_circle(0.3), 2, "0.1 5"),
    mark_kinds.TALLY: _cased(_circle(0.44), 2.2),
    mark_kinds.ASTRAY: _cased(_path(_WIDE_CROSS)) + _cased(_circle(0.43), 1.4, "3 3"),
    mark_kinds.LIGHT_STONE: _cased(_circle(0.33), 1.6, "4 2.4") + _cased(_circle(0.2), 1.1),
    mark_kinds.ADVICE: _cased(_path(_star(0.42)), 1.6),
    mark_kinds.ADVICE_ALSO: _cased(_path(_star(0.42)), 1.1, "3 2.6"),
    mark_kinds.BEAT: _cased(_circle(0.38), 1.2),
    mark_kinds.BARRED: _cased(_path(_path_data(-0.09, -0.09, 0.09, 0.09)), 1.6),
    mark_kinds.WALL: _cased(_path(_SQUARE), 1.2, "3 4"),
    mark_kinds.SHORT: _cased(_path(_DIAMOND), 1.6),
    mark_kinds.LAST: _cased(_circle(0.14), 1.6),
    mark_kinds.WON: _path(_SMALL_DIAMOND, ' class="full"'),
    **{f"block-{c}": _block(c, ".78", 'stroke-width="1"') for c in "rbyg"},
    mark_kinds.OJAMA: _block("ojama", ".78", 'stroke-width="1"'),
    **{f"ghost-{c}": _block(c, ".14", 'stroke-width="1" stroke-dasharray="3 2.4"') for c in "rbyg"},
    mark_kinds.GHOST_OJAMA: _block("ojama", ".14", 'stroke-width="1" stroke-dasharray="3 2.4"'),
    **{
        f"landing-{c}": _block(c, ".1", 'stroke-width="2.2" stroke-dasharray="5.5 3"')
        for c in "rbyg"
    },
    mark_kinds.ERASED: _BOX.replace("16.8", "18")
    + ' fill="currentColor" fill-opacity=".25" stroke="currentColor" stroke-width="2.4"/>',
    mark_kinds.COMING: '<path d="M-6.4 -4L0 4L6.4 -4" stroke="currentColor" stroke-width="2.2"/>',
    mark_kinds.TOUCH: '<circle r="12" stroke="currentColor" stroke-width="2.2"/>',
    mark_kinds.FEW: _bars(1),
    mark_kinds.SOME: _bars(2),
    mark_kinds.MANY: _bars(3),
}
"""The shape of each meaning that is light itself."""


def mark(meaning: str) -> str:
    """The shape of a meaning; "" for meanings that are light alone."""
    return SHAPES.get(meaning, "")
