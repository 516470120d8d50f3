"""Which installation measures which benchmark, learnt from the probes themselves."""

import fnmatch
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from leadline.core.errors import HomeError, UserError
from leadline.core.names import suggestion
from leadline.measure.build.probe import Probe, described_probe, probe_for
from leadline.model.description import Benchmark
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose
from leadline.site.mpi.discovery import find_installations

Say = Callable[[str], None]
# Returns a probe, or None where it is not to be had.
Find = Callable[[Installation, str, Say], Probe | None]

EVERY = "all"  # as `--mpi` has it
FAKE = "fake"  # measured only where it is named
# So are benchmarks of that name: what a library cannot do may end the launch, and others with it.
_CONFORMANCE = "/conformance"
_NO_LAUNCHER = "has a compiler wrapper but no launcher (mpiexec, oshrun)"


class ProbeSet(msgspec.Struct, frozen=True):
    """An installation with those of its probes that are needed."""

    installation: Installation
    probes: dict[str, Probe]

    @property
    def benchmarks(self) -> dict[str, Benchmark]:
        """The benchmarks of these probes by name."""
        every = (each for probe in self.probes.values() for each in probe.description.benchmarks)
        return {each.name: each for each in every}


def named(name: str, there: Collection[str]) -> list[str]:
    """Return the benchmarks, of those `there`, that `name` means; a plain name means itself."""
    if not is_pattern(name):
        return [name]
    return [each for each in fnmatch.filter(there, name) if not each.endswith(_CONFORMANCE)]


def is_pattern(name: str) -> bool:
    """Tell whether `name` may mean several benchmarks."""
    return "*" in name or "?" in name


def available_probes(
    names: Sequence[str],
    mpi: Sequence[str],
    say: Say,
    optional: Collection[str] = (),
    simulated: bool = False,
) -> list[ProbeSet]:
    """Return the installations that `mpi` means, with the probes that hold the benchmarks `names`.

    A name may be a pattern such as `mpi/*`. Probes are built where only that says what they
    measure. Without `mpi` the default installation serves, and the first other one that has what
    its probes lack; only a simulator where all is `simulated`. Of `all` those whose probes cannot
    be built are left out, and `say` is told why. Raises `UserError` without a launcher, and for a
    benchmark that no probe has and that is not `optional`.
    """
    chosen = _startable(choose(mpi, simulated))
    found = _find_all(chosen, names, say, skip=EVERY in mpi and len(chosen) > 1)
    if not found:
        raise UserError(
            "no MPI of this machine can be measured, for the reasons above: `leadline mpi install "
            "mpich` brings one without root"
        )
    if not mpi and not simulated and _other_api_may_have(names, found):
        found = _with_other_probes(found, names, say)
    if lacking := _lacking(names, found) - set(optional):
        raise UserError(_unknown(sorted(lacking)[0], found))
    return found


def listed_probes(
    names: Sequence[str], mpi: Sequence[str], say: Say, simulated: bool = False
) -> list[ProbeSet]:
    """Return the probes as `available_probes` does, but build none: as they last were built.

    `say` is told which were never built, and how to build them. Raises `UserError` for a benchmark
    that none has where all are built.
    """
    unbuilt: dict[tuple[str, str], None] = {}

    def find(installation: Installation, api: str, _: Say) -> Probe | None:
        probe = described_probe(installation, api)
        if probe is None:
            unbuilt[installation.name, api] = None
        return probe

    chosen = _startable(choose(mpi, simulated))
    found = [_find_probes(each, names, say, find) for each in chosen]
    if not mpi and not simulated and _other_api_may_have(names, found):
        found = _with_other_probes(found, names, say, find)
    there = set() if mpi else {api for each in found for api in each.probes}
    lines = []
    for name, api in unbuilt:
        if api not in there and (mpi or name != FAKE):
            lines.append(f"the {api} probe of {name}")
            # Without a choice the first installation of an API serves.
            there |= set() if mpi else {api}
    if lines:
        option = f" --mpi {','.join(mpi)}" if mpi else ""
        say(f"left out: {', '.join(lines)}: not built: `leadline run --list --build{option}`")
    elif lacking := _lacking(names, found):
        raise UserError(_unknown(sorted(lacking)[0], found))
    return found


