"""Programs that the observer's library watches."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from explain_file import Rank, read_node
from mpi_here import real_installations
from programs import compiled, run
from transparency import CROWDED

from leadline.measure.build import observer_for
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose_one

HERE = Path(__file__).parent
# Of each family the programs of a default installation are tested, the rest where there is time.
FURTHER = ("mpich 4", "openmpi 4", "openmpi 5", "intel 2021")


@dataclass
class Observed:
    """Programs of an installation, with the library preloaded."""

    installation: Installation
    runtime: Path
    folder: Path

    def program(self, source: Path, wrapper: str = "", *flags: str) -> Path:
        program = self.folder / source.stem
        if not program.exists():
            words = ("-O1", "-g", "-pthread", *flags)
            mpicc = wrapper or self.installation.mpicc
            compiled(mpicc, source, self.folder, *words, **self.installation.environment)
        return program

    def command(self, program: Path, *words: str) -> list[str]:
        return [str(self.installation.mpiexec), "-n", "2", str(program), *words]

    def environment(self, files: Path | str, behind: str = "") -> dict[str, str]:
        preload = str(self.runtime / "libleadline-explain.so")
        if behind:
            preload += f":{self.runtime / behind}"
        here = {**os.environ, **self.installation.environment}
        environment = {**here, **CROWDED, "LD_PRELOAD": preload}
        return {**environment, "LEADLINE_EXPLAIN": str(files)} if files else environment

    def run(
        self, files: Path | str, source: str, *words: str, behind: str = ""
    ) -> subprocess.CompletedProcess[str]:
        command = self.command(self.program(HERE / source), *words)
        return run(*command, environment=self.environment(files, behind))

    def ranks(self, files: Path, source: str, *words: str, behind: str = "") -> list[Rank]:
        ended = self.run(files, source, *words, behind=behind)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        (file,) = files.iterdir()
        return read_node(file)


@pytest.fixture(
    scope="session", params=["", *(pytest.param(each, marks=pytest.mark.full) for each in FURTHER)]
)
def observed(request, tmp_path_factory):
    """Give the programs of the default MPI, or of one of a family and version."""
    installation = choose_one(os.environ.get("LEADLINE_TEST_RUNTIME"))
    if request.param:
        family, version = request.param.split()
        there = [each for each in real_installations()
                 if each.family == family and each.version.startswith(version)]  # fmt: skip
        if not there:
            pytest.skip(f"no {request.param} here")
        installation = there[0]
    folder = tmp_path_factory.mktemp("observed")
    return Observed(installation, observer_for(installation, print), folder)


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder
