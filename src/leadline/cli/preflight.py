"""One line before measuring: the machine is quiet, or who is busy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.processes import own_cores
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.progress import Observer
from leadline.site.interference.preflight import busy_programs
from leadline.site.schedulers.vcluster.allocation import find_cluster
from leadline.site.vcluster.namespaces import mark

if TYPE_CHECKING:
    from leadline.measure.run.preparation import Prepared
    from leadline.site.interference.preflight import OtherProgram

_MOST_NAMED = 3


def check_prepared(prepared: Prepared, observer: Observer, *, anyway: bool) -> None:
    """Check this machine for a run; ranks that only pretend to communicate need no cores."""
    real = [each.job.placement for each in prepared.launches if each.job.api != "fake"]
    check_machine(prepared.plan, real, observer, anyway=anyway)


def check_machine(
    plan: Plan, placements: Iterable[Placement], observer: Observer, *, anyway: bool
) -> None:
    """Say whether the machine is quiet; ask on a terminal where others leave too few cores.

    Says nothing where the ranks run elsewhere or are simulated. Raises `UserError` where the user
    would rather not measure.
    """
    lab = find_cluster(plan.hosts)
    elsewhere = plan.batch or plan.platform or (plan.hosts and lab is None)
    needed = max((each.processes for each in placements), default=0)
    if elsewhere or not needed:
        return
    programs = busy_programs(mark(paths.lab(lab)) if lab is not None else "")
    if not programs:
        observer.doing("machine quiet")
        return
    line = busy_line(programs)
    cores = len(own_cores())
    if not is_hopeless(programs, cores, needed):
        observer.doing(line)
        return
    observer.warn(f"{line}: figures will be those of a shared machine")
    if not anyway and not _confirm():
        cause = "that program" if len(programs) == 1 else "these programs"
        raise UserError(f"nothing is measured: end {cause}, or add --anyway")


def is_hopeless(programs: Sequence[OtherProgram], cores: int, processes: int) -> bool:
    """Tell whether the programs leave less than half of the cores that the ranks need."""
    needed = min(processes, cores)
    return cores - sum(program.cores for program in programs) < needed / 2


def busy_line(programs: Sequence[OtherProgram]) -> str:
    """Return who uses how much of the machine.

    >>> from leadline.site.interference.preflight import OtherProgram
    >>> busy_line([OtherProgram("cc1plus", 4111, "anna", 0.99)])
    'machine busy: cc1plus (pid 4111, anna) uses 99 % of a core'
    """
    named = [
        f"{each.command} (pid {each.pid}, {each.user}) uses {each.cores:.0%}".replace("%", " %")
        for each in programs[:_MOST_NAMED]
    ]
    more = len(programs) - len(named)
    rest = f", and {more} more" if more else ""
    return f"machine busy: {named[0]} of a core{''.join(f', {each}' for each in named[1:])}{rest}"


def _confirm(ask: Callable[..., bool] = click.confirm) -> bool:
    """Ask whether to go on where somebody can answer; nobody else is kept waiting."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    return ask("Measure anyway?", default=False, err=True)
