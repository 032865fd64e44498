"""The report of a hardware-in-the-loop run: what was tested on which board, and what changed.

`report.json` is the report; the page is made from it and needs nothing else beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from lumiban.boards.ports import localized
from lumiban.errors import UsageError
from lumiban.i18n import text
from lumiban.system import size_limits

VERSION = 1
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
FLAKY, INCONCLUSIVE = "flaky", "inconclusive"
"""Outcomes of a test; a flaky one failed and passed when it was run again, an inconclusive one
failed while the computer was too busy to judge it."""
OUTCOMES = (PASSED, FAILED, FLAKY, INCONCLUSIVE, SKIPPED)
EXIT_CODES = {PASSED: 0, FAILED: 1, INCONCLUSIVE: 3}
"""Of a run with this verdict."""
WORSE = 0.25
"""A figure that is worse by this share of the earlier one is a change."""
MORE_IS_BETTER = ("scan_hz", "supply_mv")
NO_LIMIT = ("ribbon_uohm",)
"""Figures that are neither good nor bad."""


@dataclass
class Ran:
    """One test: its name, marks, outcome (one of `OUTCOMES`), seconds, and why.

    `sentence` says what the board did or did not do; `message` is for who reads the test.
    """

    name: str
    marks: list[str]
    outcome: str
    seconds: float
    message: str = ""
    sentence: str = ""


@dataclass
class Report:
    """A run: the board by name → value, figures by name → {assumed, measured}, tests."""

    when: str
    board: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, dict[str, float | None]] = field(default_factory=dict)
    tests: list[Ran] = field(default_factory=list)
    version: int = VERSION

    def count(self, outcome: str) -> int:
        """Number of tests with this outcome."""
        return sum(test.outcome == outcome for test in self.tests)

    @property
    def verdict(self) -> str:
        """Failed if anything did, else inconclusive if anything is or nothing passed."""
        if self.count(FAILED):
            return FAILED
        return INCONCLUSIVE if self.count(INCONCLUSIVE) or not self.count(PASSED) else PASSED

    @property
    def is_good(self) -> bool:
        """True if something was tested and everything passed."""
        return self.verdict == PASSED

    def text(self) -> str:
        """The file."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Change:
    """Difference from the previous run: `kind` is broken, mended, gone, new, worse, better or
    board."""

    kind: str
    name: str
    before: str = ""
    now: str = ""

    def sentence(self, language: str) -> str:
        """For people."""
        name = plain(self.name) if "::" in self.name else word("figure", self.name, language)
        return text(
            f"hil.change.{self.kind}", language, name=name, before=self.before, now=self.now
        )


def read(path: Path) -> Report:
    """A report from its file; UsageError when it is none."""
    try:
        fields = size_limits.from_json(size_limits.read(path, 16 * size_limits.MEGABYTE))
        tests = [Ran(**test) for test in fields.pop("tests")]
        report = Report(**fields, tests=tests)
    except OSError as error:
        raise UsageError(
            localized("hil.unreadable", path=path, reason=error.strerror or error)
        ) from None
    except size_limits.Unreadable as error:
        raise UsageError(localized("hil.unreadable", path=path, reason=error)) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(
            localized("hil.unreadable", path=path, reason=localized("hil.no-tests"))
        ) from None
    if report.version != VERSION:
        raise UsageError(localized("hil.unreadable", path=path, reason=f"version {report.version}"))
    return report


def changes(before: Report, now: Report) -> list[Change]:
    """Differences between two runs, the worst first."""
    out: list[Change] = []
    old = {test.name: test.outcome for test in before.tests}
    new = {test.name: test.outcome for test in now.tests}
    for name in sorted(old.keys() | new.keys()):
        was, came = old.get(name, ""), new.get(name, "")
        if was == came:
            continue
        kind = "gone" if not came else "new" if not was else "other"
        if came == FAILED:
            kind = "broken"
        elif was == FAILED and came == PASSED:
            kind = "mended"
        out.append(Change(kind, name, was, came))
    for name in ("uid", "model", "firmware", "sources"):
        if before.board.get(name) != now.board.get(name):
            was, came = str(before.board.get(name)), str(now.board.get(name))
            out.append(Change("board", name, was, came))
    out += _figures(before.figures, now.figures)
    order = ("broken", "gone", "worse", "other", "board", "new", "mended", "better")
    return sorted(out, key=lambda change: order.index(change.kind))


def _figures(
    before: Mapping[str, Mapping[str, float | None]], now: Mapping[str, Mapping[str, float | None]]
) -> list[Change]:
    out = []
    for name in now.keys() & before.keys() - set(NO_LIMIT):
        was, came = before[name].get("measured"), now[name].get("measured")
        if not was or came is None:
            continue
        share = (came - was) / abs(was)
        if name in MORE_IS_BETTER:
            share = -share
        if abs(share) >= WORSE:
            kind = "worse" if share > 0 else "better"
            out.append(Change(kind, name, f"{was:g}", f"{came:g}"))
    return sorted(out, key=lambda change: change.name)


