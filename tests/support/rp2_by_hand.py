"""The PIO assembler that the chip brings, as far as our two programs use it.

Encodings by the RP2040's data sheet, chapter 3.4: JMP 000, OUT 011, MOV 101; bits 12 to 8 hold
the side-set bits, then the delay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from viper_shim import PACKAGE

PINS, X, Y = 0, 1, 2
CONDITIONS = {"": 0, "not_x": 1}


@dataclass
class Program:
    """Words of a program, where it wraps, and how its machine is set up."""

    setup: dict[str, Any]
    words: list[int] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    wrap: int = 0
    wrap_top: int = 0

    @property
    def side_bits(self) -> int:
        return 1 if "sideset_init" in self.setup else 0

    def add(self, word: int, target: str = "") -> Program:
        self.words.append(word)
        self.targets.append(target)
        return self

    def side(self, value: int) -> Program:
        assert self.side_bits
        self.words[-1] |= value << 12
        return self

    def __getitem__(self, delay: int) -> Program:
        assert delay < 32 >> self.side_bits
        self.words[-1] |= delay << 8
        return self

    def done(self) -> None:
        for k, target in enumerate(self.targets):
            if target:
                self.words[k] |= self.labels[target]


def _assemble(function: Callable[[], None], setup: dict[str, Any]) -> Program:
    made = Program(setup)

    def jmp(condition: str, target: str | None = None) -> Program:
        if target is None:
            condition, target = "", condition
        return made.add(CONDITIONS[condition] << 5, target)

    names = {
        "wrap_target": lambda: setattr(made, "wrap", len(made.words)),
        "wrap": lambda: setattr(made, "wrap_top", len(made.words) - 1),
        "label": lambda name: made.labels.update({name: len(made.words)}),
        "out": lambda to, n: made.add(0x6000 | to << 5 | n & 31),
        "jmp": jmp,
        "nop": lambda: made.add(0xA000 | Y << 5 | Y),
        "pins": PINS,
        "x": X,
        "not_x": "not_x",
    }
    function.__globals__.update(names)
    function()
    made.done()
    return made


def load() -> SimpleNamespace:
    """The firmware's file of programs, assembled from its source as it stands."""
    pio = SimpleNamespace(OUT_LOW=2, SHIFT_LEFT=0, SHIFT_RIGHT=1)

    def asm_pio(**setup: Any) -> Callable[[Callable[[], None]], Program]:
        return lambda function: _assemble(function, setup)

    source = (PACKAGE / "pio_programs.py").read_text().replace("import rp2\n", "")
    space: dict[str, Any] = {"rp2": SimpleNamespace(asm_pio=asm_pio, PIO=pio)}
    exec(compile(source, "pio_programs.py", "exec", dont_inherit=True), space)
    return SimpleNamespace(**space)
