"""What may be wrong with a launch: the rules, which are functions, and the table of them."""

import re
from collections.abc import Callable, Iterable

import msgspec

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.faults import cores, kernel, library, messages
from leadline.check.observation import Observation

_SUDO = re.compile(r"(^|\| )sudo ")

# A fault's kind is the name of its rule; the gravest come first.
RULES: tuple[Callable[[Observation, Command], Iterable[Fault]], ...] = (
    library.library_not_loaded,
    library.wrong_launcher,
    library.libraries_differ,
    kernel.cpu_quota,
    cores.cores_shared,
    cores.threads_pinned_together,
    cores.threads_squeezed,
    cores.oversubscribed,
    messages.network_unused,
    messages.namespaces_apart,
    messages.shared_memory_read_only,
    messages.shared_memory_small,
    messages.tcp_inside_node,
    kernel.swapped,
    kernel.low_priority,
    cores.hardware_threads_shared,
    kernel.traced,
    messages.single_copy_refused,
    kernel.memory_far,
    messages.memory_lock,
    messages.collectives_forced,
    kernel.other_programs,
    cores.yields_for_nothing,
)


def find_faults(
    seen: Observation, rules: Iterable[Callable[[Observation, Command], Iterable[Fault]]] = RULES
) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """Return the faults by each rule, the gravest first, and the rules that failed.

    A rule that fails over what some kernel shows must end neither the other rules nor the user's
    program: it is named with its error.
    """
    command = Command.of(seen)
    faults: list[Fault] = []
    failed: list[str] = []
    for rule in rules:
        kind = rule.__name__
        try:
            for fault in rule(seen, command):
                # Who is root may not have it, as in a container.
                fix = _SUDO.sub(r"\1", fault.fix) if seen.machine.is_root else fault.fix
                faults.append(msgspec.structs.replace(fault, kind=kind, fix=fix))
        except Exception as error:
            failed.append(f"{kind} ({type(error).__name__}: {error})")
    return tuple(faults), tuple(failed)
