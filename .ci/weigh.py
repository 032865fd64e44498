"""The ledger: what each room weighs, and what does not depend on the machine, under its ceiling.

    ./run python .ci/weigh.py          every room and figure beside its ceiling; 1 if one is over
    ./run python .ci/weigh.py --keep   lowers each ceiling to what stands, with a little room

Weight is counted in thousands of nodes: those of Python's syntax tree without docstrings, tokens of
scripts, styles and C. Blank lines, long ones, comments and data (TOML, JSON) do not count.
`lint` calls this. In .ci/ledger.toml a ceiling is raised only together with another that falls by
as much, in one commit, with its reason: the sum is kept there, and may only fall.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from math import ceil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / ".ci" / "ledger.toml"
CODE = (".py", ".js", ".mjs", ".css", ".html", ".c", ".h", ".sh")
TOKEN = re.compile(r"[A-Za-z_$][\w$]*|\d[\w.]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[^\s\w]")
COMMENT = re.compile(r"/\*[\s\S]*?\*/|^[ \t]*//[^\n]*", re.MULTILINE)
ROOM, PART = 1.0, 0.02
"""What --keep leaves above a weight: a thousand nodes, or a fiftieth; above a figure a fiftieth."""


def room(path: Path) -> str:
    """The room of a file: `lumiban/web`, `tests/unit`, `firmware`."""
    parts = path.parts[1:-1] if path.parts[0] == "host" else path.parts[:-1]
    return "/".join(parts[: 2 if parts[:1] in (("lumiban",), ("tests",)) else 1]) or path.name


def nodes(path: str, text: str) -> int:
    """Weight of one file."""
    if not path.endswith(".py"):
        return len(TOKEN.findall(COMMENT.sub("", text)))
    count = 0
    for node in ast.walk(ast.parse(text)):
        count += not isinstance(node, ast.expr_context)
        match node:
            case ast.Expr(ast.Constant(str())):
                count -= 2  # a docstring
    return count


def weights() -> dict[str, float]:
    """Thousands of nodes of each room, as its files stand on the disk."""
    words = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found: Counter[str] = Counter()
    for name in listed.splitlines():
        file = ROOT / name
        if (name.endswith(CODE) or name == "run") and "/vendor/" not in name and file.is_file():
            found[room(Path(name))] += nodes(name, file.read_text("utf-8", errors="replace"))
    return {name: round(count / 1000, 1) for name, count in sorted(found.items())}


def figures() -> dict[str, float]:
    """Requests and kB (gzip) of a page that opens with the choice of games, and the modules that
    each process imports."""
    from lumiban.web.assets import ASSETS, sentences
    from lumiban.web.rules_chapters import picture_of
    from lumiban_lab.start import IMPORTS

    html = ASSETS.page("index.html")
    linked = re.findall(r'(?:href|src)="/static/\w+/([\w.+]+)"', html.body.decode())
    sent = [html, *map(ASSETS.joined, linked), sentences("en", "control"), picture_of("games.svg")]
    size = sum(len(one.packed) for one in sent if one)
    found: dict[str, float] = {"page requests": len(sent), "page kB": round(size / 1000, 1)}
    for process, modules in IMPORTS.items():
        code = f"import sys\nimport {modules}\nprint(len(sys.modules))"
        words = [sys.executable, "-P", "-c", code]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        found[f"modules {process}"] = int(told)
    return found


def main(words: list[str]) -> int:
    kept = tomllib.loads(LEDGER.read_text("utf-8")) if LEDGER.exists() else {}
    now = {"nodes": weights(), "figures": figures()}
    if "--keep" in words:
        LEDGER.write_text(_ledger(now, kept), "utf-8")
        return 0
    problems = []
    for kind, measured in now.items():
        ceilings = kept[kind]
        for name, value in measured.items():
            ceiling = ceilings.get(name, 0.0)
            if "--quiet" not in words:
                print(f"{name:28} {value:8.1f} of {ceiling:8.1f}")
            if value > ceiling:
                problems.append(f"{name} weighs {value}, its ceiling is {ceiling}")
    total = round(sum(kept["nodes"].values()), 1)
    if total > kept["sum"]:
        problems.append(f"the ceilings' sum is {total}, it was {kept['sum']}: lower another one")
    for problem in problems:
        print(f"weigh: {problem} (.ci/ledger.toml)", file=sys.stderr)
    return 1 if problems else 0


def _ledger(now: dict[str, dict[str, float]], kept: dict[str, dict[str, float]]) -> str:
    """The ledger's text with every ceiling at what stands, or where it was if that is lower."""
    ceilings: dict[str, float] = {}
    for name, value in now["nodes"].items():
        ceiling = round(max(value + ROOM, value * (1 + PART)), 1)
        ceilings[name] = min(ceiling, kept.get("nodes", {}).get(name, ceiling))
    lines = ["# Ceilings: .ci/weigh.py says what is counted, and how one is raised.", ""]
    lines += [f"sum = {round(sum(ceilings.values()), 1)}", "", "[nodes]"]
    lines += [f'"{name}" = {value}' for name, value in ceilings.items()]
    lines += ["", "[figures]"]
    for name, value in now["figures"].items():
        ceiling = round(value * (1 + PART), 1) if "kB" in name else ceil(value * (1 + PART))
        lines.append(f'"{name}" = {min(ceiling, kept.get("figures", {}).get(name, ceiling))}')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
