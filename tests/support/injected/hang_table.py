"""The hangs that are injected: how, and what `leadline stuck` has to say of each."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from injected.hanging import Hanging, begun
from leadline.model.installation import Installation

Act = Callable[[Hanging], int | None]


class Hang(NamedTuple):
    """A way to hang. `act` does something to the job and may return which process to ask for.

    `verdicts` are right, where several are: libraries differ in which rank leaves a call early.
    `missing` are the ranks that are to be named as missing, None where that depends on the library.
    `after_s` is how long it has hung when it is asked for: what may also be slow is named later.
    """

    way: str
    verdicts: tuple[str, ...]
    missing: tuple[int, ...] | None = None
    ranks: int = 2
    act: Act = lambda job: None
    explained: bool = True
    after_s: float = 2.0


def _stopped(job: Hanging) -> None:
    job.signal(1, signal.SIGSTOP)


def _dead(job: Hanging) -> int:
    job.signal_unnoticed(1, signal.SIGKILL)
    return job.pids[0]


def _exited(job: Hanging) -> int:
    job.signal_unnoticed(1, signal.SIGUSR2)
    return job.pids[0]


HANGS: tuple[Hang, ...] = (
    Hang("missing_receive", ("missing_receive",), (1,)),
    Hang("missing_receive_of_few_bytes", ("missing_receive",), (1,)),
    Hang("missing_send", ("missing_send",), (0,)),
    Hang("missing_send_from_any", ("missing_send",), (1, 2), 3),
    Hang("missing_send_of_probe", ("missing_send",), (0,)),
    Hang("wrong_peer", ("missing_receive",), (2,), 3),
    Hang("wrong_tag", ("wrong_tag",), ()),
    Hang("wrong_communicator", ("wrong_communicator",), ()),
    Hang("deadlock_cycle", ("deadlock_cycle",), ()),
    Hang("circle_of_receives", ("deadlock_cycle",), (), 3),
    Hang("send_to_itself", ("deadlock_cycle",), ()),
    Hang("circle_of_waits", ("deadlock_cycle",), (), after_s=6.0),
    Hang("missing_partner", ("missing_partner",), (0,)),
    Hang("missing_partner_of_all", ("missing_partner",), (2,), 3),
    Hang("missing_start", ("missing_partner",), (0,)),
    Hang("tests_for_ever", ("polls",), (1,)),
    Hang("probes_for_ever", ("polls",), (1,)),
    Hang("wrong_root", ("wrong_root",)),
    Hang("wrong_root_of_gather", ("wrong_root",)),
    Hang("wrong_count", ("wrong_count",)),
    Hang("wrong_count_of_all", ("wrong_count",)),
    Hang("swapped_collectives", ("swapped_collectives",)),
    Hang("left_out_barrier", ("swapped_collectives",)),
    Hang("left_out_split", ("swapped_collectives",)),
    Hang("left_out_file", ("swapped_collectives",)),
    Hang("left_out_wait", ("deadlock_cycle", "missing_partner", "missing_send")),
    Hang("crossed_communicators", ("crossed_communicators",), ranks=3, after_s=6.0),
    Hang("left_out_fence", ("crossed_communicators",), after_s=6.0),
    Hang("held_lock", ("standstill",), ranks=3, after_s=6.0),
    Hang("endless_loop", ("endless_loop",), (1,), after_s=62.0),
    Hang("sleeps", ("sleeps",), (1,)),
    Hang("locks_twice", ("sleeps",), (1,)),
    Hang("awaits_a_child", ("sleeps",), (1,), after_s=62.0),
    Hang("reads_a_pipe", ("waits_for_input",), (1,)),
    Hang("exited_early", ("exited_early",), (1,), act=_exited),
    Hang("finalises_early", ("exited_early",), (1,)),
    Hang("goes_on", ("stopped",), (1,), act=_stopped),
    Hang("goes_on", ("dead",), (1,), act=_dead),
    Hang("goes_on", ("stopped",), (1,), act=_stopped, explained=False),
    Hang("goes_on", ("dead",), (1,), act=_dead, explained=False),
    Hang("reads_a_pipe", ("waits_for_input",), (1,), explained=False),
)  # fmt: skip


def answer(hang: Hang, installation: Installation, program: Path) -> dict[str, Any]:
    """Inject a hang, ask for it, and end it."""
    job = begun(installation, program, hang.way, hang.ranks, hang.explained)
    try:
        job.wait_for(hang.ranks, hang.after_s)
        return job.stuck(hang.act(job))[1]
    finally:
        job.end()
