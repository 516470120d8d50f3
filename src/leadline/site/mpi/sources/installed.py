"""What `leadline mpi install` has installed."""

from collections.abc import Iterator
from pathlib import Path

from leadline.site.mpi.candidate import Candidate, candidates_in
from leadline.site.mpi.source import Places


class Installed:
    """Environments in leadline's home; a name with a dot in front is one not finished."""

    name = "leadline mpi install"
    order = 20

    def watched(self, places: Places) -> list[Path]:
        """Return the programs of each environment."""
        return sorted(places.installed.glob("[!.]*/bin"))

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers of each environment."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


SOURCE = Installed()
