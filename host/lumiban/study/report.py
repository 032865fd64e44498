"""A report of studies: for each question a sentence, then method, figures, plots and cost.

It is built as blocks (headings, paragraphs, tables, plots), which are written as Markdown and as
one HTML page. What is read are results files alone, those of other rules too: a report says by
which rules its games were played.
"""

from __future__ import annotations

import html
import lzma
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Literal

from lumiban.errors import UsageError, why_unread
from lumiban.i18n import text, texts
from lumiban.invocation import shortest, start_word
from lumiban.study.findings import ANSWERED, ENDED, LEANING, OPEN, Finding, Mean, findings
from lumiban.study.hollow import (
    DIFFERENCE,
    HOLLOW,
    NOT_ASKED,
    SHARE,
    Judgement,
    asks,
    judge,
    verdict_on,
)
from lumiban.study.plan import Condition, Plan, load_plan
from lumiban.study.results import Results, read_plan
from lumiban.study.sequential import Estimate, estimate
from lumiban.system.csv_text import csv_text

COMPRESSED = ".xz"
MAX_BYTES = 2_000_000_000
"""A results file that is larger, unpacked, is refused."""
Verdict = str
_RANK = (HOLLOW, OPEN, LEANING, ANSWERED)


@dataclass(frozen=True, slots=True)
class ReadStudy:
    """A study as its results file has it."""

    plan: Plan
    file: Path
    """The study file: beside the results, or in `studies` beside their folder; by its name alone
    where it is in neither."""
    played_by: str
    """Python, the digest of rules and search, and the commit or wheel that lumiban was built of."""
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
    with unpacked(path) as file:
        return _read(file, path)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A results file as SQLite has it; UsageError for one that cannot be unpacked."""
    if path.suffix != COMPRESSED:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, path.stem)
        try:
            with lzma.open(path) as packed, file.open("wb") as out:
                while part := packed.read(1 << 20):
                    out.write(part)
                    if out.tell() > MAX_BYTES:
                        raise UsageError(f"{path} holds more than any study does")
        except (OSError, lzma.LZMAError, EOFError) as reason:
            raise UsageError(f"{path} cannot be unpacked: {why_unread(reason)}") from None
        yield file


def tables(path: Path) -> dict[str, str]:
    """A results file as CSV by the end of its name: `games.csv` with a row a game, its options and
    counters in columns, and `moves.csv` with a row a move; UsageError."""
    games: list[dict[str, object]] = []
    moves: list[dict[str, object]] = []
    with unpacked(path) as file, closing(Results(file, None)) as results:
        for one in read_plan(file)[0].conditions:
            rules = {f"option_{name}": value for name, value in one.options}
            second = one.second or one.first
            rules |= {"first": f"{one.first.name} {one.first.playouts}"}
            rules |= {"second": f"{second.name} {second.playouts}"}
            for game in results.games(one.number):
                row = {"condition": one.number, "game": one.slug, **rules, **asdict(game)}
                games.append(row | row.pop("counts"))
                del games[-1]["moves"]
            for move in results.moves(one.number):
                moves.append(dict(zip(_MOVE, (one.number, *move), strict=True)))
    return {"games.csv": csv_text(games), "moves.csv": csv_text(moves)}


_MOVE = ("condition", "pair", "half", "number", "side", "move")


def _read(path: Path, given: Path) -> ReadStudy:
    plan, played_by = read_plan(path)
    file = _study_file(given, plan.name)
    plan = _as_described(file, plan)
    with closing(Results(path, None)) as results:
        study_findings = tuple(findings(plan, results))
        points = [results.pair_points(one.number) for one in plan.conditions]
    differences = tuple(
        None
        if one.condition is one.base
        else difference(points[one.base.number], points[one.condition.number])
        for one in study_findings
    )
    return ReadStudy(plan, file, played_by, study_findings, differences)


def _as_described(file: Path, played: Plan) -> Plan:
    """The plan by its study file, whose questions may have changed since, where it still describes
    these games."""
    try:
        described = load_plan(file)
    except UsageError:
        return played
    return described if described.fingerprint == played.fingerprint else played


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


def judgements(study: ReadStudy, by: str) -> list[Judgement]:
    """Judgement on each set of rules by a share, a difference or a counter."""
    differences = {
        one.condition.number: apart
        for one, apart in zip(study.findings, study.differences, strict=True)
    }
    return judge(study.findings, differences, by)


def verdict_of(study: ReadStudy, question: int) -> Verdict:
    """Verdict on a question, by what its study file names first: `hollow` where the games cannot
    say."""
    if not asks((one.condition for one in study.findings), question):
        return HOLLOW
    return verdict_on(judgements(study, answered_by(study, question)[0]))


def answered_by(study: ReadStudy, question: int) -> list[str]:
    """Sources of an answer to a question: `share`, `difference` or counters."""
    return study.plan.tables.answers.get(str(question)) or [SHARE]


# In words


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to one of the inventors' questions."""

    question: int
    verdict: Verdict
    sentences: tuple[str, ...]
    studies: tuple[ReadStudy, ...]


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
                _sentence(study, by, question, language)
                for study in several
                for by in answered_by(study, question)
            ),
            tuple(several),
        )
        for question, several in sorted(by_question.items())
    ]


