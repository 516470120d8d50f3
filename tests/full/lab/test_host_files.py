"""Launchers take host files as `leadline view hosts` says, on the lab's hosts."""

import os
import re

import pytest
from programs import run

from leadline.topology.host_file import explain

pytestmark = pytest.mark.mpi

COUNTS = "h0:2\nh1:1\nh2\n"
VISITS = "h0:2\nh1:1\nh0:1\nh2:1\n"
SLOTS = "h0 slots=2\nh1 slots=1\nh2\n"
LINES = "h0\nh0\nh1\nh2\n"
WHO = """#!/bin/sh
echo "rank ${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-$PMIX_RANK}} is on $(hostname)."
"""
HYDRA = ("-launcher", "ssh", "-launcher-exec")
CASES = [
    ("mpich-5", "hydra", "-f"), ("mpich-4", "hydra", "-f"), ("intel", "intel", "-f"),
    ("intel", "intel_machines", "-machinefile"), ("openmpi-4", "openmpi", "--hostfile"),
    ("openmpi-5", "openmpi", "--hostfile"),
]  # fmt: skip
REMOTE = {"openmpi-4": ("--mca", "plm_rsh_agent"), "openmpi-5": ("--prtemca", "plm_ssh_agent")}


@pytest.mark.parametrize(("mpi", "reader", "option"), CASES)
@pytest.mark.parametrize("text", [COUNTS, VISITS, SLOTS, LINES])
def test_ranks_go_where_it_says(flat, tmp_path, mpi, reader, option, text):
    installation = flat.installation(mpi)
    file, who = tmp_path / "hosts", tmp_path / "who"
    file.write_text(text)
    who.write_text(WHO)
    who.chmod(0o755)
    found = explain(text, str(file), 5, os.cpu_count())
    (answer,) = [each for each in found.readings if each.reader == reader]
    remote = [*REMOTE.get(mpi, HYDRA), flat.folder / "ssh"]
    unbound = ["--bind-to", "none"] if mpi in REMOTE else []
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = (*remote, option, file, "-n", "5", *unbound, who)
    variables = {**root, **installation.environment}
    done = run(flat.folder / "head", installation.mpiexec, *words, **variables)
    ranks = dict(re.findall(r"rank (\d+) is on (\w+)\.", done.stdout))
    if answer.refused:
        assert done.returncode != 0
        assert ranks == {}
    else:
        assert tuple(ranks[str(rank)] for rank in range(5)) == answer.ranks, done.stderr
