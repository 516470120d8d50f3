"""What the tests of the OSU Micro-Benchmarks measure, by the titles that they print."""

from __future__ import annotations

import re
from typing import NamedTuple

from leadline.exchange.imports.printed import AVERAGE, COMPLETION, PINGPONG, Subject, collective
from leadline.model.plan import Value

_MOVERS = (
    "All-to-Allv|All-to-Allw|All-to-All|Alltoallv|Alltoallw|Alltoall|Allgatherv|Allgather"
    "|Allreduce|Barrier|Broadcast|Gatherv|Gather|Reduce_scatter_block|Reduce_scatter|Reduce"
    "|Scatterv|Scatter"
)
_COLLECTIVE = re.compile(
    rf"MPI (Non-[Bb]locking )?(Neighborhood )?({_MOVERS})(?: Personalized Exchange)?"
    "( Persistent)? Latency"
)
_OPENSHMEM = re.compile(r"OpenSHMEM (Barrier|Broadcast|Collect|FCollect|Reduce) Latency")
_MPI_NAMES = {
    "All-to-Allv": "alltoallv",
    "All-to-Allw": "alltoallw",
    "All-to-All": "alltoall",
    "Broadcast": "bcast",
}
# OSU splits the whole vector over the ranks, leadline counts the block of one.
_OTHER_SIZE = ("reduce_scatter", "reduce_scatter_block")
_WINDOW: dict[str, Value] = {"window": 64}

_STREAM = "per message"
_ORIGIN = "origin"


class Test(NamedTuple):
    """A test: what it is of, and its ranks (0: any number, which it does not print).

    `messages` are those that it counts in its bandwidth for each of leadline's.
    """

    subject: Subject
    ranks: int = 2
    messages: int = 1
    windowed: bool = False


def _osu_subject(name: str, series: str = "time", moved: float | None = 1) -> Subject:
    return Subject(f"osu/{name}", series, {}, moved)


_TESTS = {
    "MPI Latency": Test(PINGPONG),
    "MPI Latency Persistent": Test(PINGPONG._replace(axes={"mode": "persistent"})),
    "MPI Multi-threaded Latency": Test(_osu_subject("latency_mt")),
    "MPI Multi-process Latency": Test(_osu_subject("latency_mp")),
    "MPI Multi Latency": Test(_osu_subject("multi_latency"), 0),
    "MPI Bandwidth": Test(Subject("mpi/bandwidth", _STREAM, _WINDOW, 1), windowed=True),
    "MPI Bandwidth Persistent": Test(_osu_subject("bandwidth_persistent", _STREAM), windowed=True),
    "MPI Bi-Directional Bandwidth": Test(
        Subject("mpi/bidirectional", "per message each way", _WINDOW, 2),
        messages=2,
        windowed=True,
    ),
    "MPI Bi-Directional Bandwidth Persistent": Test(
        _osu_subject("bidirectional_persistent", "per message each way", 2),
        messages=2,
        windowed=True,
    ),
    "MPI Multiple Bandwidth / Message Rate": Test(
        Subject("mpi/message_rate", "per message of a pair", {}, 1), 0
    ),
    "MPI_Put Latency": Test(_osu_subject("put", _ORIGIN)),
    "MPI_Get Latency": Test(_osu_subject("get", _ORIGIN)),
    "MPI_Accumulate Latency": Test(_osu_subject("accumulate", _ORIGIN)),
    "MPI_Get_accumulate Latency": Test(_osu_subject("get_accumulate", _ORIGIN)),
    "MPI_Compare_and_swap Latency": Test(_osu_subject("compare_and_swap", _ORIGIN, None)),
    "MPI_Fetch_and_op Latency": Test(_osu_subject("fetch_and_op", _ORIGIN, None)),
    "MPI_Put Bandwidth": Test(_osu_subject("put_bandwidth", _STREAM)),
    "MPI_Get Bandwidth": Test(_osu_subject("get_bandwidth", _STREAM)),
    "MPI_Put Bi-directional Bandwidth": Test(
        _osu_subject("put_bidirectional", "per message each way", 2), messages=2
    ),
    "MPI Init": Test(_osu_subject("init", COMPLETION, None), 0),
    "OpenSHMEM Put": Test(_osu_subject("oshm_put", _ORIGIN)),
    "OpenSHMEM Put_nbi": Test(_osu_subject("oshm_put_nbi", _ORIGIN)),
    "OpenSHMEM Get": Test(_osu_subject("oshm_get", _ORIGIN)),
    "OpenSHMEM Get_nbi": Test(_osu_subject("oshm_get_nbi", _ORIGIN)),
    "OpenSHMEM Put Message Rate": Test(_osu_subject("oshm_put_rate", _STREAM), 0),
    "OpenSHMEM Put_nb Message Rate": Test(_osu_subject("oshm_put_nb_rate", _STREAM), 0),
    "OpenSHMEM Get_nb Message Rate": Test(_osu_subject("oshm_get_nb_rate", _STREAM), 0),
    "OpenSHMEM Atomic Operation Rate": Test(_osu_subject("oshm_atomics", "call", None), 0),
}
_KNOWN = {title.lower(): test for title, test in _TESTS.items()}


def test_of(title: str) -> Test | None:
    """Return the test that prints `title`, such as `MPI Allreduce Latency`, or None."""
    if test := _KNOWN.get(title.lower()):
        return test
    if found := _OPENSHMEM.fullmatch(title):
        return Test(_osu_subject(f"oshm_{found[1].lower()}", AVERAGE, None), 0)
    found = _COLLECTIVE.fullmatch(title)
    if not found:
        return None
    nonblocking, neighbours, mover, persistent = found.groups()
    name = _MPI_NAMES.get(mover, mover.lower())
    full = ("i" if nonblocking else "") + ("neighbor_" if neighbours else "") + name
    # How many blocks there are depends on the ranks, which are not known here.
    subject = collective(full, 0)
    if subject and not persistent and name not in _OTHER_SIZE:
        return Test(subject, 0)
    return Test(_osu_subject(f"{full}{'_persistent' if persistent else ''}", COMPLETION, None), 0)


_SYNCHRONISATIONS = {
    "MPI_Win_lock/unlock": "lock",
    "MPI_Win_post/start/complete/wait": "pscw",
    "MPI_Win_fence": "fence",
    "MPI_Win_flush": "flush",
    "MPI_Win_flush_local": "flush_local",
    "MPI_Win_lock_all/unlock_all": "lock_all",
}
_WINDOWS = {
    "MPI_Win_create": "create",
    "MPI_Win_allocate": "allocate",
    "MPI_Win_create_dynamic": "dynamic",
}


def one_sided_axes(created: str, synchronisation: str) -> dict[str, Value] | None:
    """Return the axes that OSU's words mean, None where they are none of its words."""
    if created not in _WINDOWS or synchronisation not in _SYNCHRONISATIONS:
        return None
    return {
        "synchronisation": _SYNCHRONISATIONS[synchronisation],
        "window": _WINDOWS[created],
    }


def as_leadline_has_it(subject: Subject) -> Subject:
    """Return leadline's own for a one-sided latency that ends when the data are at the target."""
    name = subject.benchmark.removeprefix("osu/")
    if name not in ("put", "get", "accumulate") or subject.axes.get("synchronisation") not in (
        "flush",
        "lock",
    ):
        return subject
    axes = {"operation": "sum", **subject.axes} if name == "accumulate" else subject.axes
    return Subject(f"rma/{name}", _ORIGIN, axes, 1)
