"""Compiler of a designer's rule: its methods, read from their text, become kernels over flat rows.

A method of a `SimpleGame` is read as Python reads it. What it asks the board becomes calls of
`flat_board.py`; what depends on nothing but the game itself (`self.options`, `self.grid`, tables
made in `__init__`) becomes a number or a table. What has no such form raises `NotCompilable` with
the line. docs/guide/my-rule.md lists what has one.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from lumiban.games.act import BLOCK, GROW, LEND, LIFT, PLACE, REPLACE, SAY, SLIDE
from lumiban.games.grid_view import plan_of
from lumiban.games.simple import SimpleGame
from lumiban.search.rule_text import (
    NotCompilable,
    are_numbers,
    assigned,
    call,
    field,
    is_equal,
    is_plain,
    name,
    number,
    plus,
    renamed,
    spoken,
    text_of,
)

KINDS = (PLACE, LIFT, BLOCK, SLIDE, REPLACE, GROW, LEND, SAY)
ACT = ("do", "cell", "start", "word")
LISTS = ("touching", "of", "liberties", "edges_of", "sees", "free_line", "flanked", "sizes",
         "edge", "neighbours", "near", "group", "groups", "runs", "rays", "lines")  # fmt: skip
"""Questions to the board that are answered with a list."""
HAS = ("touching", "flanked", "liberties")
LEN = ("touching", "flanked", "liberties", "edges_of", "group")
COUNTS = {"seen": "seen_of", "around": "len_touching"}
"""Questions that count white, black and neutral stones, and the kernel that counts one kind."""
GROUPED = ("group", "groups", "sizes", "liberties", "edges_of", "connects")
PLAIN = ("len", "min", "max", "abs", "sum", "any", "all", "range", "int", "bool", "sorted")
"""Functions of Python that a rule may use."""
ANSWERS = ("may_place", "may_lift", "may_block", "may_replace", "may_grow", "may_lend", "may_pass",
           "may_say")  # fmt: skip
NOTES = ("then", "remember")


class RuleCompiler:
    """Compiler of one game's methods, each when it is asked for."""

    def __init__(self, game: SimpleGame, add: Callable[[Sequence[int]], int]) -> None:
        self.game = game
        self.add = add
        """Puts a table into the plan; its place."""
        self.trees: dict[str, ast.FunctionDef] = {}
        self.grouped = False
        self.places: dict[str, tuple[int, int]] = {}
        """Where a table of the game lies, and its length, by what it is."""
        self.changed = assigned(type(game))

    def method(self, name: str) -> str:
        """Make a method a kernel; returns its name."""
        function = getattr(type(self.game), name)
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if not isinstance(function, FunctionType):
            raise NotCompilable(f"{type(self.game).__name__}.{name} is no method in Python")
        return self.function(name, function, inside=True)

    def function(self, name: str, function: FunctionType, *, inside: bool) -> str:
        """Make a function a kernel; returns its name."""
        known = f"rule_{name}" if inside else f"beside_{name}"
        if known not in self.trees:
            self.trees[known] = ast.FunctionDef(
                "", ast.arguments([], [], None, [], [], None, []), [], []
            )
            self.trees[known] = Method(self, known, function, inside).made()
        return known

    def table(self, values: Any, key: str) -> tuple[int, int]:
        """Have a row of numbers, or rows of them, in the plan."""
        if key not in self.places:
            rows = list(values)
            if rows and not isinstance(rows[0], int):
                flat = [n for one in rows for n in one]
                at, ends = 0, []
                for one in rows:
                    ends.append(at)
                    at += len(one)
                first = self.add(flat)
                self.places[key] = self.add([first + n for n in (*ends, at)]), len(rows)
            else:
                self.places[key] = self.add(rows), len(rows)
        return self.places[key]


