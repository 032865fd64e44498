"""The wiring of one strip to a Pico on a bench, drawn from the profile's pins."""

from __future__ import annotations

from lumiban.boards.profile import Profile

from lumiban_hw.guide.canvas import FAINT, INK, Canvas, Point
from lumiban_hw.parts import PICO
from lumiban_hw.wiring import bench

MEANS = {
    "5V": "5 V", "GND": "ground", "DIN": "data to the first light", "RET": "from the last light",
    "AOUT": "the selected sensor", "S0": "channel, bit 0", "S1": "channel, bit 1",
    "S2": "channel, bit 2", "S3": "channel, bit 3",
}  # fmt: skip
COLOURS = {
    "5V": "#c22f2f", "GND": "#333333", "DIN": "#3f7d4e", "AOUT": "#7a4fa3", "S0": "#b5532f",
    "S1": "#c48a1a", "S2": "#2f8fb5", "S3": "#2f62b5", "RAIL": "#b53f8c",
}  # fmt: skip
WAYS_X, WAY_PX, WAYS_Y, TOP = 292.0, 34.0, 92.0, 108.0
LEFT_X, RIGHT_X, PIN_PX = 650.0, 840.0, 24.0
LANE_X, LANE_PX = 400.0, 26.0
FAR_X, OVER_Y = 1056.0, 64.0


def bench_picture(profile: Profile) -> str:
    """The ribbon's fourteen ways on the left, the Pico from above on the right, wires between."""
    rows = bench(profile)
    ways = [row for row in rows if row[0]]
    canvas = Canvas(f"{profile.name} on a bench: from the ribbon's plug to the Pico", 1090, 620)
    canvas.text((30, 26), "The ribbon's free end", 16, bold=True)
    canvas.text((30, 46), "wire 1 is the coloured one", 13, colour=FAINT)
    canvas.text((LEFT_X + 95, 26), "Raspberry Pi Pico from above", 16, anchor="middle", bold=True)
    _pico(canvas, {pin for *_, pin, _ in rows if pin})
    for n, (way, net, *_) in enumerate(ways):
        y = WAYS_Y + n * WAY_PX
        colour = COLOURS.get(net, FAINT)
        canvas.box((84, y - 13), (WAYS_X - 10, y + 13), "#fff", colour, round_=4)
        canvas.badge((102, y), way, colour)
        canvas.text((120, y), net, 13, bold=True)
        canvas.text((166, y), "" if net in ("5V", "GND") else MEANS[net], 10, colour="#555")
        stripe = "#c22f2f" if way == "1" else "#c9c9c9"
        canvas.polyline([(30, y), (84, y)], stripe, 5)
    lane = 0
    for net in dict.fromkeys(row[1] for row in ways):
        mine = [(WAYS_Y + n * WAY_PX, row) for n, row in enumerate(ways) if row[1] == net]
        y, (*_, pin, note) = mine[0]
        if not pin:
            canvas.polyline([(WAYS_X - 10, y), (WAYS_X + 6, y)], FAINT, 2)
            canvas.text((WAYS_X + 12, y), note, 12, colour="#a33")
            continue
        at = place(pin)
        x = LANE_X + lane * LANE_PX
        lane += 1
        for y, _ in mine:
            canvas.polyline([(WAYS_X - 10, y), (x, y)], COLOURS[net], 2.5)
        ys = [y for y, _ in mine]
        over = OVER_Y if net == "5V" else OVER_Y - 16
        far = RIGHT_X + 70 if net == "5V" else FAR_X
        end = [(x, over), (far, over), (far, at[1]), at] if at[0] > LEFT_X else [(x, at[1]), at]
        for start in (min(ys), max(ys)):
            canvas.polyline([(x, start), *end], COLOURS[net], 2.5)
        for y in ys[1:] if len(ys) > 1 else ():
            canvas.dot((x, y), 4, COLOURS[net])
    _divider(canvas, rows)
    return canvas.svg()


def place(pin: str) -> Point:
    """Where a wire meets a pin of the Pico."""
    n = int(pin)
    if n <= 20:
        return LEFT_X, TOP + (n - 1) * PIN_PX
    return RIGHT_X, TOP + (40 - n) * PIN_PX


def _pico(canvas: Canvas, used: set[str]) -> None:
    canvas.box((LEFT_X + 12, TOP - 18), (RIGHT_X - 12, TOP + 19 * PIN_PX + 18), "#dfe9dc", round_=8)
    middle = (LEFT_X + RIGHT_X) / 2
    canvas.box((middle - 24, TOP - 30), (middle + 24, TOP + 4), "#c9c9c9", round_=3)
    canvas.text((middle, TOP - 12), "USB", 12, anchor="middle")
    for pin, (name, _) in PICO.pins.items():
        x, y = place(pin)
        left = x < middle
        strong = pin in used
        canvas.box((x, y - 8), (x + (26 if left else -26), y + 8), "#e8d28a" if strong else "#fff",
                   INK if strong else FAINT, round_=3)  # fmt: skip
        canvas.text((x + (13 if left else -13), y), pin, 10, anchor="middle",
                    colour=INK if strong else FAINT)  # fmt: skip
        canvas.text((x + (32 if left else -32), y), name, 12, bold=strong,
                    anchor="start" if left else "end", colour=INK if strong else FAINT)  # fmt: skip


def _divider(canvas: Canvas, rows: list[tuple[str, str, str, str, str]]) -> None:
    """Two resistors: from 5 V to the pin that sees the supply, and from there to ground."""
    rail = next(pin for _, net, _, pin, _ in rows if net == "RAIL")
    (x, y), top, ground = place(rail), place(PICO.pad("VBUS")), place(PICO.pad("AGND"))
    node, colour = (x + 130, ground[1]), COLOURS["RAIL"]
    canvas.polyline([(x, y), (node[0], y), node], colour, 2.5)
    canvas.polyline([(x + 70, top[1]), (node[0], top[1]), node], colour, 2.5)
    canvas.polyline([ground, node], colour, 2.5)
    canvas.dot(node, 4, colour)
    half = (top[1] + ground[1]) / 2
    canvas.box((node[0] - 9, half - 26), (node[0] + 9, half + 26), "#fff", colour, width=2)
    canvas.text((node[0] + 16, half), "10 kΩ", 13)
    canvas.box((x + 36, ground[1] - 9), (x + 88, ground[1] + 9), "#fff", colour, width=2)
    canvas.text((x + 62, ground[1]), "10 kΩ", 12, anchor="middle")
