"""Figures for the action github-action-benchmark, with its tool `customSmallerIsBetter`.

One entry a figure. Its reader of google-benchmark's JSON takes each launch for a figure of its own.
"""

import msgspec

from leadline.core.units import format_seconds
from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.results import figure_names
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary


def _write(run: Run, analysis: Analysis) -> str:
    named = zip(figure_names(analysis.points), analysis.points, strict=True)
    entries = [_entry(name, point) for name, point in named]
    return msgspec.json.format(msgspec.json.encode(entries), indent=2).decode() + "\n"


def _entry(name: str, point: PointSummary) -> dict[str, str | float]:
    entry: dict[str, str | float] = {"name": name, "unit": "us", "value": point.median_s * 1e6}
    if point.interval:
        entry["range"] = " to ".join(map(format_seconds, point.interval))
    launches = "launch" if point.launches == 1 else "launches"
    return entry | {"extra": f"{point.statistic} of {point.launches} {launches}"}


EXPORT = ResultExport(title="figures for the action github-action-benchmark", write=_write)
