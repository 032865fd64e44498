"""Names of parts in silk: each beside its part, where it covers nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from lumiban_hw.pcb.board import Board, Placed, Text

SIZES_MM = (1.0, 0.8)
_GAP_MM = 0.3
_EDGE_MM = 0.6

Box = tuple[float, float, float, float]


def label(board: Board) -> None:
    """Add the name of every soldered part that no text names yet; where there is no room, none."""
    named = {word for text in board.texts for word in text.words.split()}
    taken = [*_bodies(board), *(_of_text(text) for text in board.texts if text.side == "F")]
    for placed in board.parts:
        if not placed.part.number or placed.ref in named or placed.land.below:
            continue
        text = _beside(board, placed, taken)
        if text:
            board.texts.append(text)
            taken.append(_of_text(text))


def _beside(board: Board, placed: Placed, taken: list[Box]) -> Text | None:
    left, top, right, bottom = _around(placed)
    edge = board.outline
    x, y = (left + right) / 2, (top + bottom) / 2
    for size in SIZES_MM:
        wide, high = _width(placed.ref, size) / 2 + _GAP_MM, size / 2 + _GAP_MM
        for at in (
            (right + wide, y), (x, top - high), (x, bottom + high), (left - wide, y),
            (right + wide, top), (right + wide, bottom), (left - wide, top), (left - wide, bottom),
        ):  # fmt: skip
            text = Text(placed.ref, (round(at[0], 2), round(at[1], 2)), size)
            box = _of_text(text)
            inside = (
                box[0] > edge[0] + _EDGE_MM
                and box[1] > edge[1] + _EDGE_MM
                and box[2] < edge[2] - _EDGE_MM
                and box[3] < edge[3] - _EDGE_MM
            )
            if inside and not any(_meet(box, other) for other in taken):
                return text
    return None


def _bodies(board: Board) -> Iterator[Box]:
    """What silk must keep off: pads of both sides, bodies on top, holes."""
    for placed in board.parts:
        yield _around(placed)
    for hole in board.holes:
        (x, y), r = hole.at, hole.diameter / 2 + 0.3
        yield x - r, y - r, x + r, y + r


def _around(placed: Placed) -> Box:
    """The box around a part's pads and, on the top side, its body and the dot at its first pin."""
    land = placed.land
    corners = []
    for pad in land.pads:
        w, h = pad.width / 2, pad.height / 2
        corners += [placed.at(pad.x - w, pad.y - h), placed.at(pad.x + w, pad.y + h)]
    if not land.below:
        left, top, right, bottom = land.body
        corners += [placed.at(left, top), placed.at(right, bottom)]
        if land.mark:
            corners += [placed.at(land.mark[0] + d, land.mark[1] + d) for d in (-0.25, 0.25)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _width(words: str, size: float) -> float:
    """KiCad's stroke letters are about as wide as nine tenths of their height."""
    return 0.95 * size * len(words)


def _of_text(text: Text) -> Box:
    wide, high = _width(text.words, text.size) / 2, text.size / 2 + 0.15
    if text.turn % 180:
        wide, high = high, wide
    x, y = text.at
    return x - wide, y - high, x + wide, y + high


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
