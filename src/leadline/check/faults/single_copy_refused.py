"""Large messages inside a host that are copied twice, because copying once is refused or off."""

import os
import re
from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation
from leadline.check.settings import copying_twice

GRAVITY = 30
# What Open MPI and UCX write when the kernel refuses.
_WORDS = re.compile(
    r"Read -1, expected \d+, errno = \d+|restrictive ptrace settings|CMA support is not available"
    r"|process_vm_readv failed|process_vm_readv\([^)]*\)[^\n]*not permitted",
    re.IGNORECASE,
)
_FILTERED = 2


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell who refuses: a setting, yama, a container's filter."""
    said = _WORDS.search(seen.output)
    if not said and (len(seen.ranks) < 2 or seen.apart):
        return
    ranks = tuple(rank.rank for rank in seen.ranks)
    consequence = "large messages between ranks of this host are copied twice."
    settings = copying_twice(seen.ranks[0].environment) if seen.ranks else {}
    error, scope = seen.machine.reading_error, seen.machine.ptrace_scope
    if scope == 1 and not said:
        # Libraries ask for leave then (PR_SET_PTRACER of prctl(2)), which this try does not.
        error = 0
    if settings and not error:
        names = " and ".join(settings)
        yield Fault(
            ranks=ranks,
            text=f"{names} forbids single copies: {consequence}",
            evidence=tuple(f"{name}={value}" for name, value in settings.items()),
            fix=command.without_variables(settings),
        )
        return
    filtered = any(rank.seccomp == _FILTERED for rank in seen.ranks)
    words = (f'the program wrote "{said[0]}"',) if said else ()
    if "MPIDI_CMA" in seen.output:
        # MPICH 5 does not fall back: it aborts.
        yield Fault(
            ranks=ranks,
            text="The kernel refuses single copies, and MPICH aborts at the first large message.",
            evidence=words,
            fix=command.with_variable("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
        )
        return
    if scope and (error or said):
        yield Fault(
            ranks=ranks,
            text=f"yama refuses single copies: {consequence}",
            evidence=(f"kernel.yama.ptrace_scope is {scope}", *words),
            fix="sudo sysctl kernel.yama.ptrace_scope=0",
        )
    elif error or said or (filtered and seen.machine.seccomp != _FILTERED):
        shown = (f"process_vm_readv fails: {os.strerror(error)}",) if error else ()
        sure = "refuses" if error or said else "is likely to refuse"
        yield Fault(
            ranks=ranks,
            text=f"{'A seccomp filter' if filtered else 'The kernel'} {sure} single copies: "
            f"{consequence}",
            evidence=(*shown, *words, *(("the ranks run under a seccomp filter",) * filtered)),
            fix="Start the container with --cap-add=SYS_PTRACE, or with another seccomp profile.",
        )