def _sentence(study: ReadStudy, by: str, question: int, language: str) -> str:
    if not any(one.games for one in study.findings):
        return text("report.nothing", language)
    if not asks((one.condition for one in study.findings), question):
        return f"{study.plan.name}: {text(f'report.why.{NOT_ASKED}', language)}"
    groups = "; ".join(_of_group(study, one, by, language) for one in judgements(study, by))
    if by == SHARE:
        name = "match" if study.findings[0].condition.is_match else "sides"
        return text(f"report.{name}", language, groups=groups)
    if by == DIFFERENCE:
        first = _rules(study.findings[0].base, language)
        return text("report.difference", language, first=first, groups=groups)
    return text("report.counter", language, counter=counter_called(by, language), groups=groups)


def _of_group(study: ReadStudy, one: Judgement, by: str, language: str) -> str:
    """What both strengths say under one set of rules."""
    change = "" if one.change is None else _interval(*one.change, language, sign="+")
    return text(
        f"report.{HOLLOW if one.verdict == HOLLOW else 'group'}.under",
        language,
        rules=_rules(one.strong.condition, language),
        weak=_figure_of(study, one.weak, by, language),
        less=_strength(one.weak.condition),
        strong=_figure_of(study, one.strong, by, language),
        more=_strength(one.strong.condition),
        why=text(f"report.why.{one.why}", language, change=change),
    )


def _figure_of(study: ReadStudy, one: Finding, by: str, language: str) -> str:
    if by == SHARE:
        return _share(one.share, language)
    if by == DIFFERENCE:
        apart = study.differences[one.condition.number]
        if apart is None:
            return "–"
        return _spread(language, *map(_points, (apart.mean, apart.low, apart.high)))
    return _mean(one.counts[by], language) if by in one.counts else "–"


def _rules(condition: Condition, language: str) -> str:
    """What is varied but the strength; where that is nothing, the game."""
    rules = [f"{name} {value}" for name, value in condition.varied if name not in _PLAYERS]
    game = texts(language).get(f"game.{condition.slug}.name", condition.slug)
    return ", ".join(rules) or game


_PLAYERS = ("first", "second")


def _strength(condition: Condition) -> str:
    second = "" if condition.second is None else f":{condition.second.playouts}"
    return f"{condition.first.playouts}{second}"


def _points(share: float) -> str:
    """A difference in points, from where one half is none.

    >>> _points(0.525), _points(0.5)
    ('+5.0', '0.0')
    """
    points = 200 * (share - 0.5)
    return f"{points:+.1f}" if abs(points) >= 0.05 else "0.0"


def _share(one: Estimate, language: str) -> str:
    return _spread(language, *(f"{end:.1%}" for end in (one.mean, one.low, one.high)))


def _mean(mean: Mean, language: str) -> str:
    return _interval(mean.mean, mean.low, mean.high, language)


def _interval(mean: float, low: float, high: float, language: str, sign: str = "") -> str:
    plus = sign if mean > 0 else ""
    return _spread(language, plus + _figure(mean), _figure(low), _figure(high))


def _spread(language: str, mean: str, low: str, high: str) -> str:
    return text("report.interval", language, mean=mean, low=low, high=high)


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
    """A counter for people; its own name where a player's own game has none."""
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
                        texts(language).get(f"report.question.{one.question}", ""),
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
                versions=study.played_by,
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
    verdicts = {
        finding.condition.number: one.verdict
        for one in judgements(study, SHARE)
        for finding in (one.weak, one.strong)
    }
    head = [say(one) for one in ("condition", "share", "pairs", "verdict", "draws", "unfinished")]
    rows = []
    for one in study.findings:
        row = [one.condition.label, _share(one.share, language) if one.games else "–"]
        row += [str(one.share.count), say(verdicts.get(one.condition.number, OPEN))]
        row += [str(one.draws), str(one.unfinished)]
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
td:not(:last-child) { white-space: nowrap; }
th, td { border-bottom: 1px solid #ccc; padding: 0.3rem 0.8rem 0.3rem 0; text-align: left;
  vertical-align: top; }
code { background: #f2f2f2; padding: 0.2rem 0.4rem; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #1b1b1b; }
  th, td { border-color: #555; } code { background: #333; }
  svg { background: #fff; } }
"""


def page(blocks: Report, language: str, svg: Callable[[str], str]) -> str:
    """A report as one HTML page; `svg` gives the drawing of a plot's file."""
    body = []
    for block in blocks:
        if isinstance(block, Table):
            head = "".join(f"<th>{html.escape(cell)}</th>" for cell in block.head)
            rows = "\n".join(
                f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
                for row in block.rows
            )
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
