"""Slurm's `srun`."""

from collections.abc import Mapping, Sequence


class Srun:
    """`srun`: its manual, --cpu-bind and --cpus-per-task.

    >>> LAUNCHER.bound(2)
    ('--cpus-per-task=2', '--cpu-bind=cores')
    """

    name = "srun"
    title = "srun"
    order = 60
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


LAUNCHER = Srun()
