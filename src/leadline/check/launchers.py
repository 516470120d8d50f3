"""How each launcher's ranks are known, and its options spelled."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class Launcher(Protocol):
    """One launcher: how its ranks are known, and how its options are spelled.

    `families` are the MPIs whose ranks find each other under it. `rank` and `size` are the
    variables that it gives to each rank. `programs` are the names under which people start it.
    `binding` are its options about cores, each with the number of words after it; `variables` do
    the same. `winning` are those of them that win over its options.
    """

    name: str
    title: str
    families: tuple[str, ...]
    rank: tuple[str, ...]
    size: tuple[str, ...]
    programs: tuple[str, ...]
    binding: Mapping[str, int]
    variables: tuple[str, ...]
    winning: tuple[str, ...]

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell whether it started the process with this environment, below these programs."""

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Tell whether it told the process how to find the other ranks."""

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return the options that give each rank so many cores of its own."""

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return the options that give a variable to the ranks."""


class OpenMpi4:
    """`mpirun` of Open MPI 4: mpirun(1), Mapping, Ranking, and Binding.

    >>> OpenMpi4().bound(1), OpenMpi4().bound(2)
    (('--map-by', 'core', '--bind-to', 'core'), ('--map-by', 'slot:PE=2', '--bind-to', 'core'))
    """

    name = "openmpi4"
    title = "Open MPI's mpirun"
    families: tuple[str, ...] = ("openmpi",)
    rank: tuple[str, ...] = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK")
    size: tuple[str, ...] = ("OMPI_COMM_WORLD_SIZE",)
    programs: tuple[str, ...] = (
        "mpirun", "mpiexec", "orterun", "prterun", "oshrun", "mpirun.openmpi", "mpiexec.openmpi",
    )  # fmt: skip
    binding: Mapping[str, int] = {
        "--bind-to": 1, "-bind-to": 1, "--map-by": 1, "-map-by": 1, "--rank-by": 1, "-rank-by": 1,
        "--cpu-set": 1, "-cpu-set": 1, "--cpus-per-proc": 1, "--cpus-per-rank": 1,
        "--bind-to-core": 0,
        "--bind-to-none": 0, "-bind-to-core": 0, "-bind-to-none": 0, "--rankfile": 1, "-rf": 1,
        "--report-bindings": 0, "--oversubscribe": 0, "-oversubscribe": 0,
    }  # fmt: skip
    variables: tuple[str, ...] = (
        "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy",
        "OMPI_MCA_hwloc_base_cpu_list",
    )  # fmt: skip
    winning: tuple[str, ...] = ()

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell by the variables of ORTE."""
        return "OMPI_COMM_WORLD_RANK" in environment and any(
            name.startswith("OMPI_MCA_orte_") for name in environment
        )

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Tell whether there is a PMIx server."""
        return "PMIX_NAMESPACE" in environment

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return ORTE's own words."""
        return ("--map-by", "core" if cores == 1 else f"slot:PE={cores}", "--bind-to", "core")

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return Open MPI's option."""
        return ("-x", f"{name}={value}")


class OpenMpi5(OpenMpi4):
    """`mpirun` of Open MPI 5: prterun(1).

    >>> OpenMpi5().bound(2)
    ('--map-by', 'slot:PE=2', '--bind-to', 'core')
    """

    name = "openmpi5"
    variables: tuple[str, ...] = (
        *OpenMpi4.variables, "PRTE_MCA_hwloc_default_binding_policy",
        "PRTE_MCA_rmaps_default_mapping_policy", "PRTE_MCA_hwloc_default_cpu_list",
    )  # fmt: skip

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell by Open MPI's number of a rank, which PRRTE still gives."""
        return "OMPI_COMM_WORLD_RANK" in environment


class Hydra:
    """`mpiexec` of MPICH: https://github.com/pmodels/mpich/blob/main/doc/wiki/how_to.

    >>> Hydra().bound(1), Hydra().bound(2)
    (('-bind-to', 'core'), ('-bind-to', 'core:2'))
    """

    name = "hydra"
    title = "MPICH's mpiexec"
    families: tuple[str, ...] = ("mpich", "intel")
    rank: tuple[str, ...] = ("PMI_RANK",)
    size: tuple[str, ...] = ("PMI_SIZE",)
    programs: tuple[str, ...] = (
        "mpiexec",
        "mpirun",
        "mpiexec.hydra",
        "mpiexec.mpich",
        "mpirun.mpich",
    )
    binding: Mapping[str, int] = {"-bind-to": 1, "--bind-to": 1, "-map-by": 1, "--map-by": 1}
    variables: tuple[str, ...] = ("HYDRA_BINDING", "HYDRA_MAPPING")
    winning: tuple[str, ...] = ()

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell by the proxy that Hydra leaves on each host."""
        proxy = any(
            each.startswith(("hydra_pmi_proxy", "hydra_pmi_prox", "pmi_proxy")) for each in parents
        )
        return "PMI_RANK" in environment and (proxy or "SLURM_STEP_ID" not in environment)

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Tell whether there is a socket of PMI."""
        return any(name in environment for name in ("PMI_FD", "PMI_PORT"))

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return Hydra's own words."""
        return ("-bind-to", "core" if cores == 1 else f"core:{cores}")

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return Hydra's option, which takes two words."""
        return ("-genv", name, value)


