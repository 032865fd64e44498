"""Constants written in where they are used, and what nobody uses left out.

On the chip each name of a module costs memory and each use of one a search: `wire.KIND` takes
longer than the addition around it. So a module-level name in capitals that stands for an integer
is replaced by that integer, in its own file and in all that import it, and is then left out.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

PACKAGE = "lumiban_fw"
SMALL = 1 << 30
"""Larger numbers are objects on the chip: those keep their name."""
Numbers = dict[str, int]


def tree_shake(sources: Mapping[str, str], start: str) -> dict[str, str]:
    r"""The same modules without the functions, classes and methods that none of them names.

    Methods that other classes must have, and that raise NotImplementedError here, go as well, and
    those of a class that is only made as the one made from it, where that has its own.
    `start` is the source of what begins it all. What a name is bound to is not looked at: a
    function stays if anything of its name is used anywhere.

    >>> told = {"a": "def f(): pass\ndef g(): pass\n"}
    >>> print(tree_shake(told, "from lumiban_fw.a import f\nf()")["a"])
    def f():
        pass
    """
    trees = {name: ast.parse(text) for name, text in sources.items()}
    while True:
        used = _names([*trees.values(), ast.parse(start)])
        replaced = _replaced(list(trees.values()))
        before = sum(1 for tree in trees.values() for _ in ast.walk(tree))
        for tree in trees.values():
            _Prune(used, replaced).visit(tree)
        if sum(1 for tree in trees.values() for _ in ast.walk(tree)) == before:
            return {name: ast.unparse(tree) for name, tree in trees.items()}


def _names(trees: list[ast.Module]) -> set[str]:
    """All that is read, called or looked up by name; not what is only imported or made."""
    used = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
    return used


def _replaced(trees: list[ast.Module]) -> dict[str, set[str]]:
    """Methods of a class that the only class made from it has too, where it is never called."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    bases = [ast.unparse(base) for node in classes for base in node.bases]
    return {
        base: {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
        for node in classes
        for base in [ast.unparse(base) for base in node.bases]
        if bases.count(base) == 1 and base not in called
    }


def _is_for_others(node: ast.FunctionDef) -> bool:
    """True if a method only demands that a subclass defines it."""
    left = [inner for inner in node.body if not isinstance(inner, (ast.Expr, ast.Pass))]
    return [ast.unparse(inner) for inner in left] == ["raise NotImplementedError"]


class _Prune(ast.NodeTransformer):
    def __init__(self, used: set[str], replaced: Mapping[str, set[str]]) -> None:
        self._used = used
        self._replaced = replaced

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | None:
        if _is_for_others(node):
            return None
        if node.name in self._used or node.name.startswith("__"):
            self.generic_visit(node)
            return node
        return None

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt | None:
        if node.name not in self._used:
            return None
        gone = {name for name in self._replaced.get(node.name, ()) if not name.startswith("__")}
        node.body = [inner for inner in node.body if getattr(inner, "name", "") not in gone]
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | None:
        node.names = [alias for alias in node.names if (alias.asname or alias.name) in self._used]
        return node if node.names else None

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == "__all__":
            return None
        self.generic_visit(node)
        return node


def inline_constants(sources: Mapping[str, str]) -> dict[str, str]:
    r"""The same modules (name → source) with their numbers written in.

    >>> told = {"buffers": "TRACE_LEN = 512\nMASK = TRACE_LEN - 1\n", "use": '''
    ... from lumiban_fw import buffers
    ... from lumiban_fw.buffers import TRACE_LEN
    ... def f(x): return x & buffers.MASK, TRACE_LEN'''}
    >>> print(inline_constants(told)["use"].partition("\n\n")[2])
    def f(x):
        return (x & 511, 512)
    """
    trees = {name: ast.parse(text) for name, text in sources.items()}
    known: dict[str, Numbers] = {}
    for name in trees:
        _numbers(name, trees, known)
    out = {}
    for name, tree in trees.items():
        folded = ast.fix_missing_locations(_Fold(known, known[name]).visit(tree))
        out[name] = ast.unparse(folded)
    return out


def _numbers(name: str, trees: Mapping[str, ast.Module], known: dict[str, Numbers]) -> Numbers:
    """The numbers that a module names, its own and those that it imports."""
    if name in known:
        return known[name]
    numbers = known[name] = {}
    for node in trees[name].body:
        if isinstance(node, ast.ImportFrom):
            other = _module(node)
            if other in trees:
                there = _numbers(other, trees, known)
                for alias in node.names:
                    if alias.name in there:
                        numbers[alias.asname or alias.name] = there[alias.name]
        elif isinstance(node, ast.Assign):
            for target, value in _pairs(node):
                number = _value(value, numbers)
                if _named(target) and number is not None:
                    numbers[target] = number
    return numbers


def _module(node: ast.ImportFrom) -> str:
    return (node.module or "").removeprefix(PACKAGE + ".")


def _named(name: str) -> bool:
    return name.isupper() and name != "TYPE_CHECKING"


def _pairs(node: ast.Assign) -> list[tuple[str, ast.expr]]:
    """Names and what they stand for; none when the form is another."""
    target = node.targets[0]
    if len(node.targets) > 1:
        return []
    if isinstance(target, ast.Name):
        return [(target.id, node.value)]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        names = [part.id if isinstance(part, ast.Name) else "" for part in target.elts]
        return list(zip(names, node.value.elts, strict=True))
    return []


def _value(node: ast.expr, known: Numbers) -> int | None:
    """Value of an expression of numbers; None when it is another kind, or large."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "const":
        node = node.args[0]
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            if part.id not in known:
                return None
        elif isinstance(part, ast.Constant):
            if type(part.value) is not int:
                return None
        elif not isinstance(part, (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)):
            return None
    number = eval(compile(ast.Expression(node), "number", "eval"), {}, dict(known))
    return number if isinstance(number, int) and -SMALL < number < SMALL else None


class _Fold(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, Numbers], own: Numbers) -> None:
        self._known = known
        self._own = own
        self._modules: dict[str, str] = {}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | None:
        if node.module == PACKAGE:
            for alias in node.names:
                self._modules[alias.asname or alias.name] = alias.name
            return node
        there = self._known.get(_module(node), {})
        node.names = [alias for alias in node.names if alias.name not in there]
        return node if node.names else None

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
        names = [name for name, _ in _pairs(node)]
        if names and all(name in self._own or name == "TYPE_CHECKING" for name in names):
            return None
        self.generic_visit(node)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return None
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._own:
            return ast.Constant(self._own[node.id])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name):
            there = self._known.get(self._modules.get(node.value.id, ""), {})
            if node.attr in there:
                return ast.Constant(there[node.attr])
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | None:
        if isinstance(node.value, ast.Constant):
            return ast.Pass()
        self.generic_visit(node)
        return node
