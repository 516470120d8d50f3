"""Knobs of collectives: which algorithms a library takes for them, or a simulated one."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Knob, Unsupported, adding, simulating
from leadline.measure.knobs.values import one_of
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.plan import Value

_OFFERS = Path(__file__).parent / "algorithms"
_LIBRARY = "library"
_SELECTORS = ("ompi", "mpich", "mvapich2", "impi")


def _pairs(text: str) -> str:
    pairs = [pair.strip().lower() for pair in text.split("+")]
    for pair in pairs:
        collective, colon, algorithm = pair.partition(":")
        if not (collective.isidentifier() and colon and algorithm):
            raise UserError("write COLLECTIVE:ALGORITHM, such as allreduce:ring")
    return "+".join(pairs)


def _algorithms(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with one algorithm where the library would choose by size and ranks.

    A name is leadline's own, where the library has the same algorithm, or the library's; Intel MPI
    also takes numbers. In MPICH the device's own collectives are left out of that collective.
    """
    for pair in value.split("+"):
        collective, _, algorithm = pair.partition(":")
        theirs = _library_name(installation.family, collective, algorithm)
        job = _choosing(job, installation, collective, theirs)
    return job


def _choices(installation: Installation) -> Iterable[str]:
    """Return every pair of a collective and an algorithm, numbers as their range."""
    for collective, offered in sorted(offers(installation.family).items()):
        last = offered.get("numbers", 0)
        numbers = [f"1-{last}"] if last else []
        for name in (*offered.get("ours", {}), *offered["offers"], *numbers):
            yield f"{collective}:{name}"


def _choosing(job: Job, installation: Installation, collective: str, algorithm: str) -> Job:
    upper = collective.upper()
    if installation.simulates:
        return simulating(job, installation, f"smpi/{collective}:{algorithm}")
    if installation.family == "intel":
        return adding(job, {f"I_MPI_ADJUST_{upper}": algorithm})
    if installation.family == "openmpi":
        rules = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
        return adding(job, rules | {f"OMPI_MCA_coll_tuned_{collective}_algorithm": algorithm})
    job = adding(job, {f"MPIR_CVAR_{upper}_DEVICE_COLLECTIVE": "0"})
    # The variable is read as a name and kept as a number that only the library knows.
    variables = {**job.environment, f"MPIR_CVAR_{upper}_INTRA_ALGORITHM": algorithm}
    return msgspec.structs.replace(job, environment=variables)


def _library_name(family: str, collective: str, algorithm: str) -> str:
    """Return the library's word for the algorithm. Raises `Unsupported` with what there is."""
    known = offers(family)
    if not known:
        raise Unsupported(f"leadline knows no algorithms of {family}")
    if collective not in known:
        raise Unsupported(f"it chooses algorithms for {', '.join(sorted(known))}")
    names: dict[str, str] = {name.lower(): name for name in known[collective]["offers"]}
    names |= known[collective].get("ours", {})
    last = known[collective].get("numbers", 0)
    if algorithm in names:
        return names[algorithm]
    if algorithm.isdigit() and 1 <= int(algorithm) <= last:
        return algorithm
    listed = [*known[collective].get("ours", {}), *known[collective]["offers"]]
    listed += [f"a number from 1 to {last}"] if last else []
    raise Unsupported(f"for {collective} it has {', '.join(listed)}")


@cache
def offers(family: str) -> dict[str, Any]:
    """Return what a family offers for each collective; nothing where leadline does not know it.

    `offers` are its own names, `numbers` the last of its numbers, `ours` leads from leadline's
    names to the library's.
    """
    file = _OFFERS / f"{family}.toml"
    known = tomllib.loads(file.read_text()) if file.exists() else {}
    return {name: {**row, "offers": row.get("offers", "").split()} for name, row in known.items()}


def _selected(value: str, job: Job, installation: Installation) -> Job:
    """Return the job with the decisions of a real library, as SMPI has copied them.

    Its own `default` is no library's: a linear barrier, a reduction followed by a broadcast.
    """
    return simulating(job, installation, f"smpi/coll-selector:{value}")


def _is_the_librarys(axes: Mapping[str, Value]) -> bool:
    return axes.get("algorithm", _LIBRARY) == _LIBRARY


KNOBS = (
    Knob(
        "collective_algorithm",
        "the library's algorithm for a collective, whatever the size",
        "COLLECTIVE:ALGORITHM, such as allreduce:recursive_doubling; more with +",
        _pairs,
        _algorithms,
        choices=_choices,
    ),
    Knob(
        "collective_selector",
        "the library whose choice of collective algorithms is simulated",
        f"{', '.join(_SELECTORS)}; ompi by default",
        one_of(*_SELECTORS),
        _selected,
        changes=_is_the_librarys,
    ),
)
