"""Examples of findings on choice: a function makes the evidence of its kind."""

import msgspec
from kernel_run import ROOF, WAYS, run_of

from leadline.analysis.findings.evidence import Evidence
from leadline.model.description import Delivery
from leadline.model.run import RankPlace


def best_variant(makers):
    """Variants of a kernel with their roof."""
    run, analysis = run_of([*WAYS, *ROOF])
    return Evidence(run, analysis.points, ())


def fast_but_wrong(makers):
    """A variant that is fast because it is wrong."""
    run, analysis = run_of([*WAYS, *ROOF])
    return Evidence(run, analysis.points, ())


def knobs_compared(makers):
    """Eager limits: two that are tried against the library's own."""
    return makers.evidence(
        [
            makers.figure(seconds * factor, size, knobs={"eager_limit": value})
            for value, seconds in {"default": 1e-6, "16K": 1e-6, "0": 2e-6}.items()
            for size, factor in ((8, 1.0), (16384, 3.0 if value == "default" else 1.2))
        ]
    )


SIDES = {
    "put": ("one-sided", lambda size: 2e-7 + size / 5e9),
    "message": ("two-sided", lambda size: 8e-7 + size / 1e10),
}


def one_sided(makers):
    """Puts and messages whose order changes at a size."""
    whole = makers.evidence(
        makers.figure(seconds(size), size, benchmark=f"family/{name}")
        for name, (_, seconds) in SIDES.items()
        for size in (1, 16, 256, 4096, 65536, 2**20)
    )
    (model,) = whole.run.benchmarks
    whole.run.benchmarks = [
        msgspec.structs.replace(
            model, name=f"family/{name}", delivery=Delivery(sides=sides, series="time")
        )
        for name, (sides, _) in SIDES.items()
    ]
    return whole


def placement_differs(makers):
    """An order of ranks that the launcher did not take."""
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


def wrong_answers(makers):
    """Flags that give wrong answers."""
    run, analysis = run_of([*WAYS, *ROOF])
    return Evidence(run, analysis.points, ())
