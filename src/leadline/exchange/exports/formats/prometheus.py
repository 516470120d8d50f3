"""Figures in the text format of Prometheus, for the textfile collector of its node_exporter.

The text is that of Prometheus' "Exposition formats", version 0.0.4; metrics are gauges called as
its "Metric and label naming" asks for, in base units. They carry no time stamps, which the
collector refuses, and no name of a run: a figure stays one time series from run to run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.results import Quantity, began, conditions, quantities
from leadline.model.run import Run
from leadline.model.summary import Analysis, MissingFigure, PointSummary

Labels = dict[str, str]

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


class _Sample(NamedTuple):
    metric: str
    help: str
    labels: Labels
    value: float


def _write(run: Run, analysis: Analysis) -> str:
    families: dict[str, list[_Sample]] = {}
    samples = (*_of_run(run, analysis), *_of_figures(analysis.points), *_of_missing(analysis))
    for sample in samples:
        families.setdefault(sample.metric, []).append(sample)
    return "".join(f"{line}\n" for family in families.values() for line in _lines(family))


def _of_run(run: Run, analysis: Analysis) -> Iterator[_Sample]:
    about = {
        "run": run.run,
        "state": run.outcome.state,
        "leadline": run.leadline,
        "host": str(run.machine.get("host", "")),
    }
    yield _Sample("leadline_run_info", "The run that the figures are of.", about, 1)
    when = began(run)
    if when:
        words = "When the run began, or its figures were measured, in seconds since 1970."
        yield _Sample("leadline_run_start_timestamp_seconds", words, {}, when.timestamp())
    complete = run.outcome.state == "complete"
    yield _Sample("leadline_run_complete", "Whether all of the plan was measured.", {}, complete)
    found = Counter((finding.kind, finding.severity) for finding in analysis.findings)
    for (kind, severity), count in found.items():
        labels = {"kind": kind, "severity": severity}
        yield _Sample("leadline_findings", "Findings of the run.", labels, count)


def _of_figures(points: Sequence[PointSummary]) -> Iterator[_Sample]:
    for labels, point in zip(_labels(points), points, strict=True):
        for name, measured in quantities(point).items():
            words = _HELP.get(name, f"{name}, as the benchmark defines it.")
            metric, value = _metric(name, measured)
            yield _Sample(metric, words, labels, value)
        words = "Launches that the figure is made of."
        yield _Sample("leadline_operation_launches", words, labels, point.launches)
        words = "Whether every byte was checked and right."
        yield _Sample("leadline_operation_verified", words, labels, point.verified)


def _of_missing(analysis: Analysis) -> Iterator[_Sample]:
    for labels, point in zip(_labels(analysis.missing), analysis.missing, strict=True):
        words = "A planned point that has no figure, and why."
        yield _Sample("leadline_operation_missing", words, labels | {"reason": point.reason}, 1)


def _metric(name: str, measured: Quantity) -> tuple[str, float]:
    """Return the full name of a metric and its value in base units.

    >>> _metric("bandwidth", Quantity(8.5, "MB/s"))
    ('leadline_operation_bandwidth_bytes_per_second', 8500000.0)
    """
    ending, factor = _UNITS[measured.unit]
    return f"leadline_operation_{_identifier(name)}{ending}", measured.value * factor


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
            _identifier(name): value for name, value in {**point.axes, **conditions(point)}.items()
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


def _identifier(name: str) -> str:
    """Return `name` as the name of a metric or label."""
    return re.sub(r"^(?=\d)|^_+|[^A-Za-z0-9_]", "_", name)


def _lines(family: Sequence[_Sample]) -> Iterator[str]:
    metric, words = family[0].metric, family[0].help
    yield f"# HELP {metric} {_escape(words)}"
    yield f"# TYPE {metric} gauge"
    for sample in family:
        labels = ",".join(
            f'{name}="{_escape(value, quote=True)}"' for name, value in sample.labels.items()
        )
        yield f"{metric}{f'{{{labels}}}' if labels else ''} {float(sample.value)!r}"


def _escape(text: str, quote: bool = False) -> str:
    escaped = text.replace("\\", r"\\").replace("\n", r"\n")
    return escaped.replace('"', r"\"") if quote else escaped


EXPORT = ResultExport(
    title="figures for Prometheus, by the textfile collector of node_exporter", write=_write
)
