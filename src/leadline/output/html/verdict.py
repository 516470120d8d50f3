"""The first screen of a page: headline figures, what to do, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leadline.analysis.verdict import verdict_of
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.model.verdict import Action, Headline, Verdict
from leadline.output.first_screen import (
    ACTIONS_HEADING,
    ShortLine,
    gain_text,
    headline_table,
    short_lines,
    usual_text,
)
from leadline.output.html.panels import Panel
from leadline.output.html.plots import PLOTS
from leadline.output.html.vegalite import Specification
from leadline.output.table import Column, Table

# What the chart of the first screen is called.
PICTURE = "verdict-picture"
_PICTURE_HEIGHT = 215


class Screen(NamedTuple):
    """All that the first screen shows.

    Each action has its gain as a text, and what is `usual` its sources.
    """

    verdict: Verdict
    short: list[ShortLine]
    headlines: Table
    actions: list[tuple[Action, str]]
    usual: list[tuple[str, tuple[str, ...]]]
    actions_heading: str = ACTIONS_HEADING


def screen(run: Run, analysis: Analysis) -> Screen:
    """Return the first screen of a run."""
    verdict = verdict_of(run, analysis)
    headlines = verdict.headlines
    return Screen(
        verdict=verdict,
        short=short_lines(verdict),
        headlines=_headlines(headlines),
        actions=[
            (action, gain_text(action.gain) if action.gain else "") for action in verdict.actions
        ],
        usual=[(usual_text(each), each.usual.sources) for each in headlines if each.usual],
    )


def _headlines(headlines: Sequence[Headline]) -> Table:
    """Return the table of the terminal, with headings for those who hear them."""
    table = headline_table(headlines)
    rows = tuple(
        row._replace(cells=(row.cells[0], row.cells[1].replace("us", "µs"), *row.cells[2:]))
        for row in table.rows
    )
    caption = "Medians, ± half the width of their 95 % intervals; * surely the best MPI"
    return Table(caption, (Column("Figure"), Column("Unit"), *table.columns[2:]), rows)


def picture(
    run: Run, headlines: Sequence[Headline], drawn: Sequence[Panel]
) -> tuple[str, Specification] | None:
    """Return the title and the chart that stand beside the headline figures.

    That is the first chart of the panel which has the first headline's figure.
    """
    names = {benchmark.name: benchmark.title for benchmark in run.benchmarks}
    wanted = [value.point for headline in headlines[:1] for value in headline.values]
    ranked = sorted(drawn, key=lambda panel: not set(wanted) & set(panel.figures))
    for panel in ranked:
        for plot in PLOTS:
            if plot.applies(panel) and not plot.steadiness:
                own = {"description": plot.describe(panel), **plot.specification(panel)}
                own["height"] = min(_PICTURE_HEIGHT, own["height"])
                return f"{plot.title}: {names.get(panel.benchmark) or panel.benchmark}", own
    return None
