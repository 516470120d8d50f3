"""What discovery needs to know of an MPI family."""

import re
from functools import cache
from typing import Protocol

from leadline.core.plugins import plugins
from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate


class Family(Protocol):
    """One MPI family: how to recognise it and what is special about it.

    `order` says when it is asked: a family derived from another comes before it. `wheels` are
    the PyPI packages that bring it, if any. `symbol` is one that its library defines and no other
    does but those derived from it, empty where none is known.
    """

    name: str
    order: int
    wheels: tuple[str, ...]
    symbol: str

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return the version where the header's macros are of this family, otherwise None."""

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the candidate with all that belongs to it."""

    def library(self, version: str) -> str:
        """Return the pattern of what `MPI_Get_library_version` says, white space made one blank."""


@cache
def families() -> tuple[Family, ...]:
    """Return every family, in the order in which they are asked."""
    found: list[Family] = plugins("leadline.site.mpi.families", "FAMILY")
    return tuple(sorted(found, key=lambda family: family.order))


def is_library_of(installation: Installation, library: str) -> bool:
    """Tell whether `library`, as `MPI_Get_library_version` gives it, is the installation's.

    A probe is linked to one library but the loader may find another of the same name, for
    instance through a user's LD_LIBRARY_PATH.
    """
    return library_words(installation, library) is not None


def library_words(installation: Installation, library: str) -> str | None:
    """Return the words of `library` that are the installation's family and version.

    They stand in it where each stretch of white space is one blank. None where it is another
    library; all of it where leadline does not know the family.
    """
    family = next((each for each in families() if each.name == installation.family), None)
    said = " ".join(library.split()) + " "
    found = re.search(family.library(installation.version) if family else ".*", said)
    return found[0].strip() if found else None
