"""The hosts of the PBS job that leadline runs in."""

import os
from pathlib import Path

from leadline.core.errors import UserError
from leadline.model.hosts import Hosts
from leadline.site.schedulers.allocation import Allocation


def _find(which: str) -> Hosts:
    """Return the hosts as PBS_NODEFILE lists them, once for each process or core."""
    path = os.environ.get("PBS_NODEFILE")
    if not path:
        raise UserError(
            "hosts pbs: leadline is not in a job (PBS_NODEFILE is not set): start it in one "
            "(`qsub -I`), or submit the run with --batch pbs"
        )
    try:
        lines = Path(path).read_text().split()
    except OSError as error:
        raise UserError(f"hosts pbs: PBS_NODEFILE {path}: {error.strerror}") from error
    return Hosts(names=tuple(dict.fromkeys(lines)))


ALLOCATION = Allocation("pbs", _find)
