"""The hosts of the Slurm job that leadline runs in."""

import os
import re
import subprocess
from collections.abc import Iterator

from leadline.errors import UserError
from leadline.model.hosts import Hosts


class Slurm:
    """As SLURM_JOB_NODELIST names them: `salloc`, `sbatch` and `srun` set it."""

    name = "slurm"

    def find(self) -> Hosts:
        """Return the hosts. Raises `UserError` outside a job."""
        listed = os.environ.get("SLURM_JOB_NODELIST")
        if not listed:
            raise UserError(
                "hosts slurm: leadline is not in a job (SLURM_JOB_NODELIST is not set): start it "
                "with `salloc -N 2 leadline ...`, or submit the run with --batch slurm"
            )
        return Hosts(names=_asked(listed) or tuple(host_names(listed)), bootstrap="slurm")


def _asked(listed: str) -> tuple[str, ...]:
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


def host_names(listed: str) -> Iterator[str]:
    """Yield the names that a list of Slurm's stands for.

    >>> list(host_names("login,n[1-3,09-10],r[0-1]c[0-1]"))
    ['login', 'n1', 'n2', 'n3', 'n09', 'n10', 'r0c0', 'r0c1', 'r1c0', 'r1c1']
    """
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", listed):
        yield from _expanded(item)


def _expanded(item: str) -> Iterator[str]:
    found = re.fullmatch(r"([^\[]*)\[([^\]]*)\](.*)", item)
    if not found:
        yield item
        return
    before, numbers, after = found.groups()
    for number in numbers.split(","):
        first, _, last = number.partition("-")
        for each in range(int(first), int(last or first) + 1):
            for rest in _expanded(after):
                yield f"{before}{each:0{len(first)}d}{rest}"


ALLOCATION = Slurm()
