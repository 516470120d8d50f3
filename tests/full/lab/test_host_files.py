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
ADAPTERS = "h0:2:mlx5_0\nh1:1:mlx5_1\nh2\n"
RELATIVE = "+n0\n+n1\n"
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
@pytest.mark.parametrize("text", [COUNTS, VISITS, SLOTS, LINES, ADAPTERS, RELATIVE])
def test_ranks_go_where_it_says(flat, tmp_path, mpi, reader, option, text):
    unbound = ["--bind-to", "none"] if mpi in REMOTE else []
    check(flat, tmp_path, mpi, reader, text, 5, [option, "{path}", *unbound])


RANK_FILES = {
    "cores": "rank 0=h1 slot=0-1\nrank 1=h0 slot=0\nrank 2=h2 slot=1\n",
    "packages": "rank 0=h1 slot=0:0\nrank 1=h0 slot=0:1\n",
    "system's cores": "rank 0=h1 slot=p0\nrank 1=h0 slot=p1\n",
    "all cores": "rank 0=h1 slot=*\nrank 1=h0 slot=0:*\n",
    "no such core": "rank 0=h1 slot=70\nrank 1=h0 slot=0\n",
    "a core twice": "rank 0=h1 slot=0\nrank 1=h1 slot=0\n",
    "slots": "rank 0=h1 slots=0\nrank 1=h0 slots=1\n",
    "no cores": "rank 0=h1\nrank 1=h0\n",
    "a gap": "rank 0=h1 slot=0\nrank 2=h0 slot=1\n",
    "too few": "rank 0=h1 slot=0\n",
    "a user": "rank 0=root@h1 slot=0\nrank 1=h0 slot=0\n",
    "relative": "rank 0=+n1 slot=0\nrank 1=+n0 slot=0\n",
    "blanks": "rank 0 = h1 slot = 0\n# c\nrank 1=h0 slot=1\n",
}


@pytest.mark.parametrize("name", RANK_FILES)
@pytest.mark.parametrize(
    ("mpi", "reader"), [("openmpi-4", "openmpi_4_ranks"), ("openmpi-5", "openmpi_ranks")]
)
def test_rank_files(flat, tmp_path, mpi, reader, name):
    path = "--rankfile {path}" if mpi == "openmpi-4" else "--map-by rankfile:file={path}"
    options = ["--host", "h0:2,h1:2,h2:2", *path.split()]
    check(flat, tmp_path, mpi, reader, RANK_FILES[name], 2, options)


def check(flat, tmp_path, mpi, reader, text, processes, options):
    """Start ranks as the options say, and compare where they are with what the reader says."""
    installation = flat.installation(mpi)
    file, who = tmp_path / "hosts", tmp_path / "who"
    file.write_text(text)
    who.write_text(WHO)
    who.chmod(0o755)
    found = explain(text, str(file), processes, os.cpu_count())
    (answer,) = [each for each in found.readings if each.reader == reader]
    remote = [*REMOTE.get(mpi, HYDRA), flat.folder / "ssh"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = [str(word).format(path=file) for word in (*remote, *options, "-n", processes, who)]
    # MPICH 4 waits for a host that has no address.
    ended = ("timeout", "20", flat.folder / "head", installation.mpiexec, *words)
    done = run(*ended, **{**root, **installation.environment})
    ranks = dict(re.findall(r"rank (\d+) is on (\w+)\.", done.stdout))
    if answer.refused:
        assert done.returncode != 0
        assert ranks == {}
    else:
        hosts = tuple(re.sub(r"node (\d)", r"h\1", host) for host in answer.ranks)
        assert tuple(ranks[str(rank)] for rank in range(processes)) == hosts, done.stderr
