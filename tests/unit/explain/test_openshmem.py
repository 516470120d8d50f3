"""What is said of a program with OpenSHMEM."""

import pytest
from recordings import ABORTED, RUNNING, rank, row

from leadline.core.errors import UserError
from leadline.explain.bounds import Bounds, shape_of
from leadline.explain.replay import replay
from leadline.explain.report import explain
from leadline.model.profile import Measured, Rule


def of(*rows, **fields):
    seconds = sum(4.0 for _ in rows)
    return [rank(pe, mpi=seconds, waiting=1.0, rows=rows, **fields) for pe in (0, 1)]


def test_its_calls_tell_the_api(read):
    assert read(of(row("shmem_init"), row("shmem_barrier_all"))).api == "OpenSHMEM"
    assert read(of(row("MPI_Init"))).api == "MPI"
    assert read([rank(0)]).api == "MPI"


def test_another_api_of_the_program_is_said(read):
    recording = read(of(row("shmem_init")), also="MPI")
    assert recording.also == "MPI"
    notes = explain(recording, Bounds()).notes
    assert "The program calls MPI, too: what it does there counts as computing." in notes


def test_sentences_name_what_the_program_calls(explained):
    rows = row("shmem_init", seconds=4.0), row("shmem_barrier_all", seconds=1.0)
    ranks = of(*rows, other_threads=0.5, state=ABORTED)
    notes = " ".join(explained(ranks).notes)
    assert "Beginning and ending OpenSHMEM takes 4 s of a rank's time" in notes
    assert "Ranks 0-1 called shmem_global_exit." in notes
    assert "Other threads were in OpenSHMEM for 1 s" in notes
    assert "MPI" not in notes


def test_a_wait_without_an_end_is_waiting(explained):
    ranks = [
        rank(0, state=RUNNING, rows=[row("shmem_init")], current=("shmem_long_wait_until", 2.0)),
        rank(1, state=RUNNING, current=("", 10.0)),
    ]
    found = explained(ranks)
    assert found.ranks[0].waiting_s == pytest.approx(8)
    assert any("in shmem_long_wait_until for 8 s at the end" in note for note in found.notes)


def test_advice_names_functions_of_openshmem(explained):
    polls = of(row("shmem_long_test", calls=10**6, seconds=3.0, waiting=2.5))
    (advice,) = (each for each in explained(polls, run="R").advice if each.kind == "polling")
    assert advice.text.endswith("compute between them, or call shmem_wait_until.")
    made = of(row("shmem_calloc", calls=400, seconds=1.0))
    (advice,) = (each for each in explained(made, run="R").advice if each.kind == "set_up")
    assert advice.text.endswith("make symmetric objects and teams once, and keep them.")


def test_a_tuned_profile_bounds_reductions(read, explained):
    rule = Rule(
        collective="shmem_reduce", algorithm="shared", processes=2,
        measured=(Measured(8, 3.0, 1.0, 2.0),),
    )  # fmt: skip
    ranks = of(row("shmem_double_sum_to_all", calls=1000, size=8, seconds=0.004))
    (site,) = explained(ranks, Bounds(rules=(rule,))).sites
    assert site.bound_s == pytest.approx(0.006)
    assert site.tunable_s == pytest.approx(0.008 * 2 / 3)
    assert shape_of(read(ranks).ranks[0].rows[0]) is None


def test_it_is_not_replayed(read):
    with pytest.raises(UserError, match=r"the recording is of OpenSHMEM: --replay measures"):
        replay(read(of(row("shmem_barrier_all", calls=9, seconds=1.0))), ())