# The page.

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#1c2024;background:#fff;max-width:60rem;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #d8dce0;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.verdict{display:inline-block;padding:.15rem .8rem;border-radius:1rem;font-weight:600}
.passed{background:#d9f2e0;color:#0b5a2a}.failed{background:#ffdfda;color:#8c1500}
.skipped{background:#e9ecef;color:#444b52}.inconclusive,.flaky{background:#fff0c9;color:#6b4a00}
td .verdict{font-size:.85rem}
td,li{overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f6f7;padding:.6rem;font-size:.8rem;
margin:.3rem 0}
.muted{color:#5c646c}
@media(prefers-color-scheme:dark){body{color:#e6e8ea;background:#16181a}
th,td{border-color:#33383d}pre{background:#22262a}.muted{color:#9aa2aa}
.passed{background:#123d22;color:#a6ecbf}.failed{background:#571a10;color:#ffc9bf}
.skipped{background:#2c3136;color:#c3c9cf}.inconclusive,.flaky{background:#4a3a10;color:#ffe3a3}}
"""


def page(report: Report, differences: list[Change] | None, language: str) -> str:
    """The report as one HTML page, whole in itself; `differences` None: nobody asked for them."""

    def say(id: str, **params: object) -> str:
        return escape(text(f"hil.{id}", language, **params))

    verdict = report.verdict
    counts = {name: report.count(name) for name in OUTCOMES}
    model = str(report.board.get("model", "?"))
    parts = [
        "<!doctype html>",
        f'<html lang="{language}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{say('title', model=model)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{say('title', model=model)}</h1>",
        f'<p><span class="verdict {verdict}">{say("verdict." + verdict)}</span> '
        f'{say("counts", **counts)} <span class="muted">{escape(report.when)}</span></p>',
    ]
    if differences is not None:
        parts.append(f"<h2>{say('changes')}</h2>")
        items = "".join(f"<li>{escape(one.sentence(language))}</li>" for one in differences)
        parts.append(f"<ul>{items}</ul>" if items else f"<p>{say('changes.none')}</p>")
    parts.append(f"<h2>{say('board')}</h2><table>")
    parts += [
        f"<tr><th>{escape(word('board', name, language))}</th><td>{escape(str(value))}</td></tr>"
        for name, value in report.board.items()
    ]
    parts.append(f"</table><h2>{say('figures')}</h2><table>")
    parts.append(
        f'<tr><th>{say("figure")}</th><th class="n">{say("assumed")}</th>'
        f'<th class="n">{say("measured")}</th></tr>'
    )
    for name, pair in report.figures.items():
        cells = "".join(f'<td class="n">{_number(pair.get(c))}</td>' for c in _COLUMNS)
        means = escape(meaning(name, language))
        parts.append(
            f"<tr><td>{escape(word('figure', name, language))}"
            f'<br><span class="muted">{means}</span></td>{cells}</tr>'
        )
    parts.append(f"</table><h2>{say('tests')}</h2><table>")
    for test in sorted(report.tests, key=lambda one: _WORST_FIRST.get(one.outcome, 2)):
        why = f"<p>{escape(test.sentence)}</p>" if test.sentence else ""
        if test.outcome in (FAILED, FLAKY, INCONCLUSIVE) and (check := checks(test.name, language)):
            why += f"<p>{escape(check)}</p>"
        why += f"<pre>{escape(test.message)}</pre>" if test.message else ""
        marks = escape(" ".join(test.marks))
        parts.append(
            f'<tr><td><span class="verdict {test.outcome}">{say("outcome." + test.outcome)}</span>'
            f'</td><td>{escape(plain(test.name))} <span class="muted">{marks}</span>{why}</td>'
            f'<td class="n">{test.seconds:.1f} s</td></tr>'
        )
    parts.append("</table></body></html>")
    return "\n".join(parts) + "\n"


_COLUMNS = ("assumed", "measured")
_WORST_FIRST = {FAILED: 0, FLAKY: 1, INCONCLUSIVE: 1}


def checks(name: str, language: str) -> str:
    """Advice when this test fails, "" where its sentence says enough."""
    file = name.partition("::")[0].rpartition("/")[2].removeprefix("test_").removesuffix(".py")
    return _known(f"hil.check.{file}", language)


def meaning(name: str, language: str) -> str:
    """Meaning of a figure, "" where nothing is known of it."""
    return _known(f"hil.means.{name}", language)


def word_of(outcome: str, language: str) -> str:
    """Word for an outcome."""
    return text(f"hil.outcome.{outcome}", language)


def is_off(name: str, assumed: float | None, measured: float | None) -> bool:
    """True if a figure is worse than assumed by so much that its meaning is worth a line."""
    if not assumed or measured is None or name in NO_LIMIT:
        return False
    share = (measured - assumed) / assumed
    return (-share if name in MORE_IS_BETTER else share) >= WORSE


def _known(id: str, language: str) -> str:
    try:
        return text(id, language)
    except KeyError:
        return ""


def word(kind: str, name: str, language: str) -> str:
    """Word for a part of the board or a figure; its own name where a file has another."""
    try:
        return text(f"hil.{kind}.{name}", language)
    except KeyError:
        return name


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.6g}"


def plain(name: str) -> str:
    """A test's name as the sentence that it is.

    >>> plain("suite/test_pieces.py::test_a_piece_is_told[serial-1]")
    'pieces: a piece is told [serial-1]'
    """
    file, _, test = name.partition("::")
    file = file.rpartition("/")[2].removeprefix("test_").removesuffix(".py")
    claim, bracket, rest = test.partition("[")
    claim = claim.removeprefix("test_").replace("_", " ")
    return f"{file}: {claim}{' [' if bracket else ''}{rest}"
