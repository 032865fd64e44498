"""A circuit of two- and three-terminal elements, its ngspice deck, and the curves of a run.

Elements come from parts (`models`); those that lie parallel are put together, and those that end
in the air are left out, so that a board of many strips stays small without losing current.
"""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

PACKAGE = "ngspice"
TIMEOUT_S = 300
"""Of a run's own processor time: a busy computer is no fault of a board's."""
GROUND = "0"
OPTIONS = ".options reltol=2e-3 abstol=1e-8 vntol=1e-5 chgtol=1e-13 method=gear itl4=200 gmin=1e-11"
MODELS = """\
.model power_pfet pmos(level=1 vto=-0.75 kp=24 rs=1m rd=1m)
.model guard_pfet pmos(level=1 vto=-1.8 kp=90 rs=0.5m rd=0.5m)
.model small_nfet nmos(level=1 vto=1.6 kp=0.25 rs=1)
.model small_pnp pnp(bf=150 is=1e-14 rb=10 cje=10p cjc=4.5p)
.model clamp d(is=1e-14 n=1 rs=12 cjo=2p)
.model substrate d(is=1e-12 n=1 rs=0.3)
.model body d(is=1e-9 n=1.05 rs=5m cjo=400p)
.model schottky d(is=2e-6 n=1.05 rs=60m cjo=110p bv=40)
.model surge5 d(is=1e-12 n=1 rs=20m bv=6.7 ibv=10m cjo=2n)
.model surge12 d(is=1e-12 n=1 rs=40m bv=14 ibv=1m cjo=800p)
.model pass sw(vt=0.5 ron=1 roff=1e10)
.model alive sw(vt=1.2 ron=1 roff=1e10)
.model lamp d(is=1e-18 n=2 rs=10 cjo=20p)
.model zener10 d(is=1e-14 n=1 rs=8 bv=10 ibv=5m cjo=100p)
"""
"""Level 1: believe orders of magnitude, not the second digit. Thresholds are typical values."""


class SpiceFailed(Exception):
    """ngspice gave up; the text is its own."""


Kind = Literal["R", "C", "L", "D", "I", "E", "M", "Q", "S", "V"]


@dataclass(frozen=True, slots=True)
class Element:
    """One element. `value`: ohms, farads, henries; a model's name for D, M, Q and S; an expression
    for a current I, a voltage E; a waveform for V."""

    kind: Kind
    nodes: tuple[str, ...]
    value: float | str
    count: int = 1
    name: str = ""


@dataclass
class Circuit:
    """Elements, and voltages of nodes at the start."""

    elements: list[Element] = field(default_factory=list)
    initial: dict[str, float] = field(default_factory=dict)
    models: str = MODELS
    """Of diodes and transistors."""

    def add(self, kind: Kind, nodes: Iterable[str], value: float | str, name: str = "") -> None:
        """Add one element; a name keeps it apart from others."""
        self.elements.append(Element(kind, tuple(nodes), value, name=name))

    def resistor(self, a: str, b: str, ohms: float) -> None:
        """Add a resistor."""
        self.add("R", (a, b), ohms)

    def source(self, node: str, wave: str, name: str = "", to: str = GROUND) -> None:
        """Drive a node; `wave` is 5 or `pwl(...)`. The current of a named source can be read."""
        self.add("V", (node, to), wave, name)

    def nodes(self) -> set[str]:
        """All nodes."""
        return {node for element in self.elements for node in element.nodes}

    def reduced(self, keep: Iterable[str] = ()) -> Circuit:
        """The same circuit with parallel elements put together and loose ends left out."""
        kept = {GROUND, *keep}
        elements = _merged(self.elements)
        while True:
            met: dict[str, int] = {}
            for element in elements:
                for node in element.nodes:
                    met[node] = met.get(node, 0) + 1
            used = " ".join(str(e.value) for e in elements if e.kind in "IE")
            left = [
                e
                for e in elements
                if e.name
                or e.kind not in "RCLD"
                or all(met[n] > 1 or n in kept or f"({n})" in used for n in e.nodes)
            ]
            left = [e for e in left if len(set(e.nodes)) > 1]
            if len(left) == len(elements):
                return Circuit(left, dict(self.initial), self.models)
            elements = left

    def deck(self, title: str, stop_s: float, most_step_s: float) -> str:
        """The text that ngspice runs, without its commands."""
        lines = [f"* {title}", self.models, OPTIONS]
        numbers: dict[str, int] = {}
        for element in self.elements:
            numbers[element.kind] = numbers.get(element.kind, 0) + 1
            lines.append(_card(element, element.name or f"{element.kind}{numbers[element.kind]}"))
        lines += [f"Rleak{n} {node} 0 1e9" for n, node in enumerate(sorted(self.nodes() - {"0"}))]
        lines += [f".ic v({node})={volts:g}" for node, volts in sorted(self.initial.items())]
        lines.append(f".tran {most_step_s / 5:g} {stop_s:g} 0 {most_step_s:g} uic")
        return "\n".join(lines)


