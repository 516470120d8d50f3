"""Each kind of advice where it is right, and none where it is not."""

import msgspec
import pytest
from recordings import late_in_turn, late_rank, rank, row, turns, uneven_turns

from leadline.explain.bounds import MESSAGE, Bounds, Curve, Shape
from leadline.explain.recording import Rank, Recording, Threads
from leadline.explain.report import explain
from leadline.model.profile import Measured, Rule
from leadline.model.recorded import Recorded

STARTED = Recorded(command=("mpirun", "-n", "4", "./app"), mpi="m-1")
GIVEN = {"run": "R", "recorded": STARTED, "mpi": "m-1"}


def kinds(found):
    return {each.kind: each for each in found.advice}


def own(*rows, seconds=10.0, ranks=2, **fields):
    """Return ranks that compute alike and are in these calls without waiting."""
    spent = sum(int.from_bytes(each[40:48], "little") for each in rows) / 2e9
    return [rank(at, seconds=seconds, mpi=spent, rows=rows, **fields) for at in range(ranks)]


def test_a_program_that_computes_needs_no_advice(explained):
    found = explained([rank(0, mpi=0.1), rank(1, mpi=0.1)], **GIVEN)
    assert found.advice == () and found.late.verdict == "none"


def with_threads(workers, cores, wanted_s, queued_s=0.0, own_cores=8):
    """Return what is said of two ranks that compute for 10 s, each with such threads."""
    ranks = tuple(
        Rank(rank=each, node=0, host="node7", seconds=10.0, mpi_s=0.0, waiting_s=0.0,
             queued_s=queued_s, threads=Threads(workers, cores, wanted_s))
        for each in range(2)
    )  # fmt: skip
    recorded = Recorded(command=STARTED.command, mpi="m-1", host="node7", cores=own_cores)
    made = Recording(ranks=ranks, ranks_total=2)
    return kinds(explain(made, Bounds(), recorded=recorded))


def test_threads_without_work_are_named():
    [advice] = with_threads(3, 4, wanted_s=12.0).values()
    assert advice.kind == "idle_threads"
    assert "3 further threads have no work for 60 % of the time at least" in advice.text
    assert advice.high_s == pytest.approx(18.0 / 4)


@pytest.mark.parametrize(
    "fields",
    [{"wanted_s": 27.0}, {"wanted_s": 12.0, "queued_s": 5.5}, {"wanted_s": 12.0, "own_cores": 7}],
    ids=["they work", "their rank had no processor", "all threads share cores"],
)
def test_threads_that_may_work_are_not(fields):
    assert "idle_threads" not in with_threads(3, 4, **fields)


def test_threads_that_share_too_few_cores_are_named():
    found = with_threads(3, 1, wanted_s=30.0)
    assert found["crowded_threads"].text == (
        "The 4 threads of a rank may use 1 core: give it more cores, or start fewer threads."
    )
    assert "crowded_threads" not in with_threads(3, 4, wanted_s=30.0)
    assert "crowded_threads" not in with_threads(3, 1, wanted_s=1.9)


def test_uneven_work(explained):
    [advice] = explained(late_rank(late=3, delay=2.0), **GIVEN).advice
    # Rank 3 computes 9.5 s, the rest 7.5 s: 27 % more, and the mean is 8 s.
    assert advice.kind == "uneven_work"
    assert advice.text.startswith("Rank 3 computes 27 % more than the median of the rest")
    assert "at most 1.5 s" in advice.text
    assert advice.command == "leadline check -- mpirun -n 4 ./app"
    assert (advice.saves_s, advice.low_s) == (None, None)
    assert advice.high_s == pytest.approx(1.5)


def test_even_work_is_that_of_the_rank_that_causes_the_waiting(explained):
    found = explained(late_in_turn((2, 0, 0, 0)), **GIVEN)
    [advice] = found.advice
    # Rank 2 computes 10 s, the rest 8 s, and all wait for rank 0, which waits for rank 2.
    assert advice.text.startswith("Rank 2 computes 25 % more than the median of the rest")
    assert advice.high_s == pytest.approx(1.5)


