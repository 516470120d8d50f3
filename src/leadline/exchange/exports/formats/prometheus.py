"""Figures in the text format of Prometheus, for the textfile collector of its node_exporter.

Metrics are called as Prometheus' "Metric and label naming" asks for, in base units. They carry no
time stamps, which the collector refuses, and no name of a run: a figure stays one time series from
run to run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.gauges import Gauge, Labels, gauges, identifier
from leadline.exchange.exports.results import Quantity, began, conditions, quantities
from leadline.model.run import Run
from leadline.model.summary import Analysis, MissingFigure, PointSummary

# What a metric's name ends in, and the factor to the base unit.
_UNITS = {
    "s": ("_seconds", 1.0),
    "MB/s": ("_bytes_per_second", 1e6),
    "1/s": ("_per_second", 1.0),
    "B": ("_bytes", 1.0),
    "MiB": ("_bytes", 2.0**20),
    "1": ("", 1.0),
}
_HELP = {
    "median": "Median over launches of the time of one operation.",
    "mean": "Mean time of one operation.",
    "min": "Shortest time of one operation.",
    "max": "Longest time of one operation.",
    "single": "Time of one operation, as another program printed it.",
    "ci95_low": "Lower end of the 95 % interval of the time of one operation.",
    "ci95_high": "Upper end of the 95 % interval of the time of one operation.",
    "p90": "Time that 90 % of the operations take at most.",
    "p99": "Time that 99 % of the operations take at most.",
    "bandwidth": "Bytes that one operation moves over its time.",
    "message_rate": "Messages that one operation sends over its time.",
}


def _write(run: Run, analysis: Analysis) -> str:
    return gauges((*_of_run(run, analysis), *_of_figures(analysis.points), *_of_missing(analysis)))


def _of_run(run: Run, analysis: Analysis) -> Iterator[Gauge]:
    about = {
        "run": run.run,
        "state": run.outcome.state,
        "leadline": run.leadline,
        "host": str(run.machine.get("host", "")),
    }
    yield Gauge("leadline_run_info", "The run that the figures are of.", about, 1)
    when = began(run)
    if when:
        words = "When the run began, or its figures were measured, in seconds since 1970."
        yield Gauge("leadline_run_start_timestamp_seconds", words, {}, when.timestamp())
    complete = run.outcome.state == "complete"
    yield Gauge("leadline_run_complete", "Whether all of the plan was measured.", {}, complete)
    found = Counter((finding.kind, finding.severity) for finding in analysis.findings)
    for (kind, severity), count in found.items():
        labels = {"kind": kind, "severity": severity}
        yield Gauge("leadline_findings", "Findings of the run.", labels, count)


def _of_figures(points: Sequence[PointSummary]) -> Iterator[Gauge]:
    for labels, point in zip(_labels(points), points, strict=True):
        for name, measured in quantities(point).items():
            words = _HELP.get(name, f"{name}, as the benchmark defines it.")
            metric, value = _metric(name, measured)
            yield Gauge(metric, words, labels, value)
        words = "Launches that the figure is made of."
        yield Gauge("leadline_operation_launches", words, labels, point.launches)
        words = "Whether every byte was checked and right."
        yield Gauge("leadline_operation_verified", words, labels, point.verified)


def _of_missing(analysis: Analysis) -> Iterator[Gauge]:
    for labels, point in zip(_labels(analysis.missing), analysis.missing, strict=True):
        words = "A planned point that has no figure, and why."
        yield Gauge("leadline_operation_missing", words, labels | {"reason": point.reason}, 1)


def _metric(name: str, measured: Quantity) -> tuple[str, float]:
    """Return the full name of a metric and its value in base units.

    >>> _metric("bandwidth", Quantity(8.5, "MB/s"))
    ('leadline_operation_bandwidth_bytes_per_second', 8500000.0)
    """
    ending, factor = _UNITS[measured.unit]
    return f"leadline_operation_{identifier(name)}{ending}", measured.value * factor


def _labels(points: Sequence[PointSummary | MissingFigure]) -> list[Labels]:
    """Return what tells each figure from the others; no two are alike, or all would be refused."""
    seen: Counter[tuple[tuple[str, str], ...]] = Counter()
    found = []
    for point in points:
        named = {
            "benchmark": point.benchmark,
            "series": point.series if isinstance(point, PointSummary) else None,
            "mpi": point.mpi,
            "placement": f"{point.nodes}x{point.processes_per_node}",
            "bytes": point.bytes,
        }
        chosen = {
            identifier(name): value for name, value in {**point.axes, **conditions(point)}.items()
        }
        labels = {
            name: str(value)
            for name, value in (named | chosen | named).items()
            if value is not None
        }
        key = tuple(labels.items())
        seen[key] += 1
        found.append(labels | {"figure": str(seen[key])} if seen[key] > 1 else labels)
    return found


EXPORT = ResultExport(
    title="figures for Prometheus, by the textfile collector of node_exporter", write=_write
)
