"""A run for people: its summary, or the answer to a question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TextIO

from rich.console import Console
from rich.text import Text

from leadline.analysis.results.rates import Race, races
from leadline.analysis.verdict import verdict_of
from leadline.core.errors import UserError
from leadline.core.units import count, format_seconds
from leadline.model.question import Question
from leadline.model.run import Run
from leadline.model.summary import Analysis, Finding, PointSummary
from leadline.output.run_tables import missing_table, published_tables
from leadline.output.terminal.figures import groups, print_group
from leadline.output.terminal.findings import (
    print_by_topic,
    print_cure,
    print_finding,
    print_item,
    wrapped,
)
from leadline.output.terminal.table import Drawn, draw, lines
from leadline.output.terminal.tables import TABLE_NAMES, run_table
from leadline.output.terminal.tables.kernels import sheet
from leadline.output.terminal.text import console_for, printable
from leadline.output.terminal.verdict import after, print_lines, print_trust, print_verdict

# Of ways to compute the same, so many at so many sizes; all of them are a table of their own.
_WAYS_OF_A_RACE, _SIZES_OF_A_RACE = 16, 4
# More curves than these are left to `--full`: the headlines have their figures.
_FEW_CURVES = 3


def print_summary(
    run: Run, analysis: Analysis, file: TextIO | None = None, *, full: bool = False
) -> None:
    """Print the verdict on `file` (default: stdout), and below it the figures of few curves.

    With `full` all figures and all findings. At most 100 columns wide; in colour only on a
    terminal, and not where NO_COLOR is set.
    """
    console = console_for(file)
    beginning = head(run, analysis, console.width)
    print_lines(console, beginning)
    verdict = verdict_of(run, analysis)
    ending = after(run, verdict, len(analysis.findings), console.width)
    missing = _missing(analysis, console.width)
    taken = len(beginning) + len(missing) + len(ending)
    print_verdict(console, verdict, taken=taken, full=full, again=run.imported is None)
    print_lines(console, missing)
    _print_sheets(console, run, analysis)
    raced = races(run, analysis.points)
    own = {index for race in raced for way in race.ways.values() for index in way.values()}
    curves = groups([each for at, each in enumerate(analysis.points) if at not in own])
    for points in curves if full or len(curves) <= _FEW_CURVES else ():
        print_group(console, points, analysis.sweeps, full=full)
    for race in raced:
        _print_race(console, run, race, analysis.points)
    if full:
        print_by_topic(console, analysis.findings)
    elif analysis.findings or analysis.points:
        print_lines(console, ending)


def _print_sheets(console: Console, run: Run, analysis: Analysis) -> None:
    for there, table in (
        (analysis.replayed, "program"),
        (analysis.published, "published"),
        (analysis.impacts, "impact"),
    ):
        if there:
            console.print()
            for line in lines(run_table(table, run, analysis)):
                console.print(line, markup=False, soft_wrap=True)
    for facts in published_tables(run.imported) if run.imported else ():
        console.print()
        console.print(Text(printable(facts.caption), style="bold"))
        console.print(Drawn(facts._replace(caption=""), ruled=False))


def head(run: Run, analysis: Analysis, width: int) -> list[Text]:
    """Return the lines that say where and when the run measured, its name, and how it ended."""
    said = [
        (f"{_where(run)}: {_what(run, analysis)}", "bold"),
        (f"{run.run} · {_when(run)}", "dim"),
    ]
    if run.outcome.state != "complete":
        why = f": {run.outcome.message}" if run.outcome.message else ""
        said.append((f"The run is {run.outcome.state}{why}", "red"))
    elif run.outcome.message:
        said.append((run.outcome.message, "dim"))
    if clocks := _clocks_of_nodes(run):
        said.append((clocks, "dim"))
    return [Text(line, style) for text, style in said for line in wrapped(text, width)]


def _where(run: Run) -> str:
    if run.imported:
        return f"from {run.imported.program or 'tables'}"
    if run.platform:
        return f"simulated {run.platform.name}"
    machine = run.machine
    cores = machine.get("cores")
    facts = [
        machine.get("cpu_model"),
        count(cores, "core") if isinstance(cores, int) else None,
        machine.get("hypervisor"),
    ]
    known = ", ".join(str(fact) for fact in facts if fact)
    return f"{machine.get('host', 'this machine')}" + (f" ({known})" if known else "")


def _what(run: Run, analysis: Analysis) -> str:
    where = dict.fromkeys((p.nodes, p.processes_per_node) for p in analysis.points)
    places = [
        f"{count(nodes, 'node')} x {count(processes, 'process')}" for nodes, processes in where
    ]
    if len(places) > _FEW_CURVES:
        places = [f"{len(places)} placements"]
    launches = [] if run.imported else [count(len(run.launches), "launch")]
    return ", ".join([*places, *launches]) or "no figures"


def _when(run: Run) -> str:
    try:
        started = datetime.fromisoformat(run.started)
        ended = datetime.fromisoformat(run.ended) if run.ended and not run.imported else None
    except ValueError:
        return run.started
    took = f", {(ended - started).total_seconds():.0f} s" if ended else ""
    # When nobody says when a file's figures were measured, the day of its import is not that day.
    how = "imported " if run.imported and not run.imported.when else ""
    return f"{how}{started:%Y-%m-%d %H:%M}{took}"


def _clocks_of_nodes(run: Run) -> str:
    """Return how well nodes know each other's clocks, the worst of all launches, or nothing.

    A simulator has one clock.
    """
    clocks = [each.clock for each in run.launches if each.clock and not each.clock.shared]
    if not clocks or run.platform:
        return ""
    bound = format_seconds(max(clock.sync_error_s for clock in clocks))
    tested = [
        clock.sync_tested_error_s for clock in clocks if clock.sync_tested_error_s is not None
    ]
    known = f"; tested on one kernel, it is {format_seconds(max(tested))}" if tested else ""
    return f"error between the nodes' clocks: at most {bound}{known}"


def _missing(analysis: Analysis, width: int) -> list[Text]:
    """Return the lines on the planned points that have no figure, each with its reason."""
    if not analysis.missing:
        return []
    table = missing_table(analysis.missing)
    return [Text(), Text(table.caption, "bold"), *draw(table._replace(caption=""), width)]


def _print_race(console: Console, run: Run, race: Race, points: Sequence[PointSummary]) -> None:
    whole = sheet(run, [race], points, _SIZES_OF_A_RACE)
    shown = [
        row._replace(style="" if row.cells[-1] == "right" else "red")
        for row in whole.rows[:_WAYS_OF_A_RACE]
    ]
    console.print()
    console.print(Text(race.benchmark.name, style="bold"))
    console.print(Text(whole.notes[0], style="dim"))
    console.print(Drawn(whole._replace(rows=tuple(shown)), ruled=False))
    if len(whole.rows) > len(shown):
        more = f"and {len(whole.rows) - len(shown)} more ways: leadline show RUN --as kernels"
        console.print(Text(more, style="dim"))


# Beside a table sentences only repeat it: the largest gains are told.
_TOLD = 3


def print_answer(
    question: Question,
    answers: Collection[int],
    run: Run,
    analysis: Analysis,
    file: TextIO | None = None,
) -> None:
    """Print the question, its table, the findings with the indices `answers`, and every problem.

    What would disqualify the answer stands below it: the grade of trust. On `file` (default:
    stdout), at most 100 columns wide.
    """
    console = console_for(file)
    console.print(Text(printable(question.text), style="bold"))
    known = question.table in TABLE_NAMES
    shown = known and _print_table(console, question.table, run, analysis)
    findings = [analysis.findings[index] for index in answers]
    for finding in findings[:_TOLD] if shown else findings:
        print_finding(console, finding)
    if not findings and not shown:
        print_item(console, "", f"This run gives no answer: {_why_none(analysis.points)}.")
    for finding in _problems(analysis.findings, answers):
        print_finding(console, finding)
    console.print()
    print_trust(console, run, verdict_of(run, analysis).trust)
    console.print()
    print_lines(console, head(run, analysis, console.width))
    print_cure(console, "All figures:", f"leadline show {run.run} --full")


def _why_none(points: Sequence[PointSummary]) -> str:
    """Return why nothing was found in these figures, and what would help."""
    if not points:
        return "nothing was measured"
    if not any(point.verified for point in points):
        return "all data were wrong"
    if all(point.flags.get("preempted", 0) > point.samples / 2 for point in points):
        return "other programs interrupted most repetitions; measure on a quiet machine"
    if all(point.launches < 2 and not point.simulated for point in points):
        return "one launch tells too little; measure more with --launches"
    asked = [(p.benchmark, p.series, p.bytes, p.nodes, p.processes, p.mpi) for p in points]
    if len(set(asked)) == len(asked):
        return "one way alone was measured of each"
    return "no way is surely faster than another; more launches (--launches) tell smaller gains"


def _print_table(console: Console, name: str, run: Run, analysis: Analysis) -> bool:
    """Print the table of that name, if the run fills it, and return whether it does."""
    try:
        filled = run_table(name, run, analysis)
    except UserError:
        return False
    for note in filled.notes:
        print_item(console, "", note)
    console.print()
    console.print(Drawn(filled, ruled=False))
    console.print()
    return True


def _problems(findings: Sequence[Finding], answers: Collection[int]) -> list[Finding]:
    return [
        finding
        for index, finding in enumerate(findings)
        if finding.severity == "problem" and index not in answers
    ]
