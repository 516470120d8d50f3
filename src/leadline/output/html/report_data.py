"""Everything that plots are drawn from: a run, its analysis, and thinned samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from leadline.analysis.samples import PointSamples
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.html.panels import Panel

# What a plot keeps of a point's samples, for series by their index.
Keep = Callable[[PointSamples], Iterable[tuple[int, Any]]]
_Made = TypeVar("_Made")


class KeptSamples:
    """What plots keep of the samples of a run: a `leadline.analysis.samples.Collector`.

    By plot, point and index of the series. It is thin, however many samples there are.
    """

    def __init__(self, keep: Mapping[str, Keep] | None = None) -> None:
        self._keep = keep or {}
        self._kept: dict[tuple[str, int, int], Any] = {}

    def see(self, samples: PointSamples) -> None:
        """Let every plot take what it needs of a point."""
        for name, keep in self._keep.items():
            for series, kept in keep(samples):
                self._kept[name, samples.point.index, series] = kept

    def of(self, plot: str, figure: PointSummary) -> Any:
        """Return what a plot has kept of a figure's samples, None where that is nothing."""
        if figure.point is None:
            return None
        return self._kept.get((plot, figure.point, figure.series_index))

    def add(self, other: KeptSamples, first: int) -> None:
        """Add what was kept of another run, whose points are numbered from `first` on."""
        for (plot, point, series), kept in other._kept.items():
            self._kept[plot, point + first, series] = kept


class ReportData:
    """A run, its analysis, and what plots have kept of its samples.

    `panels` are those of its figures.
    """

    def __init__(
        self, run: Run, analysis: Analysis, kept: KeptSamples, panels: tuple[Panel, ...] = ()
    ) -> None:
        self.run = run
        self.analysis = analysis
        self.kept = kept
        self.panels = panels
        self._made: dict[object, Any] = {}

    def once(self, make: Callable[[ReportData], _Made]) -> _Made:
        """Return what `make` makes of these data, made once for all panels."""
        if make not in self._made:
            self._made[make] = make(self)
        made: _Made = self._made[make]
        return made


def no_data() -> ReportData:
    """Return the data of no run: with these a plot draws the points of a panel alone."""
    run = Run(
        run="", leadline="", plan=Plan(entries=()), started="", outcome=Outcome(state="complete")
    )
    return ReportData(run, Analysis(points=(), sweeps=()), KeptSamples())
