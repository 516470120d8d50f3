"""The formats in which samples and figures are written for other tools."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from leadline.core.units import format_seconds
from leadline.exchange.exports.figures import (
    began,
    conditions,
    figure_names,
    launch_times,
    quantities,
    rows,
)
from leadline.exchange.exports.prometheus import figures_text
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, MissingFigure, PointSummary
from leadline.store.parquet import connected, quoted, reading
from leadline.store.query import Rows, fetched, write_csv, write_json

_NS = 1e9


class SampleExport(NamedTuple):
    """`write(samples, stream)` writes the samples of the Parquet file `samples` to `stream`.

    `text` tells whether the result can be shown on a terminal.
    """

    title: str
    text: bool
    write: Callable[[Path, BinaryIO], None]


class ResultExport(NamedTuple):
    """`write(run, analysis)` returns the figures of a run as text."""

    title: str
    write: Callable[[Run, Analysis], str]


Export = SampleExport | ResultExport


def _rows_of_samples(write: Callable[[Rows, BinaryIO], None]) -> Callable[[Path, BinaryIO], None]:
    """Return what writes the rows of a Parquet file, in their order, as `write` does."""

    def write_samples(samples: Path, stream: BinaryIO) -> None:
        with reading(samples), connected() as connection:
            selected = connection.execute(f"SELECT * FROM read_parquet({quoted(samples)})")
            write(fetched(selected), stream)

    return write_samples


def _copy(samples: Path, stream: BinaryIO) -> None:
    with samples.open("rb") as source:
        shutil.copyfileobj(source, stream)


def _figures_csv(run: Run, analysis: Analysis) -> str:
    """Write a row a figure or planned point without one; a list of numbers is one cell."""
    found = rows(run, analysis)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, found[0] if found else ("run",), lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


def _cell(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


def _figures_json(run: Run, analysis: Analysis) -> str:
    lines = [msgspec.json.encode(row).decode() for row in rows(run, analysis)]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def _lines(run: Run, analysis: Analysis) -> Iterator[str]:
    problems = sum(finding.severity == "problem" for finding in analysis.findings)
    unverified = sum(not point.verified for point in analysis.points)
    yield f"# leadline {run.leadline}, {' '.join(run.run.split())}"
    yield f"leadline/complete: {int(run.outcome.state == 'complete')} 1"
    yield f"leadline/figures: {len(analysis.points)} 1"
    yield f"leadline/missing: {len(analysis.missing)} 1"
    yield f"leadline/unverified: {unverified} 1"
    yield f"leadline/problems: {problems} 1"
    for name, point in _named(analysis):
        for quantity, (value, unit) in quantities(point).items():
            yield f"{name}/{quantity}: {value!r} {unit}"


def _github_action(run: Run, analysis: Analysis) -> str:
    """Write JSON for the action's tool `customSmallerIsBetter`, one entry a figure.

    Its reader of google-benchmark's JSON takes each launch for a figure of its own.
    """
    return _indented([_action_entry(name, point) for name, point in _named(analysis)])


def _action_entry(name: str, point: PointSummary) -> dict[str, str | float]:
    entry: dict[str, str | float] = {"name": name, "unit": "us", "value": point.median_s * 1e6}
    if point.interval:
        entry["range"] = " to ".join(map(format_seconds, point.interval))
    launches = "launch" if point.launches == 1 else "launches"
    return entry | {"extra": f"{point.statistic} of {point.launches} {launches}"}


def _pyperf(run: Run, analysis: Analysis) -> str:
    """Write pyperf's JSON.

    A launch is a run of pyperf's with one value, its median in seconds: more values of one launch
    would make pyperf believe that it knows the machine better.
    """
    # pyperf refuses a file that holds a time of zero.
    benchmarks = [
        _pyperf_benchmark(name, point)
        for name, point in _named(analysis)
        if min(launch_times(point)) > 0
    ]
    when = began(run)
    about = {
        "hostname": run.machine.get("host"),
        "cpu_model_name": run.machine.get("cpu_model"),
        "date": when.strftime("%Y-%m-%d %H:%M:%S.%f") if when else None,
        "leadline_version": run.leadline,
        "leadline_run": run.run,
        "unit": "second",
    }
    content = {"version": "1.0", "metadata": _one_line_each(about), "benchmarks": benchmarks}
    return msgspec.json.encode(content).decode() + "\n"


def _pyperf_benchmark(name: str, point: PointSummary) -> dict[str, Any]:
    about = {
        "name": name,
        "mpi": point.mpi,
        "placement": f"{point.nodes}x{point.processes_per_node}",
        "statistic": point.statistic,
    }
    runs = [{"values": [seconds]} for seconds in launch_times(point)]
    return {"metadata": _one_line_each(about), "runs": runs}


def _one_line_each(known: Mapping[str, str | None]) -> dict[str, str]:
    """Return what pyperf takes: texts of one line, and none that is empty."""
    lines = {name: " ".join(str(value or "").split()) for name, value in known.items()}
    return {name: line for name, line in lines.items() if line}


def _google_benchmark(run: Run, analysis: Analysis) -> str:
    """Write google-benchmark's JSON, for its tools/compare.py and what else reads it.

    A launch is a repetition: `real_time` is its median. Nobody measured `cpu_time`, which is 0.
    """
    content = {
        "context": _google_context(run),
        "benchmarks": [
            entry
            for family, (name, point) in enumerate(_named(analysis))
            for entry in _google_entries(family, name, point)
        ]
        + [_google_error(point) for point in analysis.missing],
    }
    return _indented(content)


def _google_context(run: Run) -> dict[str, Any]:
    when = began(run)
    frequency = run.machine.get("nominal_frequency_hz") or 0
    return {
        "date": when.isoformat(timespec="seconds") if when else "",
        "host_name": run.machine.get("host", ""),
        "executable": "leadline",
        "num_cpus": run.machine.get("cores") or 0,
        "mhz_per_cpu": round(frequency / 1e6),
        "cpu_scaling_enabled": run.machine.get("frequency_governor") not in (None, "performance"),
        "caches": [],
        "load_avg": [value for name, value in run.load_before.items() if name == "load_1_min"],
        "library_version": f"leadline {run.leadline}",
        "library_build_type": "release",
        "json_schema_version": 1,
        "leadline_run": run.run,
    }


def _google_entries(family: int, name: str, point: PointSummary) -> Iterator[dict[str, Any]]:
    times = launch_times(point)
    common = {
        "family_index": family,
        "per_family_instance_index": 0,
        "run_name": name,
        "repetitions": len(times),
        "threads": point.processes,
    }
    one = {"run_type": "iteration", "iterations": max(1, point.samples // len(times))}
    for index, seconds in enumerate(times):
        repetition = {"name": name, **common, "repetition_index": index}
        yield repetition | one | _google_time(point, seconds)
    if len(times) > 1:
        yield {
            "name": f"{name}_median",
            **common,
            "run_type": "aggregate",
            "aggregate_name": "median",
            "aggregate_unit": "time",
            "iterations": len(times),
            **_google_time(point, point.median_s),
        }


def _google_error(point: MissingFigure) -> dict[str, Any]:
    size = () if point.bytes is None else (f"bytes={point.bytes}",)
    where = f"{point.nodes}x{point.processes_per_node}"
    chosen = variant(point.axes, conditions(point)).split(",")
    name = "/".join(filter(None, (point.benchmark, *size, *chosen, point.mpi, where)))
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "threads": point.processes,
        "error_occurred": True,
        "error_message": point.reason,
    }


def _google_time(point: PointSummary, seconds: float) -> dict[str, Any]:
    known = {"real_time": seconds * _NS, "cpu_time": 0.0, "time_unit": "ns"}
    if point.bandwidth_MBps is None or seconds <= 0:
        return known
    return known | {"bytes_per_second": point.bandwidth_MBps * 1e6 * point.median_s / seconds}


def _named(analysis: Analysis) -> Iterator[tuple[str, PointSummary]]:
    yield from zip(figure_names(analysis.points), analysis.points, strict=True)


def _indented(content: object) -> str:
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"


FORMATS: dict[str, Export] = {
    "csv": SampleExport(
        "raw samples as comma-separated values", text=True, write=_rows_of_samples(write_csv)
    ),
    "figures-csv": ResultExport(
        "figures as comma-separated values, one row a figure", _figures_csv
    ),
    "figures-json": ResultExport("figures as a JSON array, one object a figure", _figures_json),
    "github-action-benchmark": ResultExport(
        "figures for the action github-action-benchmark", _github_action
    ),
    "google-benchmark": ResultExport("figures as google-benchmark's JSON", _google_benchmark),
    "json": SampleExport(
        "raw samples as a JSON array of objects", text=True, write=_rows_of_samples(write_json)
    ),
    "lines": ResultExport(
        "figures of merit as lines `NAME: VALUE UNIT`, for Ramble, Benchpark and ReFrame",
        lambda run, analysis: "".join(f"{line}\n" for line in _lines(run, analysis)),
    ),
    "parquet": SampleExport(
        "raw samples as the file that the run folder holds", text=False, write=_copy
    ),
    "prometheus": ResultExport(
        "figures for Prometheus, by the textfile collector of node_exporter", figures_text
    ),
    "pyperf": ResultExport("figures as pyperf's JSON, for `pyperf compare_to`", _pyperf),
}
