"""Open MPI from 5 on: PRRTE's `prterun`."""

from collections.abc import Mapping, Sequence

from leadline.check.launchers.openmpi4 import OpenMpi4


class OpenMpi5(OpenMpi4):
    """`mpirun` of Open MPI 5: prterun(1).

    >>> LAUNCHER.bound(2)
    ('--map-by', 'slot:PE=2', '--bind-to', 'core')
    """

    name = "openmpi5"
    order = 11
    variables: tuple[str, ...] = (
        *OpenMpi4.variables, "PRTE_MCA_hwloc_default_binding_policy",
        "PRTE_MCA_rmaps_default_mapping_policy", "PRTE_MCA_hwloc_default_cpu_list",
    )  # fmt: skip

    def started(self, environment: Mapping[str, str], parents: Sequence[str]) -> bool:
        """Tell by Open MPI's number of a rank, which PRRTE still gives."""
        return "OMPI_COMM_WORLD_RANK" in environment


LAUNCHER = OpenMpi5()
