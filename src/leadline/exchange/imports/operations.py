"""Operations that programs time as leadline does, by the names that they go by."""

from __future__ import annotations

from leadline.exchange.imports.printed import COMPLETION, Subject
from leadline.model.plan import Value

_LIBRARY: dict[str, Value] = {"algorithm": "library"}
_SEPARATE: dict[str, Value] = {"buffers": "separate"}
_ROOT: dict[str, Value] = {"root": 0}

# Axes as leadline has them, and whether the bandwidth counts the blocks of all ranks.
_COLLECTIVES: dict[str, tuple[dict[str, Value], bool]] = {
    "allgather": ({**_LIBRARY, **_SEPARATE}, True),
    "allreduce": ({**_LIBRARY, **_SEPARATE}, False),
    "alltoall": ({**_LIBRARY, **_SEPARATE}, True),
    "alltoallv": ({"imbalance": "even", **_LIBRARY, **_SEPARATE}, True),
    "barrier": (_LIBRARY, False),
    "bcast": ({**_LIBRARY, **_ROOT}, False),
    "exscan": ({**_LIBRARY, **_SEPARATE}, False),
    "gather": ({**_LIBRARY, **_SEPARATE, **_ROOT}, True),
    "reduce": ({**_LIBRARY, **_SEPARATE, **_ROOT}, False),
    "reduce_local": ({}, False),
    "reduce_scatter": ({**_LIBRARY, **_SEPARATE}, True),
    "reduce_scatter_block": ({**_LIBRARY, **_SEPARATE}, True),
    "scan": ({**_LIBRARY, **_SEPARATE}, False),
    "scatter": ({**_LIBRARY, **_SEPARATE, **_ROOT}, True),
}

_NONBLOCKING: dict[str, dict[str, Value]] = {
    "iallgather": {},
    "iallreduce": {},
    "ialltoall": {},
    "ibarrier": {},
    "ibcast": _ROOT,
    "ireduce": _ROOT,
}

PINGPONG = Subject("mpi/pingpong", "one-way", {"mode": "blocking"}, 1)
EXCHANGE = Subject("mpi/exchange", COMPLETION, {}, 4)


def collective(name: str, processes: int) -> Subject | None:
    """Return MPI's collective `name`, such as `allgather`, on so many ranks, or None.

    `bytes` are what leadline has for it: the block of one rank, or the whole vector.
    """
    if name in _COLLECTIVES:
        axes, all_blocks = _COLLECTIVES[name]
        moved = (processes or None) if all_blocks else 1
        return Subject(f"mpi/{name}", COMPLETION, axes, moved)
    if name in _NONBLOCKING:
        return Subject(f"mpi/{name}", COMPLETION, {"progress": "none", **_NONBLOCKING[name]})
    return None


def one_sided(name: str, synchronisation: str, created: str) -> dict[str, Value]:
    """Return the axes of the one-sided operation `name` as leadline has them."""
    axes: dict[str, Value] = {"synchronisation": synchronisation, "window": created}
    return {"operation": "sum", **axes} if name == "accumulate" else axes
