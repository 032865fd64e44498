"""The firmware's modules made into one, with short names: what a chip's memory is spent on.

On the chip each module costs a table of its names, each import an entry more, and each name of
the program up to thirty bytes. So all that the start needs becomes one module; what is imported
inside of functions stays apart and is loaded when it is needed first. A definition goes where it
is needed, and nowhere if nothing needs it. Then names become short: globals by one letter or two,
attributes likewise, and two attributes share one if no class has both.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lumiban.maker.bundle.constants import PACKAGE
from lumiban.maker.bundle.names import Arguments, Classes, NameGenerator, attributes
from lumiban.maker.bundle.scopes import ScopeVisitor, bare, bound, keywords, module_of, plain

Key = tuple[str, str]
"""(module, name) of a definition."""


class Unlinkable(Exception):
    """Sources that cannot be made into one module; says where and why."""


@dataclass(slots=True)
class _Part:
    """One statement of a module: the names that it binds, and the definitions that it needs."""

    module: str
    node: ast.stmt
    binds: set[str]
    needs: set[Key] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    """Modules that functions in it import."""


@dataclass(slots=True)
class _Module:
    tree: ast.Module
    parts: list[_Part] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    taken: dict[str, Key] = field(default_factory=dict)
    """Names that stand for another module's definition."""
    modules: dict[str, str] = field(default_factory=dict)
    outside: dict[str, ast.stmt] = field(default_factory=dict)
    """Names of MicroPython's own, and the statement that imports each."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a function of the linked program.

    A traceback of the chip names it by `file` and `short`; in the sources it is `name`
    ("Board.tick") of `module`. `mentions` are the names that its source reads: those of the
    functions that it calls are among them.
    """

    file: str
    short: str
    module: str
    name: str
    mentions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Bundle:
    """`files` are the modules that are left (name → source), `attributes` the new names.

    `origins` are its functions, `classes` the new names of classes and those that they had.
    """

    files: dict[str, str]
    attributes: dict[str, str]
    origins: tuple[Origin, ...]
    classes: dict[str, str]


def bundle(sources: Mapping[str, str], start: str, *, short: bool = True) -> Bundle:
    r"""Make all that module `start` needs into one module of its name.

    Sources are as `inline_constants` leaves them. Without `short` only colliding names change.
    Unlinkable when a name means two things.

    >>> told = {
    ...     "near": "def twice(number): return 2 * number\ndef thrice(n): return 3 * n",
    ...     "go": "from lumiban_fw.near import twice\ndef run(): return twice(4)",
    ... }
    >>> print(bundle(told, "go").files["go"])
    def a(b):
        return 2 * b
    <BLANKLINE>
    def run():
        return a(4)
    """
    return _Linking(sources, start, short).linked()


