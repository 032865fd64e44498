"""Scopes of a Python source: names that belong to its functions, and those of its module or a
class."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

Function = ast.FunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound(node: ast.AST) -> set[str]:
    """Names that a statement binds where it stands; not those of functions in it."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    out: set[str] = set()
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            out.add(node.id)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        out.update(alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        out.add(node.name)
    if not isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
        for inner in ast.iter_child_nodes(node):
            out |= bound(inner)
    return out


def local_names(node: Function) -> set[str]:
    """Names that a function binds, its arguments among them."""
    out = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    if isinstance(node, ast.FunctionDef):
        for inner in node.body:
            out |= bound(inner)
    return out


class ScopeVisitor(ast.NodeTransformer):
    """Visits a module's statement and asks for a new name of each name that no function binds.

    `of_module` is asked for those of the module, `of_class` for what a class binds in its body;
    None leaves a name as it is.
    """

    def __init__(self) -> None:
        self._scopes: list[set[str]] = []
        self._class: set[str] | None = None

    def of_module(self, name: str) -> str | None:
        return None

    def of_class(self, name: str) -> str | None:
        return None

    def is_local(self, name: str) -> bool:
        """True if a function around here binds a name."""
        return any(name in names for names in self._scopes)

    def _new(self, name: str) -> str:
        if self.is_local(name):
            return name
        inside = self._class is not None and name in self._class
        return (self.of_class(name) if inside else self.of_module(name)) or name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node.id = self._new(node.id)
        return node

    def visit_alias(self, node: ast.alias) -> ast.alias:
        name = node.asname or node.name
        new = self._new(name)
        if new != name:
            node.asname = new
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        names = local_names(node)
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        self._defaults(node.args)
        node.name = self._new(node.name)
        self._within(names, node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self._defaults(node.args)
        self._within(local_names(node), [node.body])
        return node

    def _defaults(self, arguments: ast.arguments) -> None:
        """What arguments are where a call gives none: it is read where the function is made."""
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def _within(self, names: set[str], nodes: Iterable[ast.AST]) -> None:
        around, self._class = self._class, None
        self._scopes.append(names)
        for inner in nodes:
            self.visit(inner)
        self._scopes.pop()
        self._class = around

    def _comprehension(self, node: ast.expr) -> ast.expr:
        names: set[str] = set()
        for inner in ast.walk(node):
            if isinstance(inner, ast.comprehension):
                names |= bound(inner.target)
        self._within(names, ast.iter_child_nodes(node))
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        node.name = self._new(node.name)
        node.bases = [self.visit(base) for base in node.bases]
        self._class = set().union(*map(bound, node.body))
        node.body = [self.visit(inner) for inner in node.body]
        self._class = None
        return node


class _Bare(ast.NodeTransformer):
    """Leaves out what types are: the chip has no use for them, but in machine code."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        if not is_machine_code(node):
            node.returns = None
            for arg in ast.walk(node.args):
                if isinstance(arg, ast.arg):
                    arg.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:  # says that a class has such an attribute
            node.annotation = ast.Name("int", ast.Load())
            return node
        return ast.Assign([node.target], node.value)


def bare(tree: ast.Module) -> ast.Module:
    """A module without annotations."""
    _Bare().visit(tree)
    return ast.fix_missing_locations(tree)


def is_machine_code(node: ast.FunctionDef) -> bool:
    """True if MicroPython makes machine code of a function: its arguments have fixed names."""
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return "micropython." in decorators or "asm_pio" in decorators


def members(node: ast.ClassDef) -> set[str]:
    """Names of a class and its objects: those that its body binds and its methods store."""
    out = set().union(*map(bound, node.body))
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.args.args:
            self = method.args.args[0].arg
            for part in ast.walk(method):
                if not isinstance(part, ast.Attribute) or not isinstance(part.ctx, ast.Store):
                    continue
                if isinstance(part.value, ast.Name) and part.value.id == self:
                    out.add(part.attr)
    return out


def keywords(nodes: Iterable[ast.AST]) -> set[str]:
    """Names of arguments that some call gives by name."""
    return {
        word.arg
        for node in nodes
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        for word in call.keywords
        if word.arg
    }


def plain(body: Iterable[ast.stmt], known: Iterable[str], package: str) -> Iterator[ast.stmt]:
    """A module's statements; of imports that are tried, those whose modules are there."""
    known = set(known)
    for node in body:
        tried = [module_of(inner, package) for inner in getattr(node, "body", [])]
        if isinstance(node, ast.Try) and all(tried):
            yield from node.body if known.issuperset(map(str, tried)) else node.handlers[0].body
        else:
            yield node


def module_of(node: ast.stmt, package: str) -> str | None:
    """The module of the package that an import is from ("": itself); None for another."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
        return (node.module or "").partition(".")[2]
    return None
