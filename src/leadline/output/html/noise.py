"""Noise as it is drawn: how often detours come, and what they cost on more ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from leadline.analysis.jitter.noise import listen
from leadline.analysis.jitter.periods import SHORTEST_SLOTS
from leadline.analysis.jitter.spectrum import spectrum
from leadline.core.units import format_seconds
from leadline.model.noise import Noise
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis
from leadline.output.html.jitter import figure_names, short
from leadline.output.html.panels import Panel, Row

# What keeps a page small: figures of a panel, those watched the longest.
_FIGURES = 2


def with_noise(
    run: Run, analysis: Analysis, drawn: Sequence[Panel], source: SampleSource
) -> tuple[Panel, ...]:
    """Return the panels with the spectrum of the detours and the cost of noise of their figures."""
    noise = {each.point: each for each in analysis.noise}
    points = {point.index: point for point in run.points}
    panels = []
    for panel in drawn:
        chosen = sorted(
            (index for index in panel.figures if index in noise),
            key=lambda index: (-round(noise[index].observed_s, 1), noise[index].quantum_s),
        )[:_FIGURES]
        if not chosen:
            panels.append(panel)
            continue
        names = figure_names(panel, analysis.points)
        spectra = []
        for index in chosen:
            figure = analysis.points[index]
            if figure.point is None:
                continue
            heard = listen(run, source, points[figure.point], figure.series_index)
            if heard is not None:
                slot = noise[index].shortest_period_s / SHORTEST_SLOTS
                spans = [float(row.begin[-1] - row.begin[0]) for row in heard.rows]
                frequency, power = spectrum(heard.detours, spans, slot)
                spectra.append(
                    {
                        "figure": names[index],
                        "frequency_hz": [float(f"{value:.5g}") for value in frequency],
                        "power": short(power),
                    }
                )
        panels.append(
            msgspec.structs.replace(
                panel,
                spectra=tuple(spectra),
                periods=tuple(row for i in chosen for row in _periods(names[i], noise[i])),
                costs=tuple(row for i in chosen for row in _costs(names[i], noise[i])),
            )
        )
    return tuple(panels)


def _periods(name: str, noise: Noise) -> Iterator[Row]:
    for period in noise.periods:
        yield {
            "figure": name,
            "at_hz": 1 / period.period_s,
            "period_ms": period.period_s * 1e3,
            "label": format_seconds(period.period_s),
            "duration_us": period.duration_s * 1e6,
            "lost_percent": period.lost_fraction * 100,
            "source": period.source or "unknown",
        }


def _costs(name: str, noise: Noise) -> Iterator[Row]:
    for cost in noise.costs:
        yield {
            "figure": name,
            "phase": f"phases of {_round(cost.phase_s)}",
            "tasks": cost.tasks,
            "slowdown": cost.slowdown,
            "low": cost.ci95_low if cost.ci95_high is not None else None,
            "high": cost.ci95_high,
            "together": cost.together_slowdown,
            "reach": cost.reach,
        }


def _round(seconds: float) -> str:
    """Return a decade of seconds without digits that say nothing, such as `100 µs`."""
    scale, unit = next((s, u) for s, u in ((1e6, "µs"), (1e3, "ms"), (1, "s")) if seconds * s < 999)
    return f"{seconds * scale:g} {unit}"
