"""A report of studies: for each question a sentence, then method, figures, plots and cost.

It is built as blocks (headings, paragraphs, tables, plots), which are written as Markdown and as
one HTML page. What is read are results files alone, those of other rules too: a report says by
which rules its games were played.
"""

from __future__ import annotations

import html
import lzma
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Literal

from lumiban.errors import UsageError, why_unread
from lumiban.i18n import text, texts
from lumiban.invocation import shortest, start_word
from lumiban.study.findings import (
    ANSWERED,
    ANSWERED_WITHIN,
    ENDED,
    LEANING,
    LEANING_PAIRS,
    OPEN,
    Finding,
    Mean,
    findings,
)
from lumiban.study.hollow import NOT_ASKED, asks, why_hollow
from lumiban.study.plan import Plan
from lumiban.study.results import Results, read_plan
from lumiban.study.sequential import Estimate, estimate

COMPRESSED = ".xz"
MOST_BYTES = 2_000_000_000
"""A results file that is larger, unpacked, is refused."""
SHORT = 30
"""Characters of a table's cell that is not broken into lines."""
LISTED = 4
"""Conditions that a sentence names one by one; of more it names the ends."""
SHARE, DIFFERENCE = "share", "difference"
ROUGHLY_WITHIN = 0.1
"""An amount that is known to a tenth of itself leans."""

Verdict = str
HOLLOW = "hollow"
"""Reasons why a study's games cannot answer the question: see `study/hollow.py`."""
_RANK = (HOLLOW, OPEN, LEANING, ANSWERED)


@dataclass(frozen=True, slots=True)
class ReadStudy:
    """A study as its results file has it."""

    plan: Plan
    file: Path
    """The study file: beside the results, or in `studies` beside their folder; by its name alone
    where it is in neither."""
    versions: str
    findings: tuple[Finding, ...]
    differences: tuple[Estimate | None, ...]
    """By condition how far its share is from that of its `base`, as a share: 0.5 is no difference
    and each point counts half; None for a base."""

    @property
    def cpu_s(self) -> float:
        """CPU time of all games in seconds."""
        return sum(one.cpu_s for one in self.findings)

    @property
    def games(self) -> int:
        """Games of all conditions."""
        return sum(one.games for one in self.findings)


def read_study(path: Path) -> ReadStudy:
    """Contents of a results file, one that is compressed (`.xz`) too; UsageError."""
    if path.suffix != COMPRESSED:
        return _read(path, path)
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder, path.stem)
        try:
            with lzma.open(path) as packed, unpacked.open("wb") as out:
                while part := packed.read(1 << 20):
                    out.write(part)
                    if out.tell() > MOST_BYTES:
                        raise UsageError(f"{path} holds more than any study does")
        except (OSError, lzma.LZMAError, EOFError) as reason:
            raise UsageError(f"{path} cannot be unpacked: {why_unread(reason)}") from None
        return _read(unpacked, path)


def _read(path: Path, given: Path) -> ReadStudy:
    plan, versions = read_plan(path)
    with closing(Results(path, None)) as results:
        study_findings = tuple(findings(plan, results))
        points = [results.pair_points(one.number) for one in plan.conditions]
    differences = tuple(
        None
        if one.condition is one.base
        else difference(points[one.base.number], points[one.condition.number])
        for one in study_findings
    )
    return ReadStudy(plan, _study_file(given, plan.name), versions, study_findings, differences)


def _study_file(results: Path, name: str) -> Path:
    own = f"{name}.toml"
    for folder in (results.parent, results.parent.parent / "studies"):
        if (folder / own).is_file():
            return folder / own
    return Path(own)


def difference(first: Sequence[float], other: Sequence[float]) -> Estimate:
    """Difference of two conditions, over the pairs of games that both have, as a share.

    Pairs of one number have the same chance under both, which is why they are compared one by one.

    >>> difference([0.5] * 3, [1.0] * 3).mean
    0.75
    """
    return estimate((b - a + 1) / 2 for a, b in zip(first, other, strict=False))


# What is known


