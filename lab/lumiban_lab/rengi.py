"""Rate at which Rengi fields are resolved, and looked through for placements, on one thread.

All fields come from a seed: chains of 10 to 12 steps, built backwards; the two known 19-chains,
mirrored and in all colourings; for 16 to 18 steps what these leave after a few, each lengthened
by a step again; random fields of any height with a few ojama; and what is left of these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random
from typing import Any

from lumiban.games.rengi import Rengi
from lumiban.games.rengi.field import FIELD_SIZE, OUT_SIZE, Chain, parse, resolve, step
from lumiban.games.rengi.kernel import NINETEEN, build, longer
from lumiban.games.rengi.placements import placements
from lumiban.search import jit
from lumiban.search.rengi.bot import solo

SEED = 4
FIELDS = 160
"""Fields of each kind, enough that their branches are not soon known by heart."""
ROUNDS = 5
"""Each figure is the best of this many parts of its time, since other programs run too."""


def resolve_all(fields: Any, board: Any, out: Any, times: int) -> int:
    """Copy and resolve all fields a number of times; returns the number of steps in all."""
    steps = 0
    for _ in range(times):
        for at in range(0, len(fields), FIELD_SIZE):
            for i in range(FIELD_SIZE):
                board[i] = fields[at + i]
            steps += resolve(board, 0, 0, out)
    return steps


def place_all(fields: Any, board: Any, out: Any, times: int) -> int:
    """List the placements under plan 1 of all fields a number of times; returns how many in all."""
    count = 0
    for _ in range(times):
        for at in range(0, len(fields), FIELD_SIZE):
            count += placements(fields, at, 1, 1, out)
    return count


def measure(seconds: float, progress: Callable[[str], None]) -> dict[str, float | bool]:
    """Figures by name, for about `seconds` each.

    `chain_10_12_s` and the like are fields per second of CPU time, resolved with their points;
    `placement_fields_s` fields per second whose placements are listed, `placements_s` the
    placements. `compile_s` is the wait for compiled code, short when it was compiled before.
    """
    progress("building fields")
    kinds = _kinds()
    run, list_all = jit.compiled(resolve_all, Chain), jit.compiled(place_all, Chain)
    pack: Callable[[list[int]], Any] = jit.ints if jit.available() else list
    board, out = pack([0] * FIELD_SIZE), pack([0] * 24)
    packed = {
        name: pack([word for field in fields for word in field]) for name, fields in kinds.items()
    }
    progress("compiling")
    began = time.perf_counter()
    run(packed["stable"], board, out, 1)
    list_all(packed["stable"], board, out, 1)
    figures: dict[str, float | bool] = {
        "compiled": jit.available(),
        "compile_s": round(time.perf_counter() - began, 3),
    }
    for name, fields in packed.items():
        progress(name)
        rate, _ = _rate(run, fields, board, out, seconds)
        figures[f"{name}_s"] = round(rate * len(kinds[name]), 1)
    progress("placements")
    rate, count = _rate(list_all, packed["random"], board, out, seconds)
    figures["placement_fields_s"] = round(rate * len(kinds["random"]), 1)
    figures["placements_s"] = round(rate * count, 1)
    return figures


def measure_solo(games: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """Chains built alone in open mode, from the loops of seeds 0, 1, …, fired by hand 40.

    `mean_chain` and `chains` in steps, `by_hand` the latest hand that fired, `hand_s` the longest
    CPU time of a hand, the very first apart (it may wait for the compiler), `mean_hand_s` likewise.
    """
    solos = []
    for seed in range(games):
        progress(f"solo {seed + 1} of {games}")
        solos.append(solo(Rengi(mode="open"), seed))
    times = [second for one in solos for second in one.seconds][1:]
    return {
        "games": games,
        "mean_chain": round(sum(one.steps for one in solos) / games, 2),
        "chains": sorted(one.steps for one in solos),
        "by_hand": max(one.hand for one in solos),
        "hand_s": round(max(times), 3),
        "mean_hand_s": round(sum(times) / len(times), 3),
        "compiled": jit.available(),
    }


def runs(work: str, compiled: bool) -> Callable[[int], int]:
    """Function that resolves fields of a kind (`chain_10_12`, …) or lists `placements` that many
    times; it returns how many fields that were."""
    listing = work == "placements"
    fields = _kinds()["random" if listing else work]
    pack: Callable[[list[int]], Any] = jit.ints if compiled else list
    packed = pack([word for field in fields for word in field])
    board, out = pack([0] * FIELD_SIZE), pack([0] * 24)
    plain = place_all if listing else resolve_all
    run = jit.compiled(plain, Chain) if compiled else plain

    def repeat(times: int) -> int:
        run(packed, board, out, times)
        return times * len(fields)

    return repeat


def _rate(
    run: Callable[..., int], fields: Any, board: Any, out: Any, seconds: float
) -> tuple[float, int]:
    """(passes through all fields per second of CPU time, what one pass returns)."""
    times, took = 1, 0.0
    while took < seconds / ROUNDS / 4:
        times *= 2
        began = time.process_time()
        run(fields, board, out, times)
        took = time.process_time() - began
    times = max(1, int(times * seconds / ROUNDS / took))
    best = took * 1e9
    for _ in range(ROUNDS):
        began = time.process_time()
        result = run(fields, board, out, times)
        best = min(best, time.process_time() - began)
    return times / best, result // times


def _kinds() -> dict[str, list[list[int]]]:
    random = Random(SEED)
    wild = [_random_field(random) for _ in range(FIELDS)]
    return {
        "chain_10_12": _lengthened([build(9 + n % 3, n) for n in range(12)], random),
        "chain_16_18": _lengthened(list(_after_steps(2, 3, 4)), random),
        "chain_19": [parse(text) for text in _looks_of_nineteen()],
        "random": wild,
        "stable": [_left_of(field) for field in wild],
    }


def _looks_of_nineteen() -> Iterator[str]:
    for text in NINETEEN:
        for mirrored in (text, "/".join(row[::-1] for row in text.split("/"))):
            for colours in permutations("RBYG"):
                yield mirrored.translate(str.maketrans("RBYG", "".join(colours)))


def _after_steps(*numbers: int) -> Iterator[list[int]]:
    for text in NINETEEN:
        for number in numbers:
            field = parse(text)
            for _ in range(number):
                step(field, 0, 0, [0] * OUT_SIZE)
            yield field


def _lengthened(bases: list[list[int]], random: Random) -> list[list[int]]:
    fields: list[list[int]] = []
    while len(fields) < FIELDS:
        field = longer(random.choice(bases), random)
        if field is not None:
            fields.append(field)
    return fields


def _random_field(random: Random) -> list[int]:
    columns = [[random.choice("RRBBYYGGRBYGO") for _ in range(13)] for _ in range(6)]
    heights = [random.randint(0, 13) for _ in columns]
    return parse(
        "/".join(
            "".join(c[row] if row < high else "." for c, high in zip(columns, heights, strict=True))
            for row in range(12, -1, -1)
        )
    )


def _left_of(field: list[int]) -> list[int]:
    rest = list(field)
    resolve(rest, 0, 0, [0] * OUT_SIZE)
    return rest
