"""Knobs of collectives: which algorithms a library takes for them, or a simulated one."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Knob, Unsupported, adding, simulating
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.plan import Value

_OFFERS = Path(__file__).parent / "algorithms"
_LIBRARY = "library"
_SELECTORS = ("ompi", "mpich", "mvapich2", "impi")


def _pairs(text: str) -> str:
    """Return the pairs of collectives and algorithms as they stand, without blanks, in lower case.

    Raises `UserError`.
    """
    pairs = [pair.strip().lower() for pair in text.split("+")]
    for pair in pairs:
        collective, colon, algorithm = pair.partition(":")
        if not (collective.isidentifier() and colon and algorithm):
            raise UserError("write COLLECTIVE:ALGORITHM, such as allreduce:ring")
    return "+".join(pairs)


def algorithms(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with one algorithm where the library would choose by size and ranks.

    A name is leadline's own, where the library has the same algorithm, or the library's; Intel MPI
    also takes numbers. In MPICH the device's own collectives are left out of that collective.

    >>> from leadline.model.placement import Placement
    >>> mpich = Installation(name="m", family="mpich", version="5.0", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(1, 8))
    >>> start = algorithms("allreduce:recursive_doubling", job, mpich)
    >>> start.environment  # doctest: +NORMALIZE_WHITESPACE
    {'MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE': '0',
     'MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM': 'recursive_doubling'}
    """
    for pair in value.split("+"):
        collective, _, algorithm = pair.partition(":")
        theirs = _theirs(installation.family, collective, algorithm)
        job = _choosing(job, installation, collective, theirs)
    return job


def _choices(installation: Installation) -> Iterable[str]:
    """Return every pair of a collective and an algorithm, numbers as their range."""
    for collective, own in sorted(offers(installation.family).items()):
        last = own.get("numbers", 0)
        numbers = [f"1-{last}"] if last else []
        for name in (*own.get("ours", {}), *own["offers"], *numbers):
            yield f"{collective}:{name}"


def _choosing(job: Job, installation: Installation, collective: str, algorithm: str) -> Job:
    upper = collective.upper()
    if installation.simulates:
        return simulating(job, installation, f"smpi/{collective}:{algorithm}")
    family = installation.family
    if family == "intel":
        return adding(job, {f"I_MPI_ADJUST_{upper}": algorithm})
    if family == "openmpi":
        return adding(
            job,
            {
                "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                f"OMPI_MCA_coll_tuned_{collective}_algorithm": algorithm,
            },
        )
    device = {f"MPIR_CVAR_{upper}_DEVICE_COLLECTIVE": "0"}
    # The variable is read as a name and kept as a number that only the library knows.
    own = {f"MPIR_CVAR_{upper}_INTRA_ALGORITHM": algorithm}
    changed = adding(job, {**device, **own})
    controls = {name: text for name, text in changed.controls.items() if name not in own}
    return msgspec.structs.replace(changed, controls=controls)


def _theirs(family: str, collective: str, algorithm: str) -> str:
    """Return the library's word for the algorithm. Raises `Unsupported` with what there is."""
    offered = offers(family)
    if not offered:
        raise Unsupported(f"leadline knows no algorithms of {family}")
    if collective not in offered:
        raise Unsupported(f"it chooses algorithms for {', '.join(sorted(offered))}")
    own = offered[collective]
    ours: dict[str, str] = own.get("ours", {})
    last = own.get("numbers", 0)
    if algorithm in ours:
        return ours[algorithm]
    if algorithm.isdigit() and 1 <= int(algorithm) <= last:
        return algorithm
    for offered_name in own["offers"]:
        if offered_name.lower() == algorithm:
            return str(offered_name)
    numbers = [f"a number from 1 to {last}"] if last else []
    raise Unsupported(f"for {collective} it has {', '.join([*ours, *own['offers'], *numbers])}")


@cache
def offers(family: str) -> dict[str, Any]:
    """Return what a family offers for each collective; nothing where leadline does not know it.

    `offers` are its own names, `numbers` the last of its numbers, `ours` leads from leadline's
    names to the library's.
    """
    file = _OFFERS / f"{family}.toml"
    known = tomllib.loads(file.read_text()) if file.exists() else {}
    return {name: {**own, "offers": own.get("offers", "").split()} for name, own in known.items()}


def _selector(text: str) -> str:
    name = text.strip().lower()
    if name not in _SELECTORS:
        raise UserError(f"choose one of {', '.join(_SELECTORS)}")
    return name


def _is_the_librarys(axes: Mapping[str, Value]) -> bool:
    """Tell whether points with these axes use the library's own collectives."""
    return axes.get("algorithm", _LIBRARY) == _LIBRARY


def selected(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the decisions of a real library, as SMPI has copied them.

    Its own `default` is no library's: a linear barrier, a reduction followed by a broadcast.

    >>> from leadline.model.job import Simulation
    >>> from leadline.model.placement import Placement
    >>> simgrid = Installation(name="s", family="simgrid", version="3.32", prefix="", source="")
    >>> job = Job(program=("./probe",), placement=Placement(2, 1),
    ...     simulation=Simulation(platform="p", text="", hosts=("a", "b")))
    >>> selected("mpich", job, simgrid).simulation.options
    ('smpi/coll-selector:mpich',)
    """
    return simulating(job, installation, f"smpi/coll-selector:{value}")


KNOBS = (
    Knob(
        "collective_algorithm",
        "the library's algorithm for a collective, whatever the size",
        "COLLECTIVE:ALGORITHM, such as allreduce:recursive_doubling; more with +",
        _pairs,
        algorithms,
        choices=_choices,
    ),
    Knob(
        "collective_selector",
        "the library whose choice of collective algorithms is simulated",
        f"{', '.join(_SELECTORS)}; ompi by default",
        _selector,
        selected,
        changes=_is_the_librarys,
    ),
)
