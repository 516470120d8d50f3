"""Intel MPI's Hydra, which binds by variables."""

from collections.abc import Mapping, Sequence

from leadline.check.launchers.hydra import Hydra


class Intel(Hydra):
    """`mpiexec` of Intel MPI: Developer Reference, Process Pinning.

    >>> LAUNCHER.bound(2)
    ('-genv', 'I_MPI_PIN', '1', '-genv', 'I_MPI_PIN_DOMAIN', '2')
    """

    name = "intel"
    title = "Intel MPI's mpiexec"
    order = 20
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


LAUNCHER = Intel()
