"""`lumiban study run` and `study report`: play what a study file describes; say what was found."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban.arguments import Cluster, Jobs, Json, to_write
from lumiban.errors import UsageError
from lumiban.i18n import terminal_language, text
from lumiban.invocation import adding
from lumiban.study.experiment import run_study
from lumiban.study.findings import findings
from lumiban.study.hollow import refuse_unusable
from lumiban.study.komi import find_even
from lumiban.study.plan import load_plan
from lumiban.study.plots import has_matplotlib, plot
from lumiban.study.report import answers, markdown, page, read_study, report_of, tables
from lumiban.study.results import Results
from lumiban.study.versions import versions
from lumiban.system.terminal import Progress, print_json, say
from lumiban.system.worker_pool import cores

if TYPE_CHECKING:
    from lumiban.study.experiment import Advance
    from lumiban.study.findings import Finding
    from lumiban.study.plan import Plan

S_A_MINUTE = 60


def run_command(
    file: Annotated[Path, Parameter(help="The study file (TOML); examples in docs/answers.")],
    /,
    *,
    results: Annotated[
        Path | None,
        Parameter(help="Where results are kept (SQLite): beside the study file by default."),
    ] = None,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Play the study that a file describes; interrupted, it goes on where it stopped.

    For example: {lumiban} study run examples/control-openings.toml

    The same file gives the same results on every machine, however many processes play.
    """
    plan = load_plan(file)
    refuse_unusable(plan.conditions)
    path = results or file.with_suffix(".sqlite")
    to_write(path, "--results")
    progress = Progress()
    with closing(Results(path, plan, versions())) as kept:
        try:
            progress.wait(text("study.begins", terminal_language()))
            run_study(
                plan, kept, jobs=jobs or cores(), cluster=cluster, advance=_Shown(progress).advance
            )
        finally:
            progress.clear()
        plan_findings = findings(plan, kept)
    if json:
        print_json(
            {
                "study": plan.name,
                "title": plan.tables.title,
                "game": plan.tables.game,
                "questions": plan.tables.questions,
                "results": str(path),
                "conditions": [one.as_json() for one in plan_findings],
            }
        )
        return
    _print_findings(plan, plan_findings, path)