def hollow(study: ReadStudy, by: str, question: int | None = None) -> str | None:
    """Reason why a study's games say nothing by a share, difference or counter, or nothing of a
    question; None where they do."""
    differences = {
        one.condition.number: apart
        for one, apart in zip(study.findings, study.differences, strict=True)
    }
    reason = why_hollow(study.findings, differences, by)
    conditions = [one.condition for one in study.findings]
    if reason is None and question is not None and not asks(conditions, question):
        return NOT_ASKED
    return reason


def verdict_of(study: ReadStudy, question: int) -> Verdict:
    """Verdict on a question, by what its study file names first: `hollow` where the games cannot
    say."""
    is_hollow = hollow(study, answered_by(study, question)[0], question) is not None
    return HOLLOW if is_hollow else precision_of(study, question)


def precision_of(study: ReadStudy, question: int) -> Verdict:
    """Precision of the games on what a study file names first, whatever they are worth."""
    by = answered_by(study, question)[0]
    if by == SHARE:
        each = [one.verdict for one in study.findings]
    elif by == DIFFERENCE:
        each = [_verdict_on_difference(one) for one in study.differences if one is not None]
    else:
        each = [_verdict_on_counter(study, by)]
    if each and all(one == ANSWERED for one in each):
        return ANSWERED
    return LEANING if any(one != OPEN for one in each) else OPEN


def answered_by(study: ReadStudy, question: int) -> list[str]:
    """Sources of an answer to a question: `share`, `difference` or counters."""
    return study.plan.tables.answers.get(str(question)) or [SHARE]


def _verdict_on_difference(estimate: Estimate) -> Verdict:
    if estimate.count and 2 * estimate.radius <= ANSWERED_WITHIN:
        return ANSWERED
    leans = estimate.count >= LEANING_PAIRS and estimate.excludes_even
    return LEANING if leans else OPEN


def _verdict_on_counter(study: ReadStudy, name: str) -> Verdict:
    """A counter is answered when it is known to 3 % of itself, or to three points where it is a
    share, under every condition; it leans when a test tells something of it, or when an amount, of
    which there is nothing to be told from, is known to 10 % under every condition."""
    known = [one.counts.get(name) for one in study.findings]
    if all(mean is not None and _is_within(mean, ANSWERED_WITHIN) for mean in known):
        return ANSWERED
    if _told_apart(study, name) or _told_from_half(study, name):
        return LEANING
    roughly = all(
        mean is not None and not mean.is_share and _is_within(mean, ROUGHLY_WITHIN)
        for mean in known
    )
    return LEANING if roughly else OPEN


def _is_within(mean: Mean, part: float) -> bool:
    scale = 1.0 if mean.is_share else abs(mean.mean)
    low, high = mean.interval()
    return mean.pairs >= LEANING_PAIRS and max(mean.mean - low, high - mean.mean) <= part * scale


def _told_apart(study: ReadStudy, name: str) -> list[Finding]:
    """The conditions under which a counter is not what it is under their base."""
    others = _compared(study)
    tests = len(others)
    return [one for one in others if name in one.apart and one.apart[name].leaves_out(0.0, tests)]


def _compared(study: ReadStudy) -> list[Finding]:
    """The conditions that are compared with another."""
    return [one for one in study.findings if one.condition is not one.base]


def _told_from_half(study: ReadStudy, name: str) -> list[Finding]:
    """The conditions under which something happens in more, or in fewer, than half of the games."""
    tests = len(study.findings)
    return [
        one
        for one in study.findings
        if name in one.counts
        and one.counts[name].is_share
        and one.counts[name].leaves_out(0.5, tests)
    ]


# In words


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to one of the inventors' questions."""

    question: int
    verdict: Verdict
    sentences: tuple[str, ...]
    studies: tuple[str, ...]


def answers(studies: Iterable[ReadStudy], language: str) -> list[Answer]:
    """An answer for each question that the studies are about; the best verdict counts."""
    by_question: dict[int, list[ReadStudy]] = {}
    for study in studies:
        for question in study.plan.tables.questions:
            by_question.setdefault(question, []).append(study)
    return [
        Answer(
            question,
            max((verdict_of(study, question) for study in several), key=_RANK.index),
            tuple(
                dict.fromkeys(
                    sentence
                    for study in several
                    for by in answered_by(study, question)
                    for sentence in _sentences(study, by, question, language)
                )
            ),
            tuple(study.plan.name for study in several),
        )
        for question, several in sorted(by_question.items())
    ]


