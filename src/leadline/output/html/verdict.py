"""The first screen of a page: tiles, headline figures, what to do, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leadline.analysis.verdict import verdict_of
from leadline.core.units import number, percent, times
from leadline.model.run import Run
from leadline.model.summary import Analysis, Gain
from leadline.model.verdict import Action, Headline, HeadlineValue, Verdict
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


class Cell(NamedTuple):
    """A headline figure of one MPI, with half the width of its interval in percent."""

    value: str
    half: str
    best: bool
    point: int | None


class Line(NamedTuple):
    """A headline: a cell for each MPI, and what it is compared with."""

    title: str
    unit: str
    cells: tuple[Cell, ...]
    beside: str
    reached: float | None


class Screen(NamedTuple):
    """All that the first screen shows.

    `libraries` are the columns of the lines; each action has its gain as a text, and what is
    `usual` its sources.
    """

    verdict: Verdict
    tiles: tuple[Tile, ...]
    libraries: tuple[str, ...]
    lines: tuple[Line, ...]
    actions: tuple[tuple[Action, str], ...]
    usual: tuple[tuple[str, tuple[str, ...]], ...] = ()


def screen(run: Run, analysis: Analysis) -> Screen:
    """Return the first screen of a run."""
    verdict = verdict_of(run, analysis)
    headlines = verdict.headlines
    libraries = tuple(
        dict.fromkeys(value.mpi for headline in headlines for value in headline.values if value.mpi)
    )
    return Screen(
        verdict=verdict,
        tiles=tuple(_tiles(verdict)),
        libraries=libraries,
        lines=tuple(_line(headline, libraries or ("",)) for headline in headlines),
        actions=tuple(
            (action, gain_text(action.gain) if action.gain else "") for action in verdict.actions
        ),
        usual=tuple(_usual(headline) for headline in headlines if headline.usual),
    )


def gain_text(gain: Gain) -> str:
    """Return how many times faster, with the interval where there is one."""
    if gain.low is None or gain.high is None:
        return times(gain.times)
    return f"{times(gain.times)} ({times(gain.low)} to {times(gain.high)})"


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


def _usual(headline: Headline) -> tuple[str, tuple[str, ...]]:
    """Return what is usual for the class of the machine, and where it was published."""
    usual = headline.usual
    if usual is None:
        return "", ()
    found = f"{number(usual.low)} to {number(usual.high)} {_unit(headline.unit)}"
    return f"{headline.title}, usual {usual.text}: {found}", usual.sources


def _line(headline: Headline, libraries: Sequence[str]) -> Line:
    of = {value.mpi: value for value in headline.values}
    # What belongs to no MPI stands in the first column.
    cells = [of.get(mpi) or (of.get("") if at == 0 else None) for at, mpi in enumerate(libraries)]
    unit = _unit(headline.unit)
    return Line(
        title=headline.title,
        unit=unit,
        cells=tuple(_cell(value) for value in cells),
        beside=_beside(headline, unit),
        reached=headline.beside.reached if headline.beside else None,
    )


def _beside(headline: Headline, unit: str) -> str:
    """Return how far the best value is from what it is compared with."""
    beside = headline.beside
    if beside is None:
        return ""
    value = f"{number(beside.value)} {unit}"
    if headline.rate:
        return f"{percent(beside.reached)} of {beside.text} ({number(beside.value)})"
    faster = f", {times(1 / beside.reached)} faster" if beside.reached > 0 else ""
    return f"{beside.text}: {value}{faster}"


def _cell(value: HeadlineValue | None) -> Cell:
    if value is None:
        return Cell("-", "", best=False, point=None)
    if value.low is None or value.high is None or not value.value:
        return Cell(number(value.value), "", value.best, value.point)
    half = percent((value.high - value.low) / 2 / value.value)
    return Cell(number(value.value), f"±{half}", value.best, value.point)


def _unit(unit: str) -> str:
    return "µs" if unit == "us" else unit


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
    value = f"{number(best.value)} {_unit(headline.unit)}"
    return Tile(value, f"{headline.title}{named}", "#headlines")
