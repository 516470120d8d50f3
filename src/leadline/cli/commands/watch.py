"""`leadline watch`: a plan again and again, each run against those before it."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from leadline.cli.completion import complete_plans
from leadline.cli.options import (
    Shared,
    argument,
    check_writable,
    declared,
    option,
    print_json,
    write,
)
from leadline.core.errors import UserError
from leadline.core.units import count, parse_duration, parse_percent, times
from leadline.model.plan import Plan
from leadline.model.run import Run
from leadline.output.terminal.text import printable
from leadline.store.folder import RunFolder
from leadline.store.history import confirmations, on_the_same_nodes, runs_like

if TYPE_CHECKING:
    from leadline.analysis.compare.history import Dated
    from leadline.model.comparison import Comparison, Difference, Gate, Turn, Verdict
    from leadline.model.watched import WatchedNight


Known = tuple[RunFolder, Run]


class Asked(NamedTuple):
    """What the user wants to know, how it is printed, and where it is written for Prometheus."""

    within: float
    gates: tuple[Gate, ...]
    history: int
    confirm: bool
    as_json: bool
    summary: bool
    prometheus: Path | None = None
    plan: str = ""


def report_night(
    night: WatchedNight,
    past: Sequence[Dated],
    new: Dated,
    between: Sequence[Difference],
    asked: Asked,
) -> int:
    """Print what became of the figures, and return 1 where one is slower for sure or a gate holds.

    Without gates, figures are slower for sure only where somebody measured again, or where nights
    of another program say the same.
    """
    from leadline.analysis.compare.compare import failures
    from leadline.analysis.compare.history import watch
    from leadline.cli.show import ANSWER_FORMAT
    from leadline.exchange.exports.prometheus import night_text
    from leadline.output.terminal.comparison import print_comparison, print_failures, print_turns

    if asked.prometheus:
        text = night_text(night, asked.plan).encode()
        write(str(asked.prometheus), lambda stream: stream.write(text))
    answer = {"format": ANSWER_FORMAT, "run": new.name, "past": [each.name for each in past]}
    if not past or not new.points:
        begins = "first run of this plan here: three are needed before anything is called slower"
        reason = begins if new.points else "no answer: no figure was measured"
        if asked.as_json:
            print_json(answer | {"past": [], "night": night})
        else:
            click.echo(f"{printable(new.name)}: {reason}")
            if new.points and new.points[0].samples and not asked.summary:
                click.echo(f"   What it measured:\n     leadline show {printable(new.name)}")
        return 0 if new.points else _NOT_MEASURED
    comparison, turns = watch(past, new, asked.within)
    if any(each.said != "learning" for each in night.figures):
        comparison, turns = _with_verdicts(comparison, turns, night)
    failed = failures(comparison, asked.gates)
    if asked.as_json:
        found = {"night": night, "comparison": comparison, "turns": turns}
        print_json(answer | found | {"differences": between, "failures": failed})
    else:
        click.echo(printable(night.summary))
        if not asked.summary:
            _print_again(night)
            print_comparison(comparison, between, only_changed=True, option="--json")
            print_turns(turns)
    print_failures(failed, sys.stderr)
    alarm = bool(night.slower) and not asked.gates
    return 1 if failed or (alarm and (asked.confirm or not new.points[0].samples)) else 0


def _with_verdicts(
    comparison: Comparison, turns: Sequence[Turn], night: WatchedNight
) -> tuple[Comparison, tuple[Turn, ...]]:
    """Return the comparison with the verdicts of the nights: these know what was measured again."""
    said = {each.name: each.said for each in night.figures}
    figures = []
    for figure in comparison.figures:
        verdict: Verdict = figure.verdict
        match said.get(figure.name, "learning"):
            case "slower" | "faster" as sure:
                verdict = sure
            case "learning":
                pass
            case _ if verdict in ("slower", "faster"):
                verdict = "cannot tell"
        figures.append(msgspec.structs.replace(figure, verdict=verdict))
    changed = {each.name for each in figures if each.verdict in ("slower", "faster")}
    return (
        msgspec.structs.replace(comparison, figures=tuple(figures)),
        tuple(turn for turn in turns if turn.run or turn.figure in changed),
    )


def _print_again(night: WatchedNight) -> None:
    words = {"slower": "confirmed", "noise": "not confirmed (noise)", "open": "open"}
    for each in night.figures:
        if each.fresh_ratio is None or each.said not in words:
            continue
        line = (
            f"  {each.name}: {words[each.said]}: {times(each.ratio)} tonight, "
            f"{times(each.fresh_ratio)} in {count(each.fresh_launches, 'fresh launch')}"
        )
        if each.old_ratio is not None:
            line += f"; {times(each.old_ratio)} of {each.old_mpi}, measured in turn"
        click.echo(printable(line))
    if night.slow_launches:
        spells = count(night.slow_launches, "launch")
        click.echo(f"  {spells} met a slow spell of the whole machine: not counted")


_NOT_MEASURED, _INTERRUPTED = 2, 130


@declared()
def command(
    ctx: click.Context,
    plan: str | None = argument(required=False, shell_complete=complete_plans),
    every: str | None = option(
        "Repeat after this time (90s, 30m, 6h, 1d) until interrupted or --fail-if holds.",
        "DURATION",
    ),
    history: int = option(
        "Most earlier runs to compare the newest one with.", "N", type=click.IntRange(1), default=20
    ),
    confirm: bool = option(
        "Measure again at once what looks slower, until it is sure; fail where it is."
    ),
    budget: str | None = option(
        "Longest time to measure again, with --confirm  [default: 5m].", "DURATION"
    ),
    imports: tuple[str, ...] = option(
        "Instead of a plan: outputs of OSU, IMB, nccl-tests, such as 'osu-*.txt'; repeatable.",
        "--import FILES",
    ),
    summary: bool = option("Print one line only, for mail and chat."),
    same_within: str = Shared.same_within,
    fail_if: tuple[str, ...] = Shared.fail_if,
    anyway: bool = Shared.anyway,
    no_run: bool = option("Measure nothing: use the newest run."),
    as_json: bool = option("Print one JSON object a run.", "--json"),
    prometheus: Path | None = Shared.prometheus,
    runs: Path = Shared.runs,
) -> None:
    """Measure a plan and compare it with its own past.

    PLAN is a TOML file or the name of a plan that leadline ships. Its past are the earlier runs on
    this machine that were asked for the same, however they were started. Exit status: 0 nothing is
    slower for sure, 1 something is (with --confirm or --import), --fail-if holds or a part of the
    run failed, 2 bad input, or no figure was measured.
    """
    from leadline.analysis.compare.compare import parse_gate
    from leadline.measure.plan.plans import read_plan

    if summary and as_json:
        raise UserError("--summary is a line and --json an object: give one of the two")
    asked = Asked(
        within=parse_percent(same_within),
        gates=tuple(parse_gate(text) for text in fail_if),
        history=history,
        confirm=confirm,
        as_json=as_json,
        summary=summary,
        prometheus=prometheus,
        plan="import",
    )
    check_writable(prometheus)
    if imports:
        if plan or confirm or every or no_run or budget:
            raise UserError(
                "--import reads what was measured: leave out PLAN, --confirm, --budget, --every and"
                " --no-run"
            )
        ctx.exit(_watch_imported(imports, asked))
    if plan is None:
        raise UserError("watch needs a plan, or --import with the outputs of another program")
    if budget and not confirm:
        raise UserError("--budget is for measuring again: add --confirm, or leave it out")
    budget_s = float(parse_duration(budget or "5m"))
    waiting_s = budget_s if confirm else None
    pause = parse_duration(every) if every else None
    if pause and no_run:
        raise UserError("--every measures again and --no-run never: give one of the two")
    chosen = read_plan(plan)
    asked = asked._replace(plan=chosen.name)
    if confirm and chosen.batch:
        raise UserError(
            "--confirm measures again at once, a job is asked for once: start watch inside the job"
        )
    while True:
        began = time.monotonic()
        status, run, earlier = _newest(
            chosen, runs, history, waiting_s, measured=not no_run, anyway=anyway
        )
        # Nobody is there to answer in every round.
        anyway = True
        if message := run[1].outcome.message:
            click.echo(f"leadline: {run[1].run} is {run[1].outcome.state}: {message}", err=True)
        if status != _INTERRUPTED:
            status = max(status, _watch_run(chosen, run, earlier, runs, budget_s, asked))
        if status or pause is None:
            ctx.exit(status)
        time.sleep(max(0.0, pause - (time.monotonic() - began)))


def _newest(
    plan: Plan, runs: Path, history: int, budget_s: float | None, *, measured: bool, anyway: bool
) -> tuple[int, Known, list[Known]]:
    """Return the status of measuring, the newest run of the plan, and those before it."""
    from leadline.analysis.results.states import all_readings
    from leadline.analysis.stats.nightly import FEWEST_NIGHTS
    from leadline.cli.measure import measure_quietly, status_of

    host = "" if plan.batch else platform.node()
    earlier = list(runs_like(plan, host, runs))
    status = 0
    if measured:
        before = [all_readings(launch) for _, run in earlier[-history:] for launch in run.launches]
        found = measure_quietly(plan, runs, anyway=anyway, before=before, budget_s=budget_s)
        assert found.folder
        status, newest = status_of(found.run), (found.folder, found.run)
    elif earlier:
        *earlier, newest = earlier
    else:
        raise UserError(
            f"there is no run of plan {plan.name!r} on {host} in {runs}: leave out --no-run"
        )
    return status, newest, on_the_same_nodes(newest[1], earlier, FEWEST_NIGHTS)[-history:]


def _watch_run(
    plan: Plan,
    newest: Known,
    earlier: Sequence[Known],
    runs: Path,
    budget_s: float,
    asked: Asked,
) -> int:
    from leadline.analysis.compare.differences import differences
    from leadline.library.confirming import earlier_software, measure_again
    from leadline.library.nights import figures_of, follow_runs, watched_night
    from leadline.output.terminal.progress import progress_for

    new = figures_of(newest)
    known = [(each, figures_of(each)) for each in earlier]
    past: list[tuple[Known, Dated]] = [(one, figures) for one, figures in known if figures.points]
    names = [new.name, *(figures.name for _, figures in past)]
    again = confirmations(names, runs)
    dated = [figures for _, figures in past]
    found = follow_runs(dated, new, again, asked.history, at_once=not asked.confirm)
    if asked.confirm and found.verdict.suspects and new.name not in again:
        fresh = measure_again(
            plan,
            newest[1],
            found,
            budget_s,
            runs,
            progress_for(sys.stderr),
            earlier_software(newest[1], [one[1] for one, _ in past]),
        )
        if fresh:
            again[new.name] = fresh
            found = follow_runs(dated, new, again, asked.history, at_once=False)
    night = watched_night(found, again.get(new.name), confirmable=asked.confirm)
    between = differences(past[-1][0][1], newest[1]) if past else ()
    return report_night(night, dated, new, between, asked)


def _watch_imported(patterns: Sequence[str], asked: Asked) -> int:
    from leadline.library.nights import follow_runs, imported_nights, watched_night

    nights, remarks = imported_nights(patterns)
    for remark in remarks:
        click.echo(f"leadline: {remark}", err=True)
    *past, new = nights
    past = past[-asked.history :]
    found = follow_runs(past, new, {}, asked.history, at_once=False)
    night = watched_night(found, None, confirmable=False)
    status = report_night(night, past, new, (), asked)
    click.echo(
        "leadline: outputs of other programs cannot be measured again: what looks slower in one"
        " night is an alarm when the next one says the same",
        err=True,
    )
    return status
