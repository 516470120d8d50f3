"""POP's factors of a recording in the file of TALP, which `talp ci-report` makes pages of.

Names, units and formulas are those of DLB 3.7 (`src/talp/talp_output.c`, `perf_metrics.c`).
"""

from collections import defaultdict

import msgspec

from leadline.explain.bounds import Bounds
from leadline.explain.owners import between_begin_and_end, efficiency_of, owners
from leadline.explain.recording import Recording

# talp-pages chooses by its beginning how to read the file.
_VERSION = "3.7 (leadline)"


class _Resources(msgspec.Struct, frozen=True, rename="camel"):
    num_cpus: int
    num_nodes: int
    num_mpi_ranks: int
    num_gpus: int = 0


class _Region(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Sums over all ranks, in nanoseconds, and efficiencies; the last two are no part of TALP's.

    Counters of the processor are not read: 0, as TALP has them without PAPI.
    """

    num_cpus: int
    num_mpi_ranks: int
    num_nodes: int
    num_gpus: int = 0
    cycles: int = 0
    instructions: int = 0
    num_measurements: int = 1
    num_mpi_calls: int
    elapsed_time: int
    useful_time: int
    mpi_time: int
    parallel_efficiency: float
    mpi_parallel_efficiency: float
    mpi_communication_efficiency: float
    mpi_load_balance: float
    mpi_load_balance_in: float
    mpi_load_balance_out: float
    mpi_serialization_efficiency: float
    mpi_transfer_efficiency: float


class Talp(msgspec.Struct, frozen=True, kw_only=True):
    """What TALP writes of a program."""

    version: str = msgspec.field(name="dlbVersion", default=_VERSION)
    timestamp: str
    resources: _Resources
    regions: dict[str, _Region] = msgspec.field(name="Application")


def talp(recording: Recording, started: str) -> Talp:
    """Return what TALP would write of a recorded program that was `started` then (ISO 8601).

    Each rank counts as a processor. The time is that between MPI_Init and MPI_Finalize.
    """
    times, _ = owners(recording, Bounds())
    ranks = list(map(between_begin_and_end, recording.ranks, times))
    found = efficiency_of(ranks)
    on_node = defaultdict(list)
    for rank, time in zip(recording.ranks, ranks, strict=True):
        on_node[rank.node].append(time.computing_s)
    useful = [time.computing_s for time in ranks]
    of_node = max(sum(each) / len(each) for each in on_node.values())
    elapsed = max(time.seconds for time in ranks)
    size, nodes = len(ranks), len(on_node)
    region = _Region(
        num_cpus=size,
        num_mpi_ranks=size,
        num_nodes=nodes,
        num_mpi_calls=sum(rank.calls for rank in recording.ranks),
        elapsed_time=_nanoseconds(elapsed),
        useful_time=_nanoseconds(sum(useful)),
        mpi_time=_nanoseconds(sum(time.seconds for time in ranks) - sum(useful)),
        parallel_efficiency=found.parallel,
        mpi_parallel_efficiency=found.parallel,
        mpi_communication_efficiency=max(useful) / elapsed if elapsed else 0.0,
        mpi_load_balance=found.load_balance,
        mpi_load_balance_in=of_node / max(useful) if max(useful) else 0.0,
        mpi_load_balance_out=sum(useful) / size / of_node if of_node else 0.0,
        mpi_serialization_efficiency=found.serialisation or 0.0,
        mpi_transfer_efficiency=found.transfer or 0.0,
    )
    resources = _Resources(num_cpus=size, num_nodes=nodes, num_mpi_ranks=size)
    return Talp(timestamp=started, resources=resources, regions={"Global": region})


def _nanoseconds(seconds: float) -> int:
    return round(1e9 * seconds)
