"""`leadline show --plot`: one plot of the report, for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.completion import complete_runs
from leadline.cli.options import Shared, argument, declared, option, write
from leadline.core.errors import UserError
from leadline.core.extras import require
from leadline.output.table import table_of

if TYPE_CHECKING:
    from leadline.output.html.charts import Chart
    from leadline.output.html.together import Part


@declared()
def command(
    runs_or_files: tuple[str, ...] = argument(
        "RUN...", required=True, shell_complete=complete_runs
    ),
    plot: str | None = option(
        "Which plot; without NAME all plots are listed.", "[NAME]", is_flag=False, flag_value=""
    ),
    benchmark: str | None = option("Which benchmark, if several have the plot."),
    series: str | None = option("Which series of the benchmark."),
    place: str | None = option("Which placement, NODESxPROCESSES_PER_NODE."),
    only: tuple[str, ...] = option(
        "Only points with these values of `mpi`, `place`, `bytes`, an axis, a setting or a knob.",
        "NAME=VALUE,...",
    ),
    names: tuple[str, ...] = option(
        "Name of a run's curves; give one for each RUN in the same order.", "--name TEXT"
    ),
    show: str | None = option("Which entry of a plot with a list  [default: the first]", "TEXT"),
    title: str = option("Title above the plot.", "TEXT", default=""),
    theme: str = option("", type=click.Choice(["light", "dark"]), default="light"),
    width: int = option(
        "Whole width in pixels; in a pdf in points, of which an inch has 72.",
        type=click.IntRange(100, 10_000),
        default=480,
    ),
    height: int | None = option(
        "Whole height in the same unit  [default: the plot's own]", type=click.IntRange(60, 10_000)
    ),
    scale: float = option(
        "Dots for each pixel, of a png.", type=click.FloatRange(0.1, 20), default=3.0
    ),
    output: str | None = option(
        "File to write, which ends in .svg, .pdf, .png, .vl.json (Vega-Lite) or .csv (the data).",
        "FILE",
    ),
    runs: Path = Shared.runs,
) -> None:
    """Draw one plot of runs, for a paper.

    With several RUNs each is a curve. RUN is a name that `leadline runs` lists, its unique
    beginning, `last`, a path, or a file of another program; a colon and NAME=VALUE,... after it
    takes a part, as for `leadline compare`: last:mpi=mpich-5,place=1x2.
    """
    from leadline.output.html.plot_file import Look, alone, picture

    plot = plot or None

    form = None if output is None else _form(output)
    if form is not None:
        require("report")
    if plot is None and output is not None:
        raise UserError("which plot? Name one with --plot; without --output they are listed")

    parts = _parts(runs_or_files, names, benchmark, only, runs)
    wanted = {"plot": plot, "benchmark": benchmark, "series": series, "placement": place}
    found = _matching(_charts(parts, renamed=bool(names)), wanted)
    if plot is None:
        _print(found)
        return
    if output is None or form is None:
        raise UserError(f"name a file for {plot} with --output FILE, such as {plot}.pdf")
    look = Look(theme, width, height, title, show)
    content = picture(alone(_single(found), look), form, scale)
    write(output, lambda stream: stream.write(content))


def _form(output: str) -> str:
    from leadline.output.html.plot_file import FORMS

    form = next((each for each in FORMS if output.lower().endswith(f".{each}")), None)
    if form is None:
        known = ", ".join(f".{each}" for each in FORMS)
        raise UserError(f"{output}: unknown format: end its name in one of {known}")
    return form


def _parts(
    words: Sequence[str],
    names: Sequence[str],
    benchmark: str | None,
    only: Sequence[str],
    runs: Path,
) -> list[Part]:
    from leadline.analysis.compare.matching import of_benchmark
    from leadline.exchange.subject import narrowed, part
    from leadline.output.html.together import analyse_part

    if names and len(names) != len(words):
        raise UserError(f"{len(names)} --name for {len(words)} RUN: give one for each, or none")
    parts = []
    for position, word in enumerate(words):
        name, (run, samples, _) = part(word, runs)
        if benchmark:
            run = of_benchmark(run, benchmark)
        for condition in only:
            run = narrowed(run, condition, condition.partition("=")[2].split(","))
        parts.append(analyse_part(names[position] if names else name, run, samples))
    return parts


def _charts(parts: Sequence[Part], renamed: bool) -> list[Chart]:
    from leadline.analysis.compare.compare import compare
    from leadline.output.html.charts import charts
    from leadline.output.html.plot_file import ratio_charts
    from leadline.output.html.together import together

    found = charts(together(parts) if renamed or len(parts) > 1 else parts[0].panels())
    if len(parts) == 2:
        base, other = parts
        compared = compare(base.name, base.analysis.points, other.name, other.analysis.points)
        found += ratio_charts(compared)
    return found


def _matching(drawn: Sequence[Chart], wanted: dict[str, str | None]) -> list[Chart]:
    if not drawn:
        raise UserError("there is nothing that could be drawn: `leadline show` says why")
    found = list(drawn)
    for name, value in wanted.items():
        there = list(dict.fromkeys(_value(chart, name) for chart in found))
        found = [chart for chart in found if value in (None, _value(chart, name))]
        if not found:
            raise UserError(f"no figure has {name} {value!r}: there is {'; '.join(there)}")
    return found


def _value(chart: Chart, name: str) -> str:
    return chart.plot.name if name == "plot" else str(getattr(chart.panel, name))


def _single(found: Sequence[Chart]) -> Chart:
    if len(found) > 1:
        shown = [f"{each.panel.benchmark} {each.panel.title}" for each in found[:5]]
        rest = [f"and {len(found) - 5} more"] if len(found) > 5 else []
        raise UserError(
            f"{len(found)} figures have that plot; choose with --benchmark, --series, --place or "
            f"--only: {'; '.join([*shown, *rest])}"
        )
    return found[0]


def _print(found: Sequence[Chart]) -> None:
    from leadline.output.terminal.table import print_table

    headings = ("--plot", "--benchmark", "--series", "--place", "curves", "what it shows")
    rows = (
        (
            chart.plot.name,
            chart.panel.benchmark,
            chart.panel.series,
            chart.panel.placement,
            len(chart.panel.curves),
            f"{chart.plot.title}: {chart.panel.title}",
        )
        for chart in found
    )
    print_table(table_of(headings, rows))
