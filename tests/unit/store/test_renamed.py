"""Plans and runs that were written before an algorithm got the name that it has now."""

import pytest
from measured import BENCHMARK, Measured
from msgspec.structs import replace

from leadline.analysis.compare.matching import match, only
from leadline.core import shipped
from leadline.core.shipped import source_folder
from leadline.exchange.subject import side
from leadline.model.plan import Entry, Plan
from leadline.model.published import Claim, Row
from leadline.store.history import asked
from leadline.store.renamed import current_plan, current_value

FORMER, CURRENT = "hypercube", "recursive_doubling"


def test_what_is_renamed_is_what_the_sources_say():
    assert shipped.aliases(source_folder())["allreduce"] == {FORMER: CURRENT}


@pytest.mark.parametrize(
    ("benchmark", "axis", "words", "now"),
    [
        (
            "mpi/allreduce",
            "algorithm",
            "library, hypercube,ring",
            "library,recursive_doubling,ring",
        ),
        ("mpi/allreduce", "algorithm", "hypercube,recursive_doubling", "recursive_doubling"),
        ("mpi/allreduce", "operation", "hypercube", "hypercube"),
        ("mpi/bcast", "algorithm", "hypercube", "hypercube"),
        ("shmem/put", "check", "flag,last", "flag,last_unsafe"),
        ("mpi/matching", "position", "last", "last"),
    ],
)
def test_a_former_name_is_that_of_now_on_its_own_axis_alone(benchmark, axis, words, now):
    assert current_value(benchmark, axis, words) == now


def plan_with(algorithm):
    of = {"benchmark": "mpi/allreduce", "bytes": "8", "algorithm": "library"}
    claim = Claim(
        text="", source="", quantity="slowdown", of=of, against={**of, "algorithm": algorithm},
        rows=(Row(at={"processes": 8}, low=1, high=2),),
    )  # fmt: skip
    entry = Entry(benchmarks=("mpi/allreduce",), axes={"algorithm": f"library,{algorithm}"})
    return Plan(entries=(entry,), claims=(claim,))


def test_a_plan_asks_for_the_same_under_either_name():
    assert current_plan(plan_with(FORMER)) == plan_with(CURRENT)
    assert asked(plan_with(FORMER)) == asked(plan_with(CURRENT))


@pytest.fixture
def run_of(tmp_path):
    """Return a function that measures an allreduce by an algorithm in the folder `runs`."""

    def measure(algorithm):
        made = Measured(tmp_path / "runs", points=1)
        (point,) = made.run.points
        axes = {"bytes": 1, "algorithm": algorithm}
        made.run.points = [replace(point, benchmark="mpi/allreduce", axes=axes)]
        made.run.benchmarks = [replace(BENCHMARK, name="mpi/allreduce")]
        made.launch(0)
        return made.finish()

    return measure


def test_a_run_of_before_is_held_against_one_of_now(run_of):
    before, now = run_of(FORMER), run_of(CURRENT)
    assert FORMER in (before.path / "run.json").read_text()
    sides = [side(folder.name, folder.path.parent) for folder in (before, now)]
    found = match(*(each.points for each in sides))
    assert len(found.pairs) == 2 and found.differing == {"mpi/allreduce": frozenset()}


@pytest.mark.parametrize("name", [FORMER, CURRENT])
def test_a_part_of_a_run_has_either_name(run_of, name):
    folder = run_of(FORMER)
    assert side(f"{folder.name}:algorithm={name}", folder.path.parent).points
    assert only(folder.read(), "algorithm", [name]).points
