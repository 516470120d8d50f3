"""Which installation measures which benchmark, learnt from the probes themselves."""

import difflib
import fnmatch
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.measure.build.probe import Probe, probe_for
from leadline.model.description import Benchmark
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose
from leadline.site.mpi.discovery import find_installations

Say = Callable[[str], None]

FAKE = "fake"  # measured only where it is named
_NO_LAUNCHER = "has a compiler wrapper but no launcher (mpiexec, oshrun)"


class Offer(msgspec.Struct, frozen=True):
    """An installation with those of its probes that are needed."""

    installation: Installation
    probes: dict[str, Probe]

    def named(self, name: str) -> list[str]:
        """Return the benchmarks that `name` means, which may be a pattern."""
        return named(name, self.benchmarks)

    @property
    def benchmarks(self) -> dict[str, Benchmark]:
        """The benchmarks of these probes by name."""
        every = (each for probe in self.probes.values() for each in probe.description.benchmarks)
        return {each.name: each for each in every}


def named(name: str, there: Collection[str]) -> list[str]:
    """Return the benchmarks, of those `there`, that `name` means; a plain name means itself."""
    return fnmatch.filter(there, name) if is_pattern(name) else [name]


def is_pattern(name: str) -> bool:
    """Tell whether `name` may mean several benchmarks."""
    return "*" in name or "?" in name


def offers(
    names: Sequence[str],
    mpi: Sequence[str],
    say: Say,
    optional: Collection[str] = (),
    simulated: bool = False,
) -> list[Offer]:
    """Return the installations that `mpi` means, with the probes that hold the benchmarks `names`.

    A name may be a pattern such as `mpi/*`. Probes are built where they have to be. Without `mpi`
    the default installation serves, and for benchmarks that its probes do not have the first
    other installation that has them. Only a simulator serves where all is `simulated`.

    Raises `UserError` for a benchmark that nothing here offers, unless it is among the `optional`
    ones, and where no launcher is there.
    """
    found = [_offer(each, names, say) for each in _startable(choose(mpi, simulated))]
    known = {name for offer in found for name in offer.benchmarks}
    missing = {name for name in names if not is_pattern(name)} - known
    if not mpi and not simulated and _elsewhere(names, missing, known):
        tried = {transport for offer in found for transport in offer.probes}
        for other in find_installations():
            transports = [each for each in other.transports if each not in tried]
            if not transports or other.simulates or (other.family == FAKE and not missing):
                continue
            tried.update(transports)
            offer = Offer(other, {each: probe_for(other, each, say) for each in transports})
            new = {each for name in names for each in offer.named(name)} & offer.benchmarks.keys()
            if new - known:
                found.append(offer)
            known.update(offer.benchmarks)
            missing -= offer.benchmarks.keys()
    unmatched = {name for name in names if is_pattern(name) and not fnmatch.filter(known, name)}
    if lacking := (missing | unmatched) - set(optional):
        raise UserError(_unknown(sorted(lacking)[0], sorted(known), found))
    return found


def _elsewhere(names: Sequence[str], missing: set[str], known: set[str]) -> bool:
    """Tell whether another transport than those tried may have what `names` mean."""
    families = {name.partition("/")[0] for name in known}
    wanted = {name.partition("/")[0] for name in names if name in missing or is_pattern(name)}
    return any(family not in families for family in wanted)


def omissions(
    names: Sequence[str], mpi: Sequence[str], found: Sequence[Offer], simulated: bool = False
) -> Iterator[str]:
    """Yield a line for each MPI and benchmark asked for that `found`, from `offers`, leaves out."""
    there = {offer.installation.name for offer in found}
    for each in choose(mpi, simulated) if mpi else ():
        if each.name not in there:
            yield f"{each.name} is left out: it {_NO_LAUNCHER}"
    for offer in found if mpi else ():
        wanted = {name for name in names if not is_pattern(name)}
        for name in sorted(wanted - offer.benchmarks.keys()):
            yield f"{name} is not measured with {offer.installation.name}, whose probes lack it"


def _startable(chosen: Sequence[Installation]) -> list[Installation]:
    startable = [each for each in chosen if each.transports]
    if not startable:
        raise UserError(
            f"{chosen[0].name} {_NO_LAUNCHER}: install its launcher, or choose another MPI that "
            "`leadline mpi` lists"
        )
    return startable


def _offer(installation: Installation, names: Sequence[str], say: Say) -> Offer:
    offer = Offer(installation, {})
    for transport in installation.transports:
        if not names or not set(names) <= offer.benchmarks.keys():
            offer.probes[transport] = probe_for(installation, transport, say)
    return offer


def _unknown(name: str, there: list[str], found: list[Offer]) -> str:
    where = ", ".join(offer.installation.name for offer in found)
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(there)}"
    return f"no benchmark {name!r} with {where}: {hint} (`leadline benchmarks` lists them)"
