"""Every MPI installation on this machine."""

from collections.abc import Iterable, Iterator

import msgspec

from leadline import __version__
from leadline.model.installation import Installation
from leadline.site.mpi import cache
from leadline.site.mpi.candidate import Candidate
from leadline.site.mpi.families import FAMILIES
from leadline.site.mpi.sources import SOURCES, Places

FAKE = Installation(name="fake", family="fake", version=__version__, prefix="", source="leadline")


def find_installations(fresh: bool = False, places: Places | None = None) -> list[Installation]:
    """Return the installations of this machine, the fake one last.

    What was found is remembered and given again while nothing that the search depends on has
    changed; `fresh` searches in any case. Names are FAMILY-VERSION, with `-2` and so on for a
    second one, and stay with their installation between calls.
    """
    places = places or Places.here()
    remembered = cache.recall(places)
    if not fresh and cache.still_true(remembered, places):
        return [*remembered.installations, FAKE]
    former = {each.mpicc: each.name for each in remembered.installations}
    found = name_each(_search(places), former)
    cache.keep(found, places)
    return [*found, FAKE]


def name_each(found: Iterable[Installation], former: dict[str | None, str]) -> list[Installation]:
    """Return the installations with names that are unique among them.

    `former` maps wrappers to the names that they had: these are kept where they still fit.
    """
    installations = list(found)
    kept = {
        each.mpicc: name
        for each in installations
        if (name := former.get(each.mpicc)) and _fits(name, each.name)
    }
    taken = set(kept.values())
    named = []
    for each in installations:
        name = kept.get(each.mpicc) or next(name for name in _names(each.name) if name not in taken)
        taken.add(name)
        named.append(msgspec.structs.replace(each, name=name))
    return named


def _fits(name: str, wanted: str) -> bool:
    return name == wanted or name.removeprefix(f"{wanted}-").isdigit()


def _names(wanted: str) -> Iterator[str]:
    yield wanted
    number = 2
    while True:
        yield f"{wanted}-{number}"
        number += 1


def _search(places: Places) -> Iterator[Installation]:
    seen = set()
    for source in SOURCES:
        for candidate in source.candidates(places):
            if candidate.wrapper not in seen:
                seen.add(candidate.wrapper)
                yield from _recognise(candidate)


def _recognise(candidate: Candidate) -> Iterator[Installation]:
    """Yield the installation of the candidate, if a family knows it.

    A suffixed wrapper without a launcher of its own is another name for the plain one, as
    tracing tools make them.
    """
    macros = candidate.macros()
    for family in FAMILIES:
        if version := family.version(candidate, macros):
            installation = family.installation(candidate, version)
            if installation.apis or not candidate.suffix:
                yield installation
            return
