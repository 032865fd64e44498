"""The firmware as one short module: constants inlined, unused code dropped, modules bundled, names
shortened. First the constants, written in where they are used.

On the chip each name of a module costs memory and each use of one a search: `wire.KIND` takes
longer than the addition around it. So a module-level name in capitals that stands for an integer
is replaced by that integer, in its own file and in all that import it, and is then left out.
"""

from __future__ import annotations

import ast
import builtins
import io
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import GeneratorType

PACKAGE = "lumiban_fw"
SMALL = 1 << 30
"""Larger numbers are objects on the chip: those keep their name."""
Numbers = dict[str, int]


def tree_shake(sources: Mapping[str, str], start: str) -> dict[str, str]:
    """The same modules without the functions, classes and methods that none of them names.

    Methods that other classes must have, and that raise NotImplementedError here, go as well, and
    those of a class that is only made as the one made from it, where that has its own.
    `start` is the source of what begins it all. What a name is bound to is not looked at: a
    function stays if anything of its name is used anywhere.

    >>> told = {"a": "def f(): pass\\ndef g(): pass\\n"}
    >>> print(tree_shake(told, "from lumiban_fw.a import f\\nf()")["a"])
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
    """Whether a method only says that a class made from this one must have it."""
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
    """The same modules (name → source) with their numbers written in.

    >>> told = {"buffers": "TRACE_LEN = 512\\nMASK = TRACE_LEN - 1\\n", "use": '''
    ... from lumiban_fw import buffers
    ... from lumiban_fw.buffers import TRACE_LEN
    ... def f(x): return x & buffers.MASK, TRACE_LEN'''}
    >>> print(inline_constants(told)["use"].partition("\\n\\n")[2])
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
    found = known[name] = {}
    for node in trees[name].body:
        if isinstance(node, ast.ImportFrom):
            other = _module(node)
            if other in trees:
                there = _numbers(other, trees, known)
                for alias in node.names:
                    if alias.name in there:
                        found[alias.asname or alias.name] = there[alias.name]
        elif isinstance(node, ast.Assign):
            for target, value in _pairs(node):
                number = _value(value, found)
                if _named(target) and number is not None:
                    found[target] = number
    return found


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
    """What an expression of numbers is; None when it is another, or large."""
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


# --- Which names of a Python source belong to its functions, and which to its module or a class ---


