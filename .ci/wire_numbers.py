"""No number of the wire is written twice: a lint rule of `./run lint`.

    python .ci/wire_numbers.py [FOLDER]

The numbers of `lumiban_fw.wire` and `lumiban_fw.layout` are the original. In the host, the
simulator, the hardware and the page this refuses

- a constant of the same name as one of the wire's that is a number of its own,
- a constant of the same value whose name shares a word with it (`RESCUE = 32`: `IN_RESCUE`),
- a bare number beside a word of the wire's: `capabilities & 8`, `kind == 9`, `flags >> 4`,
- numbers that mean one thing only, wherever they stand: 240 is the first button.

Rooms that may not import the wire have a copy that is compared instead: `Kind` of the games,
`Effect` of the scene, `wire.js` of the page. A line whose number only looks like the wire's ends
in a comment that begins with `# own:` and says what it is.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ORIGINAL = tuple(f"firmware/lumiban_fw/{name}.py" for name in ("framing", "wire", "layout"))
ROOMS = ("bench", "host", "simulator", "hardware", "firmware")
BUFFERS = "firmware/lumiban_fw/buffers.py"
"""The senses' own numbers, and one that the wire has from there."""
PAGE = "host/lumiban/web/static"
PAGES_COPY = f"{PAGE}/wire.js"
COPIES = {"host/lumiban/games/types.py": "Kind", "host/lumiban/scene/light.py": "Effect"}
"""Enumerations whose members must be the wire's, by name."""
ELSEWHERE = ("/games/", "/search/", "/scene/", "/grid", "/study/")
"""Rooms that know nothing of a board: a name there is theirs."""
OTHER = {"VERSION", "HEAD", "CELL"}
"""Of these names every file format has its own."""
WORDS = {"capabilities", "caps", "flags", "kind", "effect", "code", "what", "why", "status"}
"""What the wire numbers: a bare number compared with one of these, or masked from it, is a copy."""
ONE_MEANING = {"FIRST_BUTTON": 240, "BOOT_MAGIC": 0x544F4F42, "least sure": 12_750}
COMMON = {"us", "hz", "a", "of", "in", "is", "at", "can", "ma", "max", "min", "most", "least"}
"""Words that say nothing: units and the like."""
OWN = "# own:"
ORDERED = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MASKS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.RShift, ast.LShift)


def numbers(root: Path) -> dict[str, int]:
    """The wire's constants by name, as they are written in its own files."""
    found: dict[str, int] = {}
    for name in ORIGINAL:
        for node in ast.parse((root / name).read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and "buffers" in str(node.module):
                found |= _there(root, node)
            for word, value in _assigned(node):
                told = _value(value, found)
                if told is not None and word.isupper() and word[0] != "_" and word not in OTHER:
                    found[word] = told
    return found


def _there(root: Path, node: ast.ImportFrom) -> dict[str, int]:
    """What a file of the wire has from one that is not."""
    path = root / "firmware" / (str(node.module).replace(".", "/") + ".py")
    told = {k: v for one in ast.parse(path.read_text("utf-8")).body for k, v in _assigned(one)}
    values = {name.name: _value(told[name.name], {}) for name in node.names}
    return {name: value for name, value in values.items() if value is not None}


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """(name, value) of what a statement binds; pairs of a tuple one by one."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        yield node.target.id, node.value
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for one, value in zip(target.elts, node.value.elts, strict=False):
                if isinstance(one, ast.Name):
                    yield one.id, value


def _value(node: ast.expr, known: dict[str, int]) -> int | None:
    """What a sum of literals and known constants comes to; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp):
        one, other = _value(node.left, known), _value(node.right, known)
        if one is None or other is None:
            return None
        if isinstance(node.op, ast.Add):
            return one + other
        if isinstance(node.op, ast.Sub):
            return one - other
        if isinstance(node.op, ast.Mult):
            return one * other
        if isinstance(node.op, ast.LShift) and 0 <= other < 64:
            return one << other
    return None


