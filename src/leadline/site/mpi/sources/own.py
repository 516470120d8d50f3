"""The environment that leadline itself is installed in: its embedded MPI."""

from collections.abc import Iterator
from pathlib import Path

from leadline.site.mpi.candidate import Candidate, candidates_in
from leadline.site.mpi.source import Places


class Own:
    """A wheel beside leadline. A system's own prefix does not count: see the search path."""

    name = "leadline's environment"
    order = 10

    def watched(self, places: Places) -> list[Path]:
        """Return the environment's programs."""
        system = {places.root / "usr", places.root / "usr/local"}
        return [] if places.own in system else [places.own / "bin"]

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers in the environment."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


SOURCE = Own()
