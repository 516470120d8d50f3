"""Plots of the machine's noise: how often detours come, and what they cost."""

from collections.abc import Iterator
from typing import Any

from leadline.analysis.jitter.noise import median_spacing
from leadline.analysis.jitter.periods import spectrum
from leadline.analysis.samples import PointSamples
from leadline.core.units import format_seconds
from leadline.model.noise import Noise
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData, short

# What keeps a page small: figures of a panel, those watched the longest.
_FIGURES = 2


def noise_of_figures(data: ReportData) -> dict[int, Noise]:
    """Return the noise of figures by their index."""
    return {each.point: each for each in data.analysis.noise}


def longest_watched(panel: Panel, data: ReportData) -> list[tuple[int, Noise]]:
    """Return the figures of a panel in which noise was watched the longest, with that noise."""
    noise = data.once(noise_of_figures)
    found = [(index, noise[index]) for index in panel.figures if index in noise]
    found.sort(key=lambda each: (-round(each[1].observed_s, 1), each[1].quantum_s))
    return found[:_FIGURES]


def _spectra(samples: PointSamples) -> Iterator[tuple[int, Row]]:
    for index, heard in samples.heard.items():
        spans = [float(row.begin[-1] - row.begin[0]) for row in heard.rows]
        frequency, power = spectrum(heard.detours, spans, median_spacing(heard))
        frequencies = [float(f"{value:.5g}") for value in frequency]
        yield index, {"frequency_hz": frequencies, "power": short(power)}


def _spectrum_data(panel: Panel, data: ReportData) -> dict[str, list[Row]] | None:
    names = panel.names()
    found = longest_watched(panel, data)
    spectra = [
        {"figure": names[index], **kept}
        for index, _ in found
        if (kept := data.kept.of("spectrum", data.analysis.points[index]))
    ]
    if not any(row["power"] for row in spectra):
        return None
    return {
        "spectra": spectra,
        "periods": [row for index, noise in found for row in _periods(names[index], noise)],
    }


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


def _draw_spectrum(panel: Panel, data: dict[str, list[Row]]) -> vl.Specification:
    choice = vl.chooser("figure", [row["figure"] for row in data["spectra"]])
    across = {"type": "log", "nice": False}
    x = vl.axis("frequency_hz", "frequency (Hz)", across, format="~g", tickCount=8)
    encoding = {
        "x": x,
        "y": vl.log_axis("power", "power over that of chance"),
        "tooltip": vl.tooltip(frequency_hz="frequency (Hz)", power="power"),
    }
    at = {**x, "field": "at_hz"}
    named = {
        "x": at,
        "y": {"value": 278},
        "text": {"field": "label", "type": "nominal"},
        "tooltip": vl.tooltip(
            period_ms="period (ms)", duration_us="takes (µs)", lost_percent="of the time (%)",
            source="comes from",
        ),
    }  # fmt: skip
    periods = [{name: vl.rounded(value) for name, value in row.items()} for row in data["periods"]]
    marks: dict[str, Any] = {
        "data": {"values": periods},
        "transform": choice.transform,
        "layer": [
            vl.layer("rule", {"x": at}, style="reference"),
            vl.layer("text", named, align="left", angle=270, dx=4, dy=-5),
        ],
    }
    line = {
        **vl.layer("line", encoding, strokeWidth=1),
        "transform": [
            *choice.transform,
            {"flatten": ["frequency_hz", "power"]},
            {"filter": "datum.power > 0.1"},
        ],
    }
    return vl.chart(
        data["spectra"],
        *("figure", "frequency_hz", "power"),
        params=choice.params,
        layer=[*([marks] if periods else []), line],
    )


SPECTRUM = Plot(
    name="spectrum",
    title="How often detours come",
    shows=(
        "Power of the begins of detours by frequency, both axes logarithmic, over what detours at "
        "random would have: the strongest of each narrow band, as the mean over ranks and "
        "launches. Dashed lines stand at the periods that were found; a period also shows at "
        "multiples of its frequency. Where there are several figures, one can be chosen."
    ),
    data=_spectrum_data,
    draw=_draw_spectrum,
    keep=lambda run, whole_page: _spectra,
)


def _noise_cost_data(panel: Panel, data: ReportData) -> list[Row]:
    names = panel.names()
    return [
        {
            "figure": names[index],
            "phase": f"phases of {_format_decade(cost.phase_s)}",
            "tasks": cost.tasks,
            "slowdown": cost.slowdown,
            "low": cost.ci95_low if cost.ci95_high is not None else None,
            "high": cost.ci95_high,
            "together": cost.together_slowdown,
            "reach": cost.reach,
        }
        for index, noise in longest_watched(panel, data)
        for cost in noise.costs
    ]


def _format_decade(seconds: float) -> str:
    """Return a decade of seconds without digits that say nothing, such as `100 µs`."""
    scale, unit = next((s, u) for s, u in ((1e6, "µs"), (1e3, "ms"), (1, "s")) if seconds * s < 999)
    return f"{seconds * scale:g} {unit}"


def _draw_noise_cost(panel: Panel, rows: list[Row]) -> vl.Specification:
    choice = vl.chooser("figure", list(dict.fromkeys(row["figure"] for row in rows)))
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    ranks = [2, *(10**n for n in range(1, 7))]
    scale = {"type": "log", "nice": False, "padding": 12}
    encoding = {
        "x": vl.axis("tasks", "ranks", scale, values=ranks, format="~s"),
        "y": vl.log_axis("slowdown", "times as long as without noise"),
        "color": vl.colour(phases, "phase"),
    }
    known = "datum.reach != 'beyond'"
    words = vl.tooltip(
        phase="compute for", tasks="ranks", slowdown="times as long", low="95 % from",
        high="95 % to", together="if all were hit at once", reach="rests on",
    )  # fmt: skip
    marked = {**encoding, "shape": vl.shape(phases, "phase"), "tooltip": words}
    look = {"size": 46, "opacity": 1}
    return vl.chart(
        rows,
        *("figure", "phase", "tasks", "slowdown", "low", "high", "together", "reach"),
        params=choice.params,
        transform=choice.transform,
        layer=[
            vl.spread("area", encoding, "low", "high", known, opacity=0.18),
            vl.layer("line", encoding, known, strokeWidth=1.75),
            vl.layer("point", marked, "datum.reach == 'samples'", filled=True, **look),
            vl.layer("point", marked, "datum.reach == 'tail'", filled=False, **look),
        ],
    )


NOISE_COST = Plot(
    name="noise_cost",
    title="What noise costs on more ranks",
    shows=(
        "How many times as long phases of computation take whose ranks then wait for the slowest, "
        "against the number of ranks, both axes logarithmic, with 95 % bands: for phases of "
        "several lengths, and ranks that are hit independently. Filled symbols rest on as many "
        "phases as were seen, hollow ones on a tail that is fitted to them; curves end where "
        "neither says anything. Where there are several figures, one can be chosen."
    ),
    data=_noise_cost_data,
    draw=_draw_noise_cost,
)
