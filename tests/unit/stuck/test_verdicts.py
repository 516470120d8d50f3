"""Each kind of hang is named, with its ranks, and nothing is said of jobs that go on."""

import platform
import shlex

import msgspec
import pytest
import wording
from recorded_calls import At, Recorded

from leadline.stuck.hangs_of_processes import find_waits_for_input
from leadline.stuck.job import Job, Process, Rank
from leadline.stuck.rules import RULES

SEND, RECV = "MPI_Send", "MPI_Recv"
BARRIER = At(call="MPI_Barrier", bytes=0)
REDUCE = At(call="MPI_Allreduce")


def changed(at, **fields):
    return msgspec.structs.replace(at, **fields)


def send(to, tag=1, **fields):
    return At(call=SEND, peer=to, tag=tag, bytes=4 << 20, **fields)


def recv(of, tag=1, **fields):
    return At(call=RECV, peer=of, tag=tag, bytes=4 << 20, **fields)


def wait(*requests, **fields):
    """Wait for requests: peer, tag, and what they are (1 sends, 2 receives, 8 has begun)."""
    call = "MPI_Wait" if len(requests) == 1 else "MPI_Waitall"
    return At(call=call, awaiting=[*requests], **fields)


READ = f"{ {'aarch64': 63}.get(platform.machine(), 0) } 0x0 0x1"
FLOCK = {"aarch64": 32}.get(platform.machine(), 73)
SLEEP = {"aarch64": 115}.get(platform.machine(), 230)
FUTEX = {"aarch64": 98}.get(platform.machine(), 202)
RESTART = {"aarch64": 128}.get(platform.machine(), 219)
CHILD = {"aarch64": 260}.get(platform.machine(), 61)
OWN = At(call="", for_s=90.0)
# A rank that waits for another of its threads, and threads that do or do not go on by themselves.
JOINS = At(call="", for_s=50.0, process="S")
ASLEEP, LOCKED = ("S", f"{SLEEP} 0x0"), ("S", f"{FUTEX} 0x0")
EVENTS = ("S", f"{ {'aarch64': 22}.get(platform.machine(), 232) } 0x5")
# A rank that reads a pipe into which a process below it writes.
FROM_CHILD = At(
    call="", for_s=50.0, process="S", syscall=READ.replace("0x0", "0x1c"), fds={28: "pipe:[77]"},
    child_writes={1: "pipe:[77]"},
)  # fmt: skip
# Waits for a lock for some time at most, as long as it takes, and for events for a second.
FOR_A_TIME, FOR_EVER = f"{FUTEX} 0x7f0 0x89 0x0 0x7ffc0", f"{FUTEX} 0x7f0 0x109 0x2 0x0"
A_SECOND = ("S", f"{EVENTS[1]} 0x7f0 0x20 0x3e8")
AHEAD = changed(BARRIER, number=8)
TESTING = At(call="MPI_Iprobe", peer=1)
BCAST = At(call="MPI_Bcast", root=0)
# Kind: the ranks, and those of the first finding and that it says are missing.
HANGS = {
    "dead": ([BARRIER, changed(OWN, process="Z"), BARRIER], [1], [1]),
    "stopped": ([BARRIER, changed(OWN, process="T"), BARRIER], [1], [1]),
    "exited_early": ([BARRIER, changed(OWN, state=3, process="Z"), BARRIER], [1], [1]),
    "swapped_collectives": ([BARRIER, REDUCE, BARRIER], [1], []),
    "wrong_root": ([BCAST, changed(BCAST, root=1), BCAST], [1], []),
    "wrong_count": ([REDUCE, REDUCE, changed(REDUCE, bytes=16)], [2], []),
    "crossed_communicators": ([BARRIER, changed(BARRIER, comm=9, number=3)], [1], [1]),
    "wrong_tag": ([send(1, 5), recv(0, 6)], [0, 1], []),
    "wrong_communicator": ([send(1), recv(0, comm=9)], [0, 1], []),
    "deadlock_cycle": ([send(1), send(2), send(0)], [0, 1, 2], []),
    "missing_receive": ([send(1), BARRIER], [0, 1], [1]),
    "missing_send": ([BARRIER, recv(0)], [0, 1], [0]),
    "missing_partner": ([wait((1, 1, 2)), BARRIER], [0, 1], [1]),
    "polls": ([TESTING, BARRIER], [0], [0]),
    "waits_for_input": (
        [changed(OWN, process="S", syscall=READ, fds={0: "pipe:[77]"}), BARRIER], [0], [0],
    ),
    "waits_for_files": ([changed(OWN, process="D", syscall="257 0x0"), BARRIER], [0], [0]),
    "sleeps": ([changed(OWN, process="S"), BARRIER], [0], [0]),
    "endless_loop": ([BARRIER, OWN, BARRIER], [1], [1]),
    "out_of_step": (
        [changed(REDUCE, number=7), changed(AHEAD, called={("MPI_Allreduce", 8): 3})], [0], [1],
    ),
    "standstill": ([At(call="MPI_Waitall"), BARRIER], [0, 1], []),
    "inside_library": ([changed(BARRIER, for_s=90.0)] * 2, [0, 1], []),
}  # fmt: skip


