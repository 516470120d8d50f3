"""The hosts of the Slurm job that leadline runs in."""

import os
import subprocess

from leadline.core.errors import UserError
from leadline.model.hosts import Hosts, host_names


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
    try:
        said = subprocess.run(
            ["scontrol", "show", "hostnames", listed],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(said.stdout.split())


ALLOCATION = Slurm()
