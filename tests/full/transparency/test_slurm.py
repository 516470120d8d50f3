"""`leadline exec` in jobs of a real Slurm, whose nodes are this machine."""

import json
import sys

import pytest
from programs import run
from slurm_daemons import Slurm, running
from transparency import CROWDED

PMI = {"openmpi": "pmix"}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with running(Slurm(tmp_path_factory.mktemp("slurm"), ("n0", "n1"))) as started:
        yield started


@pytest.fixture
def accelerated(start, slurm, tmp_path):
    """Give a function that calls commands of a job, and tells what ran of which algorithm.

    `exec` in a command is `leadline exec` with a profile, `program` one that calls collectives.
    """
    report = tmp_path / "report.json"
    words = [sys.executable, "-m", "leadline", "exec", "--frozen", "--profile", start.profile]
    names = {"exec": words, "program": [start.folder / "failures", "all"]}

    def called(*command):
        told = [word for each in command for word in names.get(each, [each])]
        variables = {**CROWDED, "LEADLINE_REPORT": str(report)}
        done = run(*told, environment=slurm.environment, **variables)
        assert done.returncode == 0, done.stdout + done.stderr + slurm.log()
        read = json.loads(report.read_text())
        assert read["ranks"] == read["processes"] == 2
        return {each["algorithm"]: each["ranks"] for each in read["calls"] if each["algorithm"]}

    called.names = names
    return called


@pytest.mark.parametrize("handed", [(), (f"--export=PATH,LD_LIBRARY_PATH,{','.join(CROWDED)}",)])
def test_srun_that_asks_for_its_own_nodes(start, accelerated, handed):
    """Also where it is told what to hand on."""
    installation = start.installation
    pmi = PMI.get(installation.family, "pmi2")
    srun = ("srun", f"--mpi={pmi}", "--nodes=2", "--ntasks=2", "--overcommit", *handed)
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
