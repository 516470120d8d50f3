"""Times over sizes as small plots on a terminal, the MPIs of a run in one picture."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from leadline.analysis.verdict.headlines import curves
from leadline.model.run import Run
from leadline.model.summary import Analysis

if TYPE_CHECKING:
    from rich.console import Console

_LINES = 10
# The frame and the labels at the right.
_MARGIN = 14
# Fewer sizes make no curve.
_LEAST_SIZES = 5


def print_curves(console: Console, run: Run, analysis: Analysis) -> None:
    """Print a plot of each benchmark with a curve over message sizes, of its default choices.

    Only on a terminal, as lines cannot be told apart without colours, and where the extra `report`
    is installed.
    """
    if not console.is_terminal or console.options.ascii_only or not find_spec("uniplot"):
        return
    for curve in curves(run, analysis):
        sizes = [
            [size for size in sorted(by_size) if size > 0] for by_size in curve.by_mpi.values()
        ]
        if not curve.benchmark.messages or max(map(len, sizes)) < _LEAST_SIZES:
            continue
        times = [
            [1e6 * analysis.points[by_size[size]].median_s for size in own]
            for own, by_size in zip(sizes, curve.by_mpi.values(), strict=True)
        ]
        title = curve.benchmark.title or curve.benchmark.name
        _print(console, f"{title}, us by bytes", sizes, times, list(curve.by_mpi))


def _print(
    console: Console, title: str, xs: list[list[int]], ys: list[list[float]], names: list[str]
) -> None:
    # Half a second of imports that nothing else needs.
    from rich.text import Text
    from uniplot import plot_to_string

    console.print()
    console.print(title, style="bold")
    drawn = plot_to_string(
        xs=xs,
        ys=ys,
        lines=True,
        x_as_log=True,
        y_as_log=True,
        width=max(20, console.width - _MARGIN),
        height=_LINES,
        legend_labels=names,
        character_set="braille",
        color=True,
    )
    for line in drawn if isinstance(drawn, list) else drawn.splitlines():
        console.print(Text.from_ansi(line), soft_wrap=True)