def komi_command(
    file: Annotated[Path, Parameter(help="A study file of one condition: who plays which game.")],
    /,
    *,
    option: Annotated[
        str, Parameter(help="The option looked for; the more of it, the worse for who begins.")
    ] = "komi",
    least: Annotated[int, Parameter(help="The least value.")] = 0,
    most: Annotated[int, Parameter(help="The largest value.")] = 2_100,
    step: Annotated[int, Parameter(validator=Number(gte=1), help="Between two values.")] = 70,
    results: Annotated[
        Path | None,
        Parameter(help="Folder for the results of each value: beside the study file by default."),
    ] = None,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Find the value of an option at which a game is even, by halving; each value is a study.

    For example: {lumiban} study komi docs/answers/studies/rengi-even.toml --most 2100

    Interrupted, it goes on where it stopped.
    """
    plan = load_plan(file)
    folder = results or file.parent
    if least >= most:
        raise UsageError(f"--least {least} must be less than --most {most}")
    to_write(folder / "results", "--results")
    progress = Progress()
    try:
        progress.wait(text("study.begins", terminal_language()))
        bracket = find_even(
            plan,
            option,
            range(least, most + 1, step),
            folder,
            jobs=jobs or cores(),
            cluster=cluster,
            advance=_Shown(progress).advance,
        )
    finally:
        progress.clear()
    if json:
        tried = {str(value): [one.mean, one.low, one.high] for value, one in bracket.tried.items()}
        print_json({"option": option, "low": bracket.low, "high": bracket.high, "tried": tried})
        return
    for value, one in sorted(bracket.tried.items()):
        say(
            "komi.tried",
            option=option,
            value=value,
            share=f"{one.mean:.1%}",
            low=f"{one.low:.1%}",
            high=f"{one.high:.1%}",
            pairs=one.count,
            indent=2,
        )
    end = "more" if bracket.high is None else "less" if bracket.low is None else "between"
    if bracket.low == bracket.high:
        end = "at"
    say(f"komi.{end}", option=option, low=bracket.low, high=bracket.high)


def report_command(
    results: Annotated[
        list[Path],
        Parameter(help="Results files of studies (.sqlite, or compressed: .sqlite.xz)."),
    ],
    /,
    *,
    out: Annotated[Path, Parameter(help="Folder for the report.")] = Path("report"),
    csv: Annotated[
        bool, Parameter(negative="", help="Write games and moves too, as CSV: STUDY-games.csv …")
    ] = False,
    json: Json = False,
) -> None:
    """Write what studies found: Markdown, one HTML page, and plots; with --csv all games and moves.

    For example: {lumiban} study report examples/control-openings.sqlite --out found

    For each of the inventors' questions that the studies are about a sentence says what is known:
    answered, leaning, or open. LUMIBAN_LANG=ja writes it in Japanese.
    """
    language = terminal_language()
    studies = [read_study(path) for path in results]
    drawn: dict[str, str] = {}
    if has_matplotlib():
        drawn = {f"plots/{one.plan.name}.svg": plot(one, language) for one in studies if one.games}
    else:
        say("report.no-plots", command=adding("report"))

    def plotted(name: str) -> str | None:
        file = f"plots/{name}.svg"
        return file if file in drawn else None

    blocks = report_of(studies, lambda study: plotted(study.plan.name), language)
    files = {
        "report.md": markdown(blocks),
        "report.html": page(blocks, language, drawn.__getitem__),
    }
    if csv:
        for path, study in zip(results, studies, strict=True):
            files |= {f"{study.plan.name}-{end}": rows for end, rows in tables(path).items()}
    try:
        for name, content in {**files, **drawn}.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(content, encoding="utf-8")
    except OSError as reason:
        raise UsageError(f"{out} cannot be written: {reason.strerror}") from None
    answered = answers(studies, language)
    if json:
        print_json(
            {"out": str(out), "answers": {str(one.question): one.verdict for one in answered}}
        )
        return
    for one in answered:
        verdict = text(f"report.{one.verdict}", language)
        print(f"{one.question:>3}  {verdict}  {' '.join(one.sentences)}")
    say("report.written", path=str(out / "report.html"))


class _Shown:
    """The line that tells how far a study is, and how long it still takes at most."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._began: tuple[float, int] | None = None

    def advance(self, so_far: Advance) -> None:
        """Print it again; the pace is that since the first chunk of this run."""
        now = time.monotonic()
        if self._began is None:
            self._began = now, so_far.pairs
            return
        since, at_first = self._began
        pace = (so_far.pairs - at_first) / max(now - since, 1e-3)
        left = (so_far.most_pairs - so_far.pairs) / pace if pace else 0.0
        estimate = so_far.found
        self._progress.show(
            text(
                "experiment.progress",
                terminal_language(),
                pairs=so_far.pairs,
                most=so_far.most_pairs,
                minutes=f"{left / S_A_MINUTE:.0f}" if left >= S_A_MINUTE else "<1",
                condition=so_far.condition.label,
                share=f"{estimate.mean:.1%}",
                low=f"{estimate.low:.0%}",
                high=f"{estimate.high:.0%}",
            )
        )


def _print_findings(plan: Plan, plan_findings: list[Finding], path: Path) -> None:
    print(plan.tables.title)
    for one in plan_findings:
        of_whom = "match" if one.condition.is_match else "sides"
        say(
            f"experiment.share-{of_whom}",
            condition=one.condition.label,
            share=f"{one.share.mean:.1%}",
            low=f"{one.share.low:.1%}",
            high=f"{one.share.high:.1%}",
            pairs=one.share.count,
            indent=2,
        )
    say(
        "experiment.cost",
        hours=f"{sum(one.cpu_s for one in plan_findings) / 3600:.2f}",
        path=str(path),
    )
