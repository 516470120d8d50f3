"""`leadline exec` in jobs of a real Slurm, whose nodes are this machine."""

import json
import subprocess
import sys

import pytest
from slurm_daemons import Slurm, why_not
from transparency import CROWDED

pytestmark = pytest.mark.timeout(900)  # the first test may wait for the build

PMI = {"openmpi": "pmix"}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if why := why_not():
        pytest.skip(why)
    started = Slurm(tmp_path_factory.mktemp("slurm"), ("n0", "n1"))
    started.configure("localhost", "NodeHostname=localhost NodeAddr=127.0.0.1")
    try:
        started.start()
        yield started
    finally:
        started.stop()


@pytest.fixture
def accelerated(start, slurm, tmp_path):
    """Give a function that calls commands of a job, and tells what ran of which algorithm.

    `exec` in a command is `leadline exec` with a profile, `program` one that calls collectives.
    """
    report = tmp_path / "report.json"
    words = [sys.executable, "-m", "leadline", "exec", "--profile", start.profile]
    names = {"exec": words, "program": [start.folder / "failures", "all"]}

    def called(*command):
        done = subprocess.run(
            [str(word) for each in command for word in names.get(each, [each])],
            env={**slurm.environment, **CROWDED, "LEADLINE_REPORT": str(report)},
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr + slurm.log()
        read = json.loads(report.read_text())
        assert read["ranks"] == read["processes"] == 2
        return {each["algorithm"]: each["ranks"] for each in read["calls"] if each["algorithm"]}

    called.names = names
    return called


def test_srun_that_asks_for_its_own_nodes(start, accelerated):
    installation = start.installation
    pmi = PMI.get(installation.family, "pmi2")
    srun = ("srun", f"--mpi={pmi}", "--nodes=2", "--ntasks=2", "--overcommit")
    assert accelerated("exec", "--mpi", installation.name, "--", *srun, "program") == {"shared": 2}


def test_srun_that_is_told_what_to_hand_on(start, accelerated):
    installation = start.installation
    pmi = PMI.get(installation.family, "pmi2")
    handed = f"--export=PATH,LD_LIBRARY_PATH,{','.join(CROWDED)}"
    srun = ("srun", f"--mpi={pmi}", "--nodes=2", "--ntasks=2", "--overcommit", handed)
    assert accelerated("exec", "--mpi", installation.name, "--", *srun, "program") == {"shared": 2}


@pytest.mark.parametrize("where", ["before the launcher", "before the script"])
def test_a_job_whose_script_calls_the_launcher(start, accelerated, tmp_path, where):
    installation = start.installation
    launched = [installation.mpiexec, "-n", "2", *accelerated.names["program"]]
    words = accelerated.names["exec"]
    inside = where == "before the launcher"
    line = [*words, "--", *launched] if inside else launched
    script = tmp_path / "job.sh"
    script.write_text(f"#!/bin/sh\nexec {' '.join(map(str, line))}\n")
    script.chmod(0o755)
    if not inside:
        outer = tmp_path / "outer.sh"
        named = [*words, "--mpi", installation.name, "--", script]
        outer.write_text(f"#!/bin/sh\nexec {' '.join(map(str, named))}\n")
        script = outer
    output = f"--output={tmp_path}/job.log"
    batch = ("sbatch", "--wait", "--nodes=2", "--overcommit", "--export=ALL", output)
    assert accelerated(*batch, str(script)) == {"shared": 2}