def _sentences(study: ReadStudy, by: str, question: int, language: str) -> list[str]:
    played = [one for one in study.findings if one.games]
    if not played:
        return [text("report.nothing", language)]
    reason = hollow(study, by, question)
    if reason is not None:
        why = text(f"report.hollow.{reason}", language)
        return [text("report.hollow.study", language, study=study.plan.name, reason=why)]
    if by == SHARE:
        return [_of_shares(played, language)]
    if by == DIFFERENCE:
        return _of_differences(study, language)
    known = [(one, one.counts[by]) for one in played if by in one.counts]
    if not known:
        return []
    figures = [
        text("report.with", language, condition=one.condition.label, figure=_mean(mean, language))
        if len(study.findings) > 1
        else _mean(mean, language)
        for one, mean in known
    ]
    if len(figures) > LISTED:
        least = min(range(len(known)), key=lambda at: known[at][1].mean)
        most = max(range(len(known)), key=lambda at: known[at][1].mean)
        figures = [figures[least], figures[most]]
    name = counter_called(by, language)
    sentences = [text("report.counter", language, counter=name, figures="; ".join(figures))]
    return sentences + _of_tests(study, by, language)


def _of_tests(study: ReadStudy, name: str, language: str) -> list[str]:
    """Sentences on the tests of a counter."""
    half, apart = _told_from_half(study, name), _told_apart(study, name)
    sentences = []
    if half and len(study.findings) == 1:
        is_more = half[0].counts[name].mean > 0.5
        sentences.append(
            text("report.counter.more" if is_more else "report.counter.fewer", language)
        )
    elif half:
        more = sum(one.counts[name].mean > 0.5 for one in half)
        sentences.append(
            text(
                "report.counter.half",
                language,
                more=more,
                fewer=len(half) - more,
                count=len(study.findings),
            )
        )
    others = _compared(study)
    tests = len(others)
    for base in dict.fromkeys(one.base.number for one in others):
        near = [one for one in others if one.base.number == base and name in one.apart]
        if not any(one.apart[name].pairs >= LEANING_PAIRS for one in near):
            continue
        ordered = sorted(
            (one for one in apart if one.base.number == base),
            key=lambda one: -abs(one.apart[name].mean),
        )
        figures = [
            text(
                "report.with",
                language,
                condition=one.condition.label,
                figure=_interval(one.apart[name].mean, one.apart[name].interval(tests), language),
            )
            for one in ordered[:LISTED]
        ]
        sentences.append(
            text(
                "report.counter.apart" if figures else "report.counter.alike",
                language,
                first=study.plan.conditions[base].label,
                figures="; ".join(figures),
            )
        )
    return sentences


def _of_shares(played: Sequence[Finding], language: str) -> str:
    of_whom = "match" if played[0].condition.is_match else "sides"
    if len(played) == 1:
        return text(f"report.{of_whom}", language, share=_share(played[0].share, language))
    near = min(played, key=lambda one: abs(one.share.mean - 0.5))
    far = max(played, key=lambda one: abs(one.share.mean - 0.5))
    return text(
        f"report.{of_whom}.many",
        language,
        near=near.condition.label,
        near_share=_share(near.share, language),
        far=far.condition.label,
        far_share=_share(far.share, language),
        count=len(played),
        known=sum(one.verdict == ANSWERED for one in played),
        out=sum(one.share.excludes_even for one in played),
    )


def _of_differences(study: ReadStudy, language: str) -> list[str]:
    return [
        text(
            "report.difference",
            language,
            condition=finding.condition.label,
            first=finding.base.label,
            points=_points(margin.mean),
            low=_points(margin.low),
            high=_points(margin.high),
        )
        for finding, margin in zip(study.findings, study.differences, strict=True)
        if margin is not None and margin.count
    ]


def _points(share: float) -> str:
    """A difference in points, from where one half is none.

    >>> _points(0.525), _points(0.5)
    ('+5.0', '0.0')
    """
    points = 200 * (share - 0.5)
    return f"{points:+.1f}" if abs(points) >= 0.05 else "0.0"


