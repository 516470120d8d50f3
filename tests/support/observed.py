"""Observations of real launches, recorded on two cores, and changes of them."""

import msgspec
from checkout import TESTS

from leadline.check.faults import find_faults
from leadline.check.observation import Observation

DATA = TESTS / "unit/check/data"
HEALTHY = sorted(path.stem for path in DATA.glob("healthy-*.json"))


def observed(name) -> Observation:
    return msgspec.json.decode((DATA / f"{name}.json").read_bytes(), type=Observation)


def changed(seen, machine=None, ranks=None, **fields) -> Observation:
    """Return the observation with other fields; those of all ranks and of the machine, too."""
    return msgspec.structs.replace(
        seen,
        ranks=tuple(msgspec.structs.replace(rank, **(ranks or {})) for rank in seen.ranks),
        machine=msgspec.structs.replace(seen.machine, **(machine or {})),
        **fields,
    )


def each_rank(seen, change) -> Observation:
    """Return the observation with each rank as `change` makes it of its number and itself."""
    ranks = tuple(change(place, rank) for place, rank in enumerate(seen.ranks))
    return msgspec.structs.replace(seen, ranks=ranks)


def found(seen):
    """Return what is wrong, by kind; no rule fails."""
    faults, failed = find_faults(seen)
    assert failed == ()
    return {fault.kind: fault for fault in faults}