def _words(name: str) -> set[str]:
    return set(name.lower().split("_")) - COMMON


def _last_word(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _bare(node: ast.expr) -> bool:
    """Whether an expression is a number that counts: neither 0 nor a sign."""
    if isinstance(node, (ast.Tuple, ast.Set, ast.List)):
        return any(_bare(one) for one in node.elts)
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value != 0


def found(path: Path, shown: str, wire: dict[str, int]) -> Iterator[str]:
    """What a Python file says twice, as `file:line: sentence`."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    copy = COPIES.get(shown)
    if shown == BUFFERS or (not copy and any(room in shown for room in ELSEWHERE)):
        return
    for node in ast.walk(ast.parse(text)):
        line = getattr(node, "lineno", 0)
        if line and OWN in "".join(lines[line - 1 : getattr(node, "end_lineno", line)]):
            continue
        if isinstance(node, ast.ClassDef) and node.name == copy:
            yield from _compared(node, shown, wire)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not copy:
            yield from _constants(node, shown, wire)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ORDERED):
            pair = (node.left, node.comparators[0])
            yield from _beside(pair, f"{shown}:{line}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, MASKS):
            yield from _beside((node.left, node.right), f"{shown}:{line}")
        elif isinstance(node, ast.Constant) and node.value in ONE_MEANING.values():
            (name,) = (n for n, value in ONE_MEANING.items() if value == node.value)
            yield f"{shown}:{line}: {node.value} is the wire's {name}: import it"


def _constants(node: ast.Assign | ast.AnnAssign, shown: str, wire: dict[str, int]) -> Iterator[str]:
    for name, value in _assigned(node):
        told = _value(value, {})
        if told is None or not name.isupper():
            continue
        bare = name.lstrip("_")
        if bare in wire:
            yield f"{shown}:{node.lineno}: {name} is the wire's: import it, or derive yours from it"
        for other, number in wire.items():
            if bare != other and number == told > 1 and _words(bare) & _words(other):
                yield f"{shown}:{node.lineno}: {name} looks like the wire's {other}: import it"


def _beside(pair: tuple[ast.expr, ast.expr], where: str) -> Iterator[str]:
    for one, other in (pair, pair[::-1]):
        word = _last_word(one)
        if word in WORDS and _bare(other):
            yield f"{where}: `{word}` beside a bare number: the wire has a name for it"


def _compared(node: ast.ClassDef, shown: str, wire: dict[str, int]) -> Iterator[str]:
    for statement in node.body:
        for name, value in _assigned(statement):
            told = _value(value, {})
            if told is not None and wire.get(name) != told:
                yield f"{shown}:{statement.lineno}: {name} is {wire.get(name)} on the wire"


SAID = re.compile(r"^export const (\w+) = (\w+);", re.M)
IN_SCRIPT = re.compile(
    r"\b(kind|effect|button)\b\s*(===|!==|>=?|<=?|&|:)\s*[1-9]"  # kind === 2, button: 240
    r"|=\s*\{\s*[1-9]:"  # GLOWS = { 1: …
)


def on_the_page(root: Path, wire: dict[str, int]) -> Iterator[str]:
    """What the page's scripts say twice, and where their copy differs."""
    for name, value in SAID.findall((root / PAGES_COPY).read_text("utf-8")):
        if str(wire.get(name)) != value:
            yield f"{PAGES_COPY}: {name} is {wire.get(name)} on the wire"
    for path in sorted((root / PAGE).glob("*.js")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if IN_SCRIPT.search(line):
                yield f"{PAGE}/{path.name}:{number}: a bare number beside a kind: see wire.js"


def check(root: Path) -> list[str]:
    """All that is written twice below a checkout's folder."""
    wire = numbers(root)
    out = list(on_the_page(root, wire))
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            shown = path.relative_to(root).as_posix()
            if shown not in ORIGINAL:
                out += found(path, shown, wire)
    return out


if __name__ == "__main__":
    told = check(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    for line in told:
        print(line)
    sys.exit(bool(told))
