"""The first screen of a page: tiles, headline figures, what to do, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leadline.analysis.verdict import verdict_of
from leadline.core.units import number, percent, times
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.model.verdict import Action, Headline, HeadlineValue, Verdict
from leadline.output.first_screen import (
    ACTIONS_HEADING,
    HeadlineRow,
    ShortLine,
    gain_text,
    headline_rows,
    mpis_of,
    short_lines,
    usual_text,
)
from leadline.output.html.panels import Panel
from leadline.output.html.plots import PLOTS
from leadline.output.html.vegalite import Specification

# What the chart of the first screen is called.
PICTURE = "verdict-picture"
_PICTURE_HEIGHT = 215


class Tile(NamedTuple):
    """One answer in a word or a number, what it is of, and where it leads."""

    value: str
    text: str
    link: str
    tone: str = ""


class Screen(NamedTuple):
    """All that the first screen shows.

    `libraries` are the columns of the lines; each action has its gain as a text, and what is
    `usual` its sources.
    """

    verdict: Verdict
    short: list[ShortLine]
    tiles: list[Tile]
    libraries: tuple[str, ...]
    lines: list[HeadlineRow]
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
        tiles=_tiles(verdict),
        libraries=mpis_of(headlines),
        lines=headline_rows(headlines),
        actions=[
            (action, gain_text(action.gain) if action.gain else "") for action in verdict.actions
        ],
        usual=[(usual_text(each), each.usual.sources) for each in headlines if each.usual],
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


def _best(headline: Headline) -> HeadlineValue:
    pick = max if headline.rate else min
    return pick(headline.values, key=lambda value: value.value)


def _tiles(verdict: Verdict) -> list[Tile]:
    found = []
    latencies = [each for each in verdict.headlines if not each.rate and each.values]
    if latencies:
        found.append(_figure_tile(latencies[0]))
    rates = [each for each in verdict.headlines if each.rate and each.values]
    near = next((each for each in rates if each.beside), None)
    if near and near.beside:
        text = f"of {near.beside.text}: {near.title}"
        found.append(Tile(percent(near.beside.reached), text, "#headlines"))
    elif rates:
        found.append(_figure_tile(rates[0]))
    gains = [action.gain for action in verdict.actions if action.gain]
    faster = [each for each in latencies if each.beside and 0 < each.beside.reached < 1]
    if gains:
        largest = max(gains, key=lambda gain: gain.times)
        found.append(Tile(times(largest.times), "faster: the largest gain", "#actions", "good"))
    elif faster:
        slowest = min(faster, key=_reached)
        text = f"faster is possible: {slowest.title}"
        found.append(Tile(times(1 / _reached(slowest)), text, "#headlines", "good"))
    elif verdict.actions:
        found.append(Tile(str(len(verdict.actions)), "things to look at", "#actions", "notice"))
    return found


def _reached(headline: Headline) -> float:
    return headline.beside.reached if headline.beside else 1.0


def _figure_tile(headline: Headline) -> Tile:
    best = _best(headline)
    named = f", {best.mpi}" if len(headline.values) > 1 else ""
    value = f"{number(best.value)} {headline.unit}"
    return Tile(value, f"{headline.title}{named}", "#headlines")
