"""Ranks that ran elsewhere than the order of ranks asked for."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.model.run import Launch
from leadline.model.summary import Finding
from leadline.topology.rank_order.check import find_misplaced

TOPIC = "choice"
ADVICE = "Check the batch system and the launcher's variables: one of them overrules the order."
EVIDENCE = {
    "launches": "launches with misplaced ranks",
    "misplaced_ranks": "ranks elsewhere than asked",
    "nodes_seen": "nodes on which ranks ran",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one problem for each MPI, placement and order of which a launch misplaced ranks."""
    found: dict[tuple[str, str, str], list[Launch]] = {}
    for launch in evidence.run.launches:
        if find_misplaced(launch):
            place = f"{launch.nodes}x{launch.processes_per_node}"
            order = launch.knobs.get("order", "default")
            found.setdefault((launch.mpi, place, order), []).append(launch)
    for (mpi, place, order), launches in found.items():
        measured = {result.point for launch in launches for result in launch.points}
        figures = [
            index
            for point in evidence.run.points
            if point.index in measured
            for index in evidence.figures_of(point)
        ]
        wrong = find_misplaced(launches[0])
        yield Finding(
            severity="problem",
            text=f"order={order} on {place} with {mpi} had no effect in "
            f"{count(len(launches), 'launch')}: {next(iter(wrong.values()))}. "
            f"{count(len(figures), 'figure')} belong to another placement.",
            evidence={
                "launches": float(len(launches)),
                "misplaced_ranks": float(len(wrong)),
                "nodes_seen": float(len({rank.node for rank in launches[0].ranks})),
            },
            advice=ADVICE,
            points=tuple(figures),
        )
