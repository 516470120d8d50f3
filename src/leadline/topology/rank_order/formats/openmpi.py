"""A rank file of Open MPI, which binds each rank to a core too."""

from collections.abc import Sequence

from leadline.topology.rank_order.format import processes
from leadline.topology.rank_order.order import Order


class RankFile:
    """A line for each rank: its host and core.

    >>> print(FORMAT.text(((0, 3), (1, 2)), ("a", "b")), end="")
    rank 0=a slot=0
    rank 1=b slot=0
    rank 2=b slot=1
    rank 3=a slot=1
    """

    name = "openmpi"
    summary = "Open MPI's rank file"
    names_hosts = True

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the ranks, those of a host on its cores in turn."""
        places = sorted(
            (rank, host, slot)
            for host, ranks in zip(hosts, order, strict=False)
            for slot, rank in enumerate(ranks)
        )
        return "".join(f"rank {rank}={host} slot={slot}\n" for rank, host, slot in places)

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how `mpiexec` of Open MPI 5 takes it; 4 wants `--rankfile`."""
        listed = ",".join(f"{host}:{len(ranks)}" for host, ranks in zip(hosts, order, strict=False))
        return (
            f"mpiexec --host {listed} --map-by rankfile:file={path} -n {processes(order)} PROGRAM "
            f"(Open MPI 4: --rankfile {path})"
        )


FORMAT = RankFile()
