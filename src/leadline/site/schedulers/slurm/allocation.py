"""The hosts of the Slurm job that leadline runs in."""

import os

from leadline.core.errors import UserError
from leadline.core.processes import ask
from leadline.model.hosts import Hosts, host_names

_PATIENCE_S = 10.0


class Slurm:
    """As SLURM_JOB_NODELIST names them: `salloc`, `sbatch` and `srun` set it."""

    name = "slurm"
    several = False

    def find(self, which: str = "") -> Hosts:
        """Return the hosts. Raises `UserError` outside a job."""
        listed = os.environ.get("SLURM_JOB_NODELIST")
        if not listed:
            raise UserError(
                "hosts slurm: leadline is not in a job (SLURM_JOB_NODELIST is not set): start it "
                "with `salloc -N 2 leadline ...`, or submit the run with --batch slurm"
            )
        return Hosts(names=_ask_host_names(listed) or tuple(host_names(listed)), bootstrap="slurm")


def _ask_host_names(listed: str) -> tuple[str, ...]:
    """Return the names as Slurm itself tells them apart; none where it cannot be asked."""
    said = ask(["scontrol", "show", "hostnames", listed], _PATIENCE_S)
    return () if said.status else tuple(said.output.split())


ALLOCATION = Slurm()
