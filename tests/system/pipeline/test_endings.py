"""Runs that are cut from outside: what was finished stays, and no process does."""

import json
import signal

import pytest

# Some points end at once, and one never does.
HANGS = (
    "fake/transfer", "--mpi", "fake", "--bytes", "8,16,32", "--fault", "none,hang",
    "--launches", "2", "--seed", "1",
)  # fmt: skip


@pytest.fixture
def hanging(begun):
    """Give a run that has finished a point and hangs in another."""
    started = begun(*HANGS)

    def hangs():
        begun_points = [event["point"] for event in started.events("begin")]
        return started.events("point") and begun_points[-1] in hanging_points(started.folder)

    started.wait_for(hangs)
    return started


def hanging_points(folder):
    lines = (folder / "launches/000/plan.txt").read_text().splitlines()
    return {int(line.split()[1]) for line in lines if "fault=hang" in line}


def shown(leadline):
    result = leadline.in_runs("show", "last", "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(leadline, hanging, number):
    finished = {event["point"] for event in hanging.events("point")}
    hanging.process.send_signal(number)
    status, output, errors = hanging.end()
    assert status == 130
    assert "Traceback" not in errors
    answer = json.loads(output)
    assert answer == shown(leadline)
    assert answer["outcome"] == {
        "state": "interrupted",
        "message": f"by {number.name}; every finished point is kept",
    }
    assert len(answer["points"]) == len(finished) >= 1
    assert hanging.processes() == set()
    assert not list(hanging.folder.glob("launches/001")), "a launch was started after the signal"
    told = leadline.in_runs("show", "last").stdout
    assert "interrupted" in told.split("\n\n")[0]


def test_a_run_that_goes_on_says_so(leadline, hanging):
    assert shown(leadline)["outcome"]["state"] == "running"
    (listed,) = leadline.json("runs", "--runs", leadline.runs)["runs"]
    assert (listed["state"], listed["finished"]) == ("running", len(hanging.events("point")))
    assert "being measured" in leadline.refused(
        "runs", "remove", "--yes", "last", "--runs", leadline.runs
    )
    assert hanging.process.poll() is None


def test_killed_leadline(leadline, hanging):
    finished = len(hanging.events("point"))
    assert hanging.processes()
    hanging.process.kill()
    hanging.end()
    hanging.wait_until_gone()
    answer = shown(leadline)
    assert answer["outcome"] == {"state": "incomplete", "message": "leadline itself was killed"}
    assert len(answer["points"]) == finished
    exported = leadline.in_runs("show", "last", "--export", "csv")
    assert exported.returncode == 0, exported.stderr
    points = {line.split(",")[2] for line in exported.stdout.splitlines()[1:]}
    assert len(points) == finished
    assert leadline.in_runs("show", "last", "--recover").returncode == 0
    sql = "SELECT count(DISTINCT point) AS n FROM samples"
    rows = leadline.in_runs("runs", "query", sql, "--format", "csv")
    assert rows.stdout.split() == ["n", str(finished)]