def one_late(computing, late):
    """Return ranks that compute so long, and of which all others wait for one."""
    return [
        rank(each, mpi=10.0 - own, waiting=0.0 if each == late else 2.0,
             waited={} if each == late else {late: (2.0, 9)})
        for each, own in enumerate(computing)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("computing", "said", "high_s"),
    [
        # Another rank computes longer, but it is not the one that is late.
        ([5.0, 5.0, 7.0, 6.0], "computes 20 % more than the median of the rest", 0.25),
        ([5.0, 5.0, 8.0, 5.2], "comes late though others compute longer", None),
        # One rank hardly computes: what is beyond the median counts, and not beyond the mean.
        ([1.0, 5.0, 5.0, 5.5], "computes 10 % more than the median of the rest", 0.5),
    ],
)
def test_even_work_saves_what_the_late_rank_computes_longer(explained, computing, said, high_s):
    advice = kinds(explained(one_late(computing, late=3), **GIVEN))["uneven_work"]
    assert said in advice.text and advice.text.startswith("Rank 3 ")
    assert advice.high_s == (high_s and pytest.approx(high_s))


def files_of_a_late_rank():
    ranks = late_rank(late=0, delay=2.0)
    ranks[0] |= {"files": 2.0, "mpi": 2.5}
    return ranks


