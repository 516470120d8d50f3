"""What `run` and `survey` share: a plan measured, shown, and written where it was asked for."""

from __future__ import annotations

import importlib
import math
import shlex
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from leadline.cli.benchmark_command import is_benchmark
from leadline.cli.options import check_writable
from leadline.cli.plan_options import RunOptions
from leadline.core.errors import UserError
from leadline.core.units import count, parse_duration, parse_percent
from leadline.model.plan import Plan
from leadline.model.progress import Observer
from leadline.model.question import Question
from leadline.model.run import Run
from leadline.output.terminal.progress import progress_for

if TYPE_CHECKING:
    from leadline.library.runs import OpenRun
    from leadline.measure.run.preparation import Prepared, PreparedLaunch
    from leadline.measure.run.run import More
    from leadline.model.summary import LaunchReadings

_STATUS = {"complete": 0, "interrupted": 130}
_BAD_INPUT = 2
# A run that may take longer is announced.
_LONG_S = 600.0
# What a point takes to simulate at most, over the square of its processes: 100 s on 1024. A better
# estimate cannot be made: it depends on the messages that the library will send.
_SIMULATED_S = 100.0 / 1024**2
# What a run and its answer load, some only when they use it.
_LOADED = ("duckdb", "leadline.analysis.findings.conclude", "leadline.measure.run.run", "numpy.ma")
_SHORTEN = "--quick, --launches or --time-limit shorten it"


def measure(
    plan: Plan,
    options: RunOptions,
    *,
    checks: bool = False,
    question: Question | None = None,
) -> int:
    """Measure the plan, print what was found, and return the exit status.

    With `checks` the machine is examined before. It is looked at while all is prepared.
    """
    from leadline.cli.preflight import Look

    check_writable(options.html)
    if options.until_sure is not None and "budget" not in options.plan:
        plan = msgspec.structs.replace(plan, budget_s=None)
    # A batch job runs elsewhere.
    look = Look(checks=checks and not (options.dry_run or plan.batch))
    from leadline.measure.run.preparation import prepare

    observer = progress_for(sys.stderr)
    more = _more(plan, options, observer)
    prepared = prepare(plan, observer.doing)
    if options.dry_run:
        _print_launches(prepared, options.runs)
        return 0
    # What a dry run needs not is imported after it, while the machine is looked at.
    for module in _LOADED:
        importlib.import_module(module)
    from leadline.cli.show import show
    from leadline.exchange.subject import Subject
    from leadline.library.runs import run_prepared

    _check_addresses(plan)
    look.check_prepared(prepared, observer, anyway=options.anyway)
    _announce_length(prepared, anyway=options.anyway)
    found = run_prepared(prepared, options.runs, observer, look.results(), more)
    if not (options.as_json or options.html) and _is_empty(found.run):
        found.keep_grade()
        why = found.run.outcome.message
        click.echo(f"leadline: nothing was measured: {why}{_silent(plan, why)}", err=True)
        return status_of(found.run)
    subject = Subject(found.run, found.source, found.folder)
    show(subject, as_json=options.as_json, html=options.html, question=question)
    if found.run.outcome.state == "interrupted" and found.folder:
        click.echo(f"leadline: {_kept(found.run)}", err=True)
    return status_of(found.run)


def _is_empty(run: Run) -> bool:
    return run.outcome.state in ("failed", "timed out") and not any(
        launch.points or launch.skipped for launch in run.launches
    )


def _check_addresses(plan: Plan) -> None:
    """Raise `UserError` for hosts without an address: MPICH 4 waits for them for ever."""
    if not plan.hosts or plan.batch or plan.platform:
        return
    from leadline.measure.launch.hosts import silent_hosts
    from leadline.measure.plan.checks import hosts_of

    hosts = hosts_of(plan)
    # A remote shell may know names that the system does not.
    unknown = tuple(name for name in hosts.names if not _has_address(name))
    silent = silent_hosts(msgspec.structs.replace(hosts, names=unknown)) if unknown else {}
    if silent:
        why = next(filter(None, silent.values()), "they have no address: check --hosts")
        raise UserError(f"no answer from {', '.join(silent)}: {why}")


def _has_address(name: str) -> bool:
    try:
        socket.getaddrinfo(name.rpartition("@")[2], None)
    except (OSError, UnicodeError):
        return False
    return True


def _silent(plan: Plan, said: str) -> str:
    """Say which of the hosts that the user named do not answer, and why unless it was `said`."""
    if not plan.hosts or plan.batch or plan.platform:
        return ""
    from leadline.measure.launch.hosts import asking, silent_hosts
    from leadline.measure.plan.checks import hosts_of

    hosts = hosts_of(plan)
    silent = silent_hosts(hosts)
    if not silent:
        return ""
    way = Path(asking(hosts)(hosts.names[0])[0]).name
    why = next((f" ({why})" for why in silent.values() if why and why not in said), "")
    return f"; no answer by {way} from {', '.join(silent)}{why}"


def _kept(run: Run) -> str:
    there = len({result.point for launch in run.launches for result in launch.points})
    return (
        f"interrupted in launch {len(run.launches)}: {there} of {count(len(run.points), 'point')} "
        f"measured and kept: `leadline show {run.run}`"
    )


def _announce_length(prepared: Prepared, *, anyway: bool) -> None:
    """Say how long a run may take where that is long; on a terminal, ask whether to start it.

    Raises `UserError` where the answer is no.
    """
    said = "" if prepared.plan.batch else _length(prepared)
    if not said:
        return
    click.echo(f"leadline: {said}: {_SHORTEN}", err=True)
    asked = not anyway and sys.stdin.isatty() and sys.stderr.isatty()
    if asked and not click.confirm("Start?", default=True, err=True):
        raise UserError("nothing is measured")


