"""Runs in jobs of a PBS that a few lines of shell imitate: its words, and one job at a time."""

import json
import os

import pytest

# The server's folder holds, for each job, its process and how it ended.
QSUB = r"""#!/bin/sh
for script; do :; done
grep -q '^#PBS -q nope' "$script" && { echo 'qsub: Unknown queue' >&2; exit 170; }
echo n1 >"$PBS_SERVER/nodes"
PBS_NODEFILE=$PBS_SERVER/nodes setsid sh "$script" >/dev/null 2>&1 </dev/null &
echo $! >"$PBS_SERVER/pid"
echo 7.server
"""
QSTAT = r"""#!/bin/sh
[ "$1" = -x ] && shift
[ "$2" = 7.server ] || { echo "qstat: Unknown Job Id $2" >&2; exit 153; }
echo 'Job Id: 7.server'
if [ -e "$PBS_SERVER/deleted" ]; then
  printf '    job_state = F\n    Exit_status = 271\n'
elif kill -0 "$(cat "$PBS_SERVER/pid")" 2>/dev/null; then
  printf '    job_state = R\n    exec_host = n1/0*2\n'
else
  printf '    job_state = F\n    Exit_status = 0\n'
fi
"""
QDEL = r"""#!/bin/sh
touch "$PBS_SERVER/deleted"
kill -9 -"$(cat "$PBS_SERVER/pid")"
"""


@pytest.fixture
def pbs(leadline, tmp_path):
    server, programs = tmp_path / "server", tmp_path / "bin"
    server.mkdir()
    programs.mkdir()
    for name, text in {"qsub": QSUB, "qstat": QSTAT, "qdel": QDEL}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    leadline.environment = {**leadline.environment, "PATH": path, "PBS_SERVER": str(server)}
    return server


def test_from_submission_to_report(leadline, pbs):
    answer = leadline.fake("transfer", "--bytes", "8,16", "--launches", "2", "--batch", "pbs")
    assert answer["outcome"]["state"] == "complete"
    assert [point["launches"] for point in answer["points"]] == [2, 2]
    (folder,) = leadline.runs.iterdir()
    assert "#PBS -l select=1:ncpus=2:mpiprocs=2" in (folder / "job.sh").read_text()
    run = json.loads((folder / "run.json").read_text())
    assert run["batch"] == {"system": "pbs", "job": "7.server"}


def test_a_deleted_job_keeps_its_points(leadline, begun, pbs):
    started = begun(
        "fake/transfer", "--mpi", "fake", "--bytes", "8,16", "--fault", "none,hang",
        "--launches", "2", "--seed", "1", "--batch", "pbs",
    )  # fmt: skip
    started.wait_for(lambda: started.events("point"))
    (pbs / "deleted").touch()
    os.killpg(int((pbs / "pid").read_text()), 9)
    status, output, errors = started.end()
    assert status == 1, errors
    answer = json.loads(output)
    assert answer["points"]
    message = "job 7.server was cancelled; every finished point is kept"
    assert answer["outcome"] == {"state": "incomplete", "message": message}


def test_a_job_that_is_cut_after_leadline_is_recovered(leadline, begun, pbs):
    started = begun(
        "fake/transfer", "--mpi", "fake", "--bytes", "8,16", "--fault", "none,hang",
        "--launches", "2", "--seed", "1", "--batch", "pbs",
    )  # fmt: skip
    started.wait_for(lambda: started.events("point"))
    started.process.kill()
    started.end()
    assert "job 7.server of run" in leadline.refused(
        "show", "last", "--recover", "--runs", leadline.runs
    )
    (pbs / "deleted").touch()
    os.killpg(int((pbs / "pid").read_text()), 9)
    shown = leadline.in_runs("show", "last", "--recover", "--json")
    assert shown.returncode == 0, shown.stderr
    answer = json.loads(shown.stdout)
    assert answer["points"]
    message = "job 7.server was cancelled; every finished point is kept"
    assert answer["outcome"] == {"state": "incomplete", "message": message}
    (launch,) = json.loads((started.folder / "run.json").read_text())["launches"]
    assert launch["outcome"] == {"state": "incomplete", "message": "job 7.server was cancelled"}
    assert launch["argv"]


def test_a_refused_job_leaves_nothing(leadline, pbs):
    words = ("run", "fake/transfer", "--mpi", "fake", "--batch", "pbs", "--runs", leadline.runs)
    result = leadline(*words, "--batch-option", "-q nope")
    assert result.returncode == 2
    assert "qsub: Unknown queue: `qstat -Q` lists queues" in result.stderr
    assert not list(leadline.runs.iterdir())
