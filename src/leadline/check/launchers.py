"""How each launcher's ranks are known, and its options spelled."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

_Started = Callable[[Mapping[str, str], Sequence[str]], bool]


class Launcher(NamedTuple):
    """One launcher: how its ranks are known, and how its options are spelled.

    `families` are the MPIs whose ranks find each other under it: it sets one of the variables
    `serving` for them. `rank` and `size` are the variables that it gives to each rank. `programs`
    are the names under which people start it. `started` tells from the variables of a process and
    the programs above it whether the launcher started it.

    `core` and `cores` are the options that give each rank one core, or `{}` cores, of its own;
    `variable` those that give it a variable of a name and a value. `binding` are its options about
    cores, each with the number of words after it; `variables` do the same. `winning` are those of
    them that win over its options.
    """

    name: str
    title: str
    started: _Started
    families: tuple[str, ...]
    rank: tuple[str, ...] = ()
    size: tuple[str, ...] = ()
    serving: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    core: str = ""
    cores: str = ""
    variable: tuple[str, ...] = ()
    binding: Mapping[str, int] = {}
    variables: tuple[str, ...] = ()
    winning: tuple[str, ...] = ()

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Tell whether it told the process how to find the other ranks."""
        return any(name in environment for name in self.serving)

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return the options that give each rank so many cores of its own."""
        return tuple((self.core if cores == 1 else self.cores.format(cores)).split())

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return the options that give a variable to the ranks."""
        return tuple(word.format(name, value) for word in self.variable)


def _by_orte(environment: Mapping[str, str], parents: Sequence[str]) -> bool:
    orte = any(name.startswith("OMPI_MCA_orte_") for name in environment)
    return orte and "OMPI_COMM_WORLD_RANK" in environment


def _by_prrte(environment: Mapping[str, str], parents: Sequence[str]) -> bool:
    return "OMPI_COMM_WORLD_RANK" in environment


def _by_intel(environment: Mapping[str, str], parents: Sequence[str]) -> bool:
    return "PMI_RANK" in environment and "I_MPI_HYDRA_UUID" in environment


def _by_hydra(environment: Mapping[str, str], parents: Sequence[str]) -> bool:
    """Tell by the proxy that Hydra leaves on each host; the kernel cuts its name."""
    proxy = any(each.startswith(("hydra_pmi_prox", "pmi_proxy")) for each in parents)
    return "PMI_RANK" in environment and (proxy or "SLURM_STEP_ID" not in environment)


def _by_slurm(environment: Mapping[str, str], parents: Sequence[str]) -> bool:
    """Tell by the daemon of a job step; that of a batch script starts no ranks."""
    step = environment.get("SLURM_STEP_ID", "")
    return "SLURM_PROCID" in environment and "slurmstepd" in parents and step.isdigit()


def _never(environment: Mapping[str, str], parents: Sequence[str]) -> bool:
    return False