class Method:
    """Compiler of one method: its syntax tree, made that of a kernel."""

    def __init__(
        self, compiler: RuleCompiler, called: str, function: FunctionType, inside: bool
    ) -> None:
        self.compiler, self.game, self.called, self.inside = compiler, compiler.game, called, inside
        self.path = function.__code__.co_filename
        self.scope = function.__globals__
        tree = renamed(copy.deepcopy(text_of(function)))
        self.tree = tree
        arguments = tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or function.__closure__:
            raise self.not_compilable(
                tree, "a kernel has a fixed number of parameters, and no closure"
            )
        given = [one.arg for one in arguments.args]
        self.me = given.pop(0) if inside else ""
        notes = {one.arg: ast.unparse(one.annotation) for one in arguments.args if one.annotation}
        boards = ("GridView", "Board")
        self.board = next((o for o in given if o == "own_board" or notes.get(o) in boards), "")
        self.act = next((one for one in given if one == "own_act" or notes.get(one) == "Act"), "")
        self.word = "word" if called == "rule_may_say" else ""
        if called == "rule_may_say" and len(given) == 3:
            self.word = given[2]
        self.given = given
        self.locals = {*given}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.locals.add(node.id)
        self.noting = called.removeprefix("rule_") if called.removeprefix("rule_") in NOTES else ""
        self.noted = ""
        self.rows: dict[str, Callable[[str], Any]] = {}
        self.fresh = 0

    def not_compilable(self, node: ast.AST, why: str) -> NotCompilable:
        line = getattr(node, "lineno", self.tree.lineno)
        why = re.sub(r"\bown_(?=\w)", "", why)  # as `renamed` writes the designer's names
        return NotCompilable(f"{self.path}, line {line}, in {self.tree.name}: {why}")

    def made(self) -> ast.FunctionDef:
        """The kernel's text."""
        body = self._without_asked_once(self.tree.body)
        self.tree.body = body
        lines = self.block(body)
        fallen = number(value=False) if self.answers else number(0 if self.noting else -1)
        lines.append(ast.Return(fallen))
        given: list[str] = ["s"]
        for one in self.given:
            if one == self.act:
                given += [f"{self.act}__{part}" for part in ACT]
            elif one != self.board:
                given.append(one)
        arguments = ast.arguments([], [ast.arg(one) for one in given], None, [], [], None, [])
        made = ast.FunctionDef(self.called, arguments, lines, [])
        ast.copy_location(made, self.tree)
        for node in ast.walk(made):
            if isinstance(node, (ast.expr, ast.stmt, ast.arg)) and not hasattr(node, "lineno"):
                node.lineno = node.end_lineno = self.tree.lineno
                node.col_offset = node.end_col_offset = 0
        return made

    @property
    def answers(self) -> bool:
        """True if it answers yes or no."""
        return self.called.removeprefix("rule_") in ANSWERS

    # What is asked once is asked where it is used: there one sees for what.

    def _without_asked_once(self, body: list[ast.stmt]) -> list[ast.stmt]:
        stores: dict[str, int] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stores[node.id] = stores.get(node.id, 0) + 1
        asked: dict[str, ast.expr] = {}

        class Use(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.expr:
                if isinstance(node.ctx, ast.Load) and node.id in asked:
                    return copy.deepcopy(asked[node.id])
                return node

        kept = []
        for line in body:
            line = Use().visit(line)
            if isinstance(line, (ast.Assign, ast.AnnAssign)) and line.value is not None:
                targets = line.targets if isinstance(line, ast.Assign) else [line.target]
                goal = targets[0]
                if (
                    len(targets) == 1
                    and isinstance(goal, ast.Name)
                    and stores[goal.id] == 1
                    and self.is_asked(line.value)
                    and all(
                        stores.get(one.id, 0) <= 1
                        for one in ast.walk(line.value)
                        if isinstance(one, ast.Name)
                    )
                ):
                    asked[goal.id] = line.value
                    continue
            kept.append(line)
        return kept

    def is_asked(self, node: ast.expr) -> bool:
        """True for a question to the board that is answered with a list, or with an act."""
        if isinstance(node, ast.Attribute):
            return self.is_board(node.value) and node.attr == "last"
        if isinstance(node, ast.Subscript):
            return isinstance(self.pure(node.value), (list, tuple))
        return self.question(node) in LISTS

    def question(self, node: ast.AST) -> str:
        """The name of what a call asks the board, "" if it asks nothing."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if self.is_board(node.func.value):
                return node.func.attr
        return ""

    def is_board(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.board and bool(self.board)

    # Statements.

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        lines: list[ast.stmt] = []
        for one in body:
            for made in self.line(one):
                ast.copy_location(made, one)
                lines.append(made)
        return lines or [ast.Pass()]

    def line(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, (ast.Pass, ast.Break, ast.Continue)):
            return [node]
        if isinstance(node, ast.Expr):
            if isinstance(node.value, ast.Constant):
                return []
            return self.done(node)
        if isinstance(node, ast.Return):
            return self.returned(node)
        if isinstance(node, ast.If):
            found = self.known(node.test)
            if found is not None:
                return self.block(node.body if found[0] else node.orelse)
            orelse = self.block(node.orelse) if node.orelse else []
            return [ast.If(self.truth(node.test), self.block(node.body), orelse)]
        if isinstance(node, ast.For):
            return self.loop(node)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if node.target.id == self.noted:
                return self.note(node.value)
            return [ast.AugAssign(node.target, node.op, self.value(node.value))]
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            node = ast.copy_location(ast.Assign([node.target], node.value), node)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return self.assigned(node, node.targets[0])
        raise self.not_compilable(node, f"{spoken(node)} is not compiled")

    def done(self, node: ast.Expr) -> list[ast.stmt]:
        """A call whose answer nobody wants: an addition to a list, or to what is noted."""
        asked = node.value
        if isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute):
            on = asked.func.value
            if isinstance(on, ast.Name) and len(asked.args) == 1 and not asked.keywords:
                if on.id == self.noted and asked.func.attr == "update":
                    return self.note(asked.args[0])
                if asked.func.attr == "append" and on.id in self.locals:
                    return [ast.Expr(ast.Call(ast.Attribute(on, "append", ast.Load()),
                                              [self.value(asked.args[0])], []))]  # fmt: skip
        raise self.not_compilable(node, f"{ast.unparse(node)} is not compiled")

    def returned(self, node: ast.Return) -> list[ast.stmt]:
        given = node.value or number(None)
        if self.noting:
            if isinstance(given, ast.Name) and given.id == self.noted:
                return [ast.Return(number(0))]
            return [*self.note(given), ast.Return(number(0))]
        if self.answers:
            return [ast.Return(self.answer(given))]
        return [ast.Return(self.value(given))]

    def answer(self, node: ast.expr) -> ast.expr:
        """What a may_… method says: yes or no, and nothing else."""
        found = self.known(node)
        if found is not None and isinstance(found[0], bool):
            return number(found[0])
        if isinstance(node, ast.IfExp):
            return ast.IfExp(
                self.truth(node.test), self.answer(node.body), self.answer(node.orelse)
            )
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self.answer(one) for one in node.values])
        said = isinstance(node, (ast.Compare, ast.UnaryOp)) or (
            isinstance(node, ast.Call)
            and (
                self.question(node) == "connects"
                or (isinstance(node.func, ast.Name) and node.func.id in ("any", "all", "bool"))
                or (isinstance(node.func, ast.Attribute) and self.is_me(node.func.value))
            )
        )
        if not said:
            raise self.not_compilable(
                node, "an answer that is not plainly True, False or self.no(…)"
            )
        return self.truth(node)

    def assigned(self, node: ast.Assign, goal: ast.expr) -> list[ast.stmt]:
        if isinstance(goal, ast.Subscript) and isinstance(goal.value, ast.Name):
            if self.noted and goal.value.id == self.noted:
                return self.note_one(goal.slice, node.value)
        if isinstance(goal, ast.Name):
            is_dict = isinstance(node.value, ast.Dict)
            if self.noting and (is_dict or goal.id == self.noted) and not self.noted:
                self.noted = goal.id
                later = [
                    one for one in ast.walk(self.tree)
                    if isinstance(one, ast.Return) and one.lineno > node.lineno
                    and not (isinstance(one.value, ast.Name) and one.value.id == goal.id)
                ]  # fmt: skip
                if later:
                    told = f"{goal.id} is filled before: return it as it is, or write"
                    raise self.not_compilable(
                        later[0], f"{told} {{cell: … for … if …}} in its place"
                    )
                return self.note(node.value)
            return [ast.Assign([goal], self.value(node.value))]
        if isinstance(goal, ast.Tuple) and all(isinstance(one, ast.Name) for one in goal.elts):
            return [ast.Assign([goal], self.value(node.value))]
        raise self.not_compilable(node, f"{ast.unparse(goal)} is changed here: only names are")

    # What `then` and `remember` say.

    def note(self, node: ast.expr) -> list[ast.stmt]:
        """The changes that a mapping says."""
        if isinstance(node, ast.IfExp):
            return [ast.If(self.truth(node.test), self.note(node.body), self.note(node.orelse))]
        if isinstance(node, ast.Dict):
            lines: list[ast.stmt] = []
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    lines += self.note(value)
                else:
                    lines += self.note_one(key, value)
            return lines or [ast.Pass()]
        if self.noting == "then":
            return self.note_cells(node, 0)
        raise self.not_compilable(node, "remember says a {name: number} here, written out")

    def note_one(self, key: ast.expr, value: ast.expr) -> list[ast.stmt]:
        if self.noting == "then":
            return [ast.Expr(call("note", name("s"), self.value(key), self.value(value)))]
        found = self.known(key)
        memory, cells = tuple(self.game.memory), tuple(self.game.cell_memory)
        if found is None or found[0] not in (*memory, *cells):
            raise self.not_compilable(key, "a name of memory or cell_memory is wanted here")
        where = self.place(found[0])
        if found[0] in memory:
            return [ast.Expr(call("note", name("s"), number(where), self.value(value)))]
        if isinstance(value, ast.Dict):
            return [
                line
                for at, one in zip(value.keys, value.values, strict=True)
                for line in self.note_cells(ast.copy_location(ast.Dict([at], [one]), value), where)
            ] or [ast.Pass()]
        return self.note_cells(value, where)

    def note_cells(self, node: ast.expr, where: int) -> list[ast.stmt]:
        """Changes by cell; `where` is the place of the first."""
        if isinstance(node, ast.Dict) and len(node.keys) == 1 and node.keys[0] is not None:
            at = self.value(node.keys[0])
            at = plus(number(where), call("within", name("s"), at)) if where else at
            return [ast.Expr(call("note", name("s"), at, self.value(node.values[0])))]
        if isinstance(node, ast.DictComp):
            one = ast.Dict([node.key], [node.value])
            body: list[ast.stmt] = [ast.Expr(one)]
            for each in reversed(node.generators):
                for test in reversed(each.ifs):
                    body = [ast.If(test, body, [])]
                body = [ast.For(each.target, each.iter, body, [])]
            for inner in ast.walk(body[0]):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    self.locals.add(inner.id)
            return self._spread(body[0], one, where)
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "dict.fromkeys"
            and len(node.args) == 2
        ):
            fresh = self.new_name()
            self.locals.add(fresh)
            one = ast.Dict([name(fresh)], [node.args[1]])
            loop = ast.For(ast.Name(fresh, ast.Store()), node.args[0], [ast.Expr(one)], [])
            return self._spread(
                ast.copy_location(ast.fix_missing_locations(loop), node), one, where
            )
        raise self.not_compilable(node, f"{ast.unparse(node)} is no mapping that is compiled")

    def _spread(self, loop: ast.stmt, one: ast.Dict, where: int) -> list[ast.stmt]:
        kept, done = self.done, lambda node: self.note_cells(node.value, where)
        self.done = done  # type: ignore[method-assign]  # what stands in the loop is a change
        try:
            return self.line(ast.fix_missing_locations(loop))
        finally:
            self.done = kept  # type: ignore[method-assign]

    def place(self, what: str) -> int:
        """Where something that is remembered lies in the board's row."""
        cells = len(self.game.grid)
        names = tuple(self.game.cell_memory)
        if what in names:
            return 4 + cells * (1 + names.index(what))
        return 4 + cells * (1 + len(names)) + tuple(self.game.memory).index(what)

    def new_name(self) -> str:
        self.fresh += 1
        return f"_{self.fresh}"

    # Loops.

    def over(
        self, target: ast.expr, source: ast.expr, *, any_order: bool
    ) -> tuple[ast.expr, ast.expr, list[ast.expr]]:
        """(names, what they run through, tests): a loop over what the board answers."""
        what = self.question(source)
        if isinstance(target, ast.Name) and isinstance(source, (ast.Call, ast.Subscript)):
            at, given = target.id, source.args if isinstance(source, ast.Call) else []
            if what == "of":
                tests = [is_equal(field("board", plus(number(4), name(at))), self.value(given[0]))]
                return target, call("range", name("CELLS")), tests
            if what == "groups" and any_order:
                self.compiler.grouped = True
                self.rows[at] = lambda use: self._of_group(use, at)
                tests = [call("starts_group", name("s"), name(at), self.value(given[0]))]
                return target, call("range", call("grouped_cells", name("s"))), tests
            if what == "runs":
                cell = self.value(given[0])
                self.rows[at] = lambda use: (
                    call("run_length", name("s"), copy.deepcopy(cell), name(at))
                    if use == "len"
                    else None
                )
                return target, call("range", number(self._all_ways() // 2)), []
            if what == "rays" or self._is_rays(source):
                table = self._rays(all_ways=what == "rays")
                ways = self._all_ways() if what == "rays" else len(self.game.grid.directions)
                cell = self.value(source.slice if isinstance(source, ast.Subscript) else given[0])
                line = plus(
                    ast.BinOp(number(ways), ast.Mult(), call("within", name("s"), cell)), name(at)
                )
                self.rows[at] = lambda use: self._of_row(use, table, line)
                return target, call("range", number(ways)), []
        rows = self.pure(source) if what != "lines" else plan_of(self.game.grid).lines
        if isinstance(target, ast.Name) and isinstance(rows, (list, tuple)) and len(rows) > 8:
            at = target.id
            place, length = self.compiler.table(rows, repr(rows))
            if isinstance(rows[0], int):
                self.rows[at] = lambda use: field("plan", plus(number(place), name(at)))
            else:
                self.rows[at] = lambda use: self._of_row(use, place, name(at))
            return target, call("range", number(length)), []
        if what == "group" and not any_order:
            raise self.not_compilable(
                source, "group(…) has no order: ask any(), all(), sum() or len()"
            )
        return target, self.value(source), []

    def _all_ways(self) -> int:
        return 6 if self.game.grid.is_hex else 8

    def _rays(self, *, all_ways: bool) -> int:
        rays = plan_of(self.game.grid).all_rays if all_ways else self.game.grid.rays
        return self.compiler.table([ray for rows in rays for ray in rows], f"rays {all_ways}")[0]

    def _is_rays(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Subscript) and ast.unparse(node.value) == f"{self.me}.grid.rays"

    def _of_group(self, use: str, at: str) -> Any:
        if use == "len":
            return call("len_group", name("s"), name(at))
        return name(at) if use == "first" else None

    def _of_row(self, use: str, table: int, line: ast.expr) -> Any:
        line = copy.deepcopy(line)
        if use == "len":
            return call("row_length", name("s"), number(table), line)
        if use == "":
            return call("row_of", name("s"), number(table), line)
        return lambda index: call("row_at", name("s"), number(table), line, index)

    def loop(self, node: ast.For) -> list[ast.stmt]:
        if node.orelse:
            raise self.not_compilable(node, "for … else is not compiled")
        target, source, tests = self.over(node.target, node.iter, any_order=False)
        body = self.block(node.body)
        for test in tests:
            body = [ast.If(test, body, [])]
        return [ast.For(target, source, body, [])]

    def told(self, kind: str, node: ast.expr) -> ast.expr:
        """any(), all() or sum() of a generator, as a kernel of its own."""
        assert isinstance(node, (ast.GeneratorExp, ast.ListComp))
        inner = {n.id for each in node.generators for n in ast.walk(each.target)
                 if isinstance(n, ast.Name)}  # fmt: skip
        self.locals |= inner
        heads = [
            (self.over(each.target, each.iter, any_order=True), each) for each in node.generators
        ]
        total = ast.Name("_total", ast.Store())
        if kind == "sum":
            body: list[ast.stmt] = [ast.AugAssign(total, ast.Add(), self.value(node.elt))]
            begun: list[ast.stmt] = [ast.Assign([total], number(0))]
            ended: ast.expr = name("_total")
        else:
            said = self.truth(node.elt)
            test = said if kind == "any" else ast.UnaryOp(ast.Not(), said)
            body = [ast.If(test, [ast.Return(number(kind == "any"))], [])]
            begun, ended = [], number(kind == "all")
        for (target, source, tests), each in reversed(heads):
            for test in [*map(self.truth, reversed(each.ifs)), *tests]:
                body = [ast.If(test, body, [])]
            body = [ast.For(target, source, body, [])]
        lines = [*begun, *body, ast.Return(ended)]
        acts = {f"{self.act}__{part}" for part in ACT if self.act}
        used = {one.id for line in lines for one in ast.walk(line) if isinstance(one, ast.Name)}
        free = sorted(used & (self.locals | acts) - inner)
        called = f"{self.called}_{self.new_name()}"
        arguments = ast.arguments(
            [], [ast.arg(one) for one in ("s", *free)], None, [], [], None, []
        )
        made = ast.FunctionDef(called, arguments, lines, [])
        for inside in ast.walk(made):
            if isinstance(inside, (ast.expr, ast.stmt, ast.arg)):
                inside.lineno = inside.end_lineno = node.lineno
                inside.col_offset = inside.end_col_offset = 0
        self.compiler.trees[called] = made
        return call(called, name("s"), *map(name, free))

    # Expressions.

    def pure(self, node: ast.expr) -> Any:
        """The value of what depends on the game alone; None where it does not, or is None."""
        found = self.known(node)
        return None if found is None else found[0]

    def known(self, node: ast.expr) -> tuple[Any] | None:
        """(value,) of what depends on the game alone."""
        if isinstance(node, ast.BoolOp):
            first = self.known(node.values[0])
            if first is not None and bool(first[0]) is isinstance(node.op, ast.Or):
                return first
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                if one.id == self.me or (one.id not in self.locals and one.id in self.scope):
                    continue
                if one.id in self.locals or not hasattr(builtins, one.id):
                    return None
            elif isinstance(one, ast.Attribute):
                if self.is_me(one.value) and (
                    one.attr in self.compiler.changed
                    or callable(getattr(self.game, one.attr, None))
                ):
                    return None
            elif isinstance(one, ast.Call):
                called = one.func
                inside = isinstance(called, ast.Attribute) and ast.unparse(called).startswith(
                    f"{self.me}.grid."
                )
                if not inside and not (isinstance(called, ast.Name) and called.id in PLAIN):
                    return None
            elif isinstance(one, (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp,
                                  ast.DictComp, ast.NamedExpr, ast.Await, ast.Yield)):  # fmt: skip
                return None
        text = ast.Expression(copy.deepcopy(node))
        try:
            code = compile(ast.fix_missing_locations(text), self.path, "eval")
            return (eval(code, self.scope, {self.me: self.game} if self.me else {}),)
        except Exception:  # noqa: BLE001  # the rule's own text may raise anything
            return None

    def is_me(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.me and bool(self.me)

    def truth(self, node: ast.expr) -> ast.expr:
        """An expression of which only matters whether it is true."""
        found = self.known(node)
        if found is not None:
            return number(bool(found[0]))
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self.truth(one) for one in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(node.op, self.truth(node.operand))
        what = self.question(node)
        if isinstance(node, ast.Call) and what in HAS:
            return self.asked(f"has_{what}", node)
        if what in LISTS or (isinstance(node, ast.Name) and node.id in self.rows):
            return ast.Compare(self.length(node), [ast.Gt()], [number(0)])
        if isinstance(node, ast.ListComp):
            return self.told("any", ast.copy_location(
                ast.GeneratorExp(number(value=True), node.generators), node))  # fmt: skip
        return self.value(node)

    def length(self, node: ast.expr) -> ast.expr:
        """The number of things in what an expression gives."""
        if isinstance(node, ast.Name) and node.id in self.rows:
            return self.row(node, "len")
        what = self.question(node)
        if isinstance(node, ast.Call) and what in ("of", *LEN):
            return self.asked("count" if what == "of" else f"len_{what}", node)
        return call("len", self.value(node))

    def row(self, node: ast.Name, use: str) -> ast.expr:
        """What a name of a loop stands for, or its length."""
        made = self.rows[node.id](use)
        if made is None:
            raise self.not_compilable(node, f"{node.id} is not compiled so")
        return made  # type: ignore[no-any-return]  # one of ours

    def asked(self, kernel: str, node: ast.Call) -> ast.expr:
        """A call of one of `flat_board`'s kernels."""
        if node.keywords:
            raise self.not_compilable(node, "name no parameters here")
        if self.question(node) in GROUPED:
            self.compiler.grouped = True
        return call(kernel, name("s"), *map(self.value, node.args))

    def value(self, node: ast.expr) -> ast.expr:
        return ast.copy_location(self._value(node), node)

    def _value(self, node: ast.expr) -> ast.expr:
        found = self.known(node)
        if found is not None:
            return self.literal(found[0], node)
        if isinstance(node, ast.Name):
            if node.id in self.rows:
                return self.row(node, "")
            if node.id in self.locals and node.id not in (self.board, self.act, self.noted):
                return node
            raise self.not_compilable(node, f"{node.id} is not compiled so")
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Call):
            return self.called_(node)
        if isinstance(node, ast.IfExp):
            return ast.IfExp(self.truth(node.test), self.value(node.body), self.value(node.orelse))
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self.value(one) for one in node.values])
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                return ast.UnaryOp(node.op, self.truth(node.operand))
            return ast.UnaryOp(node.op, self.value(node.operand))
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, (ast.Pow, ast.LShift, ast.MatMult)):
                raise self.not_compilable(node, "this operator is not compiled")
            if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) and not self.pure(node.right):
                raise self.not_compilable(node, "one divides by a fixed number only")
            return ast.BinOp(self.value(node.left), node.op, self.value(node.right))
        if isinstance(node, ast.Compare):
            return self.compared(node)
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self.value(one) for one in node.elts], ast.Load())
        if isinstance(node, ast.List) and node.elts:
            return ast.List([self.value(one) for one in node.elts], ast.Load())
        if isinstance(node, ast.ListComp):
            return self.listed(node)
        raise self.not_compilable(node, f"{ast.unparse(node)} is not compiled")

    def listed(self, node: ast.ListComp) -> ast.expr:
        self.locals |= {
            one.id
            for each in node.generators
            for one in ast.walk(each.target)
            if isinstance(one, ast.Name)
        }
        heads = []
        for each in node.generators:
            target, source, tests = self.over(each.target, each.iter, any_order=False)
            tests += [self.truth(one) for one in each.ifs]
            heads.append(ast.comprehension(target, source, tests, 0))
        return ast.ListComp(self.value(node.elt), heads)

    def literal(self, found: Any, node: ast.expr) -> ast.expr:
        """A known value as text."""
        if found is None:
            return number(-1)
        if isinstance(found, (bool, int, float, str)):
            return number(found)
        if isinstance(found, (tuple, list)) and len(found) <= 16 and is_plain(found):
            if not found:
                return call("no_cells")
            parts = [self.literal(one, node) for one in found]
            return ast.Tuple(parts, ast.Load())
        if isinstance(found, (tuple, list)) and found and all(isinstance(n, int) for n in found):
            place, _ = self.compiler.table([found], repr([found]))
            return call("row_of", name("s"), number(place), number(0))
        raise self.not_compilable(node, f"{ast.unparse(node)} is not compiled so")

    def attribute(self, node: ast.Attribute) -> ast.expr:
        on = node.value
        if self.is_board(on):
            if node.attr in ("mover", "played", "passes"):
                return field("board", number(("mover", "played", "passes").index(node.attr)))
            if node.attr in self.game.memory:
                return field("board", number(self.place(node.attr)))
        if isinstance(on, ast.Name) and on.id == self.act and self.act and node.attr in ACT:
            return name(f"{self.act}__{node.attr}")
        if (
            isinstance(on, ast.Attribute)
            and self.is_board(on.value)
            and on.attr == "last"
            and node.attr in ACT
        ):
            kind = "kind" if node.attr == "do" else node.attr
            return call(f"act_{kind}", field("board", number(3)))
        raise self.not_compilable(node, f"{ast.unparse(node)} is not compiled")

    def subscript(self, node: ast.Subscript) -> ast.expr:
        on, at = node.value, node.slice
        if isinstance(at, ast.Slice):
            raise self.not_compilable(node, "parts of a list are not compiled")
        if self.is_board(on):
            return call("holds", name("s"), self.value(at))
        if (
            isinstance(on, ast.Attribute)
            and self.is_board(on.value)
            and on.attr in self.game.cell_memory
        ):
            return field(
                "board",
                plus(number(self.place(on.attr)), call("within", name("s"), self.value(at))),
            )
        if isinstance(on, ast.Name) and on.id in self.rows:
            made = self.rows[on.id]("at")
            if callable(made):
                return made(self.value(at))  # type: ignore[no-any-return]  # one of ours
            if made is None and self.pure(at) == 0 and (first := self.rows[on.id]("first")):
                return first  # type: ignore[no-any-return]  # one of ours
        counted = COUNTS.get(self.question(on))
        if counted and isinstance(on, ast.Call):
            return call(counted, name("s"), self.value(on.args[0]), self.value(at))
        table = self.pure(on)
        if isinstance(table, (list, tuple)) and table:
            if all(isinstance(one, int) for one in table):
                place, length = self.compiler.table(table, repr(table))
                return call("table_at", name("s"), number(place), number(length), self.value(at))
            if all(isinstance(one, (list, tuple)) and are_numbers(one) for one in table):
                place, length = self.compiler.table(table, repr(table))
                row = call("table_place", name("s"), self.value(at), number(length))
                return call("row_of", name("s"), number(place), row)
        if isinstance(table, dict):
            return self.of_mapping(node, table, at, None)
        raise self.not_compilable(node, f"{ast.unparse(node)}: this is not looked up so")

    def of_mapping(
        self, node: ast.AST, table: dict[Any, Any], at: ast.expr, otherwise: ast.expr | None
    ) -> ast.expr:
        if otherwise is None and self.is_text(at) == "word" and are_numbers([*table.values()]):
            row = [table.get(word, 0) for word in ("", *self.game.said)]
            place, length = self.compiler.table(row, repr(row))
            return call("table_at", name("s"), number(place), number(length), self.value(at))
        if not table or len(table) > 16 or not is_plain([*table, *table.values()]):
            raise self.not_compilable(node, "a mapping of up to 16 numbers is compiled")
        pairs = list(table.items())
        made = otherwise
        if made is None:
            made = number(pairs.pop()[1])
        for key, held in reversed(pairs):
            made = ast.IfExp(is_equal(self.value(at), number(key)), number(held), made)
        return made

    def called_(self, node: ast.Call) -> ast.expr:
        what = self.question(node)
        if what:
            return self.board_call(node, what)
        func = node.func
        if isinstance(func, ast.Attribute):
            if self.is_me(func.value):
                return self.my_call(node, func.attr)
            table = self.pure(func.value)
            if isinstance(table, dict) and func.attr == "get" and node.args:
                other = self.value(node.args[1]) if len(node.args) > 1 else number(-1)
                return self.of_mapping(node, table, node.args[0], other)
            if func.attr == "count" and len(node.args) == 1:
                return ast.Call(ast.Attribute(self.value(func.value), "count", ast.Load()),
                                [self.value(node.args[0])], [])  # fmt: skip
        if isinstance(func, ast.Name) and not node.keywords:
            if func.id == "Outcome":
                return self.outcome(node)
            if func.id in ("any", "all", "sum") and len(node.args) == 1:
                if isinstance(node.args[0], (ast.GeneratorExp, ast.ListComp)):
                    return self.told(func.id, node.args[0])
            if func.id == "len" and len(node.args) == 1:
                return self.length(node.args[0])
            if func.id == "bool" and len(node.args) == 1:
                return self.truth(node.args[0])
            if func.id in PLAIN:
                return ast.Call(func, [self.value(one) for one in node.args], [])
            beside = self.scope.get(func.id)
            if isinstance(beside, FunctionType) and beside.__code__.co_filename == self.path:
                return self.passed(self.compiler.function(func.id, beside, inside=False), node)
        raise self.not_compilable(node, f"{ast.unparse(node)} is not compiled")

    def outcome(self, node: ast.Call) -> ast.expr:
        winner = node.args[0] if node.args else number(None)
        found = self.known(winner)
        if found is not None and found[0] is None:
            return number(0)
        return plus(self.value(winner), number(1))

    def board_call(self, node: ast.Call, what: str) -> ast.expr:
        if what in ("seen", "distance", "count"):
            return self.asked(what, node)
        if what == "around":
            cell = self.value(node.args[0])
            kinds = map(number, range(3))
            return ast.Tuple(
                [call("len_touching", name("s"), cell, kind) for kind in kinds], ast.Load()
            )
        if what == "connects" and len(node.args) == 3:
            one, other = node.args[1:]
            if self.question(one) == self.question(other) == "edge":
                self.compiler.grouped = True
                assert isinstance(one, ast.Call)
                assert isinstance(other, ast.Call)
                given = [self.value(part) for part in (node.args[0], one.args[0], other.args[0])]
                return call("joins_edges", name("s"), *given)
            raise self.not_compilable(node, "connects is compiled between two edges")
        if what in ("groups", "runs", "rays", "lines", "group"):
            raise self.not_compilable(node, f"board.{what}(…) is compiled where one loops over it")
        if what in LISTS:
            kernel = "list_neighbours" if what == "near" else f"list_{what}"
            return self.asked(kernel, node)
        raise self.not_compilable(node, f"board.{what} is not compiled")

    def my_call(self, node: ast.Call, what: str) -> ast.expr:
        if what == "no":
            return number(value=False)
        if what == "win":
            return self.outcome(node)
        if what == "draw":
            return number(0)
        if what == "has_move":
            return self.passed("has_move", node)
        return self.passed(self.compiler.method(what), node)

    def passed(self, kernel: str, node: ast.Call) -> ast.expr:
        if node.keywords:
            raise self.not_compilable(node, "name no parameters here")
        given: list[ast.expr] = [name("s")]
        for one in node.args:
            if isinstance(one, ast.Name) and one.id == self.act and self.act:
                given += [name(f"{self.act}__{part}") for part in ACT]
            elif not self.is_board(one):
                given.append(self.value(one))
        return ast.Call(name(kernel), given, [])

    def compared(self, node: ast.Compare) -> ast.expr:
        parts = [node.left, *node.comparators]
        texts = next((which for one in parts if (which := self.is_text(one))), "")
        made = []
        for one in parts:
            found = self.known(one)
            if texts and found is not None:
                made.append(self.text(found[0], texts, one))
            elif isinstance(one, ast.Attribute) and self.is_board(one.value) and one.attr == "last":
                made.append(field("board", number(3)))
            else:
                made.append(self.value(one))
        plain = {ast.Is: ast.Eq(), ast.IsNot: ast.NotEq()}
        return ast.Compare(made[0], [plain.get(type(op), op) for op in node.ops], made[1:])

    def is_text(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name) and node.id == self.word and self.word:
            return "word"
        if isinstance(node, ast.Attribute) and node.attr in ("do", "word"):
            on = node.value
            last = isinstance(on, ast.Attribute) and on.attr == "last" and self.is_board(on.value)
            if last or (isinstance(on, ast.Name) and on.id == self.act):
                return node.attr
        return ""

    def text(self, found: Any, texts: str, node: ast.expr) -> ast.expr:
        """A word, or the name of an act, as its number."""
        if isinstance(found, (tuple, list, set, frozenset)):
            return ast.Tuple([self.text(one, texts, node) for one in found], ast.Load())
        known = ("", *self.game.said) if texts == "word" else KINDS
        return number(known.index(found) if found in known else -2)
