"""`leadline run` and `leadline survey`: benchmarks, plans and questions, measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from leadline.analysis.questions import read_question, shipped_questions
from leadline.cli.benchmark_command import BenchmarkCommand, MeasuringCommand
from leadline.cli.completion import complete_benchmarks, complete_mpis, complete_to_run
from leadline.cli.group import Mode
from leadline.cli.measure import measure
from leadline.cli.options import WHAT, Shared, argument, declared, option, print_json, say
from leadline.cli.plan_options import (
    PLAN_OPTIONS,
    RunOptions,
    quick_option,
    quickened,
    read_options,
    with_options,
)
from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.core.shipped import benchmarks as benchmarks_of
from leadline.core.shipped import source_folder
from leadline.measure.plan.plans import read_plan, read_table
from leadline.model.plan import Plan
from leadline.model.question import Question


class _RunCommand(BenchmarkCommand):
    def plan(self, options: RunOptions) -> Plan:
        """Return the plan that the options mean, or that of a question. Raises `UserError`."""
        question = _question(options.what)
        if question is None:
            return super().plan(options)
        plan = quickened(question.plan) if options.quick else question.plan
        return with_options(plan, options)


def _question(what: Sequence[str]) -> Question | None:
    if len(what) != 1:
        return None
    path = Path(what[0])
    asks = path.suffix == ".toml" and path.is_file() and "question" in read_table(path)
    return read_question(what[0]) if asks or what[0] in shipped_questions() else None


MODES = (
    Mode("--list", "List the benchmarks and their axes, or questions", "run:listing", heading=WHAT),
)


@declared(
    "run",
    {
        "what": argument(
            "BENCHMARK... | PLAN | QUESTION",
            nargs=-1,
            required=True,
            shell_complete=complete_to_run,
        ),
        "quick": quick_option,
        **PLAN_OPTIONS,
    },
    cls=_RunCommand,
    modes=MODES,
    examples=(
        "leadline run mpi/pingpong",
        "leadline run mpi/allreduce --bytes 8,64K --mpi all --launches 10",
        "leadline run survey --hosts node1,node2 --place 2x1,2x4 --html report.html",
        "leadline run collectives",
    ),
)
def command(ctx: click.Context, /, **chosen: Any) -> None:
    """Measure benchmarks or a plan, or answer a question.

    A PLAN is a TOML file, or the name of a plan that leadline ships. A QUESTION is one that
    `leadline run --list questions` lists, or a plan with a `question` and the kinds of finding
    that are its `answers`. A BENCHMARK may be a pattern, such as 'mpi/*': all that match and suit
    the placement. Every axis of the benchmarks is an option: `leadline run BENCHMARK --help` lists
    them. Lists are separated by commas; ranges are FIRST:LAST:STEP or FIRST:LAST:xFACTOR; K, M, G
    are powers of 1024.
    """
    options = read_options(chosen)
    ctx.exit(measure(command.plan(options), options, question=_question(options.what)))


@declared()
def listing(
    names: tuple[str, ...] = argument("[NAME]...", shell_complete=complete_benchmarks),
    mpi: str | None = option(
        "MPIs as `leadline mpi` lists them, or all.", "NAME,...", shell_complete=complete_mpis
    ),
    build: bool = option("Build the probes first, which takes minutes."),
    as_json: bool = Shared.json,
) -> None:
    """List the benchmarks and their axes, or questions.

    They are built for the chosen MPI. With NAME only those, which may be patterns such as 'node/*';
    with `questions` those that one command answers. Of axes such as the compiler the values are
    those found on this machine.
    """
    from leadline.measure.build.probe import whole_program
    from leadline.measure.plan.kernels import probes_with_choices
    from leadline.measure.plan.selection import available_probes, listed_probes, named

    if names == ("questions",):
        _list_questions(as_json)
        return

    wanted = names or ("*",)
    find = available_probes if build else listed_probes
    remarks: list[str] = []
    found = find(wanted, tuple(mpi.split(",")) if mpi else (), say if build else remarks.append)
    if build:
        for probe_set, api in ((each, api) for each in found for api in each.probes):
            whole_program(probe_set.installation, api, say)
    found, _ = probes_with_choices(wanted, found)
    benchmarks = {name: each for probe_set in found for name, each in probe_set.benchmarks.items()}
    meant = {each for name in wanted for each in named(name, benchmarks)}
    if unknown := sorted(meant - benchmarks.keys()):
        there = benchmarks_of(source_folder())
        if wrong := [name for name in unknown if name not in there]:
            near = nearest(wrong[0], there)
            advice = f"did you mean {near}?" if near else "`leadline run --list` lists them"
            raise UserError(f"no benchmark {wrong[0]!r}: {advice}")
        raise UserError(f"{', '.join(unknown)}: its probe is not built: add --build")
    for remark in remarks:
        say(remark)
    ordered = [benchmarks[name] for name in sorted(meant)]
    if as_json:
        print_json({"benchmarks": ordered})
        return
    for benchmark in ordered:
        click.echo(f"{benchmark.name}  {benchmark.summary}")
        for axis in benchmark.axes:
            allowed = f" ({', '.join(axis.choices)})" if axis.choices else ""
            click.echo(f"    --{axis.name} {axis.default}{allowed}  {axis.summary}")


def _list_questions(as_json: bool) -> None:

    questions = [read_question(name) for name in shipped_questions()]
    if as_json:
        listed = [{"name": each.name, "question": each.text} for each in questions]
        print_json({"questions": listed})
        return
    width = max((len(each.name) for each in questions), default=0)
    for each in questions:
        click.echo(f"{each.name:{width}}  {each.text}")


@declared(
    None,
    {"quick": quick_option, **PLAN_OPTIONS},
    cls=MeasuringCommand,
    examples=(
        "leadline survey",
        "leadline survey --mpi all --html report.html",
        "leadline survey --hosts node1,node2 --place 2x1 --launches 10",
    ),
)
def survey_command(ctx: click.Context, /, **chosen: Any) -> None:
    """Measure this machine and say what to do.

    The machine is checked first, as `leadline check` does. The plan `survey` says what is
    measured.
    """
    options = read_options(chosen)
    survey = read_plan("survey")
    plan = with_options(quickened(survey) if options.quick else survey, options)
    ctx.exit(measure(plan, options, checks=True))