def _merged(elements: Sequence[Element]) -> list[Element]:
    merged: dict[tuple[object, ...], Element] = {}
    for element in elements:
        if element.name or element.kind in "VEMQ":
            merged[len(merged), "alone"] = element
            continue
        if element.kind in "RCL":
            key: tuple[object, ...] = (element.kind, tuple(sorted(element.nodes)))
            value = float(element.value)
            if key in merged:
                had = float(merged[key].value)
                value = had + value if element.kind == "C" else had * value / (had + value)
            merged[key] = replace(merged.get(key, element), value=value)
        else:
            key = (element.kind, element.nodes, element.value)
            count = merged[key].count if key in merged else 0
            merged[key] = replace(element, count=count + element.count)
    return list(merged.values())


def _card(element: Element, name: str) -> str:
    nodes = " ".join(element.nodes)
    value = element.value
    if element.kind == "I":
        return f"B{name} {nodes} I={element.count}*({value})"
    if element.kind == "E":
        return f"B{name} {nodes} V={value}"
    if element.kind == "D":
        return f"D{name} {nodes} {value} m={element.count}"
    if element.kind == "V":
        return f"V{name} {nodes} {value}"
    if isinstance(value, float | int):
        return f"{element.kind}{name} {nodes} {value:.6g}"
    return f"{element.kind}{name} {nodes} {value}"


@dataclass(frozen=True)
class Curves:
    """Voltages of nodes and currents of named sources over time, in V, A and s."""

    times: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]

    def at(self, what: str, t: float) -> float:
        """The value at a time."""
        k = min(max(bisect_left(self.times, t), 1), len(self.times) - 1)
        (t0, t1), curve = self.times[k - 1 : k + 1], self.values[what]
        part = 0.0 if t1 == t0 else (t - t0) / (t1 - t0)
        return curve[k - 1] + min(max(part, 0.0), 1.0) * (curve[k] - curve[k - 1])

    def over(
        self, what: str | Callable[[int], float], start: float = 0.0, end: float = 1e9
    ) -> list[float]:
        """All values from `start` to `end`; `what` is a curve, or a function of the sample."""
        pick = self.values[what].__getitem__ if isinstance(what, str) else what
        values = [pick(k) for k, t in enumerate(self.times) if start <= t <= end]
        return values or [pick(len(self.times) - 1)]

    def integral(self, what: Callable[[int], float], start: float, end: float) -> float:
        """The integral over time."""
        total = 0.0
        for k in range(1, len(self.times)):
            if start <= self.times[k] <= end:
                total += what(k) * (self.times[k] - self.times[k - 1])
        return total

    def since(self, what: str, above: float, start: float = 0.0) -> float:
        """Time at which the curve rises above a value for good after `start`; infinite if it never
        does."""
        last = float("inf")
        for t, value in zip(self.times[::-1], self.values[what][::-1], strict=True):
            if t < start or value < above:
                break
            last = t
        return last


def program() -> str:
    """Path of ngspice, or ""."""
    return shutil.which("ngspice") or ""


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT_S, TIMEOUT_S + 5))


def run(
    circuit: Circuit, title: str, stop_s: float, most_step_s: float, watch: Sequence[str]
) -> Curves:
    """Simulate; `watch` names nodes, or sources as `i(name)`. SpiceFailed."""
    nodes = [name for name in watch if not name.startswith("i(")]
    small = circuit.reduced(nodes)
    absent = [name for name in nodes if name not in small.nodes()]
    asked = [f"i(V{name[2:-1]})" if name.startswith("i(") else f"v({name})" for name in watch
             if name not in absent]  # fmt: skip
    with TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        commands = f".control\nset wr_singlescale\nrun\nwrdata {table} {' '.join(asked)}\n.endc"
        deck = Path(folder) / "deck.cir"
        text = f"{small.deck(title, stop_s, most_step_s)}\n{commands}\n.end\n"
        deck.write_text(text, "utf-8")
        done = subprocess.run(
            [program() or PACKAGE, "-b", str(deck)],
            capture_output=True, text=True, cwd=folder, preexec_fn=_limited,
        )  # fmt: skip
        if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
            raise SpiceFailed(f"{title}: more than {TIMEOUT_S} s of processor time")
        if not table.exists():
            words = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            raise SpiceFailed(f"{title}: " + " / ".join(words[-6:]))
        rows = [[float(word) for word in line.split()] for line in table.read_text().splitlines()]
    columns = list(zip(*rows, strict=True))
    if not rows or columns[0][-1] < 0.999 * stop_s:
        raise SpiceFailed(f"{title}: it stops at {columns[0][-1] if rows else 0:g} s")
    present = [name for name in watch if name not in absent]
    values = dict(zip(present, columns[1:], strict=True))
    values |= {name: (0.0,) * len(rows) for name in absent}
    return Curves(columns[0], values)