class _Linking:
    def __init__(self, sources: Mapping[str, str], start: str, short: bool) -> None:
        self._start = start
        self._short = short
        self._modules = {name: _Module(bare(ast.parse(text))) for name, text in sources.items()}
        self._order = list(_ordered(self._modules))
        for name in self._order:
            self._read(name)
        for module in self._modules.values():
            for part in module.parts:
                _Look(self, part).visit(part.node)

    def linked(self) -> Bundle:
        places = self._places()
        parts = [part for name in self._order for part in self._modules[name].parts]
        parts = [part for part in parts if self._place(part, places)]
        words = NameGenerator(self._forbidden(parts))
        names = self._names(places, words)
        made = self._classes(parts)
        new = attributes(made, words) if self._short else {}
        origins = [
            Origin(self._place(part, places), short, part.module, name, mentions)
            for part in parts
            for short, name, mentions in _functions(
                part.node, {name: names.get((part.module, name), name) for name in part.binds}, new
            )
        ]
        classes = {names[key]: key[1] for key in made if key in names}
        files = {"__init__": ""}
        for target in sorted(set(places.values())):
            body = [part for part in parts if self._place(part, places) == target]
            files[target] = self._text(target, body, places, names, new, words)
        return Bundle(files, new, tuple(origins), classes)

    # What each module says.

    def _read(self, name: str) -> None:
        module = self._modules[name]
        for node in plain(module.tree.body, self._modules, PACKAGE):
            inner = _inner(node)
            if inner is not None and isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    to = alias.asname or alias.name
                    if inner == "":
                        module.modules[to] = alias.name
                    elif inner in self._modules:
                        module.taken[to] = self._origin((inner, alias.name))
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    module.outside[alias.asname or alias.name] = _alone(node, alias)
            elif not isinstance(node, ast.Pass):
                part = _Part(name, node, bound(node))
                module.own |= part.binds
                module.parts.append(part)

    def _origin(self, key: Key) -> Key:
        return self._modules[key[0]].taken.get(key[1], key)

    def resolve(self, module: str, name: str) -> Key | None:
        """Definition of a name that no function binds; None: not ours."""
        there = self._modules[module]
        if name in there.own:
            return module, name
        return there.taken.get(name)

    def outside(self, module: str) -> Mapping[str, ast.stmt]:
        """A module's names of MicroPython, and the statement that imports each."""
        return self._modules[module].outside

    def of_module(self, module: str, node: ast.Attribute, scope: ScopeVisitor) -> Key | None:
        """Definition of `wire.frame`, say, where `wire` is one of our modules."""
        base = node.value
        if not isinstance(base, ast.Name) or scope.is_local(base.id):
            return None
        name = self._modules[module].modules.get(base.id)
        return None if name is None else self._origin((name, node.attr))

    # Where each definition goes.

    def _places(self) -> dict[Key, str]:
        """Each definition's module: the start's, or the one apart that alone needs it."""
        made = {
            (part.module, name): part
            for module in self._modules.values()
            for part in module.parts
            for name in sorted(part.binds)  # the same names in each build
        }
        late = {name for part in made.values() for name in part.late}
        reached: dict[str, set[Key]] = {}
        for root in (self._start, *sorted(late)):
            left = [key for key in made if key[0] == root]
            left += [key for part in self._modules[root].parts for key in part.needs]
            needed = reached[root] = set()
            while left:
                key = left.pop()
                if key in made and key not in needed:
                    needed.add(key)
                    left += made[key].needs
        places: dict[Key, str] = {}
        for key in made:
            roots = [root for root in reached if key in reached[root]]
            if roots:
                places[key] = roots[0] if len(roots) == 1 else self._start
        return places

    def _place(self, part: _Part, places: Mapping[Key, str]) -> str:
        if not part.binds:
            return part.module if part.module in places.values() else ""
        to = {places.get((part.module, name), "") for name in part.binds} - {""}
        if len(to) > 1:
            raise Unlinkable(f"{part.module}: one statement is needed in {sorted(to)}")
        return to.pop() if to else ""

    # New names.

    def _forbidden(self, parts: list[_Part]) -> set[str]:
        """Names that functions bind themselves, or that are not ours."""
        out = set(dir(builtins)) | {"run"}
        for part in parts:
            for node in ast.walk(part.node):
                if isinstance(node, ast.Name):
                    out.add(node.id)
                elif isinstance(node, ast.arg):
                    out.add(node.arg)
                elif isinstance(node, ast.Attribute):
                    out.add(node.attr)
        return out

    def _names(self, places: Mapping[Key, str], words: NameGenerator) -> dict[Key, str]:
        names: dict[Key, str] = {}
        seen: set[str] = {name for module in self._modules.values() for name in module.outside}
        # Those of the program that is always loaded come first: its names are the shortest, and
        # stay as they are when a file that few boards load is changed.
        for key in sorted(places, key=lambda key: places[key] != self._start):
            is_new = key[0] != self._start and (self._short or key[1] in seen)
            names[key] = words[len(names)] if is_new else key[1]
            seen.add(key[1])
        return names

    def _classes(self, parts: list[_Part]) -> Classes:
        classes: Classes = {}
        for part in parts:
            if isinstance(part.node, ast.ClassDef):
                bases = [base.id for base in part.node.bases if isinstance(base, ast.Name)]
                made = [self.resolve(part.module, base) for base in bases]
                classes[part.module, part.node.name] = part.node, [key for key in made if key]
        return classes

    def _text(
        self,
        target: str,
        parts: list[_Part],
        places: Mapping[Key, str],
        names: Mapping[Key, str],
        attributes: Mapping[str, str],
        words: NameGenerator,
    ) -> str:
        """One module of what is left."""
        asked = keywords(part.node for name in self._order for part in self._modules[name].parts)
        heads: dict[str, str] = {}
        far: set[str] = set()
        body: list[ast.stmt] = []
        for part in parts:
            rename = _Rename(self, part.module, names, attributes)
            node = rename.visit(part.node)
            for name in rename.outside:
                text = ast.unparse(self._modules[part.module].outside[name])
                if heads.setdefault(name, text) != text:
                    raise Unlinkable(f"{part.module}: {name} is {heads[name]!r} elsewhere")
            far |= {names[key] for key in part.needs if places.get(key) not in (None, target)}
            if self._short:
                Arguments(words, asked).visit(node)
            body.append(node)
        once = self._once(target, parts, places)
        if once:
            body.append(ast.Delete([ast.Name(names[key], ast.Del()) for key in once]))
        lines = sorted(set(heads.values()))
        if far:
            lines.append(f"from {PACKAGE}.{self._start} import {', '.join(sorted(far))}")
        whole = ast.Module([*ast.parse("\n".join(lines)).body, *body], [])
        return ast.unparse(ast.fix_missing_locations(whole))

    def _once(self, target: str, parts: list[_Part], places: Mapping[Key, str]) -> list[Key]:
        """Names that only the making of a module needs, and nothing later: the chip forgets
        them."""
        made = {(part.module, name): part for part in parts for name in part.binds}
        apart = {
            self._start,
            *(
                name
                for module in self._modules.values()
                for part in module.parts
                for name in part.late
            ),
        }
        left = [key for key in made if key[0] in apart]
        for module in self._modules.values():
            for part in module.parts:
                if self._place(part, places) not in (target, ""):
                    left += part.needs
        lasts: set[Key] = set()
        while left:
            key = left.pop()
            if key in made and key not in lasts:
                lasts.add(key)
                if _runs_later(made[key].node):
                    left += made[key].needs
        return [key for key in made if key not in lasts]

    def late(self, node: ast.ImportFrom, names: Mapping[Key, str]) -> ast.ImportFrom:
        """An import inside of a function, by the new names."""
        inner = _inner(node)
        if inner:
            for alias in node.names:
                alias.asname = alias.asname or alias.name
                alias.name = names.get(self._origin((inner, alias.name)), alias.name)
        return node


