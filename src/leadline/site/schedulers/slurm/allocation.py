"""The hosts of the Slurm job that leadline runs in."""

import os

from leadline.core.errors import UserError
from leadline.core.processes import ask
from leadline.model.hosts import Hosts, host_names
from leadline.site.schedulers.allocation import Allocation

_PATIENCE_S = 10.0


def _find(which: str) -> Hosts:
    """Return the hosts in SLURM_JOB_NODELIST, which `salloc`, `sbatch` and `srun` set."""
    listed = os.environ.get("SLURM_JOB_NODELIST")
    if not listed:
        raise UserError(
            "hosts slurm: leadline is not in a job (SLURM_JOB_NODELIST is not set): start it "
            "with `salloc -N 2 leadline ...`, or submit the run with --batch slurm"
        )
    # Slurm itself tells the names apart, where it can be asked.
    result = ask(["scontrol", "show", "hostnames", listed], _PATIENCE_S)
    names = result.output.split() if not result.status else []
    return Hosts(names=tuple(names or host_names(listed)), bootstrap="slurm")


ALLOCATION = Allocation("slurm", _find)