def _share(estimate: Estimate, language: str) -> str:
    return text(
        "report.interval",
        language,
        mean=f"{estimate.mean:.1%}",
        low=f"{estimate.low:.1%}",
        high=f"{estimate.high:.1%}",
    )


def _mean(mean: Mean, language: str) -> str:
    return _interval(mean.mean, mean.interval(), language)


def _interval(mean: float, ends: tuple[float, float], language: str) -> str:
    low, high = map(_figure, ends)
    return text("report.interval", language, mean=_figure(mean), low=low, high=high)


def _figure(value: float) -> str:
    """A counter's figure with three digits that tell something.

    >>> _figure(0.0123), _figure(45.67), _figure(1234.5)
    ('0.012', '45.7', '1234')
    """
    return (
        f"{value:.0f}"
        if abs(value) >= 100
        else f"{value:.1f}"
        if abs(value) >= 10
        else f"{value:.3g}"
        if abs(value) >= 1
        else f"{value:.3f}"
    )


def counter_called(name: str, language: str) -> str:
    """A counter for people; of a game of somebody's own, which may have none, its own name."""
    if name.startswith(ENDED):
        return text("counter.ended", language, reason=name.removeprefix(ENDED))
    return texts(language).get(f"counter.{name}", name)


# Blocks


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a report; `text` of a plot is its file."""

    kind: Literal["h1", "h2", "p", "code", "plot"]
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a report."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Report = list[Block | Table]


def report_of(
    studies: Sequence[ReadStudy], plots: Callable[[ReadStudy], str | None], language: str
) -> Report:
    """The blocks of a report; `plots` gives the file of a study's plot, None for no plot."""

    def say(id: str, **params: object) -> str:
        return text(f"report.{id}", language, **params)

    sections = answers(studies, language)
    blocks: Report = [Block("h1", say("title")), Block("p", say("intro"))]
    if sections:
        blocks.append(
            Block("p", say("count", **{v: sum(a.verdict == v for a in sections) for v in _RANK}))
        )
        blocks.append(
            Table(
                (say("number"), say("question"), say("verdict"), say("answer")),
                tuple(
                    (
                        str(one.question),
                        _question(one.question, language),
                        say(one.verdict),
                        " ".join(one.sentences),
                    )
                    for one in sections
                ),
            )
        )
    for study in studies:
        blocks += _of_study(study, plots(study), say, language)
    return blocks


def _question(number: int, language: str) -> str:
    return texts(language).get(f"report.question.{number}", "")


def _of_study(study: ReadStudy, plot: str | None, say: Callable[..., str], language: str) -> Report:
    tables = study.plan.tables
    players = _players(study, language)
    start = say(f"start.{tables.start.by}", plies=tables.start.plies)
    rule = say("stop", pairs=tables.stop.pairs, within=f"{100 * tables.stop.within:g}")
    if tables.stop.even:
        rule = say("stop.even", pairs=tables.stop.pairs, within=f"{100 * tables.stop.within:g}")
    game = texts(language).get(f"game.{tables.game}.name", tables.game)
    blocks: Report = [
        Block("h2", tables.title),
        Block("p", say("method", game=game, players=players, start=start, stop=rule)),
    ]
    if tables.notes:
        blocks.append(Block("p", tables.notes))
    blocks.append(_figures(study, say, language))
    if plot is not None:
        blocks.append(Block("plot", plot))
    hours = study.cpu_s / 3600
    blocks += [
        Block(
            "p",
            say(
                "cost",
                games=f"{study.games:,}",
                hours=f"{hours:.2f}",
                pace=f"{study.games / hours:,.0f}" if hours else "0",
                versions=study.versions,
                seed=tables.seed,
            ),
        ),
        Block("code", f"{start_word()} study run {quote(shortest(study.file))}"),
    ]
    return blocks


