"""Open MPI up to 4: ORTE's `mpirun`."""

from collections.abc import Mapping, Sequence


class OpenMpi4:
    """`mpirun` of Open MPI 4: mpirun(1), Mapping, Ranking, and Binding.

    >>> LAUNCHER.bound(1), LAUNCHER.bound(2)
    (('--map-by', 'core', '--bind-to', 'core'), ('--map-by', 'slot:PE=2', '--bind-to', 'core'))
    """

    name = "openmpi4"
    title = "Open MPI's mpirun"
    order = 10
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


LAUNCHER = OpenMpi4()
