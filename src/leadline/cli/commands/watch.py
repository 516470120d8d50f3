"""`leadline watch`: a plan again and again, each run against those before it."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.completion import complete_plans
from leadline.cli.options import anyway_option, fail_if_option, runs_option, same_within_option
from leadline.core.errors import UserError

if TYPE_CHECKING:
    from leadline.analysis.compare.history import Dated
    from leadline.model.comparison import Gate
    from leadline.model.plan import Plan
    from leadline.model.run import Run
    from leadline.store.folder import RunFolder

    Known = tuple[RunFolder, Run]

_INTERRUPTED = 130

HEADING = ("Measure", 5)


@click.command()
@click.argument("plan", shell_complete=complete_plans)
@click.option(
    "--every",
    metavar="DURATION",
    help="Repeat after this time (90s, 30m, 6h, 1d) until interrupted or --fail-if holds.",
)
@click.option(
    "--history",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Most earlier runs to compare the newest one with.",
)
@same_within_option
@fail_if_option
@anyway_option
@click.option("--no-run", is_flag=True, help="Measure nothing: use the newest run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a run.")
@runs_option
@click.pass_context
def command(
    ctx: click.Context,
    plan: str,
    every: str | None,
    history: int,
    same_within: str,
    fail_if: tuple[str, ...],
    anyway: bool,
    no_run: bool,
    as_json: bool,
    runs: Path,
) -> None:
    """Measure a plan and compare it with its own past.

    PLAN is a TOML file or the name of a plan that leadline ships. Its past are the earlier runs on
    this machine that were asked for the same, however they were started.
    """
    from leadline.analysis.compare.gates import parse_gate
    from leadline.core.units import parse_duration, parse_percent
    from leadline.measure.plan.plans import read_plan

    gates = [parse_gate(text) for text in fail_if]
    within = parse_percent(same_within)
    pause = parse_duration(every) if every else None
    if pause and no_run:
        raise UserError("--every measures again and --no-run never: give one of the two")
    asked = read_plan(plan)
    while True:
        began = time.monotonic()
        status, run, earlier = _newest(asked, runs, history, measured=not no_run, anyway=anyway)
        # Nobody is there to answer in every round.
        anyway = True
        if message := run[1].outcome.message:
            click.echo(f"leadline: {run[1].run} is {run[1].outcome.state}: {message}", err=True)
        if status != _INTERRUPTED:
            status = max(status, _report(run, earlier, within, gates, as_json))
        if status or pause is None:
            ctx.exit(status)
        time.sleep(max(0.0, pause - (time.monotonic() - began)))


def _newest(
    plan: Plan, runs: Path, history: int, *, measured: bool, anyway: bool
) -> tuple[int, Known, list[Known]]:
    """Return the status of measuring, the newest run of the plan, and those before it."""
    from leadline.cli.measure import measure_quietly, status_of
    from leadline.store.history import runs_like

    host = "" if plan.batch else platform.node()
    earlier = list(runs_like(plan, host, runs))
    if measured:
        found = measure_quietly(plan, runs, anyway=anyway)
        assert found.folder
        return status_of(found.run), (found.folder, found.run), earlier[-history:]
    if not earlier:
        raise UserError(
            f"there is no run of plan {plan.name!r} on {host} in {runs}: leave out --no-run"
        )
    return 0, earlier[-1], earlier[:-1][-history:]


def _report(
    newest: Known, earlier: Sequence[Known], within: float, gates: Sequence[Gate], as_json: bool
) -> int:
    """Print what became of the figures, and return 1 where a gate holds."""
    import msgspec

    from leadline.analysis.compare.differences import differences
    from leadline.analysis.compare.gates import failures
    from leadline.analysis.compare.history import watch
    from leadline.cli.answer import ANSWER_FORMAT
    from leadline.output.terminal.comparison import print_comparison, print_failures, print_turns

    new = _figures(newest)
    dated = [(known[1], _figures(known)) for known in earlier]
    past = [(run, figures) for run, figures in dated if figures.points]
    if not past or not new.points:
        said = "no figures" if past else "history begins: no earlier run was asked for the same"
        if as_json:
            click.echo(msgspec.json.encode({"format": ANSWER_FORMAT, "run": new.name, "past": []}))
        else:
            click.echo(f"{new.name}: {said}")
        return 0
    found = watch([figures for _, figures in past], new, within)
    between = differences(past[-1][0], newest[1])
    failed = failures(found.comparison, gates)
    if as_json:
        whole = {
            "format": ANSWER_FORMAT,
            "run": new.name,
            "past": [figures.name for _, figures in past],
            "comparison": found.comparison,
            "turns": found.turns,
            "differences": between,
            "failures": failed,
        }
        click.echo(msgspec.json.encode(whole))
    else:
        print_comparison(found.comparison, between, only_changed=True)
        print_turns(found.turns)
    print_failures(failed, sys.stderr)
    return 1 if failed else 0


def _figures(known: Known) -> Dated:
    from leadline.analysis.compare.history import Dated
    from leadline.analysis.results.summary import summarise
    from leadline.store.samples import StoredSamples

    folder, run = known
    return Dated(run.run, summarise(run, StoredSamples(folder)))