def _players(study: ReadStudy, language: str) -> str:
    def called(level: object, playouts: object) -> str:
        levels = level if isinstance(level, list) else [level]
        names = [texts(language).get(f"level.{name}", str(name)) for name in levels]
        numbers = playouts if isinstance(playouts, list) else [playouts] if playouts else []
        return f"{', '.join(names)} ({', '.join(map(str, numbers))})" if numbers else names[0]

    first, second = study.plan.tables.first, study.plan.tables.second
    one = called(first.level, first.playouts)
    if second is None:
        return text("report.alone", language, player=one)
    other = called(second.level, second.playouts)
    return text("report.against", language, first=one, second=other)


def _figures(study: ReadStudy, say: Callable[..., str], language: str) -> Table:
    counters = shown_counters(study)
    is_hollow = hollow(study, SHARE) is not None
    head = [say("condition"), say("share"), say("difference.head"), say("pairs"), say("verdict")]
    head += [say("draws"), say("unfinished")]
    rows = []
    for one, apart in zip(study.findings, study.differences, strict=True):
        row = [one.condition.label, _share(one.share, language) if one.games else "–"]
        row.append(
            "–"
            if apart is None or not apart.count
            else f"{_points(apart.mean)} ({_points(apart.low)} … {_points(apart.high)})"
        )
        row += [
            str(one.share.count),
            say(HOLLOW if is_hollow else one.verdict),
            str(one.draws),
            str(one.unfinished),
        ]
        row += [
            _mean(one.counts[name], language) if name in one.counts else "–" for name in counters
        ]
        rows.append(tuple(row))
    return Table((*head, *(counter_called(name, language) for name in counters)), tuple(rows))


def shown_counters(study: ReadStudy) -> list[str]:
    """The counters that a table shows: plies, choices, and what answers a question."""
    wanted = ["plies", "choices"]
    for several in study.plan.tables.answers.values():
        wanted += [name for name in several if name not in (SHARE, DIFFERENCE, *wanted)]
    there = {name for one in study.findings for name in one.counts}
    return [name for name in wanted if name in there]


# As files


def markdown(blocks: Report) -> str:
    """A report as Markdown.

    >>> print(markdown([Block("h1", "Found"), Table(("a", "b"), (("1", "2"),))]))
    # Found
    <BLANKLINE>
    | a | b |
    |---|---|
    | 1 | 2 |
    <BLANKLINE>
    """
    shapes = {"h1": "# {}", "h2": "## {}", "p": "{}", "code": "    {}", "plot": "![]({})"}
    parts = []
    for block in blocks:
        if isinstance(block, Table):
            lines = [block.head, ("---",) * len(block.head), *block.rows]
            cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
            rows = [f"| {' | '.join(line)} |" for line in cells]
            rows[1] = "|" + "---|" * len(block.head)
            parts.append("\n".join(rows))
        else:
            parts.append(shapes[block.kind].format(block.text))
    return "\n\n".join(parts) + "\n"


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem; }
h2 { margin-top: 3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
.short { white-space: nowrap; }
th, td { border-bottom: 1px solid #ccc; padding: 0.3rem 0.8rem 0.3rem 0; text-align: left;
  vertical-align: top; }
code { background: #f2f2f2; padding: 0.2rem 0.4rem; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #1b1b1b; }
  th, td { border-color: #555; } code { background: #333; }
  svg { background: #fff; } }
"""


def _cell(text: str) -> str:
    """A cell of a page's table: what is short stays on one line."""
    style = ' class="short"' if len(text) <= SHORT else ""
    return f"<td{style}>{html.escape(text)}</td>"


def page(blocks: Report, language: str, svg: Callable[[str], str]) -> str:
    """A report as one HTML page; `svg` gives the drawing of a plot's file."""
    body = []
    for block in blocks:
        if isinstance(block, Table):
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in block.head)
            rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in block.rows)
            body.append(
                f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
                f"<tbody>{rows}</tbody></table></div>"
            )
        elif block.kind == "plot":
            body.append(f'<div class="wide">{svg(block.text)}</div>')
        elif block.kind == "code":
            body.append(f"<p><code>{html.escape(block.text)}</code></p>")
        else:
            body.append(f"<{block.kind}>{html.escape(block.text)}</{block.kind}>")
    title = next((one.text for one in blocks if isinstance(one, Block)), "")
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )
