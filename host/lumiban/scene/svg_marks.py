"""Marks and pieces as SVG shapes: each meaning has a form of its own, so that a picture can be
read without its colours. All lengths are shares of the pitch, drawn around (0, 0)."""

from __future__ import annotations

import math

from lumiban.games.api import Kind
from lumiban.scene import types as means
from lumiban.scene.svg_blocks import SHAPES

PITCH = 40.0
"""Units from one cell's middle to the next one's."""
STONE = 0.365
"""Radius of a stone, in pitches."""

LETTERS_WALK = {"B": "square", "A": "square", "Y": "plus", "M": "cross", "T": "far", "H": "leap"}
"""How each dove goes: the ticks around its letter."""
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


def _line(*places: float) -> str:
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


def mark(meaning: str) -> str:
    """The shape of a meaning; "" for meanings that are light alone."""
    match meaning:
        case means.MAY_PLACE:
            return _dot(0.06)
        case means.MAY_PLACE_NEUTRAL:
            plus = _line(-0.13, 0, 0.13, 0) + _line(0, -0.13, 0, 0.13)
            return _cased(_path(plus), 1.6)
        case means.LIFT_TARGET:
            return _cased(_circle(0.27), 1.8) + _dot(0.06)
        case means.REMOVABLE:
            return _cased(_circle(0.415), 1.6, "5 4")
        case means.MACHINE_TO:
            return _cased(_circle(0.415), 1.6) + _cased(_circle(0.22), 1.3)
        case means.MACHINE_FROM:
            roof = _path(_line(-0.11, 0.055, 0, -0.066, 0.11, 0.055))
            return _cased(_circle(0.415), 1.6, "8 5") + _cased(roof, 1.6)
        case means.MEND:
            return _cased(_path(_line(-0.15, -0.15, 0.15, 0.15) + _line(0.15, -0.15, -0.15, 0.15)))
        case means.PROOF:
            lower = _line(-0.13, -0.02, 0, 0.11, 0.13, -0.02)
            return _cased(_path(lower + _line(-0.13, -0.15, 0, -0.02, 0.13, -0.15)), 2)
        case means.PENDING:
            return _cased(_circle(0.3), 2, "0.1 5")
        case means.ASTRAY:
            slashes = _line(-0.2, -0.2, 0.2, 0.2) + _line(0.2, -0.2, -0.2, 0.2)
            return _cased(_path(slashes)) + _cased(_circle(0.43), 1.4, "3 3")
        case means.LIGHT_STONE:
            return _cased(_circle(0.33), 1.6, "4 2.4") + _cased(_circle(0.2), 1.1)
        case means.ADVICE:
            return _cased(_path(_star(0.42)), 1.6)
        case means.ADVICE_ALSO:
            return _cased(_path(_star(0.42)), 1.1, "3 2.6")
        case means.BEAT:
            return _cased(_circle(0.38), 1.2)
        case means.BARRED:
            return _cased(_path(_line(-0.09, -0.09, 0.09, 0.09)), 1.6)
        case means.WALL:
            return _cased(
                _path(_line(-0.3, -0.3, 0.3, -0.3, 0.3, 0.3, -0.3, 0.3) + "Z"), 1.2, "3 4"
            )
        case means.SHORT:
            return _cased(_path(_line(-0.45, 0, 0, -0.45, 0.45, 0, 0, 0.45) + "Z"), 1.6)
        case means.LAST:
            return _cased(_circle(0.14), 1.6)
        case means.LIGHT_STONE:
            return _cased(_circle(0.33), 2.4)
        case means.ASTRAY:
            return _cased(_circle(0.415), 1.6, "2 3") + mark(means.MEND)
        case means.BEAT:
            return _cased(_circle(0.2), 1.3)
        case means.WON:
            return _path(_line(0, -0.11, 0.11, 0, 0, 0.11, -0.11, 0) + "Z", ' class="full"')
    return SHAPES.get(meaning, "")


def _star(reach: float) -> str:
    """Eight points around a cell, seen beside whatever stands there."""
    places = [
        at * (reach if k % 2 else reach * 0.8)
        for k in range(16)
        for at in (math.cos(math.pi / 8 * k), math.sin(math.pi / 8 * k))
    ]
    return _line(*places) + "Z"


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
        return body + _path(_line(-a, 0, a, 0) + _line(0, -a, 0, a), ' class="inlay-terracotta"')
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
        body = _path(_line(*wider) + "Z", ' class="shade"') + _path(
            _line(*corners) + "Z", ' class="dove-green"'
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
            _line(c * STONE * inner, s * STONE * inner, c * STONE * outer, s * STONE * outer)
        )
    return _path("".join(ticks), f' class="tick-{"far" if how == "far" else "step"}"')


def _crown(letter: str) -> str:
    if letter.upper() != "B":
        return ""
    return _path(
        _line(
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
