"""Rengi by the letter: what a game remembers, of its rules and of each player."""

from __future__ import annotations

from dataclasses import dataclass, field

from rengi_by_the_paper import Fall, Field, Step, empty

HAND_TABLES = {
    "A": (1, 2, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 25, 27),
    "B": (2, 3, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28),
    "C": tuple(range(1, 20)),
    "D": tuple(range(2, 21)),
}


@dataclass
class Rules:
    """The options of one game; free mode's defaults. Without pairs the supply is free."""

    pairs: list[str] | None = None
    row14: str = "vanish"
    rate: int = 70
    margin: str = "off"
    margin_pace: int = 2
    offset: bool = True
    interrupt: bool = True
    ghost_ojama: str = "B"
    wall_cross: int = 1
    quick_turn: bool = True
    hand_table: str = "B"
    pass_plan: int = 2
    chain_pass: bool = True
    normal_pass: bool = False
    all_clear: bool = False
    fall: Fall = field(default_factory=Fall)
    random_columns: bool = False
    otsuri: bool = False
    carry_remainder: bool = False
    repetition: int = 4
    pass_draw: int = 5
    mirror_limit: int = 8
    komi: int = 0

    def hands_of(self, steps: int) -> int:
        """T(n): the hands an opponent gets while n steps run."""
        return HAND_TABLES[self.hand_table][steps - 1]


@dataclass
class Chain:
    """A chain under way: when its steps are credited, when it is over, what it has earned."""

    steps: list[Step]
    credits: list[int]
    over: int
    bin: str
    rate: int
    points: int = 0
    sent: int = 0
    done: int = 0

    @property
    def is_credited(self) -> bool:
        return self.done == len(self.steps)


@dataclass
class Side:
    """One player: the field, what waits against it, its time."""

    clock: int = 0
    settles: int | None = None
    field: Field = field(default_factory=empty)
    made: int = 0
    a: int = 0
    b: int = 0
    score: int = 0
    carried: int = 0
    bonus: int = 0
    chain: Chain | None = None
    passed: bool = False
    copies: int = 0
    fallen_this_turn: int = 0
    blocks_in: int = 0
    blocks_gone: int = 0
    ojama_fallen: int = 0
    ojama_sent: int = 0
    ojama_cancelled: int = 0

    @property
    def waiting(self) -> int:
        return self.a + self.b


@dataclass
class Times:
    """What comes of a hand: credits of steps, when it has run out, over, and the next hand; by
    frames also when the pair has landed."""

    credits: list[int]
    settles: int
    over: int
    clock: int
    lands: int = 0
