"""Random options and fields of Rengi, for tests that drive whole games."""

from __future__ import annotations

import json
import random

from places import TESTS
from rengi_by_the_paper import Field, from_rows, let_fall, put, ripe_groups

NINETEEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))["nineteen_chain_fields"]
VARIED: dict[str, tuple[int | str, ...]] = {
    "wall_cross": (1, 2, 3),
    "quick_turn": ("on", "off"),
    "ghost_ojama": ("B", "C"),
    "row14": ("vanish", "stay"),
    "otsuri": ("on", "off"),
    "offset": ("on", "on", "off"),
    "interrupt": ("on", "off"),
    "all_clear": ("on", "off"),
    "ojama_unit": ("1", "3", "6", "mixed"),
    "ojama_order": ("fixed", "random"),
    "carry_remainder": ("on", "off"),
    "margin": ("off", "hands"),
    "margin_pace": (2, 10),
    "chain_pass": ("on", "on", "off"),
    "normal_pass": ("on", "off"),
    "hand_table": ("A", "B", "C", "D"),
    "pass_plan": (1, 2),
    "mixed_from": (18, 60),
    "cap_rows": (1, 2, 5),
    "repetition": (2, 4),
    "pass_draw": (2, 5),
    "mirror_limit": (1, 8),
    "begins": ("first", "second"),
    "rate": (4, 10, 35, 70),
    "komi": (0, 70, 500),
}


def random_options(rng: random.Random, mode: str) -> dict[str, int | str]:
    """The mode as it is, or with a handful of options changed."""
    names = rng.sample(sorted(VARIED), rng.choice((0, 4, 12)))
    options = {name: rng.choice(VARIED[name]) for name in names} | {"mode": mode}
    if rng.random() < 0.3 and options.get("rate", 70) != 70:
        options["komi"] = 70
    return options


def unripe(rng: random.Random) -> Field:
    """The lower rows of a field of 19 steps, a block taken from every group that would go."""
    digits = rng.choice(NINETEEN)["url"]
    rows = [digits[at : at + 6] for at in range(0, 78, 6)][-rng.randint(3, 11) :]
    of = from_rows(*[row.translate(str.maketrans("014567", ".ORBYG")) for row in rows])
    while groups := ripe_groups(of):
        put(of, rng.choice(sorted(groups[0])), ".")
        let_fall(of)
    return of


def nearly_bare(pair: str) -> Field:
    """A field that this pair can clear."""
    axis, child = pair[0], pair[1]
    return (
        from_rows(f"{axis}{axis}....")
        if axis == child
        else from_rows(f"{child * 3}...", f"{axis * 3}...")
    )
