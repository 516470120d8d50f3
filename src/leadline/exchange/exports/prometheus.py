"""Figures, nights, screenings and jobs for Prometheus, by node_exporter's textfile collector.

Its "Exposition formats", version 0.0.4, gauges only. Metrics are called as its "Metric and label
naming" asks for, in base units. They carry no time stamps, which the collector refuses, and no name
of a run: a figure stays one time series from run to run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, get_args

from leadline.exchange.exports.figures import Quantity, began, conditions, quantities
from leadline.model.job_report import LOSSES, CoreTime, JobReport, JobState
from leadline.model.run import Run
from leadline.model.screen import Screen
from leadline.model.summary import Analysis, MissingFigure, PointSummary
from leadline.model.watched import WatchedNight, WatchVerdict

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

Labels = dict[str, str]


class Gauge(NamedTuple):
    """A value of a metric, what the metric is, and the labels that tell its values apart."""

    metric: str
    help: str
    labels: Labels
    value: float


def figures_text(run: Run, analysis: Analysis) -> str:
    """Return the gauges of the figures of a run."""
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


def night_text(night: WatchedNight, plan: str) -> str:
    """Return the gauges of a night: counts of verdicts, and each figure against its usual time.

    `plan` becomes a label, since several plans of a node may be watched. Ratios are plain numbers.
    """
    return gauges(_of_night(night, plan))


def _of_night(night: WatchedNight, plan: str) -> Iterator[Gauge]:
    of = {"plan": plan}
    counts = Counter(each.said for each in night.figures)
    for verdict in get_args(WatchVerdict):
        labels = of | {"verdict": verdict}
        yield Gauge("leadline_watch_figures", "Figures with this verdict.", labels, counts[verdict])
    words = "How many times as long as usual most figures took, 1 where they did not move alike."
    yield Gauge("leadline_watch_machine_ratio", words, of, night.machine_ratio)
    words = "Launches that met a slow spell of the whole machine."
    yield Gauge("leadline_watch_slow_launches", words, of, night.slow_launches)
    seen: Counter[str] = Counter()
    for each in night.figures:
        seen[each.name] += 1
        name = f"{each.name} ({seen[each.name]})" if seen[each.name] > 1 else each.name
        known = each.said != "learning"
        again = None if each.fresh_ratio is None else each.fresh_launches
        rows = (
            ("alarm", "Whether the figure is slower for sure.", each.said == "slower"),
            ("ratio", "How many times its usual time the figure took.", each.ratio),
            (
                "again_ratio",
                "How many times its usual time the figure took when it was measured again.",
                each.fresh_ratio,
            ),
            ("again_launches", "Launches that measured the figure again.", again),
            (
                "earlier_software_ratio",
                "How many times as long as with the software of the run before, in turn.",
                each.old_ratio,
            ),
        )
        yield from _known("leadline_watch_", of | {"figure": name}, rows[: None if known else 1])


def _known(
    prefix: str, labels: Labels, rows: Iterable[tuple[str, str, float | None]]
) -> Iterator[Gauge]:
    """Yield a gauge for each row of name, meaning and value that has a value."""
    for name, words, value in rows:
        if value is not None:
            yield Gauge(f"{prefix}{name}", words, labels, value)


def screen_text(screen: Screen) -> str:
    """Return the gauges of a screening: counts, and probability and ratio of each suspect."""
    return gauges(_of_screen(screen))


def _of_screen(screen: Screen) -> Iterator[Gauge]:
    counts = (
        ("nodes", "Nodes that were measured.", len(screen.measured)),
        ("rounds", "Rounds of pairs that were measured.", screen.rounds),
        ("seconds", "Time that the screening took.", screen.seconds),
        ("complete", "Whether all was measured.", screen.is_complete),
        ("suspects", "Nodes, links and uplinks that are slow or silent.", len(screen.suspects)),
    )
    yield from _known("leadline_screen_", {}, counts)
    for each in screen.suspects:
        labels = {"kind": each.kind, "name": each.name, "figure": each.figure}
        rows = (
            ("probability", "Probability that it is at fault.", each.probability),
            ("ratio", "How many times as long as usual its figure takes.", each.ratio),
            ("new", "Whether the last screening of the same nodes did not have it.", each.is_new),
        )
        yield from _known("leadline_screen_suspect_", labels, rows)


def jobs_text(found: JobReport) -> str:
    """Return the gauges of all jobs: their time in all and by user, slow programs, late nodes."""
    return gauges(_of_jobs(found))


def _of_jobs(found: JobReport) -> Iterator[Gauge]:
    for state in get_args(JobState):
        words = "Jobs in this state."
        yield Gauge("leadline_jobs", words, {"state": state}, found.count(state))
    words = "Files that are no job's, or not that user's."
    yield Gauge("leadline_jobs_refused_files", words, {}, found.refused.files)
    yield from _of_time("leadline_jobs_", {}, found.time)
    for group in found.groups["user"]:
        yield from _of_time("leadline_jobs_user_", {"user": group.name}, group.time)
    for program in found.slower:
        labels = {
            "user": program.user,
            "program": program.program,
            "ranks": str(program.ranks),
            "library": program.library,
            "since": program.since,
        }
        words = "Time per MPI call of the program, divided by what it was before."
        yield Gauge("leadline_jobs_slower_ratio", words, labels, program.ratio)
    for node in found.late_nodes:
        words = "Core seconds that jobs of several programs waited for a late node."
        yield Gauge("leadline_jobs_late_node_seconds", words, {"node": node.node}, node.lost_s)


def _of_time(prefix: str, labels: Labels, time: CoreTime) -> Iterator[Gauge]:
    yield Gauge(f"{prefix}core_seconds", "Core seconds of all jobs.", labels, time.seconds)
    for what in LOSSES:
        words = "Core seconds that were lost."
        named = labels | {"to": what}
        yield Gauge(f"{prefix}lost_core_seconds", words, named, time.lost_to(what))


def gauges(values: Iterable[Gauge]) -> str:
    """Return the text: the values of one metric stand together."""
    families: dict[str, list[Gauge]] = {}
    for value in values:
        families.setdefault(value.metric, []).append(value)
    return "".join(f"{line}\n" for family in families.values() for line in _lines(family))


def identifier(name: str) -> str:
    """Return `name` as the name of a metric or label.

    >>> identifier("both ways")
    'both_ways'
    """
    return re.sub(r"^(?=\d)|^_+|[^A-Za-z0-9_]", "_", name)


def _lines(family: Sequence[Gauge]) -> Iterator[str]:
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