class Intel(Hydra):
    """`mpiexec` of Intel MPI: Developer Reference, Process Pinning.

    >>> Intel().bound(2)
    ('-genv', 'I_MPI_PIN', '1', '-genv', 'I_MPI_PIN_DOMAIN', '2')
    """

    name = "intel"
    title = "Intel MPI's mpiexec"
    binding: Mapping[str, int] = {}
    variables: tuple[str, ...] = (
        "I_MPI_PIN", "I_MPI_PIN_DOMAIN", "I_MPI_PIN_PROCESSOR_LIST", "I_MPI_PIN_CELL",
    )  # fmt: skip
    winning: tuple[str, ...] = ("I_MPI_PIN_PROCESSOR_LIST",)

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell by the variables of Intel's proxy."""
        return "PMI_RANK" in environment and "I_MPI_HYDRA_UUID" in environment

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return the variables that make a domain of so many cores for each rank."""
        return (
            "-genv",
            "I_MPI_PIN",
            "1",
            "-genv",
            "I_MPI_PIN_DOMAIN",
            "core" if cores == 1 else str(cores),
        )


class Srun:
    """`srun`: its manual, --cpu-bind and --cpus-per-task.

    >>> Srun().bound(2)
    ('--cpus-per-task=2', '--cpu-bind=cores')
    """

    name = "srun"
    title = "srun"
    families: tuple[str, ...] = ("mpich", "intel", "openmpi")
    rank: tuple[str, ...] = ("SLURM_PROCID",)
    size: tuple[str, ...] = ("SLURM_NTASKS", "SLURM_NPROCS")
    programs: tuple[str, ...] = ("srun",)
    binding: Mapping[str, int] = {
        "--cpu-bind": 1,
        "--cpus-per-task": 1,
        "-c": 1,
        "--overcommit": 0,
        "-O": 0,
    }
    variables: tuple[str, ...] = ("SLURM_CPU_BIND", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK")
    winning: tuple[str, ...] = ()

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell by the daemon of a job step; that of a batch script starts no ranks."""
        step = environment.get("SLURM_STEP_ID", "")
        return "SLURM_PROCID" in environment and "slurmstepd" in parents and step.isdigit()

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Tell whether PMI or PMIx was asked for with --mpi."""
        return any(name in environment for name in ("PMI_FD", "PMI_PORT", "PMIX_NAMESPACE"))

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return Slurm's own words."""
        return (f"--cpus-per-task={cores}", "--cpu-bind=cores")

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return Slurm's option; all else is handed on too."""
        return (f"--export=ALL,{name}={value}",)


class Alone:
    """A process with an MPI that nobody numbered: rank 0 of 1."""

    name = "none"
    title = "no launcher"
    families: tuple[str, ...] = ("mpich", "intel", "openmpi")
    rank: tuple[str, ...] = ()
    size: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    binding: Mapping[str, int] = {}
    variables: tuple[str, ...] = ()
    winning: tuple[str, ...] = ()

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Never: it is taken where no other was."""
        return False

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Never."""
        return False

    def bound(self, cores: int) -> tuple[str, ...]:
        """Return nothing: there are no options."""
        return ()

    def given(self, name: str, value: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()


# Whose ranks also have the variables of another launcher comes before it.
LAUNCHERS: tuple[Launcher, ...] = (OpenMpi4(), OpenMpi5(), Intel(), Hydra(), Srun(), Alone())


def launcher_of(environment: Mapping[str, str], parents: Sequence[str]) -> Launcher | None:
    """Return the launcher that numbered a process, None where none did."""
    return next((each for each in LAUNCHERS if each.started(environment, parents)), None)


def named(name: str) -> Launcher | None:
    """Return the launcher of that name."""
    return next((each for each in LAUNCHERS if each.name == name), None)


def number(environment: Mapping[str, str], names: Sequence[str]) -> int | None:
    """Return the whole number that the first of the variables has, or None."""
    texts = (environment[name] for name in names if environment.get(name, "").isdigit())
    return next(map(int, texts), None)
