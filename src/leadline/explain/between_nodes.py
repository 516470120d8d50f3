"""Waits for ranks of other nodes, which no rank can see while the program runs.

By the common clock of all nodes the wait of a call is the latest arrival that matters less one's
own. Calls of which all arrivals are known stand for all calls of their row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from leadline.explain.clocks import Floats, Meetings, clocks, common
from leadline.explain.recording import (
    ALL,
    FROM_LOWER,
    FROM_ROOT,
    MEETINGS,
    N_TO_N,
    TO_ROOT,
    Peer,
    Rank,
    Recording,
    Row,
    Visits,
)

Ints = NDArray[np.int64]
# Of more visits than this only a part is read, the same calls of all ranks.
_MOST = 4_000_000
# No member leaves these before all have come, as long as there are data.
_MEET = frozenset({"MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter_block"})
_BARRIERS = ("MPI_Barrier", "shmem_barrier", "shmem_sync", "shmem_team_sync")


class _All(NamedTuple):
    """The visits of all ranks, those of a call together: each of shape (V,).

    `call` numbers the calls, from 0 on; `world` is the rank in the job and `place` its index among
    the recorded ranks. `row` is the index of the call's row among those of all ranks, one behind
    the other; -1 without one.
    """

    call: Ints
    place: Ints
    world: Ints
    node: Ints
    begun_s: Floats
    ended_s: Floats
    waited_s: Floats
    row: Ints
    root: Ints
    shape: Ints


def with_waits_between_nodes(recording: Recording) -> Recording:
    """Return the recording with what ranks waited for those of other nodes.

    Its `clock_error_s` is how far off an arrival on another node may be.
    """
    if not any(len(rank.visits.call) for rank in recording.ranks if rank.visits):
        return recording
    visits = _joined(recording)
    rows = recording.rows
    nodes = int(visits.node.max()) + 1
    offsets = clocks(_meetings(rows, visits), nodes)
    came = np.empty(len(visits.call))
    errors = np.zeros(len(visits.call))
    of_node = np.split(
        np.argsort(visits.node, kind="stable"),
        np.cumsum(np.bincount(visits.node, minlength=nodes))[:-1],
    )
    for indices, offset in zip(of_node, offsets, strict=True):
        came[indices] = common(offset, visits.begun_s[indices])
        if offset is not None:
            errors[indices] = offset.error_at(visits.begun_s[indices])
    waits, culprits = _waits(rows, visits, came)
    known = np.isfinite(waits) & (visits.row >= 0)
    return msgspec.structs.replace(
        recording,
        ranks=_with_waits(recording, rows, visits, waits, culprits, known),
        clock_error_s=float(errors[known].max()) if known.any() else None,
    )


def _joined(recording: Recording) -> _All:
    found = [(at, rank, rank.visits) for at, rank in enumerate(recording.ranks) if rank.visits]
    halved, total = 0, sum(len(each.call) for _, _, each in found)
    while total >> halved > _MOST:
        halved += 1
    first_row = np.cumsum([0] + [len(rank.rows) for rank in recording.ranks])
    parts = []
    for place, rank, each in found:
        kept = _is_kept(each, halved)
        number = int(kept.sum())
        parts.append(
            (
                each.group[kept],
                each.call[kept],
                np.full(number, place),
                np.full(number, rank.rank),
                np.full(number, rank.node),
                *(column[kept] for column in each[2:5]),
                np.where(each.row[kept] >= 0, first_row[place] + each.row[kept], -1),
                *(column[kept] for column in each[6:]),
            )
        )
    group, call, *columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((call, group))
    changes = (np.diff(group[order]) != 0) | (np.diff(call[order]) != 0)
    numbers = np.concatenate([[0], np.cumsum(changes)])
    return _All(numbers, *(column[order] for column in columns))


def _is_kept(visits: Visits, halved: int) -> NDArray[np.bool_]:
    """Return which visits are among one in 2**halved calls, as the library chooses them."""
    with np.errstate(over="ignore"):
        mixed = visits.group * np.uint64(0x9E3779B97F4A7C15) + visits.call
        mixed = mixed * np.uint64(0xD6E8FEB86659FD93)
    mixed ^= mixed >> np.uint64(32)
    kept: NDArray[np.bool_] = visits.group == np.uint64(MEETINGS)
    kept |= mixed % np.uint64(1 << halved) == 0
    return kept


def _meetings(rows: Sequence[Row], visits: _All) -> Meetings:
    """Return the calls that nobody leaves before all have come, by node."""
    meets = np.array([_is_meeting(row) for row in rows] + [True])[visits.row]
    meets &= visits.shape == ALL
    call, node = visits.call[meets], visits.node[meets]
    order = np.lexsort((node, call))
    call, node = call[order], node[order]
    if not len(call):
        return Meetings(call, node, np.zeros(0), np.zeros(0))
    first = np.flatnonzero(np.concatenate([[True], (np.diff(call) != 0) | (np.diff(node) != 0)]))
    return Meetings(
        meeting=call[first],
        node=node[first],
        came_s=np.maximum.reduceat(visits.begun_s[meets][order], first),
        left_s=np.minimum.reduceat(visits.ended_s[meets][order], first),
    )


def _is_meeting(row: Row) -> bool:
    name = row.function.name
    if row.function.kind != N_TO_N:
        return False
    return name.startswith(_BARRIERS) or (name in _MEET and row.bytes > 0)


def _waits(rows: Sequence[Row], visits: _All, came: Floats) -> tuple[Floats, Ints]:
    """Return the seconds of each visit that were waiting, and the rank that came last.

    nan where it is not known; -1 where the last one is not.
    """
    calls = int(visits.call[-1]) + 1
    first = np.searchsorted(visits.call, np.arange(calls))
    members = np.bincount(visits.call, minlength=calls)
    size = np.array([row.comm_ranks for row in rows] + [0])[visits.row]
    is_whole = np.repeat(members, members) == size
    by_arrival = np.lexsort((came, visits.call))
    last = by_arrival[np.append(first[1:], len(visits.call)) - 1]
    latest = np.repeat(came[last], members)
    culprit = np.repeat(visits.world[last], members)
    waits = np.full(len(came), np.nan)
    waits[is_whole] = (latest - came)[is_whole]
    # Of a rooted call the root's arrival is all that matters, or only the root waits.
    is_root = visits.world == visits.root
    from_root = visits.shape == FROM_ROOT
    root_came = np.full(calls, np.nan)
    root_came[visits.call[is_root]] = came[is_root]
    waits[from_root] = (root_came[visits.call] - came)[from_root]
    culprit[from_root] = visits.root[from_root]
    waits[(visits.shape == TO_ROOT) & ~is_root] = 0.0
    # Whom a scan waits for, its calls on one node tell alone.
    waits[visits.shape == FROM_LOWER] = np.nan
    return np.clip(waits, 0.0, visits.ended_s - visits.begun_s), culprit


def _with_waits(
    recording: Recording,
    rows: Sequence[Row],
    visits: _All,
    waits: Floats,
    culprits: Ints,
    known: NDArray[np.bool_],
) -> tuple[Rank, ...]:
    """Return the ranks with their waits, which are known of the visits that are `known`."""
    row, place = visits.row[known], visits.place[known]
    more, last = (waits - visits.waited_s)[known], culprits[known]
    seen = np.bincount(row, minlength=len(rows))
    found = np.bincount(row, weights=more, minlength=len(rows))
    scale = np.array([each.calls for each in rows]) / np.maximum(seen, 1)
    added = np.clip(found * scale, 0.0, [each.own_s for each in rows])
    factors = np.divide(added, found, out=np.zeros(len(rows)), where=found > 0)
    new_rows = [
        msgspec.structs.replace(each, waiting_s=each.waiting_s + more_s, at_least=False)
        if was_seen
        else each
        for each, more_s, was_seen in zip(rows, added.tolist(), seen, strict=True)
    ]
    peers = [dict(rank.peers) for rank in recording.ranks]
    seconds = np.maximum(more, 0.0) * factors[row]
    counts = (seconds > 0) & (last >= 0) & (last != visits.world[known])
    pairs, which = np.unique(
        place[counts] * recording.ranks_total + last[counts], return_inverse=True
    )
    of_pair = zip(
        *np.divmod(pairs, recording.ranks_total),
        np.bincount(which, weights=seconds[counts]),
        np.bincount(which, weights=scale[row[counts]]),
        strict=True,
    )
    for at, other, waited_s, calls in of_pair:
        before = peers[at].get(int(other), Peer(0, 0, 0.0, 0))
        peers[at][int(other)] = msgspec.structs.replace(
            before,
            waited_s=before.waited_s + float(waited_s),
            waited_calls=before.waited_calls + round(float(calls)),
        )
    ranks, first = [], 0
    for rank, of_rank in zip(recording.ranks, peers, strict=True):
        row_range = slice(first, first := first + len(rank.rows))
        ranks.append(
            msgspec.structs.replace(
                rank,
                rows=tuple(new_rows[row_range]),
                peers=of_rank,
                waiting_s=min(rank.waiting_s + float(added[row_range].sum()), rank.mpi_s),
            )
        )
    return tuple(ranks)
