"""Folders where distributions and vendors put MPIs that are not on PATH."""

from collections.abc import Iterator
from pathlib import Path

from leadline.site.mpi.candidate import Candidate, candidates_in
from leadline.site.mpi.source import Places

_FOLDERS = (
    "opt/*/bin",
    "opt/*/*/bin",
    "opt/intel/oneapi/mpi/*/bin",
    "opt/cray/pe/mpich/*/*/*/*/bin",
    "usr/lib64/*/bin",
    "usr/lib/*/bin",
    "usr/local/*/bin",
)


class Prefixes:
    """The usual prefixes of Red Hat, SUSE, Intel, Cray and of builds by hand."""

    name = "usual folders"
    order = 50

    def watched(self, places: Places) -> list[Path]:
        """Return those that exist: a new one is seen because the list is then another."""
        return sorted({path for pattern in _FOLDERS for path in places.root.glob(pattern)})

    def candidates(self, places: Places) -> Iterator[Candidate]:
        """Yield the wrappers in them."""
        for folder in self.watched(places):
            yield from candidates_in(folder, self.name)


SOURCE = Prefixes()
