"""Plots of what a study found (matplotlib, an extra): shares and counters with their intervals."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any

from lumiban.i18n import text
from lumiban.study.report import ReadStudy, counter_called, shown_counters

MAX_COUNTERS = 2
"""Counters that are plotted beside the shares; the table has all."""
INCHES_A_CONDITION = 0.32
COLOUR = "#0072b2"
JAPANESE = ("Noto Sans CJK JP", "IPAexGothic", "IPAGothic", "Hiragino Sans", "Yu Gothic")


def has_matplotlib() -> bool:
    """True if plots can be drawn here."""
    return find_spec("matplotlib") is not None


def _japanese() -> list[str]:
    """Fonts with Japanese that are here: matplotlib complains of each one that is not."""
    from matplotlib.font_manager import get_font_names

    here = set(get_font_names())
    return [name for name in JAPANESE if name in here][:1]


def plot(study: ReadStudy, language: str) -> str:
    """A study's plot as SVG: a row a condition, a column for shares and for each counter."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = [name for name in shown_counters(study) if name not in ("plies", "choices")]
    names = (names or shown_counters(study))[:MAX_COUNTERS]
    played = [one for one in study.findings if one.games]
    height = 1.2 + INCHES_A_CONDITION * len(played)
    # Text as outlines looks the same everywhere; the salt makes the same figures the same file.
    settings: dict[str, Any] = {
        "svg.hashsalt": "lumiban",
        "font.family": ["DejaVu Sans", *(_japanese() if language == "ja" else ())],
        "font.size": 9,
    }
    with mpl.rc_context(settings):
        figure = Figure(figsize=(10, height), layout="constrained")
        columns = figure.subplots(1, 1 + len(names), sharey=True, squeeze=False)[0]
        rows = range(len(played))
        for row, one in zip(rows, played, strict=True):
            low, mean, high = (100 * x for x in (one.share.low, one.share.mean, one.share.high))
            columns[0].errorbar(
                mean,
                row,
                xerr=[[mean - low], [high - mean]],
                fmt="o",
                color=COLOUR,
                capsize=3,
            )
        columns[0].axvline(50, color="#999999", linewidth=1, linestyle="--")
        columns[0].set_xlabel(text("report.share", language) + " / %")
        columns[0].set_yticks(list(rows), [one.condition.label for one in played])
        columns[0].set_ylim(len(played) - 0.5, -0.5)
        for column, name in zip(columns[1:], names, strict=True):
            for row, one in zip(rows, played, strict=True):
                mean_of = one.counts.get(name)
                if mean_of is not None:
                    low, high = mean_of.interval()
                    mean = mean_of.mean
                    ends = [[mean - low], [high - mean]]
                    column.errorbar(mean, row, xerr=ends, fmt=".", color="#333", capsize=3)
            column.set_xlabel(counter_called(name, language))
        for column in columns:
            column.grid(axis="x", color="#dddddd", linewidth=0.5)
            column.spines[["top", "right"]].set_visible(False)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    drawn = out.getvalue()
    return drawn[drawn.index("<svg") :]
