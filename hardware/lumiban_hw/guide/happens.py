"""Consequences for a base board when something is done wrong, as its simulation shows them.

Each row has the scene that plays it and what of the scene's measures must hold, so that a row is
not true by its words alone. Designators come from the drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lumiban.boards.profile import load

from lumiban_hw import parts as p
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.power import RATINGS, Budget
from lumiban_hw.spice import scenes
from lumiban_hw.spice.scenes import Assembly, Measure

Values = Mapping[tuple[str, str], float]
"""Measures by scene and name."""


@dataclass(frozen=True)
class Happening:
    """One row: English and Japanese words of what is done and what then happens."""

    scene: Callable[[Assembly], list[Measure]]
    said: tuple[tuple[str, str], tuple[str, str]]
    """With `{names}` of parts (`names`)."""
    holds: Callable[[str, Values], bool]
    """True if the measures of a board of this name are what the words say."""


def names(base: Board) -> dict[str, str]:
    """Designators of the parts that guard a base, by what they do; StopIteration if one is gone."""

    def of(part: p.Part, *nets: str) -> str:
        return next(
            one.ref
            for one in base.parts
            if one.part == part and set(nets) <= set(one.nets.values())
        )

    fed = [one.ref for one in base.parts if one.part == p.PTC]
    return {
        "holds": of(p.INPUT_FET, "VF", "MID"), "refuses": of(p.INPUT_FET, "MID", "5V"),
        "switch": of(p.POWER_FET, "5V", "5VL"), "fuse": of(p.FUSE, "VIN", "VF"),
        "compares": of(p.SHUNT, "OVR"), "light": of(p.POWER_LIGHT, "GND"),
        "first": fed[0], "last": fed[-1],
    }  # fmt: skip


def _reversed(_name: str, of: Values) -> bool:
    # What flows is a thousandth of a milliampere: no fuse blows of that.
    return all(
        of[f"reversed, {volts} V", "heat at the terminal"] / volts < 1e-6 for volts in (5, 12)
    )


def _refused(_name: str, of: Values) -> bool:
    return of["12 V, plugged in", "5 V"] < 0.1


def _shorted(name: str, of: Values) -> bool:
    into = of["shorted-strip", "ways of its plug for ever"]
    held, supply = RATINGS.polyfuse_ma / 1000, Budget(load(name)).supply_ma / 1000
    return into < held if name == "hex5" else held < into <= 1.1 * supply


HAPPENINGS = (
    Happening(
        scenes.reversed_supply,
        (
            (
                "plus and minus are swapped",
                "Nothing gets power, and nothing is hurt. {holds} stays shut; the fuse {fuse} does "
                "**not** blow. H and K are below ground, L is at 0, the light {light} stays dark. "
                "Swap the wires.",
            ),
            (
                "＋と−が逆",
                "電流が流れず、何も壊れない。{holds} が閉じたままで、ヒューズ {fuse} は"
                "**切れない**。H と K はマイナス、L は 0、{light} は光らない。線を入れ替える。",
            ),
        ),
        _reversed,
    ),
    Happening(
        scenes.too_high,
        (
            (
                "a supply that is too high, up to 12 V",
                "It is refused: {compares} shuts {holds} and {refuses}, H and K show the supply, L "
                "is at 0, and the light {light} stays dark. Nothing is hurt, no fuse blows. "
                "Use a supply of 5 V.",
            ),
            (
                "高すぎる電源 (12 V まで)",
                "受けつけない: {compares} が {holds} と {refuses} を閉じる。H と K に電圧があり、"
                "L は 0、{light} は光らない。何も壊れず、ヒューズも切れない。5 V の電源に替える。",
            ),
        ),
        _refused,
    ),
    Happening(
        scenes.shorted_strip,
        (
            (
                "5 V and ground of a strip touch",
                "With the supply of `hex5` that strip's own fuse ({first} to {last}) gets hot and "
                "lets little pass; that of `hex3` limits itself first, and the whole board goes "
                "dark. Nothing burns. Power off, unplug that strip.",
            ),
            (
                "ストリップの 5 V と GND がショート",
                "`hex5` の電源ではそのストリップのヒューズ ({first}〜{last}) が熱くなって"
                "電流を絞り、"
                "`hex3` では電源が先に電流を絞って盤全体が消える。何も燃えない。"
                "電源を切り、そのストリップを抜く。",
            ),
        ),
        _shorted,
    ),
)
