"""Several runs on one chart: their panels side by side, each run with curves of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import analyse_samples, show_samples
from leadline.exchange.analysis import kept_analysis
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.output.html.charts import panels_with_data, sample_collector
from leadline.output.html.panels import Panel, Row
from leadline.output.html.report_data import KeptSamples


class Part(NamedTuple):
    """What was measured in a run, and what its curves are called."""

    name: str
    run: Run
    analysis: Analysis
    kept: KeptSamples

    def panels(self) -> tuple[Panel, ...]:
        """Return the panels with what is drawn on them."""
        return panels_with_data(self.run, self.analysis, self.kept)


def analyse_part(name: str, run: Run, source: SampleSource) -> Part:
    """Return a run with its figures, without what they mean, and samples of each chart alone."""
    kept = sample_collector(run, whole_page=False)
    known = kept_analysis(run, source)
    if known:
        show_samples(run, source, [kept])
    results = known or analyse_samples(run, source, [kept])
    analysis = Analysis(
        points=results.points,
        sweeps=sweeps(results.points, run.benchmarks),
        jitter=results.jitter,
        noise=results.noise,
        pairs=results.pairs,
    )
    return Part(name, run, analysis, kept)


def together(parts: Sequence[Part]) -> tuple[Panel, ...]:
    """Return the panels of all parts; those of one series and title are one.

    A curve is called by the name of its part, and by its own name behind that where the part has
    several on the panel.
    """
    groups: dict[tuple[str, ...], list[Panel]] = {}
    for name, part in zip(_unique([part.name for part in parts]), parts, strict=True):
        for panel in part.panels():
            key = (panel.benchmark, panel.series, panel.title)
            groups.setdefault(key, []).append(_renamed(panel, name))
    return tuple(_joined(panels, number) for number, panels in enumerate(groups.values()))


def _unique(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return found


def _renamed(panel: Panel, name: str) -> Panel:
    several = len(panel.curves) > 1
    curves = {curve: f"{name}, {curve}" if several else name for curve in panel.curves}
    return replace(
        panel,
        curves=tuple(curves.values()),
        figures=(),
        points=_rename(panel.points, name, curves),
        data=_rename(panel.data, name, curves),
    )


def _rename(value: Any, name: str, curves: Mapping[str, str]) -> Any:
    """Return rows, or what holds rows by name, with the names that they have beside other parts."""
    if isinstance(value, Mapping):
        return {key: _rename(rows, name, curves) for key, rows in value.items()}
    return tuple(_rename_row(row, name, curves) for row in value)


def _rename_row(row: Row, name: str, curves: Mapping[str, str]) -> Row:
    named: Row = {key: f"{name}, {row[key]}" for key in ("figure", "roof") if key in row}
    if "curve" in row:
        named["curve"] = curves.get(row["curve"], row["curve"])
    return {**row, **named}


def _joined(panels: Sequence[Panel], number: int) -> Panel:
    data = _join([panel.data for panel in panels])
    if "latency" in data:
        data.pop("interval", None)
    return replace(
        panels[0],
        identifier=f"panel-{number}",
        definition=next((each.definition for each in panels if each.definition), ""),
        curves=tuple(dict.fromkeys(curve for panel in panels for curve in panel.curves)),
        points=tuple(row for panel in panels for row in panel.points),
        data=data,
    )


def _join(values: Sequence[Any]) -> Any:
    """Return rows one after the other, equal ones once, or what holds rows by name."""
    if isinstance(values[0], Mapping):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: _join([value[key] for value in values if key in value]) for key in keys}
    rows: list[Row] = []
    for value in values:
        rows += [row for row in value if row not in rows]
    return rows
