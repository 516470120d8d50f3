"""Where leadline is, and where it keeps what outlives one command."""

import os
import shutil
import sys
from pathlib import Path

from leadline.core.errors import UserError


def program() -> Path:
    """Return the file `leadline`. Raises `UserError` where there is none."""
    beside = Path(sys.executable).with_name("leadline")
    found = beside if beside.is_file() else shutil.which("leadline")
    if found is None:
        raise UserError(f"no program `leadline` beside {sys.executable} or on PATH: install it")
    return Path(found).absolute()


def home() -> Path:
    """Return the folder of runs, built probes, kernels, runtimes and MPIs: LEADLINE_HOME if set."""
    try:
        if chosen := os.environ.get("LEADLINE_HOME"):
            return Path(chosen).expanduser().absolute()
        data = Path(os.environ.get("XDG_DATA_HOME", ""))
        # The XDG Base Directory Specification: a relative path is to be ignored.
        return (data if data.is_absolute() else Path("~/.local/share").expanduser()) / "leadline"
    except RuntimeError:
        raise UserError(
            "no home folder is known: set LEADLINE_HOME to a folder that can be written"
        ) from None


def runs() -> Path:
    """Return the folder that holds the run folders."""
    return home() / "runs"


def probes() -> Path:
    """Return the folder that holds the built probes, one folder an installation."""
    return home() / "probes"


# What is preloaded, in the folder of an installation's runtime.
PRELOADED = "libleadline.so"
# What records the calls of a program, beside it.
RECORDING = "libleadline-explain.so"
RECORDING_SHMEM = "libleadline-explain-shmem.so"


def runtime(installation: str) -> Path:
    """Return the folder of the runtime for the installation of that name."""
    return home() / "runtime" / installation


def analyses() -> Path:
    """Return the folder of what runs say, worked out once; whatever is in it may be removed."""
    return home() / "analyses"


def jobs() -> Path:
    """Return the folder that holds summaries of all jobs' files."""
    return home() / "jobs"


def platforms() -> Path:
    """Return the folder of the user's own platforms, which calibration writes."""
    return home() / "platforms"


def kernels() -> Path:
    """Return the folder that holds the built kernels."""
    return home() / "kernels"


def profiles() -> Path:
    """Return the folder of the profiles that tuning writes, one an installation."""
    return home() / "profiles"


def learnt() -> Path:
    """Return the folder of what programs learnt, one folder an installation."""
    return home() / "learnt"


def installations() -> Path:
    """Return the folder that holds the MPI wheels' environments and the chosen default."""
    return home() / "mpi"


def lab(name: str = "") -> Path:
    """Return the folder of the virtual cluster of that name, or of the one without.

    `LEADLINE_LAB`, or one that a reboot clears; those with names lie beside it.
    """
    folder = Path(os.environ.get("LEADLINE_LAB") or "/run/leadline/lab").absolute()
    return folder.with_name(f"{folder.name}-{name}") if name else folder