@pytest.mark.parametrize(
    ("ranks", "kind", "text", "command"),
    [
        (late_rank(late=3, seconds=10.0, delay=8.0), "uneven_work",
         "Rank 3 computes 6.3x as long as the median of the rest",
         "leadline check -- mpirun -n 4 ./app"),
        (files_of_a_late_rank(), "uneven_work", "Rank 0 does I/O for 2 s",
         "leadline explain --full R"),
        (uneven_turns(), "noise", "Another rank is late each time, which costs 15 %: the work of "
         "a rank changes from call to call, or something disturbs them in turn", "leadline check"),
        (uneven_turns(queued=0.0), "noise", "Another rank is late each time, which costs 15 %: "
         "nothing takes a processor from them", "leadline explain --full R"),
        (turns(), "chain", "Ranks wait for what another one computes, and 1 of 4 compute at a time",
         "leadline explain --full R"),
        (own(row("MPI_Comm_split", calls=400, seconds=1.0)), "set_up",
         "Each rank calls MPI_Comm_split in main 400 times; such calls take 10 % of the time",
         "leadline explain --full R"),
        (own(row("MPI_Test", calls=10**7, seconds=3.0, waiting=2.5, site=2)), "polling",
         "20000000 calls such as MPI_Test in solve ask for messages, 30 % of the time",
         "leadline explain --full R"),
        (own(row("MPI_Send", calls=10, size=10**6, seconds=3, waiting=2, late_receiver=2)),
         "late_receiver",
         "Senders wait for late receivers, 20 % of the time, most in MPI_Send in main",
         "leadline explain --full R"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_command(explained, ranks, kind, text, command):
    found = kinds(explained(ranks, **GIVEN))
    assert found[kind].text.startswith(text) and found[kind].command == command
    assert kind not in ("noise", "chain") or set(found) == {kind}


def test_processors_that_others_had_are_named(explained):
    found = kinds(explained(uneven_turns(queued=1.0), **GIVEN))
    assert set(found) == {"noise", "no_processor"}
    assert "others take the processors" in found["noise"].text
    assert "For 10 % of the time" in found["no_processor"].text
    assert found["no_processor"].high_s == pytest.approx(1.0)
    assert found["no_processor"].command == "leadline check -- mpirun -n 4 ./app"


def test_more_ranks_than_cores_are_the_cause_and_no_noise(explained):
    started = msgspec.structs.replace(STARTED, host="node7", cores=2)
    found = kinds(explained(uneven_turns(), run="R", recorded=started, mpi="m-1"))
    assert set(found) == {"more_ranks_than_cores"}
    assert found["more_ranks_than_cores"].text.startswith("4 ranks share 2 cores: a rank waits ")
    assert "Start at most 2 here" in found["more_ranks_than_cores"].text
    assert found["more_ranks_than_cores"].command == "leadline check -- mpirun -n 4 ./app"


def test_ranks_that_share_cores_without_waiting_for_them_do_not_lack_any(explained):
    started = msgspec.structs.replace(STARTED, host="node7", cores=2)
    given = {"run": "R", "recorded": started}
    found = kinds(explained(uneven_turns(queued=2.0), **given))
    assert "no core for 20 % of the time" in found["more_ranks_than_cores"].text
    assert set(kinds(explained(uneven_turns(queued=0.01), **given))) == {"noise"}


@pytest.mark.parametrize(("host", "cores"), [("node7", 4), ("another", 2), ("node7", 0)])
def test_enough_cores_or_unknown_ones_are_not_told(explained, host, cores):
    started = msgspec.structs.replace(STARTED, host=host, cores=cores)
    assert set(kinds(explained(uneven_turns(), run="R", recorded=started))) == {"noise"}


def test_what_is_made_once_is_not_told(explained):
    ranks = own(row("MPI_Init", seconds=1.0), row("MPI_Comm_split", calls=9, seconds=1.0))
    found = explained(ranks, **GIVEN)
    assert "set_up" not in kinds(found)
    [note] = [each for each in found.notes if "Beginning and ending" in each]
    assert note.startswith("Beginning and ending MPI takes 1 s of a rank's time (10 %)")


def test_collectives_of_their_own_are_tuned_for_the_program(explained):
    ranks = own(
        row("MPI_Allreduce", calls=1000, size=8, seconds=2.0, ranks=4),
        row("MPI_Allreduce", calls=10, size=4096, seconds=1.0, ranks=4),
        row("MPI_Bcast", calls=10, size=100, seconds=0.01, ranks=4),
    )
    [advice] = explained(ranks, tunable=frozenset({"allreduce", "bcast"}), **GIVEN).advice
    assert advice.command == "leadline tune --from R"
    assert advice.text.startswith("MPI_Allreduce takes 3 s beyond waiting")
    # No more than they take, of which no measurement says a part.
    assert (advice.saves_s, advice.low_s) == (None, None)
    assert advice.high_s == pytest.approx(3.01)
    assert explained(ranks, **GIVEN).advice == ()


RULE = Rule(
    collective="allreduce", algorithm="shared", nodes=1, processes=4,
    measured=(Measured(8, 2000.0, 500.0, 2.0),),
)  # fmt: skip


def test_a_tuned_profile_says_what_it_saves_with_its_interval(explained):
    ranks = own(row("MPI_Allreduce", calls=1000, size=8, seconds=2.5, ranks=4))
    found = explained(ranks, Bounds(rules=(RULE,)), tunable=frozenset({"allreduce"}), **GIVEN)
    [advice] = found.advice
    assert advice.kind == "use_profile"
    assert advice.command == "leadline exec -- mpirun -n 4 ./app"
    assert advice.saves_s == pytest.approx(1.875) and advice.low_s == pytest.approx(1.0)
    # A gain of 4, and of 2 at least: of 8 at most, of all the time beyond waiting.
    assert advice.high_s == pytest.approx(2.5 * (1 - 1 / 8))
    assert found.ranks[0].tunable_s == pytest.approx(1.875)
    accelerated = explained(ranks, Bounds(rules=(RULE,), accelerated=True), **GIVEN)
    assert "use_profile" not in kinds(accelerated)


def test_small_messages_are_joined_only_by_a_measured_curve(explained):
    ranks = own(row("MPI_Send", calls=100_000, size=64, seconds=1.0))
    curve = Curve(seconds={64: 1e-5, 512: 1e-5, 4096: 2e-5})
    found = kinds(explained(ranks, Bounds(curves={Shape(MESSAGE, 2, 1): curve}), **GIVEN))
    # Eight in one cost an eighth each: of 10 us, 8.75 us less.
    assert found["small_messages"].high_s == pytest.approx(0.875, rel=1e-3)
    assert found["small_messages"].saves_s is None
    assert "small_messages" not in kinds(explained(ranks, **GIVEN))


def test_advice_is_ordered_by_what_depends_on_it(explained):
    ranks = own(
        row("MPI_Test", calls=1000, seconds=1.0),
        row("MPI_Allreduce", calls=1000, size=8, seconds=3.0, ranks=4),
    )
    found = explained(ranks, tunable=frozenset({"allreduce"}), **GIVEN)
    assert [each.kind for each in found.advice] == ["tune_collectives", "polling"]