def _length(prepared: Prepared) -> str:
    """Return how long the run may take; nothing where that is not long."""
    plan = prepared.plan
    points = sum(len(each.points) for each in prepared.launches)
    if plan.platform:
        longest_s = sum(map(_simulation_s, prepared.launches)) * plan.stopping.minimum
        most = max(each.job.placement.processes for each in prepared.launches)
        said = f"{points} simulations of up to {most} processes may take over ten minutes"
    else:
        # A point takes its `seconds` at most; most need less, being precise enough before.
        ends_s = (plan.time_limit_s or math.inf, plan.budget_s or math.inf)
        longest_s = min(points * plan.stopping.seconds, *ends_s)
        said = f"{points} measurements take up to {_long(longest_s)}"
    return said if min(longest_s, plan.time_limit_s or math.inf) > _LONG_S else ""


def _simulation_s(launch: PreparedLaunch) -> float:
    return len(launch.points) * _SIMULATED_S * launch.job.placement.processes**2


def _long(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _more(plan: Plan, options: RunOptions, observer: Observer) -> More | None:
    """Return what asks for launches beyond the plan, where anything does.

    Raises `UserError` where it cannot be done.
    """
    if options.until_sure is None:
        if options.same_within or options.interval:
            raise UserError(
                "--same-within and --interval say what is sure: add --until-sure 5m, or leave them "
                "out"
            )
        more = spells_again(plan, observer)
        # Who says how many launches, as plans and questions do, gets as many.
        said = "launches" in options.plan or not options.what
        if more is None or said or not all(map(is_benchmark, options.what)):
            return more
        from leadline.library.until_sure import SixIfCheap

        return SixIfCheap(more)
    from leadline.library.until_sure import UntilSure

    budget_s = parse_duration(options.until_sure)
    same_within = parse_percent(options.same_within or "5%")
    widest = parse_percent(options.interval) if options.interval else None
    if plan.batch:
        raise UserError(
            "--until-sure looks between launches, a job is asked for once: leave it out"
        )
    if plan.launches < 2:
        raise UserError(
            "--until-sure needs --launches 2 or more: one does not show how they scatter"
        )
    return UntilSure(budget_s, same_within, widest, observer)


def spells_again(
    plan: Plan,
    observer: Observer,
    before: Sequence[LaunchReadings] = (),
    budget_s: float | None = None,
) -> More | None:
    """Return what asks again for points that met the machine in a slow state, where it can.

    `before` are the readings of earlier runs of the plan; it may take `budget_s`, or half the time
    of the run where that is None.
    """
    if plan.batch or plan.platform:
        return None
    from leadline.library.until_sure import SpellsAgain

    limit_s = min(plan.time_limit_s or math.inf, plan.budget_s or math.inf)
    return SpellsAgain(observer, limit_s, before=before, budget_s=budget_s)


def measure_quietly(
    plan: Plan,
    runs: Path,
    *,
    anyway: bool,
    before: Sequence[LaunchReadings] = (),
    budget_s: float | None = None,
) -> OpenRun:
    """Measure the plan whole, and say on standard error only how far it is.

    `before` and `budget_s` are those of `spells_again`.
    """
    from leadline.cli.preflight import Look
    from leadline.library.runs import run_prepared
    from leadline.measure.run.preparation import prepare

    observer = progress_for(sys.stderr)
    look = Look()
    plan = msgspec.structs.replace(plan, budget_s=None)
    prepared = prepare(plan, observer.doing)
    look.check_prepared(prepared, observer, anyway=anyway)
    more = spells_again(plan, observer, before, budget_s)
    found = run_prepared(prepared, runs, observer, (), more)
    found.keep_grade()
    return found


def status_of(run: Run) -> int:
    """Return the exit status: a run that delivered a wrong byte has failed, however complete.

    Answers that fail a trial are results: which do is what such a benchmark is for.

    One that could measure none of its points here was asked for something wrong.
    """
    if run.launches and all(launch.skipped and not launch.points for launch in run.launches):
        return _BAD_INPUT
    points = (point for launch in run.launches for point in launch.points)
    wrong = any(not point.verified and not point.failed_trials for point in points)
    return 1 if wrong and run.outcome.state == "complete" else _STATUS.get(run.outcome.state, 1)


def _print_launches(prepared: Prepared, runs: Path) -> None:
    if prepared.plan.batch:
        _print_script(prepared, runs)
        return
    for launch in prepared.launches:
        folder = runs / "RUN" / "launches" / f"{launch.launch:03d}"
        start = launch.start_in(folder)
        variables = [f"{name}={shlex.quote(text)}" for name, text in start.environment.items()]
        click.echo(" ".join([*variables, shlex.join(start.argv)]))
        for name, text in start.files.items():
            click.echo(f"# {folder / name}:")
            click.echo("".join(f"#   {line}\n" for line in text.splitlines()), nl=False)


def _print_script(prepared: Prepared, runs: Path) -> None:
    from leadline.measure.run.batch import script_of
    from leadline.measure.run.preparation import describe_launches
    from leadline.store.folder import RunFolder

    folder = RunFolder(runs / "RUN")
    launches = describe_launches(prepared, prepared.launches, folder)
    click.echo(script_of(prepared, launches, folder), nl=False)
