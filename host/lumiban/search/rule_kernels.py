"""A game in plain Python, compiled: a State of flat rows whose rule is the designer's own text.

It plays as `SimpleState` does, move by move: the same draws from the same random numbers. Where a
rule says what has no kernel (`rule_text.NotCompilable`), plain Python plays on, and `why_plain`
tells the line. Nothing of this is loaded before a search asks for compiled code and numba is there.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from lumiban.games.act import act_of
from lumiban.games.base import Game, Position
from lumiban.games.grid_view import plan_of
from lumiban.games.kernel import WORD, copy_words, inlined, kernel
from lumiban.games.simple import SimpleGame
from lumiban.games.types import BLACK, WHITE
from lumiban.search import flat_board, rule_compiler
from lumiban.search.rule_compiler import KINDS, RuleCompiler
from lumiban.search.rule_text import NotCompilable

_OWN = Path(__file__).resolve().parent
_STATE = """
class RuleState(NamedTuple):
    board: Any
    plan: Any
    work: Any

    def assign(self, other):
        copy_words(self.board, other.board, 0, LENGTH)

    def mover(self):
        return self.board[0]

    def moves(self, out):
        if verdict(self) >= 0:
            return 0
        return list_codes(self, out)

    def play(self, move):
        apply(self, move)

    def outcome(self):
        over = outcome(self)
        return -2 if self.work[FAULTS] != 0 else over

    def playout(self, rng, trace):
        over = play_out(self, rng, trace)
        return -2 if self.work[FAULTS] != 0 else over

    def key(self):
        return hashed(self)
"""
_kinds: dict[Any, Any] = {}


def state_of(game: Game, position: Position, *, compiled: bool = True) -> Any:
    """The State that a compiled search takes: flat rows where the rule can be compiled, else the
    game's own."""
    if not (compiled and isinstance(game, SimpleGame)):
        return game.state(position)
    made = _made(game)
    if isinstance(made, str):
        return game.state(position)
    return flat(game, position, made)


def why_plain(game: Game) -> str:
    """The sentence with the line for which a game in plain Python is not compiled, else ""."""
    made = _made(game) if isinstance(game, SimpleGame) else ""
    return made if isinstance(made, str) else ""


def flat(game: SimpleGame, position: Position, made: tuple[type, list[int], int]) -> Any:
    """A position in flat rows."""
    kind, plan, scratch = made
    cells = len(game.grid)
    numbers = list(position.state)
    *rest, mover, code = numbers
    passes = rest.pop() if game.said else 0
    board = [mover, position.played, passes, code, *rest]
    for turned in (False, True):
        for holds in (-1, 0, 1, 2):
            mine = [cell for cell in range(cells) if numbers[cell] == holds]
            board.append(_bits(mine, cells, turned=turned) if cells <= WORD else 0)
    board += [0] * (4 * cells + 4) + [1]
    return kind(board, list(plan), [0] * scratch)


def _made(game: SimpleGame) -> tuple[type, list[int], int] | str:
    """The class of a game's State, its plan and the length of its scratch paper; or why not."""
    kind = type(game)
    known = (kind, tuple(game.options.items()))
    if known not in _kinds:
        try:
            _kinds[known] = _make(game)
        except NotCompilable as why:
            _kinds[known] = str(why)
    return _kinds[known]  # type: ignore[no-any-return]  # made above


def _make(game: SimpleGame) -> tuple[type, list[int], int]:
    kind = type(game)
    if game.repetition:
        raise NotCompilable(f"{kind.__name__}.repetition is not compiled")
    if game.spoken and kind.then_said is not SimpleGame.then_said:
        raise NotCompilable(f"{kind.__name__}.then_said is not compiled")
    plan: list[int] = []

    def add(values: Sequence[int]) -> int:
        plan.extend(values)
        return len(plan) - len(values)

    compiler = RuleCompiler(game, add)
    said = [name for name in _METHODS if getattr(kind, name) is not getattr(SimpleGame, name)]
    if not game.spoken and "may_say" in said:
        said.remove("may_say")
    if "passed_out" not in said and game.said:
        said.append("passed_out")
    if game.sets_up and "next_side" not in said:
        said.append("next_side")
    for name in said:
        compiler.method(name)
    module = ModuleType(_module_name(game))
    names = vars(module)
    names.update(
        {name: value for name, value in vars(flat_board).items() if not name.startswith("__")}
    )
    names.update(_constants(game, compiler, add))
    functions = [
        FunctionType(value.__code__, names, name)
        for name, value in vars(flat_board).items()
        if isinstance(value, FunctionType) and value.__module__ == flat_board.__name__
        if name not in compiler.trees
    ]
    tree = ast.Module(list(compiler.trees.values()), [])
    path = getattr(sys.modules.get(kind.__module__), "__file__", None) or "rule"
    exec(compile(ast.fix_missing_locations(tree), path, "exec"), names)
    functions += [names[name] for name in compiler.trees]
    for function in functions:
        function.__module__ = module.__name__
        mark = kernel if function.__name__ in _CALLED else inlined
        names[function.__name__] = mark(function)
    exec(compile(_STATE, flat_board.__file__, "exec"), names)
    state = names["RuleState"]
    state.__module__ = module.__name__
    module.__file__ = path
    sys.modules[module.__name__] = module
    return state, plan, names["SCRATCH"]


_CALLED = {"list_codes", "has_any", "regroup", "hashed"}
"""Kernels that are called: all others are compiled into those that call them, since to hand over a
State costs more than most of them do."""
_METHODS = (
    *rule_compiler.ANSWERS, "slides", "then", "remember", "next_side", "ended", "passed_out",
    "stuck",
)  # fmt: skip


