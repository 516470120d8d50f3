"""Measures random plans on a machine that is kept busy, and holds every output against each plan.

A point that was planned must be in every output (terminal, page, JSON, exports), with a figure or
with the reason why there is none, and a run that calls itself complete has a figure for each.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LEADLINE = Path(__file__).parents[2] / ".venv/bin/leadline"
MOST_BUSY = 8
# Applications take seconds a point, whatever is asked; OpenSHMEM is of another library; and of dot
# products the one that is WRONG is enough.
LEFT_OUT = ("app/", "shmem/", "node/dot")
WRONG = ["node/dot", "--variant", "plain.c", "--flags=-Ofast", "--elements", "1000"]
STARTS = ("agreed", "agreed", "barrier", "back_to_back", "default")


def main() -> int:
    """Return 1 where a point is missing anywhere."""
    parser = argparse.ArgumentParser(prog="benchmarks/accounted", description=__doc__)
    parser.add_argument("--plans", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    counts: Counter[str] = Counter()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="leadline-accounted-") as runs:
        names = _benchmarks()
        for number in range(asked.plans):
            command = _random_command(chance, names)
            with _busy(chance.randint(0, MOST_BUSY)) as processes:
                answer = _leadline("run", *command, "--runs", runs, "--json")
            faults = list(_faults(answer, runs, counts))
            counts["faults"] += len(faults)
            for fault in faults:
                print(f"beside {processes}: {' '.join(command)}: {fault}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {asked.plans}", end="", file=sys.stderr, flush=True)
    counts["seconds"] = round(time.monotonic() - begun)
    print(", ".join(f"{name} {value}" for name, value in counts.items()))
    return 1 if counts["faults"] else 0


def _leadline(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LEADLINE, *words], capture_output=True, text=True, check=False)


def _benchmarks() -> list[str]:
    listed = json.loads(_leadline("benchmarks", "--build", "--json").stdout)["benchmarks"]
    return [each["name"] for each in listed if not each["name"].startswith(LEFT_OUT)]


def _random_command(chance: random.Random, names: list[str]) -> list[str]:
    subject = chance.choice([[chance.choice(names), "--quick"]] * 19 + [WRONG])
    node = subject[0].startswith("node/")
    return [
        *subject,
        *("--place", chance.choice(["1x1", "1x2"] if node else ["1x2", "1x2", "1x2", "1x1"])),
        *("--launches", str(chance.choice([1, 1, 2, 3]))),
        *("--seconds", str(chance.choice([0.002, 0.005, 0.02]))),
        *("--minimum", str(chance.choice([1, 2, 5]))),
        *(() if node else ("--start", chance.choice(STARTS))),
        *("--no-roofs", "--time-limit", "60"),
    ]


@contextlib.contextmanager
def _busy(processes: int) -> Iterator[int]:
    started = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(processes)]
    try:
        yield processes
    finally:
        for each in started:
            each.kill()
            each.wait()


def _faults(
    answer: subprocess.CompletedProcess[str], runs: str, counts: Counter[str]
) -> Iterator[str]:
    if "Traceback" in answer.stderr:
        yield "a traceback"
    if answer.returncode == 2 and not answer.stdout:
        # A benchmark that needs more processes, or does not allow this start: one line.
        counts["plans refused"] += 1
        if len(answer.stderr.strip().splitlines()) != 1:
            yield f"not one line: {answer.stderr}"
        return
    try:
        found = json.loads(answer.stdout)
    except ValueError:
        yield f"no JSON, status {answer.returncode}: {answer.stderr[-300:]}"
        return
    missing = found["missing"]
    run = json.loads(Path(found["folder"], "run.json").read_text())
    planned = {each["index"] for each in run["points"]}
    counts[f"runs {found['outcome']['state']}"] += 1
    counts["points"] += len(planned)
    counts["of them without a figure"] += len(missing)
    if (found["outcome"]["state"] == "complete") and any(not each["left_out"] for each in missing):
        yield "complete, and points have no figure"
    if not all(each["reason"] for each in missing):
        yield "a missing figure has no reason"
    wrong = [each for launch in run["launches"] for each in launch["points"] if each["wrong_bytes"]]
    counts["wrong answers"] += len(wrong)
    if wrong and answer.returncode != 1:
        yield f"wrong data, and status {answer.returncode}"
    with_figure = {each["point"] for each in found["points"]}
    without = {each["point"] for each in missing}
    if with_figure & without:
        yield f"{sorted(with_figure & without)} have a figure, and are called missing"
    exported = _in_csv(found["run"], runs)
    for output, there in {"JSON": with_figure | without, "figures-csv": exported}.items():
        if there != planned:
            yield f"{output} has {sorted(there)} of {sorted(planned)}"
    if missing:
        yield from _unsaid(found["run"], runs)


def _in_csv(run: str, runs: str) -> set[int]:
    text = _leadline("export", run, "--format", "figures-csv", "--runs", runs).stdout
    return {int(row["point"]) for row in csv.DictReader(io.StringIO(text))}


def _unsaid(run: str, runs: str) -> Iterator[str]:
    page = Path(runs) / "page.html"
    shown = _leadline("show", run, "--runs", runs, "--html", os.fspath(page)).stdout
    if "Points without a figure" not in shown:
        yield "the terminal does not show what is missing"
    if 'id="missing"' not in page.read_text():
        yield "the page does not show what is missing"


if __name__ == "__main__":
    sys.exit(main())
