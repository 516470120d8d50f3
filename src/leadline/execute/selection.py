"""Which installation measures which benchmark, learnt from the probes themselves."""

import difflib
from collections.abc import Callable, Iterator, Sequence

import msgspec

from leadline.build.probe import Probe, probe_for
from leadline.errors import UserError
from leadline.model.description import Benchmark
from leadline.model.installation import Installation
from leadline.mpi.choice import choose
from leadline.mpi.discovery import find_installations

Say = Callable[[str], None]

_NO_LAUNCHER = "has a compiler wrapper but no launcher (mpiexec, oshrun)"


class Offer(msgspec.Struct, frozen=True):
    """An installation with those of its probes that are needed."""

    installation: Installation
    probes: dict[str, Probe]

    @property
    def benchmarks(self) -> dict[str, Benchmark]:
        """The benchmarks of these probes by name."""
        every = (each for probe in self.probes.values() for each in probe.description.benchmarks)
        return {each.name: each for each in every}


def offers(names: Sequence[str], mpi: Sequence[str], say: Say) -> list[Offer]:
    """Return the installations that `mpi` means, with the probes that hold the benchmarks `names`.

    Probes are built where they have to be. Without `mpi` the default installation serves, and
    for benchmarks that its probes do not have the first other installation that has them.

    Raises `UserError` for a benchmark that nothing here offers, and where no launcher is there.
    """
    found = [_offer(each, names, say) for each in _startable(choose(mpi))]
    known = {name for offer in found for name in offer.benchmarks}
    missing = set(names) - known
    families = {name.partition("/")[0] for name in known}
    if missing and not mpi and not any(name.partition("/")[0] in families for name in missing):
        tried = {transport for offer in found for transport in offer.probes}
        for other in find_installations():
            transports = [each for each in other.transports if each not in tried]
            if not missing or not transports:
                continue
            tried.update(transports)
            offer = Offer(other, {each: probe_for(other, each, say) for each in transports})
            known.update(offer.benchmarks)
            if missing & offer.benchmarks.keys():
                found.append(offer)
                missing -= offer.benchmarks.keys()
    if missing:
        raise UserError(_unknown(sorted(missing)[0], sorted(known), found))
    return found


def omissions(names: Sequence[str], mpi: Sequence[str], found: Sequence[Offer]) -> Iterator[str]:
    """Yield a line for each MPI and benchmark asked for that `found`, from `offers`, leaves out."""
    there = {offer.installation.name for offer in found}
    for each in choose(mpi) if mpi else ():
        if each.name not in there:
            yield f"{each.name} is left out: it {_NO_LAUNCHER}"
    for offer in found if mpi else ():
        for name in sorted(set(names) - offer.benchmarks.keys()):
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
