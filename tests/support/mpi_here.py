"""The MPIs of this machine, for tests that start each of them."""

import os
import sys
import tempfile
from pathlib import Path

import msgspec
from transparency import CROWDED

from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.sources import Places


def places_here(installed: Path) -> Places:
    """Return this machine, with the prefixes of LEADLINE_TEST_MPI_PREFIXES beside it.

    That variable names, separated by colons, environments such as those that hold the wheels of
    Open MPI or Intel MPI. What leadline has installed itself is looked for in `installed`.
    """
    here = Places.here()
    more = [f"{each}/bin" for each in os.environ.get("LEADLINE_TEST_MPI_PREFIXES", "").split(":")]
    path = ":".join([here.environment.get("PATH", ""), *(each for each in more if each != "/bin")])
    environment = {**here.environment, "PATH": path}
    return msgspec.structs.replace(here, environment=environment, installed=installed)


def real_installations() -> list[Installation]:
    """Return the installations that start ranks on this machine, leadline's own MPI first."""
    with tempfile.TemporaryDirectory() as folder:
        found = find_installations(places=places_here(Path(folder)))
    real = [each for each in found if each.family != "fake" and not each.simulates and each.apis]
    return sorted(real, key=lambda each: Path(each.prefix) != Path(sys.prefix))


def environment_of(mpi: Installation) -> dict[str, str]:
    """Return the variables with which leadline's commands find this MPI, and start its ranks."""
    path = mpi.environment.get("PATH", os.environ["PATH"])
    return {**CROWDED, **mpi.environment, "PATH": f"{path}:{Path(str(mpi.mpiexec)).parent}"}
