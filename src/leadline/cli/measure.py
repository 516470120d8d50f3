"""What `run` and `survey` share: a plan measured, shown, and written where it was asked for."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leadline.measure.run.preparation import Prepared, prepare
from leadline.model.plan import Plan
from leadline.model.question import Question
from leadline.model.run import Run

if TYPE_CHECKING:
    from leadline.model.progress import Observer
    from leadline.store.folder import RunFolder

_STATUS = {"complete": 0, "interrupted": 130}
_BAD_INPUT = 2


def measure(
    plan: Plan,
    runs: Path,
    *,
    as_json: bool,
    html: Path | None,
    dry_run: bool,
    doctor: list[dict[str, Any]] | None = None,
    question: Question | None = None,
) -> int:
    """Carry out the plan, print what it found, and return the exit status."""
    from leadline.cli.output import check_writable
    from leadline.output.terminal.progress import progress_for

    check_writable(html)
    observer = progress_for(sys.stderr)
    prepared = prepare(plan, observer.doing)
    if dry_run:
        _print_launches(prepared, runs)
        return 0
    folder, run = _carried_out(prepared, runs, observer, doctor)

    from leadline.cli.show import show
    from leadline.exchange.subject import Subject
    from leadline.store.samples import StoredSamples

    found = Subject(run, StoredSamples(folder), folder)
    show(found, as_json=as_json, html=html, question=question)
    return status(run)


def carry_out(plan: Plan, runs: Path) -> tuple[RunFolder, Run]:
    """Carry out the plan, say how far it is on standard error, and return what came of it."""
    from leadline.output.terminal.progress import progress_for

    observer = progress_for(sys.stderr)
    return _carried_out(prepare(plan, observer.doing), runs, observer)


def _carried_out(
    prepared: Prepared, runs: Path, observer: Observer, doctor: list[dict[str, Any]] | None = None
) -> tuple[RunFolder, Run]:
    from leadline.measure.run.run import execute
    from leadline.store.folder import RunFolder

    folder = RunFolder.create(runs, prepared.plan.name)
    return folder, execute(prepared, folder, observer, doctor or [])


def status(run: Run) -> int:
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
        folder = runs / "RUN" / "launches" / f"{launch.plan.launch:03d}"
        start = launch.start_in(folder)
        variables = [f"{name}={shlex.quote(text)}" for name, text in start.environment.items()]
        click.echo(" ".join([*variables, shlex.join(start.argv)]))
        for name, text in start.files.items():
            click.echo(f"# {folder / name}:")
            click.echo("".join(f"#   {line}\n" for line in text.splitlines()), nl=False)


def _print_script(prepared: Prepared, runs: Path) -> None:
    from leadline.measure.run.batch import script_of
    from leadline.measure.run.runner import describe_launch
    from leadline.store.folder import RunFolder

    folder = RunFolder(runs / "RUN")
    launches = [describe_launch(each, folder, batch=True) for each in prepared.launches]
    click.echo(script_of(prepared, launches, folder), nl=False)
