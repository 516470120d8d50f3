"""Why a program may hang: the rules, causes before consequences."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from leadline.stuck import hangs_in_collectives as collectives
from leadline.stuck import hangs_in_messages as messages
from leadline.stuck import hangs_of_processes as processes
from leadline.stuck.hang import Hang
from leadline.stuck.job import Job


class Rule(NamedTuple):
    """What finds a kind of hang: the function `find_KIND`.

    `always`: it holds even where a rank has moved. `last`: only where nothing else was found.
    """

    find: Callable[[Job], Iterable[Hang]]
    always: bool = False
    last: bool = False

    @property
    def kind(self) -> str:
        """The verdict."""
        return self.find.__name__.removeprefix("find_")


RULES = (
    Rule(processes.find_dead, always=True),
    Rule(processes.find_stopped, always=True),
    Rule(processes.find_exited_early, always=True),
    Rule(collectives.find_swapped_collectives),
    Rule(collectives.find_wrong_root),
    Rule(collectives.find_wrong_count),
    Rule(collectives.find_crossed_communicators),
    Rule(messages.find_wrong_tag),
    Rule(messages.find_wrong_communicator),
    Rule(messages.find_deadlock_cycle),
    Rule(messages.find_missing_receive),
    Rule(messages.find_missing_send),
    Rule(messages.find_missing_partner),
    Rule(messages.find_polls),
    Rule(processes.find_waits_for_input),
    Rule(processes.find_waits_for_files),
    Rule(processes.find_sleeps),
    Rule(processes.find_endless_loop),
    Rule(processes.find_elsewhere),
    Rule(collectives.find_out_of_step, last=True),
    Rule(messages.find_standstill, last=True),
    Rule(collectives.find_inside_library, last=True),
)


def find_hangs(job: Job) -> tuple[tuple[Hang, ...], tuple[str, ...]]:
    """Return what each rule finds, in their order, and which rules failed, with the error."""
    hangs: list[Hang] = []
    failed: list[str] = []
    for rule in RULES:
        if (job.moved and not rule.always) or (rule.last and hangs):
            continue
        try:
            hangs += [msgspec.structs.replace(hang, kind=rule.kind) for hang in rule.find(job)]
        except Exception as error:
            failed.append(f"{rule.kind} ({type(error).__name__}: {error})")
    return tuple(hangs), tuple(failed)
