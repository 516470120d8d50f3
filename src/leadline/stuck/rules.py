"""Why a program may hang: the rules, causes before consequences."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from leadline.stuck.hang import Hang
from leadline.stuck.hangs_in_collectives import (
    find_crossed_communicators,
    find_inside_library,
    find_out_of_step,
    find_swapped_collectives,
    find_wrong_count,
    find_wrong_root,
)
from leadline.stuck.hangs_in_messages import (
    find_deadlock_cycle,
    find_missing_partner,
    find_missing_receive,
    find_missing_send,
    find_polls,
    find_standstill,
    find_wrong_communicator,
    find_wrong_tag,
)
from leadline.stuck.hangs_of_processes import (
    find_dead,
    find_elsewhere,
    find_endless_loop,
    find_exited_early,
    find_sleeps,
    find_stopped,
    find_waits_for_files,
    find_waits_for_input,
)
from leadline.stuck.job import Job


class Rule(NamedTuple):
    """A verdict's kind and what finds it.

    `always`: it holds even where a rank has moved. `last`: only where nothing else was found.
    """

    kind: str
    find: Callable[[Job], Iterable[Hang]]
    always: bool = False
    last: bool = False


RULES = (
    Rule("dead", find_dead, always=True),
    Rule("stopped", find_stopped, always=True),
    Rule("exited_early", find_exited_early, always=True),
    Rule("swapped_collectives", find_swapped_collectives),
    Rule("wrong_root", find_wrong_root),
    Rule("wrong_count", find_wrong_count),
    Rule("crossed_communicators", find_crossed_communicators),
    Rule("wrong_tag", find_wrong_tag),
    Rule("wrong_communicator", find_wrong_communicator),
    Rule("deadlock_cycle", find_deadlock_cycle),
    Rule("missing_receive", find_missing_receive),
    Rule("missing_send", find_missing_send),
    Rule("missing_partner", find_missing_partner),
    Rule("polls", find_polls),
    Rule("waits_for_input", find_waits_for_input),
    Rule("waits_for_files", find_waits_for_files),
    Rule("sleeps", find_sleeps),
    Rule("endless_loop", find_endless_loop),
    Rule("elsewhere", find_elsewhere),
    Rule("out_of_step", find_out_of_step, last=True),
    Rule("standstill", find_standstill, last=True),
    Rule("inside_library", find_inside_library, last=True),
)


def find_hangs(job: Job) -> tuple[tuple[Hang, ...], tuple[str, ...]]:
    """Return what each rule finds, in their order, and which rules failed, with the error."""
    found: list[Hang] = []
    failed: list[str] = []
    for rule in RULES:
        if (job.moved and not rule.always) or (rule.last and found):
            continue
        try:
            found += [msgspec.structs.replace(hang, kind=rule.kind) for hang in rule.find(job)]
        except Exception as error:
            failed.append(f"{rule.kind} ({type(error).__name__}: {error})")
    return tuple(found), tuple(failed)
