"""No launcher: a program that was started as it is."""

from collections.abc import Mapping, Sequence


class Alone:
    """A process with an MPI that nobody numbered: rank 0 of 1."""

    name = "none"
    title = "no launcher"
    order = 90
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


LAUNCHER = Alone()
