"""Wrappers on PATH, Debian's alternatives among them."""

from collections.abc import Iterator
from pathlib import Path

from leadline.site.mpi.candidate import Candidate, candidates_in
from leadline.site.mpi.source import Places


class SearchPath:
    """Every wrapper in every folder of PATH, not only the one that a shell would start."""

    name = "PATH"
    order = 30

    def watched(self, places: Places) -> list[Path]:
        """Return the folders of PATH."""
        return places.folders("PATH")

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers in the order of PATH."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


SOURCE = SearchPath()
