"""`tools/test-packages` where there is apt, where there is none, and where it fails."""

from collections.abc import Callable
from typing import Any

import pytest

PROGRAMS = {
    "doctest": ("c++",),
    "openmpi": ("ompi_info", "oshcc", "oshrun"),
    "mpich": ("mpicc.mpich", "mpiexec.mpich"),
    "simgrid": ("smpicc", "smpicxx", "smpirun"),
    "chromium": ("chromium", "chromedriver"),
    "slurm": ("slurmctld", "slurmd", "srun", "sbatch"),
    "lab": ("ip", "tc", "nsenter", "unshare"),
    "compilers": ("clang", "gfortran"),
    "modules": ("modulecmd",),
    "blas": ("ldconfig", "grep"),
    "manual": ("groff",),
    "ccache": ("ccache",),
}
KINDS = (
    "the C++ tests",
    "Open MPI and OpenSHMEM",
    "MPICH",
    "simulated machines",
    "in a browser",
    "Slurm",
    "virtual clusters",
    "kernels with other compilers",
    "environment modules",
    "kernels in BLAS libraries",
    "manual pages",
)
DONE = "#!/bin/sh\nexit 0\n"
APT = """#!/bin/sh
echo "$*" >>apt.log
[ "$1" = update ] || for program in ompi_info oshcc oshrun; do cp "$0" "${0%/*}/$program"; done
"""


@pytest.fixture
def machine(make_machine: Callable[..., Any]) -> Any:
    return make_machine(("test-packages",), ("sh", "cp"))


def user(machine: Any, number: int) -> Any:
    return machine.has("id", f"#!/bin/sh\necho {number}\n")


def provide(machine: Any, *needs: str) -> None:
    for need in needs:
        for program in PROGRAMS[need]:
            machine.has(program, DONE)


def test_nothing_is_said_where_nothing_is_missing(machine: Any) -> None:
    provide(user(machine, 0), *PROGRAMS)
    answer = machine.run("test-packages")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize("number", [0, 1000])
def test_each_kind_is_named_with_its_packages(machine: Any, number: int) -> None:
    lines = user(machine, number).run("test-packages").stdout.splitlines()
    assert len(lines) == len(KINDS)
    for line, kind in zip(lines, KINDS, strict=True):
        assert line.startswith("skipped: ")
        assert kind in line
    assert "doctest-dev" in lines[0]


def test_one_mpi_takes_neither_others_nor_slurm(machine: Any) -> None:
    lines = user(machine, 1000).run("test-packages", "test").stdout.splitlines()
    kinds = (KINDS[0], KINDS[4], *KINDS[7:])
    for line, kind in zip(lines, kinds, strict=True):
        assert kind in line


def test_root_gets_what_apt_has(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(machine.checkout)
    provide(user(machine, 0), *(PROGRAMS.keys() - {"openmpi"}))
    answer = machine.has("apt-get", APT).run("test-packages")
    assert answer.stdout == ""
    calls = (machine.checkout / "apt.log").read_text().splitlines()
    assert calls[0].startswith("update")
    assert calls[1].endswith("openmpi-bin libopenmpi-dev")


def test_others_do_not_call_apt(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(machine.checkout)
    user(machine, 1000).has("apt-get", APT).run("test-packages")
    assert not (machine.checkout / "apt.log").exists()


def test_a_failing_apt_is_told(machine: Any) -> None:
    user(machine, 0).has("apt-get", "#!/bin/sh\necho E: broken >&2\nexit 100\n")
    answer = machine.run("test-packages")
    assert answer.returncode == 0
    assert "apt-get could not install" in answer.stdout
    assert "E: broken" in answer.stderr
