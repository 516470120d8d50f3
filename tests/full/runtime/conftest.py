"""The runtime of an MPI that is here, and programs under it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from checkout import CHECKOUT
from programs import compiled, rule, run, write_profile
from transparency import COLLECTIVES, CROWDED

from leadline.measure.build.runtime import observer_for, runtime_for
from leadline.measure.launch.preload import preloading
from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations


@dataclass
class Runtime:
    """A runtime, and a folder with a profile that replaces every collective."""

    installation: Installation
    built: Path
    folder: Path

    @property
    def library(self) -> Path:
        return self.built / "libleadline.so"

    @property
    def profile(self) -> str:
        return str(self.folder / "profile.toml")

    def compile(self, source, *flags, wrapper=""):
        """Return the path of a program in the tests' folder, compiled."""
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        source = Path(__file__).parent / source
        return compiled(wrapper or self.installation.mpicc, source, folder, *(flags or ("-O0",)))

    def run(self, *command, ranks=2, status: int | None = 0, preload="libleadline.so", **settings):
        """Return what the program's ranks print under the runtime, and what they complain of."""
        launcher = [self.installation.mpiexec, "-n", str(ranks), *map(str, command)]
        start = preloading(launcher, self.installation, self.built / preload, settings, {})
        return run(*start.argv, status=status, **{**CROWDED, **start.environment})

    def report(self, *command, **settings):
        """Return the report of a program."""
        file = self.folder / "report.json"
        file.unlink(missing_ok=True)
        self.run(*command, LEADLINE_REPORT=str(file), **settings)
        return json.loads(file.read_text())


def _write_profile(runtime):
    """Write a profile for this machine and library: the last algorithm of each collective."""
    family = "MPICH Version: " if runtime.installation.family == "mpich" else "Open MPI v"
    measured = "[[8, 3.0, 1.0, 2.0], [1024, 5.0, 2.0, 2.0]]"
    rules = []
    for collective in COLLECTIVES:
        names = {
            each.stem.partition("-")[2] for each in CHECKOUT.glob(f"algorithms/**/{collective}-*")
        }
        algorithm = "shared" if "shared" in names else min(names)
        rules.append(rule(collective, algorithm, measured=measured))
    write_profile(Path(runtime.profile), runtime.library, family, *rules)


@pytest.fixture(scope="session", params=["openmpi"])
def runtime(request, tmp_path_factory):
    """Give the runtime of a family that has Fortran here, Debian's packages.

    Open MPI's Fortran is what needs the most; MPICH's ("mpich") takes the same tests by hand.
    """
    family = request.param
    mpicc = shutil.which(f"mpicc.{family}")
    there = [each for each in find_installations() if mpicc and each.mpicc == mpicc]
    if not there or not shutil.which(f"mpifort.{family}"):
        pytest.skip(f"no {family} with Fortran here: install lib{family}-dev and gfortran")
    observer_for(there[0], print)
    made = Runtime(
        there[0], runtime_for(there[0], print), tmp_path_factory.mktemp(f"runtime-{family}")
    )
    _write_profile(made)
    return made


@pytest.fixture(scope="session")
def mpifort(runtime):
    return shutil.which(f"mpifort.{runtime.installation.family}")
