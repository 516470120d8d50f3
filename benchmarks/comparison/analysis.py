"""Time and memory to analyse many samples, beside pandas from the same table.

A run folder is made up; `leadline show last --json` and a pandas program that computes the same
figures, without intervals, shapes, sweeps, jitter or findings, take turns. Needs pandas and
pyarrow: `pip install 'leadline[benchmarks]'`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from leadline.core.errors import UserError

HERE = Path(__file__).parent
_PANDAS = HERE / "programs" / "with_pandas.py"

_SAME = ("median_s", "mean_s", "min_s", "max_s")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--samples", type=click.IntRange(1), default=2_000_000, show_default=True)
@click.option("--times", type=click.IntRange(1), default=5, show_default=True, help="Runs of each.")
def command(samples: int, times: int) -> None:
    """Analyse a made-up run with leadline and pandas in turn; exit status 1 if they differ."""
    missing = [name for name in ("pandas", "pyarrow") if not importlib.util.find_spec(name)]
    if missing:
        raise UserError(f"no {' and '.join(missing)}: install leadline[benchmarks]")
    with tempfile.TemporaryDirectory() as home:
        sys.exit(_compare(Path(home), samples, times))


def _compare(home: Path, samples: int, times: int) -> int:
    # Not in this process: the peak of a child is never less than its parent's memory.
    made = [sys.executable, str(HERE / "analysis_synthetic.py"), str(home / "runs"), str(samples)]
    subprocess.run(made, check=True)
    (table,) = (home / "runs").glob("*/samples.parquet")
    leadline = [sys.executable, "-m", "leadline", "show", "last", "--json"]
    contenders = {
        "leadline show --json": leadline,
        "pandas, figures alone": [
            sys.executable,
            str(_PANDAS),
            str(table),
        ],
    }
    environment = os.environ | {"LEADLINE_HOME": str(home)}
    measured: dict[str, list[tuple[float, float, float]]] = {name: [] for name in contenders}
    answers = {}
    for _ in range(times):
        for name, command in contenders.items():
            answers[name], *figures = _measure(command, environment)
            measured[name].append((figures[0], figures[1], figures[2]))
    print(f"{samples} samples, {table.stat().st_size / 1e6:.0f} MB of Parquet, best of {times}")
    print(f"{'':24}{'wall s':>9}{'CPU s':>9}{'peak MiB':>10}")
    best = {}
    for name, runs in measured.items():
        best[name] = [min(column) for column in zip(*runs, strict=True)]
        wall, cpu, peak = best[name]
        print(f"{name:24}{wall:9.2f}{cpu:9.2f}{peak:10.0f}")
    ours, theirs = best.values()
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    print(f"{'ratio':24}{ratios[0]:9.2f}{ratios[1]:9.2f}{ratios[2]:10.2f}")
    scatter = [statistics.median(run[0] for run in runs) for runs in measured.values()]
    print(f"median wall times {scatter[0]:.2f} and {scatter[1]:.2f} s")
    different = _differences(*answers.values())
    print("the figures are the same" if not different else f"figures differ: {different}")
    return 1 if different else 0


def _measure(command: list[str], environment: dict[str, str]) -> tuple[str, float, float, float]:
    """Return what the command prints, its wall and CPU seconds and its peak memory in MiB."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"analysis: {' '.join(command)} ended with {process.returncode}")
    return printed, wall, used.ru_utime + used.ru_stime, _peak(used)


def _peak(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / 1024


def _differences(leadline: str, pandas: str) -> list[str]:
    mine = json.loads(leadline)["points"]
    theirs = sorted(json.loads(pandas), key=lambda row: row["point"])
    if len(mine) != len(theirs):
        return [f"{len(mine)} and {len(theirs)} figures"]
    return [
        f"{name} of point {row['point']}: {point[name]} and {row[name]}"
        for point, row in zip(mine, theirs, strict=True)
        for name in _SAME
        if abs(point[name] / row[name] - 1) > 1e-9
    ]
