"""A program recorded, its communication written as a plan, and the plan measured."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.build import observer_for
from leadline.site.mpi.choice import default_installation

HERE = Path(__file__).parent
# Large enough to take much of the time: what takes little is left out.
TIMES, BROADCAST, MESSAGE = 500, 32768, 50000
CALLS = {
    ("MPI_Allreduce", 8): 2 * TIMES,
    ("MPI_Bcast", BROADCAST): 2 * TIMES,
    ("messages", MESSAGE): TIMES,
}
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")]


def explain(leadline, *words):
    return leadline("explain", "--runs", leadline.runs, *words)


@pytest.fixture
def recorded(leadline, tmp_path, leadline_home):
    """Record the program, and return the installation that it ran with."""
    try:
        there = default_installation()
        observer_for(there, print)
    except UserError as error:
        pytest.skip(str(error))
    program = tmp_path / "talks"
    wrapper = [there.mpicc, "-O1", HERE / "talks.c", "-o", program]
    subprocess.run(wrapper, check=True, capture_output=True)
    words = (there.mpiexec, "-n", 2, program, TIMES, BROADCAST, MESSAGE)
    done = explain(leadline, "--", *words)
    assert done.returncode == 0, done.stderr
    return there


def test_a_programs_calls_become_a_plan_whose_total_is_printed(leadline, recorded, tmp_path):
    plan = tmp_path / "talks.toml"
    written = explain(leadline, "--replay", "last", "--output", plan)
    assert written.returncode == 0, written.stderr
    assert written.stdout == "" and written.stderr.endswith(f"leadline: plan: {plan}\n")
    table = tomllib.loads(plan.read_text())
    program = table["program"]
    assert (program["name"], program["ranks"], program["mpi"]) == ("talks", 2, recorded.name)
    assert {
        (each["call"], each["of"]["bytes"]): each["calls"] for each in program["calls"]
    } == CALLS
    again = explain(leadline, "--replay", "last")
    # Where a comment is cut depends on the name of the file.
    said, kept = again.stdout.replace("PLAN.toml", str(plan)), plan.read_text()
    assert said.replace("#", "").split() == kept.replace("#", "").split()

    brief = ("--launches", 2, "--seconds", 0.05, "--mpi", recorded.name)
    answer = leadline.measure(plan, *brief)
    (found,) = answer["replayed"]
    assert (found["program"], found["mpi"]) == ("talks", recorded.name)
    for each in found["calls"]:
        figure = answer["points"][each["point"]]
        assert each["seconds"] == pytest.approx(each["calls"] / 2 * figure["median_s"])
    # In each launch the calls take what they take in it.
    launches = [
        [each["calls"] / 2 * took for took in answer["points"][each["point"]]["launch_medians_s"]]
        for each in found["calls"]
    ]
    assert sum(map(min, launches)) <= found["seconds"] * (1 + 1e-9)
    assert found["seconds"] <= sum(map(max, launches)) * (1 + 1e-9)
    assert found["low_s"] <= found["seconds"] <= found["high_s"]
    shown = leadline.in_runs("show", "last", "--as", "program")
    assert f"with {recorded.name}" in shown.stdout
    assert shown.stdout.strip() in leadline.in_runs("show", "last").stdout
    rows = json.loads(leadline.in_runs("show", "last", "--as", "program", "--json").stdout)["rows"]
    assert {row[0] for row in rows} == {*(call for call, _ in CALLS), "all"}


def test_bad_input_is_one_line(leadline, recorded, tmp_path):
    there = tmp_path / "there.toml"
    there.write_text("mine")
    runs = ("--runs", leadline.runs)
    refused = leadline.refused("explain", *runs, "--replay", "last", "--output", there)
    assert f"{there} is there already" in refused and there.read_text() == "mine"
    assert "no run 'nosuch'" in leadline.refused("explain", *runs, "--replay", "nosuch")
    more = leadline.refused("explain", *runs, "--replay", "last", "true")
    assert "--replay takes one run alone: leave out true" in more
    alone = leadline.refused("explain", *runs, "--output", tmp_path / "new.toml", "last")
    assert "--replay RUN" in alone
    leadline.fake("transfer", "--bytes", "8", "--launches", "1")
    measured = leadline.refused("explain", *runs, "--replay", "last")
    assert "is no recording of a program" in measured
