"""Figures in the JSON of pyperf, for `pyperf compare_to` and its other commands.

A launch is a run of pyperf's with one value, its median in seconds: more values of one launch would
make pyperf believe that it knows the machine better.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from leadline.exchange.exports.format import ResultExport
from leadline.exchange.exports.results import began, figure_names, launch_times
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary


def _write(run: Run, analysis: Analysis) -> str:
    named = zip(figure_names(analysis.points), analysis.points, strict=True)
    # pyperf refuses a file that holds a time of zero.
    benchmarks = [_benchmark(name, point) for name, point in named if min(launch_times(point)) > 0]
    content = {"version": "1.0", "metadata": _about(run), "benchmarks": benchmarks}
    return msgspec.json.encode(content).decode() + "\n"


def _about(run: Run) -> dict[str, Any]:
    when = began(run)
    known = {
        "hostname": run.machine.get("host"),
        "cpu_model_name": run.machine.get("cpu_model"),
        "date": when.strftime("%Y-%m-%d %H:%M:%S.%f") if when else None,
        "leadline_version": run.leadline,
        "leadline_run": run.run,
        "unit": "second",
    }
    return _metadata(known)


def _benchmark(name: str, point: PointSummary) -> dict[str, Any]:
    about = {
        "name": name,
        "mpi": point.mpi,
        "placement": f"{point.nodes}x{point.processes_per_node}",
        "statistic": point.statistic,
    }
    runs = [{"values": [seconds]} for seconds in launch_times(point)]
    return {"metadata": _metadata(about), "runs": runs}


def _metadata(known: Mapping[str, str | None]) -> dict[str, str]:
    """Return what pyperf takes: texts of one line, and none that is empty."""
    lines = {name: " ".join(str(value or "").split()) for name, value in known.items()}
    return {name: line for name, line in lines.items() if line}


EXPORT = ResultExport(title="figures as pyperf's JSON, for `pyperf compare_to`", write=_write)
