"""What is known of this machine before it is measured: whether it is quiet, and all checks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.processes import own_cores
from leadline.model.placement import Placement
from leadline.model.plan import Plan
from leadline.model.progress import Observer
from leadline.site.interference.preflight import BusyLook
from leadline.site.schedulers.vcluster.allocation import find_cluster
from leadline.site.vcluster.namespaces import mark

if TYPE_CHECKING:
    from leadline.measure.run.preparation import Prepared
    from leadline.site.doctor import System
    from leadline.site.interference.preflight import OtherProgram

_MOST_NAMED = 3
# What was seen longer ago says nothing of now: meanwhile something was built.
_STALE_S = 2.0


class Look:
    """A look at this machine while a run is prepared, with `checks` at all the doctor checks."""

    def __init__(self, *, checks: bool = False) -> None:
        self._checks = checks
        self._begin()

    def _begin(self) -> None:
        self._began = time.monotonic()
        self.busy = BusyLook()
        self._system: System | None = None
        if self._checks:
            from leadline.site.doctor import System

            self._system = System()
            _ = self._system.look

    def check_prepared(self, prepared: Prepared, observer: Observer, *, anyway: bool) -> None:
        """Check this machine for a run; ranks that only pretend to communicate need no cores.

        Raises `UserError` as `check_machine` does.
        """
        if time.monotonic() - self._began > _STALE_S:
            self._begin()
        real = [each.job.placement for each in prepared.launches if each.job.api != "fake"]
        check_machine(prepared.plan, real, observer, anyway=anyway, busy=self.busy)

    def results(self) -> list[dict[str, Any]]:
        """Return what the checks find, as `run.json` holds it."""
        if self._system is None:
            return []
        from leadline.site.doctor import as_json, examine

        return as_json(examine(self._system))


def check_machine(
    plan: Plan,
    placements: Iterable[Placement],
    observer: Observer,
    *,
    anyway: bool,
    busy: BusyLook | None = None,
) -> None:
    """Say whether the machine is quiet; ask on a terminal where others leave too few cores.

    Says nothing where the ranks run elsewhere or are simulated. `busy` is a look that has begun.
    Raises `UserError` where the user would rather not measure.
    """
    lab = find_cluster(plan.hosts)
    elsewhere = plan.batch or plan.platform or (plan.hosts and lab is None)
    needed = max((each.processes for each in placements), default=0)
    if elsewhere or not needed:
        return
    programs = (busy or BusyLook()).end(mark(paths.lab(lab)) if lab is not None else "")
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