def _matching(names: Iterable[str], found: Iterable[ProbeSet]) -> set[str]:
    """Return the benchmarks that `names` mean and that the probes have."""
    known = {name for each in found for name in each.benchmarks}
    return {each for name in names for each in named(name, known)} & known


def _lacking(names: Sequence[str], found: Sequence[ProbeSet]) -> set[str]:
    return {name for name in names if not _matching([name], found)}


def _other_api_may_have(names: Sequence[str], found: Sequence[ProbeSet]) -> bool:
    """Tell whether an API that was not tried may have what `names` mean."""
    families = {name.partition("/")[0] for each in found for name in each.benchmarks}
    open_names = _lacking(names, found) | set(filter(is_pattern, names))
    return not families.issuperset(name.partition("/")[0] for name in open_names)


def _with_other_probes(
    found: Sequence[ProbeSet], names: Sequence[str], say: Say, find: Find | None = None
) -> list[ProbeSet]:
    """Add the first other installation of each further API that has more of what `names` mean."""
    every = list(found)
    tried = {api for each in found for api in each.probes}
    for other in find_installations():
        apis = [each for each in other.apis if each not in tried]
        fake_is_named = any(not is_pattern(name) for name in _lacking(names, every))
        if not apis or other.simulates or (other.family == FAKE and not fake_is_named):
            continue
        probes = {each: (find or probe_for)(other, each, say) for each in apis}
        more = ProbeSet(other, {api: probe for api, probe in probes.items() if probe})
        tried.update(more.probes)
        if _matching(names, [more]) - _matching(names, every):
            every.append(more)
    return every


def omissions(
    names: Sequence[str], mpi: Sequence[str], found: Sequence[ProbeSet], simulated: bool = False
) -> Iterator[str]:
    """Yield a line for each MPI and benchmark asked for that `found` leaves out."""
    for each in choose(mpi, simulated) if mpi else ():
        if not each.apis:
            yield f"{each.name} is left out: it {_NO_LAUNCHER}"
    for probe_set in found if mpi else ():
        wanted = {name for name in names if not is_pattern(name)}
        for name in sorted(wanted - probe_set.benchmarks.keys()):
            yield f"{name} is not measured with {probe_set.installation.name}, whose probes lack it"


def _startable(chosen: Sequence[Installation]) -> list[Installation]:
    startable = [each for each in chosen if each.apis]
    if not startable:
        raise UserError(
            f"{chosen[0].name} {_NO_LAUNCHER}: install its launcher, or choose another MPI that "
            "`leadline mpi` lists"
        )
    return startable


def _find_all(
    chosen: Sequence[Installation], names: Sequence[str], say: Say, skip: bool
) -> list[ProbeSet]:
    """Return the probes of each.

    With `skip` those whose probes cannot be built are left out, and `say` is told why.
    """
    found = []
    for installation in chosen:
        try:
            found.append(_find_probes(installation, names, say))
        except UserError as error:
            if not skip or isinstance(error, HomeError):
                raise
            say(f"{installation.name} is left out: {error}")
    return found


def _find_probes(
    installation: Installation, names: Sequence[str], say: Say, find: Find | None = None
) -> ProbeSet:
    probe_set = ProbeSet(installation, {})
    for api in installation.apis:
        if not names or not set(names) <= probe_set.benchmarks.keys():
            probe = (find or probe_for)(installation, api, say)
            if probe is not None:
                probe_set.probes[api] = probe
    return probe_set


def _unknown(name: str, found: Sequence[ProbeSet]) -> str:
    there = sorted({each for probe_set in found for each in probe_set.benchmarks})
    where = ", ".join(probe_set.installation.name for probe_set in found)
    hint = suggestion(name, there, cutoff=0.5)
    return f"no benchmark {name!r} with {where}: {hint} (`leadline run --list` lists them)"
