"""When a rank came to calls of groups that have members on several nodes, and when it left them.

Of a program that makes more such calls than a rank has room for, all ranks keep the same ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

DTYPE = np.dtype(
    [
        ("group", "<u8"),
        ("call", "<u8"),
        ("begun_ticks", "<u8"),
        ("ended_ticks", "<u8"),
        ("waited_ticks", "<u8"),
        ("row", "<u4"),
        ("rank", "<i4"),
        ("root", "<i4"),
        ("shape", "<u4"),
    ]
)
# Whom calls make wait for whom, as the library numbers it.
ALL, FROM_ROOT, TO_ROOT, FROM_LOWER = range(1, 5)
# In the place of a group: barriers of leadline's own, which are no calls of the program.
MEETINGS = 2**64 - 2


class Visits(NamedTuple):
    """One rank's visits; all are of shape (V,).

    `begun_s` and `ended_s` are in seconds by its node's clock since the node's first rank began,
    and `waited_s` is what it waited for ranks of its own node. `row` is the index of the call's
    row, -1 without one. `rank` is its own in the group, `root` that in the job.
    """

    group: NDArray[np.uint64]
    call: NDArray[np.uint64]
    begun_s: NDArray[np.float64]
    ended_s: NDArray[np.float64]
    waited_s: NDArray[np.float64]
    row: NDArray[np.int64]
    rank: NDArray[np.int64]
    root: NDArray[np.int64]
    shape: NDArray[np.int64]


def visits_of(data: Any, rows: NDArray[np.int64], epoch: int, per_tick: float) -> Visits:
    """Return the visits in `data`, an array of `DTYPE`.

    `rows` has the index of each row of the file in the rank's rows, -1 for one that is left out.
    `epoch` are the ticks that are taken for 0, and `per_tick` the seconds of a tick.
    """
    known = data["row"] < len(rows)
    row = np.full(len(data), -1, dtype=np.int64)
    row[known] = rows[data["row"][known]]

    def since(ticks: Any) -> NDArray[np.float64]:
        return np.asarray((ticks.astype(np.int64) - epoch) * per_tick, dtype=np.float64)

    return Visits(
        group=data["group"].astype(np.uint64),
        call=data["call"].astype(np.uint64),
        begun_s=since(data["begun_ticks"]),
        ended_s=since(data["ended_ticks"]),
        waited_s=data["waited_ticks"] * per_tick,
        row=row,
        rank=data["rank"].astype(np.int64),
        root=data["root"].astype(np.int64),
        shape=data["shape"].astype(np.int64),
    )
