"""The lessons of our own games: about ninety seconds each, with as few stones as an idea needs.

Each step keeps what it can of the one before, so that little is set up again on a real board. In
Evening what is missing shines as a stone in light. A test plays every move that is named here by
the rules.
"""

from __future__ import annotations

from typing import Any

from lumiban.errors import GameError
from lumiban.games.lessons import Lesson, Step
from lumiban.games.puzzles import SET, puzzles_of

W, B, RED = 0, 1, 2
ANY = ("*",)

CONTROL = Lesson(
    "control",
    (
        Step("begin", (ANY,), refused=("c3",)),
        Step(
            "place",
            (("[a-e]?",),),
            {"c2": W, "c4": B},
            hint="control",
            refused=("d3", "b4"),
        ),
        Step(
            "equal",
            (("c3",),),
            {"c2": W, "c4": B},
            hint="control",
            refused=("d3",),
            beside=("b1", "e1"),
        ),
        Step(
            "attack",
            (("b2", "d2"),),
            {"c2": W, "e1": W, "c4": B, "c3": B},
            hint="control",
            refused=("b3", "xc3"),
            beside=("a1", "c1"),
        ),
        Step(
            "remove",
            (("xc3",),),
            {"c2": W, "e1": W, "b2": W, "c4": B, "c3": B, "e3": B},
            hint="control",
            refused=("xc4", "xe3", "d3"),
            beside=("d1",),
        ),
        Step(
            "end",
            (("stop*",), ("stop*",)),
            {"c2": W, "c4": B},
            hint="control",
            beside=("c3",),
        ),
    ),
    {"size": 3},
)

EVENING = Lesson(
    "evening",
    (
        Step("begin", (ANY,)),
        Step("open", (("b*",),), {"c3": W}, hint="control", refused=("wc4", "ba1")),
        Step(
            "smaller",
            (("w*",),),
            {"c3": W, "c4": B},
            hint="control",
            refused=("wd3", "bb3", "wc2"),
            beside=("bd2",),
        ),
        Step(
            "group",
            (("wb2",),),
            {"c3": W, "b4": W, "c4": B, "b3": B},
            hint="control",
            refused=("bb2",),
            beside=("bc2",),
        ),
        Step(
            "both",
            (("?[a-e]?",), ("?[a-e]?",)),
            {"c3": W, "c4": B},
            hint="control",
            one_each=True,
        ),
        Step(
            "stand",
            (("stand*",), ("stand*",)),
            {"c3": W, "b4": W, "c4": B},
            hint="control",
            beside=("bb3",),
        ),
    ),
    {"size": 3},
)

TRIVIA = Lesson(
    "trivia",
    (
        Step("begin", (ANY,), refused=("red b2",)),
        Step("turn", (ANY, ANY, ANY), {"b2": W}, to_move=B),
        Step(
            "join",
            (("a2", "b1"),),
            {"a1": W, "c3": B, "c1": B, "b3": RED},
            beside=("b2", "c2", "red a2"),
        ),
        Step(
            "red",
            (("red b3",),),
            {"a3": B, "c3": B, "a1": W, "b1": W, "c1": W, "c2": RED},
            beside=("red a2", "red b2"),
        ),
        Step(
            "end",
            (ANY, ANY),
            {"a3": W, "c1": W, "c2": W, "a1": B, "a2": B, "b3": RED, "c3": RED},
            to_move=B,
            hint="control",
        ),
    ),
    {"size": 3},
)

DOVES = Lesson(
    "doves",
    (
        Step("put", (("+*",),), refused=("+AN1W1", "+YN1E1"), beside=("BE1",)),
        Step(
            "tower",
            (("T*",),),
            more={"board": "b./B./.T"},
            refused=("TN1W1",),
            beside=("+AW1", "BE1"),
        ),
        Step(
            "alone",
            (("A*",),),
            more={"board": "b../B../.A./..M"},
            refused=("AE1",),
            beside=("-M", "BE1", "+YE1"),
        ),
        Step(
            "wall",
            (("+?S2*",),),
            more={"board": "b./B./.A"},
            hint="coach",
            refused=("+MS3E1",),
            beside=("+YE1", "AS1"),
        ),
        Step(
            "surround",
            (("TW2",),),
            more={"board": ".m./.bB/.H./T.."},
            hint="coach",
            refused=("+YW2",),
            beside=("TS2", "BN1"),
        ),
        Step(
            "win",
            (("BN1W1",),),
            more={"board": "ba../..../.B../..AY"},
            hint="coach",
            refused=("+MN1W1",),
            beside=("BN1", "+MN1"),
        ),
    ),
)


def _field(*rows: str) -> str:
    """A field with these rows at its foot."""
    return "/".join(["......"] * (13 - len(rows)) + list(rows))


def _rengi(made: int, *rows: str) -> dict[str, Any]:
    return {"fields": [_field(*rows), _field()], "made": [made, made]}


RENGI = Lesson(
    "rengi",
    (
        Step("drop", (ANY,), more=_rengi(0)),
        Step(
            "four",
            (("RB[1-4].[01]", "RB[234].3"),),
            more=_rengi(0, "RRR..."),
            beside=("RB1.2", "RB5.0"),
        ),
        Step(
            "chain",
            (("RY5.[013]",),),
            more=_rengi(1, ".BBB..", "BRRR.."),
            beside=("RY1.0", "RY5.2"),
        ),
        Step(
            "ojama",
            (("RB[123].[01]", "RB[23].3"),),
            more=_rengi(2, "RRROO."),
            beside=("RB4.0", "RB6.0"),
        ),
        Step(
            "lost",
            (("RG[156].*", "RG2.[023]", "RG4.[012]"),),
            more=_rengi(3, *(f"..{colour}..." for colour in "BRYGBRYGBRY")),
            beside=("RG3.0", "RG4.3"),
        ),
    ),
    {"mode": "open", "list": "RB,RY,RB,RG,YB,BG", "begins": "first"},
)

LESSONS = {lesson.slug: lesson for lesson in (CONTROL, EVENING, TRIVIA, DOVES, RENGI)}
"""By the game's slug."""


def lesson_of(name: str) -> Lesson:
    """The lesson of this name: a game's slug, or with `/puzzles` its puzzles; GameError where
    there is none."""
    if name.endswith(SET):
        return puzzles_of(name.removesuffix(SET))
    if name not in LESSONS:
        raise GameError(f"{name} has no lesson")
    return LESSONS[name]
