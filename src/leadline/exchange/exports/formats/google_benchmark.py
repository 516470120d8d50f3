"""Figures in the JSON of google-benchmark, for its tools/compare.py and what else reads it.

A launch is a repetition: `real_time` is its median. Nobody measured `cpu_time`, which is 0.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.results import began, conditions, figure_names, launch_times
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, MissingFigure, PointSummary

_NS = 1e9


def _write(run: Run, analysis: Analysis) -> str:
    named = zip(figure_names(analysis.points), analysis.points, strict=True)
    content = {
        "context": _context(run),
        "benchmarks": [
            entry
            for family, (name, point) in enumerate(named)
            for entry in _entries(family, name, point)
        ]
        + [_error(point) for point in analysis.missing],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"


def _context(run: Run) -> dict[str, Any]:
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


def _entries(family: int, name: str, point: PointSummary) -> Iterator[dict[str, Any]]:
    times = launch_times(point)
    common = {
        "family_index": family,
        "per_family_instance_index": 0,
        "run_name": name,
        "repetitions": len(times),
        "threads": point.processes,
    }
    for index, seconds in enumerate(times):
        yield {
            "name": name,
            **common,
            "run_type": "iteration",
            "repetition_index": index,
            "iterations": max(1, point.samples // len(times)),
            **_time(point, seconds),
        }
    if len(times) > 1:
        yield {
            "name": f"{name}_median",
            **common,
            "run_type": "aggregate",
            "aggregate_name": "median",
            "aggregate_unit": "time",
            "iterations": len(times),
            **_time(point, point.median_s),
        }


def _error(point: MissingFigure) -> dict[str, Any]:
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


def _time(point: PointSummary, seconds: float) -> dict[str, Any]:
    known = {"real_time": seconds * _NS, "cpu_time": 0.0, "time_unit": "ns"}
    if point.bandwidth_MBps is None or seconds <= 0:
        return known
    return known | {"bytes_per_second": point.bandwidth_MBps * 1e6 * point.median_s / seconds}


EXPORT = ResultExport(title="figures as google-benchmark's JSON", write=_write)