# mpirun(1) of Open MPI 4, Mapping, Ranking, and Binding; prterun(1) for 5.
_OPENMPI_4 = Launcher(
    name="openmpi4",
    title="Open MPI's mpirun",
    started=_by_orte,
    families=("openmpi",),
    rank=("OMPI_COMM_WORLD_RANK", "PMIX_RANK"),
    size=("OMPI_COMM_WORLD_SIZE",),
    serving=("PMIX_NAMESPACE",),
    programs=(
        "mpirun", "mpiexec", "orterun", "prterun", "oshrun", "mpirun.openmpi", "mpiexec.openmpi",
    ),
    core="--map-by core --bind-to core",
    cores="--map-by slot:PE={} --bind-to core",
    variable=("-x", "{}={}"),
    binding={
        "--bind-to": 1, "-bind-to": 1, "--map-by": 1, "-map-by": 1, "--rank-by": 1, "-rank-by": 1,
        "--cpu-set": 1, "-cpu-set": 1, "--cpus-per-proc": 1, "--cpus-per-rank": 1,
        "--bind-to-core": 0, "--bind-to-none": 0, "-bind-to-core": 0, "-bind-to-none": 0,
        "--rankfile": 1, "-rf": 1, "--report-bindings": 0, "--oversubscribe": 0,
        "-oversubscribe": 0,
    },
    variables=(
        "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy",
        "OMPI_MCA_hwloc_base_cpu_list",
    ),
)  # fmt: skip
# https://github.com/pmodels/mpich/blob/main/doc/wiki/how_to
_HYDRA = Launcher(
    name="hydra",
    title="MPICH's mpiexec",
    started=_by_hydra,
    families=("mpich", "intel"),
    rank=("PMI_RANK",),
    size=("PMI_SIZE",),
    serving=("PMI_FD", "PMI_PORT"),
    programs=("mpiexec", "mpirun", "mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich"),
    core="-bind-to core",
    cores="-bind-to core:{}",
    variable=("-genv", "{0}", "{1}"),
    binding={"-bind-to": 1, "--bind-to": 1, "-map-by": 1, "--map-by": 1},
    variables=("HYDRA_BINDING", "HYDRA_MAPPING"),
)
# Whose ranks also have the variables of another launcher comes before it.
LAUNCHERS = (
    _OPENMPI_4,
    _OPENMPI_4._replace(
        name="openmpi5",
        started=_by_prrte,
        variables=(
            *_OPENMPI_4.variables, "PRTE_MCA_hwloc_default_binding_policy",
            "PRTE_MCA_rmaps_default_mapping_policy", "PRTE_MCA_hwloc_default_cpu_list",
        ),
    ),
    # Developer Reference of Intel MPI, Process Pinning.
    _HYDRA._replace(
        name="intel",
        title="Intel MPI's mpiexec",
        started=_by_intel,
        core="-genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN core",
        cores="-genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN {}",
        binding={},
        variables=(
            "I_MPI_PIN", "I_MPI_PIN_DOMAIN", "I_MPI_PIN_PROCESSOR_LIST", "I_MPI_PIN_CELL",
        ),
        winning=("I_MPI_PIN_PROCESSOR_LIST",),
    ),
    _HYDRA,
    # srun(1), --cpu-bind and --cpus-per-task.
    Launcher(
        name="srun",
        title="srun",
        started=_by_slurm,
        families=("mpich", "intel", "openmpi"),
        rank=("SLURM_PROCID",),
        size=("SLURM_NTASKS", "SLURM_NPROCS"),
        serving=("PMI_FD", "PMI_PORT", "PMIX_NAMESPACE"),
        programs=("srun",),
        core="--cpus-per-task=1 --cpu-bind=cores",
        cores="--cpus-per-task={} --cpu-bind=cores",
        variable=("--export=ALL,{}={}",),
        binding={"--cpu-bind": 1, "--cpus-per-task": 1, "-c": 1, "--overcommit": 0, "-O": 0},
        variables=("SLURM_CPU_BIND", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK"),
    ),
)  # fmt: skip
# A process with an MPI that nobody numbered: rank 0 of 1.
NO_LAUNCHER = Launcher("none", "no launcher", _never, ("mpich", "intel", "openmpi"))


def launcher_of(environment: Mapping[str, str], parents: Sequence[str]) -> Launcher | None:
    """Return the launcher that numbered a process, None where none did."""
    return next((each for each in LAUNCHERS if each.started(environment, parents)), None)


def named(name: str) -> Launcher:
    """Return the launcher of that name."""
    return next((each for each in LAUNCHERS if each.name == name), NO_LAUNCHER)


def number(environment: Mapping[str, str], names: Sequence[str]) -> int | None:
    """Return the whole number that the first of the variables has, or None."""
    texts = (environment[name] for name in names if environment.get(name, "").isdigit())
    return next(map(int, texts), None)
