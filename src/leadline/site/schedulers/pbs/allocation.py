"""The hosts of the PBS job that leadline runs in."""

import os
from pathlib import Path

from leadline.core.errors import UserError
from leadline.model.hosts import Hosts


class Pbs:
    """As the file PBS_NODEFILE lists them, once for each process or core."""

    name = "pbs"
    several = False

    def find(self, which: str = "") -> Hosts:
        """Return the hosts, each once. Raises `UserError` outside a job."""
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


ALLOCATION = Pbs()