class _Look(ScopeVisitor):
    """Finds what a statement needs."""

    def __init__(self, linking: _Linking, part: _Part) -> None:
        super().__init__()
        self._linking = linking
        self._part = part

    def of_module(self, name: str) -> None:
        key = self._linking.resolve(self._part.module, name)
        if key is not None:
            self._part.needs.add(key)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # ast's name
        key = self._linking.of_module(self._part.module, node, self)
        if key is None:
            self.visit(node.value)
        else:
            self._part.needs.add(key)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:  # ast's name
        inner = _inner(node)
        if inner:
            self._part.late.add(inner)
        return node


class _Rename(ScopeVisitor):
    """Gives a statement's names their new ones; `outside` takes those of MicroPython."""

    def __init__(
        self,
        linking: _Linking,
        module: str,
        names: Mapping[Key, str],
        attributes: Mapping[str, str],
    ) -> None:
        super().__init__()
        self.outside: set[str] = set()
        self._linking = linking
        self._module = module
        self._names = names
        self._attributes = attributes

    def of_module(self, name: str) -> str | None:
        if name in self._linking.outside(self._module):
            self.outside.add(name)
        key = self._linking.resolve(self._module, name)
        return None if key is None else self._names.get(key)

    def of_class(self, name: str) -> str | None:
        return self._attributes.get(name)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # ast's name
        key = self._linking.of_module(self._module, node, self)
        if key is not None:
            return ast.Name(self._names.get(key, key[1]), node.ctx)
        self.generic_visit(node)
        node.attr = self._attributes.get(node.attr, node.attr)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:  # ast's name
        if _inner(node):
            return self._linking.late(node, self._names)
        self.generic_visit(node)
        return node


def _functions(
    node: ast.AST,
    of_module: Mapping[str, str],
    of_class: Mapping[str, str],
    outer: tuple[str, type[ast.AST]] = ("", ast.Module),
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(new name, name with its classes, names that it reads) of all functions in a statement.

    To be asked before the statement's names are changed.
    """
    prefix, kind = outer
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        if isinstance(node, ast.FunctionDef):
            short = node.name  # of a function within another: a name of that one's own
            if kind is ast.Module:
                short = of_module.get(node.name, node.name)
            elif kind is ast.ClassDef:
                short = of_class.get(node.name, node.name)
            yield short, prefix + node.name, frozenset(_read(node))
        outer = (f"{prefix}{node.name}.", type(node))
    for inner in ast.iter_child_nodes(node):
        yield from _functions(inner, of_module, of_class, outer)


def _read(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _runs_later(node: ast.stmt) -> bool:
    """True if a statement makes code that runs when its module is there."""
    return any(isinstance(part, (ast.FunctionDef, ast.Lambda)) for part in ast.walk(node))


def _inner(node: ast.stmt) -> str | None:
    return module_of(node, PACKAGE)


def _alone(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(node.module, [alias], 0)


def _ordered(modules: Mapping[str, _Module]) -> Iterator[str]:
    """Modules, each after those that it imports."""
    done: set[str] = set()

    def after(name: str) -> Iterator[str]:
        if name in done or name not in modules:
            return
        done.add(name)
        for node in plain(modules[name].tree.body, modules, PACKAGE):
            inner = _inner(node)
            if inner is not None and isinstance(node, ast.ImportFrom):
                for other in [inner] if inner else [alias.name for alias in node.names]:
                    yield from after(other)
        yield name

    for name in sorted(modules):
        yield from after(name)
