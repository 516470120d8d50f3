"""The first screen of a page: headline figures, what to do, and how far to trust it."""

from __future__ import annotations

import re
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
    has_several_mpis,
    headline_table,
    mpi_tables,
    of_no_mpi,
    rate_texts,
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

    Each action has its gain as a text, and what is `usual` its sources. Of several MPIs the
    headlines are tables with a row for each, and `notes` say what is not of one MPI.
    """

    verdict: Verdict
    short: list[ShortLine]
    headlines: list[Table]
    notes: list[str]
    actions: list[tuple[Action, str]]
    usual: list[tuple[str, tuple[str, ...]]]
    actions_heading: str = ACTIONS_HEADING


def screen(run: Run, analysis: Analysis) -> Screen:
    """Return the first screen of a run."""
    verdict = verdict_of(run, analysis)
    headlines = verdict.headlines
    several = has_several_mpis(headlines)
    return Screen(
        verdict=verdict,
        short=short_lines(verdict),
        headlines=_headlines(headlines),
        notes=[*rate_texts(headlines), *of_no_mpi(headlines)] if several else [],
        actions=[
            (action, gain_text(action.gain) if action.gain else "") for action in verdict.actions
        ],
        usual=[(usual_text(each), each.usual.sources) for each in headlines if each.usual],
    )


def _headlines(headlines: Sequence[Headline]) -> list[Table]:
    """Return the tables of the terminal, with headings for those who hear them."""
    if has_several_mpis(headlines):
        first, *more = map(_with_micro, mpi_tables(headlines))
        caption = "Medians, ± half the width of their 95 % intervals; * surely the best MPI"
        return [
            first._replace(caption=caption),
            *(each._replace(caption="Further figures") for each in more),
        ]
    table = headline_table(headlines)
    caption = "Medians, ± half the width of their 95 % intervals"
    shown = (Column("Figure"), Column("Unit"), *table.columns[2:])
    return [_with_micro(table._replace(caption=caption, columns=shown))] if table.rows else []


def _with_micro(table: Table) -> Table:
    def written(text: str) -> str:
        return re.sub(r"\bus\b", "µs", text)

    return table._replace(
        columns=tuple(each._replace(name=written(each.name)) for each in table.columns),
        rows=tuple(
            row._replace(cells=(row.cells[0], *map(written, row.cells[1:]))) for row in table.rows
        ),
    )


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
