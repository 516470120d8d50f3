"""MPICH's Hydra, and MVAPICH's."""

from collections.abc import Mapping, Sequence


class Hydra:
    """`mpiexec` of MPICH: https://github.com/pmodels/mpich/blob/main/doc/wiki/how_to.

    >>> LAUNCHER.bound(1), LAUNCHER.bound(2)
    (('-bind-to', 'core'), ('-bind-to', 'core:2'))
    """

    name = "hydra"
    title = "MPICH's mpiexec"
    order = 30
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


LAUNCHER = Hydra()
