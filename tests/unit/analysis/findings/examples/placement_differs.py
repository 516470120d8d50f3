"""An order of ranks that the launcher did not take."""

from leadline.model.run import RankPlace

SOURCE = "synthetic"


def evidence(makers):
    ranks = tuple(
        RankPlace(rank=rank, host=host, node=node, cpus="0", cpu=0, pid=1)
        for rank, (host, node) in enumerate((("a", 0), ("a", 0), ("b", 1), ("b", 1)))
    )
    launch = {
        "processes": 4,
        "nodes": 2,
        "processes_per_node": 2,
        "ranks": ranks,
        "asked_ranks_by_node": ((0, 2), (1, 3)),
        "asked_hosts": ("a", "b"),
        "knobs": {"order": "round-robin"},
    }
    return makers.evidence([makers.figure(), makers.figure(size=16)], launch=launch)
