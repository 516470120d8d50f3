"""Which benchmarks can be tuned, as which collectives."""

import pytest
from checkout import CHECKOUT
from example_run import example_analysis, example_run
from msgspec.structs import replace

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import tuning
from leadline.core.errors import UserError
from leadline.measure.build.parts import catalogue
from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.tune.subjects import api_of, known_algorithms, of_one_rule, of_programs, subjects


def benchmark(name, **choices):
    axes = [
        Axis(name=axis, kind="choice", summary="", default=words[0], choices=words)
        for axis, words in choices.items()
    ]
    return Benchmark(
        name=name, summary="", axes=tuple(axes), processes=Processes(),
        series=(Series(name="completion", definition=""),),
        api=name.partition("/")[0], start="agreed",
    )  # fmt: skip


BENCHMARKS = [
    benchmark("mpi/bcast", bytes=("8",), algorithm=("library", "shared")),
    benchmark("mpi/scan", bytes=("8",), algorithm=("library", "linear")),
    benchmark("mpi/barrier"),
    benchmark("shmem/barrier", call=("barrier_all", "sync", "team_sync")),
    benchmark("shmem/broadcast", bytes=("8",), group=("active_set", "team")),
    benchmark("shmem/put", bytes=("8",)),
]
KNOWN = {
    "bcast": {"shared"},
    "barrier": {"shared"},
    "shmem_barrier_all": {"shared"},
    "shmem_sync": {"shared"},
    "shmem_broadcast": {"shared"},
}


def test_functions_that_the_runtime_replaces_are_collectives_of_their_own():
    found = subjects(BENCHMARKS, KNOWN)
    assert {each.collective: (each.benchmark, each.axes, each.sized) for each in found} == {
        "bcast": ("mpi/bcast", {"algorithm": "library"}, True),
        "shmem_barrier_all": ("shmem/barrier", {"call": "barrier_all"}, False),
        "shmem_sync": ("shmem/barrier", {"call": "sync"}, False),
        "shmem_broadcast": ("shmem/broadcast", {}, True),
    }


@pytest.mark.parametrize(
    ("names", "collectives"),
    [
        (["shmem/*"], ["shmem_barrier_all", "shmem_sync", "shmem_broadcast"]),
        (["shmem_sync"], ["shmem_sync"]),
        (["shmem/broadcast", "shmem/*"], ["shmem_broadcast", "shmem_barrier_all", "shmem_sync"]),
        (["bcast"], ["bcast"]),
    ],
)
def test_a_name_is_a_benchmarks_a_collectives_or_a_pattern(names, collectives):
    assert [each.collective for each in subjects(BENCHMARKS, KNOWN, names)] == collectives


@pytest.mark.parametrize("name", ["shmem/put", "mpi/scan", "shmem/x*"])
def test_what_cannot_be_tuned_is_refused_with_what_can(name):
    with pytest.raises(
        UserError, match="cannot be tuned: there is mpi/bcast, shmem/barrier, shmem/br"
    ):
        subjects(BENCHMARKS, KNOWN, [name])


def test_mpi_and_openshmem_are_tuned_one_after_the_other():
    assert api_of([]) == api_of(["mpi/bcast", "allreduce"]) == "mpi"
    assert api_of(["shmem/*", "shmem_sync"]) == "shmem"
    with pytest.raises(UserError, match="one after the other"):
        api_of(["mpi/bcast", "shmem/barrier"])


def test_the_runtimes_collectives_are_those_of_its_files_and_of_the_library():
    known = known_algorithms(CHECKOUT)
    assert {"shared", "recursive_doubling", "hypercube"} <= known["allreduce"]
    assert known["shmem_fcollect"] == {"shared"}
    entries = (CHECKOUT / "runtime/preload/entries_shmem.cpp").read_text()
    for name in known:
        if name.startswith("shmem_") and name != "shmem_reduce":
            assert f"{name}, " in entries or f"{name}64, " in entries


def test_collectives_whose_ranks_know_no_common_size_are_found_in_the_sources():
    found = of_one_rule(CHECKOUT)
    assert found == {"alltoallv", "gatherv", "scatterv"}
    assert found < set(known_algorithms(CHECKOUT))


def test_of_a_programs_calls_those_are_tuned_that_are_replaced_and_measured():
    tuned = of_programs(CHECKOUT)
    assert {"allgather", "allreduce", "alltoall", "bcast", "neighbor_alltoall"} <= tuned
    assert not {"neighbor_allgatherv", "ibcast", "pingpong"} & tuned


def test_only_what_can_be_tuned_is_advised_to_be():
    """An axis of another name may have the library's own way, too: that of memory copies."""
    described = catalogue("mpi").description.benchmarks
    known = {one.benchmark for one in subjects(described, known_algorithms(CHECKOUT))}
    run = replace(example_run(), benchmarks=list(described))
    point = example_analysis().points[0]
    points = tuple(replace(point, benchmark=each.name) for each in described)
    evidence = Evidence(run, points, ())
    advised = {each.benchmark for at, each in enumerate(points) if tuning(evidence, at)}
    assert "mpi/allreduce" in advised
    assert advised <= known
