"""The text of a rule's methods as Python reads it, and what new text is made of."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from lumiban.games.simple import SimpleGame


class NotCompilable(Exception):
    """What cannot be compiled, and where: a sentence with file and line."""


def renamed(tree: ast.FunctionDef) -> ast.FunctionDef:
    """A method's text in which its own names are those of no kernel."""
    own = {one.arg for one in tree.args.args}
    for one in ast.walk(tree):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            own.add(one.id)
    for one in ast.walk(tree):
        if isinstance(one, ast.Name) and one.id in own:
            one.id = f"own_{one.id}"
        elif isinstance(one, ast.arg) and one.arg in own:
            one.arg = f"own_{one.arg}"
    return tree


def assigned(kind: type) -> set[str]:
    """Attributes that methods of a game set after it was made."""
    found: set[str] = set()
    for one in kind.__mro__:
        if one is SimpleGame:
            break
        for name, function in vars(one).items():
            if isinstance(function, FunctionType) and name != "__init__":
                for node in ast.walk(text_of(function)):
                    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                        found.add(node.attr)
    return found


def text_of(function: FunctionType) -> ast.FunctionDef:
    """The text of a function as it was loaded; NotCompilable where the file has changed since."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    raise NotCompilable(
        f"{code.co_filename}, line {code.co_firstlineno}: the text of {code.co_name} is not there"
    )


def name(text: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(text, ast.Load())


def number(value: Any) -> ast.Constant:
    """A constant."""
    return ast.Constant(value)


def call(function: str, *given: ast.expr) -> ast.Call:
    """A call by name."""
    return ast.Call(name(function), list(given), [])


def plus(one: ast.expr, other: ast.expr) -> ast.expr:
    """A sum."""
    return ast.BinOp(one, ast.Add(), other)


def is_equal(one: ast.expr, other: ast.expr) -> ast.expr:
    """A comparison."""
    return ast.Compare(one, [ast.Eq()], [other])


def field(row: str, at: ast.expr) -> ast.expr:
    """An entry of a State's row."""
    return ast.Subscript(ast.Attribute(name("s"), row, ast.Load()), at, ast.Load())


def is_plain(found: Sequence[Any]) -> bool:
    """True if these are numbers, or tuples of them."""
    return all(
        isinstance(one, (int, float)) or (isinstance(one, (tuple, list)) and is_plain(one))
        for one in found
    )


def are_numbers(found: Sequence[Any]) -> bool:
    """True if these are whole numbers."""
    return all(isinstance(one, int) for one in found)


def spoken(node: ast.AST) -> str:
    """A kind of statement, for people."""
    return {"While": "while (it might go on for ever)", "Try": "try", "With": "with"}.get(
        type(node).__name__, type(node).__name__.lower()
    )