def rank_elsewhere(tmp_path):
    """Two nodes: what a rank of the other one does in its own code cannot be seen."""
    there = Recorded(tmp_path / "there", [OWN, OWN], host="far", size=2)
    here = Recorded(tmp_path, [changed(BARRIER, for_s=50.0)], size=2)
    block = bytearray((there.folder / "node-0.explain").read_bytes())
    block[16:20] = (1).to_bytes(4, "little")
    del block[8192 : 8192 + (len(block) - 8192) // 2]
    (here.folder / "node-1.explain").write_bytes(bytes(block))
    return here.answer()


def answered(kind, tmp_path):
    if kind == "elsewhere":
        (tmp_path / "there").mkdir()
        return rank_elsewhere(tmp_path)
    job = Recorded(tmp_path, [*HANGS[kind][0]])
    if kind == "polls":
        return job.answer(*[lambda: polled(job)] * 4)
    return job.answer()


def polled(job):
    """Let the first rank have tested a thousand times more, and nothing else."""
    at = job.ranks[0]
    count = at.called.get(("MPI_Iprobe", 8), 0) + 1000
    job.ranks[0] = changed(
        at, calls=at.calls + 1000, called={("MPI_Iprobe", 8): count}, for_s=at.for_s - 1
    )


def test_each_rule_has_a_hang_here():
    assert {rule.kind for rule in RULES} == {*HANGS, "elsewhere"}


@pytest.mark.parametrize("kind", HANGS)
def test_a_hang_is_named_with_its_ranks(kind, tmp_path):
    found = answered(kind, tmp_path)
    assert found.not_judged == ()
    assert found.verdict == kind, found.text
    assert [*found.findings[0].ranks] == HANGS[kind][1]
    assert [*found.missing] == HANGS[kind][2]
    assert found.is_stuck


def test_a_rank_on_another_host_is_missing(tmp_path):
    found = answered("elsewhere", tmp_path)
    assert (found.verdict, found.missing) == ("elsewhere", (1,))
    assert found.findings[0].fix == "ssh far leadline stuck 4001"


@pytest.mark.parametrize("kind", [*HANGS, "elsewhere"])
def test_texts_are_plain(kind, tmp_path):
    for hang in answered(kind, tmp_path).findings:
        assert list(wording.faults(hang.text)) == []
        assert hang.text.endswith(".")
        assert hang.text[0].isupper()
        assert all(list(wording.faults(each)) == [] for each in hang.evidence), hang.evidence
        assert "\n" not in hang.fix
        if hang.fix.endswith("."):
            assert list(wording.faults(hang.fix)) == []
        else:
            assert shlex.split(hang.fix)


# More ways to the same verdicts: those that are in a call, and the kind.
MORE = {
    "both send": ([send(1), send(0)], "deadlock_cycle"),
    "both receive": ([recv(1), recv(0)], "deadlock_cycle"),
    "a send to oneself": ([send(0), BARRIER], "deadlock_cycle"),
    "the receiver is at its end": (
        [send(1), At(call="MPI_Finalize", number=8, bytes=0)], "missing_receive",
    ),
    "the receiver has passed MPI_Finalize": (
        [send(1), changed(OWN, state=2, process="Z")], "missing_receive",
    ),
    "an exchange with a rank that is away": (
        [At(call="MPI_Sendrecv", peer=1, tag=3), BARRIER], "missing_receive",
    ),
    "nobody sends to any": ([recv(-1), BARRIER, BARRIER], "missing_send"),
    "a request of several": (
        [wait((1, 1, 2), (2, 1, 10)), BARRIER, BARRIER], "missing_partner",
    ),
    "a request of several, of which one came later": (
        [wait((1, 1, 18), (2, 1, 18)), changed(BARRIER, sent=8), changed(BARRIER, sent=7)],
        "missing_partner",
    ),
    "a send that nobody receives": ([wait((1, 1, 1)), BARRIER], "missing_partner"),
    "waits in a circle": ([wait((1, 1, 2)), wait((0, 1, 2))], "deadlock_cycle"),
    "a receive and a wait for each other": ([recv(1), wait((0, 1, 2))], "deadlock_cycle"),
    "a wait with another tag": ([send(1, 5), wait((0, 6, 2))], "wrong_tag"),
    "a wait on another communicator": ([send(1, 5), wait((0, 5, 2), comm=9)], "wrong_communicator"),
    "a wait for a collective that others do not call": (
        [wait((-2, 0, 4)), recv(0)], "missing_send",
    ),
    "a probe": ([At(call="MPI_Probe", peer=1, tag=3), BARRIER], "missing_send"),
    "a chain that ends in a barrier": ([recv(1), recv(2), BARRIER], "missing_send"),
    "a chain that ends in a loop": ([recv(1), recv(2), OWN], "endless_loop"),
    "a wildcard with another tag": ([send(1, 5), recv(-1, 6)], "wrong_tag"),
    "an end in place of a barrier": (
        [BARRIER, At(call="MPI_Finalize", number=7, bytes=0)], "exited_early",
    ),
    "all have finished but one": ([BARRIER, changed(OWN, state=2, process="Z")], "exited_early"),
    "aborted, and the rest goes on": ([BARRIER, changed(OWN, state=4)], "dead"),
    "a debugger": ([BARRIER, changed(OWN, process="t", tracer=99)], "stopped"),
    "stopped inside a call": ([BARRIER, changed(BARRIER, process="T")], "stopped"),
    "never called what the first waits in": (
        [changed(REDUCE, call="MPI_Reduce", root=0), AHEAD], "swapped_collectives",
    ),
    "called it with another size": (
        [At(call="MPI_Reduce", root=0, bytes=8 << 20),
         changed(AHEAD, called={("MPI_Reduce", 0): 1})], "wrong_count",
    ),
    "the root has left the call": (
        [At(call="MPI_Bcast", root=1), changed(AHEAD, called={("MPI_Bcast", 8): 1})], "wrong_root",
    ),
    "gathers of different sizes": (
        [At(call="MPI_Gather", root=0, bytes=900), At(call="MPI_Gather", root=0, bytes=8),
         At(call="MPI_Gather", root=0, bytes=16)], "wrong_count",
    ),
    "a loop after a long MPI_Init": (
        [BARRIER, changed(OWN, for_s=70.0, calls=40, ran_s=100.0, mpi_s=99.9)], "endless_loop",
    ),
    "a loop on a crowded host": ([changed(OWN, share=0.03), BARRIER], "endless_loop"),
    "before MPI_Init": (
        [
            At(call="MPI_Init", state=0),
            changed(OWN, state=0, process="S", syscall=f"{SLEEP} 0x0", calls=0, for_s=700.0),
        ], "sleeps",
    ),
    "a child that writes nothing for long": ([changed(FROM_CHILD, for_s=90.0), BARRIER], "sleeps"),
    "a child that only reads the pipe too": (
        [changed(FROM_CHILD, child_writes={}, child_reads={0: "pipe:[77]"}), BARRIER],
        "waits_for_input",
    ),
    "a child that writes to another pipe": (
        [changed(FROM_CHILD, child_writes={1: "pipe:[78]"}), BARRIER], "waits_for_input",
    ),
    "a pipe into which another rank may write": (
        [FROM_CHILD, changed(BARRIER, writes={5: "pipe:[77]"})], "waits_for_input",
    ),
    "a pipe of its own, without a child": (
        [changed(FROM_CHILD, child_writes={}, writes={29: "pipe:[77]"}), BARRIER],
        "waits_for_input",
    ),
    "a connection to nobody that it started": (
        [changed(FROM_CHILD, fds={28: "socket:[77]"}, child_writes={}), BARRIER],
        "waits_for_input",
    ),
    "a lock without a limit": ([changed(JOINS, syscall=FOR_EVER), BARRIER], "sleeps"),
    "threads of MPI that wait for minutes": (
        [changed(JOINS, threads=[("S", f"{EVENTS[1]} 0x7f0 0x20 0x1d290"),
                                 ("S", f"{EVENTS[1]} 0x7f0 0x20 0xffffffff")]), BARRIER],
        "sleeps",
    ),
    "all threads wait for locks": ([changed(JOINS, threads=[LOCKED, LOCKED]), BARRIER], "sleeps"),
    "a lock, and threads of MPI wait for events": (
        [changed(JOINS, threads=[EVENTS, LOCKED]), BARRIER], "sleeps",
    ),
    "locks and events, and a debugger looked": (
        [changed(JOINS, threads=[("S", f"{RESTART} 0x0 in futex_do_wait"),
                                 ("S", f"{RESTART} 0x0 in do_sys_poll")]), BARRIER], "sleeps",
    ),
    "a thread that sleeps for long": (
        [changed(JOINS, for_s=90.0, threads=[ASLEEP]), BARRIER], "sleeps",
    ),
    "a lock on a file while a thread sleeps": (
        [changed(JOINS, for_s=90.0, syscall=f"{FLOCK} 0x5", threads=[ASLEEP]), BARRIER], "sleeps",
    ),
    "files of MPI that do not come": (
        [BARRIER, At(call="MPI_File_write", process="D", syscall="18 0x5", for_s=90.0)],
        "waits_for_files",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MORE)
def test_more_ways_to_hang(case, tmp_path):
    ranks, kind = MORE[case]
    found = Recorded(tmp_path, [*ranks]).answer()
    assert found.not_judged == ()
    assert found.verdict == kind, found.text


def test_a_rank_that_waited_for_its_child_for_long_is_told_so(tmp_path):
    found = Recorded(tmp_path, [changed(FROM_CHILD, for_s=90.0), BARRIER]).answer()
    assert found.text.startswith("Rank 0 sleeps outside MPI for 9")
    assert found.text.endswith(" s: it waits for a child process (read).")


def test_a_thread_of_mpi_that_wakes_up_for_a_moment_is_not_at_work(tmp_path):
    job = Recorded(tmp_path, [changed(JOINS, threads=[EVENTS]), BARRIER])

    def turn(thread):
        job.ranks[0] = changed(job.ranks[0], threads=[thread])

    assert job.answer(lambda: turn(("R", "running")), lambda: turn(EVENTS)).verdict == "sleeps"


def test_only_ranks_whose_message_has_not_come_are_missing(tmp_path):
    ranks = [wait((1, 1, 18), (2, 1, 18)), changed(BARRIER, sent=8), changed(BARRIER, sent=7)]
    found = Recorded(tmp_path, ranks).answer()
    assert found.missing == (2,)
    assert (
        found.findings[0].evidence[0].startswith("rank 0 is in MPI_Waitall at solve with rank 2 (")
    )
    assert found.findings[0].fix == "Look for the send that rank 2 leaves out: rank 0, tag 1."


# Jobs that go on, or of which nobody can say that they do not.
HEALTHY = {
    "a lock on a file that another program has": [
        BARRIER, changed(JOINS, syscall=f"{FLOCK} 0x5"),
    ],
    "all compute": [OWN, OWN],
    "a computation that is no longer than before": [
        BARRIER, changed(OWN, for_s=20.0, calls=10, ran_s=40.0),
    ],
    "a moment outside MPI": [BARRIER, changed(OWN, for_s=0.5)],
    "a long phase before the first call": [BARRIER, changed(OWN, calls=0, for_s=500.0)],
    "a long sleep before the first call": [
        BARRIER, changed(OWN, calls=2, for_s=500.0, process="S", syscall=f"{SLEEP} 0x0"),
    ],
    "a long output while others are done": [
        At(call="MPI_Finalize", number=8), changed(OWN, for_s=500.0),
    ],
    "a checkpoint in the middle": [BARRIER, changed(OWN, for_s=50.0)],
    "a checkpoint that the file system holds": [
        BARRIER, changed(OWN, for_s=50.0, process="D", syscall="257 0x0"),
    ],
    "a child that compresses": [
        BARRIER, changed(OWN, for_s=50.0, process="S", syscall=f"{CHILD} 0x0"),
    ],
    "a child that computes before it writes": [BARRIER, FROM_CHILD],
    "a child that computes and has the standard input": [
        BARRIER, changed(FROM_CHILD, syscall=READ, fds={0: "pipe:[77]"}),
    ],
    "a thread that sleeps": [BARRIER, changed(JOINS, threads=[EVENTS, ASLEEP])],
    "a thread that sleeps, and a debugger looked": [
        BARRIER, changed(JOINS, threads=[("S", f"{RESTART} 0x0 in do_syscall_64")]),
    ],
    "a thread that wants a processor": [BARRIER, changed(JOINS, threads=[("R", "running")])],
    "a thread that the file system holds": [BARRIER, changed(JOINS, threads=[("D", "257 0x0")])],
    "a thread that has a child": [BARRIER, changed(JOINS, threads=[("S", f"{CHILD} 0x0")])],
    "a thread that reads from a child": [
        BARRIER, changed(FROM_CHILD, syscall="", threads=[("S", FROM_CHILD.syscall)]),
    ],
    "a thread that waits for the end of a child": [
        BARRIER, changed(FROM_CHILD, syscall="", threads=[EVENTS]),
    ],
    "a connection to a child": [BARRIER, changed(FROM_CHILD, fds={28: "socket:[77]"})],
    "a lock with a limit": [BARRIER, changed(JOINS, syscall=FOR_A_TIME)],
    "a lock that is taken again and again": [BARRIER, changed(JOINS, syscall=FOR_EVER, wakes=3)],
    "a thread that waits for a lock with a limit": [
        BARRIER, changed(JOINS, syscall=FOR_EVER, threads=[("S", FOR_A_TIME)]),
    ],
    "a thread with such a lock, and a debugger looked": [
        BARRIER,
        changed(JOINS, threads=[("S", f"{RESTART} 0x7f0 0x89 0x0 0x7ffc0 in futex_do_wait")]),
    ],
    "a thread that waits for events for a second": [BARRIER, changed(JOINS, threads=[A_SECOND])],
    "a thread that reads what comes slowly": [
        BARRIER, changed(JOINS, fds={28: "socket:[77]"}, threads_wake=1,
                         threads=[("S", FROM_CHILD.syscall)]),
    ],
    "input that comes slowly": [
        BARRIER, changed(JOINS, syscall=READ, fds={0: "pipe:[77]"}, wakes=1),
    ],
    "a file of all that takes long": [
        BARRIER, At(call="MPI_File_write", process="D", syscall="18 0x5"),
    ],
    "a large message on its way": [send(1), recv(0)],
    "a large message, and who waits for its end": [send(1), recv(0), BARRIER],
    "a large exchange": [At(call="MPI_Sendrecv", peer=1), At(call="MPI_Sendrecv", peer=0)],
    "a large message that was posted before": [send(1), wait((0, 1, 2))],
    "large messages both ways": [
        wait((1, 1, 2), (1, 1, 1)), wait((0, 1, 2), (0, 1, 1)),
    ],
    "waits for messages that are on their way": [wait((1, 1, 10)), wait((0, 1, 10))],
    "short waits in a circle": [wait((1, 1, 2), for_s=2.0), wait((0, 1, 2), for_s=2.0)],
    "a wait for a message that came since": [
        wait((1, 1, 18), for_s=2.0), changed(BARRIER, sent=8),
    ],
    "a wait for a message that has come": [wait((1, 1, 10), for_s=2.0), BARRIER],
    "a slow collective": [BARRIER, BARRIER],
    "counts of MPI_IN_PLACE": [
        At(call="MPI_Allgather", bytes=0), At(call="MPI_Allgather", bytes=64),
    ],
    "what the root of a gather has": [
        At(call="MPI_Gather", root=0, bytes=0), At(call="MPI_Gather", root=0, bytes=64),
    ],
    "collectives of halves": [
        changed(REDUCE, comm=3), changed(REDUCE, comm=4, number=9),
    ],
    "a broadcast that is left early": [
        changed(BCAST, number=9), changed(BCAST, number=7), changed(OWN, for_s=0.2),
    ],
    "a receive that is posted soon": [send(1), changed(OWN, for_s=0.2)],
    "a communicator that nobody knows": [
        At(call="MPI_Allreduce", comm=2**64 - 1), At(call="MPI_Bcast", comm=2**64 - 1, root=0),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", HEALTHY)
def test_nothing_is_said_of_jobs_that_may_go_on(case, tmp_path):
    found = Recorded(tmp_path, [*HEALTHY[case]]).answer()
    assert found.not_judged == ()
    is_outside = any(not each.call for each in found.ranks)
    assert (found.verdict, found.findings) == ("moves" if is_outside else "unknown", ())
    assert found.missing == ()
    assert not found.is_stuck


@pytest.mark.parametrize("kind", sorted({*HANGS} - {"dead", "stopped", "exited_early", "polls"}))
def test_a_job_of_which_a_rank_moves_is_not_stuck(kind, tmp_path):
    job = Recorded(tmp_path, [*HANGS[kind][0], changed(BARRIER, comm=77, number=1)])

    def move():
        last = job.ranks[-1]
        job.ranks[-1] = changed(last, for_s=last.for_s - 1, number=last.number + 1,
                                calls=last.calls + 1)  # fmt: skip

    found = job.answer(move)
    assert (found.verdict, found.missing) == ("moves", ())
    assert found.text.startswith(f"not stuck: rank {len(job.ranks) - 1} went on")


def test_a_rank_that_tests_while_another_computes_is_not_stuck(tmp_path):
    job = Recorded(tmp_path, [TESTING, changed(OWN, for_s=0.2)])
    assert job.answer(lambda: polled(job)).verdict == "moves"


def test_a_rank_that_does_more_than_test_moves(tmp_path):
    job = Recorded(tmp_path, [TESTING, BARRIER])

    def work():
        polled(job)
        at = job.ranks[0]
        called = {**at.called, ("MPI_Send", 8): 5}
        job.ranks[0] = changed(at, calls=at.calls + 5, called=called)

    assert job.answer(work).verdict == "moves"


def test_an_answer_takes_a_look_of_less_than_a_second(tmp_path):
    assert 0.5 < Recorded(tmp_path, [BARRIER, OWN]).look().seconds < 1.0


def test_a_rank_that_tests_while_it_is_looked_at_does_not_move(tmp_path):
    job = Recorded(tmp_path, [TESTING, BARRIER])

    def test():
        polled(job)
        # Read before its rows, the number of calls was behind them at first.
        job.ranks[0] = changed(job.ranks[0], calls=job.ranks[0].calls + 300)

    assert job.answer(*[test] * 4).verdict == "polls"


@pytest.mark.parametrize(
    ("stack", "source", "is_told"),
    [
        ((), "file 9 (socket:[7])", False),
        (("__GI___libc_read", "ask", "main"), "file 9 (socket:[7])", True),
        ((), "standard input (pipe:[7])", True),
    ],
)
def test_a_library_that_reads_from_its_launcher_does_not_wait_for_input(stack, source, is_told):
    """As MPICH does in MPI_Finalize: without a stack nobody knows who reads from a connection."""
    reads = Process(pid=1, state="S", waits="in read", reads=source, stack=stack)
    works = Process(pid=2, state="R", busy=1.0)
    ranks = (Rank(rank=0, pid=1, process=reads), Rank(rank=1, pid=2, process=works))
    job = Job(ranks=ranks, size=2, seconds=1.0, calls_known=False)
    assert bool(list(find_waits_for_input(job))) is is_told
