"""How often detours come, with the periods that were found."""

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
from leadline.output.html.report_data import ReportData
from leadline.output.html.thinning import short

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


def _data(panel: Panel, data: ReportData) -> dict[str, list[Row]] | None:
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


def _draw(panel: Panel, data: dict[str, list[Row]]) -> vl.Specification:
    choice = vl.chooser("figure", [row["figure"] for row in data["spectra"]])
    across = {"type": "log", "nice": False}
    x = vl.axis("frequency_hz", "frequency (Hz)", across, format="~g", tickCount=8)
    own = {
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
        **vl.layer("line", own, strokeWidth=1),
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


PLOT = Plot(
    name="spectrum",
    order=66,
    title="How often detours come",
    shows=(
        "Power of the begins of detours by frequency, both axes logarithmic, over what detours at "
        "random would have: the strongest of each narrow band, as the mean over ranks and "
        "launches. Dashed lines stand at the periods that were found; a period also shows at "
        "multiples of its frequency. Where there are several figures, one can be chosen."
    ),
    data=_data,
    draw=_draw,
    keep=lambda run, whole_page: _spectra,
)