def _module_name(game: SimpleGame) -> str:
    """A name for the rule, its options and what makes kernels of it."""
    digest = hashlib.sha256()
    kind = type(game)
    for one in kind.__mro__:
        path = getattr(sys.modules.get(one.__module__), "__file__", None)
        if path and Path(path).exists():
            digest.update(Path(path).read_bytes())
    digest.update(_engine_digest())
    digest.update(repr((kind.__module__, kind.__qualname__, *game.options.items())).encode())
    return f"lumiban_rule_{digest.hexdigest()[:16]}"


@cache
def _engine_digest() -> bytes:
    digest = hashlib.sha256()
    for name in ("flat_board.py", "rule_compiler.py", "rule_kernels.py"):
        digest.update((_OWN / name).read_bytes())
    return digest.digest()


def _constants(game: SimpleGame, compiler: RuleCompiler, add: Any) -> dict[str, Any]:
    """What the names in capitals mean in this game."""
    twin = game.searching
    grid, cells, plan = game.grid, len(game.grid), plan_of(game.grid)
    ways = len(grid.directions)
    all_rays = plan.all_rays
    remembered = 4 + cells * (1 + len(game.cell_memory)) + len(game.memory)
    groups = remembered + 8
    all_lines = _ray_bits(all_rays) if cells <= WORD else ([], [])
    edges = plan.edges
    asked = []
    for side in (WHITE, BLACK):
        for holds in (-1, 0, 1, 2):
            for at in range(twin.kinds_a_cell):
                first = twin.asked_at[side][at][holds]
                asked.append(-1 if first is None else _kind(first[1], cells))
    notes = 1 + 2 * (cells * (1 + len(game.cell_memory)) + len(game.memory) + 8)
    slots = twin.places + len(game.said)
    scratch = {"FAULTS": notes, "FOUND": notes + 1, "SEEN": notes + 1 + 8}
    scratch["SLOTS"] = scratch["SEEN"] + cells
    scratch["SLID"] = scratch["SLOTS"] + max(slots, cells)
    scratch["SCRATCH"] = scratch["SLID"] + (cells * cells if game._slides else 1)
    return {
        **scratch,
        "CELLS": cells, "WAYS": ways, "ALL_WAYS": len(all_rays[0]), "EDGES": len(edges),
        "NEAR": add([at for row in grid.steps for at in row]),
        "STEPS": compiler.table(grid.neighbours, "neighbours")[0],
        "RAYS": compiler.table([ray for rows in grid.rays for ray in rows], "rays False")[0],
        "ALL_RAYS": compiler.table([ray for rows in all_rays for ray in rows], "rays True")[0],
        "EDGE_BITS": add([sum(1 << n for n, edge in enumerate(edges) if cell in edge)
                          for cell in range(cells)]),
        "EDGE_ROWS": compiler.table(edges, "edges")[0] if edges else 0,
        "DISTANCES": add([far for row in plan.distances for far in row]),
        "NARROW": cells <= WORD, "BITS": remembered,
        "TURNED_BITS": remembered + 4, "JOINED": groups + 4 * cells,
        "RAY_BITS": add(_ray_bits(grid.rays)[0] if cells <= WORD else []),
        "ALL_RAY_BITS": add([*all_lines[0], *all_lines[1]]),
        "PAIRS": add([sum(1 << len(edges) * one + other for one in range(len(edges))
                          for other in range(len(edges)) if mask >> one & mask >> other & 1)
                      for mask in range(1 << len(edges))]),
        "NEAR_BITS": add(plan.near if cells <= WORD else []),
        "ALL_NEAR_BITS": add(plan.all_near if cells <= WORD else []),
        "ROOT": groups, "RING": groups + cells, "SIZE": groups + 2 * cells,
        "REACH": groups + 3 * cells, "STALE": groups + 4 * cells + 4,
        "LENGTH": groups + 4 * cells + 5 if compiler.grouped else groups,
        "GROUPED": compiler.grouped, "SLIDES": game._slides,
        "TURNS": "rule_next_side" in compiler.trees,
        "KEEPS_LAST": game.keeps_last,
        "PLACES": twin.places, "WORDS": len(game.said), "KINDS": twin.kinds_a_cell,
        "ASKED": add(asked), "MAX_MOVES": game._most, "PASSES_TO_END": game.passes_to_end,
        "PASS_AT": game.said.index("pass") if "pass" in game.said else -1,
        "REMEMBERED": remembered,
        "copy_words": copy_words, "NamedTuple": NamedTuple, "Any": Any,
    }  # fmt: skip


def _bits(cells: Iterable[int], count: int, *, turned: bool) -> int:
    """The bits of some cells; `turned`, they run the other way."""
    return sum(1 << (count - 1 - cell if turned else cell) for cell in cells)


def _ray_bits(rays: Sequence[Sequence[Sequence[int]]]) -> tuple[list[int], list[int]]:
    """By cell the bits of its lines, those on which cells ascend before the others, whose bits are
    turned; and the bits of their first cells."""
    lines, firsts = [], []
    for cell, ways in enumerate(rays):
        half = len(ways) // 2
        # Of two lines that run against each other one ascends.
        pairs = [ways[:half], ways[half:]] if len(ways) != 8 else [
            (*ways[:2], *ways[4:6]), (*ways[2:4], *ways[6:])]  # fmt: skip
        for turned in (False, True):
            for one, other in zip(*pairs, strict=True):
                up = next((ray for ray in (one, other) if ray and (ray[0] < cell) == turned), ())
                lines.append(_bits(up, len(rays), turned=turned))
                firsts.append(_bits(up[:1], len(rays), turned=turned))
    return lines, firsts


def _kind(code: int, cells: int) -> int:
    return KINDS.index(act_of(code, cells).do)
