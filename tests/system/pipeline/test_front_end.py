"""The front end knows no benchmark, and starts without what it does not need yet."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import leadline as package

SOURCES = Path(package.__file__).parent
CHECKOUT = SOURCES.parents[1]
HEAVY = ("numpy", "duckdb", "rich", "scipy", "jinja2", "vl_convert", "psutil", "werkzeug")
NEW = """#include "harness/benchmark.hpp"
namespace leadline::probe {
namespace {
const Registration idle{{
    .name = "fake/idle",
    .summary = "time of doing nothing",
    .axes = {},
    .processes = {.minimum = 1},
    .series = {{"nothing", "a call that does nothing"}},
    .start = Start::kBackToBack,
    .prepare = [](const Point&) {
      Operation operation;
      operation.call = [] {};
      operation.fill = [](std::uint64_t) {};
      operation.wrong_bytes = [](std::uint64_t) { return std::size_t{0}; };
      return operation;
    },
}};
}  // namespace
}  // namespace leadline::probe
"""


def test_no_benchmark_is_named_in_the_front_end(leadline):
    described = leadline.json("run", "--list", "--build", "--mpi", "fake")
    names = {each["name"] for each in described["benchmarks"]}
    assert {"fake/transfer", "fake/collective"} <= names
    for source in (CHECKOUT / "probes/benchmarks").glob("*/*.cpp"):
        names |= {
            line.split('"')[1] for line in source.read_text().splitlines() if '.name = "' in line
        }
    names = {name for name in names if "/" in name}  # axes and parts have names too
    assert {"mpi/pingpong", "mpi/allreduce", "shmem/put"} <= names
    # Readers of other programs' output say which of leadline's figures theirs are.
    readers = SOURCES / "exchange" / "imports"
    for module in SOURCES.rglob("*.py"):
        if module.is_relative_to(readers):
            continue
        text = module.read_text()
        named = {name for name in names if f'"{name}' in text or f"'{name}" in text}
        assert named == set(), f"{module} names {named}"


def test_a_benchmark_is_one_new_file(environment, tmp_path):
    checkout = tmp_path / "checkout"
    for part in ("probes", "algorithms", "plans", "src", "tools"):
        shutil.copytree(CHECKOUT / part, checkout / part)
    shutil.copy(CHECKOUT / "CMakeLists.txt", checkout)
    (checkout / "probes/benchmarks/fake/idle.cpp").write_text(NEW)
    there = {
        **environment,
        "PYTHONPATH": str(checkout / "src"),
        "LEADLINE_HOME": str(tmp_path / "home"),
    }
    subprocess.run([sys.executable, checkout / "tools/catalogue.py", "fake"], env=there, check=True)
    result = subprocess.run(
        [sys.executable, "-m", "leadline", "run", "fake/idle", "--mpi", "fake", "--json"],
        env=there, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    (point,) = json.loads(result.stdout)["points"]
    assert (point["benchmark"], point["series"], point["axes"]) == ("fake/idle", "nothing", {})


def imported_by(words, environment):
    """Return which heavy packages a command imports."""
    script = (
        "import sys, leadline.cli\n"
        "try: leadline.cli.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        f"print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, *words],
        env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return result.stderr.splitlines()[-1].split()


def test_help_imports_nothing_heavy(environment):
    assert imported_by(["--help"], environment) == []
    assert imported_by(["run", "--help"], environment) == []


def test_listing_runs_imports_only_what_prints_them(environment, leadline):
    leadline.fake("transfer", "--bytes", "8")
    runs = ["--runs", str(leadline.runs)]
    assert imported_by(["runs", *runs], environment) == ["rich"]
    assert imported_by(["runs", "--json", *runs], environment) == []
