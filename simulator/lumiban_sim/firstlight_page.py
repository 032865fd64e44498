"""Page of the measurements of `lumiban board firstlight` beside those of a sound board: SVG and
HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from lumiban.boards.profile import Profile
from lumiban.maker.firstlight import SETTLED_NS, STEP_NS, Curves, FirstLight
from lumiban_fw.wire import FULL_SCALE
from lumiban_hw.svg import Chart

from lumiban_sim.joints import Joints

REFERENCE_V = 2 * 3.3 / (FULL_SCALE + 1)
"""Volts of a strip's supply a count of its reference."""
STYLE = (
    "body{font:16px sans-serif;max-width:46em;margin:2em auto;padding:0 1em}"
    "li.bad{color:#a00}li{margin:.3em 0}svg{max-width:100%;height:auto}"
)

Words = Callable[[str], str]
"""A text of the page by its name: title, measured, expected, ramp, settle, lifts, noise, …"""


def expected(profile: Profile) -> Curves:
    """Curves of a sound board of this profile, by the simulation, with parts of nominal values."""
    test = FirstLight(Joints(profile, nominal=True), profile)
    test.run()
    return test.curves


def drawn(curves: Curves, sound: Curves, words: Words) -> dict[str, str]:
    """Measured beside expected curves as SVG, by name: those that were measured."""
    pair = ((words("measured"), curves), (words("expected"), sound))
    out: dict[str, str] = {}
    lines: dict[str, Sequence[tuple[float, float]]] = {}
    for name, one in pair:
        if curves.ramp is None or one.ramp is None:
            continue
        ms = [t / 1000 for t in one.ramp.times_us]
        last = min(one.ramp.references, key=lambda line: line[-1])
        lines[f"5 V, {name}"] = list(zip(ms, [mv / 1000 for mv in one.ramp.rail_mv], strict=True))
        lines[f"3.3 V, {name}"] = list(zip(ms, [REFERENCE_V * v for v in last], strict=True))
    if lines:
        out["ramp"] = Chart(words("ramp"), "ms", "V", lines, low=0.0, below=True).svg()
    if curves.settle and sound.settle:
        lines = {}
        for name, one in pair:
            for line in sorted(one.settle) if one is curves else sorted(one.settle)[:1]:
                points = [(n * STEP_NS / 1000, v) for n, v in enumerate(one.settle[line])]
                lines[f"{line}, {name}" if one is curves else name] = points
        walls = {words("taken"): SETTLED_NS / 1000}
        out["settle"] = Chart(
            words("settle"), "µs", words("counts"), lines, walls=walls, low=0.0, below=True
        ).svg()
    for name, mine, theirs in (
        ("lifts", curves.lifts, sound.lifts),
        ("noise", curves.lit, sound.lit),
    ):
        if len(mine) > 1 and len(theirs) > 1:
            lines = {
                words("measured"): [(n + 1.0, v) for n, v in enumerate(mine)],
                words("expected"): [(n + 1.0, v) for n, v in enumerate(theirs)],
            }
            out[name] = Chart(
                words(name), words("strip"), words("counts"), lines, low=0.0, below=True
            ).svg()
    return out


def page(
    title: str, findings: Sequence[tuple[str, str]], pictures: Mapping[str, str], lang: str
) -> str:
    """The report as one HTML page; findings are (level, sentence)."""
    items = "".join(f'<li class="{level}">{escape(sentence)}</li>' for level, sentence in findings)
    return (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{escape(title)}</h1><ul>{items}</ul>"
        + "".join(pictures.values())
        + "</html>\n"
    )