Function = ast.FunctionDef | ast.Lambda
_INNER = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
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
        """Whether a function around here binds a name."""
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
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.name = self._new(node.name)
        self._within(names, node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self._within(local_names(node), [node.body])
        return node

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
    """Whether MicroPython makes machine code of a function: its arguments have fixed names."""
    told = " ".join(map(ast.unparse, node.decorator_list))
    return "micropython." in told or "asm_pio" in told


def members(node: ast.ClassDef) -> set[str]:
    """What a class and its objects have by name: what its body binds and its methods store."""
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


# --- The firmware's modules made into one, with short names: what a chip's memory is spent on ---
#
# On the chip each module costs a table of its names, each import an entry more, and each name of
# the program up to thirty bytes. So all that the start needs becomes one module; what is imported
# inside of functions stays apart and is loaded when it is needed first. A definition goes where it
# is needed, and nowhere if nothing needs it. Then names become short: globals by one letter or two,
# attributes likewise, and two attributes share one if no class has both.


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
    """Where a function of the linked program comes from.

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
    """Make all that module `start` needs into one module of its name.

    Sources are as `inline_constants` leaves them. Without `short` only colliding names change.
    Unlinkable when a name means two things.

    >>> told = {
    ...     "near": "def twice(number): return 2 * number\\ndef thrice(n): return 3 * n",
    ...     "go": "from lumiban_fw.near import twice\\ndef run(): return twice(4)",
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
        """What a name that no function binds stands for; None: not ours."""
        there = self._modules[module]
        if name in there.own:
            return module, name
        return there.taken.get(name)

    def outside(self, module: str) -> Mapping[str, ast.stmt]:
        """A module's names of MicroPython, and the statement that imports each."""
        return self._modules[module].outside

    def of_module(self, module: str, node: ast.Attribute, scope: ScopeVisitor) -> Key | None:
        """What `wire.frame` stands for, where `wire` is one of our modules."""
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
            found = reached[root] = set()
            while left:
                key = left.pop()
                if key in made and key not in found:
                    found.add(key)
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
        for key in places:
            if key[0] == self._start:
                names[key] = key[1]
            elif self._short or key[1] in seen:
                names[key] = words[len(names)]
            else:
                names[key] = key[1]
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
        """What only the making of a module needs, and nothing later: the chip forgets it."""
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
    """Whether a statement makes code that runs when its module is there."""
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


# --- Short names for a program whose names cost memory: which words are free, and who gets them ---


CHIP = """
    active addressof any bit bits bootloader buffer bytearray_at channel chain close config count
    ctrl data deinit disable_irq enable_irq exec feed fifo freq get high id init ioctl ipoll irq
    kbd_intr low machine mem16 mem32 mem8 mem_alloc mem_free mode off on out pack_ctrl pin pio
    poll program pull put read read_u16 readblocks registers remove_program reset reset_cause
    restart rx_fifo schedule side state_machine threshold ticks_diff ticks_ms ticks_us timeout
    toggle trigger tx_fifo unique_id unpack_ctrl value write writeblocks
"""
"""Attributes of MicroPython's own modules and hardware classes."""
_OF_PYTHON = (int, str, bytes, bytearray, memoryview, list, dict, tuple, set, range)
_OF_PYTHON += (StopIteration, GeneratorType, io.BytesIO)  # type: ignore[assignment]
FOREIGN_ATTRIBUTES = frozenset(CHIP.split()).union(*map(dir, _OF_PYTHON))
"""Attributes that may be those of an object that is not ours: they keep their names."""

Classes = dict[tuple[str, str], tuple[ast.ClassDef, list[tuple[str, str]]]]
"""(module, name) → the class and what it is made from."""


class NameGenerator:
    """Short names, the shortest first, but for some."""

    def __init__(self, but: set[str]) -> None:
        letters = string.ascii_lowercase + string.ascii_uppercase
        every = [*letters, *(a + b for a in letters for b in letters + string.digits)]
        python = {"as", "if", "in", "is", "or", "do"}
        self._words: list[str] = [word for word in every if word not in but | python]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __getitem__(self, n: int) -> str:
        return self._words[n]


def attributes(classes: Classes, words: NameGenerator) -> dict[str, str]:
    """New names of all attributes that our classes have; no class has two of one name."""
    whole = [_whole(key, classes) for key in classes]
    near: dict[str, set[str]] = {}
    for names in whole:
        for name in names:
            near.setdefault(name, set()).update(names)
    out: dict[str, str] = {}
    for name in sorted(near, key=lambda name: (-len(near[name]), name)):
        used = {out[other] for other in near[name] if other in out}
        out[name] = next(word for word in words if word not in used)
    return out


def _whole(key: tuple[str, str], classes: Classes) -> set[str]:
    """A class's own names, with those of the classes that it is made from."""
    if key not in classes:
        return set()
    node, bases = classes[key]
    own = {name for name in members(node) - FOREIGN_ATTRIBUTES if not name.startswith("__")}
    return own.union(*(_whole(base, classes) for base in bases))


class Arguments(ast.NodeVisitor):
    """Gives the arguments of functions short names, but for those that a call may name."""

    def __init__(self, words: NameGenerator, asked: set[str]) -> None:
        self._words = words
        self._asked = asked

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for inner in node.body:
            self.visit(inner)
        if is_machine_code(node):
            return
        there = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        there |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)} | {node.name}
        free = (word for word in self._words if word not in there)
        new = {arg.arg: next(free) for arg in node.args.args if arg.arg not in self._asked}
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                part.id = new.get(part.id, part.id)
            elif isinstance(part, ast.arg):
                part.arg = new.get(part.arg, part.arg)
